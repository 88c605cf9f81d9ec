#include "verify/calls/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/calls/audit_refute_private.h"
#include "verify/calls/audit_replay_private.h"

#define MEMORY_MAX ((size_t)64 << 30)

/* A replay of a valid witness. Positions are counted from 1. */
struct validation {
    struct audit_replay *a;
    const struct witnessed_txn **seen; /* by transaction, or NULL */
    uint32_t *deferred, *next_deferred; /* by position: transactions that see later states than their own */
    bool *writes;                       /* by transaction */
    int64_t invoked_max;                /* of those that stood before */
    const struct logged_txn *last;      /* that writes, has a ts, and stood before */
    struct map row_ts; /* at serial levels: of a row, the last transaction that wrote it and has a ts */
};

static const struct logged_txn *txn_at(const struct audit_replay *a, uint32_t number)
{
    return &a->log->txns.at[number];
}

/* --- Which transactions ---------------------------------------------------------------------- */

static bool find_txn(struct audit_replay *a, int64_t id, uint32_t *number)
{
    uint64_t found;

    if (!map_find(&a->ids, (uint64_t)id, &found))
        return audit_refuse(a, "there is no transaction %" PRId64, id);
    *number = (uint32_t)found;
    return true;
}

static bool place_txns(struct audit_replay *a)
{
    const struct audit_witness *w = a->witness;
    uint32_t number = 0, missing = UINT32_MAX;

    for (size_t i = 0; i < w->order.count; i++) {
        if (!find_txn(a, w->order.at[i], &number))
            return false;
        if (txn_at(a, number)->status == TXN_ABORT)
            return audit_refuse(a, "transaction %" PRId64 " was aborted", w->order.at[i]);
        if (a->position[number] > 0)
            return audit_refuse(a, "transaction %" PRId64 " stands in the order twice", w->order.at[i]);
        a->order[i + 1] = number;
        a->position[number] = (uint32_t)i + 1;
    }
    a->count = (uint32_t)w->order.count;
    for (size_t i = 0; i < w->absent.count; i++) {
        if (!find_txn(a, w->absent.at[i], &number))
            return false;
        if (txn_at(a, number)->status != TXN_UNKNOWN || a->position[number] > 0)
            return audit_refuse(a, "transaction %" PRId64 " cannot be absent", w->absent.at[i]);
        a->position[number] = NO_POSITION;
    }
    for (size_t i = 0; i < a->log->txns.count; i++)
        if (a->position[i] == 0 && txn_at(a, (uint32_t)i)->status != TXN_ABORT)
            missing = (uint32_t)i;
    if (missing != UINT32_MAX)
        return audit_refuse(a, "transaction %" PRId64 " is neither in the order nor absent",
                            txn_at(a, missing)->id);
    return true;
}

static bool take_states(struct validation *v)
{
    struct audit_replay *a = v->a;
    const struct audit_witness *w = a->witness;

    for (size_t i = 0; i < w->seen.count; i++) {
        uint32_t number = 0;

        if (!find_txn(a, w->seen.at[i].id, &number))
            return false;
        if (v->seen[number])
            return audit_refuse(a, "transaction %" PRId64 " has states twice", w->seen.at[i].id);
        if (audited_at_snapshot_level(w) && w->seen.at[i].count > 1)
            return audit_refuse(a, "transaction %" PRId64 " has several states", w->seen.at[i].id);
        v->seen[number] = &w->seen.at[i];
    }
    if (w->level == AUDITED_READ_COMMITTED && w->model == MODEL_PAPER)
        return true;
    for (size_t i = 0; i < w->states.count; i++)
        if (w->states.at[i].exception_count > 0)
            return audit_refuse(a, "rows of one statement come from several states");
    return true;
}

/* --- What a transaction sees ------------------------------------------------------------------- */

/* For the interpreter: the states of the transaction that runs. */
struct sight {
    struct audit_replay *a;
    const struct witnessed_txn *seen; /* NULL: none are given */
    uint32_t own; /* at serial levels */
    bool has_too_few, is_backwards, has_strange_row;
};

