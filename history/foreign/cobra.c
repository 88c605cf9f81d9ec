/*
 * Cobra's logs: a folder of files `*.log`, one a session. A record is a byte and
 * words of 64 bits, the most significant byte first:
 *
 *     S txn                                begins
 *     R writer-txn write-id key hash       reads; hash is that of the value
 *     W write-id key hash                  writes
 *     C txn                                commits
 *
 * Time-ordered logs have a time behind the numbers of S and C, which is seen from
 * where the next record begins. Aborted transactions are not logged.
 *
 * A write is known by its write-id. Clients that could not store ids with their
 * values log one universal id for all: then it is known by its hash, and
 * need not be the only one with it. One such record makes it so for all of the folder.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/foreign/foreign.h"

#define WRITER_INITIAL UINT64_C(0xbebeebee)
#define WRITER_NULL UINT64_C(0xdeadbeef)
#define ID_UNIVERSAL UINT64_C(0xabddefee)

struct log {
    const char *path;
    char *bytes;
    size_t size, at;
    bool has_times;
};

struct record {
    char type;
    uint64_t writer, id, key, hash, txn;
};

static bool is_type(int byte)
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

/* False: there is no record here. */
static bool take_record(struct log *log, struct record *record)
{
    size_t words;

    *record = (struct record){ .type = log->bytes[log->at] };
    if (!is_type(record->type))
        return false;
    words = record_words(record->type, log->has_times);
    if (log->size - log->at < 1 + 8 * words)
        return false;
    record->txn = word_at(log, log->at + 1);
    if (record->type == 'R')
        record->writer = record->txn;
    if (record->type == 'R' || record->type == 'W') {
        size_t id = log->at + 1 + 8 * (record->type == 'R');

        record->id = word_at(log, id);
        record->key = word_at(log, id + 8);
        record->hash = word_at(log, id + 16);
    }
    log->at += 1 + 8 * words;
    return true;
}

/* Whether the whole log makes sense so; says whether some record has the universal id. */
static bool makes_sense(struct log *log, bool has_times, bool *is_universal)
{
    struct record record;
    bool has_universal = false;

    log->has_times = has_times;
    log->at = 0;
    while (log->at < log->size) {
        if (!take_record(log, &record))
            return false;
        has_universal |= (record.type == 'R' || record.type == 'W') && record.id == ID_UNIVERSAL;
    }
    log->at = 0;
    *is_universal |= has_universal;
    return true;
}

/* --- Reading a log ---------------------------------------------------------------- */

struct reader {
    struct draft draft;
    bool is_universal;
};

static enum status refuse(const struct log *log, const char *what, struct error *err)
{
    error_set_file(err, log->path);
    err->offset = log->at;
    return error_set(err, STATUS_BAD_INPUT, "%s", what);
}

static enum status add_op(struct reader *r, uint32_t txn, const struct record *record,
                          struct error *err)
{
    bool is_read = record->type == 'R';
    bool is_nothing =
        is_read && (record->writer == WRITER_INITIAL || record->writer == WRITER_NULL ||
                    record->id == WRITER_INITIAL || record->id == WRITER_NULL);
    uint64_t identity = r->is_universal ? record->hash : record->id;

    return draft_add_numbered(&r->draft, txn, is_read ? OP_READ : OP_WRITE, (int64_t)record->key,
                              is_nothing ? value_null() : value_integer((int64_t)identity), err);
}

static enum status read_log(struct reader *r, struct log *log, int64_t session, struct error *err)
{
    bool is_open = false, unused = false;
    struct record record;
    uint32_t txn = 0;

    if (!makes_sense(log, false, &unused) && !makes_sense(log, true, &unused))
        return refuse(log, "expected a record of type S, C, R or W and its words", err);
    while (log->at < log->size) {
        if (!take_record(log, &record))
            return refuse(log, "expected a record", err);
        if (record.type == 'S' ? is_open : !is_open)
            return refuse(log,
                          is_open ? "a transaction begins within another"
                                  : "this record belongs to no transaction",
                          err);
        if (record.type == 'S')
            TRY(draft_add_txn(&r->draft, (int64_t)record.txn, session, 0, &txn, err));
        else if (record.type != 'C')
            TRY(add_op(r, txn, &record, err));
        else if ((int64_t)record.txn != r->draft.txns.at[txn].id)
            return refuse(log, "the transaction that commits is not the one that began", err);
        is_open = record.type != 'C';
    }
    if (is_open) /* whoever wrote the log stopped: nobody knows what became of it */
        r->draft.txns.at[txn].status = TXN_UNKNOWN;
    return STATUS_OK;
}

