#include "checkers/interval/online/recent_private.h"

void recent_close(struct recent *r)
{
    map_close(&r->generations[0]);
    map_close(&r->generations[1]);
}

enum status recent_add(struct recent *r, uint64_t code, bool *is_known, struct error *err)
{
    struct map *younger = &r->generations[r->younger], *elder = &r->generations[!r->younger];
    size_t count = younger->keys.count, place;
    uint64_t ignored;

    if (count == RECENT_KEPT) {
        map_clear(elder);
        r->younger = !r->younger;
        return recent_add(r, code, is_known, err);
    }
    TRY(map_add(younger, code, 0, &place, err));
    *is_known = younger->keys.count == count || map_find(elder, code, &ignored);
    return STATUS_OK;
}
