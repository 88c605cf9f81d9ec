/*
 * Explains why a key is not linearizable: what fails first, in words, and a refutation.
 *
 * What fails first is the smallest beginning of the history that has no order: up to some
 * completion, with whatever is in flight then as if nobody had heard of its outcome. The
 * refutation is found by the black-box checker at strict-serializable, among few transactions where
 * that will do: those that zones found to contradict each other; what had begun by then; all
 * of the key. If it finds none within its limits the verdict is unknown.
 */
#include "checkers/infer/linear/linear_tell_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "checkers/infer/linear/linear_search_private.h"
#include "checkers/infer/linear/linear_private.h"
#include "checkers/proof/tell.h"
#include "checkers/search/explain.h"
#include "checkers/search/minimal_core.h"
#include "checkers/search/polygraph/distill_part.h"

#define PROOF_STEPS_MAX UINT64_C(200000000)
#define PREFIX_STEPS_MAX UINT64_C(2000000)

struct prover {
    const struct history *history;
    const struct places *places;
    const struct check_options *options;
    struct arena arena;
    struct distilled d;
    /* The history as if all other keys' operations had been refused. */
    struct history alone;
    uint8_t *flags;
    bool has_told_faults;
};

static enum status distill_all(struct prover *p, struct error *err)
{
    struct distill_options options = { .version_order = { 0, 1 },
                                       .keeps_standing = true,
                                       .stop = p->options->stop };

    TRY(arena_init(&p->arena, ARENA_UNLIMITED, err));
    return distill(&p->d, p->history, p->places, &options, &p->arena, err);
}

enum status linear_prover_open(struct prover **made, const struct places *places,
                               const struct check_options *options, struct error *err)
{
    struct prover *p = NULL;

    TRY(check_memory((void **)&p, 1, sizeof *p, 0, err));
    *made = p;
    p->history = places->history;
    p->places = places;
    p->options = options;
    return distill_all(p, err);
}

void linear_prover_close(struct prover *p)
{
    if (!p)
        return;
    distill_close(&p->d);
    arena_close(&p->arena);
    free(p->flags);
    free(p);
}

enum status linear_prover_tell_faults(struct prover *p, struct check *check, struct error *err)
{
    if (p->d.is_stopped || p->has_told_faults)
        return STATUS_OK;
    p->has_told_faults = true;
    return explain_faults(check, &p->d, p->places, err);
}

/* --- The smallest beginning --------------------------------------------------------- */

struct beginning {
    struct task task;
    struct call *calls;
    uint32_t *whole;    /* by call: which it is of the key's */
    struct linear_result result;
    int64_t end;
    bool is_found;
};

static void close_beginning(struct beginning *b)
{
    free(b->calls);
    free(b->whole);
    linear_result_close(&b->result);
}

/* What is known at a time. What is in flight may take effect or not, and has read nothing. */
static void cut(struct beginning *b, const struct task *whole, int64_t end)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < whole->count && whole->at[i].invoked <= end; i++) {
        struct call c = whole->at[i];

        if (c.completed > end) {
            c.is_open = true;
            c.completed = INT64_MAX;
            c.need = STATE_ANY;
        }
        if (c.is_open && !call_writes(&c))
            continue;
        b->whole[count] = i;
        b->calls[count++] = c;
    }
    b->task.count = count;
    b->end = end;
}

static enum status list_ends(const struct task *whole, int64_t **ends, size_t *count,
                             struct error *err)
{
    *count = 0;
    TRY(memory_resize((void **)ends, whole->count, sizeof **ends, err));
    for (uint32_t i = 0; i < whole->count; i++)
        if (!whole->at[i].is_open && whole->at[i].completed != INT64_MAX)
            (*ends)[(*count)++] = whole->at[i].completed;
    sort_signed(*ends, *count);
    return STATUS_OK;
}

