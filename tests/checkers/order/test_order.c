#include "checkers/order/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/builder.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 4000

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

/* --- By hand ---------------------------------------------------------------------- */

static void expect(const char *notation, enum verdict verdict)
{
    fixture_expect("order", notation, LEVEL_SERIALIZABLE, verdict);
}

static void reads_of_what_is_there_are_right(void)
{
    expect("T1 ts1: w x 1, w y 2; T2 ts2: r x 1, w x 3; T3 ts3: r x 3, r y 2", VERDICT_VALID);
    expect("init x 5; T1 ts1: r x 5; T2 ts2: r y _", VERDICT_VALID);
    expect("T1 ts1: w x 1, d x; T2 ts2: r x _", VERDICT_VALID);
}

static void the_order_is_that_of_ts_and_not_of_the_file(void)
{
    expect("T1 ts9: w x 2; T2 ts4: w x 1; order x T2 T1", VERDICT_VALID);
    expect("T1 ts9: w x 2; T2 ts4: w x 1; order x T1 T2", VERDICT_INVALID);
    expect("T1 ts9: r x 1; T2 ts4: w x 1", VERDICT_VALID);
    expect("T1 ts4: r x 1; T2 ts9: w x 1", VERDICT_INVALID);
}

static void serializable_in_another_order_is_not_enough(void)
{
    expect("T1 ts1: w x 1; T2 ts2: w y 2; T3 ts3: r x 1, r y _", VERDICT_INVALID);
}

static void lists_hold_what_was_appended(void)
{
    expect("T1 ts1: a l 3; T2 ts2: a l 4, r l [3 4]; T3 ts3: r l [3 4]", VERDICT_VALID);
    expect("T1 ts1: a l 3; T2 ts2: a l 4; T3 ts3: r l [4 3]", VERDICT_INVALID);
    expect("T1 ts1: a l 3; T2 ts2: d l; T3 ts3: a l 4, r l [4]", VERDICT_VALID);
    expect("T1 ts1: r l []; T2 ts2: r l _", VERDICT_VALID);
}

static void statements_return_the_rows_that_match(void)
{
    const char *const right = "T1 ts1: ins {7=12 8=30}; T2 ts2: sel v>=10 {7=12 8=30};"
                              "T3 ts3: upd v>=20 {8=5}; T4 ts4: sel v>=10 {7=12}, sel * {7=12 8=5}";

    expect(right, VERDICT_VALID);
    expect("T1 ts1: ins {7=12}; T2 ts2: sel v>=10 {}", VERDICT_INVALID);
    expect("T1 ts1: ins {7=12}; T2 ts2: sel v>=20 {7=12}", VERDICT_INVALID);
    expect("T1 ts1: ins {7=12}; T2 ts2: sel v>=10 {7=13}", VERDICT_INVALID);
    expect("T1 ts1: ins {7=12}; T2 ts2: del v>=10 {7}; T3 ts3: sel * {}", VERDICT_VALID);
    expect("T1 ts1: ins {7=12}; T2 ts2: del v>=13 {7}", VERDICT_INVALID);
}

static void a_limit_lets_the_first_rows_through(void)
{
    expect("T1 ts1: ins {1=30 2=10 3=20}; T2 ts2: top 2 v>=0 {2=10 3=20}", VERDICT_VALID);
    expect("T1 ts1: ins {1=30 2=10 3=20}; T2 ts2: top 2 v>=0 {2=10 1=30}", VERDICT_INVALID);
    expect("T1 ts1: ins {1=30 2=10 3=20}; T2 ts2: top 2 v>=0 {3=20 2=10}", VERDICT_INVALID);
    expect("T1 ts1: ins {1=30 2=10 3=20}; T2 ts2: top 2 v>=0 {2=10}", VERDICT_INVALID);
}

static void aggregates_are_computed_again(void)
{
    expect("T1 ts1: ins {1=30 2=10}; T2 ts2: agg min(v) v>=0 10, agg sum(v) v>=0 40,"
           " agg count(*) v>=20 1, agg max(v) v>=50 _",
           VERDICT_VALID);
    expect("T1 ts1: ins {1=30 2=10}; T2 ts2: agg min(v) v>=0 30", VERDICT_INVALID);
    expect("T1 ts1: ins {1=30 2=10}; T2 ts2: agg sum(v) v>=0 30", VERDICT_INVALID);
    expect("T1 ts1: ins {1=30 2=10}; T2 ts2: agg count(*) v>=0 1", VERDICT_INVALID);
}

