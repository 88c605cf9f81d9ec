#include "store/coordinator/client_request.h"

#include <assert.h>
#include <inttypes.h>

/* --- Pieces ----------------------------------------------------------------------------------- */

/* A number that has a largest value: more than that is no number of ours. */
static uint64_t get_at_most(struct wire_reader *r, uint64_t most)
{
    uint64_t number = wire_get_number(r);

    if (number <= most)
        return number;
    r->bad = true;
    return 0;
}

static void *take_array(struct arena *scratch, uint32_t count, size_t size)
{
    void *array;

    if (count == 0)
        return NULL;
    array = arena_push(scratch, count, size);
    assert(array); /* the scratch is as large as any event needs */
    return array;
}

/* --- Requests --------------------------------------------------------------------------------- */

enum read_flag {
    READ_FOR_WRITE = 1,
    READ_FIRST_TABLE = 2,
    READ_BY_SCOPE = 4,
};

static void put_read(struct wire_writer *w, const struct client_request *request)
{
    bool by_scope = request->scope != SCOPE_NONE;

    wire_put_byte(w, (uint8_t)((request->for_write ? READ_FOR_WRITE : 0) |
                               (request->first_table ? READ_FIRST_TABLE : 0) |
                               (by_scope ? READ_BY_SCOPE : 0)));
    wire_put_byte(w, (uint8_t)request->lock);
    if (by_scope) {
        wire_put_number(w, request->scope);
        return;
    }
    wire_put_number(w, request->key_count);
    for (uint32_t i = 0; i < request->key_count; i++)
        wire_put_number(w, request->keys[i]);
}

static void get_read(struct wire_reader *r, struct client_request *request, struct arena *scratch)
{
    unsigned flags = (unsigned)get_at_most(r, 7);
    uint32_t *keys;

    request->for_write = flags & READ_FOR_WRITE;
    request->first_table = flags & READ_FIRST_TABLE;
    request->lock = (enum row_lock)get_at_most(r, ROW_LOCK_UPDATE);
    request->scope = SCOPE_NONE;
    if (flags & READ_BY_SCOPE) {
        request->scope = (uint32_t)get_at_most(r, SCOPE_NONE - 1);
        return;
    }
    request->key_count = wire_get_count(r);
    request->keys = keys = take_array(scratch, request->key_count, sizeof *keys);
    for (uint32_t i = 0; i < request->key_count; i++)
        keys[i] = (uint32_t)get_at_most(r, UINT32_MAX);
}

static void put_write(struct wire_writer *w, const struct client_request *request)
{
    wire_put_number(w, request->change_count);
    for (uint32_t i = 0; i < request->change_count; i++) {
        const struct row_change *change = &request->changes[i];
        wire_put_number(w, change->key);
        wire_put_byte(w, change->is_removed);
        if (!change->is_removed)
            wire_put_text(w, change->row);
    }
}

static void get_write(struct wire_reader *r, struct client_request *request, struct arena *scratch)
{
    struct row_change *changes;

    request->change_count = wire_get_count(r);
    request->changes = changes = take_array(scratch, request->change_count, sizeof *changes);
    for (uint32_t i = 0; i < request->change_count; i++) {
        changes[i].key = (uint32_t)get_at_most(r, UINT32_MAX);
        changes[i].is_removed = get_at_most(r, 1);
        if (!changes[i].is_removed)
            changes[i].row = wire_get_text(r);
    }
}

void client_request_put(struct wire_writer *w, const struct client_request *request)
{
    wire_put_byte(w, (uint8_t)((unsigned)request->kind << 1 | request->is_repeat));
    wire_put_number(w, request->txn);
    wire_put_number(w, request->number);
    wire_put_stamp(w, request->seen);
    wire_put_text(w, request->session);
    if (request->kind == CLIENT_READ)
        put_read(w, request);
    else if (request->kind == CLIENT_WRITE)
        put_write(w, request);
}

bool client_request_get(struct wire_reader *r, struct client_request *request,
                        struct arena *scratch)
{
    unsigned head = (unsigned)get_at_most(r, CLIENT_REQUEST_KIND_COUNT * 2 - 1);

    *request = (struct client_request){ .kind = (enum client_request_kind)(head >> 1),
                                        .is_repeat = head & 1,
                                        .scope = SCOPE_NONE };
    request->txn = wire_get_number(r);
    request->number = (uint32_t)get_at_most(r, UINT32_MAX);
    request->seen = wire_get_stamp(r);
    request->session = wire_get_text(r);
    if (request->kind == CLIENT_READ)
        get_read(r, request, scratch);
    else if (request->kind == CLIENT_WRITE)
        get_write(r, request, scratch);
    return wire_reader_is_done(r);
}

