/*
 * builtin_fixture: built-in workloads for their tests.
 */
#ifndef TESTS_PROGRAMS_WORKLOADS_BUILTIN_FIXTURE_H
#define TESTS_PROGRAMS_WORKLOADS_BUILTIN_FIXTURE_H

#include "programs/workloads/builtin.h"

#define BUILTIN_FIXTURE_ATTEMPTS 4

/* Settings over the defaults: "keys=20 choice=hot". */
struct builtin_options builtin_fixture_options(const char *workload, const char *settings);

/* In the fixture's arena, so that it holds until the next is made. */
struct builtin builtin_fixture_make(const char *workload, const char *settings, uint32_t clients);

/*
 * All requests of one attempt, to its COMMIT or ABORT, when each read finds a row that holds 1000;
 * how many they are, which must be fewer than there is room for.
 */
uint32_t builtin_fixture_play(const struct builtin *, uint32_t client, uint64_t ordinal,
                              uint32_t attempt, struct builtin_request *, uint32_t room);

#endif
