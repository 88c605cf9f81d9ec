#include "base/random.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define DRAWS 100000
#define FINEST UINT64_C(1000000000000000000) /* the largest denominator of a ratio */

static struct random_key root;
static struct random stream;

void setUp(void)
{
    root = random_key_of_seed(42);
    random_init(&stream, &root);
}

void tearDown(void) {}

static void assert_key(const uint64_t *words, struct random_key key)
{
    TEST_ASSERT_EQUAL_HEX64_ARRAY(words, key.words, 4);
}

static void keys_are_the_blake2b_of_seed_and_label(void)
{
    /* By Python's hashlib.blake2b(digest_size=32). */
    static const uint64_t of_seed_42[] = {
        UINT64_C(0x2bf76ee26fc30cef),
        UINT64_C(0xa7ebd5b4fad4fda6),
        UINT64_C(0x90622b0ff529da99),
        UINT64_C(0x359f6f01a0b9642d),
    };
    static const uint64_t of_label[] = {
        UINT64_C(0x7949adf56490d41f),
        UINT64_C(0xeb3bf9c6bd91614c),
        UINT64_C(0xa6aa0da70acc6be0),
        UINT64_C(0x62ce45982906f3b6),
    };

    assert_key(of_seed_42, root);
    assert_key(of_label, random_key_fork(&root, "network/link/%d-%d", 3, 4));
}

static void a_stream_is_chacha20_under_its_key(void)
{
    /* The published keystream of the key that is all zero: blocks 0 and 1. */
    static const struct {
        size_t word;
        uint64_t value;
    } rows[] = {
        { 0, UINT64_C(0x903df1a0ade0b876) },
        { 1, UINT64_C(0x28bd8653e56a5d40) },
        { 7, UINT64_C(0x8665eeb269b687c3) },
        { 8, UINT64_C(0x7a385155bee7079f) },
    };
    struct random_key zero = { { 0 } };
    uint64_t words[16];

    random_init(&stream, &zero);
    for (size_t i = 0; i < ROW_COUNT(words); i++)
        words[i] = random_next(&stream);
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_HEX64(rows[i].value, words[rows[i].word]);
}

static void a_stream_goes_on_over_its_buffers_without_repeating(void)
{
    static uint64_t words[5 * RANDOM_WORDS];

    for (size_t i = 0; i < ROW_COUNT(words); i++) {
        words[i] = random_next(&stream);
        for (size_t j = 0; j < i; j++)
            TEST_ASSERT_TRUE(words[i] != words[j]);
    }
}

static void streams_of_different_labels_are_independent(void)
{
    struct random_key a = random_key_fork(&root, "a"), b = random_key_fork(&root, "b");
    struct random_key nested = random_key_fork(&a, "b"), other_seed = random_key_of_seed(43);
    struct random one, two;
    uint64_t expected[10];

    TEST_ASSERT_TRUE(memcmp(&a, &b, sizeof a) != 0);
    TEST_ASSERT_TRUE(memcmp(&b, &nested, sizeof b) != 0);
    TEST_ASSERT_TRUE(memcmp(&root, &other_seed, sizeof root) != 0);

    /* Draws of one do not move the other. */
    random_init(&one, &a);
    for (size_t i = 0; i < 10; i++)
        expected[i] = random_next(&one);
    random_init(&one, &a);
    random_init(&two, &b);
    for (size_t i = 0; i < 10; i++) {
        (void)random_next(&two);
        TEST_ASSERT_EQUAL_HEX64(expected[i], random_next(&one));
    }
}

static void below_one_there_is_only_zero(void)
{
    for (int i = 0; i < 100; i++)
        TEST_ASSERT_EQUAL_UINT64(0, random_below(&stream, 1));
}

static void below_a_bound_every_number_comes_as_often(void)
{
    size_t counts[7] = { 0 };

    for (int i = 0; i < DRAWS; i++) {
        uint64_t drawn = random_below(&stream, 7);
        TEST_ASSERT_LESS_THAN_UINT64(7, drawn);
        counts[drawn]++;
    }
    for (size_t i = 0; i < 7; i++)
        TEST_ASSERT_UINT64_WITHIN(DRAWS / 100, DRAWS / 7, counts[i]);
}

/* Without redrawing, the lower third would come twice as often as the others. */
static void below_a_bound_of_three_quarters_of_all_there_is_no_bias(void)
{
    const uint64_t third = UINT64_C(1) << 62;
    size_t counts[3] = { 0 };

    for (int i = 0; i < DRAWS; i++)
        counts[random_below(&stream, 3 * third) / third]++;
    for (size_t i = 0; i < 3; i++)
        TEST_ASSERT_UINT64_WITHIN(DRAWS / 100, DRAWS / 3, counts[i]);
    for (int i = 0; i < 100; i++)
        TEST_ASSERT_TRUE(random_below(&stream, UINT64_MAX) < UINT64_MAX);
}

