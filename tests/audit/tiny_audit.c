#include "tests/audit/tiny_audit.h"

#include <stdlib.h>
#include <string.h>

#include "history/io/source.h"
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
    struct verification verification;
    struct error err = { 0 };
    char *copy = malloc(witness->count + 1);

    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, witness->at, witness->count);
    ASSERT_OK(verify_audit(&read->log, text_of(tiny_program), copy, witness->count, &verification, &err), &err);
    free(copy);
    return verification;
}
