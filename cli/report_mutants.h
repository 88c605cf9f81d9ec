/*
 * report_mutants: prints the checkers' verdicts on mutants: a table for people, one for the manual,
 * and JSON.
 */
#ifndef CLI_REPORT_MUTANTS_H
#define CLI_REPORT_MUTANTS_H

#include "base/json_writer.h"
#include "trial/prove/mutations.h"

void report_mutants_print(const struct mutations *, struct buffer *);
void report_mutants_answer(const struct mutations *, struct json_writer *);
void report_mutants_print_page(const struct mutations *, struct buffer *);

#endif
