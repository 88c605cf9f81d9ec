/*
 * Reads and writes Cobra's logs, a folder of files `*.log`, one a session. A record is a byte and words of 64
 * bits, the most significant byte first:
 *
 *     S txn                                begins
 *     R writer-txn write-id key hash       reads; hash is that of the value
 *     W write-id key hash                  writes
 *     C txn                                commits
 *
 * Time-ordered logs have a time behind the numbers of S and C, which is seen from
 * where the next record begins. Aborted transactions are not logged.
 *
 * A write is known by its write-id, and a read that names another hash or transaction than the
 * write did has read what nobody wrote. Clients that could not store ids with their
 * values log one universal id for all: then a write is known by its hash, and
 * need not be the only one with it. One such record makes it so for all of the folder.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/foreign/foreign_private.h"
#include "history/foreign/writes_private.h"

#define COBRA_INITIAL UINT64_C(0xbebeebee)
#define COBRA_NULL UINT64_C(0xdeadbeef)
#define COBRA_UNIVERSAL UINT64_C(0xabddefee)

/* A time from here on begins with a byte that could be a record's: it would not be told from one. */
#define COBRA_TIME_END (INT64_C(0x43) << 56)

/* Numbers that mean something else than a transaction or a write. */
static inline bool cobra_is_reserved(uint64_t number)
{
    return number == COBRA_INITIAL || number == COBRA_NULL || number == COBRA_UNIVERSAL;
}

#include "base/bisect.h"

struct log {
    const char *path;
    char *bytes;
    size_t size, at;
    bool has_times;
};

struct cobra_record {
    char type;
    uint64_t writer, id, key, hash, txn, time;
};

/* --- Records ----------------------------------------------------------------------- */

static bool is_type(char byte)
{
    return byte == 'S' || byte == 'C' || byte == 'R' || byte == 'W';
}

static size_t record_words(char type, bool has_times)
{
    return type == 'R' ? 4 : type == 'W' ? 3 : 1u + has_times;
}

static uint64_t word_at(const struct log *log, size_t at)
{
    uint64_t word = 0;

    for (int i = 0; i < 8; i++)
        word = word << 8 | (uint8_t)log->bytes[at + (size_t)i];
    return word;
}

/* False: there is no whole record here. */
static bool take_record(struct log *log, struct cobra_record *record)
{
    size_t words, at = log->at + 1;

    *record = (struct cobra_record){ .type = log->bytes[log->at] };
    if (!is_type(record->type))
        return false;
    words = record_words(record->type, log->has_times);
    if (log->size - log->at < 1 + 8 * words)
        return false;
    if (record->type == 'S' || record->type == 'C') {
        record->txn = word_at(log, at);
        record->time = log->has_times ? word_at(log, at + 8) : 0;
        if (record->time >= (uint64_t)COBRA_TIME_END)
            return false;
    } else {
        if (record->type == 'R') {
            record->writer = word_at(log, at);
            at += 8;
        }
        record->id = word_at(log, at);
        record->key = word_at(log, at + 8);
        record->hash = word_at(log, at + 16);
    }
    log->at += 1 + 8 * words;
    return true;
}

/* How far the log can be read so; says whether some record has the universal id. */
static size_t readable(struct log *log, bool has_times, bool *is_universal)
{
    struct cobra_record record;
    size_t far;

    log->has_times = has_times;
    log->at = 0;
    *is_universal = false;
    while (log->at < log->size && take_record(log, &record))
        *is_universal |=
            (record.type == 'R' || record.type == 'W') && record.id == COBRA_UNIVERSAL;
    far = log->at;
    log->at = 0;
    return far;
}

/*
 * Decides whether the log has times: it has if it can be read so and not without. A log that can be
 * read neither way is taken in the way that goes further, to say where it is wrong.
 */
static void settle_times(struct log *log, bool *is_universal)
{
    bool universal_without, universal_with;
    size_t without = readable(log, false, &universal_without);
    size_t with = readable(log, true, &universal_with);

    log->has_times = with > without;
    *is_universal |= log->has_times ? universal_with : universal_without;
}