static enum status fails_by(struct beginning *b, const struct task *whole, int64_t end,
                            bool *fails, struct error *err)
{
    linear_result_close(&b->result);
    cut(b, whole, end);
    b->task.stamp = whole->stamp;
    TRY(linear_decide(&b->task, &b->result, err));
    *fails = b->result.answer == LINEAR_FAILS;
    return STATUS_OK;
}

static enum status bisect(struct beginning *b, struct task *whole, const int64_t *ends,
                          size_t count, struct error *err)
{
    size_t low = 0, high = count; /* fails by ends[high], or nobody knows */
    bool fails = false;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        TRY(fails_by(b, whole, ends[middle], &fails, err));
        whole->stamp = b->task.stamp;
        if (b->result.answer == LINEAR_OPEN)
            return STATUS_OK;
        if (fails)
            high = middle;
        else
            low = middle + 1;
    }
    if (high == count)
        return STATUS_OK;
    TRY(fails_by(b, whole, ends[high], &fails, err));
    whole->stamp = b->task.stamp;
    b->is_found = fails;
    return STATUS_OK;
}

static enum status find_beginning(struct beginning *b, const struct refuted *r, struct error *err)
{
    struct task *whole = r->task;
    int64_t *ends = NULL;
    size_t count = 0;
    enum status status;

    b->task = *whole;
    b->task.steps_max = PREFIX_STEPS_MAX;
    TRY(memory_resize((void **)&b->calls, whole->count, sizeof *b->calls, err));
    TRY(memory_resize((void **)&b->whole, whole->count, sizeof *b->whole, err));
    b->task.at = b->calls;
    status = list_ends(whole, &ends, &count, err);
    if (status == STATUS_OK)
        status = bisect(b, whole, ends, count, err);
    free(ends);
    return status;
}

/* --- Words -------------------------------------------------------------------------- */

static void tell_call(struct buffer *out, const struct calls *calls, const struct call *c)
{
    tell_print(out, calls->history, "%T (", c->txn);
    if (c->need != STATE_ANY) {
        buffer_text(out, TEXT("found "));
        linear_states_tell(out, &calls->states, c->need);
    }
    if (c->set != STATE_ANY) {
        buffer_text(out, c->need != STATE_ANY ? TEXT(", left ") : TEXT("left "));
        linear_states_tell(out, &calls->states, c->set);
    } else if (c->appended != 0) {
        buffer_print(out, "appended %lld",
                     (long long)calls->appended.at[c->appended - 1].element);
    }
    buffer_byte(out, ')');
}

/* Who is in the way, and what was possible when its turn had come. */
static void tell_stuck(struct buffer *out, const struct calls *calls, const struct call *stuck,
                       const struct linear_result *at_the_end)
{
    buffer_text(out, TEXT("; "));
    tell_call(out, calls, stuck);
    buffer_text(out, TEXT(" cannot be placed"));
    if (at_the_end->held.count == 0)
        return;
    buffer_text(out, TEXT(": where all that was over before it fits, what is held can be "));
    for (size_t i = 0; i < at_the_end->held.count; i++) {
        if (i > 0)
            buffer_text(out, i + 1 == at_the_end->held.count ? TEXT(" or ") : TEXT(", "));
        linear_states_tell(out, &calls->states, at_the_end->held.at[i]);
    }
}

static enum status tell_beginning(struct buffer *out, struct beginning *b, const struct refuted *r,
                                  struct error *err)
{
    const struct calls *calls = r->task->calls;
    struct linear_result result = { .stuck = HISTORY_NONE };
    const struct call *stuck = NULL;
    uint32_t over = 0;
    enum status status = STATUS_OK;

    tell_print(out, calls->history, "%K is not linearizable: ", r->key);
    if (!b->is_found)
        return STATUS_OK;
    for (uint32_t i = 0; i < b->task.count; i++) {
        over += !b->calls[i].is_open;
        if (b->calls[i].completed == b->end)
            stuck = &b->calls[i];
    }
    buffer_print(out, "no order explains the first %lu operations that were over",
                 (unsigned long)over);
    b->task.steps_max = PREFIX_STEPS_MAX;
    b->task.is_blind = true;
    status = linear_search_decide(&b->task, &result, err);
    r->task->stamp = b->task.stamp;
    if (result.answer == LINEAR_FAILS)
        stuck = &b->calls[result.stuck];
    else
        result.held.count = 0;
    if (status == STATUS_OK && stuck)
        tell_stuck(out, calls, stuck, &result);
    buffer_text(out, TEXT("; "));
    linear_result_close(&result);
    return status;
}

