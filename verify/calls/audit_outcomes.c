#include "verify/calls/audit_outcomes_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "verify/calls/brancher_private.h"
#include "verify/calls/grow_private.h"
#include "verify/calls/split_rows_private.h"

#define PASSES_MAX 8 /* at the serial levels */
#define RUNS_MIN 1000000
#define RUNS_PER_TXN 300
#define RUNS_OF_ONE_MAX 20000
#define RUNS_OF_SPLIT_MAX 2000 /* if it can be run coarsely */
#define MEMORY_MAX ((size_t)2 << 30)

/* A transaction with all that it may have written. */
struct actor {
    const struct logged_txn *txn;
    uint32_t position; /* among those that may write, from 1; 0: it cannot, or has no place */
    bool may_be_empty; /* it may have written nothing in a later state */
    bool has_empty;    /* it may have written nothing, or not have committed */
    bool is_open;      /* nobody knows what it did to the rows within its bounds */
    bool is_outside;   /* of the core: likewise */
    struct surely sure;
    struct written_rows *outcomes;
    uint32_t count;
    bool is_split; /* it has contents of rows instead: */
    struct split_rows split;
    int64_t answered; /* first */
};

/* Which outcomes of a writer are left in the runs of the transaction at hand that may have been. */
struct exclusion {
    uint64_t left;
    uint64_t runs, last; /* in so many of them some are left out; the last one */
};

struct outcomes {
    struct outcomes_job *job;
    struct audit_replay *a;
    struct sure_facts facts;
    struct actor *actors;
    struct actor **writers; /* by position */
    uint32_t writer_count;
    struct actor **readers; /* by their first answers */
    uint32_t reader_count, reader; /* the next one */
    int64_t *invoked; /* when the first was invoked of the writers from a position on, and of those outside */
    struct row_entry **wild; /* rows that may be anything at any time */
    uint32_t wild_count, wild_room;
    struct exclusion *exclusions; /* by position */
    uint32_t *excluded, excluded_count; /* positions */
    uint64_t kept; /* runs of the transaction at hand that may have been */
    /*
     * Of those that surely write, at strict-snapshot: the last invocation up to a position, the first completion from
     * it on.
     */
    int64_t *invoked_last, *completed_first;
    struct brancher_span *spans; /* of writers by position, at the strict levels */
    struct brancher b;
    uint32_t outcomes_max;    /* of one, before it is split */
    uint64_t exact_runs_max;  /* of one, before it is run coarsely */
    uint64_t runs_left;
    size_t memory; /* that was taken before */
    bool has_failed, has_doubts;
    bool has_later; /* there are writers outside behind all of these */
};

static bool is_serial(const struct outcomes *o)
{
    return audited_at_serial_level(o->a->witness);
}

static bool is_snapshot(const struct outcomes *o)
{
    return audited_at_snapshot_level(o->a->witness);
}

/* The first doubt is the one that is told. */
static void doubt(struct outcomes *o, const struct actor *actor, const char *why)
{
    if (!o->has_doubts && !o->has_failed)
        snprintf(o->job->why, sizeof o->job->why, "transaction %" PRId64 ": %s", actor->txn->id, why);
    o->has_doubts = true;
}

static bool fail(struct outcomes *o, const struct actor *actor, const char *why)
{
    if (!o->has_failed)
        snprintf(o->job->why, sizeof o->job->why, "transaction %" PRId64 ": %s", actor->txn->id, why);
    o->has_failed = true;
    return false;
}

/* --- Real time, at the strict levels -------------------------------------------------------------- */

/* One of unknown outcome is completed never. */
static struct brancher_span span_of(const struct logged_txn *txn)
{
    struct brancher_span span = { txn->invoked_ns, audit_completed_at(txn) };

    span.invoked = span.invoked == TIME_NEVER ? INT64_MIN : span.invoked;
    span.completed = span.completed == TIME_NEVER ? INT64_MAX : span.completed;
    return span;
}

