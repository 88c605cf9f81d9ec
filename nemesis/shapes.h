/*
 * shapes: kinds of nemesis and their shapes, by name; what may be told to each
 * shape, whom it strikes, and what it needs.
 *
 * One table: a new shape is a row here and a case in its kind's file (docs/extending.md).
 */
#ifndef NEMESIS_SHAPES_H
#define NEMESIS_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "sim/world.h"

/* X(KIND, name) */
#define NEMESIS_KINDS(X)                                                                           \
    X(PARTITION, "partition")                                                                      \
    X(CLOCK, "clock")                                                                              \
    X(CRASH, "crash")                                                                              \
    X(PAUSE, "pause")                                                                              \
    X(MESSAGE, "message")                                                                          \
    X(CLOG, "clog")                                                                                \
    X(DISK, "disk")

/*
 * X(SHAPE, KIND, name, what it does, traits). The first of a kind is its default. The traits are
 * what may be told to it and whom it strikes, in the words of shapes.c.
 */
#define NEMESIS_SHAPES(X)                                                                          \
    X(PARTITION_HALVES, PARTITION, "halves", "the lower half of the nodes from the upper", HOLDS,  \
      .fault = FAULT_PARTITION, .nodes_needed = 2)                                                 \
    X(PARTITION_RANDOM_HALVES, PARTITION, "random-halves", "two drawn halves", AIMED(LED),         \
      .fault = FAULT_PARTITION, .nodes_needed = 2)                                                 \
    X(PARTITION_ISOLATE_ONE, PARTITION, "isolate-one", "a drawn node from all others", AIMED(LED), \
      .fault = FAULT_PARTITION, .nodes_needed = 2)                                                 \
    X(PARTITION_MAJORITIES_RING, PARTITION, "majorities-ring",                                     \
      "each node sees a majority, and no two see the same", HOLDS, .fault = FAULT_PARTITION,       \
      .nodes_needed = 3)                                                                           \
    X(PARTITION_BRIDGE, PARTITION, "bridge", "two halves that only a drawn node can reach",        \
      AIMED(LED), .fault = FAULT_PARTITION, .nodes_needed = 3)                                     \
    X(PARTITION_ONE_WAY, PARTITION, "one-way", "a drawn half cannot be heard by the other",        \
      AIMED(LED), .fault = FAULT_PARTITION, .nodes_needed = 2)                                     \
    X(CLOCK_STEP, CLOCK, "step", "wall clocks of drawn nodes jump by up to amount",                \
      CLOCK_ROW(TAKES(AMOUNT), SOME, CLOCK_STEP))                                                  \
    X(CLOCK_STROBE, CLOCK, "strobe", "a drawn wall clock jumps to and fro, many times",            \
      CLOCK_ROW(TAKES(AMOUNT), ONE, CLOCK_STROBE))                                                 \
    X(CLOCK_FREEZE, CLOCK, "freeze", "a drawn node's clocks stand still",                          \
      CLOCK_ROW(0, ONE, CLOCK_FREEZE))                                                             \
    X(CLOCK_DRIFT, CLOCK, "drift", "a drawn node's clocks run wrong by up to drift_ppm",           \
      CLOCK_ROW(TAKES(DRIFT), ONE, CLOCK_DRIFT))                                                   \
    X(CLOCK_OFFSET, CLOCK, "offset", "a drawn wall clock is wrong by exactly amount",              \
      CLOCK_ROW(TAKES(AMOUNT), ONE, CLOCK_STEP))                                                   \
    X(CRASH_ONE, CRASH, "one", "a drawn node crashes",                                             \
      CRASH_ROW(TAKES(LASTS) | TAKES(VICTIMS), LED, ONE))                                          \
    X(CRASH_MINORITY, CRASH, "minority", "fewer than half of the nodes crash",                     \
      CRASH_ROW(TAKES(LASTS), 0, MINORITY))                                                        \
    X(CRASH_ALL, CRASH, "all", "every node crashes", CRASH_ROW(TAKES(LASTS), 0, ALL))              \
    X(CRASH_RESTART, CRASH, "restart", "a drawn node crashes and is back at once",                 \
      CRASH_ROW(TAKES(VICTIMS), ANY, ONE))                                                         \
    X(PAUSE_ONE, PAUSE, "one", "a drawn node stands still while time goes on", AIMED(LED),         \
      .usual = VICTIMS_ONE, .fault = FAULT_PAUSE)                                                  \
    X(PAUSE_MINORITY, PAUSE, "minority", "fewer than half of the nodes stand still", HOLDS,        \
      .usual = VICTIMS_MINORITY, .fault = FAULT_PAUSE)                                             \
    X(PAUSE_ALL, PAUSE, "all", "every node stands still", HOLDS, .usual = VICTIMS_ALL,             \
      .fault = FAULT_PAUSE)                                                                        \
    X(MESSAGE_LOSS, MESSAGE, "loss", "messages are lost by chance",                                \
      MESSAGE_ROW(TAKES(CHANCE), LOSS))                                                            \
    X(MESSAGE_DELAY, MESSAGE, "delay", "messages take longer by delay",                            \
      MESSAGE_ROW(TAKES(DELAY), DELAY))                                                            \
    X(MESSAGE_DUPLICATE, MESSAGE, "duplicate", "messages arrive twice by chance",                  \
      MESSAGE_ROW(TAKES(CHANCE), DUPLICATE))                                                       \
    X(MESSAGE_REORDER, MESSAGE, "reorder", "messages are late by chance, by up to delay",          \
      MESSAGE_ROW(TAKES(CHANCE) | TAKES(DELAY), REORDER))                                          \
    X(CLOG_LINK, CLOG, "link", "what goes from one drawn node to another waits",                   \
      AIMED(ANY | MAY(PAIRS)), .usual = VICTIMS_PAIRS, .fault = FAULT_CLOG, .nodes_needed = 2,     \
      .ends_itself = true)                                                                         \
    X(CLOG_SEND, CLOG, "send", "what a drawn node sends waits", AIMED(ANY), .usual = VICTIMS_ONE,  \
      .fault = FAULT_CLOG, .ends_itself = true)                                                    \
    X(CLOG_RECEIVE, CLOG, "receive", "what is sent to a drawn node waits", AIMED(ANY),             \
      .usual = VICTIMS_ONE, .fault = FAULT_CLOG, .ends_itself = true)                              \
    X(DISK_SLOW, DISK, "slow", "a drawn disk takes factor times as long",                          \
      DISK_ROW(TAKES(FACTOR), SLOW))                                                               \
    X(DISK_STALL, DISK, "stall", "a drawn disk does nothing", AIMED(ANY), .usual = VICTIMS_ONE,    \
      .fault = FAULT_DISK_STALL, .ends_itself = true)                                              \
    X(DISK_FULL, DISK, "full", "no file of a drawn disk may grow", DISK_ROW(0, FULL))              \
    X(DISK_READ_ERROR, DISK, "read-error", "reads of a drawn disk fail by chance",                 \
      DISK_ROW(TAKES(CHANCE), READ_ERROR))                                                         \
    X(DISK_WRITE_ERROR, DISK, "write-error", "writes and syncs of a drawn disk fail by chance",    \
      DISK_ROW(TAKES(CHANCE), WRITE_ERROR))                                                        \
    X(DISK_TORN, DISK, "torn", "crashes meanwhile tear unsynced pages by chance",                  \
      DISK_ROW(TAKES(CHANCE), TORN))                                                               \
    X(DISK_BIT_ROT, DISK, "bit-rot", "pages of a drawn disk read wrong by chance",                 \
      DISK_ROW(TAKES(CHANCE) | TAKES(OUTSIDE), BIT_ROT))                                           \
    X(DISK_LYING_SYNC, DISK, "lying-sync", "syncs of a drawn disk keep nothing by chance",         \
      OUTSIDE_ROW(LYING_SYNC))                                                                     \
    X(DISK_MISDIRECTED, DISK, "misdirected", "a drawn disk swaps pages by chance as it syncs",     \
      OUTSIDE_ROW(MISDIRECTED))