/* "account/3": the table and the key of a row, whose cells are of the key's columns. */
static bool read_row_name(struct sight *sight, struct text name, struct row_exception *exception)
{
    struct session *s = &sight->a->session;
    struct packed *key;
    char *part = arena_take(&s->scratch, name.length + 1, 1);
    size_t at = 0;

    while (at < name.length && name.at[at] != '/')
        at++;
    exception->relation = catalog_find_relation(&s->catalog, (struct text){ name.at, at });
    if (!exception->relation)
        return false;
    key = arena_take(&s->scratch, exception->relation->key.count, sizeof *key);
    for (uint32_t i = 0; i < exception->relation->key.count; i++) {
        const struct relation_column *column =
            &exception->relation->columns[exception->relation->key.at[i]];
        char *to = part;
        struct item item;

        if (at >= name.length || name.at[at] != '/')
            return false;
        for (at++; at < name.length && name.at[at] != '/'; at++) {
            if (name.at[at] == '\\' && at + 1 < name.length)
                at++;
            *to++ = name.at[at];
        }
        item = item_text((struct text){ part, (size_t)(to - part) });
        item = item_cast(&s->run.bench, item, column->type, CAST_IS_EXPLICIT);
        key[i] = row_states_pack(&s->scratch, &item);
    }
    exception->key = key;
    return at == name.length;
}

static void see_rows(struct sight *sight, struct run *run, const struct witnessed_state *state)
{
    const struct audit_witness *w = sight->a->witness;
    struct row_exception *exceptions =
        arena_take(run->bench.arena, state->exception_count, sizeof *exceptions);

    for (uint32_t i = 0; i < state->exception_count; i++) {
        const struct witnessed_row *row = &w->rows.at[state->exception + i];

        exceptions[i].state = (uint32_t)row->state;
        if (!read_row_name(sight, row->name, &exceptions[i])) {
            sight->has_strange_row = true;
            trap_unknown(run->trap, "the row %.*s", TEXT_PRINT(row->name));
        }
    }
    run->view.exceptions = exceptions;
    run->view.exception_count = state->exception_count;
}

static void see(struct run *run, uint32_t statement)
{
    struct sight *sight = run->context;
    const struct audit_witness *w = sight->a->witness;
    const struct witnessed_state *states;
    uint32_t place_in_states = audited_at_snapshot_level(w) ? 0 : statement;

    run->newest = (struct row_view){ .state = run->before };
    run->view = (struct row_view){ .state = run->before };
    if (audited_at_serial_level(w))
        return;
    if (!sight->seen || place_in_states >= sight->seen->count) {
        sight->has_too_few = true;
        trap_unknown(run->trap, "the states that were seen");
    }
    states = &w->states.at[sight->seen->state];
    run->view.state = (uint32_t)states[place_in_states].state;
    if (run->is_locking && statement > 0 && states[statement].state < states[statement - 1].state) {
        sight->is_backwards = true;
        trap_unknown(run->trap, "states that go down");
    }
    if (states[place_in_states].exception_count > 0)
        see_rows(sight, run, &states[place_in_states]);
}

/* The highest state that it sees. */
static uint32_t highest_state(const struct audit_replay *a, const struct witnessed_txn *seen)
{
    const struct audit_witness *w = a->witness;
    int64_t highest = 0;

    for (uint32_t i = 0; seen && i < seen->count; i++) {
        const struct witnessed_state *state = &w->states.at[seen->state + i];

        highest = state->state > highest ? state->state : highest;
        for (uint32_t r = 0; r < state->exception_count; r++)
            if (w->rows.at[state->exception + r].state > highest)
                highest = w->rows.at[state->exception + r].state;
    }
    return (uint32_t)highest;
}

/* --- What has to hold besides ---------------------------------------------------------------------- */

static bool check_first_committer(struct validation *v, uint32_t number)
{
    struct audit_replay *a = v->a;
    const struct row_store *store = &a->session.store;
    uint32_t before = a->position[number] - 1;
    uint32_t state = (uint32_t)a->witness->states.at[v->seen[number]->state].state;

    for (uint32_t i = 0; i < store->written_count; i++) {
        const struct row_entry *entry = store->written[i];
        const struct packed *seen = row_states_at(entry, state);
        uint32_t last = entry->count > 0 ? entry->versions[entry->count - 1].position : 0;

        if (last <= state)
            continue;
        if (!a->witness->by_value)
            return audit_refuse(a,
                                "transactions %" PRId64 " and %" PRId64 " write a row of %.*s, and the second has "
                                "not seen the first",
                                txn_at(a, a->order[last])->id, txn_at(a, number)->id,
                                TEXT_PRINT(entry->relation->name));
        if (!row_states_identical(entry->relation, entry->own, seen) &&
            !row_states_identical(entry->relation, seen, row_states_at(entry, before)))
            return audit_refuse(a,
                                "transaction %" PRId64 " changes a row of %.*s that is no longer what it has seen",
                                txn_at(a, number)->id, TEXT_PRINT(entry->relation->name));
    }
    return true;
}

