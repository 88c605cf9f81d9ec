/*
 * Serializable snapshot isolation as Cahill has it: of two transactions that ran at once, one that
 * read what the other overwrote points to it; whoever is pointed to and points itself does not
 * commit, nor does who would make such a one of somebody who has committed.
 */
#include "tests/checkers/truth_private.h"

struct truth_certified *certifier_find(struct truth_database *d, uint32_t txn)
{
    struct truth_certified *c = &d->certified[txn % TRUTH_CERTIFIED];

    return c->txn == txn ? c : NULL;
}

void certifier_begin(struct truth_database *d, const struct truth_work *work)
{
    uint32_t txn = work->told.trace.number;

    d->certified[txn % TRUTH_CERTIFIED] = (struct truth_certified){ .txn = txn };
}

/* The snapshot is known from here on. */
static struct truth_certified *own(struct truth_database *d, const struct truth_work *work)
{
    struct truth_certified *c = certifier_find(d, work->told.trace.number);

    if (c)
        c->snapshot = work->snapshot;
    return c;
}

static bool is_pivot(const struct truth_certified *c)
{
    return c->is_read_first && c->is_overwriting;
}

static bool is_past(struct truth_database *d, const struct truth_reader *reader)
{
    const struct truth_certified *c = certifier_find(d, reader->txn);

    return !c || (c->commit != 0 && (c->commit == UINT64_MAX || c->commit < d->oldest));
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

enum status certifier_read(struct truth_database *d, const struct truth_work *work, uint32_t key,
                           struct error *err)
{
    struct truth_key *k = &d->keys[key];
    struct truth_certified *reader = own(d, work);
    uint32_t txn = work->told.trace.number;

    for (size_t i = k->versions.count; i > 0 && k->versions.at[i - 1].instant > work->snapshot;
         i--) {
        struct truth_certified *writer = certifier_find(d, k->versions.at[i - 1].txn);

        if (writer)
            writer->is_read_first = true;
        if (reader)
            reader->is_overwriting = true;
        /* Somebody who has committed would be a pivot: then it is the reader who must not. */
        if (reader && (!writer || is_pivot(writer)))
            reader->is_read_first = true;
    }
    if (k->readers.count > 0 && k->readers.at[k->readers.count - 1].txn == txn)
        return STATUS_OK;
    if (k->readers.count >= k->readers_to_sweep)
        sweep(d, k);
    return array_push(&k->readers, ((struct truth_reader){ txn, work->snapshot }), err);
}

/* Readers of a key that ran at the same time, and did not see what is being written. */
static bool mark_readers(struct truth_database *d, const struct truth_work *work,
                         const struct truth_key *key, struct truth_certified *writer)
{
    for (size_t i = 0; i < key->readers.count; i++) {
        struct truth_certified *reader = certifier_find(d, key->readers.at[i].txn);

        if (!reader || reader == writer || reader->commit == UINT64_MAX ||
            (reader->commit != 0 && reader->commit < work->snapshot))
            continue;
        if (reader->commit != 0 && reader->is_read_first)
            return false;
        reader->is_overwriting = true;
        writer->is_read_first = true;
    }
    return true;
}

bool certifier_commit(struct truth_database *d, const struct truth_work *work)
{
    struct truth_certified *c = own(d, work);

    /* Whoever lasted so long that others may be forgotten cannot be judged. */
    if (!c || d->newest_txn - work->told.trace.number > TRUTH_CERTIFIED / 2)
        return false;
    for (size_t i = 0; i < work->write_count; i++)
        if (!mark_readers(d, work, &d->keys[work->ops[work->writes[i]].key], c))
            return false;
    return !is_pivot(c);
}

void certifier_end(struct truth_database *d, const struct truth_work *work, uint64_t commit)
{
    struct truth_certified *c = certifier_find(d, work->told.trace.number);

    if (c)
        c->commit = commit;
}
