/*
 * Finds the anomalies that are not cycles: updates that were lost although nobody read anything.
 * It also finds the other names of cycles.
 */
#include "checkers/certificate/other_anomalies_private.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "checkers/certificate/walk_private.h"
#include "checkers/proof/tell.h"
#include "history/anomaly.h"
#include "history/level.h"

/* --- Duplicate writes ---------------------------------------------------------- */

/*
 * Writes that should differ, and do not.
 *
 * Mostly all of them do, and it is enough to see that: that all integers are
 * different ones, or that the rows of each table have a column in which they are.
 */

/* Takes over the buffers; a proof may be NULL. */
static enum status certificate_add_pair(struct certificate *c, const struct certified_pair *pair,
                                        struct buffer *why, struct buffer *proof, struct error *err)
{
    uint32_t txns[2] = { pair->first, pair->second };
    struct discovery d = { .kind = pair->kind,
                           .proven = pair->kind,
                           .txns = txns,
                           .txn_count = pair->first == pair->second ? 1 : 2,
                           .why = *why };

    if (proof)
        d.proof = *proof;
    return check_add(c->check, &d, err);
}

/* What is deleted, or written as null, is deleted as often as one likes. */
static bool is_distinct(const struct history *h, size_t op)
{
    return history_makes_version(h, op) && h->op_value_kind[op] != VALUE_NONE &&
           h->op_value_kind[op] != VALUE_NULL;
}

/* --- All different ---------------------------------------------------------------- */

#define COLUMNS_MAX 4

/* The rows of a table. */
struct written_rows {
    struct written columns[COLUMNS_MAX]; /* its first ones */
    bool any;
};

struct differing {
    const struct certificate *certificate;
    struct written items;
    struct written_rows *tables;
    bool any_twice; /* or nobody can tell */
};

enum status certificate_init_written(struct written *w, const struct history *h, struct error *err)
{
    *w = (struct written){ .end = 4 * (uint64_t)h->op_count + 64 };
    return check_memory((void **)&w->words, (size_t)(w->end / 64 + 1), sizeof *w->words, 0, err);
}

static unsigned columns_of(const struct history *h, uint32_t table)
{
    uint32_t count = h->table_column_start[table + 1] - h->table_column_start[table];

    return count < COLUMNS_MAX ? count : COLUMNS_MAX;
}

static enum status note_row(struct differing *d, uint32_t op, struct error *err)
{
    const struct certificate *c = d->certificate;
    const struct history *h = c->history;
    uint32_t table = c->keys.table ? c->keys.table[h->op_key[op]] : HISTORY_NONE;
    struct written_rows *rows;
    uint64_t cells = h->row_start[h->op_value[op]];
    bool any_left = false;

    if (table == HISTORY_NONE || h->row_shape[h->op_value[op]] != h->table_shape[table]) {
        d->any_twice = true;
        return STATUS_OK;
    }
    rows = &d->tables[table];
    for (unsigned i = 0; i < columns_of(h, table); i++) {
        if (!rows->any)
            TRY(certificate_init_written(&rows->columns[i], h, err));
        if (!rows->columns[i].any_twice)
            certificate_note_written(&rows->columns[i], true, h->cell_kind[cells + i],
                         h->cell_value[cells + i]);
        any_left |= !rows->columns[i].any_twice;
    }
    rows->any = true;
    d->any_twice |= !any_left;
    return STATUS_OK;
}

static enum status note_txn(struct differing *d, uint32_t txn, struct error *err)
{
    static const uint8_t is_value[OP_KIND_COUNT] = {
        [OP_WRITE] = 1, [OP_APPEND] = 1, [OP_ROW_WRITE] = 1
    };
    const struct history *h = d->certificate->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        bool writes = is_value[h->op_kind[op]] & !(h->op_flags[op] & OP_ERROR);

        if (writes & (h->op_value_kind[op] == VALUE_ROW))
            TRY(note_row(d, op, err));
        else
            certificate_note_written(&d->items, writes, h->op_value_kind[op], h->op_value[op]);
    }
    return STATUS_OK;
}

static enum status find_differing(struct differing *d, struct error *err)
{
    const struct certificate *c = d->certificate;
    const struct history *h = c->history;

