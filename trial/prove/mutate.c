#include "trial/prove/mutate_private.h"

#include <assert.h>
#include <string.h>

#include "checkers/checker.h"
#include "trial/prove/brute_private.h"

#define PLACES_MAX (SKETCH_TXNS_MAX * SKETCH_OPS_MAX)

const char *mutate_name(enum mutation mutation)
{
    static const char *const names[] = {
#define MUTATION_NAME(enumerator, name, what) name,
        MUTATIONS(MUTATION_NAME)
#undef MUTATION_NAME
    };

    assert(mutation < MUTATION_COUNT);
    return names[mutation];
}

const char *mutate_summary(enum mutation mutation)
{
    static const char *const texts[] = {
#define MUTATION_TEXT(enumerator, name, what) what,
        MUTATIONS(MUTATION_TEXT)
#undef MUTATION_TEXT
    };

    assert(mutation < MUTATION_COUNT);
    return texts[mutation];
}

/* --- Places ----------------------------------------------------------------------------------- */

/* Operations that a mutation might change. */
struct mutate_places {
    uint32_t count;
    struct sketch_op *at[PLACES_MAX];
};

static bool is_answered_read(const struct sketch_op *op)
{
    return op->kind == OP_READ && op->value.kind != VALUE_NONE;
}

static bool is_write(const struct sketch_op *op)
{
    return op->kind != OP_READ;
}

/* Of committed transactions; of any key, or of one. */
static void find_places(struct sketch *sketch, bool (*wanted)(const struct sketch_op *),
                        uint32_t key, struct mutate_places *places)
{
    places->count = 0;
    for (uint32_t t = 0; t < sketch->txn_count; t++)
        for (uint32_t i = 0; i < sketch->txns[t].op_count; i++) {
            struct sketch_op *op = &sketch->txns[t].ops[i];
            bool is_there = sketch->txns[t].status == TXN_OK && wanted(op);
            if (is_there && (key == HISTORY_NONE || op->key == key))
                places->at[places->count++] = op;
        }
}

static struct sketch_op *draw_op(struct sketch *sketch, bool (*wanted)(const struct sketch_op *),
                                 struct random *random)
{
    struct mutate_places places;

    find_places(sketch, wanted, HISTORY_NONE, &places);
    return places.count > 0 ? places.at[random_below(random, places.count)] : NULL;
}

/* A committed one, or an aborted one; txn_count: there is none. */
static uint32_t draw_txn(const struct sketch *sketch, enum txn_status status,
                         struct random *random)
{
    uint32_t found[SKETCH_TXNS_MAX], count = 0;

    for (uint32_t t = 0; t < sketch->txn_count; t++)
        if (sketch->txns[t].status == status)
            found[count++] = t;
    return count > 0 ? found[random_below(random, count)] : sketch->txn_count;
}

/* --- Values ----------------------------------------------------------------------------------- */

static void become_null(struct sketch_value *value)
{
    *value = (struct sketch_value){ .kind = VALUE_NULL };
}

/* A list without its last elements; a register as some write of the key left it, or none. */
static bool mutate_read(struct sketch *sketch, struct random *random, bool is_stale)
{
    struct sketch_op *read = draw_op(sketch, is_answered_read, random);
    struct mutate_places writes;
    uint64_t drawn;

    if (!read)
        return false;
    if (is_stale && read->value.kind == VALUE_LIST) {
        read->value.count -= 1 + (uint32_t)random_below(random, read->value.count);
        if (read->value.count == 0)
            become_null(&read->value);
        return true;
    }
    find_places(sketch, is_write, read->key, &writes);
    if (sketch->is_of_lists[read->key] || writes.count == 0)
        return false;
    drawn = random_below(random, writes.count + 1u);
    if (drawn == writes.count)
        become_null(&read->value);
    else
        read->value = writes.at[drawn]->value;
    return true;
}

static void swap_values(struct sketch_op *a, struct sketch_op *b)
{
    struct sketch_value swapped = a->value;

    a->value = b->value;
    b->value = swapped;
}

