#include "tests/store/shard/replica_stage.h"

/* --- A log that does as it is told ------------------------------------------------------------ */

struct raft the_raft;

struct raft *raft_open(const struct raft_options *options, const struct raft_host *host,
                       struct pool *pool)
{
    (void)options;
    (void)pool;
    the_raft.host = *host;
    return &the_raft;
}

static void append(struct raft *raft, struct text command)
{
    uint64_t place = ++raft->last % LOG_ENTRIES;

    TEST_ASSERT_LESS_THAN_UINT64(LOG_ENTRIES, raft->last - raft->applied);
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(LOG_BYTES, command.length);
    if (command.length > 0)
        memcpy(raft->bytes[place], command.at, command.length);
    raft->entries[place] = (struct text){ raft->bytes[place], command.length };
    raft->terms[place] = raft->term;
}

uint64_t raft_propose(struct raft *raft, struct text command)
{
    if (!raft->leads)
        return 0;
    append(raft, command);
    return raft->last;
}

bool raft_confirm(struct raft *raft, uint64_t token)
{
    raft->token = token;
    raft->rounds++;
    return raft->leads;
}

bool raft_is_ready(const struct raft *raft)
{
    return raft->leads;
}

uint64_t raft_term(const struct raft *raft)
{
    return raft->term;
}

uint32_t raft_leader(const struct raft *raft)
{
    return raft->leads ? 0 : 2;
}

uint64_t raft_last_index(const struct raft *raft)
{
    return raft->last;
}

/* --- A server that writes down what is sent --------------------------------------------------- */

struct replica replica;
struct server server;
struct cluster cluster;
int64_t now_ns;
struct shard_answer answers[SENT_MAX];
bool answer_to_replica[SENT_MAX];
struct read_row first_rows[SENT_MAX];
unsigned answer_count;
struct sent_ask asks[SENT_MAX];
unsigned ask_count;
unsigned recorded_count;

struct stamp server_now(struct server *s, uint64_t txn)
{
    return stamp_clock_now(&s->clock, now_ns, txn);
}

int64_t server_monotonic_ns(const struct server *s)
{
    (void)s;
    return now_ns;
}

void server_send_answer(struct server *s, uint32_t node, uint32_t shard,
                        const struct shard_answer *answer, bool to_replica)
{
    (void)s;
    (void)node;
    (void)shard;
    TEST_ASSERT_LESS_THAN_UINT(SENT_MAX, answer_count);
    answer_to_replica[answer_count] = to_replica;
    if (answer->row_count > 0)
        first_rows[answer_count] = answer->rows[0];
    answers[answer_count++] = *answer;
}

void server_send_ask(struct server *s, uint32_t node, uint32_t shard, const struct ask *ask)
{
    (void)s;
    TEST_ASSERT_LESS_THAN_UINT(SENT_MAX, ask_count);
    asks[ask_count++] = (struct sent_ask){ node, shard, *ask };
}

void server_send_probe(struct server *s, uint32_t node, const struct ask *ask)
{
    server_send_ask(s, node, UINT32_MAX, ask);
}

void server_send_raft(struct server *s, uint32_t node, uint32_t shard, struct text bytes)
{
    (void)s;
    (void)node;
    (void)shard;
    (void)bytes;
}

/* Shard s lives on the nodes s, s + 1 and s + 2. */
uint32_t cluster_replica_node(const struct cluster *c, uint32_t shard, uint32_t index)
{
    (void)c;
    return shard + index;
}

struct stamp coordinator_now(struct txn *txn)
{
    (void)txn;
    return stamp_never(); /* si has a word at coordinators, too */
}

void record_applied(struct run_record *record, uint64_t txn)
{
    (void)record;
    (void)txn;
}

void record_decision(struct run_record *record, const struct decision *decision)
{
    (void)record;
    (void)decision;
    recorded_count++;
}

/* --- A protocol that reads and admits as si does, and validates keys -------------------------- */

unsigned over_count, lead_count;
enum served lock_says;

static void toy_lead(struct replica *r)
{
    (void)r;
    lead_count++;
}

static enum served toy_lock(struct replica *r, struct waiting_ask *w, struct shard_answer *answer)
{
    (void)r;
    (void)w;
    (void)answer;
    return lock_says;
}

static enum served toy_check(struct replica *r, struct waiting_ask *w, struct vote *vote)
{
    (void)r;
    (void)vote;
    return w->is_confirmed ? SERVED : SERVE_AFTER_ROUND;
}

static void toy_over(struct replica *r, uint64_t txn)
{
    (void)r;
    (void)txn;
    over_count++;
}

static void toy_validate(struct shard *s, const struct prepare *p, uint64_t term, struct vote *vote)
{
    (void)term;
    if (!shard_keys_are_current(s, p))
        vote->refusal = REFUSED_CONFLICT;
}

struct protocol toy = {
    .name = "toy",
    .lead = toy_lead,
    .serve_lock = toy_lock,
    .serve_check = toy_check,
    .over = toy_over,
    .validate = toy_validate,
};

/* --- What the test does ----------------------------------------------------------------------- */

void move_on(void)
{
    replica_retry(&replica);
}

