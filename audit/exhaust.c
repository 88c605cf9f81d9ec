#include "audit/exhaust_private.h"

#include <stdlib.h>

#include "base/hash.h"

#define RUN_PACE 256

enum status exhaust_open(struct exhaust *x, const struct plan *plan, struct runner *runner,
                         const struct exhaust_options *options, struct error *err)
{
    *x = (struct exhaust){
        .plan = plan, .runner = runner, .rows = runner->rows, .options = options
    };
    x->is_done = calloc(plan->txns.count + 1, 1);
    x->has_written = calloc(plan->txns.count + 1, 1);
    if (!x->is_done || !x->has_written)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a search");
    for (size_t i = 0; i < plan->txns.count; i++)
        x->ok_count += !plan->txns.at[i].is_unknown;
    return STATUS_OK;
}

void exhaust_close(struct exhaust *x)
{
    free(x->is_done);
    free(x->has_written);
    array_close(&x->placed);
    array_close(&x->choices);
    map_close(&x->dead);
}

/* --- What the definition asks of places ----------------------------------------------------------- */

static bool is_strict(const struct exhaust *x)
{
    return level_closing(x->options->level) == CLOSING_TIME;
}

static bool is_serial(const struct exhaust *x)
{
    return x->options->mode == RUN_AT_PLACE;
}

/* The states that one may have seen, of those that there are. */
static struct run_window window_of(const struct exhaust *x, uint32_t txn)
{
    struct run_window w = { 0, (uint32_t)x->placed.count };

    if (is_serial(x)) {
        w.floor = w.ceiling;
        return w;
    }
    for (uint32_t i = 0; is_strict(x) && i < x->placed.count; i++) {
        uint32_t other = x->placed.at[i].txn;

        if (!x->has_written[other])
            continue;
        if (audit_plan_is_before(x->plan, other, txn))
            w.floor = i + 1;
        if (audit_plan_is_after_answer(x->plan, txn, other) && i < w.ceiling)
            w.ceiling = i;
    }
    return w;
}

/* At the strict levels nobody stands before who was completed before he was invoked. */
static bool has_to_wait(const struct exhaust *x, uint32_t txn)
{
    if (x->options->level != LEVEL_STRICT_SERIALIZABLE)
        return false;
    for (uint32_t i = 0; i < x->plan->txns.count; i++)
        if (!x->is_done[i] && !x->plan->txns.at[i].is_unknown && audit_plan_is_before(x->plan, i, txn))
            return true;
    /* One of unknown outcome has no completion, and is done in any place after its invocation. */
    for (uint32_t i = 0; i < x->placed.count; i++)
        if (audit_plan_is_before(x->plan, txn, x->placed.at[i].txn))
            return true;
    return false;
}

/* The writers of a row stand in the order of ts. */
static bool rows_are_in_order(const struct exhaust *x, uint32_t txn)
{
    const row_list *written = audit_rows_written(x->rows);

    for (size_t i = 0; i < written->count; i++) {
        const struct stored_row *row = written->at[i];

        for (uint32_t k = 0; k < row->version_count; k++) {
            uint32_t position = row->versions[k].position;

            if (position > 0 &&
                audit_plan_compare_ts(x->plan, x->placed.at[position - 1].txn, txn) > 0)
                return false;
        }
    }
    return true;
}

/* Whether one that has written may stand behind those that are placed. */
static bool may_stand(const struct exhaust *x, uint32_t txn)
{
    if (is_serial(x))
        return rows_are_in_order(x, txn);
    for (uint32_t i = 0; i < x->placed.count; i++) {
        uint32_t other = x->placed.at[i].txn;

        if (x->has_written[other] && audit_plan_compare_ts(x->plan, other, txn) > 0)
            return false;
        if (is_strict(x) && audit_plan_is_before(x->plan, txn, other))
            return false;
    }
    return true;
}

/* --- Runs --------------------------------------------------------------------------------------------- */

static enum status run(struct exhaust *x, uint32_t txn, struct run_window window,
                       const choice_list *path, struct error *err)
{
    struct runner *r = x->runner;

    r->window = window;
    r->tracks = true;
    r->footprint = NULL;
    r->path = path->at;
    r->path_count = (uint32_t)path->count;
    TRY(runner_run(r, txn, err));
    if (!pace_spend(x->options->pace, RUN_PACE + 64 * r->statements) ||
        r->runs >= x->options->runs_max || r->limit[0])
        x->is_over = true;
    return STATUS_OK;
}

static bool conflicts(const struct exhaust *x)
{
    const choice_list *choices = &x->runner->choices;

    return x->options->mode == RUN_SNAPSHOT && choices->count > 0 &&
           !search_may_commit(x->rows, x->options->by_value, choices->at[0].state,
                              choices->at[0].high);
}

