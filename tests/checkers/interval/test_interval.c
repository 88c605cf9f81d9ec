#include "checkers/interval/interval_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkers/interval/profile.h"
#include "history/io/source.h"
#include "history/jsonl/jsonl_read.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 1500

static struct error err;
static struct interval_model model;
static int64_t next_id;

void setUp(void)
{
    err = (struct error){ 0 };
    next_id = 1;
    interval_model_init(&model, profile_find(TEXT("postgresql/serializable")), 0);
}

void tearDown(void)
{
    interval_model_close(&model);
}

/* --- Traces by hand --------------------------------------------------------------------- */

static void use(const char *profile, int64_t clock_error)
{
    const struct profile *found = profile_find(text_of(profile));

    TEST_ASSERT_NOT_NULL_MESSAGE(found, profile);
    interval_model_close(&model);
    interval_model_init(&model, found, clock_error);
}

#define R(of, is, from, to) { .invoked = (from), .completed = (to), .key = (of), .value = (is) }
#define W(of, is, from, to)                                                                        \
    { .invoked = (from), .completed = (to), .key = (of), .value = (is), .kind = TRACE_WRITE }
#define FOR_UPDATE(of, is, from, to)                                                               \
    { .invoked = (from), .completed = (to), .key = (of), .value = (is), .is_locking = true }

static void add_status(enum txn_status status, int64_t from, int64_t to,
                       const struct trace_op *ops, size_t count)
{
    struct trace_op numbered[8];
    struct interval_trace trace = { .id = next_id,
                                    .number = (uint32_t)next_id,
                                    .invoked = from,
                                    .completed = to,
                                    .status = (uint8_t)status,
                                    .ops = numbered,
                                    .op_count = count };

    next_id++;
    for (size_t i = 0; i < count; i++) {
        numbered[i] = ops[i];
        numbered[i].op = (uint32_t)i;
    }
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_add(&model, &trace, &err));
}

static void expect_by(const char *profile, const char *notation, enum verdict expected)
{
    const struct profile *found = profile_find(text_of(profile));
    struct check_options options = { .level = found->level, .profile = found };
    struct history history;
    struct check check;

    notation_read(notation, &history);
    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(expected),
                                     fixture_verdict_name(check.verdict), notation);
    check_close(&check);
    history_close(&history);
}

#define ADD(from, to, ...)                                                                         \
    add_status(TXN_OK, from, to, (const struct trace_op[]){ __VA_ARGS__ },                         \
               sizeof((const struct trace_op[]){ __VA_ARGS__ }) / sizeof(struct trace_op))
#define ADD_ABORTED(from, to, ...)                                                                 \
    add_status(TXN_ABORT, from, to, (const struct trace_op[]){ __VA_ARGS__ },                      \
               sizeof((const struct trace_op[]){ __VA_ARGS__ }) / sizeof(struct trace_op))
#define ADD_UNKNOWN(from, ...)                                                                     \
    add_status(TXN_UNKNOWN, from, TIME_NEVER, (const struct trace_op[]){ __VA_ARGS__ },            \
               sizeof((const struct trace_op[]){ __VA_ARGS__ }) / sizeof(struct trace_op))

static void end(void)
{
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_end(&model, SIZE_MAX, &err));
}

static const char *string_of(struct buffer *buffer)
{
    buffer_byte(buffer, '\0');
    TEST_ASSERT_FALSE(buffer->out_of_memory);
    buffer->count--;
    return buffer->at;
}

static void expect_nothing(void)
{
    end();
    TEST_ASSERT_EQUAL_MESSAGE(
        0, model.finding_count,
        model.findings.count > 0 ? string_of(&model.findings.at[0].explanation) : "");
}

