#include "trial/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "tests/fixture.h"
#include "trial/scenario/keys_private.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define BANK "name = \"x\"\n[workload]\nkind = \"bank\"\n"
#define PROGRAM "name = \"x\"\n[workload]\nprogram = \"x.sql\"\n"
#define MINIMAL "name = \"x\"\n[workload]\nkind = \"ping\"\n"

static struct scenario scenario;
static struct error err;
static struct buffer out;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    buffer_clear(&out);
}

void tearDown(void)
{
    buffer_close(&out);
}

static enum status read_with(const char *text, const char *set)
{
    memset(&err, 0, sizeof err);
    return scenario_read(&scenario, "x.toml", text_of(text), &set, set ? 1 : 0, &err);
}

/* The error as a user sees it. */
static const char *said(void)
{
    buffer_clear(&out);
    output_describe(&err, &out);
    buffer_byte(&out, '\0');
    return out.at;
}

static void what_is_absent_has_its_default(void)
{
    ASSERT_OK(read_with(MINIMAL, NULL), &err);
    TEST_ASSERT_EQUAL_STRING("x", scenario.name);
    TEST_ASSERT_EQUAL_UINT64(0, scenario.seed);
    TEST_ASSERT_EQUAL_UINT32(5, scenario.cluster.nodes);
    TEST_ASSERT_EQUAL_INT64(0, scenario.clocks.options.offset_ns_max);
    TEST_ASSERT_EQUAL(GIVEN_CONSTANT, scenario.network.latency.kind);
    TEST_ASSERT_EQUAL_INT64(1 * MS, scenario.network.latency.first_ns);
    TEST_ASSERT_EQUAL_INT64(1 * MS, latency_draw_ns(&scenario.network.link.latency, 7));
    TEST_ASSERT_EQUAL_UINT64(0, scenario.network.link.loss.numerator);
    TEST_ASSERT_EQUAL_INT64(60000 * MS, scenario.workload.duration_ns);
    TEST_ASSERT_EQUAL_INT64(100 * MS, scenario.workload.ping.interval_ns);
    TEST_ASSERT_EQUAL_UINT32(0, scenario.nemesis_count);
}

static void what_is_given_is_taken(void)
{
    ASSERT_OK(read_with("name = \"a \\\"b\\\"\"\nseed = 9_007_199_254_740_991\n"
                        "[cluster]\nnodes = 7\n"
                        "[clocks]\noffset = \"100ms\"\ndrift_ppm = 200\n"
                        "[network]\nloss = 0.001\nlatency = { min = \"1ms\", max = \"3ms\" }\n"
                        "bandwidth = 1_000_000\ncapacity = 20\n"
                        "[workload]\nkind = \"ping\"\ninterval = \"0.5s\"\n"
                        "[[nemesis]]\nkind = \"partition\"\nshape = \"bridge\"\n"
                        "every = \"2s\"\nlasts = \"1s\"\n"
                        "[[nemesis]]\nshape = \"drift\"\nkind = \"clock\"\nstart = \"1m\"\n"
                        "drift_ppm = 10\n",
                        NULL),
              &err);
    TEST_ASSERT_EQUAL_STRING("a \"b\"", scenario.name);
    TEST_ASSERT_EQUAL_UINT64(SEED_MAX, scenario.seed);
    TEST_ASSERT_EQUAL_UINT32(7, scenario.cluster.nodes);
    TEST_ASSERT_EQUAL_INT64(100 * MS, scenario.clocks.options.offset_ns_max);
    TEST_ASSERT_EQUAL_INT32(200, scenario.clocks.options.drift_ppm_max);
    TEST_ASSERT_EQUAL_UINT64(1, scenario.network.link.loss.numerator);
    TEST_ASSERT_EQUAL_UINT64(1000, scenario.network.link.loss.denominator);
    TEST_ASSERT_EQUAL(LATENCY_UNIFORM, scenario.network.link.latency.kind);
    TEST_ASSERT_EQUAL_UINT64(1000000, scenario.network.link.bytes_per_second);
    TEST_ASSERT_EQUAL_UINT32(20, scenario.network.link.in_flight_max);
    TEST_ASSERT_EQUAL_INT64(500 * MS, scenario.workload.ping.interval_ns);
    TEST_ASSERT_EQUAL_UINT32(2, scenario.nemesis_count);
    TEST_ASSERT_EQUAL(SHAPE_PARTITION_BRIDGE, scenario.nemeses[0].shape);
    TEST_ASSERT_EQUAL_INT64(2000 * MS, scenario.nemeses[0].every_ns);
    TEST_ASSERT_EQUAL(SHAPE_CLOCK_DRIFT, scenario.nemeses[1].shape);
    TEST_ASSERT_EQUAL_INT64(60000 * MS, scenario.nemeses[1].start_ns);
    TEST_ASSERT_EQUAL_INT32(10, scenario.nemeses[1].drift_ppm);
}

