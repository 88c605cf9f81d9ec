#include "checkers/infer/infer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "checkers/infer/infer_private.h"
#include "checkers/infer/linear/linear.h"
#include "checkers/infer/lists/lists.h"
#include "checkers/infer/orders/graph.h"
#include "checkers/infer/predicates/predicates.h"
#include "checkers/infer/registers/registers.h"
#include "checkers/infer/workloads/workloads.h"
#include "checkers/proof/tell.h"

/* --- Lost updates -------------------------------------------------------------- */

/*
 * Lost updates: two transactions read the same version of a key, and then wrote it.
 *
 * Whichever came second, it overwrote what it had not seen. No order of versions is
 * needed to see that.
 */

/* Of a transaction and a key: what it read of it before it wrote. */
struct updating {
    uint32_t txn; /* plus one */
    uint32_t read, number;
    bool has_written;
};

/* A read that was followed by a write. */
struct updates {
    struct infer *infer;
    struct updating *updating; /* by key */
    uint32_t *read;            /* by number: the read of the first who updated that, or none */
    uint32_t *read_initial;    /* by key: likewise of its initial version */
};

static enum status tell(struct updates *u, uint32_t first, uint32_t txn, uint32_t read,
                        struct error *err)
{
    struct infer *c = u->infer;
    const struct history *h = c->history;
    uint32_t txns[] = { history_txn_of(h, first), txn }, ops[] = { first, read };
    struct buffer why = { 0 }, proof = { 0 };

    if (!infer_finds(c, ANOMALY_LOST_UPDATE))
        return STATUS_OK;
    tell_print(&why, h,
               "%T and %T both read %R and then wrote it: the one behind had not seen what the "
               "other wrote", txns[0], txns[1], first);
    proof_reads(&proof, h, txns, ops);
    return check_tell(c->check,
                      (struct discovery){ .kind = ANOMALY_LOST_UPDATE, .txns = txns, .txn_count = 2,
                                          .why = why, .proof = proof }, err);
}

static void hear_read(struct updates *u, uint32_t txn, uint32_t op)
{
    struct infer *c = u->infer;
    struct updating *at = &u->updating[c->history->op_key[op]];

    if (c->read_number[op] == INFER_NOTHING || at->txn == txn + 1 || infer_read_is_dirty(c, op))
        return;
    *at = (struct updating){ .txn = txn + 1, .read = op, .number = c->read_number[op] };
}

static enum status hear_write(struct updates *u, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = u->infer->history->op_key[op], *first;
    struct updating *at = &u->updating[key];

    if (at->txn != txn + 1)
        *at = (struct updating){ .txn = txn + 1, .has_written = true };
    if (at->has_written)
        return STATUS_OK;
    at->has_written = true;
    first = at->number == INFER_INITIAL ? &u->read_initial[key] : &u->read[at->number];
    if (*first != HISTORY_NONE)
        return tell(u, *first, txn, at->read, err);
    *first = at->read;
    return STATUS_OK;
}

static enum status find(struct updates *u, struct error *err)
{
    struct infer *c = u->infer;
    const struct history *h = c->history;
    size_t keys = h->key_count;

    TRY(check_memory((void **)&u->updating, keys, sizeof *u->updating, 0, err));
    TRY(check_memory((void **)&u->read_initial, keys, sizeof *u->read_initial, 0xff, err));
    TRY(check_memory((void **)&u->read, c->versions.count, sizeof *u->read, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (t % INFER_STEP == 0 && !infer_goes_on(c, "lost updates", t))
            return STATUS_OK;
        if (!infer_is_committed(c, t))
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (op_is_read(h->op_kind[op]))
                hear_read(u, t, op);
            else if (history_makes_version(h, op))
                TRY(hear_write(u, t, op, err));
    }
    return STATUS_OK;
}

/* Two committed transactions that read one version and wrote the key: of all keys. */
static enum status infer_find_lost_updates(struct infer *c, struct error *err)
{
    struct updates u = { .infer = c };
    enum status status = find(&u, err);