static void what_was_wrong_has_a_name(void)
{
    static const struct {
        const char *notation;
        enum anomaly kind;
    } rows[] = {
        { "T1 ts1: w x 1; T2 ts2: w x 2; T3 ts3: r x 1", ANOMALY_G_SINGLE },
        { "T1 ts1: r x 1; T2 ts2: w x 1", ANOMALY_G1C },
        { "T1 ts1: r x 9", ANOMALY_GARBAGE_READ },
        { "T1 abort: w x 1; T2 ts2: r x 1", ANOMALY_G1A },
        { "T1 ts1: w x 1, w x 2; T2 ts2: r x 1", ANOMALY_G1B },
        { "T1 ts1: r x 1, w x 1", ANOMALY_FUTURE_READ },
        { "T1 ts1: w x 1; T2 ts2: w x 2, r x 1", ANOMALY_INTERNAL },
        { "T1 ts1: ins {7=12}; T2 ts2: sel * {}", ANOMALY_RESULT_SET_MISMATCH },
        { "T1 ts1: a l 1; T2 ts2: r l [1 1]", ANOMALY_DUPLICATE_ELEMENTS },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            anomaly_name(rows[i].kind),
            anomaly_name(fixture_first_kind("order", rows[i].notation, LEVEL_SERIALIZABLE)),
            rows[i].notation);
}

static void the_first_wrong_operation_is_told_with_what_it_should_have_returned(void)
{
    struct history history;
    struct check check;

    notation_read("T1 ts1: w x 1; T2 ts2: w x 2; T3 ts3: r x 2, r x 1", &history);
    check = fixture_check("order", &history, LEVEL_SERIALIZABLE, 0);
    TEST_ASSERT_EQUAL(1, check.findings.count);
    TEST_ASSERT_EQUAL_STRING(
        "T3 read x=1, which T1 wrote, where T2 had left x=2; T3 read x=1 before "
        "T2 wrote it; the store puts T2 before T3; so T2 comes both after and "
        "before T3",
        check.findings.at[0].explanation);
    check_close(&check);
    history_close(&history);
}

static void transactions_at_one_place_are_a_mistake_of_the_history(void)
{
    struct check_options options = { .level = LEVEL_SERIALIZABLE };
    struct history history;
    struct check check;

    notation_read("T1 ts4: w x 1; T2 ts4: w x 2", &history);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      checker_run(checker_find(TEXT("order")), &history, &options, &check, &err));
    TEST_ASSERT_EQUAL_STRING("transactions 1 and 2 have the same \"ts\", 4: places must differ",
                             err.text);
    check_close(&check);
    history_close(&history);
}

static void what_is_missing_is_named(void)
{
    static const struct {
        const char *notation, *says;
    } rows[] = {
        { "T1 ts1: w x 1; T2: r x 1", "transaction 2 has none" },
        { "T1 ts1: w x 1; T2 ts2 snap1: r x 1", "this one has a \"snapshot\"" },
        { "T1 ts1: w x 1; T2 ts2: r x 1 from T1", "this one has a \"set\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history history;

        notation_read(rows[i].notation, &history);
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, checker_examine(checker_find(TEXT("order")), &history,
                                                            LEVEL_SERIALIZABLE, &err));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, rows[i].says), err.text);
        history_close(&history);
    }
}

