/*
 * The statements of an order that explains all items. What was committed is what the rows are; each
 * transaction is run where its snapshot was taken, and taken back; then it commits where it does.
 */
#include <string.h>

#include "checkers/search/looks.h"

struct run {
    struct looks *l;
    const struct serial *serial;
    uint32_t *start, *starting; /* by place: who takes a snapshot there; actors */
    struct value *committed;    /* by key */
};

/* --- One statement ------------------------------------------------------------------ */

static enum status ask_row(struct run *r, uint32_t actor, uint32_t head, uint32_t key,
                           bool *disagrees, struct error *err)
{
    struct looks *l = r->l;
    struct value row = { VALUE_ROW, l->rows.row[key] };

    if (row.bits < 0)
        row = (struct value){ VALUE_NULL, 0 };
    looks_begin_statement(l, head); /* another may have been looked at meanwhile */
    if (looks_admit(l, head, key, row))
        return STATUS_OK;
    *disagrees = true;
    if (l->own_date[key] != l->own_now)
        return looks_add_sight(l, actor, key, err); /* a statement before may have done so */
    l->has_fault = true;
    l->fault = (struct fault){
        .txn = l->d->actor_txn[actor], .op = head, .kind = FAULT_NO_SIGHT, .key = key
    };
    return STATUS_OK;
}

/* Which rows are at fault, and then which aggregates. */
static enum status blame(struct run *r, uint32_t actor, uint32_t head, struct error *err)
{
    struct looks *l = r->l;
    const struct history *h = l->history;
    uint32_t statement = h->op_key[head], end = h->statement_aggregate_start[statement + 1];
    size_t added = l->added;
    bool disagrees = false;

    for (uint32_t op = head + 1; op <= head + h->statement_row_count[statement]; op++)
        TRY(ask_row(r, actor, head, h->op_key[op], &disagrees, err));
    for (size_t i = 0; i < l->rows.matching.count && !l->has_fault; i++)
        TRY(ask_row(r, actor, head, l->rows.matching.at[i].key, &disagrees, err));
    for (uint32_t i = h->statement_aggregate_start[statement];
         i < end && !disagrees && !l->has_fault; i++)
        TRY(looks_add_some(l, actor, head, i, err));
    l->unexplained += l->added == added && !disagrees && !l->has_fault;
    return STATUS_OK;
}

static enum status ask(struct run *r, uint32_t actor, uint32_t head, struct error *err)
{
    struct looks *l = r->l;
    struct answer_fault unsaid = { .key = HISTORY_NONE };
    enum answer answer;

    if (l->is_strange[l->history->statement_table[l->history->op_key[head]]]) {
        l->is_undecided[l->history->op_key[head]] = 1;
        return STATUS_OK;
    }
    if (rows_agree(&l->rows, head))
        return STATUS_OK;
    TRY(rows_find(&l->rows, head, err));
    answer = l->rows.is_undecided ? ANSWER_UNDECIDED
                                  : answers_compare(&l->answers, head, l->rows.matching.at,
                                                    l->rows.matching.count, &unsaid);
    if (answer == ANSWER_UNDECIDED)
        l->is_undecided[l->history->op_key[head]] = 1;
    l->has_differed |= answer == ANSWER_DIFFERS;
    return answer == ANSWER_DIFFERS && l->learns ? blame(r, actor, head, err) : STATUS_OK;
}

/* --- Transactions --------------------------------------------------------------------- */

static bool is_row(const struct looks *l, uint32_t key)
{
    return l->keys.table[key] != HISTORY_NONE;
}

static void put(struct looks *l, uint32_t key, struct value value)
{
    rows_set(&l->rows, key, (uint8_t)value.kind, value.bits);
}

static enum status run_actor(struct run *r, uint32_t actor, struct error *err)
{
    struct looks *l = r->l;
    const struct history *h = l->history;
    uint32_t txn = l->d->actor_txn[actor];

    l->own_now++;
    l->written.count = 0;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1] && !l->has_fault; op++) {
        uint32_t key = h->op_key[op];

        if (look_is_judged(h, txn, op)) {
            TRY(ask(r, actor, op, err));
        } else if (history_makes_version(h, op) && is_row(l, key)) {
            if (l->own_date[key] != l->own_now)
                TRY(array_push(&l->written, key, err));
            l->own_date[key] = l->own_now;
            put(l, key, history_value(h, op));
        }
    }
    for (size_t i = 0; i < l->written.count; i++)
        put(l, l->written.at[i], r->committed[l->written.at[i]]);
    return STATUS_OK;
}

static void commit(struct run *r, uint32_t actor)
{
    struct looks *l = r->l;
    const struct history *h = l->history;
    uint32_t txn = l->d->actor_txn[actor];

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && is_row(l, h->op_key[op]))
            r->committed[h->op_key[op]] = history_value(h, op);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && is_row(l, h->op_key[op]))
            put(l, h->op_key[op], r->committed[h->op_key[op]]);
}

static enum status begin(struct run *r, struct arena *arena, struct error *err)
{
    const struct looks *l = r->l;
    const struct distilled *d = l->d;
    const struct serial *serial = r->serial;

    TAKE(arena, r->start, (size_t)d->actor_count + 2, err);
    TAKE(arena, r->starting, d->actor_count, err);
    TAKE(arena, r->committed, l->history->key_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->start[(serial->seen ? serial->seen[i] : i) + 2]++;
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->start[i + 2] += r->start[i + 1];
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->starting[r->start[(serial->seen ? serial->seen[i] : i) + 1]++] = serial->actors[i];
    for (uint32_t key = 0; key < l->history->key_count; key++)
        if (is_row(l, key)) {
            r->committed[key] = history_initial(l->history, key);
            put(r->l, key, r->committed[key]);
        }
    return STATUS_OK;
}

/* Nothing that comes can change what is said of the order. */
static bool is_over(const struct looks *l)
{
    return l->has_fault || (l->has_differed && !l->learns) || looks_are_stopped(l);
}

enum status looks_replay(struct looks *l, const struct serial *serial, bool learns,
                         struct arena *arena, bool *holds, struct error *err)
{
    struct run r = { .l = l, .serial = serial };
    size_t mark = arena->used;

    l->added = 0;
    l->unexplained = 0;
    l->learns = learns;
    l->has_differed = false;
    memset(l->is_undecided, 0, l->history->statement_count);
    TRY(begin(&r, arena, err));
    for (uint32_t place = 0; place < l->d->actor_count && !is_over(l); place++) {
        for (uint32_t i = r.start[place]; i < r.start[place + 1] && !is_over(l); i++)
            TRY(run_actor(&r, r.starting[i], err));
        commit(&r, serial->actors[place]);
    }
    *holds = !l->has_differed && !looks_are_stopped(l);
    arena_reset_to(arena, mark);
    return STATUS_OK;
}