static bool surely_commits(const struct actor *actor)
{
    return actor->sure.writes && actor->txn->status == TXN_OK;
}

static void note_times(struct outcomes *o)
{
    struct arena *arena = &o->a->session.lasting;
    uint32_t count = o->writer_count;

    o->spans = arena_take(arena, count + 1, sizeof *o->spans);
    o->invoked_last = arena_take(arena, count + 2, sizeof *o->invoked_last);
    o->completed_first = arena_take(arena, count + 2, sizeof *o->completed_first);
    o->invoked_last[0] = INT64_MIN;
    o->completed_first[count + 1] = INT64_MAX;
    for (uint32_t i = 1; i <= count; i++) {
        o->spans[i] = span_of(o->writers[i]->txn);
        o->invoked_last[i] = o->invoked_last[i - 1];
        if (surely_commits(o->writers[i]) && o->spans[i].invoked > o->invoked_last[i])
            o->invoked_last[i] = o->spans[i].invoked;
    }
    for (uint32_t i = count; i > 0; i--) {
        o->completed_first[i] = o->completed_first[i + 1];
        if (surely_commits(o->writers[i]) && o->spans[i].completed < o->completed_first[i])
            o->completed_first[i] = o->spans[i].completed;
    }
}

/* What was completed before it was invoked is in its state; what was invoked after its first answer is not. */
static void bound_states(struct outcomes *o, const struct actor *actor)
{
    uint32_t place;

    if (o->a->witness->level != AUDITED_STRICT_SNAPSHOT)
        return;
    if (actor->txn->invoked_ns != TIME_NEVER) {
        BISECT(place, 1, o->writer_count + 1, o->completed_first[place] < actor->txn->invoked_ns);
        o->b.low = place - 1;
    }
    BISECT(place, 1, o->b.limit + 1, o->invoked_last[place] <= actor->answered);
    o->b.limit = place - 1;
}

/* --- Runs ------------------------------------------------------------------------------------------- */

enum next_run {
    NEXT_RUN,
    NEXT_NONE,
    NEXT_DOUBTFUL, /* what it can have done is not known */
    NEXT_TOO_MANY, /* nor is it, since these are too many runs */
    NEXT_FAILED,
};

/* To the next run that answers so. */
static enum next_run run_next(struct outcomes *o, const struct actor *actor, uint64_t *runs_left)
{
    struct audit_replay *a = o->a;
    struct replay_sight sight = { brancher_see, &o->b, o->b.limit, o->b.chooses == CHOOSES_FORWARD };
    struct replay_outcome out;

    while (brancher_next(&o->b)) {
        if (o->runs_left == 0) {
            fail(o, actor, "it would take too many runs");
            return NEXT_FAILED;
        }
        if (a->session.lasting.used - o->memory > MEMORY_MAX) {
            fail(o, actor, "it would take too much memory");
            return NEXT_FAILED;
        }
        if (*runs_left == 0)
            return NEXT_TOO_MANY;
        --*runs_left;
        --o->runs_left;
        o->job->runs++;
        audit_replay_run(a, actor->txn, &sight, &out);
        if (o->b.is_contradictory)
            continue;
        if (a->session.run.relied_on_order)
            audit_say_order(&a->session.run, out.reason, sizeof out.reason);
        if (a->session.run.relied_on_order || out.replayed == REPLAYED_UNKNOWN) {
            doubt(o, actor, out.reason);
            return NEXT_DOUBTFUL;
        }
        if (out.replayed == REPLAYED)
            return NEXT_RUN;
    }
    return NEXT_NONE;
}

/*
 * Whether what it sees of a row that it writes is what it may be before its place, or it leaves the row as it saw it.
 */
