#include "base/error.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static enum status refuse(enum status status)
{
    return error_set(&err, status, "refused %d", (int)status);
}

static enum status refuse_through(enum status status, int *reached)
{
    if (status != STATUS_OK)
        TRY(refuse(status));
    ++*reached;
    return STATUS_OK;
}

static void setting_an_error_returns_its_status_and_keeps_the_place(void)
{
    err.line = 7;
    err.offset = 99;
    error_set_file(&err, "bank.toml");
    TEST_ASSERT_EQUAL_INT(STATUS_IO, error_set(&err, STATUS_IO, "no %s, %d times", "luck", 3));
    TEST_ASSERT_EQUAL_INT(STATUS_IO, err.status);
    TEST_ASSERT_EQUAL_STRING("no luck, 3 times", err.text);
    TEST_ASSERT_EQUAL_STRING("bank.toml", err.file);
    TEST_ASSERT_EQUAL_UINT64(7, err.line);
    TEST_ASSERT_EQUAL_UINT64(99, err.offset);
}

static void wrapping_puts_context_in_front_from_the_inside_out(void)
{
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, refuse(STATUS_BAD_INPUT));
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, error_wrap(&err, "storm %d", 3));
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, error_wrap(&err, "scenario"));
    TEST_ASSERT_EQUAL_STRING("scenario: storm 3: refused 1", err.text);
}

static void an_error_may_quote_its_own_text(void)
{
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, error_set(&err, STATUS_BAD_INPUT, "inner"));
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT,
                          error_set(&err, STATUS_BAD_INPUT, "outer (%s)", err.text));
    TEST_ASSERT_EQUAL_STRING("outer (inner)", err.text);
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, error_wrap(&err, "<%s>", err.text));
    TEST_ASSERT_EQUAL_STRING("<outer (inner)>: outer (inner)", err.text);
}

static void too_long_texts_are_cut_at_their_end(void)
{
    static char text[2000];

    memset(text, 'x', sizeof text - 1);
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, error_set(&err, STATUS_BAD_INPUT, "%s", text));
    TEST_ASSERT_EQUAL_UINT64(sizeof err.text - 1, strlen(err.text));
    error_wrap(&err, "context");
    TEST_ASSERT_EQUAL_UINT64(sizeof err.text - 1, strlen(err.text));
    TEST_ASSERT_EQUAL_STRING_LEN("context: xxx", err.text, 12);
    error_wrap(&err, "%s", text);
    TEST_ASSERT_EQUAL_UINT64(sizeof err.text - 1, strlen(err.text));
    error_set_file(&err, text);
    TEST_ASSERT_EQUAL_UINT64(sizeof err.file - 1, strlen(err.file));
}

static void try_returns_on_failure_and_goes_on_after_success(void)
{
    int reached = 0;

    TEST_ASSERT_EQUAL_INT(STATUS_OK, refuse_through(STATUS_OK, &reached));
    TEST_ASSERT_EQUAL_INT(1, reached);
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, refuse_through(STATUS_OVER_LIMIT, &reached));
    TEST_ASSERT_EQUAL_INT(1, reached);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(setting_an_error_returns_its_status_and_keeps_the_place);
    RUN_TEST(wrapping_puts_context_in_front_from_the_inside_out);
    RUN_TEST(an_error_may_quote_its_own_text);
    RUN_TEST(too_long_texts_are_cut_at_their_end);
    RUN_TEST(try_returns_on_failure_and_goes_on_after_success);
    return UNITY_END();
}