/* --- The refutation ----------------------------------------------------------------- */

/* The key alone, where transactions touch others too; its operations keep their numbers. */
static enum status distill_key(struct prover *p, uint32_t key, struct distilled *d,
                               struct error *err)
{
    const struct history *h = p->history;
    struct distill_options options = { .version_order = { 0, 1 },
                                       .keeps_standing = true,
                                       .stop = p->options->stop };

    p->alone = *h;
    TRY(memory_resize((void **)&p->flags, h->op_count, sizeof *p->flags, err));
    for (size_t op = 0; op < h->op_count; op++)
        p->flags[op] = (uint8_t)(h->op_flags[op] | (h->op_key[op] == key ? 0 : OP_ERROR));
    p->alone.op_flags = p->flags;
    return distill(d, &p->alone, p->places, &options, &p->arena, err);
}

/* Who may have written what these read. */
static void mark_sources(const struct distilled *d, uint8_t *keeps)
{
    for (uint32_t r = 0; r < d->read_count; r++) {
        if (keeps[d->read_actor[r]] != 2)
            continue;
        if (d->read_source[r] != NOBODY) {
            uint32_t actor = d->version_actor[d->read_source[r]];

            if (actor != NOBODY)
                keeps[actor] |= 1;
            continue;
        }
        for (uint32_t c = d->candidate_start[r]; c < d->candidate_start[r + 1]; c++)
            if (d->version_actor[d->candidates[c]] != NOBODY)
                keeps[d->version_actor[d->candidates[c]]] |= 1;
    }
}

struct attempt {
    struct prover *prover;
    const struct distilled *d;
    const struct refuted *refuted;
    struct buffer *why;
    struct check *check;
    uint8_t *keeps; /* by actor: 2: one of those chosen */
    bool is_told;
};

static void choose(struct attempt *a, uint32_t txn)
{
    const struct distilled *d = a->d;
    uint32_t place;

    BISECT(place, 0, d->actor_count, d->actor_txn[place] < txn);
    if (place < d->actor_count && d->actor_txn[place] == txn)
        a->keeps[place] = 2;
}

/* As the finding of this level: the steps stay as they are. */
static enum status tell_steps(struct attempt *a, const struct steps *steps, struct error *err)
{
    struct check scratch = { .level = LEVEL_STRICT_SERIALIZABLE };
    enum status status = explain_refutation(&scratch, steps, err);

    if (status == STATUS_OK) {
        const struct check_finding *found = &scratch.findings.at[0];
        struct discovery d = { .kind = ANOMALY_NOT_LINEARIZABLE,
                               .proven = ANOMALY_NOT_LINEARIZABLE,
                               .txns = found->txns,
                               .txn_count = found->txn_count,
                               .why = *a->why };

        *a->why = (struct buffer){ 0 };
        buffer_text(&d.why, text_of(found->explanation));
        buffer_text(&d.proof, text_of(found->proof));
        status = check_add(a->check, &d, err);
        a->is_told = true;
    }
    check_close(&scratch);
    return status;
}

static enum status tell_smallest(struct attempt *a, const struct question *q,
                                 const struct answer_found *answer, struct error *err)
{
    struct distilled part;
    struct answer_found smaller;
    enum status status = minimal_core_find(q, answer, &part, &smaller, err);
    bool is_smaller = smaller.kind == ANSWER_NONE && smaller.has_proof;

    if (status == STATUS_OK)
        status = tell_steps(a, is_smaller ? &smaller.steps : &answer->steps, err);
    decide_close(&smaller);
    distill_close(&part);
    return status;
}

