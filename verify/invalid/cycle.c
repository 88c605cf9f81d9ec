/*
 * Verifies an anomaly by a cycle: every edge is there, the level forbids the cycle, and the
 * anomaly has the right name.
 */
#include "verify/invalid/cycle_private.h"

#include <assert.h>
#include <inttypes.h>

#include "verify/invalid/deduced_private.h"
#include "verify/invalid/forced_private.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/witness.h"

static bool is_anti(enum witness_edge_kind kind)
{
    return kind == EDGE_RW || kind == EDGE_PREDICATE_RW;
}

enum status cycle_refuse_edge(struct verifier *v, const struct named_edge *e, const char *why,
                              struct error *err)
{
    return verify_refuse(v, err, "the edge %s from transaction %" PRId64 " to %" PRId64 ": %s",
                         witness_edge_name(e->w->kind), e->w->from, e->w->to, why);
}

/* --- Orders ------------------------------------------------------------------ */

static enum status check_order_edge(struct verifier *v, const struct named_edge *e,
                                    struct error *err)
{
    enum closing needed = e->w->kind == EDGE_PROCESS ? CLOSED_BY_SESSIONS : CLOSED_BY_TIME;

    /* Where values tell who committed, an edge that leads on does. */
    if (!v->basis->infers_versions &&
        (v->counting[e->from_end.txn] != COUNTS || v->counting[e->to_end.txn] != COUNTS))
        return cycle_refuse_edge(v, e, "one of them may not have committed", err);
    if (e->w->kind == EDGE_ORDER) {
        if (!v->basis->has_places)
            return cycle_refuse_edge(v, e, "only the checker order knows such edges", err);
        return v->place[e->from_end.txn] < v->place[e->to_end.txn]
                   ? STATUS_OK
                   : cycle_refuse_edge(v, e, "its ts is not smaller", err);
    }
    if (v->closing != needed)
        return cycle_refuse_edge(v, e, "the level has no such edges", err);
    return versions_txn_is_before(v, needed, e->from_end.txn, e->to_end.txn)
               ? STATUS_OK
               : cycle_refuse_edge(v, e, "it was not over when the other began", err);
}

/* --- Data -------------------------------------------------------------------- */

static enum status look_up_end(struct verifier *v, uint32_t key, int64_t place,
                               const struct witness_version *version, struct edge_end *end,
                               struct error *err)
{
    TRY(lookup_op(v, end->txn, place, &end->op, err));
    return lookup_version(v, version, key, &end->version, err);
}

static enum status look_up(struct verifier *v, struct named_edge *e, struct error *err)
{
    const struct witness_edge *w = e->w;

    TRY(lookup_key(v, w->key, &e->key, err));
    TRY(look_up_end(v, e->key, w->from_op, &w->from_version, &e->from_end, err));
    return look_up_end(v, e->key, w->to_op, &w->to_version, &e->to_end, err);
}

static bool is_known(const struct verifier *v, uint32_t version)
{
    return version == VERSION_INITIAL || v->spot[version] > 0;
}

/* The operation of a transaction on the edge that wrote one of its versions. */
static enum status check_write(struct verifier *v, const struct named_edge *e,
                               const struct edge_end *end, struct error *err)
{
    if (!lookup_made_version(v, end->op, end->version))
        return cycle_refuse_edge(v, e, "the operation did not write the version", err);
    if (!is_known(v, end->version))
        return cycle_refuse_edge(v, e, "the version was not left behind by one who committed", err);
    return STATUS_OK;
}

/* Whether the statement reads what is in the row, at this spot. */
static enum status reads_inside(struct verifier *v, const struct named_edge *e, uint32_t head,
                                uint32_t spot, bool *reads, struct error *err)
{
    const struct history *h = v->h;
    bool is_returned =
        h->op_kind[head] == OP_SELECT && lookup_row_of(v, head, e->key) != HISTORY_NONE;
    struct statement_query q;

    TRY(answer_open_statement(v, head, &q, err));
    *reads = query_match(&q, version_value(v, e->key, chain_op_at(v, e->key, spot))) == MATCH_YES &&
             query_reads_inside(&q, is_returned);
    query_close(&q);
    return STATUS_OK;
}

