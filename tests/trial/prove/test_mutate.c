#include "trial/prove/mutate_private.h"

#include <string.h>

#include "checkers/checker.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "trial/prove/mutations.h"
#include "unity.h"

static struct sketch sketch;
static struct error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
}

void tearDown(void) {}

static void take(const char *notation)
{
    struct history h;

    notation_read(notation, &h);
    TEST_ASSERT_TRUE(sketch_take(&sketch, &h));
    history_close(&h);
}

static enum mutant_end end_of(const struct mutant *mutant, const char *checker)
{
    for (unsigned i = 0; checkers_all()[i]; i++)
        if (strcmp(checkers_all()[i]->name, checker) == 0)
            return mutant->ends[i];
    TEST_FAIL_MESSAGE("there is no such checker");
    return MUTANT_NOT_ASKED;
}

static struct mutant judge(const char *notation)
{
    struct mutant mutant;

    take(notation);
    ASSERT_OK(mutate_judge(&sketch, LEVEL_SERIALIZABLE, &mutant, &err), &err);
    TEST_ASSERT_TRUE(mutant.is_history);
    return mutant;
}

static void what_is_wrong_is_caught(void)
{
    struct mutant mutant = judge("T1 ts1: w x 1; T2 ts2: r x 1, w x 2; T3 ts3: r x 1, w x 3; "
                                 "order x T1 T2 T3");

    TEST_ASSERT_TRUE(mutant.is_wrong);
    TEST_ASSERT_EQUAL(MUTANT_CAUGHT, end_of(&mutant, "order"));
    TEST_ASSERT_EQUAL(MUTANT_CAUGHT, end_of(&mutant, "certificate"));
    TEST_ASSERT_EQUAL(MUTANT_CAUGHT, end_of(&mutant, "blackbox"));
}

static void who_believes_the_certificate_is_stricter(void)
{
    struct mutant mutant = judge("T1 ts2: w x 1; T2 ts1: r x 1, w x 2; T3 ts3: r x 2; "
                                 "order x T2 T1");

    TEST_ASSERT_FALSE(mutant.is_wrong);
    TEST_ASSERT_EQUAL(MUTANT_STRICTER, end_of(&mutant, "order"));
    TEST_ASSERT_EQUAL(MUTANT_LEFT, end_of(&mutant, "blackbox"));
}

static void without_a_certificate_some_are_not_asked(void)
{
    struct mutant mutant = judge("T1: w x 1; T2: r x 1");

    TEST_ASSERT_FALSE(mutant.is_wrong);
    TEST_ASSERT_EQUAL(MUTANT_NOT_ASKED, end_of(&mutant, "order"));
    TEST_ASSERT_EQUAL(MUTANT_LEFT, end_of(&mutant, "blackbox"));
}

/* Draws until there is a place for it. */
static void mutate_somewhere(enum mutation mutation)
{
    struct random_key key = random_key_of_seed(1);
    struct random random;

    random_init(&random, &key);
    for (int i = 0; i < 100; i++)
        if (mutate(&sketch, mutation, &random))
            return;
    TEST_FAIL_MESSAGE(mutate_name(mutation));
}

static void a_split_transaction_keeps_all_that_it_did(void)
{
    take("T1 s1 @10-30 ts1: w x 1, w y 2; T5 s2 @40-50 ts2: r x 1; order x T1; order y T1");
    mutate_somewhere(MUTATION_SPLIT);
    TEST_ASSERT_EQUAL_UINT32(3, sketch.txn_count);
    TEST_ASSERT_EQUAL_INT64(6, sketch.txns[1].id);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.txns[0].op_count);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.txns[1].op_count);
    TEST_ASSERT_EQUAL_INT64(sketch.txns[0].session, sketch.txns[1].session);
    TEST_ASSERT_EQUAL_INT64(20, sketch.txns[0].completed);
    TEST_ASSERT_EQUAL_INT64(20, sketch.txns[1].invoked);
    TEST_ASSERT_EQUAL_INT64(30, sketch.txns[1].completed);
    TEST_ASSERT_EQUAL_UINT32(0, sketch.order[0][0]);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.order[1][0]);
    TEST_ASSERT_EQUAL_INT64(5, sketch.txns[2].id);
}

