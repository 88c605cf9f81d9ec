#include "base/fixed.h"

#include <assert.h>
#include <stddef.h>

#define ONE_63 (UINT64_C(1) << 63)          /* 1 with 63 bits behind the point */
#define LN2_64 UINT64_C(0xb17217f7d1cf79ac) /* ln 2 with 64 bits behind the point */

static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

/*
 * Digit by digit: squaring a number doubles its logarithm, whose whole part is
 * the next digit. Truncated squares keep the order of numbers, and their errors
 * stay below 2^-60, because each later one counts half.
 */
int64_t fixed_log2(uint64_t number)
{
    int zeros;
    uint64_t power, log2;

    assert(number > 0);
    zeros = __builtin_clzll(number);
    power = number << zeros; /* in [1, 2), 63 bits behind the point */
    log2 = (uint64_t)(63 - zeros);
    for (int i = 0; i < FIXED_BITS; i++) {
        power = multiply_high(power, power); /* in [1, 4), 62 bits behind the point */
        log2 = log2 << 1 | power >> 63;
        power <<= 1 - (power >> 63);
    }
    return (int64_t)log2;
}

/*
 * 2^(i/64) with 63 bits behind the point, rounded to nearest; made with mpmath 1.3:
 * mp.prec = 300; nint(mpf(2)**(mpf(i)/64) * 2**63). The tests multiply them together.
 */
static const uint64_t exp2_table[64] = {
    UINT64_C(0x8000000000000000), UINT64_C(0x8164d1f3bc030773), UINT64_C(0x82cd8698ac2ba1d7),
    UINT64_C(0x843a28c3acde4046), UINT64_C(0x85aac367cc487b15), UINT64_C(0x871f61969e8d1010),
    UINT64_C(0x88980e8092da8527), UINT64_C(0x8a14d575496efd9a), UINT64_C(0x8b95c1e3ea8bd6e7),
    UINT64_C(0x8d1adf5b7e5ba9e6), UINT64_C(0x8ea4398b45cd53c0), UINT64_C(0x9031dc431466b1dc),
    UINT64_C(0x91c3d373ab11c336), UINT64_C(0x935a2b2f13e6e92c), UINT64_C(0x94f4efa8fef70961),
    UINT64_C(0x96942d3720185a00), UINT64_C(0x9837f0518db8a96f), UINT64_C(0x99e0459320b7fa65),
    UINT64_C(0x9b8d39b9d54e5539), UINT64_C(0x9d3ed9a72cffb751), UINT64_C(0x9ef5326091a111ae),
    UINT64_C(0xa0b0510fb9714fc2), UINT64_C(0xa27043030c496819), UINT64_C(0xa43515ae09e6809e),
    UINT64_C(0xa5fed6a9b15138ea), UINT64_C(0xa7cd93b4e965356a), UINT64_C(0xa9a15ab4ea7c0ef8),
    UINT64_C(0xab7a39b5a93ed337), UINT64_C(0xad583eea42a14ac6), UINT64_C(0xaf3b78ad690a4375),
    UINT64_C(0xb123f581d2ac2590), UINT64_C(0xb311c412a9112489), UINT64_C(0xb504f333f9de6484),
    UINT64_C(0xb6fd91e328d17791), UINT64_C(0xb8fbaf4762fb9ee9), UINT64_C(0xbaff5ab2133e45fb),
    UINT64_C(0xbd08a39f580c36bf), UINT64_C(0xbf1799b67a731083), UINT64_C(0xc12c4cca66709456),
    UINT64_C(0xc346ccda24976407), UINT64_C(0xc5672a115506dadd), UINT64_C(0xc78d74c8abb9b15d),
    UINT64_C(0xc9b9bd866e2f27a3), UINT64_C(0xcbec14fef2727c5d), UINT64_C(0xce248c151f8480e4),
    UINT64_C(0xd06333daef2b2595), UINT64_C(0xd2a81d91f12ae45a), UINT64_C(0xd4f35aabcfedfa1f),
    UINT64_C(0xd744fccad69d6af4), UINT64_C(0xd99d15c278afd7b6), UINT64_C(0xdbfbb797daf23755),
    UINT64_C(0xde60f4825e0e9124), UINT64_C(0xe0ccdeec2a94e111), UINT64_C(0xe33f8972be8a5a51),
    UINT64_C(0xe5b906e77c8348a8), UINT64_C(0xe8396a503c4bdc68), UINT64_C(0xeac0c6e7dd24392f),
    UINT64_C(0xed4f301ed9942b84), UINT64_C(0xefe4b99bdcdaf5cb), UINT64_C(0xf281773c59ffb13a),
    UINT64_C(0xf5257d152486cc2c), UINT64_C(0xf7d0df730ad13bb9), UINT64_C(0xfa83b2db722a033a),
    UINT64_C(0xfd3e0c0cf486c175),
};

/*
 * 2^fraction = 2^(i/64) e^y with y < ln(2)/64. The series of e^y is cut after
 * y^5/120, which leaves less than 2^-48: far less than the 2^-33 between neighbours,
 * so that the order of exponents is kept.
 */
static uint64_t exp2_of_fraction(uint32_t fraction)
{
    uint64_t rest = (uint64_t)(fraction & ((UINT32_C(1) << 26) - 1)) << 32;
    uint64_t y = multiply_high(rest, LN2_64); /* 64 bits behind the point */
    uint64_t series = ONE_63 + (y >> 1) / 5;

    for (uint64_t divisor = 4; divisor >= 1; divisor--)
        series = ONE_63 + multiply_high(y, series) / divisor;
    return multiply_high(exp2_table[fraction >> 26], series); /* 62 bits behind the point */
}

uint64_t fixed_exp2(int64_t exponent)
{
    int64_t whole = exponent >> FIXED_BITS; /* rounds down under gcc and clang */
    uint64_t power = exp2_of_fraction((uint32_t)exponent);
    unsigned surplus;

    if (whole >= 64)
        return UINT64_MAX;
    if (whole < -1)
        return 0;
    if (whole == 63)
        return power << 1;
    surplus = (unsigned)(62 - whole);
    return surplus ? (power + (UINT64_C(1) << (surplus - 1))) >> surplus : power;
}

int64_t fixed_multiply(int64_t a, int64_t b)
{
    __int128 product = (__int128)a * b >> FIXED_BITS;

    assert(product >= INT64_MIN && product <= INT64_MAX);
    return (int64_t)product;
}

int64_t fixed_divide(int64_t a, int64_t b)
{
    __int128 quotient;

    assert(b != 0);
    quotient = (__int128)a * FIXED_ONE / b;
    assert(quotient >= INT64_MIN && quotient <= INT64_MAX);
    return (int64_t)quotient;
}
