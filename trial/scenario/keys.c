#include "trial/scenario/keys_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/quantity.h"
#include "trial/scenario/database_private.h"
#include "trial/scenario/latency.h"
#include "trial/scenario/nemesis_private.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/store_private.h"
#include "trial/scenario/schedule_private.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)

#define NONE "" /* as a default */
#define REQUIRED NULL

#define TOP(field) offsetof(struct scenario, field)
#define CLUSTER(field) offsetof(struct scenario_cluster, field)
#define CLOCKS(field) offsetof(struct scenario_clocks, field)
#define NETWORK(field) offsetof(struct scenario_network, field)
#define DISK(field) offsetof(struct scenario_disk, field)
#define WORKLOAD(field) offsetof(struct scenario_workload, field)
#define DATABASE(field) offsetof(struct scenario_database, field)
#define SWARM(field) offsetof(struct swarm_options, field)
#define FAULT(field) offsetof(struct nemesis_options, field)
#define TURN(field) offsetof(struct scenario_transaction, field)
#define CAPSULE(field) offsetof(struct scenario_capsule, field)
#define EXPLORE(field) offsetof(struct steering_options, field)
#define STEP(field) offsetof(struct scenario_step, field)

static const struct section_key top_rows[] = {
    { "name", KEY_NAME, TOP(name), 0, 0, REQUIRED, "name of the scenario, printed by a run", 0 },
    { "seed", KEY_SEED, TOP(seed), 0, SEED_MAX, "0",
      "seed of all random draws; --seed overrides it", 0 },
};

static const struct section_key cluster_rows[] = {
    { "nodes", KEY_COUNT, CLUSTER(nodes), 1, 255, "5", "number of nodes", 0 },
    { "shards", KEY_COUNT, CLUSTER(shards), 1, STORE_SHARDS_MAX, "4",
      "number of shards; each holds a part of the rows", 0 },
    { "replicas", KEY_COUNT, CLUSTER(replicas), 1, STORE_REPLICAS_MAX, "3",
      "number of nodes that hold a copy of each shard", 0 },
    { "protocol", KEY_PROTOCOL, CLUSTER(protocol), 0, 0, "mvto",
      "concurrency control: see `ordeal list protocols`", 0 },
    { "bugs", KEY_BUGS, CLUSTER(bugs), 0, 0, NONE,
      "list of bugs to switch on: see `ordeal list bugs`", 0 },
    { "heartbeat", KEY_DURATION, CLUSTER(heartbeat_ns), 1, HOUR, "50ms",
      "time between two heartbeats of a leader", 0 },
    { "election", KEY_DURATION, CLUSTER(election_ns), 1, HOUR, "300ms",
      "election timeout: a leader that is silent for one to two times this long is replaced", 0 },
    { "snapshot_entries", KEY_COUNT, CLUSTER(snapshot_entries), 1, 1000000, "2000",
      "number of log entries after which a snapshot replaces them", 0 },
    { "retention", KEY_DURATION, CLUSTER(retention_ns), 1, HOUR, "10s",
      "time for which old versions and outcomes are kept", 0 },
    { "ask_timeout", KEY_DURATION, CLUSTER(ask_timeout_ns), 1, HOUR, "100ms",
      "time after which a coordinator repeats a request to a shard; it doubles each time", 0 },
    { "in_doubt", KEY_DURATION, CLUSTER(in_doubt_ns), 2, HOUR, "1s",
      "time after which a shard asks for the outcome of a prepared transaction; after twice "
      "this, the anchor aborts it",
      0 },
    { "wait", KEY_DURATION, CLUSTER(wait_ns), 1, HOUR, "5s",
      "longest wait at a leader, for a lock or a decision; then the request is refused", 0 },
    { "gossip", KEY_DURATION, CLUSTER(gossip_ns), 1, HOUR, "20ms",
      "time between two gossip messages, of protocols with several leaders", 0 },
};

static const struct section_key clock_rows[] = {
    { "offset", KEY_DURATION, CLOCKS(options.offset_ns_max), 0, HOUR, "0s",
      "largest initial error of a node's wall clock", 0 },
    { "drift_ppm", KEY_PPM, CLOCKS(options.drift_ppm_max), 0, CLOCK_DRIFT_PPM_MAX, "0",
      "largest drift of a clock, in millionths", 0 },
    { "max_offset", KEY_DURATION, CLOCKS(max_offset_ns), 0, HOUR, "250ms",
      "largest clock error that the store assumes", 0 },
};

