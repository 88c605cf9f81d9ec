#include "tests/checkers/interval/truth.h"

#include <assert.h>
#include <string.h>

#include "tests/checkers/interval/truth_private.h"

#define FIRST_NS 1000000 /* no clock shows less than 0 */

const char *truth_fault_name(enum truth_fault fault)
{
    static const char *const names[] = { "no fault",     "stale read",  "dirty read",
                                         "lock skipped", "lost update", "write skew" };

    assert(fault < TRUTH_FAULT_COUNT);
    return names[fault];
}

struct truth_options truth_options(const struct profile *profile)
{
    return (struct truth_options){ .profile = profile,
                                   .workload = TRUTH_BLINDW_RW,
                                   .sessions = 16,
                                   .keys = 1000,
                                   .ops = 8,
                                   .theta = { 0, 1 },
                                   .deletes = { 0, 1 },
                                   .locking = { 0, 1 },
                                   .aborts = { 1, 50 },
                                   .unknown = { 0, 1 },
                                   .deaths = { 0, 1 },
                                   .stalls = { 0, 1 },
                                   .answer_ns = 1000,
                                   .think_ns = 500,
                                   .tick_ns = 1,
                                   .fault_every = 1 };
}

/* --- Clients, by when something happens to them ------------------------------------------- */

static bool is_sooner(const struct truth_clients *c, uint16_t a, uint16_t b)
{
    if (c->clients[a].at != c->clients[b].at)
        return c->clients[a].at < c->clients[b].at;
    return a < b;
}

static void put(struct truth_clients *c, size_t place, uint16_t client)
{
    c->order[place] = client;
    c->place[client] = (uint16_t)place;
}

static void rise(struct truth_clients *c, uint16_t client)
{
    size_t at = c->place[client];

    for (; at > 0 && is_sooner(c, client, c->order[(at - 1) / 2]); at = (at - 1) / 2)
        put(c, at, c->order[(at - 1) / 2]);
    put(c, at, client);
}

static void sink(struct truth_clients *c, size_t count, uint16_t client)
{
    size_t at = c->place[client];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_sooner(c, c->order[child + 1], c->order[child]);
        if (!is_sooner(c, c->order[child], client))
            break;
        put(c, at, c->order[child]);
    }
    put(c, at, client);
}

/* --- Transactions, by when they were invoked ------------------------------------------------ */

static bool is_told_first(const struct truth_work *a, const struct truth_work *b)
{
    if (a->told.trace.invoked != b->told.trace.invoked)
        return a->told.trace.invoked < b->told.trace.invoked;
    return a->told.trace.number < b->told.trace.number;
}

static enum status push_finished(struct truth_clients *c, struct truth_work *work,
                                 struct error *err)
{
    size_t at = c->finished.count;

    TRY(array_push(&c->finished, work, err));
    for (; at > 0 && is_told_first(work, c->finished.at[(at - 1) / 2]); at = (at - 1) / 2)
        c->finished.at[at] = c->finished.at[(at - 1) / 2];
    c->finished.at[at] = work;
    return STATUS_OK;
}

static struct truth_work *pop_finished(struct truth_clients *c)
{
    struct truth_work *top = c->finished.at[0], *last = c->finished.at[--c->finished.count];
    size_t at = 0, count = c->finished.count;

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count &&
                 is_told_first(c->finished.at[child + 1], c->finished.at[child]);
        if (!is_told_first(c->finished.at[child], last))
            break;
        c->finished.at[at] = c->finished.at[child];
    }
    if (count > 0)
        c->finished.at[at] = last;
    return top;
}

static void find_watermark(struct truth *t)
{
    struct truth_clients *c = t->clients;

    c->watermark = INT64_MAX;
    for (size_t i = 0; i < t->options.sessions; i++)
        if (c->clients[i].begins < c->watermark)
            c->watermark = c->clients[i].begins;
}

enum status truth_finish(struct truth *t, struct client *client, struct error *err)
{
    struct truth_work *work = client->work;
    struct interval_trace *trace = &work->told.trace;
    bool held = client->begins == t->clients->watermark;
    int64_t now = client->at + t->options.answer_ns / 4;

    trace->id = trace->number;
    trace->ops = work->ops;
    trace->op_count = work->op_count;
    work->told.instants = work->instants;
    TRY(push_finished(t->clients, work, err));
    TRY(fault_end(t, work, err));
    /* It begins the next when it has heard of this one, whatever its clock shows. */
    if (trace->completed != TIME_NEVER && trace->completed - client->clock > now)
        now = trace->completed - client->clock + t->options.tick_ns;
    TRY(client_plan(t, client, now, err));
    if (held)
        find_watermark(t);
    return STATUS_OK;
}

enum status truth_take_work(struct truth *t, struct truth_work **work, struct error *err)
{
    size_t room = (size_t)t->options.ops * TRUTH_RANGE + 1;
    struct truth_work new = { 0 };

