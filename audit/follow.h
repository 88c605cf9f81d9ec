/*
 * follow: the audit of a log that still grows.
 *
 *     struct audit_follow follow;
 *
 *     audit_follow_init(&follow, &(struct audit_follow_options){ .audit = options, .programs = sql });
 *     while (... something comes ...) {
 *         TRY(audit_follow_feed(&follow, text, err));
 *         if (audit_follow_is_due(&follow))
 *             TRY(audit_follow_step(&follow, FOLLOW_GOES_ON, &verdict, err));
 *     }
 *     TRY(audit_follow_step(&follow, FOLLOW_ENDS, &verdict, err));
 *
 * At each step the lines that are not settled are audited together. If there is an execution, its beginning
 * is settled: its transactions are forgotten, and later ones stand on the rows that they leave (settle_private.h).
 * So memory grows with the rows and with what is open, not with the log.
 *
 * Valid is as good as that of an audit of the whole log, and has the same witness. Once something is settled nothing
 * is refuted any more: another beginning might explain what this one does not. The verdict is then unknown, with the
 * answer that was met; an audit of the whole log may know more.
 */
#ifndef AUDIT_FOLLOW_H
#define AUDIT_FOLLOW_H

#include "audit/audit.h"
#include "base/digest.h"

struct audit_follow_options {
    struct audit_options audit; /* a witness is made at the end */
    const char *name;           /* of the log, for errors; must outlive the follower */
    struct text programs;       /* SQL, likewise */
    uint32_t step;              /* lines that make a step due, and that are kept open; at least 1 */
};

struct follow_line {
    char *text;
    size_t length;
    uint64_t number, offset; /* in the log */
};

/* Ids of settled transactions, from `low` to `high`, both of them included. */
struct follow_range {
    int64_t low, high;
};

struct audit_follow {
    struct audit_follow_options options;
    struct buffer partial; /* a line that has not ended */
    struct buffer header;
    ARRAY(struct follow_line) lines; /* not settled */
    size_t looked_at;                /* so many of them were there at the step before */
    uint64_t line_count, byte_count;
    struct digest_stream digest;
    bool has_hints; /* "ts" is no more than that */

    ARRAY(struct follow_range) ids; /* in order */
    struct audit_settled settled;   /* in all; without its rows */
    uint64_t settled_count;         /* transactions that committed */
    enum audit_model model;
    bool is_by_version;
    struct audit_counts counts; /* of settled transactions; and all runs */
    unsigned failures;          /* steps, one after another, that found no execution */
    char late[200];             /* why nothing more is known, or empty */

    struct call_log log; /* of the last step, its lines numbered as in the whole log */
};

void audit_follow_init(struct audit_follow *, const struct audit_follow_options *);
void audit_follow_close(struct audit_follow *);

/* What comes next, in pieces of any size. */
MUST_USE enum status audit_follow_feed(struct audit_follow *, struct text, struct error *);
bool audit_follow_is_due(const struct audit_follow *);
/* Whether so much has come since an answer that nothing explains that it will not be explained any more. */
bool audit_follow_is_stuck(const struct audit_follow *);

/* FOLLOW_IS_CUT: it is not the log that ends, but the patience. */
enum follow_end { FOLLOW_GOES_ON, FOLLOW_ENDS, FOLLOW_IS_CUT };

/* So many transactions the log has had so far. */
uint64_t audit_follow_txns(const struct audit_follow *);

/* Audits what is open. The verdict is to be closed whatever the status. */
MUST_USE enum status audit_follow_step(struct audit_follow *, enum follow_end,
                                       struct audit_verdict *, struct error *);

#endif
