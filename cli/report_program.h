/*
 * report_program: prints the result of `ordeal program`, for people or as JSON.
 *
 * For people there is one line for each table, function and operation. JSON has the same with names.
 * Values are printed as PostgreSQL prints them.
 */
#ifndef CLI_REPORT_PROGRAM_H
#define CLI_REPORT_PROGRAM_H

#include "base/json_writer.h"
#include "programs/machine/engine.h"
#include "programs/machine/program.h"
#include "programs/sql/access.h"

struct program_report {
    const struct program *program;
    const struct access *accesses;
    struct buffer *out;
    struct json_writer *json; /* NULL: for people */
};

void report_program_tables(const struct program_report *);
void report_program_functions(const struct program_report *);

/* An operation of a call, as engine_watch() tells of it. */
void report_program_operation(const struct program_report *, const struct request *,
                              uint32_t row_count);
void report_program_outcome(const struct program_report *, const struct engine_outcome *,
                            bool is_void);

#endif
