/*
 * raft_log: the entries of a replicated log that are held in memory.
 *
 *      first - 1     first                  last
 *     (before_term) | entry | entry | ... | entry |
 *
 * The entries are contiguous; of the one before the first only the term is
 * known, and index 0 is before everything, with term 0. A ring of small
 * structs, each with its command in a block of its own, so that neither the
 * disk nor the network needs another copy, and a command stays where it is.
 */
#ifndef STORE_RAFT_RAFT_LOG_H
#define STORE_RAFT_RAFT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/pool.h"

struct raft_entry {
    uint64_t term;
    char *at;
    uint32_t length;
    uint32_t end; /* of its record in the file, once it is written: see wal.h */
};

struct raft_log {
    struct pool *pool;
    struct raft_entry *ring;
    uint32_t room, head, count; /* room: a power of two */
    uint64_t first;
    uint64_t before_term;
};

void raft_log_init(struct raft_log *, struct pool *);

uint64_t raft_log_last(const struct raft_log *);
uint64_t raft_log_last_term(const struct raft_log *);
/* Whether the term of this index is known. */
bool raft_log_knows(const struct raft_log *, uint64_t index);
uint64_t raft_log_term(const struct raft_log *, uint64_t index);
/* From first to last. The address holds until the next push. */
struct raft_entry *raft_log_entry(const struct raft_log *, uint64_t index);
struct text raft_log_command(const struct raft_log *, uint64_t index);

void raft_log_push(struct raft_log *, uint64_t term, struct text command);
/* Drops everything above the index. */
void raft_log_cut(struct raft_log *, uint64_t index);
/* Drops everything up to the index, which stays known. */
void raft_log_drop(struct raft_log *, uint64_t index);
/* Empty, as behind this entry. */
void raft_log_reset(struct raft_log *, uint64_t index, uint64_t term);

/* The first index known to have the term that this index has. */
uint64_t raft_log_first_of_term(const struct raft_log *, uint64_t index);
/* The last index known, at most `index`, whose term is at most this. */
uint64_t raft_log_last_of_term(const struct raft_log *, uint64_t index, uint64_t term);

#endif
