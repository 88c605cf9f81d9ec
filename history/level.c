#include "history/level.h"

#include <assert.h>
#include <stddef.h>

static const char *const names[] = {
#define LEVEL_NAME(enumerator, name, promise) name,
    LEVELS(LEVEL_NAME)
#undef LEVEL_NAME
        NULL
};

static const char *const promises[] = {
#define LEVEL_PROMISE(enumerator, name, promise) promise,
    LEVELS(LEVEL_PROMISE)
#undef LEVEL_PROMISE
};

const char *level_name(enum level level)
{
    assert(level < LEVEL_COUNT);
    return names[level];
}

const char *level_promise(enum level level)
{
    assert(level < LEVEL_COUNT);
    return promises[level];
}

bool level_of_text(struct text text, enum level *level)
{
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (text_equal(text, text_of(names[i]))) {
            *level = (enum level)i;
            return true;
        }
    return false;
}

const char *const *level_names(void)
{
    return names;
}
