#include "verify/calls/audit_refute_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "verify/calls/audit_outcomes_private.h"
#include "verify/calls/brancher_private.h"

#define RUNS_MAX 1000000
#define STEPS_MAX UINT64_C(10000000000)
#define MEMBERS_MAX 256 /* of which all orders are tried */

enum found { FOUND_NONE, FOUND, FOUND_TOO_MUCH };

struct member {
    const struct logged_txn *txn;
    bool is_present, is_placed, is_deferred, surely_writes, never_writes;
    uint32_t state; /* that it saw, at the snapshot levels */
    struct written_rows written;
    struct brancher *b; /* NULL: it has not been run yet */
};

/* All executions of the core, at one level and model. */
struct refutation {
    struct audit_replay *a;
    enum audited_model model;
    struct member *members;
    uint32_t count, *order, placed_count;
    struct possible_writer *writers; /* by position: what each has written is known */
    const struct logged_txn **outside; /* of the core */
    uint32_t outside_count;
    uint64_t runs;
    char why[300];     /* it is too much */
    char order_of[200]; /* rows, which some run relied on; empty: none did */
};

static bool is_serial(const struct refutation *r)
{
    return audited_at_serial_level(r->a->witness);
}

static bool is_snapshot(const struct refutation *r)
{
    return audited_at_snapshot_level(r->a->witness);
}

static bool is_strict_snapshot(const struct refutation *r)
{
    return r->a->witness->level == AUDITED_STRICT_SNAPSHOT;
}

static enum found too_much(struct refutation *r, const char *why)
{
    snprintf(r->why, sizeof r->why, "%s", why);
    return FOUND_TOO_MUCH;
}

/* --- Rules --------------------------------------------------------------------------------- */

static bool has_ts(const struct refutation *r, const struct member *m)
{
    return m->txn->has_ts && !r->a->log->ts_is_hint;
}

/* Whether it may come next: those that are to write and have no place yet come after it. */
static bool may_be_next(const struct refutation *r, const struct member *m)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const struct member *other = &r->members[i];

        if (other == m || !other->is_present || other->is_deferred)
            continue;
        if (audited_at_strict_level(r->a->witness) && !other->is_placed && audit_was_before(other->txn, m->txn))
            return false;
        if (!is_serial(r) && has_ts(r, m) && has_ts(r, other) &&
            (other->is_placed ? audit_compare_ts(other->txn, m->txn) > 0 : audit_compare_ts(other->txn, m->txn) < 0))
            return false;
    }
    return true;
}

static bool writes_entry(const struct member *m, const struct row_entry *entry)
{
    for (uint32_t i = 0; i < m->written.count; i++)
        if (m->written.entries[i] == entry)
            return true;
    return false;
}

static bool is_in_order_of_ts(const struct refutation *r, const struct member *m)
{
    if (!is_serial(r) || !has_ts(r, m))
        return true;
    for (uint32_t i = 0; i < r->placed_count; i++) {
        const struct member *other = &r->members[r->order[i]];

        if (!has_ts(r, other) || audit_compare_ts(other->txn, m->txn) <= 0)
            continue;
        for (uint32_t k = 0; k < m->written.count; k++)
            if (writes_entry(other, m->written.entries[k]))
                return false;
    }
    return true;
}

/* By value, which is what by version implies. */
static bool commits_first(const struct refutation *r, const struct member *m)
{
    for (uint32_t i = 0; is_snapshot(r) && i < m->written.count; i++) {
        const struct row_entry *entry = m->written.entries[i];
        const struct packed *seen = row_states_at(entry, m->state);

        if (!row_states_identical(entry->relation, m->written.rows[i], seen) &&
            !row_states_identical(entry->relation, seen, row_states_at(entry, r->placed_count)))
            return false;
    }
    return true;
}

/* At strict-snapshot, when all that write have their places. */
static bool sees_in_time(const struct refutation *r, const struct member *m, uint32_t state)
{
    int64_t answered = call_log_first_answer(r->a->log, m->txn);

    for (uint32_t i = 0; i < r->placed_count; i++) {
        const struct member *other = &r->members[r->order[i]];

        if (other != m && audit_was_before(other->txn, m->txn) && i + 1 > state)
            return false;
        if (i + 1 <= state && answered != TIME_NEVER && other->txn->invoked_ns != TIME_NEVER &&
            other->txn->invoked_ns > answered)
            return false;
    }
    return true;
}

/* --- Running ------------------------------------------------------------------------------------ */

