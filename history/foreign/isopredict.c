/*
 * Reads and writes IsoPredict's traces: which transaction each read read from, and no values.
 *
 *     WRITE KEY[x] Txn(1, 0)                   session 1, its transaction 0
 *     READ KEY[x] Txn(2, 0) From(1, 0)
 *     INSERT[5] to Set[s] Txn(2, 0)
 *     CONTAINS[5] in Set[s] From(2, 0) Txn(1, 1)
 *     DELETE[5] from Set[s] Txn(1, 1)
 *
 * Other lines are passed over. Session order is the order in which transactions appear; the
 * transaction "0, 0" is the initial state and is none of ours. An element of a set is the key
 * `Set(s:5)`, which INSERT and DELETE write. What a transaction wrote is, as a value, its
 * number in the order in which the trace names transactions, from 1; it writes a key once, where
 * it wrote it last.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/foreign/foreign_private.h"
#include "history/foreign/writes_private.h"

struct isopredict_pair {
    int64_t session, number;
};

struct isopredict_line {
    enum op_kind kind;
    struct text key, set; /* set.at is NULL: it is no element of one */
    struct isopredict_pair txn, from; /* from: of reads */
};

/* --- Lines ------------------------------------------------------------------------ */

static bool pass(struct text *text, const char *what)
{
    size_t length = strlen(what);

    if (text->length < length || memcmp(text->at, what, length) != 0)
        return false;
    text->at += length;
    text->length -= length;
    return true;
}

/* What stands before the byte, and the byte. */
static bool take_until(struct text *text, char byte, struct text *before)
{
    const char *found = text->length > 0 ? memchr(text->at, byte, text->length) : NULL;

    if (!found || found == text->at)
        return false;
    *before = (struct text){ text->at, (size_t)(found - text->at) };
    text->length -= before->length + 1;
    text->at = found + 1;
    return true;
}

/* ` Txn(1, 0)`, with the name given. */
static bool take_pair(struct text *text, const char *name, struct isopredict_pair *pair)
{
    struct text session, number;

    return pass(text, name) && take_until(text, ',', &session) && pass(text, " ") &&
           take_until(text, ')', &number) && text_to_int64(session, &pair->session) &&
           text_to_int64(number, &pair->number);
}