/* The certificate says that this operation read this version. */
static enum status check_read(struct verifier *v, const struct named_edge *e,
                              const struct edge_end *end, struct error *err)
{
    bool is_head = op_is_head(v->h->op_kind[end->op]), reads = true;
    struct sight sight;

    if (!answer_is_judged(v, end->txn, end->op) || !lookup_may_read(v, end->op, e->key) ||
        !is_known(v, end->version))
        return cycle_refuse_edge(v, e, "the operation read no such thing", err);
    if (lookup_own(v, end->txn, end->op, e->key) != HISTORY_NONE)
        return cycle_refuse_edge(v, e, "the operation read what its own transaction wrote", err);
    answer_prepare(v, end->op);
    sight = answer_sight(v, end->txn, end->op, e->key);
    if (sight.kind != SIGHT_SPOT || sight.is_vague || sight.spot != version_spot(v, end->version))
        return cycle_refuse_edge(v, e, "the operation did not read that version", err);
    if (is_head && !v->is_causal && (e->w->kind == EDGE_WR || e->w->kind == EDGE_RW))
        TRY(reads_inside(v, e, end->op, sight.spot, &reads, err));
    return reads ? STATUS_OK
                 : cycle_refuse_edge(v, e, "the statement did not read into the row", err);
}

/* And its predicate tells the version that was written from the one before it. */
static enum status check_change(struct verifier *v, const struct named_edge *e,
                                const struct edge_end *end, struct error *err)
{
    uint32_t spot = version_spot(v, end == &e->from_end ? e->to_end.version : e->from_end.version);
    enum match before, after;
    struct statement_query q;

    TRY(check_read(v, e, end, err));
    if (!op_is_head(v->h->op_kind[end->op]) || spot == 0 || key_is_vague(v, e->key))
        return cycle_refuse_edge(v, e, "nothing changed for a predicate", err);
    TRY(answer_open_statement(v, end->op, &q, err));
    before = query_match(&q, version_value(v, e->key, chain_op_at(v, e->key, spot - 1)));
    after = query_match(&q, version_value(v, e->key, chain_op_at(v, e->key, spot)));
    query_close(&q);
    if (before == MATCH_UNDECIDED || after == MATCH_UNDECIDED || before == after)
        return cycle_refuse_edge(v, e, "the version does not change whether the row matches", err);
    return STATUS_OK;
}

static const char the_other_way[] = "the versions stand the other way round";

static enum status is_before_by_certificate(struct verifier *v, const struct named_edge *e,
                                            bool *is_before, struct error *err)
{
    uint32_t from = version_spot(v, e->from_end.version), to = version_spot(v, e->to_end.version);

    (void)err;
    *is_before = from < to || (from == to && e->w->kind == EDGE_PREDICATE_WR);
    return STATUS_OK;
}

static const struct edge_rules rules_of_certificate = { check_write,   check_read,
                                                        check_change,  is_before_by_certificate,
                                                        the_other_way, .sees_later = true };

/* --- Data, where only the order of transactions is known --------------------- */

static uint32_t place_of(const struct verifier *v, uint32_t version)
{
    return version == VERSION_INITIAL ? 0 : v->place[history_txn_of(v->h, version)] + 1;
}

/* Of a list that was read, it is enough that it has the element that was appended. */
static bool comes_from(const struct verifier *v, const struct named_edge *e, uint32_t version,
                       struct value value)
{
    const struct history *h = v->h;

    if (e->w->kind == EDGE_WR && h->op_kind[version] == OP_APPEND)
        return versions_value_has_element(h, value, h->op_value[version]);
    return version_has_value(v, e->key, version, value);
}

