#include "checkers/values/suspects.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "checkers/check_private.h"
#include "checkers/values/values.h"

void suspects_init(struct suspects *s, const struct history *h, const struct places *places)
{
    *s = (struct suspects){ .history = h, .places = places, .source_key = HISTORY_NONE };
}

void suspects_close(struct suspects *s)
{
    free(s->start);
    free(s->writes);
    array_close(&s->sources);
    *s = (struct suspects){ 0 };
}

static enum status gather(struct suspects *s, struct error *err)
{
    const struct history *h = s->history;

    TRY(check_memory((void **)&s->start, h->key_count + 2, sizeof *s->start, 0, err));
    for (size_t op = 0; op < h->op_count; op++)
        if (history_makes_version(h, op))
            s->start[h->op_key[op] + 2]++;
    array_sum_prefixes(s->start, h->key_count + 2);
    TRY(memory_resize((void **)&s->writes, s->start[h->key_count + 1], sizeof *s->writes, err));
    /* start[k + 1] runs through the writes of k, and ends where those of k + 1 begin. */
    for (size_t op = 0; op < h->op_count; op++)
        if (history_makes_version(h, op))
            s->writes[s->start[h->op_key[op] + 1]++] = (uint32_t)op;
    return STATUS_OK;
}

/* Whether the transaction wrote the key once more, later. */
static bool is_overwritten(const struct suspects *s, uint32_t txn, uint64_t write)
{
    const struct history *h = s->history;
    uint32_t key = h->op_key[s->writes[write]];

    return write + 1 < s->start[key + 1] && s->writes[write + 1] < h->txn_op[txn + 1];
}

/* What it would mean if the reader's answer were this version's. */
static enum suspicion suspect_of(const struct suspects *s, uint32_t reader, uint32_t read,
                                 uint32_t txn, uint64_t write)
{
    const struct history *h = s->history;
    uint32_t version = s->writes[write];

    if (txn == reader)
        return version < read ? SUSPECT_SELF_EARLIER : SUSPECT_SELF_LATER;
    if (h->txn_status[txn] == TXN_ABORT)
        return SUSPECT_ABORTED;
    if (s->places->standing[txn] == STANDING_OUT)
        return SUSPECT_LEFT_OUT;
    if (is_overwritten(s, txn, write))
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

static void consider(const struct suspects *s, uint32_t reader, uint32_t read, uint64_t write,
                     struct suspect *best)
{
    uint32_t version = s->writes[write];
    struct suspect found = { .version = version, .txn = history_txn_of(s->history, version) };

    found.suspicion = suspect_of(s, reader, read, found.txn, write);
    if (is_better(s, reader, &found, best))
        *best = found;
}

static bool values_agree(const struct history *h, struct value a, struct value b)
{
    if (a.kind == VALUE_NONE)
        a.kind = VALUE_NULL;
    return values_is_nothing(h, a) ? values_is_nothing(h, b) : history_values_equal(h, a, b);
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
            consider(s, txn, op, i, best);
    }
}

/* --- Lists ------------------------------------------------------------------------ */

static int compare_sources(const void *a, const void *b)
{
    const struct element_source *x = a, *y = b;

    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (x->write > y->write) - (x->write < y->write);
}

static enum status add_elements(struct suspects *s, struct value list, uint64_t write,
                                struct error *err)
{
    const struct history *h = s->history;

    if (list.kind != VALUE_LIST)
        return STATUS_OK;
    for (uint64_t i = h->list_start[list.bits]; i < h->list_start[list.bits + 1]; i++) {
        struct element_source source = { h->list_element[i], write };

        TRY(array_push(&s->sources, source, err));
    }
    return STATUS_OK;
}

/* Who appended which element, or wrote a list that has it. */
static enum status gather_sources(struct suspects *s, uint32_t key, struct error *err)
{
    const struct history *h = s->history;

    if (s->source_key == key)
        return STATUS_OK;
    s->source_key = HISTORY_NONE;
    s->sources.count = 0;
    TRY(add_elements(s, history_initial(h, key), 0, err));
    for (uint64_t i = s->start[key]; i < s->start[key + 1]; i++) {
        struct element_source source = { h->op_value[s->writes[i]], i + 1 };

        if (h->op_kind[s->writes[i]] == OP_APPEND)
            TRY(array_push(&s->sources, source, err));
        else
            TRY(add_elements(s, history_value(h, s->writes[i]), i + 1, err));
    }
    if (s->sources.count > 1)
        qsort(s->sources.at, s->sources.count, sizeof *s->sources.at, compare_sources);
    s->source_key = key;
    return STATUS_OK;
}

