#include "predict/explore/explore.h"

#include <assert.h>
#include <string.h>

#include "predict/explore/orders_private.h"
#include "predict/explore/store_flow_private.h"

#define BETWEEN_REPORTS 64

/* What was chosen of how many, for each read that was asked. */
struct read_choice {
    uint32_t count, chosen;
};

/* A transaction that was executed, and how it goes on with its next choices. */
struct explored_txn {
    ARRAY(struct read_choice) script;
    uint32_t session;
    uint32_t past; /* a bit for each place of what happened before it */
    /* What stands at this place first: a bit for each session. */
    uint32_t explored, wanted;
};

struct explorer {
    const struct explore_options *options;
    struct explore_counts *counts;
    struct directed *store;
    struct explored_txn txns[EXPLORE_TXNS_MAX];
    uint32_t depth, total;           /* transactions: executed, in all */
    uint32_t done[EXPLORE_TXNS_MAX]; /* by session */
    uint32_t last[EXPLORE_TXNS_MAX]; /* by session: the place of its last transaction plus one */
    /*
     * By session: its next transaction has stood at the place before this one, with all choices. Unless it now reads
     * from there or behind, it leads to nothing new. 0: it has not.
     */
    uint32_t asleep[EXPLORE_TXNS_MAX];
    bool is_over, is_short; /* is_short: no memory for a choice */
    struct orders orders;
    struct store_flow flow;
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

static uint32_t place_bit(uint32_t place)
{
    return UINT32_C(1) << place;
}

/* Of the last transaction its past, and how many stand in front of it up to the last that it follows or reads. */
static uint32_t find_past(struct explorer *x, uint32_t session)
{
    uint32_t needed = x->last[session], past = 0, count;
    const struct directed_seen *reads = directed_reads(x->store, x->depth, &count);

    if (needed > 0)
        past = x->txns[needed - 1].past | place_bit(needed - 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t writer = reads[i].writer;

        if (writer == DIRECTED_INITIAL)
            continue;
        past |= x->txns[writer].past | place_bit(writer);
        if (writer + 1 > needed)
            needed = writer + 1;
    }
    x->txns[x->depth].past = past;
    return needed;
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

/* --- Which orders there must be ----------------------------------------------------------------- */

/* Whether the transaction would have been asked for the key if there had been another version. */
static bool might_read(const struct explorer *x, uint32_t place, uint32_t key)
{
    uint32_t count;
    const struct directed_seen *reads = directed_reads(x->store, place, &count);

    if (directed_scanned(x->store, place) >> directed_key_table(x->store, key) % 64 & 1)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (reads[i].key == key)
            return true;
    return false;
}

static bool might_read_from(const struct explorer *x, uint32_t reader, uint32_t writer)
{
    uint32_t count;
    const uint32_t *writes = directed_writes(x->store, writer, &count);

    for (uint32_t i = 0; i < count; i++)
        if (might_read(x, reader, writes[i]))
            return true;
    return false;
}

/*
 * The last transaction could have stood before the one at `place`, which might then have read from it: with those of
 * its past that are behind that place. One of them that nothing there precedes must stand at the place, too.
 */
static void want_before(struct explorer *x, uint32_t place)
{
    const struct explored_txn *last = &x->txns[x->depth];
    uint32_t before =
        (last->past | place_bit(x->depth)) & ~(place_bit(place) | (place_bit(place) - 1));
    uint32_t first = UINT32_MAX;

    for (uint32_t bits = before; bits; bits &= bits - 1) {
        const struct explored_txn *txn = &x->txns[__builtin_ctz(bits)];

        if (txn->past & before)
            continue;
        if ((x->txns[place].explored | x->txns[place].wanted) & place_bit(txn->session))
            return;
        if (first == UINT32_MAX)
            first = txn->session;
    }
    assert(first != UINT32_MAX);
    x->txns[place].wanted |= place_bit(first);
}

static void want_orders(struct explorer *x)
{
    if (directed_txn(x->store, x->depth).end != DIRECTED_COMMITTED)
        return;
    for (uint32_t place = 0; place < x->depth; place++)
        if (!(x->txns[x->depth].past & place_bit(place)) && might_read_from(x, place, x->depth))
            want_before(x, place);
}

/* --- Whether a history is at a level ------------------------------------------------------------ */

/* By what the store knows; *is_sure: that is enough. */
static enum status ask_store(struct explorer *x, enum level level, bool *holds, bool *is_sure,
                             struct error *err)
{
    struct dataflow flow;

    arena_reset_to(&x->arena, 0);
    TRY(store_flow_find(&x->flow, x->store, &x->arena, &flow, err));
    TRY(orders_exist(&x->orders, &flow, level, holds, err));
    *is_sure = *holds || x->flow.is_exact;
    return STATUS_OK;
}

/* By its history, where conditions say which rows of a table a statement might have seen. */
static enum status ask_history(struct explorer *x, enum level level, bool *holds, struct error *err)
{
    const struct directed_telling telling = { .has_places = false };
    struct dataflow flow;
    struct history history = { 0 };
    enum status status;

    arena_reset_to(&x->arena, 0);
    TRY(directed_history(x->store, &telling, &history, err));
    status = dataflow_of_history(&flow, &history, &x->arena, err);
    if (status == STATUS_OK)
        status = orders_exist(&x->orders, &flow, level, holds, err);
    history_close(&history);
    return status;
}

static enum status is_at(struct explorer *x, enum level level, bool *holds, struct error *err)
{
    bool is_sure;

    TRY(ask_store(x, level, holds, &is_sure, err));
    return is_sure ? STATUS_OK : ask_history(x, level, holds, err);
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
static enum status go_on(struct explorer *x, uint32_t session, bool *all, struct error *err)
{
    uint32_t before = x->last[session];
    bool holds;

    if (find_past(x, session) < x->asleep[session]) {
        x->counts->not_first++;
        *all = false;
        return STATUS_OK;
    }
    TRY(holds_level(x, &holds, err));
    if (!holds) {
        x->counts->refused++;
        return STATUS_OK;
    }
    x->txns[x->depth].session = session;
    want_orders(x);
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

/* The next transaction of the session, with all choices. *all: each of them was gone on with. */
static enum status explore_session(struct explorer *x, uint32_t session, bool *all,
                                   struct error *err)
{
    *all = true;
    if (x->last[session] < x->asleep[session] && !somebody_wrote(x, x->asleep[session] - 1)) {
        *all = false;
        return STATUS_OK;
    }
    x->txns[x->depth].script.count = 0;
    do {
        if (is_stopped(x))
            return STATUS_OK;
        TRY(execute(x, session, err));
        TRY(go_on(x, session, all, err));
        directed_undo(x->store);
    } while (advance(&x->txns[x->depth]));
    return STATUS_OK;
}

/* The lowest session that must stand here first, too; UINT32_MAX: none. */
static uint32_t next_session(const struct explorer *x, bool is_settled)
{
    const struct explored_txn *here = &x->txns[x->depth];

    for (uint32_t session = 0; session < x->options->session_count; session++)
        if (x->done[session] < x->options->sessions[session].count &&
            !(here->explored & place_bit(session)) &&
            (!is_settled || here->wanted & place_bit(session)))
            return session;
    return UINT32_MAX;
}

/*
 * A session that stands here with all its choices is enough, as long as nobody behind it writes what it might have
 * read: who does must stand in front of it, too. Where a level refuses histories, who would have done that may never
 * come: there every session stands here first.
 */
static enum status explore_from(struct explorer *x, struct error *err)
{
    bool refuses = x->options->level != explore_store_level(x->options->level);
    uint64_t before = x->counts->histories;
    uint32_t asleep[EXPLORE_TXNS_MAX], session, depth = x->depth;
    bool is_settled = false, all;

    if (depth == x->total)
        return visit(x, err);
    memcpy(asleep, x->asleep, sizeof asleep);
    x->txns[depth].explored = x->txns[depth].wanted = 0;
    while ((session = next_session(x, is_settled)) != UINT32_MAX) {
        x->txns[depth].explored |= place_bit(session);
        TRY(explore_session(x, session, &all, err));
        is_settled |= all && !refuses;
        x->asleep[session] = depth + 1;
    }
    memcpy(x->asleep, asleep, sizeof asleep);
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
    store_flow_close(&x.flow);
    arena_close(&x.arena);
    return status;
}
