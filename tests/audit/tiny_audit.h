/* tiny_audit: a tiny log as the log of calls that it prints as, and the verifier's word on a witness of it. */
#ifndef TESTS_AUDIT_TINY_AUDIT_H
#define TESTS_AUDIT_TINY_AUDIT_H

#include "history/call_log.h"
#include "tests/audit/tiny.h"
#include "verify/verify.h"

struct tiny_read {
    struct buffer text;
    struct call_log log;
    char digest[DIGEST_HEX_SIZE];
};

/* It fails the test if the text is no log. */
void tiny_read_log(const struct tiny_log *, struct tiny_read *);
void tiny_read_close(struct tiny_read *);

/* What the verifier says; `witness` stays as it is. */
struct verification tiny_verify(const struct tiny_read *, const struct buffer *witness);

#endif
