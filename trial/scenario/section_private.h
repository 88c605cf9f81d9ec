/*
 * section: reads and prints a section of a scenario by the table of its keys
 * (trial/scenario/keys_private.h).
 */
#ifndef TRIAL_SCENARIO_SECTION_PRIVATE_H
#define TRIAL_SCENARIO_SECTION_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/toml_private.h"

struct scenario;

enum section_key_kind {
    KEY_NAME,        /* char[SCENARIO_NAME_SIZE] */
    KEY_SEED,        /* uint64_t */
    KEY_COUNT,       /* uint32_t */
    KEY_SIZE,        /* uint64_t */
    KEY_PPM,         /* int32_t */
    KEY_DURATION,    /* int64_t, in ns */
    KEY_PROBABILITY, /* struct ratio */
    KEY_LATENCY,     /* struct scenario_latency */
    KEY_WORKLOAD,    /* struct scenario_workload: its kind */
    KEY_BOOLEAN,     /* bool */
    KEY_INDEX,       /* uint32_t, one more than what is written; 0: nothing is */
    KEY_NEMESIS,     /* enum nemesis_kind */
    KEY_SHAPE,       /* enum nemesis_shape, of a struct nemesis_options */
    KEY_VICTIMS,     /* enum nemesis_victims */
    KEY_TIMES,       /* struct nemesis_times */
    KEY_NODES,       /* struct nemesis_nodes */
    KEY_KINDS,       /* uint32_t, a bit for each kind of nemesis */
    KEY_DIMENSIONS,  /* uint32_t, a bit for each dimension of a swarm */
    KEY_DRAWS,       /* struct swarm_draws */
    KEY_SITES,       /* uint64_t, a bit for each site of buggify */
    KEY_PROTOCOL,    /* const struct protocol * */
    KEY_BUGS,        /* struct bugs */
    KEY_PARAMETER,   /* of the builtin in a struct scenario_workload, by the row's name */
    KEY_CALLS,       /* struct scenario_calls */
    KEY_LEVEL,       /* uint32_t, one more than the level; 0: none */
    KEY_CHECKERS,    /* of a struct check_wishes */
    KEY_LINE,        /* char[high + 1] */
    KEY_PATH,        /* likewise: a file, if it is relative, beside the scenario's */
    KEY_EQUALS,      /* likewise: a string, an integer or a decimal */
    KEY_SESSION,     /* char[STEP_SESSION_SIZE]: a name or a number */
    KEY_DO,          /* struct scenario_do */
    KEY_EXPECT,      /* uint32_t, a bit for each enum schedule_outcome */
    KEY_ROWS,        /* struct scenario_rows */
    KEY_STRIKES,     /* of a struct nemesis_options; read by the list it stands in */
    KEY_STEPS,       /* const struct setting *: a list */
    KEY_DATABASE,    /* const struct database * */
    KEY_SETTINGS,    /* struct scenario_settings */
    KEY_EVENTS,      /* struct steering_events */
};

struct section_key {
    const char *name;
    enum section_key_kind kind;
    size_t offset;
    int64_t low, high;    /* of numbers and durations */
    const char *fallback; /* as it would be written; NULL: it must be given; "": nothing */
    const char *help;
    unsigned only; /* of what the section is about, a bit for each; 0: of all */
};

/* What stands in the file, and what becomes of it. */
enum section_type {
    SECTION_TABLE,
    SECTION_LIST,         /* an array of tables; of structs, too */
    SECTION_NEMESES,      /* likewise; with strikes, which are kept apart */
    SECTION_TRANSACTIONS, /* an array of tables, which go into the listing */
};

struct section {
    const char *name; /* "" for the keys above all sections */
    enum section_type type;
    size_t offset;    /* in struct scenario; of an array of tables, of its first */
    bool (*is_there)(const struct scenario *); /* whether it is printed; NULL: always */
    const struct section_key *rows;
    size_t count;
    size_t element_size; /* of an array of structs; else 0 */
    size_t count_offset; /* of an array of tables: where in struct scenario they are counted */
    uint32_t count_max;
    /* What it is about (see key_row.only), and in a word; NULL: there is only one. */
    unsigned (*subject)(const void *values, const char **word);
};

/*
 * Reads all keys of a section into `values`. A NULL table has none. Refuses
 * keys that have no row.
 */
MUST_USE enum status section_read(const struct section *, const struct setting *table,
                                  void *values, struct error *);
/* The keys with their values, without the section's header. */
void section_print(const struct section *, const void *values, struct buffer *);

#endif
