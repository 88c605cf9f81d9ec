#include "checkers/search/minimal_core.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_private.h"
#include "checkers/search/polygraph/distill_part.h"

#define ACTORS_MAX 3000            /* more than that nobody reads, shrunk or not */
#define WORK_MAX UINT64_C(1000000) /* facts, of all questions together */
#define SEARCH_STEPS_MAX UINT64_C(2000000)

struct core {
    const struct question *q;
    uint64_t work;
};

static uint32_t count_marked(const uint8_t *marks, uint32_t count)
{
    uint32_t marked = 0;

    for (uint32_t i = 0; i < count; i++)
        marked += marks[i];
    return marked;
}

/* Asks about some actors of `whole`. The part and the answer are of the arena. */
static enum status ask(struct core *c, const struct distilled *whole, const uint8_t *keeps,
                       struct distilled *part, struct answer_found *answer, struct error *err)
{
    struct question question = *c->q;

    *answer = (struct answer_found){ .kind = ANSWER_OPEN };
    TRY(distill_part(part, whole, keeps, c->q->arena, err));
    question.d = part;
    question.steps_max = SEARCH_STEPS_MAX;
    TRY(decide(&question, answer, err));
    c->work += answer->polygraph.facts.count + part->actor_count;
    return STATUS_OK;
}

/* Marks, among the actors of the whole, those that the reasons about its part need. */
static void mark_needed(const struct distilled *whole, const struct answer_found *answer,
                        uint8_t *marks)
{
    const struct distilled *part = answer->polygraph.d;
    uint32_t at = 0;

    memset(marks, 0, whole->actor_count);
    for (uint32_t actor = 0; actor < whole->actor_count && at < part->actor_count; actor++)
        if (whole->actor_txn[actor] == part->actor_txn[at])
            marks[actor] = answer->steps.takes_part[at++];
}

/* Whether it can do without one more. */
static enum status leave_one_out(struct core *c, const struct distilled *whole, uint8_t *marks,
                                 uint32_t actor, bool *can, struct error *err)
{
    size_t mark = c->q->arena->used;
    struct distilled part;
    struct answer_found answer;
    enum status status;

    marks[actor] = 0;
    status = ask(c, whole, marks, &part, &answer, err);
    *can = status == STATUS_OK && answer.kind == ANSWER_NONE && answer.has_proof;
    if (*can)
        mark_needed(whole, &answer, marks);
    else
        marks[actor] = 1;
    decide_close(&answer);
    distill_close(&part);
    arena_reset_to(c->q->arena, mark);
    return status;
}

static enum status shrink(struct core *c, const struct distilled *whole, uint8_t *marks,
                          struct error *err)
{
    bool has_shrunk = true;

    while (has_shrunk) {
        has_shrunk = false;
        for (uint32_t actor = 0; actor < whole->actor_count; actor++) {
            bool can = false;

            if (!marks[actor])
                continue;
            if (c->work > WORK_MAX || check_is_stopped(c->q->options))
                return STATUS_OK;
            TRY(leave_one_out(c, whole, marks, actor, &can, err));
            has_shrunk = has_shrunk || can;
        }
    }
    return STATUS_OK;
}

enum status minimal_core_find(const struct question *q, const struct answer_found *answer,
                              struct distilled *part, struct answer_found *smaller, struct error *err)
{
    struct core c = { .q = q };
    struct distilled *small = NULL;
    uint8_t *marks = NULL;

    assert(answer->kind == ANSWER_NONE && answer->steps.takes_part);
    *part = (struct distilled){ .history = q->d->history };
    *smaller = (struct answer_found){ .kind = ANSWER_OPEN };
    if (count_marked(answer->steps.takes_part, q->d->actor_count) > ACTORS_MAX)
        return STATUS_OK;
    /* Once what the reasons name alone, so that each further question is small. */
    TAKE(q->arena, small, 1, err);
    TRY(distill_part(small, q->d, answer->steps.takes_part, q->arena, err));
    TAKE(q->arena, marks, small->actor_count, err);
    memset(marks, 1, small->actor_count);
    TRY(shrink(&c, small, marks, err));
    return ask(&c, small, marks, part, smaller, err);
}
