#include "audit/txn_runs_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "programs/sql/access.h"

#define RUN_PACE 256
#define TXN_RUNS_MAX 20000 /* of one transaction */
#define SPLIT_RUNS_MAX 2000 /* of one whose place is split; if they are more, it is run coarsely */

/* The first reason is the one that is told. */
static void give_reason(struct txn_runs *r, const char *why)
{
    if (why && !r->reason[0])
        snprintf(r->reason, sizeof r->reason, "transaction %lld %s",
                 (long long)r->plan->txns.at[r->txn].logged->id, why);
}

void txn_runs_give_up(struct txn_runs *r, const char *why)
{
    if (!r->is_over)
        give_reason(r, why);
    r->is_over = true;
}

void txn_runs_doubt(struct txn_runs *r, const char *why)
{
    if (!r->is_doubtful)
        give_reason(r, why);
    r->is_doubtful = true;
}

/* --- Runs ----------------------------------------------------------------------------------------------- */

/* Whether it can be run in another way if the runs are too many. */
static bool can_be_coarse(const struct txn_runs *r)
{
    return !r->worlds.is_coarse && r->worlds.sight != SIGHT_SERIAL &&
           r->worlds.sight != SIGHT_PAPER;
}

/* Whether it has the last place, which is the one that gets its outcomes. */
static bool has_last_place(const struct txn_runs *r)
{
    const struct worlds *w = &r->worlds;

    return w->places.count > 0 && w->places.at[w->places.count - 1].txn == r->txn;
}

static uint64_t runs_max(const struct txn_runs *r)
{
    uint64_t exact = r->options->exact_runs_max > 0 ? r->options->exact_runs_max : TXN_RUNS_MAX;

    if (!can_be_coarse(r))
        return TXN_RUNS_MAX;
    if (has_last_place(r) && r->worlds.places.at[r->worlds.places.count - 1].is_split &&
        exact > SPLIT_RUNS_MAX)
        return SPLIT_RUNS_MAX;
    return exact;
}

static enum status run_once(struct txn_runs *r, struct error *err)
{
    struct runner *runner = &r->runner;

    worlds_begin_run(&r->worlds);
    if (r->empty != NOBODY)
        TRY(worlds_assume_empty(&r->worlds, r->empty, err));
    TRY(runner_run(runner, r->txn, err));
    r->made++;
    r->locks |= !runner->only_reads;
    if (!pace_spend(r->options->pace, RUN_PACE + 64 * runner->statements))
        txn_runs_give_up(r, NULL);
    if (runner->open_line > 0) {
        r->open_line = runner->open_line;
        txn_runs_give_up(r, NULL);
    }
    if (runner->limit[0])
        txn_runs_give_up(r, "took more than a program may");
    else if (runner->runs >= r->options->runs_max)
        txn_runs_give_up(r, "came when all runs that were allowed had been made");
    else if (r->made >= runs_max(r))
        r->is_too_much = true;
    if (r->worlds.met_open)
        txn_runs_doubt(r, NULL);
    return STATUS_OK;
}

/* What it writes is then kept for each row by itself. */
static void begin_coarsely(struct txn_runs *r)
{
    r->worlds.is_coarse = true;
    r->made = 0;
    if (has_last_place(r))
        worlds_split_place(&r->worlds);
}

/* Whether no run tells any more what was asked. */
static bool is_in_doubt(const struct txn_runs *r, enum runs_kind kind)
{
    return kind != RUNS_EVEN_IN_DOUBT && (r->is_doubtful || r->is_too_much);
}

/* Every run of the transaction at hand within the window that is set, if they are not too many. */
static enum status run_window(struct txn_runs *r, enum runs_kind kind, on_run *each, void *context,
                              struct error *err)
{
    struct worlds *w = &r->worlds;
    bool more = w->floor <= w->ceiling;

    r->is_too_much = false;
    worlds_begin_runs(w);
    while (more && !r->is_over) {
        TRY(run_once(r, err));
        if (!r->is_over && !is_in_doubt(r, kind))
            TRY(each(context, err));
        TRY(audit_rows_abandon(r->rows, err));
        if (r->found || is_in_doubt(r, kind))
            break;
        TRY(worlds_advance(w, &more, err));
    }
    return STATUS_OK;
}

enum status txn_runs_make(struct txn_runs *r, enum runs_kind kind, on_run *each, void *context,
                          struct error *err)
{
    TRY(run_window(r, kind, each, context, err));
    if (kind == RUNS_OR_COARSE && r->is_too_much && !r->is_over && !r->is_doubtful &&
        can_be_coarse(r)) {
        begin_coarsely(r);
        TRY(run_window(r, kind, each, context, err));
    }
    if (r->is_too_much)
        txn_runs_doubt(r, "has too many ways to run");
    return STATUS_OK;
}

enum status txn_runs_may_commit(struct txn_runs *r, bool *may, struct error *err)
{
    const row_list *written = audit_rows_written(r->rows);
    struct worlds *w = &r->worlds;

    *may = r->runner.end == RUN_RIGHT;
    if (w->sight != SIGHT_SNAPSHOT && w->sight != SIGHT_SERIAL)
        return STATUS_OK;
    for (size_t i = 0; i < written->count && *may; i++) {
        const struct stored_row *row = written->at[i];
        const struct datum *seen = worlds_seen(w, row);

        if (w->sight != SIGHT_SNAPSHOT || !audit_rows_equal(r->rows, row->table, row->own, seen))
            TRY(worlds_may_be(w, row, w->newest, seen, may, err));
    }
    return STATUS_OK;
}