/* Writers of the same row, at the serial levels. */
static bool check_rows_ts(struct validation *v, uint32_t number, struct error *err, enum status *status)
{
    struct audit_replay *a = v->a;
    const struct row_store *store = &a->session.store;
    const struct logged_txn *txn = txn_at(a, number);

    for (uint32_t i = 0; i < store->written_count; i++) {
        const struct row_entry *entry = store->written[i];
        uint64_t last;
        size_t place;

        if (map_find(&v->row_ts, (uintptr_t)entry, &last)) {
            if (audit_compare_ts(txn_at(a, (uint32_t)last), txn) > 0)
                return audit_refuse(a,
                                    "transactions %" PRId64 " and %" PRId64
                                    " write the same row, and do not stand in the order of their ts",
                                    txn_at(a, (uint32_t)last)->id, txn->id);
        }
        *status = map_add(&v->row_ts, (uintptr_t)entry, number, &place, err);
        if (*status != STATUS_OK)
            return false;
        v->row_ts.values.at[place] = number;
    }
    return true;
}

static bool check_ts(struct validation *v, uint32_t number, struct error *err, enum status *status)
{
    struct audit_replay *a = v->a;
    const struct logged_txn *txn = txn_at(a, number);

    if (a->log->ts_is_hint || !txn->has_ts || a->session.store.written_count == 0)
        return true;
    if (audited_at_serial_level(a->witness))
        return check_rows_ts(v, number, err, status);
    if (v->last && audit_compare_ts(v->last, txn) > 0)
        return audit_refuse(a, "transaction %" PRId64 " does not stand in the order of ts", txn->id);
    v->last = txn;
    return true;
}

/* Real time between places; a transaction that writes nothing has none at strict-snapshot. */
static bool check_time(struct validation *v, uint32_t number)
{
    struct audit_replay *a = v->a;
    const struct logged_txn *txn = txn_at(a, number);

    if (!audited_at_strict_level(a->witness) ||
        (!audited_at_serial_level(a->witness) && a->session.store.written_count == 0))
        return true;
    if (audit_completed_at(txn) != TIME_NEVER && v->invoked_max != TIME_NEVER &&
        audit_completed_at(txn) < v->invoked_max)
        return audit_refuse(a, "transaction %" PRId64 " was completed before one in front of it was invoked",
                            txn->id);
    if (txn->invoked_ns != TIME_NEVER && (v->invoked_max == TIME_NEVER || txn->invoked_ns > v->invoked_max))
        v->invoked_max = txn->invoked_ns;
    return true;
}

/* --- Replaying ------------------------------------------------------------------------------------------ */

static bool refuse_run(struct validation *v, uint32_t number, const struct sight *sight,
                       struct replay_outcome *out)
{
    struct audit_replay *a = v->a;
    int64_t id = txn_at(a, number)->id;

    if (sight->has_too_few)
        return audit_refuse(a, "transaction %" PRId64 " executes more statements than it has states", id);
    if (sight->is_backwards)
        return audit_refuse(a, "transaction %" PRId64 " sees an earlier state after a later one", id);
    if (sight->has_strange_row)
        return audit_refuse(a, "transaction %" PRId64 ": there is no such row: %s", id, out->reason);
    if (out->replayed == REPLAYED_WRONG && a->session.run.relied_on_order) {
        out->replayed = REPLAYED_UNKNOWN;
        audit_say_order(&a->session.run, out->reason, sizeof out->reason);
    }
    if (out->replayed == REPLAYED_UNKNOWN)
        return audit_refuse(a, "undecided: transaction %" PRId64 ": the verifier does not know %s", id,
                            out->reason);
    return audit_refuse(a, "transaction %" PRId64 ", answer %u: it would be %s", id, out->answer,
                        out->reason);
}

