#include "nemesis/shapes.h"

#include <assert.h>

#define TAKES(key) (1u << NEMESIS_KEY_##key)
#define MAY(victims) (1u << VICTIMS_##victims)
#define LED (MAY(LEADER) | MAY(LEADERS) | MAY(NODES))
#define ANY (LED | MAY(ONE) | MAY(SOME) | MAY(MINORITY) | MAY(ALL))

/* What a row has in common with its kind's others. */
#define HOLDS .takes = TAKES(LASTS)
#define AIMED(list) .takes = TAKES(LASTS) | TAKES(VICTIMS), .may = (list)
#define CLOCK_ROW(key, usually, counted)                                                           \
    .takes = TAKES(LASTS) | TAKES(VICTIMS) | (key), .may = ANY, .usual = VICTIMS_##usually,        \
    .fault = FAULT_##counted
#define CRASH_ROW(more, list, usually)                                                             \
    .takes = TAKES(WHILE_WRITING) | (more), .may = (list), .usual = VICTIMS_##usually,             \
    .fault = FAULT_CRASH
#define MESSAGE_ROW(keys, counted)                                                                 \
    .takes = TAKES(LASTS) | TAKES(VICTIMS) | (keys), .may = ANY | MAY(PAIRS),                      \
    .usual = VICTIMS_ALL, .fault = FAULT_##counted
#define DISK_ROW(keys, counted)                                                                    \
    .takes = TAKES(LASTS) | TAKES(VICTIMS) | (keys), .may = ANY, .usual = VICTIMS_ONE,             \
    .fault = FAULT_DISK_##counted
#define OUTSIDE_ROW(counted)                                                                       \
    .takes = TAKES(LASTS) | TAKES(VICTIMS) | TAKES(CHANCE) | TAKES(OUTSIDE), .may = ANY,           \
    .usual = VICTIMS_ONE, .fault = FAULT_DISK_##counted, .outside = true

static const struct traits {
    unsigned takes; /* bits of keys */
    unsigned may;   /* bits of victims beside the usual ones */
    enum nemesis_victims usual;
    enum world_fault fault;
    uint32_t nodes_needed; /* 0: one */
    bool outside;          /* always outside the fault model */
    bool ends_itself;      /* so it cannot hold for ever */
} traits[NEMESIS_SHAPE_COUNT] = {
#define X(shape, kind, name, summary, ...) [SHAPE_##shape] = { __VA_ARGS__ },
    NEMESIS_SHAPES(X)
#undef X
};

static const char *const kind_names[] = {
#define X(kind, name) name,
    NEMESIS_KINDS(X)
#undef X
};

static const struct {
    enum nemesis_kind kind;
    const char *name, *summary;
} shapes[] = {
#define X(shape, kind, name, summary, ...) { NEMESIS_##kind, name, summary },
    NEMESIS_SHAPES(X)
#undef X
};

static const char *const victims_names[] = {
#define X(victims, name, summary) name,
    NEMESIS_VICTIMS(X)
#undef X
};

static const char *const key_names[] = {
#define X(key, name, summary, usual) name,
    NEMESIS_KEYS(X)
#undef X
};

static const struct traits *traits_of(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return &traits[shape];
}

const char *nemesis_kind_name(enum nemesis_kind kind)
{
    assert(kind < NEMESIS_KIND_COUNT);
    return kind_names[kind];
}

const char *nemesis_shape_name(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return shapes[shape].name;
}

const char *nemesis_shape_summary(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return shapes[shape].summary;
}

enum nemesis_kind nemesis_shape_kind(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return shapes[shape].kind;
}

const char *nemesis_victims_name(enum nemesis_victims who)
{
    assert(who < NEMESIS_VICTIMS_COUNT);
    return victims_names[who];
}

const char *nemesis_key_name(enum nemesis_key key)
{
    assert(key < NEMESIS_KEY_COUNT);
    return key_names[key];
}

bool nemesis_find_kind(struct text name, enum nemesis_kind *kind)
{
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        if (text_equal(name, text_of(kind_names[i]))) {
            *kind = (enum nemesis_kind)i;
            return true;
        }
    return false;
}

bool nemesis_find_shape(enum nemesis_kind kind, struct text name, enum nemesis_shape *shape)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++)
        if (shapes[i].kind == kind && text_equal(name, text_of(shapes[i].name))) {
            *shape = (enum nemesis_shape)i;
            return true;
        }
    return false;
}

bool nemesis_find_victims(struct text name, enum nemesis_victims *who)
{
    for (int i = 0; i < NEMESIS_VICTIMS_COUNT; i++)
        if (text_equal(name, text_of(victims_names[i]))) {
            *who = (enum nemesis_victims)i;
            return true;
        }
    return false;
}

enum nemesis_shape nemesis_default_shape(enum nemesis_kind kind)
{
    int shape = 0;

    while (shapes[shape].kind != kind)
        shape++;
    return (enum nemesis_shape)shape;
}

bool nemesis_shape_takes(enum nemesis_shape shape, enum nemesis_key key)
{
    return traits_of(shape)->takes >> key & 1;
}

bool nemesis_shape_allows(enum nemesis_shape shape, enum nemesis_victims who)
{
    return who == VICTIMS_USUAL || traits_of(shape)->may >> who & 1;
}

bool nemesis_shape_is_outside(enum nemesis_shape shape)
{
    return traits_of(shape)->outside;
}

enum world_fault nemesis_shape_fault(enum nemesis_shape shape)
{
    return traits_of(shape)->fault;
}

enum nemesis_victims nemesis_usual_victims(enum nemesis_shape shape)
{
    return traits_of(shape)->usual;
}

bool nemesis_shape_ends_itself(enum nemesis_shape shape)
{
    return traits_of(shape)->ends_itself;
}

uint32_t nemesis_nodes_needed(enum nemesis_shape shape, enum nemesis_victims who)
{
    uint32_t needed = traits_of(shape)->nodes_needed ? traits_of(shape)->nodes_needed : 1;

    if (who == VICTIMS_USUAL)
        who = nemesis_usual_victims(shape);
    if (who == VICTIMS_MINORITY && needed < 3)
        return 3;
    return who == VICTIMS_PAIRS && needed < 2 ? 2 : needed;
}
