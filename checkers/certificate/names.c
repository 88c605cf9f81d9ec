/*
 * What no graph tells: updates that were lost though nobody read anything, and the
 * names that people have for certain cycles.
 */
#include <stdlib.h>

#include "checkers/certificate/certificate_private.h"
#include "checkers/lattice.h"
#include "checkers/proof/tell.h"

/* --- Lost updates by places ------------------------------------------------------- */

static enum status report_blind(struct certificate *c, uint32_t key, uint32_t first,
                                uint32_t second, struct error *err)
{
    const struct history *h = c->history;
    struct certified_pair pair = { ANOMALY_LOST_UPDATE, key, certificate_writer(c, first),
                                   certificate_writer(c, second) };
    struct buffer why = { 0 }, proof = { 0 };

    certificate_rule_out(c, LEVEL_SNAPSHOT);
    if (check_is_full(c->check))
        return STATUS_OK;
    tell_txn(&why, h, pair.first);
    buffer_text(&why, TEXT(" and "));
    tell_txn(&why, h, pair.second);
    buffer_text(&why, TEXT(" both wrote "));
    tell_key(&why, h, key);
    buffer_text(&why, TEXT(", and "));
    tell_txn(&why, h, pair.first);
    buffer_text(&why, TEXT(" committed behind the snapshot of "));
    tell_txn(&why, h, pair.second);
    proof_writes(&proof, h, key, c->versions.op[first], c->versions.op[second]);
    return certificate_add_pair(c, &pair, &why, &proof, err);
}

enum status certificate_find_lost_updates(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;
    const uint32_t *position = c->places.position;

    if (!lattice_is_snapshot(c->options->level) || !h->txn_snapshot)
        return STATUS_OK;
    for (uint32_t key = 0; key < h->key_count; key++)
        for (uint32_t n = v->start[key] + 1; n < v->start[key + 1]; n++) {
            uint32_t first = certificate_writer(c, n - 1), second = certificate_writer(c, n);

            if (history_txn_snapshot(h, second).parts == 0 || position[first] == HISTORY_NONE ||
                position[second] == HISTORY_NONE || position[first] > position[second] ||
                position[first] < c->txn_seen[second])
                continue;
            TRY(report_blind(c, key, n - 1, n, err));
        }
    return STATUS_OK;
}

/* --- Other names of cycles -------------------------------------------------------- */

/* Reads as they go by, and what their transactions do with the keys. */
struct naming {
    struct certificate *certificate;
    struct sight *read; /* by key: by the transaction at hand */
    uint32_t txn, *own; /* whose own versions these are, by key; others may be left there */
    uint32_t *updater;  /* by version, the initial ones behind: who read and overwrote it */
    bool names_internal, names_lost;
};

static bool read_before(const struct naming *n, const struct sight *s)
{
    const struct sight *before = &n->read[s->key];

    return before->op != HISTORY_NONE && before->txn == s->txn;
}

/* Nobody else's version may come between two reads of a transaction. */
static enum status name_internal(struct naming *n, const struct sight *s, struct error *err)
{
    struct certificate *c = n->certificate;
    const struct history *h = c->history;
    const struct sight *before = &n->read[s->key];
    struct certified_pair pair = { ANOMALY_INTERNAL, s->key, s->txn, 0 };
    struct buffer why = { 0 };

    if (before->number == s->number || check_is_full(c->check) ||
        history_values_equal(h, history_value(h, before->op), history_value(h, s->op)))
        return STATUS_OK;
    pair.second = certificate_writer(c, s->number != VERSION_FIRST ? s->number : before->number);
    tell_txn(&why, h, s->txn);
    buffer_text(&why, TEXT(" read "));
    tell_key_value(&why, h, s->key, history_value(h, before->op));
    buffer_text(&why, TEXT(" and then "));
    tell_key_value(&why, h, s->key, history_value(h, s->op));
    buffer_text(&why, TEXT(", without having written it"));
    return certificate_add_pair(c, &pair, &why, NULL, err);
}

/* The version that this one overwrote must not come behind its own. */
static enum status name_cyclic(struct naming *n, const struct sight *s, uint32_t own,
                               struct error *err)
{
    struct certificate *c = n->certificate;
    const struct history *h = c->history;
    struct certified_pair pair = { ANOMALY_CYCLIC_VERSIONS, s->key, s->txn, 0 };
    struct buffer why = { 0 };

