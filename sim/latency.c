#include "sim/latency.h"

#include <assert.h>
#include <inttypes.h>
#include <stdint.h>

#include "base/fixed.h"
#include "base/hash.h"

#define OCTAVES 32
#define STEPS 16
#define TABLE_BITS 28

/*
 * Entry 16 k + j is the z beyond which a share of 2^(k-33) (1 + j/16) lies, for k up
 * to 31, with 28 bits behind the point: 16 even steps from each power of two to
 * the next, so that steps shrink with the share. The last entry is the median.
 * Made with mpmath 1.3, mp.prec = 120: Newton's method on erfc(z/sqrt(2))/2, rounded
 * to nearest. The tests recompute every entry.
 */
static const uint32_t quantiles[OCTAVES * STEPS + 1] = {
    0x65684664, 0x6541fa8b, 0x651dd28a, 0x64fb93bb, 0x64db0c70, 0x64bc1236, 0x649e807d, 0x6482378c,
    0x64671bb4, 0x644d149f, 0x64340cd5, 0x641bf143, 0x6404b0ea, 0x63ee3c93, 0x63d8868d, 0x63c38281,
    0x63af2541, 0x6388376e, 0x63637615, 0x6340a5a7, 0x631f93b3, 0x6300151c, 0x62e204c2, 0x62c5426d,
    0x62a9b200, 0x628f3ac4, 0x6275c6e8, 0x625d4311, 0x62459dfa, 0x622ec82d, 0x6218b3c4, 0x62035435,
    0x61ee9e25, 0x61c7062a, 0x61a1a3b4, 0x617e3a43, 0x615c9696, 0x613c8ce1, 0x611df76c, 0x6100b57b,
    0x60e4aa7a, 0x60c9bd51, 0x60afd7d3, 0x6096e653, 0x607ed746, 0x60679af6, 0x60512343, 0x603b636e,
    0x60264fed, 0x5ffe04e7, 0x5fd7f8e5, 0x5fb3ee66, 0x5f91b154, 0x5f71152a, 0x5f51f38e, 0x5f342b3c,
    0x5f179f26, 0x5efc35c7, 0x5ee1d895, 0x5ec8738f, 0x5eaff4df, 0x5e984c8c, 0x5e816c37, 0x5e6b46ed,
    0x5e55d0f1, 0x5e2cc933, 0x5e060a72, 0x5de15624, 0x5dbe7750, 0x5d9d40ae, 0x5d7d8b3d, 0x5d5f3528,
    0x5d4220e0, 0x5d263471, 0x5d0b58ed, 0x5cf179fb, 0x5cd88576, 0x5cc06b1d, 0x5ca91c53, 0x5c928bea,
    0x5c7cadf2, 0x5c52dee7, 0x5c2b635b, 0x5c05fbaa, 0x5be271ee, 0x5bc09812, 0x5ba04666, 0x5b815a79,
    0x5b63b639, 0x5b473f39, 0x5b2bde25, 0x5b117e44, 0x5af80d20, 0x5adf7a2d, 0x5ac7b68b, 0x5ab0b4cf,
    0x5a9a68d1, 0x5a6fc6e2, 0x5a478385, 0x5a215df2, 0x59fd1f45, 0x59da9894, 0x59b9a173, 0x599a16d1,
    0x597bda0e, 0x595ed040, 0x5942e1a5, 0x5927f923, 0x590e03eb, 0x58f4f122, 0x58dcb1a3, 0x58c537c1,
    0x58ae771b, 0x5882f587, 0x5859de3b, 0x5832ef37, 0x580df08e, 0x57eab272, 0x57c90bb5, 0x57a8d899,
    0x5789f9e9, 0x576c5439, 0x574fcf51, 0x573455b0, 0x5719d429, 0x57003991, 0x56e77675, 0x56cf7ce7,
    0x56b84047, 0x568bd0fa, 0x5661d85c, 0x563a1323, 0x56144849, 0x55f04711, 0x55cde57b, 0x55acff18,
    0x558d7413, 0x556f2875, 0x5552038a, 0x5535ef64, 0x551ad874, 0x5500ad37, 0x54e75deb, 0x54cedc59,
    0x54b71ba1, 0x5489af01, 0x545ec63a, 0x54361ca2, 0x540f780d, 0x53eaa6be, 0x53c77dda, 0x53a5d830,
    0x53859546, 0x5366988f, 0x5348c8d7, 0x532c0fba, 0x53105942, 0x52f5938c, 0x52dbae85, 0x52c29ba8,
    0x52aa4dd2, 0x527bd281, 0x524fe908, 0x52264b4d, 0x51febde6, 0x51d90e07, 0x51b50fee, 0x51929d9d,
    0x517195e6, 0x5151dba3, 0x51335511, 0x5115eb52, 0x50f98a02, 0x50de1eda, 0x50c3996e, 0x50a9eae7,
    0x509105da, 0x5061686b, 0x50346bc4, 0x5009c83e, 0x4fe1411f, 0x4fbaa27d, 0x4f95bf9a, 0x4f7271a2,
    0x4f5096a9, 0x4f3010df, 0x4f10c5f0, 0x4ef29e78, 0x4ed5859e, 0x4eb968b2, 0x4e9e36e5, 0x4e83e10f,
    0x4e6a5972, 0x4e398411, 0x4e0b5f6f, 0x4ddfa241, 0x4db60e66, 0x4d8e6ec1, 0x4d68958a, 0x4d445b04,
    0x4d219c79, 0x4d003b68, 0x4ce01cdc, 0x4cc128e6, 0x4ca34a2e, 0x4c866d92, 0x4c6a81e0, 0x4c4f7790,
    0x4c354093, 0x4c031a90, 0x4bd3b66e, 0x4ba6c91e, 0x4b7c1301, 0x4b535dae, 0x4b2c7a40, 0x4b074005,
    0x4ae38b6c, 0x4ac13d34, 0x4aa039be, 0x4a806886, 0x4a61b3aa, 0x4a440792, 0x4a27529b, 0x4a0b84dc,
    0x49f08feb, 0x49bcfd35, 0x498c3ecf, 0x495e07c6, 0x493216df, 0x4908344f, 0x48e03001, 0x48b9e036,
    0x48952075, 0x4871d0ae, 0x484fd48c, 0x482f12e9, 0x480f7551, 0x47f0e7a9, 0x47d357d9, 0x47b6b58d,
    0x479af1fa, 0x4765d26a, 0x47339b14, 0x4703fcfb, 0x46d6b527, 0x46ab8a52, 0x46824b1c, 0x465acca5,
    0x4634e97a, 0x461080ad, 0x45ed7524, 0x45cbad08, 0x45ab1149, 0x458b8d3f, 0x456d0e54, 0x454f83c0,
    0x4532de4f, 0x44fc0ccc, 0x44c8391b, 0x4497120b, 0x446852c4, 0x443bc063, 0x44112823, 0x43e85ded,
    0x43c13b3e, 0x439b9e35, 0x437768e6, 0x435480bb, 0x4332cdf9, 0x43123b5f, 0x42f2b5ce, 0x42d42c01,
    0x42b68e53, 0x427ddfb3, 0x4248466a, 0x42156ee1, 0x41e51238, 0x41b6f3ca, 0x418adf51, 0x4160a763,
    0x41382453, 0x4111333d, 0x40ebb54b, 0x40c78f17, 0x40a4a831, 0x4082eaaf, 0x406242dc, 0x40429eeb,
    0x4023eebb, 0x3fe9304a, 0x3fb1a0e9, 0x3f7cea6a, 0x3f4ac3b3, 0x3f1aee36, 0x3eed3404, 0x3ec16645,
    0x3e975c06, 0x3e6ef146, 0x3e480631, 0x3e227e81, 0x3dfe40f9, 0x3ddb36fa, 0x3db94c2b, 0x3d986e2a,
    0x3d788c4f, 0x3d3b81d4, 0x3d01c2ba, 0x3ccaf5f6, 0x3c96cffd, 0x3c65102d, 0x3c357ec4, 0x3c07eb55,
    0x3bdc2b8b, 0x3bb21a2b, 0x3b899649, 0x3b6282a8, 0x3b3cc52c, 0x3b18466f, 0x3af4f161, 0x3ad2b300,
    0x3ab17a0c, 0x3a71db26, 0x3a35a6f4, 0x39fc8147, 0x39c61be7, 0x399233df, 0x39608f70, 0x3930fc6e,
    0x39034efa, 0x38d7607f, 0x38ad0edf, 0x38843bc8, 0x385ccc2a, 0x3836a7c0, 0x3811b8b5, 0x37edeb4f,
    0x37cb2dac, 0x3788a218, 0x3749a421, 0x370dd418, 0x36d4e0cc, 0x369e84ba, 0x366a83e9, 0x3638aa3e,
    0x3608ca25, 0x35dabb89, 0x35ae5af6, 0x358388e7, 0x355a293d, 0x353222bb, 0x350b5eae, 0x34e5c893,
    0x34c14dcf, 0x347b682a, 0x3439374d, 0x33fa57a5, 0x33be74af, 0x3385460b, 0x334e8d47, 0x331a141b,
    0x32e7ab0c, 0x32b72857, 0x32886707, 0x325b4644, 0x322fa8b9, 0x32057418, 0x31dc90b3, 0x31b4e925,
    0x318e6a05, 0x3144a00e, 0x30feb730, 0x30bc477b, 0x307cf8ac, 0x30407f2e, 0x300699c2, 0x2fcf0faf,
    0x2f99af56, 0x2f664d0b, 0x2f34c22a, 0x2f04ec59, 0x2ed6ace9, 0x2ea9e854, 0x2e7e85d2, 0x2e546efc,
    0x2e2b8f84, 0x2ddd2e62, 0x2d92e0f4, 0x2d4c3a55, 0x2d08de06, 0x2cc87cc9, 0x2c8ad233, 0x2c4fa2c3,
    0x2c16ba6a, 0x2bdfeb53, 0x2bab0cee, 0x2b77fb28, 0x2b4695c8, 0x2b16bfe3, 0x2ae85f70, 0x2abb5ce5,
    0x2a8fa2e8, 0x2a3bbc97, 0x29ec2455, 0x29a0678e, 0x295824ea, 0x291308fb, 0x28d0cbb1, 0x28912e5e,
    0x2853fa22, 0x2818fead, 0x27e01139, 0x27a90bba, 0x2773cc2f, 0x27403414, 0x270e27ed, 0x26dd8edf,
    0x26ae525d, 0x26539eb1, 0x25fd7d05, 0x25ab7438, 0x255d1d52, 0x2512200c, 0x24ca301f, 0x24850b29,
    0x2442770b, 0x24024091, 0x23c43a63, 0x23883c29, 0x234e21d0, 0x2315cafa, 0x22df1a77, 0x22a9f5e4,
    0x22764550, 0x2212ead1, 0x21b4720f, 0x215a5a3e, 0x210435d4, 0x20b1a6dc, 0x20625c1c, 0x20160ede,
    0x1fcc812f, 0x1f857c78, 0x1f40d05c, 0x1efe51cf, 0x1ebdda4f, 0x1e7f474b, 0x1e427997, 0x1e075500,
    0x1dcdbfee, 0x1d5ee91e, 0x1cf55190, 0x1c906f67, 0x1c2fcd50, 0x1bd3069b, 0x1b79c431, 0x1b23ba36,
    0x1ad0a62c, 0x1a804d74, 0x1a327c1a, 0x19e703d6, 0x199dbb43, 0x19567d2e, 0x1911280d, 0x18cd9d82,
    0x188bc1fc, 0x180cb5ac, 0x179352bd, 0x171f046d, 0x16af4c0d, 0x1643bcd0, 0x15dbf888, 0x1577ad20,
    0x15169298, 0x14b8696a, 0x145cf940, 0x14040fe4, 0x13ad8061, 0x1359224e, 0x1306d133, 0x12b66c05,
    0x1267d4c0, 0x11cfa4cd, 0x113d80f7, 0x10b0c6b8, 0x1028eb74, 0x0fa577e5, 0x0f2604a0, 0x0eaa3753,
    0x0e31c097, 0x0dbc5a37, 0x0d49c5c6, 0x0cd9cb7a, 0x0c6c393a, 0x0c00e1d6, 0x0b979c65, 0x0b3043b0,
    0x0acab5c4, 0x0a048066, 0x09442016, 0x0888d89e, 0x07d20737, 0x071f1d89, 0x066f9dc4, 0x05c31790,
    0x05192597, 0x04716b88, 0x03cb9470, 0x0327515f, 0x02845835, 0x01e262aa, 0x01412d60, 0x00a0771a,
    0x00000000,
};

