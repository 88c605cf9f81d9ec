/*
 * call_audit: audits what the clients of a run called and were answered, where its scenario asks for that.
 *
 * A history says what was read and what was written, and not whether the one follows from the other by
 * the program. That is what an audit says (audit/audit.h).
 */
#ifndef TRIAL_RUN_CALL_AUDIT_H
#define TRIAL_RUN_CALL_AUDIT_H

#include "audit/audit.h"
#include "trial/run/simulation.h"

struct call_audit {
    enum level level;
    struct call_log log;
    struct audit_verdict verdict;
    char explanation[400]; /* of what is wrong, or empty */
    int64_t ns;
};

/* Of a run whose calls were noted. Closed by call_audit_close(), whatever the status. */
MUST_USE enum status call_audit_run(struct call_audit *, struct simulation *, enum level,
                                    const struct run_options *, struct error *);
void call_audit_close(struct call_audit *);

/* Invalid if either is, and valid only if both are. */
enum verdict call_audit_merge(const struct call_audit *, enum verdict);

#endif
