#include "store/protocol_private.h"

#include <string.h>

#include "base/array.h"

static const struct protocol *const protocols[] = {
#define PROTOCOL_ENTRY(name) &protocol_##name,
    PROTOCOLS(PROTOCOL_ENTRY)
#undef PROTOCOL_ENTRY
};

static const char *const names[] = {
#define PROTOCOL_NAME(name) #name,
    PROTOCOLS(PROTOCOL_NAME)
#undef PROTOCOL_NAME
        NULL
};

const struct protocol *protocol_find(struct text name)
{
    for (size_t i = 0; i < ROW_COUNT(protocols); i++)
        if (text_equal(name, text_of(names[i])))
            return protocols[i];
    return NULL;
}

const char *const *protocol_names(void)
{
    return names;
}