/* For the share (word + 1/2) / 2^64, which is below one half. */
static int64_t quantile_beyond(uint64_t word)
{
    const uint64_t least = UINT64_C(1) << (63 - OCTAVES);
    uint64_t below_leading, fraction;
    unsigned zeros;
    uint32_t entry, drop;

    if (word < least)
        word = least;
    zeros = (unsigned)__builtin_clzll(word); /* 1 .. OCTAVES */
    below_leading = word << zeros << 1;      /* what stands behind the leading bit */
    entry = (OCTAVES - zeros) * STEPS + (uint32_t)(below_leading >> 60);
    fraction = below_leading << 4 >> 32; /* of the step, in 2^-32 */
    drop = quantiles[entry] - quantiles[entry + 1];
    /* 28 bits of the table and 32 of the fraction are 60; 28 of them are too many. */
    return (int64_t)((((uint64_t)quantiles[entry] << 32) - drop * fraction) >> TABLE_BITS);
}

int64_t latency_normal_quantile(uint64_t word)
{
    return word >> 63 ? quantile_beyond(~word) : -quantile_beyond(word);
}

#define LN2 INT64_C(2977044472) /* as base/fixed counts */

static enum status check_given(const char *what, int64_t given_ns, struct error *err)
{
    if (given_ns < 0)
        return error_set(err, STATUS_BAD_INPUT, "%s of %" PRId64 " ns is negative", what, given_ns);
    if (given_ns > LATENCY_GIVEN_MAX_NS)
        return error_set(err, STATUS_BAD_INPUT, "%s of %" PRId64 " ns is more than an hour", what,
                         given_ns);
    return STATUS_OK;
}