/* Whom it strikes. X(VICTIMS, name, who they are). The first is what its shape strikes. */
#define NEMESIS_VICTIMS(X)                                                                         \
    X(USUAL, "usual", "what the shape says")                                                       \
    X(ONE, "one", "a drawn node")                                                                  \
    X(SOME, "some", "any number of drawn nodes")                                                   \
    X(MINORITY, "minority", "fewer than half of the nodes")                                        \
    X(ALL, "all", "every node")                                                                    \
    X(LEADER, "leader", "the leader of a shard, of a drawn one unless shard says which")           \
    X(LEADERS, "leaders", "the leaders of all shards")                                             \
    X(PAIRS, "pairs", "drawn links, each from one node to another")                                \
    X(NODES, "nodes", "those listed in nodes")

/* What only some shapes understand: X(KEY, name in scenarios, what it is, what it is by itself). */
#define NEMESIS_KEYS(X)                                                                            \
    X(AMOUNT, "amount", "how far clocks jump", "250ms")                                            \
    X(DRIFT, "drift_ppm", "how wrong clocks run", "1000")                                          \
    X(CHANCE, "chance", "of each message, operation or page", "0.5")                               \
    X(DELAY, "delay", "how late messages are", "100ms")                                            \
    X(FACTOR, "factor", "how slow a disk is", "10")                                                \
    X(WHILE_WRITING, "while_writing", "it waits for writes that are not durable yet", "false")     \
    X(OUTSIDE, "outside", "it may leave the fault model", "false")                                 \
    X(VICTIMS, "victims", "whom it strikes", "usual")                                              \
    X(LASTS, "lasts", "how long it holds", "0s")