/* Each row counts with what it has now and with who wrote it, in any order of rows. */
static uint64_t hash_of(uint32_t table, const struct stored_row *row, const struct datum *cells,
                        uint32_t width)
{
    uint64_t hash = hash_mix(table, (uint64_t)(uintptr_t)row);

    if (!cells)
        return 0;
    for (uint32_t i = 0; i < width; i++)
        hash = hash_mix(hash, audit_rows_cell_hash(&cells[i]));
    return hash;
}

static uint64_t state_change(const struct exhaust *x, uint32_t txn)
{
    const row_list *written = audit_rows_written(x->rows);
    uint64_t change = 0;

    for (size_t i = 0; i < written->count; i++) {
        const struct stored_row *row = written->at[i];
        uint32_t width = x->plan->program->tree.schema.tables[row->table].column_count;
        const struct row_version *before = audit_rows_visible(row, STATE_NEWEST);

        change ^= hash_mix(txn + UINT64_C(1), (uint64_t)(uintptr_t)row);
        change ^= hash_of(row->table, row, row->own, width) ^
                  hash_of(row->table, row, before ? before->cells : NULL, width);
    }
    return change;
}

/* What is pending becomes the next commit. */
static enum status place(struct exhaust *x, uint32_t txn, struct error *err)
{
    const choice_list *choices = &x->runner->choices;
    struct exhausted one = { .txn = txn,
                             .statements = x->runner->statements,
                             .choice = x->choices.count,
                             .choice_count = (uint32_t)choices->count,
                             .ceiling = x->runner->window.ceiling };

    TRY(runner_add_choices(&x->choices, choices->at, choices->count, err));
    runner_settle_choices(x->runner, x->options->by_value, x->choices.at + one.choice, one.choice_count);
    x->is_done[txn] = true;
    x->has_written[txn] = audit_rows_written(x->rows)->count > 0;
    x->done_ok += !x->plan->txns.at[txn].is_unknown;
    x->done_hash ^= hash_number(txn + UINT64_C(1));
    TRY(array_push(&x->placed, one, err));
    return audit_rows_commit(x->rows, err);
}

static enum status displace(struct exhaust *x, struct error *err)
{
    const struct exhausted one = x->placed.at[--x->placed.count];

    x->choices.count = one.choice;
    x->is_done[one.txn] = false;
    x->done_ok -= !x->plan->txns.at[one.txn].is_unknown;
    x->done_hash ^= hash_number(one.txn + UINT64_C(1));
    return audit_rows_pop(x->rows, one.txn, err);
}

/* --- The end ------------------------------------------------------------------------------------------ */

/* Looks for a state in which one that writes nothing gives its answers, and places it. */
static enum status place_reader(struct exhaust *x, uint32_t txn, bool *found, struct error *err)
{
    struct run_window window = window_of(x, txn);
    choice_list path = { NULL, 0, 0 };
    enum status status = STATUS_OK;

    *found = false;
    for (bool more = window.floor <= window.ceiling; more && !x->is_over && status == STATUS_OK;) {
        status = run(x, txn, window, &path, err);
        if (status != STATUS_OK)
            break;
        if (x->runner->end == RUN_RIGHT && audit_rows_written(x->rows)->count == 0) {
            *found = true;
            status = place(x, txn, err);
            break;
        }
        status = audit_rows_drop(x->rows, txn, err);
        if (status == STATUS_OK)
            status = runner_keep_choices(x->runner, &path, err);
        more = search_advance(x->options->mode, &path, window.floor);
    }
    array_close(&path);
    return status;
}

/* Whether all that are left may stand at the end, as readers. If not, nothing is changed. */
static enum status finish(struct exhaust *x, bool *found, struct error *err)
{
    size_t before = x->placed.count;

    *found = true;
    /* Those that write first: they are the ones that hardly ever do. */
    for (int writes = 1; writes >= 0; writes--)
        for (uint32_t i = 0; i < x->plan->txns.count && *found; i++) {
            const struct plan_txn *t = &x->plan->txns.at[i];

            if (x->is_done[i] || t->is_unknown || t->may_write != (bool)writes)
                continue;
            TRY(place_reader(x, i, found, err));
        }
    while (!*found && x->placed.count > before)
        TRY(displace(x, err));
    return STATUS_OK;
}

/* --- The search ---------------------------------------------------------------------------------------- */

static enum status go_on(struct exhaust *x, bool *found, struct error *err);

/* Whether a transaction that writes nothing need not be tried at this place. */
static bool is_idle(const struct exhaust *x, uint32_t txn)
{
    if (audit_rows_written(x->rows)->count > 0)
        return false;
    if (x->plan->txns.at[txn].is_unknown)
        return true;
    return !is_serial(x) && (x->options->mode != RUN_LOCKING || x->runner->only_reads);
}

/* Of those that write the same at the same place, what comes after is the same. */
static bool is_again(const uint64_t *hashes, size_t count, uint64_t hash)
{
    for (size_t i = 0; i < count; i++)
        if (hashes[i] == hash)
            return true;
    return false;
}

