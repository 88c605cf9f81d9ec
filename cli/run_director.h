/*
 * run_director: `ordeal run SCENARIO --director MODE`: on the directed store, instead of the simulated world.
 */
#ifndef CLI_RUN_DIRECTOR_H
#define CLI_RUN_DIRECTOR_H

#include "cli/command.h"
#include "trial/scenario/scenario.h"

struct run_director_wishes {
    const struct scenario *scenario;
    const char *path;     /* of the scenario */
    const char *director; /* a mode, or a file */
    const char *const *sets;
    size_t set_count;
    const char *out, *audit_log; /* NULL: not wanted */
    bool force, twice, json;
};

MUST_USE enum status run_director(const struct run_director_wishes *, struct limits *,
                                  enum exit_code *, struct error *);

#endif
