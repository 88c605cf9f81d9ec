/*
 * Executes statements: what a transaction reads and writes before it commits.
 *
 * Rows come from the shards, at the protocol's stamps; over them lie the
 * transaction's own writes (store/coordinator/own_rows.h), which stay here until the commit.
 * A key that it has written is not asked for.
 *
 * What is remembered of reads, for validation and for looking again, is what the
 * shards answered once the protocol was content with all of them together, and
 * only then: of a statement that is read again the first answers never count.
 */
#include "store/coordinator/statement_private.h"

#include <assert.h>

#include "store/coordinator/commit_private.h"
#include "store/coordinator/coordinator_private.h"

/* --- Own writes ------------------------------------------------------------------------------- */

/* Whether what the transaction has written is all there is to see of a row. */
static bool hides_stored_row(const struct txn *txn, const struct own_row *own)
{
    const struct bugs *bugs = txn->coordinator->bugs;

    return own && !(own->is_reborn && bugs->on[BUG_OWN_DELETE_THEN_INSERT_RETURNS_BOTH]);
}

static bool is_own(const struct txn *txn, uint32_t key)
{
    return hides_stored_row(txn, own_rows_find(&txn->writes, key));
}

static void keep_change(struct txn *txn, const struct row_change *change)
{
    own_rows_keep(&txn->writes, txn->coordinator->pool, change);
    txn->written |= shard_bit(catalog_shard(txn->coordinator->catalog, change->key));
    txn->touched |= txn->written;
}

/* --- The statement at hand -------------------------------------------------------------------- */

static void forget_found(struct txn *txn)
{
    struct txn_statement *s = &txn->private->statement;

    for (uint32_t i = 0; i < s->found.count; i++)
        give_text(txn->coordinator->pool, s->found.at[i].row);
    s->found.count = 0;
}

static void clear(struct txn *txn)
{
    struct txn_statement *s = &txn->private->statement;

    forget_found(txn);
    for (uint32_t i = 0; i < s->changes.count; i++)
        give_text(txn->coordinator->pool, s->changes.at[i].row);
    s->changes.count = 0;
    s->keys.count = 0;
    s->shards = 0;
}

void coordinator_close_statement(struct txn *txn)
{
    struct pool *pool = txn->coordinator->pool;
    struct txn_statement *s = &txn->private->statement;

    clear(txn);
    pool_close(pool, &s->keys);
    pool_close(pool, &s->found);
    pool_close(pool, &s->changes);
    own_rows_close(&txn->writes, pool);
    pool_close(pool, &txn->keys);
    for (uint32_t i = 0; i < txn->coordinator->catalog->shard_count; i++)
        pool_close(pool, &txn->scopes[i]);
}