static void expect(enum mechanism mechanism, enum anomaly kind, uint32_t first, uint32_t second)
{
    bool has_first = false, has_second = false;

    end();
    TEST_ASSERT_GREATER_THAN(0, model.findings.count);
    TEST_ASSERT_EQUAL_STRING(anomaly_name(kind), anomaly_name(model.findings.at[0].kind));
    TEST_ASSERT_EQUAL_STRING(interval_model_mechanism_name(mechanism),
                             interval_model_mechanism_name(model.findings.at[0].mechanism));
    for (size_t i = 0; i < model.findings.at[0].txns.count; i++) {
        has_first |= model.findings.at[0].txns.at[i] == first;
        has_second |= model.findings.at[0].txns.at[i] == second;
    }
    TEST_ASSERT_TRUE(has_first && has_second);
}

/* --- Consistent read ---------------------------------------------------------------------- */

enum { X, Y };

static void a_read_of_what_had_been_overwritten_is_inconsistent(void)
{
    ADD(0, 10, W(X, 1, 1, 5));
    ADD(20, 30, W(X, 2, 21, 25));
    ADD(40, 50, R(X, 1, 41, 45));
    expect(MECHANISM_READ, ANOMALY_INCONSISTENT_READ, 3, 2);
    TEST_ASSERT_NOT_NULL(
        strstr(string_of(&model.findings.at[0].explanation),
               "T1 wrote that and committed within [5, 10], but before the read T2"));
}

static void whatever_may_have_been_there_may_be_read(void)
{
    ADD(0, 10, W(X, 1, 1, 5));
    ADD(20, 45, W(X, 2, 21, 25));
    ADD(40, 50, R(X, 1, 41, 44));
    ADD(40, 50, R(X, 2, 41, 44));
    ADD(60, 70, R(X, 2, 61, 64));
    expect_nothing();
}

static void nothing_is_read_before_it_is_written(void)
{
    ADD(0, 10, R(X, 1, 1, 5));
    ADD(20, 30, W(X, 1, 21, 25));
    expect(MECHANISM_READ, ANOMALY_INCONSISTENT_READ, 1, 1);
}

static void aborted_and_overwritten_values_have_their_names(void)
{
    ADD_ABORTED(0, 10, W(X, 1, 1, 5));
    ADD(20, 30, R(X, 1, 21, 25));
    expect(MECHANISM_READ, ANOMALY_G1A, 2, 1);
    interval_model_close(&model);
    setUp();
    ADD(0, 10, W(X, 1, 1, 2), W(X, 2, 3, 4));
    ADD(20, 30, R(X, 1, 21, 25));
    expect(MECHANISM_READ, ANOMALY_G1B, 2, 1);
}

static void a_write_of_unknown_outcome_may_be_read_for_ever_or_never(void)
{
    ADD_UNKNOWN(0, W(X, 1, 1, 5));
    ADD(20, 30, R(X, 0, 21, 25));
    ADD(40, 50, R(X, 1, 41, 45));
    expect_nothing();
    ADD(60, 70, R(X, 0, 61, 65));
    end();
    TEST_ASSERT_EQUAL(1, model.finding_count); /* it had been read by then */
}

static void a_transaction_sees_what_it_wrote_itself(void)
{
    ADD(0, 10, W(X, 1, 1, 2), R(X, 1, 3, 4), W(X, 2, 5, 6), R(X, 2, 7, 8));
    expect_nothing();
    ADD(20, 30, W(X, 3, 21, 22), W(X, 4, 23, 24), R(X, 3, 25, 26));
    expect(MECHANISM_READ, ANOMALY_INTERNAL, 2, 2);
    use("spanner/serializable", 0); /* writes are sent with the commit */
    ADD(0, 10, W(X, 1, 1, 2), R(X, 0, 3, 4));
    expect_nothing();
    fixture_expect("interval", "T1 @0-9: w x 1, r x 2; T2 @1-8: w x 2", LEVEL_READ_COMMITTED,
                   VERDICT_VALID);
    fixture_expect("interval", "T1 @0-9: w x 1, r x 2; T2 @1-8: w x 2", LEVEL_SNAPSHOT,
                   VERDICT_INVALID);
}

