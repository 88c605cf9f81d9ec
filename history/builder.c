#include "history/builder.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/builder_private.h"
#include "history/builder_tables_private.h"
#include "history/builder_versions_private.h"

#define ROOM_MIN ((size_t)16)

static const size_t column_offsets[HISTORY_COLUMN_COUNT] = {
#define HISTORY_COLUMN(group, type, name, extra, optional) offsetof(struct builder, name),
    HISTORY_COLUMNS(HISTORY_COLUMN)
#undef HISTORY_COLUMN
};

static const struct {
    const char *name;
    size_t count_offset, room_offset;
} groups[GROUP_COUNT] = {
#define HISTORY_GROUP(group)                                                                       \
    { #group, offsetof(struct builder, group##_count), offsetof(struct builder, group##_room) },
    HISTORY_GROUPS(HISTORY_GROUP)
#undef HISTORY_GROUP
};

static void *column_at(const struct builder *b, enum history_column column)
{
    void *at;

    memcpy(&at, (const char *)b + column_offsets[column], sizeof at);
    return at;
}

static void set_column(struct builder *b, enum history_column column, void *at)
{
    memcpy((char *)b + column_offsets[column], &at, sizeof at);
}

static size_t *group_count(struct builder *b, enum history_group group)
{
    return (size_t *)((char *)b + groups[group].count_offset);
}

static size_t *group_room(struct builder *b, enum history_group group)
{
    return (size_t *)((char *)b + groups[group].room_offset);
}

static enum status resize_column(struct builder *b, enum history_column column, size_t count,
                                 struct error *err)
{
    void *at = column_at(b, column);

    TRY(memory_resize(&at, count, history_forms[column].element_size, err));
    set_column(b, column, at);
    return STATUS_OK;
}

/* What elements have that nobody gave a value: optional columns are filled ahead. */
static void fill_column(struct builder *b, enum history_column column, size_t from, size_t to)
{
    size_t size = history_forms[column].element_size;
    char *at = column_at(b, column);
    int64_t *times;

    switch (column) {
    case COLUMN_txn_invoked:
    case COLUMN_txn_completed:
    case COLUMN_op_invoked:
    case COLUMN_op_completed:
        times = column_at(b, column);
        for (size_t i = from; i < to; i++)
            times[i] = TIME_ABSENT;
        break;
    default:
        memset(at + from * size, 0, (to - from) * size);
    }
}

/* Behind BUILDER_RESERVE(): makes room in every column of the group, and an extra element. */
enum status builder_grow(struct builder *b, enum history_group group, size_t more,
                                struct error *err)
{
    size_t count = *group_count(b, group), room = *group_room(b, group);
    size_t room_max = history_group_is_numbered(group) ? HISTORY_COUNT_MAX : SIZE_MAX / 16;
    size_t wanted = room + room / 2;

    if (more > room_max - count)
        return error_set(err, STATUS_OVER_LIMIT, "more than %zu of: %s", room_max,
                         groups[group].name);
    if (wanted < count + more)
        wanted = count + more;
    if (wanted < ROOM_MIN)
        wanted = ROOM_MIN;
    if (wanted > room_max)
        wanted = room_max;
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++) {
        bool optional = history_forms[c].optional;
        if (history_forms[c].group != group || (optional && !column_at(b, c)))
            continue;
        TRY(resize_column(b, c, wanted + 1, err));
        if (optional)
            fill_column(b, c, room, wanted);
    }
    *group_room(b, group) = wanted;
    return STATUS_OK;
}

/* Brings an optional column into being. */
static enum status open_column(struct builder *b, enum history_column column, struct error *err)
{
    size_t room = *group_room(b, history_forms[column].group);

    if (column_at(b, column))
        return STATUS_OK;
    TRY(resize_column(b, column, room + 1, err));
    fill_column(b, column, 0, room);
    return STATUS_OK;
}

void builder_init(struct builder *b)
{
    *b = (struct builder){ .workload = HISTORY_NONE,
                           .producer = HISTORY_NONE,
                           .unique = -1,
                           .op_is_careful = true,
                           .ids_rise = true };
}

