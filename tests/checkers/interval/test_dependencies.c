/* What the model counts of dependencies: how many overlap, and how many of these it deduces. */
#include "checkers/interval/interval_model.h"
#include "checkers/interval/profile.h"
#include "tests/checkers/interval/truth.h"
#include "unity.h"

enum { X, Y };

static struct error err;
static struct interval_model model;
static int64_t next_id;

static void use(struct profile profile)
{
    interval_model_close(&model);
    interval_model_init(&model, &profile, 0);
}

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

#define R(of, is, from, to) { .invoked = (from), .completed = (to), .key = (of), .value = (is) }
#define W(of, is, from, to)                                                                        \
    { .invoked = (from), .completed = (to), .key = (of), .value = (is), .kind = TRACE_WRITE }
#define ADD(from, to, ...)                                                                         \
    add(from, to, (const struct trace_op[]){ __VA_ARGS__ },                                        \
        sizeof((const struct trace_op[]){ __VA_ARGS__ }) / sizeof(struct trace_op))

/* It commits between the end of its last operation and its own. */
static void add(int64_t from, int64_t to, const struct trace_op *ops, size_t count)
{
    struct interval_trace trace = { .id = next_id,
                                    .number = (uint32_t)next_id,
                                    .invoked = from,
                                    .completed = to,
                                    .status = TXN_OK,
                                    .ops = ops,
                                    .op_count = count };

    next_id++;
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_add(&model, &trace, &err));
}

static void end(void)
{
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_end(&model, SIZE_MAX, &err));
    TEST_ASSERT_EQUAL(0, model.finding_count);
}

static void expect(enum dependency_kind kind, uint64_t all, uint64_t overlapping, uint64_t deduced)
{
    static const char *const names[] = { "ww", "wr", "rw" };
    const struct dependency_counts *counts = &model.counts.dependencies[kind];

    TEST_ASSERT_EQUAL_MESSAGE(all, counts->all, names[kind]);
    TEST_ASSERT_EQUAL_MESSAGE(overlapping, counts->overlapping, names[kind]);
    TEST_ASSERT_EQUAL_MESSAGE(deduced, counts->deduced, names[kind]);
}

/* --- One of each ------------------------------------------------------------------------------ */

static void what_is_told_one_after_the_other_does_not_overlap(void)
{
    ADD(0, 10, W(X, 1, 1, 2));
    ADD(11, 20, R(X, 1, 12, 13));
    ADD(21, 30, R(X, 1, 22, 23));
    ADD(31, 40, W(X, 2, 32, 33));
    end();
    expect(DEPENDENCY_WW, 1, 0, 0);
    expect(DEPENDENCY_WR, 2, 0, 0);
    expect(DEPENDENCY_RW, 2, 0, 0);
}

static void a_value_tells_that_its_writer_had_committed(void)
{
    ADD(0, 30, W(X, 1, 1, 2));
    ADD(20, 40, R(X, 1, 21, 22));
    end();
    expect(DEPENDENCY_WW, 0, 0, 0);
    expect(DEPENDENCY_WR, 1, 1, 1);
    expect(DEPENDENCY_RW, 0, 0, 0);
}

static void a_value_tells_that_the_next_writer_had_not(void)
{
    ADD(0, 10, W(X, 1, 1, 2));
    ADD(20, 60, R(X, 1, 21, 45));
    ADD(22, 50, W(X, 2, 23, 24));
    end();
    expect(DEPENDENCY_WW, 1, 0, 0);
    expect(DEPENDENCY_WR, 1, 0, 0);
    expect(DEPENDENCY_RW, 1, 1, 1);
}

static void what_was_there_at_first_is_nobodys(void)
{
    ADD(0, 20, R(X, 0, 1, 12));
    ADD(5, 30, W(X, 1, 6, 7));
    end();
    expect(DEPENDENCY_WW, 0, 0, 0);
    expect(DEPENDENCY_WR, 0, 0, 0);
    expect(DEPENDENCY_RW, 1, 1, 1);
}