/* The answer is the value of the version; and if it could not be, it is a wrong one. */
static enum status check_value_read(struct verifier *v, const struct named_edge *e,
                                    const struct edge_end *end, struct error *err)
{
    const struct history *h = v->h;
    enum answer_judgement answer = ANSWER_UNSAID;
    uint32_t op = end->op, value_op = op;

    if (!is_known(v, end->version))
        return cycle_refuse_edge(v, e, "a version was not left behind by one who committed", err);
    if (op_is_head(h->op_kind[op]))
        value_op = h->op_kind[op] == OP_SELECT ? lookup_row_of(v, op, e->key) : HISTORY_NONE;
    if (!answer_is_judged(v, end->txn, op) || value_op == HISTORY_NONE ||
        h->op_key[value_op] != e->key ||
        !comes_from(v, e, end->version, history_value(h, value_op)))
        return cycle_refuse_edge(v, e, "the answer is not of that version", err);
    if (v->place[e->from_end.txn] < v->place[e->to_end.txn])
        return STATUS_OK;
    answer_prepare(v, op);
    if (op_is_head(h->op_kind[op]))
        TRY(answer_judge_row(v, end->txn, op, e->key, &answer, err));
    else
        answer = answer_judge_item(v, end->txn, op);
    return answer == ANSWER_WRONG
               ? STATUS_OK
               : cycle_refuse_edge(v, e, "what it read was there by the order", err);
}

static enum status is_before_by_place(struct verifier *v, const struct named_edge *e,
                                      bool *is_before, struct error *err)
{
    (void)err;
    *is_before = place_of(v, e->from_end.version) < place_of(v, e->to_end.version);
    return STATUS_OK;
}

static const struct edge_rules rules_of_order = { check_write,   check_value_read,
                                                  NULL,          is_before_by_place,
                                                  the_other_way, .needs_commits = true };

/* --- One edge ---------------------------------------------------------------- */

static bool level_has(const struct verifier *v, enum witness_edge_kind kind)
{
    switch (kind) {
    case EDGE_WR:
    case EDGE_PREDICATE_WR:
        return v->judges_reads;
    case EDGE_RW:
        return v->has_rw || v->is_causal;
    case EDGE_PREDICATE_RW:
        return v->has_predicate_rw;
    default:
        return true;
    }
}

/* One end wrote a version, the other wrote or read one; and the first version comes before. */
static enum status check_data(struct verifier *v, const struct named_edge *e,
                              const struct edge_rules *rules, struct error *err)
{
    enum witness_edge_kind kind = e->w->kind;
    bool by_predicate = kind == EDGE_PREDICATE_WR || kind == EDGE_PREDICATE_RW, is_before = false;
    bool is_read = kind == EDGE_WR || kind == EDGE_PREDICATE_WR;
    edge_function *reads = by_predicate ? rules->saw : rules->read;

    assert(witness_edge_has_data(kind));
    if (rules->needs_commits &&
        (v->counting[e->from_end.txn] != COUNTS || v->counting[e->to_end.txn] != COUNTS))
        return cycle_refuse_edge(v, e, "one of them may not have committed", err);
    if (!reads)
        return cycle_refuse_edge(v, e, "order knows no such edges", err);
    TRY(is_anti(kind) ? reads(v, e, &e->from_end, err) : rules->wrote(v, e, &e->from_end, err));
    TRY(is_read ? reads(v, e, &e->to_end, err) : rules->wrote(v, e, &e->to_end, err));
    if (is_read && !(by_predicate && rules->sees_later))
        return e->from_end.version == e->to_end.version
                   ? STATUS_OK
                   : cycle_refuse_edge(v, e, "it read another version", err);
    TRY(rules->is_before(v, e, &is_before, err));
    return is_before ? STATUS_OK : cycle_refuse_edge(v, e, rules->unordered, err);
}

static enum status check_edge(struct verifier *v, const struct witness_edge *w, struct error *err)
{
    struct named_edge e = { .w = w };
    bool is_it = false;