static bool commits_first(struct outcomes *o, const struct actor *actor)
{
    struct row_store *store = &o->a->session.store;
    uint32_t state = is_snapshot(o) ? brancher_state(&o->b) : 0;

    for (uint32_t i = 0; i < store->written_count; i++) {
        struct row_entry *entry = store->written[i];

        if (is_serial(o) && !brancher_saw(&o->b, entry, actor->position - 1, NULL))
            return false;
        if (is_snapshot(o) && o->b.is_coarse && !brancher_saw(&o->b, entry, actor->position - 1, &entry->own))
            return false;
        if (is_snapshot(o) && !o->b.is_coarse && state != actor->position - 1 &&
            !possible_rows_may_meet(&o->b.rows, entry, state, actor->position - 1, entry->own))
            return false;
    }
    return true;
}

/* --- Outcomes ------------------------------------------------------------------------------------------ */

static bool add_contents(struct outcomes *o, struct actor *actor, const struct written_rows *written)
{
    bool is_new = split_rows_add(&actor->split, &o->a->session.lasting, written);

    if (actor->split.is_overfull && !actor->is_open)
        doubt(o, actor, "it may have written so many different things");
    actor->is_open |= actor->split.is_overfull;
    return is_new;
}

/* What it may have written as a whole, it may have written row by row. */
static void split(struct outcomes *o, struct actor *actor)
{
    actor->is_split = true;
    split_rows_begin(&actor->split, &o->a->session.lasting);
    for (uint32_t i = 0; i < actor->count; i++)
        add_contents(o, actor, &actor->outcomes[i]);
}

/* What it wrote in the run that was made, or nothing. True: it is new. */
static bool add_outcome(struct outcomes *o, struct actor *actor)
{
    struct written_rows written;
    size_t memory = o->a->session.lasting.used;

    audit_take_written(o->a, &written);
    if (!actor->is_split && actor->count == o->outcomes_max)
        split(o, actor);
    if (actor->is_split) {
        actor->count += actor->count < OUTCOMES_MAX;
        return add_contents(o, actor, &written);
    }
    for (uint32_t i = 0; i < actor->count; i++)
        if (audit_same_written(&actor->outcomes[i], &written)) {
            arena_reset_to(&o->a->session.lasting, memory);
            return false;
        }
    if (!actor->outcomes)
        actor->outcomes = arena_take(&o->a->session.lasting, OUTCOMES_MAX, sizeof *actor->outcomes);
    actor->outcomes[actor->count++] = written;
    return true;
}

static void add_empty(struct outcomes *o, struct actor *actor)
{
    row_states_begin(&o->a->session.store);
    add_outcome(o, actor);
}

static bool can_be_coarse(const struct outcomes *o)
{
    return !o->b.is_coarse && o->b.chooses != CHOOSES_EVER && o->b.chooses != CHOOSES_EACH_ROW;
}

/* Of the actor at hand, as it is run now. */
static uint64_t runs_max(const struct outcomes *o, const struct actor *actor)
{
    uint64_t max = actor->is_split && RUNS_OF_SPLIT_MAX < o->exact_runs_max ? RUNS_OF_SPLIT_MAX : o->exact_runs_max;

    return can_be_coarse(o) ? max : RUNS_OF_ONE_MAX;
}

static void begin_runs(struct outcomes *o, const struct actor *actor, uint32_t limit, bool is_coarse)
{
    o->b.is_coarse = is_coarse;
    o->b.chooses_place = false;
    o->b.limit = limit;
    o->b.low = 0;
    o->b.sure = NULL;
    o->b.own = 0;
    o->b.spans = o->spans;
    o->b.span = span_of(actor->txn);
    o->kept = 0;
    if (actor->position > 0) {
        o->b.sure = &actor->sure;
        o->b.own = actor->position - 1;
    }
    bound_states(o, actor);
    brancher_begin(&o->b);
}

/* --- Outcomes that answers of others exclude -------------------------------------------------------- */