static void *scratch_array(struct txn *txn, size_t count, size_t size)
{
    return arena_take(&txn->coordinator->server->scratch, count, size);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A statement by keys has a place for each row from the start. */
static void make_places(struct txn *txn)
{
    struct txn_statement *s = &txn->private->statement;

    forget_found(txn);
    pool_reserve(txn->coordinator->pool, &s->found, s->keys.count);
    for (uint32_t i = 0; i < s->keys.count; i++)
        s->found.at[i] = (struct read_row){ .key = s->keys.at[i] };
    s->found.count = s->keys.count;
}

static uint64_t shards_to_read(const struct txn *txn)
{
    const struct coordinator *c = txn->coordinator;
    const struct txn_statement *s = &txn->private->statement;
    uint64_t shards = 0;

    /* A predicate concerns every shard, also those where nothing matches now. */
    if (s->scope != SCOPE_NONE)
        return shards_all(c);
    for (uint32_t i = 0; i < s->keys.count; i++)
        if (!is_own(txn, s->keys.at[i]))
            shards |= shard_bit(catalog_shard(c->catalog, s->keys.at[i]));
    return shards;
}

static void ask_to_read(struct txn *txn)
{
    make_places(txn);
    txn->phase = TXN_READING;
    txn->uncertain = (struct stamp){ 0 };
    coordinator_ask_shards(txn, txn->private->statement.shards);
}

void coordinator_read(struct txn *txn, const struct client_request *request)
{
    struct coordinator *c = txn->coordinator;
    struct txn_statement *s = &txn->private->statement;

    clear(txn);
    s->scope = request->scope;
    s->lock = request->lock;
    s->for_write = request->for_write;
    s->first_table = request->first_table;
    for (uint32_t i = 0; i < request->key_count; i++)
        pool_push(c->pool, &s->keys, request->keys[i]);
    s->shards = shards_to_read(txn);
    txn->touched |= s->shards;
    if (c->protocol->statement)
        c->protocol->statement(txn);
    ask_to_read(txn);
    if (s->shards == 0)
        coordinator_rows_are_in(txn);
}

void coordinator_fill_read(struct txn *txn, uint32_t shard, struct ask *ask)
{
    const struct catalog *catalog = txn->coordinator->catalog;
    const struct txn_statement *s = &txn->private->statement;
    uint32_t *keys = scratch_array(txn, s->keys.count, sizeof *keys);

    ask->at = txn->snapshot;
    ask->limit = txn->limit;
    ask->scope = s->scope;
    ask->lock = s->lock;
    ask->for_write = s->for_write;
    ask->first_table = s->first_table;
    for (uint32_t i = 0; i < s->keys.count; i++)
        if (catalog_shard(catalog, s->keys.at[i]) == shard && !is_own(txn, s->keys.at[i]))
            keys[ask->key_count++] = s->keys.at[i];
    ask->keys = keys;
}

static void copy_row(struct txn *txn, struct read_row *to, const struct read_row *row)
{
    *to = *row;
    to->row = copy_text(txn->coordinator->pool, row->is_row ? row->row : (struct text){ 0 });
}

/* By keys: those of this shard have been answered in the order in which they were asked. */
static void take_rows_of_keys(struct txn *txn, uint32_t shard, const struct shard_answer *answer)
{
    const struct catalog *catalog = txn->coordinator->catalog;
    struct txn_statement *s = &txn->private->statement;
    uint32_t next = 0;

    for (uint32_t i = 0; i < s->keys.count; i++) {
        if (catalog_shard(catalog, s->keys.at[i]) != shard || is_own(txn, s->keys.at[i]))
            continue;
        assert(next < answer->row_count && answer->rows[next].key == s->keys.at[i]);
        copy_row(txn, &s->found.at[i], &answer->rows[next++]);
    }
    assert(next == answer->row_count);
}

static void take_rows_of_scope(struct txn *txn, const struct shard_answer *answer)
{
    struct txn_statement *s = &txn->private->statement;

    pool_reserve(txn->coordinator->pool, &s->found, answer->row_count);
    for (uint32_t i = 0; i < answer->row_count; i++)
        copy_row(txn, &s->found.at[s->found.count++], &answer->rows[i]);
}

void coordinator_on_rows(struct txn *txn, uint32_t shard, const struct shard_answer *answer)
{
    struct txn_private *private = txn->private;

    if (answer->refusal != REFUSED_NOT) {
        commit_abort(txn, answer->refusal);
        return;
    }
    txn->uncertain = stamp_max(txn->uncertain, answer->uncertain);
    private->indexes[shard] = answer->index;
    if (private->statement.scope == SCOPE_NONE)
        take_rows_of_keys(txn, shard, answer);
    else
        take_rows_of_scope(txn, answer);
    if (txn->open_asks == 0)
        coordinator_rows_are_in(txn);
}

/* --- What is remembered of a read ------------------------------------------------------------- */

static bool remembers_rows(const struct txn *txn)
{
    const struct txn_statement *s = &txn->private->statement;

    switch (txn->coordinator->protocol->keeps) {
    case KEEPS_READS:
        return true;
    case KEEPS_READS_FOR_WRITE:
        return s->for_write || s->lock != ROW_LOCK_NONE;
    case KEEPS_NO_READS:
        break;
    }
    return false;
}

static void remember_scope(struct txn *txn)
{
    const struct txn_statement *s = &txn->private->statement;

    if (s->scope == SCOPE_NONE || txn->coordinator->protocol->keeps != KEEPS_READS)
        return;
    for (uint64_t rest = s->shards; rest; rest = shards_rest(rest)) {
        uint32_t shard = shards_first(rest);
        struct seen_scope seen = { .scope = s->scope, .index = txn->private->indexes[shard] };
        pool_push(txn->coordinator->pool, &txn->scopes[shard], seen);
    }
}

static void remember(struct txn *txn)
{
    const struct txn_statement *s = &txn->private->statement;

    remember_scope(txn);
    if (!remembers_rows(txn))
        return;
    for (uint32_t i = 0; i < s->found.count; i++) {
        const struct read_row *row = &s->found.at[i];
        struct seen_key seen = { .key = row->key, .at = row->at, .writer = row->writer };
        if (s->scope != SCOPE_NONE || !is_own(txn, row->key))
            pool_push(txn->coordinator->pool, &txn->keys, seen);
    }
}

/* --- What the client is told ------------------------------------------------------------------ */

static uint32_t lay_over_keys(struct txn *txn, struct read_row *rows)
{
    const struct txn_statement *s = &txn->private->statement;

    for (uint32_t i = 0; i < s->keys.count; i++) {
        const struct own_row *own = own_rows_find(&txn->writes, s->keys.at[i]);
        rows[i] = hides_stored_row(txn, own) ? own_row_as_read(own, txn->id) : s->found.at[i];
    }
    return s->keys.count;
}

static uint32_t lay_over_scope(struct txn *txn, struct read_row *rows)
{
    const struct txn_statement *s = &txn->private->statement;
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->found.count; i++)
        if (!is_own(txn, s->found.at[i].key))
            rows[count++] = s->found.at[i];
    for (uint32_t i = 0; i < txn->writes.count; i++)
        if (own_row_is_in(&txn->writes.at[i], txn->coordinator->catalog, s->scope))
            rows[count++] = own_row_as_read(&txn->writes.at[i], txn->id);
    return count;
}

