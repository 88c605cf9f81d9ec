#include "programs/workloads/zipf.h"

#include <stdbool.h>
#include <string.h>

#include "programs/workloads/key_distribution.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;

void setUp(void) {}
void tearDown(void) {}

/* --- Numbers as long as it takes, to know the powers exactly ---------------------------------- */

#define LIMBS 320

struct big {
    uint32_t limbs[LIMBS]; /* the lowest first */
};

static void big_set(struct big *big, unsigned bit)
{
    *big = (struct big){ { 0 } };
    big->limbs[bit / 32] = UINT32_C(1) << bit % 32;
}

static void big_multiply(struct big *big, uint32_t factor)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < LIMBS; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    TEST_ASSERT_EQUAL_MESSAGE(0, carry, "the test needs longer numbers");
}

static void big_multiply_64(struct big *big, uint64_t factor)
{
    struct big low = *big, high = *big;
    uint64_t carry = 0;

    big_multiply(&low, (uint32_t)factor);
    big_multiply(&high, (uint32_t)(factor >> 32));
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (uint64_t)low.limbs[i] + (i ? high.limbs[i - 1] : 0);
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    TEST_ASSERT_EQUAL_MESSAGE(0, carry + high.limbs[LIMBS - 1], "the test needs longer numbers");
}

static int big_compare(const struct big *a, const struct big *b)
{
    for (size_t i = LIMBS; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* Whether weight <= 2^40 / n^(p/q), that is weight^q n^p <= 2^(40 q). */
static bool is_at_most_exact(uint64_t weight, uint32_t n, unsigned p, unsigned q)
{
    static struct big power, bound;

    big_set(&power, 0);
    big_set(&bound, 40 * q);
    for (unsigned i = 0; i < q; i++)
        big_multiply_64(&power, weight);
    for (unsigned i = 0; i < p; i++)
        big_multiply(&power, n);
    return big_compare(&power, &bound) <= 0;
}

/* --- Zipf ------------------------------------------------------------------------------------- */

static struct zipf make(uint32_t count, uint64_t numerator, uint64_t denominator)
{
    struct zipf zipf;

    ASSERT_OK(
        zipf_init(&zipf, count, (struct ratio){ numerator, denominator }, fixture_arena(), &err),
        &err);
    return zipf;
}

/* What the header says of a weight's error. */
static uint64_t slack_of(uint64_t weight)
{
    return (weight >> 28) + 1;
}

static void a_weight_is_the_exact_power_but_for_one_part_in_2_to_the_28(void)
{
    static const struct {
        const char *label;
        unsigned p, q;
    } rows[] = { { "1", 1, 1 }, { "0.99", 99, 100 }, { "0.5", 1, 2 },
                 { "2", 2, 1 }, { "4", 4, 1 },       { "1.5", 3, 2 } };
    static const uint32_t ranks[] = { 0, 1, 2, 3, 6, 9, 99, 1000, 9999 };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct zipf zipf = make(10000, rows[i].p, rows[i].q);

        for (size_t j = 0; j < ROW_COUNT(ranks); j++) {
            uint64_t weight = zipf_weight(&zipf, ranks[j]);
            uint64_t slack = slack_of(weight);

            TEST_ASSERT_TRUE_MESSAGE(is_at_most_exact(weight - (slack > weight ? weight : slack),
                                                      ranks[j] + 1, rows[i].p, rows[i].q),
                                     rows[i].label);
            TEST_ASSERT_FALSE_MESSAGE(
                is_at_most_exact(weight + slack, ranks[j] + 1, rows[i].p, rows[i].q),
                rows[i].label);
        }
    }
}

/* With theta 1 the exact sums are those of 2^64 / n, each cut by less than one. */
static void quantiles_are_those_of_the_exact_sums(void)
{
    enum { RANKS = 1000 };
    struct zipf zipf = make(RANKS, 1, 1);
    unsigned __int128 total = 0, sum = 0;

    for (uint32_t n = 1; n <= RANKS; n++)
        total += (((unsigned __int128)1 << 64) / n);
    for (uint32_t rank = 0; rank + 1 < RANKS; rank++) {
        /* The word at the exact border between this rank and the next. */
        uint64_t border, error = UINT64_C(1) << 36;

        sum += ((unsigned __int128)1 << 64) / (rank + 1);
        border = (uint64_t)((sum << 48) / (total >> 16));
        TEST_ASSERT_EQUAL(rank, zipf_rank(&zipf, border - error));
        TEST_ASSERT_EQUAL(rank + 1, zipf_rank(&zipf, border + error));
    }
}

static void the_first_and_the_last_word_are_the_first_and_the_last_rank(void)
{
    struct zipf many = make(ZIPF_RANKS_MAX, 4, 1);
    struct zipf one;

    TEST_ASSERT_EQUAL(0, zipf_rank(&many, 0));
    TEST_ASSERT_EQUAL(ZIPF_RANKS_MAX - 1, zipf_rank(&many, UINT64_MAX));
    TEST_ASSERT_EQUAL_UINT64(1, zipf_weight(&many, ZIPF_RANKS_MAX - 1));
    one = make(1, 99, 100);
    TEST_ASSERT_EQUAL(0, zipf_rank(&one, 0));
    TEST_ASSERT_EQUAL(0, zipf_rank(&one, UINT64_MAX));
}

static void ranks_at_theta_nought_are_all_alike(void)
{
    struct zipf zipf = make(7, 0, 1);

    for (uint32_t rank = 0; rank < 7; rank++)
        TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << 40, zipf_weight(&zipf, rank));
}