static void who_overwrites_what_it_read_depends_on_its_writer_alone(void)
{
    ADD(0, 10, W(X, 1, 1, 2));
    ADD(11, 20, R(X, 1, 12, 13), W(X, 2, 14, 15));
    end();
    expect(DEPENDENCY_WW, 1, 0, 0);
    expect(DEPENDENCY_WR, 1, 0, 0);
    expect(DEPENDENCY_RW, 0, 0, 0);
}

static void of_aborted_transactions_and_overwritten_writes_nothing_depends(void)
{
    const struct trace_op op = W(X, 3, 5, 20);
    struct interval_trace aborted = {
        .id = 9, .invoked = 4, .completed = 25, .ops = &op, .op_count = 1, .status = TXN_ABORT
    };

    ADD(0, 10, W(X, 1, 1, 2), W(X, 2, 3, 4));
    TEST_ASSERT_EQUAL(STATUS_OK, interval_model_add(&model, &aborted, &err));
    ADD(31, 40, R(X, 2, 32, 33));
    end();
    expect(DEPENDENCY_WW, 0, 0, 0);
    expect(DEPENDENCY_WR, 1, 0, 0);
    expect(DEPENDENCY_RW, 0, 0, 0);
}

/* --- Which of two writes came first ------------------------------------------------------------ */

static void of_two_that_wrote_at_once_nobody_knows_the_first(void)
{
    ADD(0, 40, W(X, 1, 1, 20));
    ADD(0, 40, W(X, 2, 1, 20));
    end();
    expect(DEPENDENCY_WW, 1, 1, 0);
}

static void a_lock_tells_the_first(void)
{
    ADD(0, 30, W(X, 1, 1, 2));
    ADD(5, 40, W(X, 2, 6, 20));
    end();
    expect(DEPENDENCY_WW, 1, 1, 1);
}

static void the_first_updater_is_told_by_who_looked_before(void)
{
    ADD(0, 40, W(X, 1, 5, 36));
    ADD(0, 50, R(Y, 0, 1, 3), W(X, 2, 5, 36));
    end();
    expect(DEPENDENCY_WW, 1, 1, 1);
}

static void a_later_read_tells_the_first_where_they_are_still_there(void)
{
    ADD(0, 40, W(X, 1, 1, 20));
    ADD(0, 40, W(X, 2, 1, 20));
    ADD(50, 60, R(X, 1, 51, 52));
    ADD(70, 80, W(X, 3, 71, 72));
    end();
    expect(DEPENDENCY_WW, 2, 1, 1);
    expect(DEPENDENCY_WR, 1, 0, 0);
    expect(DEPENDENCY_RW, 1, 0, 0);
}

/* T3 saw what T1 wrote, and not what T2 did elsewhere. */
static void a_reader_between_two_writers_tells_the_first(void)
{
    ADD(0, 40, W(X, 1, 1, 20));
    ADD(0, 40, W(X, 2, 1, 20), W(Y, 2, 1, 20));
    ADD(0, 60, R(X, 1, 1, 30), R(Y, 0, 1, 30));
    end();
    expect(DEPENDENCY_WW, 1, 1, 1);
}

/* --- What cannot be told ------------------------------------------------------------------------ */

static void equal_values_do_not_tell_which_of_them_was_read(void)
{
    ADD(0, 40, W(X, 1, 1, 20));
    ADD(0, 40, W(X, 1, 1, 20));
    ADD(50, 60, R(X, 1, 51, 52));
    end();
    expect(DEPENDENCY_WW, 1, 1, 0);
    expect(DEPENDENCY_WR, 1, 1, 0);
    expect(DEPENDENCY_RW, 1, 1, 0);
}

