#include "checkers/rows/keys.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "checkers/check_private.h"
#include "history/tables.h"

/* The tables' names as keys spell them. */
static enum status spell_names(const struct history *h, struct intern *names, struct error *err)
{
    struct buffer spelled = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t t = 0; t < h->table_count && status == STATUS_OK; t++) {
        uint32_t number;

        buffer_clear(&spelled);
        tables_spell_text(&spelled, history_text(h, h->table_name[t]));
        status = buffer_status(&spelled, err);
        if (status == STATUS_OK)
            status = intern_add(names, (struct text){ spelled.at, spelled.count }, &number, err);
    }
    buffer_close(&spelled);
    return status;
}

static uint32_t table_of(const struct intern *names, struct text key)
{
    const char *slash = key.length > 0 ? memchr(key.at, '/', key.length) : NULL;

    if (!slash)
        return HISTORY_NONE;
    return intern_find(names, (struct text){ key.at, (size_t)(slash - key.at) });
}

static void count_members(struct keys *k, const struct history *h, const struct intern *names)
{
    for (uint32_t key = 0; key < h->key_count; key++) {
        k->table[key] = table_of(names, history_key(h, key));
        if (k->table[key] != HISTORY_NONE)
            k->slot[key] = k->start[k->table[key] + 1]++;
    }
    array_sum_prefixes(k->start, h->table_count + 1);
}

enum status keys_init(struct keys *k, const struct history *h, struct error *err)
{
    struct intern names = { 0 };
    enum status status;

    static_assert(INTERN_NONE == HISTORY_NONE, "no table is no name");
    *k = (struct keys){ 0 };
    if (h->table_count == 0)
        return STATUS_OK;
    TRY(memory_resize((void **)&k->table, h->key_count, sizeof *k->table, err));
    TRY(memory_resize((void **)&k->slot, h->key_count, sizeof *k->slot, err));
    TRY(check_memory((void **)&k->start, h->table_count + 1, sizeof *k->start, 0, err));
    status = spell_names(h, &names, err);
    if (status == STATUS_OK)
        count_members(k, h, &names);
    intern_close(&names);
    TRY(status);
    TRY(memory_resize((void **)&k->members, k->start[h->table_count], sizeof *k->members, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        if (k->table[key] != HISTORY_NONE)
            k->members[k->start[k->table[key]] + k->slot[key]] = key;
    return STATUS_OK;
}

void keys_close(struct keys *k)
{
    free(k->table);
    free(k->slot);
    free(k->start);
    free(k->members);
    *k = (struct keys){ 0 };
}