static const struct {
    const char *beginning, *set; /* set: what stands before the set's name */
    enum op_kind kind;
} line_kinds[] = {
    { "READ KEY[", NULL, OP_READ },           { "WRITE KEY[", NULL, OP_WRITE },
    { "INSERT[", " to Set[", OP_WRITE },      { "DELETE[", " from Set[", OP_WRITE },
    { "CONTAINS[", " in Set[", OP_READ },
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct text trim(struct text text)
{
    while (text.length > 0 && is_blank(text.at[text.length - 1]))
        text.length--;
    while (text.length > 0 && is_blank(text.at[0])) {
        text.at++;
        text.length--;
    }
    return text;
}

/* Whether the line tells of an operation; `is_whole` if it does so in full. */
static bool read_line(struct text text, struct isopredict_line *line, bool *is_whole)
{
    size_t k = 0;

    *line = (struct isopredict_line){ .kind = OP_READ };
    text = trim(text);
    while (k < sizeof line_kinds / sizeof *line_kinds && !pass(&text, line_kinds[k].beginning))
        k++;
    if (k == sizeof line_kinds / sizeof *line_kinds)
        return false;
    line->kind = line_kinds[k].kind;
    *is_whole = take_until(&text, ']', &line->key) &&
                (!line_kinds[k].set ||
                 (pass(&text, line_kinds[k].set) && take_until(&text, ']', &line->set)));
    if (line->kind == OP_WRITE)
        *is_whole = *is_whole && take_pair(&text, " Txn(", &line->txn);
    else if (line_kinds[k].set)
        *is_whole = *is_whole && take_pair(&text, " From(", &line->from) &&
                    take_pair(&text, " Txn(", &line->txn);
    else
        *is_whole = *is_whole && take_pair(&text, " Txn(", &line->txn) &&
                    take_pair(&text, " From(", &line->from);
    *is_whole = *is_whole && text.length == 0;
    return true;
}

/* --- Reading ---------------------------------------------------------------------- */

struct isopredict_reader {
    struct foreign_draft draft;
    struct intern names;  /* of transactions: "1, 0" */
    struct map versions;  /* transaction and key that it wrote: its last operation that has this version */
    ARRAY(size_t) before; /* by operation that has a version: the one before it, or the write itself */
    struct buffer key, name;
};

static bool is_initial(struct isopredict_pair pair)
{
    return pair.session == 0 && pair.number == 0;
}

static enum status number_of(struct isopredict_reader *r, struct isopredict_pair pair, uint32_t *number,
                             struct error *err)
{
    buffer_clear(&r->name);
    buffer_print(&r->name, "%" PRId64 ", %" PRId64, pair.session, pair.number);
    TRY(buffer_status(&r->name, err));
    return intern_add(&r->names, (struct text){ r->name.at, r->name.count }, number, err);
}

/* What the transaction wrote was not its last write of the key; neither that nor its own reads of it count. */
static void take_back(struct isopredict_reader *r, size_t last)
{
    for (;;) {
        struct draft_op *op = &r->draft.ops.at[last];

        r->draft.txns.at[op->txn].op_count--;
        op->txn = HISTORY_NONE;
        if (r->before.at[last] == last)
            return;
        last = r->before.at[last];
    }
}

/* Behind each operation: which version it has, if that is the transaction's own. */
static enum status note_version(struct isopredict_reader *r, uint32_t txn, struct error *err)
{
    size_t place = r->draft.ops.count - 1, entry;
    const struct draft_op *op = &r->draft.ops.at[place];
    uint64_t name = (uint64_t)txn << 32 | op->key, last;
    bool has_written = map_find(&r->versions, name, &last);
    bool is_own_read = op->kind == OP_READ && has_written && op->value.kind == VALUE_INTEGER &&
                       op->value.bits == r->draft.ops.at[last].value.bits;

    TRY(array_push(&r->before, is_own_read ? last : place, err));
    if (op->kind == OP_READ && !is_own_read)
        return STATUS_OK;
    TRY(map_add(&r->versions, name, place, &entry, err));
    if (op->kind == OP_WRITE && has_written)
        take_back(r, last);
    r->versions.values.at[entry] = place;
    return STATUS_OK;
}

static void drop_what_was_taken_back(struct foreign_draft *d)
{
    size_t kept = 0;

    for (size_t i = 0; i < d->ops.count; i++)
        if (d->ops.at[i].txn != HISTORY_NONE)
            d->ops.at[kept++] = d->ops.at[i];
    d->ops.count = kept;
}

static enum status add_op(struct isopredict_reader *r, const struct isopredict_line *line, uint64_t place,
                          struct error *err)
{
    struct text key = line->key;
    struct value value = value_null();
    uint32_t number, from, txn;

    if (line->set.at) {
        buffer_clear(&r->key);
        buffer_print(&r->key, "Set(%.*s:%.*s)", (int)line->set.length, line->set.at,
                     (int)line->key.length, line->key.at);
        TRY(buffer_status(&r->key, err));
        key = (struct text){ r->key.at, r->key.count };
    }
    TRY(number_of(r, line->txn, &number, err));
    if (!draft_find_txn(&r->draft, number, &txn))
        TRY(draft_add_txn(&r->draft, number, line->txn.session, place, &txn, err));
    if (line->kind == OP_WRITE)
        value = value_integer((int64_t)number + 1);
    else if (!is_initial(line->from)) {
        TRY(number_of(r, line->from, &from, err));
        value = value_integer((int64_t)from + 1);
    }
    TRY(draft_add_op(&r->draft, txn, line->kind, key, value, err));
    return note_version(r, txn, err);
}

static enum status add_line(struct isopredict_reader *r, struct text text, uint64_t place, struct error *err)
{
    struct isopredict_line line;
    bool is_whole = false;

    if (!read_line(text, &line, &is_whole))
        return STATUS_OK;
    if (!is_whole || line.key.length + line.set.length > INT32_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "expected an operation such as \"READ KEY[k] Txn(1, 0) From(0, 0)\", found "
                         "\"%.*s\"",
                         TEXT_PRINT(text));
    if (!is_initial(line.txn))
        return add_op(r, &line, place, err);
    if (line.kind == OP_WRITE)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "the initial transaction (0, 0) reads nothing");
}

static enum status read_lines(struct isopredict_reader *r, struct source *source, struct error *err)
{
    for (;;) {
        struct text text;

        TRY(source_line(source, &text, err));
        if (!text.at)
            return STATUS_OK;
        if (add_line(r, text, source->line, err) != STATUS_OK)
            return foreign_at_line(source, err);
    }
}

