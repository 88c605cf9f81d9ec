#include "tests/audit/tiny_audit.h"

#include "history/io/source.h"
#include "tests/audit/audit_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

void tiny_read_log(const struct tiny_log *tiny, struct tiny_read *read)
{
    struct error err = { 0 };
    struct source source;

    *read = (struct tiny_read){ .text = { 0 } };
    tiny_print(tiny, &read->text);
    tiny_print_program(tiny, &read->program);
    buffer_byte(&read->program, '\0');
    TEST_ASSERT_FALSE(read->text.out_of_memory || read->program.out_of_memory);
    ASSERT_OK(source_open_memory(&source, "tiny", read->text.at, read->text.count, &err), &err);
    ASSERT_OK(call_log_read(&read->log, &source, &err), &err);
    source_close(&source);
    digest_hex(&read->log.digest, read->digest);
}

void tiny_read_close(struct tiny_read *read)
{
    call_log_close(&read->log);
    buffer_close(&read->text);
    buffer_close(&read->program);
}

const struct tiny_asked tiny_asked[TINY_ASKED_COUNT] = {
    { "serializable", LEVEL_SERIALIZABLE, AUDIT_RC_LOCKING, TINY_SERIALIZABLE, 0 },
    { "strict-serializable", LEVEL_STRICT_SERIALIZABLE, AUDIT_RC_LOCKING, TINY_STRICT_SERIALIZABLE, 0 },
    { "snapshot", LEVEL_SNAPSHOT, AUDIT_RC_LOCKING, TINY_SNAPSHOT_BY_VALUE, 1 },
    { "strict-snapshot", LEVEL_STRICT_SNAPSHOT, AUDIT_RC_LOCKING, TINY_STRICT_SNAPSHOT_BY_VALUE, 1 },
    { "read-committed, locking", LEVEL_READ_COMMITTED, AUDIT_RC_LOCKING, TINY_RC_LOCKING, 0 },
    { "read-committed, statement", LEVEL_READ_COMMITTED, AUDIT_RC_STATEMENT, TINY_RC_STATEMENT, 1 },
    { "read-committed, paper", LEVEL_READ_COMMITTED, AUDIT_RC_PAPER, TINY_RC_PAPER, 2 },
};

enum tiny_level tiny_expected_at(const struct tiny_log *log, const struct tiny_read *read,
                                 const struct tiny_asked *asked)
{
    for (unsigned i = 0; i <= asked->stronger; i++) {
        enum tiny_level level = asked->weakest - asked->stronger + i;

        if (tiny_has_execution(log, level, text_of(read->digest), NULL))
            return level;
    }
    return TINY_LEVEL_COUNT;
}

void tiny_audit(const struct tiny_read *read, const struct audit_options *options,
                struct audit_verdict *verdict)
{
    struct program program;
    struct error err = { 0 };

    ASSERT_OK(program_load(&program, text_of(read->program.at), &err), &err);
    ASSERT_OK(audit_run(&read->log, &program, options, verdict, &err), &err);
    program_close(&program);
}

struct verification tiny_verify(const struct tiny_read *read, const struct buffer *witness)
{
    return audited_verify(&read->log, read->program.at, witness);
}
