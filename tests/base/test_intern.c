#include "base/intern.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct intern intern;
static struct error err;

void setUp(void)
{
    intern = (struct intern){ 0 };
}

void tearDown(void)
{
    intern_close(&intern);
    TEST_ASSERT_EQUAL_UINT64(0, intern_count(&intern));
}

static uint32_t add(struct text text)
{
    uint32_t number = INTERN_NONE;

    ASSERT_OK(intern_add(&intern, text, &number, &err), &err);
    return number;
}

static void texts_are_numbered_as_they_first_come(void)
{
    TEST_ASSERT_EQUAL_UINT32(0, add(TEXT("x")));
    TEST_ASSERT_EQUAL_UINT32(1, add(TEXT("y")));
    TEST_ASSERT_EQUAL_UINT32(0, add(TEXT("x")));
    TEST_ASSERT_EQUAL_UINT32(2, add(TEXT("xy")));
    TEST_ASSERT_EQUAL_UINT64(3, intern_count(&intern));
    TEST_ASSERT_TRUE(text_equal(TEXT("y"), intern_text(&intern, 1)));
    TEST_ASSERT_TRUE(text_equal(TEXT("xy"), intern_text(&intern, 2)));
}

static void what_was_not_added_is_not_found(void)
{
    TEST_ASSERT_EQUAL_UINT32(INTERN_NONE, intern_find(&intern, TEXT("x")));
    TEST_ASSERT_EQUAL_UINT32(INTERN_NONE, intern_find(&intern, TEXT("")));
    (void)add(TEXT("x"));
    TEST_ASSERT_EQUAL_UINT32(0, intern_find(&intern, TEXT("x")));
    TEST_ASSERT_EQUAL_UINT32(INTERN_NONE, intern_find(&intern, TEXT("")));
    TEST_ASSERT_EQUAL_UINT32(INTERN_NONE, intern_find(&intern, TEXT("x\0")));
}

static void the_empty_text_is_a_text(void)
{
    TEST_ASSERT_EQUAL_UINT32(0, add((struct text){ NULL, 0 }));
    TEST_ASSERT_EQUAL_UINT32(0, add(TEXT("")));
    TEST_ASSERT_EQUAL_UINT64(0, intern_text(&intern, 0).length);
    TEST_ASSERT_EQUAL_UINT32(1, add(TEXT("a")));
    TEST_ASSERT_EQUAL_UINT32(0, intern_find(&intern, TEXT("")));
    TEST_ASSERT_EQUAL_UINT64(0, intern_text(&intern, 0).length);
}

static void texts_differ_in_any_byte_even_behind_a_zero(void)
{
    TEST_ASSERT_EQUAL_UINT32(0, add(TEXT("a\0b")));
    TEST_ASSERT_EQUAL_UINT32(1, add(TEXT("a\0c")));
    TEST_ASSERT_EQUAL_UINT32(2, add(TEXT("a")));
    TEST_ASSERT_EQUAL_UINT32(3, add(TEXT("a\0")));
}

static void many_texts_keep_their_numbers_as_it_grows(void)
{
    const uint32_t count = 100000;
    char text[32];

    for (uint32_t i = 0; i < count; i++) {
        int length = snprintf(text, sizeof text, "key/%u", i * 7919);
        TEST_ASSERT_EQUAL_UINT32(i, add((struct text){ text, (size_t)length }));
    }
    for (uint32_t i = 0; i < count; i++) {
        int length = snprintf(text, sizeof text, "key/%u", i * 7919);
        struct text wanted = { text, (size_t)length };
        TEST_ASSERT_EQUAL_UINT32(i, intern_find(&intern, wanted));
        TEST_ASSERT_TRUE(text_equal(wanted, intern_text(&intern, i)));
    }
    TEST_ASSERT_EQUAL_UINT64(count, intern_count(&intern));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(texts_are_numbered_as_they_first_come);
    RUN_TEST(what_was_not_added_is_not_found);
    RUN_TEST(the_empty_text_is_a_text);
    RUN_TEST(texts_differ_in_any_byte_even_behind_a_zero);
    RUN_TEST(many_texts_keep_their_numbers_as_it_grows);
    return UNITY_END();
}