static const struct section_key network_rows[] = {
    { "latency", KEY_LATENCY, NETWORK(latency), 0, LATENCY_GIVEN_MAX_NS, "1ms",
      "latency of a message", 0 },
    { "loss", KEY_PROBABILITY, NETWORK(link.loss), 0, 0, "0", "probability that a message is lost", 0 },
    { "duplicate", KEY_PROBABILITY, NETWORK(link.duplicate), 0, 0, "0",
      "probability that a message arrives twice", 0 },
    { "reorder", KEY_PROBABILITY, NETWORK(link.reorder), 0, 0, "0", "probability that a message is delayed", 0 },
    { "reorder_delay", KEY_DURATION, NETWORK(link.reorder_delay_ns_max), 0, HOUR, "10ms",
      "largest such delay", 0 },
    { "bandwidth", KEY_SIZE, NETWORK(link.bytes_per_second), 1, INT64_C(1000000000000), NONE,
      "bytes per second that a link carries", 0 },
    { "capacity", KEY_COUNT, NETWORK(link.in_flight_max), 1, 1000000, NONE,
      "largest number of messages on a link at once; beyond it the oldest is lost", 0 },
};

static const struct section_key disk_rows[] = {
    { "read", KEY_LATENCY, DISK(read), 0, LATENCY_GIVEN_MAX_NS, "100us",
      "latency of a read", 0 },
    { "write", KEY_LATENCY, DISK(write), 0, LATENCY_GIVEN_MAX_NS, "10us",
      "latency of a write, which ends in the system's memory", 0 },
    { "sync", KEY_LATENCY, DISK(sync), 0, LATENCY_GIVEN_MAX_NS, "1ms",
      "latency of a sync, which makes the writes before it durable", 0 },
    { "page", KEY_DURATION, DISK(config.page_ns), 0, SECOND, "1us",
      "additional time for each 4 KiB", 0 },
    { "torn", KEY_PROBABILITY, DISK(faults.torn), 0, 0, "0",
      "probability that a crash leaves an unsynced page half written", 0 },
};

#define PING (1u << WORKLOAD_PING)
#define BUILTIN (1u << WORKLOAD_BUILTIN)
#define PROGRAM (1u << WORKLOAD_PROGRAM)
#define SCHEDULE (1u << WORKLOAD_SCHEDULE)
/* The same, where transactions are listed. */
#define LISTED_BUILTIN (1u << WORKLOAD_KIND_COUNT)
#define LISTED_PROGRAM (2u << WORKLOAD_KIND_COUNT)
#define LISTED (LISTED_BUILTIN | LISTED_PROGRAM)
#define CLIENT(field) WORKLOAD(client.field)