static void where_times_mean_nothing_nothing_is_counted(void)
{
    use(profile_of_level(LEVEL_SERIALIZABLE));
    ADD(0, 10, W(X, 1, 1, 2));
    ADD(11, 20, R(X, 1, 12, 13));
    ADD(31, 40, W(X, 2, 32, 33));
    end();
    expect(DEPENDENCY_WW, 0, 0, 0);
    expect(DEPENDENCY_WR, 0, 0, 0);
    expect(DEPENDENCY_RW, 0, 0, 0);
}

/* --- Of a stream --------------------------------------------------------------------------------- */

#define KEYS 40

/* What can be counted of the traces alone: each key's versions but the first, and reads of them. */
static void a_stream_has_as_many_as_it_writes_and_reads(void)
{
    struct truth_options options = truth_options(profile_find(TEXT("postgresql/serializable")));
    uint64_t writes[KEYS] = { 0 }, ww = 0, wr = 0, reads = 0;
    const struct truth_txn *txn;
    struct truth truth;

    options.seed = 3;
    options.keys = KEYS;
    options.transactions = 3000;
    TEST_ASSERT_EQUAL(STATUS_OK, truth_init(&truth, &options, &err));
    while (truth_next(&truth, &txn, &err) == STATUS_OK && txn) {
        bool wrote[KEYS] = { false };

        for (size_t i = 0; i < txn->trace.op_count && txn->trace.status == TXN_OK; i++) {
            const struct trace_op *op = &txn->trace.ops[i];

            wrote[op->key] |= op->kind == TRACE_WRITE;
            reads += op->kind == TRACE_READ;
            wr += op->kind == TRACE_READ && op->value != 0;
        }
        for (size_t k = 0; k < KEYS; k++)
            ww += wrote[k] && writes[k]++ > 0;
        TEST_ASSERT_EQUAL(STATUS_OK, interval_model_advance(&model, txn->trace.invoked, &err));
        TEST_ASSERT_EQUAL(STATUS_OK, interval_model_add(&model, &txn->trace, &err));
    }
    end();
    TEST_ASSERT_EQUAL(ww, model.counts.dependencies[DEPENDENCY_WW].all);
    TEST_ASSERT_EQUAL(wr, model.counts.dependencies[DEPENDENCY_WR].all);
    TEST_ASSERT_LESS_OR_EQUAL(reads, model.counts.dependencies[DEPENDENCY_RW].all);
    TEST_ASSERT_GREATER_THAN(reads * 9 / 10, model.counts.dependencies[DEPENDENCY_RW].all);
    for (int kind = 0; kind < DEPENDENCY_COUNT; kind++) {
        const struct dependency_counts *counts = &model.counts.dependencies[kind];

        TEST_ASSERT_LESS_THAN(counts->all, counts->overlapping);
        TEST_ASSERT_LESS_OR_EQUAL(counts->overlapping, counts->deduced);
        if (kind != DEPENDENCY_WW) /* those are rare, where locks are held to the end */
            TEST_ASSERT_GREATER_THAN(0, counts->deduced);
    }
    truth_close(&truth);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_told_one_after_the_other_does_not_overlap);
    RUN_TEST(a_value_tells_that_its_writer_had_committed);
    RUN_TEST(a_value_tells_that_the_next_writer_had_not);
    RUN_TEST(what_was_there_at_first_is_nobodys);
    RUN_TEST(who_overwrites_what_it_read_depends_on_its_writer_alone);
    RUN_TEST(of_aborted_transactions_and_overwritten_writes_nothing_depends);
    RUN_TEST(of_two_that_wrote_at_once_nobody_knows_the_first);
    RUN_TEST(a_lock_tells_the_first);
    RUN_TEST(the_first_updater_is_told_by_who_looked_before);
    RUN_TEST(a_later_read_tells_the_first_where_they_are_still_there);
    RUN_TEST(a_reader_between_two_writers_tells_the_first);
    RUN_TEST(equal_values_do_not_tell_which_of_them_was_read);
    RUN_TEST(where_times_mean_nothing_nothing_is_counted);
    RUN_TEST(a_stream_has_as_many_as_it_writes_and_reads);
    return UNITY_END();
}
