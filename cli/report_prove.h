/*
 * report_prove: prints the matrix of `ordeal prove`, for people or as JSON.
 */
#ifndef CLI_REPORT_PROVE_H
#define CLI_REPORT_PROVE_H

#include "base/json_writer.h"
#include "trial/prove/matrix.h"
#include "trial/prove/mutations.h"
#include "trial/prove/prove.h"

struct prove_report {
    const struct matrix *matrix; /* sorted */
    const struct mutations *mutations; /* NULL: none were made */
    const struct prove_not_judged *not_judged;
    const char *interrupted; /* by which signal; NULL: it was not */
    uint64_t seeds;                    /* of each bug, at first */
    int64_t wall_ns;
    const char *command; /* that makes the page */
};

/*
 * Invalid if somebody missed what the catalogue expects of him, or accused a clean run. As long as
 * there are runs that nobody could judge, or that were not made, a miss may be theirs.
 */
enum verdict report_prove_verdict(const struct prove_report *);

MUST_USE enum status report_prove_print(const struct prove_report *, struct buffer *,
                                        struct error *);
MUST_USE enum status report_prove_print_json(const struct prove_report *, struct buffer *,
                                             struct error *);

/*
 * Prints the matrix as a page of the manual.
 */

/* docs/matrix.md: no times in it, so that it is the same on every machine. */
MUST_USE enum status report_prove_page(const struct prove_report *, struct buffer *, struct error *);

#endif
