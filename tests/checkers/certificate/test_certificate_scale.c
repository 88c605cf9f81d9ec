/*
 * `certificate` on histories in which keys have many versions, so that its ways of passing over
 * many of them at a time have something to pass over: with and without those ways it says the
 * same, to the byte, whether an order explains everything or not.
 */
#include <stdlib.h>
#include <string.h>

#include "programs/generator/generate.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

struct kind {
    const char *workload;
    int64_t transactions, keys, predicates_percent;
    enum level made_at, judged_at;
    enum anomaly plant;
};

static void generate_kind(const struct kind *kind, uint64_t seed, struct history *history)
{
    struct generate_options options = generate_defaults(workload_find(text_of(kind->workload)));
    struct planted planted;

    options.transactions = kind->transactions;
    options.keys = kind->keys;
    options.predicates_percent = kind->predicates_percent;
    options.level = kind->made_at;
    options.plant = kind->plant;
    options.seed = seed;
    ASSERT_OK(generate(&options, history, &planted, &err), &err);
}

/* --- Without an order ---------------------------------------------------------------- */

/* Columns in which one reader does not say where it stands, but everybody what he saw. */
struct unplaced {
    struct history history;
    uint8_t *ts_parts, *snapshot_parts;
    int64_t *snapshot;
};

static bool only_reads(const struct history *h, size_t txn)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (op_is_write(h->op_kind[op]))
            return false;
    return h->txn_status[txn] == TXN_OK;
}

static void take_a_place_away(const struct history *h, struct unplaced *u)
{
    size_t reader = 0;

    TEST_ASSERT_NULL(h->txn_ts_parts);
    while (reader < h->txn_count && !only_reads(h, reader))
        reader++;
    TEST_ASSERT_LESS_THAN_MESSAGE(h->txn_count, reader, "nobody only reads");
    u->history = *h;
    u->history.txn_ts_parts = u->ts_parts = malloc(h->txn_count);
    u->history.txn_snapshot_parts = u->snapshot_parts = malloc(h->txn_count);
    u->history.txn_snapshot = u->snapshot = malloc(h->txn_count * sizeof *u->snapshot);
    memset(u->ts_parts, 1, h->txn_count);
    memset(u->snapshot_parts, 1, h->txn_count);
    u->ts_parts[reader] = 0;
    for (size_t t = 0; t < h->txn_count; t++)
        u->snapshot[t] = h->txn_ts[t] - 1;
}

static void close_unplaced(struct unplaced *u)
{
    free(u->ts_parts);
    free(u->snapshot_parts);
    free(u->snapshot);
}

/* --- Fast and slowly --------------------------------------------------------------------- */

static enum verdict compare(const struct history *h, enum level level, const char *label)
{
    struct check fast = fixture_check("certificate", h, level, CHECK_WITNESS);
    struct check slow = fixture_check("certificate", h, level, CHECK_WITNESS | CHECK_SLOWLY);
    enum verdict verdict = fast.verdict;

    TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(slow.verdict),
                                     fixture_verdict_name(fast.verdict), label);
    TEST_ASSERT_EQUAL_MESSAGE(slow.strongest, fast.strongest, label);
    TEST_ASSERT_EQUAL_MESSAGE(slow.findings.count, fast.findings.count, label);
    for (size_t i = 0; i < slow.findings.count; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(slow.findings.at[i].explanation,
                                         fast.findings.at[i].explanation, label);
    check_close(&fast);
    check_close(&slow);
    return verdict;
}

