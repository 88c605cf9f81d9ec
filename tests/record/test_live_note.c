/*
 * What a recording says of itself while it runs.
 */
#include "record/live_note.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct buffer out;

static const char *said(const struct live_note *note, const struct recorded_run *run)
{
    buffer_clear(&out);
    live_note_print(note, run, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_FALSE(out.out_of_memory);
    return out.at;
}

static void nothing_is_said_of_nothing(void)
{
    struct live_note note = { .count = 0 };
    struct recorded_run run = { .code_count = 0 };

    TEST_ASSERT_EQUAL_STRING("", said(&note, &run));
}

static void latencies_are_rounded_up_by_a_quarter_at_most(void)
{
    static const int64_t latencies[] = {
        8, 9, 17, 1000, 123456, 999999999, INT64_C(86400000000000)
    };

    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        struct live_note note = { .count = 0 };
        struct recorded_run run = { .code_count = 0 };
        struct live_note more;

        live_note_add(&note, latencies[i]);
        more = note;
        live_note_add(&more, latencies[i] + latencies[i] / 4 + 4); /* it is in a bucket behind */
        TEST_ASSERT_EQUAL(1, note.count);
        TEST_ASSERT_TRUE(strcmp(said(&note, &run), "") != 0);
        for (unsigned bucket = 0; bucket < LIVE_NOTE_BUCKETS; bucket++)
            TEST_ASSERT_TRUE(more.counts[bucket] <= 1);
    }
}

static void half_and_nearly_all_are_told_apart(void)
{
    struct live_note note = { .count = 0 };
    struct recorded_run run = { .code_count = 0 };

    for (int i = 0; i < 98; i++)
        live_note_add(&note, 1023); /* the last of its bucket */
    for (int i = 0; i < 2; i++)
        live_note_add(&note, 1048575);
    TEST_ASSERT_EQUAL_STRING("half within 1.02 us, 99% within 1.04 ms", said(&note, &run));
    live_note_add(&note, -5); /* a clock that went back */
    TEST_ASSERT_EQUAL(101, note.count);
}

static void rollbacks_and_faults_stand_behind(void)
{
    struct live_note note = { .count = 0 };
    struct recorded_run run = { .codes = { { "40001", 57 }, { "40P01", 2 } }, .code_count = 2 };

    run.faults[DATABASE_KILL] = 1;
    TEST_ASSERT_EQUAL_STRING("   40001 57, 40P01 2   1 kill", said(&note, &run));
    run.faults[DATABASE_KILL] = 3;
    TEST_ASSERT_EQUAL_STRING("   40001 57, 40P01 2   3 kills", said(&note, &run));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nothing_is_said_of_nothing);
    RUN_TEST(latencies_are_rounded_up_by_a_quarter_at_most);
    RUN_TEST(half_and_nearly_all_are_told_apart);
    RUN_TEST(rollbacks_and_faults_stand_behind);
    buffer_close(&out);
    return UNITY_END();
}