static void every_mistake_is_named_with_its_place(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "", "x.toml: name is missing: name of the scenario, printed by a run" },
        { "name = \"x\"\n", "x.toml: workload.kind is missing: workload: see "
                            "`ordeal list workloads`" },
        { "name = \"x\"\n\n[workload]\n", "x.toml:3: workload.kind is missing: workload: see "
                            "`ordeal list workloads`" },
        { "nam = \"x\"\n", "x.toml:1: a scenario has no 'nam'; did you mean 'name'?" },
        { MINIMAL "[networks]\n",
          "x.toml:4: a scenario has no 'networks'; did you mean 'network'?" },
        { MINIMAL "[check]\nlevel = \"serialisable\"\n",
          "x.toml:5: there is no level \"serialisable\"; did you mean \"serializable\"?" },
        { MINIMAL "[check]\ncheckers = [\"ordre\"]\n",
          "x.toml:5: there is no checker \"ordre\"; did you mean \"order\"?" },
        { MINIMAL "[check]\ncheckers = \"order\"\n",
          "x.toml:5: check.checkers should be a list such as [\"certificate\"]" },
        { MINIMAL "[zebra]\n", "x.toml:4: a scenario has no 'zebra'" },
        { MINIMAL "[cluster]\n# five\nnodse = 5\n",
          "x.toml:6: cluster has no 'nodse'; did you mean 'nodes'?" },
        { MINIMAL "[cluster]\nnodes = \"5\"\n",
          "x.toml:5: cluster.nodes should be an integer from 1 to 255, not \"5\"" },
        { MINIMAL "[cluster]\nnodes = 0\n",
          "x.toml:5: cluster.nodes should be an integer from 1 to 255, not 0" },
        { MINIMAL "[cluster]\nnodes = 1\n", "x.toml:5: a ping needs at least 2 nodes" },
        { MINIMAL "[cluster]\nnodes = 5.5\n",
          "x.toml:5: cluster.nodes should be an integer from 1 to 255, not 5.5" },
        { MINIMAL "[cluster]\nnodes = [5]\n",
          "x.toml:5: cluster.nodes should be an integer from 1 to 255, not a list" },
        { MINIMAL "[[cluster]]\nnodes = 5\n", "x.toml:4: cluster should be a table: [cluster]" },
        { "seed = -1\n" MINIMAL,
          "x.toml:1: seed should be an integer from 0 to 9007199254740991, not -1" },
        { "seed = 9007199254740992\n" MINIMAL, "x.toml:1: seed should be an integer from 0 to "
                                               "9007199254740991, not 9007199254740992" },
        { "seed = 99999999999999999999\n" MINIMAL, "x.toml:1: seed should be an integer from 0 to "
                                                   "9007199254740991, not 99999999999999999999" },
        { "name = 5\n", "x.toml:1: name should be a string" },
        { "name = \"\"\n", "x.toml:1: name should be a string of 1 to 199 bytes" },
        { "name = \"\"\"a\nb\"\"\"\n", "x.toml:1: name should be one line" },
        { MINIMAL "[clocks]\noffset = 100\n",
          "x.toml:5: clocks.offset should be a duration such as \"1.5s\" (ns, us, ms, s, m, h), "
          "not 100" },
        { MINIMAL "[clocks]\noffset = \"-1s\"\n",
          "x.toml:5: clocks.offset should be from 0s to 1h, not \"-1s\"" },
        { MINIMAL "[network]\nloss = 1.5\n",
          "x.toml:5: network.loss should be a decimal from 0 to 1 such as 0.001, not 1.5" },
        { MINIMAL "[network]\nloss = \"0.1\"\n",
          "x.toml:5: network.loss should be a decimal from 0 to 1 such as 0.001, not \"0.1\"" },
        { MINIMAL "[network]\nloss = 1e-3\n",
          "x.toml:5: network.loss should be a decimal from 0 to 1 such as 0.001, not 1e-3" },
        { MINIMAL "[network]\nlatency = 5\n",
          "x.toml:5: network.latency should be a duration such as \"1ms\" or a table such as "
          "{ median = \"1ms\", p99 = \"20ms\" }" },
        { MINIMAL "[network]\nlatency = { median = \"1ms\" }\n",
          "x.toml:5: network.latency should have median and p99, or min and max, or mean and "
          "perhaps min, or constant; and tail only with tail_chance" },
        { MINIMAL "[network]\nlatency = { median = \"1ms\", p9 = \"2ms\" }\n",
          "x.toml:5: network.latency has no 'p9'; did you mean 'p99'?" },
        { MINIMAL "[network.latency]\nmedian = \"1ms\"\np99 = \"2 ms\"\n",
          "x.toml:6: network.latency.p99 should be a duration such as \"1.5ms\" (ns, us, ms, s, m, "
          "h)" },
        { MINIMAL "[network]\nlatency = { min = \"1ms\", max = \"2ms\", tail = \"1s\" }\n",
          "x.toml:5: network.latency should have median and p99, or min and max, or mean and "
          "perhaps min, or constant; and tail only with tail_chance" },
        { "name = \"x\"\n[workload]\nkind = \"pong\"\n",
          "x.toml:3: there is no workload \"pong\"; did you mean \"ping\"?" },
        { "name = \"x\"\n[workload]\nkind = \"cobra-heavy\"\n", /* only `generate` makes it */
          "x.toml:3: there is no workload \"cobra-heavy\"; there is rw-register, list-append, bank, long-fork, "
          "set, counter, write-skew, predicate, blindw, ycsb, ping" },
        { MINIMAL "[[nemesis]]\nkind = \"partitoin\"\n",
          "x.toml:5: there is no nemesis \"partitoin\"; did you mean \"partition\"?" },
        { MINIMAL "[[nemesis]]\nkind = \"meteor\"\n",
          "x.toml:5: there is no nemesis \"meteor\"; there is partition, clock, crash, pause, "
          "message, clog, disk" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nshape = \"al\"\n",
          "x.toml:6: there is no crash of shape \"al\"; did you mean \"all\"?" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nshape = \"halves\"\n",
          "x.toml:6: there is no crash of shape \"halves\"; there is one, minority, all, restart" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\n\n[[nemesis]]\n",
          "x.toml:7: nemesis.kind is missing: kind of fault: partition, clock, crash, pause, message, clog or "
          "disk" },
        { MINIMAL "[nemesis]\nkind = \"crash\"\n",
          "x.toml:4: nemesis should be a list of tables: [[nemesis]]" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\namount = \"1s\"\n",
          "x.toml:6: crash one takes no amount" },
        { MINIMAL "[[nemesis]]\nkind = \"clock\"\ndrift_ppm = 5\n",
          "x.toml:6: clock step takes no drift_ppm" },
        { MINIMAL "[[nemesis]]\nkind = \"clock\"\nvictims = \"leadr\"\n",
          "x.toml:6: there is no group of victims \"leadr\"; did you mean \"leader\"?" },
        { MINIMAL "[[nemesis]]\nkind = \"partition\"\nvictims = \"leader\"\n",
          "x.toml:6: partition halves takes no victims" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nvictims = \"pairs\"\n",
          "x.toml:4: crash one cannot have the victims pairs" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nshard = 1\n",
          "x.toml:4: shard is for victims = \"leader\"" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nnodes = [1]\n",
          "x.toml:4: nodes and victims = \"nodes\" go together" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nvictims = \"nodes\"\nnodes = [5]\n",
          "x.toml:4: there is no node 5" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nnodes = [-1]\n",
          "x.toml:6: nemesis.nodes should list numbers of nodes, from 0" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nnodes = 1\n",
          "x.toml:6: nemesis.nodes should be a list of 1 to 16 nodes such as [0, 2]" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nat = \"1s\"\n",
          "x.toml:6: nemesis.at should be a list of 1 to 64 durations such as "
          "[\"1s\", \"3.5s\"]" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nat = [\"1s\",\n\"1s\"]\n",
          "x.toml:7: nemesis.at should rise from one time to the next" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nat = [\"soon\"]\n",
          "x.toml:6: nemesis.at should list durations such as \"3.5s\", up to 69h" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nat = [\"1s\"]\nevery = \"1s\"\n",
          "x.toml:4: at says when: it goes without start and every" },
        { MINIMAL "[[nemesis]]\nkind = \"crash\"\nat = [\"1s\", \"2s\"]\n",
          "x.toml:4: at lists more than one time: it needs lasts" },
        { MINIMAL "[[nemesis]]\nkind = \"message\"\nshape = \"loss\"\nchance = 0\n",
          "x.toml:4: chance must be more than 0, and 1 at most" },
        { MINIMAL "[[nemesis]]\nkind = \"disk\"\nfactor = 1\n",
          "x.toml:6: nemesis.factor should be an integer from 2 to 1000000, not 1" },
        { MINIMAL "[[nemesis]]\nkind = \"clog\"\n",
          "x.toml:4: clog link needs lasts: it ends by itself" },
        { MINIMAL "[[nemesis]]\nkind = \"disk\"\nshape = \"lying-sync\"\n",
          "x.toml:4: disk lying-sync is outside the fault model: it needs outside = true" },
        { MINIMAL "[[nemesis]]\nkind = \"disk\"\noutside = true\n",
          "x.toml:6: disk slow takes no outside" },
        { MINIMAL "[[nemesis]]\nkind = \"disk\"\noutside = 1\n",
          "x.toml:6: nemesis.outside should be true or false, not 1" },
        { MINIMAL "[swarm]\nkind = [\"crash\"]\n",
          "x.toml:5: swarm has no 'kind'; did you mean 'kinds'?" },
        { MINIMAL "[swarm]\nkinds = [\"crush\"]\n",
          "x.toml:5: there is no nemesis \"crush\"; did you mean \"crash\"?" },
        { MINIMAL "[swarm]\nkinds = \"all\"\n",
          "x.toml:5: swarm.kinds should be a list such as [\"partition\", \"crash\"]" },
        { MINIMAL "[disk]\ntorn = 2\n",
          "x.toml:5: disk.torn should be a decimal from 0 to 1 such as 0.001, not 2" },
        { MINIMAL "[[nemesis]]\nkind = \"partition\"\nshape = \"bridge\"\n[cluster]\nnodes = 2\n",
          "x.toml:4: partition bridge needs at least 3 nodes" },
        { "name = \n", "x.toml:1: not TOML: syntax error" },
        { BANK "[cluster]\nprotocol = \"mvot\"\n",
          "x.toml:5: there is no protocol \"mvot\"; did you mean \"mvto\"?" },
        { BANK "[cluster]\nprotocol = \"paxos\"\n",
          "x.toml:5: there is no protocol \"paxos\"; there is mvto, 2pl, occ, ssi, si, rc, causal, "
          "eventual" },
        { BANK "[cluster]\nprotocol = 2\n", "x.toml:5: cluster.protocol should be a string" },
        { BANK "[cluster]\nbugs = \"ack-before-sync\"\n",
          "x.toml:5: cluster.bugs should be a list such as [\"ack-before-sync\"]" },
        { BANK "[cluster]\nbugs = [\n\"ack-before-sink\"]\n",
          "x.toml:6: there is no bug \"ack-before-sink\"; did you mean \"ack-before-sync\"?" },
        { BANK "[cluster]\nbugs = [1]\n", "x.toml:5: cluster.bugs should list bugs by name" },
        { BANK "[cluster]\nbugs = [\"no-predicate-locks\"]\n",
          "x.toml:5: the bug no-predicate-locks is of 2pl, not of mvto" },
        { BANK "[cluster]\nprotocol = \"causal\"\nbugs = [\"ack-before-sync\"]\n",
          "x.toml:6: the bug ack-before-sync is of raft, not of causal" },
        { BANK "[cluster]\nnodes = 3\nreplicas = 5\n",
          "x.toml:6: 5 replicas of a shard need as many nodes, not 3" },
        { BANK "[cluster]\nnodes = 2\n",
          "x.toml:5: 3 replicas of a shard need as many nodes, not 2" },
        { BANK "[cluster]\nshards = 65\n",
          "x.toml:5: cluster.shards should be an integer from 1 to 64, not 65" },
        { BANK "[cluster]\nreplicas = 0\n",
          "x.toml:5: cluster.replicas should be an integer from 1 to 9, not 0" },
        { BANK "[clocks]\nmax_ofset = \"1s\"\n",
          "x.toml:5: clocks has no 'max_ofset'; did you mean 'max_offset'?" },
        { "name = \"x\"\n[workload]\nkind = \"bnak\"\n",
          "x.toml:3: there is no workload \"bnak\"; did you mean \"bank\"?" },
        { BANK "kesy = 3\n", "x.toml:4: workload has no 'kesy'; did you mean 'keys'?" },
        { BANK "keys = 0\n",
          "x.toml:4: keys must be an integer between 1 and 1000000, not '0'" },
        { BANK "keys = [1]\n", "x.toml:4: workload.keys should be a number or a string" },
        { BANK "choice = \"zipff\"\n",
          "x.toml:4: choice has no 'zipff'; did you mean 'zipf'?" },
        { BANK "group = 3\n", "x.toml:4: bank has no 'group'" },
        { BANK "interval = \"1s\"\n", "x.toml:4: the workload bank has no 'interval'" },
        { BANK "load = \"load(1)\"\n", "x.toml:4: the workload bank has no 'load'" },
        { MINIMAL "sessions = 3\n", "x.toml:4: the workload ping has no 'sessions'" },
        { BANK "sessions = 901\n",
          "x.toml:4: workload.sessions should be an integer from 1 to 900, not 901" },
        { BANK "attempts = 0\n",
          "x.toml:4: workload.attempts should be an integer from 1 to 256, not 0" },
        { BANK "program = \"x.sql\"\n", "x.toml:3: a workload has a kind or a program, not both" },
        { PROGRAM, "x.toml:2: workload.call is missing: which functions of the program are "
                   "called" },
        { PROGRAM "keys = 3\n", "x.toml:4: the workload program has no 'keys'" },
        { PROGRAM "[workload.call]\nprocedure = \"f\"\n",
          "x.toml:4: workload.call should be a list of tables: [[workload.call]]" },
        { PROGRAM "[[workload.call]]\nprocedur = \"f\"\n",
          "x.toml:5: workload.call has no 'procedur'; did you mean 'procedure'?" },
        { PROGRAM "[[workload.call]]\nweight = 1\n",
          "x.toml:4: workload.call.procedure is missing: what is called" },
        { PROGRAM "[[workload.call]]\nprocedure = \"f\"\nweight = 0\n",
          "x.toml:6: workload.call.weight should be an integer from 1 to 1000000" },
        { PROGRAM "[[workload.call]]\nprocedure = \"f\"\narguments = \"1\"\n",
          "x.toml:6: workload.call.arguments should be a list of at most 32 strings such as "
          "[\"uniform(1,100)\"]" },
        { PROGRAM "[[workload.call]]\nprocedure = \"f\"\narguments = [\"\"]\n",
          "x.toml:6: workload.call.arguments should be a string of 1 to 199 bytes" },
        { BANK "[invariant]\nquery = \"SELECT 1\"\n",
          "x.toml:4: invariant should be a list of tables: [[invariant]]" },
        { BANK "[[invariant]]\nequals = 1\n",
          "x.toml:4: invariant.query is missing: SELECT of one value, evaluated over the final rows" },
        { BANK "[[invariant]]\nquery = \"SELECT 1\"\nequals = true\n",
          "x.toml:6: invariant.equals should be a string" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read_with(rows[i].text, NULL), rows[i].message);
        TEST_ASSERT_EQUAL_STRING(rows[i].message, said());
    }
}

static void a_set_value_overrides_and_is_blamed_by_name(void)
{
    ASSERT_OK(read_with(MINIMAL, "cluster.nodes=7"), &err);
    TEST_ASSERT_EQUAL_UINT32(7, scenario.cluster.nodes);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, read_with(MINIMAL, "cluster.nodes=700"));
    TEST_ASSERT_EQUAL_STRING("ordeal: --set cluster.nodes=700: cluster.nodes should be an integer "
                             "from 1 to 255, not 700",
                             said());
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, read_with(MINIMAL, "cluster.nodse=7"));
    TEST_ASSERT_EQUAL_STRING("ordeal: --set cluster.nodse=7: cluster has no 'nodse'; did you mean "
                             "'nodes'?",
                             said());
}