void apply_all(void)
{
    while (the_raft.applied < the_raft.last) {
        uint64_t index = ++the_raft.applied;

        the_raft.host.apply(the_raft.host.context, index, the_raft.terms[index % LOG_ENTRIES],
                            the_raft.entries[index % LOG_ENTRIES]);
    }
    move_on();
}

void take_lead(void)
{
    the_raft.leads = true;
    the_raft.term++;
    append(&the_raft, (struct text){ NULL, 0 });
    apply_all();
    the_raft.host.changed(the_raft.host.context);
}

void lose_lead(void)
{
    the_raft.leads = false;
    the_raft.last = the_raft.applied;
    the_raft.host.changed(the_raft.host.context);
}

void wait_ms(int64_t ms)
{
    for (int64_t end_ns = now_ns + ms * MS; now_ns < end_ns;) {
        now_ns += REPLICA_TICK_NS;
        replica_tick(&replica);
        apply_all();
    }
}

void setUp(void)
{
    static struct equality *equality;

    shard_fixture_open();
    memset(&the_raft, 0, sizeof the_raft);
    memset(&cluster, 0, sizeof cluster);
    memset(&server, 0, sizeof server);
    equality = equality_open(&fixture.pool, 3, 8);
    toy.serve_read = protocol_si.serve_read;
    toy.admit = protocol_si.admit;
    cluster.options.protocol = &toy;
    cluster.options.shards = 3;
    cluster.options.replicas = 3;
    cluster.options.in_doubt_ns = INT64_C(1000000000);
    cluster.options.wait_ns = INT64_C(5000000000);
    for (unsigned id = 0; id < 10; id++)
        key_of(id); /* before the catalog is copied */
    cluster.catalog = fixture.catalog;
    cluster.equality = equality;
    for (unsigned id = 0; id < 3; id++) {
        struct initial_row row = { key_of(id), row_of(id, 10) };
        pool_push(&fixture.pool, &cluster.initial, row);
    }
    server.cluster = &cluster;
    pool_init(&server.pool, &fixture.memory);
    server.out.pool = &server.pool;
    arena_reset_to(&fixture.scratch, 0);
    server.scratch = fixture.scratch;
    now_ns = 1000 * MS;
    answer_count = ask_count = recorded_count = over_count = lead_count = 0;
    lock_says = SERVED;
    replica_open(&replica, &server, 0, &(struct raft_options){ .node = 0 });
    take_lead();
}

void tearDown(void) {}

struct ask ask_of(enum ask_kind kind, uint64_t txn)
{
    static uint32_t number;
    struct ask ask = { .kind = kind,
                       .txn = txn,
                       .number = ++number,
                       .from = 5,
                       .begin = at((int64_t)txn, txn),
                       .scope = SCOPE_NONE };

    return ask;
}

struct ask read_of(uint64_t txn, unsigned id, struct stamp stamp)
{
    struct ask ask = ask_of(ASK_READ, txn);
    uint32_t *key = pool_take(&fixture.pool, sizeof *key);

    *key = key_of(id);
    ask.keys = key;
    ask.key_count = 1;
    ask.at = stamp;
    return ask;
}

struct ask prepare_ask(uint64_t txn, uint32_t anchor, unsigned id, int64_t v)
{
    struct ask ask = ask_of(ASK_PREPARE, txn);

    ask.prepare = prepare_of(txn);
    ask.prepare.begin = ask.begin = at(900 + (int64_t)txn, txn);
    ask.prepare.participants = 7;
    ask.prepare.anchor = anchor;
    prepare_write(&ask.prepare, id, v);
    return ask;
}

struct ask alone_ask(uint64_t txn, unsigned id, int64_t v)
{
    struct ask ask = prepare_ask(txn, 0, id, v);

    ask.prepare.participants = 1;
    ask.prepare.is_alone = true;
    return ask;
}

struct ask outcome_ask(enum ask_kind kind, const struct ask *prepared, bool commits, int64_t ms)
{
    struct ask ask = ask_of(kind, prepared->txn);

    ask.decision = (struct decision){
        .txn = prepared->txn,
        .commits = commits,
        .begin = prepared->prepare.begin,
        .at = at(ms, prepared->txn),
        .place = at(ms, prepared->txn),
        .participants = prepared->prepare.participants,
    };
    ask.from_shard = 1;
    if (kind != ASK_DECIDE)
        ask.number = 0;
    return ask;
}

void prepare_now(const struct ask *ask)
{
    replica_ask(&replica, ask);
    apply_all();
}

const struct shard_answer *last_answer(void)
{
    TEST_ASSERT_GREATER_THAN_UINT(0, answer_count);
    return &answers[answer_count - 1];
}

struct shard_answer answer_of(const struct sent_ask *sent, enum refusal refusal)
{
    return (struct shard_answer){ .kind = sent->ask.kind,
                                  .txn = sent->ask.txn,
                                  .shard = sent->shard,
                                  .refusal = refusal,
                                  .leader = WORLD_NOBODY };
}

uint64_t seen(enum rare_path path)
{
    return cluster.sometimes.counts[path];
}

unsigned asks_of_kind(enum ask_kind kind)
{
    unsigned count = 0;

    for (unsigned i = 0; i < ask_count; i++)
        count += asks[i].ask.kind == kind;
    return count;
}