    v->by_order = false;
    TRY(lookup_txn(v, w->from, &e.from_end.txn, err));
    TRY(lookup_txn(v, w->to, &e.to_end.txn, err));
    /* Each once, so that looking at all of them is linear in the history. */
    if (!verify_add_part(v, e.from_end.txn))
        return verify_refuse(v, err, "transaction %" PRId64 " is on the cycle twice", w->from);
    if (!level_has(v, w->kind))
        return cycle_refuse_edge(v, &e, "the level has no such edges", err);
    if (e.from_end.txn == e.to_end.txn && w->kind != EDGE_PREDICATE_WR)
        return cycle_refuse_edge(v, &e, "it leads nowhere", err);
    if (!witness_edge_has_data(w->kind))
        return check_order_edge(v, &e, err);
    TRY(look_up(v, &e, err));
    if (w->has_reader)
        return cycle_refuse_edge(v, &e, "only in weak a list is named", err);
    if (!v->basis->infers_versions)
        return check_data(v, &e, v->basis->has_places ? &rules_of_order : &rules_of_certificate,
                          err);
    TRY(deduced_is_of_wrong_list(v, &e, &is_it, err));
    return is_it ? deduced_rules.wrote(v, &e, &e.to_end, err)
                 : check_data(v, &e, &deduced_rules, err);
}

/* --- Models of Adya's and Elle's, docs/format-witness.md, "Models" ------------- */

static size_t count_of(const struct witness_anomaly *a, bool (*is_it)(enum witness_edge_kind))
{
    size_t count = 0;

    for (size_t i = 0; i < a->cycle.count; i++)
        count += is_it(a->cycle.at[i].kind);
    return count;
}

static bool is_read(enum witness_edge_kind kind)
{
    return kind == EDGE_WR || kind == EDGE_PREDICATE_WR;
}

static bool is_seen(enum witness_edge_kind kind)
{
    return kind == EDGE_PROCESS || is_read(kind);
}

/* The edges before and at the only anti-dependency. */
static void around(const struct witness_anomaly *a, const struct witness_edge **before,
                   const struct witness_edge **anti)
{
    size_t count = a->cycle.count;

    for (size_t i = 0; i < count; i++)
        if (is_anti(a->cycle.at[i].kind)) {
            *anti = &a->cycle.at[i];
            *before = &a->cycle.at[(i + count - 1) % count];
        }
}

static bool each_anti_follows_what_was_seen(const struct witness_anomaly *a)
{
    size_t count = a->cycle.count;

    for (size_t i = 0; i < count; i++)
        if (is_anti(a->cycle.at[i].kind) && !is_seen(a->cycle.at[(i + count - 1) % count].kind))
            return false;
    return true;
}

static bool txn_writes(const struct verifier *v, int64_t id)
{
    uint64_t txn = 0;

    return map_find(&v->txn_of_id, (uint64_t)id, &txn) && lookup_writes(v, (uint32_t)txn);
}

static bool has_one_reader(const struct verifier *v, const struct witness_anomaly *a)
{
    size_t count = 0;

    for (size_t i = 0; i < a->cycle.count; i++)
        count += !txn_writes(v, a->cycle.at[i].from);
    return count <= 1;
}

/* Whether a reader went on to write the key, so that its version stands behind what it read. */
static bool is_update(const struct verifier *v, const struct witness_edge *e)
{
    uint64_t txn = 0;
    uint32_t key = intern_find(&v->keys, e->key);

    return e->kind == EDGE_WR && map_find(&v->txn_of_id, (uint64_t)e->to, &txn) &&
           lookup_left(v, (uint32_t)txn, key) != HISTORY_NONE;
}

