#include "store/shard/shard_message.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"

/*
 * Keys, rows and changes of rows as bytes: in requests of clients, in asks to shards and
 * in the deltas of several leaders. Arrays that are read are taken from a scratch arena.
 */

void *shard_take(struct arena *scratch, uint32_t count, size_t size)
{
    return count > 0 ? arena_take(scratch, count, size) : NULL;
}

void shard_put_keys(struct wire_writer *w, const uint32_t *keys, uint32_t count)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++)
        wire_put_number(w, keys[i]);
}

const uint32_t *shard_get_keys(struct wire_reader *r, uint32_t *count, struct arena *scratch)
{
    uint32_t *keys;

    *count = wire_get_count(r);
    keys = shard_take(scratch, *count, sizeof *keys);
    for (uint32_t i = 0; i < *count; i++)
        keys[i] = wire_get_number32(r);
    return keys;
}

void shard_put_changes(struct wire_writer *w, const struct row_change *changes, uint32_t count)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, changes[i].key);
        wire_put_byte(w, changes[i].is_removed);
        if (!changes[i].is_removed)
            wire_put_text(w, changes[i].row);
    }
}

const struct row_change *shard_get_changes(struct wire_reader *r, uint32_t *count,
                                               struct arena *scratch)
{
    struct row_change *changes;

    *count = wire_get_count(r);
    changes = shard_take(scratch, *count, sizeof *changes);
    for (uint32_t i = 0; i < *count; i++) {
        changes[i].key = wire_get_number32(r);
        changes[i].is_removed = wire_get_at_most(r, 1);
        if (!changes[i].is_removed)
            changes[i].row = wire_get_text(r);
    }
    return changes;
}

/* --- Stamps and who wrote there --------------------------------------------------------------- */

static void put_place(struct wire_writer *w, struct stamp at, uint64_t writer, enum stamp_form form)
{
    if (form == STAMP_SHORT)
        wire_put_short_stamp(w, at);
    else
        wire_put_stamp(w, at);
    wire_put_number(w, form == STAMP_SHORT ? writer ^ at.txn : writer);
}

static struct stamp get_place(struct wire_reader *r, uint64_t *writer, enum stamp_form form)
{
    struct stamp at = form == STAMP_SHORT ? wire_get_short_stamp(r) : wire_get_stamp(r);

    *writer = wire_get_number(r) ^ (form == STAMP_SHORT ? at.txn : 0);
    return at;
}

void shard_put_seen(struct wire_writer *w, const struct seen_key *keys, uint32_t count,
                        enum stamp_form form)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, keys[i].key);
        put_place(w, keys[i].at, keys[i].writer, form);
    }
}

const struct seen_key *shard_get_seen(struct wire_reader *r, uint32_t *count,
                                          enum stamp_form form, struct arena *scratch)
{
    struct seen_key *keys;

    *count = wire_get_count(r);
    keys = shard_take(scratch, *count, sizeof *keys);
    for (uint32_t i = 0; i < *count; i++) {
        keys[i].key = wire_get_number32(r);
        keys[i].at = get_place(r, &keys[i].writer, form);
    }
    return keys;
}

void shard_put_rows(struct wire_writer *w, const struct read_row *rows, uint32_t count,
                        enum stamp_form form)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, rows[i].key);
        put_place(w, rows[i].at, rows[i].writer, form);
        wire_put_byte(w, rows[i].is_row);
        if (rows[i].is_row)
            wire_put_text(w, rows[i].row);
    }
}

const struct read_row *shard_get_rows(struct wire_reader *r, uint32_t *count,
                                          enum stamp_form form, struct arena *scratch)
{
    struct read_row *rows;

    *count = wire_get_count(r);
    rows = shard_take(scratch, *count, sizeof *rows);
    for (uint32_t i = 0; i < *count; i++) {
        rows[i].key = wire_get_number32(r);
        rows[i].at = get_place(r, &rows[i].writer, form);
        rows[i].is_row = wire_get_at_most(r, 1);
        if (rows[i].is_row)
            rows[i].row = wire_get_text(r);
    }
    return rows;
}

/* Which parts of an ask its kind has. */
enum ask_part {
    PART_READ = 1,
    PART_PREPARE = 2,
    PART_TO = 4,
    PART_DECISION = 8,
    PART_PATH = 16,
};

