#include "predict/dataflow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "history/builder.h"
#include "predict/predict_private.h"
#include "programs/machine/predicates.h"

/* What a transaction leaves behind of a key. */
struct final_write {
    uint32_t txn, op, key;
    uint32_t next; /* of the same key and hash of its value, written before it; or DATAFLOW_NONE */
};

struct tracer {
    const struct history *h;
    struct dataflow *trace;
    struct arena *arena;
    ARRAY(struct final_write) writes; /* in the order of the history */
    struct map last;                  /* transaction and key: a place in writes */
    struct map by_value;              /* the hash of key and value: the last of those writes */
    /* By key: its writes, as places; by ts where all have one. */
    uint32_t *key_start, *key_writes;
    bool *key_is_placed;
    bool *is_in;        /* by transaction */
    uint32_t *own_date; /* by key: the transaction that wrote it last, from 1, on the way */
    uint32_t *row_date; /* by key: the head that named it last, from 1 */
    uint32_t table_count;
    uint32_t *table_start, *table_keys; /* by table: its keys that somebody wrote */
    struct predicates *predicates;
    struct predicate_scratch scratch;
    /* By predicate: its keys that some version of matches; from the first time it is asked. */
    uint32_t *match_start, *match_count;
    ARRAY(uint32_t) matches;
    ARRAY(struct dataflow_event) events;
};

static bool txn_may_count(const struct history *h, uint32_t txn)
{
    return h->txn_status[txn] != TXN_ABORT;
}

/* What the write leaves; a removal leaves null. */
static struct value value_left(const struct history *h, uint32_t op)
{
    bool is_removal = h->op_kind[op] == OP_REMOVE || h->op_kind[op] == OP_ROW_REMOVE;

    return is_removal ? value_null() : history_value(h, op);
}

/* Equal values have equal hashes; rows and lists of a key have one hash. */
static uint64_t value_key(uint32_t key, struct value value)
{
    bool is_plain =
        value.kind == VALUE_INTEGER || value.kind == VALUE_TEXT || value.kind == VALUE_BOOLEAN;

    return hash_number(hash_number(key * UINT64_C(8) + value.kind) +
                       (is_plain ? (uint64_t)value.bits : 0));
}

/* --- Writes ------------------------------------------------------------------------- */

static uint64_t write_name(uint32_t txn, uint32_t key)
{
    return (uint64_t)txn << 32 | key;
}

static enum status add_write(struct tracer *t, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = t->h->op_key[op];
    size_t place = t->writes.count, entry;

    if (t->h->op_kind[op] == OP_APPEND)
        return error_set(err, STATUS_BAD_INPUT,
                         "T%" PRId64
                         " appends to a list: only histories of items and rows are predicted from",
                         t->h->txn_id[txn]);
    TRY(map_add(&t->last, write_name(txn, key), place, &entry, err));
    if (t->last.values.at[entry] != place) {
        t->writes.at[t->last.values.at[entry]].op = op;
        return STATUS_OK;
    }
    return array_push(&t->writes, ((struct final_write){ txn, op, key, DATAFLOW_NONE }), err);
}

static enum status find_writes(struct tracer *t, struct error *err)
{
    const struct history *h = t->h;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (txn_may_count(h, txn))
            for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
                if (history_makes_version(h, op))
                    TRY(add_write(t, txn, op, err));
    for (uint32_t i = 0; i < t->writes.count; i++) {
        struct final_write *w = &t->writes.at[i];
        size_t entry;

        TRY(map_add(&t->by_value, value_key(w->key, value_left(h, w->op)), i, &entry, err));
        if (t->by_value.values.at[entry] != i) {
            w->next = (uint32_t)t->by_value.values.at[entry];
            t->by_value.values.at[entry] = i;
        }
    }
    return STATUS_OK;
}

