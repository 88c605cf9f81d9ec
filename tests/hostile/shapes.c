#include "tests/hostile/shapes.h"

#include <string.h>

#include "tests/hostile/shapes_private.h"

const struct shape *shape_at(size_t number)
{
    const struct shape *const tables[] = { shapes_of_histories, shapes_of_logs, shapes_of_others };

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct shape *shape = tables[t]; shape->name; shape++)
            if (number-- == 0)
                return shape;
    return NULL;
}

const struct shape *shape_named(const char *name)
{
    const struct shape *shape;

    for (size_t i = 0; (shape = shape_at(i)); i++)
        if (strcmp(shape->name, name) == 0)
            return shape;
    return NULL;
}