static const struct {
    const char *name;
    unsigned parts;
} ask_kinds[ASK_KIND_COUNT] = {
    [ASK_READ] = { "read", PART_READ },
    [ASK_LOCK] = { "lock", PART_READ | PART_PREPARE },
    [ASK_PREPARE] = { "prepare", PART_PREPARE },
    [ASK_CHECK] = { "check", PART_PREPARE | PART_TO },
    [ASK_DECIDE] = { "decide", PART_DECISION },
    [ASK_RELEASE] = { "release", 0 },
    [ASK_PROBE] = { "probe", PART_PATH },
    [ASK_INQUIRE] = { "inquire", PART_DECISION },
    [ASK_RESOLVE] = { "resolve", PART_DECISION },
};

static const char *const refusal_names[REFUSAL_COUNT] = {
    [REFUSED_NOT] = "granted",
    [REFUSED_NOT_LEADER] = "not the leader",
    [REFUSED_TOO_OLD] = "too old",
    [REFUSED_CONFLICT] = "conflict",
    [REFUSED_UNDECIDED] = "conflict with an undecided one",
    [REFUSED_DEADLOCK] = "deadlock",
    [REFUSED_LOCKS_GONE] = "locks gone",
    [REFUSED_ABORTED] = "aborted",
    [REFUSED_OVERLOADED] = "overloaded",
};

const char *shard_refusal_name(enum refusal refusal)
{
    assert(refusal < REFUSAL_COUNT);
    return refusal_names[refusal];
}

/* --- Pieces ----------------------------------------------------------------------------------- */

static void put_flags(struct wire_writer *w, bool a, bool b)
{
    wire_put_byte(w, (uint8_t)(a | b << 1));
}

static void put_seen_scopes(struct wire_writer *w, const struct seen_scope *scopes, uint32_t count)
{
    wire_put_number(w, count);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_number(w, scopes[i].scope);
        wire_put_number(w, scopes[i].index);
    }
}

static const struct seen_scope *get_seen_scopes(struct wire_reader *r, uint32_t *count,
                                                struct arena *scratch)
{
    struct seen_scope *scopes;

    *count = wire_get_count(r);
    scopes = shard_take(scratch, *count, sizeof *scopes);
    for (uint32_t i = 0; i < *count; i++) {
        scopes[i].scope = wire_get_number32(r);
        scopes[i].index = wire_get_number(r);
    }
    return scopes;
}

void shard_prepare_put(struct wire_writer *w, const struct prepare *p)
{
    wire_put_number(w, p->txn);
    wire_put_number(w, p->coordinator);
    wire_put_short_stamp(w, p->begin);
    wire_put_short_stamp(w, p->snapshot);
    wire_put_short_stamp(w, p->least);
    wire_put_short_stamp(w, p->place);
    wire_put_number(w, p->term);
    wire_put_number(w, p->participants);
    wire_put_number(w, p->anchor);
    put_flags(w, p->is_alone, p->reads_only);
    shard_put_seen(w, p->keys, p->key_count, STAMP_SHORT);
    put_seen_scopes(w, p->scopes, p->scope_count);
    shard_put_changes(w, p->changes, p->change_count);
}

void shard_prepare_get(struct wire_reader *r, struct prepare *p, struct arena *scratch)
{
    uint64_t flags;

    p->txn = wire_get_number(r);
    p->coordinator = wire_get_number32(r);
    p->begin = wire_get_short_stamp(r);
    p->snapshot = wire_get_short_stamp(r);
    p->least = wire_get_short_stamp(r);
    p->place = wire_get_short_stamp(r);
    p->term = wire_get_number(r);
    p->participants = wire_get_number(r);
    p->anchor = wire_get_number32(r);
    flags = wire_get_at_most(r, 3);
    p->is_alone = flags & 1;
    p->reads_only = flags & 2;
    p->keys = shard_get_seen(r, &p->key_count, STAMP_SHORT, scratch);
    p->scopes = get_seen_scopes(r, &p->scope_count, scratch);
    p->changes = shard_get_changes(r, &p->change_count, scratch);
}

void shard_decision_put(struct wire_writer *w, const struct decision *d)
{
    wire_put_number(w, d->txn);
    wire_put_byte(w, d->commits);
    wire_put_short_stamp(w, d->begin);
    wire_put_number(w, d->participants);
    if (!d->commits)
        return;
    wire_put_short_stamp(w, d->at);
    wire_put_short_stamp(w, d->snapshot);
    wire_put_short_stamp(w, d->place);
    wire_put_short_stamp(w, d->out);
}

