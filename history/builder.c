#include "history/builder.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "history/builder_private.h"
#include "history/builder_tables_private.h"

/*
 * The names of versions, and what they name.
 *
 * Writes are put in order of their keys once, when the first name is asked for:
 *
 *     key_writes   [ 0, 3, 5 ]            writes of key k are key_writes[k] .. key_writes[k+1]
 *     writes       [ t1 t4 t9 | t2 t4 ]   transaction and operation, both rising
 *
 * A version order names a key's writers about as they stand there, so each is
 * looked for from where the last was found, further and further on, or back: no
 * step of a usual order waits for memory.
 */

static bool find_txn(const struct builder *b, int64_t id, uint32_t *txn)
{
    size_t low = 0, high = b->txn_count; /* it stands at low or later, and before high */
    uint64_t place;

    if (!b->ids_rise) {
        bool found = map_find(&b->txns, (uint64_t)id, &place);
        *txn = found ? (uint32_t)place : 0;
        return found;
    }
    *txn = 0;
    if (high == 0 || id < b->txn_id[0] || id > b->txn_id[high - 1])
        return false;
    place = (uint64_t)id - (uint64_t)b->txn_id[0];
    /* Rising ids that span no more than their count have no gaps, as is the rule. */
    if ((uint64_t)b->txn_id[high - 1] - (uint64_t)b->txn_id[0] == high - 1) {
        *txn = (uint32_t)place;
        return true;
    }
    BISECT(low, 0, high, b->txn_id[low] < id);
    *txn = (uint32_t)low;
    return low < high && b->txn_id[low] == id;
}

/* What a version name can name: a write that was not refused. */
static bool makes_version(const struct builder *b, size_t op)
{
    return op_is_write(b->op_kind[op]) && !(b->op_flags[op] & OP_ERROR);
}

static enum status index_writes(struct builder *b, struct error *err)
{
    size_t key_count = intern_count(&b->keys), count = 0;
    uint64_t *from;

    TRY(array_reserve(&b->key_writes, key_count + 2, err));
    from = b->key_writes.at;
    memset(from, 0, (key_count + 2) * sizeof *from);
    b->key_writes.count = key_count + 1;
    /* Counted two places on, so that filling moves each start to where it belongs. */
    for (size_t op = 0; op < b->op_count; op++) {
        bool is_counted = makes_version(b, op);
        from[is_counted ? (size_t)b->op_key[op] + 2 : 0] += is_counted;
        count += is_counted;
    }
    array_sum_prefixes(from + 1, key_count);
    TRY(array_reserve(&b->writes, count, err));
    TRY(array_reserve(&b->listed, count + 1, err));
    memset(b->listed.at, 0, count);
    b->writes.count = b->listed.count = count;
    for (size_t txn = 0; txn < b->txn_count; txn++)
        for (size_t op = b->txn_op[txn], to = builder_txn_end(b, txn); op < to; op++)
            if (makes_version(b, op))
                b->writes.at[from[(size_t)b->op_key[op] + 1]++] =
                    (struct builder_write){ (uint32_t)txn, (uint32_t)op };
    return STATUS_OK;
}

/* The writes of a key; those of later keys are none. */
static void writes_of_key(const struct builder *b, uint32_t key, size_t *from, size_t *to)
{
    bool is_known = (size_t)key + 1 < b->key_writes.count;

    *from = is_known ? (size_t)b->key_writes.at[key] : 0;
    *to = is_known ? (size_t)b->key_writes.at[key + 1] : 0;
}

/* The first write in [from, to) of this transaction or a later one, by bisection. */
static size_t bisect_writes(const struct builder *b, size_t from, size_t to, uint64_t txn)
{
    BISECT(from, from, to, b->writes.at[from].txn < txn);
    return from;
}

/* The same, looked for from `from` on. */
static size_t first_write_from(const struct builder *b, size_t from, size_t to, uint64_t txn)
{
    size_t step = 1;

    while (from + step < to && b->writes.at[from + step - 1].txn < txn) {
        from += step;
        step *= 2;
    }
    return bisect_writes(b, from, from + step < to ? from + step : to, txn);
}

/* The same, looked for from `to` back. */
static size_t first_write_before(const struct builder *b, size_t from, size_t to, uint64_t txn)
{
    size_t step = 1;

    while (from + step < to && b->writes.at[to - step].txn >= txn) {
        to -= step;
        step *= 2;
    }
    return bisect_writes(b, from + step < to ? to - step : from, to, txn);
}

static enum status refuse_name(const struct builder *b, uint32_t key,
                               const struct version_name *name, struct error *err)
{
    struct text key_text = intern_text(&b->keys, key);

    if (name->nth == 0)
        return error_set(err, STATUS_BAD_INPUT, "transaction %" PRId64 " does not write key %.*s",
                         name->txn_id, TEXT_PRINT(key_text));
    return error_set(err, STATUS_BAD_INPUT,
                     "transaction %" PRId64 " has no write number %" PRIu32 " of key %.*s",
                     name->txn_id, name->nth, TEXT_PRINT(key_text));
}

/*
 * The place in `writes` of what the name names, which is not the initial version.
 * It is likely to be at or soon after `hint`, a place of the same key or its end.
 */
static enum status find_write(const struct builder *b, uint32_t key,
                              const struct version_name *name, size_t hint, size_t *place,
                              struct error *err)
{
    size_t from, to, first, last;
    uint32_t txn;

