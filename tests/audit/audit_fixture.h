/*
 * audit_fixture: logs as text, audited.
 */
#ifndef TESTS_AUDIT_AUDIT_FIXTURE_H
#define TESTS_AUDIT_AUDIT_FIXTURE_H

#include "audit/audit.h"

struct audited {
    struct call_log log;
    struct program program;
    struct audit_verdict verdict;
};

/* Fails the test if the log or the program is refused. To be closed. */
void audit_text(struct audited *, const char *sql, const char *log, struct audit_options);
void audited_close(struct audited *);

#endif
