#include "nemesis/swarm.h"

#include <assert.h>

#define US INT64_C(1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define CHANCE_UNITS 10000 /* so that a chance has four digits */

static const char *const dimension_names[] = {
#define SWARM_ROW(enumerator, name, what) name,
    SWARM_DIMENSIONS(SWARM_ROW)
#undef SWARM_ROW
};

bool swarm_draws_equal(const struct swarm_draws *a, const struct swarm_draws *b)
{
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (a->of[i].is_given != b->of[i].is_given ||
            (a->of[i].is_given && a->of[i].seed != b->of[i].seed))
            return false;
    return true;
}

const char *swarm_dimension_name(enum swarm_dimension dimension)
{
    assert(dimension < SWARM_DIMENSION_COUNT);
    return dimension_names[dimension];
}

bool swarm_find_dimension(struct text name, enum swarm_dimension *dimension)
{
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (text_equal(name, text_of(dimension_names[i]))) {
            *dimension = (enum swarm_dimension)i;
            return true;
        }
    return false;
}

/* Nemeses were drawn before there were other dimensions: their stream has the swarm's name. */
struct random_key swarm_key(const struct swarm_options *swarm, enum swarm_dimension dimension,
                            uint64_t seed)
{
    const struct swarm_seed *given = &swarm->draws.of[dimension];
    struct random_key root = random_key_of_seed(given->is_given ? given->seed : seed);

    if (dimension == SWARM_NEMESIS)
        return random_key_fork(&root, "swarm");
    return random_key_fork(&root, "swarm/%s", swarm_dimension_name(dimension));
}

/* In whole units, so that it reads well in a scenario. */
static int64_t draw_duration(struct random *random, int64_t low_ns, int64_t high_ns, int64_t unit)
{
    return random_magnitude(random, low_ns / unit, high_ns / unit) * unit;
}

static bool fits(enum nemesis_shape shape, const struct swarm_ground *ground)
{
    if (nemesis_shape_is_outside(shape))
        return false;
    if (shape == SHAPE_DISK_BIT_ROT && !ground->can_spare_disk)
        return false;
    return ground->node_count >= nemesis_nodes_needed(shape, VICTIMS_USUAL);
}

static bool may_strike(enum nemesis_shape shape, enum nemesis_victims who,
                       const struct swarm_ground *ground)
{
    if (who == VICTIMS_NODES || !nemesis_shape_allows(shape, who))
        return false;
    if (!ground->has_leaders && (who == VICTIMS_LEADER || who == VICTIMS_LEADERS))
        return false;
    return ground->node_count >= nemesis_nodes_needed(shape, who);
}

/* Any shape of the kind that fits, all alike. False: none does. */
static bool draw_shape(struct random *random, enum nemesis_kind kind,
                       const struct swarm_ground *ground, enum nemesis_shape *shape)
{
    enum nemesis_shape fitting[NEMESIS_SHAPE_COUNT];
    uint64_t count = 0;

    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++)
        if (nemesis_shape_kind((enum nemesis_shape)i) == kind &&
            fits((enum nemesis_shape)i, ground))
            fitting[count++] = (enum nemesis_shape)i;
    if (count == 0)
        return false;
    *shape = fitting[random_below(random, count)];
    /* What rots is felt only where it is read again: it is drawn more often, and see below. */
    if (kind == NEMESIS_DISK && ground->duration_ns > 0 && fits(SHAPE_DISK_BIT_ROT, ground) &&
        random_below(random, 4) == 0)
        *shape = SHAPE_DISK_BIT_ROT;
    return true;
}

/* The shape's own half of the time, else any that it may have. */
static enum nemesis_victims draw_victims(struct random *random, enum nemesis_shape shape,
                                         const struct swarm_ground *ground)
{
    enum nemesis_victims possible[NEMESIS_VICTIMS_COUNT];
    uint64_t count = 0;
    bool own = random_below(random, 2);

    for (int i = VICTIMS_USUAL + 1; i < NEMESIS_VICTIMS_COUNT; i++)
        if (may_strike(shape, (enum nemesis_victims)i, ground))
            possible[count++] = (enum nemesis_victims)i;
    if (count == 0 || own)
        return VICTIMS_USUAL;
    return possible[random_below(random, count)];
}

/*
 * From a strike in a minute, or two in a run that is short, to five in a second, and from a hundredth of that
 * time to half of it: it lets go for about as long as it holds, at least.
 */
static void draw_times(struct random *random, const struct swarm_ground *ground,
                       struct nemesis_options *options)
{
    int64_t longest_ns = 60 * SECOND;