void builder_close(struct builder *b)
{
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++)
        free(column_at(b, c));
    intern_close(&b->keys);
    intern_close(&b->texts);
    map_close(&b->sessions);
    map_close(&b->txns);
    intern_close(&b->table_names);
    intern_close(&b->shapes);
    map_close(&b->shape_columns);
    array_close(&b->key_table);
    array_close(&b->key_statement);
    array_close(&b->text_statement);
    free(b->list_slots.slots);
    free(b->row_slots.slots);
    array_close(&b->cells);
    array_close(&b->names);
    buffer_close(&b->scratch);
    array_close(&b->set_names);
    array_close(&b->set_lines);
    array_close(&b->listed);
    array_close(&b->key_marks);
    array_close(&b->key_writes);
    array_close(&b->writes);
    builder_init(b);
}

/* Texts are looked at once, when they are new. */
static enum status number_text(struct intern *intern, struct text text, const char *what,
                               uint32_t *number, struct error *err)
{
    size_t count = intern_count(intern);

    TRY(intern_add(intern, text, number, err));
    if (intern_count(intern) == count)
        return STATUS_OK;
    if (!text_is_utf8(text))
        return error_set(err, STATUS_BAD_INPUT, "%s is not UTF-8", what);
    if (text.length && memchr(text.at, 0, text.length))
        return error_set(err, STATUS_BAD_INPUT, "%s has a zero byte in it", what);
    return STATUS_OK;
}

enum status builder_key(struct builder *b, struct text text, uint32_t *key, struct error *err)
{
    return number_text(&b->keys, text, "a key", key, err);
}

enum status builder_text(struct builder *b, struct text text, uint32_t *number,
                         struct error *err)
{
    return number_text(&b->texts, text, "a text", number, err);
}

enum status builder_set_workload(struct builder *b, struct text text, struct error *err)
{
    return builder_text(b, text, &b->workload, err);
}

enum status builder_set_producer(struct builder *b, struct text text, struct error *err)
{
    return builder_text(b, text, &b->producer, err);
}

void builder_set_unique(struct builder *b, bool unique)
{
    b->unique = unique;
}

void builder_set_line(struct builder *b, uint64_t line)
{
    b->line = line;
}

enum status builder_text_value(struct builder *b, struct text text, struct value *value,
                               struct error *err)
{
    uint32_t number;

    TRY(builder_text(b, text, &number, err));
    *value = (struct value){ VALUE_TEXT, number };
    return STATUS_OK;
}

enum status builder_mark_key(struct builder *b, uint32_t key, enum key_mark mark,
                             const char *what, struct error *err)
{
    size_t count = b->key_marks.count;

    assert(key < intern_count(&b->keys));
    if (key >= count) {
        TRY(array_reserve(&b->key_marks, intern_count(&b->keys) - count, err));
        b->key_marks.count = intern_count(&b->keys);
        memset(b->key_marks.at + count, 0, b->key_marks.count - count);
    }
    if (b->key_marks.at[key] & mark)
        return error_set(err, STATUS_BAD_INPUT, "key %.*s already has %s",
                         TEXT_PRINT(intern_text(&b->keys, key)), what);
    b->key_marks.at[key] |= (uint8_t)mark;
    return STATUS_OK;
}

enum status builder_add_initial(struct builder *b, uint32_t key, struct value value,
                                struct error *err)
{
    assert(b->txn_count == 0 && key < intern_count(&b->keys));
    if (value.kind == VALUE_NONE)
        return error_set(err, STATUS_BAD_INPUT, "an initial value is missing");
    TRY(builder_check_row_value(b, key, value, err));
    TRY(builder_mark_key(b, key, KEY_HAS_INITIAL, "an initial value", err));
    TRY(BUILDER_RESERVE(b, initial, 1, err));
    b->initial_key[b->initial_count] = key;
    b->initial_kind[b->initial_count] = value.kind;
    b->initial_value[b->initial_count] = value.bits;
    b->initial_count++;
    return STATUS_OK;
}

static enum status number_session(struct builder *b, int64_t session, uint32_t *number,
                                  struct error *err)
{
    size_t place;

    if (b->session_count && session == b->session_last) {
        *number = b->session_last_number;
        return STATUS_OK;
    }
    TRY(BUILDER_RESERVE(b, session, 1, err));
    TRY(map_add(&b->sessions, (uint64_t)session, b->session_count, &place, err));
    if (place == b->session_count)
        b->session_id[b->session_count++] = session;
    *number = (uint32_t)place;
    b->session_last = session;
    b->session_last_number = *number;
    return STATUS_OK;
}

