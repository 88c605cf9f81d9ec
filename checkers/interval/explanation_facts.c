/*
 * What a history has, as the walk asks for it; and who depends on whom along it.
 */
#include "checkers/interval/explanation_private.h"

#include "base/hash.h"

bool explanation_is_item(const struct history *h, uint32_t op)
{
    return !op_is_head(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

bool explanation_writes(const struct history *h, uint32_t op)
{
    return explanation_is_item(h, op) && op_is_write(h->op_kind[op]);
}

bool explanation_reads(const struct history *h, uint32_t op)
{
    return explanation_is_item(h, op) && op_is_read(h->op_kind[op]) &&
           h->op_value_kind[op] != VALUE_NONE;
}

uint32_t explanation_head(const struct history *h, uint32_t op)
{
    while (op_is_row(h->op_kind[op]))
        op--;
    return op;
}

bool explanation_asks_for_locks(const struct history *h, uint32_t op)
{
    return trace_asks_for_lock(h, explanation_head(h, op));
}

bool explanation_has_own_view(const struct explanation *x, uint32_t op)
{
    return profile_reads_apart(&x->m->profile, explanation_asks_for_locks(x->h, op));
}

static uint64_t value_number(uint32_t key, uint64_t value)
{
    return hash_fold(value ^ HASH_ODD_1, (uint64_t)key + HASH_ODD_2);
}

enum status explanation_add_value(struct explanation *x, uint32_t key, uint64_t value,
                                  struct error *err)
{
    size_t place;

    return map_add(&x->values, value_number(key, value), 1, &place, err);
}

bool explanation_had_value(const struct explanation *x, uint32_t key, uint64_t value)
{
    uint64_t count;

    return map_find(&x->values, value_number(key, value), &count);
}

/* --- Dependencies ------------------------------------------------------------------------ */

/* Where all is as of the commit, dependencies lead along the order, and make no circle. */
bool explanation_certifies(const struct explanation *x)
{
    return x->m->profile.view != VIEW_COMMIT && x->m->profile.certifier != CERTIFIER_NONE &&
           x->m->profile.certifier != CERTIFIER_CONCURRENT_VERSIONS;
}

enum status explanation_depend(struct explanation *x, uint32_t from, uint32_t to, struct error *err)
{
    struct dependent new = { to, 0 };

    if (from == NONE || from == to || !explanation_certifies(x))
        return STATUS_OK;
    new.next = x->first_dependency[from];
    x->first_dependency[from] = (uint32_t)x->dependencies.count;
    x->dependency_count[to]++;
    return array_push(&x->dependencies, new, err);
}

/* Takes away whoever depends on nobody that is left, as long as there is one. */
enum status explanation_find_circle(struct explanation *x, bool *is_found, struct error *err)
{
    ARRAY(uint32_t) free_txns = { 0 };
    enum status status = STATUS_OK;
    size_t count = x->h->txn_count, gone = 0;

    for (uint32_t t = 0; t < count && status == STATUS_OK; t++)
        if (x->dependency_count[t] == 0)
            status = array_push(&free_txns, t, err);
    for (; status == STATUS_OK && free_txns.count > 0; gone++) {
        uint32_t at = x->first_dependency[free_txns.at[--free_txns.count]];

        for (; at != NONE && status == STATUS_OK; at = x->dependencies.at[at].next)
            if (--x->dependency_count[x->dependencies.at[at].to] == 0)
                status = array_push(&free_txns, x->dependencies.at[at].to, err);
    }
    *is_found = gone < count;
    array_close(&free_txns);
    return status;
}