static void what_a_store_is_given_is_taken(void)
{
    ASSERT_OK(read_with("name = \"x\"\n"
                        "[cluster]\nnodes = 7\nshards = 8\nreplicas = 5\nprotocol = \"2pl\"\n"
                        "bugs = [\"upgrade-race\", \"vote-not-persisted\"]\n"
                        "[clocks]\nmax_offset = \"1s\"\n"
                        "[workload]\nkind = \"ycsb\"\nsessions = 3\ntransactions = 1_000\n"
                        "think = \"5ms\"\ntimeout = \"1s\"\npatience = \"2s\"\nattempts = 4\n"
                        "backoff = \"1ms\"\nkeys = 9\ntheta = 0.5\nchoice = \"hot\"\n"
                        "[[invariant]]\nquery = \"SELECT 1\"\nequals = 1\n"
                        "[[invariant]]\nquery = \"SELECT 'a'\"\nequals = \"a\"\n",
                        NULL),
              &err);
    TEST_ASSERT_EQUAL_UINT32(8, scenario.cluster.shards);
    TEST_ASSERT_EQUAL_UINT32(5, scenario.cluster.replicas);
    TEST_ASSERT_EQUAL_PTR(store_protocol(TEXT("2pl")), scenario.cluster.protocol);
    TEST_ASSERT_TRUE(scenario.cluster.bugs.on[BUG_UPGRADE_RACE]);
    TEST_ASSERT_TRUE(scenario.cluster.bugs.on[BUG_VOTE_NOT_PERSISTED]);
    TEST_ASSERT_FALSE(scenario.cluster.bugs.on[BUG_ACK_BEFORE_SYNC]);
    TEST_ASSERT_EQUAL_INT64(1000 * MS, scenario.clocks.max_offset_ns);
    TEST_ASSERT_EQUAL(WORKLOAD_BUILTIN, scenario.workload.kind);
    TEST_ASSERT_EQUAL_STRING("ycsb", scenario.workload.builtin.workload->name);
    TEST_ASSERT_EQUAL_UINT32(3, scenario.workload.sessions);
    TEST_ASSERT_EQUAL_UINT64(1000, scenario.workload.client.transactions);
    TEST_ASSERT_EQUAL_INT64(5 * MS, scenario.workload.client.think_ns);
    TEST_ASSERT_EQUAL_INT64(1000 * MS, scenario.workload.client.request_timeout_ns);
    TEST_ASSERT_EQUAL_INT64(2000 * MS, scenario.workload.client.patience_ns);
    TEST_ASSERT_EQUAL_UINT32(4, scenario.workload.client.attempts_max);
    TEST_ASSERT_EQUAL_INT64(1 * MS, scenario.workload.client.backoff_ns);
    TEST_ASSERT_EQUAL_UINT64(9, scenario.workload.builtin.values[PARAMETER_KEYS].numerator);
    TEST_ASSERT_EQUAL_UINT32(2, scenario.invariant_count);
    TEST_ASSERT_EQUAL_STRING("1", scenario.invariants[0].equals);
    TEST_ASSERT_EQUAL_STRING("a", scenario.invariants[1].equals);
}