/* All that it can have done on states up to this one. */
static void begin_runs(struct refutation *r, struct member *m, uint32_t limit)
{
    if (!m->b)
        m->b = arena_take(&r->a->session.lasting, 1, sizeof *m->b);
    m->b->rows = (struct possible_rows){ .store = &r->a->session.store, .writers = r->writers, .are_known = true };
    m->b->chooses = is_serial(r) ? CHOOSES_NOTHING : brancher_chooses_at(r->a->witness, r->model);
    m->b->chooses_place = false;
    m->b->limit = limit;
    brancher_begin(m->b);
}

/* To the next run that answers as the log has it. */
static enum found run_next(struct refutation *r, struct member *m)
{
    struct replay_sight sight = { brancher_see, m->b, m->b->limit, m->b->chooses == CHOOSES_FORWARD };
    struct replay_outcome out;

    while (brancher_next(m->b)) {
        if (r->runs++ == RUNS_MAX)
            return too_much(r, "it would take too many runs");
        audit_replay_run(r->a, m->txn, &sight, &out);
        if (r->a->session.run.relied_on_order && !r->order_of[0])
            audit_say_order(&r->a->session.run, r->order_of, sizeof r->order_of);
        if (out.replayed == REPLAYED_UNKNOWN)
            return too_much(r, out.reason);
        if (out.replayed == REPLAYED)
            return FOUND;
    }
    return FOUND_NONE;
}

/* --- Those that write nothing ---------------------------------------------------------------------- */

/* Whether it can have run after some of them, or seen them, and written nothing. */
static enum found try_reader(struct refutation *r, struct member *m)
{
    enum found found;

    begin_runs(r, m, r->placed_count);
    m->b->chooses_place = m->b->chooses == CHOOSES_FORWARD;
    while ((found = run_next(r, m)) == FOUND) {
        uint32_t state = brancher_state(m->b), low = brancher_began(m->b);

        if (r->a->session.store.written_count > 0)
            continue;
        if (!is_strict_snapshot(r))
            return FOUND;
        /* Any state since the last change will do. */
        for (;; state--) {
            if (sees_in_time(r, m, state))
                return FOUND;
            if (state <= low)
                break;
        }
    }
    return found;
}

static enum found finish(struct refutation *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct member *m = &r->members[i];
        enum found found;

        if (!m->is_present)
            continue;
        if (m->is_placed) {
            if (is_strict_snapshot(r) && !sees_in_time(r, m, m->state))
                return FOUND_NONE;
            continue;
        }
        found = try_reader(r, m);
        if (found != FOUND)
            return found;
    }
    return FOUND;
}

/* --- Orders ------------------------------------------------------------------------------------------ */

static enum found place_all(struct refutation *);

/* With what it wrote now; then all that can follow. */
static enum found place_so(struct refutation *r, struct member *m)
{
    struct row_store *store = &r->a->session.store;
    enum found found;

    if (!is_in_order_of_ts(r, m))
        return FOUND_NONE;
    row_states_commit(store, r->placed_count + 1);
    m->is_placed = true;
    r->order[r->placed_count++] = (uint32_t)(m - r->members);
    found = place_all(r);
    r->placed_count--;
    m->is_placed = false;
    row_states_undo(m->written.entries, m->written.count, r->placed_count + 1);
    return found;
}

static enum found place_one(struct refutation *r, struct member *m)
{
    struct written_rows tried[OUTCOMES_MAX];
    uint32_t tried_count = 0;
    enum found found;

    begin_runs(r, m, r->placed_count);
    while ((found = run_next(r, m)) == FOUND) {
        uint32_t low = brancher_began(m->b), i = 0;

        if (!is_serial(r) && r->a->session.store.written_count == 0)
            continue; /* it is tried among those that write nothing */
        audit_take_written(r->a, &m->written);
        m->state = brancher_state(m->b);
        if (!commits_first(r, m))
            continue;
        if (!is_strict_snapshot(r)) {
            while (i < tried_count && !audit_same_written(&tried[i], &m->written))
                i++;
            if (i < tried_count)
                continue;
            if (tried_count < OUTCOMES_MAX)
                tried[tried_count++] = m->written;
        }
        /* Any state since the last change gives the same, but for the rule about time. */
        for (;; m->state--) {
            struct written_rows written = m->written;

            found = place_so(r, m);
            if (found != FOUND_NONE)
                return found;
            m->written = written;
            if (!is_strict_snapshot(r) || m->state <= low)
                break;
            /* What is committed and taken back is written no longer. */
            row_states_begin(&r->a->session.store);
            for (uint32_t k = 0; k < written.count; k++)
                row_states_write(&r->a->session.store, written.entries[k], written.rows[k]);
        }
    }
    return found;
}

