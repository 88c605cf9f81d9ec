#include "programs/machine/row_cells.h"

#include <stdbool.h>
#include <string.h>

#define WORD ((size_t)8)

static size_t bytes_behind(const struct datum *d)
{
    size_t bytes = 0;

    if (d->kind == DATUM_TEXT)
        bytes = d->length;
    else if (d->kind == DATUM_ARRAY)
        bytes = (d->length + (d->as.array.nulls ? (d->length + (size_t)63) / 64 : 0)) * WORD;
    return (bytes + WORD - 1) / WORD * WORD;
}

static char *put_behind(char *to, struct datum *d)
{
    size_t bytes = bytes_behind(d), elements = d->length * WORD;

    if (d->kind == DATUM_TEXT) {
        if (d->length > 0)
            memcpy(to, d->as.text, d->length);
        d->as.text = to;
    } else if (d->kind == DATUM_ARRAY) {
        if (d->length > 0)
            memcpy(to, d->as.array.at, elements);
        d->as.array.at = (const int64_t *)(const void *)to;
        if (d->as.array.nulls) {
            memcpy(to + elements, d->as.array.nulls, bytes - elements);
            d->as.array.nulls = (const uint64_t *)(const void *)(to + elements);
        }
    }
    return to + bytes;
}

static bool is_shared(const struct datum *d, const struct datum *before)
{
    return d->kind == DATUM_TEXT && before && before->kind == DATUM_TEXT && d->length == before->length &&
           d->length > 0 && memcmp(d->as.text, before->as.text, d->length) == 0;
}

size_t row_cells_bytes(const struct datum *from, uint32_t count, const struct datum *before)
{
    size_t bytes = count * sizeof *from;

    for (uint32_t i = 0; i < count; i++)
        if (!is_shared(&from[i], before ? &before[i] : NULL))
            bytes += bytes_behind(&from[i]);
    return bytes;
}

void row_cells_copy(struct datum *block, const struct datum *from, uint32_t count, const struct datum *before)
{
    char *behind = (char *)(block + count);

    memcpy(block, from, count * sizeof *block);
    for (uint32_t i = 0; i < count; i++) {
        if (is_shared(&from[i], before ? &before[i] : NULL))
            block[i] = before[i];
        else
            behind = put_behind(behind, &block[i]);
    }
}
