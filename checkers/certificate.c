#include "checkers/certificate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/certificate_private.h"
#include "checkers/cycles.h"
#include "checkers/lattice.h"
#include "checkers/tell.h"
#include "checkers/witness.h"

/* --- What is needed --------------------------------------------------------------- */

static bool is_judged(const struct history *h, uint32_t op)
{
    if (h->op_flags[op] & OP_ERROR)
        return false;
    if (op_is_head(h->op_kind[op]))
        return h->op_kind[op] != OP_INSERT &&
               h->statement_flags[h->op_key[op]] & STATEMENT_ANSWERED;
    return h->op_kind[op] == OP_READ && h->op_value_kind[op] != VALUE_NONE;
}

static bool has_view(const struct history *h, uint32_t txn)
{
    return (h->txn_ts && (!h->txn_ts_parts || h->txn_ts_parts[txn] > 0)) ||
           history_txn_snapshot(h, txn).parts > 0;
}

static bool op_has_view(const struct history *h, uint32_t op)
{
    size_t low = 0, high = h->set_count;

    if (h->op_snapshot && h->op_snapshot_parts && h->op_snapshot_parts[op] > 0)
        return true;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (h->set_op[middle] <= op)
            low = middle;
        else
            high = middle;
    }
    return low < h->set_count && h->set_op[low] == op;
}

/* Every key that was written has a version order, and every read a version set. */
static enum status examine(const struct history *h, struct error *err)
{
    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool viewed = has_view(h, t);

        if (h->txn_status[t] != TXN_OK)
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool is_write = op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);

            if (is_write && h->key_order[h->op_key[op]] == HISTORY_NONE)
                return error_set(err, STATUS_BAD_INPUT,
                                 "the certificate is not full: %.*s, which transaction %" PRId64
                                 " wrote, has no version order",
                                 TEXT_PRINT(history_key(h, h->op_key[op])), h->txn_id[t]);
            if (!viewed && is_judged(h, op) && !op_has_view(h, op))
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

enum status certificate_open(struct certificate *c, const struct history *h,
                             const struct check_options *options, struct check *check,
                             struct error *err)
{
    *c = (struct certificate){ .history = h, .options = options, .check = check };
    contents_init(&c->contents, h);
    TRY(places_init(&c->places, h, false, err));
    suspects_init(&c->suspects, h, &c->places);
    TRY(memory_resize((void **)&c->own, h->key_count, sizeof *c->own, err));
    TRY(memory_resize((void **)&c->latest, h->key_count, sizeof *c->latest, err));
    if (h->set_count > 0) {
        TRY(check_memory((void **)&c->set_of_key, h->key_count, sizeof *c->set_of_key, 0, err));
        TRY(memory_resize((void **)&c->entry_of_key, h->key_count, sizeof *c->entry_of_key, err));
    }
    TRY(keys_init(&c->keys, h, err));
    TRY(matcher_init(&c->matcher, h, check_wants(options, CHECK_SLOWLY), err));
    TRY(answers_init(&c->answers, h, c->matcher.predicates, err));
    TRY(certificate_init_versions(c, err));
    TRY(note_views(c, err));
    c->judge = (struct judge){ .history = h,
                               .check = check,
                               .places = &c->places,
                               .keys = &c->keys,
                               .contents = &c->contents,
                               .suspects = &c->suspects };
    return judge_note_open(&c->judge, err);
}

void certificate_close(struct certificate *c)
{
    judge_close(&c->judge);
    certificate_close_versions(&c->versions);
    answers_close(&c->answers);
    matcher_close(&c->matcher);
    keys_close(&c->keys);
    suspects_close(&c->suspects);
    places_close(&c->places);
    contents_close(&c->contents);
    free(c->own);
    free(c->latest);
    free(c->set_of_key);
    free(c->entry_of_key);
    free(c->txn_seen);
    array_close(&c->matching);
}

/* --- Judging ---------------------------------------------------------------------- */

void certificate_rule_out(struct certificate *c, enum level level)
{
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (lattice_implies((enum level)i, level))
            c->ruled_out |= UINT32_C(1) << i;
}

/* Answers against version sets; on the way, whether places explain every edge. */
static enum status judge_answers(struct certificate *c, struct forward *forward, struct error *err)
{
    struct check *check = c->check;
    size_t before = check->findings.count;
    struct walk walk = { .certificate = c,
                         .judges = c->options->level != LEVEL_READ_UNCOMMITTED,
                         .is_forward = true,
                         .kinds = cycles_kinds(c->options->level),
                         .context = forward,
                         .edge = forward->holds ? forward_hear : NULL };

    TRY(certificate_walk(&walk, err));
    if (check->findings.count > before ||
        (before == CHECK_FINDINGS_MAX && check->has_more_findings))
        certificate_rule_out(c, LEVEL_READ_COMMITTED);
    if (check->unjudged_predicates > 0)
        check_doubt(check,
                    "%" PRIu64 " statements could not be judged: their conditions, orders or "
                    "aggregates cannot be computed here",
                    check->unjudged_predicates);
    return forward_finish(forward, err);
}

static enum status tell_places(struct certificate *c, struct error *err)
{
    const uint32_t *sequence = c->places.sequence;
    uint32_t count = c->places.sequence_count, *seen = NULL;

    witness_order(c->check, c->history, sequence, count);
    if (!lattice_is_snapshot(c->options->level))
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
        if (checker_decides(&checker_certificate, (enum level)i) &&
            lattice_implies(c->options->level, (enum level)i) && !(c->ruled_out >> i & 1))
            holding |= UINT32_C(1) << i;
    c->check->strongest = lattice_strongest(holding);
}

static enum status judge(struct certificate *c, struct error *err)
{
    struct check *check = c->check;
    struct forward forward;

    forward_init(&forward, c);
    TRY(certificate_find_duplicates(c, err));
    TRY(judge_answers(c, &forward, err));
    TRY(certificate_find_lost_updates(c, err));
    if (!forward.holds)
        TRY(certificate_check_graph(c, err));
    else if (check->verdict == VERDICT_VALID && check_wants(c->options, CHECK_WITNESS))
        TRY(tell_places(c, err));
    if (check->verdict != VERDICT_INVALID)
        return STATUS_OK;
    certificate_rule_out(c, c->options->level);
    find_strongest(c);
    return certificate_add_names(c, err);
}

static enum status run(const struct history *h, const struct check_options *options,
                       struct check *check, struct error *err)
{
    struct certificate c;
    enum status status = certificate_open(&c, h, options, check, err);

    if (status == STATUS_OK)
        status = judge(&c, err);
    certificate_close(&c);
    return status;
}

#define BIT(level) (UINT32_C(1) << LEVEL_##level)

const struct checker checker_certificate = {
    .name = "certificate",
    .summary = "the graph of reads and writes: needs version orders and version sets",
    .levels = BIT(READ_UNCOMMITTED) | BIT(READ_COMMITTED) | BIT(REPEATABLE_READ) | BIT(SNAPSHOT) |
              BIT(SERIALIZABLE) | BIT(SESSION_SNAPSHOT) | BIT(SESSION_SERIALIZABLE) |
              BIT(STRICT_SNAPSHOT) | BIT(STRICT_SERIALIZABLE),
    .examine = examine,
    .run = run,
};