static void a_store_without_words_is_the_usual_one(void)
{
    ASSERT_OK(read_with(BANK, NULL), &err);
    TEST_ASSERT_EQUAL_UINT32(5, scenario.cluster.nodes);
    TEST_ASSERT_EQUAL_UINT32(4, scenario.cluster.shards);
    TEST_ASSERT_EQUAL_UINT32(3, scenario.cluster.replicas);
    TEST_ASSERT_EQUAL_PTR(store_protocol(TEXT("mvto")), scenario.cluster.protocol);
    TEST_ASSERT_EQUAL_UINT32(20, scenario.workload.sessions);
    TEST_ASSERT_EQUAL_UINT64(10000, scenario.workload.client.transactions);
    TEST_ASSERT_EQUAL_INT64(250 * MS, scenario.clocks.max_offset_ns);
    for (int i = 0; i < BUG_COUNT; i++)
        TEST_ASSERT_FALSE(scenario.cluster.bugs.on[i]);
}

static void a_program_stands_beside_its_scenario(void)
{
    static const char text[] = PROGRAM "load = \"load(1)\"\n"
                                       "[[workload.call]]\nprocedure = \"f\"\nweight = 3\n"
                                       "arguments = [\"uniform(1, 2)\", 7]\n\n"
                                       "[[workload.call]]\nprocedure = \"g\"\n";

    ASSERT_OK(scenario_read(&scenario, "some/where/y.toml", text_of(text), NULL, 0, &err), &err);
    TEST_ASSERT_EQUAL(WORKLOAD_PROGRAM, scenario.workload.kind);
    TEST_ASSERT_EQUAL_STRING("some/where/x.sql", scenario.workload.program);
    TEST_ASSERT_EQUAL_STRING("load(1)", scenario.workload.load);
    TEST_ASSERT_EQUAL_UINT32(2, scenario.workload.calls.count);
    TEST_ASSERT_EQUAL_UINT32(3, scenario.workload.calls.at[0].weight);
    TEST_ASSERT_EQUAL_STRING("7", scenario.workload.calls.at[0].arguments[1]);
    TEST_ASSERT_EQUAL_UINT32(1, scenario.workload.calls.at[1].weight);
    TEST_ASSERT_EQUAL_UINT64(5, scenario.lines.calls[0]);
    TEST_ASSERT_EQUAL_UINT64(10, scenario.lines.calls[1]);
    TEST_ASSERT_EQUAL_UINT64(4, scenario.lines.load);
}

