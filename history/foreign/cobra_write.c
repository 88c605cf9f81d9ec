#include "history/foreign/cobra_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/foreign/writes_private.h"

#define TEMPORARY_NAMES_MAX 1000

struct writer {
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
static enum status source_of(const struct writer *w, uint32_t txn, uint32_t op,
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

static enum status examine_op(struct writer *w, uint32_t txn, uint32_t op, struct error *err)
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

static enum status examine_ops(struct writer *w, uint32_t *losses, struct error *err)
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
static bool has_equal_writes(const struct writer *w)
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
static bool has_times(const struct writer *w)
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
static bool keeps_sessions(const struct writer *w, bool *goes_on)
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
static enum status begin(struct writer *w, const struct history *h, uint32_t *losses,
                         struct error *err)
{
    bool goes_on;

    *w = (struct writer){ .history = h };
    TRY(memory_resize((void **)&w->has_txn, h->txn_count, sizeof *w->has_txn, err));
    for (size_t t = 0; t < h->txn_count; t++)
        w->has_txn[t] = h->txn_status[t] != TXN_ABORT;
    TRY(writes_collect(&w->writes, h, err));
    TRY(by_session_init(&w->by, h, w->has_txn, err));
    w->keys = key_numbers_of(h, INT64_MIN, losses);
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

static void finish(struct writer *w)
{
    writes_close(&w->writes);
    by_session_close(&w->by);
    free(w->has_txn);
    buffer_close(&w->out);
    free(w->folder);
}

enum status cobra_examine(const struct history *h, uint32_t *losses, struct error *err)
{
    struct writer w;
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

static void put_word(struct writer *w, uint64_t word)
{
    for (int i = 56; i >= 0; i -= 8)
        buffer_byte(&w->out, (char)(word >> i & 0xff));
}

static void put_end(struct writer *w, char type, uint32_t txn, const int64_t *times)
{
    buffer_byte(&w->out, type);
    put_word(w, (uint64_t)w->history->txn_id[txn]);
    if (w->is_timed)
        put_word(w, (uint64_t)times[txn]);
}

/* The transaction that was read from; the universal one where nobody, or more than one, wrote it. */
static uint64_t writer_of(const struct writer *w, enum source_kind kind, const struct write *write)
{
    uint64_t id = kind == SOURCE_WRITE ? (uint64_t)w->history->txn_id[write->txn] : COBRA_UNIVERSAL;

    return w->is_universal || cobra_is_reserved(id) ? COBRA_UNIVERSAL : id;
}

static enum status put_op(struct writer *w, uint32_t txn, uint32_t op, struct error *err)
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
    put_word(w, (uint64_t)key_number(w->keys, h, h->op_key[op]));
    put_word(w, kind == SOURCE_INITIAL ? 0 : value);
    return STATUS_OK;
}

static enum status put_txn(struct writer *w, uint32_t txn, struct error *err)
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
static enum status put_log(struct writer *w, struct sink *sink, uint32_t *first, uint32_t end,
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
static void name_log(const struct writer *w, uint32_t session, struct buffer *path)
{
    int64_t number = w->keeps_sessions ? w->history->session_id[session] : w->file_count;

    buffer_clear(path);
    buffer_print(path, "%s/%010" PRId64 ".log", w->folder, number);
    buffer_byte(path, '\0');
}

static enum status put_session(struct writer *w, uint32_t session, struct buffer *path,
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

static void remove_all(struct writer *w, struct buffer *path)
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

static enum status put_all(struct writer *w, const char *folder, struct error *err)
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
static enum status make_folder(struct writer *w, const char *folder, struct error *err)
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

enum status cobra_write(const struct history *h, const char *folder, struct error *err)
{
    struct writer w;
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
