/*
 * report_checker: what a checker's verdict looks like, to a person and to a program.
 */
#ifndef CLI_REPORT_CHECKER_H
#define CLI_REPORT_CHECKER_H

#include "base/json_writer.h"
#include "checkers/checker.h"

/* One JSON object within, as docs/checkers.md has it. */
void check_report_answer(struct json_writer *, const char *name, const struct history *,
                         const struct check *, int64_t parse_ns, int64_t check_ns);

/* Its members alone. */
void check_report_members(struct json_writer *, const struct history *, const struct check *,
                          int64_t parse_ns, int64_t check_ns);

/* One of its anomalies. */
void check_report_finding(struct json_writer *, const struct history *, const struct check_finding *);

/* "order  serializable  INVALID  T829 reads ...", without a label or the end of the line. */
void check_report_line(const struct check *, struct buffer *);

/* Lines with the first anomalies and why they are there, and how many more there are. */
void check_report_findings(const struct check *, size_t at_most, struct buffer *);

/* A line on statements that were not judged as a whole; nothing if there are none. */
void check_report_unjudged(uint64_t statements, struct buffer *);

#endif
