/*
 * wire: the bytes of messages, of log entries and of snapshots.
 *
 * Numbers are LEB128, signed ones zigzagged first; texts have their length in
 * front. A writer grows in a pool. A reader that runs past the end, or meets what
 * no writer makes, reads zeros from then on and is `bad`: whoever reads looks
 * once, at the end.
 */
#ifndef STORE_WIRE_PRIVATE_H
#define STORE_WIRE_PRIVATE_H

#include "base/text.h"
#include "base/pool.h"
#include "store/stamp_private.h"

struct wire_writer {
    struct pool *pool;
    char *at;
    size_t count, room;
};

struct wire_reader {
    const char *at, *end;
    bool bad;
};

/* Empties it and keeps its room. */
void wire_writer_reset(struct wire_writer *);
void wire_writer_close(struct wire_writer *);
struct text wire_writer_text(const struct wire_writer *);
void wire_writer_make_room(struct wire_writer *, size_t more);

void wire_put_number_slowly(struct wire_writer *, uint64_t);
void wire_put_bytes(struct wire_writer *, const void *, size_t);
void wire_put_text(struct wire_writer *, struct text);
void wire_put_stamp(struct wire_writer *, struct stamp);
/*
 * Stamps are most of what asks say, and mostly zero, never, or not long after the run began: such
 * take a byte here, or as many as the time since then needs.
 */
void wire_put_short_stamp(struct wire_writer *, struct stamp);

static inline void wire_put_byte(struct wire_writer *w, uint8_t byte)
{
    if (w->count == w->room)
        wire_writer_make_room(w, 1);
    w->at[w->count++] = (char)byte;
}

static inline void wire_put_number(struct wire_writer *w, uint64_t number)
{
    if (number < 128)
        wire_put_byte(w, (uint8_t)number);
    else
        wire_put_number_slowly(w, number);
}

static inline void wire_put_signed(struct wire_writer *w, int64_t number)
{
    wire_put_number(w, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

struct wire_reader wire_reader_of(struct text);
uint64_t wire_get_number_slowly(struct wire_reader *);
/* A view into what is read. */
struct text wire_get_bytes(struct wire_reader *, size_t);
struct text wire_get_text(struct wire_reader *);
struct stamp wire_get_stamp(struct wire_reader *);
struct stamp wire_get_short_stamp(struct wire_reader *);
/* A number that has a largest value: what is above it spoils the reader. */
uint64_t wire_get_at_most(struct wire_reader *, uint64_t most);
/* What is read is wrong: from now on all numbers are zero. */
void wire_spoil(struct wire_reader *);
/* Of elements that take at least a byte each: refuses more than there are bytes. */
uint32_t wire_get_count(struct wire_reader *);

static inline uint8_t wire_get_byte(struct wire_reader *r)
{
    if (r->at == r->end) {
        r->bad = true;
        return 0;
    }
    return (uint8_t)*r->at++;
}

static inline uint64_t wire_get_number(struct wire_reader *r)
{
    if (r->at < r->end && (uint8_t)*r->at < 128)
        return (uint8_t)*r->at++;
    return wire_get_number_slowly(r);
}

static inline int64_t wire_get_signed(struct wire_reader *r)
{
    uint64_t number = wire_get_number(r);

    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

static inline uint32_t wire_get_number32(struct wire_reader *r)
{
    return (uint32_t)wire_get_at_most(r, UINT32_MAX);
}

/* All of it was read, and all was well. */
static inline bool wire_reader_is_done(const struct wire_reader *r)
{
    return !r->bad && r->at == r->end;
}

#endif
