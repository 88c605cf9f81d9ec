/*
 * check_batch: prints the verdicts of several histories, one line each, and the counts of all.
 */
#ifndef CLI_CHECK_BATCH_H
#define CLI_CHECK_BATCH_H

#include "base/array.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/report_check.h"

struct batch_entry {
    char *path;
    bool is_wrong;        /* it could not be read or judged */
    enum verdict verdict; /* unless it is wrong */
    int64_t ns;           /* of reading and checking */
    char *told;           /* what was found, or why it is unknown or wrong: one line */
    char *members;        /* of its JSON object */
};

struct check_batch {
    size_t expected; /* histories, those that follow included */
    ARRAY(struct batch_entry) entries;
};

void check_batch_close(struct check_batch *);

MUST_USE enum status check_batch_add(struct check_batch *, const char *path,
                                     const struct check_report *, struct error *);
MUST_USE enum status check_batch_add_error(struct check_batch *, const char *path,
                                           const struct error *why, struct error *);

enum exit_code check_batch_exit_code(const struct check_batch *);

/* What is printed if the time is over before the history, of which this is known, is judged. */
void check_batch_publish(struct check_batch *, const char *path, const struct check_report *, bool json,
                         struct limits *);
/* The last one's verdict stands. */
void check_batch_keep(const struct check_batch *, bool json, struct limits *);

/* The last one's line. */
MUST_USE enum status check_batch_print_last(const struct check_batch *, struct error *);
/* How many there are of each verdict; as JSON, all there is. `others`: files that are no histories. */
MUST_USE enum status check_batch_print_summary(const struct check_batch *, uint32_t others, bool json,
                                               struct error *);
/* A test suite with a case for each history. */
MUST_USE enum status check_batch_write_junit(const struct check_batch *, const char *path,
                                             struct error *);

#endif
