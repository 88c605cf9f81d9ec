/* Whole histories, made by hand, through the door of the checker. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "history/builder.h"
#include "tests/checkers/checker_fixture.h"
#include "unity.h"

static struct error err;
static struct history history;

void setUp(void)
{
    err = (struct error){ 0 };
    history = (struct history){ 0 };
}

void tearDown(void)
{
    history_close(&history);
}

static struct check check_of(const struct check_options *options)
{
    struct check check;

    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, options, &check, &err), &err);
    return check;
}

static void begin(struct builder *b, int64_t id)
{
    ASSERT_OK(builder_begin_txn(b, id, id % 3, TXN_OK, &err), &err);
}

static void add(struct builder *b, enum op_kind kind, const char *name, int64_t value, int64_t at)
{
    uint32_t key;

    ASSERT_OK(builder_key(b, text_of(name), &key, &err), &err);
    ASSERT_OK(builder_add_op(b, kind, key, value_integer(value), &err), &err);
    ASSERT_OK(builder_set_op_at(b, at, at + 5, &err), &err);
}

static void who_misreads_what_it_wrote_itself_is_told_of(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .profile = profile_find(TEXT("postgresql/snapshot")) };
    struct builder b;
    struct check check;

    builder_init(&b);
    for (int64_t id = 1; id <= 600; id++) {
        bool is_wrong = id == 300 || id == 301 || id == 590;
        char name[20];

        snprintf(name, sizeof name, "k%" PRId64, id % 40);
        begin(&b, id);
        add(&b, OP_WRITE, name, id, 100 * id);
        add(&b, OP_READ, name, id, 100 * id + 10);
        add(&b, OP_WRITE, name, id + 1, 100 * id + 20);
        add(&b, OP_READ, name, is_wrong ? id : id + 1, 100 * id + 30);
        ASSERT_OK(builder_set_txn_at(&b, 100 * id, 100 * id + 50, &err), &err);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    check = check_of(&options);
    TEST_ASSERT_EQUAL(3, check.findings.count);
    for (size_t i = 0; i < check.findings.count; i++)
        TEST_ASSERT_EQUAL(ANOMALY_INTERNAL, check.findings.at[i].kind);
    check_close(&check);
}

/* More of its own than it has slots for at first. */
static void a_large_transaction_knows_what_it_wrote_itself(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .profile = profile_find(TEXT("postgresql/snapshot")) };
    struct check check;
    struct builder b;

    builder_init(&b);
    for (int64_t id = 1; id <= 2; id++) {
        int64_t from = 1000000 * id;

        begin(&b, id);
        for (int64_t round = 0; round < 2; round++)
            for (int64_t i = 0; i < 3000; i++) {
                char name[20];

                snprintf(name, sizeof name, "k%" PRId64, i);
                add(&b, round == 0 ? OP_WRITE : OP_READ, name, i * id + (round == 1 && i == 7),
                    from + 10 * i + 30000 * round);
            }
        ASSERT_OK(builder_set_txn_at(&b, from, from + 100000, &err), &err);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    check = check_of(&options);
    TEST_ASSERT_EQUAL(2, check.findings.count);
    check_close(&check);
}

static void end(struct builder *b, int64_t from, int64_t to)
{
    ASSERT_OK(builder_set_txn_at(b, from, to, &err), &err);
}

/*
 * T2 looks before T1 commits, and T3 looks behind it and before T2 commits: T2 -> T1 -> T3 -> T2.
 * On each key one thing comes after the other, and only dependencies tell.
 */
static void expect_cycle(bool by_read)
{
    struct profile profile = *profile_find(TEXT("postgresql/snapshot"));
    struct check_options options = { .level = LEVEL_SERIALIZABLE, .profile = &profile };
    struct check check;
    struct builder b;

    profile.certifier = CERTIFIER_CYCLES;
    builder_init(&b);
    for (const char *const *name = (const char *const[]){ "x", "y", "z", NULL }; *name; name++) {
        uint32_t key;

        ASSERT_OK(builder_key(&b, text_of(*name), &key, &err), &err);
        ASSERT_OK(builder_add_initial(&b, key, value_integer(1), &err), &err);
    }
    for (int64_t id = 10; id < 15; id++) { /* others, on keys of their own */
        begin(&b, id);
        add(&b, OP_WRITE, "other", id, 1000 * id);
        end(&b, 1000 * id, 1000 * id + 10);
    }
    begin(&b, 2);
    add(&b, OP_READ, "x", 1, 20100);
    add(&b, OP_WRITE, "y", 2, 20300);
    end(&b, 20100, 20310);
    begin(&b, 1);
    add(&b, OP_WRITE, "x", 5, 20140);
    add(&b, OP_WRITE, "z", 5, 20145);
    end(&b, 20140, 20155);
    begin(&b, 3);
    if (by_read)
        add(&b, OP_READ, "x", 5, 20200);
    else
        add(&b, OP_WRITE, "z", 6, 20200);
    add(&b, OP_READ, "y", 1, 20210);
    end(&b, 20200, 20250);
    for (int64_t id = 20; id < 22; id++) {
        begin(&b, id);
        add(&b, OP_READ, "y", 2, 1000 * id + 1000);
        end(&b, 1000 * id + 1000, 1000 * id + 1010);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    check = check_of(&options);
    TEST_ASSERT_EQUAL(1, check.findings.count);
    TEST_ASSERT_EQUAL(ANOMALY_G2_ITEM, check.findings.at[0].kind);
    check_close(&check);
}

static void a_cycle_through_what_was_read_is_found(void)
{
    expect_cycle(true);
}

static void so_is_one_through_what_was_overwritten(void)
{
    expect_cycle(false);
}

static void a_key_of_too_many_versions_is_doubted(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .profile = profile_find(TEXT("postgresql/snapshot")) };
    struct builder b;
    struct check check;

    builder_init(&b);
    begin(&b, 3000000); /* for as long as it runs, nothing is past */
    add(&b, OP_WRITE, "y", 1, 10);
    end(&b, 10, 10000000);
    for (int64_t id = 1; id <= 4400; id++) {
        begin(&b, 3 * id + 1);
        add(&b, OP_WRITE, "x", id, 100 * id);
        end(&b, 100 * id, 100 * id + 10);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    check = check_of(&options);
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "too many versions"));
    check_close(&check);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_misreads_what_it_wrote_itself_is_told_of);
    RUN_TEST(a_large_transaction_knows_what_it_wrote_itself);
    RUN_TEST(a_cycle_through_what_was_read_is_found);
    RUN_TEST(so_is_one_through_what_was_overwritten);
    RUN_TEST(a_key_of_too_many_versions_is_doubted);
    return UNITY_END();
}
