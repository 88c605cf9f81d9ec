/*
 * weak against its axioms taken at their word, by matrices, on histories that are too large for
 * the oracle: a few hundred transactions of some sessions on few keys, where sessions have
 * many writers of a key, clocks matter, and rows are compared; of some, transactions are long.
 */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/checkers/checker_fixture.h"
#include "unity.h"

#define TXNS_MAX 160
#define OPS 24 /* at the most */
#define KEYS_MAX 40
#define SESSIONS_MAX 6
#define INITIAL (-1)

/* What a session's transactions do; values are numbers of transactions, from 1. */
struct plain_txn {
    int session;
    bool is_unknown, takes_part;
    bool is_read[OPS];
    int key[OPS], writer[OPS]; /* of a read */
};

struct plain {
    int txn_count, session_count, key_count, op_count;
    struct plain_txn txns[TXNS_MAX];
};

static struct plain plain;
static bool direct[TXNS_MAX][TXNS_MAX]; /* so or wr */
static bool past[TXNS_MAX][TXNS_MAX];   /* their closure */
static bool order[TXNS_MAX][TXNS_MAX];  /* what must be before what */
static struct random draws;
static struct error err;

void setUp(void) {}

void tearDown(void) {}

/* --- Drawing ---------------------------------------------------------------------- */

static bool writes(int txn, int key)
{
    for (int i = 0; i < plain.op_count; i++)
        if (!plain.txns[txn].is_read[i] && plain.txns[txn].key[i] == key)
            return true;
    return false;
}

static bool wrote_before(int txn, int op)
{
    for (int i = 0; i < op; i++)
        if (!plain.txns[txn].is_read[i] && plain.txns[txn].key[i] == plain.txns[txn].key[op])
            return true;
    return false;
}

static int draw(int bound)
{
    return (int)random_below(&draws, (uint64_t)bound);
}

/* A session sees what it wrote, and now and then all that another one sees. */
static void draw_txn(int t, int seen[SESSIONS_MAX][KEYS_MAX], int stale_of_1000)
{
    struct plain_txn *txn = &plain.txns[t];
    int *view = seen[txn->session], *other = seen[draw(plain.session_count)];

    for (int k = 0; k < plain.key_count && draw(3) == 0; k++)
        for (int all = 0; all < plain.key_count; all++)
            view[all] = other[all] > view[all] ? other[all] : view[all];
    for (int i = 0; i < plain.op_count; i++) {
        txn->is_read[i] = draw(2) == 0;
        txn->key[i] = draw(plain.key_count);
        if (txn->is_read[i] && wrote_before(t, i))
            txn->is_read[i] = false;
        txn->writer[i] = view[txn->key[i]];
        if (draw(1000) < stale_of_1000)
            for (int w = draw(t + 1); w < t; w++)
                if (writes(w, txn->key[i])) {
                    txn->writer[i] = w;
                    break;
                }
    }
    for (int k = 0; k < plain.key_count && (!txn->is_unknown || draw(2) == 0); k++)
        if (writes(t, k))
            view[k] = t;
}

static void draw_plain(uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);
    int seen[SESSIONS_MAX][KEYS_MAX], stale;

    random_init(&draws, &key);
    memset(&plain, 0, sizeof plain);
    memset(seen, 0xff, sizeof seen); /* INITIAL */
    plain.txn_count = 20 + draw(TXNS_MAX - 20);
    plain.session_count = 1 + draw(SESSIONS_MAX);
    plain.op_count = seed % 4 == 1 ? OPS : 4;
    plain.key_count = seed % 4 == 1 ? KEYS_MAX : 1 + draw(6);
    stale = draw(3) == 0 ? 4 : 0;
    for (int t = 0; t < plain.txn_count; t++) {
        plain.txns[t].session = draw(plain.session_count);
        plain.txns[t].is_unknown = seed % 3 == 0 && draw(10) == 0;
        draw_txn(t, seen, stale);
    }
}

