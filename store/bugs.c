#include "store/bugs.h"

#include <assert.h>
#include <string.h>

static const struct bug_entry entries[BUG_COUNT] = {
#define BUG_ENTRY(enumerator, bug_name, bug_protocols, level, bug_checkers, bug_seen, bug_what)    \
    [BUG_##enumerator] = { .name = bug_name,                                                       \
                           .protocols = bug_protocols,                                             \
                           .checkers = bug_checkers,                                               \
                           .seen = bug_seen,                                                       \
                           .what = bug_what,                                                       \
                           .holds = LEVEL_##level },
    BUGS(BUG_ENTRY)
#undef BUG_ENTRY
};

const struct bug_entry *bug_entry(enum bug bug)
{
    assert(bug < BUG_COUNT);
    return &entries[bug];
}

enum bug bug_find(struct text name)
{
    enum bug bug = 0;

    while (bug < BUG_COUNT && !text_equal(name, text_of(entries[bug].name)))
        bug++;
    return bug;
}

const char *const *bug_names(void)
{
    static const char *const names[BUG_COUNT + 1] = {
#define BUG_NAME(enumerator, name, protocols, level, checkers, seen, what) name,
        BUGS(BUG_NAME)
#undef BUG_NAME
    };

    return names;
}

bool bug_protocol(enum bug bug, unsigned index, struct text *protocol)
{
    const char *at = bug_entry(bug)->protocols;

    for (; index > 0; index--) {
        at = strchr(at, ' ');
        if (!at)
            return false;
        at++;
    }
    *protocol = (struct text){ at, strcspn(at, " ") };
    return true;
}

bool bug_is_of(enum bug bug, const char *protocol, bool on_raft)
{
    struct text one;

    for (unsigned i = 0; bug_protocol(bug, i, &one); i++)
        if (text_equal(one, text_of(protocol)) || (on_raft && text_equal(one, TEXT("raft"))))
            return true;
    return false;
}