/* Insertion sort: nearly always they stand in order. */
static void sort_by_ts(const struct tracer *t, uint32_t *at, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = at[i], j = i;
        struct place ts = history_ts(t->h, t->writes.at[moved].txn);

        for (;
             j > 0 && history_compare_places(history_ts(t->h, t->writes.at[at[j - 1]].txn), ts) > 0;
             j--)
            at[j] = at[j - 1];
        at[j] = moved;
    }
}

static enum status sort_by_key(struct tracer *t, struct error *err)
{
    const struct history *h = t->h;

    PREDICT_TAKE(t->arena, t->key_start, h->key_count + 2, err);
    PREDICT_TAKE(t->arena, t->key_writes, t->writes.count, err);
    PREDICT_TAKE(t->arena, t->key_is_placed, h->key_count, err);
    for (size_t i = 0; i < t->writes.count; i++)
        t->key_start[t->writes.at[i].key + 2]++;
    array_sum_prefixes(t->key_start, h->key_count + 2);
    for (uint32_t i = 0; i < t->writes.count; i++)
        t->key_writes[t->key_start[t->writes.at[i].key + 1]++] = i;
    for (uint32_t key = 0; key < h->key_count; key++) {
        uint32_t *at = t->key_writes + t->key_start[key],
                 count = t->key_start[key + 1] - t->key_start[key];

        t->key_is_placed[key] = h->txn_ts != NULL;
        for (uint32_t i = 0; i < count; i++)
            t->key_is_placed[key] &= history_ts(h, t->writes.at[at[i]].txn).parts > 0;
        if (t->key_is_placed[key])
            sort_by_ts(t, at, count);
    }
    return STATUS_OK;
}

/* --- Which version was read --------------------------------------------------------- */

struct version_read {
    uint32_t txn; /* of the history, or DATAFLOW_INITIAL; DATAFLOW_NONE: nobody knows */
    uint32_t op;  /* that wrote it, or VERSION_INITIAL */
};

#define VERSION_UNSAID ((struct version_read){ DATAFLOW_NONE, VERSION_INITIAL })

/* The last version of those with a place at most, or below it. */
static struct version_read version_at(const struct tracer *t, uint32_t key, struct place place,
                                      bool below)
{
    const uint32_t *at = t->key_writes + t->key_start[key];
    uint32_t count = t->key_start[key + 1] - t->key_start[key], i;

    BISECT(i, 0, count,
           history_compare_places(history_ts(t->h, t->writes.at[at[i]].txn), place) < !below);
    if (i == 0)
        return (struct version_read){ DATAFLOW_INITIAL, VERSION_INITIAL };
    return (struct version_read){ t->writes.at[at[i - 1]].txn, t->writes.at[at[i - 1]].op };
}

/* What the certificate says; VERSION_UNSAID if nothing. `op` is a head or an item's operation. */
static struct version_read certified_version(const struct tracer *t, uint32_t txn, uint32_t op,
                                             uint32_t key)
{
    const struct history *h = t->h;
    struct place snapshot = history_op_snapshot(h, txn, op), ts = history_ts(h, txn);
    size_t set;

    BISECT(set, 0, h->set_count, h->set_op[set] < op);
    if (set < h->set_count && h->set_op[set] == op) {
        for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++)
            if (h->set_key[i] == key) {
                uint32_t version = h->set_version[i];

                if (version == VERSION_INITIAL)
                    return (struct version_read){ DATAFLOW_INITIAL, VERSION_INITIAL };
                return (struct version_read){ history_txn_of(h, version), version };
            }
        if (snapshot.parts == 0 && ts.parts == 0)
            return (struct version_read){ DATAFLOW_INITIAL, VERSION_INITIAL };
    }
    if (!t->key_is_placed[key] || (snapshot.parts == 0 && ts.parts == 0))
        return VERSION_UNSAID;
    return snapshot.parts > 0 ? version_at(t, key, snapshot, false) : version_at(t, key, ts, true);
}