static void what_ends_with_its_transaction_may_have_committed_before(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "innodb/serializable",
                                            "postgresql/read-committed" };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        use(profiles[i], 0);
        ADD(0, 10, W(X, 1, 0, 10)); /* one request, which commits too */
        ADD(5, 8, R(X, 1, 5, 8));
        add_status(TXN_UNKNOWN, 20, 30, (const struct trace_op[]){ W(X, 2, 20, 30) }, 1);
        ADD(22, 24, R(X, 2, 22, 24));
        expect_nothing();
    }
}

static void where_only_transactions_have_times_they_are_wide(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "innodb/serializable",
                                            "postgresql/read-committed", "oracle/snapshot" };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++)
        expect_by(profiles[i], "T1 @0-10: w x 1; T2 @5-8: r x 1; T3 unknown @20-30: w x 2; "
                               "T4 @22-24: r x 2", VERDICT_VALID);
}

static void a_snapshot_is_one_instant_for_all_reads(void)
{
    ADD(0, 10, W(X, 1, 1, 4), W(Y, 1, 5, 8));
    ADD(20, 60, R(X, 0, 21, 25), R(Y, 1, 30, 35));
    end();
    TEST_ASSERT_GREATER_THAN(0, model.finding_count);
}

static void a_statement_has_its_own_instant(void)
{
    use("postgresql/read-committed", 0);
    ADD(0, 60, R(X, 0, 1, 5), R(X, 1, 30, 35));
    ADD(10, 20, W(X, 1, 11, 12));
    expect_nothing();
    interval_model_close(&model);
    setUp();
    ADD(0, 60, R(X, 0, 1, 5), R(X, 1, 30, 35));
    ADD(10, 20, W(X, 1, 11, 12));
    end();
    TEST_ASSERT_GREATER_THAN(0, model.finding_count);
}

static void what_one_read_shows_narrows_what_another_may_see(void)
{
    ADD(0, 100, W(X, 1, 1, 2)); /* commits within 2 and 100 */
    ADD(10, 40, R(X, 1, 11, 20));
    ADD(50, 60, R(X, 0, 51, 52)); /* not before 20: and so this is too late for 0 */
    expect(MECHANISM_READ, ANOMALY_INCONSISTENT_READ, 3, 1);
}

/* --- The others ------------------------------------------------------------------------------ */

static void of_two_concurrent_updates_one_is_lost(void)
{
    use("postgresql/snapshot", 0);
    ADD(0, 50, R(X, 0, 1, 5), W(X, 1, 10, 12));
    ADD(20, 70, R(X, 0, 21, 25), W(X, 2, 30, 55)); /* it waited, and should have aborted */
    expect(MECHANISM_UPDATE, ANOMALY_LOST_UPDATE, 1, 2);
    TEST_ASSERT_NOT_NULL(strstr(string_of(&model.findings.at[0].drawing), "T2 commits"));
}

static void two_who_write_have_their_locks_one_after_the_other(void)
{
    use("innodb/read-committed", 0);
    ADD(0, 50, W(X, 1, 1, 5), R(Y, 0, 41, 42));
    ADD(10, 70, W(X, 2, 11, 15), R(Y, 0, 61, 62));
    expect(MECHANISM_LOCK, ANOMALY_LOCK_VIOLATION, 1, 2);
}

static void a_lock_that_came_after_the_commit_is_fine(void)
{
    use("innodb/read-committed", 0);
    ADD(0, 50, W(X, 1, 1, 5), R(Y, 0, 41, 42));
    ADD(10, 70, W(X, 2, 11, 55), R(Y, 0, 61, 62)); /* it waited */
    ADD(60, 80, R(X, 1, 61, 63));
    expect_nothing();
}

static void a_read_for_update_locks_too(void)
{
    use("innodb/read-committed", 0);
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_initial(&model, X, 7, &err));
    ADD(0, 50, W(X, 1, 1, 5), R(Y, 0, 41, 42));
    ADD(10, 70, FOR_UPDATE(X, 7, 11, 15));
    expect(MECHANISM_LOCK, ANOMALY_LOCK_VIOLATION, 1, 2);
}

