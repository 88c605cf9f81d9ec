/*
 * The leaders of the model: what replica.c promises to protocols, without asks that wait in
 * queues, without Raft, and in the open.
 */
#include <string.h>

#include "tests/store/protocols/protocol_model.h"
#include "unity.h"
#include "tests/store/shard/conflicts.h"
#include "store/shard/replica_read.h"

#define CEILING_STEP_NS 40

int64_t model_clock(struct model *m, int64_t offset_ns)
{
    return m->time_ns + offset_ns;
}

static struct model_shard *leader_of(struct replica *replica)
{
    return (struct model_shard *)replica;
}

static int64_t draw_offset(struct model *m)
{
    return m->options.skew ? random_between(&m->random, -60, 60) : 0;
}

void leader_open(struct model *m, struct model_shard *s, uint32_t number)
{
    s->model = m;
    s->term = s->replica.term = 1;
    s->offset_ns = draw_offset(m);
    s->replica.pool = &m->pool;
    shard_init(&s->replica.shard, number,
               &(struct shard_setting){ m->options.protocol, m->catalog, &m->options.bugs,
                                        &m->sometimes, m->record },
               &m->pool);
    if (m->options.protocol->lead)
        m->options.protocol->lead(&s->replica);
}

/* --- The log ---------------------------------------------------------------------------------- */

