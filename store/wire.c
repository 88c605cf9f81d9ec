#include "store/wire_private.h"

#include <assert.h>
#include <string.h>

#include "sim/clock.h"

#define ROOM_MIN 256
#define NUMBER_BYTES_MAX 10

void wire_writer_reset(struct wire_writer *w)
{
    w->count = 0;
}

void wire_writer_close(struct wire_writer *w)
{
    pool_give(w->pool, w->at, w->room);
    w->at = NULL;
    w->count = w->room = 0;
}

struct text wire_writer_text(const struct wire_writer *w)
{
    return (struct text){ w->at, w->count };
}

void wire_writer_make_room(struct wire_writer *w, size_t more)
{
    size_t room = w->room < ROOM_MIN ? ROOM_MIN : w->room;

    assert(w->count <= w->room);
    while (room - w->count < more)
        room *= 2;
    if (room == w->room)
        return;
    w->at = pool_grow(w->pool, w->at, w->room, room);
    w->room = room;
}

void wire_put_number_slowly(struct wire_writer *w, uint64_t number)
{
    char *at;

    wire_writer_make_room(w, NUMBER_BYTES_MAX);
    at = w->at + w->count;
    for (; number >= 128; number >>= 7)
        *at++ = (char)(uint8_t)(number | 128);
    *at++ = (char)(uint8_t)number;
    w->count = (size_t)(at - w->at);
}

void wire_put_bytes(struct wire_writer *w, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    wire_writer_make_room(w, size);
    memcpy(w->at + w->count, bytes, size);
    w->count += size;
}

void wire_put_text(struct wire_writer *w, struct text text)
{
    wire_put_number(w, text.length);
    wire_put_bytes(w, text.at, text.length);
}

void wire_put_stamp(struct wire_writer *w, struct stamp stamp)
{
    wire_put_signed(w, stamp.wall_ns);
    wire_put_number(w, stamp.logical);
    wire_put_number(w, stamp.txn);
}

/* The first byte of a short stamp. */
enum { STAMP_ZERO, STAMP_NEVER, STAMP_AT, STAMP_HAS_LOGICAL = 4, STAMP_HAS_TXN = 8 };

void wire_put_short_stamp(struct wire_writer *w, struct stamp at)
{
    if (stamp_is_zero(at)) {
        wire_put_byte(w, STAMP_ZERO);
        return;
    }
    if (stamp_equal(at, stamp_never())) {
        wire_put_byte(w, STAMP_NEVER);
        return;
    }
    wire_put_byte(w, (uint8_t)(STAMP_AT | (at.logical != 0 ? STAMP_HAS_LOGICAL : 0) |
                               (at.txn != 0 ? STAMP_HAS_TXN : 0)));
    wire_put_signed(w, (int64_t)((uint64_t)at.wall_ns - (uint64_t)CLOCK_WALL_EPOCH_NS));
    if (at.logical != 0)
        wire_put_number(w, at.logical);
    if (at.txn != 0)
        wire_put_number(w, at.txn);
}

struct wire_reader wire_reader_of(struct text text)
{
    return (struct wire_reader){ .at = text.at,
                                 .end = text.length > 0 ? text.at + text.length : text.at };
}

void wire_spoil(struct wire_reader *r)
{
    r->bad = true;
    r->at = r->end;
}

uint64_t wire_get_number_slowly(struct wire_reader *r)
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
    wire_spoil(r);
    return 0;
}

struct text wire_get_bytes(struct wire_reader *r, size_t size)
{
    struct text bytes = { r->at, size };

    if ((size_t)(r->end - r->at) < size) {
        wire_spoil(r);
        return (struct text){ r->at, 0 };
    }
    r->at += size;
    return bytes;
}

struct text wire_get_text(struct wire_reader *r)
{
    return wire_get_bytes(r, wire_get_number(r));
}

struct stamp wire_get_stamp(struct wire_reader *r)
{
    struct stamp stamp = { .wall_ns = wire_get_signed(r) };
    uint64_t logical = wire_get_number(r);

    if (logical > UINT32_MAX)
        wire_spoil(r);
    stamp.logical = (uint32_t)logical;
    stamp.txn = wire_get_number(r);
    return stamp;
}

uint32_t wire_get_count(struct wire_reader *r)
{
    uint64_t count = wire_get_number(r);

    if (count > (uint64_t)(r->end - r->at) || count > UINT32_MAX) {
        wire_spoil(r);
        return 0;
    }
    return (uint32_t)count;
}

uint64_t wire_get_at_most(struct wire_reader *r, uint64_t most)
{
    uint64_t number = wire_get_number(r);

    if (number > most) {
        wire_spoil(r);
        return 0;
    }
    return number;
}

struct stamp wire_get_short_stamp(struct wire_reader *r)
{
    struct stamp at = { 0 };
    uint8_t flags = wire_get_byte(r);

    if (flags == STAMP_NEVER)
        return stamp_never();
    if (flags == STAMP_ZERO)
        return at;
    if ((flags & ~(STAMP_HAS_LOGICAL | STAMP_HAS_TXN)) != STAMP_AT)
        wire_spoil(r);
    at.wall_ns = (int64_t)((uint64_t)wire_get_signed(r) + (uint64_t)CLOCK_WALL_EPOCH_NS);
    if (flags & STAMP_HAS_LOGICAL)
        at.logical = (uint32_t)wire_get_at_most(r, UINT32_MAX);
    if (flags & STAMP_HAS_TXN)
        at.txn = wire_get_number(r);
    return at;
}
