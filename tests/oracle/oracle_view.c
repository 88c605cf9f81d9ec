/*
 * The levels of Adya and Bailis that look into transactions, at the order of what each of
 * them did. A transaction's events are its reads, each of which sees some writers and misses
 * others, and its last writes of keys, which see those that wrote the key before:
 *
 *     monotonic-atomic-view    T: r y from S, then r x that S overwrote
 *     monotonic-view           T: sees S, or who depends on S; then misses S
 *     cursor-stability         T: r x, w x, and somebody wrote x between
 *
 * The first is OTV ("observed transaction vanishes") of Bailis and others, "Highly available
 * transactions" (2013); the others are Adya's G-monotonic and G-cursor, where each read is by
 * a cursor. All of them are above read-committed, whose cycles oracle_graph.c finds.
 */
#include "tests/oracle/oracle_private.h"

/* Those that the transaction had depended on when it did this, by way of others or not. */
static uint32_t past_of_event(const struct oracle_graph *g, const struct oracle_event *events,
                              size_t event_count, unsigned txn_count, size_t number)
{
    const struct oracle_event *event = &events[number];
    uint32_t past = 0, last;

    for (size_t i = 0; i < event_count; i++)
        if (events[i].txn == event->txn && events[i].step <= event->step)
            past |= events[i].seen;
    do {
        last = past;
        for (unsigned t = 0; t < txn_count; t++)
            if (t != event->txn && ((g->ww[t] | g->wr[t]) & past & ~bit(event->txn)))
                past |= bit(t);
    } while (past != last);
    return past & ~bit(event->txn);
}

static bool misses_part(const struct oracle_event *events, size_t event_count, size_t number)
{
    const struct oracle_event *event = &events[number];

    for (size_t i = 0; i < event_count; i++)
        if (events[i].txn == event->txn && events[i].step < event->step && !events[i].is_write &&
            (events[i].seen & event->missed_items))
            return true;
    return false;
}

/* Somebody wrote the key behind the version that was read, and before the reader itself did. */
static bool loses_update(const struct oracle_event *events, size_t event_count, size_t number)
{
    const struct oracle_event *read = &events[number];

    for (size_t i = 0; i < event_count; i++)
        if (events[i].is_write && events[i].txn == read->txn && events[i].key == read->key &&
            events[i].step > read->step && (events[i].seen & read->missed_items))
            return true;
    return false;
}

bool oracle_view_is_forbidden(const struct oracle_graph *g, const struct oracle_event *events,
                              size_t event_count, unsigned txn_count, enum level level)
{
    for (size_t i = 0; i < event_count; i++) {
        uint32_t missed = events[i].missed_items | events[i].missed_rows;

        if (missed == 0)
            continue;
        if (level == LEVEL_MONOTONIC_ATOMIC_VIEW && misses_part(events, event_count, i))
            return true;
        if (level == LEVEL_CURSOR_STABILITY && loses_update(events, event_count, i))
            return true;
        if (level == LEVEL_MONOTONIC_VIEW &&
            (past_of_event(g, events, event_count, txn_count, i) & missed))
            return true;
    }
    return false;
}
