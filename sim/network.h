/*
 * network: directed links between endpoints, and the messages on their way.
 *
 * What happens to a message is a function of its link's key and its ordinal
 * on that link (and of what the link is like): one more message elsewhere, or
 * one more kind of fate, leaves all other fates alone. When it arrives, and
 * whether a second copy does, is decided as it is sent; whether it is lost,
 * or cut off by a partition, as it arrives.
 *
 *     send ── evict the oldest if the link is full ── wait for bandwidth
 *          ── latency (+ lateness if reordered)
 *     arrive ── clogged? later ── cut? ── lost? ── receiver gone? ── deliver
 *
 * A link counts its cuts, so that partitions overlap freely: it carries again
 * when the last of them is mended. Bursts make links worse for a while, on top
 * of their options, and overlap too. What a burst does to a message hangs on
 * the same word as what the options do: where both would lose it, or two bursts
 * would, the larger chance decides. A link from an endpoint to itself is
 * perfect and takes no time. This unit is passive: it holds the state and
 * answers questions, the world schedules.
 */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/blocks.h"
#include "sim/latency.h"

#define MESSAGE_NONE UINT32_MAX

/* Zero means never, or no limit. */
struct link_options {
    struct latency latency;
    struct ratio loss, duplicate, reorder;
    int64_t reorder_delay_ns_max; /* a reordered message is late by up to this */
    uint64_t bytes_per_second;
    uint32_t in_flight_max; /* the oldest gives way to the newest */
};

enum burst_kind { BURST_LOSS, BURST_DELAY, BURST_DUPLICATE, BURST_REORDER };

#define NETWORK_BURST_COUNT_MAX 32

struct burst {
    enum burst_kind kind;
    struct ratio chance; /* of each message, where it is not a delay */
    int64_t delay_ns;    /* later by this, or reordered by up to this */
    uint64_t felt;       /* messages that it hurt and the options did not */
};

struct link {
    struct random_key key;
    bool keyed;      /* keys are forked when first used */
    uint32_t cuts;   /* partitions that cut it now */
    uint32_t bursts; /* a bit for each that it suffers now */
    uint32_t in_flight;
    uint32_t oldest, newest; /* messages in flight, by sending */
    uint64_t sent;           /* the next ordinal */
    int64_t busy_until_ns;   /* the last byte of the last message leaves */
    int64_t clogged_until_ns;
};

struct message {
    uint32_t from, to;
    uint32_t to_epoch; /* the receiver's incarnation as it was sent */
    uint32_t size;
    uint64_t ordinal;
    uint64_t turn;     /* what its draws are numbered by: sim/turn.h */
    uint64_t checksum; /* of the bytes, for the trace */
    char *bytes;
    uint32_t previous, next; /* on its link; next also chains free ones */
    bool copy;               /* the second of a duplicated message */
    bool evicted;
};

enum message_fate { MESSAGE_ARRIVES, MESSAGE_LOST, MESSAGE_CUT_OFF, MESSAGE_EVICTED };

struct network {
    struct arena *arena;
    struct random_key key;
    struct link_options options; /* of every link */
    uint32_t node_count, endpoint_count;
    struct link *links; /* from * endpoint_count + to */
    int64_t *send_clogged_until_ns, *receive_clogged_until_ns;
    struct blocks blocks;
    struct message *messages;
    uint32_t message_used, message_room, message_count_max, free_message;
    uint32_t message_count; /* in flight, or delivered and being read */
    bool draws_by_time;     /* see sim/turn.h */
    bool calm;              /* no loss, duplicates, reordering; no link is full */
    struct burst bursts[NETWORK_BURST_COUNT_MAX];
};

/* What sending came to: one or two arrivals, and perhaps a victim. */
struct network_sent {
    uint32_t message, copy; /* copy: MESSAGE_NONE unless duplicated */
    int64_t arrives_ns, copy_arrives_ns;
    bool reordered, delayed;
    uint32_t evicted; /* a message that will not arrive, or MESSAGE_NONE */
};

struct network_options {
    const struct link_options *links; /* of every link */
    uint32_t node_count, endpoint_count;
    uint32_t message_count_max;
    size_t message_bytes_max;
    bool draws_by_time; /* see sim/turn.h */
};

MUST_USE enum status network_init(struct network *, const struct network_options *,
                                  const struct random_key *, struct arena *, struct error *);

/* A message as its sender hands it over. */
struct network_letter {
    uint32_t from, to;
    uint32_t to_epoch; /* the receiver's incarnation now */
    struct text bytes;
};

/* The bytes are copied. */
MUST_USE enum status network_send(struct network *, int64_t now_ns, const struct network_letter *,
                                  struct network_sent *, struct error *);
/* Until when the message must wait before it can arrive; not after now: it need not. */
int64_t network_clogged_until_ns(const struct network *, const struct message *);
/* What becomes of a message at its arrival. */
enum message_fate network_fate(const struct network *, const struct message *);
/* Counts a lost message for the bursts that took it. */
void network_blame_loss(struct network *, const struct message *);
/* Off the link; the bytes can still be read. */
void network_land(struct network *, uint32_t message);
void network_free(struct network *, uint32_t message);

struct message *network_message(struct network *, uint32_t message);
struct link *network_link(struct network *, uint32_t from, uint32_t to);
/* True if they make messages wait longer than before. */
bool network_clog_link(struct network *, uint32_t from, uint32_t to, int64_t until_ns);
bool network_clog_send(struct network *, uint32_t from, int64_t until_ns);
bool network_clog_receive(struct network *, uint32_t to, int64_t until_ns);

#endif