static void what_is_not_there_is_locked_by_few(void)
{
    use("innodb/read-committed", 0);
    ADD(0, 50, FOR_UPDATE(X, 0, 1, 5), R(Y, 0, 41, 42));
    ADD(10, 30, W(X, 1, 11, 15), R(Y, 0, 20, 22));
    expect_nothing();
    use("innodb/serializable", 0);
    ADD(0, 50, FOR_UPDATE(X, 0, 1, 5), R(Y, 0, 41, 42));
    ADD(10, 30, W(X, 1, 11, 15), R(Y, 0, 20, 22));
    end();
    TEST_ASSERT_GREATER_THAN(0, model.finding_count);
}

/* InnoDB's SELECT ... FOR UPDATE does not look at the snapshot. */
static void who_reads_to_lock_sees_what_is_there(void)
{
    use("innodb/repeatable-read", 0);
    ADD(0, 90, R(X, 0, 1, 5), FOR_UPDATE(X, 1, 50, 55), R(X, 0, 60, 65));
    ADD(10, 40, W(X, 1, 11, 15));
    expect_nothing();
    ADD(100, 110, W(X, 2, 101, 102));
    ADD(120, 190, R(X, 2, 121, 125), FOR_UPDATE(X, 1, 150, 155));
    expect(MECHANISM_READ, ANOMALY_INCONSISTENT_READ, 4, 3);
}

/* A reader of SQLite holds nobody up who writes, nor a write of Spanner that is not sent yet. */
static void writers_go_on_beside_readers_that_need_no_lock(void)
{
    use("sqlite/serializable", 0);
    ADD(0, 60, R(X, 0, 1, 2), R(Y, 0, 50, 52));
    ADD(10, 40, W(X, 1, 11, 12), W(Y, 1, 13, 14));
    expect_nothing();
    use("spanner/serializable", 0);
    ADD(0, 60, R(X, 0, 1, 2), R(Y, 0, 50, 52));
    ADD(10, 40, W(X, 1, 11, 12), W(Y, 1, 13, 14));
    ADD(100, 190, W(X, 2, 101, 102));
    ADD(110, 150, R(X, 1, 111, 112));
    expect_nothing();
}

static void a_write_skew_makes_a_cycle_of_dependencies(void)
{
    ADD(0, 50, R(X, 0, 1, 5), W(Y, 1, 10, 12));
    ADD(2, 52, R(Y, 0, 3, 7), W(X, 2, 13, 15));
    expect(MECHANISM_CERTIFIER, ANOMALY_G2_ITEM, 1, 2);
    use("postgresql/snapshot", 0);
    next_id = 1;
    ADD(0, 50, R(X, 0, 1, 5), W(Y, 1, 10, 12));
    ADD(2, 52, R(Y, 0, 3, 7), W(X, 2, 13, 15));
    expect_nothing();
}

/* Serializable (T1, T2, T3), but PostgreSQL would not know that and aborts one. */
static void a_dangerous_structure_is_one_without_a_cycle(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "sqlite/serializable" };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        use(profiles[i], 0);
        next_id = 1;
        ADD(0, 80, R(Y, 0, 1, 2), W(X, 2, 70, 71));       /* missed Y = 3 */
        ADD(5, 40, R(2, 0, 10, 11), W(Y, 3, 20, 21));     /* the first to commit */
        ADD(12, 90, R(X, 0, 13, 14), W(3, 1, 60, 61));    /* missed X = 2 */
        if (i == 0)
            expect(MECHANISM_CERTIFIER, ANOMALY_DANGEROUS_STRUCTURE, 3, 2);
        else
            expect_nothing();
    }
    TEST_ASSERT_EQUAL(0, model.finding_count);
}

/* Who wrote nothing is only in danger if the last had committed before it looked. */
static void who_only_reads_is_excepted(void)
{
    ADD(0, 80, R(Y, 0, 1, 2), W(X, 2, 70, 71));
    ADD(5, 40, R(2, 0, 10, 11), W(Y, 3, 20, 21));
    ADD(12, 90, R(X, 0, 13, 14));
    expect_nothing();
    ADD(100, 180, R(Y, 3, 101, 102), W(X, 4, 170, 171));
    ADD(105, 140, R(2, 0, 110, 111), W(Y, 5, 120, 121));
    ADD(150, 190, R(X, 2, 151, 152));
    expect(MECHANISM_CERTIFIER, ANOMALY_G2_ITEM_REALTIME, 6, 5);
}

