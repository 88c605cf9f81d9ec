#include "base/hash.h"

#include "tests/fixture.h"
#include "unity.h"

static struct hash_key fixed;

void setUp(void)
{
    fixed = hash_key;
}

void tearDown(void)
{
    hash_set_key(fixed);
}

static void the_same_bytes_hash_the_same_everywhere(void)
{
    /* Golden: computed apart, in Python, from the definition in base/hash.h. */
    static const struct {
        const char *bytes;
        uint64_t hash;
    } rows[] = {
        { "", UINT64_C(0xf2f37271ad33e225) },
        { "a", UINT64_C(0x453182972e731214) },
        { "abcdefgh", UINT64_C(0xfe18408bbb6b5808) },
        { "abcdefghi", UINT64_C(0xd626ac3cbd380f28) },
        { "network/link/3-4", UINT64_C(0xfe3c6ed1af1fe352) },
        { "a text that is longer than two words", UINT64_C(0x937b36fcb7da1f37) },
    };
    static const struct {
        uint64_t number, hash;
    } numbers[] = {
        { UINT64_C(0), UINT64_C(0xc9d874ca57d9e055) },
        { UINT64_C(1), UINT64_C(0xf2f37271ad33e225) },
        { UINT64_C(2), UINT64_C(0x7e0e765b600c1d6e) },
        { UINT64_C(18446744073709551615), UINT64_C(0x8e1a4acd601c1d69) },
        { UINT64_C(11400714819323198485), UINT64_C(0x0000000000000000) },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(
            rows[i].hash, hash_bytes(rows[i].bytes, strlen(rows[i].bytes)), rows[i].bytes);
    for (size_t i = 0; i < ROW_COUNT(numbers); i++)
        TEST_ASSERT_EQUAL_HEX64(numbers[i].hash, hash_number(numbers[i].number));
}

static void a_fold_is_the_two_halves_of_the_product(void)
{
    TEST_ASSERT_EQUAL_HEX64(0, hash_fold(0, 12345));
    TEST_ASSERT_EQUAL_HEX64(12345, hash_fold(1, 12345));
    TEST_ASSERT_EQUAL_HEX64(1, hash_fold(UINT64_C(1) << 32, UINT64_C(1) << 32));
    TEST_ASSERT_EQUAL_HEX64(UINT64_MAX, hash_fold(UINT64_MAX, UINT64_MAX));
}

static void a_tail_is_read_little_endian_and_may_be_empty(void)
{
    TEST_ASSERT_EQUAL_HEX64(0, hash_tail(NULL, 0));
    TEST_ASSERT_EQUAL_HEX64(0xff, hash_tail("\xff", 1));
    TEST_ASSERT_EQUAL_HEX64(0x030201, hash_tail("\x01\x02\x03", 3));
    TEST_ASSERT_EQUAL_HEX64(UINT64_C(0x0807060504030201),
                            hash_tail("\x01\x02\x03\x04\x05\x06\x07\x08", 8));
}

static void zero_bytes_count(void)
{
    static const char zeros[40];

    for (size_t i = 0; i < sizeof zeros; i++)
        for (size_t j = 0; j < i; j++)
            TEST_ASSERT_TRUE(hash_bytes(zeros, i) != hash_bytes(zeros, j));
}

/* A word that equals what was hashed before it once made the hash forget all that. */
static void no_word_makes_a_hash_forget(void)
{
    static const char firsts[][9] = { "abcdefgh", "ABCDEFGH", "k1234567" };
    uint64_t seen[ROW_COUNT(firsts)];

    for (size_t i = 0; i < ROW_COUNT(firsts); i++) {
        uint64_t start = 24 * HASH_ODD_1 + 1;
        uint64_t word = hash_fold(start ^ hash_word(firsts[i]), HASH_ODD_2) + hash_word(firsts[i]);
        char bytes[24];

        memcpy(bytes, firsts[i], 8);
        for (size_t k = 0; k < 8; k++)
            bytes[8 + k] = (char)(word >> (8 * k));
        memcpy(bytes + 16, "the end.", 8);
        seen[i] = hash_bytes(bytes, sizeof bytes);
        for (size_t j = 0; j < i; j++)
            TEST_ASSERT_TRUE(seen[i] != seen[j]);
    }
}

/* In 2^16 slots a fair hash leaves about e^-1 = 36.8% of them free for as many numbers. */
static void neighbouring_numbers_spread_over_a_table(void)
{
    static const uint64_t steps[] = { 1, 8, 4096, UINT64_C(1) << 32, UINT64_C(1) << 47 };
    static uint8_t taken[1 << 16];

    for (size_t s = 0; s < ROW_COUNT(steps); s++) {
        size_t free_count = 0;

        memset(taken, 0, sizeof taken);
        for (uint64_t i = 0; i < sizeof taken; i++)
            taken[hash_number(i * steps[s]) % sizeof taken] = 1;
        for (size_t i = 0; i < sizeof taken; i++)
            free_count += !taken[i];
        TEST_ASSERT_LESS_THAN_UINT64(sizeof taken * 45 / 100, free_count);
    }
}

/* --- An attacker who knows all but the key --------------------------------------------- */

enum { COLLIDERS = 1 << 12, TABLE = 1 << 14 };

/* How many slots are looked at while so many are added to a table that is a quarter full. */
static uint64_t count_steps(const uint64_t *hashes)
{
    static uint8_t taken[TABLE];
    uint64_t steps = 0;

    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < COLLIDERS; i++) {
        size_t at = hashes[i] % TABLE;

        for (steps++; taken[at]; steps++)
            at = (at + 1) % TABLE;
        taken[at] = 1;
    }
    return steps;
}

