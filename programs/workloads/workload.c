#include "programs/workloads/workload.h"

#include <stddef.h>

/*
 * X(name, description, shape, range, one kind,
 *   read, write, increment, insert, predicates, keys, operations)
 */
#define WORKLOADS(X)                                                                               \
    X("rw-mix", "registers: 30% updates, 40% reads, 20% increments, 10% inserts", ITEMS, NONE,     \
      false, 40, 30, 20, 10, 0, 1000, 5)                                                           \
    X("predicate-mix", "rows: 10% inserts, the rest half reads, half updates, half by predicate",  \
      ROWS, OF_VALUES, false, 45, 45, 0, 10, 50, 100, 5)                                           \
    X("blindw-w", "registers: transactions that only write", ITEMS, NONE, true, 0, 100, 0, 0, 0,   \
      2000, 8)                                                                                     \
    X("blindw-rw", "registers: half the transactions only read, half only write", ITEMS, NONE,     \
      true, 50, 50, 0, 0, 0, 2000, 8)                                                              \
    X("blindw-rw+", "rows: as blindw-rw, with half the reads of ten keys by predicate", ROWS,      \
      OF_KEYS, true, 50, 50, 0, 0, 50, 2000, 8)                                                    \
    X("cobra-rmw", "registers: 25% reads, 25% writes, 50% increments", ITEMS, NONE, false, 25, 25, \
      50, 0, 0, 10000, 8)                                                                          \
    X("cobra-rw", "registers: 50% reads, 50% writes", ITEMS, NONE, false, 50, 50, 0, 0, 0, 10000,  \
      8)                                                                                           \
    X("cobra-heavy", "registers: 10% reads, 80% writes, 10% increments", ITEMS, NONE, false, 10,   \
      80, 10, 0, 0, 10000, 8)                                                                      \
    X("list-append", "lists: half reads of the whole list, half appends", LISTS, NONE, false, 50,  \
      50, 0, 0, 0, 10, 4)

static const struct workload workloads[] = {
#define WORKLOAD_ROW(name_, description_, shape_, range_, one_kind_, read, write, increment,       \
                     insert, predicates, keys_, operations_)                                       \
    { .name = name_,                                                                               \
      .description = description_,                                                                 \
      .shape = SHAPE_##shape_,                                                                     \
      .range = RANGE_##range_,                                                                     \
      .one_kind = one_kind_,                                                                       \
      .read_percent = read,                                                                        \
      .write_percent = write,                                                                      \
      .increment_percent = increment,                                                              \
      .insert_percent = insert,                                                                    \
      .predicates_percent = predicates,                                                            \
      .keys = keys_,                                                                               \
      .operations = operations_ },
    WORKLOADS(WORKLOAD_ROW)
#undef WORKLOAD_ROW
};

#define WORKLOAD_COUNT (sizeof workloads / sizeof *workloads)

const struct workload *workload_find(struct text name)
{
    for (size_t i = 0; i < WORKLOAD_COUNT; i++)
        if (text_equal(name, text_of(workloads[i].name)))
            return &workloads[i];
    return NULL;
}

const char *const *workload_names(void)
{
#define WORKLOAD_NAME(name, ...) name,
    static const char *const names[] = { WORKLOADS(WORKLOAD_NAME) NULL };
#undef WORKLOAD_NAME

    return names;
}

const struct workload *workload_all(unsigned *count)
{
    *count = WORKLOAD_COUNT;
    return workloads;
}

int64_t workload_values(const struct draw *draw)
{
    return (int64_t)draw->keys * VALUES_PER_KEY + RANGE_VALUES;
}

static enum step_kind draw_kind(const struct workload *w, struct random *random)
{
    unsigned percent = (unsigned)random_below(random, 100);

    if (percent < w->read_percent)
        return STEP_READ;
    percent -= w->read_percent;
    if (percent < w->write_percent)
        return STEP_WRITE;
    percent -= w->write_percent;
    return percent < w->increment_percent ? STEP_INCREMENT : STEP_INSERT;
}

static bool may_be_by_predicate(const struct workload *w, enum step_kind kind)
{
    return (w->range != RANGE_NONE && kind == STEP_READ) ||
           (w->range == RANGE_OF_VALUES && kind == STEP_WRITE);
}

/* Half of the reads by predicate return rows, the others are aggregates. */
static enum step_kind draw_read_by_predicate(const struct workload *w, struct random *random)
{
    uint64_t quarter = random_below(random, 4);

    if (w->range == RANGE_OF_KEYS || quarter < 2)
        return STEP_SELECT;
    return quarter == 2 ? STEP_MINIMUM : STEP_MAXIMUM;
}

static void draw_range(const struct draw *draw, struct random *random, struct step *step)
{
    if (draw->workload->range == RANGE_OF_KEYS) {
        step->key = (uint32_t)random_below(random, draw->keys);
        step->last_key = step->key + RANGE_KEYS - 1;
        if (step->last_key >= draw->keys)
            step->last_key = draw->keys - 1;
        if (step->key < draw->gap && step->last_key >= draw->gap)
            step->last_key = draw->gap - 1;
        return;
    }
    step->key = 0;
    step->last_key = draw->keys - 1;
    step->low = random_between(random, 0, workload_values(draw) - RANGE_VALUES);
    step->high = step->low + RANGE_VALUES - 1;
}

static void draw_step(const struct draw *draw, struct random *random, enum step_kind kind,
                      struct step *step)
{
    const struct workload *w = draw->workload;

    if (w->range == RANGE_OF_VALUES)
        step->number = random_between(random, 0, workload_values(draw) - 1);
    if (may_be_by_predicate(w, kind) && random_below(random, 100) < draw->predicates_percent) {
        step->kind = kind == STEP_READ ? draw_read_by_predicate(w, random) : STEP_UPDATE;
        draw_range(draw, random, step);
        return;
    }
    step->kind = kind;
    step->key = (uint32_t)random_below(random, draw->keys);
}

void workload_draw(const struct draw *draw, struct random *random, struct step *steps,
                   unsigned count)
{
    enum step_kind kind = draw_kind(draw->workload, random);

    for (unsigned i = 0; i < count; i++) {
        if (i > 0 && !draw->workload->one_kind)
            kind = draw_kind(draw->workload, random);
        draw_step(draw, random, kind, &steps[i]);
    }
}