static bool swap_two(struct sketch *sketch, bool (*wanted)(const struct sketch_op *),
                     struct random *random)
{
    struct sketch_op *first = draw_op(sketch, wanted, random);
    struct mutate_places others;
    uint64_t drawn;

    if (!first)
        return false;
    find_places(sketch, wanted, first->key, &others);
    drawn = random_below(random, others.count);
    if (sketch_value_equal(&first->value, &others.at[drawn]->value))
        return false;
    swap_values(first, others.at[drawn]);
    return true;
}

static bool swap_versions(struct sketch *sketch, struct random *random)
{
    uint32_t key = (uint32_t)random_below(random, sketch->key_count);
    uint32_t count = sketch->order_count[key], swapped;
    uint64_t at;

    if (count < 2)
        return false;
    at = random_below(random, count - 1);
    swapped = sketch->order[key][at];
    sketch->order[key][at] = sketch->order[key][at + 1];
    sketch->order[key][at + 1] = swapped;
    return true;
}

/* --- Transactions ----------------------------------------------------------------------------- */

static void remove_op(struct sketch_txn *txn, uint32_t index)
{
    txn->op_count--;
    memmove(&txn->ops[index], &txn->ops[index + 1], (txn->op_count - index) * sizeof *txn->ops);
}

static bool drop_write(struct sketch *sketch, struct random *random)
{
    struct sketch_op *write = draw_op(sketch, is_write, random);

    for (uint32_t t = 0; write && t < sketch->txn_count; t++)
        for (uint32_t i = 0; i < sketch->txns[t].op_count; i++)
            if (&sketch->txns[t].ops[i] == write) {
                remove_op(&sketch->txns[t], i);
                sketch_mend_orders(sketch);
                return true;
            }
    return false;
}

/* Version orders speak of transactions by place. */
static void renumber(struct sketch *sketch, uint32_t from, int32_t by)
{
    for (uint32_t key = 0; key < sketch->key_count; key++)
        for (uint32_t i = 0; i < sketch->order_count[key]; i++)
            if (sketch->order[key][i] >= from)
                sketch->order[key][i] = (uint32_t)((int32_t)sketch->order[key][i] + by);
}

static void remove_txn(struct sketch *sketch, uint32_t txn)
{
    sketch->txns[txn].op_count = 0;
    sketch_mend_orders(sketch);
    sketch->txn_count--;
    memmove(&sketch->txns[txn], &sketch->txns[txn + 1],
            (sketch->txn_count - txn) * sizeof *sketch->txns);
    renumber(sketch, txn + 1, -1);
}

static bool drop_txn(struct sketch *sketch, struct random *random)
{
    uint32_t txn = draw_txn(sketch, TXN_OK, random);

    if (txn == sketch->txn_count)
        return false;
    remove_txn(sketch, txn);
    return true;
}

static int64_t free_id(const struct sketch *sketch)
{
    int64_t id = 0;

    for (uint32_t t = 0; t < sketch->txn_count; t++)
        if (sketch->txns[t].id > id)
            id = sketch->txns[t].id;
    return id + 1;
}

/* The second part comes right behind the first, in its session, its time and its place. */
static void tear(struct sketch *sketch, uint32_t txn, uint32_t at)
{
    struct sketch_txn *first = &sketch->txns[txn], *second = first + 1;
    bool has_times = first->invoked != TIME_ABSENT && first->completed != TIME_NEVER;
    int64_t id = free_id(sketch);

    memmove(second + 1, second, (sketch->txn_count - txn - 1) * sizeof *second);
    renumber(sketch, txn + 1, 1);
    *second = *first;
    second->id = id;
    sketch->txn_count++;
    second->op_count = first->op_count - at;
    memmove(second->ops, &first->ops[at], second->op_count * sizeof *second->ops);
    first->op_count = at;
    if (has_times) {
        first->completed = first->invoked + (second->completed - first->invoked) / 2;
        second->invoked = first->completed;
    }
    if (second->ts.parts > 0)
        second->ts.part[second->ts.parts - 1]++;
}