void client_request_describe(const struct client_request *request, struct buffer *to)
{
    static const char *const names[CLIENT_REQUEST_KIND_COUNT] = {
        [CLIENT_READ] = "read",
        [CLIENT_WRITE] = "write",
        [CLIENT_COMMIT] = "commit",
        [CLIENT_ABORT] = "abort",
    };

    buffer_print(to, "%s T%" PRIu64 ".%" PRIu32, names[request->kind], request->txn,
                 request->number);
    if (request->is_repeat)
        buffer_text(to, TEXT(" again"));
    if (request->kind == CLIENT_READ && request->scope != SCOPE_NONE)
        buffer_print(to, " scope %" PRIu32, request->scope);
    for (uint32_t i = 0; i < request->key_count; i++)
        buffer_print(to, " k%" PRIu32, request->keys[i]);
    for (uint32_t i = 0; i < request->change_count; i++)
        buffer_print(to, " %sk%" PRIu32, request->changes[i].is_removed ? "-" : "",
                     request->changes[i].key);
}

/* --- Replies ---------------------------------------------------------------------------------- */

static void put_rows(struct wire_writer *w, const struct client_reply *reply)
{
    wire_put_number(w, reply->row_count);
    for (uint32_t i = 0; i < reply->row_count; i++) {
        const struct read_row *row = &reply->rows[i];
        wire_put_number(w, row->key);
        wire_put_stamp(w, row->at);
        wire_put_number(w, row->writer);
        wire_put_byte(w, row->is_row);
        if (row->is_row)
            wire_put_text(w, row->row);
    }
}

static void get_rows(struct wire_reader *r, struct client_reply *reply, struct arena *scratch)
{
    struct read_row *rows;

    reply->row_count = wire_get_count(r);
    reply->rows = rows = take_array(scratch, reply->row_count, sizeof *rows);
    for (uint32_t i = 0; i < reply->row_count; i++) {
        rows[i].key = (uint32_t)get_at_most(r, UINT32_MAX);
        rows[i].at = wire_get_stamp(r);
        rows[i].writer = wire_get_number(r);
        rows[i].is_row = get_at_most(r, 1);
        if (rows[i].is_row)
            rows[i].row = wire_get_text(r);
    }
}

static void put_seen(struct wire_writer *w, const struct client_reply *reply)
{
    wire_put_number(w, reply->seen_count);
    for (uint32_t i = 0; i < reply->seen_count; i++) {
        wire_put_number(w, reply->seen[i].key);
        wire_put_stamp(w, reply->seen[i].at);
        wire_put_number(w, reply->seen[i].writer);
    }
}

static void get_seen(struct wire_reader *r, struct client_reply *reply, struct arena *scratch)
{
    struct seen_key *seen;

    reply->seen_count = wire_get_count(r);
    reply->seen = seen = take_array(scratch, reply->seen_count, sizeof *seen);
    for (uint32_t i = 0; i < reply->seen_count; i++) {
        seen[i].key = (uint32_t)get_at_most(r, UINT32_MAX);
        seen[i].at = wire_get_stamp(r);
        seen[i].writer = wire_get_number(r);
    }
}

void client_reply_put(struct wire_writer *w, const struct client_reply *reply)
{
    wire_put_byte(w, (uint8_t)reply->kind);
    wire_put_number(w, reply->txn);
    wire_put_number(w, reply->number);
    if (reply->kind != REPLY_DONE) {
        wire_put_byte(w, (uint8_t)reply->refusal);
        return;
    }
    wire_put_stamp(w, reply->at);
    put_rows(w, reply);
    put_seen(w, reply);
    wire_put_text(w, reply->session);
}

bool client_reply_get(struct wire_reader *r, struct client_reply *reply, struct arena *scratch)
{
    *reply = (struct client_reply){ .kind = (enum client_reply_kind)get_at_most(
                                        r, CLIENT_REPLY_KIND_COUNT - 1) };
    reply->txn = wire_get_number(r);
    reply->number = (uint32_t)get_at_most(r, UINT32_MAX);
    if (reply->kind != REPLY_DONE) {
        reply->refusal = (enum refusal)get_at_most(r, REFUSAL_COUNT - 1);
        return wire_reader_is_done(r);
    }
    reply->at = wire_get_stamp(r);
    get_rows(r, reply, scratch);
    get_seen(r, reply, scratch);
    reply->session = wire_get_text(r);
    return wire_reader_is_done(r);
}

void client_reply_describe(const struct client_reply *reply, struct buffer *to)
{
    static const char *const names[CLIENT_REPLY_KIND_COUNT] = {
        [REPLY_DONE] = "done",
        [REPLY_ABORTED] = "aborted",
        [REPLY_GONE] = "gone",
        [REPLY_UNKNOWN] = "unknown",
    };

    buffer_print(to, "%s T%" PRIu64 ".%" PRIu32, names[reply->kind], reply->txn, reply->number);
    if (reply->kind == REPLY_ABORTED)
        buffer_print(to, ": %s", shard_refusal_name(reply->refusal));
    if (reply->row_count > 0)
        buffer_print(to, " %" PRIu32 " row%s", reply->row_count, reply->row_count == 1 ? "" : "s");
}