/* --- What is written in any run ------------------------------------------------------------------------ */

static void note_fixed(struct txn_runs *r, const struct stored_row *row)
{
    struct error ignored;
    bool is_noted = false;

    r->writes = true;
    for (size_t i = 0; i < r->fixed.count; i++)
        is_noted |= r->fixed.at[i] == row;
    /* One for which there is no memory makes the proof harder, not wrong. */
    if (!is_noted && array_reserve(&r->fixed, 1, &ignored) == STATUS_OK)
        r->fixed.at[r->fixed.count++] = row;
}

static void on_write(void *context, const struct query *query, size_t first)
{
    struct txn_runs *r = context;
    const row_list *written = audit_rows_written(r->rows);
    enum certain_write certain = influence_certain(&r->plan->influence, query);

    if (certain == WRITES_ROWS)
        r->writes = true;
    for (size_t i = first; i < written->count; i++) {
        const struct stored_row *row = written->at[i];

        if (certain == WRITES_ROW ||
            (certain == WRITES_ROW_IF_THERE && r->is_lasting[row->table] &&
             row->version_count > 0 && row->versions[0].position == 0 && row->versions[0].cells))
            note_fixed(r, row);
    }
}

/* --- Windows --------------------------------------------------------------------------------------------- */

void txn_runs_set_window(struct txn_runs *r, uint32_t newest)
{
    struct worlds *w = &r->worlds;

    w->newest = newest;
    w->floor = 0;
    w->ceiling = newest;
    w->last = audit_rows_position(r->rows);
    if (r->options->level != LEVEL_STRICT_SNAPSHOT)
        return;
    for (uint32_t k = newest; k > 0; k--) {
        const struct world_place *p = &w->places.at[k - 1];

        if (!p->writes)
            continue;
        if (audit_plan_is_after_answer(r->plan, r->txn, p->txn))
            w->ceiling = k - 1;
        if (audit_plan_is_before(r->plan, p->txn, r->txn)) {
            w->floor = k;
            break;
        }
    }
}

static enum world_sight sight_of(enum run_mode mode)
{
    switch (mode) {
    case RUN_AT_PLACE:
        return SIGHT_SERIAL;
    case RUN_SNAPSHOT:
        return SIGHT_SNAPSHOT;
    case RUN_LOCKING:
        return SIGHT_LOCKING;
    case RUN_STATEMENT:
        return SIGHT_STATEMENT;
    case RUN_PAPER:
        break;
    }
    return SIGHT_PAPER;
}

void txn_runs_begin(struct txn_runs *r, uint32_t txn)
{
    r->txn = r->worlds.txn = txn;
    r->made = 0;
    r->writes = r->locks = r->found = r->is_too_much = false;
    r->fixed.count = 0;
    r->is_doubtful = false;
    r->empty = NOBODY;
    r->worlds.own_place = NOBODY;
    r->worlds.is_plain = r->worlds.is_coarse = false;
    worlds_forget_met(&r->worlds);
}

/* --- Opening -------------------------------------------------------------------------------------------- */

static enum status find_lasting(struct txn_runs *r, struct error *err)
{
    const struct program_tree *tree = &r->plan->program->tree;
    uint32_t tables = tree->schema.table_count;
    const struct access *access;
    struct arena arena = { 0 };
    enum status status;

    r->is_lasting = calloc((size_t)tables + 1, sizeof *r->is_lasting);
    if (!r->is_lasting)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for tables");
    TRY(arena_init(&arena, ARENA_UNLIMITED, err));
    status = access_find(tree, &arena, &access, err);
    for (uint32_t t = 0; t < tables && status == STATUS_OK; t++) {
        const struct schema_columns *key = &tree->schema.tables[t].key;

        r->is_lasting[t] = true;
        for (uint32_t f = 0; f < tree->function_count; f++) {
            const struct access *a = &access[f * tables + t];

            if (a->deletes)
                r->is_lasting[t] = false;
            for (uint16_t i = 0; i < key->count && a->updates; i++)
                if (a->columns_written[key->at[i]])
                    r->is_lasting[t] = false;
        }
    }
    arena_close(&arena);
    return status;
}

enum status txn_runs_open(struct txn_runs *r, const struct plan *plan, struct rows *rows,
                          const struct outcomes_options *options, struct error *err)
{
    *r = (struct txn_runs){ .plan = plan, .rows = rows, .options = options };
    TRY(runner_open(&r->runner, plan, rows, options->mode, err));
    TRY(worlds_open(&r->worlds, plan, rows, sight_of(options->mode), err));
    TRY(open_order_find(&r->open, &plan->program->tree, err));
    TRY(find_lasting(r, err));
    r->runner.worlds = &r->worlds;
    r->runner.open = &r->open;
    r->runner.open_line = r->open_line = r->open.line;
    r->runner.write_listener = on_write;
    r->runner.context = r;
    r->worlds.is_strict = level_closing(options->level) == CLOSING_TIME;
    if (options->whole_outcomes_max > 0)
        r->worlds.outcomes_max = options->whole_outcomes_max;
    return STATUS_OK;
}

void txn_runs_close(struct txn_runs *r)
{
    open_order_close(&r->open);
    worlds_close(&r->worlds);
    runner_close(&r->runner);
    array_close(&r->fixed);
    free(r->is_lasting);
}