/* `program` comes before `kind`, which knows then what it may be. */
static const struct section_key workload_rows[] = {
    { "program", KEY_PATH, WORKLOAD(program), 0, SCENARIO_PATH_SIZE - 1, NONE,
      "file of SQL whose functions are called, instead of a `kind`", 0 },
    { "kind", KEY_WORKLOAD, 0, 0, 0, REQUIRED,
      "workload: see `ordeal list workloads`", 0 },
    { "load", KEY_LINE, WORKLOAD(load), 0, SCENARIO_CALL_SIZE - 1, NONE,
      "the call that makes the rows there are at first, such as \"load(100)\"",
      PROGRAM | LISTED_PROGRAM | SCHEDULE },
    { "call", KEY_CALLS, WORKLOAD(calls), 0, 0, NONE,
      "what is called, how often and with what: [[workload.call]]", PROGRAM },
    { "sessions", KEY_COUNT, WORKLOAD(sessions), 1, STORE_SESSIONS_MAX, "20",
      "number of clients", BUILTIN | PROGRAM | LISTED },
    { "transactions", KEY_SIZE, CLIENT(transactions), 1, INT64_C(1000000000), "10000",
      "number of transactions of all sessions together; repeated attempts count once", BUILTIN | PROGRAM },
    { "think", KEY_DURATION, CLIENT(think_ns), 0, HOUR, "0s",
      "mean pause of a session between two transactions", BUILTIN | PROGRAM },
    { "timeout", KEY_DURATION, CLIENT(request_timeout_ns), 1, HOUR, "400ms",
      "time after which an unanswered statement is sent again",
      BUILTIN | PROGRAM | SCHEDULE | LISTED },
    { "patience", KEY_DURATION, CLIENT(patience_ns), 1, HOUR, "5s",
      "time after which an unanswered statement is given up", BUILTIN | PROGRAM | LISTED },
    { "attempts", KEY_COUNT, CLIENT(attempts_max), 1, STORE_ATTEMPTS_MAX, "10",
      "largest number of attempts of an aborted transaction", BUILTIN | PROGRAM },
    { "backoff", KEY_DURATION, CLIENT(backoff_ns), 1, HOUR, "5ms",
      "approximate pause before the second attempt; it doubles each time", BUILTIN | PROGRAM | LISTED },
    { "duration", KEY_DURATION, WORKLOAD(duration_ns), 1, DAY, "60s",
      "virtual time after which faults end and clients begin no more transactions", 0 },
    { "settle", KEY_DURATION, WORKLOAD(settle_ns), 1, DAY, "30s",
      "virtual time that the healed world has to recover, longer than `interval`; "
      "else it is stuck", 0 },
    { "interval", KEY_DURATION, WORKLOAD(ping.interval_ns), 1, HOUR, "100ms",
      "time between two pings of a node, on its own clock", PING },
    { "suspect", KEY_DURATION, WORKLOAD(ping.suspect_ns), 1, HOUR, "1s",
      "time after which a silent peer is suspected", PING },
#define PARAMETER_ROW(enumerator, name, kind, low, high, help)                                     \
    { name, KEY_PARAMETER, 0, 0, 0, NONE, help, BUILTIN | LISTED_BUILTIN },
    BUILTIN_PARAMETERS(PARAMETER_ROW)
#undef PARAMETER_ROW
};

static unsigned workload_subject(const void *values, const char **word)
{
    const struct scenario_workload *workload = values;

    *word = workload->kind == WORKLOAD_BUILTIN ? workload->builtin.workload->name
                                               : scenario_workload_name(workload->kind);
    if (workload->is_listed && workload->kind == WORKLOAD_BUILTIN)
        return LISTED_BUILTIN;
    if (workload->is_listed && workload->kind == WORKLOAD_PROGRAM)
        return LISTED_PROGRAM;
    return 1u << workload->kind;
}

static const struct section_key database_rows[] = {
    { "kind", KEY_DATABASE, DATABASE(kind), 0, 0, NONE,
      "a real database that the workload runs on: see `ordeal record recipes`", 0 },
    { "topology", KEY_LINE, DATABASE(topology), 0, DATABASE_LINE_SIZE - 1, NONE,
      "how it is run: see `ordeal record recipes`", 0 },
    { "isolation", KEY_LEVEL, DATABASE(isolation_plus_1), 0, 0, NONE,
      "isolation level that clients ask for (that of [check])", 0 },
    { "certificate", KEY_BOOLEAN, DATABASE(certificate), 0, 0, NONE,
      "if true, the database's own order is recovered (false)", 0 },
    { "settings", KEY_SETTINGS, DATABASE(settings), 0, 0, NONE,
      "list of settings of its server, such as [\"synchronous_commit=off\"]", 0 },
    { "rate", KEY_SIZE, DATABASE(rate), 1, 10000000, NONE,
      "transactions per second of all sessions together (as many as possible)", 0 },
    { "connect", KEY_LINE, DATABASE(connect), 0, SCENARIO_PATH_SIZE - 1, NONE,
      "URI of a server that runs already (one is started)", 0 },
    { "binaries", KEY_LINE, DATABASE(binaries), 0, SCENARIO_PATH_SIZE - 1, NONE,
      "folder of the server's programs", 0 },
};

