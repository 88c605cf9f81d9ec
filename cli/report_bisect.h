/*
 * report_bisect: writes the files of a bisection, and prints its result for people or as JSON.
 */
#ifndef CLI_REPORT_BISECT_H
#define CLI_REPORT_BISECT_H

#include "trial/bisect/bisect.h"
#include "trial/bisect/shrink.h"

struct bisect_report {
    const char *path;                    /* of the scenario, as it was given */
    const struct bisect_search *search;
    const char *out;                     /* the folder that was written, or NULL: here */
    char signature[SIGNATURE_SIZE];      /* of the capsule's run */
    size_t transactions, operations, faults;
    uint64_t seed, runs;
    struct bisect_moments when;
    bool has_when;
    const char *interrupted; /* by which signal; NULL: it was not */
    int64_t wall_ns;
};

/*
 * Writes capsule.toml, story.txt and story.svg; the capsule is read again and run again first, and
 * must fail alike.
 */
MUST_USE enum status report_bisect_write(struct bisect_report *, const struct shrink *,
                                         const char *source, const char *folder, struct error *);
void report_bisect_print(const struct bisect_report *, struct buffer *);
/* One JSON object, and the end of the line. */
void report_bisect_print_json(const struct bisect_report *, struct buffer *);

#endif
