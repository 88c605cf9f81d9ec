/*
 * toml_lines: where things stand in a TOML text, and whether tomlc99 may read it.
 *
 * tomlc99 keeps no positions, recurses as deep as its input does, and takes
 * quadratic time for very many values; so a walk of our own through the text goes before it,
 * which finds the places and refuses what is too much.
 *
 * A place is named by its path, as in "network.latency.p99"; elements of
 * arrays, and tables of an array of tables, by number: "nemesis.0.every".
 */
#ifndef TRIAL_SCENARIO_TOML_LINES_PRIVATE_H
#define TRIAL_SCENARIO_TOML_LINES_PRIVATE_H

#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/text.h"

#define TOML_BYTES_MAX 1000000
#define TOML_DEPTH_MAX 64     /* brackets within brackets; parts of a dotted key */
#define TOML_VALUES_MAX 10000 /* keys and elements */
#define TOML_STRING_MAX 65536 /* bytes */

struct toml_lines {
    struct intern paths;
    ARRAY(uint64_t) line;         /* by path */
    ARRAY(uint32_t) tables_count; /* by path: tables of an array of tables so far */
    uint64_t odd_line;            /* the first on which something stands out of place, or 0 */
};

/*
 * Refuses what tomlc99 must not see, and sets the line; finds the places of what it may. If that is not TOML
 * they mean nothing, but for odd_line: tomlc99 does not always say where it stopped.
 */
MUST_USE enum status toml_lines_find(struct toml_lines *, struct text, struct error *);
void toml_lines_close(struct toml_lines *);
/* 0 if there is no such path. */
uint64_t toml_lines_of(const struct toml_lines *, struct text path);

#endif
