/*
 * toml_lines: finds the line of each value in a TOML text, and refuses texts that tomlc99 cannot take.
 *
 * tomlc99 keeps no positions, recurses as deeply as its input, and takes quadratic time for very many
 * values. So a walk of our own goes through the text first.
 *
 * A place is named by its path, as in "network.latency.p99". Elements of arrays, and tables of an
 * array of tables, are named by number: "nemesis.0.every".
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
/* In place: \u00e9 becomes \u00E9, as tomlc99 knows no small hex digits there. */
void toml_lines_raise_escapes(char *text, size_t length);
/* 0 if there is no such path. */
uint64_t toml_lines_of(const struct toml_lines *, struct text path);

#endif
