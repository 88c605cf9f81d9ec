/*
 * The checkers against each other, `verify` and the oracle, on wild histories: 10,000 of them,
 * under ORDEAL_SOAK ten million. `make check` runs this from the optimised build for their sake: with
 * sanitizers, or not optimised, there are fewer.
 *
 * By hand, for what a test must not do:
 *
 *     test_differential FROM COUNT        from a seed on, so many, or "all" until it is stopped;
 *                                         goes on after a finding, told once for each signature
 *     test_differential FILE.jsonl...     what is said about these
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/differential/contest.h"
#include "tests/differential/wild.h"
#include "tests/fixture.h"
#include "unity.h"

#ifdef __has_feature
#define IS_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#if IS_SANITIZED || !defined(__OPTIMIZE__)
#define HISTORIES 500
#else
#define HISTORIES 10000
#endif
#define SOAK_HISTORIES 10000000
#define ORACLE_STEPS 3000
#define SIGNATURES_MAX 200
#define CORPUS "tests/differential/found/"
#define VARIANTS 64 /* of what is asked about a file: profiles, and fast paths or not */

void setUp(void) {}
void tearDown(void) {}

static bool holds(struct contest *contest, uint64_t seed, struct buffer *text,
                  struct finding *finding)
{
    struct dice dice;

    dice_of_seed(&dice, seed);
    buffer_clear(text);
    wild_history(&dice, text);
    contest->variant = seed;
    contest->oracle_steps_max = seed % 4 == 0 ? ORACLE_STEPS : 0; /* it is slow */
    return contest_holds_of_text(contest, (struct text){ text->at, text->count }, finding);
}

static void print(const char *name, const struct buffer *text, const struct finding *finding)
{
    printf("--- %s: %s\n%s\n%.*s", name, finding->signature, finding->details, (int)text->count,
           text->at);
    fflush(stdout);
}

static void print_tally(const struct contest *contest)
{
    printf("%u histories, %u more refused; the oracle: %u hold, %u violated, %u not judged\n",
           contest->histories, contest->refused_histories, contest->oracle_answers[0],
           contest->oracle_answers[1], contest->oracle_answers[2]);
    for (unsigned who = 0; who < CONTESTANTS; who++)
        printf("%-24s %9u valid %9u invalid %9u unknown %9u refused\n", contest_name(who),
               contest->verdicts[who][0], contest->verdicts[who][1], contest->verdicts[who][2],
               contest->verdicts[who][3]);
    fflush(stdout);
}

static void checkers_never_contradict_each_other(void)
{
    size_t count = getenv("ORDEAL_SOAK") ? SOAK_HISTORIES : HISTORIES;
    struct contest contest = { 0 };
    struct finding finding = { 0 };
    struct buffer text = { 0 };

    for (uint64_t seed = 0; seed < count; seed++)
        if (!holds(&contest, seed, &text, &finding)) {
            char name[40];

            snprintf(name, sizeof name, "seed %" PRIu64, seed);
            contest_shrink(&contest, &text, &finding);
            print(name, &text, &finding);
            TEST_FAIL_MESSAGE(finding.signature);
        }
    print_tally(&contest);
    TEST_ASSERT_LESS_THAN_MESSAGE(count / 10, contest.refused_histories, "histories are refused");
    for (unsigned who = 0; who < CONTESTANTS; who++)
        for (unsigned verdict = 0; verdict < 2; verdict++)
            TEST_ASSERT_GREATER_THAN_MESSAGE(count / 20, contest.verdicts[who][verdict],
                                             contest_name(who));
    buffer_close(&text);
}

static bool read_file(const char *path, struct buffer *text)
{
    FILE *file = fopen(path, "rb");
    int byte;

    buffer_clear(text);
    while (file && (byte = fgetc(file)) != EOF)
        buffer_byte(text, (char)byte);
    if (file)
        fclose(file);
    return file != NULL;
}

static bool all_variants_hold(struct contest *contest, const struct buffer *text,
                              struct finding *finding)
{
    bool is_held = true;

    for (contest->variant = 0; is_held && contest->variant < VARIANTS; contest->variant++)
        is_held = contest_holds_of_text(contest, (struct text){ text->at, text->count }, finding);
    return is_held;
}

/* Each was contradicted once, and is named for what the mistake was about. */
static void nobody_contradicts_what_was_found_before(void)
{
    DIR *folder = opendir(CORPUS);
    struct buffer text = { 0 };
    unsigned count = 0;

    TEST_ASSERT_NOT_NULL_MESSAGE(folder, CORPUS);
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct contest contest = { .oracle_steps_max = ORACLE_STEPS };
        struct finding finding = { 0 };
        char path[300];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s%s", CORPUS, entry->d_name);
        TEST_ASSERT_TRUE_MESSAGE(read_file(path, &text), path);
        if (!all_variants_hold(&contest, &text, &finding)) {
            print(path, &text, &finding);
            TEST_FAIL_MESSAGE(path);
        }
        TEST_ASSERT_EQUAL_MESSAGE(0, contest.refused_histories, path);
        count++;
    }
    closedir(folder);
    buffer_close(&text);
    TEST_ASSERT_GREATER_THAN(5, count);
}

/* --- By hand ---------------------------------------------------------------------------- */

static int try_seeds(uint64_t from, uint64_t count)
{
    static char signatures[SIGNATURES_MAX][160];
    static unsigned times[SIGNATURES_MAX];
    unsigned signature_count = 0;
    struct contest contest = { 0 };
    struct buffer text = { 0 };

    for (uint64_t seed = from; seed - from < count; seed++) {
        struct finding finding = { 0 };
        unsigned s = 0;
        char name[40];

        if ((seed - from) % 1000000 == 999999)
            print_tally(&contest);
        if (holds(&contest, seed, &text, &finding))
            continue;
        while (s < signature_count && strcmp(signatures[s], finding.signature) != 0)
            s++;
        times[s]++;
        if (s < signature_count || s + 1 == SIGNATURES_MAX)
            continue;
        memcpy(signatures[signature_count++], finding.signature, sizeof signatures[0]);
        snprintf(name, sizeof name, "seed %" PRIu64, seed);
        contest_shrink(&contest, &text, &finding);
        print(name, &text, &finding);
    }
    print_tally(&contest);
    for (unsigned s = 0; s < signature_count; s++)
        printf("%6u %s\n", times[s], signatures[s]);
    buffer_close(&text);
    return signature_count > 0;
}

static int try_file(const char *path)
{
    struct contest contest = { .oracle_steps_max = ORACLE_STEPS };
    struct finding finding = { 0 };
    struct buffer text = { 0 };
    bool is_held;

    if (!read_file(path, &text)) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 2;
    }
    is_held = all_variants_hold(&contest, &text, &finding);
    if (!is_held)
        print(path, &text, &finding);
    if (contest.refused_histories > 0)
        printf("--- %s is no history\n", path);
    buffer_close(&text);
    return !is_held;
}

int main(int argc, char **argv)
{
    int failed = 0;

    if (argc == 3 && argv[1][0] >= '0' && argv[1][0] <= '9')
        return try_seeds(strtoull(argv[1], NULL, 10),
                         strcmp(argv[2], "all") == 0 ? UINT64_MAX : strtoull(argv[2], NULL, 10));
    for (int i = 1; i < argc; i++)
        failed |= try_file(argv[i]);
    if (argc > 1)
        return failed;
    UNITY_BEGIN();
    RUN_TEST(nobody_contradicts_what_was_found_before);
    RUN_TEST(checkers_never_contradict_each_other);
    return UNITY_END();
}