/* Whether those chosen, and whose writes they may have read, have no order. */
static enum status attempt_chosen(struct attempt *a, struct error *err)
{
    struct arena *arena = &a->prover->arena;
    size_t mark = arena->used;
    struct distilled part = { 0 };
    struct question q = { .d = &part,
                          .options = a->prover->options,
                          .arena = arena,
                          .closing = CLOSING_TIME,
                          .wants_proof = true,
                          .steps_max = PROOF_STEPS_MAX };
    struct answer_found answer = { .kind = ANSWER_OPEN };
    enum status status;

    mark_sources(a->d, a->keeps);
    status = distill_part(&part, a->d, a->keeps, arena, err);
    if (status == STATUS_OK) {
        status = decide(&q, &answer, err);
        if (status == STATUS_OK && answer.kind == ANSWER_NONE && answer.has_proof)
            status = tell_smallest(a, &q, &answer, err);
        decide_close(&answer);
    }
    distill_close(&part);
    arena_reset_to(arena, mark);
    return status;
}

static enum status attempt_all(struct attempt *a, const struct beginning *b, struct error *err)
{
    const struct task *whole = a->refuted->task;
    const struct linear_result *now = b->is_found && b->result.clash.count > 0 ? &b->result
                                                                               : a->refuted->result;

    memset(a->keeps, 0, a->d->actor_count);
    for (size_t i = 0; i < now->clash.count; i++)
        choose(a, now == &b->result ? b->calls[now->clash.at[i]].txn
                                    : whole->at[now->clash.at[i]].txn);
    if (now->clash.count > 0)
        TRY(attempt_chosen(a, err));
    if (!a->is_told && b->is_found) {
        memset(a->keeps, 0, a->d->actor_count);
        for (uint32_t i = 0; i < b->task.count; i++)
            if (!b->calls[i].is_open)
                choose(a, b->calls[i].txn);
        TRY(attempt_chosen(a, err));
    }
    if (a->is_told)
        return STATUS_OK;
    for (uint32_t i = 0; i < whole->count; i++)
        choose(a, whole->at[i].txn);
    return attempt_chosen(a, err);
}

static enum status refute_key(struct prover *p, const struct refuted *r, struct check *check,
                              struct beginning *b, struct buffer *why, struct error *err)
{
    struct distilled key = { 0 };
    struct attempt a = { .prover = p, .refuted = r, .why = why, .check = check };
    bool alone = !r->task->calls->has_several;
    enum status status = STATUS_OK;

    if (!alone)
        status = distill_key(p, r->key, &key, err);
    a.d = alone ? &p->d : &key;
    if (status == STATUS_OK && !a.d->is_stopped && !a.d->is_too_large)
        status = check_memory((void **)&a.keeps, a.d->actor_count, 1, 0, err);
    if (status == STATUS_OK && a.keeps)
        status = attempt_all(&a, b, err);
    free(a.keeps);
    distill_close(&key);
    if (status == STATUS_OK && !a.is_told)
        check_doubt(check, "\"%.*s\" is not linearizable, but the proof of it is too long",
                    TEXT_PRINT(history_key(p->history, r->key)));
    return status;
}

enum status linear_tell_refuted(struct prover *p, const struct refuted *r, struct check *check,
                                struct error *err)
{
    struct beginning b = { .result = { .stuck = HISTORY_NONE } };
    struct buffer why = { 0 };
    size_t mark = p->arena.used;
    enum status status;

    if (check_is_full(check))
        return STATUS_OK;
    if (p->d.faults.count > 0) /* who reads what nobody wrote is told, and no more */
        return linear_prover_tell_faults(p, check, err);
    status = find_beginning(&b, r, err);
    if (status == STATUS_OK)
        status = tell_beginning(&why, &b, r, err);
    if (status == STATUS_OK)
        status = refute_key(p, r, check, &b, &why, err);
    arena_reset_to(&p->arena, mark);
    close_beginning(&b);
    buffer_close(&why);
    return status;
}