static void joined_transactions_do_what_both_did(void)
{
    take("T1 s1 @10-20: w x 1; T2 s2 @12-13: r x 1; T3 s1 @30-40: w y 2; order x T1; order y T3");
    mutate_somewhere(MUTATION_JOIN);
    TEST_ASSERT_EQUAL_UINT32(2, sketch.txn_count);
    TEST_ASSERT_EQUAL_UINT32(2, sketch.txns[0].op_count);
    TEST_ASSERT_EQUAL_INT64(40, sketch.txns[0].completed);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.order_count[0]);
    TEST_ASSERT_EQUAL_UINT32(0, sketch.order_count[1]);
}

static void who_is_gone_leaves_the_version_orders(void)
{
    take("T1: w x 1; T2: w x 2; order x T1 T2");
    mutate_somewhere(MUTATION_DROP_TXN);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.txn_count);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.order_count[0]);
    TEST_ASSERT_EQUAL_UINT32(0, sketch.order[0][0]);
    take("T1: w x 1; T2: w x 2; order x T1 T2");
    mutate_somewhere(MUTATION_ABORT);
    TEST_ASSERT_EQUAL_UINT32(1, sketch.order_count[0]);
}

/* Recordings come in any order from the workers. */
static void recordings_add_up_in_any_order(void)
{
    struct mutations there, back;
    struct buffer lines[4] = { { 0 } };

    mutations_init(&there);
    mutations_init(&back);
    for (uint64_t i = 0; i < 4; i++)
        ASSERT_OK(mutations_work(i, &lines[i], &err), &err);
    for (uint64_t i = 0; i < 4; i++)
        ASSERT_OK(mutations_add(&there, i, (struct text){ lines[i].at, lines[i].count }, &err),
                  &err);
    for (uint64_t i = 4; i-- > 0;)
        ASSERT_OK(mutations_add(&back, i, (struct text){ lines[i].at, lines[i].count }, &err),
                  &err);
    TEST_ASSERT_EQUAL_UINT64(there.recordings, back.recordings);
    TEST_ASSERT_EQUAL_MEMORY(there.sums, back.sums, sizeof there.sums);
    TEST_ASSERT_GREATER_THAN_UINT64(0, there.sums[MUTATION_STALE_READ].wrong);
    TEST_ASSERT_GREATER_THAN_UINT64(0, mutations_count(&there, 0, MUTANT_CAUGHT));
    TEST_ASSERT_FALSE(mutations_are_bad(&there));
    for (unsigned i = 0; i < JURY_MAX; i++)
        for (unsigned k = 0; k < MUTANT_END_COUNT; k++) {
            TEST_ASSERT_EQUAL_UINT64(there.first[i][k].recording, back.first[i][k].recording);
            if (there.first[i][k].recording != UINT64_MAX)
                TEST_ASSERT_EQUAL(there.first[i][k].mutation, back.first[i][k].mutation);
        }
    there.sums[MUTATION_SPLIT].ends[0][MUTANT_MISSED]++;
    TEST_ASSERT_TRUE(mutations_are_bad(&there));
    back.sums[MUTATION_SPLIT].ends[1][MUTANT_ACCUSED]++;
    TEST_ASSERT_TRUE(mutations_are_bad(&back));
    for (int i = 0; i < 4; i++)
        buffer_close(&lines[i]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_wrong_is_caught);
    RUN_TEST(who_believes_the_certificate_is_stricter);
    RUN_TEST(without_a_certificate_some_are_not_asked);
    RUN_TEST(a_split_transaction_keeps_all_that_it_did);
    RUN_TEST(joined_transactions_do_what_both_did);
    RUN_TEST(who_is_gone_leaves_the_version_orders);
    RUN_TEST(recordings_add_up_in_any_order);
    return UNITY_END();
}