enum status latency_constant(struct latency *latency, int64_t value_ns, struct error *err)
{
    TRY(check_given("a latency", value_ns, err));
    *latency = (struct latency){ .kind = LATENCY_CONSTANT, .base_ns = value_ns };
    return STATUS_OK;
}

enum status latency_uniform(struct latency *latency, int64_t low_ns, int64_t high_ns,
                            struct error *err)
{
    TRY(check_given("a lowest latency", low_ns, err));
    TRY(check_given("a highest latency", high_ns, err));
    if (high_ns < low_ns)
        return error_set(err, STATUS_BAD_INPUT,
                         "the highest latency, %" PRId64 " ns, is below the lowest, %" PRId64 " ns",
                         high_ns, low_ns);
    *latency = (struct latency){ .kind = LATENCY_UNIFORM,
                                 .base_ns = low_ns,
                                 .spread_ns = high_ns - low_ns };
    return STATUS_OK;
}

enum status latency_exponential(struct latency *latency, int64_t minimum_ns, int64_t mean_ns,
                                struct error *err)
{
    TRY(check_given("a minimum latency", minimum_ns, err));
    TRY(check_given("a mean latency", mean_ns, err));
    if (mean_ns < minimum_ns)
        return error_set(err, STATUS_BAD_INPUT,
                         "the mean latency, %" PRId64 " ns, is below the minimum, %" PRId64 " ns",
                         mean_ns, minimum_ns);
    *latency = (struct latency){ .kind = LATENCY_EXPONENTIAL,
                                 .base_ns = minimum_ns,
                                 .spread_ns = mean_ns - minimum_ns };
    return STATUS_OK;
}

