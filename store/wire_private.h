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
#include "store/memory.h"
#include "store/stamp_private.h"

struct writer {
    struct pool *pool;
    char *at;
    size_t count, room;
};

struct reader {
    const char *at, *end;
    bool bad;
};

/* Empties it and keeps its room. */
void writer_reset(struct writer *);
void writer_close(struct writer *);
struct text writer_text(const struct writer *);
void writer_make_room(struct writer *, size_t more);

void put_number_slowly(struct writer *, uint64_t);
void put_bytes(struct writer *, const void *, size_t);
void put_text(struct writer *, struct text);
void put_stamp(struct writer *, struct stamp);

static inline void put_byte(struct writer *w, uint8_t byte)
{
    if (w->count == w->room)
        writer_make_room(w, 1);
    w->at[w->count++] = (char)byte;
}

static inline void put_number(struct writer *w, uint64_t number)
{
    if (number < 128)
        put_byte(w, (uint8_t)number);
    else
        put_number_slowly(w, number);
}

static inline void put_signed(struct writer *w, int64_t number)
{
    put_number(w, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

struct reader reader_of(struct text);
uint64_t get_number_slowly(struct reader *);
/* A view into what is read. */
struct text get_bytes(struct reader *, size_t);
struct text get_text(struct reader *);
struct stamp get_stamp(struct reader *);
/* Of elements that take at least a byte each: refuses more than there are bytes. */
uint32_t get_count(struct reader *);

static inline uint8_t get_byte(struct reader *r)
{
    if (r->at == r->end) {
        r->bad = true;
        return 0;
    }
    return (uint8_t)*r->at++;
}

static inline uint64_t get_number(struct reader *r)
{
    if (r->at < r->end && (uint8_t)*r->at < 128)
        return (uint8_t)*r->at++;
    return get_number_slowly(r);
}

static inline int64_t get_signed(struct reader *r)
{
    uint64_t number = get_number(r);

    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/* All of it was read, and all was well. */
static inline bool reader_is_done(const struct reader *r)
{
    return !r->bad && r->at == r->end;
}

#endif