void shard_decision_get(struct wire_reader *r, struct decision *d)
{
    *d = (struct decision){ .txn = wire_get_number(r) };
    d->commits = wire_get_at_most(r, 1);
    d->begin = wire_get_short_stamp(r);
    d->participants = wire_get_number(r);
    if (!d->commits)
        return;
    d->at = wire_get_short_stamp(r);
    d->snapshot = wire_get_short_stamp(r);
    d->place = wire_get_short_stamp(r);
    d->out = wire_get_short_stamp(r);
}

void shard_vote_put(struct wire_writer *w, const struct vote *v)
{
    wire_put_byte(w, (uint8_t)v->refusal);
    wire_put_short_stamp(w, v->at);
    wire_put_short_stamp(w, v->out);
    wire_put_short_stamp(w, v->pivot);
    wire_put_short_stamp(w, v->in);
}

void shard_vote_get(struct wire_reader *r, struct vote *v)
{
    v->refusal = (enum refusal)wire_get_at_most(r, REFUSAL_COUNT - 1);
    v->at = wire_get_short_stamp(r);
    v->out = wire_get_short_stamp(r);
    v->pivot = wire_get_short_stamp(r);
    v->in = wire_get_short_stamp(r);
}

/* --- Asks ------------------------------------------------------------------------------------- */

static void put_read(struct wire_writer *w, const struct ask *a)
{
    wire_put_short_stamp(w, a->at);
    wire_put_short_stamp(w, a->limit);
    shard_put_keys(w, a->keys, a->key_count);
    wire_put_number(w, a->scope);
    wire_put_byte(w, (uint8_t)a->lock);
    put_flags(w, a->for_write, a->first_table);
}

static void get_read(struct wire_reader *r, struct ask *a, struct arena *scratch)
{
    uint64_t flags;

    a->at = wire_get_short_stamp(r);
    a->limit = wire_get_short_stamp(r);
    a->keys = shard_get_keys(r, &a->key_count, scratch);
    a->scope = wire_get_number32(r);
    a->lock = (enum row_lock)wire_get_at_most(r, ROW_LOCK_UPDATE);
    flags = wire_get_at_most(r, 3);
    a->for_write = flags & 1;
    a->first_table = flags & 2;
}

static void put_path(struct wire_writer *w, const struct ask *a)
{
    wire_put_number(w, a->from_shard);
    wire_put_number(w, a->serial);
    wire_put_number(w, a->path_count);
    for (uint32_t i = 0; i < a->path_count; i++)
        wire_put_short_stamp(w, a->path[i]);
}

static void get_path(struct wire_reader *r, struct ask *a, struct arena *scratch)
{
    struct stamp *path;

    a->from_shard = wire_get_number32(r);
    a->serial = wire_get_number(r);
    a->path_count = wire_get_count(r);
    path = shard_take(scratch, a->path_count, sizeof *path);
    for (uint32_t i = 0; i < a->path_count; i++)
        path[i] = wire_get_short_stamp(r);
    a->path = path;
}

void shard_ask_put(struct wire_writer *w, const struct ask *a)
{
    unsigned parts;

    assert(a->kind < ASK_KIND_COUNT);
    parts = ask_kinds[a->kind].parts;
    wire_put_byte(w, (uint8_t)a->kind);
    wire_put_number(w, a->txn);
    wire_put_number(w, a->number);
    wire_put_number(w, a->from);
    wire_put_short_stamp(w, a->begin);
    if (parts & PART_READ)
        put_read(w, a);
    if (parts & PART_PREPARE)
        shard_prepare_put(w, &a->prepare);
    if (parts & PART_TO)
        wire_put_short_stamp(w, a->to);
    if (parts & PART_DECISION) {
        wire_put_number(w, a->from_shard);
        shard_decision_put(w, &a->decision);
    }
    if (parts & PART_PATH)
        put_path(w, a);
}

bool shard_ask_get(struct wire_reader *r, struct ask *a, struct arena *scratch)
{
    unsigned parts;

    *a = (struct ask){ .kind = (enum ask_kind)wire_get_at_most(r, ASK_KIND_COUNT - 1),
                       .scope = SCOPE_NONE };
    parts = ask_kinds[a->kind].parts;
    a->txn = wire_get_number(r);
    a->number = wire_get_number32(r);
    a->from = wire_get_number32(r);
    a->begin = wire_get_short_stamp(r);
    if (parts & PART_READ)
        get_read(r, a, scratch);
    if (parts & PART_PREPARE)
        shard_prepare_get(r, &a->prepare, scratch);
    if (parts & PART_TO)
        a->to = wire_get_short_stamp(r);
    if (parts & PART_DECISION) {
        a->from_shard = wire_get_number32(r);
        shard_decision_get(r, &a->decision);
    }
    if (parts & PART_PATH)
        get_path(r, a, scratch);
    return !r->bad;
}