static void *copy(struct model *m, const void *from, size_t count, size_t size)
{
    void *to = arena_push(m->arena, count + 1, size);

    TEST_ASSERT_NOT_NULL(to);
    if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

static struct prepare copy_prepare(struct model *m, const struct prepare *from)
{
    struct prepare p = *from;

    p.keys = copy(m, from->keys, from->key_count, sizeof *from->keys);
    p.scopes = copy(m, from->scopes, from->scope_count, sizeof *from->scopes);
    p.changes = copy(m, from->changes, from->change_count, sizeof *from->changes);
    return p;
}

void leader_append(struct model_shard *s, const struct shard_command *command)
{
    struct wire_writer writer = { .pool = &s->model->pool };
    struct entry *entry = &s->entries[s->count++];
    struct text bytes;

    TEST_ASSERT_TRUE(s->count < MODEL_ENTRIES_MAX);
    shard_command_put(&writer, command);
    bytes = wire_writer_text(&writer);
    *entry = (struct entry){
        .kind = command->kind,
        .term = s->term,
        .txn = command->kind == COMMAND_PREPARE ? command->prepare.txn : command->decision.txn,
        .command = { copy(s->model, bytes.at, bytes.length, 1), bytes.length },
    };
    if (command->kind == COMMAND_PREPARE)
        entry->prepare = copy_prepare(s->model, &command->prepare);
    wire_writer_close(&writer);
}

/* All that the log held as it was elected is applied. */
static void get_ready(struct model_shard *s)
{
    const struct shard *shard = &s->replica.shard;

    stamp_clock_forward(&s->clock, stamp_max(shard->floor, shard->ceiling));
    s->replica.served_max = s->replica.asked_ceiling = shard->ceiling;
    s->replica.term = s->term;
    if (s->model->options.protocol->lead)
        s->model->options.protocol->lead(&s->replica);
}

void leader_apply(struct model_shard *s)
{
    const struct protocol *protocol = s->model->options.protocol;
    const struct entry *entry = &s->entries[s->applied];

    if (s->applied == s->count)
        return;
    arena_reset_to(&s->model->scratch, 0);
    s->applied++;
    shard_apply(&s->replica.shard, s->applied, entry->term, entry->command, &s->model->scratch);
    if (s->applied > s->ready_at && protocol->over &&
        shard_find_outcome(&s->replica.shard, entry->txn))
        protocol->over(&s->replica, entry->txn);
    if (s->applied == s->ready_at)
        get_ready(s);
}

bool leader_has(const struct model_shard *s, enum command_kind kind, uint64_t txn)
{
    for (uint64_t i = s->applied; i < s->count; i++)
        if (s->entries[i].kind == kind && s->entries[i].txn == txn)
            return true;
    return false;
}

bool leader_is_ready(const struct model_shard *s)
{
    return s->applied >= s->ready_at;
}

void leader_change(struct model_shard *s)
{
    struct model *m = s->model;

    s->count = s->applied + random_below(&m->random, s->count - s->applied + 1);
    s->ready_at = s->count;
    s->term++;
    s->offset_ns = draw_offset(m);
    s->clock = (struct stamp_clock){ 0 };
    if (leader_is_ready(s))
        get_ready(s);
}

void leader_reload(struct model_shard *s)
{
    struct model *m = s->model;
    struct wire_writer first = { .pool = &m->pool }, second = { .pool = &m->pool };
    struct shard loaded;

    shard_save(&s->replica.shard, &first);
    shard_init(&loaded, s->replica.shard.number,
               &(struct shard_setting){ m->options.protocol, m->catalog, &m->options.bugs,
                                        &m->sometimes, m->record },
               &m->pool);
    arena_reset_to(&m->scratch, 0);
    shard_load(&loaded, s->applied, wire_writer_text(&first), &m->scratch);
    shard_save(&loaded, &second);
    TEST_ASSERT_EQUAL_MESSAGE(first.count, second.count, "a state that was loaded is the same");
    TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
    s->replica.shard = loaded;
    wire_writer_close(&first);
    wire_writer_close(&second);
}

/* --- What protocols ask of replicas and coordinators ------------------------------------------ */

struct stamp coordinator_now(struct txn *txn)
{
    struct model_session *home = (struct model_session *)txn->coordinator;

    return stamp_clock_now(&home->clock, model_clock(home->model, home->offset_ns), txn->id);
}

struct stamp replica_now(struct replica *replica, uint64_t txn)
{
    struct model_shard *s = leader_of(replica);

    return stamp_clock_now(&s->clock, model_clock(s->model, s->offset_ns), txn);
}

bool replica_may_read(struct replica *replica, struct stamp at)
{
    struct model_shard *s = leader_of(replica);
    struct shard_command command = { .kind = COMMAND_CEILING };

    if (!stamp_less(replica->shard.ceiling, at)) {
        replica->served_max = stamp_max(replica->served_max, at);
        return true;
    }
    if (stamp_less(replica->asked_ceiling, at)) {
        command.stamp = replica->asked_ceiling = stamp_plus(at, CEILING_STEP_NS);
        leader_append(s, &command);
    }
    return false;
}

static bool writes_what_is_asked(const struct shard *shard, const struct prepare *prepare,
                                 const struct ask *ask)
{
    for (uint32_t i = 0; i < ask->key_count; i++)
        if (shard_change_of(prepare, ask->keys[i]))
            return true;
    for (uint32_t i = 0; ask->scope != SCOPE_NONE && i < prepare->change_count; i++) {
        const struct row_change *change = &prepare->changes[i];

        if (shard_touches(shard, ask->scope, change->key,
                          change->is_removed ? NULL : &change->row, ask->at))
            return true;
    }
    return false;
}

const struct prepare *replica_undecided_writer(struct replica *replica, const struct ask *ask,
                                               struct stamp at)
{
    const struct model_shard *s = leader_of(replica);
    const struct shard *shard = &replica->shard;

    for (uint32_t i = 0; i < shard->prepared.count; i++) {
        const struct prepared *p = shard->prepared.at[i];

        if (p->prepare.txn != ask->txn && !stamp_less(at, p->vote.at) &&
            writes_what_is_asked(shard, &p->prepare, ask))
            return &p->prepare;
    }
    for (uint64_t i = s->applied; i < s->count; i++) {
        const struct entry *e = &s->entries[i];

        if (e->kind == COMMAND_PREPARE && e->txn != ask->txn &&
            !stamp_less(at, e->prepare.least) && writes_what_is_asked(shard, &e->prepare, ask))
            return &e->prepare;
    }
    return NULL;
}

/* Looks at one undecided transaction: true if that settles it. */
static bool is_in_the_way(const struct shard *shard, const struct prepare *prepare,
                          const struct prepare *other, unsigned ways, struct vote *vote,
                          enum served *served)
{
    if (other->txn == prepare->txn || !shard_conflicts(shard, prepare, other, ways))
        return false;
    if (!stamp_less(other->begin, prepare->begin)) {
        *served = SERVE_LATER;
        return false;
    }
    vote->refusal = REFUSED_UNDECIDED;
    *served = SERVED;
    return true;
}

enum served replica_admit_below(struct replica *replica, const struct prepare *prepare,
                                unsigned ways, struct stamp at, struct vote *vote)
{
    struct model_shard *s = leader_of(replica);
    const struct shard *shard = &replica->shard;
    enum served served = SERVED;

    for (uint32_t i = 0; i < shard->prepared.count; i++)
        if (!stamp_less(at, shard->prepared.at[i]->vote.at) &&
            is_in_the_way(shard, prepare, &shard->prepared.at[i]->prepare, ways, vote, &served))
            return served;
    for (uint64_t i = s->applied; i < s->count; i++)
        if (s->entries[i].kind == COMMAND_PREPARE &&
            !stamp_less(at, s->entries[i].prepare.least) &&
            is_in_the_way(shard, prepare, &s->entries[i].prepare, ways, vote, &served))
            return served;
    return served;
}

enum served replica_admit_by_age(struct replica *replica, const struct prepare *prepare,
                                 unsigned ways, struct vote *vote)
{
    return replica_admit_below(replica, prepare, ways, stamp_never(), vote);
}

void replica_changed(struct replica *replica)
{
    (void)replica; /* who waits is tried again and again */
}

void replica_probe(struct replica *replica, uint32_t node, const struct ask *ask)
{
    struct model *m = leader_of(replica)->model;
    struct model_probe probe = { .ask = *ask, .count = ask->path_count };

    TEST_ASSERT_TRUE(node < m->options.sessions && ask->path_count <= MODEL_TXNS_MAX);
    probe.ask.from_shard = replica->shard.number;
    if (ask->path_count > 0)
        memcpy(probe.path, ask->path, ask->path_count * sizeof *ask->path);
    pool_push(&m->pool, &m->probes, probe);
}

uint64_t coordinator_event_number(const struct txn *txn)
{
    return (uint64_t)((const struct model_session *)txn->coordinator)->model->time_ns;
}

static struct read_row row_of(uint32_t key, const struct stored_version *v)
{
    struct read_row row = { .key = key };

    if (v) {
        row.at = v->at;
        row.writer = v->writer;
        row.is_row = !v->is_removed;
        row.row = version_row(v);
    }
    return row;
}

void replica_read_rows(struct replica *replica, const struct ask *ask, struct stamp at,
                       struct shard_answer *answer)
{
    struct model *m = leader_of(replica)->model;
    const struct shard *shard = &replica->shard;
    struct read_row *rows = arena_push(&m->scratch, 2 * MODEL_KEYS_MAX, sizeof *rows);
    uint32_t count = 0;

    for (uint32_t i = 0; i < ask->key_count; i++)
        rows[count++] = row_of(ask->keys[i], versions_at(&shard->versions, ask->keys[i], at));
    for (unsigned i = 0; ask->scope != SCOPE_NONE && i < m->key_count; i++) {
        const struct stored_version *v = versions_at(&shard->versions, m->keys[i], at);

        if (catalog_table(m->catalog, m->keys[i]) == m->catalog->scopes.at[ask->scope].table &&
            version_is_row(v) && catalog_matches(m->catalog, ask->scope, version_row(v)))
            rows[count++] = row_of(m->keys[i], v);
    }
    answer->rows = rows;
    answer->row_count = count;
    answer->index = shard->applied;
}