static bool replay(struct validation *v, uint32_t number, bool is_late, struct error *err,
                   enum status *status)
{
    struct audit_replay *a = v->a;
    const struct audit_witness *w = a->witness;
    const struct logged_txn *txn = txn_at(a, number);
    struct sight sight = { .a = a, .seen = v->seen[number] };
    bool is_locking = w->level == AUDITED_READ_COMMITTED && w->model == MODEL_LOCKING;
    struct replay_outcome out;
    struct run *run = &a->session.run;

    audit_replay_run(a, txn, &(struct replay_sight){ see, &sight, a->position[number] - 1, is_locking }, &out);
    if (out.replayed != REPLAYED)
        return refuse_run(v, number, &sight, &out);
    if (w->level == AUDITED_READ_COMMITTED && (sight.seen ? sight.seen->count : 0) != run->statements)
        return audit_refuse(a, "transaction %" PRId64 " executes %u statements, and has %u states", txn->id,
                            run->statements, sight.seen ? sight.seen->count : 0);
    if (is_late && (a->session.store.written_count > 0 || (is_locking && run->place_counts)))
        return audit_refuse(a, "transaction %" PRId64 " sees states that its place does not allow", txn->id);
    if (is_late)
        return true;
    v->writes[number] = a->session.store.written_count > 0;
    if (v->writes[number] && audited_at_snapshot_level(w) && !check_first_committer(v, number))
        return false;
    if (!check_ts(v, number, err, status) || !check_time(v, number))
        return false;
    row_states_commit(&a->session.store, a->position[number]);
    return true;
}

/* Those that see later states than their place wait for them. */
static bool replay_all(struct validation *v, struct error *err, enum status *status)
{
    struct audit_replay *a = v->a;

    for (uint32_t i = 0; i <= a->count; i++) {
        uint32_t number = a->order[i], high;

        if (i > 0) {
            high = highest_state(a, v->seen[number]);
            if (high > a->count)
                return audit_refuse(a, "there is no state %u", high);
            if (high >= i) {
                v->next_deferred[number] = v->deferred[high];
                v->deferred[high] = number + 1;
            } else if (!replay(v, number, false, err, status)) {
                return false;
            }
        }
        for (uint32_t d = v->deferred[i]; d; d = v->next_deferred[d - 1])
            if (!replay(v, d - 1, true, err, status))
                return false;
    }
    return true;
}

/* --- Strict snapshots ------------------------------------------------------------------------------------- */

/* What each snapshot must and must not have in it; only writers can be seen. */
static bool check_snapshots(struct validation *v)
{
    struct audit_replay *a = v->a;
    /* Of those up to a position the last invocation, of those from it on the first completion. */
    int64_t *invoked = arena_take(&a->session.lasting, a->count + 1, sizeof *invoked);
    int64_t *completed = arena_take(&a->session.lasting, a->count + 2, sizeof *completed);

    invoked[0] = INT64_MIN;
    for (uint32_t i = 1; i <= a->count; i++) {
        int64_t at = txn_at(a, a->order[i])->invoked_ns;
        bool counts = v->writes[a->order[i]] && at != TIME_NEVER;

        invoked[i] = counts && at > invoked[i - 1] ? at : invoked[i - 1];
    }
    completed[a->count + 1] = TIME_NEVER;
    for (uint32_t i = a->count; i > 0; i--) {
        int64_t at = v->writes[a->order[i]] ? audit_completed_at(txn_at(a, a->order[i])) : TIME_NEVER;

        completed[i] = at < completed[i + 1] ? at : completed[i + 1];
    }
    for (uint32_t i = 1; i <= a->count; i++) {
        const struct logged_txn *txn = txn_at(a, a->order[i]);
        const struct witnessed_txn *seen = v->seen[a->order[i]];
        uint32_t state;

        if (!seen || seen->count == 0)
            continue;
        state = (uint32_t)a->witness->states.at[seen->state].state;
        if (txn->invoked_ns != TIME_NEVER && completed[state + 1] < txn->invoked_ns)
            return audit_refuse(
                a, "transaction %" PRId64 " does not see one that was completed before it was invoked", txn->id);
        if (invoked[state] > call_log_first_answer(a->log, txn))
            return audit_refuse(a, "transaction %" PRId64 " sees one that was invoked after its first answer",
                                txn->id);
    }
    return true;
}