enum nemesis_kind {
#define X(kind, name) NEMESIS_##kind,
    NEMESIS_KINDS(X)
#undef X
        NEMESIS_KIND_COUNT
};

enum nemesis_shape {
#define X(shape, kind, name, summary, ...) SHAPE_##shape,
    NEMESIS_SHAPES(X)
#undef X
        NEMESIS_SHAPE_COUNT
};

enum nemesis_victims {
#define X(victims, name, summary) VICTIMS_##victims,
    NEMESIS_VICTIMS(X)
#undef X
        NEMESIS_VICTIMS_COUNT
};

enum nemesis_key {
#define X(key, name, summary, usual) NEMESIS_KEY_##key,
    NEMESIS_KEYS(X)
#undef X
        NEMESIS_KEY_COUNT
};

/* What may be told to this shape, and what not. */
bool nemesis_shape_takes(enum nemesis_shape, enum nemesis_key);
bool nemesis_shape_allows(enum nemesis_shape, enum nemesis_victims);
/* Whether it must be said (`outside`) before this shape is used at all. */
bool nemesis_shape_is_outside(enum nemesis_shape);
/* What the world counts when it is felt. */
enum world_fault nemesis_shape_fault(enum nemesis_shape);

/* Names as in scenarios. */
const char *nemesis_kind_name(enum nemesis_kind);
const char *nemesis_shape_name(enum nemesis_shape);
const char *nemesis_shape_summary(enum nemesis_shape);
enum nemesis_kind nemesis_shape_kind(enum nemesis_shape);
const char *nemesis_victims_name(enum nemesis_victims);
const char *nemesis_key_name(enum nemesis_key);
bool nemesis_find_kind(struct text name, enum nemesis_kind *);
bool nemesis_find_shape(enum nemesis_kind, struct text name, enum nemesis_shape *);
bool nemesis_find_victims(struct text name, enum nemesis_victims *);
enum nemesis_shape nemesis_default_shape(enum nemesis_kind);
/* VICTIMS_USUAL where the shape has its own way of choosing (partitions). */
enum nemesis_victims nemesis_usual_victims(enum nemesis_shape);
uint32_t nemesis_nodes_needed(enum nemesis_shape, enum nemesis_victims);
/* Whether what the shape does ends at a time that is set as it strikes. */
bool nemesis_shape_ends_itself(enum nemesis_shape);

#endif