static enum status read_isopredict(struct source *source, struct history *history,
                                   struct error *err)
{
    struct isopredict_reader r = { .names = { 0 } };
    enum status status;

    draft_init(&r.draft);
    status = read_lines(&r, source, err);
    drop_what_was_taken_back(&r.draft);
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "isopredict", history, err);
    draft_close(&r.draft);
    intern_close(&r.names);
    map_close(&r.versions);
    array_close(&r.before);
    buffer_close(&r.key);
    buffer_close(&r.name);
    return status;
}

/* One of the first lines is an operation. */
static bool is_it(struct text beginning)
{
    while (beginning.length > 0) {
        const char *end = memchr(beginning.at, '\n', beginning.length);
        size_t length = end ? (size_t)(end - beginning.at) : beginning.length;
        struct isopredict_line line;
        bool is_whole = false;

        if (read_line((struct text){ beginning.at, length }, &line, &is_whole) && is_whole)
            return true;
        beginning.at += length + (end != NULL);
        beginning.length -= length + (end != NULL);
    }
    return false;
}

/* --- Writing ---------------------------------------------------------------------- */

struct isopredict_writer {
    const struct history *history;
    struct writes writes;
    bool numbers_keys, numbers_sessions;
    bool *is_last;           /* by operation: the last version of a key in its transaction */
    ARRAY(uint32_t) place;   /* by transaction: its number in its session */
    ARRAY(uint32_t) counted; /* by session */
};

static bool is_carried(const struct history *h, uint32_t txn, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR) &&
           (h->op_kind[op] != OP_READ ||
            (h->op_value_kind[op] != VALUE_NONE && h->txn_status[txn] == TXN_OK));
}

/* Names that would end early, or be taken for nothing, are numbered. */
static bool has_odd_keys(const struct history *h)
{
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct text name = history_key(h, key);

        if (name.length == 0)
            return true;
        for (size_t i = 0; i < name.length; i++)
            if (name.at[i] == ']' || name.at[i] == '\n')
                return true;
    }
    return false;
}

/* Session 0 would be that of the initial state. */
static bool has_odd_sessions(const struct history *h)
{
    for (size_t s = 0; s < h->session_count; s++)
        if (h->session_id[s] <= 0)
            return true;
    return false;
}

static enum status number_txns(struct isopredict_writer *w, struct error *err)
{
    const struct history *h = w->history;

    for (size_t s = 0; s < h->session_count; s++)
        TRY(array_push(&w->counted, 0, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        TRY(array_push(&w->place,
                       w->writes.has_txn[t] ? w->counted.at[h->txn_session[t]]++ : 0, err));
    return STATUS_OK;
}

static enum status find_last_writes(struct isopredict_writer *w, struct error *err)
{
    const struct history *h = w->history;
    ARRAY(uint32_t) seen = { 0 }; /* by key: the transaction that wrote it, from the end, plus one */
    enum status status = memory_resize((void **)&w->is_last, h->op_count, 1, err);

    for (size_t key = 0; key < h->key_count && status == STATUS_OK; key++)
        status = array_push(&seen, 0, err);
    for (uint32_t t = (uint32_t)h->txn_count; t-- > 0 && status == STATUS_OK;)
        for (uint32_t op = h->txn_op[t + 1]; op-- > h->txn_op[t];) {
            w->is_last[op] = history_makes_version(h, op) && seen.at[h->op_key[op]] != t + 1;
            if (w->is_last[op])
                seen.at[h->op_key[op]] = t + 1;
        }
    array_close(&seen);
    return status;
}

static enum status begin(struct isopredict_writer *w, const struct history *h, struct error *err)
{
    *w = (struct isopredict_writer){ .history = h };
    TRY(find_last_writes(w, err));
    TRY(writes_init(&w->writes, h, err));
    w->numbers_keys = has_odd_keys(h);
    w->numbers_sessions = has_odd_sessions(h);
    return number_txns(w, err);
}

static void finish(struct isopredict_writer *w)
{
    writes_close(&w->writes);
    free(w->is_last);
    array_close(&w->place);
    array_close(&w->counted);
}

/* Who the read read from; HISTORY_NONE: the initial state. */
static enum status source_of(const struct isopredict_writer *w, uint32_t txn, uint32_t op, uint32_t *from,
                             struct error *err)
{
    const struct history *h = w->history;
    struct write write = { .txn = HISTORY_NONE };
    enum source_kind kind = writes_source(&w->writes, h, txn, op, &write);

    *from = write.txn;
    if (kind == SOURCE_NOBODY || kind == SOURCE_SEVERAL)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " read what %s wrote: this format names the one "
                         "transaction that was read from",
                         h->txn_id[txn], kind == SOURCE_NOBODY ? "nobody" : "several");
    if (kind == SOURCE_INITIAL || write.txn == txn)
        return STATUS_OK;
    if (!w->writes.has_txn[write.txn] || !w->is_last[write.op])
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " read what transaction %" PRId64 " %s: this format "
                         "cannot tell",
                         h->txn_id[txn], h->txn_id[write.txn],
                         w->writes.has_txn[write.txn] ? "had not finished writing" : "rolled back");
    return STATUS_OK;
}

