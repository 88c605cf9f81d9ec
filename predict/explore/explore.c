#include "predict/explore/explore.h"

#include <assert.h>
#include <string.h>

#include "predict/explore/orders_private.h"

#define BETWEEN_REPORTS 64

/* What was chosen of how many, for each read that was asked. */
struct read_choice {
    uint32_t count, chosen;
};

/* A transaction that was executed, and how it goes on with its next choices. */
struct explored_txn {
    ARRAY(struct read_choice) script;
    uint32_t session;
};

struct explorer {
    const struct explore_options *options;
    struct explore_counts *counts;
    struct directed *store;
    struct explored_txn txns[EXPLORE_TXNS_MAX];
    uint32_t depth, total;           /* transactions: executed, in all */
    uint32_t done[EXPLORE_TXNS_MAX]; /* by session */
    uint32_t last[EXPLORE_TXNS_MAX]; /* by session: the place of its last transaction plus one */
    bool is_over, is_short;          /* is_short: no memory for a choice */
    struct orders orders;
    struct arena arena; /* of a trace */
};

enum level explore_store_level(enum level level)
{
    bool is_above = level == LEVEL_PREFIX || level == LEVEL_SNAPSHOT || level == LEVEL_SERIALIZABLE;

    return is_above ? LEVEL_CAUSAL : level;
}

/* --- Choices ------------------------------------------------------------------------------------ */

static uint32_t choose(void *context, const struct directed_read *read)
{
    struct explorer *x = context;
    struct explored_txn *txn = &x->txns[x->depth];
    struct error err;

    if (read->number < txn->script.count) {
        assert(txn->script.at[read->number].count == read->count);
        return txn->script.at[read->number].chosen;
    }
    if (array_push(&txn->script, ((struct read_choice){ read->count, 0 }), &err) != STATUS_OK)
        x->is_short = true;
    return 0;
}

/* The next choices, like the digits of a number; false: these were the last. */
static bool advance(struct explored_txn *txn)
{
    while (txn->script.count > 0) {
        struct read_choice *last = &txn->script.at[txn->script.count - 1];

        if (++last->chosen < last->count)
            return true;
        txn->script.count--;
    }
    return false;
}

/* --- Which order counts ------------------------------------------------------------------------- */

/* How many transactions must stand in front of the last one: up to the last that it follows or reads from. */
static uint32_t needed_places(const struct explorer *x, uint32_t session)
{
    uint32_t needed = x->last[session], count;
    const struct directed_seen *reads = directed_reads(x->store, x->depth, &count);

    for (uint32_t i = 0; i < count; i++)
        if (reads[i].writer != DIRECTED_INITIAL && reads[i].writer + 1 > needed)
            needed = reads[i].writer + 1;
    return needed;
}

/* Behind the last place of a higher session it must stand, or it could stand before that. */
static uint32_t places_of_higher(const struct explorer *x, uint32_t session)
{
    uint32_t higher = 0;

    for (uint32_t i = 0; i < x->depth; i++)
        if (x->txns[i].session > session)
            higher = i + 1;
    return higher;
}

/* Whether some transaction from this place on has written what another might read. */
static bool somebody_wrote(const struct explorer *x, uint32_t place)
{
    uint32_t count = 0;

    for (; place < x->depth && count == 0; place++)
        if (directed_txn(x->store, place).end == DIRECTED_COMMITTED)
            (void)directed_writes(x->store, place, &count);
    return count > 0;
}

/* --- Whether a history is at a level ------------------------------------------------------------ */

static enum status trace_of_store(struct explorer *x, struct dataflow *trace, struct history *history,
                                  struct error *err)
{
    const struct directed_telling telling = { .has_places = false };

    TRY(directed_history(x->store, &telling, history, err));
    return dataflow_of_history(trace, history, &x->arena, err);
}

static enum status is_at(struct explorer *x, enum level level, bool *holds, struct error *err)
{
    struct dataflow trace;
    struct history history = { 0 };
    enum status status;

    arena_reset_to(&x->arena, 0);
    status = trace_of_store(x, &trace, &history, err);
    if (status == STATUS_OK)
        status = orders_exist(&x->orders, &trace, level, holds, err);
    history_close(&history);
    return status;
}