static const struct section_key invariant_rows[] = {
    { "query", KEY_LINE, offsetof(struct invariant_options, query), 0, INVARIANT_QUERY_SIZE - 1,
      REQUIRED, "SELECT of one value, evaluated over the final rows", 0 },
    { "equals", KEY_EQUALS, offsetof(struct invariant_options, equals), 0,
      INVARIANT_EQUALS_SIZE - 1, REQUIRED, "value that the query must return", 0 },
};

static const struct section_key schedule_rows[] = {
    { "session", KEY_SESSION, STEP(session), 0, 0, REQUIRED, "session of the step: a name or a number", 0 },
    { "do", KEY_DO, STEP(what), 0, 0, REQUIRED,
      "\"begin\", \"commit\", \"abort\", \"await\", or a statement of SQL", 0 },
    { "expect", KEY_EXPECT, STEP(expected), 0, 0, NONE,
      "\"ok\", \"blocked\", \"aborted\", or a list of those that are right", 0 },
    { "rows", KEY_ROWS, STEP(rows), 0, 0, NONE, "rows that the SELECT must return, as in [[1, 10]]", 0 },
};

/* Of a nemesis whose strikes are listed, and of others. */
#define GIVEN (1u << 0)
#define DRAWN (1u << 1)

static unsigned nemesis_subject(const void *values, const char **word)
{
    const struct nemesis_options *options = values;

    *word = nemesis_shape_name(options->shape);
    return options->strike_count > 0 ? GIVEN : DRAWN;
}

static const struct section_key nemesis_rows[] = {
    { "kind", KEY_NEMESIS, FAULT(kind), 0, 0, REQUIRED,
      "kind of fault: partition, clock, crash, pause, message, clog or disk", 0 },
    { "shape", KEY_SHAPE, FAULT(shape), 0, 0, NONE, "shape of the fault", 0 },
    { "start", KEY_DURATION, FAULT(start_ns), 0, DAY, "0s",
      "time of the first strike; 0s means after about `every`", DRAWN },
    { "every", KEY_DURATION, FAULT(every_ns), 0, DAY, "0s",
      "approximate time between strikes; 0s means one strike", DRAWN },
    { "lasts", KEY_DURATION, FAULT(lasts_ns), 0, DAY, "0s",
      "approximate duration of a strike; 0s means until faults end", DRAWN },
    { "at", KEY_TIMES, FAULT(at), 0, 0, NONE,
      "list of exact times of strikes, instead of `start` and `every`", 0 },
    { "victims", KEY_VICTIMS, FAULT(victims), 0, 0, NONE, "nodes or links that it strikes", 0 },
    { "shard", KEY_INDEX, FAULT(shard_plus_1), 0, 1000000, NONE,
      "shard whose leader it strikes (a random one)", 0 },
    { "nodes", KEY_NODES, FAULT(nodes), 0, 0, NONE, "list of the nodes that it strikes", 0 },
    { "amount", KEY_DURATION, FAULT(amount_ns), 1, HOUR, NONE,
      "size of a clock step or offset (250ms)", 0 },
    { "drift_ppm", KEY_PPM, FAULT(drift_ppm), 1, CLOCK_DRIFT_PPM_MAX, NONE,
      "drift of a clock, in millionths (1000)", 0 },
    { "chance", KEY_PROBABILITY, FAULT(chance), 0, 0, NONE,
      "probability that a message, operation or page is affected (0.5)", 0 },
    { "delay", KEY_DURATION, FAULT(delay_ns), 1, HOUR, NONE, "delay of messages (100ms)", 0 },
    { "factor", KEY_COUNT, FAULT(factor), 2, NEMESIS_FACTOR_MAX, NONE,
      "factor by which a disk is slower (10)", 0 },
    { "while_writing", KEY_BOOLEAN, FAULT(while_writing), 0, 0, NONE,
      "if true, a crash waits for writes that are not durable yet, and strikes the writers (false)", 0 },
    { "outside", KEY_BOOLEAN, FAULT(outside), 0, 0, NONE,
      "if true, the fault may leave the fault model (false)", 0 },
    { "strikes", KEY_STRIKES, 0, 0, 0, NONE,
      "all that it does, as in [{ at = \"1s\", lasts = \"20ms\", nodes = [0, 2] }], "
      "instead of times and victims", 0 },
};