/* The run that was made may be what happened. */
static void keep_run(struct outcomes *o)
{
    o->kept++;
    for (uint32_t i = 0; i < o->b.narrowed_count; i++) {
        uint32_t position = o->b.narrowed[i];
        struct exclusion *e = &o->exclusions[position];

        if (e->last == o->kept)
            continue;
        if (e->runs == 0)
            o->excluded[o->excluded_count++] = position;
        e->last = o->kept;
        e->runs++;
        e->left |= o->b.rows.writers[position].left;
    }
}

/*
 * The runs that were kept are all that may have been, if `they_are`: then one of them is what happened, and who does
 * not have some outcome in any of them did not have it.
 */
static void exclude(struct outcomes *o, bool they_are)
{
    brancher_end(&o->b);
    for (; o->excluded_count > 0; o->excluded_count--) {
        uint32_t position = o->excluded[o->excluded_count - 1];
        struct possible_writer *writer = &o->b.rows.writers[position];

        if (they_are && o->exclusions[position].runs == o->kept)
            writer->left = writer->possible &= o->exclusions[position].left;
        o->exclusions[position] = (struct exclusion){ 0 };
    }
}

/* The run that was made gives one more outcome, if it may have committed. True: it is new. */
static bool take_run(struct outcomes *o, struct actor *actor)
{
    if (o->a->session.store.written_count == 0)
        actor->has_empty = true;
    else if (!commits_first(o, actor))
        return false;
    else
        keep_run(o);
    return add_outcome(o, actor);
}

/* All that it may have written at its place. True: there is something new. */
static bool find_outcomes(struct outcomes *o, struct actor *actor)
{
    uint64_t left;
    uint32_t limit = is_serial(o) ? o->writer_count : actor->position - 1;
    bool is_new = false, was_split = actor->is_split;
    enum next_run next;

    begin_runs(o, actor, limit, false);
    left = runs_max(o, actor);
    while (!actor->is_open && (next = run_next(o, actor, &left)) != NEXT_NONE) {
        if (next == NEXT_FAILED)
            break;
        if (next == NEXT_TOO_MANY && can_be_coarse(o)) {
            exclude(o, false);
            if (!actor->is_split)
                split(o, actor);
            begin_runs(o, actor, limit, true);
            left = runs_max(o, actor);
        } else if (next != NEXT_RUN) {
            if (next == NEXT_TOO_MANY)
                doubt(o, actor, "it would take too many runs");
            actor->is_open = true;
        } else {
            is_new |= take_run(o, actor);
            if (actor->is_split && !was_split && left > runs_max(o, actor))
                left = runs_max(o, actor);
            was_split = actor->is_split;
        }
    }
    /* Who writes in any case has no other runs than these. */
    exclude(o, !is_serial(o) && !actor->is_open && !o->has_failed && actor->txn->status == TXN_OK &&
                   !actor->may_be_empty && !actor->has_empty && o->kept > 0);
    return is_new || actor->is_open;
}

static enum next_run find_empty_so(struct outcomes *o, const struct actor *actor, uint32_t limit, bool excludes,
                                   bool is_coarse)
{
    uint64_t left;
    enum next_run next, found = NEXT_NONE;

    begin_runs(o, actor, limit, is_coarse);
    left = can_be_coarse(o) ? o->exact_runs_max : RUNS_OF_ONE_MAX;
    if (!is_serial(o)) {
        o->b.sure = NULL;
        o->b.chooses_place = o->b.chooses == CHOOSES_FORWARD;
        if (o->b.limit < o->b.low)
            return NEXT_NONE;
    }
    while ((next = run_next(o, actor, &left)) == NEXT_RUN) {
        if (o->a->session.store.written_count > 0)
            continue;
        found = NEXT_RUN;
        keep_run(o);
        if (!excludes || o->b.narrowed_count == 0)
            break;
    }
    exclude(o, excludes && next == NEXT_NONE && o->kept > 0);
    return next == NEXT_NONE ? found : next;
}