static bool version_has(const struct tracer *t, struct version_read version, uint32_t key,
                        struct value value)
{
    const struct history *h = t->h;
    struct value left =
        version.txn == DATAFLOW_INITIAL ? history_initial(h, key) : value_left(h, version.op);

    return history_values_equal(h, left, value);
}

/* By its value: the last before the reader, or else the first. */
static struct version_read version_of_value(struct tracer *t, uint32_t txn, uint32_t key,
                                            struct value value)
{
    const struct history *h = t->h;
    struct version_read first = VERSION_UNSAID, best = VERSION_UNSAID;
    uint32_t found = 0;
    uint64_t place;

    if (map_find(&t->by_value, value_key(key, value), &place))
        for (uint32_t i = (uint32_t)place; i != DATAFLOW_NONE; i = t->writes.at[i].next) {
            const struct final_write *w = &t->writes.at[i];

            if (w->txn == txn || w->key != key ||
                !history_values_equal(h, value_left(h, w->op), value))
                continue;
            found++;
            first = (struct version_read){ w->txn, w->op };
            if (best.txn == DATAFLOW_NONE && w->txn < txn)
                best = first;
        }
    if (history_values_equal(h, history_initial(h, key), value)) {
        found++;
        if (best.txn == DATAFLOW_NONE)
            best = (struct version_read){ DATAFLOW_INITIAL, VERSION_INITIAL };
    }
    t->trace->guessed += found > 1;
    return best.txn == DATAFLOW_NONE ? first : best;
}

/* Adds a read of the version, which must be a last one. Keys that nobody writes are left out. */
static enum status add_read(struct tracer *t, uint32_t txn, uint32_t op, uint32_t key,
                            struct version_read version, struct error *err)
{
    struct text name = history_key(t->h, key);
    uint64_t place;

    if (t->key_start[key] == t->key_start[key + 1] || version.txn == txn)
        return STATUS_OK;
    if (version.txn != DATAFLOW_INITIAL) {
        if (!map_find(&t->last, write_name(version.txn, key), &place) ||
            t->writes.at[place].op != version.op)
            return error_set(
                err, STATUS_BAD_INPUT,
                "T%" PRId64 " reads %.*s from T%" PRId64 ", which did not leave that behind",
                t->h->txn_id[txn], (int)name.length, name.at, t->h->txn_id[version.txn]);
        t->is_in[version.txn] = true;
    }
    return array_push(&t->events, ((struct dataflow_event){ key, version.txn, op }), err);
}

/* A read that was answered with a value. */
static enum status add_answered(struct tracer *t, uint32_t txn, uint32_t head, uint32_t op,
                                struct error *err)
{
    uint32_t key = t->h->op_key[op];
    struct value value = history_value(t->h, op);
    struct text name = history_key(t->h, key);
    struct version_read version = certified_version(t, txn, head, key);

    if (t->own_date[key] == txn + 1 || value.kind == VALUE_NONE)
        return STATUS_OK;
    if (version.txn == DATAFLOW_NONE || !version_has(t, version, key, value))
        version = version_of_value(t, txn, key, value);
    if (version.txn == DATAFLOW_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "T%" PRId64 " reads a value of %.*s that no transaction left there",
                         t->h->txn_id[txn], (int)name.length, name.at);
    return add_read(t, txn, op, key, version, err);
}

/* --- Statements --------------------------------------------------------------------- */

/* The keys of the predicate's table, of those that somebody writes, that some version of may match. */
static enum status find_matches(struct tracer *t, uint32_t predicate, struct error *err)
{
    const struct history *h = t->h;
    uint32_t table = predicates_get(t->predicates, predicate)->table;

