#include "checkers/blackbox/blackbox.h"

#include <inttypes.h>

#include "checkers/check_private.h"
#include "checkers/proof/witness.h"
#include "checkers/search/explain.h"
#include "checkers/search/hints.h"
#include "checkers/search/looks.h"
#include "checkers/search/minimal_core.h"
#include "history/level.h"

#define TRIAL_STEPS UINT64_C(400000000) /* of the search, where another question is left */

struct blackbox {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct arena arena, ground; /* what a question needs; what the distilled history is made of */
    struct places places;
    struct distilled d; /* with what statements say, as far as that was needed */
    struct distilled items;
    struct looks looks;
    enum cycle_closing closing;
    bool is_snapshot;
    bool is_fast; /* may guess: another engine is to be asked itself */
    bool is_decided;
    bool has_erred;      /* an order was found that is none */
    bool has_looks;      /* there are statements to be judged */
    uint32_t unexplained; /* statements that the last order did not explain, for want of more */
    bool has_learnt;     /* the last order contradicted statements, about which more is known now */
    uint64_t pair_count; /* that nobody decided */
    uint64_t fact_count;
    const char *reason;
};

/* --- Verdicts --------------------------------------------------------------------- */

static enum status tell_valid(struct blackbox *b, const struct serial *serial, struct error *err)
{
    const struct distilled *d = &b->d;
    uint32_t *txns = NULL, *seen = serial->seen;

    b->is_decided = true;
    for (uint32_t s = 0; b->has_looks && s < b->history->statement_count; s++)
        if (b->looks.is_undecided[s])
            check_note_unjudged(b->check, s);
    if (!check_wants(b->options, CHECK_WITNESS))
        return STATUS_OK;
    TAKE(&b->arena, txns, d->actor_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        txns[i] = d->actor_txn[serial->actors[i]];
    witness_order(b->check, b->history, txns, d->actor_count);
    if (!b->is_snapshot)
        return STATUS_OK;
    if (!seen) {
        TAKE(&b->arena, seen, d->actor_count, err);
        for (uint32_t i = 0; i < d->actor_count; i++)
            seen[i] = i;
    }
    witness_snapshots(b->check, seen, d->actor_count);
    return STATUS_OK;
}

/* A statement that no order explains. */
static enum status tell_no_sight(struct blackbox *b, struct error *err)
{
    b->is_decided = true;
    TRY(array_push(&b->items.faults, b->looks.fault, err));
    return explain_faults(b->check, &b->items, &b->places, err);
}

/* Whether the order explains the statements; if not, what is to be known besides. */
static enum status learn(struct blackbox *b, const struct serial *serial, bool *holds,
                         struct error *err)
{
    TRY(looks_replay(&b->looks, serial, true, &b->arena, holds, err));
    if (b->looks.has_fault)
        return tell_no_sight(b, err);
    if (*holds || looks_are_stopped(&b->looks))
        return STATUS_OK;
    b->has_learnt = b->looks.added > 0;
    if (b->has_learnt)
        return looks_distill(&b->looks, &b->d, &b->ground, err);
    b->unexplained = b->looks.unexplained;
    return STATUS_OK;
}

static enum status tell_found(struct blackbox *b, const struct serial *serial, struct error *err)
{
    struct fixed_order base;
    bool holds = false;