    TRY(certificate_init_written(&d->items, h, err));
    TRY(check_memory((void **)&d->tables, h->table_count, sizeof *d->tables, 0, err));
    for (uint32_t t = 0; t < h->txn_count && !d->any_twice; t++) {
        if (places_is_in(&c->places, t))
            TRY(note_txn(d, t, err));
        d->any_twice |= d->items.any_twice;
    }
    return STATUS_OK;
}

/* Whether that is easy to see, whoever wrote what where. */
static enum status all_differ(const struct certificate *c, bool *differ, struct error *err)
{
    struct differing d = { .certificate = c };
    enum status status = find_differing(&d, err);

    *differ = !d.any_twice;
    free(d.items.words);
    for (size_t t = 0; d.tables && t < c->history->table_count; t++)
        for (unsigned i = 0; i < COLUMNS_MAX; i++)
            free(d.tables[t].columns[i].words);
    free(d.tables);
    return status;
}

/* --- Those that do not ------------------------------------------------------------ */

/* Where the integers written to a key rise, none is there twice: all others are asked about. */
static enum status find_doubtful(const struct certificate *c, uint8_t *is_doubtful, bool *any,
                                 struct error *err)
{
    const struct history *h = c->history;
    int64_t *last = NULL;

    TRY(memory_resize((void **)&last, h->key_count, sizeof *last, err));
    for (size_t k = 0; k < h->key_count; k++)
        last[k] = INT64_MIN;
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; places_is_in(&c->places, t) && op < h->txn_op[t + 1];
             op++) {
            uint32_t key = h->op_key[op];

            if (!is_distinct(h, op) || is_doubtful[key])
                continue;
            is_doubtful[key] =
                h->op_value_kind[op] != VALUE_INTEGER || h->op_value[op] <= last[key];
            *any |= is_doubtful[key];
            last[key] = h->op_value[op];
        }
    free(last);
    return STATUS_OK;
}

/* Equal values have equal hashes. Rows and lists may be equal and have two numbers. */
static uint64_t hash_value(const struct history *h, struct value value)
{
    uint64_t hash = hash_number((uint64_t)value.kind), from = 0, to = 0;

    if (value.kind == VALUE_LIST) {
        from = h->list_start[value.bits];
        to = h->list_start[value.bits + 1];
        for (uint64_t i = from; i < to; i++)
            hash = hash_mix(hash, (uint64_t)h->list_element[i]);
        return hash_number(hash);
    }
    if (value.kind != VALUE_ROW)
        return hash_number(hash ^ (uint64_t)value.bits);
    from = h->row_start[value.bits];
    to = h->row_start[value.bits + 1];
    for (uint64_t i = from; i < to; i++)
        hash += hash_value(h, (struct value){ h->cell_kind[i], h->cell_value[i] });
    return hash; /* in any order of columns */
}

static enum status report_duplicate(struct certificate *c, uint32_t first, uint32_t second,
                                    struct error *err)
{
    const struct history *h = c->history;
    struct certified_pair pair = { ANOMALY_DUPLICATE_WRITE, h->op_key[first],
                                   history_txn_of(h, first), history_txn_of(h, second) };
    struct buffer why = { 0 }, proof = { 0 };

    certificate_rule_out(c, LEVEL_READ_UNCOMMITTED);
    if (check_is_full(c->check))
        return STATUS_OK;
    tell_print(&why, h, "%T and %T both wrote %W, where no two writes of a key are equal",
               pair.first, pair.second, second);
    proof_writes(&proof, h, pair.key, first, second);
    return certificate_add_pair(c, &pair, &why, &proof, err);
}

static enum status find_equal(struct certificate *c, const uint8_t *is_doubtful, struct map *writes,
                              struct error *err)
{
    const struct history *h = c->history;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; places_is_in(&c->places, t) && op < h->txn_op[t + 1];
             op++) {
            struct value value = history_value(h, op);
            size_t place, count = writes->keys.count;
            uint64_t hash;
            uint32_t first;

            if (!is_distinct(h, op) || !is_doubtful[h->op_key[op]])
                continue;
            hash =
                hash_value(h, value) ^ hash_number((uint64_t)h->op_key[op] << 8 | h->op_kind[op]);
            TRY(map_add(writes, hash, op, &place, err));
            if (writes->keys.count > count)
                continue;
            first = (uint32_t)writes->values.at[place];
            if (h->op_key[first] == h->op_key[op] && h->op_kind[first] == h->op_kind[op] &&
                history_values_equal(h, history_value(h, first), value))
                TRY(report_duplicate(c, first, op, err));
        }
    return STATUS_OK;
}

