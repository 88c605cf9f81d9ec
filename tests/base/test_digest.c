#include "base/digest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static const char *hex_of(const void *bytes, size_t size)
{
    static char hex[DIGEST_HEX_SIZE];
    struct digest_stream stream;
    struct digest digest;

    digest_begin(&stream);
    digest_add(&stream, bytes, size);
    digest = digest_end(&stream);
    digest_hex(&digest, hex);
    return hex;
}

static void it_is_blake2b_256(void)
{
    TEST_ASSERT_EQUAL_STRING("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8",
                             hex_of("", 0));
    TEST_ASSERT_EQUAL_STRING("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
                             hex_of("abc", 3));
}

static void the_parts_that_bytes_come_in_do_not_matter(void)
{
    static char bytes[1000];
    char whole[DIGEST_HEX_SIZE], parts[DIGEST_HEX_SIZE];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    strcpy(whole, hex_of(bytes, sizeof bytes));
    for (size_t part = 1; part < sizeof bytes; part += 37) {
        struct digest_stream stream;
        struct digest digest;

        digest_begin(&stream);
        for (size_t i = 0; i < sizeof bytes; i += part)
            digest_add(&stream, bytes + i, sizeof bytes - i < part ? sizeof bytes - i : part);
        digest = digest_end(&stream);
        digest_hex(&digest, parts);
        TEST_ASSERT_EQUAL_STRING(whole, parts);
    }
}

static void a_number_is_eight_little_endian_bytes(void)
{
    struct digest_stream stream;
    struct digest digest;
    char hex[DIGEST_HEX_SIZE];

    digest_begin(&stream);
    digest_add_number(&stream, UINT64_C(0x0807060504030201));
    digest = digest_end(&stream);
    digest_hex(&digest, hex);
    TEST_ASSERT_EQUAL_STRING(hex_of("\x01\x02\x03\x04\x05\x06\x07\x08", 8), hex);
}

static void a_file_is_its_bytes_and_what_cannot_be_read_is_refused(void)
{
    static const char *const refused[] = { "tests/base", "tests/base/no-such-file" };
    struct digest_stream stream;
    struct error err = { 0 };
    char path[] = "/tmp/digest-XXXXXX", hex[DIGEST_HEX_SIZE];
    int file = mkstemp(path);
    struct digest digest;

    TEST_ASSERT_NOT_EQUAL(-1, file);
    TEST_ASSERT_EQUAL(3, write(file, "abc", 3));
    close(file);
    digest_begin(&stream);
    ASSERT_OK(digest_add_file(&stream, path, &err), &err);
    unlink(path);
    digest = digest_end(&stream);
    digest_hex(&digest, hex);
    TEST_ASSERT_EQUAL_STRING(hex_of("abc", 3), hex);
    for (size_t i = 0; i < 2; i++) {
        digest_begin(&stream);
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_IO, digest_add_file(&stream, refused[i], &err), refused[i]);
        TEST_ASSERT_EQUAL_STRING(refused[i], err.file);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_is_blake2b_256);
    RUN_TEST(the_parts_that_bytes_come_in_do_not_matter);
    RUN_TEST(a_number_is_eight_little_endian_bytes);
    RUN_TEST(a_file_is_its_bytes_and_what_cannot_be_read_is_refused);
    return UNITY_END();
}