/* Whether the reader went on to write the key: else no cursor stood there. */
static bool goes_on_to_write(const struct verifier *v, const struct witness_edge *anti)
{
    const struct history *h = v->h;
    uint32_t key = intern_find(&v->keys, anti->key);
    uint64_t txn = 0;
    int64_t place = -1;

    if (!map_find(&v->txn_of_id, (uint64_t)anti->from, &txn))
        return false;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        place += !op_is_row(h->op_kind[op]);
        if (place >= anti->from_op && h->op_key[op] == key && history_makes_version(h, op))
            return true;
    }
    return false;
}

static bool model_forbids(const struct verifier *v, const struct witness_anomaly *a)
{
    size_t anti_count = count_of(a, is_anti), count = a->cycle.count;
    const struct witness_edge *before = NULL, *anti = NULL;

    if (anti_count == 0)
        return true;
    if (v->w->level == LEVEL_UPDATE_SERIALIZABLE)
        return has_one_reader(v, a);
    if (v->w->level == LEVEL_PREFIX)
        return each_anti_follows_what_was_seen(a);
    if (anti_count > 1)
        return false;
    around(a, &before, &anti);
    switch (v->w->level) {
    case LEVEL_READ_ATOMIC:
        return count == 2 && is_seen(before->kind);
    case LEVEL_CAUSAL:
        return count_of(a, is_seen) == count - 1;
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        return count == 2 && is_read(before->kind) && before->to_op < anti->from_op;
    case LEVEL_UPDATE_ATOMIC:
        return count == 2 && (is_read(before->kind) || before->kind == EDGE_WW);
    case LEVEL_CURSOR_STABILITY:
        return count == 2 && text_equal(before->key, anti->key) && goes_on_to_write(v, anti) &&
               (before->kind == EDGE_WW || is_update(v, before));
    case LEVEL_MONOTONIC_VIEW:
    case LEVEL_MONOTONIC_SNAPSHOT_READ: /* what a statement writes comes behind what it reads */
        return before->to_op < anti->from_op + (before->kind != EDGE_WW);
    default: /* consistent views, parallel snapshots */
        return true;
    }
}

/* --- The cycle --------------------------------------------------------------- */

struct census {
    size_t ww, wr, rw, predicate_rw, process, realtime;
    bool has_adjacent; /* anti-dependencies that follow each other */
};

static struct census count_edges(const struct witness_anomaly *a)
{
    struct census c = { 0 };
    size_t count = a->cycle.count;

    for (size_t i = 0; i < count; i++) {
        enum witness_edge_kind kind = a->cycle.at[i].kind;

        c.ww += kind == EDGE_WW;
        c.wr += kind == EDGE_WR || kind == EDGE_PREDICATE_WR;
        c.rw += kind == EDGE_RW;
        c.predicate_rw += kind == EDGE_PREDICATE_RW;
        c.process += kind == EDGE_PROCESS;
        c.realtime += kind == EDGE_REALTIME;
        c.has_adjacent |= is_anti(kind) && is_anti(a->cycle.at[(i + 1) % count].kind);
    }
    return c;
}

/* Two updates of one version, or of two that did not see each other. */
static bool is_lost_update(const struct witness_anomaly *a, const struct census *c)
{
    return a->cycle.count == 2 && c->rw >= 1 && c->rw + c->ww == 2 &&
           text_equal(a->cycle.at[0].key, a->cycle.at[1].key);
}

#define KIND_COUNT 6

/* By what closes a cycle besides data, from the strongest: what its name says of data. */
static const enum anomaly cycle_kinds[][KIND_COUNT] = {
    { ANOMALY_G0, ANOMALY_G1C, ANOMALY_G_SINGLE, ANOMALY_G_NONADJACENT, ANOMALY_G2_ITEM,
      ANOMALY_G2 },
    { ANOMALY_G0_PROCESS, ANOMALY_G1C_PROCESS, ANOMALY_G_SINGLE_PROCESS,
      ANOMALY_G_NONADJACENT_PROCESS, ANOMALY_G2_ITEM_PROCESS, ANOMALY_G2_PROCESS },
    { ANOMALY_G0_REALTIME, ANOMALY_G1C_REALTIME, ANOMALY_G_SINGLE_REALTIME,
      ANOMALY_G_NONADJACENT_REALTIME, ANOMALY_G2_ITEM_REALTIME, ANOMALY_G2_REALTIME },
};

