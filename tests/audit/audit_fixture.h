/*
 * audit_fixture: logs as text, audited.
 */
#ifndef TESTS_AUDIT_AUDIT_FIXTURE_H
#define TESTS_AUDIT_AUDIT_FIXTURE_H

#include "audit/audit.h"
#include "verify/verify.h"

struct audited {
    struct call_log log;
    struct program program;
    struct audit_verdict verdict;
};

/* Fails the test if the log or the program is refused. To be closed. */
void audit_text(struct audited *, const char *sql, const char *log, struct audit_options);
/* The witness is left as it is. */
struct verification audited_verify(const struct call_log *, const char *sql, const struct buffer *witness);
struct verification audited_verify_exactly(const struct call_log *, const char *sql, const struct buffer *witness,
                                           struct verify_exactness);
void audited_close(struct audited *);
/* The verdict is this one, and the verifier accepts its witness. */
void audit_expect(enum verdict, const char *sql, const char *log, struct audit_options, const char *label);

#endif
