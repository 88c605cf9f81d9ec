#include "store/raft/raft_log.h"

#include <assert.h>
#include <string.h>

#define ROOM_MIN 64

void raft_log_init(struct raft_log *log, struct pool *pool)
{
    *log = (struct raft_log){ .pool = pool, .first = 1 };
}

uint64_t raft_log_last(const struct raft_log *log)
{
    return log->first + log->count - 1;
}

static struct raft_entry *entry_at(const struct raft_log *log, uint64_t index)
{
    uint32_t place = (uint32_t)(index - log->first);

    assert(index >= log->first && place < log->count);
    return &log->ring[(log->head + place) & (log->room - 1)];
}

uint64_t raft_log_last_term(const struct raft_log *log)
{
    return log->count ? entry_at(log, raft_log_last(log))->term : log->before_term;
}

bool raft_log_knows(const struct raft_log *log, uint64_t index)
{
    return index + 1 >= log->first && index <= raft_log_last(log);
}

uint64_t raft_log_term(const struct raft_log *log, uint64_t index)
{
    return index + 1 == log->first ? log->before_term : entry_at(log, index)->term;
}

struct raft_entry *raft_log_entry(const struct raft_log *log, uint64_t index)
{
    return entry_at(log, index);
}

struct text raft_log_command(const struct raft_log *log, uint64_t index)
{
    const struct raft_entry *entry = entry_at(log, index);

    return (struct text){ entry->at, entry->length };
}

static void make_room(struct raft_log *log)
{
    uint32_t room = log->room ? log->room * 2 : ROOM_MIN;
    struct raft_entry *ring = pool_take(log->pool, room * sizeof *ring);

    for (uint32_t i = 0; i < log->count; i++)
        ring[i] = log->ring[(log->head + i) & (log->room - 1)];
    pool_give(log->pool, log->ring, log->room * sizeof *ring);
    log->ring = ring;
    log->room = room;
    log->head = 0;
}

void raft_log_push(struct raft_log *log, uint64_t term, struct text command)
{
    struct raft_entry *entry;

    assert(command.length <= UINT32_MAX);
    if (log->count == log->room)
        make_room(log);
    entry = &log->ring[(log->head + log->count++) & (log->room - 1)];
    *entry = (struct raft_entry){ .term = term, .length = (uint32_t)command.length };
    if (command.length > 0) {
        entry->at = pool_take(log->pool, command.length);
        memcpy(entry->at, command.at, command.length);
    }
}

void raft_log_cut(struct raft_log *log, uint64_t index)
{
    assert(index + 1 >= log->first);
    while (raft_log_last(log) > index) {
        struct raft_entry *entry = entry_at(log, raft_log_last(log));
        pool_give(log->pool, entry->at, entry->length);
        log->count--;
    }
}

void raft_log_drop(struct raft_log *log, uint64_t index)
{
    assert(index <= raft_log_last(log));
    while (log->first <= index) {
        struct raft_entry *entry = &log->ring[log->head];
        pool_give(log->pool, entry->at, entry->length);
        log->before_term = entry->term;
        log->head = (log->head + 1) & (log->room - 1);
        log->first++;
        log->count--;
    }
}

void raft_log_reset(struct raft_log *log, uint64_t index, uint64_t term)
{
    raft_log_cut(log, log->first - 1);
    log->head = 0;
    log->first = index + 1;
    log->before_term = term;
}

uint64_t raft_log_first_of_term(const struct raft_log *log, uint64_t index)
{
    uint64_t term = raft_log_term(log, index);

    while (index >= log->first && raft_log_term(log, index - 1) == term)
        index--;
    return index;
}

uint64_t raft_log_last_of_term(const struct raft_log *log, uint64_t index, uint64_t term)
{
    while (index >= log->first && raft_log_term(log, index) > term)
        index--;
    return index;
}
