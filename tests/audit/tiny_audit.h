/* tiny_audit: a tiny log as the log of calls that it prints as, an audit of it, and what the verifier says. */
#ifndef TESTS_AUDIT_TINY_AUDIT_H
#define TESTS_AUDIT_TINY_AUDIT_H

#include "audit/audit.h"
#include "history/call_log.h"
#include "tests/audit/tiny_oracle.h"
#include "verify/verify.h"

struct tiny_read {
    struct buffer text, program;
    struct call_log log;
    char digest[DIGEST_HEX_SIZE];
};

/* It fails the test if the text is no log. */
void tiny_read_log(const struct tiny_log *, struct tiny_read *);
void tiny_read_close(struct tiny_read *);

/* A level as an audit is asked for it. */
struct tiny_asked {
    const char *name;
    enum level level;
    enum audit_model model;
    enum tiny_level weakest; /* what is held: it, or one of the stronger rules or models before it */
    unsigned stronger;       /* so many before it */
};

#define TINY_ASKED_COUNT 7

extern const struct tiny_asked tiny_asked[TINY_ASKED_COUNT];

/* The first that has an execution, from the strongest on; TINY_LEVEL_COUNT: none. */
enum tiny_level tiny_expected_at(const struct tiny_log *, const struct tiny_read *, const struct tiny_asked *);

void tiny_audit(const struct tiny_read *, const struct audit_options *, struct audit_verdict *);

/* What the verifier says; `witness` stays as it is. */
struct verification tiny_verify(const struct tiny_read *, const struct buffer *witness);

#endif