    TRY(fixed_order_init(&base, &b->d, b->closing, &b->arena, err));
    TRY(replay_serial(&b->d, &base, serial, &b->arena, &holds, err));
    /* Reads of keys that nobody could judge may still be wrong. */
    b->has_erred = b->has_erred || (!holds && b->d.strange_key == HISTORY_NONE);
    if (holds && b->has_looks)
        TRY(learn(b, serial, &holds, err));
    return holds ? tell_valid(b, serial, err) : STATUS_OK;
}

static const char *why_undecided(const struct blackbox *b)
{
    if (b->has_erred)
        return "the order that was found does not explain the history: please report this mistake "
               "of the checker";
    if (check_is_stopped(b->options))
        return "it was stopped";
    if (b->looks.is_too_large)
        return "statements may have seen more versions of rows than can be listed";
    if (b->unexplained > 0)
        return "the order that was found does not explain what some statements counted, summed up or put in order";
    return b->reason ? b->reason : "no order and no proof was found";
}

static void doubt(struct blackbox *b)
{
    if (b->d.is_too_large) {
        check_doubt(b->check, "so many transactions wrote equal values that the possible sources "
                              "of all reads cannot be listed");
    } else if (b->d.strange_key != HISTORY_NONE) {
        struct text key = history_key(b->history, b->d.strange_key);

        check_doubt(b->check,
                    "reads of %.*s cannot be judged: it is both written and appended to, or its "
                    "elements repeat",
                    TEXT_PRINT(key));
    } else if (b->pair_count == 0) {
        check_doubt(b->check, "%s before all that follows from the reads was known",
                    why_undecided(b));
    } else {
        check_doubt(b->check,
                    "%s: %" PRIu64 " edges between %" PRIu32 " transactions are known, and %" PRIu64
                    " orders and sources are open",
                    why_undecided(b), b->fact_count, b->d.actor_count, b->pair_count);
    }
}

/* --- Questions -------------------------------------------------------------------- */

/* The smaller reasons, if there are some. */
static enum status tell_refuted(struct blackbox *b, const struct question *question,
                                const struct answer_found *answer, struct error *err)
{
    struct distilled part;
    struct answer_found smaller;
    enum status status = minimal_core_find(question, answer, &part, &smaller, err);
    bool is_smaller = smaller.kind == ANSWER_NONE && smaller.has_proof;

    b->is_decided = true;
    if (status == STATUS_OK)
        status = explain_refutation(b->check, is_smaller ? &smaller.steps : &answer->steps, err);
    decide_close(&smaller);
    distill_close(&part);
    return status;
}

static enum status hear(struct blackbox *b, const struct question *question,
                        const struct answer_found *answer, struct error *err)
{
    if (answer->kind == ANSWER_ORDER)
        TRY(tell_found(b, &answer->serial, err));
    else if (answer->kind == ANSWER_NONE && question->wants_proof)
        TRY(tell_refuted(b, question, answer, err));
    if (answer->pair_count > 0) { /* else it was stopped sooner than the one before */
        b->pair_count = answer->pair_count;
        b->fact_count = answer->polygraph.arrows.count;
    }
    b->reason = answer->reason;
    return STATUS_OK;
}

/*
 * What is asked for, or something that implies it. An order that contradicts statements teaches
 * what is to be asked besides.
 */
static enum status ask(struct blackbox *b, bool is_snapshot, enum cycle_closing closing,
                       struct error *err)
{
    bool is_own = is_snapshot == b->is_snapshot && closing == b->closing;
    size_t mark = b->arena.used;
    struct question question = { .d = &b->d,
                                 .options = b->options,
                                 .arena = &b->arena,
                                 .is_snapshot = is_snapshot,
                                 .closing = closing,
                                 .wants_proof = is_own,
                                 .steps_max = is_own ? 0 : TRIAL_STEPS };
    struct answer_found answer;
    enum status status = decide(&question, &answer, err);

    do {
        b->has_learnt = false;
        b->unexplained = 0;
        if (status == STATUS_OK)
            status = hear(b, &question, &answer, err);
        if (status == STATUS_OK && b->has_learnt && !check_is_stopped(b->options))
            status = decide_further(&question, &answer, err);
        else
            b->has_learnt = false;
    } while (status == STATUS_OK && b->has_learnt);
    decide_close(&answer);
    arena_reset_to(&b->arena, mark);
    return status;
}

static enum status try_hints(struct blackbox *b, struct error *err)
{
    struct fixed_order base;
    struct serial serial;
    struct hints_question question = { .d = &b->d,
                                       .base = &base,
                                       .looks = b->has_looks ? &b->looks : NULL,
                                       .is_snapshot = b->is_snapshot,
                                       .arena = &b->arena };
    bool holds;

    TRY(fixed_order_init(&base, &b->d, b->closing, &b->arena, err));
    TRY(hints_try(&question, &serial, &holds, err));
    return holds ? tell_valid(b, &serial, err) : STATUS_OK;
}

/* Orders that keep more than is asked for are easier to find, and as good. */
static enum status try_more(struct blackbox *b, struct error *err)
{
    bool has_sessions = b->history->session_count < b->history->txn_count;

