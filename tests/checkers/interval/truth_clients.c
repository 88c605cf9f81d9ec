/*
 * What clients do: each sends one request after the other.
 *
 *     client   | invokes          | hears of it     | invokes the next
 *     time     |------------------|                 |------------------|
 *                        | the database does it                | ...
 */
#include <assert.h>

#include "tests/checkers/interval/truth_private.h"

#define SLOW_ONE_IN 64    /* answers that take sixteen times as long */
#define SLOW_TIMES 16
#define GONE_ANSWERS 40   /* who is gone is over after so many answers' time, at the most */

/* The way to the database, or back. */
static int64_t half_way(struct truth *t)
{
    uint64_t answer = (uint64_t)t->options.answer_ns, word = random_next(&t->random);
    int64_t way = (int64_t)(answer / 4 + random_scale(word << 6, answer / 2 + 1));

    return word >> 58 == 0 ? SLOW_TIMES * way : way;
}

static int64_t up_to(struct truth *t, int64_t at_the_most)
{
    return (int64_t)random_scale(random_next(&t->random), (uint64_t)at_the_most + 1);
}

/* What the client's clock shows. */
static int64_t tell(const struct truth *t, const struct client *c, int64_t time)
{
    int64_t shown = time + c->clock;

    return shown - shown % t->options.tick_ns;
}

/* --- Planning ------------------------------------------------------------------------------- */

static void plan_fate(struct truth *t, struct client *c)
{
    const struct truth_options *o = &t->options;

    c->fate = random_chance(&t->random, o->aborts)    ? FATE_ABORTS
              : random_chance(&t->random, o->unknown) ? FATE_UNKNOWN
              : random_chance(&t->random, o->deaths)  ? FATE_DIES
              : random_chance(&t->random, o->stalls)  ? FATE_STALLS
                                                      : FATE_COMMITS;
    c->fate_at = (uint32_t)random_below(&t->random, c->statement_count);
    c->commits_with_last = random_below(&t->random, 8) == 0;
}

static void plan_statements(struct truth *t, struct client *c)
{
    const struct truth_options *o = &t->options;
    bool is_mixed = o->workload == TRUTH_MIXED, is_even = random_below(&t->random, 2) == 0;

    c->statement = 0;
    c->statement_count = is_mixed ? 1 + (uint32_t)random_below(&t->random, o->ops) : o->ops;
    c->writes_only = o->workload == TRUTH_BLINDW_W || (!is_mixed && is_even);
    c->reads_only = (!is_mixed && !c->writes_only) ||
                    (is_mixed && random_below(&t->random, 4) == 0);
}

enum status client_plan(struct truth *t, struct client *c, int64_t now, struct error *err)
{
    struct truth_clients *clients = t->clients;
    int64_t begins = now + 1 + up_to(t, t->options.think_ns);

    c->work = NULL;
    c->at = CLIENT_WAITS;
    c->begins = TIME_NEVER;
    if (t->options.transactions > 0 && clients->begun == t->options.transactions)
        return STATUS_OK;
    clients->begun++;
    TRY(truth_take_work(t, &c->work, err));
    plan_statements(t, c);
    plan_fate(t, c);
    c->step = CLIENT_BEGINS;
    c->begins = tell(t, c, begins);
    c->at = begins + up_to(t, t->options.answer_ns / 4);
    c->request = (struct client_request){ .invoked = begins };
    c->work->session = (uint16_t)(c - clients->clients + 1);
    c->work->is_reader = c->reads_only;
    c->work->is_heard = c->fate != FATE_UNKNOWN && c->fate != FATE_DIES;
    c->work->view_high = TIME_NEVER;
    c->work->commit_low = c->begins;
    c->work->told = (struct truth_txn){ .session = c->session };
    c->work->told.trace.invoked = c->begins;
    return STATUS_OK;
}

/* --- Requests --------------------------------------------------------------------------------- */

static bool wants_write(struct truth *t, const struct client *c)
{
    if (c->reads_only || c->writes_only)
        return c->writes_only;
    return random_below(&t->random, 2) == 0;
}