/* As long as ids rise there is nothing to remember; from then on, all of them. */
static enum status note_id(struct builder *b, int64_t id, struct error *err)
{
    size_t count = b->txn_count, place;

    if (b->ids_rise && (count == 0 || id > b->txn_id[count - 1]))
        return STATUS_OK;
    if (b->ids_rise) {
        b->ids_rise = false;
        for (size_t t = 0; t < count; t++)
            TRY(map_add(&b->txns, (uint64_t)b->txn_id[t], t, &place, err));
    }
    TRY(map_add(&b->txns, (uint64_t)id, count, &place, err));
    if (place < count)
        return error_set(err, STATUS_BAD_INPUT, "transaction %" PRId64 " is here twice", id);
    return STATUS_OK;
}

enum status builder_begin_txn(struct builder *b, int64_t id, int64_t session,
                              enum txn_status status, struct error *err)
{
    size_t t = b->txn_count;
    uint32_t number;

    assert(!b->in_table && !b->in_statement && status < TXN_STATUS_COUNT);
    if (b->order_count)
        return error_set(err, STATUS_BAD_INPUT, "version orders come after all transactions");
    TRY(note_id(b, id, err));
    TRY(number_session(b, session, &number, err));
    TRY(BUILDER_RESERVE(b, txn, 1, err));
    b->txn_id[t] = id;
    b->txn_session[t] = number;
    b->txn_status[t] = status;
    b->txn_op[t] = (uint32_t)b->op_count;
    b->txn_count++;
    b->op_is_careful = b->table_count > 0;
    return STATUS_OK;
}

size_t builder_txn_end(const struct builder *b, size_t txn)
{
    return txn + 1 < b->txn_count ? b->txn_op[txn + 1] : b->op_count;
}

static enum status check_times(int64_t invoked, int64_t completed, struct error *err)
{
    if (invoked == TIME_ABSENT || invoked == TIME_NEVER || completed == TIME_ABSENT)
        return error_set(err, STATUS_BAD_INPUT, "a time is out of range");
    if (completed < invoked)
        return error_set(err, STATUS_BAD_INPUT, "completed before it was invoked");
    return STATUS_OK;
}

enum status builder_set_txn_at(struct builder *b, int64_t invoked, int64_t completed,
                               struct error *err)
{
    assert(b->txn_count > 0);
    TRY(check_times(invoked, completed, err));
    if (!b->txn_completed) {
        TRY(open_column(b, COLUMN_txn_invoked, err));
        TRY(open_column(b, COLUMN_txn_completed, err));
    }
    b->txn_invoked[b->txn_count - 1] = invoked;
    b->txn_completed[b->txn_count - 1] = completed;
    return STATUS_OK;
}

static enum status check_op_times(const struct builder *b, size_t txn, struct error *err)
{
    int64_t last = b->txn_invoked ? b->txn_invoked[txn] : TIME_ABSENT;
    int64_t end = b->txn_invoked ? b->txn_completed[txn] : TIME_ABSENT;

    for (size_t op = b->txn_op[txn]; op < builder_txn_end(b, txn); op++)
        if (!history_times_follow(b->op_invoked[op], b->op_completed[op], &last, end))
            return error_set(err, STATUS_BAD_INPUT,
                             "an operation from %" PRId64 " to %" PRId64 " %s", b->op_invoked[op],
                             b->op_completed[op],
                             b->op_invoked[op] < last && (!b->txn_invoked || last > b->txn_invoked[txn])
                                 ? "was invoked before one that stands in front of it"
                                 : "does not lie within the times of its transaction");
    return STATUS_OK;
}

enum status builder_end_txn(const struct builder *b, struct error *err)
{
    assert(b->txn_count > 0 && !b->in_statement);
    return b->op_invoked ? check_op_times(b, b->txn_count - 1, err) : STATUS_OK;
}

static enum status check_all_op_times(const struct builder *b, struct error *err)
{
    for (size_t txn = 0; b->op_invoked && txn < b->txn_count; txn++)
        if (check_op_times(b, txn, err) != STATUS_OK)
            return error_wrap(err, "transaction %" PRId64, b->txn_id[txn]);
    return STATUS_OK;
}