static void every_bug_is_taken_by_its_protocols_alone(void)
{
    for (int i = 0; i < BUG_COUNT; i++)
        for (const char *const *name = store_protocol_names(); *name; name++) {
            struct store_protocol_facts facts =
                store_protocol_facts(store_protocol(text_of(*name)));
            struct buffer text = { 0 };

            buffer_print(&text, BANK "[cluster]\nprotocol = \"%s\"\nbugs = [\"%s\"]\n", *name,
                         bug_entry((enum bug)i)->name);
            memset(&err, 0, sizeof err);
            TEST_ASSERT_EQUAL(bug_is_of((enum bug)i, facts.name, facts.on_raft) ? STATUS_OK
                                                                                : STATUS_BAD_INPUT,
                              scenario_read(&scenario, "x", (struct text){ text.at, text.count },
                                            NULL, 0, &err));
            buffer_close(&text);
        }
}

static void more_nemeses_than_there_is_room_for_are_refused(void)
{
    struct buffer text = { 0 };

    buffer_text(&text, text_of(MINIMAL));
    for (int i = 0; i < NEMESIS_COUNT_MAX; i++)
        buffer_text(&text, TEXT("[[nemesis]]\nkind = \"crash\"\n"));
    ASSERT_OK(scenario_read(&scenario, "x", (struct text){ text.at, text.count }, NULL, 0, &err),
              &err);
    buffer_text(&text, TEXT("[[nemesis]]\nkind = \"crash\"\n"));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, scenario_read(&scenario, "x",
                                                      (struct text){ text.at, text.count }, NULL, 0,
                                                      &err));
    TEST_ASSERT_EQUAL_STRING("x:68: there are more than 32 of [[nemesis]]", said());
    buffer_close(&text);
}

