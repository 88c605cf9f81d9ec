#include "cli/audit_tail.h"

#include <poll.h>
#include <stdlib.h>

#include "base/wall_clock.h"
#include "cli/interrupt.h"
#include "cli/tail.h"

#define BLOCK_BYTES ((size_t)1 << 16)
#define NAP_MS 20
#define QUIET_NS ((int64_t)1000000000) /* after that, what has come is audited, be it little */

struct audit_tail {
    struct audit_follow *follow;
    const struct limits *limits;
    const struct progress *progress;
    struct tail tail;
    char *block;
    int64_t came_ns;   /* when something came last */
    size_t waiting;    /* lines that are new since the last step */
    bool is_first;
};

static enum status step(struct audit_tail *t, enum follow_end end, struct audit_verdict *verdict,
                        struct error *err)
{
    audit_verdict_close(verdict);
    t->waiting = 0;
    TRY(audit_follow_step(t->follow, end, verdict, err));
    progress_report(t->progress, t->follow->settled_count, 0);
    return STATUS_OK;
}

static bool is_over(const struct audit_tail *t)
{
    return t->tail.is_over || interrupt_signal() != 0 || limits_is_over(t->limits) ||
           audit_follow_is_stuck(t->follow);
}

static enum status read_block(struct audit_tail *t, size_t *count, struct error *err)
{
    TRY(tail_read(&t->tail, t->block, BLOCK_BYTES, count, err));
    if (t->tail.was_cut) {
        error_set_file(err, t->tail.name);
        return error_set(err, STATUS_BAD_INPUT, "has become shorter while it was followed");
    }
    if (*count == 0)
        return STATUS_OK;
    if (t->is_first)
        TRY(tail_refuse_packed(&t->tail, (struct text){ t->block, *count }, "audit - --follow", err));
    t->is_first = false;
    t->came_ns = wall_clock_ns();
    t->waiting += *count;
    return audit_follow_feed(t->follow, (struct text){ t->block, *count }, err);
}

static enum status read_on(struct audit_tail *t, struct audit_verdict *verdict, struct error *err)
{
    while (!is_over(t)) {
        struct pollfd what = { .fd = t->tail.file, .events = POLLIN };
        size_t count;

        TRY(read_block(t, &count, err));
        if (audit_follow_is_due(t->follow) ||
            (t->waiting > 0 && wall_clock_ns() - t->came_ns > QUIET_NS))
            TRY(step(t, FOLLOW_GOES_ON, verdict, err));
        else if (count == 0 && !t->tail.is_over)
            (void)poll(&what, t->tail.is_regular ? 0 : 1, NAP_MS);
    }
    return STATUS_OK;
}

enum status audit_tail_run(struct audit_follow *follow, const char *path,
                           const struct limits *limits, const struct progress *progress,
                           struct audit_verdict *verdict, struct error *err)
{
    struct audit_tail t = { .follow = follow, .limits = limits, .progress = progress, .is_first = true };
    enum status status;

    *verdict = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    TRY(tail_open(&t.tail, path, err));
    (void)interrupt_notice(true); /* the log may have no other end */
    t.came_ns = wall_clock_ns();
    t.block = malloc(BLOCK_BYTES);
    status = t.block ? read_on(&t, verdict, err)
                     : error_set(err, STATUS_OVER_LIMIT, "no memory to read a log");
    if (status == STATUS_OK)
        status = step(&t, t.tail.is_over ? FOLLOW_ENDS : FOLLOW_IS_CUT, verdict, err);
    free(t.block);
    tail_close(&t.tail);
    return status;
}
