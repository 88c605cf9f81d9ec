#include "store/clients/arguments.h"

#include <assert.h>

#include "store/clients/arguments_private.h"

#define DRAW_BITS 16 /* of the ordinal's words: so many draws in a transaction */

static uint64_t draw_word(struct argument_source *source)
{
    assert(source->draw_count < UINT32_C(1) << DRAW_BITS);
    return random_draw_at(source->key, source->ordinal << DRAW_BITS | source->draw_count++);
}

static int64_t draw_between(struct argument_source *source, int64_t low, int64_t high)
{
    uint64_t bound = (uint64_t)high - (uint64_t)low + 1;
    uint64_t word = draw_word(source);

    return (int64_t)((uint64_t)low + (bound ? random_scale(word, bound) : word));
}

/* TPC-C, 2.1.6: the constant C is the same for all that a run draws with this A. */
static int64_t draw_nurand(const struct argument *e, struct argument_source *source)
{
    uint64_t width = (uint64_t)e->as.range.high - (uint64_t)e->as.range.low + 1;
    uint64_t constant =
        random_draw_at(source->run, (uint64_t)e->as.range.a) % ((uint64_t)e->as.range.a + 1);
    uint64_t first = (uint64_t)draw_between(source, 0, e->as.range.a);
    uint64_t second = (uint64_t)draw_between(source, e->as.range.low, e->as.range.high);

    return (int64_t)(((first | second) + constant) % width + (uint64_t)e->as.range.low);
}

static const struct argument *draw_part(const struct argument *e, struct argument_source *source)
{
    uint64_t total = e->as.weight_ends[e->part_count - 1];
    uint64_t at = random_scale(draw_word(source), total);
    uint32_t part = 0;

    while (e->as.weight_ends[part] <= at)
        part++;
    return e->parts[part];
}

static enum status draw_text(const struct argument *e, struct argument_source *source,
                             struct heap *heap, struct datum *value, struct sql_error *err)
{
    char *at;
    void *bytes;

    TRY(heap_push(heap, e->as.count, &bytes, err));
    at = bytes;
    for (uint32_t i = 0; i < e->as.count; i++)
        at[i] = (char)draw_between(source, 'a', 'z');
    *value = datum_of_text((struct text){ at, e->as.count });
    return STATUS_OK;
}

static enum status draw_array(const struct argument *e, struct argument_source *source,
                              struct heap *heap, struct datum *value, struct sql_error *err)
{
    struct datum element;
    int64_t *at;
    void *bytes;

    TRY(heap_push(heap, e->as.count * sizeof *at, &bytes, err));
    at = bytes;
    for (uint32_t i = 0; i < e->as.count; i++) {
        TRY(argument_draw(e->parts[0], source, heap, &element, err));
        if (element.kind != DATUM_INTEGER)
            return sql_error_set(err, SQLSTATE_NULL_NOT_ALLOWED, "an array of integers needs them");
        at[i] = element.as.integer;
    }
    *value = (struct datum){ .kind = DATUM_ARRAY, .length = e->as.count, .as.array.at = at };
    return STATUS_OK;
}

static enum status apply(const struct argument *e, struct argument_source *source,
                         struct heap *heap, struct datum *value, struct sql_error *err)
{
    struct datum parts[ARGUMENT_PARTS_MAX];

    for (uint32_t i = 0; i < e->part_count; i++)
        TRY(argument_draw(e->parts[i], source, heap, &parts[i], err));
    return operator_evaluate(&e->as.apply, parts, value, heap, err);
}

enum status argument_draw(const struct argument *e, struct argument_source *source,
                          struct heap *heap, struct datum *value, struct sql_error *err)
{
    switch (e->kind) {
    case ARGUMENT_CONSTANT:
        *value = e->as.constant;
        return STATUS_OK;
    case ARGUMENT_APPLY:
        return apply(e, source, heap, value, err);
    case ARGUMENT_UNIFORM:
        *value = datum_of_int64(draw_between(source, e->as.range.low, e->as.range.high));
        return STATUS_OK;
    case ARGUMENT_ZIPF:
        *value = datum_of_int64(e->as.zipf.low +
                                (int64_t)zipf_rank(&e->as.zipf.ranks, draw_word(source)));
        return STATUS_OK;
    case ARGUMENT_NURAND:
        *value = datum_of_int64(draw_nurand(e, source));
        return STATUS_OK;
    case ARGUMENT_CHOOSE:
        return argument_draw(draw_part(e, source), source, heap, value, err);
    case ARGUMENT_ARRAY:
        return draw_array(e, source, heap, value, err);
    case ARGUMENT_TEXT:
        return draw_text(e, source, heap, value, err);
    case ARGUMENT_FRESH:
        *value = datum_of_int64(source->fresh + source->fresh_count++);
        return STATUS_OK;
    case ARGUMENT_NOW:
        *value = datum_of_timestamp(source->now_ns);
        return STATUS_OK;
    }
    assert(!"a kind of argument that does not exist");
    return STATUS_BAD_INPUT;
}

uint32_t argument_fresh_max(const struct argument *e)
{
    uint32_t sum = e->kind == ARGUMENT_FRESH, most = 0;

    for (uint32_t i = 0; i < e->part_count; i++) {
        uint32_t of_part = argument_fresh_max(e->parts[i]);

        sum += of_part;
        most = of_part > most ? of_part : most;
    }
    if (e->kind == ARGUMENT_CHOOSE)
        return most;
    return e->kind == ARGUMENT_ARRAY ? sum * e->as.count : sum;
}