/* --- Answers ---------------------------------------------------------------------------------- */

static bool has_rows(enum ask_kind kind)
{
    return kind == ASK_READ || kind == ASK_LOCK;
}

static bool has_vote(enum ask_kind kind)
{
    return kind == ASK_PREPARE || kind == ASK_CHECK;
}

static bool has_decision(enum ask_kind kind)
{
    return kind == ASK_PREPARE || kind == ASK_DECIDE || kind == ASK_INQUIRE || kind == ASK_RESOLVE;
}

void shard_answer_put(struct wire_writer *w, const struct shard_answer *a)
{
    wire_put_byte(w, (uint8_t)a->kind);
    wire_put_number(w, a->txn);
    wire_put_number(w, a->number);
    wire_put_number(w, a->shard);
    wire_put_byte(w, (uint8_t)a->refusal);
    if (a->refusal == REFUSED_NOT_LEADER) {
        wire_put_number(w, a->leader);
        return;
    }
    wire_put_number(w, a->term);
    if (has_rows(a->kind)) {
        shard_put_rows(w, a->rows, a->row_count, STAMP_SHORT);
        wire_put_number(w, a->index);
        wire_put_short_stamp(w, a->uncertain);
        wire_put_short_stamp(w, a->at);
    }
    if (has_vote(a->kind))
        shard_vote_put(w, &a->vote);
    if (has_decision(a->kind))
        shard_decision_put(w, &a->decision);
}

bool shard_answer_get(struct wire_reader *r, struct shard_answer *a, struct arena *scratch)
{
    *a = (struct shard_answer){ .kind = (enum ask_kind)wire_get_at_most(r, ASK_KIND_COUNT - 1) };
    a->txn = wire_get_number(r);
    a->number = wire_get_number32(r);
    a->shard = wire_get_number32(r);
    a->refusal = (enum refusal)wire_get_at_most(r, REFUSAL_COUNT - 1);
    if (a->refusal == REFUSED_NOT_LEADER) {
        a->leader = wire_get_number32(r);
        a->vote.refusal = a->refusal;
        return !r->bad;
    }
    a->term = wire_get_number(r);
    if (has_rows(a->kind)) {
        a->rows = shard_get_rows(r, &a->row_count, STAMP_SHORT, scratch);
        a->index = wire_get_number(r);
        a->uncertain = wire_get_short_stamp(r);
        a->at = wire_get_short_stamp(r);
    }
    if (has_vote(a->kind))
        shard_vote_get(r, &a->vote);
    if (has_decision(a->kind))
        shard_decision_get(r, &a->decision);
    return !r->bad;
}

/* --- Commands --------------------------------------------------------------------------------- */

void shard_command_put(struct wire_writer *w, const struct shard_command *c)
{
    wire_put_byte(w, (uint8_t)c->kind);
    switch (c->kind) {
    case COMMAND_PREPARE:
        shard_prepare_put(w, &c->prepare);
        break;
    case COMMAND_DECIDE:
    case COMMAND_RESOLVE:
        shard_decision_put(w, &c->decision);
        break;
    case COMMAND_FORGET:
        wire_put_number(w, c->txn_count);
        for (uint32_t i = 0; i < c->txn_count; i++)
            wire_put_number(w, c->txns[i]);
        break;
    case COMMAND_CEILING:
    case COMMAND_HORIZON:
        wire_put_short_stamp(w, c->stamp);
        break;
    case COMMAND_KIND_COUNT:
        assert(false);
    }
}

static void get_txns(struct wire_reader *r, struct shard_command *c, struct arena *scratch)
{
    uint64_t *txns;

    c->txn_count = wire_get_count(r);
    txns = shard_take(scratch, c->txn_count, sizeof *txns);
    for (uint32_t i = 0; i < c->txn_count; i++)
        txns[i] = wire_get_number(r);
    c->txns = txns;
}

bool shard_command_get(struct wire_reader *r, struct shard_command *c, struct arena *scratch)
{
    *c = (struct shard_command){ .kind = (enum command_kind)wire_get_at_most(r, COMMAND_KIND_COUNT -
                                                                                    1) };
    switch (c->kind) {
    case COMMAND_PREPARE:
        shard_prepare_get(r, &c->prepare, scratch);
        break;
    case COMMAND_DECIDE:
    case COMMAND_RESOLVE:
        shard_decision_get(r, &c->decision);
        break;
    case COMMAND_FORGET:
        get_txns(r, c, scratch);
        break;
    case COMMAND_CEILING:
    case COMMAND_HORIZON:
        c->stamp = wire_get_short_stamp(r);
        break;
    case COMMAND_KIND_COUNT:
        assert(false);
    }
    return !r->bad;
}

