/*
 * When real databases suffer what: planned by the seed, one at a time.
 */
#include "record/faults.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)

static struct error err;
static struct fault_wish wishes[DATABASE_FAULT_COUNT];

void setUp(void)
{
    memset(&err, 0, sizeof err);
    memset(wishes, 0, sizeof wishes);
}

void tearDown(void) {}

static void a_wish_says_how_often_and_how_long(void)
{
    static const struct {
        const char *text;
        enum database_fault kind;
        int64_t every_ns, for_ns; /* every 0: refused */
    } rows[] = {
        { "every=2s", DATABASE_KILL, 2000 * MS, 0 },
        { "2s", DATABASE_KILL, 2000 * MS, 0 },
        { "every=2s", DATABASE_PAUSE, 2000 * MS, 500 * MS },
        { "every=2s,for=10ms", DATABASE_PAUSE, 2000 * MS, 10 * MS },
        { "every=2s,for=0s", DATABASE_PAUSE, 2000 * MS, 0 },
        { "every=0s", DATABASE_PAUSE, 0, 0 },
        { "every=", DATABASE_PAUSE, 0, 0 },
        { "", DATABASE_PAUSE, 0, 0 },
        { "every=2s,", DATABASE_PAUSE, 0, 0 },
        { "every=2s,for=", DATABASE_PAUSE, 0, 0 },
        { "every=2s,for=1s,for=2s", DATABASE_PAUSE, 0, 0 },
        { "for=1s", DATABASE_PAUSE, 0, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct fault_wish wish;
        enum status status = fault_wish_read(&wish, rows[i].kind, text_of(rows[i].text), &err);

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].every_ns ? STATUS_OK : STATUS_BAD_INPUT, status,
                                  rows[i].text);
        if (status != STATUS_OK)
            continue;
        TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].every_ns, wish.every_ns, rows[i].text);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].for_ns, wish.for_ns, rows[i].text);
    }
}

/* Steps a plan in milliseconds, each event taking `takes_ns`. */
static size_t run(uint64_t seed, int64_t until_ns, int64_t takes_ns, struct fault_event *events,
                  int64_t *times, size_t most)
{
    struct faults faults;
    size_t count = 0;

    faults_init(&faults, wishes, seed, 0);
    for (int64_t now = 0; now < until_ns; now += MS) {
        struct fault_event event;

        while (now < until_ns && faults_due(&faults, now, &event)) {
            TEST_ASSERT_TRUE(count < most);
            events[count] = event;
            times[count++] = now;
            now += takes_ns;
            faults_note(&faults, &event, now);
        }
    }
    return count;
}

static void the_same_seed_plans_the_same_times_and_another_others(void)
{
    struct fault_event a[200], b[200];
    int64_t at[200], bt[200];
    size_t count;

    wishes[DATABASE_PAUSE] = (struct fault_wish){ 100 * MS, 10 * MS };
    count = run(1, 3000 * MS, 0, a, at, 200);
    TEST_ASSERT_EQUAL_UINT64(count, run(1, 3000 * MS, 0, b, bt, 200));
    TEST_ASSERT_EQUAL_MEMORY(at, bt, count * sizeof *at);
    run(2, 3000 * MS, 0, b, bt, 200);
    TEST_ASSERT_TRUE(memcmp(at, bt, 10 * sizeof *at) != 0);
}

static void faults_come_as_often_as_asked_and_last_as_long(void)
{
    struct fault_event events[400];
    int64_t times[400];
    size_t count;

    wishes[DATABASE_PAUSE] = (struct fault_wish){ 100 * MS, 10 * MS };
    count = run(7, 10000 * MS, 0, events, times, 400);
    TEST_ASSERT_TRUE(count > 160 && count < 240); /* about 100 of them */
    for (size_t i = 0; i < count; i++) {
        TEST_ASSERT_EQUAL(i % 2 == 0, events[i].begins);
        TEST_ASSERT_EQUAL_UINT32(i / 2, events[i].turn);
        if (!events[i].begins) {
            TEST_ASSERT_EQUAL_INT64(10 * MS, times[i] - times[i - 1]);
        } else if (i > 0) {
            TEST_ASSERT_TRUE(times[i] - times[i - 2] >= 50 * MS - MS &&
                             times[i] - times[i - 2] <= 150 * MS + MS);
        }
    }
}

/* A server that is down cannot be paused, and one that is paused is not killed. */
static void one_fault_lasts_at_a_time(void)
{
    struct fault_event events[400];
    int64_t times[400];
    size_t count, kills = 0;

    wishes[DATABASE_KILL] = (struct fault_wish){ 100 * MS, 30 * MS };
    wishes[DATABASE_PAUSE] = (struct fault_wish){ 80 * MS, 50 * MS };
    count = run(3, 5000 * MS, 5 * MS, events, times, 400);
    for (size_t i = 0; i + 1 < count; i += 2) {
        TEST_ASSERT_TRUE(events[i].begins && !events[i + 1].begins);
        TEST_ASSERT_EQUAL(events[i].kind, events[i + 1].kind);
        kills += events[i].kind == DATABASE_KILL;
    }
    TEST_ASSERT_TRUE(kills >= 10);
    TEST_ASSERT_TRUE(count / 2 - kills >= 10);
}

/* A restart takes longer than the time between two. */
static void slow_faults_do_not_pile_up(void)
{
    struct fault_event events[100];
    int64_t times[100];
    size_t count;

    wishes[DATABASE_KILL] = (struct fault_wish){ 10 * MS, 0 };
    count = run(3, 2000 * MS, 100 * MS, events, times, 100);
    TEST_ASSERT_TRUE(count >= 18 && count <= 22);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_wish_says_how_often_and_how_long);
    RUN_TEST(the_same_seed_plans_the_same_times_and_another_others);
    RUN_TEST(faults_come_as_often_as_asked_and_last_as_long);
    RUN_TEST(one_fault_lasts_at_a_time);
    RUN_TEST(slow_faults_do_not_pile_up);
    return UNITY_END();
}