    if (t->clients->idle.count > 0) {
        *work = t->clients->idle.at[--t->clients->idle.count];
        new.ops = (*work)->ops;
        new.instants = (*work)->instants;
        new.sources = (*work)->sources;
        new.writes = (*work)->writes;
        **work = new;
        return STATUS_OK;
    }
    TRY(array_reserve(&t->clients->all, 1, err));
    *work = NULL;
    TRY(memory_resize((void **)work, 1, sizeof **work, err));
    **work = new;
    t->clients->all.at[t->clients->all.count++] = *work;
    TRY(memory_resize((void **)&(*work)->ops, room, sizeof *(*work)->ops, err));
    TRY(memory_resize((void **)&(*work)->instants, room, sizeof *(*work)->instants, err));
    TRY(memory_resize((void **)&(*work)->sources, room, sizeof *(*work)->sources, err));
    return memory_resize((void **)&(*work)->writes, room, sizeof *(*work)->writes, err);
}

/* --- Life cycle --------------------------------------------------------------------------------- */

/* A coarse clock is off by up to a tick by itself; where all are the same, that does not matter. */
static void set_clock(struct truth *t, struct client *c, bool is_first)
{
    int64_t error = t->options.clock_error_ns - (t->options.tick_ns - 1);

    c->clock = FIRST_NS + t->options.clock_error_ns + (is_first ? t->options.clock_off_ns : 0);
    if (error > 0)
        c->clock += random_between(&t->random, -error, error);
}

static enum status start_clients(struct truth *t, struct error *err)
{
    struct truth_clients *c = t->clients;

    for (size_t i = 0; i < t->options.sessions; i++) {
        c->clients[i].session = c->session_count++;
        set_clock(t, &c->clients[i], i == 0);
        TRY(client_plan(t, &c->clients[i], 0, err));
        put(c, i, (uint16_t)i);
        rise(c, (uint16_t)i);
    }
    find_watermark(t);
    return STATUS_OK;
}

enum status truth_init(struct truth *t, const struct truth_options *options, struct error *err)
{
    struct random_key key = random_key_of_seed(options->seed);

    assert(options->sessions > 0 && options->sessions <= TRUTH_SESSIONS_MAX);
    assert(options->keys > 0 && options->ops > 0 && options->tick_ns > 0);
    *t = (struct truth){ .options = *options };
    random_init(&t->random, &key);
    TRY(memory_resize((void **)&t->clients, 1, sizeof *t->clients, err));
    memset(t->clients, 0, sizeof *t->clients);
    t->database = &t->clients->database;
    if (options->theta.numerator > 0) {
        TRY(arena_init(&t->clients->arena, (options->keys + 1) * sizeof(uint64_t), err));
        TRY(zipf_init(&t->clients->zipf, options->keys, options->theta, &t->clients->arena, err));
    }
    TRY(database_init(t->database, t, err));
    return start_clients(t, err);
}

void truth_close(struct truth *t)
{
    struct truth_clients *c = t->clients;

    for (size_t i = 0; c && i < c->all.count; i++) {
        free(c->all.at[i]->ops);
        free(c->all.at[i]->instants);
        free(c->all.at[i]->sources);
        free(c->all.at[i]->writes);
        free(c->all.at[i]);
    }
    if (c) {
        database_close(&c->database);
        array_close(&c->finished);
        array_close(&c->idle);
        array_close(&c->all);
        array_close(&c->pending);
        arena_close(&c->arena);
    }
    free(c);
    array_close(&t->plants);
}

/* --- The next one -------------------------------------------------------------------------------- */

/* Who waited for a lock that was given back tries again at once. */
static void wake(struct truth_clients *c, int64_t now)
{
    for (size_t i = 0; i < c->database.woken.count; i++) {
        uint16_t client = (uint16_t)(c->database.woken.at[i] - 1);

        c->clients[client].at = now;
        rise(c, client);
    }
    c->database.woken.count = 0;
}

static enum status act(struct truth *t, struct error *err)
{
    struct truth_clients *c = t->clients;
    uint16_t first = c->order[0];
    int64_t now = c->clients[first].at;

    assert(now != CLIENT_WAITS);
    TRY(client_act(t, &c->clients[first], err));
    sink(c, t->options.sessions, first);
    wake(c, now);
    return STATUS_OK;
}

static void count(struct truth *t, const struct interval_trace *trace)
{
    t->committed += trace->status == TXN_OK;
    t->aborted += trace->status == TXN_ABORT;
    t->unknown += trace->status == TXN_UNKNOWN;
    t->ops += trace->op_count;
}

enum status truth_next(struct truth *t, const struct truth_txn **txn, struct error *err)
{
    struct truth_clients *c = t->clients;

    *txn = NULL;
    if (c->told)
        TRY(array_push(&c->idle, c->told, err));
    c->told = NULL;
    while (c->watermark != INT64_MAX &&
           (c->finished.count == 0 || c->finished.at[0]->told.trace.invoked > c->watermark))
        TRY(act(t, err));
    if (c->finished.count == 0)
        return STATUS_OK;
    c->told = pop_finished(c);
    count(t, &c->told->told.trace);
    *txn = &c->told->told;
    return STATUS_OK;
}
