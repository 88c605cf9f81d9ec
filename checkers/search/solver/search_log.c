#include "checkers/search/solver/search_log_private.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/check_private.h"

void search_log_init(struct search_log *log, uint32_t clause_count, uint64_t words_max)
{
    *log = (struct search_log){ .clause_count = clause_count, .words_max = words_max };
    if (log->words_max > UINT32_MAX)
        log->words_max = UINT32_MAX;
}

void search_log_close(struct search_log *log)
{
    array_close(&log->steps);
    array_close(&log->words);
}

static uint32_t append(struct search_log *log, const uint32_t *words, uint32_t count)
{
    uint32_t at = (uint32_t)log->words.count;

    for (uint32_t i = 0; i < count; i++)
        log->words.at[log->words.count++] = words[i];
    return at;
}

enum status search_log_add(struct search_log *log, const struct log_entry *entry, uint32_t *number,
                           struct error *err)
{
    uint64_t more = (uint64_t)entry->literal_count + entry->by_count + entry->cycle_count;
    struct search_step step = { .literal_count = entry->literal_count,
                                .by_count = entry->by_count,
                                .cycle_count = entry->cycle_count };

    *number = log->clause_count;
    if (!log->has_given_up && log->words.count + more > log->words_max) {
        search_log_close(log);
        log->has_given_up = true;
    }
    if (log->has_given_up)
        return STATUS_OK;
    TRY(array_reserve(&log->words, more, err));
    step.literals = append(log, entry->literals, entry->literal_count);
    step.by = append(log, entry->by, entry->by_count);
    step.cycle = append(log, entry->cycle, entry->cycle_count);
    *number = log->clause_count + (uint32_t)log->steps.count;
    return array_push(&log->steps, step, err);
}

/* From the last step backwards: a step only rests on earlier ones. */
static void mark_needed(const struct search_log *log, uint8_t *is_needed)
{
    is_needed[log->steps.count - 1] = 1;
    for (size_t i = log->steps.count; i-- > 0;) {
        const struct search_step *step = &log->steps.at[i];

        for (uint32_t b = 0; is_needed[i] && b < step->by_count; b++) {
            uint32_t number = log->words.at[step->by + b];

            if (number >= log->clause_count) {
                assert(number - log->clause_count < i);
                is_needed[number - log->clause_count] = 1;
            }
        }
    }
}

static void move_words(uint32_t *words, uint32_t *count, uint32_t *at, uint32_t word_count)
{
    uint32_t from = *at;

    *at = *count;
    for (uint32_t i = 0; i < word_count; i++)
        words[(*count)++] = words[from + i];
}

/* Moves what is needed to the front. */
static void compact(struct search_log *log, uint32_t *renumbered, struct search_proof *proof)
{
    uint32_t word_count = 0;

    proof->steps = log->steps.at;
    proof->words = log->words.at;
    for (size_t i = 0; i < log->steps.count; i++) {
        struct search_step step = log->steps.at[i];

        if (renumbered[i] == SEARCH_NONE)
            continue;
        move_words(proof->words, &word_count, &step.literals, step.literal_count);
        move_words(proof->words, &word_count, &step.by, step.by_count);
        move_words(proof->words, &word_count, &step.cycle, step.cycle_count);
        for (uint32_t b = 0; b < step.by_count; b++) {
            uint32_t *number = &proof->words[step.by + b];

            if (*number >= log->clause_count)
                *number = log->clause_count + renumbered[*number - log->clause_count];
        }
        renumbered[i] = proof->step_count;
        proof->steps[proof->step_count++] = step;
    }
    log->steps.at = NULL;
    log->words.at = NULL;
    search_log_close(log);
}

enum status search_log_trim(struct search_log *log, struct search_proof *proof, struct error *err)
{
    uint8_t *is_needed = NULL;
    uint32_t *renumbered = NULL;
    enum status status;

    assert(!log->has_given_up && log->steps.count > 0);
    status = check_memory((void **)&is_needed, log->steps.count, sizeof *is_needed, 0, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&renumbered, log->steps.count, sizeof *renumbered, err);
    if (status == STATUS_OK) {
        mark_needed(log, is_needed);
        for (size_t i = 0; i < log->steps.count; i++)
            renumbered[i] = is_needed[i] ? 0 : SEARCH_NONE;
        compact(log, renumbered, proof);
    }
    free(is_needed);
    free(renumbered);
    return status;
}
