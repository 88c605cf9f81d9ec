#include "predict/lemma_private.h"

#include "base/sort.h"

/* A clause that is being put together: formula_add() may need the formula's own. */
struct lemma {
    struct formula *f;
    const struct lemma_order *order;
    ARRAY(uint32_t) main, conflicts, between, slots;
};

/*
 * The conflict of a read that comes from a candidate, if its transaction stands behind so many places: LITERAL_FALSE
 * if there is none.
 */
static enum status find_conflict(struct lemma *l, const struct choosing_read *r, uint32_t candidate,
                                 uint32_t slot, uint32_t *conflict, struct error *err)
{
    struct formula *f = l->f;
    uint32_t writer = f->n->candidates[candidate];
    const uint32_t *place = l->order->place;

    *conflict = f->comes[candidate];
    if (*conflict == LITERAL_FALSE || (writer != DATAFLOW_INITIAL && place[writer] >= slot))
        return STATUS_OK;
    l->between.count = 0;
    for (uint32_t i = f->write_start[r->key]; i < f->write_start[r->key + 1]; i++) {
        struct writing_node c = f->writes[i];

        if (c.node == f->node[r->txn] || c.node == writer || place[c.node] >= slot ||
            (writer != DATAFLOW_INITIAL && place[c.node] < place[writer]))
            continue;
        if (c.written == LITERAL_TRUE)
            return STATUS_OK;
        if (c.written != LITERAL_FALSE)
            TRY(array_push(&l->between, c.written, err));
    }
    *conflict = LITERAL_FALSE;
    if (l->between.count == 0)
        return STATUS_OK;
    TRY(formula_variable(f, false, conflict, err));
    FORMULA_ADD(f, err, literal_not(*conflict), f->comes[candidate]);
    TRY(array_push(&l->between, literal_not(*conflict), err));
    return formula_add(f, l->between.at, l->between.count, err);
}

/* Appends the conflicts of a transaction at a place to `conflicts`. */
static enum status add_conflicts(struct lemma *l, uint32_t txn, uint32_t slot, struct error *err)
{
    const struct normal_form *n = l->f->n;

    for (uint32_t r = n->read_start[txn]; r < n->read_start[txn + 1]; r++)
        for (uint32_t c = n->reads[r].start; c < n->reads[r].end; c++) {
            uint32_t conflict;

            TRY(find_conflict(l, &n->reads[r], c, slot, &conflict, err));
            if (conflict != LITERAL_FALSE)
                TRY(array_push(&l->conflicts, conflict, err));
        }
    return STATUS_OK;
}

/* Where else it may stand: right behind its predecessor, and behind each writer that it may read from. */
static enum status find_slots(struct lemma *l, uint32_t txn, struct error *err)
{
    const struct normal_form *n = l->f->n;
    uint32_t previous = n->trace->previous[txn], least = 0;

    if (previous != DATAFLOW_NONE)
        least = l->order->place[l->f->node[previous]] + 1;
    l->slots.count = 0;
    TRY(array_push(&l->slots, least, err));
    for (uint32_t c = n->reads[n->read_start[txn]].start;
         c < n->reads[n->read_start[txn + 1] - 1].end; c++)
        if (n->candidates[c] != DATAFLOW_INITIAL && l->order->place[n->candidates[c]] >= least)
            TRY(array_push(&l->slots, l->order->place[n->candidates[c]] + 1, err));
    l->slots.count = sort_once(l->slots.at, l->slots.count);
    return STATUS_OK;
}

/* The literal that a transaction conflicts at its place and, while it may float, at all others. */
static enum status add_floating(struct lemma *l, uint32_t txn, struct error *err)
{
    struct formula *f = l->f;
    const struct normal_form *n = f->n;
    uint32_t next = n->next[txn], conflicts, escape = LITERAL_FALSE;

    l->conflicts.count = 0;
    TRY(add_conflicts(l, txn, l->order->place[l->f->node[txn]], err));
    if (l->conflicts.count == 0)
        return STATUS_OK;
    TRY(formula_variable(f, false, &conflicts, err));
    TRY(array_push(&l->main, conflicts, err));
    TRY(array_push(&l->conflicts, literal_not(conflicts), err));
    TRY(formula_add(f, l->conflicts.at, l->conflicts.count, err));
    if (n->write_start[txn] < n->write_start[txn + 1])
        escape = f->written[n->write_start[txn]];
    TRY(find_slots(l, txn, err));
    for (size_t i = 0; i < l->slots.count; i++) {
        l->conflicts.count = 0;
        TRY(array_push(&l->conflicts, literal_not(conflicts), err));
        TRY(array_push(&l->conflicts, escape, err));
        if (next != DATAFLOW_NONE) {
            TRY(array_push(&l->conflicts, f->full[next], err));
            TRY(array_push(&l->conflicts, f->boundary[next], err));
        }
        TRY(add_conflicts(l, txn, l->slots.at[i], err));
        TRY(formula_add(f, l->conflicts.at, l->conflicts.count, err));
    }
    return STATUS_OK;
}

static enum status put_together(struct lemma *l, struct error *err)
{
    const struct normal_form *n = l->f->n;

    for (uint32_t txn = 0; txn < n->trace->txn_count; txn++) {
        if (n->standing[txn] == TXN_IS_OUT || n->read_start[txn] == n->read_start[txn + 1])
            continue;
        if (l->order->floats[txn]) {
            TRY(add_floating(l, txn, err));
            continue;
        }
        l->conflicts.count = 0;
        TRY(add_conflicts(l, txn, l->order->place[l->f->node[txn]], err));
        for (size_t i = 0; i < l->conflicts.count; i++)
            TRY(array_push(&l->main, l->conflicts.at[i], err));
    }
    return formula_add(l->f, l->main.at, l->main.count, err);
}

enum status lemma_add(struct formula *f, const struct lemma_order *order, struct error *err)
{
    struct lemma l = { .f = f, .order = order };
    enum status status = put_together(&l, err);

    array_close(&l.main);
    array_close(&l.conflicts);
    array_close(&l.between);
    array_close(&l.slots);
    return status;
}
