/*
 * A recording put together by hand, and the same with a fault in it as a recorder could make one: each
 * must be noticed.
 */
#include "record/record_history.h"

#include <string.h>

#include "checkers/checker.h"
#include "tests/fixture.h"
#include "unity.h"

/* Values of one item. A write with `read` first reads it. 0: it was not there, or is not written. */
struct told_txn {
    uint32_t session;
    enum txn_status status;
    uint64_t xid;
    const char *snapshot;
    int64_t from_ns, to_ns;
    int64_t read, written;
};

struct told_commit {
    uint64_t xid;
    int64_t value;
};

static const struct stored_table items = {
    .shape = SHAPE_ITEMS, .name = "ordeal_items", .key_column = "key", .value_column = "value"
};

static struct client_log log_of_all;
static struct recovered_order order;
static struct record_certificate certificate;
static struct history history;
static struct error err;

void setUp(void)
{
    log_of_all = (struct client_log){ 0 };
    order = (struct recovered_order){ 0 };
    history = (struct history){ 0 };
}

void tearDown(void)
{
    client_log_close(&log_of_all);
    array_close(&order.commits);
    array_close(&order.changes);
    history_close(&history);
}

static void tell_op(enum builtin_request_kind kind, int64_t value)
{
    struct builtin_request request = { .kind = kind, .key = 1, .value = value };
    struct database_answer answer = { .is_pipelined = true };
    struct database_step_answer step = { 0 };

    if (kind == BUILTIN_READ && value != 0)
        TEST_ASSERT_EQUAL(STATUS_OK,
                          database_answer_row(&answer, &step,
                                              (struct builtin_row){ .key = 1, .value = value }, &err));
    TEST_ASSERT_EQUAL(STATUS_OK,
                      client_log_request(&log_of_all, &request, &answer, &step, 0, &err));
    database_answer_close(&answer);
}

static void tell_txn(const struct told_txn *t)
{
    struct database_answer answer = { .xid = t->xid };

    TEST_ASSERT_EQUAL(STATUS_OK, client_log_begin(&log_of_all, t->session, t->from_ns, &err));
    if (t->read != 0 || t->written == 0)
        tell_op(BUILTIN_READ, t->read);
    if (t->written != 0)
        tell_op(BUILTIN_WRITE, t->written);
    if (t->snapshot)
        buffer_text(&answer.snapshot, text_of(t->snapshot));
    TEST_ASSERT_EQUAL(STATUS_OK, client_log_note(&log_of_all, &answer, &err));
    client_log_end(&log_of_all, t->status, t->to_ns);
    database_answer_close(&answer);
}

static void tell_commit(const struct told_commit *c)
{
    struct recovered_commit commit = { .xid = c->xid, .first = order.changes.count, .count = 1 };
    struct recovered_change change = { RECOVERED_ROW, 1, c->value };

    TEST_ASSERT_EQUAL(STATUS_OK, array_push(&order.commits, commit, &err));
    TEST_ASSERT_EQUAL(STATUS_OK, array_push(&order.changes, change, &err));
}

/* Of both lists the last has no session or no number. */
static void make(const struct told_txn *txns, const struct told_commit *commits)
{
    struct builtin_options options = builtin_defaults(workload_find(TEXT("rw-register")));
    struct random_key key = random_key_of_seed(1);
    struct builtin builtin;
    struct record_source source = { .builtin = &builtin,
                                    .table = &items,
                                    .producer = TEXT("a test"),
                                    .logs = &log_of_all,
                                    .log_count = 1,
                                    .order = &order };

    TEST_ASSERT_EQUAL(STATUS_OK, builtin_init(&builtin, &options, (struct builtin_clients){ 4, 1 },
                                              &key, fixture_arena(), &err));
    for (; txns->session != 0; txns++)
        tell_txn(txns);
    for (; commits->xid != 0; commits++)
        tell_commit(commits);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK,
                              record_history_make(&source, &certificate, &history, &err), err.text);
}

static enum status run_checker(struct check *check)
{
    struct check_options asked = { .level = LEVEL_SERIALIZABLE };

    return checker_run(checker_find(TEXT("certificate")), &history, &asked, check, &err);
}

static enum verdict judge(const struct told_txn *txns, const struct told_commit *commits)
{
    struct check check;
    enum verdict verdict;

    make(txns, commits);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, run_checker(&check), err.text);
    verdict = check.verdict;
    check_close(&check);
    return verdict;
}

static const struct told_txn writers[] = {
    { 1, TXN_OK, 11, "11:11:", 0, 10, 0, 1 },
    { 2, TXN_OK, 12, "12:12:", 20, 30, 1, 2 },
    { 3, TXN_OK, 0, "13:13:", 40, 50, 2, 0 },
    { 0 },
};

static void a_recording_without_a_fault_is_valid(void)
{
    static const struct told_commit commits[] = { { 11, 1 }, { 12, 2 }, { 0 } };

    TEST_ASSERT_EQUAL(VERDICT_VALID, judge(writers, commits));
    TEST_ASSERT_EQUAL(2, certificate.commits);
    TEST_ASSERT_EQUAL(0, certificate.missing + certificate.aborted + certificate.strange +
                             certificate.misfits);
}

static void a_commit_that_is_left_out_of_the_order_is_missed(void)
{
    static const struct told_commit commits[] = { { 11, 1 }, { 0 } };
    struct check check;

    make(writers, commits);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, run_checker(&check));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "lacks transaction 2"));
    check_close(&check);
    TEST_ASSERT_EQUAL(1, certificate.missing);
    TEST_ASSERT_EQUAL(2, certificate.first_missing);
}

