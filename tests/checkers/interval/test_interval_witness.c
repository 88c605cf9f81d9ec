#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/interval/profile.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/interval/known_rows.h"
#include "tests/checkers/interval/truth.h"
#include "unity.h"
#include "verify/verify.h"

#define ROUNDS 6

static struct error err;
static struct history history;
static struct check check;
static char label[200];
static struct {
    size_t valid, invalid, unshown, instants, open; /* unshown: valid, and nothing shows it */
} seen;

void setUp(void)
{
    err = (struct error){ 0 };
    memset(&seen, 0, sizeof seen);
}

void tearDown(void) {}

static bool is_accepted(const char *bytes, size_t count, struct verification *verification)
{
    char *copy = malloc(count);

    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, bytes, count);
    err = (struct error){ 0 };
    if (verify_witness(&history, copy, count, verification, &err) != STATUS_OK)
        snprintf(verification->reason, sizeof verification->reason, "%s", err.text);
    free(copy);
    return verification->is_accepted;
}

static size_t count_of(const char *field, char what)
{
    const char *at = strstr(check.witness.at, field);
    size_t count = 0;

    for (; at && *at != ']'; at++)
        count += *at == what;
    return count;
}

/* Judges the history; who doubts it is shown why. */
static void judge(const struct profile *profile, enum level level, int64_t clock_error)
{
    struct check_options options = {
        .level = level, .flags = CHECK_WITNESS, .profile = profile, .clock_error_ns = clock_error
    };
    struct verification verification;
    char message[900];

    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err), &err);
    seen.unshown += check.verdict == VERDICT_VALID && check.witness.count == 0;
    seen.valid += check.verdict == VERDICT_VALID && check.witness.count > 0;
    seen.invalid += check.verdict == VERDICT_INVALID;
    if (check.verdict == VERDICT_INVALID)
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, check.witness.count, label);
    if (check.witness.count == 0)
        return;
    buffer_byte(&check.witness, '\0');
    check.witness.count--;
    seen.instants += count_of("\"instants\":[", ',');
    seen.open += count_of("\"open\":[", '[');
    if (is_accepted(check.witness.at, check.witness.count, &verification))
        return;
    snprintf(message, sizeof message, "%s: %s", label, verification.reason);
    TEST_FAIL_MESSAGE(message);
}

static void judge_truth(const struct truth_options *options)
{
    snprintf(label, sizeof label, "%s, seed %" PRIu64 ", %s", options->profile->name, options->seed,
             truth_fault_name(options->fault));
    ASSERT_OK(truth_history(options, &history, &err), &err);
    judge(options->profile, options->profile->level, options->clock_error_ns);
    check_close(&check);
    history_close(&history);
}

static void what_a_database_did_as_it_should_has_instants_that_explain_it(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        for (uint64_t round = 0; round < fixture_rounds(ROUNDS); round++) {
            struct truth_options options = truth_random_options(&profiles[i], 1000 * i + round);

            judge_truth(&options);
        }
    TEST_ASSERT_EQUAL(0, seen.invalid);
    TEST_ASSERT_LESS_THAN(seen.valid / 10, seen.unshown);
    TEST_ASSERT_GREATER_THAN(20 * seen.open, seen.instants);
}

static void every_finding_has_a_proof(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        for (uint64_t round = 0; round < fixture_rounds(ROUNDS); round++) {
            struct truth_options options =
                truth_random_options(&profiles[i], 1000 * i + round + 500);

            options.fault = (enum truth_fault)(1 + round % (TRUTH_FAULT_COUNT - 1));
            options.fault_every = 5;
            judge_truth(&options);
        }
    TEST_ASSERT_GREATER_THAN(count, seen.invalid);
}

static void so_has_a_verdict_by_the_level_alone(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        for (uint64_t round = 0; round < fixture_rounds(ROUNDS) && !profiles[i].hides_own;
             round++) {
            struct truth_options options = truth_random_options(&profiles[i], 1000 * i + round);

            options.fault = (enum truth_fault)(round % TRUTH_FAULT_COUNT);
            options.fault_every = 5;
            snprintf(label, sizeof label, "any, %s, seed %" PRIu64, profiles[i].name, options.seed);
            ASSERT_OK(truth_history(&options, &history, &err), &err);
            judge(NULL, profiles[i].level, options.clock_error_ns);
            check_close(&check);
            history_close(&history);
        }
    TEST_ASSERT_GREATER_THAN(count / 2, seen.invalid);
    TEST_ASSERT_GREATER_THAN(count, seen.valid);
}