static enum found place_all(struct refutation *r)
{
    bool is_done = true;

    for (uint32_t i = 0; i < r->count; i++) {
        struct member *m = &r->members[i];
        enum found found;

        if (!m->is_present || m->is_placed || m->is_deferred)
            continue;
        is_done = false;
        if (!may_be_next(r, m))
            continue;
        found = place_one(r, m);
        if (found != FOUND_NONE)
            return found;
    }
    return is_done ? finish(r) : FOUND_NONE;
}

/* --- Which transactions -------------------------------------------------------------------------------- */

/* When all of the core was completed, or TIME_NEVER. */
static int64_t end_of_core(const struct refutation *r)
{
    int64_t last = INT64_MIN;

    for (uint32_t i = 0; i < r->count; i++) {
        int64_t end = audit_completed_at(r->members[i].txn);

        if (end == TIME_NEVER)
            return TIME_NEVER;
        last = end > last ? end : last;
    }
    return last;
}

/* At the strict levels what was invoked after all of the core is of no interest to it. */
static bool is_after(const struct refutation *r, int64_t end, const struct logged_txn *outside)
{
    return audited_at_strict_level(r->a->witness) && end != TIME_NEVER && outside->invoked_ns != TIME_NEVER &&
           end < outside->invoked_ns;
}

static void add_member(struct refutation *r, const struct logged_txn *txn)
{
    r->members[r->count++].txn = txn;
}

static bool take_core(struct refutation *r)
{
    struct audit_replay *a = r->a;
    size_t room = a->log->txns.count + 1;
    int64_t end;

    r->members = arena_take(&a->session.lasting, room, sizeof *r->members);
    r->order = arena_take(&a->session.lasting, room, sizeof *r->order);
    r->outside = arena_take(&a->session.lasting, room, sizeof *r->outside);
    r->writers = arena_take(&a->session.lasting, room, sizeof *r->writers);
    for (size_t i = 0; i < room; i++)
        r->writers[i] = (struct possible_writer){ .possible = 1, .left = 1 };
    for (size_t i = 0; i < a->witness->core.count; i++) {
        uint64_t number;

        if (!map_find(&a->ids, (uint64_t)a->witness->core.at[i], &number))
            return audit_refuse(a, "there is no transaction %" PRId64, a->witness->core.at[i]);
        if (a->position[number] > 0)
            return audit_refuse(a, "transaction %" PRId64 " stands in the core twice",
                                a->witness->core.at[i]);
        a->position[number] = 1;
        if (a->log->txns.at[number].status == TXN_ABORT)
            continue;
        add_member(r, &a->log->txns.at[number]);
    }
    end = end_of_core(r);
    for (size_t i = 0; i < a->log->txns.count; i++) {
        const struct logged_txn *outside = &a->log->txns.at[i];

        if (a->position[i] == 0 && outside->status != TXN_ABORT && !is_after(r, end, outside))
            r->outside[r->outside_count++] = outside;
    }
    return true;
}

/* Which of them write nothing: at the serial levels that makes no difference. */
static enum found try_readers(struct refutation *r, uint32_t from)
{
    enum found found;

    while (from < r->count) {
        struct member *m = &r->members[from];

        m->is_deferred = !is_serial(r) && m->never_writes;
        if (!is_serial(r) && m->is_present && !m->surely_writes && !m->never_writes)
            break;
        from++;
    }
    if (from == r->count)
        return place_all(r);
    for (unsigned is_deferred = 0; is_deferred < 2; is_deferred++) {
        r->members[from].is_deferred = is_deferred;
        found = try_readers(r, from + 1);
        if (found != FOUND_NONE)
            return found;
    }
    return FOUND_NONE;
}

/* All subsets of those of unknown outcome. */
static enum found try_subsets(struct refutation *r, uint32_t from)
{
    enum found found;

    while (from < r->count && r->members[from].txn->status != TXN_UNKNOWN)
        r->members[from++].is_present = true;
    if (from == r->count)
        return try_readers(r, 0);
    for (unsigned is_present = 0; is_present < 2; is_present++) {
        r->members[from].is_present = is_present;
        found = try_subsets(r, from + 1);
        if (found != FOUND_NONE)
            return found;
    }
    return FOUND_NONE;
}