static void between_includes_both_ends_up_to_the_whole_range(void)
{
    static const struct {
        int64_t low, high;
    } rows[] = {
        { 5, 5 },
        { -1, 1 },
        { INT64_MIN, INT64_MIN },
        { INT64_MAX, INT64_MAX },
        { INT64_MAX - 1, INT64_MAX },
        { INT64_MIN, INT64_MIN + 1 },
    };
    bool negative = false, positive = false;

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        bool met_low = false, met_high = false;
        for (int n = 0; n < 100; n++) {
            int64_t drawn = random_between(&stream, rows[i].low, rows[i].high);
            TEST_ASSERT_TRUE(drawn >= rows[i].low && drawn <= rows[i].high);
            met_low = met_low || drawn == rows[i].low;
            met_high = met_high || drawn == rows[i].high;
        }
        TEST_ASSERT_TRUE(met_low && met_high);
    }
    for (int n = 0; n < 100; n++) {
        int64_t drawn = random_between(&stream, INT64_MIN, INT64_MAX);
        negative = negative || drawn < 0;
        positive = positive || drawn > 0;
        TEST_ASSERT_TRUE(random_between(&stream, INT64_MIN, INT64_MAX - 1) < INT64_MAX);
    }
    TEST_ASSERT_TRUE(negative && positive);
}

static void a_chance_happens_as_often_as_it_says(void)
{
    static const struct {
        const char *what;
        struct ratio ratio;
        int expected, within;
    } rows[] = {
        { "never", { 0, 1 }, 0, 0 },
        { "always", { 1, 1 }, DRAWS, 0 },
        { "more than always", { 3, 2 }, DRAWS, 0 },
        { "half", { 1, 2 }, DRAWS / 2, DRAWS / 100 },
        { "one in a thousand", { 1, 1000 }, DRAWS / 1000, 40 },
        { "the finest", { FINEST - 1, FINEST }, DRAWS, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        int count = 0;
        for (int n = 0; n < DRAWS; n++)
            count += random_chance(&stream, rows[i].ratio);
        TEST_ASSERT_INT_WITHIN_MESSAGE(rows[i].within, rows[i].expected, count, rows[i].what);
    }
}

static void a_word_is_below_a_ratio_as_a_fraction_exactly(void)
{
    struct ratio half = { 1, 2 }, third = { 1, 3 };

    TEST_ASSERT_TRUE(random_word_below((UINT64_C(1) << 63) - 1, half));
    TEST_ASSERT_FALSE(random_word_below(UINT64_C(1) << 63, half));
    TEST_ASSERT_TRUE(random_word_below(UINT64_MAX / 3, third));
    TEST_ASSERT_FALSE(random_word_below(UINT64_MAX / 3 + 1, third));
    TEST_ASSERT_FALSE(random_word_below(0, (struct ratio){ 0, 1 }));
    TEST_ASSERT_TRUE(random_word_below(UINT64_MAX, (struct ratio){ 1, 1 }));
}

static void scaling_maps_the_ends_to_the_ends(void)
{
    TEST_ASSERT_EQUAL_UINT64(0, random_scale(0, 10));
    TEST_ASSERT_EQUAL_UINT64(9, random_scale(UINT64_MAX, 10));
    TEST_ASSERT_EQUAL_UINT64(5, random_scale(UINT64_C(1) << 63, 10));
    TEST_ASSERT_EQUAL_UINT64(0, random_scale(UINT64_MAX, 1));
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX - 1, random_scale(UINT64_MAX, UINT64_MAX));
}

static void a_shuffle_keeps_all_and_makes_every_order(void)
{
    size_t orders[27] = { 0 }, met = 0;

    for (int i = 0; i < 6000; i++) {
        uint32_t numbers[] = { 0, 1, 2 };
        random_shuffle(&stream, numbers, 3);
        TEST_ASSERT_EQUAL_UINT32(7, 1u << numbers[0] | 1u << numbers[1] | 1u << numbers[2]);
        orders[numbers[0] * 9 + numbers[1] * 3 + numbers[2]]++;
    }
    for (size_t i = 0; i < ROW_COUNT(orders); i++) {
        if (orders[i])
            TEST_ASSERT_UINT64_WITHIN(150, 1000, orders[i]);
        met += orders[i] > 0;
    }
    TEST_ASSERT_EQUAL_UINT64(6, met);
    random_shuffle(&stream, NULL, 0);
}