static void put_pair(const struct isopredict_writer *w, const char *name, uint32_t txn, struct buffer *out)
{
    const struct history *h = w->history;
    uint32_t session;

    if (txn == HISTORY_NONE) {
        buffer_print(out, " %s(0, 0)", name);
        return;
    }
    session = h->txn_session[txn];
    buffer_print(out, " %s(%" PRId64 ", %" PRIu32 ")", name,
                 w->numbers_sessions ? (int64_t)session + 1 : h->session_id[session],
                 w->place.at[txn]);
}

static enum status put_op(const struct isopredict_writer *w, uint32_t txn, uint32_t op, struct buffer *out,
                          struct error *err)
{
    const struct history *h = w->history;
    bool is_read = h->op_kind[op] == OP_READ;
    uint32_t from = HISTORY_NONE;

    if (!is_read && h->op_kind[op] != OP_WRITE)
        return error_set(err, STATUS_BAD_INPUT,
                         "this format has reads and writes alone, no appends and no deletes");
    if (is_read)
        TRY(source_of(w, txn, op, &from, err));
    buffer_text(out, text_of(is_read ? "READ KEY[" : "WRITE KEY["));
    if (w->numbers_keys)
        buffer_int64(out, h->op_key[op]);
    else
        buffer_text(out, history_key(h, h->op_key[op]));
    buffer_byte(out, ']');
    put_pair(w, "Txn", txn, out);
    if (is_read)
        put_pair(w, "From", from, out);
    buffer_byte(out, '\n');
    return STATUS_OK;
}

static enum status put_txn(const struct isopredict_writer *w, uint32_t txn, struct buffer *out,
                           struct error *err)
{
    const struct history *h = w->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (is_carried(h, txn, op))
            TRY(put_op(w, txn, op, out, err));
    return STATUS_OK;
}

/* To nowhere if the sink is NULL: then it is only seen whether it can be written. */
static enum status put_all(const struct isopredict_writer *w, struct sink *sink, struct buffer *out,
                           uint32_t *losses, struct error *err)
{
    const struct history *h = w->history;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        size_t before = out->count;

        if (!w->writes.has_txn[t])
            continue;
        TRY(put_txn(w, t, out, err));
        if (out->count == before)
            *losses |= 1u << LOSS_EMPTY;
        if (sink)
            TRY(foreign_flush(out, sink, false, err));
        else
            buffer_clear(out);
    }
    return sink ? foreign_flush(out, sink, true, err) : STATUS_OK;
}

static enum status put(const struct history *h, struct sink *sink, uint32_t *losses,
                       struct error *err)
{
    struct isopredict_writer w;
    struct buffer out = { 0 };
    enum status status = begin(&w, h, err);

    if (status == STATUS_OK)
        status = put_all(&w, sink, &out, losses, err);
    if (w.numbers_keys)
        *losses |= 1u << LOSS_KEYS;
    finish(&w);
    buffer_close(&out);
    return status;
}

static enum status examine(const struct history *h, uint32_t *losses, struct error *err)
{
    TRY(foreign_examine(h, losses, err));
    *losses |= 1u << LOSS_IDS | 1u << LOSS_VALUES;
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_ABORT)
            *losses |= 1u << LOSS_ABORTED;
    if (h->initial_count > 0)
        *losses |= 1u << LOSS_INITIAL;
    return put(h, NULL, losses, err);
}

static enum status write_isopredict(const struct history *h, struct sink *sink, struct error *err)
{
    uint32_t losses = 0;

    return put(h, sink, &losses, err);
}

const struct foreign foreign_isopredict = {
    .is_it = is_it, .read = read_isopredict, .examine = examine, .write = write_isopredict
};
