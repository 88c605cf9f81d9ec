/*
 * report_audit: prints the verdict of an audit, for people or as JSON.
 */
#ifndef CLI_REPORT_AUDIT_H
#define CLI_REPORT_AUDIT_H

#include "audit/audit.h"
#include "base/json_writer.h"

struct audit_report {
    const struct call_log *log; /* with the answer that is wrong, if there is one */
    uint64_t txns;              /* of the whole log */
    bool is_followed;           /* in pieces: who is out of order is not counted */
    const struct audit_verdict *verdict;
    enum level level;
    int64_t parse_ns, ns;
};

/* A line for the verdict and, if it is invalid, the wrong answer with what each state would have answered. */
void report_audit_verdict(const struct audit_report *, struct buffer *);
/* The same below a line for the log. */
void report_audit_print(const struct audit_report *, struct buffer *);
/* The members of a JSON object, as docs/audit.md has it. */
void report_audit_members(const struct audit_report *, struct json_writer *);

#endif
