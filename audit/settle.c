#include "audit/settle_private.h"

#include <stdlib.h>
#include <string.h>

enum status settle_take(struct settle *s, const struct witness_execution *x, struct error *err)
{
    size_t choices = 0;

    for (uint32_t i = 0; i < x->count; i++)
        choices += x->txns[i].choice_count;
    TRY(array_reserve(&s->txns, x->count, err));
    TRY(array_reserve(&s->choices, choices, err));
    for (uint32_t i = 0; i < x->count; i++) {
        struct witness_txn t = x->txns[i];

        TRY(runner_add_choices(&s->choices, t.choices, t.choice_count, err));
        t.choices = s->choices.at + s->choices.count - t.choice_count;
        s->txns.at[s->txns.count++] = t;
    }
    s->x = *x;
    s->x.txns = s->txns.at;
    return STATUS_OK;
}

void settle_close(struct settle *s)
{
    array_close(&s->txns);
    array_close(&s->choices);
}

/* --- Where to cut --------------------------------------------------------------------------------- */

static uint32_t least_state(const struct witness_txn *t)
{
    uint32_t least = t->choice_count > 0 ? UINT32_MAX : t->state;

    for (uint32_t i = 0; i < t->choice_count; i++)
        if (t->choices[i].state < least)
            least = t->choices[i].state;
    return least;
}

static uint32_t most_state(const struct witness_txn *t)
{
    uint32_t most = t->choice_count > 0 ? 0 : t->state;

    for (uint32_t i = 0; i < t->choice_count; i++)
        if (t->choices[i].state > most)
            most = t->choices[i].state;
    return most;
}

static bool is_strict(const struct settle *s)
{
    return level_closing(s->x.level) == CLOSING_TIME;
}

/* One that only reads, of which it does not matter where it stands, but only what it sees. */
static bool may_move(const struct settle *s, const struct plan *plan, uint32_t i)
{
    return !is_strict(s) && (s->x.mode == RUN_SNAPSHOT || s->x.mode == RUN_STATEMENT ||
                             s->x.mode == RUN_PAPER) &&
           !plan->txns.at[s->txns.at[i].txn].may_write;
}

/* What those from a place on ask of a cut before it. */
struct behind {
    uint32_t state;          /* the least that they saw */
    uint32_t first;          /* the one with the least ts, or NOBODY */
    int64_t first_answer_ns; /* the earliest */
};

static struct behind add_behind(const struct settle *s, const struct plan *plan, struct behind b,
                                uint32_t i)
{
    uint32_t txn = s->txns.at[i].txn;
    const struct plan_txn *t = &plan->txns.at[txn];

    if (s->x.mode != RUN_AT_PLACE && !may_move(s, plan, i) &&
        least_state(&s->txns.at[i]) < b.state)
        b.state = least_state(&s->txns.at[i]);
    if (audit_plan_has_ts(plan, txn) &&
        (b.first == NOBODY || audit_plan_compare_ts(plan, txn, b.first) < 0))
        b.first = txn;
    if (t->first_answer_ns != TIME_NEVER && t->first_answer_ns < b.first_answer_ns)
        b.first_answer_ns = t->first_answer_ns;
    return b;
}

/* Of those before a cut. */
struct ahead {
    uint32_t last;      /* the one with the greatest ts, or NOBODY */
    int64_t invoked_ns; /* the latest */
};

static void add_ahead(const struct plan *plan, struct ahead *a, uint32_t txn)
{
    int64_t invoked_ns = plan->txns.at[txn].logged->invoked_ns;

    if (audit_plan_has_ts(plan, txn) &&
        (a->last == NOBODY || audit_plan_compare_ts(plan, txn, a->last) > 0))
        a->last = txn;
    if (invoked_ns != TIME_NEVER && invoked_ns > a->invoked_ns)
        a->invoked_ns = invoked_ns;
}

static bool may_cut(const struct settle *s, const struct plan *plan, uint32_t place,
                    const struct ahead *a, const struct behind *b)
{
    if (b->state < place)
        return false;
    if (a->last != NOBODY && b->first != NOBODY && audit_plan_compare_ts(plan, a->last, b->first) >= 0)
        return false;
    return !is_strict(s) || a->invoked_ns <= b->first_answer_ns;
}