/* Made by this program: a change of any changes every run that draws by zipf. */
static void the_same_words_are_the_same_ranks_for_ever(void)
{
    static const uint32_t golden[] = { 7, 0,  60,  14,  528, 484, 515, 202,
                                       0, 43, 133, 688, 210, 24,  16,  1 };
    struct zipf zipf = make(1000, 99, 100);
    struct random_key key = random_key_of_seed(7);

    for (uint32_t i = 0; i < ROW_COUNT(golden); i++)
        TEST_ASSERT_EQUAL(golden[i], zipf_rank(&zipf, random_draw_at(&key, i)));
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(8498073934071), zipf_total(&zipf));
}

static void a_distribution_that_has_no_room_is_refused(void)
{
    struct arena small;
    struct zipf zipf;

    ASSERT_OK(arena_init(&small, 4096, &err), &err);
    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT,
                      zipf_init(&zipf, 100000, (struct ratio){ 1, 1 }, &small, &err));
    TEST_ASSERT_EQUAL_STRING("no memory for a distribution over 100000 keys", err.text);
    arena_close(&small);
}

/* --- Choice ----------------------------------------------------------------------------------- */

static struct key_distribution make_hot(uint32_t count, uint32_t hot, uint64_t numerator,
                                        uint64_t denominator)
{
    struct key_distribution choice;

    ASSERT_OK(key_distribution_init_hot(&choice, count, hot, (struct ratio){ numerator, denominator }, &err),
              &err);
    return choice;
}

static void hot_keys_have_their_share_of_the_words(void)
{
    struct key_distribution choice = make_hot(10, 2, 3, 4);

    TEST_ASSERT_EQUAL(0, key_distribution_key(&choice, 0));
    TEST_ASSERT_EQUAL(0, key_distribution_key(&choice, UINT64_C(0x5fffffffffffffff)));
    TEST_ASSERT_EQUAL(1, key_distribution_key(&choice, UINT64_C(0x6000000000000000)));
    TEST_ASSERT_EQUAL(1, key_distribution_key(&choice, UINT64_C(0xbfffffffffffffff)));
    TEST_ASSERT_EQUAL(2, key_distribution_key(&choice, UINT64_C(0xc000000000000000)));
    TEST_ASSERT_EQUAL(2, key_distribution_key(&choice, UINT64_C(0xc7ffffffffffffff)));
    TEST_ASSERT_EQUAL(3, key_distribution_key(&choice, UINT64_C(0xc800000000000000)));
    TEST_ASSERT_EQUAL(9, key_distribution_key(&choice, UINT64_MAX));
}

static void a_share_may_be_all_or_nothing(void)
{
    struct key_distribution all = make_hot(10, 2, 1, 1);
    struct key_distribution nothing = make_hot(10, 2, 0, 1);

    TEST_ASSERT_EQUAL(0, key_distribution_key(&all, 0));
    TEST_ASSERT_EQUAL(1, key_distribution_key(&all, UINT64_MAX));
    TEST_ASSERT_EQUAL(2, key_distribution_key(&nothing, 0));
    TEST_ASSERT_EQUAL(9, key_distribution_key(&nothing, UINT64_MAX));
}

static void none_hot_and_all_hot_are_refused(void)
{
    struct key_distribution choice;
    struct ratio half = { 1, 2 };

    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, key_distribution_init_hot(&choice, 3, 0, half, &err));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, key_distribution_init_hot(&choice, 3, 3, half, &err));
    TEST_ASSERT_EQUAL_STRING("3 hot of 3: some must be hot, and not all", err.text);
    TEST_ASSERT_EQUAL(STATUS_OK, key_distribution_init_hot(&choice, 3, 2, half, &err));
}

static void assert_expectation_is_met(const struct key_distribution *choice, const char *label)
{
    enum { DRAWS = 200000 };
    static uint32_t drawn[20];
    struct random_key key = random_key_of_seed(1);

    TEST_ASSERT_TRUE(choice->count <= ROW_COUNT(drawn));
    memset(drawn, 0, sizeof drawn);
    for (uint32_t i = 0; i < DRAWS; i++)
        drawn[key_distribution_key(choice, random_draw_at(&key, i))]++;
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t expected = (uint32_t)key_distribution_expected(choice, i, DRAWS);

        /* Six deviations of a count below 200,000 are less than 1,600. */
        TEST_ASSERT_UINT32_WITHIN_MESSAGE(expected / 20 + 300, expected, drawn[i], label);
    }
}

static void keys_come_as_often_as_is_expected_of_them(void)
{
    struct key_distribution uniform, zipf, hot = make_hot(20, 3, 9, 10);

    key_distribution_init_uniform(&uniform, 20);
    ASSERT_OK(key_distribution_init_zipf(&zipf, 20, (struct ratio){ 99, 100 }, fixture_arena(), &err), &err);
    assert_expectation_is_met(&uniform, "uniform");
    assert_expectation_is_met(&zipf, "zipf");
    assert_expectation_is_met(&hot, "hot");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_weight_is_the_exact_power_but_for_one_part_in_2_to_the_28);
    RUN_TEST(quantiles_are_those_of_the_exact_sums);
    RUN_TEST(the_first_and_the_last_word_are_the_first_and_the_last_rank);
    RUN_TEST(ranks_at_theta_nought_are_all_alike);
    RUN_TEST(the_same_words_are_the_same_ranks_for_ever);
    RUN_TEST(a_distribution_that_has_no_room_is_refused);
    RUN_TEST(hot_keys_have_their_share_of_the_words);
    RUN_TEST(a_share_may_be_all_or_nothing);
    RUN_TEST(none_hot_and_all_hot_are_refused);
    RUN_TEST(keys_come_as_often_as_is_expected_of_them);
    return UNITY_END();
}