/* --- Folders ---------------------------------------------------------------------- */

struct logs {
    ARRAY(char *) paths;
    ARRAY(struct log) logs;
};

static void close_logs(struct logs *l)
{
    for (size_t i = 0; i < l->paths.count; i++)
        free(l->paths.at[i]);
    for (size_t i = 0; i < l->logs.count; i++)
        free(l->logs.at[i].bytes);
    array_close(&l->paths);
    array_close(&l->logs);
}

static bool is_log(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".log") == 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum status add_path(struct logs *l, const char *folder, const char *name, struct error *err)
{
    struct buffer path = { 0 };

    TRY(array_reserve(&l->paths, 1, err));
    buffer_print(&path, "%s/%s", folder, name);
    buffer_byte(&path, '\0');
    TRY(buffer_status(&path, err));
    l->paths.at[l->paths.count++] = path.at;
    return STATUS_OK;
}

static enum status list_logs(struct logs *l, const char *folder, struct error *err)
{
    DIR *directory = opendir(folder);
    enum status status = STATUS_OK;
    const struct dirent *entry;

    if (!directory) {
        error_set_file(err, folder);
        return error_set(err, STATUS_IO, "cannot read the folder: %s", strerror(errno));
    }
    while (status == STATUS_OK && (entry = readdir(directory)))
        if (is_log(entry->d_name))
            status = add_path(l, folder, entry->d_name, err);
    closedir(directory);
    TRY(status);
    if (l->paths.count == 0) {
        error_set_file(err, folder);
        return error_set(err, STATUS_BAD_INPUT,
                         "there is no *.log in this folder, as Cobra writes them");
    }
    qsort(l->paths.at, l->paths.count, sizeof *l->paths.at, compare_paths);
    return STATUS_OK;
}

static enum status take_log(struct logs *l, const char *path, struct error *err)
{
    struct log log = { .path = path };
    struct source source;
    enum status status;

    TRY(array_reserve(&l->logs, 1, err));
    status = source_open(&source, path, NULL, err);
    if (status == STATUS_OK)
        status = source_take_rest(&source, &log.bytes, &log.size, err);
    source_close(&source);
    l->logs.at[l->logs.count++] = log;
    return status;
}

/* Other programs have empty *.log in their folders too. */
static enum status refuse_empty(const struct logs *l, const char *folder, struct error *err)
{
    size_t size = 0;

    for (size_t i = 0; i < l->logs.count; i++)
        size += l->logs.at[i].size;
    if (size > 0)
        return STATUS_OK;
    error_set_file(err, folder);
    return error_set(err, STATUS_BAD_INPUT, "there is nothing in any *.log of this folder");
}

static enum status read_logs(struct reader *r, struct logs *l, struct error *err)
{
    for (size_t i = 0; i < l->logs.count; i++)
        if (!makes_sense(&l->logs.at[i], false, &r->is_universal))
            (void)makes_sense(&l->logs.at[i], true, &r->is_universal);
    for (size_t i = 0; i < l->logs.count; i++)
        TRY(read_log(r, &l->logs.at[i], (int64_t)i, err));
    return STATUS_OK;
}

static enum status read_folder(const char *folder, struct history *history, struct error *err)
{
    struct reader r = { .is_universal = false };
    struct logs l = { 0 };
    enum status status = list_logs(&l, folder, err);

    draft_init(&r.draft);
    for (size_t i = 0; i < l.paths.count && status == STATUS_OK; i++)
        status = take_log(&l, l.paths.at[i], err);
    if (status == STATUS_OK)
        status = refuse_empty(&l, folder, err);
    if (status == STATUS_OK)
        status = read_logs(&r, &l, err);
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "cobra", history, err);
    draft_close(&r.draft);
    close_logs(&l);
    return status;
}

const struct foreign foreign_cobra = { .read_folder = read_folder };
