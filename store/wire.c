#include "store/wire_private.h"

#include <string.h>

#define ROOM_MIN 256
#define NUMBER_BYTES_MAX 10

void writer_reset(struct writer *w)
{
    w->count = 0;
}

void writer_close(struct writer *w)
{
    pool_give(w->pool, w->at, w->room);
    w->at = NULL;
    w->count = w->room = 0;
}

struct text writer_text(const struct writer *w)
{
    return (struct text){ w->at, w->count };
}

void writer_make_room(struct writer *w, size_t more)
{
    size_t room = w->room < ROOM_MIN ? ROOM_MIN : w->room;

    while (room - w->count < more)
        room *= 2;
    if (room == w->room)
        return;
    w->at = pool_grow(w->pool, w->at, w->room, room);
    w->room = room;
}

void put_number_slowly(struct writer *w, uint64_t number)
{
    char *at;

    writer_make_room(w, NUMBER_BYTES_MAX);
    at = w->at + w->count;
    for (; number >= 128; number >>= 7)
        *at++ = (char)(uint8_t)(number | 128);
    *at++ = (char)(uint8_t)number;
    w->count = (size_t)(at - w->at);
}

void put_bytes(struct writer *w, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    writer_make_room(w, size);
    memcpy(w->at + w->count, bytes, size);
    w->count += size;
}

void put_text(struct writer *w, struct text text)
{
    put_number(w, text.length);
    put_bytes(w, text.at, text.length);
}

void put_stamp(struct writer *w, struct stamp stamp)
{
    put_signed(w, stamp.wall_ns);
    put_number(w, stamp.logical);
    put_number(w, stamp.txn);
}

struct reader reader_of(struct text text)
{
    return (struct reader){ .at = text.at, .end = text.length > 0 ? text.at + text.length : text.at };
}

static void spoil(struct reader *r)
{
    r->bad = true;
    r->at = r->end;
}

uint64_t get_number_slowly(struct reader *r)
{
    const char *at = r->at;
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64 && at < r->end; shift += 7) {
        uint8_t byte = (uint8_t)*at++;
        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            r->at = at;
            return number;
        }
    }
    spoil(r);
    return 0;
}

struct text get_bytes(struct reader *r, size_t size)
{
    struct text bytes = { r->at, size };

    if ((size_t)(r->end - r->at) < size) {
        spoil(r);
        return (struct text){ r->at, 0 };
    }
    r->at += size;
    return bytes;
}

struct text get_text(struct reader *r)
{
    return get_bytes(r, get_number(r));
}

struct stamp get_stamp(struct reader *r)
{
    struct stamp stamp = { .wall_ns = get_signed(r) };
    uint64_t logical = get_number(r);

    if (logical > UINT32_MAX)
        spoil(r);
    stamp.logical = (uint32_t)logical;
    stamp.txn = get_number(r);
    return stamp;
}

uint32_t get_count(struct reader *r)
{
    uint64_t count = get_number(r);

    if (count > (uint64_t)(r->end - r->at) || count > UINT32_MAX) {
        spoil(r);
        return 0;
    }
    return (uint32_t)count;
}
