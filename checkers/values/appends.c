#include "checkers/values/appends.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/check_private.h"

static void add(struct appends *a, struct append append, bool is_excluded)
{
    struct append *at = appends_find(a, append.key, append.element);

    if (at->op == HISTORY_NONE)
        *at = append;
    else if (!is_excluded)
        a->key_kind[append.key] = WRITTEN_STRANGE;
}

/* Whether it is an append that was not refused. */
static bool is_append(const struct history *h, uint32_t op)
{
    return h->op_kind[op] == OP_APPEND && history_makes_version(h, op);
}

static uint64_t mark_lists(struct appends *a, const struct append_writers *writers)
{
    const struct history *h = a->history;
    uint64_t count = 0;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn];
             op < h->txn_op[txn + 1] &&
             (writers->knows_excluded || writers->of_txn[txn] != writers->excluded);
             op++)
            if (is_append(h, op)) {
                a->key_kind[h->op_key[op]] = WRITTEN_LIST;
                count++;
            }
    for (uint32_t key = 0; key < h->key_count && count > 0; key++)
        if (a->key_kind[key] == WRITTEN_LIST)
            count += values_initial(h, key).count;
    return count;
}

static void add_initial(struct appends *a, uint32_t key)
{
    struct elements initial;

    if (!values_elements(a->history, history_initial(a->history, key), &initial))
        a->key_kind[key] = WRITTEN_STRANGE;
    for (uint32_t i = 0; i < initial.count; i++)
        add(a, (struct append){ initial.at[i], key, APPEND_INITIAL, HISTORY_NONE, HISTORY_NONE },
            false);
}

/* `last` by key: the append seen last. */
static void add_writes(struct appends *a, uint32_t txn, bool is_excluded, uint32_t *last)
{
    const struct history *h = a->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];
        struct append append = { h->op_value[op], key, op, txn, HISTORY_NONE };

        if (is_append(h, op)) {
            if (last[key] >= h->txn_op[txn] && last[key] < op)
                append.before = last[key];
            last[key] = op;
            add(a, append, is_excluded);
        } else if (history_makes_version(h, op) && !is_excluded &&
                   a->key_kind[key] == WRITTEN_LIST) {
            a->key_kind[key] = WRITTEN_STRANGE;
        }
    }
}

enum status appends_init(struct appends *a, const struct history *h,
                         const struct append_writers *writers, struct error *err)
{
    uint64_t count, room = 16;
    uint32_t *last = NULL;

    *a = (struct appends){ .history = h };
    if (h->op_count == 0 || !memchr(h->op_kind, OP_APPEND, h->op_count))
        return STATUS_OK;
    TRY(check_memory((void **)&a->key_kind, h->key_count, 1, WRITTEN_REGISTER, err));
    count = mark_lists(a, writers);
    while (room < 2 * count)
        room *= 2;
    a->mask = room - 1;
    TRY(check_memory((void **)&a->slots, room, sizeof *a->slots, 0xff, err));
    TRY(check_memory((void **)&last, h->key_count, sizeof *last, 0xff, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        if (a->key_kind[key] == WRITTEN_LIST)
            add_initial(a, key);
    for (int excluded = 0; excluded <= (int)writers->knows_excluded; excluded++)
        for (uint32_t txn = 0; txn < h->txn_count; txn++)
            if ((writers->of_txn[txn] == writers->excluded) == (excluded == 1))
                add_writes(a, txn, excluded == 1, last);
    free(last);
    return STATUS_OK;
}

void appends_close(struct appends *a)
{
    free(a->key_kind);
    free(a->slots);
}
