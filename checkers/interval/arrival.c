#include "checkers/interval/arrival.h"

#include <stdlib.h>

#include "base/hash.h"

enum status access_block_init(struct access_block **block, size_t access_count, size_t txn_count,
                              struct error *err)
{
    *block = NULL;
    /* In accesses, of which the first is wider than what stands before them. */
    TRY(memory_resize((void **)block, access_count + 1, sizeof(struct access), err));
    (*block)->txn_count = txn_count;
    return STATUS_OK;
}

void access_block_leave(struct access_block *block)
{
    if (block && --block->txn_count == 0)
        free(block);
}

/* --- What a transaction wrote itself ----------------------------------------------------- */

static enum status forget_writes(struct own_writes *own, size_t op_count, struct error *err)
{
    static const struct own_write none = { 0 };

    own->stamp++;
    own->mask = 15;
    while (own->mask < 2 * op_count)
        own->mask = 2 * own->mask + 1;
    while (own->slots.count <= own->mask)
        TRY(array_push(&own->slots, none, err));
    return STATUS_OK;
}

/* Its slot, or a free one. */
static struct own_write *find_write(struct own_writes *own, uint32_t key)
{
    size_t at = key * HASH_ODD_1 >> 32 & own->mask;

    while (own->slots.at[at].stamp == own->stamp && own->slots.at[at].key != key)
        at = (at + 1) & own->mask;
    return &own->slots.at[at];
}

/* --- Accesses ----------------------------------------------------------------------------- */

struct making {
    const struct mirror *m;
    struct mirror *teller; /* NULL: it is not its turn */
    struct own_writes *own;
    struct arrival *arrival;
};

static void misread(struct making *making, const struct trace_op *op, const struct access *own)
{
    if (making->teller)
        own_judge(making->teller, &making->arrival->live, op, own);
    else if (own_is_seen(making->m) && op->value != own->value)
        making->arrival->misreads_itself = true;
}

/* What a transaction wrote itself is not read from others, and only its last write stays. */
static void add_access(struct making *making, const struct trace_op *op)
{
    struct live *live = &making->arrival->live;
    struct access *access = &live->accesses[live->access_count];
    /* A transaction that only reads has nothing to find. */
    struct own_write *own = op->kind == TRACE_WRITE || live->has_writes
                                ? find_write(making->own, op->key)
                                : NULL;
    bool is_own = own && own->stamp == making->own->stamp;

    if (op->kind == TRACE_READ && is_own && live->status == TXN_OK)
        misread(making, op, &live->accesses[own->access]);
    if (op->kind == TRACE_READ && (is_own || live->status != TXN_OK))
        return;
    *access = (struct access){ .at = mirror_widened(making->m, op->invoked, op->completed),
                               .value = op->value,
                               .key = op->key,
                               .op = op->op,
                               .view = MIRROR_NONE,
                               .kind = op->kind,
                               .is_locking = op->is_locking,
                               .version = MIRROR_NONE };
    live->has_reads |= op->kind == TRACE_READ;
    if (op->kind == TRACE_WRITE) {
        access->row = op->row;
        live->has_writes = access->is_last = true;
        if (is_own)
            live->accesses[own->access].is_last = false;
        *own = (struct own_write){ making->own->stamp, op->key, live->access_count };
    }
    live->access_count++;
}

/* Of what the transaction has read, it may have written some later. */
static void find_updated(const struct making *making)
{
    struct live *live = &making->arrival->live;

    for (uint32_t i = 0; live->has_reads && live->has_writes && i < live->access_count; i++)
        live->accesses[i].is_updated =
            live->accesses[i].kind != TRACE_QUERY &&
            find_write(making->own, live->accesses[i].key)->stamp == making->own->stamp;
}

/* Each statement before its rows. */
static enum status add_accesses(struct making *making, const struct trace *trace,
                                struct error *err)
{
    struct mirror *m = making->teller;
    size_t next = 0;

    for (size_t i = 0; i <= trace->op_count; i++) {
        for (; next < trace->query_count && trace->queries[next].first_op == i; next++) {
            const struct trace_query *q = &trace->queries[next];

            TRY(seek_add(m, &making->arrival->live, trace, q,
                         mirror_widened(m, q->invoked, q->completed), err));
        }
        if (i == trace->op_count)
            break;
        add_access(making, &trace->ops[i]);
        if (m && trace->ops[i].kind == TRACE_READ)
            seek_drop_op(m, &trace->ops[i]);
    }
    find_updated(making);
    return STATUS_OK;
}