static bool writes_key(const struct sketch_txn *txn, uint32_t key)
{
    for (uint32_t i = 0; i < txn->op_count; i++)
        if (is_write(&txn->ops[i]) && txn->ops[i].key == key)
            return true;
    return false;
}

/* Where the whole stands in a version order, those parts stand that write the key. */
static void split_order(struct sketch *sketch, uint32_t key, uint32_t txn)
{
    uint32_t *order = sketch->order[key], count = sketch->order_count[key];
    uint32_t at = 0;

    while (at < count && order[at] != txn)
        at++;
    if (at == count || !writes_key(&sketch->txns[txn + 1], key))
        return;
    if (!writes_key(&sketch->txns[txn], key)) {
        order[at] = txn + 1;
        return;
    }
    memmove(&order[at + 2], &order[at + 1], (count - at - 1) * sizeof *order);
    order[at + 1] = txn + 1;
    sketch->order_count[key]++;
}

static bool split(struct sketch *sketch, struct random *random)
{
    uint32_t txn = draw_txn(sketch, TXN_OK, random);

    if (txn == sketch->txn_count || sketch->txn_count == SKETCH_TXNS_MAX ||
        sketch->txns[txn].op_count < 2)
        return false;
    tear(sketch, txn, 1 + (uint32_t)random_below(random, sketch->txns[txn].op_count - 1));
    for (uint32_t key = 0; key < sketch->key_count; key++)
        split_order(sketch, key, txn);
    return true;
}

/* The next committed one of the session; txn_count: there is none. */
static uint32_t next_of_session(const struct sketch *sketch, uint32_t txn)
{
    for (uint32_t t = txn + 1; t < sketch->txn_count; t++)
        if (sketch->txns[t].session == sketch->txns[txn].session)
            return sketch->txns[t].status == TXN_OK ? t : sketch->txn_count;
    return sketch->txn_count;
}

static bool join(struct sketch *sketch, struct random *random)
{
    uint32_t a = draw_txn(sketch, TXN_OK, random);
    uint32_t b = a < sketch->txn_count ? next_of_session(sketch, a) : a;
    struct sketch_txn *first = &sketch->txns[a];
    const struct sketch_txn *second = &sketch->txns[b];

    if (b == sketch->txn_count || first->op_count + second->op_count > SKETCH_OPS_MAX)
        return false;
    memcpy(&first->ops[first->op_count], second->ops, second->op_count * sizeof *second->ops);
    first->op_count += second->op_count;
    first->completed = second->completed;
    remove_txn(sketch, b);
    return true;
}

static bool change_status(struct sketch *sketch, enum txn_status from, enum txn_status to,
                          struct random *random)
{
    uint32_t txn = draw_txn(sketch, from, random);

    if (txn == sketch->txn_count)
        return false;
    sketch->txns[txn].status = to;
    /* An aborted one has no place; a committed one without a place makes no certificate. */
    if (to == TXN_ABORT)
        sketch->txns[txn].ts.parts = sketch->txns[txn].snapshot.parts = 0;
    sketch_mend_orders(sketch);
    return true;
}

static bool swap_times(struct sketch *sketch, struct random *random)
{
    uint32_t a = draw_txn(sketch, TXN_OK, random), b = draw_txn(sketch, TXN_OK, random);
    struct sketch_txn *x, *y;
    int64_t invoked, completed;

    if (a == b || a == sketch->txn_count)
        return false;
    x = &sketch->txns[a];
    y = &sketch->txns[b];
    /* A session's transactions do not overlap, and stand in the order of time. */
    if (x->session == y->session)
        return false;
    invoked = x->invoked;
    completed = x->completed;
    x->invoked = y->invoked;
    x->completed = y->completed;
    y->invoked = invoked;
    y->completed = completed;
    return true;
}