/* Whether it can have written nothing, in states up to this one. A reader cannot do otherwise. */
static enum next_run find_empty(struct outcomes *o, const struct actor *actor, uint32_t limit, bool excludes)
{
    enum next_run found = find_empty_so(o, actor, limit, excludes, false);

    if (found == NEXT_TOO_MANY && can_be_coarse(o))
        found = find_empty_so(o, actor, limit, excludes, true);
    if (found == NEXT_TOO_MANY)
        doubt(o, actor, "it would take too many runs");
    return found;
}

/* --- What rows may hold ------------------------------------------------------------------------------ */

/* At serial levels what others have written before is no proof that it writes the row. */
static bool surely_writes(const struct actor *actor, const struct row_entry *entry)
{
    for (uint32_t i = 0; i < actor->sure.row_count && actor->txn->status == TXN_OK; i++)
        if (actor->sure.rows[i].entry == entry)
            return true;
    return false;
}

static void offer_row(struct outcomes *o, const struct actor *actor, struct row_entry *entry,
                      const struct packed *row, uint64_t outcomes)
{
    struct row_version version = { .position = actor->position,
                                   .is_sure = surely_writes(actor, entry),
                                   .row = row,
                                   .outcomes = outcomes };

    for (uint32_t at = row_states_count(entry, actor->position);
         at > 0 && entry->versions[at - 1].position == actor->position; at--)
        if (row_states_identical(entry->relation, entry->versions[at - 1].row, row)) {
            entry->versions[at - 1].outcomes = outcomes | (actor->is_split ? 0 : entry->versions[at - 1].outcomes);
            return;
        }
    row_states_offer(&o->a->session.store, entry, &version);
}

/* All its contents, whether or not they have been offered before: one may not be written in all runs any more. */
static void offer_contents(struct outcomes *o, const struct actor *actor)
{
    const struct split_rows *s = &actor->split;

    for (uint32_t i = 0; i < s->content_count; i++)
        offer_row(o, actor, s->contents[i].entry, s->contents[i].row,
                  split_rows_always(s, s->contents[i].entry) ? SPLIT_BOTH : SPLIT_WRITTEN);
    o->b.rows.writers[actor->position] = (struct possible_writer){ SPLIT_BOTH, SPLIT_BOTH, true };
}

/* From the outcome of that number on. */
static void offer_outcomes(struct outcomes *o, const struct actor *actor, uint32_t from)
{
    struct row_store *store = &o->a->session.store;
    uint64_t whole = actor->count == OUTCOMES_MAX ? UINT64_MAX : (UINT64_C(1) << actor->count) - 1;

    row_states_begin(store);
    if (actor->is_open && !actor->sure.is_bounded) {
        fail(o, actor, "nobody knows which rows it may have written");
    } else if (actor->is_open) {
        whole |= 1;
        for (uint32_t i = 0; i < actor->sure.bound_count; i++) {
            row_states_offer(store, actor->sure.bounds[i],
                             &(struct row_version){ .position = actor->position, .is_open = true, .outcomes = 1 });
            row_states_doubt(store, actor->sure.bounds[i], false);
        }
    } else if (actor->is_split) {
        offer_contents(o, actor);
        return;
    }
    for (uint32_t i = from; i < actor->count; i++)
        for (uint32_t k = 0; k < actor->outcomes[i].count && !actor->is_open; k++)
            offer_row(o, actor, actor->outcomes[i].entries[k], actor->outcomes[i].rows[k], UINT64_C(1) << i);
    o->b.rows.writers[actor->position] = (struct possible_writer){ whole, whole, false };
}

/* --- Passes ---------------------------------------------------------------------------------------------- */

/* What was offered; what those outside the core may write, and those that have no place, stays in doubt. */
static void forget_all(struct outcomes *o)
{
    struct row_store *store = &o->a->session.store;

    row_states_begin(store);
    row_states_rewind(store);
    for (uint32_t i = 0; i < o->wild_count; i++)
        row_states_doubt(store, o->wild[i], true);
}