static void reply_with_rows(struct txn *txn)
{
    const struct txn_statement *s = &txn->private->statement;
    struct client_reply reply = { .kind = REPLY_DONE };
    struct read_row *rows =
        scratch_array(txn, (size_t)s->found.count + txn->writes.count, sizeof *rows);

    if (txn->coordinator->protocol->snapshot_per_statement)
        reply.at = txn->snapshot;
    reply.row_count = s->scope == SCOPE_NONE ? lay_over_keys(txn, rows) : lay_over_scope(txn, rows);
    reply.rows = rows;
    txn->phase = TXN_IDLE;
    coordinator_reply(txn, &reply);
    clear(txn);
}

void coordinator_rows_are_in(struct txn *txn)
{
    const struct protocol *protocol = txn->coordinator->protocol;
    bool was_asked = txn->private->statement.shards != 0;

    switch (was_asked && protocol->read ? protocol->read(txn) : NEXT_GO_ON) {
    case NEXT_GO_ON:
        remember(txn);
        reply_with_rows(txn);
        return;
    case NEXT_READ_AGAIN:
        ask_to_read(txn);
        return;
    case NEXT_CHECK:
        txn->private->is_committing = false;
        commit_check(txn);
        return;
    case NEXT_ABORT:
        commit_abort(txn, REFUSED_CONFLICT);
        return;
    }
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void reply_done(struct txn *txn)
{
    struct client_reply reply = { .kind = REPLY_DONE };

    txn->phase = TXN_IDLE;
    coordinator_reply(txn, &reply);
}

void coordinator_write(struct txn *txn, const struct client_request *request)
{
    struct coordinator *c = txn->coordinator;
    struct txn_statement *s = &txn->private->statement;

    clear(txn);
    if (!c->protocol->locks_writes) {
        for (uint32_t i = 0; i < request->change_count; i++)
            keep_change(txn, &request->changes[i]);
        reply_done(txn);
        return;
    }
    for (uint32_t i = 0; i < request->change_count; i++) {
        struct row_change change = request->changes[i];
        change.row = copy_text(c->pool, change.is_removed ? (struct text){ 0 } : change.row);
        pool_push(c->pool, &s->changes, change);
        s->shards |= shard_bit(catalog_shard(c->catalog, change.key));
    }
    txn->touched |= s->shards;
    txn->phase = TXN_LOCKING;
    coordinator_ask_shards(txn, s->shards);
    if (s->shards == 0)
        coordinator_locks_are_held(txn);
}

void coordinator_fill_lock(struct txn *txn, uint32_t shard, struct ask *ask)
{
    const struct catalog *catalog = txn->coordinator->catalog;
    const struct txn_statement *s = &txn->private->statement;
    struct row_change *changes = scratch_array(txn, s->changes.count, sizeof *changes);

    ask->at = txn->snapshot;
    ask->lock = ROW_LOCK_UPDATE;
    ask->for_write = true;
    ask->prepare = (struct prepare){ .txn = txn->id,
                                     .coordinator = txn->coordinator->server->node,
                                     .begin = txn->begin,
                                     .snapshot = txn->snapshot,
                                     .term = txn->terms[shard] };
    for (uint32_t i = 0; i < s->changes.count; i++)
        if (catalog_shard(catalog, s->changes.at[i].key) == shard)
            changes[ask->prepare.change_count++] = s->changes.at[i];
    ask->prepare.changes = changes;
}

void coordinator_locks_are_held(struct txn *txn)
{
    struct txn_statement *s = &txn->private->statement;

    for (uint32_t i = 0; i < s->changes.count; i++)
        keep_change(txn, &s->changes.at[i]);
    clear(txn);
    reply_done(txn);
}
