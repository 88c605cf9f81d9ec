/*
 * json_fields: the members of a JSON object as fields of a struct, by one table for reading and writing.
 *
 *     static const struct json_row rows[] = {
 *         JSON_ROW("seed", JSON_COUNT, struct run, seed),
 *         JSON_ROW("trace", JSON_WORD, struct run, trace),
 *         { .name = "faults", .type = JSON_LIST, .read = read_fault, .write = write_faults },
 *     };
 *     static const struct json_object run_object = { "a run", rows, ROW_COUNT(rows) };
 *
 * Members may come in any order, and be absent; unknown ones, and those that come twice, are refused.
 */
#ifndef BASE_JSON_FIELDS_H
#define BASE_JSON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

#define JSON_ROWS_MAX 64

enum json_type {
    JSON_OWN,     /* read and written by the row's functions */
    JSON_LIST,    /* an array: its functions read an element, and write all of them */
    JSON_COUNT,   /* uint64_t */
    JSON_COUNT32, /* uint32_t */
    JSON_INTEGER, /* int64_t */
    JSON_FLAG,    /* bool, as 0 or 1 */
    JSON_WORD,    /* char[], which ends in zero */
};

struct json_row {
    const char *name;
    enum json_type type;
    size_t offset, size; /* of the field */
    enum status (*read)(struct json *, void *owner, struct error *);
    void (*write)(const void *owner, const char *name, struct json_writer *);
    bool (*is_there)(const void *owner); /* or else it is not written; NULL: always */
};

#define JSON_ROW(its_name, its_type, owner, field)                                                 \
    { .name = its_name, .type = its_type, .offset = offsetof(owner, field),                        \
      .size = sizeof ((owner *)0)->field }

struct json_object {
    const char *what; /* "a run" */
    const struct json_row *rows;
    size_t count; /* at most JSON_ROWS_MAX */
};

/* Into a struct that is all zero. */
MUST_USE enum status json_fields_read(struct json *, const struct json_object *, void *owner,
                                      struct error *);
/* A line that is one such object. */
MUST_USE enum status json_fields_read_line(struct text line, const struct json_object *, void *owner,
                                           struct error *);
/* With its brackets; a NULL name is for elements, and for the whole. */
void json_fields_write(struct json_writer *, const char *name, const struct json_object *,
                       const void *owner);

/* --- For the functions of rows ---------------------------------------------------------------- */

/* Not below zero. */
MUST_USE enum status json_fields_count(struct json *, uint64_t *, struct error *);
/* A text that has room in size - 1 bytes. */
MUST_USE enum status json_fields_word(struct json *, char *word, size_t size, struct error *);
/* A copy, to be freed. */
MUST_USE enum status json_fields_copy(struct json *, char **copy, struct error *);

#endif
