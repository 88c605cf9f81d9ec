/*
 * bisect: finds a failing run, says since which moment it fails, and writes it as a capsule. What makes it
 * smaller in between is shrink.h.
 */
#ifndef TRIAL_BISECT_BISECT_H
#define TRIAL_BISECT_BISECT_H

#include <stdatomic.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "history/progress.h"
#include "trial/bisect/case_private.h"
#include "trial/sweep/workers.h"

/* Tries that the machine failed: nothing is known about them. */
struct bisect_not_judged {
    uint64_t count;
    char first[600]; /* why */
};

static inline bool bisect_is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load(stop);
}

void bisect_note_not_judged(struct bisect_not_judged *, const struct work *);

/*
 * Finds the first seed whose run fails, and records that run. Workers try the seeds. The failing run is
 * then repeated in this process with a recording of all that it draws.
 */
struct bisect_search {
    struct scenario *scenario; /* the caller's: its seed becomes that of the failure */
    uint64_t first_seed, last_seed;
    uint64_t runs;
    bool found;
    struct bisect_not_judged not_judged;
    const atomic_bool *stop; /* true: end with what is there; may be NULL */
    struct bisect_origin origin;
    char explanation[400];
    int64_t end_ns; /* of the failing run */
};

/* Closed by bisect_search_close(). */
void bisect_search_open(struct bisect_search *, struct scenario *, uint64_t first_seed,
                        uint64_t last_seed);
void bisect_search_close(struct bisect_search *);
MUST_USE enum status bisect_search(struct bisect_search *, unsigned job_count,
                                   const struct progress *, struct error *);

/*
 * Writes a case as a scenario file that needs no generator (docs/bisect.md).
 *
 * The file lists every transaction and every strike, gives every setting a value, and names the
 * version that made it and the failure. Only a program of SQL is a separate file beside it.
 */

/* As TOML. `from` says what it was made of. */
MUST_USE enum status bisect_capsule_print(const struct bisect_case *, const struct bisect_origin *,
                                          const char *from, struct buffer *, struct error *);
/* Whether a scenario is a capsule of another version than this program's. */
bool bisect_capsule_is_foreign(const struct scenario *);

/*
 * Finds the moment of a run after which its failure becomes likely.
 *
 *     0 s       2 of 16   ██
 *     1.2 s     1 of 16   █
 *     2.4 s    15 of 16   ███████████████
 *
 * The run is repeated unchanged up to a moment. After it, latencies, losses, time-outs, pauses and
 * faults are drawn anew, several times; the clients' requests stay. Where the share of failing runs
 * jumps, something has happened that the failure needs. The moments are first spread evenly; later
 * ones halve the interval of the largest jump.
 */

#define MOMENTS_MAX 40

struct bisect_moment {
    int64_t at_ns;
    uint32_t failed, tried;
};

struct bisect_moments {
    uint32_t count;
    struct bisect_moment at[MOMENTS_MAX]; /* by rising time */
    uint32_t jump; /* between this one and the next */
};

/* What is there at a stop means nothing. */
MUST_USE enum status bisect_when(struct bisect_search *, unsigned job_count,
                                 struct bisect_moments *, const struct progress *, struct error *);
void bisect_when_print(const struct bisect_moments *, struct buffer *);
/* "when":{...} */
void bisect_when_answer(const struct bisect_moments *, struct json_writer *);

#endif
