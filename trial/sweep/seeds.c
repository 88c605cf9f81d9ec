#include "trial/sweep/seeds.h"

#include <string.h>

#include "base/text.h"
#include "trial/scenario/scenario.h"

static bool read_seed(struct text text, uint64_t *seed)
{
    int64_t value;

    if (!text_to_int64(text, &value) || value < 0 || value > SEED_MAX)
        return false;
    *seed = (uint64_t)value;
    return true;
}

enum status seeds_read(const char *text, uint64_t *first, uint64_t *last, struct error *err)
{
    const char *dots = strstr(text, "..");
    struct text from = { text, dots ? (size_t)(dots - text) : strlen(text) };

    if (!read_seed(from, first) || !read_seed(dots ? text_of(dots + 2) : from, last))
        return error_set(err, STATUS_BAD_INPUT,
                         "--seeds takes 1..100, or one seed, each 0 to 2^53-1, not '%s'", text);
    if (*last < *first)
        return error_set(err, STATUS_BAD_INPUT, "--seeds %s ends before it begins", text);
    return STATUS_OK;
}