static void sessions_and_time_are_held_against_the_order(void)
{
    static const struct {
        const char *notation;
        enum level level;
        enum verdict verdict;
    } rows[] = {
        { "T1 s1 ts1: w x 1; T2 s1 ts2: r x 1", LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID },
        { "T1 s1 ts2: w x 1; T2 s1 ts1: r x _", LEVEL_SESSION_SERIALIZABLE, VERDICT_INVALID },
        { "T1 s1 ts2: w x 1; T2 s1 ts1: r x _", LEVEL_SERIALIZABLE, VERDICT_VALID },
        { "T1 @10-20 ts2: w x 1; T2 @15-30 ts1: r x _", LEVEL_STRICT_SERIALIZABLE, VERDICT_VALID },
        { "T1 @10-20 ts2: w x 1; T2 @25-30 ts1: r x _", LEVEL_STRICT_SERIALIZABLE,
          VERDICT_INVALID },
        { "T1 s1 unknown ts2: w x 1; T2 s1 ts1: r x _; order x T1", LEVEL_SESSION_SERIALIZABLE,
          VERDICT_VALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        fixture_expect("order", rows[i].notation, rows[i].level, rows[i].verdict);
}

static void what_a_read_missed_is_told(void)
{
    TEST_ASSERT_EQUAL(ANOMALY_G_SINGLE_REALTIME,
                      fixture_first_kind("order", "T1 @10-20 ts2: w x 1; T2 @25-30 ts1: r x _",
                                         LEVEL_STRICT_SERIALIZABLE));
    TEST_ASSERT_EQUAL(ANOMALY_G0_PROCESS,
                      fixture_first_kind("order", "T1 s1 ts2: w x 1; T2 s1 ts1: w x 3",
                                         LEVEL_SESSION_SERIALIZABLE));
}

static void what_a_read_did_not_miss_is_not_told(void)
{
    static const struct {
        const char *notation;
        bool missed;
    } rows[] = {
        { "T1 s1 ts3: w x 1; T2 s1 ts2: r x 4; T3 ts1: w x 4", true },
        { "T1 s1 ts2: w x 1; T2 s1 ts1: r x 4; T3 ts3: w x 4", false },
        { "T1 s1 ts2: w x 1; T2 s1 ts1: r x 1", false },
        { "init l [1]; T1 s1 ts2: a l 3; T2 s1 ts1: r l [1]", true },
        { "init l [1]; T1 s1 ts2: a l 3; T2 s1 ts1: r l [1 1]", false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history history;
        struct check check;

        notation_read(rows[i].notation, &history);
        check = fixture_check("order", &history, LEVEL_SESSION_SERIALIZABLE, 0);
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_INVALID, check.verdict, rows[i].notation);
        TEST_ASSERT_EQUAL_MESSAGE(
            rows[i].missed, fixture_has_kind(&check, ANOMALY_G_SINGLE_PROCESS), rows[i].notation);
        check_close(&check);
        history_close(&history);
    }
}

static void unknown_outcomes_are_placed_or_doubted(void)
{
    static const struct {
        const char *notation;
        enum verdict verdict;
    } rows[] = {
        { "T1 unknown ts1: w x 1; T2 ts2: r x 1; order x T1", VERDICT_VALID },
        { "T1 unknown ts1: w x 1; T2 ts2: r x _; order x T1", VERDICT_INVALID },
        { "T1 unknown ts1: w x 1; T2 ts2: r x 1", VERDICT_VALID },
        { "T1 unknown ts1: w x 1; T2 ts2: r x _", VERDICT_VALID },
        { "T1 unknown: w x 1; T2 ts2: r x 1", VERDICT_UNKNOWN },
        { "T1 unknown: w x 1; T2 ts2: r x _", VERDICT_VALID },
        { "T1 unknown: w x 1; T2 ts2: r y 4", VERDICT_INVALID },
        { "T1 unknown ts1: w x 1; T2 ts2: r x 1; T3 ts3: w x 2; order x T3", VERDICT_INVALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect(rows[i].notation, rows[i].verdict);
}

/* --- Against the oracle ------------------------------------------------------------ */

/*
 * A copy of the history in which real time says all: transactions follow each other
 * in the order of their ts. Then its strict serializability is what `order` decides.
 */
struct timed {
    struct history history;
    int64_t *invoked, *completed;
};

static uint32_t rank_of(const struct history *h, uint32_t txn)
{
    uint32_t rank = 0;

    for (uint32_t t = 0; t < h->txn_count; t++)
        rank += history_compare_places(history_ts(h, t), history_ts(h, txn)) < 0;
    return rank;
}

static void time_by_ts(const struct history *h, struct timed *timed)
{
    timed->history = *h;
    timed->history.txn_invoked = timed->invoked = calloc(h->txn_count, sizeof(int64_t));
    timed->history.txn_completed = timed->completed = calloc(h->txn_count, sizeof(int64_t));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        timed->invoked[t] = 10 * (int64_t)rank_of(h, t);
        timed->completed[t] = timed->invoked[t] + 5;
    }
}

static void fail_on_seed(const char *what, uint64_t seed)
{
    char label[100];

    snprintf(label, sizeof label, "%s, seed %llu", what, (unsigned long long)seed);
    TEST_FAIL_MESSAGE(label);
}

static bool has_unknown(const struct history *h)
{
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_UNKNOWN)
            return true;
    return false;
}

/* A version order against ts is wrong whatever was read, and the oracle was not asked about it. */
static bool contradicts_itself(const struct check *check)
{
    for (size_t i = 0; i < check->findings.count; i++)
        if (check->findings.at[i].kind == ANOMALY_CYCLIC_VERSIONS)
            return true;
    return false;
}

static bool goes_before(const struct history *h, enum level level, uint32_t a, uint32_t b)
{
    if (level == LEVEL_SESSION_SERIALIZABLE)
        return h->txn_session[a] == h->txn_session[b] && a < b;
    return h->txn_invoked && h->txn_completed && h->txn_completed[a] != TIME_ABSENT &&
           h->txn_invoked[b] != TIME_ABSENT && h->txn_completed[a] < h->txn_invoked[b];
}

/* Whether of all pairs there is one that ts puts the other way round. */
static bool has_inversion(const struct history *h, enum level level)
{
    for (uint32_t a = 0; a < h->txn_count; a++)
        for (uint32_t b = 0; b < h->txn_count; b++)
            if (h->txn_status[a] == TXN_OK && h->txn_status[b] == TXN_OK &&
                goes_before(h, level, a, b) &&
                history_compare_places(history_ts(h, b), history_ts(h, a)) < 0)
                return true;
    return false;
}

/* Above serializability all that is asked for is that no pair is inverted. */
static void compare_with_pairs(const struct history *h, bool is_serializable, uint64_t seed,
                               unsigned *inverted)
{
    static const enum level levels[] = { LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE };

    for (size_t i = 0; i < ROW_COUNT(levels); i++) {
        bool is_inverted = has_inversion(h, levels[i]);
        struct check check;

        if (checker_examine(checker_find(TEXT("order")), h, levels[i], &err) != STATUS_OK)
            continue;
        check = fixture_check("order", h, levels[i], 0);
        if ((check.verdict == VERDICT_VALID) != (is_serializable && !is_inverted))
            fail_on_seed(level_name(levels[i]), seed);
        *inverted += is_serializable && is_inverted;
        check_close(&check);
    }
}

/* The verdicts that came up, to see that the test had something to say. */
static unsigned compare_with_oracle(uint64_t seed, unsigned tally[3], unsigned *inverted)
{
    struct small_options options = small_options_of_seed(seed);
    struct history history;
    struct timed timed;
    struct check check, slow;
    enum oracle_answer answer;
    bool is_right;

    options.certificate = true;
    options.unknowns = false;
    if (options.mode == SMALL_SNAPSHOT || options.mode == SMALL_PREFIX ||
        options.mode == SMALL_COMMITTED || options.mode == SMALL_CAUSAL ||
        options.mode == SMALL_ATOMIC)
        options.mode = seed % 3 == 0 ? SMALL_NOISE : SMALL_SERIAL;
    small_history(&options, seed, &history);
    if (has_unknown(&history) || !history.txn_ts ||
        checker_examine(checker_find(TEXT("order")), &history, LEVEL_SERIALIZABLE, &err) !=
            STATUS_OK) {
        history_close(&history);
        return 0;
    }
    time_by_ts(&history, &timed);
    answer = oracle_decide(&timed.history, LEVEL_STRICT_SERIALIZABLE, (struct oracle_options){ 0 });
    check = fixture_check("order", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS);
    slow = fixture_check("order", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS | CHECK_SLOWLY);
    tally[check.verdict]++;
    is_right = answer == ORACLE_HOLDS && !contradicts_itself(&check);
    if (answer != ORACLE_CANNOT_JUDGE && is_right != (check.verdict == VERDICT_VALID))
        fail_on_seed("the oracle says otherwise", seed);
    if (check.verdict != slow.verdict || check.findings.count != slow.findings.count ||
        check.witness.count != slow.witness.count ||
        memcmp(check.witness.at, slow.witness.at, slow.witness.count) != 0)
        fail_on_seed("without fast paths it is otherwise", seed);
    compare_with_pairs(&history, check.verdict == VERDICT_VALID, seed, inverted);
    check_close(&check);
    check_close(&slow);
    free(timed.invoked);
    free(timed.completed);
    history_close(&history);
    return 1;
}

static void small_histories_are_judged_as_the_oracle_does(void)
{
    unsigned tally[3] = { 0 }, judged = 0, inverted = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++)
        judged += compare_with_oracle(seed, tally, &inverted);
    TEST_ASSERT_GREATER_THAN(ROUNDS / 2, judged);
    TEST_ASSERT_GREATER_THAN(ROUNDS / 8, tally[VERDICT_VALID]);
    TEST_ASSERT_GREATER_THAN(ROUNDS / 8, tally[VERDICT_INVALID]);
    TEST_ASSERT_EQUAL(0, tally[VERDICT_UNKNOWN]);
    TEST_ASSERT_GREATER_THAN(ROUNDS / 40, inverted);
}

/* --- Predicates that are asked for again ------------------------------------------------ */

#define ASKED_ROWS 100
#define NO_ROW INT64_MIN

/* No span of numbers narrows them: what matches is kept from one question to the next. */
static const char *const asked_names[] = { "v%3=1", "v%2=0&id>=40", "v%97=96" };

static bool is_asked_for(size_t predicate, int64_t id, int64_t v)
{
    return predicate == 0   ? v % 3 == 1
           : predicate == 1 ? v % 2 == 0 && id >= 40
                            : v % 97 == 96;
}

/* A row comes, goes or changes. */
static void print_change(struct random *draws, int64_t rows[ASKED_ROWS], struct buffer *out)
{
    uint64_t id = random_below(draws, ASKED_ROWS);

    rows[id] = random_below(draws, 3) == 0 ? NO_ROW : random_between(draws, 0, 50);
    if (rows[id] == NO_ROW)
        buffer_print(out, "d t/%" PRIu64, id);
    else
        buffer_print(out, "w t/%" PRIu64 " %" PRId64, id, rows[id]);
}

/* The answer lacks a row, if it has that one. */
static bool print_question(size_t predicate, const int64_t rows[ASKED_ROWS], int64_t lacks,
                           struct buffer *out)
{
    bool is_wrong = false;

    buffer_print(out, "sel %s {", asked_names[predicate]);
    for (int64_t id = 0; id < ASKED_ROWS; id++) {
        if (rows[id] == NO_ROW || !is_asked_for(predicate, id, rows[id]))
            continue;
        is_wrong |= id == lacks;
        if (id != lacks)
            buffer_print(out, "%" PRId64 "=%" PRId64 " ", id, rows[id]);
    }
    buffer_byte(out, '}');
    return is_wrong;
}

/* Some changes between two questions are few, and some are more than there are rows. */
static bool print_asking(struct random *draws, struct buffer *out)
{
    int64_t rows[ASKED_ROWS];
    bool is_wrong = false;

    for (int id = 0; id < ASKED_ROWS; id++)
        rows[id] = NO_ROW;
    for (int txn = 1; txn <= 60; txn++) {
        uint64_t changes = random_below(draws, 20) == 0 ? 2 * ASKED_ROWS : random_below(draws, 4);
        int64_t lacks = random_below(draws, 80) == 0 ? (int64_t)random_below(draws, ASKED_ROWS) : -1;

        buffer_print(out, "%sT%d ts%d: ", txn > 1 ? "; " : "", txn, txn);
        for (uint64_t i = 0; i < changes; i++) {
            print_change(draws, rows, out);
            buffer_text(out, TEXT(", "));
        }
        is_wrong |= print_question(random_below(draws, ROW_COUNT(asked_names)), rows, lacks, out);
    }
    buffer_byte(out, '\0');
    return is_wrong;
}

static void what_matches_is_kept_while_rows_change(void)
{
    struct random_key key = random_key_of_seed(11);
    struct random draws;
    unsigned wrong = 0;

    random_init(&draws, &key);
    for (int round = 0; round < 60; round++) {
        struct buffer notation = { 0 };
        bool is_wrong = print_asking(&draws, &notation);
        enum verdict expected = is_wrong ? VERDICT_INVALID : VERDICT_VALID;
        struct history history;
        struct check check, slow;

        notation_read(notation.at, &history);
        check = fixture_check("order", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS);
        slow = fixture_check("order", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS | CHECK_SLOWLY);
        TEST_ASSERT_EQUAL_MESSAGE(expected, check.verdict, notation.at);
        TEST_ASSERT_EQUAL_MESSAGE(expected, slow.verdict, notation.at);
        TEST_ASSERT_EQUAL(slow.witness.count, check.witness.count);
        TEST_ASSERT_EQUAL_MEMORY(slow.witness.at, check.witness.at, check.witness.count);
        wrong += is_wrong;
        check_close(&check);
        check_close(&slow);
        history_close(&history);
        buffer_close(&notation);
    }
    TEST_ASSERT_GREATER_THAN(5, wrong);
    TEST_ASSERT_LESS_THAN(55, wrong);
}

/* --- Tables that are looked through at once ----------------------------------------- */

#define TABLE_ROWS 20

static int64_t draw_number(struct random *draws)
{
    static const int64_t ends[] = { INT64_MAX, INT64_MAX - 1, INT64_MIN + 1, INT64_C(1) << 53 };

    return random_below(draws, 8) == 0 ? ends[random_below(draws, ROW_COUNT(ends))]
                                       : random_between(draws, -9, 9);
}

/* What the aggregate is of the numbers from `low` up; false: there is none, or it is too large. */
static bool aggregate(const char *name, const int64_t *numbers, int64_t low, int64_t *result)
{
    __int128 sum = 0;
    int64_t least = INT64_MAX, most = INT64_MIN, count = 0;

    for (int i = 0; i < TABLE_ROWS; i++) {
        if (numbers[i] < low)
            continue;
        count++;
        sum += numbers[i];
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    *result = name[0] == 'c'   ? count
              : name[0] == 's' ? (int64_t)sum
              : name[2] == 'n' ? least
                               : most;
    return (name[0] == 'c' || count > 0) && sum <= INT64_MAX && sum >= INT64_MIN;
}

static unsigned compare_aggregate(struct random *draws, const char *name)
{
    int64_t numbers[TABLE_ROWS], low = random_between(draws, -10, 10), result;
    bool is_wrong = random_below(draws, 3) == 0;
    struct buffer notation = { 0 };
    struct history history;

    buffer_print(&notation, "T1 ts1: ins {");
    for (int i = 0; i < TABLE_ROWS; i++) {
        numbers[i] = draw_number(draws);
        buffer_print(&notation, "%d=%" PRId64 " ", i, numbers[i]);
    }
    if (!aggregate(name, numbers, low, &result) || (is_wrong && result == INT64_MAX)) {
        buffer_close(&notation);
        return 0;
    }
    buffer_print(&notation, "}; T2 ts2: agg %s v>=%" PRId64 " %" PRId64, name, low,
                 result + is_wrong);
    buffer_byte(&notation, '\0');
    notation_read(notation.at, &history);
    for (int flags = 0; flags <= CHECK_SLOWLY; flags += CHECK_SLOWLY) {
        struct check check = fixture_check("order", &history, LEVEL_SERIALIZABLE, (unsigned)flags);

        TEST_ASSERT_EQUAL_MESSAGE(is_wrong ? VERDICT_INVALID : VERDICT_VALID, check.verdict,
                                  notation.at);
        check_close(&check);
    }
    history_close(&history);
    buffer_close(&notation);
    return 1;
}

static void aggregates_of_tables_are_right_at_once_and_slowly(void)
{
    static const char *const names[] = { "count(*)", "count(v)", "sum(v)", "min(v)", "max(v)" };
    struct random_key key = random_key_of_seed(3);
    struct random draws;

    random_init(&draws, &key);
    for (size_t i = 0; i < ROW_COUNT(names); i++) {
        unsigned compared = 0;

        for (int round = 0; round < 100; round++)
            compared += compare_aggregate(&draws, names[i]);
        TEST_ASSERT_GREATER_THAN_MESSAGE(10, compared, names[i]);
    }
}

static void a_replay_that_is_stopped_says_how_far_it_came(void)
{
    atomic_bool stop = true;
    struct check_options options = { .level = LEVEL_SERIALIZABLE, .stop = &stop };
    struct history history;
    struct check check;

    notation_read("T1 ts1: w x 1; T2 ts2: r x 1", &history);
    ASSERT_OK(checker_run(checker_find(TEXT("order")), &history, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_EQUAL_STRING("it was stopped after 0 of 2 transactions", check.reason);
    check_close(&check);
    history_close(&history);
}

/* --- In parts --------------------------------------------------------------------- */

static void a_history_in_parts_goes_on_where_the_last_ended(void)
{
    struct history first, second;
    struct builder builder;
    struct check check;
    struct value list;
    int64_t elements[] = { 1, 2, 3 };
    uint32_t l, x;

    notation_read("init y 5; T1 ts1: w x 4, a l 1; T2 ts2: a l 2, d y", &first);
    builder_init(&builder);
    ASSERT_OK(order_carry(&first, &builder, &err), &err);
    ASSERT_OK(builder_key(&builder, TEXT("l"), &l, &err), &err);
    ASSERT_OK(builder_key(&builder, TEXT("x"), &x, &err), &err);
    ASSERT_OK(builder_begin_txn(&builder, 3, 0, TXN_OK, &err), &err);
    ASSERT_OK(builder_add_op(&builder, OP_APPEND, l, value_integer(3), &err), &err);
    ASSERT_OK(builder_list(&builder, elements, 3, &list, &err), &err);
    ASSERT_OK(builder_add_op(&builder, OP_READ, l, list, &err), &err);
    ASSERT_OK(builder_add_op(&builder, OP_READ, x, value_integer(4), &err), &err);
    ASSERT_OK(builder_set_ts(&builder, (struct place){ 1, { 3 } }, &err), &err);
    ASSERT_OK(builder_finish(&builder, &second, &err), &err);
    check = fixture_check("order", &second, LEVEL_SERIALIZABLE, 0);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
    TEST_ASSERT_EQUAL(2, second.initial_count);
    check_close(&check);
    history_close(&first);
    history_close(&second);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(reads_of_what_is_there_are_right);
    RUN_TEST(the_order_is_that_of_ts_and_not_of_the_file);
    RUN_TEST(serializable_in_another_order_is_not_enough);
    RUN_TEST(lists_hold_what_was_appended);
    RUN_TEST(statements_return_the_rows_that_match);
    RUN_TEST(a_limit_lets_the_first_rows_through);
    RUN_TEST(aggregates_are_computed_again);
    RUN_TEST(what_was_wrong_has_a_name);
    RUN_TEST(the_first_wrong_operation_is_told_with_what_it_should_have_returned);
    RUN_TEST(transactions_at_one_place_are_a_mistake_of_the_history);
    RUN_TEST(what_is_missing_is_named);
    RUN_TEST(sessions_and_time_are_held_against_the_order);
    RUN_TEST(what_a_read_missed_is_told);
    RUN_TEST(what_a_read_did_not_miss_is_not_told);
    RUN_TEST(unknown_outcomes_are_placed_or_doubted);
    RUN_TEST(what_matches_is_kept_while_rows_change);
    RUN_TEST(aggregates_of_tables_are_right_at_once_and_slowly);
    RUN_TEST(a_replay_that_is_stopped_says_how_far_it_came);
    RUN_TEST(small_histories_are_judged_as_the_oracle_does);
    RUN_TEST(a_history_in_parts_goes_on_where_the_last_ended);
    return UNITY_END();
}