static void a_printed_scenario_reads_back_and_prints_the_same(void)
{
    static const char *const texts[] = {
        MINIMAL,
        MINIMAL "[network]\nlatency = { mean = \"5ms\", min = \"1ms\" }\nloss = 0.25\n"
                "bandwidth = 7\n",
        MINIMAL "[network.latency]\nmedian = \"1ms\"\np99 = \"20ms\"\ntail = \"0.2s\"\n"
                "tail_chance = 0.001\n",
        MINIMAL "[[nemesis]]\nkind = \"clock\"\nshape = \"drift\"\ndrift_ppm = 3\n"
                "[[nemesis]]\nkind = \"pause\"\nevery = \"1.5s\"\n",
        MINIMAL "[[nemesis]]\nkind = \"message\"\nshape = \"reorder\"\nat = [\"1s\", \"2500ms\"]\n"
                "lasts = \"1s\"\nvictims = \"leader\"\nshard = 0\nchance = 0.25\ndelay = \"1us\"\n"
                "[[nemesis]]\nkind = \"disk\"\nshape = \"lying-sync\"\noutside = true\n"
                "victims = \"nodes\"\nnodes = [0, 3]\n"
                "[[nemesis]]\nkind = \"crash\"\nshape = \"restart\"\nwhile_writing = true\n"
                "[[nemesis]]\nkind = \"disk\"\nfactor = 3\n",
        MINIMAL "[disk]\nread = { mean = \"5ms\", min = \"1ms\" }\ntorn = 0.5\n"
                "[swarm]\nkinds = [\"disk\", \"crash\"]\n",
        BANK "[cluster]\nnodes = 1\nreplicas = 1\nbugs = [\"serves-above-ceiling\"]\n"
             "[[invariant]]\nquery = \"SELECT \\\"a\\\" FROM b\"\nequals = 1.50\n",
        BANK "abort_percent = 3\nchoice = \"hot\"\nhot_share = 0.25\nthink = \"1ms\"\n"
             "[clocks]\nmax_offset = \"3s\"\n",
        "name = \"x\"\n[workload]\nprogram = \"/x/y.sql\"\nload = \"load('1')\"\n"
        "[[workload.call]]\nprocedure = \"f\"\narguments = [\"'a' || fresh\"]\n"
        "[[workload.call]]\nprocedure = \"g\"\nweight = 7\n",
        "name = \"quo\\\"te \\\\ ü\"\nseed = 3\n[workload]\nkind = \"ping\"\n",
    };

    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        struct scenario again;
        struct buffer second = { 0 };

        ASSERT_OK(read_with(texts[i], NULL), &err);
        buffer_clear(&out);
        scenario_print(&scenario, &out);
        ASSERT_OK(scenario_read(&again, "printed", (struct text){ out.at, out.count }, NULL, 0,
                                &err),
                  &err);
        scenario_print(&again, &second);
        TEST_ASSERT_TRUE(text_equal((struct text){ out.at, out.count },
                                    (struct text){ second.at, second.count }));
        TEST_ASSERT_EQUAL_MEMORY(&scenario.nemeses, &again.nemeses, sizeof again.nemeses);
        TEST_ASSERT_EQUAL_STRING(scenario.name, again.name);
        TEST_ASSERT_EQUAL_UINT32(scenario.swarm.kinds, again.swarm.kinds);
        TEST_ASSERT_EQUAL_MEMORY(&scenario.disk.config, &again.disk.config,
                                 sizeof again.disk.config);
        TEST_ASSERT_EQUAL_MEMORY(&scenario.workload, &again.workload, sizeof again.workload);
        buffer_close(&second);
    }
}