/* --- Times --------------------------------------------------------------------------------- */

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* From the first time that a transaction may read as of, to the first that it has read at. */
static struct times view_of(const struct mirror *m, const struct live *live)
{
    struct times view = { live->at.low, live->commit.high };

    for (uint32_t i = 0; m->profile.by_operations && i < live->access_count; i++)
        if (live->accesses[i].kind != TRACE_WRITE &&
            !access_has_own_view(m, &live->accesses[i]) && live->accesses[i].at.high < view.high)
            view.high = live->accesses[i].at.high;
    return view;
}

/* When all is known that a transaction's reads can have seen. */
static int64_t judged_at(const struct mirror *m, const struct live *live, struct times view)
{
    bool by_view = m->profile.view == VIEW_TRANSACTION && m->profile.timing == TIMING_FULL;
    int64_t at = by_view ? view.high : TIMELINE_BEGINNING;

    if (m->profile.ignores_times)
        return TIMELINE_END;
    if (m->profile.timing == TIMING_NONE || m->profile.view == VIEW_COMMIT)
        return live->commit.high;
    for (uint32_t i = 0; i < live->access_count; i++)
        if ((!by_view || access_has_own_view(m, &live->accesses[i])) &&
            live->accesses[i].at.high > at)
            at = live->accesses[i].at.high;
    return at;
}

/*
 * An operation that ended with its transaction may have been what committed it: of that it is
 * known that it had begun.
 */
static int64_t least_commit(const struct trace *trace, int64_t invoked, int64_t completed)
{
    return completed < trace->completed ? completed : invoked;
}

static int64_t end_of(const struct trace *trace)
{
    return trace->completed == TIME_NEVER || trace->status == TXN_UNKNOWN ? TIMELINE_END
                                                                        : trace->completed;
}

struct times arrival_commit_times(const struct mirror *m, const struct trace *trace)
{
    int64_t commit_low = trace->invoked;
    struct times commit;

    for (size_t i = 0; i < trace->op_count && m->profile.by_operations; i++)
        commit_low = later_of(commit_low, least_commit(trace, trace->ops[i].invoked,
                                                       trace->ops[i].completed));
    for (size_t i = 0; i < trace->query_count && m->profile.by_operations; i++)
        commit_low = later_of(commit_low, least_commit(trace, trace->queries[i].invoked,
                                                       trace->queries[i].completed));
    commit = mirror_widened(m, commit_low, end_of(trace));
    if (commit.low > commit.high)
        commit.low = commit.high;
    return commit;
}

/* --- Making -------------------------------------------------------------------------------- */

static enum status make(struct making *making, const struct trace *trace, struct error *err)
{
    struct arrival *arrival = making->arrival;

    arrival->live.at = mirror_widened(making->m, trace->invoked, end_of(trace));
    arrival->live.commit = arrival_commit_times(making->m, trace);
    TRY(forget_writes(making->own, trace->op_count, err));
    TRY(add_accesses(making, trace, err));
    arrival->view = view_of(making->m, &arrival->live);
    arrival->judged_at = judged_at(making->m, &arrival->live, arrival->view);
    return STATUS_OK;
}

static struct arrival arrival_of(const struct trace *trace, struct access *accesses)
{
    return (struct arrival){ .live = { .id = trace->id,
                                       .number = trace->number,
                                       .status = trace->status,
                                       .point = MIRROR_NONE,
                                       .view = MIRROR_NONE,
                                       .certified = MIRROR_NONE,
                                       .accesses = accesses },
                             .invoked = trace->invoked,
                             .op_count = trace->op_count };
}

enum status arrival_make(struct own_writes *own, const struct mirror *m, const struct trace *trace,
                         struct access *accesses, struct arrival *arrival, struct error *err)
{
    struct making making = { .m = m, .own = own, .arrival = arrival };

    *arrival = arrival_of(trace, accesses);
    return make(&making, trace, err);
}

enum status arrival_make_in_turn(struct mirror *m, const struct trace *trace,
                                 struct arrival *arrival, struct error *err)
{
    struct making making = { .m = m, .teller = m, .own = &m->own, .arrival = arrival };
    struct access_block *block;

    TRY(access_block_init(&block, trace->op_count + trace->query_count, 1, err));
    *arrival = arrival_of(trace, block->at);
    arrival->live.block = block;
    return make(&making, trace, err);
}