/* In the mixed workload, every other write is of what was just read. */
static uint32_t pick_key(struct truth *t, const struct client *c, bool is_write)
{
    const struct truth_work *work = c->work;

    if (is_write && t->options.workload == TRUTH_MIXED && work->op_count > 0 &&
        random_below(&t->random, 2) == 0)
        return work->ops[work->op_count - 1].key;
    if (t->options.theta.numerator > 0)
        return zipf_rank(&t->clients->zipf, random_next(&t->random));
    return (uint32_t)random_below(&t->random, t->options.keys);
}

static void send_request(struct truth *t, struct client *c, int64_t now)
{
    const struct truth_options *o = &t->options;
    struct client_request *r = &c->request;
    bool is_write = wants_write(t, c);
    bool stalls = c->fate == FATE_STALLS && c->statement == c->fate_at;

    r->invoked = now + up_to(t, o->think_ns) + (stalls ? o->stall_ns / 2 : 0);
    r->kind = is_write ? TRACE_WRITE : TRACE_READ;
    r->key = pick_key(t, c, is_write);
    r->key_count = 1;
    r->done = 0;
    r->is_locking = !is_write && o->profile->locks_for && random_chance(&t->random, o->locking);
    if (!is_write && o->workload == TRUTH_BLINDW_RW_PLUS && random_below(&t->random, 2) == 0) {
        r->key_count = o->keys < TRUTH_RANGE ? o->keys : TRUTH_RANGE;
        r->key = (uint32_t)random_below(&t->random, o->keys - r->key_count + 1);
        r->is_locking = false;
    }
    c->at = r->invoked + half_way(t) + (stalls ? o->stall_ns / 2 : 0);
    c->step = CLIENT_WORKS;
}

static void send_commit(struct truth *t, struct client *c, int64_t now)
{
    c->request.invoked = now + up_to(t, t->options.think_ns);
    c->at = c->request.invoked + half_way(t);
    c->step = CLIENT_COMMITS;
}

/* --- Doing ------------------------------------------------------------------------------------- */

static uint64_t value_to_write(struct truth *t)
{
    if (random_chance(&t->random, t->options.deletes))
        return 0;
    if (t->options.values > 0)
        return 1 + random_below(&t->random, t->options.values);
    return ++t->clients->values;
}

static enum status try_key(struct truth *t, struct client *c, enum truth_outcome *outcome,
                           struct error *err)
{
    struct truth_database *d = &t->clients->database;
    struct client_request *r = &c->request;
    struct truth_work *work = c->work;
    uint32_t key = r->key + r->done;
    struct trace_op *op = &work->ops[work->op_count];

    *op = (struct trace_op){ .key = key,
                             .op = c->statement,
                             .kind = r->kind,
                             .is_locking = r->is_locking };
    if (r->kind == TRACE_READ)
        TRY(database_read(d, work, key, r->is_locking, &op->value, outcome, err));
    else
        database_write(d, work, key, outcome);
    if (*outcome != OUTCOME_DONE)
        return STATUS_OK;
    if (r->kind == TRACE_WRITE) {
        op->value = value_to_write(t);
        work->writes[work->write_count++] = (uint32_t)work->op_count;
    }
    work->op_count++;
    r->done++;
    return STATUS_OK;
}

/* The keys of the last request have their times. What is its own says nothing of its view. */
static void tell_times_of(struct truth *t, struct client *c, int64_t completed)
{
    struct truth_work *work = c->work;
    int64_t told = completed == TIME_NEVER ? TIME_NEVER : tell(t, c, completed);

    for (size_t i = work->op_count - c->request.done; i < work->op_count; i++) {
        work->ops[i].invoked = tell(t, c, c->request.invoked);
        work->ops[i].completed = told;
        if (work->ops[i].kind == TRACE_READ && told < work->view_high &&
            t->options.profile->by_operations && work->sources[i] != TRUTH_OWN_SOURCE)
            work->view_high = told;
    }
}

static enum status finish(struct truth *t, struct client *c, enum txn_status status,
                          int64_t completed, struct error *err)
{
    c->work->told.trace.status = (uint8_t)status;
    if (completed != TIME_NEVER)
        completed = tell(t, c, completed);
    c->work->told.trace.completed = completed;
    return truth_finish(t, c, err);
}

/* Nobody hears of it any more; sooner or later the database is through with it. */
static void vanish(struct truth *t, struct client *c, bool commits)
{
    c->commits_when_gone = commits;
    c->at += up_to(t, GONE_ANSWERS * t->options.answer_ns);
    c->step = CLIENT_IS_GONE;
}

