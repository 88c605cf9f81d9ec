/*
 * Reads and writes Plume's text, which PolySI and AWDIT read too: an operation a line.
 *
 *     r(1,0,0,7)      key, value, session, transaction
 *     w(1,3,0,7)
 *     w(1,4,1,-1)     an aborted transaction's write
 *
 * All four are decimal numbers. The order of lines is that of each session and of
 * each transaction. The value 0 is the initial one. Transaction -1 is
 * aborted, and each run of such lines of a session is one.
 */
#include <inttypes.h>
#include <string.h>

#include "history/foreign/foreign_private.h"
#include "history/foreign/writes_private.h"

#define ABORTED (-1)

struct plume_line {
    enum op_kind kind;
    int64_t key, value, session, txn;
};

static bool read_number(const char **at, const char *end, char behind, int64_t *number)
{
    const char *close = memchr(*at, behind, (size_t)(end - *at));

    if (!close || !text_to_int64((struct text){ *at, (size_t)(close - *at) }, number))
        return false;
    *at = close + 1;
    return true;
}

static bool read_line(struct text text, struct plume_line *line)
{
    const char *at = text.at + 2, *end = text.at + text.length;

    if (text.length > 0 && end[-1] == '\r')
        end--;
    if (end < at || (text.at[0] != 'r' && text.at[0] != 'w') || text.at[1] != '(')
        return false;
    line->kind = text.at[0] == 'r' ? OP_READ : OP_WRITE;
    return read_number(&at, end, ',', &line->key) && read_number(&at, end, ',', &line->value) &&
           read_number(&at, end, ',', &line->session) && read_number(&at, end, ')', &line->txn) &&
           at == end;
}

static bool is_it(struct text beginning)
{
    struct plume_line line;

    return read_line(foreign_first_line(beginning), &line);
}

/* What the reader remembers from line to line. */
struct plume_reader {
    struct foreign_draft draft;
    struct map aborted; /* by session: its aborted transaction that goes on, plus one, or 0 */
    int64_t next_aborted_id;
};

static enum status aborted_txn(struct plume_reader *r, const struct plume_line *line, uint64_t number,
                               uint32_t *txn, struct error *err)
{
    size_t place;

    TRY(map_add(&r->aborted, (uint64_t)line->session, 0, &place, err));
    if (r->aborted.values.at[place] == 0) {
        TRY(draft_add_txn(&r->draft, r->next_aborted_id--, line->session, number, txn, err));
        r->draft.txns.at[*txn].status = TXN_ABORT;
        r->aborted.values.at[place] = (uint64_t)*txn + 1;
    }
    *txn = (uint32_t)(r->aborted.values.at[place] - 1);
    return STATUS_OK;
}

static enum status txn_of(struct plume_reader *r, const struct plume_line *line, uint64_t number, uint32_t *txn,
                          struct error *err)
{
    uint64_t unused;
    size_t place;

    if (line->txn == ABORTED)
        return aborted_txn(r, line, number, txn, err);
    if (map_find(&r->aborted, (uint64_t)line->session, &unused)) {
        TRY(map_add(&r->aborted, (uint64_t)line->session, 0, &place, err));
        r->aborted.values.at[place] = 0;
    }
    if (line->txn < 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 ": only -1, aborted, is "
                         "below 0",
                         line->txn);
    if (!draft_find_txn(&r->draft, line->txn, txn))
        return draft_add_txn(&r->draft, line->txn, line->session, number, txn, err);
    if (r->draft.txns.at[*txn].session != line->session)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " is of session %" PRId64
                         " and of session %" PRId64,
                         line->txn, r->draft.txns.at[*txn].session, line->session);
    return STATUS_OK;
}

static enum status add_line(struct plume_reader *r, struct text text, uint64_t number, struct error *err)
{
    struct plume_line line;
    uint32_t txn;

    if (!read_line(text, &line))
        return error_set(err, STATUS_BAD_INPUT,
                         "expected r(key,value,session,txn) or w(...), found \"%.*s\"",
                         TEXT_PRINT(text));
    if (line.kind == OP_WRITE && line.value == 0)
        return error_set(err, STATUS_BAD_INPUT, "0 is the initial value: nobody may write it");
    TRY(txn_of(r, &line, number, &txn, err));
    return draft_add_numbered(&r->draft, txn, line.kind, line.key, value_integer(line.value), err);
}

static enum status read_lines(struct plume_reader *r, struct source *source, struct error *err)
{
    for (;;) {
        struct text text;

        TRY(source_line(source, &text, err));
        if (!text.at)
            return STATUS_OK;
        if (text.length > 0 && add_line(r, text, source->line, err) != STATUS_OK)
            return foreign_at_line(source, err);
    }
}

