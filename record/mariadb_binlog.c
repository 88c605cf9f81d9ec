#include "record/mariadb_binlog_private.h"

#include <inttypes.h>

#define MAGIC                                                                                      \
    TEXT("\xfe"                                                                                    \
         "bin")
#define HEADER_SIZE 19
#define CHECKSUM_SIZE 4

enum binlog_event {
    EVENT_QUERY = 2,
    EVENT_FORMAT = 15,
    EVENT_XID = 16,
    EVENT_TABLE_MAP = 19,
    EVENT_WRITE_ROWS = 23,
    EVENT_UPDATE_ROWS = 24,
    EVENT_DELETE_ROWS = 25,
    EVENT_GTID = 162,
    EVENT_COMPRESSED_FIRST = 165, /* of queries and rows */
    EVENT_COMPRESSED_LAST = 171,
};

enum binlog_type { TYPE_BIGINT = 8, TYPE_TEXT = 252 };

#define COLUMNS_MAX 3

struct binlog_reader {
    const struct mariadb_binlog *log;
    struct recovered_order *order;
    uint64_t at;           /* of the event that is read */
    unsigned checksum;     /* bytes at the end of each */
    bool is_open;          /* between a GTID and its end */
    uint64_t xid;          /* of the GTID */
    uint64_t first_change; /* of the transaction */
    uint64_t table_id;     /* of the table that was mapped last, */
    bool is_ours;          /* if it is ours, */
    unsigned column_count; /* and its columns */
    uint8_t types[COLUMNS_MAX], length_sizes[COLUMNS_MAX];
};

static enum status refuse(const struct binlog_reader *r, const char *what, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "the binary log %06" PRIu64 " at %" PRIu64 ": %s is not understood",
                     r->log->file, r->at, what);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* A number, the lowest byte first; it must be there. */
static bool take_number(struct text *bytes, unsigned size, uint64_t *number)
{
    *number = 0;
    if (bytes->length < size)
        return false;
    for (unsigned i = size; i-- > 0;)
        *number = *number << 8 | (unsigned char)bytes->at[i];
    bytes->at += size;
    bytes->length -= size;
    return true;
}

static bool take_bytes(struct text *bytes, uint64_t count, struct text *taken)
{
    if (bytes->length < count)
        return false;
    *taken = (struct text){ bytes->at, (size_t)count };
    bytes->at += count;
    bytes->length -= (size_t)count;
    return true;
}

/* A name with its length before it and a zero behind it. */
static bool take_name(struct text *bytes, struct text *name)
{
    uint64_t length, zero;

    return take_number(bytes, 1, &length) && take_bytes(bytes, length, name) &&
           take_number(bytes, 1, &zero);
}