static enum status commit(struct truth *t, struct client *c, int64_t completed,
                          struct error *err)
{
    enum truth_outcome outcome;

    if (c->fate == FATE_ABORTS || c->work->is_doomed) {
        database_abort(&t->clients->database, c->work);
        return finish(t, c, TXN_ABORT, completed, err);
    }
    if (c->fate == FATE_UNKNOWN) {
        vanish(t, c, random_below(&t->random, 2) == 0);
        return STATUS_OK;
    }
    c->work->told.trace.completed = tell(t, c, completed);
    TRY(database_commit(&t->clients->database, c->work, &outcome, err));
    return finish(t, c, outcome == OUTCOME_DONE ? TXN_OK : TXN_ABORT, completed, err);
}

static enum status die(struct truth *t, struct client *c)
{
    struct truth_work *work = c->work;

    c->request.done = 0;
    if (c->request.kind == TRACE_WRITE) {
        work->ops[work->op_count++] = (struct trace_op){ .key = c->request.key,
                                                         .op = c->statement,
                                                         .value = value_to_write(t),
                                                         .kind = TRACE_WRITE };
        c->request.done = 1;
    }
    tell_times_of(t, c, TIME_NEVER);
    vanish(t, c, false);
    return STATUS_OK;
}

static enum status work_on(struct truth *t, struct client *c, struct error *err)
{
    enum truth_outcome outcome = OUTCOME_DONE;
    int64_t completed;

    if (c->fate == FATE_DIES && c->statement == c->fate_at)
        return die(t, c);
    while (c->request.done < c->request.key_count && outcome == OUTCOME_DONE) {
        TRY(try_key(t, c, &outcome, err));
        if (t->options.profile->view == VIEW_ROW && outcome == OUTCOME_DONE &&
            c->request.done < c->request.key_count) {
            c->at += up_to(t, t->options.answer_ns / 4);
            return STATUS_OK;
        }
    }
    if (outcome == OUTCOME_WAITS) {
        c->at = CLIENT_WAITS;
        return STATUS_OK;
    }
    completed = c->at + half_way(t);
    tell_times_of(t, c, completed);
    if (outcome == OUTCOME_FAILS) {
        database_abort(&t->clients->database, c->work);
        return finish(t, c, TXN_ABORT, completed, err);
    }
    c->statement++;
    if (c->statement == c->statement_count && c->commits_with_last)
        return commit(t, c, completed, err);
    if (t->options.profile->by_operations)
        c->work->commit_low = tell(t, c, completed);
    if (c->statement == c->statement_count)
        send_commit(t, c, completed);
    else
        send_request(t, c, completed);
    return STATUS_OK;
}

/* Some commit though nobody heard of it, and some clients tell when they gave up. */
static enum status end_when_gone(struct truth *t, struct client *c, struct error *err)
{
    enum truth_outcome ignored;
    int64_t gave_up = random_below(&t->random, 2) == 0 ? TIME_NEVER : c->at;

    c->work->told.trace.completed = TIME_NEVER;
    if (c->commits_when_gone)
        TRY(database_commit(&t->clients->database, c->work, &ignored, err));
    else
        database_abort(&t->clients->database, c->work);
    if (c->fate == FATE_DIES)
        gave_up = TIME_NEVER;
    if (c->fate == FATE_UNKNOWN && c->commits_with_last)
        tell_times_of(t, c, gave_up); /* one request, and no answer to it */
    if (gave_up == TIME_NEVER)
        c->session = t->clients->session_count++;
    return finish(t, c, TXN_UNKNOWN, gave_up, err);
}

static void begin(struct truth *t, struct client *c)
{
    database_begin(&t->clients->database, c->work);
    send_request(t, c, c->at);
    /* Some say that they begin with their first operation. */
    if (random_below(&t->random, 2) == 0)
        c->request.invoked = c->begins - c->clock;
}

enum status client_act(struct truth *t, struct client *c, struct error *err)
{
    switch (c->step) {
    case CLIENT_BEGINS:
        begin(t, c);
        return STATUS_OK;
    case CLIENT_WORKS:
        return work_on(t, c, err);
    case CLIENT_COMMITS:
        return commit(t, c, c->at + half_way(t), err);
    default:
        return end_when_gone(t, c, err);
    }
}
