#include "base/base64.h"

#include "unity.h"

static struct buffer buffer;

void setUp(void)
{
    buffer = (struct buffer){ 0 };
}

void tearDown(void)
{
    buffer_close(&buffer);
}

static void bytes_come_back_as_they_were(void)
{
    static const char *const texts[] = { "", "f", "fo", "foo", "foob", "ordeal_items/007" };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct text bytes = text_of(texts[i]);
        struct buffer decoded = { 0 };

        buffer_clear(&buffer);
        base64_print(&buffer, bytes);
        TEST_ASSERT_TRUE_MESSAGE(base64_decode(&decoded, (struct text){ buffer.at, buffer.count }),
                                 texts[i]);
        TEST_ASSERT_EQUAL_UINT64(bytes.length, decoded.count);
        if (bytes.length > 0)
            TEST_ASSERT_EQUAL_MEMORY(bytes.at, decoded.at, bytes.length);
        buffer_close(&decoded);
    }
}

static void the_alphabet_is_the_standard_one(void)
{
    base64_print(&buffer, TEXT("foob\xff\xef"));
    TEST_ASSERT_EQUAL_MEMORY("Zm9vYv/v", buffer.at, 8);
}

static void what_is_no_base64_is_refused(void)
{
    TEST_ASSERT_FALSE(base64_decode(&buffer, TEXT("Zm9")));
    TEST_ASSERT_FALSE(base64_decode(&buffer, TEXT("Z*9v")));
    TEST_ASSERT_EQUAL_UINT64(0, buffer.count);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(bytes_come_back_as_they_were);
    RUN_TEST(the_alphabet_is_the_standard_one);
    RUN_TEST(what_is_no_base64_is_refused);
    return UNITY_END();
}