static enum status find_cut(const struct settle *s, const struct plan *plan, uint32_t keep,
                            uint32_t *cut, struct error *err)
{
    uint32_t count = (uint32_t)s->txns.count, most = count > keep ? count - keep : 0;
    struct behind *behind = malloc(((size_t)count + 1) * sizeof *behind);
    struct ahead ahead = { NOBODY, INT64_MIN };

    if (!behind)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to settle transactions");
    behind[count] = (struct behind){ UINT32_MAX, NOBODY, INT64_MAX };
    for (uint32_t i = count; i > 0; i--)
        behind[i - 1] = add_behind(s, plan, behind[i], i - 1);
    *cut = 0;
    for (uint32_t i = 0; i < most; i++) {
        add_ahead(plan, &ahead, s->txns.at[i].txn);
        if (may_cut(s, plan, i + 1, &ahead, &behind[i + 1]))
            *cut = i + 1;
    }
    free(behind);
    return STATUS_OK;
}

/* --- What it leaves ------------------------------------------------------------------------------- */

/* Runs them again, each on what it saw. */
static enum status replay(const struct settle *s, uint32_t count, struct runner *r,
                          struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct witness_txn *t = &s->txns.at[i];

        r->window = (struct run_window){ 0, s->x.mode == RUN_AT_PLACE ? i : t->state };
        r->path = t->choices;
        r->path_count = t->choice_count;
        TRY(runner_run(r, t->txn, err));
        if (r->end != RUN_RIGHT)
            return error_set(err, STATUS_OVER_LIMIT, "transaction %lld runs differently when it is settled",
                             (long long)r->plan->txns.at[t->txn].logged->id);
        TRY(audit_rows_commit(r->rows, err));
    }
    return STATUS_OK;
}

static enum status put_rows(const struct settle *s, const struct plan *plan, uint32_t count,
                            struct buffer *out, struct error *err)
{
    struct rows *rows = NULL;
    struct runner runner;
    enum status status;

    TRY(audit_rows_open(&rows, plan->program, plan->is_called, err));
    status = runner_open(&runner, plan, rows, s->x.mode, err);
    if (status == STATUS_OK)
        status = audit_plan_fill(plan, rows, err);
    if (status == STATUS_OK)
        status = replay(s, count, &runner, err);
    if (status == STATUS_OK)
        status = witness_put_tables(out, plan, rows, err);
    runner_close(&runner);
    audit_rows_close(rows);
    return status;
}

/* --- The door --------------------------------------------------------------------------------------- */

/* Those before the cut, and those behind it that may move there; they become the first of the copy. */
static enum status gather(struct settle *s, const struct plan *plan, uint32_t cut,
                          uint64_t settled_before, struct audit_settled *out, struct error *err)
{
    struct ahead ahead = { NOBODY, INT64_MIN };
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->txns.count; i++) {
        struct witness_txn *t = &s->txns.at[i];

        if (i >= cut && !(may_move(s, plan, i) && most_state(t) <= cut))
            continue;
        for (uint32_t k = 0; k < t->choice_count; k++)
            s->choices.at[t->choices - s->choices.at + k].state += (uint32_t)settled_before;
        t->state += (uint32_t)settled_before;
        add_ahead(plan, &ahead, t->txn);
        TRY(array_push(&out->txns, plan->txns.at[t->txn].logged->id, err));
        audit_plan_count_answers(plan, t->txn, &out->judged, &out->unjudged);
        s->txns.at[count++] = *t;
    }
    out->has_ts = ahead.last != NOBODY;
    if (out->has_ts)
        memcpy(out->ts, plan->txns.at[ahead.last].logged->ts, sizeof out->ts);
    out->invoked_ns = ahead.invoked_ns;
    s->x.txns = s->txns.at;
    s->x.count = count;
    return STATUS_OK;
}

/*
 * Whether rows are all that later transactions need. The number of a row without a key says in which order it comes,
 * and how far sequences have come decides what they give next: a log can say neither.
 */
static bool is_all_in_rows(const struct schema *schema)
{
    if (schema->sequence_count > 0)
        return false;
    for (uint32_t t = 0; t < schema->table_count; t++)
        if (schema->tables[t].is_numbered)
            return false;
    return true;
}

enum status settle_make(struct settle *s, const struct plan *plan,
                        const struct audit_options *options, struct audit_settled *out,
                        struct error *err)
{
    uint32_t cut = 0;

    if (options->keep > 0 && !is_all_in_rows(&plan->program->tree.schema))
        return STATUS_OK;
    TRY(find_cut(s, plan, options->keep, &cut, err));
    if (options->keep > 0)
        TRY(put_rows(s, plan, cut, &out->rows, err));
    TRY(gather(s, plan, cut, options->settled_before, out, err));
    if (options->keep == 0)
        TRY(witness_add_absent(&out->parts, plan, &s->x, err));
    return witness_add(&out->parts, plan, &s->x, err);
}