    free(u.updating);
    free(u.read_initial);
    free(u.read);
    return status;
}

/* --- What parts say ----------------------------------------------------------------- */

void infer_note_read_from(struct infer *c, uint32_t txn)
{
    if (c->places.standing[txn] != STANDING_OPEN)
        return;
    c->places.standing[txn] = STANDING_IN;
    c->places.open_count--;
    c->places.in_count++;
}

bool infer_finds(struct infer *c, enum anomaly anomaly)
{
    if (!c->is_found[anomaly])
        c->rules_out[anomaly] = anomaly_ruled_out(anomaly);
    c->is_found[anomaly] = true;
    c->ruled_out |= c->rules_out[anomaly];
    /* What is of no level is of the workload, and forbidden at all. */
    if (c->rules_out[anomaly] && !(c->rules_out[anomaly] & LEVEL_BIT(c->options->level)))
        return false;
    if (c->told[anomaly] == INFER_TOLD_MAX) {
        c->check->has_more_findings = true;
        return false;
    }
    c->told[anomaly]++;
    return !check_is_full(c->check);
}

void infer_rule_out(struct infer *c, enum level level)
{
    for (int i = 0; i < LEVEL_END; i++)
        if (i != LEVEL_COUNT && level_implies((enum level)i, level))
            c->ruled_out |= LEVEL_BIT(i);
}

void infer_leave_out(struct infer *c, const char *format, ...)
{
    char reason[sizeof c->check->reason];
    va_list arguments;

    c->leaves_out = true;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    check_doubt(c->check, "%s", reason);
}

bool infer_goes_on(struct infer *c, const char *looking_for, uint32_t done)
{
    size_t count = c->history->txn_count;

    progress_report(c->options->progress, done, count);
    if (check_is_stopped(c->options)) {
        c->is_stopped = true;
        check_doubt(c->check,
                    "stopped while looking for %s, %" PRIu32 " of %zu transactions behind it",
                    looking_for, done, count);
    }
    return !c->is_stopped;
}

/* --- Making ------------------------------------------------------------------------- */

enum use { USE_WRITTEN = 1, USE_APPENDED = 2, USE_LISTED = 4 };

static bool is_list(uint8_t value_kind)
{
    return value_kind == VALUE_LIST;
}

/* What was done to each key, and how often it was written: that in `start`, two ahead. */
static void count_writes(struct infer *c, uint8_t *uses)
{
    const struct history *h = c->history;
    uint32_t *start = c->versions.start;

    for (size_t op = 0; op < h->op_count; op++) {
        uint8_t kind = h->op_kind[op];

        if (h->op_flags[op] & OP_ERROR || op_is_head(kind))
            continue;
        if (!op_is_write(kind)) {
            uses[h->op_key[op]] |= is_list(h->op_value_kind[op]) ? USE_LISTED : 0;
            continue;
        }
        uses[h->op_key[op]] |= kind == OP_APPEND ? USE_APPENDED : USE_WRITTEN;
        start[h->op_key[op] + 2]++;
    }
    for (size_t i = 0; i < h->initial_count; i++)
        uses[h->initial_key[i]] |= is_list(h->initial_kind[i]) ? USE_LISTED : 0;
}

static void judge_keys(struct infer *c, const uint8_t *uses)
{
    const struct history *h = c->history;

    for (uint32_t key = 0; key < h->key_count; key++) {
        bool is_written = uses[key] & USE_WRITTEN, is_appended = uses[key] & USE_APPENDED;

        c->key_kind[key] = is_appended || (!is_written && uses[key] & USE_LISTED) ? KEY_LIST
                                                                                  : KEY_REGISTER;
        if (!is_written || !is_appended)
            continue;
        c->key_kind[key] = KEY_UNJUDGED;
        infer_leave_out(c,
                    "%.*s was both written and appended to: no order of its versions can be "
                    "inferred",
                    TEXT_PRINT(history_key(h, key)));
    }
}

/* start[k + 1] runs through the versions of k, and ends where those of k + 1 begin. */
static void number_writes(struct infer *c)
{
    const struct history *h = c->history;
    struct inferred_versions *v = &c->versions;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t number;

            if (!history_makes_version(h, op))
                continue;
            number = v->start[h->op_key[op] + 1]++;
            v->op[number] = op;
            v->txn[number] = t;
        }
    for (uint32_t key = 0; key < h->key_count; key++)
        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++)
            v->is_final[n] = n + 1 == v->start[key + 1] || v->txn[n + 1] != v->txn[n];
}

static enum status open_versions(struct infer *c, struct error *err)
{
    const struct history *h = c->history;
    struct inferred_versions *v = &c->versions;
    uint8_t *uses = NULL; /* by key */
    size_t keys = h->key_count;
    enum status status;