/* As long as nobody knows who was first, nothing is said. */
static void a_structure_that_may_be_harmless_is_let_stand(void)
{
    ADD(0, 80, R(Y, 0, 1, 2), W(X, 2, 70, 71));
    ADD(5, 75, R(2, 0, 10, 11), W(Y, 3, 20, 21)); /* perhaps the last */
    ADD(12, 90, R(X, 0, 13, 14), W(3, 1, 60, 61));
    expect_nothing();
}

static void what_was_validated_is_still_there_at_the_commit(void)
{
    use("foundationdb/serializable", 0);
    ADD(0, 80, R(X, 0, 1, 2), W(Y, 1, 70, 71));
    ADD(10, 40, W(X, 2, 11, 12));
    expect(MECHANISM_CERTIFIER, ANOMALY_G_SINGLE_REALTIME, 1, 2);
    use("foundationdb/serializable", 0);
    next_id = 1;
    ADD(0, 80, R(X, 0, 1, 2)); /* it writes nothing */
    ADD(10, 40, W(X, 2, 11, 12));
    expect_nothing();
}

static void concurrent_versions_are_looked_for_by_a_certifier(void)
{
    use("tidb/snapshot", 0);
    ADD(0, 50, R(X, 0, 1, 5), W(X, 1, 10, 12));
    ADD(20, 70, R(X, 0, 21, 25), W(X, 2, 30, 35));
    expect(MECHANISM_CERTIFIER, ANOMALY_LOST_UPDATE, 1, 2);
}

/* Each read by itself may be of what is there. */
static void rows_have_instants_of_their_own(void)
{
    static const char *const profiles[] = { "sqlserver/read-committed", "oracle/read-committed" };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        const char *history = "T1 @0-90: r x _, r y 1; T2 @10-20: w x 1; T3 @30-40: w y 1";

        expect_by(profiles[i], history, VERDICT_VALID);
    }
}

/* The first bug of Leopard's section VI-F: the graph of dependencies has no cycle. */
static void an_inconsistent_read_without_a_cycle_is_found(void)
{
    const char *notation = "init x 0; T904 @0-10: w x 1; T907 @20-30: w x 2; T914 @40-50: r x 1";

    TEST_ASSERT_EQUAL(ANOMALY_INCONSISTENT_READ,
                      fixture_first_kind("interval", notation, LEVEL_STRICT_SERIALIZABLE));
    fixture_expect("interval", notation, LEVEL_SERIALIZABLE, VERDICT_VALID);
    fixture_expect("infer", notation, LEVEL_SERIALIZABLE, VERDICT_VALID);
}

/* Nobody promised a snapshot to a statement. */
static void read_committed_alone_promises_no_instant(void)
{
    fixture_expect("interval", "T1 @0-9: w x 1, w y 1; T2 @1-8: r x 1, r y _", LEVEL_READ_COMMITTED,
                   VERDICT_VALID);
    fixture_expect("interval", "T1 @0-9: w x 1; T2 @1-8: r x 1, r x _", LEVEL_READ_COMMITTED,
                   VERDICT_VALID);
    fixture_expect("interval", "T1 @0-9: w x 1, r y 1; T2 @1-8: w y 1, r x 1",
                   LEVEL_READ_COMMITTED, VERDICT_INVALID);
    fixture_expect("interval", "T1 abort @0-9: w x 1; T2 @1-8: r x 1", LEVEL_READ_COMMITTED,
                   VERDICT_INVALID);
}

/* --- Clocks ------------------------------------------------------------------------------------- */