/* `first` is the column of the first part: before it the number of parts, behind it the rest. */
static enum status set_place(struct builder *b, enum history_column first, size_t element,
                             struct place place, struct error *err)
{
    uint8_t *parts;

    assert(place.parts >= 1 && place.parts <= PLACE_PARTS_MAX);
    TRY(open_column(b, first - 1, err));
    parts = column_at(b, first - 1);
    parts[element] = (uint8_t)place.parts;
    for (unsigned i = 0; i < place.parts; i++) {
        int64_t *part;
        TRY(open_column(b, first + i, err));
        part = column_at(b, first + i);
        part[element] = place.part[i];
    }
    return STATUS_OK;
}

enum status builder_set_ts(struct builder *b, struct place place, struct error *err)
{
    assert(b->txn_count > 0);
    return set_place(b, COLUMN_txn_ts, b->txn_count - 1, place, err);
}

enum status builder_set_snapshot(struct builder *b, struct place place, struct error *err)
{
    assert(b->txn_count > 0);
    return set_place(b, COLUMN_txn_snapshot, b->txn_count - 1, place, err);
}

enum status builder_set_origin(struct builder *b, struct place origin, struct error *err)
{
    assert(b->txn_count > 0);
    assert(origin.parts >= 1 && origin.parts <= ORIGIN_PARTS_MAX);
    return set_place(b, COLUMN_txn_origin, b->txn_count - 1, origin, err);
}

static enum status refuse_value(enum op_kind kind, struct error *err)
{
    const char *why = "a write needs a value";

    if (kind == OP_APPEND)
        why = "an append takes an integer";
    if (kind == OP_REMOVE)
        why = "a delete takes no value";
    return error_set(err, STATUS_BAD_INPUT, "%s", why);
}

enum status builder_prepare_op(struct builder *b, enum op_kind kind, uint32_t key,
                               struct value value, struct error *err)
{
    assert(b->txn_count > 0 && !b->in_statement && b->order_count == 0);
    assert(kind <= OP_REMOVE && key < intern_count(&b->keys));
    if (!op_may_have_value(kind, value.kind))
        return refuse_value(kind, err);
    return builder_check_row_value(b, key, value, err);
}

enum status builder_grow_ops(struct builder *b, struct error *err)
{
    return builder_grow(b, GROUP_op, 1, err);
}

size_t builder_op_at_hand(const struct builder *b)
{
    size_t last = b->op_count - 1;

    assert(b->op_count > b->txn_op[b->txn_count - 1] && !b->in_statement);
    return op_is_row(b->op_kind[last]) ? b->statement_op[b->statement_count - 1] : last;
}

enum status builder_set_op_at(struct builder *b, int64_t invoked, int64_t completed,
                              struct error *err)
{
    size_t op = builder_op_at_hand(b);

    TRY(check_times(invoked, completed, err));
    if (!b->op_completed) {
        TRY(open_column(b, COLUMN_op_invoked, err));
        TRY(open_column(b, COLUMN_op_completed, err));
    }
    b->op_invoked[op] = invoked;
    b->op_completed[op] = completed;
    return STATUS_OK;
}

enum status builder_set_op_snapshot(struct builder *b, struct place place, struct error *err)
{
    return set_place(b, COLUMN_op_snapshot, builder_op_at_hand(b), place, err);
}

/* To the operation and, if it is a head, to its rows. */
static void add_flag(struct builder *b, enum op_flag flag)
{
    for (size_t op = builder_op_at_hand(b); op < b->op_count; op++)
        b->op_flags[op] |= flag;
}

void builder_set_op_lock(struct builder *b, enum op_flag flag)
{
    uint8_t kind = b->op_kind[builder_op_at_hand(b)];

    assert(flag == OP_LOCK_SHARE || flag == OP_LOCK_UPDATE);
    assert(kind == OP_READ || kind == OP_SELECT);
    add_flag(b, flag);
}

enum status builder_set_op_error(struct builder *b, struct text text, struct error *err)
{
    size_t op = builder_op_at_hand(b), n = b->refusal_count;
    uint32_t number;