/* Of the transactions so far. */
static enum status holds_level(struct explorer *x, bool *holds, struct error *err)
{
    *holds = true;
    if (x->options->level == explore_store_level(x->options->level))
        return STATUS_OK;
    return is_at(x, x->options->level, holds, err);
}

static enum status visit(struct explorer *x, struct error *err)
{
    struct explore_visit seen = { .store = x->store,
                                  .is_serializable = true,
                                  .number = x->counts->histories };
    bool ends = false;

    if (x->options->level != LEVEL_SERIALIZABLE)
        TRY(is_at(x, LEVEL_SERIALIZABLE, &seen.is_serializable, err));
    x->counts->histories++;
    x->counts->unserializable += !seen.is_serializable;
    if (x->options->visit)
        TRY(x->options->visit(x->options->context, &seen, &ends, err));
    x->is_over |= ends;
    return STATUS_OK;
}

/* --- The search --------------------------------------------------------------------------------- */

static bool is_stopped(struct explorer *x)
{
    if (x->options->stop && atomic_load_explicit(x->options->stop, memory_order_relaxed))
        x->is_over = true;
    return x->is_over;
}

static enum status explore_from(struct explorer *x, struct error *err);

/* The last transaction, which was executed with these choices: on, or not. */
static enum status go_on(struct explorer *x, uint32_t session, uint32_t higher, struct error *err)
{
    uint32_t before = x->last[session];
    bool holds;

    if (needed_places(x, session) < higher) {
        x->counts->not_first++;
        return STATUS_OK;
    }
    TRY(holds_level(x, &holds, err));
    if (!holds) {
        x->counts->refused++;
        return STATUS_OK;
    }
    x->txns[x->depth].session = session;
    x->done[session]++;
    x->last[session] = ++x->depth;
    TRY(explore_from(x, err));
    x->last[session] = before;
    x->depth--;
    x->done[session]--;
    return STATUS_OK;
}

static enum status execute(struct explorer *x, uint32_t session, struct error *err)
{
    const struct director director = { .choose = choose, .context = x };
    struct directed_outcome outcome;

    TRY(directed_run(x->store, &x->options->sessions[session].calls[x->done[session]], &director,
                     &outcome, err));
    if (x->is_short)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the choices of a transaction");
    x->counts->executions++;
    if (x->counts->executions % BETWEEN_REPORTS == 0)
        progress_report(x->options->progress, x->counts->histories, 0);
    return STATUS_OK;
}

/* The next transaction of the session, with all choices. */
static enum status explore_session(struct explorer *x, uint32_t session, struct error *err)
{
    uint32_t higher = places_of_higher(x, session);

    if (x->last[session] < higher && !somebody_wrote(x, higher - 1))
        return STATUS_OK;
    x->txns[x->depth].script.count = 0;
    do {
        if (is_stopped(x))
            return STATUS_OK;
        TRY(execute(x, session, err));
        TRY(go_on(x, session, higher, err));
        directed_undo(x->store);
    } while (advance(&x->txns[x->depth]));
    return STATUS_OK;
}

static enum status explore_from(struct explorer *x, struct error *err)
{
    uint64_t before = x->counts->histories;

    if (x->depth == x->total)
        return visit(x, err);
    for (uint32_t session = 0; session < x->options->session_count; session++)
        if (x->done[session] < x->options->sessions[session].count)
            TRY(explore_session(x, session, err));
    x->counts->dead_ends += x->counts->histories == before && !x->is_over;
    return STATUS_OK;
}

enum status explore(struct directed *store, const struct explore_options *options,
                    struct explore_counts *counts, struct error *err)
{
    struct explorer x = { .options = options, .counts = counts, .store = store };
    enum status status;

    *counts = (struct explore_counts){ 0 };
    assert(options->session_count <= EXPLORE_TXNS_MAX);
    for (uint32_t i = 0; i < options->session_count; i++)
        x.total += options->sessions[i].count;
    assert(x.total <= EXPLORE_TXNS_MAX);
    status = arena_init(&x.arena, ARENA_UNLIMITED, err);
    if (status == STATUS_OK)
        status = explore_from(&x, err);
    counts->is_complete = status == STATUS_OK && !is_stopped(&x);
    for (uint32_t i = 0; i < EXPLORE_TXNS_MAX; i++)
        array_close(&x.txns[i].script);
    orders_close(&x.orders);
    arena_close(&x.arena);
    return status;
}