    TRY(check_memory((void **)&v->start, keys + 2, sizeof *v->start, 0, err));
    TRY(check_memory((void **)&v->chained, keys, sizeof *v->chained, 0, err));
    TRY(check_memory((void **)&c->key_kind, keys, 1, KEY_REGISTER, err));
    status = check_memory((void **)&uses, keys, 1, 0, err);
    if (status == STATUS_OK) {
        count_writes(c, uses);
        judge_keys(c, uses);
    }
    free(uses);
    TRY(status);
    array_sum_prefixes(v->start, keys + 2);
    v->count = v->start[keys + 1];
    TRY(memory_resize((void **)&v->op, v->count, sizeof *v->op, err));
    TRY(memory_resize((void **)&v->txn, v->count, sizeof *v->txn, err));
    TRY(memory_resize((void **)&v->is_final, v->count, sizeof *v->is_final, err));
    number_writes(c);
    return STATUS_OK;
}

static enum status open(struct infer *c, struct error *err)
{
    const struct history *h = c->history;

    c->rules_out[ANOMALY_INTERNAL] = anomaly_ruled_out(ANOMALY_INTERNAL);
    c->rules_out[ANOMALY_RESULT_SET_MISMATCH] = anomaly_ruled_out(ANOMALY_RESULT_SET_MISMATCH);
    c->undecided = LEVEL_BIT(LEVEL_LINEARIZABLE);
    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_COUNT && level_closing((enum level)level) == CLOSING_TIME &&
            (!h->txn_invoked || !h->txn_completed))
            c->undecided |= LEVEL_BIT(level);
    TRY(places_init_standing(&c->places, h, err));
    TRY(check_memory((void **)&c->read_number, h->op_count, sizeof *c->read_number, 0xff, err));
    return open_versions(c, err);
}

static void close(struct infer *c)
{
    infer_close_lists(c);
    infer_close_registers(c);
    infer_close_predicates(c);
    barriers_close(&c->barriers);
    places_close(&c->places);
    free(c->key_kind);
    free(c->versions.start);
    free(c->versions.op);
    free(c->versions.txn);
    free(c->versions.is_final);
    free(c->versions.chained);
    free(c->read_number);
    free(c->next);
}

/* --- Judging ------------------------------------------------------------------------ */

/* What does not need all edges. */
static enum status read_all(struct infer *c, struct error *err)
{
    TRY(open(c, err));
    TRY(infer_read_lists(c, err));
    if (!c->is_stopped)
        TRY(infer_read_registers(c, err));
    if (!c->is_stopped)
        TRY(infer_find_lost_updates(c, err));
    if (!c->is_stopped)
        TRY(infer_read_predicates(c, err));
    return c->is_stopped ? STATUS_OK : workloads_run(c->history, c->options, c->check, &c->ruled_out, err);
}

/* As far as it was looked at, and nothing stood in the way. */
static void find_extremes(struct infer *c)
{
    if (!c->is_stopped && !c->leaves_out && c->check->verdict != VERDICT_UNKNOWN &&
        c->check->unjudged_predicates == 0)
        c->check->strongest = level_strongest(c->shown & ~c->ruled_out);
    c->check->weakest_violated = level_weakest(checker_infer.levels & c->ruled_out);
}

static enum status judge_orders(struct infer *c, struct error *err)
{
    bool is_valid;

    TRY(infer_replay(c, &is_valid, err));
    if (is_valid) {
        c->shown = checker_infer.levels & ~c->undecided;
        return STATUS_OK;
    }
    TRY(infer_link_registers(c, err));
    TRY(infer_link_predicates(c, err));
    return infer_judge_graph(c, err);
}

static enum status judge(struct infer *c, struct error *err)
{
    TRY(read_all(c, err));
    if (c->is_stopped)
        return STATUS_OK;
    TRY(judge_orders(c, err));
    find_extremes(c);
    return STATUS_OK;
}

static enum status infer_judge(const struct history *h, const struct check_options *options,
                               struct check *check, struct error *err)
{
    struct infer c = { .history = h, .options = options, .check = check };
    enum status status;

    if (workload_is_own(h))
        return workloads_run(h, options, check, &c.ruled_out, err);
    /* Values that are written again and again are no obstacle there. */
    if (options->level == LEVEL_LINEARIZABLE)
        return linear_run(h, options, check, err);
    status = judge(&c, err);
    close(&c);
    return status;
}

const struct checker checker_infer = {
    .name = "infer",
    .summary = "the order of versions that lists and unique values show: needs these",
    .levels = INFER_GRAPH_LEVELS | INFER_MODEL_LEVELS | LEVEL_BIT(LEVEL_LINEARIZABLE),
    .able = ABLE_WORKLOADS,
    .cost = 4,
    .is_complete = true,
    .due = DUE_LISTS,
    .unjudged_why = "values do not tell which versions of all rows they saw",
    .judge = infer_judge,
};
