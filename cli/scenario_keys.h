/*
 * scenario_keys: every key that a scenario may have, in one table.
 *
 * The table drives reading, defaults, range checks, printing and the test that
 * docs/scenarios.md mentions each. A row writes into the struct of its section
 * at its offset. Rows are read in the table's order, so that a key may depend
 * on one above it (a shape on its kind).
 */
#ifndef CLI_SCENARIO_KEYS_H
#define CLI_SCENARIO_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/settings.h"

enum key_kind {
    KEY_NAME,        /* char[SCENARIO_NAME_SIZE] */
    KEY_SEED,        /* uint64_t */
    KEY_COUNT,       /* uint32_t */
    KEY_SIZE,        /* uint64_t */
    KEY_PPM,         /* int32_t */
    KEY_DURATION,    /* int64_t, in ns */
    KEY_PROBABILITY, /* struct ratio */
    KEY_LATENCY,     /* struct given_latency */
    KEY_WORKLOAD,    /* enum workload_kind */
    KEY_BOOLEAN,     /* bool */
    KEY_INDEX,       /* uint32_t, one more than what is written; 0: nothing is */
    KEY_NEMESIS,     /* enum nemesis_kind */
    KEY_SHAPE,       /* enum nemesis_shape, of a struct nemesis_options */
    KEY_VICTIMS,     /* enum nemesis_victims */
    KEY_TIMES,       /* struct nemesis_times */
    KEY_NODES,       /* struct nemesis_nodes */
    KEY_KINDS,       /* uint32_t, a bit for each kind of nemesis */
};

struct key_row {
    const char *name;
    enum key_kind kind;
    size_t offset;
    int64_t low, high;    /* of numbers and durations */
    const char *fallback; /* as it would be written; NULL: it must be given; "": nothing */
    const char *help;
};

struct section {
    const char *name; /* "" for the keys above all sections */
    size_t offset;    /* in struct scenario; of an array of tables, of its first */
    const struct key_row *rows;
    size_t count;
    size_t element_size; /* of an array of tables; 0: a table */
};

extern const struct section scenario_sections[];
extern const size_t scenario_section_count;

/*
 * Reads all keys of a section into `values`. A NULL table has none. Refuses
 * keys that have no row.
 */
MUST_USE enum status section_read(const struct section *, const struct setting *table,
                                  void *values, struct error *);
/* The keys with their values, without the section's header. */
void section_print(const struct section *, const void *values, struct buffer *);

#endif