    if (t->match_start[predicate] != DATAFLOW_NONE)
        return STATUS_OK;
    t->match_start[predicate] = (uint32_t)t->matches.count;
    for (uint32_t i = t->table_start[table]; i < t->table_start[table + 1]; i++) {
        uint32_t key = t->table_keys[i];
        bool matches = predicates_match(t->predicates, predicate, history_initial(h, key),
                                        &t->scratch) != PREDICATE_NO;

        for (uint32_t k = t->key_start[key]; k < t->key_start[key + 1] && !matches; k++) {
            struct value value = value_left(h, t->writes.at[t->key_writes[k]].op);

            matches =
                predicates_match(t->predicates, predicate, value, &t->scratch) != PREDICATE_NO;
        }
        if (matches)
            TRY(array_push(&t->matches, key, err));
    }
    t->match_count[predicate] = (uint32_t)t->matches.count - t->match_start[predicate];
    return STATUS_OK;
}

/* Rows that the statement did not name, and looked at. */
static enum status add_passed_over(struct tracer *t, uint32_t txn, uint32_t head, bool *is_unjudged,
                                   struct error *err)
{
    uint32_t predicate = predicates_of_statement(t->predicates, t->h->op_key[head]);

    if (predicate == PREDICATE_NONE)
        return STATUS_OK;
    TRY(find_matches(t, predicate, err));
    for (uint32_t i = 0; i < t->match_count[predicate]; i++) {
        uint32_t key = t->matches.at[t->match_start[predicate] + i];
        struct version_read version;

        if (t->row_date[key] == head + 1 || t->own_date[key] == txn + 1)
            continue;
        version = certified_version(t, txn, head, key);
        *is_unjudged |= version.txn == DATAFLOW_NONE;
        if (version.txn != DATAFLOW_NONE)
            TRY(add_read(t, txn, head, key, version, err));
    }
    return STATUS_OK;
}

/* A row that is written: it was read before, if anybody says which version. An INSERT need not have. */
static enum status add_row_before(struct tracer *t, uint32_t txn, uint32_t head, uint32_t op,
                                  bool *is_unjudged, struct error *err)
{
    uint32_t key = t->h->op_key[op];
    struct version_read version = certified_version(t, txn, head, key);
    bool is_insert = t->h->op_kind[head] == OP_INSERT;

    if (t->own_date[key] == txn + 1)
        return STATUS_OK;
    if (version.txn == DATAFLOW_NONE) {
        *is_unjudged |= !is_insert;
        return STATUS_OK;
    }
    return add_read(t, txn, op, key, version, err);
}

static void note_write(struct tracer *t, uint32_t txn, uint32_t op)
{
    if (history_makes_version(t->h, op))
        t->own_date[t->h->op_key[op]] = txn + 1;
}

static enum status add_final_write(struct tracer *t, uint32_t txn, uint32_t op, struct error *err)
{
    uint64_t place;

    note_write(t, txn, op);
    if (!history_makes_version(t->h, op) ||
        !map_find(&t->last, write_name(txn, t->h->op_key[op]), &place) ||
        t->writes.at[place].op != op)
        return STATUS_OK;
    return array_push(&t->events, ((struct dataflow_event){ t->h->op_key[op], DATAFLOW_NONE, op }), err);
}

/* The rows of a head; all are read before any is written. */
static enum status add_statement(struct tracer *t, uint32_t txn, uint32_t head, struct error *err)
{
    const struct history *h = t->h;
    uint32_t end = head + 1 + h->statement_row_count[h->op_key[head]];
    bool is_unjudged = false,
         reads = h->txn_status[txn] == TXN_OK && !(h->op_flags[head] & OP_ERROR);

    for (uint32_t op = head + 1; op < end && reads; op++) {
        t->row_date[h->op_key[op]] = head + 1;
        if (h->op_kind[op] == OP_ROW_READ)
            TRY(add_answered(t, txn, head, op, err));
        else
            TRY(add_row_before(t, txn, head, op, &is_unjudged, err));
    }
    if (reads && h->op_kind[head] != OP_INSERT)
        TRY(add_passed_over(t, txn, head, &is_unjudged, err));
    t->trace->unjudged += is_unjudged;
    for (uint32_t op = head + 1; op < end; op++)
        if (op_is_write(h->op_kind[op]))
            TRY(add_final_write(t, txn, op, err));
    return STATUS_OK;
}