/* --- Rows --------------------------------------------------------------------------------- */

static void judge_rows(enum known_protocol protocol, const char *profile, unsigned lie_every,
                       uint64_t seed)
{
    struct known_options options = {
        .protocol = protocol, .seed = seed, .txns = 60, .lie_every = lie_every
    };
    const struct profile *found = profile_find(text_of(profile));

    TEST_ASSERT_NOT_NULL_MESSAGE(found, profile);
    snprintf(label, sizeof label, "%s, rows, seed %" PRIu64 ", one lie in %u", profile, seed,
             lie_every);
    known_history(&options, &history);
    judge(found, found->level, 0);
    check_close(&check);
    history_close(&history);
}

static void looking_for_rows_is_proved_too(void)
{
    static const struct {
        enum known_protocol protocol;
        const char *profile;
    } rows[] = {
        { KNOWN_LOCKS, "ordeal/2pl" },      { KNOWN_LOCKS, "innodb/serializable" },
        { KNOWN_LOCKS, "ordeal/mvto" },     { KNOWN_VALIDATION, "spanner/serializable" },
        { KNOWN_VALIDATION, "ordeal/occ" }, { KNOWN_SNAPSHOT, "postgresql/snapshot" },
        { KNOWN_SNAPSHOT, "ordeal/si" },    { KNOWN_STATEMENTS, "postgresql/read-committed" },
        { KNOWN_STATEMENTS, "ordeal/rc" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (uint64_t round = 0; round < fixture_rounds(3 * ROUNDS); round++)
            judge_rows(rows[i].protocol, rows[i].profile, round % 2 ? 12 : 0, 100 * i + round);
    TEST_ASSERT_GREATER_THAN(2 * ROW_COUNT(rows), seen.invalid);
    TEST_ASSERT_GREATER_THAN(2 * ROW_COUNT(rows), seen.valid);
}

/* --- What is no proof any more ---------------------------------------------------------------- */

/* The last step of the first anomaly: a contradiction, or what led to it. */
static bool cut_last_step(char *witness)
{
    char *from = strstr(witness, "\"steps\":["), *end, *cut;

    if (!from)
        return false;
    end = strstr(from, "}]}");
    TEST_ASSERT_NOT_NULL(end);
    for (cut = end; cut > from && strncmp(cut, ",\n{\"step\"", 9) != 0;)
        cut--;
    if (cut == from)
        return false; /* there is but one */
    memmove(cut, end + 1, strlen(end + 1) + 1);
    return true;
}

static void a_proof_without_its_last_step_is_refused(void)
{
    size_t cut = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct truth_options options =
            truth_random_options(profile_find(TEXT("postgresql/serializable")), seed);
        struct verification verification;

        options.fault = TRUTH_WRITE_SKEW;
        options.fault_every = 1;
        options.keys = 12;
        options.values = 0;
        ASSERT_OK(truth_history(&options, &history, &err), &err);
        snprintf(label, sizeof label, "seed %" PRIu64, seed);
        judge(options.profile, options.profile->level, options.clock_error_ns);
        if (check.verdict == VERDICT_INVALID && cut_last_step(check.witness.at)) {
            cut++;
            TEST_ASSERT_FALSE_MESSAGE(
                is_accepted(check.witness.at, strlen(check.witness.at), &verification), label);
        }
        check_close(&check);
        history_close(&history);
    }
    TEST_ASSERT_GREATER_THAN(3, cut);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_a_database_did_as_it_should_has_instants_that_explain_it);
    RUN_TEST(every_finding_has_a_proof);
    RUN_TEST(so_has_a_verdict_by_the_level_alone);
    RUN_TEST(looking_for_rows_is_proved_too);
    RUN_TEST(a_proof_without_its_last_step_is_refused);
    return UNITY_END();
}