/* A first transaction, or as much of it as there is: with an operation, its own commit, or a small number. */
static bool begins_so(struct text beginning, bool has_times)
{
    struct log log = { .bytes = (char *)beginning.at, .size = beginning.length };
    struct cobra_record first, record;

    log.has_times = has_times;
    if (log.size == 0 || !take_record(&log, &first) || first.type != 'S')
        return false;
    if (log.at == log.size)
        return first.txn >> 56 == 0; /* a text would have a letter there */
    if (!take_record(&log, &record) || record.type == 'S' ||
        (record.type == 'C' && record.txn != first.txn))
        return false;
    while (log.at < log.size && record.type != 'C' && take_record(&log, &record))
        ;
    return record.type != 'S' && (record.type != 'C' || record.txn == first.txn);
}

static bool is_it(struct text beginning)
{
    return begins_so(beginning, false) || begins_so(beginning, true);
}

/* --- Reading a log ---------------------------------------------------------------- */

/* A write, or what a read says of the write that it read. */
struct cobra_claim {
    uint64_t key, id, txn, hash;
    uint32_t op; /* of the draft */
};

struct cobra_reader {
    struct foreign_draft draft;
    bool is_universal, has_times;
    ARRAY(struct cobra_claim) writes;
    ARRAY(struct cobra_claim) reads;
};

static enum status refuse(const struct log *log, const char *what, struct error *err)
{
    error_set_file(err, log->path);
    err->offset = log->at;
    return error_set(err, STATUS_BAD_INPUT, "%s", what);
}

static bool is_of_nothing(const struct cobra_record *record)
{
    return record->writer == COBRA_INITIAL || record->writer == COBRA_NULL ||
           record->id == COBRA_INITIAL || record->id == COBRA_NULL;
}

static enum status add_op(struct cobra_reader *r, uint32_t txn, const struct cobra_record *record,
                          struct error *err)
{
    bool is_read = record->type == 'R';
    struct cobra_claim claim = { record->key, record->id, record->writer, record->hash,
                           (uint32_t)r->draft.ops.count };
    uint64_t identity = r->is_universal ? record->hash : record->id;
    struct value value = value_integer((int64_t)identity);

    if (is_read && is_of_nothing(record)) {
        value = value_null();
    } else if (is_read) {
        TRY(array_push(&r->reads, claim, err));
    } else {
        claim.txn = (uint64_t)r->draft.txns.at[txn].id;
        TRY(array_push(&r->writes, claim, err));
    }
    return draft_add_numbered(&r->draft, txn, is_read ? OP_READ : OP_WRITE, (int64_t)record->key,
                              value, err);
}

static enum status add_record(struct cobra_reader *r, const struct log *log, const struct cobra_record *record,
                              int64_t session, uint32_t *txn, struct error *err)
{
    struct foreign_draft *draft = &r->draft;

    if (record->type == 'S') {
        TRY(draft_add_txn(draft, (int64_t)record->txn, session, 0, txn, err));
        draft->txns.at[*txn].invoked = (int64_t)record->time;
        draft->txns.at[*txn].completed = TIME_NEVER;
        return STATUS_OK;
    }
    if (record->type != 'C')
        return add_op(r, *txn, record, err);
    if ((int64_t)record->txn != draft->txns.at[*txn].id)
        return refuse(log, "the transaction that commits before this is not the one that began",
                      err);
    draft->txns.at[*txn].completed = (int64_t)record->time;
    return STATUS_OK;
}

static enum status read_log(struct cobra_reader *r, struct log *log, int64_t session, struct error *err)
{
    bool is_open = false;
    struct cobra_record record;
    uint32_t txn = 0;

    while (log->at < log->size) {
        size_t from = log->at;

        if (!take_record(log, &record))
            return refuse(log, "expected a record: S, C, R or W and its words", err);
        if (record.type == 'S' ? is_open : !is_open) {
            log->at = from;
            return refuse(log,
                          is_open ? "a transaction begins within another"
                                  : "this record belongs to no transaction",
                          err);
        }
        if (add_record(r, log, &record, session, &txn, err) != STATUS_OK) {
            error_set_file(err, log->path);
            err->offset = from;
            return err->status;
        }
        is_open = record.type != 'C';
    }
    if (is_open) /* whoever wrote the log stopped: nobody knows what became of it */
        r->draft.txns.at[txn].status = TXN_UNKNOWN;
    return STATUS_OK;
}

/* --- What was read ---------------------------------------------------------------- */

