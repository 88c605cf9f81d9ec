/*
 * Serializable snapshot isolation as PostgreSQL has it (Ports and Grittner 2012). Of transactions
 * that ran at once, one misses the other if it did not see what that wrote. Every cycle has
 *
 *     first misses pivot, pivot misses last
 *
 * of which the last was the first in the cycle to commit; where the first writes nothing, even
 * before its snapshot. Whoever of such three comes last to commit must not; who is under way
 * is taken for one who will. No other is hindered, so that as much comes through as can.
 */
#include "tests/checkers/interval/truth_private.h"

#define NEVER UINT64_MAX

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct truth_certified *certifier_find(struct truth_database *d, uint32_t txn)
{
    struct truth_certified *c = &d->certified[txn % TRUTH_CERTIFIED];

    return c->txn == txn ? c : NULL;
}

void certifier_begin(struct truth_database *d, const struct truth_work *work)
{
    uint32_t txn = work->told.trace.number;

    d->certified[txn % TRUTH_CERTIFIED] = (struct truth_certified){
        .txn = txn, .is_reader = work->is_reader, .commit = NEVER, .missed = NEVER, .through = NEVER
    };
}

/* The snapshot is known from here on. */
static struct truth_certified *own(struct truth_database *d, const struct truth_work *work)
{
    struct truth_certified *c = certifier_find(d, work->told.trace.number);

    if (c)
        c->snapshot = work->snapshot;
    return c;
}

/* The pivot commits, or has committed; the other may be under way. */
static void miss(struct truth_certified *first, struct truth_certified *pivot, uint64_t commit)
{
    first->missed = least(first->missed, commit);
    if (pivot->missed < commit)
        first->through = least(first->through, pivot->missed);
    if (first->is_reader)
        pivot->missing_reader = most(pivot->missing_reader, first->snapshot);
    else
        pivot->missing_writer = most(pivot->missing_writer, first->commit);
}

/* --- Who read what ---------------------------------------------------------------------------- */

static bool is_past(struct truth_database *d, const struct truth_reader *reader)
{
    const struct truth_certified *c = certifier_find(d, reader->txn);

    return !c || c->commit < d->oldest;
}

static void sweep(struct truth_database *d, struct truth_key *key)
{
    size_t kept = 0;

    for (size_t i = 0; i < key->readers.count; i++)
        if (!is_past(d, &key->readers.at[i]))
            key->readers.at[kept++] = key->readers.at[i];
    key->readers.count = kept;
    key->readers_to_sweep = 2 * kept + 16;
}

/* Whose version is not remembered any more: so the reader shall not commit either. */
static void give_up(struct truth_certified *reader)
{
    reader->through = 0;
}

enum status certifier_read(struct truth_database *d, const struct truth_work *work, uint32_t key,
                           struct error *err)
{
    struct truth_key *k = &d->keys[key];
    struct truth_certified *reader = own(d, work);
    uint32_t txn = work->told.trace.number;

    for (size_t i = k->versions.count; i > 0 && k->versions.at[i - 1].instant > work->snapshot;
         i--) {
        struct truth_certified *writer = certifier_find(d, k->versions.at[i - 1].txn);

        if (reader && writer)
            miss(reader, writer, writer->commit);
        else if (reader)
            give_up(reader);
    }
    if (k->readers.count > 0 && k->readers.at[k->readers.count - 1].txn == txn)
        return STATUS_OK;
    if (k->readers.count >= k->readers_to_sweep)
        sweep(d, k);
    return array_push(&k->readers, ((struct truth_reader){ txn, work->snapshot }), err);
}

/* --- Who may commit ------------------------------------------------------------------------------ */

/* Readers of a key that ran at the same time, and do not see what is being written. */
static void miss_writer(struct truth_database *d, const struct truth_key *key,
                        struct truth_certified *writer)
{
    for (size_t i = 0; i < key->readers.count; i++) {
        struct truth_certified *reader = certifier_find(d, key->readers.at[i].txn);

        if (reader && reader != writer && reader->commit != 0 &&
            reader->commit > writer->snapshot)
            miss(reader, writer, d->instant);
    }
}

/* As the pivot, or as the first of three. */
static bool is_dangerous(const struct truth_certified *c)
{
    if (c->missed != NEVER &&
        (c->missing_writer >= c->missed || c->missing_reader >= c->missed))
        return true;
    return c->through != NEVER && (!c->is_reader || c->through <= c->snapshot);
}

bool certifier_commit(struct truth_database *d, const struct truth_work *work)
{
    struct truth_certified *c = own(d, work);

    /* Whoever lasted so long that others may be forgotten cannot be judged. */
    if (!c || d->newest_txn - work->told.trace.number > TRUTH_CERTIFIED / 2)
        return false;
    for (size_t i = 0; i < work->write_count; i++)
        miss_writer(d, &d->keys[work->ops[work->writes[i]].key], c);
    return !is_dangerous(c);
}

void certifier_end(struct truth_database *d, const struct truth_work *work, uint64_t commit)
{
    struct truth_certified *c = certifier_find(d, work->told.trace.number);

    if (c)
        c->commit = commit;
}