    if (b->closing == CLOSING_DATA && has_sessions)
        TRY(ask(b, b->is_snapshot, CLOSING_SESSION, err));
    if (!b->is_decided && b->is_snapshot)
        TRY(ask(b, false, b->closing, err));
    return STATUS_OK;
}

static enum status begin_looks(struct blackbox *b, struct error *err)
{
    b->items = b->d;
    b->d.faults.at = NULL;
    b->d.faults.count = b->d.faults.room = 0;
    b->has_looks = true;
    TRY(looks_init(&b->looks, &b->items, err));
    b->looks.stop = b->options->stop;
    return STATUS_OK;
}

/* What statements say at once. */
static enum status look(struct blackbox *b, struct error *err)
{
    TRY(looks_add_first(&b->looks, err));
    if (b->looks.has_fault)
        return tell_no_sight(b, err);
    return looks_distill(&b->looks, &b->d, &b->ground, err);
}

static enum status judge(struct blackbox *b, struct error *err)
{
    bool uses_all = b->options->version_order.numerator == b->options->version_order.denominator;

    b->check->by_part = !uses_all;
    if (b->d.is_stopped || b->d.is_too_large || check_is_stopped(b->options)) {
        doubt(b);
        return STATUS_OK;
    }
    if (b->d.faults.count > 0)
        return explain_faults(b->check, &b->d, &b->places, err);
    if (b->history->statement_count > 0 && b->history->table_count > 0)
        TRY(begin_looks(b, err));
    if (b->is_fast && uses_all)
        TRY(try_hints(b, err));
    if (!b->is_decided && b->has_looks)
        TRY(look(b, err));
    if (!b->is_decided && looks_are_stopped(&b->looks)) {
        doubt(b);
        return STATUS_OK;
    }
    if (!b->is_decided && b->is_fast)
        TRY(try_more(b, err));
    if (!b->is_decided)
        TRY(ask(b, b->is_snapshot, b->closing, err));
    if (!b->is_decided)
        doubt(b);
    return STATUS_OK;
}

/* --- The checker ------------------------------------------------------------------ */

static enum status run_all(struct blackbox *b, struct error *err)
{
    struct distill_options options = { .version_order = b->options->version_order,
                                       .seed = b->options->seed,
                                       .stop = b->options->stop,
                                       .takes_statements = true };

    TRY(arena_init(&b->arena, ARENA_UNLIMITED, err));
    TRY(arena_init(&b->ground, ARENA_UNLIMITED, err));
    TRY(places_init_standing(&b->places, b->history, err));
    TRY(distill(&b->d, b->history, &b->places, &options, &b->ground, err));
    return judge(b, err);
}

static enum status blackbox_judge(const struct history *h, const struct check_options *options,
                                  struct check *check, struct error *err)
{
    struct blackbox b = { .history = h,
                          .options = options,
                          .check = check,
                          .closing = level_closing(options->level),
                          .is_snapshot = level_is_snapshot(options->level),
                          .is_fast = !check_wants(options, CHECK_SLOWLY) &&
                                     options->engine == ENGINE_NATIVE };
    enum status status = run_all(&b, err);

    distill_close(&b.d);
    distill_close(&b.items);
    looks_close(&b.looks);
    places_close(&b.places);
    arena_close(&b.arena);
    arena_close(&b.ground);
    return status;
}

const struct checker checker_blackbox = {
    .name = "blackbox",
    .summary = "searches for an order: needs nothing but reads and writes",
    .levels = LEVEL_BIT(LEVEL_SERIALIZABLE) | LEVEL_BIT(LEVEL_SESSION_SERIALIZABLE) |
              LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE) | LEVEL_BIT(LEVEL_SNAPSHOT) |
              LEVEL_BIT(LEVEL_SESSION_SNAPSHOT) | LEVEL_BIT(LEVEL_STRICT_SNAPSHOT),
    .able = ABLE_Z3 | ABLE_PARTS,
    .cost = 6,
    .is_complete = true,
    .due = DUE_ITEMS,
    .unjudged_why = "their conditions, orders or aggregates cannot be computed here",
    .judge = blackbox_judge,
};