    if (s->number == VERSION_FIRST || s->number < own || check_is_full(c->check))
        return STATUS_OK;
    pair.second = certificate_writer(c, s->number);
    tell_txn(&why, h, s->txn);
    buffer_text(&why, TEXT(" read "));
    tell_key(&why, h, s->key);
    buffer_text(&why, TEXT(" of "));
    tell_txn(&why, h, pair.second);
    buffer_text(&why, TEXT(" and overwrote it, and yet its version comes before that"));
    return certificate_add_pair(c, &pair, &why, NULL, err);
}

static enum status name_lost(struct naming *n, const struct sight *s, struct error *err)
{
    struct certificate *c = n->certificate;
    const struct history *h = c->history;
    size_t slot = s->number == VERSION_FIRST ? c->versions.count + (size_t)s->key : s->number;
    struct certified_pair pair = { ANOMALY_LOST_UPDATE, s->key, n->updater[slot], s->txn };
    struct buffer why = { 0 };

    if (pair.first == HISTORY_NONE) {
        n->updater[slot] = s->txn;
        return STATUS_OK;
    }
    if (pair.first == s->txn || !n->names_lost || check_is_full(c->check))
        return STATUS_OK;
    tell_txn(&why, h, pair.first);
    buffer_text(&why, TEXT(" and "));
    tell_txn(&why, h, pair.second);
    buffer_text(&why, TEXT(" both read "));
    tell_key_value(&why, h, s->key, history_value(h, s->op));
    buffer_text(&why, TEXT(" and overwrote it: one update is lost"));
    return certificate_add_pair(c, &pair, &why, NULL, err);
}

/* What it left behind, when the first of its sights comes by. */
static void note_own(struct naming *n, uint32_t txn)
{
    const struct certificate *c = n->certificate;
    const struct history *h = c->history;

    n->txn = txn;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (c->versions.number[op] != HISTORY_NONE)
            n->own[h->op_key[op]] = c->versions.number[op];
}

/* The transaction's own version of a key that it read, and wrote later. */
static uint32_t own_number(struct naming *n, const struct sight *s)
{
    const struct certificate *c = n->certificate;
    uint32_t number;

    if (n->txn != s->txn)
        note_own(n, s->txn);
    number = n->own[s->key];
    return number != HISTORY_NONE && certificate_writer(c, number) == s->txn &&
                   c->versions.op[number] > s->op
               ? number
               : HISTORY_NONE;
}

static enum status hear_sight(void *context, const struct sight *s, struct error *err)
{
    struct naming *n = context;
    uint32_t own = own_number(n, s);

    if (read_before(n, s) && n->names_internal)
        TRY(name_internal(n, s, err));
    if (own != HISTORY_NONE && !read_before(n, s)) {
        TRY(name_cyclic(n, s, own, err));
        TRY(name_lost(n, s, err));
    }
    n->read[s->key] = *s;
    return STATUS_OK;
}

enum status certificate_add_names(struct certificate *c, struct error *err)
{
    struct naming n = { .certificate = c,
                        .txn = HISTORY_NONE,
                        .names_internal = lattice_forbids(c->options->level, ANOMALY_INTERNAL),
                        .names_lost = lattice_forbids(c->options->level, ANOMALY_LOST_UPDATE) };
    struct walk walk = { .certificate = c, .context = &n, .sight = hear_sight };
    size_t slots = c->versions.count + c->history->key_count;
    enum status status;

    if (c->options->level == LEVEL_READ_UNCOMMITTED)
        return STATUS_OK;
    status = check_memory((void **)&n.read, c->history->key_count, sizeof *n.read, 0xff, err);
    if (status == STATUS_OK)
        status = check_memory((void **)&n.updater, slots, sizeof *n.updater, 0xff, err);
    if (status == STATUS_OK)
        status = check_memory((void **)&n.own, c->history->key_count, sizeof *n.own, 0xff, err);
    if (status == STATUS_OK)
        status = certificate_walk(&walk, err);
    free(n.read);
    free(n.updater);
    free(n.own);
    return status;
}