    assert(!(b->op_flags[op] & OP_ERROR));
    TRY(builder_text(b, text, &number, err));
    TRY(BUILDER_RESERVE(b, refusal, 1, err));
    b->refusal_op[n] = (uint32_t)op;
    b->refusal_text[n] = number;
    b->refusal_count++;
    add_flag(b, OP_ERROR);
    return STATUS_OK;
}

/* The texts of an intern as columns: their ends with a zero before them, and their bytes. */
static enum status hand_over_texts(struct intern *intern, size_t *count, uint64_t **start,
                                   size_t *byte_count, char **bytes, struct error *err)
{
    TRY(memory_resize((void **)start, intern->end.count + 1, sizeof **start, err));
    (*start)[0] = 0;
    if (intern->end.count)
        memcpy(*start + 1, intern->end.at, intern->end.count * sizeof **start);
    *count = intern->end.count;
    *byte_count = intern->bytes.count;
    free(*bytes);
    *bytes = intern->bytes.at;
    intern->bytes.at = NULL;
    intern->bytes.count = intern->bytes.room = 0;
    return STATUS_OK;
}

/* The extra element of the columns that say where parts begin. */
static void end_parts(struct builder *b)
{
    b->txn_op[b->txn_count] = (uint32_t)b->op_count;
    b->set_start[b->set_count] = b->set_entry_count;
    b->statement_aggregate_start[b->statement_count] = (uint32_t)b->aggregate_count;
    b->list_start[b->list_count] = b->element_count;
    b->row_start[b->row_count] = b->cell_count;
    b->shape_start[b->shape_count] = (uint32_t)b->shape_column_count;
    b->table_column_start[b->table_count] = (uint32_t)b->table_column_count;
    b->table_key_start[b->table_count] = (uint32_t)b->table_key_count;
    b->order_start[b->order_count] = b->order_version_count;
}

/* One part beside every transaction is what no column says. */
static void drop_idle_parts(struct builder *b)
{
    if (!b->txn_ts_parts)
        return;
    for (size_t t = 0; t < b->txn_count; t++)
        if (b->txn_ts_parts[t] != 1)
            return;
    free(b->txn_ts_parts);
    b->txn_ts_parts = NULL;
}

/* An element of any group may be counted by nobody else: these must be the same. */
static enum status fit_columns(struct builder *b, struct error *err)
{
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++) {
        const struct history_form *form = &history_forms[c];
        if (!form->optional || column_at(b, c))
            TRY(resize_column(b, c, *group_count(b, form->group) + form->extra, err));
    }
    end_parts(b);
    TRY(hand_over_texts(&b->keys, &b->key_count, &b->key_start, &b->key_byte_count,
                        &b->key_bytes, err));
    TRY(hand_over_texts(&b->texts, &b->text_count, &b->text_start, &b->text_byte_count,
                        &b->text_bytes, err));
    if (!b->key_bytes)
        TRY(resize_column(b, COLUMN_key_bytes, 0, err));
    if (!b->text_bytes)
        TRY(resize_column(b, COLUMN_text_bytes, 0, err));
    return STATUS_OK;
}

static enum status finish(struct builder *b, struct history *h, struct error *err)
{
    TRY(check_all_op_times(b, err));
    if (b->order_count > 0)
        TRY(builder_end_order(b, err));
    TRY(builder_check_keys(b, err));
    TRY(builder_resolve_sets(b, err));
    drop_idle_parts(b);
    TRY(fit_columns(b, err));
    h->memory = calloc(1, sizeof *h->memory);
    if (!h->memory)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a history");
    for (enum history_group g = 0; g < GROUP_COUNT; g++)
        history_set_group_count(h, g, *group_count(b, g));
    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++) {
        h->memory->columns[c] = column_at(b, c);
        history_set_column(h, c, column_at(b, c));
        set_column(b, c, NULL);
    }
    h->workload = b->workload;
    h->producer = b->producer;
    h->unique = b->unique;
    return history_derive(h, err);
}

enum status builder_finish(struct builder *b, struct history *h, struct error *err)
{
    enum status status;

    assert(!b->in_table && !b->in_statement);
    *h = (struct history){ 0 };
    status = finish(b, h, err);
    builder_close(b);
    if (status != STATUS_OK)
        history_close(h);
    return status;
}
