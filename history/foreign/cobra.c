#include "history/foreign/cobra_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

struct log {
    const char *path;
    char *bytes;
    size_t size, at;
    bool has_times;
};

struct record {
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
static bool take_record(struct log *log, struct record *record)
{
    size_t words, at = log->at + 1;

    *record = (struct record){ .type = log->bytes[log->at] };
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
    struct record record;
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
    struct record first, record;

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
struct claim {
    uint64_t key, id, txn, hash;
    uint32_t op; /* of the draft */
};

struct reader {
    struct draft draft;
    bool is_universal, has_times;
    ARRAY(struct claim) writes;
    ARRAY(struct claim) reads;
};

static enum status refuse(const struct log *log, const char *what, struct error *err)
{
    error_set_file(err, log->path);
    err->offset = log->at;
    return error_set(err, STATUS_BAD_INPUT, "%s", what);
}

static bool is_of_nothing(const struct record *record)
{
    return record->writer == COBRA_INITIAL || record->writer == COBRA_NULL ||
           record->id == COBRA_INITIAL || record->id == COBRA_NULL;
}

static enum status add_op(struct reader *r, uint32_t txn, const struct record *record,
                          struct error *err)
{
    bool is_read = record->type == 'R';
    struct claim claim = { record->key, record->id, record->writer, record->hash,
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

static enum status add_record(struct reader *r, const struct log *log, const struct record *record,
                              int64_t session, uint32_t *txn, struct error *err)
{
    struct draft *draft = &r->draft;

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

static enum status read_log(struct reader *r, struct log *log, int64_t session, struct error *err)
{
    bool is_open = false;
    struct record record;
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
static int compare_versions(const struct claim *a, const struct claim *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static int compare_claims(const void *a, const void *b)
{
    const struct claim *left = a, *right = b;
    int order = compare_versions(left, right);

    return order ? order : (left->op > right->op) - (left->op < right->op);
}

static bool agree(const struct claim *read, const struct claim *write)
{
    return read->hash == write->hash &&
           (read->txn == write->txn || read->txn == COBRA_UNIVERSAL);
}

/* Whether the id was written, but never so as the read says. */
static bool is_false(const struct reader *r, const struct claim *read)
{
    size_t place;

    BISECT(place, 0, r->writes.count, compare_versions(&r->writes.at[place], read) < 0);
    for (size_t i = place; i < r->writes.count && !compare_versions(&r->writes.at[i], read); i++)
        if (i - place == 64 || agree(read, &r->writes.at[i])) /* so many alike tell nothing */
            return false;
    return place < r->writes.count && compare_versions(&r->writes.at[place], read) == 0;
}

/* A read with an id that was written, but not with that hash or by that transaction, reads neither. */
static enum status settle_reads(struct reader *r, struct error *err)
{
    struct buffer text = { 0 };
    enum status status = STATUS_OK;

    if (r->is_universal)
        return STATUS_OK;
    if (r->writes.count > 0)
        qsort(r->writes.at, r->writes.count, sizeof *r->writes.at, compare_claims);
    for (size_t i = 0; i < r->reads.count && status == STATUS_OK; i++) {
        const struct claim *read = &r->reads.at[i];

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
static void settle_txn_times(struct reader *r)
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

static enum status read_logs(struct reader *r, struct log *logs, size_t count, struct error *err)
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
    struct reader r = { .is_universal = false };
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

const struct foreign foreign_cobra = { .is_it = is_it,
                                       .read_sessions = read_sessions,
                                       .examine = cobra_examine,
                                       .write_folder = cobra_write };
