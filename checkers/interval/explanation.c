#include "checkers/interval/explanation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/interval/explanation_private.h"
#include "checkers/interval/settled.h"
#include "checkers/proof/tell.h"

/* --- What the history has -------------------------------------------------------------- */

/* Which transactions unknown to have committed were read, and so had. */
static void mark_counting(struct explanation *x)
{
    const struct grounds *g = x->m->grounds;

    for (uint32_t t = 0; t < x->h->txn_count; t++)
        x->counts[t] = x->h->txn_status[t] == TXN_OK;
    for (size_t i = 0; i < g->steps.count; i++) {
        const struct ground *step = &g->steps.at[i];

        if ((step->kind == GROUND_READS || step->kind == GROUND_FINDS) &&
            step->txns[1] != MIRROR_NONE)
            x->counts[step->txns[1]] = true;
    }
}

static void mark_ops(struct explanation *x, uint32_t txn)
{
    const struct history *h = x->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (h->txn_status[txn] == TXN_OK && look_is_explicable(x, op))
            x->flags[op] |= OP_IS_OPEN; /* until it is explained */
        if (!explanation_is_item(h, op))
            continue;
        if (x->date[h->op_key[op]] == 2 * txn + 1)
            x->flags[op] |= OP_IS_OWN;
        if (explanation_writes(h, op)) {
            x->date[h->op_key[op]] = 2 * txn + 1;
            x->writes[txn] = true;
        }
    }
    for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];)
        if (explanation_writes(h, op) && x->date[h->op_key[op]] != 2 * txn + 2) {
            x->date[h->op_key[op]] = 2 * txn + 2;
            x->flags[op] |= OP_IS_LAST;
        }
}

static enum status set_initial(struct explanation *x, struct error *err)
{
    const struct history *h = x->h;

    for (size_t k = 0; k < h->key_count; k++)
        x->keys[k] = (struct key_now){ .writer = NONE,
                                       .first_reader = NONE,
                                       .read_locker = NONE,
                                       .written_at = TIMELINE_BEGINNING,
                                       .unlocked_at = TIMELINE_BEGINNING };
    for (size_t i = 0; i < h->initial_count; i++) {
        struct value value = { (enum value_kind)h->initial_kind[i], h->initial_value[i] };
        struct key_now *now = &x->keys[h->initial_key[i]];

        now->value = trace_value(h, value);
        if (x->traces->rows)
            TRY(traces_row(x->traces, h->initial_key[i], value, &now->row, err));
    }
    return STATUS_OK;
}

static enum status add_initial_values(struct explanation *x, struct error *err)
{
    for (uint32_t k = 0; k < x->h->key_count && x->m->profile.reads_any; k++)
        TRY(explanation_add_value(x, k, x->keys[k].value, err));
    return STATUS_OK;
}

static enum status prepare(struct explanation *x, struct error *err)
{
    const struct history *h = x->h;
    size_t txns = h->txn_count;

    TRY(check_memory((void **)&x->flags, h->op_count, 1, 0, err));
    TRY(check_memory((void **)&x->counts, txns, sizeof *x->counts, 0, err));
    TRY(check_memory((void **)&x->writes, txns, sizeof *x->writes, 0, err));
    TRY(check_memory((void **)&x->view_place, txns, sizeof *x->view_place, 0xff, err));
    TRY(check_memory((void **)&x->commit_place, txns, sizeof *x->commit_place, 0xff, err));
    TRY(check_memory((void **)&x->op_place, h->op_count, sizeof *x->op_place, 0xff, err));
    TRY(check_memory((void **)&x->first_dependency, txns, sizeof *x->first_dependency, 0xff, err));
    TRY(check_memory((void **)&x->dependency_count, txns, sizeof *x->dependency_count, 0, err));
    TRY(check_memory((void **)&x->keys, h->key_count, sizeof *x->keys, 0, err));
    TRY(check_memory((void **)&x->date, h->key_count, sizeof *x->date, 0, err));
    TRY(check_memory((void **)&x->own_asked, h->key_count, sizeof *x->own_asked, 0, err));
    TRY(check_memory((void **)&x->came_asked, h->key_count, sizeof *x->came_asked, 0, err));
    mark_counting(x);
    for (uint32_t t = 0; t < txns; t++)
        if (x->counts[t])
            mark_ops(x, t);
    TRY(set_initial(x, err));
    TRY(add_initial_values(x, err));
    return explanation_find_times(x, err);
}

static void close(struct explanation *x)
{
    free(x->flags);
    free(x->counts);
    free(x->writes);
    free(x->view_place);
    free(x->commit_place);
    free(x->op_place);
    free(x->first_dependency);
    free(x->dependency_count);
    free(x->keys);
    free(x->date);
    free(x->own_asked);
    free(x->came_asked);
    look_close_all(x);
    array_close(&x->readers);
    array_close(&x->looks);
    array_close(&x->ranges);
    array_close(&x->written);
    array_close(&x->dependencies);
    map_close(&x->values);
    free(x->commits);
    array_close(&x->pasts);
}

/* --- Reads ------------------------------------------------------------------------------- */

static bool may_be_taken(const struct explanation *x, uint32_t txn, uint32_t op)
{
    uint32_t key = x->h->op_key[op];
    uint64_t value = trace_value(x->h, history_value(x->h, op));

    if (x->m->profile.reads_any)
        return explanation_had_value(x, key, value);
    return x->keys[key].value == value &&
           explanation_times_allow(x, key, txn, explanation_end(x, txn, op));
}

