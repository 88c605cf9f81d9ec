/*
 * How requests of machines are taken down: see driver_program.h.
 */
#include "store/clients/driver_program_private.h"

static bool is_to_be_written(enum read_purpose purpose)
{
    return purpose == READ_UPDATE || purpose == READ_DELETE;
}

static enum op_kind statement_of(enum read_purpose purpose)
{
    return purpose == READ_UPDATE ? OP_UPDATE : purpose == READ_DELETE ? OP_DELETE : OP_SELECT;
}

static void record_keys(const struct program_client *client, const struct driver_answer *answer,
                        const struct record_op *op)
{
    record_read_keys(answer->record, answer->txn, op, client->keys.at, client->keys.count,
                     answer->rows, answer->row_count);
}

/* Its own copy of the rows, each once: the answer will be gone when they are written. */
static void keep_half(struct driver_program *d, struct program_client *client,
                      const struct driver_answer *answer, const struct record_op *op)
{
    key_marks_begin(&d->marks);
    changes_clear(&client->matched);
    for (uint32_t i = 0; i < answer->row_count; i++)
        if (key_marks_add(&d->marks, &d->pool, answer->rows[i].key))
            changes_add_bytes(&client->matched, answer->rows[i].key, answer->rows[i].row);
    changes_seal(&client->matched);
    kept_op_keep(&client->half, &d->pool, op);
    client->half_scope = client->scope;
    client->half_table = client->request->table;
    client->is_half_done = true;
}

static void record_rows(struct driver_program *d, const struct program_client *client,
                        const struct driver_answer *answer, const struct record_op *op,
                        enum op_kind kind)
{
    static const struct row_change none;
    struct row_change *rows;
    struct sql_error err;
    void *at;

    if (heap_push(&d->heap, answer->row_count * sizeof *rows, &at, &err) != STATUS_OK) {
        d->is_short = true;
        return;
    }
    rows = at;
    for (uint32_t i = 0; i < answer->row_count; i++) {
        rows[i] = none;
        rows[i].key = answer->rows[i].key;
        rows[i].row = answer->rows[i].row;
    }
    record_statement(answer->record, answer->txn, op, kind, client->request->table, client->scope,
                     rows, answer->row_count);
}

void program_record_read(struct driver_program *d, struct program_client *client,
                         const struct driver_answer *answer)
{
    enum read_purpose purpose = client->request->purpose;
    struct record_op op = answer->op;

    op.lock = client->request->lock;
    /* What was matched stands before what was read after it, as it was invoked before. */
    program_record_half(client, answer);
    if (client->scope == SCOPE_NONE)
        record_keys(client, answer, &op);
    else if (is_to_be_written(purpose) && answer->row_count > 0)
        keep_half(d, client, answer, &op);
    else
        record_rows(d, client, answer, &op, statement_of(purpose));
}

void program_record_half(struct program_client *client, const struct driver_answer *answer)
{
    struct record_op op = kept_op_end(&client->half, client->half.op.completed_ns);

    if (!client->is_half_done)
        return;
    record_statement(answer->record, answer->txn, &op, OP_SELECT, client->half_table,
                     client->half_scope, client->matched.list.at, client->matched.list.count);
    client->is_half_done = false;
}

void program_record_unread(struct driver_program *d, struct program_client *client,
                           const struct driver_answer *answer)
{
    struct record_op op = { .invoked_ns = answer->op.invoked_ns, .completed_ns = TIME_NEVER };
    struct driver_answer nothing = { .record = answer->record, .txn = answer->txn };

    op.lock = client->request->lock;
    if (client->scope == SCOPE_NONE)
        record_keys(client, &nothing, &op);
    else
        record_rows(d, client, &nothing, &op, statement_of(client->request->purpose));
}

/* Whether exactly the rows that were matched are written, each where it was. */
static bool writes_what_matched(const struct program_client *client)
{
    const struct request *r = client->request;

    if (r->write_count != client->matched.list.count)
        return false;
    for (uint32_t i = 0; i < r->write_count; i++)
        if (r->writes[i].is_insert || r->writes[i].is_removed != (r->statement == QUERY_DELETE) ||
            client->changes.list.at[i].key != client->matched.list.at[i].key)
            return false;
    return true;
}

/* Rows that are inserted one after another are one statement; all others are items. */
static void record_writes(const struct program_client *client, const struct driver_answer *answer,
                          const struct record_op *op)
{
    const struct request *r = client->request;
    const struct row_change *changes = client->changes.list.at;

    for (uint32_t i = 0, end; i < r->write_count; i = end) {
        for (end = i; end < r->write_count && r->writes[end].is_insert; end++)
            ;
        if (end > i) {
            record_statement(answer->record, answer->txn, op, OP_INSERT, r->table, SCOPE_NONE,
                             changes + i, end - i);
            continue;
        }
        end = i + 1;
        if (changes[i].is_removed)
            record_remove(answer->record, answer->txn, op, changes[i].key);
        else
            record_write(answer->record, answer->txn, op, changes[i].key, changes[i].row);
    }
}

void program_record_written(struct driver_program *d, struct program_client *client,
                            const struct driver_answer *answer, int64_t completed_ns)
{
    struct record_op write = { .invoked_ns = answer->op.invoked_ns, .completed_ns = completed_ns };
    struct record_op whole = kept_op_end(&client->half, completed_ns);

    (void)d;
    if (client->is_half_done && writes_what_matched(client)) {
        record_statement(answer->record, answer->txn, &whole,
                         client->request->statement == QUERY_DELETE ? OP_DELETE : OP_UPDATE,
                         client->half_table, client->half_scope, client->changes.list.at,
                         client->changes.list.count);
        client->is_half_done = false;
        return;
    }
    program_record_half(client, answer);
    record_writes(client, answer, &write);
}
