#include "programs/workloads/builtin.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/programs/workloads/builtin_fixture.h"
#include "unity.h"

static struct error err;
static struct buffer out;

void setUp(void) {}

void tearDown(void)
{
    buffer_close(&out);
}

static void every_parameter_can_be_set_to_what_it_prints(void)
{
    unsigned count;
    const struct workload *const *all = workload_run(&count);

    for (unsigned i = 0; i < count; i++) {
        struct builtin_options options = builtin_defaults(all[i]);

        for (unsigned p = 0; p < PARAMETER_COUNT; p++) {
            enum builtin_parameter parameter = (enum builtin_parameter)p;

            if (!builtin_has_parameter(all[i], parameter))
                continue;
            buffer_clear(&out);
            builtin_print_value(&options, parameter, &out);
            TEST_ASSERT_TRUE(
                text_equal(text_of(all[i]->defaults[p]), (struct text){ out.at, out.count }));
            ASSERT_OK(builtin_set(&options, text_of(builtin_parameter_name(parameter)),
                                  (struct text){ out.at, out.count }, &err),
                      &err);
            TEST_ASSERT_NOT_NULL(builtin_parameter_help(parameter));
        }
    }
}

static void what_cannot_be_set_is_refused_with_its_reason(void)
{
    static const struct {
        const char *workload, *name, *value, *message;
    } rows[] = {
        { "bank", "kyes", "9", "bank has no 'kyes'; did you mean 'keys'?" },
        { "bank", "group", "9", "bank has no 'group'" },
        { "bank", "", "9", "bank has no ''" },
        { "bank", "keys", "0", "keys must be an integer between 1 and 1000000, not '0'" },
        { "bank", "keys", "1000001",
          "keys must be an integer between 1 and 1000000, not '1000001'" },
        { "bank", "keys", "-1", "keys must be an integer between 1 and 1000000, not '-1'" },
        { "bank", "keys", "1.5", "keys must be an integer between 1 and 1000000, not '1.5'" },
        { "bank", "keys", "", "keys must be an integer between 1 and 1000000, not ''" },
        { "bank", "read_percent", "101",
          "read_percent must be an integer between 0 and 100, not '101'" },
        { "bank", "choice", "ziph", "choice has no 'ziph'; did you mean 'zipf'?" },
        { "bank", "choice", "1", "choice must be uniform, zipf or hot, not '1'" },
        { "bank", "theta", "4.1", "theta must be a decimal between 0 and 4, not '4.1'" },
        { "bank", "theta", "-1", "theta must be a decimal between 0 and 4, not '-1'" },
        { "bank", "hot_share", "1.001",
          "hot_share must be a decimal between 0 and 1, not '1.001'" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin_options options = builtin_fixture_options(rows[i].workload, ""),
                               before = options;

        TEST_ASSERT_EQUAL_MESSAGE(
            STATUS_BAD_INPUT,
            builtin_set(&options, text_of(rows[i].name), text_of(rows[i].value), &err),
            rows[i].message);
        TEST_ASSERT_EQUAL_STRING(rows[i].message, err.text);
        TEST_ASSERT_EQUAL_MEMORY(&before, &options, sizeof options);
    }
}

static void what_does_not_go_together_is_refused(void)
{
    static const struct {
        const char *workload, *settings, *message; /* NULL: it does */
    } rows[] = {
        { "ycsb", "operations_min=9", "operations_min is 9, more than operations_max, which is 8" },
        { "ycsb", "operations_min=8", NULL },
        { "ycsb", "keys=10 choice=hot hot_keys=10",
          "hot_keys is 10, but must be less than the 10 there are to choose from" },
        { "ycsb", "keys=10 hot_keys=10", NULL },
        { "ycsb", "keys=10 choice=hot hot_keys=9", NULL },
        { "bank", "keys=1", "keys must be at least 2: money goes from one to another" },
        { "bank", "keys=2", NULL },
        { "long-fork", "keys=10", "keys is 10, but must be a multiple of group, which is 3" },
        { "long-fork", "keys=6 choice=hot hot_keys=2",
          "hot_keys is 2, but must be less than the 2 there are to choose from" },
        { "long-fork", "keys=3", NULL },
        { "write-skew", "keys=3", "keys is 3, but must be even: they are pairs" },
        { "write-skew", "keys=2", NULL },
        { "predicate", "values=20 width=21", "width is 21, more than values, which is 20" },
        { "predicate", "values=20 width=20", NULL },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin_options options =
            builtin_fixture_options(rows[i].workload, rows[i].settings);
        struct random_key key = random_key_of_seed(1);
        struct builtin builtin;
        enum status status = builtin_init(&builtin, &options, (struct builtin_clients){ 1, 1 }, &key,
                                          fixture_arena(), &err);

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].message ? STATUS_BAD_INPUT : STATUS_OK, status,
                                  rows[i].settings);
        if (rows[i].message)
            TEST_ASSERT_EQUAL_STRING(rows[i].message, err.text);
    }
}

static void a_workload_that_has_no_room_is_refused(void)
{
    struct builtin_options options = builtin_fixture_options("ycsb", "keys=100000");
    struct random_key key = random_key_of_seed(1);
    struct builtin builtin;
    struct arena small;

    ASSERT_OK(arena_init(&small, 8192, &err), &err);
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT,
                      builtin_init(&builtin, &options, (struct builtin_clients){ 1000, 1 }, &key, &small, &err));
    TEST_ASSERT_EQUAL_STRING("no memory for 1000 clients", err.text);
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT,
                      builtin_init(&builtin, &options, (struct builtin_clients){ 10, 1 }, &key, &small, &err));
    TEST_ASSERT_EQUAL_STRING("no memory for a distribution over 100000 keys", err.text);
    arena_close(&small);
}

/* The row of the table of defaults. */
static void print_row(enum builtin_parameter parameter)
{
    unsigned count;
    const struct workload *const *all = workload_run(&count);

    buffer_clear(&out);
    buffer_print(&out, "\n| `%s` |", builtin_parameter_name(parameter));
    for (unsigned i = 0; i < count; i++)
        buffer_print(&out, "%s%s |", all[i]->defaults[parameter] ? " " : "",
                     all[i]->defaults[parameter] ? all[i]->defaults[parameter] : "");
    buffer_print(&out, "\n");
    buffer_byte(&out, '\0');
}

static void the_manual_has_every_default(void)
{
    static char manual[1 << 16];
    FILE *file = fopen("docs/workloads.md", "rb");

    if (!file)
        TEST_IGNORE_MESSAGE("docs/workloads.md is not here: run from the root of the tree");
    manual[fread(manual, 1, sizeof manual - 1, file)] = '\0';
    fclose(file);
    for (unsigned p = 0; p < PARAMETER_COUNT; p++) {
        print_row((enum builtin_parameter)p);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(manual, out.at), out.at);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_parameter_can_be_set_to_what_it_prints);
    RUN_TEST(what_cannot_be_set_is_refused_with_its_reason);
    RUN_TEST(what_does_not_go_together_is_refused);
    RUN_TEST(a_workload_that_has_no_room_is_refused);
    RUN_TEST(the_manual_has_every_default);
    return UNITY_END();
}