    if (ground->duration_ns > 0 && ground->duration_ns / 2 < longest_ns)
        longest_ns = ground->duration_ns / 2 > 200 * MS ? ground->duration_ns / 2 : 200 * MS;
    options->every_ns = draw_duration(random, 200 * MS, longest_ns, MS);
    if (nemesis_shape_takes(options->shape, NEMESIS_KEY_LASTS))
        options->lasts_ns =
            draw_duration(random, options->every_ns / 100, options->every_ns / 2, US);
}

static void draw_strength(struct random *random, const struct swarm_ground *ground,
                          struct nemesis_options *options)
{
    enum nemesis_shape shape = options->shape;

    if (nemesis_shape_takes(shape, NEMESIS_KEY_AMOUNT))
        options->amount_ns = draw_duration(random, MS, SECOND, US);
    if (nemesis_shape_takes(shape, NEMESIS_KEY_DRIFT))
        options->drift_ppm = (int32_t)random_magnitude(random, 10, 10000);
    if (nemesis_shape_takes(shape, NEMESIS_KEY_CHANCE))
        options->chance =
            (struct ratio){ (uint64_t)random_magnitude(random, CHANCE_UNITS / 1000, CHANCE_UNITS / 2),
                            CHANCE_UNITS };
    /* A short run reads little of a disk: what rots must be much, to be read. */
    if (shape == SHAPE_DISK_BIT_ROT && ground->duration_ns > 0) {
        options->chance.numerator = (uint64_t)random_between(random, CHANCE_UNITS / 20, CHANCE_UNITS);
        options->lasts_ns = 0; /* to the end */
    }
    if (nemesis_shape_takes(shape, NEMESIS_KEY_DELAY))
        options->delay_ns = draw_duration(random, MS, SECOND, US);
    if (nemesis_shape_takes(shape, NEMESIS_KEY_FACTOR))
        options->factor = (uint32_t)random_magnitude(random, 2, 1000);
}

static bool draw_nemesis(struct random *random, enum nemesis_kind kind,
                         const struct swarm_ground *ground, struct nemesis_options *options)
{
    *options = (struct nemesis_options){ .kind = kind };
    if (!draw_shape(random, kind, ground, &options->shape))
        return false;
    options->victims = draw_victims(random, options->shape, ground);
    draw_times(random, ground, options);
    draw_strength(random, ground, options);
    if (ground->has_disks && nemesis_shape_takes(options->shape, NEMESIS_KEY_WHILE_WRITING))
        options->while_writing = random_below(random, 2);
    return true;
}

/* Whether there is a nemesis of this kind with this number, and which. */
static bool draw_number(const struct random_key *key, enum nemesis_kind kind, uint32_t number,
                        const struct swarm_ground *ground, struct nemesis_options *options)
{
    struct random_key own = random_key_fork(key, "%s/%u", nemesis_kind_name(kind), number);
    struct ratio chance = number == 0 ? (struct ratio){ 1, 2 } : (struct ratio){ 1, 4 * number };
    struct random random;

    random_init(&random, &own);
    return random_chance(&random, chance) && draw_nemesis(&random, kind, ground, options);
}

/* Where disks rot in a short run, nodes start again, so that they read them. */
static bool needs_restarts(const struct swarm_ground *ground, const struct nemesis_options *list,
                           uint32_t count)
{
    for (uint32_t i = 0; ground->duration_ns > 0 && i < count; i++)
        if (list[i].shape == SHAPE_DISK_BIT_ROT)
            return true;
    return false;
}

static struct nemesis_options draw_restarts(const struct random_key *key)
{
    struct random_key own = random_key_fork(key, "restarts");
    struct nemesis_options options = { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_RESTART };
    struct random random;

    random_init(&random, &own);
    options.every_ns = draw_duration(&random, 100 * MS, SECOND, MS);
    return options;
}

uint32_t swarm_draw(const struct swarm_options *swarm, const struct swarm_ground *ground,
                    uint64_t seed, struct nemesis_options *list, uint32_t count_max)
{
    struct random_key key = swarm_key(swarm, SWARM_NEMESIS, seed);
    uint32_t count = 0;

    for (int i = 0; i < NEMESIS_KIND_COUNT; i++) {
        enum nemesis_kind kind = (enum nemesis_kind)i;
        if (!(swarm->kinds >> kind & 1) || (kind == NEMESIS_DISK && !ground->has_disks))
            continue;
        for (uint32_t k = 0; count < count_max; k++, count++)
            if (!draw_number(&key, kind, k, ground, &list[count]))
                break;
    }
    if (swarm->kinds >> NEMESIS_CRASH & 1 && count < count_max && needs_restarts(ground, list, count))
        list[count++] = draw_restarts(&key);
    return count;
}
