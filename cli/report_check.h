/*
 * report_check: prints the verdict of one checker, or of a jury, for people or as JSON.
 */
#ifndef CLI_REPORT_CHECK_H
#define CLI_REPORT_CHECK_H

#include "base/json_writer.h"
#include "trial/run/jury.h"

/* "checks": an object for each juror, as docs/checkers.md has it. */
void report_check_jurors(struct json_writer *, const struct history *, const struct jury *);
/* Who was not asked, and why. */
void report_check_skipped(struct json_writer *, const struct jury *);

/*
 * "order  serializable  INVALID  T829 reads ...", behind the label; and lines with its first anomalies and why they
 * are there, and how many more there are.
 */
void report_checker_print(const char *label, const struct check *, size_t findings_max,
                          struct buffer *);
/* That of each juror, and who was not asked, and why. */
void report_jurors_print(const struct jury *, struct buffer *);
void report_skipped_print(const struct jury *, struct buffer *);

/*
 * A finding of a checker, of a run or of a watcher: for people, with its drawing below; in JSON, with the
 * transactions' ids written between the two calls.
 */
void report_finding_print(const char *label, enum anomaly, struct text explanation,
                          struct text drawing, struct buffer *);
void report_finding_open(struct json_writer *, enum anomaly);
void report_finding_close(struct json_writer *, struct text explanation);

/* A line on statements that were not judged as a whole; nothing if there are none. */
void report_checker_unjudged(uint64_t statements, struct buffer *);

struct check_report {
    const struct jury *jury;
    const struct history *history;
    int64_t parse_ns;
    int64_t search_ns;      /* of the search for clock_error_ns */
    bool is_named;          /* one checker was named: the answer is its own */
    int64_t clock_error_ns; /* with which nothing is found; 0: nobody knows */
};

/* A line for each checker with its findings, the verdict, and the transactions that were named. */
MUST_USE enum status report_check_print(const struct check_report *, struct buffer *, struct error *);

/* The members of a JSON object, as docs/checkers.md has it. */
void report_check_members(const struct check_report *, struct json_writer *);

#endif
