#include "store/protocol_private.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void each_protocol_is_found_by_its_name(void)
{
    const char *const *names = protocol_names();
    const struct protocol *const *all;
    unsigned count;

    all = protocol_all(&count);
    TEST_ASSERT_EQUAL_UINT(8, count);
    for (unsigned i = 0; i < count; i++) {
        TEST_ASSERT_EQUAL_STRING(names[i], all[i]->name);
        TEST_ASSERT_EQUAL_PTR(all[i], protocol_find(text_of(names[i])));
    }
    TEST_ASSERT_NULL(names[count]);
}

static void a_name_that_is_none_is_not_found(void)
{
    TEST_ASSERT_NULL(protocol_find(TEXT("")));
    TEST_ASSERT_NULL(protocol_find(TEXT("ss")));
    TEST_ASSERT_NULL(protocol_find(TEXT("ssi2")));
}

static void a_protocol_has_rules_for_the_ground_it_stands_on(void)
{
    const struct protocol *const *all;
    unsigned count;

    all = protocol_all(&count);
    for (unsigned i = 0; i < count; i++) {
        TEST_ASSERT_NOT_NULL_MESSAGE(all[i]->summary, all[i]->name);
        TEST_ASSERT_TRUE_MESSAGE(all[i]->on_raft == !all[i]->local, all[i]->name);
        TEST_ASSERT_TRUE_MESSAGE(all[i]->on_raft == (all[i]->serve_read != NULL),
                                 all[i]->name);
    }
}

static void what_is_kept_of_a_state_can_be_saved_and_loaded(void)
{
    const struct protocol *const *all;
    unsigned count;

    all = protocol_all(&count);
    for (unsigned i = 0; i < count; i++) {
        TEST_ASSERT_TRUE_MESSAGE(!all[i]->open == !all[i]->save, all[i]->name);
        TEST_ASSERT_TRUE_MESSAGE(!all[i]->open == !all[i]->load, all[i]->name);
    }
}

/* Only who exports snapshots can have one for each statement. */
static void what_certificates_say_fits_together(void)
{
    const struct protocol *const *all;
    unsigned count;

    all = protocol_all(&count);
    for (unsigned i = 0; i < count; i++)
        TEST_ASSERT_TRUE_MESSAGE(!all[i]->snapshot_per_statement || all[i]->exports_snapshot,
                                 all[i]->name);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_protocol_is_found_by_its_name);
    RUN_TEST(a_name_that_is_none_is_not_found);
    RUN_TEST(a_protocol_has_rules_for_the_ground_it_stands_on);
    RUN_TEST(what_is_kept_of_a_state_can_be_saved_and_loaded);
    RUN_TEST(what_certificates_say_fits_together);
    return UNITY_END();
}