enum status latency_lognormal(struct latency *latency, int64_t median_ns, int64_t p99_ns,
                              struct error *err)
{
    int64_t log2_median, log2_p99;

    TRY(check_given("a median latency", median_ns, err));
    TRY(check_given("a 99th percentile", p99_ns, err));
    if (median_ns == 0)
        return error_set(err, STATUS_BAD_INPUT, "the median of a log-normal latency is not 0");
    if (p99_ns < median_ns)
        return error_set(err, STATUS_BAD_INPUT,
                         "the 99th percentile, %" PRId64 " ns, is below the median, %" PRId64 " ns",
                         p99_ns, median_ns);
    log2_median = fixed_log2((uint64_t)median_ns);
    log2_p99 = fixed_log2((uint64_t)p99_ns);
    *latency = (struct latency){
        .kind = LATENCY_LOGNORMAL,
        .log2_median = log2_median,
        .log2_deviation = fixed_divide(log2_p99 - log2_median, NORMAL_99TH),
    };
    return STATUS_OK;
}

enum status latency_add_tail(struct latency *latency, struct ratio chance, int64_t longer_ns,
                             struct error *err)
{
    TRY(check_given("a slow tail", longer_ns, err));
    if (chance.denominator == 0 || chance.numerator > chance.denominator)
        return error_set(err, STATUS_BAD_INPUT, "the chance of a slow tail is not within 0 and 1");
    latency->tail_ns = longer_ns;
    latency->tail_chance = chance;
    return STATUS_OK;
}

