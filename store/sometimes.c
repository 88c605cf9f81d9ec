#include "store/sometimes.h"

#include <assert.h>

const char *sometimes_name(enum rare_path path)
{
    static const char *const names[SOMETIMES_COUNT] = {
#define SOMETIMES_NAME(enumerator, name) name,
        SOMETIMES_ALL(SOMETIMES_NAME)
#undef SOMETIMES_NAME
    };

    assert(path < SOMETIMES_COUNT);
    return names[path];
}