/* By key and id alone. */
static int compare_versions(const struct cobra_claim *a, const struct cobra_claim *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static int compare_claims(const void *a, const void *b)
{
    const struct cobra_claim *left = a, *right = b;
    int order = compare_versions(left, right);

    return order ? order : (left->op > right->op) - (left->op < right->op);
}

static bool agree(const struct cobra_claim *read, const struct cobra_claim *write)
{
    return read->hash == write->hash &&
           (read->txn == write->txn || read->txn == COBRA_UNIVERSAL);
}

/* Whether the id was written, but never so as the read says. */
static bool is_false(const struct cobra_reader *r, const struct cobra_claim *read)
{
    size_t place;

    BISECT(place, 0, r->writes.count, compare_versions(&r->writes.at[place], read) < 0);
    for (size_t i = place; i < r->writes.count && !compare_versions(&r->writes.at[i], read); i++)
        if (i - place == 64 || agree(read, &r->writes.at[i])) /* so many alike tell nothing */
            return false;
    return place < r->writes.count && compare_versions(&r->writes.at[place], read) == 0;
}

/* A read with an id that was written, but not with that hash or by that transaction, reads neither. */
static enum status settle_reads(struct cobra_reader *r, struct error *err)
{
    struct buffer text = { 0 };
    enum status status = STATUS_OK;

    if (r->is_universal)
        return STATUS_OK;
    if (r->writes.count > 0)
        qsort(r->writes.at, r->writes.count, sizeof *r->writes.at, compare_claims);
    for (size_t i = 0; i < r->reads.count && status == STATUS_OK; i++) {
        const struct cobra_claim *read = &r->reads.at[i];

        if (!is_false(r, read))
            continue;
        buffer_clear(&text);
        buffer_print(&text, "write %" PRIu64 " of transaction %" PRIu64 " with hash %" PRIu64,
                     read->id, read->txn, read->hash);
        status = buffer_status(&text, err);
        if (status == STATUS_OK)
            status = builder_text_value(&r->draft.builder, (struct text){ text.at, text.count },
                                        &r->draft.ops.at[read->op].value, err);
    }
    buffer_close(&text);
    return status;
}

/* Times are of use if all have them. */
static void settle_txn_times(struct cobra_reader *r)
{
    bool is_timed = r->has_times;

    for (size_t t = 0; t < r->draft.txns.count && is_timed; t++) {
        const struct draft_txn *txn = &r->draft.txns.at[t];

        is_timed = txn->invoked >= 0 && txn->completed >= txn->invoked;
    }
    for (size_t t = 0; t < r->draft.txns.count && !is_timed; t++)
        r->draft.txns.at[t].invoked = r->draft.txns.at[t].completed = TIME_ABSENT;
}

/* --- Folders ---------------------------------------------------------------------- */

static enum status take_log(struct log *log, const char *path, struct error *err)
{
    struct source source;
    enum status status = source_open(&source, path, NULL, err);

    *log = (struct log){ .path = path };
    if (status == STATUS_OK)
        status = source_take_rest(&source, &log->bytes, &log->size, err);
    source_close(&source);
    return status;
}

static enum status read_logs(struct cobra_reader *r, struct log *logs, size_t count, struct error *err)
{
    r->has_times = true;
    for (size_t i = 0; i < count; i++) {
        settle_times(&logs[i], &r->is_universal);
        r->has_times &= logs[i].has_times || logs[i].size == 0;
    }
    for (size_t i = 0; i < count; i++)
        TRY(read_log(r, &logs[i], (int64_t)i, err));
    TRY(settle_reads(r, err));
    settle_txn_times(r);
    return STATUS_OK;
}

static enum status read_sessions(const char *const *paths, size_t count, struct history *history,
                                 struct error *err)
{
    struct cobra_reader r = { .is_universal = false };
    struct log *logs = NULL;
    size_t taken = 0;
    enum status status = memory_resize((void **)&logs, count, sizeof *logs, err);

    draft_init(&r.draft);
    while (taken < count && status == STATUS_OK)
        status = take_log(&logs[taken], paths[taken], err), taken++;
    if (status == STATUS_OK)
        status = read_logs(&r, logs, count, err);
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "cobra", history, err);
    draft_close(&r.draft);
    array_close(&r.writes);
    array_close(&r.reads);
    for (size_t i = 0; i < taken; i++)
        free(logs[i].bytes);
    free(logs);
    return status;
}

static enum status cobra_write(const struct history *, const char *folder, struct error *);

static enum status cobra_examine(const struct history *, uint32_t *losses, struct error *);