static enum status open_predicates(struct tracer *t, struct error *err)
{
    const struct history *h = t->h;
    uint32_t count;

    PREDICT_TAKE(t->arena, t->own_date, h->key_count, err);
    PREDICT_TAKE(t->arena, t->row_date, h->key_count, err);
    if (h->statement_count == 0)
        return STATUS_OK;
    TRY(predicates_open(&t->predicates, h, 0, err));
    TRY(predicate_scratch_init(&t->scratch, err));
    count = predicates_count(t->predicates);
    PREDICT_TAKE(t->arena, t->match_start, count, err);
    PREDICT_TAKE(t->arena, t->match_count, count, err);
    for (uint32_t p = 0; p < count; p++)
        t->match_start[p] = DATAFLOW_NONE;
    return STATUS_OK;
}

/* The table of a key `t/7`: the name before the first '/', or HISTORY_NONE. */
static uint32_t table_of_key(const struct history *h, uint32_t key)
{
    struct text name = history_key(h, key);
    const char *slash = name.length > 0 ? memchr(name.at, '/', name.length) : NULL;

    for (uint32_t table = 0; slash && table < h->table_count; table++)
        if (text_equal((struct text){ name.at, (size_t)(slash - name.at) },
                       history_text(h, h->table_name[table])))
            return table;
    return HISTORY_NONE;
}

static enum status sort_by_table(struct tracer *t, struct error *err)
{
    const struct history *h = t->h;
    uint32_t *table;

    PREDICT_TAKE(t->arena, t->table_start, h->table_count + 2, err);
    PREDICT_TAKE(t->arena, t->table_keys, h->key_count, err);
    PREDICT_TAKE(t->arena, table, h->key_count, err);
    for (uint32_t key = 0; key < h->key_count; key++) {
        bool is_written = t->key_start[key] < t->key_start[key + 1];

        table[key] = is_written ? table_of_key(h, key) : HISTORY_NONE;
        if (table[key] != HISTORY_NONE)
            t->table_start[table[key] + 2]++;
    }
    array_sum_prefixes(t->table_start, h->table_count + 2);
    for (uint32_t key = 0; key < h->key_count; key++)
        if (table[key] != HISTORY_NONE)
            t->table_keys[t->table_start[table[key] + 1]++] = key;
    return STATUS_OK;
}

/* --- Putting it together ------------------------------------------------------------ */

/* All events, with the history's numbers of transactions and keys; `start` by transaction, and one more. */
static enum status gather_events(struct tracer *t, uint32_t *start, struct error *err)
{
    const struct history *h = t->h;

    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        start[txn] = (uint32_t)t->events.count;
        if (!txn_may_count(h, txn))
            continue;
        t->is_in[txn] |= h->txn_status[txn] == TXN_OK;
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            uint8_t kind = h->op_kind[op];

            if (op_is_head(kind)) {
                TRY(add_statement(t, txn, op, err));
                op += h->statement_row_count[h->op_key[op]];
            } else if (op_is_write(kind)) {
                TRY(add_final_write(t, txn, op, err));
            } else if (h->txn_status[txn] == TXN_OK && !(h->op_flags[op] & OP_ERROR)) {
                TRY(add_answered(t, txn, op, op, err));
            }
        }
    }
    start[h->txn_count] = (uint32_t)t->events.count;
    return STATUS_OK;
}

/* The trace's own numbers, of those who are in and of keys that somebody writes. */
static enum status renumber(struct tracer *t, const uint32_t *start, struct error *err)
{
    const struct history *h = t->h;
    struct dataflow *trace = t->trace;
    uint32_t *number, *key_number;