static bool bit(struct text bits, unsigned number)
{
    return (unsigned char)bits.at[number / 8] >> number % 8 & 1;
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Numbers below 251 are one byte, and no table of ours has that many columns. */
static enum status map_table(struct binlog_reader *r, struct text body, struct error *err)
{
    struct text schema, name, kinds, metadata;
    uint64_t flags, count, size;

    if (!take_number(&body, 6, &r->table_id) || !take_number(&body, 2, &flags) ||
        !take_name(&body, &schema) || !take_name(&body, &name))
        return refuse(r, "a table", err);
    r->is_ours = text_equal(name, text_of(r->log->table->name));
    if (!r->is_ours)
        return STATUS_OK;
    if (!take_number(&body, 1, &count) || count < 2 || count > COLUMNS_MAX ||
        !take_bytes(&body, count, &kinds) || !take_number(&body, 1, &size) ||
        !take_bytes(&body, size, &metadata))
        return refuse(r, "a table", err);
    r->column_count = (unsigned)count;
    for (unsigned i = 0; i < r->column_count; i++) {
        r->types[i] = (uint8_t)kinds.at[i];
        r->length_sizes[i] = 0;
        if (r->types[i] == TYPE_TEXT && metadata.length > 0) {
            r->length_sizes[i] = (uint8_t)metadata.at[0];
            metadata.at++, metadata.length--;
        }
        if (r->types[i] == TYPE_TEXT ? r->length_sizes[i] < 1 || r->length_sizes[i] > 4
                                     : r->types[i] != TYPE_BIGINT)
            return refuse(r, "a column's type", err);
    }
    return STATUS_OK;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static int64_t last_element(struct text list)
{
    int64_t value = 0; /* of an empty list, which nobody appended to */

    (void)text_to_int64(text_behind_last(list, ','), &value);
    return value;
}

/* Key and value are its first two columns. Every column is there: the image is the full one. */
static bool take_row(const struct binlog_reader *r, struct text *bytes,
                     struct recovered_change *change)
{
    struct text nulls;

    if (!take_bytes(bytes, (r->column_count + 7) / 8, &nulls))
        return false;
    for (unsigned i = 0; i < r->column_count; i++) {
        uint64_t number;
        struct text list;

        if (bit(nulls, i))
            return false;
        if (r->types[i] == TYPE_BIGINT) {
            if (!take_number(bytes, 8, &number))
                return false;
        } else {
            if (!take_number(bytes, r->length_sizes[i], &number) ||
                !take_bytes(bytes, number, &list))
                return false;
            number = (uint64_t)last_element(list);
        }
        if (i == 0)
            change->key = number;
        else if (i == 1)
            change->value = (int64_t)number;
    }
    return true;
}

static bool take_columns(const struct binlog_reader *r, struct text *body)
{
    struct text bits;

    if (!take_bytes(body, (r->column_count + 7) / 8, &bits))
        return false;
    for (unsigned i = 0; i < r->column_count; i++)
        if (!bit(bits, i))
            return false;
    return true;
}

static enum status take_changes(struct binlog_reader *r, enum binlog_event kind, struct text body,
                                struct error *err)
{
    uint64_t table_id, flags, width;

    if (!r->is_open || !take_number(&body, 6, &table_id) || !take_number(&body, 2, &flags) ||
        !take_number(&body, 1, &width))
        return refuse(r, "an event of rows", err);
    if (!r->is_ours)
        return STATUS_OK;
    if (table_id != r->table_id || width != r->column_count || !take_columns(r, &body) ||
        (kind == EVENT_UPDATE_ROWS && !take_columns(r, &body)))
        return refuse(r, "an event of rows (is binlog_row_image FULL?)", err);
    while (body.length > 0) {
        struct recovered_change change = { .kind = kind == EVENT_DELETE_ROWS ? RECOVERED_REMOVAL
                                                                             : RECOVERED_ROW };

        if (!take_row(r, &body, &change) ||
            (kind == EVENT_UPDATE_ROWS && !take_row(r, &body, &change)))
            return refuse(r, "a row", err);
        TRY(array_push(&r->order->changes, change, err));
    }
    return STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------------------- */

static enum status begin(struct binlog_reader *r, struct text body, struct error *err)
{
    r->order->changes.count = r->is_open ? r->first_change : r->order->changes.count;
    r->first_change = r->order->changes.count;
    r->is_open = true;
    r->is_ours = false;
    return take_number(&body, 8, &r->xid) ? STATUS_OK : refuse(r, "a GTID", err);
}

/* `end` is the position behind its last event. */
static enum status commit(struct binlog_reader *r, uint64_t end, struct error *err)
{
    struct recovered_commit made = { .xid = r->xid,
                                     .place = r->log->by_place
                                                  ? mariadb_binlog_place(r->log->file, end)
                                                  : r->xid,
                                     .first = r->first_change,
                                     .count = r->order->changes.count - r->first_change };

    if (!r->is_open)
        return refuse(r, "a commit of no transaction", err);
    r->is_open = false;
    return array_push(&r->order->commits, made, err);
}

/* Of statements, only those that are no transactions of rows are here: they make tables. */
static void end_without_rows(struct binlog_reader *r)
{
    if (r->order->changes.count == r->first_change)
        r->is_open = false;
}

static enum status take_event(struct binlog_reader *r, unsigned kind, struct text body,
                              uint64_t end, struct error *err)
{
    switch (kind) {
    case EVENT_FORMAT:
        if (body.length <= CHECKSUM_SIZE)
            return refuse(r, "its format", err);
        r->checksum = body.at[body.length - CHECKSUM_SIZE - 1] == 1 ? CHECKSUM_SIZE : 0;
        return STATUS_OK;
    case EVENT_GTID:
        return begin(r, body, err);
    case EVENT_TABLE_MAP:
        return map_table(r, body, err);
    case EVENT_WRITE_ROWS:
    case EVENT_UPDATE_ROWS:
    case EVENT_DELETE_ROWS:
        return take_changes(r, (enum binlog_event)kind, body, err);
    case EVENT_XID:
        return commit(r, end, err);
    case EVENT_QUERY:
        end_without_rows(r);
        return STATUS_OK;
    default:
        if (kind >= EVENT_COMPRESSED_FIRST && kind <= EVENT_COMPRESSED_LAST)
            return refuse(r, "a compressed event", err);
        return STATUS_OK;
    }
}

/* What is cut off at the end was being written when the server ended. */
static enum status take_events(struct binlog_reader *r, struct error *err)
{
    struct text rest = r->log->bytes, magic;

    if (!take_bytes(&rest, MAGIC.length, &magic) || !text_equal(magic, MAGIC))
        return refuse(r, "its beginning", err);
    while (rest.length >= HEADER_SIZE) {
        struct text header = rest, event;
        uint64_t time, kind, server, length, end;

        r->at = (uint64_t)(rest.at - r->log->bytes.at);
        if (!take_number(&header, 4, &time) || !take_number(&header, 1, &kind) ||
            !take_number(&header, 4, &server) || !take_number(&header, 4, &length) ||
            !take_number(&header, 4, &end) || length < HEADER_SIZE + r->checksum)
            return refuse(r, "an event", err);
        if (!take_bytes(&rest, length, &event))
            break;
        event.at += HEADER_SIZE;
        event.length -= HEADER_SIZE + (kind == EVENT_FORMAT ? 0 : r->checksum);
        TRY(take_event(r, (unsigned)kind, event, r->at + length, err));
    }
    if (r->is_open)
        r->order->changes.count = r->first_change;
    return STATUS_OK;
}

enum status mariadb_binlog_read(const struct mariadb_binlog *log, struct recovered_order *order,
                                struct error *err)
{
    struct binlog_reader reader = { .log = log, .order = order };

    return take_events(&reader, err);
}