static void build(struct history *h)
{
    struct builder b;
    char name[8];

    builder_init(&b);
    for (int t = 0; t < plain.txn_count; t++) {
        const struct plain_txn *txn = &plain.txns[t];

        ASSERT_OK(builder_begin_txn(&b, t + 1, txn->session, txn->is_unknown ? TXN_UNKNOWN : TXN_OK,
                                    &err),
                  &err);
        for (int i = 0; i < plain.op_count; i++) {
            uint32_t key;
            struct value value = value_integer(t * OPS + i + 1);
            int last = plain.op_count - 1;

            snprintf(name, sizeof name, "k%d", txn->key[i]);
            ASSERT_OK(builder_key(&b, text_of(name), &key, &err), &err);
            if (txn->is_read[i] && txn->writer[i] == INITIAL)
                value = (struct value){ .kind = VALUE_NULL };
            if (txn->is_read[i] && txn->writer[i] != INITIAL) {
                const struct plain_txn *w = &plain.txns[txn->writer[i]];

                while (w->is_read[last] || w->key[last] != txn->key[i])
                    last--;
                value = value_integer(txn->writer[i] * OPS + last + 1);
            }
            ASSERT_OK(builder_add_op(&b, txn->is_read[i] ? OP_READ : OP_WRITE, key, value, &err),
                      &err);
        }
    }
    ASSERT_OK(builder_finish(&b, h, &err), &err);
    builder_close(&b);
}

/* --- The axioms, word by word ----------------------------------------------------- */

static bool close_matrix(bool m[TXNS_MAX][TXNS_MAX])
{
    for (int k = 0; k < plain.txn_count; k++)
        for (int i = 0; i < plain.txn_count; i++)
            for (int j = 0; m[i][k] && j < plain.txn_count; j++)
                m[i][j] |= m[k][j];
    for (int i = 0; i < plain.txn_count; i++)
        if (m[i][i])
            return false;
    return true;
}

static void find_direct(void)
{
    memset(direct, 0, sizeof direct);
    for (int t = 0; t < plain.txn_count; t++)
        plain.txns[t].takes_part = !plain.txns[t].is_unknown;
    for (int t = 0; t < plain.txn_count; t++)
        for (int i = 0; i < plain.op_count && !plain.txns[t].is_unknown; i++)
            if (plain.txns[t].is_read[i] && plain.txns[t].writer[i] != INITIAL) {
                plain.txns[plain.txns[t].writer[i]].takes_part = true;
                direct[plain.txns[t].writer[i]][t] = true;
            }
    for (int a = 0; a < plain.txn_count; a++)
        for (int b = a + 1; b < plain.txn_count; b++)
            if (plain.txns[a].session == plain.txns[b].session && !plain.txns[a].is_unknown &&
                plain.txns[b].takes_part)
                direct[a][b] = true;
}

static bool premise(enum level level, int t2, int t3, int op)
{
    if (level == LEVEL_READ_ATOMIC)
        return direct[t2][t3];
    if (level == LEVEL_CAUSAL)
        return past[t2][t3];
    for (int i = 0; i < op; i++)
        if (plain.txns[t3].is_read[i] && plain.txns[t3].writer[i] == t2)
            return true;
    return false;
}

static bool holds(enum level level)
{
    find_direct();
    memcpy(past, direct, sizeof past);
    memcpy(order, direct, sizeof order);
    if (!close_matrix(past))
        return false;
    for (int t3 = 0; t3 < plain.txn_count; t3++)
        for (int i = 0; i < plain.op_count && !plain.txns[t3].is_unknown; i++)
            for (int t2 = 0; plain.txns[t3].is_read[i] && t2 < plain.txn_count; t2++) {
                int t1 = plain.txns[t3].writer[i];

                if (t2 == t1 || t2 == t3 || !plain.txns[t2].takes_part ||
                    !writes(t2, plain.txns[t3].key[i]) || !premise(level, t2, t3, i))
                    continue;
                if (t1 == INITIAL)
                    return false;
                order[t2][t1] = true;
            }
    return close_matrix(order);
}

/* --- Both ------------------------------------------------------------------------- */

static void they_agree_on_histories_of_hundreds(void)
{
    static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL };
    unsigned valid = 0, invalid = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(150); seed++) {
        struct history h;

        draw_plain(seed);
        build(&h);
        for (size_t i = 0; i < ROW_COUNT(levels); i++) {
            bool expected = holds(levels[i]);
            struct check check =
                fixture_check("weak", &h, levels[i], CHECK_WITNESS | (seed % 2 ? CHECK_SLOWLY : 0));
            char label[80];

            snprintf(label, sizeof label, "seed %d at %s", (int)seed, level_name(levels[i]));
            TEST_ASSERT_EQUAL_STRING_MESSAGE(expected ? "valid" : "invalid",
                                             fixture_verdict_name(check.verdict), label);
            valid += expected;
            invalid += !expected;
            check_close(&check);
        }
        history_close(&h);
    }
    TEST_ASSERT_GREATER_THAN_UINT(40, valid);
    TEST_ASSERT_GREATER_THAN_UINT(40, invalid);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(they_agree_on_histories_of_hundreds);
    return UNITY_END();
}