static bool is_refuted(struct outcomes *o, const struct actor *actor)
{
    o->job->refuted = actor->txn->id;
    return !o->has_failed && actor->txn->status == TXN_OK && !actor->is_open && actor->count == 0 &&
           !actor->has_empty && !actor->may_be_empty;
}

/*
 * Those that have had their first answers before any writer from that position on was invoked. True: one is refuted.
 */
static bool judge_readers(struct outcomes *o, uint32_t position)
{
    for (; o->reader < o->reader_count && !o->has_failed; o->reader++) {
        const struct actor *actor = o->readers[o->reader];

        if (actor->answered >= o->invoked[position])
            return false;
        o->job->refuted = actor->txn->id;
        if (find_empty(o, actor, position - 1, true) == NEXT_NONE)
            return true;
    }
    return false;
}

/* All that write, in the order of ts. True: refuted. */
static bool refute_weak(struct outcomes *o)
{
    bool is_strict = o->a->witness->level == AUDITED_STRICT_SNAPSHOT;

    o->reader = 0;
    forget_all(o);
    for (uint32_t i = 1; i <= o->writer_count; i++) {
        struct actor *actor = o->writers[i];

        if (is_strict && judge_readers(o, i))
            return true;
        actor->count = 0;
        actor->is_split = false;
        actor->is_open = actor->is_outside;
        actor->has_empty = actor->txn->status == TXN_UNKNOWN;
        if (actor->has_empty)
            add_empty(o, actor);
        find_outcomes(o, actor);
        if (o->has_failed)
            return false;
        if (is_refuted(o, actor))
            return true;
        if (actor->may_be_empty && !actor->has_empty && !actor->is_open)
            add_empty(o, actor);
        offer_outcomes(o, actor, 0);
    }
    return is_strict && judge_readers(o, o->writer_count + 1);
}

static bool pass_serial(struct outcomes *o, bool *is_new)
{
    *is_new = false;
    for (uint32_t i = 1; i <= o->writer_count && !o->has_failed; i++) {
        struct actor *actor = o->writers[i];
        uint32_t count = actor->count;

        if (actor->is_open || !find_outcomes(o, actor))
            continue;
        *is_new = true;
        offer_outcomes(o, actor, count);
    }
    return !o->has_failed;
}

static bool refute_serial(struct outcomes *o)
{
    bool is_new = true;

    forget_all(o);
    for (uint32_t i = 1; i <= o->writer_count; i++) {
        o->writers[i]->is_open = o->writers[i]->is_outside;
        o->writers[i]->has_empty = o->writers[i]->txn->status == TXN_UNKNOWN;
        if (o->writers[i]->has_empty)
            add_empty(o, o->writers[i]);
        offer_outcomes(o, o->writers[i], 0);
    }
    for (uint32_t pass = 0; is_new; pass++) {
        if (pass == PASSES_MAX)
            return fail(o, &o->actors[0], "what it may have seen does not come to an end");
        if (!pass_serial(o, &is_new))
            return false;
    }
    for (uint32_t i = 1; i <= o->writer_count; i++)
        if (is_refuted(o, o->writers[i]))
            return true;
    return false;
}

/* If it writes nothing, and has no place. */
static bool sees_core_only(const struct outcomes *o, const struct actor *actor)
{
    return !o->has_later || (o->a->witness->level == AUDITED_STRICT_SNAPSHOT &&
                             actor->answered < o->invoked[o->writer_count + 1]);
}

/* Whether one that is to have written nothing cannot have done so in any state. */
static bool refute_empty(struct outcomes *o)
{
    for (uint32_t i = 1; i <= o->writer_count && !o->has_failed; i++) {
        const struct actor *actor = o->writers[i];

        if (!actor->may_be_empty || actor->has_empty || actor->is_open || actor->count > 1 ||
            !sees_core_only(o, actor))
            continue;
        o->job->refuted = actor->txn->id;
        if (find_empty(o, actor, o->writer_count, false) == NEXT_NONE)
            return true;
    }
    return false;
}

