#include "checkers/interval/read_view_private.h"

#include <assert.h>

#include "checkers/interval/derivation_private.h"

static bool may_hide(const struct interval_model *m, const struct read_view *read,
                     const struct key_version *v)
{
    return version_counts(v) && v->txn != read->txn && read_view_is_before(m, read, v);
}

const struct key_version *read_view_find_hiding(const struct interval_model *m,
                                                const struct read_view *read,
                                                struct read_view_before *before,
                                                const struct key_version *hidden)
{
    int64_t from = version_installed(m, hidden).low;

    for (uint32_t i = 0; i < before->count; i++) {
        const struct key_version *v = &m->versions.at[before->versions[i]];

        if (v != hidden && version_precedes(m, hidden, v))
            return v;
    }
    while (before->next != INTERVAL_NONE) {
        uint32_t at = before->next;
        const struct key_version *v = &m->versions.at[at];

        before->next = v->older;
        if (may_hide(m, read, v)) {
            assert(before->count < VERSIONS_LOOKED_AT);
            before->versions[before->count++] = at;
            if (v != hidden && version_precedes(m, hidden, v))
                return v;
        }
        if (version_older(m, v, from) == INTERVAL_NONE)
            break;
    }
    return NULL;
}

static void confirm(struct interval_model *m, const struct read_view *read, struct key_version *v)
{
    int64_t by = read->live->commit.high;

    v->state = VERSION_COMMITTED;
    derivation_confirm(m, read, v);
    if (m->profile.timing != TIMING_NONE && v->installed.high > by)
        v->installed.high = by;
}

/* What else the transaction left behind was committed with it. */
void read_view_confirm(struct interval_model *m, const struct read_view *read,
                       struct key_version *v)
{
    int64_t by = read->live->commit.high;
    uint64_t txn = v->txn;
    struct live_txn *writer;

    confirm(m, read, v);
    if (!model_is_live(m, txn))
        return;
    writer = model_live(m, txn);
    for (uint32_t i = 0; i < writer->access_count; i++) {
        const struct txn_access *a = &writer->accesses[i];
        struct key_version *w;

        if (a->kind != TRACE_WRITE || a->version == INTERVAL_NONE)
            continue;
        w = &m->versions.at[a->version]; /* or another's, if it has gone */
        if (w->txn == txn && w->state == VERSION_PERHAPS)
            confirm(m, read, w);
    }
    if (m->profile.timing != TIMING_NONE && writer->commit.high > by)
        writer->commit.high = writer->at.high = by;
}
