#include "tests/fixture.h"

#include <assert.h>
#include <stdlib.h>

#define ARENA_SIZE ((size_t)64 << 20)
#define SOAK_FACTOR 50

struct arena *fixture_arena(void)
{
    static struct arena arena;
    struct error err = { 0 };

    if (!arena.base) {
        enum status status = arena_init(&arena, ARENA_SIZE, &err);
        assert(status == STATUS_OK);
    }
    arena_reset_to(&arena, 0);
    return &arena;
}

size_t fixture_rounds(size_t rounds)
{
    return getenv("ORDEAL_SOAK") ? rounds * SOAK_FACTOR : rounds;
}
