#include "base/checksum.h"

#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define SIZE_LARGEST 100

static uint8_t bytes[SIZE_LARGEST + 16];

void setUp(void)
{
    struct random_key key = random_key_of_seed(9);

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)random_draw_at(&key, i);
}

void tearDown(void) {}

static void it_never_changes_as_files_depend_on_it(void)
{
    /* Golden: computed apart, in Python, from the definition; bytes 0, 1, 2... */
    static const struct {
        size_t size;
        uint64_t sum;
    } rows[] = {
        { 0, UINT64_C(0xb72ab9492459b943) },  { 1, UINT64_C(0xb543b65225d12d7b) },
        { 7, UINT64_C(0x685110f06a571f06) },  { 8, UINT64_C(0x0c0c050289a43f2a) },
        { 9, UINT64_C(0x5fc75f99b32380d2) },  { 31, UINT64_C(0x4d067293bf98fa9c) },
        { 32, UINT64_C(0x35020bee6bd9a4d4) }, { 33, UINT64_C(0xf84b8727585aa474) },
        { 64, UINT64_C(0x2666bd77bd9ec54a) }, { 100, UINT64_C(0x439f14328a450f10) },
    };

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_HEX64(rows[i].sum, checksum(bytes, rows[i].size));
    TEST_ASSERT_EQUAL_HEX64(checksum(bytes, 0), checksum(NULL, 0));
}

static void every_flip_of_one_bit_changes_it_at_every_length(void)
{
    for (size_t size = 0; size <= SIZE_LARGEST; size++) {
        uint64_t sum = checksum(bytes, size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            TEST_ASSERT_TRUE(checksum(bytes, size) != sum);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        TEST_ASSERT_EQUAL_HEX64(sum, checksum(bytes, size));
    }
}

static void every_change_of_one_byte_changes_it(void)
{
    const size_t sizes[] = { 1, 7, 8, 31, 32, 33, 64, 99 };

    for (size_t s = 0; s < ROW_COUNT(sizes); s++) {
        uint64_t sum = checksum(bytes, sizes[s]);
        for (size_t at = 0; at < sizes[s]; at++)
            for (unsigned mask = 1; mask < 256; mask++) {
                bytes[at] ^= (uint8_t)mask;
                TEST_ASSERT_TRUE(checksum(bytes, sizes[s]) != sum);
                bytes[at] ^= (uint8_t)mask;
            }
    }
}

static void what_is_cut_off_or_added_is_noticed_even_if_it_is_zero(void)
{
    uint64_t sums[SIZE_LARGEST + 1];

    memset(bytes, 0, sizeof bytes);
    for (size_t size = 0; size <= SIZE_LARGEST; size++) {
        sums[size] = checksum(bytes, size);
        for (size_t other = 0; other < size; other++)
            TEST_ASSERT_TRUE(sums[size] != sums[other]);
    }
}

static void words_that_change_places_are_noticed(void)
{
    uint64_t sum = checksum(bytes, SIZE_LARGEST);

    for (size_t a = 0; a + 8 <= SIZE_LARGEST; a += 8)
        for (size_t b = 0; b < a; b += 8) {
            uint8_t swapped[SIZE_LARGEST];
            memcpy(swapped, bytes, sizeof swapped);
            memcpy(swapped + a, bytes + b, 8);
            memcpy(swapped + b, bytes + a, 8);
            TEST_ASSERT_TRUE(checksum(swapped, sizeof swapped) != sum);
        }
}

static void where_the_bytes_stand_in_memory_does_not_matter(void)
{
    static uint8_t moved[SIZE_LARGEST + 16];

    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(moved + shift, bytes, SIZE_LARGEST);
        TEST_ASSERT_EQUAL_HEX64(checksum(bytes, SIZE_LARGEST),
                                checksum(moved + shift, SIZE_LARGEST));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_never_changes_as_files_depend_on_it);
    RUN_TEST(every_flip_of_one_bit_changes_it_at_every_length);
    RUN_TEST(every_change_of_one_byte_changes_it);
    RUN_TEST(what_is_cut_off_or_added_is_noticed_even_if_it_is_zero);
    RUN_TEST(words_that_change_places_are_noticed);
    RUN_TEST(where_the_bytes_stand_in_memory_does_not_matter);
    return UNITY_END();
}
