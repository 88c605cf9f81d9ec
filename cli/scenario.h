/*
 * scenario: what a scenario file asks for.
 *
 * A file is read into settings, what --set says is put over them, and every
 * setting is then looked up in the table of known keys (cli/scenario_keys.h):
 * unknown keys, wrong types and impossible values are errors with their line.
 * Keys that are absent have the table's defaults, so that a struct scenario is
 * complete; scenario_print() writes all of it, as a file that reads back the same.
 */
#ifndef CLI_SCENARIO_H
#define CLI_SCENARIO_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "nemesis/nemesis.h"
#include "nemesis/swarm.h"
#include "sim/clock.h"
#include "sim/disk.h"
#include "sim/network.h"
#include "sim/ping.h"

#define SCENARIO_NAME_SIZE 200
#define SEED_MAX ((INT64_C(1) << 53) - 1)

/* Latency as it was given: struct latency forgets the percentile it came from. */
enum given_latency_kind { GIVEN_CONSTANT, GIVEN_UNIFORM, GIVEN_EXPONENTIAL, GIVEN_LOGNORMAL };

struct given_latency {
    enum given_latency_kind kind;
    int64_t first_ns, second_ns; /* constant; min, max; min, mean; median, p99 */
    int64_t tail_ns;
    struct ratio tail_chance; /* denominator 0: no tail */
};

/* X(KIND, name, what it is) */
#define WORKLOAD_KINDS(X) X(PING, "ping", "every node pings every other")

enum workload_kind {
#define WORKLOAD_ENUM(kind, name, summary) WORKLOAD_##kind,
    WORKLOAD_KINDS(WORKLOAD_ENUM)
#undef WORKLOAD_ENUM
        WORKLOAD_KIND_COUNT
};

struct scenario_cluster {
    uint32_t nodes;
};

struct scenario_network {
    struct given_latency latency;
    struct link_options link; /* its latency made from the one above */
};

struct scenario_disk {
    struct given_latency read, write, sync;
    /* Latencies made from those above; the counts are for who makes the disks. */
    struct disk_config config;
    struct disk_faults faults; /* what disks suffer without a nemesis */
};

struct scenario_workload {
    enum workload_kind kind;
    int64_t duration_ns; /* faults happen within it */
    int64_t settle_ns;   /* how long the healed world has to recover */
    struct ping_options ping;
};

struct scenario {
    char name[SCENARIO_NAME_SIZE];
    uint64_t seed;
    struct scenario_cluster cluster;
    struct clock_options clocks;
    struct scenario_network network;
    struct scenario_disk disk;
    struct scenario_workload workload;
    struct swarm_options swarm;
    struct nemesis_options nemeses[NEMESIS_COUNT_MAX];
    uint32_t nemesis_count;
};

/*
 * Reads `path`, or `text` under that name, and puts the `set_count`
 * assignments over it. Errors name the file and the line, or the assignment.
 */
MUST_USE enum status scenario_load(struct scenario *, const char *path, const char *const *sets,
                                   size_t set_count, struct error *);
MUST_USE enum status scenario_read(struct scenario *, const char *path, struct text text,
                                   const char *const *sets, size_t set_count, struct error *);

/* As TOML, every key with its value. */
void scenario_print(const struct scenario *, struct buffer *);

const char *workload_kind_name(enum workload_kind);
const char *workload_kind_summary(enum workload_kind);

#endif
