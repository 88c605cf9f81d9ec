#include "tests/audit/audit_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

void audit_text(struct audited *a, const char *sql, const char *log, struct audit_options options)
{
    struct error err = { 0 };
    struct source source;

    *a = (struct audited){ .verdict.verdict = VERDICT_UNKNOWN };
    ASSERT_OK(source_open_memory(&source, "log", log, strlen(log), &err), &err);
    ASSERT_OK(call_log_read(&a->log, &source, &err), &err);
    source_close(&source);
    ASSERT_OK(program_load(&a->program, text_of(sql), &err), &err);
    ASSERT_OK(audit_run(&a->log, &a->program, &options, &a->verdict, &err), &err);
}

struct verification audited_verify(const struct call_log *log, const char *sql,
                                   const struct buffer *witness)
{
    return audited_verify_exactly(log, sql, witness, (struct verify_exactness){ 0, 0 });
}

struct verification audited_verify_exactly(const struct call_log *log, const char *sql,
                                           const struct buffer *witness, struct verify_exactness exactness)
{
    struct verification verification;
    struct error err = { 0 };
    char *copy = malloc(witness->count + 1);

    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, witness->at, witness->count);
    ASSERT_OK(verify_audit_exactly(log, text_of(sql), copy, witness->count, exactness, &verification, &err), &err);
    free(copy);
    return verification;
}

void audited_close(struct audited *a)
{
    audit_verdict_close(&a->verdict);
    call_log_close(&a->log);
    program_close(&a->program);
}

void audit_expect(enum verdict expected, const char *sql, const char *log, struct audit_options options,
                  const char *label)
{
    struct verification verified;
    struct audited a;

    options.wants_witness = true;
    audit_text(&a, sql, log, options);
    TEST_ASSERT_EQUAL_MESSAGE(expected, a.verdict.verdict, label);
    verified = audited_verify(&a.log, sql, &a.verdict.witness);
    TEST_ASSERT_TRUE_MESSAGE(verified.is_accepted, verified.reason);
    audited_close(&a);
}
