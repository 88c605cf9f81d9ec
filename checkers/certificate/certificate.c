#include "checkers/certificate/certificate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/certificate/certificate_private.h"
#include "checkers/certificate/causal_private.h"
#include "checkers/certificate/graph_private.h"
#include "checkers/certificate/other_anomalies_private.h"
#include "checkers/certificate/replay_private.h"
#include "checkers/certificate/walk_private.h"
#include "checkers/graph/cycles.h"
#include "checkers/proof/tell.h"
#include "checkers/proof/witness.h"
#include "history/level.h"

/* --- What is needed --------------------------------------------------------------- */

static bool has_view(const struct history *h, uint32_t txn)
{
    return (h->txn_ts && (!h->txn_ts_parts || h->txn_ts_parts[txn] > 0)) ||
           history_txn_snapshot(h, txn).parts > 0;
}

static bool op_has_view(const struct history *h, uint32_t op)
{
    return (h->op_snapshot && h->op_snapshot_parts[op] > 0) ||
           certificate_find_set(h, op) < h->set_count;
}

/* Every key that was written has a version order, and every read a version set. */
static enum status certificate_needs(const struct history *h, struct error *err)
{
    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool viewed = has_view(h, t);

        if (h->txn_status[t] != TXN_OK)
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (history_makes_version(h, op) && h->key_order[h->op_key[op]] == HISTORY_NONE)
                return error_set(err, STATUS_BAD_INPUT,
                                 "the certificate is not full: %.*s, which transaction %" PRId64
                                 " wrote, has no version order",
                                 TEXT_PRINT(history_key(h, h->op_key[op])), h->txn_id[t]);
            if (!viewed && certificate_is_answered(h, t, op) && !op_has_view(h, op))
                return error_set(err, STATUS_BAD_INPUT,
                                 "the certificate is not full: operation %" PRIu32
                                 " of transaction %" PRId64 " has no version set",
                                 tell_op_number(h, t, op), h->txn_id[t]);
        }
    }
    return STATUS_OK;
}

/* --- Making ----------------------------------------------------------------------- */