static enum status read_plume(struct source *source, struct history *history, struct error *err)
{
    struct plume_reader r = { .next_aborted_id = -2 };
    enum status status;

    draft_init(&r.draft);
    r.draft.initial = value_integer(0);
    status = read_lines(&r, source, err);
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "plume", history, err);
    draft_close(&r.draft);
    map_close(&r.aborted);
    return status;
}

/* --- Writing ---------------------------------------------------------------------- */

static bool is_carried(const struct history *h, uint32_t txn, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR) &&
           (h->op_kind[op] != OP_READ ||
            (h->op_value_kind[op] != VALUE_NONE && h->txn_status[txn] != TXN_UNKNOWN));
}

static enum status examine_op(const struct history *h, uint32_t op, struct error *err)
{
    struct value value = history_value(h, op);
    bool is_read = h->op_kind[op] == OP_READ;

    if (!is_read && h->op_kind[op] != OP_WRITE)
        return error_set(err, STATUS_BAD_INPUT,
                         "this format has reads and writes alone, no appends and no deletes");
    if (is_read && value.kind == VALUE_NULL)
        return STATUS_OK;
    if (value.kind != VALUE_INTEGER || (!is_read && value.bits == 0))
        return error_set(err, STATUS_BAD_INPUT,
                         "values of this format are numbers, and nobody writes the initial 0");
    return STATUS_OK;
}

/* What is lost with the transaction; `before` is the one before it in its session, or none. */
static enum status examine_txn(const struct history *h, uint32_t txn, uint32_t *before,
                               uint32_t *losses, struct error *err)
{
    bool is_aborted = h->txn_status[txn] == TXN_ABORT, is_empty = true;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (!is_carried(h, txn, op))
            continue;
        is_empty = false;
        TRY(examine_op(h, op, err));
    }
    if (!is_aborted && h->txn_id[txn] < 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 ": ids of this format are not below 0",
                         h->txn_id[txn]);
    if (is_empty) {
        *losses |= 1u << LOSS_EMPTY;
        return STATUS_OK;
    }
    if (is_aborted)
        *losses |= 1u << LOSS_IDS;
    if (is_aborted && *before != HISTORY_NONE && h->txn_status[*before] == TXN_ABORT)
        *losses |= 1u << LOSS_MERGED;
    *before = txn;
    return STATUS_OK;
}

static enum status examine_txns(const struct history *h, const bool *has_txn, uint32_t *losses,
                                struct error *err)
{
    ARRAY(uint32_t) before = { 0 }; /* by session */
    enum status status = STATUS_OK;

    for (size_t s = 0; s < h->session_count && status == STATUS_OK; s++)
        status = array_push(&before, HISTORY_NONE, err);
    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++)
        if (has_txn[t] || h->txn_status[t] == TXN_ABORT)
            status = examine_txn(h, t, &before.at[h->txn_session[t]], losses, err);
    array_close(&before);
    return status;
}

static enum status examine(const struct history *h, uint32_t *losses, struct error *err)
{
    struct writes writes = { .has_txn = NULL };
    enum status status;

    TRY(foreign_examine(h, losses, err));
    TRY(foreign_examine_zeros(h, losses, err));
    (void)foreign_key_numbers(h, INT64_MIN, losses);
    status = writes_init(&writes, h, err);
    if (status == STATUS_OK)
        status = examine_txns(h, writes.has_txn, losses, err);
    writes_close(&writes);
    return status;
}

static void put_op(const struct history *h, struct key_numbers keys, uint32_t txn, uint32_t op,
                   struct buffer *out)
{
    buffer_print(out, "%c(%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ")\n",
                 h->op_kind[op] == OP_READ ? 'r' : 'w', foreign_key_number(keys, h, h->op_key[op]),
                 history_value(h, op).bits, h->session_id[h->txn_session[txn]],
                 h->txn_status[txn] == TXN_ABORT ? ABORTED : h->txn_id[txn]);
}

static enum status write_plume(const struct history *h, struct sink *sink, struct error *err)
{
    struct buffer out = { 0 };
    uint32_t losses = 0;
    struct key_numbers keys = foreign_key_numbers(h, INT64_MIN, &losses);
    struct writes writes;
    enum status status = writes_init(&writes, h, err);

    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        if (h->txn_status[t] != TXN_ABORT && !writes.has_txn[t])
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (is_carried(h, t, op))
                put_op(h, keys, t, op, &out);
        status = foreign_flush(&out, sink, false, err);
    }
    if (status == STATUS_OK)
        status = foreign_flush(&out, sink, true, err);
    writes_close(&writes);
    buffer_close(&out);
    return status;
}

const struct foreign foreign_plume = {
    .is_it = is_it, .read = read_plume, .examine = examine, .write = write_plume
};