/* The kind without what closes the cycle, or ANOMALY_COUNT if its name does not fit that. */
static enum anomaly kind_of_data(enum anomaly kind, const struct census *c)
{
    const enum anomaly *family = cycle_kinds[c->realtime > 0 ? 2 : c->process > 0 ? 1 : 0];

    for (size_t i = 0; i < KIND_COUNT; i++)
        if (family[i] == kind)
            return cycle_kinds[0][i];
    return ANOMALY_COUNT;
}

static bool is_of_kind(const struct witness_anomaly *a, const struct census *c)
{
    size_t anti = c->rw + c->predicate_rw;

    if (a->kind == ANOMALY_LOST_UPDATE)
        return is_lost_update(a, c);
    switch (kind_of_data(a->kind, c)) {
    case ANOMALY_G0:
        return c->wr == 0 && anti == 0;
    case ANOMALY_G1C:
        return c->wr > 0 && anti == 0;
    case ANOMALY_G_SINGLE:
        return anti == 1;
    case ANOMALY_G_NONADJACENT:
        return anti >= 2 && !c->has_adjacent;
    case ANOMALY_G2_ITEM:
        return c->rw > 0 && c->predicate_rw == 0;
    case ANOMALY_G2:
        return c->predicate_rw > 0;
    default:
        return false;
    }
}

/* Versions may be ordered by sessions or times, which closes a cycle as much as an edge does. */
static bool kind_is_true(const struct verifier *v, const struct witness_anomaly *a,
                         struct census census, bool by_order)
{
    if (is_of_kind(a, &census))
        return true;
    census.process += by_order && v->closing == CLOSED_BY_SESSIONS;
    census.realtime += by_order && v->closing == CLOSED_BY_TIME;
    return by_order && is_of_kind(a, &census);
}

/* Where one of several cycles is there, the kind is the weakest of theirs. */
static bool implies_kind(const struct verifier *v, const struct witness_anomaly *a,
                         struct census census, bool by_order)
{
    int closing = -1, weakest = -1;

    for (int by = 0; by < (int)ROW_COUNT(cycle_kinds); by++)
        for (int i = 0; i < KIND_COUNT; i++)
            if (cycle_kinds[by][i] == a->kind) {
                closing = by;
                weakest = i;
            }
    for (int by = 0; by <= closing; by++)
        for (int i = 0; i <= weakest; i++) {
            struct witness_anomaly stronger = *a;

            stronger.kind = cycle_kinds[by][i];
            if (kind_is_true(v, &stronger, census, by_order))
                return true;
        }
    return false;
}

enum status cycle_check_round(struct verifier *v, const struct witness_anomaly *a,
                              struct error *err)
{
    size_t count = a->cycle.count;

    for (size_t i = 0; i < count; i++)
        if (a->cycle.at[i].to != a->cycle.at[(i + 1) % count].from)
            return verify_refuse(
                v, err, "the edge to transaction %" PRId64 " is followed by one from %" PRId64,
                a->cycle.at[i].to, a->cycle.at[(i + 1) % count].from);
    return STATUS_OK;
}

/* Whether all edges of data are of one key. */
static bool is_of_one_key(const struct witness_anomaly *a)
{
    const struct witness_edge *first = NULL;

    for (size_t i = 0; i < a->cycle.count; i++) {
        const struct witness_edge *edge = &a->cycle.at[i];

        if (!witness_edge_has_data(edge->kind))
            continue;
        if (first && !text_equal(first->key, edge->key))
            return false;
        first = edge;
    }
    return true;
}

