#include "store/sometimes.h"

#include <assert.h>
#include <string.h>

const char *sometimes_name(enum rare_path path)
{
    static const char *const names[SOMETIMES_COUNT] = {
#define SOMETIMES_NAME(enumerator, protocols, name, reach) name,
        SOMETIMES_ALL(SOMETIMES_NAME)
#undef SOMETIMES_NAME
    };

    assert(path < SOMETIMES_COUNT);
    return names[path];
}

/* Whether the word is in the list with blanks. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

bool sometimes_protocols_name(const char *protocols, const char *protocol, bool on_raft)
{
    return protocols[0] == '\0' || has_word(protocols, protocol) ||
           (on_raft && has_word(protocols, "raft"));
}

const char *sometimes_protocols(enum rare_path path)
{
    static const char *const protocols[SOMETIMES_COUNT] = {
#define SOMETIMES_PROTOCOLS(enumerator, protocols, name, reach) protocols,
        SOMETIMES_ALL(SOMETIMES_PROTOCOLS)
#undef SOMETIMES_PROTOCOLS
    };

    assert(path < SOMETIMES_COUNT);
    return protocols[path];
}

bool sometimes_is_of(enum rare_path path, const char *protocol, bool on_raft)
{
    return sometimes_protocols_name(sometimes_protocols(path), protocol, on_raft);
}

bool sometimes_is_outside(enum rare_path path)
{
    enum { SWARM, OUTSIDE };
    static const bool is_outside[SOMETIMES_COUNT] = {
#define SOMETIMES_REACH(enumerator, protocols, name, reach) reach == OUTSIDE,
        SOMETIMES_ALL(SOMETIMES_REACH)
#undef SOMETIMES_REACH
    };

    assert(path < SOMETIMES_COUNT);
    return is_outside[path];
}