static const struct section_key transaction_rows[] = {
    { "session", KEY_COUNT, TURN(session), 0, STORE_SESSIONS_MAX - 1, REQUIRED,
      "number of the session, from 0", 0 },
    { "at", KEY_DURATION, TURN(at_ns), 0, DAY, REQUIRED,
      "time at which the transaction begins; later if the session's previous one is not over", 0 },
    { "node", KEY_COUNT, TURN(node), 0, 254, "0", "node that the session talks to", 0 },
    { "do", KEY_STEPS, TURN(steps), 0, 0, REQUIRED,
      "a list of operations such as [\"r 3\", \"w 6 17\"], or a call: [\"buy(1, 7)\"]", 0 },
};

static const struct section_key capsule_rows[] = {
    { "version", KEY_LINE, CAPSULE(version), 0, sizeof((struct scenario_capsule *)0)->version - 1,
      NONE, "that made this of a longer run: see `ordeal help bisect`", 0 },
    { "from", KEY_LINE, CAPSULE(from), 0, CAPSULE_LINE_SIZE - 1, NONE, "scenario and options that it was made from", 0 },
    { "fails", KEY_LINE, CAPSULE(fails), 0, CAPSULE_LINE_SIZE - 1, NONE, "signature of its failure", 0 },
    { "draws_by_time", KEY_BOOLEAN, CAPSULE(draws_by_time), 0, 0, NONE,
      "what network, disks and nodes draw hangs on the time, not on what they drew before "
      "(false)", 0 },
};

static const struct section_key swarm_rows[] = {
    { "kinds", KEY_KINDS, SWARM(kinds), 0, 0, NONE, "kinds of nemesis that the swarm may draw", 0 },
    { "configuration", KEY_DIMENSIONS, SWARM(dimensions), 0, 0, NONE,
      "dimensions whose settings are drawn unless they are given", 0 },
    { "draws", KEY_DRAWS, SWARM(draws), 0, 0, NONE,
      "seeds of single dimensions, instead of the run's seed, as in { network = 17 }", 0 },
};

static const struct section_key buggify_rows[] = {
    { "sites", KEY_SITES, offsetof(struct buggify_options, sites), 0, 0, NONE,
      "rare paths of the store that are given a chance: see `ordeal list buggify`; \"all\" is all of "
      "the protocol's", 0 },
    { "chance", KEY_PROBABILITY, offsetof(struct buggify_options, chance), 0, 0, "0.25",
      "probability of each path where it is asked for rarely; where it is asked for often, "
      "a share of that", 0 },
};

static const struct section_key check_rows[] = {
    { "level", KEY_LEVEL, offsetof(struct check_wishes, level_plus_1), 0, 0, NONE,
      "isolation level that the history must have (what the protocol promises)", 0 },
    { "checkers", KEY_CHECKERS, 0, 0, 0, NONE,
      "list of the checkers that judge the history (all that can); [] for none", 0 },
    { "audit", KEY_BOOLEAN, offsetof(struct check_wishes, audits), 0, 0, NONE,
      "if true, the answers of the program's calls or the schedule's statements are audited, too (false)", 0 },
    { "skip_invariants", KEY_BOOLEAN, offsetof(struct check_wishes, skips_workload), 0, 0, NONE,
      "if true, the invariants of the workload or its program are not judged (false)", 0 },
};

static const struct section_key limits_rows[] = {
    { "events", KEY_SIZE, offsetof(struct scenario_limits, events), 1, INT64_C(1000000000000000), NONE,
      "number of events after which the run is too long (20_000_000, and 1_000 for each "
      "transaction and each second of `duration`)", 0 },
    { "simulated", KEY_DURATION, offsetof(struct scenario_limits, simulated_ns), 1, 7 * DAY, NONE,
      "virtual time after which the run is too long, also while it settles (168h)", 0 },
};