/* All choices of one transaction at this place, and what comes after each. */
static enum status try_txn(struct exhaust *x, uint32_t txn, bool *found, struct error *err)
{
    struct run_window window = window_of(x, txn);
    choice_list path = { NULL, 0, 0 };
    ARRAY(uint64_t) hashes = { NULL, 0, 0 };
    enum status status = STATUS_OK;
    bool more = window.floor <= window.ceiling;

    while (more && !*found && !x->is_over && status == STATUS_OK) {
        bool fits, is = false;
        uint64_t change;

        status = run(x, txn, window, &path, err);
        if (status == STATUS_OK)
            status = runner_keep_choices(x->runner, &path, err);
        if (status != STATUS_OK)
            break;
        fits = x->runner->end == RUN_RIGHT && !is_idle(x, txn) && !conflicts(x) &&
               (audit_rows_written(x->rows)->count == 0 || may_stand(x, txn));
        if (fits) {
            uint64_t hash = audit_rows_written_hash(x->rows);

            is = is_again(hashes.at, hashes.count, hash);
            status = array_push(&hashes, hash, err);
        }
        if (status == STATUS_OK && fits && !is) {
            change = state_change(x, txn);
            x->state_hash ^= change;
            status = place(x, txn, err);
            if (status == STATUS_OK)
                status = go_on(x, found, err);
            if (status == STATUS_OK && !*found) {
                status = displace(x, err);
                x->state_hash ^= change;
            }
        } else if (status == STATUS_OK) {
            status = audit_rows_drop(x->rows, txn, err);
        }
        more = search_advance(x->options->mode, &path, window.floor);
    }
    array_close(&path);
    array_close(&hashes);
    return status;
}

/*
 * In a serial order, who reads here what it has to read need not be tried anywhere else; but not who
 * might write at another place, which somebody may wait for.
 */
static enum status place_idle_readers(struct exhaust *x, struct error *err)
{
    static const choice_list no_path = { NULL, 0, 0 };
    bool again = true;

    while (again && !x->is_over) {
        again = false;
        for (uint32_t i = 0; i < x->plan->txns.count && !x->is_over; i++) {
            if (x->is_done[i] || x->plan->txns.at[i].is_unknown || x->plan->txns.at[i].may_write ||
                has_to_wait(x, i))
                continue;
            TRY(run(x, i, window_of(x, i), &no_path, err));
            if (x->runner->end == RUN_RIGHT && audit_rows_written(x->rows)->count == 0) {
                TRY(place(x, i, err));
                again = is_strict(x);
            } else {
                TRY(audit_rows_drop(x->rows, i, err));
            }
        }
    }
    return STATUS_OK;
}

static enum status go_on_from(struct exhaust *x, bool *found, struct error *err)
{
    uint32_t total = (uint32_t)x->plan->txns.count;

    *found = x->done_ok == x->ok_count;
    if (*found || x->is_over)
        return STATUS_OK;
    if (!is_serial(x))
        TRY(finish(x, found, err));
    for (int unknown = 0; unknown <= 1; unknown++)
        for (uint32_t i = 0; i < total && !*found && !x->is_over; i++) {
            const struct plan_txn *t = &x->plan->txns.at[i];

            if (x->is_done[i] || t->is_unknown != (bool)unknown || has_to_wait(x, i))
                continue;
            if (!t->may_write && (is_serial(x) || x->options->mode != RUN_LOCKING))
                continue;
            TRY(try_txn(x, i, found, err));
        }
    return STATUS_OK;
}

/* In a serial order, what comes after depends on who is done and on what there is now. */
static enum status go_on(struct exhaust *x, bool *found, struct error *err)
{
    size_t before, slot;
    uint64_t key, ignored;

    if (!is_serial(x))
        return go_on_from(x, found, err);
    before = x->placed.count;
    TRY(place_idle_readers(x, err));
    key = hash_mix(x->done_hash, x->state_hash);
    if (!map_find(&x->dead, key, &ignored)) {
        TRY(go_on_from(x, found, err));
        if (!*found && !x->is_over)
            TRY(map_add(&x->dead, key, 0, &slot, err));
    }
    while (!*found && x->placed.count > before)
        TRY(displace(x, err));
    return STATUS_OK;
}

enum status exhaust_add(struct exhaust *x, uint32_t txn, struct run_window window, bool *is_added, struct error *err)
{
    static const choice_list no_path = { NULL, 0, 0 };

    TRY(run(x, txn, window, &no_path, err));
    *is_added = x->runner->end == RUN_RIGHT && !conflicts(x);
    return *is_added ? place(x, txn, err) : audit_rows_abandon(x->rows, err);
}

enum status exhaust_go(struct exhaust *x, bool *found, struct error *err)
{
    *found = false;
    return go_on(x, found, err);
}