static void two_versions_that_change_places_are_noticed(void)
{
    static const struct told_commit commits[] = { { 12, 2 }, { 11, 1 }, { 0 } };

    TEST_ASSERT_EQUAL(VERDICT_INVALID, judge(writers, commits));
}

static void a_commit_that_is_told_twice_is_strange(void)
{
    static const struct told_commit commits[] = { { 11, 1 }, { 12, 2 }, { 11, 1 }, { 0 } };

    (void)judge(writers, commits);
    TEST_ASSERT_EQUAL(1, certificate.strange);
}

static void an_unknown_transaction_that_is_told_as_rolled_back_is_found_in_the_order(void)
{
    static const struct told_txn txns[] = {
        { 1, TXN_OK, 11, "11:11:", 0, 10, 0, 1 },
        { 2, TXN_ABORT, 12, "12:12:", 20, 30, 1, 2 },
        { 3, TXN_OK, 0, "13:13:", 40, 50, 2, 0 },
        { 0 },
    };
    static const struct told_commit commits[] = { { 11, 1 }, { 12, 2 }, { 0 } };

    TEST_ASSERT_EQUAL(VERDICT_INVALID, judge(txns, commits));
    TEST_ASSERT_EQUAL(1, certificate.aborted);
    TEST_ASSERT_EQUAL(2, certificate.first_aborted);
}

static void an_unknown_outcome_is_looked_up_by_what_was_written(void)
{
    static const struct told_txn txns[] = {
        { 1, TXN_OK, 11, "11:11:", 0, 10, 0, 1 },
        { 2, TXN_UNKNOWN, 0, NULL, 20, 30, 1, 2 },
        { 4, TXN_UNKNOWN, 0, NULL, 20, 30, 1, 3 },
        { 3, TXN_OK, 0, "13:13:", 40, 50, 2, 0 },
        { 0 },
    };
    static const struct told_commit commits[] = { { 11, 1 }, { 12, 2 }, { 0 } };

    TEST_ASSERT_EQUAL(VERDICT_VALID, judge(txns, commits));
    TEST_ASSERT_EQUAL(1, certificate.resolved);
    TEST_ASSERT_EQUAL(0, certificate.missing + certificate.strange);
}

/* 12 was rolled back, nothing of it reached the disk, and another has its number after a crash. */
static void a_number_that_is_used_again_belongs_to_who_wrote_the_value(void)
{
    static const struct told_txn txns[] = {
        { 1, TXN_OK, 11, "11:11:", 0, 10, 0, 1 },
        { 2, TXN_ABORT, 12, "12:12:", 20, 30, 1, 2 },
        { 3, TXN_OK, 0, "13:13:", 40, 50, 1, 0 },
        { 4, TXN_OK, 12, "12:12:", 900, 950, 1, 3 },
        { 3, TXN_OK, 0, "13:13:", 960, 990, 3, 0 },
        { 0 },
    };
    static const struct told_commit commits[] = { { 11, 1 }, { 12, 3 }, { 0 } };

    TEST_ASSERT_EQUAL(VERDICT_VALID, judge(txns, commits));
    TEST_ASSERT_EQUAL(0, certificate.aborted + certificate.strange + certificate.misfits);
}

/* PostgreSQL has done it, at repeatable read: the same row twice in what one SELECT returned. */
static void a_row_that_was_answered_twice_is_told_once_and_counted(void)
{
    static const struct stored_table rows = { .shape = SHAPE_ROWS,
                                              .name = "entries",
                                              .key_column = "id",
                                              .value_column = "value" };
    struct builtin_options options = builtin_defaults(workload_find(TEXT("predicate")));
    struct random_key key = random_key_of_seed(1);
    struct builtin builtin;
    struct record_source source = { .builtin = &builtin,
                                    .table = &rows,
                                    .producer = TEXT("a test"),
                                    .logs = &log_of_all,
                                    .log_count = 1,
                                    .is_without_initial = true };
    struct builtin_request request = { .kind = BUILTIN_SELECT, .column = BUILTIN_NO_COLUMN };
    struct database_answer answer = { .is_pipelined = true };
    struct database_step_answer step = { 0 };

    TEST_ASSERT_EQUAL(STATUS_OK, builtin_init(&builtin, &options, (struct builtin_clients){ 4, 1 },
                                              &key, fixture_arena(), &err));
    TEST_ASSERT_EQUAL(STATUS_OK, client_log_begin(&log_of_all, 1, 0, &err));
    for (int64_t i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL(STATUS_OK,
                          database_answer_row(&answer, &step,
                                              (struct builtin_row){ .key = 1 + (uint64_t)i % 3, .value = i }, &err));
    TEST_ASSERT_EQUAL(STATUS_OK, client_log_request(&log_of_all, &request, &answer, &step, 0, &err));
    client_log_end(&log_of_all, TXN_OK, 10);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, record_history_make(&source, &certificate, &history, &err), err.text);
    TEST_ASSERT_EQUAL(1, certificate.twins);
    TEST_ASSERT_EQUAL(1, certificate.first_twin);
    TEST_ASSERT_EQUAL(3, history.statement_row_count[0]);
    database_answer_close(&answer);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_recording_without_a_fault_is_valid);
    RUN_TEST(a_commit_that_is_left_out_of_the_order_is_missed);
    RUN_TEST(two_versions_that_change_places_are_noticed);
    RUN_TEST(a_commit_that_is_told_twice_is_strange);
    RUN_TEST(an_unknown_transaction_that_is_told_as_rolled_back_is_found_in_the_order);
    RUN_TEST(an_unknown_outcome_is_looked_up_by_what_was_written);
    RUN_TEST(a_number_that_is_used_again_belongs_to_who_wrote_the_value);
    RUN_TEST(a_row_that_was_answered_twice_is_told_once_and_counted);
    return UNITY_END();
}