/* --- The whole --------------------------------------------------------------------------------------------- */

static bool verify_valid(struct audit_replay *a, struct error *err, enum status *status)
{
    size_t txns = a->log->txns.count + 1;
    struct validation v = { .a = a, .invoked_max = TIME_NEVER };
    struct arena *arena = &a->session.lasting;
    bool holds;

    a->order = arena_take(arena, a->witness->order.count + 1, sizeof *a->order);
    v.seen = arena_take(arena, txns, sizeof *v.seen);
    v.writes = arena_take(arena, txns, sizeof *v.writes);
    v.deferred = arena_take(arena, a->witness->order.count + 1, sizeof *v.deferred);
    v.next_deferred = arena_take(arena, txns, sizeof *v.next_deferred);
    if (!place_txns(a) || !take_states(&v) || !audit_replay_start(a))
        return false;
    holds = replay_all(&v, err, status);
    map_close(&v.row_ts);
    if (!holds || *status != STATUS_OK)
        return false;
    if (a->witness->level == AUDITED_STRICT_SNAPSHOT && !check_snapshots(&v))
        return false;
    a->result->is_accepted = true;
    snprintf(a->result->reason, sizeof a->result->reason,
             "%.*s holds: %u transactions in an order, each answers so on the state that it saw",
             TEXT_PRINT(a->witness->level_name), a->count);
    return true;
}

static bool check_digest(struct audit_replay *a)
{
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&a->log->digest, hex);
    return text_equal(a->witness->log, text_of(hex)) ||
           audit_refuse(a, "the witness is of another log, whose digest is %.*s",
                        TEXT_PRINT(a->witness->log));
}

struct audit_work {
    struct audit_replay *a;
    struct text program;
};

static enum status work(void *context, struct error *err)
{
    struct audit_work *job = context;
    struct audit_replay *a = job->a;
    enum status status = STATUS_OK;
    size_t place;

    if (!check_digest(a))
        return STATUS_OK;
    if (a->witness->has_initial && a->log->initial != INITIAL_UNKNOWN) {
        audit_refuse(a, "the initial rows of the log are known");
        return STATUS_OK;
    }
    for (size_t i = 0; i < a->log->txns.count; i++)
        TRY(map_add(&a->ids, (uint64_t)a->log->txns.at[i].id, i, &place, err));
    for (size_t i = 0; i < a->witness->numbers.count; i++)
        TRY(map_add(&a->numbers, (uint64_t)a->witness->numbers.at[i].id, i, &place, err));
    a->position = arena_take(&a->session.lasting, a->log->txns.count + 1, sizeof *a->position);
    if (session_open(&a->session, job->program) != ENDED_WELL) {
        audit_refuse(a, "undecided: the verifier does not know %s",
                     a->session.trap.is_error ? a->session.trap.sqlstate : a->session.trap.reason);
        return STATUS_OK;
    }
    if (a->witness->is_valid)
        verify_valid(a, err, &status);
    else
        audit_refute(a);
    return status;
}

enum status audit_verify(const struct call_log *log, struct text program_source, char *bytes, size_t size,
                         struct verify_exactness exactness, struct verification *result, struct error *err)
{
    struct audit_witness witness;
    struct audit_replay *a = NULL;
    struct audit_work job;
    enum status status;

    *result = (struct verification){ 0 };
    status = audit_witness_read(bytes, size, &witness, err);
    if (status == STATUS_OK) {
        a = calloc(1, sizeof *a);
        status = a ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory");
    }
    if (a) {
        a->log = log;
        a->witness = &witness;
        a->result = result;
        a->exactness = exactness;
        job = (struct audit_work){ a, program_source };
        status = session_init(&a->session, MEMORY_MAX, err);
        if (status == STATUS_OK)
            status = arena_guarded(&a->session.lasting, &a->session.guard, work, &job, err);
        map_close(&a->ids);
        map_close(&a->numbers);
        map_close(&a->owners);
        session_close(&a->session);
    }
    free(a);
    audit_witness_close(&witness);
    return status;
}