const struct foreign foreign_cobra = { .is_it = is_it,
                                       .read_sessions = read_sessions,
                                       .examine = cobra_examine,
                                       .write_folder = cobra_write };

#define TEMPORARY_NAMES_MAX 1000

struct cobra_writer {
    const struct history *history;
    struct writes writes;
    struct by_session by;
    bool *has_txn; /* not aborted */
    struct key_numbers keys;
    bool is_universal, is_timed, keeps_sessions;
    uint32_t file_count;
    struct buffer out;
    char *folder; /* while it is not all there */
};

static enum status refuse_system(const char *path, const char *verb, struct error *err)
{
    int number = errno;

    error_set_file(err, path);
    return error_set(err, STATUS_IO, "cannot %s: %s", verb, strerror(number));
}

/* --- What can be written ------------------------------------------------------------ */

static bool is_carried(const struct history *h, uint32_t txn, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR) &&
           (h->op_kind[op] != OP_READ ||
            (h->op_value_kind[op] != VALUE_NONE && h->txn_status[txn] == TXN_OK));
}

/* Where a read's value comes from; refused if the format would say something else. */
static enum status source_of(const struct cobra_writer *w, uint32_t txn, uint32_t op,
                             enum source_kind *kind, struct write *write, struct error *err)
{
    const struct history *h = w->history;
    struct value value = history_value(h, op);
    bool is_initial = history_values_equal(h, value, history_initial(h, h->op_key[op]));

    *kind = writes_source(&w->writes, h, txn, op, write);
    if ((*kind == SOURCE_SEVERAL && is_initial) || (value.kind == VALUE_NULL && !is_initial))
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " may or may not have read what a key begins with: "
                         "this format says which",
                         h->txn_id[txn]);
    return STATUS_OK;
}

static enum status examine_op(struct cobra_writer *w, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = w->history;
    struct value value = history_value(h, op);
    enum source_kind kind;
    struct write write;

    if (h->op_kind[op] != OP_READ && h->op_kind[op] != OP_WRITE)
        return error_set(err, STATUS_BAD_INPUT,
                         "this format has reads and writes alone, no appends and no deletes");
    if (h->op_kind[op] == OP_READ)
        TRY(source_of(w, txn, op, &kind, &write, err));
    if (h->op_kind[op] == OP_READ && kind == SOURCE_INITIAL)
        return STATUS_OK;
    if (value.kind != VALUE_INTEGER)
        return error_set(err, STATUS_BAD_INPUT, "values of this format are numbers");
    w->is_universal |= cobra_is_reserved((uint64_t)value.bits);
    return STATUS_OK;
}

static enum status examine_ops(struct cobra_writer *w, uint32_t *losses, struct error *err)
{
    const struct history *h = w->history;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1] && w->has_txn[t]; op++) {
            if (is_carried(h, t, op))
                TRY(examine_op(w, t, op, err));
            else if (h->op_kind[op] == OP_READ && h->op_value_kind[op] != VALUE_NONE &&
                     h->txn_status[t] == TXN_UNKNOWN)
                *losses |= 1u << LOSS_ANSWERS;
        }
    return STATUS_OK;
}

/* Whether two writes of a key are alike: then ids would not tell them apart. */
static bool has_equal_writes(const struct cobra_writer *w)
{
    const struct write *last = NULL;

    for (size_t i = 0; i < w->writes.all.count; i++) {
        const struct write *write = &w->writes.all.at[i];

        if (!w->has_txn[write->txn])
            continue;
        if (last && last->key == write->key && last->value.kind == write->value.kind &&
            last->value.bits == write->value.bits)
            return true;
        last = write;
    }
    return false;
}

/* Whether the history has times that logs can have. */
static bool has_times(const struct cobra_writer *w)
{
    const struct history *h = w->history;

    for (uint32_t t = 0; t < h->txn_count && h->txn_invoked; t++) {
        bool is_open = h->txn_status[t] == TXN_UNKNOWN;

        if (w->has_txn[t] &&
            (h->txn_invoked[t] < 0 || h->txn_invoked[t] >= COBRA_TIME_END ||
             (is_open ? h->txn_completed[t] != TIME_NEVER
                      : h->txn_completed[t] < h->txn_invoked[t] || h->txn_completed[t] >= COBRA_TIME_END)))
            return false;
    }
    return h->txn_invoked != NULL;
}

