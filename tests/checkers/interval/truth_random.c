#include "tests/checkers/interval/truth.h"

static struct ratio some(struct random *random)
{
    static const struct ratio ratios[] = { { 0, 1 }, { 0, 1 }, { 1, 10 }, { 1, 3 } };

    return ratios[random_below(random, ROW_COUNT(ratios))];
}

static uint32_t one_of(struct random *random, const uint32_t *numbers, size_t count)
{
    return numbers[random_below(random, count)];
}

struct truth_options truth_random_options(const struct profile *profile, uint64_t seed)
{
    static const uint32_t keys[] = { 1, 2, 5, 12, 40, 200 }, sessions[] = { 1, 2, 4, 8, 16, 40 };
    static const uint32_t ops[] = { 1, 2, 4, 8 };
    struct truth_options o = truth_options(profile);
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    random_init(&random, &key);
    o.seed = seed;
    o.transactions = 200;
    o.workload = (enum truth_workload)random_below(&random, TRUTH_WORKLOAD_COUNT);
    o.keys = one_of(&random, keys, ROW_COUNT(keys));
    o.sessions = one_of(&random, sessions, ROW_COUNT(sessions));
    o.ops = one_of(&random, ops, ROW_COUNT(ops));
    o.values = random_below(&random, 2) == 0 ? 0 : (uint32_t)random_between(&random, 1, 6);
    o.deletes = some(&random);
    o.locking = some(&random);
    o.aborts = some(&random);
    o.unknown = some(&random);
    o.deaths = some(&random);
    o.stalls = some(&random);
    o.stall_ns = random_below(&random, 2) == 0 ? 20000 : 400000;
    o.think_ns = random_below(&random, 2) == 0 ? 0 : 2000;
    o.clock_error_ns = random_below(&random, 3) == 0 ? random_between(&random, 1, 3000) : 0;
    o.tick_ns = random_below(&random, 3) == 0 ? random_between(&random, 1, 3000) : 1;
    if (random_below(&random, 3) == 0)
        o.theta = (struct ratio){ 1, 1 };
    return o;
}
