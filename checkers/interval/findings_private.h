/*
 * findings: lays orders between instants; an order that contradicts what is known becomes a finding.
 */
#ifndef CHECKERS_INTERVAL_FINDINGS_PRIVATE_H
#define CHECKERS_INTERVAL_FINDINGS_PRIVATE_H

#include "checkers/interval/interval_model_private.h"

/* Begins a finding; NULL: there are enough of them, or no memory. It goes into `findings` at once. */
struct interval_finding *finding_begin(struct interval_model *, enum mechanism, enum anomaly);
void finding_add_txn(struct interval_finding *, uint32_t number, int64_t id);
/* Lays an order of instants; tells if it contradicts what is known. None of them: nothing is. */
MUST_USE enum status findings_lay_order(struct interval_model *, struct timeline *,
                                        struct instant_order, enum mechanism, struct error *);
/* Likewise, on the timeline of all. */
MUST_USE static inline enum status model_order(struct interval_model *m, struct instant_order order,
                                               enum mechanism mechanism, struct error *err)
{
    const struct timeline *t = &m->timeline;

    /* What windows say is most of what is deduced, and need not be laid. */
    return order.from == INTERVAL_NONE || order.to == INTERVAL_NONE ||
                   timeline_point(t, order.from)->high < timeline_point(t, order.to)->low
               ? STATUS_OK
               : findings_lay_order(m, &m->timeline, order, mechanism, err);
}

/* Of two ends of windows that would have to meet, what admitting clock errors makes of it. */
int64_t finding_clock_error(int64_t late, int64_t early);

void finding_tell_key(const struct interval_model *, uint32_t key, struct buffer *);
/* An operation of a transaction, on that key. */
void finding_tell_op(const struct interval_model *, uint32_t number, uint32_t op, uint32_t key,
                     struct buffer *);
/* Which orders moved an end of a point's window, in brackets; nothing where none did. */
void finding_tell_narrowed(const struct interval_model *, uint32_t point, bool is_high,
                           struct buffer *);
/* What is said of an end of a window: "at 12 at the earliest". */
void finding_tell_low(struct time_window, struct buffer *);
void finding_tell_high(struct time_window, struct buffer *);
void finding_tell_times(struct time_window, struct buffer *);

#endif