static void clocks_that_may_be_off_excuse_as_much(void)
{
    use("postgresql/snapshot", 9);
    ADD(0, 10, W(X, 1, 1, 5));
    ADD(20, 30, W(X, 2, 21, 25));
    ADD(45, 50, R(X, 1, 46, 48));
    expect_nothing();
    use("postgresql/snapshot", 7);
    next_id = 1;
    ADD(0, 10, W(X, 1, 1, 5));
    ADD(20, 30, W(X, 2, 21, 25));
    ADD(45, 50, R(X, 1, 46, 48));
    expect(MECHANISM_READ, ANOMALY_INCONSISTENT_READ, 3, 2);
}

static void what_comes_too_late_is_counted_and_not_judged(void)
{
    ADD(0, 10, W(X, 1, 1, 5));
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_advance(&model, 100, &err));
    ADD(50, 60, R(X, 7, 51, 55));
    expect_nothing();
    TEST_ASSERT_EQUAL(1, model.counts.late);
}

/* --- Against the oracle --------------------------------------------------------------------------- */

struct tally {
    unsigned found, missed;
};

static void compare(const struct history *h, enum level level, uint64_t seed, struct tally *tally)
{
    struct check check = fixture_check("interval", h, level, 0);
    enum oracle_answer answer = oracle_decide(h, level, (struct oracle_options){ 0 });
    char message[512];

    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS) {
        snprintf(message, sizeof message, "%s, seed %" PRIu64 ": %s", level_name(level), seed,
                 check.findings.at[0].explanation);
        TEST_FAIL_MESSAGE(message);
    }
    if (answer == ORACLE_VIOLATED && check.verdict == VERDICT_INVALID)
        tally->found++;
    else if (answer == ORACLE_VIOLATED)
        tally->missed++;
    check_close(&check);
}

static void nothing_is_accused_that_some_instants_explain(void)
{
    static const enum level levels[] = { LEVEL_STRICT_SERIALIZABLE, LEVEL_STRICT_SNAPSHOT,
                                         LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT,
                                         LEVEL_READ_COMMITTED };
    struct tally tally[ROW_COUNT(levels)] = { { 0 } };

    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history h;

        options.times = true;
        options.predicates = options.certificate = false;
        small_history(&options, seed, &h);
        for (size_t i = 0; i < ROW_COUNT(levels); i++)
            compare(&h, levels[i], seed, &tally[i]);
        history_close(&h);
    }
    /* It is not complete, but sees most of what can be seen. */
    TEST_ASSERT_GREATER_THAN(5 * tally[0].missed, tally[0].found);
    TEST_ASSERT_GREATER_THAN(4 * tally[1].missed, tally[1].found);
}

/* --- Memory ------------------------------------------------------------------------------------------ */

/* Nobody knows when they were, so that none can be let go. */
static void a_key_of_very_many_versions_is_not_judged(void)
{
    struct profile any = profile_of_level(LEVEL_SNAPSHOT);

    interval_model_close(&model);
    interval_model_init(&model, &any, 0);
    for (int64_t n = 0; n < 20000; n++)
        ADD(n, n + 5, W(X, (uint64_t)n + 1, n, n + 5));
    ADD(20000, 20005, R(X, 7, 20000, 20005), R(Y, 0, 20000, 20005));
    expect_nothing();
    TEST_ASSERT_GREATER_THAN(15000, model.counts.unjudged);
    TEST_ASSERT_LESS_THAN(16000, model.counts.unjudged);
}

/* One transaction after the other. */
static void memory_follows_concurrency_and_not_length(void)
{
    uint64_t latest[64] = { 0 };
    size_t versions_early = 0, live_max = 0;

    use("postgresql/serializable", 0);
    for (int64_t n = 0; n < 40000; n++) {
        uint32_t key = (uint32_t)(n * 7 % 64), other = (uint32_t)(n * 5 % 64);
        int64_t from = 100 * n;

        ADD(from, from + 90, R(other, latest[other], from + 10, from + 20),
            W(key, (uint64_t)n + 1, from + 30, from + 40));
        latest[key] = (uint64_t)n + 1;
        TEST_ASSERT_EQUAL(STATUS_OK, interval_model_advance(&model, from, &err));
        if (model.live.count > live_max)
            live_max = model.live.count;
        if (n == 4000)
            versions_early = model.versions.count;
    }
    TEST_ASSERT_EQUAL(0, model.finding_count);
    TEST_ASSERT_LESS_THAN(300, live_max);
    TEST_ASSERT_LESS_OR_EQUAL(versions_early, model.versions.count);
    TEST_ASSERT_LESS_THAN(600, model.timeline.live_max);
}

