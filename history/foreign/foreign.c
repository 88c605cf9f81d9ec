#include "history/foreign/foreign.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/foreign/foreign_private.h"

#define FLUSH_BYTES ((size_t)1 << 20)

static const char *const descriptions[] = {
#define LOSS_DESCRIPTION(enumerator, what) what,
    LOSSES(LOSS_DESCRIPTION)
#undef LOSS_DESCRIPTION
};

const char *foreign_loss(enum loss loss)
{
    assert(loss < LOSS_COUNT);
    return descriptions[loss];
}

struct text foreign_first_line(struct text text)
{
    while (text.length > 0 && (text.at[0] == '\n' || text.at[0] == '\r')) {
        text.at++;
        text.length--;
    }
    if (text.length > 0) {
        const char *end = memchr(text.at, '\n', text.length);

        text.length = end ? (size_t)(end - text.at) : text.length;
    }
    return text;
}

enum status foreign_at_line(const struct source *source, struct error *err)
{
    error_set_file(err, source->name);
    err->line = source->line;
    return err->status;
}

static bool has_status(const struct history *h, enum txn_status status)
{
    return h->txn_count > 0 && memchr(h->txn_status, status, h->txn_count);
}

static uint32_t op_losses(const struct history *h)
{
    uint32_t losses = 0;

    for (size_t op = 0; op < h->op_count; op++) {
        if (h->op_flags[op] & OP_ERROR ||
            (h->op_kind[op] == OP_READ && h->op_value_kind[op] == VALUE_NONE))
            losses |= 1u << LOSS_REFUSED;
        if (h->op_flags[op] & (OP_LOCK_SHARE | OP_LOCK_UPDATE))
            losses |= 1u << LOSS_LOCKS;
    }
    return losses;
}

enum status foreign_examine(const struct history *h, uint32_t *losses, struct error *err)
{
    if (h->statement_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "this format has no statements over predicates, and the history has %zu",
                         h->statement_count);
    *losses = op_losses(h);
    if (h->txn_invoked || h->op_invoked)
        *losses |= 1u << LOSS_TIMES;
    if (h->txn_ts || h->txn_snapshot || h->op_snapshot || h->set_count > 0 || h->order_count > 0)
        *losses |= 1u << LOSS_CERTIFICATE;
    if (h->txn_origin)
        *losses |= 1u << LOSS_ORIGINS;
    if (has_status(h, TXN_UNKNOWN))
        *losses |= 1u << LOSS_UNKNOWN;
    if (h->workload != HISTORY_NONE || h->unique >= 0)
        *losses |= 1u << LOSS_HEADER;
    return STATUS_OK;
}

struct key_numbers foreign_key_numbers(const struct history *h, int64_t min, uint32_t *losses)
{
    struct key_numbers numbers = { .is_anew = false };

    for (uint32_t key = 0; key < h->key_count && !numbers.is_anew; key++) {
        int64_t number;

        numbers.is_anew = !text_to_int64(history_key(h, key), &number) || number < min;
    }
    if (numbers.is_anew)
        *losses |= 1u << LOSS_KEYS;
    return numbers;
}

int64_t foreign_key_number(struct key_numbers numbers, const struct history *h, uint32_t key)
{
    int64_t number = key;
    bool is_number = numbers.is_anew || text_to_int64(history_key(h, key), &number);

    assert(is_number);
    return number;
}

enum status foreign_flush(struct buffer *out, struct sink *sink, bool at_once, struct error *err)
{
    if (out->count < FLUSH_BYTES && !at_once)
        return STATUS_OK;
    TRY(buffer_status(out, err));
    TRY(sink_write(sink, out->at, out->count, err));
    buffer_clear(out);
    return STATUS_OK;
}

enum status foreign_examine_zeros(const struct history *h, uint32_t *losses, struct error *err)
{
    if (h->initial_count < h->key_count)
        *losses |= 1u << LOSS_NULLS;
    for (size_t i = 0; i < h->initial_count; i++)
        if (h->initial_kind[i] != VALUE_INTEGER || h->initial_value[i] != 0)
            return error_set(err, STATUS_BAD_INPUT, "in this format every key begins with 0");
    return STATUS_OK;
}

enum status foreign_by_session(struct by_session *by, const struct history *h, const bool *has_txn,
                               struct error *err)
{
    *by = (struct by_session){ 0 };
    TRY(memory_resize((void **)&by->start, h->session_count + 2, sizeof *by->start, err));
    TRY(memory_resize((void **)&by->txns, h->txn_count, sizeof *by->txns, err));
    memset(by->start, 0, (h->session_count + 2) * sizeof *by->start);
    for (uint32_t t = 0; t < h->txn_count; t++)
        by->start[h->txn_session[t] + 2] += has_txn[t];
    array_sum_prefixes(by->start + 1, h->session_count + 1);
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (has_txn[t])
            by->txns[by->start[h->txn_session[t] + 1]++] = t;
    return STATUS_OK;
}

void foreign_by_session_close(struct by_session *by)
{
    free(by->start);
    free(by->txns);
}
