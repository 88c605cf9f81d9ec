/*
 * Sessions, and the writers of each key session by session: counting sorts.
 */
#include <stdlib.h>
#include <string.h>

#include "checkers/weak/weak_private.h"

enum status weak_sort_by_session(const struct weak *w, uint32_t **start, uint32_t **txns,
                                 bool with_unknown, struct error *err)
{
    const struct history *h = w->history;
    uint32_t count = 0;

    TRY(check_memory((void **)start, (size_t)w->session_count + 2, sizeof **start, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn] && (with_unknown || !weak_is_unknown(w, txn))) {
            (*start)[h->txn_session[txn] + 2]++;
            count++;
        }
    for (size_t s = 2; s < (size_t)w->session_count + 2; s++)
        (*start)[s] += (*start)[s - 1];
    TRY(memory_resize((void **)txns, count, sizeof **txns, err));
    /* start[s + 1] runs through the transactions of s, and ends where those of s + 1 begin. */
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn] && (with_unknown || !weak_is_unknown(w, txn)))
            (*txns)[(*start)[h->txn_session[txn] + 1]++] = txn;
    return STATUS_OK;
}

enum status weak_seat(struct weak *w, struct error *err)
{
    const struct history *h = w->history;
    uint32_t *seen = NULL;

    TRY(weak_sort_by_session(w, &w->session_start, &w->session_txns, false, err));
    TRY(memory_resize((void **)&w->position, w->txn_count, sizeof *w->position, err));
    TRY(check_memory((void **)&seen, w->session_count, sizeof *seen, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        uint32_t *before = &seen[h->txn_session[txn]];

        w->position[txn] = *before + 1;
        *before += w->takes_part[txn] && !weak_is_unknown(w, txn);
    }
    free(seen);
    return STATUS_OK;
}

static enum status put_by_key(struct weak *w, const uint32_t *txns, uint32_t count,
                              struct error *err)
{
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&w->key_start, keys + 2, sizeof *w->key_start, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn])
            for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++)
                w->key_start[w->write_key[i] + 2]++;
    for (size_t k = 2; k < keys + 2; k++)
        w->key_start[k] += w->key_start[k - 1];
    TRY(memory_resize((void **)&w->key_writer, w->key_start[keys + 1], sizeof *w->key_writer, err));
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = w->write_start[txns[n]]; i < w->write_start[txns[n] + 1]; i++)
            w->key_writer[w->key_start[w->write_key[i] + 1]++] = txns[n];
    return STATUS_OK;
}

enum status weak_index_keys(struct weak *w, struct error *err)
{
    uint32_t *start = NULL, *txns = NULL;
    enum status status;

    if (w->key_start)
        return STATUS_OK;
    status = weak_sort_by_session(w, &start, &txns, true, err);
    if (status == STATUS_OK)
        status = put_by_key(w, txns, start[w->session_count], err);
    free(start);
    free(txns);
    return status;
}