/* Those that write nothing; if the witness names the one that is refuted, only that. */
static bool refute_readers(struct outcomes *o)
{
    const struct audit_witness *w = o->a->witness;

    for (uint32_t i = 0; i < o->reader_count && !o->has_failed; i++) {
        const struct actor *actor = o->readers[i];

        if ((w->has_wrong && w->wrong_txn != actor->txn->id) || !sees_core_only(o, actor))
            continue;
        o->job->refuted = actor->txn->id;
        if (find_empty(o, actor, o->writer_count, false) == NEXT_NONE)
            return true;
    }
    return false;
}

/* --- Who is who --------------------------------------------------------------------------------------------- */

static int by_ts(const void *a, const void *b)
{
    return audit_compare_ts((*(struct actor *const *)a)->txn, (*(struct actor *const *)b)->txn);
}

static int by_answer(const void *a, const void *b)
{
    const struct actor *x = *(struct actor *const *)a, *y = *(struct actor *const *)b;

    return x->answered != y->answered ? (x->answered > y->answered) - (x->answered < y->answered)
                                      : (x->txn > y->txn) - (x->txn < y->txn);
}

static bool has_place(const struct outcomes *o, const struct logged_txn *txn)
{
    return txn->has_ts && !o->a->log->ts_is_hint;
}

/* What it writes may be there in any state. */
static bool note_wild(struct outcomes *o, const struct actor *actor)
{
    if (!actor->sure.is_bounded)
        return false;
    for (uint32_t i = 0; i < actor->sure.bound_count; i++) {
        GROW(&o->a->session.lasting, o->wild, o->wild_count, &o->wild_room);
        o->wild[o->wild_count++] = actor->sure.bounds[i];
    }
    return true;
}

/* One that may write. */
static bool place_writer(struct outcomes *o, struct actor *actor)
{
    if (has_place(o, actor->txn) && (actor->sure.is_bounded || !actor->is_outside))
        o->writers[++o->writer_count] = actor;
    else if (!note_wild(o, actor))
        return fail(o, actor, actor->is_outside ? "it is not in the core, and could make a difference"
                                                : "its place is not known");
    return true;
}

static bool sort_core(struct outcomes *o)
{
    for (uint32_t i = 0; i < o->job->count; i++) {
        struct actor *actor = &o->actors[i];

        actor->txn = o->job->txns[i];
        actor->answered = call_log_first_answer(o->a->log, actor->txn);
        if (audit_may_write(o->a, actor->txn)) {
            surely_find(&o->facts, actor->txn, &actor->sure);
            if (!place_writer(o, actor))
                return false;
        } else if (actor->txn->status == TXN_OK) {
            o->readers[o->reader_count++] = actor;
        }
    }
    qsort(o->readers, o->reader_count, sizeof *o->readers, by_answer);
    return true;
}

/*
 * Of what the core leaves out: those that cannot write make no difference; nobody knows what the others wrote. If it
 * is not even known into which rows, they must have a later ts than all of the core that write, below the serial
 * levels: then nobody sees them but who writes nothing.
 */
static bool sort_outside(struct outcomes *o, int64_t *invoked)
{
    const struct logged_txn *last = NULL;

    for (uint32_t i = 1; i <= o->writer_count; i++)
        if (!last || audit_compare_ts(last, o->writers[i]->txn) < 0)
            last = o->writers[i]->txn;
    *invoked = INT64_MAX;
    for (uint32_t i = 0; i < o->job->outside_count; i++) {
        struct actor *outside = &o->actors[o->job->count + i];

        outside->txn = o->job->outside[i];
        outside->is_outside = true;
        if (!audit_may_write(o->a, outside->txn))
            continue;
        surely_find(&o->facts, outside->txn, &outside->sure);
        if (!outside->sure.is_bounded && !is_serial(o) && has_place(o, outside->txn) &&
            (!last || audit_compare_ts(last, outside->txn) < 0)) {
            o->has_later = true;
            if (span_of(outside->txn).invoked < *invoked)
                *invoked = span_of(outside->txn).invoked;
        } else if (!place_writer(o, outside)) {
            return false;
        }
    }
    return true;
}