static enum status read_now(struct explanation *x, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = x->h->op_key[op];
    struct key_now *now = &x->keys[key];
    struct version_reader reader = { txn, op, now->first_reader, NONE };

    if (x->flags[op] & OP_IS_OWN)
        return STATUS_OK;
    if (!may_be_taken(x, txn, op)) {
        x->flags[op] |= OP_IS_OPEN;
        return STATUS_OK;
    }
    explanation_note_commit(x, now->writer, txn);
    if (!explanation_certifies(x) || x->m->profile.reads_any)
        return STATUS_OK;
    now->first_reader = (uint32_t)x->readers.count;
    TRY(array_push(&x->readers, reader, err));
    return explanation_depend(x, now->writer, txn, err);
}

/* A read of an item or a row, or a statement that looks for rows. */
static enum status see(struct explanation *x, uint32_t txn, uint32_t op, struct error *err)
{
    if (x->flags[op] & OP_IS_OPEN && op_is_head(x->h->op_kind[op]))
        return look_explain(x, txn, op, err);
    return explanation_reads(x->h, op) ? read_now(x, txn, op, err) : STATUS_OK;
}

enum status explanation_read_transaction(struct explanation *x, uint32_t txn, struct error *err)
{
    const struct history *h = x->h;

    if (h->txn_status[txn] != TXN_OK)
        return STATUS_OK;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (!explanation_has_own_view(x, op))
            TRY(see(x, txn, op, err));
    return STATUS_OK;
}

/* An item, the rows of a statement, or one of them. */
static enum status read_operation(struct explanation *x, const struct settled_instant *at,
                                  struct error *err)
{
    const struct history *h = x->h;
    uint32_t op = at->op, end = h->txn_op[at->number + 1];

    x->op_place[op] = x->place;
    TRY(see(x, at->number, op, err));
    for (op++; op < end && op_is_row(h->op_kind[op]); op++)
        if (explanation_reads(h, op) &&
            (x->m->profile.view != VIEW_ROW || h->op_key[op] == at->key)) {
            x->op_place[op] = x->place;
            TRY(read_now(x, at->number, op, err));
        }
    return STATUS_OK;
}

/* --- The walk --------------------------------------------------------------------------------- */

static enum status pass(struct explanation *x, const struct settled_instant *at, struct error *err)
{
    if (at->low > x->now)
        x->now = at->low;
    if (at->op == GROUND_COMMIT)
        return explanation_commit(x, at->number, err);
    if (at->op != GROUND_VIEW)
        return read_operation(x, at, err);
    x->view_place[at->number] = x->place;
    return explanation_read_transaction(x, at->number, err);
}

static enum status walk(struct explanation *x, struct buffer *out, struct error *err)
{
    const struct grounds *g = x->m->grounds;

    x->now = TIMELINE_BEGINNING;
    buffer_text(out, TEXT("\"instants\":["));
    for (size_t i = 0; i < g->settled.count; i++) {
        const struct settled_instant *at = &g->settled.at[i];

        if (!x->counts[at->number])
            continue;
        if (x->place > 0)
            buffer_byte(out, ',');
        grounds_tell_instant(x->m, x->h, at->number, at->op, at->key, out);
        TRY(pass(x, at, err));
        x->place++;
    }
    buffer_byte(out, ']');
    return STATUS_OK;
}

/* [T,op], or of a row [T,op,key] */
static void tell_open(const struct explanation *x, struct buffer *out)
{
    const struct history *h = x->h;
    const char *between = "";

    buffer_text(out, TEXT(",\"open\":["));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t], number = 0; op < h->txn_op[t + 1]; op++) {
            number += op > h->txn_op[t] && !op_is_row(h->op_kind[op]);
            if (!(x->flags[op] & OP_IS_OPEN))
                continue;
            buffer_print(out, "%s[%" PRId64 ",%" PRIu32, between, h->txn_id[t], number);
            if (op_is_row(h->op_kind[op])) {
                buffer_byte(out, ',');
                buffer_json(out, history_key(h, h->op_key[op]));
            }
            buffer_byte(out, ']');
            between = ",";
        }
    buffer_byte(out, ']');
}

static enum status explain(struct explanation *x, struct buffer *out, struct error *err)
{
    bool has_circle = false;

    TRY(prepare(x, err));
    TRY(walk(x, out, err));
    if (explanation_certifies(x))
        TRY(explanation_find_circle(x, &has_circle, err));
    if (has_circle || x->gives_up)
        out->count = 0;
    else
        tell_open(x, out);
    return STATUS_OK;
}

/*
 * Where windows say nothing, times still say that who was unknown to have committed had, once
 * somebody read of him: a first walk finds by when.
 */
static enum status find_commits(struct explanation *x, struct error *err)
{
    struct explanation first = *x;
    struct buffer unsaid = { 0 };
    enum status status;

    if (x->m->profile.timing != TIMING_KEY)
        return STATUS_OK;
    TRY(memory_resize((void **)&x->committed_by, x->h->txn_count, sizeof *x->committed_by, err));
    for (size_t t = 0; t < x->h->txn_count; t++)
        x->committed_by[t] = TIMELINE_END;
    first.committed_by = x->committed_by;
    status = explain(&first, &unsaid, err);
    buffer_close(&unsaid);
    close(&first);
    return status;
}

enum status explanation_tell(struct mirror *m, struct traces *traces, struct buffer *out,
                             struct error *err)
{
    struct explanation x = { .m = m, .h = traces->history, .traces = traces };
    enum status status = settled_finish(m, err);

    if (status == STATUS_OK)
        status = find_commits(&x, err);
    if (status == STATUS_OK)
        status = explain(&x, out, err);
    if (m->grounds->is_broken)
        out->count = 0;
    free(x.committed_by);
    close(&x);
    return status;
}