static void passing_over_versions_changes_nothing(void)
{
    static const struct kind kinds[] = {
        { "predicate-mix", 400, 8, 50, LEVEL_SERIALIZABLE, LEVEL_SERIALIZABLE, GENERATE_NO_PLANT },
        { "predicate-mix", 400, 8, 90, LEVEL_STRICT_SERIALIZABLE, LEVEL_SERIALIZABLE,
          ANOMALY_G2 },
        { "predicate-mix", 400, 8, 50, LEVEL_STRICT_SERIALIZABLE, LEVEL_SERIALIZABLE,
          ANOMALY_G_SINGLE },
        { "predicate-mix", 300, 6, 50, LEVEL_SNAPSHOT, LEVEL_SERIALIZABLE, GENERATE_NO_PLANT },
        { "predicate-mix", 300, 6, 50, LEVEL_REPEATABLE_READ, LEVEL_REPEATABLE_READ,
          GENERATE_NO_PLANT },
        { "predicate-mix", 300, 6, 50, LEVEL_REPEATABLE_READ, LEVEL_SERIALIZABLE,
          GENERATE_NO_PLANT },
        { "blindw-rw+", 300, 30, 50, LEVEL_SNAPSHOT, LEVEL_STRICT_SERIALIZABLE,
          GENERATE_NO_PLANT },
        { "rw-mix", 1000, 5, GENERATE_NO_PREDICATES, LEVEL_STRICT_SERIALIZABLE,
          LEVEL_SERIALIZABLE, ANOMALY_G2_ITEM },
        { "rw-mix", 1000, 5, GENERATE_NO_PREDICATES, LEVEL_SNAPSHOT, LEVEL_SERIALIZABLE,
          GENERATE_NO_PLANT },
    };
    unsigned verdicts[3] = { 0 };

    for (size_t i = 0; i < ROW_COUNT(kinds); i++)
        for (uint64_t seed = 0; seed < fixture_rounds(2); seed++) {
            struct history history;
            struct unplaced unplaced = { .ts_parts = NULL };
            char label[200];

            generate_kind(&kinds[i], seed, &history);
            snprintf(label, sizeof label, "kind %zu, seed %llu", i, (unsigned long long)seed);
            verdicts[compare(&history, kinds[i].judged_at, label)]++;
            if (!history.txn_snapshot && !history.op_snapshot && !history.txn_ts_parts) {
                take_a_place_away(&history, &unplaced);
                verdicts[compare(&unplaced.history, kinds[i].judged_at, label)]++;
                close_unplaced(&unplaced);
            }
            history_close(&history);
        }
    TEST_ASSERT_GREATER_OR_EQUAL(4, verdicts[VERDICT_VALID]);
    TEST_ASSERT_GREATER_OR_EQUAL(4, verdicts[VERDICT_INVALID]);
    TEST_ASSERT_EQUAL(0, verdicts[VERDICT_UNKNOWN]);
}

/* --- The nearest change ------------------------------------------------------------------ */

#define VERSIONS 40

/*
 * T1 to T40 write a row, one after the other; only from `first` to `last` it matches. T41 looks
 * for it in vain, having seen what T`seen` wrote, and by x comes before T`other`, or after it.
 * So there is a cycle just if the nearest change of what matches is by that one, or between the
 * two.
 */
static void tell_rows(struct buffer *out, int first, int last, int seen, int other, bool is_before)
{
    for (int t = 1; t <= VERSIONS; t++) {
        buffer_print(out, "T%d: w t/1 %d", t, t >= first && t <= last ? 100 : t);
        if (t == other)
            buffer_print(out, is_before ? ", r x 1 from T41; " : ", w x 1; ");
        else
            buffer_print(out, "; ");
    }
    buffer_print(out, "T41: sel v>=100 {} from t/1 T%d", seen);
    if (is_before)
        buffer_print(out, ", w x 1; order x T41; ");
    else
        buffer_print(out, ", r x 1 from T%d; order x T%d; ", other, other);
    buffer_print(out, "order t/1");
    for (int t = 1; t <= VERSIONS; t++)
        buffer_print(out, " T%d", t);
    buffer_byte(out, '\0');
}

static void expect_nearest(int first, int last, int seen, int other, bool is_before)
{
    struct buffer notation = { 0 };
    struct history history;
    struct check check;
    bool has_cycle = is_before ? other <= last + 1 : other >= first;

    tell_rows(&notation, first, last, seen, other, is_before);
    notation_read(notation.at, &history);
    check = fixture_check("certificate", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(has_cycle ? VERDICT_INVALID
                                                                    : VERDICT_VALID),
                                     fixture_verdict_name(check.verdict), notation.at);
    check_close(&check);
    history_close(&history);
    buffer_close(&notation);
}

static void the_nearest_change_of_what_matches_is_found_however_far(void)
{
    for (int far = 1; far <= 20; far++)
        for (int off = -1; off <= 1; off++) {
            /* What stopped to match so many versions ago. */
            expect_nearest(3, 5, 5 + far + 1, 6 + off, true);
            /* What will begin to match after so many. */
            expect_nearest(5 + far, 35, 5, 5 + far + off, false);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_nearest_change_of_what_matches_is_found_however_far);
    RUN_TEST(passing_over_versions_changes_nothing);
    return UNITY_END();
}
