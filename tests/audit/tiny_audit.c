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
    TEST_ASSERT_FALSE(read->text.out_of_memory);
    ASSERT_OK(source_open_memory(&source, "tiny", read->text.at, read->text.count, &err), &err);
    ASSERT_OK(call_log_read(&read->log, &source, &err), &err);
    source_close(&source);
    digest_hex(&read->log.digest, read->digest);
}

void tiny_read_close(struct tiny_read *read)
{
    call_log_close(&read->log);
    buffer_close(&read->text);
}

struct verification tiny_verify(const struct tiny_read *read, const struct buffer *witness)
{
    return audited_verify(&read->log, tiny_program, witness);
}