static void a_draw_at_a_place_is_the_same_everywhere(void)
{
    /* Golden: computed apart, in Python, from the definition. */
    static const struct {
        uint64_t ordinal, word;
    } rows[] = {
        { UINT64_C(0), UINT64_C(0x8c79d813d7372f50) },
        { UINT64_C(1), UINT64_C(0xbeda628cff18b236) },
        { UINT64_C(2), UINT64_C(0x699b1dfa8258f099) },
        { UINT64_C(1000000), UINT64_C(0x9cf3041425836df3) },
        { UINT64_C(72057594037927936), UINT64_C(0xb0884a9ccf7bc0d3) },
        { UINT64_C(18446744073709551615), UINT64_C(0x542e17c19ebd9e09) },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_HEX64(rows[i].word, random_draw_at(&root, rows[i].ordinal));
}

/* Every bit, over neighbouring ordinals and over those that differ high up. */
static void draws_at_places_look_fair(void)
{
    static const unsigned shifts[] = { 0, 16, 56 };

    for (size_t s = 0; s < ROW_COUNT(shifts); s++) {
        const uint64_t count = UINT64_C(1) << (shifts[s] == 56 ? 8 : 14);
        uint64_t tolerance = shifts[s] == 56 ? 48 : 400; /* six standard deviations */
        uint64_t ones[64] = { 0 }, flips[64] = { 0 };

        for (uint64_t i = 0; i < count; i++) {
            uint64_t word = random_draw_at(&root, i << shifts[s]);
            uint64_t flipped = word ^ random_draw_at(&root, (i ^ 1) << shifts[s]);
            for (unsigned b = 0; b < 64; b++) {
                ones[b] += word >> b & 1;
                flips[b] += flipped >> b & 1;
            }
        }
        for (unsigned b = 0; b < 64; b++) {
            TEST_ASSERT_UINT64_WITHIN(tolerance, count / 2, ones[b]);
            TEST_ASSERT_UINT64_WITHIN(2 * tolerance, count / 2, flips[b]);
        }
    }
}

static void ratios_are_read_exactly_or_refused(void)
{
    static const struct {
        const char *text;
        bool is_ratio;
        uint64_t numerator, denominator;
    } rows[] = {
        { "0", true, 0, 1 },
        { "1", true, 1, 1 },
        { "0.5", true, 5, 10 },
        { "0.001", true, 1, 1000 },
        { "12.25", true, 1225, 100 },
        { "0.0", true, 0, 10 },
        { "0.123456789012345678", true, UINT64_C(123456789012345678), FINEST },
        { "0.000000000000000001", true, 1, FINEST },
        { "999999999999999999", true, UINT64_C(999999999999999999), 1 },
        { "0.1234567890123456789", false, 0, 0 },
        { "0.0000000000000000000", false, 0, 0 },
        { "1000000000000000000", false, 0, 0 },
        { "1.234567890123456789", false, 0, 0 },
        { "1.", false, 0, 0 },
        { ".5", false, 0, 0 },
        { ".", false, 0, 0 },
        { "", false, 0, 0 },
        { "1.2.3", false, 0, 0 },
        { "1..2", false, 0, 0 },
        { "-1", false, 0, 0 },
        { "+1", false, 0, 0 },
        { "1e-4", false, 0, 0 },
        { "1,5", false, 0, 0 },
        { " 1", false, 0, 0 },
        { "nan", false, 0, 0 },
        { "inf", false, 0, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct ratio ratio = { 0, 0 };
        TEST_ASSERT_EQUAL_MESSAGE(
            rows[i].is_ratio, random_ratio_of_text(text_of(rows[i].text), &ratio), rows[i].text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].numerator, ratio.numerator, rows[i].text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].denominator, ratio.denominator, rows[i].text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(keys_are_the_blake2b_of_seed_and_label);
    RUN_TEST(a_stream_is_chacha20_under_its_key);
    RUN_TEST(a_stream_goes_on_over_its_buffers_without_repeating);
    RUN_TEST(streams_of_different_labels_are_independent);
    RUN_TEST(below_one_there_is_only_zero);
    RUN_TEST(below_a_bound_every_number_comes_as_often);
    RUN_TEST(below_a_bound_of_three_quarters_of_all_there_is_no_bias);
    RUN_TEST(between_includes_both_ends_up_to_the_whole_range);
    RUN_TEST(a_chance_happens_as_often_as_it_says);
    RUN_TEST(a_word_is_below_a_ratio_as_a_fraction_exactly);
    RUN_TEST(scaling_maps_the_ends_to_the_ends);
    RUN_TEST(a_shuffle_keeps_all_and_makes_every_order);
    RUN_TEST(a_draw_at_a_place_is_the_same_everywhere);
    RUN_TEST(draws_at_places_look_fair);
    RUN_TEST(ratios_are_read_exactly_or_refused);
    return UNITY_END();
}