    PREDICT_TAKE(t->arena, number, h->txn_count, err);
    PREDICT_TAKE(t->arena, key_number, h->key_count, err);
    PREDICT_TAKE(t->arena, trace->txn, h->txn_count, err);
    PREDICT_TAKE(t->arena, trace->session, h->txn_count, err);
    PREDICT_TAKE(t->arena, trace->key, h->key_count, err);
    PREDICT_TAKE(t->arena, trace->event_start, h->txn_count + 1, err);
    PREDICT_TAKE(t->arena, trace->events, t->events.count, err);
    memset(key_number, 0xff, h->key_count * sizeof *key_number);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (t->is_in[txn]) {
            trace->session[trace->txn_count] = h->txn_session[txn];
            trace->txn[trace->txn_count] = txn;
            number[txn] = trace->txn_count++;
        }
    for (uint32_t i = 0; i < trace->txn_count; i++) {
        trace->event_start[i] = trace->event_count;
        for (uint32_t e = start[trace->txn[i]]; e < start[trace->txn[i] + 1]; e++) {
            struct dataflow_event event = t->events.at[e];

            if (key_number[event.key] == DATAFLOW_NONE) {
                trace->key[trace->key_count] = event.key;
                key_number[event.key] = trace->key_count++;
            }
            event.key = key_number[event.key];
            if (event.writer < DATAFLOW_INITIAL)
                event.writer = number[event.writer];
            trace->events[trace->event_count++] = event;
        }
    }
    trace->event_start[trace->txn_count] = trace->event_count;
    return STATUS_OK;
}

static enum status trace_fill(struct tracer *t, struct error *err)
{
    uint32_t *start;

    PREDICT_TAKE(t->arena, t->is_in, t->h->txn_count, err);
    PREDICT_TAKE(t->arena, start, t->h->txn_count + 1, err);
    TRY(find_writes(t, err));
    TRY(sort_by_key(t, err));
    TRY(sort_by_table(t, err));
    TRY(open_predicates(t, err));
    TRY(gather_events(t, start, err));
    TRY(renumber(t, start, err));
    return dataflow_index(t->trace, t->arena, err);
}

enum status dataflow_of_history(struct dataflow *trace, const struct history *h, struct arena *arena,
                       struct error *err)
{
    struct tracer t = { .h = h, .trace = trace, .arena = arena };
    enum status status;

    *trace = (struct dataflow){ .history = h };
    status = trace_fill(&t, err);
    predicate_scratch_close(&t.scratch);
    predicates_close(t.predicates);
    array_close(&t.writes);
    array_close(&t.matches);
    array_close(&t.events);
    map_close(&t.last);
    map_close(&t.by_value);
    return status;
}

/* Sessions are numbered as they first come. */
static enum status index_sessions(struct dataflow *trace, struct arena *arena, struct error *err)
{
    struct map numbers = { 0 };
    enum status status = STATUS_OK;
    uint32_t *last;

    PREDICT_TAKE(arena, last, trace->txn_count, err);
    PREDICT_TAKE(arena, trace->previous, trace->txn_count, err);
    PREDICT_TAKE(arena, trace->ordinal, trace->txn_count, err);
    for (uint32_t txn = 0; txn < trace->txn_count && status == STATUS_OK; txn++) {
        size_t place;

        status = map_add(&numbers, trace->session[txn], numbers.keys.count, &place, err);
        if (status == STATUS_OK)
            trace->session[txn] = (uint32_t)place;
    }
    trace->session_count = (uint32_t)numbers.keys.count;
    map_close(&numbers);
    TRY(status);
    PREDICT_TAKE(arena, trace->session_start, trace->session_count + 2, err);
    PREDICT_TAKE(arena, trace->session_txns, trace->txn_count, err);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        trace->session_start[trace->session[txn] + 2]++;
    array_sum_prefixes(trace->session_start, trace->session_count + 2);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        uint32_t s = trace->session[txn], place = trace->session_start[s + 1]++;

        trace->session_txns[place] = txn;
        trace->previous[txn] = last[s] ? last[s] - 1 : DATAFLOW_NONE;
        trace->ordinal[txn] = last[s] ? trace->ordinal[last[s] - 1] + 1 : 0;
        last[s] = txn + 1;
    }
    return STATUS_OK;
}

