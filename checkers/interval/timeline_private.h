/*
 * timeline: keeps the windows and the order of instants whose times are not known exactly.
 *
 * A point lies somewhere in its window of time. Orders are laid upon points one after
 * the other, and each narrows windows:
 *
 *     p  |-----------|                     p  |-------|
 *     q     |----|         p before q      q     |----|
 *
 * An order that leaves a window empty, or closes a circle, contradicts what is known:
 * then nothing changes, and `chain` tells which orders it contradicts. Orders that the
 * windows imply need not be kept, so that what is kept follows concurrency and not the
 * length of a history.
 *
 * Points are held in a topological order that is mended where a new order runs against it
 * (Pearce and Kelly 2006). A point without orders into it whose window lies before all that
 * is still to come can be released: nothing can lead back to it (Leopard, theorem 5).
 *
 * Whether there is an order between two points is asked very often. A point with few orders
 * out of it is answered by walking them. The orders of a point with more than TIMELINE_WIDE
 * are in a table as well: without times of operations, and so without windows, a point may
 * have as many orders as there are transactions. Whoever asks of one point against very many
 * others brings it into focus first: then each of these knows where it stands to that one.
 */
#ifndef CHECKERS_INTERVAL_TIMELINE_PRIVATE_H
#define CHECKERS_INTERVAL_TIMELINE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"

#define TIMELINE_WIDE 16
#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_BEGINNING INT64_MIN
#define TIMELINE_END INT64_MAX

/* A span of time; TIMELINE_BEGINNING and TIMELINE_END where it is open. */
struct time_window {
    int64_t low, high;
};

/* Why one point comes before another. */
enum order_reason {
    ORDER_PROGRAM,     /* a transaction's own course */
    ORDER_READ,        /* who reads a version comes after its commit */
    ORDER_OVERWRITTEN, /* who reads a version comes before the commit of the next */
    ORDER_INSTALLED,   /* one version comes before another */
    ORDER_LOCKED,      /* one gave a lock back before the other took it; one of them only read */
    ORDER_FIRST_WINS,  /* of two updaters, the other order would have made them concurrent */
    ORDER_FOUND,       /* who looks for rows comes after who made one match, or not match */
    ORDER_NOT_FOUND,   /* who looks for rows comes before who makes one match, or not match */
    ORDER_REASON_COUNT
};

/* One instant comes before another. */
struct instant_order {
    uint32_t from, to; /* points */
    enum order_reason reason;
    uint32_t key;
};

struct kept_order {
    uint32_t from, to;                   /* points; from: TIMELINE_NONE while the order is free */
    uint32_t next_out, next_in, last_in; /* orders */
    uint32_t key, step;                  /* step: the timeline's when it was laid */
    uint8_t reason;
};

struct instant_point {
    int64_t low, high;
    uint64_t rank;                /* rises along orders */
    uint32_t low_by, high_by;     /* the order that moved it last, or none */
    uint32_t first_out, first_in; /* orders */
    uint32_t out_count;           /* orders out of it */
    uint64_t out_bits; /* of each point that there was ever an order to, timeline_bit() */
    uint32_t owner;    /* the caller's, as is is_view */
    uint32_t seen;     /* the search that saw it last */
    uint32_t seen_by;  /* the order by which it did */
    bool is_view, is_live;
    bool is_wide; /* it has had more than TIMELINE_WIDE orders out of it */
};

struct ranked_point {
    uint64_t rank;
    uint32_t point;
};

/* Which records say how the ends of a point's window came about; TIMELINE_NONE: it was so at first. */
struct point_ends {
    uint32_t low, high;
};

/* An end that was moved: by an order of that step, to where another end was. */
struct end_record {
    uint32_t step, source; /* source: that one's record, or TIMELINE_NONE */
};

struct moved_end {
    uint32_t point;
    int64_t low, high;
    uint32_t low_by, high_by;
    struct point_ends ends;
};

/* Whether there is an order between a point and the one in focus. */
struct point_focus {
    uint32_t date; /* of the focus that this is about */
    bool before, after;
};

struct timeline {
    ARRAY(struct instant_point) points;
    ARRAY(struct kept_order) orders;
    ARRAY(uint32_t) free_points, free_orders;
    struct map wide_orders; /* (from, to) of wide points: their order, which may be free by now */
    size_t wide_count;      /* orders in it that are not free */
    uint32_t focus_plus_1;  /* the point in focus; 0: there is none */
    uint32_t focus_date;
    ARRAY(struct point_focus) in_focus; /* by point */
    ARRAY(uint32_t) unheld; /* points that lost the last order into them; the caller's to empty */
    ARRAY(struct kept_order) chain; /* of the last contradiction: each begins where the last ends */
    bool chain_is_circle;           /* it ends where it begins */
    ARRAY(uint32_t) queue;          /* of searches */
    ARRAY(struct ranked_point) found; /* by searches */
    ARRAY(struct moved_end) moved;    /* by the order that is being laid */
    ARRAY(uint64_t) ranks;
    uint64_t next_rank;
    uint32_t search;
    uint32_t step;                    /* of the orders that are laid next: the caller's */
    bool keeps_records;               /* the caller's to set, at first */
    ARRAY(struct point_ends) ends;    /* by point; likewise the next, where records are kept */
    ARRAY(struct end_record) records; /* they outlive the points */
    size_t live_count, live_max;
};

void timeline_close(struct timeline *);

MUST_USE enum status timeline_add(struct timeline *, struct time_window, uint32_t owner,
                                  bool is_view, uint32_t *point, struct error *);

/* Lays an order between two points. `holds` is false if it contradicts what is known. */
MUST_USE enum status timeline_order(struct timeline *, struct instant_order, bool *holds,
                                    struct error *);

/* Questions about this point are quick until another is brought into focus. */
void timeline_focus(struct timeline *, uint32_t point);

/* One of 64: where it is missing there is no order to the point. */
static inline uint64_t timeline_bit(uint32_t point)
{
    return UINT64_C(1) << point % 64;
}

/* Whether windows or an order between just these two say that one comes before the other. */
bool timeline_knows(const struct timeline *, uint32_t from, uint32_t to);

/* The step of an order between just these two; TIMELINE_NONE: there is no such order. */
uint32_t timeline_step(const struct timeline *, uint32_t from, uint32_t to);
struct point_ends timeline_ends(const struct timeline *, uint32_t point);

/* Whether windows or orders, by whatever path, do. */
MUST_USE enum status timeline_implies(struct timeline *, uint32_t from, uint32_t to, bool *implied,
                                      struct error *);

/* A point that nothing leads to goes, with the orders out of it. False: something does. */
MUST_USE enum status timeline_release(struct timeline *, uint32_t point, bool *is_gone,
                                      struct error *);

static inline const struct instant_point *timeline_point(const struct timeline *t, uint32_t point)
{
    return &t->points.at[point];
}

#endif