static bool place_writers(struct outcomes *o)
{
    qsort(o->writers + 1, o->writer_count, sizeof *o->writers, by_ts);
    for (uint32_t i = 1; i <= o->writer_count; i++) {
        struct actor *actor = o->writers[i];

        if (i > 1 && audit_compare_ts(o->writers[i - 1]->txn, actor->txn) == 0)
            return fail(o, actor, "another one has the same ts");
        actor->position = i;
        actor->may_be_empty = !is_serial(o) && !actor->sure.writes && !actor->is_outside;
    }
    return true;
}

static void note_invocations(struct outcomes *o, int64_t outside)
{
    o->invoked = arena_take(&o->a->session.lasting, o->writer_count + 2, sizeof *o->invoked);
    o->invoked[o->writer_count + 1] = outside;
    for (uint32_t i = o->writer_count; i > 0; i--) {
        int64_t invoked = span_of(o->writers[i]->txn).invoked;

        o->invoked[i] = invoked < o->invoked[i + 1] ? invoked : o->invoked[i + 1];
    }
}

static void take_room(struct outcomes *o)
{
    struct arena *arena = &o->a->session.lasting;
    uint32_t count = o->job->count + o->job->outside_count + 1;

    o->actors = arena_take(arena, count, sizeof *o->actors);
    o->writers = arena_take(arena, count, sizeof *o->writers);
    o->readers = arena_take(arena, count, sizeof *o->readers);
    o->exclusions = arena_take(arena, count, sizeof *o->exclusions);
    o->excluded = arena_take(arena, count, sizeof *o->excluded);
    o->b.rows.store = &o->a->session.store;
    o->b.rows.writers = arena_take(arena, count, sizeof *o->b.rows.writers);
    o->b.rows.writers[0] = (struct possible_writer){ .possible = 1, .left = 1 };
    o->b.rows.is_serial = is_serial(o);
    o->b.chooses = is_serial(o) ? CHOOSES_EVER : brancher_chooses_at(o->a->witness, o->job->model);
}

bool audit_outcomes_refute(struct outcomes_job *job)
{
    struct outcomes *o = arena_take(&job->a->session.lasting, 1, sizeof *o);
    bool is_refuted;
    int64_t outside;

    *o = (struct outcomes){ .job = job, .a = job->a };
    o->memory = job->a->session.lasting.used;
    o->runs_left = RUNS_MIN + (uint64_t)RUNS_PER_TXN * job->count;
    o->outcomes_max = job->a->exactness.outcomes_max ? job->a->exactness.outcomes_max : OUTCOMES_MAX;
    o->exact_runs_max = job->a->exactness.runs_max ? job->a->exactness.runs_max : RUNS_OF_ONE_MAX;
    take_room(o);
    surely_begin(&o->facts, job->a);
    snprintf(job->why, sizeof job->why, "each of them can have answered so, as far as it is known what it saw");
    is_refuted = sort_core(o) && sort_outside(o, &outside) && place_writers(o);
    if (is_refuted) {
        note_invocations(o, outside);
        if (audited_at_strict_level(o->a->witness))
            note_times(o);
        is_refuted = is_serial(o) ? refute_serial(o) : refute_weak(o) || refute_empty(o);
        is_refuted = is_refuted || refute_readers(o);
    }
    row_states_begin(&job->a->session.store);
    row_states_rewind(&job->a->session.store);
    return is_refuted && !o->has_failed;
}