/* Of a trace of no history. */
static enum status number_transactions(struct dataflow *trace, struct arena *arena, struct error *err)
{
    PREDICT_TAKE(arena, trace->txn, trace->txn_count, err);
    PREDICT_TAKE(arena, trace->key, trace->key_count, err);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        trace->txn[txn] = txn;
    for (uint32_t key = 0; key < trace->key_count; key++)
        trace->key[key] = key;
    return STATUS_OK;
}

enum status dataflow_index(struct dataflow *trace, struct arena *arena, struct error *err)
{
    if (!trace->txn)
        TRY(number_transactions(trace, arena, err));
    TRY(index_sessions(trace, arena, err));
    PREDICT_TAKE(arena, trace->writer_start, trace->key_count + 2, err);
    PREDICT_TAKE(arena, trace->writers, trace->event_count, err);
    for (uint32_t e = 0; e < trace->event_count; e++)
        if (!dataflow_is_read(trace->events[e]))
            trace->writer_start[trace->events[e].key + 2]++;
    array_sum_prefixes(trace->writer_start, trace->key_count + 2);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
            if (!dataflow_is_read(trace->events[e]))
                trace->writers[trace->writer_start[trace->events[e].key + 1]++] = txn;
    return STATUS_OK;
}

/* --- Back to a history -------------------------------------------------------------- */

static int64_t txn_name(const struct dataflow *trace, uint32_t txn)
{
    return trace->history ? trace->history->txn_id[trace->txn[txn]] : txn + 1;
}

static enum status build_txn(const struct dataflow *trace, uint32_t txn, const uint32_t *keys,
                             struct builder *b, struct error *err)
{
    const struct history *h = trace->history;
    int64_t session = h ? h->session_id[h->txn_session[trace->txn[txn]]] : trace->session[txn];

    TRY(builder_begin_txn(b, txn_name(trace, txn), session, TXN_OK, err));
    for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++) {
        struct dataflow_event event = trace->events[e];
        struct value value =
            event.writer == DATAFLOW_INITIAL
                ? value_null()
                : value_integer((dataflow_is_read(event) ? event.writer : txn) + INT64_C(1));

        TRY(builder_add_op(b, dataflow_is_read(event) ? OP_READ : OP_WRITE, keys[event.key], value,
                           err));
    }
    return builder_end_txn(b, err);
}

static enum status build_history(const struct dataflow *trace, struct builder *b, uint32_t *keys,
                                 struct error *err)
{
    TRY(builder_set_workload(b, TEXT("predicted"), err));
    builder_set_unique(b, true);
    for (uint32_t key = 0; key < trace->key_count; key++) {
        char plain[24];
        struct text name = { plain, (size_t)snprintf(plain, sizeof plain, "k%" PRIu32, key) };

        if (trace->history)
            name = history_key(trace->history, trace->key[key]);
        TRY(builder_key(b, name, &keys[key], err));
    }
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        TRY(build_txn(trace, txn, keys, b, err));
    return STATUS_OK;
}

enum status dataflow_to_history(const struct dataflow *trace, struct history *h, struct error *err)
{
    uint32_t *keys = calloc(trace->key_count + 1, sizeof *keys);
    struct builder b;
    enum status status;

    *h = (struct history){ 0 };
    if (!keys)
        return error_set(err, STATUS_OVER_LIMIT, "out of memory");
    builder_init(&b);
    status = build_history(trace, &b, keys, err);
    if (status == STATUS_OK)
        status = builder_finish(&b, h, err);
    builder_close(&b);
    free(keys);
    return status;
}

uint32_t dataflow_write_of(const struct dataflow *trace, uint32_t txn, uint32_t key)
{
    for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
        if (trace->events[e].key == key && !dataflow_is_read(trace->events[e]))
            return e;
    return DATAFLOW_NONE;
}
