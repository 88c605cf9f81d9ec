#include "store/protocol_private.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void each_protocol_is_found_by_its_name(void)
{
    const char *const *names = protocol_names();

    for (; *names; names++)
        TEST_ASSERT_EQUAL_STRING(*names, protocol_find(text_of(*names))->name);
    TEST_ASSERT_EQUAL_INT(8, names - protocol_names());
}

static void a_name_that_is_none_is_not_found(void)
{
    TEST_ASSERT_NULL(protocol_find(TEXT("")));
    TEST_ASSERT_NULL(protocol_find(TEXT("ss")));
    TEST_ASSERT_NULL(protocol_find(TEXT("ssi2")));
}

static void a_protocol_has_rules_for_the_ground_it_stands_on(void)
{
    for (const char *const *name = protocol_names(); *name; name++) {
        const struct protocol *p = protocol_find(text_of(*name));

        TEST_ASSERT_NOT_NULL_MESSAGE(p->summary, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->on_raft == !p->local, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->on_raft == (p->serve_read != NULL), p->name);
    }
}

static void what_is_kept_of_a_state_can_be_saved_and_loaded(void)
{
    for (const char *const *name = protocol_names(); *name; name++) {
        const struct protocol *p = protocol_find(text_of(*name));

        TEST_ASSERT_TRUE_MESSAGE(!p->open == !p->save, p->name);
        TEST_ASSERT_TRUE_MESSAGE(!p->open == !p->load, p->name);
    }
}

/* Only who exports snapshots can have one for each statement. */
static void what_certificates_say_fits_together(void)
{
    for (const char *const *name = protocol_names(); *name; name++) {
        const struct protocol *p = protocol_find(text_of(*name));

        TEST_ASSERT_TRUE_MESSAGE(!p->snapshot_per_statement || p->exports_snapshot, p->name);
    }
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