static size_t first_source(const struct suspects *s, int64_t element)
{
    size_t place;

    BISECT(place, 0, s->sources.count, s->sources.at[place].element < element);
    return place;
}

static struct suspect find_element(const struct suspects *s, uint32_t txn, uint32_t op,
                                   int64_t element, unsigned *count)
{
    struct suspect best = { SUSPECT_NOBODY, VERSION_INITIAL, HISTORY_NONE, false };
    uint64_t last = UINT64_MAX;

    *count = 0;
    for (size_t i = first_source(s, element);
         i < s->sources.count && s->sources.at[i].element == element; i++) {
        uint64_t write = s->sources.at[i].write;

        if (write == last)
            continue; /* twice in one list */
        last = write;
        ++*count;
        if (write == 0)
            best.suspicion = SUSPECT_INITIAL;
        else
            consider(s, txn, op, write - 1, &best);
    }
    return best;
}

/* Whether the list has an element twice of which there is one source. */
static enum status find_repeats(const struct suspects *s, int64_t list, bool *repeats,
                                struct error *err)
{
    const struct history *h = s->history;
    uint64_t from = h->list_start[list], count = h->list_start[list + 1] - from;
    int64_t *sorted = NULL;

    *repeats = false;
    TRY(memory_resize((void **)&sorted, count, sizeof *sorted, err));
    for (uint64_t i = 0; i < count; i++)
        sorted[i] = h->list_element[from + i];
    sort_signed(sorted, count);
    for (uint64_t i = 1; i < count && !*repeats; i++) {
        unsigned sources;

        if (sorted[i] != sorted[i - 1])
            continue;
        (void)find_element(s, 0, 0, sorted[i], &sources);
        *repeats = sources == 1;
    }
    free(sorted);
    return STATUS_OK;
}

/* Whether the write alone does not make the list, as it put another one there. */
static bool is_part(const struct history *h, uint32_t version, struct value list)
{
    return version != VERSION_INITIAL && h->op_kind[version] != OP_APPEND &&
           !history_values_equal(h, history_value(h, version), list);
}

/* The worst of its elements; that it ends within a transaction counts for the last alone. */
static enum status find_list(struct suspects *s, uint32_t txn, uint32_t op, int64_t list,
                             struct suspect *worst, struct error *err)
{
    const struct history *h = s->history;
    uint64_t from = h->list_start[list], to = h->list_start[list + 1];

    TRY(gather_sources(s, h->op_key[op], err));
    *worst = (struct suspect){ SUSPECT_INITIAL, VERSION_INITIAL, HISTORY_NONE, false };
    for (uint64_t i = from; i < to; i++) {
        unsigned count;
        struct suspect found = find_element(s, txn, op, h->list_element[i], &count);

        if (found.suspicion == SUSPECT_INTERMEDIATE && i + 1 < to)
            found.suspicion = SUSPECT_COMMITTED;
        if (found.suspicion >= worst->suspicion)
            *worst = found;
    }
    /* Its elements were written, and nobody wrote it: that is nobody's version. */
    if (is_part(h, worst->version, history_value(h, op)))
        *worst = (struct suspect){ SUSPECT_INITIAL, VERSION_INITIAL, HISTORY_NONE, false };
    return find_repeats(s, list, &worst->repeats, err);
}

enum status suspects_find(struct suspects *s, uint32_t txn, uint32_t op, struct suspect *found,
                          struct error *err)
{
    struct value value = history_value(s->history, op);

    *found = (struct suspect){ SUSPECT_NOBODY, VERSION_INITIAL, HISTORY_NONE, false };
    if (!s->start)
        TRY(gather(s, err));
    if (value.kind == VALUE_LIST && !values_is_nothing(s->history, value))
        return find_list(s, txn, op, value.bits, found, err);
    find_value(s, txn, op, value, found);
    return STATUS_OK;
}

enum anomaly suspects_anomaly(enum suspicion suspicion)
{
    switch (suspicion) {
    case SUSPECT_ABORTED:
    case SUSPECT_LEFT_OUT:
        return ANOMALY_G1A;
    case SUSPECT_INTERMEDIATE:
        return ANOMALY_G1B;
    case SUSPECT_SELF_LATER:
        return ANOMALY_FUTURE_READ;
    case SUSPECT_NOBODY:
        return ANOMALY_GARBAGE_READ;
    default:
        return ANOMALY_COUNT;
    }
}