/* All but what only the cycle at hand stands on. */
static enum status check_cycle(struct verifier *v, const struct witness_anomaly *a,
                               struct error *err)
{
    struct census census = count_edges(a);
    bool by_order = false;

    TRY(cycle_check_round(v, a, err));
    if (v->w->level == LEVEL_LINEARIZABLE && !is_of_one_key(a))
        return verify_refuse(v, err, "each key is linearizable on its own");
    v->part_now++;
    v->part_count = 0;
    for (size_t i = 0; i < a->cycle.count; i++) {
        TRY(check_edge(v, &a->cycle.at[i], err));
        by_order |= v->by_order;
    }
    if (v->is_snapshot && census.has_adjacent)
        return verify_refuse(v, err, "the level allows a cycle with anti-dependencies in a row");
    if ((v->has_shape || v->is_causal) && !model_forbids(v, a))
        return verify_refuse(v, err, "the model allows such a cycle");
    if (a->orders.count > 0 ? !implies_kind(v, a, census, by_order)
                            : !kind_is_true(v, a, census, by_order))
        return verify_refuse(v, err, "the cycle is no %s", anomaly_name(a->kind));
    return STATUS_OK;
}

/* --- Orders that the cycle stands on ----------------------------------------- */

static enum status look_up_order(struct verifier *v, const struct witness_order *o,
                                 struct derived_order *order, struct error *err)
{
    uint32_t *versions[] = { &order->first, &order->second };
    const struct witness_version *names[] = { &o->first, &o->second };
    uint32_t txns[2] = { 0 };

    TRY(lookup_key(v, o->key, &order->key, err));
    for (int i = 0; i < 2; i++) {
        TRY(lookup_version(v, names[i], order->key, versions[i], err));
        if (*versions[i] == VERSION_INITIAL)
            return verify_refuse(v, err, "the initial version comes before all others");
        txns[i] = history_txn_of(v->h, *versions[i]);
        if (v->h->txn_status[txns[i]] != TXN_OK ||
            lookup_left(v, txns[i], order->key) != *versions[i])
            return verify_refuse(v, err, "a version was not left behind by one who committed");
    }
    return verify_need(v, txns[0] != txns[1], err, "one transaction left both versions");
}

/* Suppose that the versions stand the other way round: there is the cycle. */
static enum status check_order(struct verifier *v, const struct witness_anomaly *a,
                               const struct witness_order *o, struct error *err)
{
    struct witness_anomaly otherwise = *a;
    struct derived_order order = { 0 }, reversed;

    otherwise.cycle.at = a->order_edges.at + o->cycle;
    otherwise.cycle.count = o->cycle_count;
    TRY(look_up_order(v, o, &order, err));
    reversed = (struct derived_order){ order.key, order.second, order.first };
    TRY(array_push(&v->derived, reversed, err));
    TRY(check_cycle(v, &otherwise, err));
    v->derived.at[v->derived.count - 1] = order;
    return STATUS_OK;
}

static enum status add_parts(struct verifier *v, const struct witness_edge *edges, size_t count,
                             struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t txn = 0;

        TRY(lookup_txn(v, edges[i].from, &txn, err));
        (void)verify_add_part(v, txn);
    }
    return STATUS_OK;
}

enum status verify_cycle(struct verifier *v, const struct witness_anomaly *a, struct error *err)
{
    if (a->orders.count > 0 && (!v->basis->infers_versions || !v->judges_reads))
        return verify_refuse(v, err, "only infer says which of two versions comes first");
    if (v->basis->saturates)
        return verify_forced_cycle(v, a, err);
    v->derived.count = 0;
    for (size_t i = 0; i < a->orders.count; i++)
        TRY(check_order(v, a, &a->orders.at[i], err));
    TRY(check_cycle(v, a, err));
    v->derived.count = 0;
    v->part_now++;
    v->part_count = 0;
    TRY(add_parts(v, a->order_edges.at, a->order_edges.count, err));
    return add_parts(v, a->cycle.at, a->cycle.count, err);
}