static void a_file_that_is_not_there_is_named(void)
{
    TEST_ASSERT_EQUAL(STATUS_IO, scenario_load(&scenario, "/nowhere/x.toml", NULL, 0, &err));
    TEST_ASSERT_EQUAL_STRING("/nowhere/x.toml: cannot read: No such file or directory", said());
    memset(&err, 0, sizeof err);
    TEST_ASSERT_EQUAL(STATUS_IO, scenario_load(&scenario, "/", NULL, 0, &err));
    TEST_ASSERT_EQUAL_STRING("/: cannot read: Is a directory", said());
}

/* The reference and the table of keys must not drift apart. */
static void the_reference_mentions_every_key(void)
{
    static char text[100000];
    FILE *file = fopen("docs/scenarios.md", "rb");
    size_t length;

    if (!file)
        TEST_IGNORE_MESSAGE("docs/scenarios.md is not here: run from the root of the tree");
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    for (size_t i = 0; i < scenario_section_count; i++)
        for (size_t k = 0; k < scenario_sections[i].count; k++) {
            const struct section_key *row = &scenario_sections[i].rows[k];
            char wanted[100];

            snprintf(wanted, sizeof wanted, "| `%s` |", row->name);
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, wanted), wanted);
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, row->help), row->help);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_absent_has_its_default);
    RUN_TEST(what_is_given_is_taken);
    RUN_TEST(every_mistake_is_named_with_its_place);
    RUN_TEST(a_set_value_overrides_and_is_blamed_by_name);
    RUN_TEST(what_a_store_is_given_is_taken);
    RUN_TEST(a_store_without_words_is_the_usual_one);
    RUN_TEST(a_program_stands_beside_its_scenario);
    RUN_TEST(every_bug_is_taken_by_its_protocols_alone);
    RUN_TEST(more_nemeses_than_there_is_room_for_are_refused);
    RUN_TEST(a_printed_scenario_reads_back_and_prints_the_same);
    RUN_TEST(a_file_that_is_not_there_is_named);
    RUN_TEST(the_reference_mentions_every_key);
    return UNITY_END();
}