/* Whether sessions are numbered from 0, and go on after no transaction of unknown outcome. */
static bool keeps_sessions(const struct cobra_writer *w, bool *goes_on)
{
    const struct history *h = w->history;
    bool keeps = true;

    *goes_on = false;
    for (uint32_t s = 0; s < h->session_count; s++) {
        keeps &= h->session_id[s] >= 0 && h->session_id[s] < (int64_t)h->session_count;
        for (uint32_t i = w->by.start[s]; i + 1 < w->by.start[s + 1]; i++)
            *goes_on |= h->txn_status[w->by.txns[i]] == TXN_UNKNOWN;
    }
    return keeps && !*goes_on;
}

/* Closed by finish(), also after a failure. */
static enum status begin(struct cobra_writer *w, const struct history *h, uint32_t *losses,
                         struct error *err)
{
    bool goes_on;

    *w = (struct cobra_writer){ .history = h };
    TRY(memory_resize((void **)&w->has_txn, h->txn_count, sizeof *w->has_txn, err));
    for (size_t t = 0; t < h->txn_count; t++)
        w->has_txn[t] = h->txn_status[t] != TXN_ABORT;
    TRY(writes_collect(&w->writes, h, err));
    TRY(foreign_by_session(&w->by, h, w->has_txn, err));
    w->keys = foreign_key_numbers(h, INT64_MIN, losses);
    w->is_universal = has_equal_writes(w);
    w->is_timed = has_times(w);
    w->keeps_sessions = keeps_sessions(w, &goes_on);
    if (goes_on)
        *losses |= 1u << LOSS_SESSIONS;
    if (!w->keeps_sessions)
        *losses |= 1u << LOSS_IDS;
    if (w->by.start[h->session_count] == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "no transaction may have committed: without one the logs are no history");
    return examine_ops(w, losses, err);
}

static void finish(struct cobra_writer *w)
{
    writes_close(&w->writes);
    foreign_by_session_close(&w->by);
    free(w->has_txn);
    buffer_close(&w->out);
    free(w->folder);
}

static enum status cobra_examine(const struct history *h, uint32_t *losses, struct error *err)
{
    struct cobra_writer w;
    enum status status;

    TRY(foreign_examine(h, losses, err));
    *losses &= ~(1u << LOSS_UNKNOWN | 1u << LOSS_TIMES);
    status = begin(&w, h, losses, err);
    if (h->op_invoked || (h->txn_invoked && !w.is_timed))
        *losses |= 1u << LOSS_TIMES;
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_ABORT)
            *losses |= 1u << LOSS_ABORTED;
    if (h->initial_count > 0)
        *losses |= 1u << LOSS_INITIAL;
    finish(&w);
    return status;
}

/* --- Records ----------------------------------------------------------------------- */

static void put_word(struct cobra_writer *w, uint64_t word)
{
    for (int i = 56; i >= 0; i -= 8)
        buffer_byte(&w->out, (char)(word >> i & 0xff));
}

static void put_end(struct cobra_writer *w, char type, uint32_t txn, const int64_t *times)
{
    buffer_byte(&w->out, type);
    put_word(w, (uint64_t)w->history->txn_id[txn]);
    if (w->is_timed)
        put_word(w, (uint64_t)times[txn]);
}

/* The transaction that was read from; the universal one where nobody, or more than one, wrote it. */
static uint64_t writer_of(const struct cobra_writer *w, enum source_kind kind, const struct write *write)
{
    uint64_t id = kind == SOURCE_WRITE ? (uint64_t)w->history->txn_id[write->txn] : COBRA_UNIVERSAL;

    return w->is_universal || cobra_is_reserved(id) ? COBRA_UNIVERSAL : id;
}

static enum status put_op(struct cobra_writer *w, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = w->history;
    bool is_read = h->op_kind[op] == OP_READ;
    uint64_t value = (uint64_t)history_value(h, op).bits;
    uint64_t id = w->is_universal ? COBRA_UNIVERSAL : value;
    enum source_kind kind = SOURCE_WRITE;
    struct write write;

    buffer_byte(&w->out, is_read ? 'R' : 'W');
    if (is_read) {
        TRY(source_of(w, txn, op, &kind, &write, err));
        put_word(w, kind == SOURCE_INITIAL ? COBRA_INITIAL : writer_of(w, kind, &write));
    }
    put_word(w, kind == SOURCE_INITIAL ? COBRA_INITIAL : id);
    put_word(w, (uint64_t)foreign_key_number(w->keys, h, h->op_key[op]));
    put_word(w, kind == SOURCE_INITIAL ? 0 : value);
    return STATUS_OK;
}