bool mutate(struct sketch *sketch, enum mutation mutation, struct random *random)
{
    switch (mutation) {
    case MUTATION_NONE:
        return true;
    case MUTATION_STALE_READ:
        return mutate_read(sketch, random, true);
    case MUTATION_OTHER_READ:
        return mutate_read(sketch, random, false);
    case MUTATION_SWAP_READS:
        return swap_two(sketch, is_answered_read, random);
    case MUTATION_SWAP_WRITES:
        return swap_two(sketch, is_write, random);
    case MUTATION_SWAP_VERSIONS:
        return swap_versions(sketch, random);
    case MUTATION_DROP_WRITE:
        return drop_write(sketch, random);
    case MUTATION_DROP_TXN:
        return drop_txn(sketch, random);
    case MUTATION_SPLIT:
        return split(sketch, random);
    case MUTATION_JOIN:
        return join(sketch, random);
    case MUTATION_ABORT:
        return change_status(sketch, TXN_OK, TXN_ABORT, random);
    case MUTATION_COMMIT:
        return change_status(sketch, TXN_ABORT, TXN_OK, random);
    case MUTATION_SWAP_TIMES:
        return swap_times(sketch, random);
    case MUTATION_COUNT:
        break;
    }
    return false;
}

/*
 * Whether a mutant is wrong, and who says so.
 */

static enum brute_order order_of(enum level level)
{
    return level == LEVEL_STRICT_SERIALIZABLE    ? BRUTE_TIME
           : level == LEVEL_SESSION_SERIALIZABLE ? BRUTE_SESSIONS
                                                 : BRUTE_ANY;
}

static enum mutant_end end_of(enum verdict verdict, bool is_wrong, bool is_bare)
{
    if (verdict == VERDICT_UNKNOWN)
        return MUTANT_UNDECIDED;
    if (is_wrong)
        return verdict == VERDICT_INVALID ? MUTANT_CAUGHT : MUTANT_MISSED;
    if (verdict == VERDICT_VALID)
        return MUTANT_LEFT;
    return is_bare ? MUTANT_ACCUSED : MUTANT_STRICTER;
}

/* Everybody who has not answered yet. */
static enum status ask_jury(const struct history *h, bool is_bare, enum level level,
                            struct mutant *mutant, struct error *err)
{
    struct jury_options options = { .check.level = level, .rule = JURY_DUE };
    const struct checker *const *all = checkers_all();
    struct jury jury;
    enum status status;

    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++)
        if (mutant->ends[i] != MUTANT_NOT_ASKED)
            options.spared |= 1u << i;
    status = jury_judge(&jury, h, &options, err);
    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++)
        for (uint32_t k = 0; k < jury.juror_count; k++)
            if (jury.jurors[k].check.checker == all[i])
                mutant->ends[i] = end_of(jury.jurors[k].check.verdict, mutant->is_wrong, is_bare);
    jury_close(&jury);
    return status;
}

static enum status ask_all(const struct sketch *sketch, bool is_bare, enum level level,
                           struct mutant *mutant, struct error *err)
{
    struct history history;
    struct error why = { 0 };
    enum status status = sketch_build(sketch, !is_bare, &history, &why);

    /* What has become nonsense is no history, or no certificate. */
    if (status == STATUS_BAD_INPUT)
        return STATUS_OK;
    if (status != STATUS_OK) {
        *err = why;
        return status;
    }
    mutant->is_history = true;
    status = ask_jury(&history, is_bare, level, mutant, err);
    history_close(&history);
    return status;
}

enum status mutate_judge(const struct sketch *sketch, enum level level, struct mutant *mutant,
                         struct error *err)
{
    bool is_serializable = false;

    *mutant = (struct mutant){ .is_wrong = false };
    TRY(brute_is_serializable(sketch, order_of(level), &is_serializable, err));
    mutant->is_wrong = !is_serializable;
    TRY(ask_all(sketch, true, level, mutant, err));
    if (!mutant->is_history)
        return STATUS_OK;
    return ask_all(sketch, false, level, mutant, err);
}
