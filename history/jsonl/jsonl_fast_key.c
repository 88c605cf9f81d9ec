#include "history/jsonl/jsonl_fast_private.h"

#include <assert.h>

bool fast_pass_new_key(struct jsonl *reader, const char **at, uint32_t scope, uint32_t *key)
{
    struct error *ignored = &reader->fast->ignored;
    struct text text;

    if (!pass_string(at, &text))
        return false;
    if (scope == SCOPE_WHOLE_KEY)
        return builder_key(reader->builder, text, key, ignored) == STATUS_OK;
    return builder_row_key(reader->builder, scope - 1, text, key, ignored) == STATUS_OK;
}

/* The number that a key `t/7` ends with. */
static int64_t integer_of(struct text key)
{
    const char *slash = memchr(key.at, '/', key.length);
    struct text number = { slash + 1, key.length - (size_t)(slash + 1 - key.at) };
    int64_t integer;
    bool is_integer = text_to_int64(number, &integer);

    assert(is_integer); /* the builder has looked */
    return integer;
}

bool fast_know_keys(struct jsonl *reader, uint32_t key)
{
    const struct builder *builder = reader->builder;
    struct jsonl_fast *fast = reader->fast;

    if (builder_know_key(reader->builder, key, &fast->ignored) != STATUS_OK)
        return false;
    for (size_t k = fast->known.count; k <= key; k++) {
        struct known_key known = { .row = HISTORY_NONE };
        uint32_t table = builder->key_table.at[k];
        if (table != HISTORY_NONE && fast->tables.at[table].integer_key != HISTORY_NONE)
            known.integer = integer_of(intern_text(&builder->keys, (uint32_t)k));
        if (array_push(&fast->known, known, &fast->ignored) != STATUS_OK)
            return false;
    }
    return true;
}