static enum status put_txn(struct cobra_writer *w, uint32_t txn, struct error *err)
{
    const struct history *h = w->history;

    put_end(w, 'S', txn, h->txn_invoked);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (is_carried(h, txn, op))
            TRY(put_op(w, txn, op, err));
    if (h->txn_status[txn] == TXN_OK)
        put_end(w, 'C', txn, h->txn_completed);
    return STATUS_OK;
}

/* --- Files ------------------------------------------------------------------------- */

/* The transactions from `first` on, up to `end` or one of unknown outcome. */
static enum status put_log(struct cobra_writer *w, struct sink *sink, uint32_t *first, uint32_t end,
                           struct error *err)
{
    bool is_over = *first == end;

    while (!is_over) {
        uint32_t txn = w->by.txns[(*first)++];

        TRY(put_txn(w, txn, err));
        TRY(foreign_flush(&w->out, sink, false, err));
        is_over = *first == end || w->history->txn_status[txn] == TXN_UNKNOWN;
    }
    TRY(foreign_flush(&w->out, sink, true, err));
    return sink_commit(sink, err);
}

/* In the order of numbers, as names are sorted. */
static void name_log(const struct cobra_writer *w, uint32_t session, struct buffer *path)
{
    int64_t number = w->keeps_sessions ? w->history->session_id[session] : w->file_count;

    buffer_clear(path);
    buffer_print(path, "%s/%010" PRId64 ".log", w->folder, number);
    buffer_byte(path, '\0');
}

static enum status put_session(struct cobra_writer *w, uint32_t session, struct buffer *path,
                               struct error *err)
{
    uint32_t first = w->by.start[session], end = w->by.start[session + 1];

    do {
        struct sink sink;
        enum status status;

        name_log(w, session, path);
        TRY(buffer_status(path, err));
        TRY(sink_open(&sink, path->at, err));
        status = put_log(w, &sink, &first, end, err);
        sink_close(&sink);
        TRY(status);
        w->file_count++;
    } while (first < end);
    return STATUS_OK;
}

static void remove_all(struct cobra_writer *w, struct buffer *path)
{
    for (uint32_t i = 0; i < w->file_count + w->history->session_count; i++) {
        buffer_clear(path);
        buffer_print(path, "%s/%010" PRIu32 ".log", w->folder, i);
        buffer_byte(path, '\0');
        if (!path->out_of_memory)
            (void)unlink(path->at);
    }
    (void)rmdir(w->folder);
}

static enum status put_all(struct cobra_writer *w, const char *folder, struct error *err)
{
    struct buffer path = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t s = 0; s < w->history->session_count && status == STATUS_OK; s++)
        status = put_session(w, s, &path, err);
    /* What has its name has all of the logs; an empty folder of that name gives way. */
    if (status == STATUS_OK && rename(w->folder, folder) != 0)
        status = refuse_system(folder, "make the folder", err);
    if (status != STATUS_OK)
        remove_all(w, &path);
    buffer_close(&path);
    return status;
}

/* A folder beside the one wanted, under a name that nobody has. */
static enum status make_folder(struct cobra_writer *w, const char *folder, struct error *err)
{
    size_t length = strlen(folder), room = length + 40;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    w->folder = malloc(room);
    if (!w->folder)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a file name");
    for (int i = 0; i < TEMPORARY_NAMES_MAX; i++) {
        snprintf(w->folder, room, "%.*s.part-%ld-%d", (int)length, folder, (long)getpid(), i);
        if (mkdir(w->folder, 0777) == 0)
            return STATUS_OK;
        if (errno != EEXIST)
            break;
    }
    return refuse_system(folder, "make the folder", err);
}

static enum status cobra_write(const struct history *h, const char *folder, struct error *err)
{
    struct cobra_writer w;
    uint32_t losses = 0;
    enum status status;

    if (strcmp(folder, "-") == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "this format is a folder of files: standard output cannot be one");
    status = begin(&w, h, &losses, err);
    if (status == STATUS_OK)
        status = make_folder(&w, folder, err);
    if (status == STATUS_OK)
        status = put_all(&w, folder, err);
    finish(&w);
    return status;
}