/* What `ordeal explore --store` writes, and `ordeal run` repeats. */
static const struct section_key explore_rows[] = {
    { "window", KEY_DURATION, EXPLORE(window_ns), 1, HOUR, "20ms",
      "by how much a postponed message arrives later", 0 },
    { "down", KEY_DURATION, EXPLORE(down_ns), 1, HOUR, "100ms", "time after which a crashed node restarts", 0 },
    { "apart", KEY_DURATION, EXPLORE(apart_ns), 1, HOUR, "200ms",
      "time for which an isolated node hears nothing of others", 0 },
    { "postponed", KEY_EVENTS, EXPLORE(events[STEERING_POSTPONE]), 0, 0, NONE,
      "list of the events, by number, that are messages and arrive later", 0 },
    { "crashed", KEY_EVENTS, EXPLORE(events[STEERING_CRASH]), 0, 0, NONE,
      "list of the events, by number, behind which the node that handled them crashes", 0 },
    { "isolated", KEY_EVENTS, EXPLORE(events[STEERING_ISOLATE]), 0, 0, NONE,
      "list of the events, by number, behind which the node that handled them is cut off from the others", 0 },
};

static bool is_steered(const struct scenario *scenario)
{
    uint32_t count = 0;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        count += scenario->explore.events[kind].count;
    return count > 0;
}

static bool is_simulated(const struct scenario *scenario)
{
    return !scenario_has_database(scenario);
}

static bool is_capsule(const struct scenario *scenario)
{
    const struct scenario_capsule *capsule = &scenario->capsule;

    return capsule->version[0] != '\0' || capsule->from[0] != '\0' || capsule->fails[0] != '\0' ||
           capsule->draws_by_time;
}

#define SECTION(named, place, its_rows)                                                            \
    { .name = named, .offset = place, .rows = its_rows, .count = ROW_COUNT(its_rows) }
/* Of the simulated world alone. */
#define WORLD_SECTION(named, place, its_rows)                                                      \
    { .name = named, .offset = place, .is_there = is_simulated, .rows = its_rows,                  \
      .count = ROW_COUNT(its_rows) }
#define LIST(named, place, its_rows, size, counted, at_most)                                       \
    { .name = named, .type = SECTION_LIST, .offset = place, .rows = its_rows,                      \
      .count = ROW_COUNT(its_rows), .element_size = size, .count_offset = counted,                 \
      .count_max = at_most }

const struct section scenario_sections[] = {
    SECTION("", 0, top_rows),
    WORLD_SECTION("cluster", TOP(cluster), cluster_rows),
    WORLD_SECTION("clocks", TOP(clocks), clock_rows),
    WORLD_SECTION("network", TOP(network), network_rows),
    WORLD_SECTION("disk", TOP(disk), disk_rows),
    { .name = "workload", .offset = TOP(workload), .rows = workload_rows,
      .count = ROW_COUNT(workload_rows), .subject = workload_subject },
    { .name = "database", .offset = TOP(database), .is_there = scenario_has_database,
      .rows = database_rows, .count = ROW_COUNT(database_rows) },
    WORLD_SECTION("swarm", TOP(swarm), swarm_rows),
    WORLD_SECTION("buggify", TOP(buggify), buggify_rows),
    SECTION("check", TOP(check), check_rows),
    WORLD_SECTION("limits", TOP(limits), limits_rows),
    { .name = "explore", .offset = TOP(explore), .is_there = is_steered, .rows = explore_rows,
      .count = ROW_COUNT(explore_rows) },
    { .name = "nemesis", .type = SECTION_NEMESES, .offset = TOP(nemeses), .rows = nemesis_rows,
      .count = ROW_COUNT(nemesis_rows), .element_size = sizeof(struct nemesis_options),
      .count_offset = TOP(nemesis_count), .count_max = NEMESIS_COUNT_MAX,
      .subject = nemesis_subject },
    LIST("invariant", TOP(invariants), invariant_rows, sizeof(struct invariant_options),
         TOP(invariant_count), INVARIANT_COUNT_MAX),
    { .name = "capsule", .offset = TOP(capsule), .is_there = is_capsule, .rows = capsule_rows,
      .count = ROW_COUNT(capsule_rows) },
    { .name = "transaction", .type = SECTION_TRANSACTIONS, .rows = transaction_rows,
      .count = ROW_COUNT(transaction_rows), .count_max = TRANSACTIONS_MAX },
    LIST("schedule", TOP(steps), schedule_rows, sizeof(struct scenario_step), TOP(step_count),
         SCHEDULE_STEPS_MAX),
};
const size_t scenario_section_count = ROW_COUNT(scenario_sections);