/*
 * Which of two blind writes came first was known by a read alone. Their instants had long gone when
 * somebody read the first again: it was taken for possible.
 */
static void an_order_is_remembered_of_those_who_have_gone(void)
{
    struct profile profile = profile_of_level(LEVEL_STRICT_SERIALIZABLE);

    interval_model_close(&model);
    interval_model_init(&model, &profile, 0);
    ADD(0, 50, W(X, 1, 0, 50));
    ADD(0, 50, W(X, 2, 0, 50));
    ADD(60, 70, R(X, 2, 60, 70));
    for (int64_t n = 0; n < 1000; n++) {
        ADD(100 + n, 101 + n, R(Y, 0, 100 + n, 101 + n));
        ASSERT_OK(interval_model_advance(&model, 100 + n, &err), &err);
    }
    TEST_ASSERT_LESS_THAN(300, model.live.count);
    ADD(2000, 2010, R(X, 1, 2000, 2010));
    expect(MECHANISM_READ, ANOMALY_INCONSISTENT_READ, 1004, 2);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_read_of_what_had_been_overwritten_is_inconsistent);
    RUN_TEST(whatever_may_have_been_there_may_be_read);
    RUN_TEST(nothing_is_read_before_it_is_written);
    RUN_TEST(aborted_and_overwritten_values_have_their_names);
    RUN_TEST(a_write_of_unknown_outcome_may_be_read_for_ever_or_never);
    RUN_TEST(a_transaction_sees_what_it_wrote_itself);
    RUN_TEST(what_ends_with_its_transaction_may_have_committed_before);
    RUN_TEST(where_only_transactions_have_times_they_are_wide);
    RUN_TEST(a_snapshot_is_one_instant_for_all_reads);
    RUN_TEST(a_statement_has_its_own_instant);
    RUN_TEST(what_one_read_shows_narrows_what_another_may_see);
    RUN_TEST(of_two_concurrent_updates_one_is_lost);
    RUN_TEST(two_who_write_have_their_locks_one_after_the_other);
    RUN_TEST(a_lock_that_came_after_the_commit_is_fine);
    RUN_TEST(a_read_for_update_locks_too);
    RUN_TEST(what_is_not_there_is_locked_by_few);
    RUN_TEST(who_reads_to_lock_sees_what_is_there);
    RUN_TEST(writers_go_on_beside_readers_that_need_no_lock);
    RUN_TEST(a_write_skew_makes_a_cycle_of_dependencies);
    RUN_TEST(a_dangerous_structure_is_one_without_a_cycle);
    RUN_TEST(who_only_reads_is_excepted);
    RUN_TEST(a_structure_that_may_be_harmless_is_let_stand);
    RUN_TEST(what_was_validated_is_still_there_at_the_commit);
    RUN_TEST(concurrent_versions_are_looked_for_by_a_certifier);
    RUN_TEST(rows_have_instants_of_their_own);
    RUN_TEST(an_inconsistent_read_without_a_cycle_is_found);
    RUN_TEST(read_committed_alone_promises_no_instant);
    RUN_TEST(clocks_that_may_be_off_excuse_as_much);
    RUN_TEST(what_comes_too_late_is_counted_and_not_judged);
    RUN_TEST(nothing_is_accused_that_some_instants_explain);
    RUN_TEST(a_key_of_very_many_versions_is_not_judged);
    RUN_TEST(memory_follows_concurrency_and_not_length);
    RUN_TEST(an_order_is_remembered_of_those_who_have_gone);
    return UNITY_END();
}
