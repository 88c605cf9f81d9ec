#include "history/amend.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/history/foreign/foreign_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void) {}

static const char file[] =
    "{:process 0 :type :ok :f :txn :value [[:r :x nil] [:r :y 3] [:append :l 7] [:r :l []]]}";

/* What is said of the history, and the whole of it then; or, without it, why it is refused. */
static void expect(const struct amendment *amendment, const char *wanted, const char *why)
{
    struct error err = { 0 };
    struct history history;
    enum status status;

    ASSERT_OK(foreign_read_text(&foreign_jepsen_edn, file, strlen(file), &history, &err), &err);
    status = history_amend(&history, amendment, &err);
    if (wanted) {
        char *found;

        ASSERT_OK(status, &err);
        ASSERT_OK(history_check(&history, &err), &err);
        found = foreign_native(&history);
        TEST_ASSERT_EQUAL_STRING(wanted, found);
        free(found);
    } else {
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, status);
        TEST_ASSERT_EQUAL_STRING(why, err.text);
    }
    history_close(&history);
}

#define OPS(x)                                                                                     \
    "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[" x ",{\"r\":\":y\",\"v\":3},"            \
    "{\"append\":\":l\",\"v\":7},{\"r\":\":l\",\"v\":[]}]}\n"

static void amended(const char *const *initials, size_t count, struct history *history)
{
    struct amendment amendment = { .initials = initials, .initial_count = count };
    struct error err = { 0 };

    ASSERT_OK(foreign_read_text(&foreign_jepsen_edn, file, strlen(file), history, &err), &err);
    ASSERT_OK(history_amend(history, &amendment, &err), &err);
    ASSERT_OK(history_check(history, &err), &err);
}

static struct value initial_of(const struct history *history, const char *key)
{
    return history_initial(history, history_find_key(history, text_of(key)));
}

static void initial_values_are_of_one_key_or_of_all_that_nobody_appends_to(void)
{
    static const char *const one[] = { ":y=a b" }, *const all[] = { "0", ":y=3" };
    struct history history;

    amended(one, 1, &history);
    TEST_ASSERT_EQUAL_UINT64(1, history.initial_count);
    TEST_ASSERT_EQUAL(VALUE_TEXT, initial_of(&history, ":y").kind);
    TEST_ASSERT_TRUE(text_equal(history_text(&history, (uint32_t)initial_of(&history, ":y").bits),
                                TEXT("a b")));
    history_close(&history);

    amended(all, 2, &history);
    TEST_ASSERT_EQUAL_UINT64(2, history.initial_count);
    TEST_ASSERT_EQUAL(3, initial_of(&history, ":y").bits);
    TEST_ASSERT_EQUAL(VALUE_INTEGER, initial_of(&history, ":x").kind);
    TEST_ASSERT_EQUAL(VALUE_NULL, initial_of(&history, ":l").kind);
    history_close(&history);
}

static void a_nil_read_that_matches_any_value_has_no_answer(void)
{
    struct amendment amendment = { .nil_reads_match_any = true }, nothing = { .initials = NULL };

    expect(&nothing, OPS("{\"r\":\":x\",\"v\":null}"), NULL);
    expect(&amendment, OPS("{\"r\":\":x\"}"), NULL);
}

static void what_cannot_be_is_refused(void)
{
    const char *const unknown[] = { "z=1" }, *const twice[] = { ":x=1", ":x=2" },
                      *const list[] = { ":x=[1]" };

    expect(&(struct amendment){ .initials = unknown, .initial_count = 1 }, NULL,
           "no operation of the history has the key 'z'");
    expect(&(struct amendment){ .initials = twice, .initial_count = 2 }, NULL,
           "the history says already what the key ':x' begins with");
    expect(&(struct amendment){ .initials = list, .initial_count = 1 }, NULL,
           "an initial value is an integer, true, false, null or a text, not '[1]'");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(initial_values_are_of_one_key_or_of_all_that_nobody_appends_to);
    RUN_TEST(a_nil_read_that_matches_any_value_has_no_answer);
    RUN_TEST(what_cannot_be_is_refused);
    return UNITY_END();
}