/* Two words, of which the second undoes what the first did with the fixed key. */
static void make_texts(char (*texts)[16])
{
    for (uint64_t i = 0; i < COLLIDERS; i++) {
        uint64_t first = i * UINT64_C(0x0101010101010101) ^ i << 40;
        uint64_t second = hash_mix(16 * HASH_ODD_1 + 1, first) ^ UINT64_C(0x5555555555555555);

        memcpy(texts[i], &first, 8);
        memcpy(texts[i] + 8, &second, 8);
    }
}

/* Numbers that meet in one slot of the table with the fixed key. */
static void make_numbers(uint64_t *numbers)
{
    uint64_t number = 0;

    for (size_t i = 0; i < COLLIDERS; i++) {
        while (hash_number(number) % TABLE != 0)
            number++;
        numbers[i] = number++;
    }
}

/* Lists of which the first and the fifth element cancel out in their lane. */
static void make_lists(int64_t (*lists)[8])
{
    uint64_t lane = hash_number(8);

    memset(lists, 0, COLLIDERS * sizeof *lists);
    for (size_t i = 0; i < COLLIDERS; i++) {
        uint64_t after;

        lists[i][0] = (int64_t)i + 1;
        after = hash_mix(lane, (uint64_t)lists[i][0]);
        lists[i][4] = (int64_t)after; /* the fold is of zero: the element alone is left */
    }
}

static void with_a_random_key_nobody_can_choose_what_meets(void)
{
    static char texts[COLLIDERS][16];
    static uint64_t numbers[COLLIDERS], of_texts[COLLIDERS], of_numbers[COLLIDERS];

    make_texts(texts);
    make_numbers(numbers);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < COLLIDERS; i++) {
            of_texts[i] = hash_bytes(texts[i], sizeof texts[i]);
            of_numbers[i] = hash_number(numbers[i]);
        }
        if (round == 0) { /* the fixed key: quadratic */
            TEST_ASSERT_TRUE(count_steps(of_texts) > COLLIDERS * (uint64_t)COLLIDERS / 3);
            TEST_ASSERT_TRUE(count_steps(of_numbers) > COLLIDERS * (uint64_t)COLLIDERS / 3);
        } else {
            TEST_ASSERT_LESS_THAN_UINT64(2 * COLLIDERS, count_steps(of_texts));
            TEST_ASSERT_LESS_THAN_UINT64(2 * COLLIDERS, count_steps(of_numbers));
        }
        hash_set_key(hash_random_key());
    }
}

static void a_list_cannot_be_made_to_forget_its_beginning(void)
{
    static int64_t lists[COLLIDERS][8];
    static uint64_t hashes[COLLIDERS];

    make_lists(lists);
    hash_set_key(hash_random_key());
    for (size_t i = 0; i < COLLIDERS; i++)
        hashes[i] = hash_words(lists[i], 8);
    TEST_ASSERT_LESS_THAN_UINT64(2 * COLLIDERS, count_steps(hashes));
}

/* Every length, and each word of it. */
static void all_words_count(void)
{
    int64_t words[11] = { 0 };

    for (size_t count = 0; count <= ROW_COUNT(words); count++) {
        uint64_t plain = hash_words(words, count);

        for (size_t longer = 0; longer < count; longer++)
            TEST_ASSERT_TRUE(plain != hash_words(words, longer));
        for (size_t i = 0; i < count; i++) {
            words[i] = 1;
            TEST_ASSERT_TRUE(plain != hash_words(words, count));
            words[i] = 0;
        }
    }
}

static void random_keys_differ_and_the_fixed_one_is_known(void)
{
    struct hash_key one = hash_random_key(), other = hash_random_key();

    TEST_ASSERT_TRUE(hash_key_is_fixed());
    TEST_ASSERT_TRUE(one.word != other.word && one.factor != other.factor);
    hash_set_key(one);
    TEST_ASSERT_FALSE(hash_key_is_fixed());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_same_bytes_hash_the_same_everywhere);
    RUN_TEST(a_fold_is_the_two_halves_of_the_product);
    RUN_TEST(a_tail_is_read_little_endian_and_may_be_empty);
    RUN_TEST(zero_bytes_count);
    RUN_TEST(no_word_makes_a_hash_forget);
    RUN_TEST(neighbouring_numbers_spread_over_a_table);
    RUN_TEST(with_a_random_key_nobody_can_choose_what_meets);
    RUN_TEST(a_list_cannot_be_made_to_forget_its_beginning);
    RUN_TEST(all_words_count);
    RUN_TEST(random_keys_differ_and_the_fixed_one_is_known);
    return UNITY_END();
}
