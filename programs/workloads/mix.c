#include "programs/workloads/mix.h"

#include <stddef.h>

#include "programs/workloads/workload.h"

/*
 * X(name in C, name, what its keys hold, description, range, one kind,
 *   read, write, increment, insert, predicates, keys, operations)
 */
#define MIXES(X)                                                                                   \
    X(rw_mix, "rw-mix", ITEMS,                                                                     \
      "registers: 30% updates, 40% reads, 20% increments, 10% inserts",                            \
      NONE, false, 40, 30, 20, 10, 0, 1000, 5)                                                     \
    X(predicate_mix, "predicate-mix", ROWS,                                                        \
      "rows: 10% inserts, the rest half reads, half updates, half by predicate",                   \
      OF_VALUES, false, 45, 45, 0, 10, 50, 100, 5)                                                 \
    X(blindw_w, "blindw-w", ITEMS,                                                                 \
      "registers: transactions that only write",                                                   \
      NONE, true, 0, 100, 0, 0, 0, 2000, 8)                                                        \
    X(blindw_rw, "blindw-rw", ITEMS,                                                               \
      "registers: half the transactions only read, half only write",                               \
      NONE, true, 50, 50, 0, 0, 0, 2000, 8)                                                        \
    X(blindw_rw_rows, "blindw-rw+", ROWS,                                                          \
      "rows: as blindw-rw, with half the reads of ten keys by predicate",                          \
      OF_KEYS, true, 50, 50, 0, 0, 50, 2000, 8)                                                    \
    X(cobra_rmw, "cobra-rmw", ITEMS,                                                               \
      "registers: 25% reads, 25% writes, 50% increments",                                          \
      NONE, false, 25, 25, 50, 0, 0, 10000, 8)                                                     \
    X(cobra_rw, "cobra-rw", ITEMS,                                                                 \
      "registers: 50% reads, 50% writes",                                                          \
      NONE, false, 50, 50, 0, 0, 0, 10000, 8)                                                      \
    X(cobra_heavy, "cobra-heavy", ITEMS,                                                           \
      "registers: 10% reads, 80% writes, 10% increments",                                          \
      NONE, false, 10, 80, 10, 0, 0, 10000, 8)

#define MIX_OF(description_, range_, one_kind_, read, write, increment, insert, predicates, keys_, operations_) \
    { .description = description_, .range = RANGE_##range_, .one_kind = one_kind_, .read_percent = read,         \
      .write_percent = write, .increment_percent = increment, .insert_percent = insert,                          \
      .predicates_percent = predicates, .keys = keys_, .operations = operations_ }

#define MIX_WORKLOAD(c_name, name_, shape_, ...)                                                   \
    const struct workload workload_##c_name = {                                                    \
        .name = name_,                                                                             \
        .shape = SHAPE_##shape_,                                                                   \
        .mix = &(const struct mix) MIX_OF(__VA_ARGS__),                                            \
    };
MIXES(MIX_WORKLOAD)
#undef MIX_WORKLOAD

const struct mix mix_list_append =
    MIX_OF("lists: half reads of the whole list, half appends", NONE, false,
           50, 50, 0, 0, 0, 10, 4);

int64_t mix_values(const struct draw *draw)
{
    return (int64_t)draw->keys * VALUES_PER_KEY + RANGE_VALUES;
}

static enum mix_step_kind draw_kind(const struct mix *mix, struct random *random)
{
    unsigned percent = (unsigned)random_below(random, 100);

    if (percent < mix->read_percent)
        return STEP_READ;
    percent -= mix->read_percent;
    if (percent < mix->write_percent)
        return STEP_WRITE;
    percent -= mix->write_percent;
    return percent < mix->increment_percent ? STEP_INCREMENT : STEP_INSERT;
}

static bool may_be_by_predicate(const struct mix *mix, enum mix_step_kind kind)
{
    return (mix->range != RANGE_NONE && kind == STEP_READ) ||
           (mix->range == RANGE_OF_VALUES && kind == STEP_WRITE);
}

/* Half of the reads by predicate return rows, the others are aggregates. */
static enum mix_step_kind draw_read_by_predicate(const struct mix *mix, struct random *random)
{
    uint64_t quarter = random_below(random, 4);

    if (mix->range == RANGE_OF_KEYS || quarter < 2)
        return STEP_SELECT;
    return quarter == 2 ? STEP_MINIMUM : STEP_MAXIMUM;
}

static void draw_range(const struct draw *draw, struct random *random, struct mix_step *step)
{
    if (draw->mix->range == RANGE_OF_KEYS) {
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
    step->low = random_between(random, 0, mix_values(draw) - RANGE_VALUES);
    step->high = step->low + RANGE_VALUES - 1;
}

static void draw_step(const struct draw *draw, struct random *random, enum mix_step_kind kind,
                      struct mix_step *step)
{
    const struct mix *mix = draw->mix;

    if (mix->range == RANGE_OF_VALUES)
        step->number = random_between(random, 0, mix_values(draw) - 1);
    if (may_be_by_predicate(mix, kind) && random_below(random, 100) < draw->predicates_percent) {
        step->kind = kind == STEP_READ ? draw_read_by_predicate(mix, random) : STEP_UPDATE;
        draw_range(draw, random, step);
        return;
    }
    step->kind = kind;
    step->key = (uint32_t)random_below(random, draw->keys);
}

void mix_draw(const struct draw *draw, struct random *random, struct mix_step *steps,
                   unsigned count)
{
    enum mix_step_kind kind = draw_kind(draw->mix, random);

    for (unsigned i = 0; i < count; i++) {
        if (i > 0 && !draw->mix->one_kind)
            kind = draw_kind(draw->mix, random);
        draw_step(draw, random, kind, &steps[i]);
    }
}
