/*
 * driver_schedule: a scripted interleaving, told to the clients step by step.
 *
 *     step   session 1        session 2          issued
 *      1     begin                               when shards have their leaders
 *      2                      begin              when 1 has come out
 *      3     UPDATE ...                          when 2 has
 *      4                      UPDATE ...         when 3 has; no answer: blocked
 *      5     commit                              a second after 4
 *      6                      await              when 5 has; comes out as 4 did in the end
 *
 * A session does its steps in their order, each when it has been issued and the
 * one before is answered, so that what is issued to a session that is blocked
 * stands behind, and is blocked with it at once; only an await waits again. Once
 * its transaction was aborted (by the store, or as a statement failed) a session
 * skips its steps up to its next begin. Sessions that have nothing to do look for it every ten
 * milliseconds; time is the world's, which no node can read.
 *
 * Statements are functions that a driver of programs runs, one call after another
 * in one transaction; it also writes the history.
 */
#ifndef STORE_CLIENTS_DRIVER_SCHEDULE_H
#define STORE_CLIENTS_DRIVER_SCHEDULE_H

#include "store/clients/driver_program.h"
#include "store/store.h"

struct driver_schedule_options {
    const struct schedule_step *steps; /* must outlive the driver */
    uint32_t step_count, sessions;
    int64_t (*now_ns)(void *context);
    void *now_context;
    struct call_notes *notes; /* where statements and their answers are noted; or NULL */
};

struct driver_schedule;

/*
 * The driver of programs is directed, runs the program that the steps' functions are
 * of, and outlives this. Refuses rows that are expected of what gives none. Closed by
 * driver_schedule_close(), also after a failure.
 */
MUST_USE enum status driver_schedule_open(struct driver_schedule **,
                                          const struct driver_schedule_options *,
                                          struct driver_program *, const struct program *,
                                          struct arena *, struct error *);
void driver_schedule_close(struct driver_schedule *);

const struct driver *driver_schedule_driver(const struct driver_schedule *);
/* At the end of a run that notes statements: transactions that go on still are of unknown outcome. */
void driver_schedule_note_open(struct driver_schedule *);
/* Memory ran out: the run must end. */
bool driver_schedule_is_short(const struct driver_schedule *);

struct schedule_result driver_schedule_result(const struct driver_schedule *, uint32_t step);
MUST_USE bool driver_schedule_check(const struct driver_schedule *, uint32_t step,
                                    struct buffer *sentence);

#endif
