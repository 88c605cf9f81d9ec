#include "checkers/suspects.h"

#include <stdlib.h>

#include "checkers/checker_private.h"

void suspects_init(struct suspects *s, const struct history *h, const struct places *places)
{
    *s = (struct suspects){ .history = h, .places = places };
}

void suspects_close(struct suspects *s)
{
    free(s->start);
    free(s->writes);
    *s = (struct suspects){ 0 };
}

static bool is_write(const struct history *h, size_t op)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

static enum status gather(struct suspects *s, struct error *err)
{
    const struct history *h = s->history;

    TRY(check_memory((void **)&s->start, h->key_count + 2, sizeof *s->start, 0, err));
    for (size_t op = 0; op < h->op_count; op++)
        if (is_write(h, op))
            s->start[h->op_key[op] + 2]++;
    for (size_t k = 1; k < h->key_count + 2; k++)
        s->start[k] += s->start[k - 1];
    TRY(memory_resize((void **)&s->writes, s->start[h->key_count + 1], sizeof *s->writes, err));
    /* start[k + 1] runs through the writes of k, and ends where those of k + 1 begin. */
    for (size_t op = 0; op < h->op_count; op++)
        if (is_write(h, op))
            s->writes[s->start[h->op_key[op] + 1]++] = (uint32_t)op;
    return STATUS_OK;
}

/* Whether its transaction wrote the key once more, later. */
static bool is_overwritten(const struct history *h, uint32_t txn, uint32_t version)
{
    for (uint32_t op = version + 1; op < h->txn_op[txn + 1]; op++)
        if (is_write(h, op) && h->op_key[op] == h->op_key[version])
            return true;
    return false;
}

/* What it would mean if the reader's answer were this version's. */
static enum suspicion suspect_of(const struct suspects *s, uint32_t reader, uint32_t read,
                                 uint32_t txn, uint32_t version)
{
    const struct history *h = s->history;

    if (txn == reader)
        return version < read ? SUSPECT_SELF_EARLIER : SUSPECT_SELF_LATER;
    if (h->txn_status[txn] == TXN_ABORT)
        return SUSPECT_ABORTED;
    if (s->places->standing[txn] == STANDING_OUT)
        return SUSPECT_LEFT_OUT;
    if (is_overwritten(h, txn, version))
        return SUSPECT_INTERMEDIATE;
    return s->places->standing[txn] == STANDING_OPEN ? SUSPECT_OPEN : SUSPECT_COMMITTED;
}

/* Of two that are equally harmless, the last that the places put before the reader. */
static bool is_better(const struct suspects *s, uint32_t reader, const struct suspect *a,
                      const struct suspect *b)
{
    uint32_t here = s->places->position[reader], first, second;

    if (a->suspicion != b->suspicion)
        return a->suspicion < b->suspicion;
    if (a->suspicion != SUSPECT_COMMITTED)
        return false;
    first = s->places->position[a->txn];
    second = s->places->position[b->txn];
    if ((first < here) != (second < here))
        return first < here;
    return first < here ? first > second : first < second;
}

static void consider(const struct suspects *s, uint32_t reader, uint32_t read, uint32_t version,
                     struct suspect *best)
{
    struct suspect found = { .version = version, .txn = history_txn_of(s->history, version) };

    found.suspicion = suspect_of(s, reader, read, found.txn, version);
    if (is_better(s, reader, &found, best))
        *best = found;
}

static bool is_nothing(const struct history *h, struct value value)
{
    return value.kind == VALUE_NULL ||
           (value.kind == VALUE_LIST && h->list_start[value.bits] == h->list_start[value.bits + 1]);
}

static bool values_agree(const struct history *h, struct value a, struct value b)
{
    if (a.kind == VALUE_NONE)
        a.kind = VALUE_NULL;
    return is_nothing(h, a) ? is_nothing(h, b) : history_values_equal(h, a, b);
}

/* --- Values ----------------------------------------------------------------------- */

static void find_value(const struct suspects *s, uint32_t txn, uint32_t op, struct value value,
                       struct suspect *best)
{
    const struct history *h = s->history;
    uint32_t key = h->op_key[op];

    if (values_agree(h, history_initial(h, key), value))
        *best = (struct suspect){ SUSPECT_INITIAL, VERSION_INITIAL, HISTORY_NONE, false };
    for (uint64_t i = s->start[key]; i < s->start[key + 1]; i++) {
        uint32_t version = s->writes[i];

        if (h->op_kind[version] != OP_APPEND && values_agree(h, history_value(h, version), value))
            consider(s, txn, op, version, best);
    }
}

/* --- Lists ------------------------------------------------------------------------ */

static bool list_has(const struct history *h, struct value list, int64_t element)
{
    if (list.kind != VALUE_LIST)
        return false;
    for (uint64_t i = h->list_start[list.bits]; i < h->list_start[list.bits + 1]; i++)
        if (h->list_element[i] == element)
            return true;
    return false;
}

/* Who appended it, or wrote a list that has it. */
static struct suspect find_element(const struct suspects *s, uint32_t txn, uint32_t op,
                                   int64_t element, unsigned *count)
{
    const struct history *h = s->history;
    uint32_t key = h->op_key[op];
    struct suspect best = { SUSPECT_NOBODY, VERSION_INITIAL, HISTORY_NONE, false };

    *count = 0;
    if (list_has(h, history_initial(h, key), element)) {
        best.suspicion = SUSPECT_INITIAL;
        ++*count;
    }
    for (uint64_t i = s->start[key]; i < s->start[key + 1]; i++) {
        uint32_t version = s->writes[i];
        bool appends = h->op_kind[version] == OP_APPEND && h->op_value[version] == element;

        if (!appends && !list_has(h, history_value(h, version), element))
            continue;
        ++*count;
        consider(s, txn, op, version, &best);
    }
    return best;
}

static bool occurs_before(const struct history *h, uint64_t from, uint64_t at)
{
    for (uint64_t i = from; i < at; i++)
        if (h->list_element[i] == h->list_element[at])
            return true;
    return false;
}

/* The worst of its elements; that it ends within a transaction counts for the last alone. */
static void find_list(const struct suspects *s, uint32_t txn, uint32_t op, int64_t list,
                      struct suspect *worst)
{
    const struct history *h = s->history;
    uint64_t from = h->list_start[list], to = h->list_start[list + 1];
    bool repeats = false;

    *worst = (struct suspect){ SUSPECT_INITIAL, VERSION_INITIAL, HISTORY_NONE, false };
    for (uint64_t i = from; i < to; i++) {
        unsigned count;
        struct suspect found = find_element(s, txn, op, h->list_element[i], &count);

        repeats |= count == 1 && occurs_before(h, from, i);
        if (found.suspicion == SUSPECT_INTERMEDIATE && i + 1 < to)
            found.suspicion = SUSPECT_COMMITTED;
        if (found.suspicion >= worst->suspicion)
            *worst = found;
    }
    worst->repeats = repeats;
}

enum status suspects_find(struct suspects *s, uint32_t txn, uint32_t op, struct suspect *found,
                          struct error *err)
{
    struct value value = history_value(s->history, op);

    *found = (struct suspect){ SUSPECT_NOBODY, VERSION_INITIAL, HISTORY_NONE, false };
    if (!s->start)
        TRY(gather(s, err));
    if (value.kind == VALUE_LIST && !is_nothing(s->history, value))
        find_list(s, txn, op, value.bits, found);
    else
        find_value(s, txn, op, value, found);
    return STATUS_OK;
}