/* By the possible outcomes of each. */
static bool refute_by_outcomes(struct refutation *r, struct outcomes_job *job)
{
    struct arena *arena = &r->a->session.lasting;

    *job = (struct outcomes_job){ .a = r->a, .model = r->model, .count = r->count,
                                  .outside = r->outside, .outside_count = r->outside_count };
    job->txns = arena_take(arena, r->count + 1, sizeof *job->txns);
    for (uint32_t i = 0; i < r->count; i++)
        job->txns[i] = r->members[i].txn;
    return audit_outcomes_refute(job);
}

/* If the core by itself is not refuted, the whole log may be: also what comes after all of the core. */
static bool refute_by_whole_log(struct refutation *r, struct outcomes_job *job)
{
    const struct audit_replay *a = r->a;

    if (r->outside_count == 0)
        return false;
    for (size_t i = 0; i < a->log->txns.count; i++)
        if (a->position[i] == 0 && a->log->txns.at[i].status != TXN_ABORT)
            add_member(r, &a->log->txns.at[i]);
    r->outside_count = 0;
    return refute_by_outcomes(r, job);
}

/* By all executions. False: it says why not. */
static bool refute_by_all(struct refutation *r, const struct outcomes_job *job)
{
    struct sure_facts facts;
    enum found found;

    if (r->count > MEMBERS_MAX)
        return audit_refuse(r->a, "undecided: %s", job->why);
    surely_begin(&facts, r->a);
    for (uint32_t i = 0; i < r->count; i++) {
        struct surely sure;

        surely_find(&facts, r->members[i].txn, &sure);
        r->members[i].surely_writes = sure.writes;
        r->members[i].never_writes = !audit_may_write(r->a, r->members[i].txn);
    }
    found = try_subsets(r, 0);
    if (found == FOUND)
        return audit_refuse(r->a, "there is an execution of the core");
    if (found == FOUND_TOO_MUCH)
        return audit_refuse(r->a, "undecided: %s", r->why);
    if (r->order_of[0])
        return audit_refuse(r->a, "undecided: the verifier does not know %s", r->order_of);
    return true;
}

/* Whether an initial row has what may be chosen as a number. */
static bool is_any_taken(const struct audit_replay *a)
{
    const struct row_store *store = &a->session.store;

    for (size_t i = 0; i < store->bucket_count; i++)
        for (struct row_entry *entry = store->buckets[i]; entry; entry = entry->next) {
            const struct packed *row = row_states_at(entry, 0);

            for (uint32_t c = 0; row && c < entry->relation->column_count; c++)
                if (row[c].kind == ITEM_INTEGER && numbering_could_choose(&a->session.numbering, row[c].as.integer))
                    return true;
        }
    return false;
}

/* All that is in the log has been read, and nobody failed, maybe for a number that it got. */
static bool has_quiet_numbers(struct refutation *r)
{
    const struct call_log *log = r->a->log;
    const struct statement *statement;

    for (size_t i = 0; i < log->statements.count; i++)
        if (session_prepare(&r->a->session, log->statements.at[i].sql, &statement) != ENDED_WELL)
            return false;
    for (size_t i = 0; i < log->txns.count; i++)
        if (log->txns.at[i].status == TXN_OK && log->txns.at[i].sqlstate.length > 0)
            return false;
    return catalog_has_quiet_numbers(&r->a->session.catalog) && !is_any_taken(r->a);
}

void audit_refute(struct audit_replay *a)
{
    struct refutation r = { .a = a };
    bool has_models = !audited_at_serial_level(a->witness) && !audited_at_snapshot_level(a->witness);
    struct verification *result = a->result;
    struct outcomes_job job;

    if (!take_core(&r) || !audit_replay_start(a))
        return;
    a->steps_left = STEPS_MAX;
    if (has_quiet_numbers(&r))
        numbering_choose(&a->session.numbering);
    /* What is asked for is a model or any stronger one. */
    for (r.model = has_models ? MODEL_LOCKING : a->witness->model; r.model <= a->witness->model; r.model++) {
        if (refute_by_outcomes(&r, &job) || refute_by_whole_log(&r, &job))
            snprintf(result->reason, sizeof result->reason,
                     "%.*s is violated: nothing that transaction %" PRId64
                     " may have seen gives its answers, in %" PRIu64 " runs of %u transactions",
                     TEXT_PRINT(a->witness->level_name), job.refuted, job.runs, r.count);
        else if (refute_by_all(&r, &job))
            snprintf(result->reason, sizeof result->reason,
                     "%.*s is violated: %u transactions have no execution, all %" PRIu64 " runs were tried",
                     TEXT_PRINT(a->witness->level_name), r.count, r.runs);
        else
            return;
    }
    result->is_accepted = true;
}