static enum status note_views(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;

    TRY(memory_resize((void **)&c->txn_seen, h->txn_count, sizeof *c->txn_seen, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        struct place place = { 0 };

        c->txn_seen[t] = c->places.position[t];
        if (h->txn_snapshot && places_is_in(&c->places, t))
            place = history_txn_snapshot(h, t);
        if (place.parts > 0)
            c->txn_seen[t] = places_up_to(&c->places, place, c->places.position[t]);
    }
    return STATUS_OK;
}

/* What the short way needs as well. */
static enum status open_ground(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;

    contents_init(&c->contents, h);
    TRY(places_init(&c->places, h, false, err));
    suspects_init(&c->suspects, h, &c->places);
    TRY(keys_init(&c->keys, h, err));
    TRY(matcher_init(&c->matcher, h, check_wants(c->options, CHECK_SLOWLY), err));
    TRY(answers_init(&c->answers, h, c->matcher.predicates, err));
    TRY(rows_init(&c->rows, h, &c->keys, &c->matcher, err));
    rows_heed(&c->rows, c->options->stop);
    return note_views(c, err);
}

static enum status rank_all(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    const struct places *places = &c->places;
    uint32_t count = places->sequence_count;

    c->rank = places->position;
    c->ranked = places->sequence;
    if (count == places->in_count)
        return STATUS_OK;
    c->rank = c->ranked = NULL;
    TRY(memory_resize((void **)&c->rank, h->txn_count, sizeof *c->rank, err));
    TRY(memory_resize((void **)&c->ranked, places->in_count, sizeof *c->ranked, err));
    for (uint32_t i = 0; i < count; i++)
        c->ranked[i] = places->sequence[i];
    for (uint32_t t = 0; t < h->txn_count; t++) {
        c->rank[t] = places->position[t];
        if (!places_is_in(places, t) || c->rank[t] != HISTORY_NONE)
            continue;
        c->rank[t] = count;
        c->ranked[count++] = t;
    }
    return STATUS_OK;
}

static enum status open_versions(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;

    TRY(rank_all(c, err));
    TRY(memory_resize((void **)&c->walked, h->key_count + 1, sizeof *c->walked, err));
    certificate_begin_walk(c);
    if (h->set_count > 0) {
        TRY(check_memory((void **)&c->set_of_key, h->key_count, sizeof *c->set_of_key, 0, err));
        TRY(memory_resize((void **)&c->entry_of_key, h->key_count, sizeof *c->entry_of_key, err));
    }
    if (h->statement_count > 0) {
        TRY(check_memory((void **)&c->returned, h->key_count, sizeof *c->returned, 0, err));
        TRY(check_memory((void **)&c->asked, h->key_count, sizeof *c->asked, 0, err));
    }
    TRY(certificate_init_versions(c, err));
    TRY(predicate_columns_init(c, err));
    c->wrong_answers = (struct wrong_answers){ .history = h,
                               .check = c->check,
                               .places = &c->places,
                               .keys = &c->keys,
                               .contents = &c->contents,
                               .suspects = &c->suspects };
    return wrong_answer_note_open(&c->wrong_answers, err);
}

static void close(struct certificate *c)
{
    if (c->rank != c->places.position)
        free(c->rank);
    if (c->ranked != c->places.sequence)
        free(c->ranked);
    wrong_answer_close(&c->wrong_answers);
    predicate_columns_close(c);
    certificate_close_versions(&c->versions);
    rows_close(&c->rows);
    answers_close(&c->answers);
    matcher_close(&c->matcher);
    keys_close(&c->keys);
    suspects_close(&c->suspects);
    places_close(&c->places);
    contents_close(&c->contents);
    free(c->walked);
    free(c->set_of_key);
    free(c->entry_of_key);
    free(c->txn_seen);
    free(c->agrees);
    free(c->returned);
    free(c->asked);
    free(c->own_last);
    array_close(&c->own_writes);
    array_close(&c->matching);
}

bool certificate_goes_on(struct certificate *c, const char *looking_for, uint32_t done)
{
    progress_report(c->options->progress, done, c->places.in_count);
    c->is_stopped = check_is_stopped(c->options);
    if (c->is_stopped)
        check_doubt(c->check,
                    "stopped while looking for %s, %" PRIu32 " of %" PRIu32
                    " transactions behind it",
                    looking_for, done, c->places.in_count);
    return !c->is_stopped;
}

/* --- Judging ---------------------------------------------------------------------- */

void certificate_rule_out(struct certificate *c, enum level level)
{
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (level_implies((enum level)i, level))
            c->ruled_out |= UINT32_C(1) << i;
}

/* Answers against version sets. */
static enum status judge_answers(struct certificate *c, struct error *err)
{
    struct check *check = c->check;
    size_t before = check->findings.count;
    struct walk walk = { .certificate = c, .judges = true };

    if (c->options->level == LEVEL_READ_UNCOMMITTED)
        return STATUS_OK;
    TRY(certificate_replay_statements(c, err));
    if (c->is_stopped)
        return STATUS_OK;
    TRY(certificate_walk(&walk, err));
    if (check->findings.count > before ||
        (before == CHECK_FINDINGS_MAX && check->has_more_findings))
        certificate_rule_out(c, LEVEL_READ_COMMITTED);
    return STATUS_OK;
}

static enum status tell_places(struct certificate *c, struct error *err)
{
    const uint32_t *sequence = c->places.sequence;
    uint32_t count = c->places.sequence_count, *seen = NULL;

    witness_order(c->check, c->history, sequence, count);
    if (!level_is_snapshot(c->options->level))
        return STATUS_OK;
    TRY(memory_resize((void **)&seen, count, sizeof *seen, err));
    for (uint32_t i = 0; i < count; i++)
        seen[i] = c->txn_seen[sequence[i]];
    witness_snapshots(c->check, seen, count);
    free(seen);
    return STATUS_OK;
}

static void find_strongest(struct certificate *c)
{
    uint32_t holding = 0;

    for (int i = 0; i < LEVEL_COUNT; i++)
        if (checker_decides(c->check->checker, (enum level)i) &&
            level_implies(c->options->level, (enum level)i) && !(c->ruled_out >> i & 1))
            holding |= UINT32_C(1) << i;
    c->check->strongest = level_strongest(holding);
}

static enum status accept(struct certificate *c, struct error *err)
{
    return c->check->verdict == VERDICT_VALID && check_wants(c->options, CHECK_WITNESS)
               ? tell_places(c, err)
               : STATUS_OK;
}

/* The short way. What it has not settled is looked at as if it had not been gone. */
static enum status judge_shortly(struct certificate *c, bool *is_settled, struct error *err)
{
    bool agrees = false, is_distinct = false;

    *is_settled = false;
    if (certificate_may_replay(c))
        TRY(certificate_replay(c, &agrees, &is_distinct, err));
    if (c->is_stopped)
        return STATUS_OK;
    if (!is_distinct)
        TRY(certificate_find_duplicates(c, err));
    if (!agrees || c->check->verdict != VERDICT_VALID)
        return STATUS_OK;
    TRY(certificate_scan_times(c, is_settled, err));
    return *is_settled ? accept(c, err) : STATUS_OK;
}

static enum status judge_graph(struct certificate *c, struct error *err)
{
    bool is_forward;

    if (c->options->level == LEVEL_CAUSAL)
        return certificate_check_causal(c, true, err);
    TRY(certificate_leads_forward(c, &is_forward, err));
    if (c->is_stopped)
        return STATUS_OK;
    if (!is_forward)
        TRY(certificate_check_graph(c, err));
    return is_forward ? accept(c, err) : STATUS_OK;
}

/*
 * Causal stands beside the levels that graphs decide: what it says of a weaker one, or a stronger
 * one of it, is asked for by itself.
 */
static enum status rule_out_beside_causal(struct certificate *c, struct error *err)
{
    static const enum level weaker[] = { LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED };

    if (c->options->level != LEVEL_CAUSAL && level_implies(c->options->level, LEVEL_CAUSAL) &&
        !(c->ruled_out >> LEVEL_CAUSAL & 1))
        TRY(certificate_check_causal(c, false, err));
    for (size_t i = 0; c->options->level == LEVEL_CAUSAL && i < ROW_COUNT(weaker); i++) {
        bool violates = false;

        if (!c->is_stopped && !(c->ruled_out >> weaker[i] & 1))
            TRY(certificate_graph_violates(c, weaker[i], &violates, err));
        if (violates)
            certificate_rule_out(c, weaker[i]);
    }
    return STATUS_OK;
}

static enum status judge(struct certificate *c, struct error *err)
{
    TRY(open_versions(c, err));
    TRY(judge_answers(c, err));
    if (!c->is_stopped)
        TRY(certificate_find_lost_updates(c, err));
    if (!c->is_stopped)
        TRY(judge_graph(c, err));
    if (c->check->verdict != VERDICT_INVALID)
        return STATUS_OK;
    if (c->is_stopped)
        return STATUS_OK; /* what still holds, nobody has looked at */
    TRY(rule_out_beside_causal(c, err));
    if (c->is_stopped)
        return STATUS_OK;
    certificate_rule_out(c, c->options->level);
    find_strongest(c);
    return certificate_add_names(c, err);
}

/* Then no level holds: they are all of an order of versions. */
static enum status find_contradictions(struct certificate *c, struct error *err)
{
    TRY(places_find_contradictions(&c->places, c->check, err));
    if (c->check->verdict == VERDICT_INVALID)
        certificate_rule_out(c, LEVEL_READ_UNCOMMITTED);
    return STATUS_OK;
}

static enum status certificate_judge(const struct history *h, const struct check_options *options,
                                     struct check *check, struct error *err)
{
    struct certificate c = { .history = h, .options = options, .check = check };
    bool is_settled = false;
    enum status status = open_ground(&c, err);

    if (status == STATUS_OK)
        status = find_contradictions(&c, err);
    if (status == STATUS_OK)
        status = judge_shortly(&c, &is_settled, err);
    if (status == STATUS_OK && !is_settled && !c.is_stopped)
        status = judge(&c, err);
    close(&c);
    return status;
}

#define BIT(level) LEVEL_BIT(LEVEL_##level)

const struct checker checker_certificate = {
    .name = "certificate",
    .summary = "the graph of reads and writes: needs version orders and version sets",
    .levels = BIT(READ_UNCOMMITTED) | BIT(READ_COMMITTED) | BIT(CAUSAL) | BIT(REPEATABLE_READ) | BIT(SNAPSHOT) |
              BIT(SERIALIZABLE) | BIT(SESSION_SNAPSHOT) | BIT(SESSION_SERIALIZABLE) |
              BIT(STRICT_SNAPSHOT) | BIT(STRICT_SERIALIZABLE),
    .cost = 2,
    .is_complete = true,
    .unjudged_why = "their conditions, orders or aggregates cannot be computed here",
    .needs = certificate_needs,
    .judge = certificate_judge,
};
