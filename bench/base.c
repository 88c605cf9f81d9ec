#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/random.h"

/* Results go here, so that no loop is optimised away. */
static volatile uint64_t sink;

static void measure_random_words(void)
{
    double seconds[BENCH_ROUNDS];
    struct random_key key = random_key_of_seed(1);
    uint64_t words = 20 * 1000 * 1000, sum = 0;
    struct random random;

    random_init(&random, &key);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (uint64_t i = 0; i < words; i++)
            sum += random_next(&random);
        seconds[round] = bench_seconds() - from;
    }
    sink = sum;
    bench_print_rate("ChaCha20 stream, random_next()", (double)words, "words", seconds);
}

static void measure_stateless_draws(void)
{
    double seconds[BENCH_ROUNDS];
    struct random_key key = random_key_of_seed(1);
    uint64_t draws = 50 * 1000 * 1000, sum = 0;

    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (uint64_t i = 0; i < draws; i++)
            sum += random_draw_at(&key, i);
        seconds[round] = bench_seconds() - from;
    }
    sink = sum;
    bench_print_rate("stateless draw, random_draw_at()", (double)draws, "words", seconds);
}

static void measure_checksum(void)
{
    double seconds[BENCH_ROUNDS];
    size_t size = (size_t)64 << 20;
    char *bytes = malloc(size);

    if (!bytes)
        return;
    memset(bytes, 'o', size);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        sink = checksum(bytes, size);
        seconds[round] = bench_seconds() - from;
    }
    bench_print_rate("checksum of 64 MB", (double)size, "bytes", seconds);
    free(bytes);
}

static void measure_interning(void)
{
    double seconds[BENCH_ROUNDS];
    struct random_key key = random_key_of_seed(2);
    uint64_t lookups = 5 * 1000 * 1000, sum = 0;
    struct error err = { 0 };
    struct intern intern = { 0 };

    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (uint64_t i = 0; i < lookups; i++) {
            char name[24] = "k";
            char *end =
                text_write_int64(name + 1, (int64_t)random_scale(random_draw_at(&key, i), 1000));
            uint32_t number;
            if (intern_add(&intern, (struct text){ name, (size_t)(end - name) }, &number, &err))
                break;
            sum += number;
        }
        seconds[round] = bench_seconds() - from;
    }
    sink = sum;
    intern_close(&intern);
    bench_print_rate("interning one of 1,000 keys", (double)lookups, "keys", seconds);
}

static void measure_map(void)
{
    double seconds[BENCH_ROUNDS];
    uint64_t lookups = 5 * 1000 * 1000, sum = 0;
    struct error err = { 0 };
    struct map map = { 0 };
    size_t place;

    for (uint64_t i = 0; i < 1000 * 1000; i++)
        if (map_add(&map, i * 7919, i, &place, &err))
            break;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (uint64_t i = 0; i < lookups; i++) {
            uint64_t value = 0;
            map_find(&map, i * 104729 % 1000000 * 7919, &value);
            sum += value;
        }
        seconds[round] = bench_seconds() - from;
    }
    sink = sum;
    map_close(&map);
    bench_print_rate("map of a million, map_find()", (double)lookups, "lookups", seconds);
}

void bench_base(void)
{
    measure_random_words();
    measure_stateless_draws();
    measure_checksum();
    measure_interning();
    measure_map();
}
