/*
 * bisect_search: the run to be made smaller: the first that fails, written down.
 *
 * Every run is one of a worker's; the one that failed is then run again here, where
 * what it draws is recorded.
 */
#ifndef CLI_BISECT_SEARCH_H
#define CLI_BISECT_SEARCH_H

#include "cli/bisect_case.h"
#include "cli/options.h"
#include "cli/progress_bar.h"

struct bisect_search {
    struct scenario *scenario; /* the caller's: its seed becomes that of the failure */
    uint64_t first_seed, last_seed;
    uint64_t runs;
    bool found;
    struct bisect_origin origin;
    char explanation[400];
    int64_t end_ns; /* of the failing run */
};

/* One seed, or those of "A..B", or the scenario's. Closed by bisect_search_close(). */
MUST_USE enum status bisect_search_open(struct bisect_search *, struct scenario *,
                                        const struct option_number *seed, const char *seeds,
                                        struct error *);
void bisect_search_close(struct bisect_search *);
MUST_USE enum status bisect_search(struct bisect_search *, unsigned job_count,
                                   struct progress_bar *, struct error *);

#endif
