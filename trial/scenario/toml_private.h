/*
 * toml: a TOML file as a tree that knows its lines. Only this unit includes tomlc99.
 *
 *     [network]                             table ""
 *     latency = { median = "1ms" }            table "network"     line 1
 *                                               table "latency"   line 2
 *                                                 string "median" line 2
 *
 * Children are in the order of the file. A setting from the command line (--set) has no line, but
 * knows its flag. The tree lives in the caller's arena. The meaning of the settings is not known here.
 */
#ifndef TRIAL_SCENARIO_TOML_PRIVATE_H
#define TRIAL_SCENARIO_TOML_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum setting_kind {
    SETTING_STRING,
    SETTING_INTEGER,
    SETTING_DECIMAL,
    SETTING_BOOLEAN,
    SETTING_TIME,
    SETTING_TABLE,
    SETTING_ARRAY,
};

struct setting {
    enum setting_kind kind;
    struct text key;  /* empty for the root and for elements of arrays */
    struct text text; /* a string's characters; of other values, as they are written */
    int64_t number;   /* of an integer or boolean */
    uint64_t line;    /* 0: not from the file */
    const char *flag; /* "cluster.nodes=7", or NULL: from the file */
    struct setting *first, *last, *next;
    size_t count; /* of children */
};

/* The root, whose kind is SETTING_TABLE. On failure err->line is set where it is known. */
MUST_USE enum status toml_read(struct text, struct arena *, struct setting **root,
                               struct error *);
/* key=value as with --set: a TOML value, or else a bare string; replaces what was there. */
MUST_USE enum status toml_set(struct setting *root, const char *assignment, struct arena *,
                              struct error *);

/* The bytes of a file; "-" is standard input. */
MUST_USE enum status toml_read_file(const char *path, struct buffer *, struct error *);

/* Refuses keys that are not among the names, which end in NULL: "WHAT has no 'key'". */
MUST_USE enum status toml_check_keys(const struct setting *table, const char *what,
                                     const char *const *names, struct error *);
/* NULL if there is none, or no table. */
struct setting *toml_find(const struct setting *table, struct text key);
/* "a string", "an integer": for messages. */
const char *toml_kind_name(enum setting_kind);
/* Sets the error's line, or puts the flag before its text. Returns its status. */
enum status toml_blame(const struct setting *, struct error *);
/* Refuses the setting, which may be NULL: then nothing is known of the place. */
enum status toml_refuse(const struct setting *, struct error *, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Refuses a string that is none of these names, which end in NULL: with the nearest, or with all. */
enum status toml_refuse_name(const struct setting *, const char *what, const char *const *names,
                             struct error *);

#endif