    if (!find_txn(b, name->txn_id, &txn))
        return error_set(err, STATUS_BAD_INPUT, "no transaction %" PRId64, name->txn_id);
    writes_of_key(b, key, &from, &to);
    if (hint > from && hint <= to && b->writes.at[hint - 1].txn >= txn)
        first = first_write_before(b, from, hint - 1, txn);
    else
        first = first_write_from(b, hint > from && hint <= to ? hint : from, to, txn);
    last = first_write_from(b, first, to, (uint64_t)txn + 1);
    if (first == last || name->nth > last - first)
        return refuse_name(b, key, name, err);
    *place = name->nth == 0 ? last - 1 : first + name->nth - 1;
    return STATUS_OK;
}

/* Whether the operation at hand has a set already. */
static bool has_set(const struct builder *b)
{
    return b->set_count > 0 && b->set_op[b->set_count - 1] == builder_op_at_hand(b);
}

enum status builder_begin_set(struct builder *b, struct error *err)
{
    size_t n = b->set_count;

    assert(!has_set(b));
    TRY(BUILDER_RESERVE(b, set, 1, err));
    TRY(array_push(&b->set_lines, b->line, err));
    b->set_op[n] = (uint32_t)builder_op_at_hand(b);
    b->set_start[n] = b->set_entry_count;
    b->set_count++;
    return STATUS_OK;
}

enum status builder_add_set_entry(struct builder *b, uint32_t key, struct version_name name,
                                  struct error *err)
{
    assert(key < intern_count(&b->keys));
    TRY(builder_know_key(b, key, err));
    if (!has_set(b))
        TRY(builder_begin_set(b, err));
    TRY(BUILDER_RESERVE(b, set_entry, 1, err));
    TRY(array_push(&b->set_names, name, err));
    b->set_key[b->set_entry_count++] = key;
    return STATUS_OK;
}

static enum status resolve_set(struct builder *b, size_t set, uint32_t *key_sets,
                               struct error *err)
{
    uint64_t from = b->set_start[set];
    uint64_t to = set + 1 < b->set_count ? b->set_start[set + 1] : b->set_entry_count;

    for (uint64_t i = from; i < to; i++) {
        const struct version_name *name = &b->set_names.at[i];
        uint32_t key = b->set_key[i];
        size_t place;

        if (key_sets[key] == set + 1)
            return error_set(err, STATUS_BAD_INPUT, "key %.*s is twice in a version set",
                             TEXT_PRINT(intern_text(&b->keys, key)));
        key_sets[key] = (uint32_t)set + 1;
        b->set_version[i] = VERSION_INITIAL;
        if (name->is_initial)
            continue;
        TRY(find_write(b, key, name, 0, &place, err));
        b->set_version[i] = b->writes.at[place].op;
    }
    return STATUS_OK;
}

/* Numbers for version names that had to wait. */
static enum status builder_resolve_sets(struct builder *b, struct error *err)
{
    enum status status = STATUS_OK;
    uint32_t *key_sets; /* by key, the last set that has it, plus one */

    if (b->set_entry_count == 0)
        return STATUS_OK;
    TRY(index_writes(b, err));
    key_sets = calloc(intern_count(&b->keys), sizeof *key_sets);
    if (!key_sets)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to resolve version sets");
    for (size_t set = 0; set < b->set_count && status == STATUS_OK; set++) {
        status = resolve_set(b, set, key_sets, err);
        if (status != STATUS_OK)
            err->line = b->set_lines.at[set];
    }
    free(key_sets);
    return status;
}

/* Who has a version listed has the last one listed. */
enum status builder_end_order(const struct builder *b, struct error *err)
{
    uint32_t key = b->order_key[b->order_count - 1];
    bool last_is_listed = false;
    size_t from, to;

    writes_of_key(b, key, &from, &to);
    for (size_t i = to; i-- > from;) {
        uint32_t txn = b->writes.at[i].txn;

        if (i + 1 == to || b->writes.at[i + 1].txn != txn)
            last_is_listed = b->listed.at[i];
        else if (b->listed.at[i] && !last_is_listed)
            return error_set(err, STATUS_BAD_INPUT,
                             "a version of transaction %" PRId64
                             " is listed that it overwrote itself, and its last one is not",
                             b->txn_id[txn]);
    }
    return STATUS_OK;
}

enum status builder_begin_order(struct builder *b, uint32_t key, struct error *err)
{
    size_t n = b->order_count, to;

    assert(!b->in_statement);
    if (n == 0)
        TRY(index_writes(b, err));
    else
        TRY(builder_end_order(b, err));
    TRY(builder_know_key(b, key, err));
    TRY(builder_mark_key(b, key, KEY_HAS_ORDER, "a version order", err));
    TRY(BUILDER_RESERVE(b, order, 1, err));
    b->order_key[n] = key;
    b->order_start[n] = b->order_version_count;
    b->order_count++;
    writes_of_key(b, key, &b->order_hint, &to);
    b->op_is_careful = true;
    return STATUS_OK;
}

enum status builder_add_version(struct builder *b, struct version_name name, struct error *err)
{
    uint32_t key;
    size_t place;

    assert(b->order_count > 0);
    key = b->order_key[b->order_count - 1];
    if (name.is_initial)
        return error_set(err, STATUS_BAD_INPUT,
                         "the initial version comes first of itself: it is not listed");
    TRY(find_write(b, key, &name, b->order_hint, &place, err));
    if (b->txn_status[b->writes.at[place].txn] == TXN_ABORT)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " aborted: version orders list committed writers",
                         name.txn_id);
    if (b->listed.at[place])
        return error_set(err, STATUS_BAD_INPUT,
                         "a version of transaction %" PRId64 " is twice in the order of key %.*s",
                         name.txn_id, TEXT_PRINT(intern_text(&b->keys, key)));
    b->listed.at[place] = 1;
    b->order_hint = place + 1;
    TRY(BUILDER_RESERVE(b, order_version, 1, err));
    b->order_version[b->order_version_count++] = b->writes.at[place].op;
    return STATUS_OK;
}

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