/* The spread times -ln(1 - word / 2^64): at most 64 ln 2 = 44.4 times the spread. */
static int64_t draw_exponential(int64_t spread_ns, uint64_t word)
{
    int64_t log2 = word == 0 ? 0 : 64 * FIXED_ONE - fixed_log2(0 - word);

    return fixed_multiply(spread_ns, fixed_multiply(log2, LN2));
}

static int64_t draw_lognormal(const struct latency *latency, uint64_t word)
{
    uint64_t drawn = fixed_exp2(latency->log2_median +
                                fixed_multiply(latency->log2_deviation, latency_normal_quantile(word)));

    return drawn < LATENCY_DRAW_MAX_NS - LATENCY_GIVEN_MAX_NS
               ? (int64_t)drawn
               : LATENCY_DRAW_MAX_NS - LATENCY_GIVEN_MAX_NS; /* leaves room for the tail */
}

static int64_t draw_ns(const struct latency *latency, uint64_t word)
{
    switch (latency->kind) {
    case LATENCY_CONSTANT:
        return latency->base_ns;
    case LATENCY_UNIFORM:
        return latency->base_ns + (int64_t)random_scale(word, (uint64_t)latency->spread_ns + 1);
    case LATENCY_EXPONENTIAL:
        return latency->base_ns + draw_exponential(latency->spread_ns, word);
    case LATENCY_LOGNORMAL:
        return draw_lognormal(latency, word);
    }
    assert(!"a kind of latency");
    return 0;
}

int64_t latency_draw_ns(const struct latency *latency, uint64_t word)
{
    int64_t drawn_ns = draw_ns(latency, word);

    /* A hash of the word decides, so that the tail takes fast and slow draws alike. */
    if (latency->tail_chance.denominator &&
        random_word_below(hash_number(word), latency->tail_chance))
        drawn_ns += latency->tail_ns;
    return drawn_ns;
}