enum status certificate_find_duplicates(struct certificate *c, struct error *err)
{
    struct map writes = { 0 };
    uint8_t *is_doubtful = NULL;
    bool is_slow = check_wants(c->options, CHECK_SLOWLY), any = is_slow, differ = false;
    enum status status;

    if (c->history->unique != 1)
        return STATUS_OK;
    if (!is_slow)
        TRY(all_differ(c, &differ, err));
    if (differ)
        return STATUS_OK;
    TRY(check_memory((void **)&is_doubtful, c->history->key_count, 1, is_slow, err));
    status = is_slow ? STATUS_OK : find_doubtful(c, is_doubtful, &any, err);
    if (status == STATUS_OK && any)
        status = find_equal(c, is_doubtful, &writes, err);
    map_close(&writes);
    free(is_doubtful);
    return status;
}

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
    tell_print(&why, h, "%T and %T both wrote %K, and %T committed behind the snapshot of %T",
               pair.first, pair.second, key, pair.first, pair.second);
    proof_writes(&proof, h, key, c->versions.op[first], c->versions.op[second]);
    return certificate_add_pair(c, &pair, &why, &proof, err);
}

enum status certificate_find_lost_updates(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;
    const uint32_t *position = c->places.position;

    if (!level_is_snapshot(c->options->level) || !h->txn_snapshot)
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
    struct certified_sight *read; /* by key: by the transaction at hand */
    uint32_t txn, *own; /* whose own versions these are, by key; others may be left there */
    uint32_t *updater;  /* by version, the initial ones behind: who read and overwrote it */
    bool names_internal, names_lost;
};

static bool read_before(const struct naming *n, const struct certified_sight *s)
{
    const struct certified_sight *before = &n->read[s->key];

    return before->op != HISTORY_NONE && before->txn == s->txn;
}

/* Nobody else's version may come between two reads of a transaction. */
static enum status name_internal(struct naming *n, const struct certified_sight *s, struct error *err)
{
    struct certificate *c = n->certificate;
    const struct history *h = c->history;
    const struct certified_sight *before = &n->read[s->key];
    struct certified_pair pair = { ANOMALY_INTERNAL, s->key, s->txn, 0 };
    struct buffer why = { 0 };

    if (before->number == s->number || check_is_full(c->check) ||
        history_values_equal(h, history_value(h, before->op), history_value(h, s->op)))
        return STATUS_OK;
    pair.second = certificate_writer(c, s->number != VERSION_FIRST ? s->number : before->number);
    tell_print(&why, h, "%T read %R and then %R, without having written it", s->txn, before->op,
               s->op);
    return certificate_add_pair(c, &pair, &why, NULL, err);
}

/* The version that this one overwrote must not come behind its own. */
static enum status name_cyclic(struct naming *n, const struct certified_sight *s, uint32_t own,
                               struct error *err)
{
    struct certificate *c = n->certificate;
    const struct history *h = c->history;
    struct certified_pair pair = { ANOMALY_CYCLIC_VERSIONS, s->key, s->txn, 0 };
    struct buffer why = { 0 };

    if (s->number == VERSION_FIRST || s->number < own || check_is_full(c->check))
        return STATUS_OK;
    pair.second = certificate_writer(c, s->number);
    tell_print(&why, h, "%T read %K of %T and overwrote it, and yet its version comes before that",
               s->txn, s->key, pair.second);
    return certificate_add_pair(c, &pair, &why, NULL, err);
}

static enum status name_lost(struct naming *n, const struct certified_sight *s, struct error *err)
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
    tell_print(&why, h, "%T and %T both read %R and overwrote it: one update is lost", pair.first,
               pair.second, s->op);
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
static uint32_t own_number(struct naming *n, const struct certified_sight *s)
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

static enum status hear_sight(void *context, const struct certified_sight *s, struct error *err)
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
                        .names_internal = anomaly_is_forbidden(c->options->level, ANOMALY_INTERNAL),
                        .names_lost = anomaly_is_forbidden(c->options->level, ANOMALY_LOST_UPDATE) };
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