/* --- Copies ----------------------------------------------------------------------------------- */

static size_t array_size(uint32_t count, size_t size)
{
    return (count * size + 7) & ~(size_t)7;
}

/* Arrays come one after another, each at a multiple of 8; the bytes of rows come last. */
static const void *move_array(char **to, const void *from, uint32_t count, size_t size)
{
    char *at = *to;

    if (count == 0)
        return NULL;
    memcpy(at, from, count * size);
    *to += array_size(count, size);
    return at;
}

size_t shard_prepare_size(const struct prepare *p)
{
    size_t size = array_size(p->key_count, sizeof *p->keys) +
                  array_size(p->scope_count, sizeof *p->scopes) +
                  array_size(p->change_count, sizeof *p->changes);

    for (uint32_t i = 0; i < p->change_count; i++)
        size += p->changes[i].row.length;
    return size;
}

static struct prepare copy_prepare(const struct prepare *p, char **to)
{
    struct prepare copy = *p;
    struct row_change *changes = (struct row_change *)(void *)*to;

    copy.changes = move_array(to, p->changes, p->change_count, sizeof *p->changes);
    copy.keys = move_array(to, p->keys, p->key_count, sizeof *p->keys);
    copy.scopes = move_array(to, p->scopes, p->scope_count, sizeof *p->scopes);
    for (uint32_t i = 0; i < p->change_count; i++) {
        if (changes[i].row.length > 0)
            memcpy(*to, changes[i].row.at, changes[i].row.length);
        changes[i].row.at = *to;
        *to += changes[i].row.length;
    }
    return copy;
}

struct prepare shard_prepare_copy(const struct prepare *p, void *arrays)
{
    char *to = arrays;

    return copy_prepare(p, &to);
}

size_t shard_ask_size(const struct ask *a)
{
    return array_size(a->key_count, sizeof *a->keys) + array_size(a->path_count, sizeof *a->path) +
           shard_prepare_size(&a->prepare);
}

struct ask shard_ask_copy(const struct ask *a, void *arrays)
{
    struct ask copy = *a;
    char *to = arrays;

    copy.keys = move_array(&to, a->keys, a->key_count, sizeof *a->keys);
    copy.path = move_array(&to, a->path, a->path_count, sizeof *a->path);
    copy.prepare = copy_prepare(&a->prepare, &to);
    return copy;
}

/* --- For the trace ---------------------------------------------------------------------------- */

static void describe_stamp(const char *name, struct stamp at, struct buffer *out)
{
    if (!stamp_is_zero(at))
        buffer_print(out, " %s %" PRId64 ".%" PRIu32, name, at.wall_ns, at.logical);
}

static void describe_decision(const struct decision *d, struct buffer *out)
{
    if (d->txn == 0)
        return;
    buffer_text(out, d->commits ? TEXT(" commits") : TEXT(" aborts"));
    describe_stamp("at", d->at, out);
}

void shard_ask_describe(const struct ask *a, struct buffer *out)
{
    unsigned parts = ask_kinds[a->kind].parts;

    buffer_print(out, "%s T%" PRIu64 ".%" PRIu32, ask_kinds[a->kind].name, a->txn, a->number);
    if (parts & PART_READ) {
        buffer_print(out, " %" PRIu32 " keys", a->key_count);
        if (a->scope != SCOPE_NONE)
            buffer_print(out, " scope %" PRIu32, a->scope);
        describe_stamp("at", a->at, out);
    }
    if (parts & PART_PREPARE)
        buffer_print(out, " read %" PRIu32 "+%" PRIu32 " wrote %" PRIu32, a->prepare.key_count,
                     a->prepare.scope_count, a->prepare.change_count);
    if (parts & PART_DECISION && a->kind != ASK_INQUIRE)
        describe_decision(&a->decision, out);
}

void shard_answer_describe(const struct shard_answer *a, struct buffer *out)
{
    buffer_print(out, "%s T%" PRIu64 ".%" PRIu32 " s%" PRIu32 ": %s", ask_kinds[a->kind].name,
                 a->txn, a->number, a->shard, shard_refusal_name(a->refusal));
    if (a->refusal != REFUSED_NOT)
        return;
    if (has_rows(a->kind))
        buffer_print(out, ", %" PRIu32 " rows", a->row_count);
    if (has_decision(a->kind))
        describe_decision(&a->decision, out);
}
