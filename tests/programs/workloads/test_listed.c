#include "programs/workloads/listed.h"

#include <string.h>

#include "programs/workloads/builtin.h"
#include "tests/fixture.h"
#include "unity.h"

static struct listed listing;
static struct buffer out;
static struct error err;

void setUp(void)
{
    listing = (struct listed){ 0 };
    out = (struct buffer){ 0 };
    err = (struct error){ 0 };
}

void tearDown(void)
{
    listed_close(&listing);
    buffer_close(&out);
}

static const char *printed(void)
{
    const struct listed_txn *txn = &listing.txns.at[0];
    const struct listed_op *ops = listed_ops(&listing, txn);

    for (uint32_t i = 0; i < txn->count;) {
        if (i > 0)
            buffer_text(&out, TEXT(" | "));
        i += listed_print(ops + i, txn->count - i, &out);
    }
    buffer_byte(&out, '\0');
    return out.at;
}

static void what_is_printed_reads_back(void)
{
    static const char *const rows[] = {
        "r 3",
        "w 6 17",
        "w 6 -17 #901",
        "append 6 17",
        "insert 55 3 #901",
        "put 5 17 #901",
        "select",
        "select value 10..20",
        "select key 7",
        "update value -3..20 17 #9",
        "delete key 4",
        "abort",
        "a = r 3; b = r 4; abort if a < 5; w 3 a-5 #81; w 4 b+5 #82",
        "select; expect rows = 8; expect sum = 800",
        "a = r 0; b = r 1; expect a+b >= 0; commit if a+b < 0; w 0 a+b+1",
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        listed_close(&listing);
        listing = (struct listed){ 0 };
        buffer_clear(&out);
        listed_begin(&listing, 0);
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, listed_parse(&listing, text_of(rows[i]), &err),
                                  rows[i]);
        TEST_ASSERT_EQUAL_STRING(rows[i], printed());
    }
}

static void what_is_no_operation_is_refused_with_its_place(void)
{
    static const struct { const char *text, *why; } rows[] = {
        { "", "should stand at character 1" },
        { "read 3", "r, w, append" },
        { "r", "a key, a number from 0, should stand at character 2" },
        { "r -1", "a key" },
        { "w 3", "a number, a, b, sum or rows should stand at character 4" },
        { "w 3 4 5", "a semicolon or the end should stand at character 7" },
        { "select value 9..3", "a range that is not empty" },
        { "expect a 3", "<, >= or = should stand" },
        { "a = w 3 4", "only what is read has a name" },
        { "r 3;", "should stand at character 5" },
        { "r 99999999999999999999", "a key" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        listed_close(&listing);
        listing = (struct listed){ 0 };
        listed_begin(&listing, 0);
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT,
                                  listed_parse(&listing, text_of(rows[i].text), &err),
                                  rows[i].text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, rows[i].why), err.text);
    }
}

static void each_client_has_its_turns_in_its_order(void)
{
    static const uint32_t clients[] = { 2, 0, 2, 2, 0 };
    struct listed_turns turns;

    for (size_t i = 0; i < ROW_COUNT(clients); i++) {
        listed_begin(&listing, clients[i]);
        listed_place(&listing, (int64_t)i, 0);
    }
    ASSERT_OK(listed_turns_init(&turns, &listing, 3, fixture_arena(), &err), &err);
    TEST_ASSERT_EQUAL(1, listed_turn(&turns, 0, 0)->at_ns);
    TEST_ASSERT_EQUAL(4, listed_turn(&turns, 0, 1)->at_ns);
    TEST_ASSERT_NULL(listed_turn(&turns, 0, 2));
    TEST_ASSERT_NULL(listed_turn(&turns, 1, 0));
    TEST_ASSERT_EQUAL(3, listed_turn(&turns, 2, 2)->at_ns);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      listed_turns_init(&turns, &listing, 2, fixture_arena(), &err));
}

/* --- Listed transactions do what drawn ones do ------------------------------------------------ */

#define CLIENTS 3
#define ORDINALS 40
#define ROWS_MAX 300

/* A store of one client at a time: rows by key. */
static struct {
    struct builtin_row rows[ROWS_MAX];
    uint64_t count;
} table;

static struct builtin_row *find_row(uint64_t key)
{
    for (uint64_t i = 0; i < table.count; i++)
        if (table.rows[i].key == key)
            return &table.rows[i];
    return NULL;
}

static bool matches(const struct builtin_request *r, const struct builtin_row *row)
{
    int64_t cell = r->column == BUILTIN_KEY_COLUMN ? (int64_t)row->key : row->value;

    return r->column == BUILTIN_NO_COLUMN || (cell >= r->low && cell <= r->high);
}

/* Does the request, and answers it. */
static void serve(struct builtin_txn *txn, const struct builtin_request *r)
{
    struct builtin_row seen[ROWS_MAX];
    struct builtin_row *row = find_row(r->key);
    uint64_t count = 0;

    if (r->kind == BUILTIN_READ && row)
        seen[count++] = *row;
    if (r->kind == BUILTIN_SELECT)
        for (uint64_t i = 0; i < table.count; i++)
            if (matches(r, &table.rows[i]))
                seen[count++] = table.rows[i];
    if (r->kind == BUILTIN_WRITE || r->kind == BUILTIN_INSERT) {
        if (!row) {
            TEST_ASSERT_TRUE(table.count < ROWS_MAX);
            row = &table.rows[table.count++];
        }
        *row = (struct builtin_row){ r->key, r->value, r->tag };
    }
    builtin_answer(txn, seen, count);
}

/* Runs both side by side, and compares what they ask for. */
static void run_both(struct builtin_txn *drawn, struct builtin_txn *followed)
{
    struct builtin_row before[ROWS_MAX];
    uint64_t count = table.count;

    for (;;) {
        struct builtin_request a = builtin_next(drawn), b = builtin_next(followed);

        TEST_ASSERT_EQUAL(a.kind, b.kind);
        TEST_ASSERT_EQUAL(a.column, b.column);
        if (a.kind == BUILTIN_COMMIT || a.kind == BUILTIN_ABORT)
            return;
        TEST_ASSERT_EQUAL_UINT64(a.key, b.key);
        TEST_ASSERT_EQUAL_INT64(a.value, b.value);
        TEST_ASSERT_EQUAL_INT64(a.tag, b.tag);
        TEST_ASSERT_EQUAL_INT64(a.low, b.low);
        TEST_ASSERT_EQUAL_INT64(a.high, b.high);
        memcpy(before, table.rows, sizeof before);
        count = table.count;
        serve(drawn, &a);
        memcpy(table.rows, before, sizeof before);
        table.count = count;
        serve(followed, &b);
    }
}

static void compare_all(const struct workload *workload)
{
    struct arena *arena = fixture_arena();
    struct builtin_options options = builtin_defaults(workload);
    struct random_key key = random_key_of_seed(5);
    struct builtin drawn, followed;

    ASSERT_OK(builtin_init(&drawn, &options, (struct builtin_clients){ CLIENTS, 1 }, &key, arena, &err), &err);
    for (uint64_t ordinal = 0; ordinal < ORDINALS; ordinal++)
        for (uint32_t client = 0; client < CLIENTS; client++) {
            struct builtin_txn txn;
            builtin_begin(&txn, &drawn, client, ordinal, 0);
            builtin_list(&txn, &listing);
        }
    followed = drawn;
    ASSERT_OK(builtin_follow(&followed, &listing, arena, &err), &err);
    table.count = 0;
    for (uint64_t i = 0; i < builtin_initial_count(&drawn) && i < ROWS_MAX / 2; i++)
        table.rows[table.count++] = builtin_initial(&drawn, i);
    for (uint64_t ordinal = 0; ordinal < ORDINALS; ordinal++)
        for (uint32_t client = 0; client < CLIENTS; client++) {
            struct builtin_txn a, b;
            builtin_begin(&a, &drawn, client, ordinal, 0);
            builtin_begin(&b, &followed, client, ordinal, 0);
            run_both(&a, &b);
        }
}

static void listed_transactions_ask_for_what_drawn_ones_do(void)
{
    unsigned count;
    const struct workload *const *all = workload_run(&count);

    for (unsigned i = 0; i < count; i++) {
        listed_close(&listing);
        listing = (struct listed){ 0 };
        compare_all(all[i]);
    }
}

static void what_the_workload_does_not_know_is_refused(void)
{
    static const struct {
        const char *workload, *op, *refusal;
    } rows[] = {
        { "rw-register", "update value 0..9 17 #9", "the workload rw-register has no 'update' in its transactions" },
        { "rw-register", "select key 1..2", "the workload rw-register has no 'select' in its transactions" },
        { "rw-register", "append 1 2", "the workload rw-register has no 'append' in its transactions" },
        { "list-append", "w 1 2", "the workload list-append has no 'w' in its transactions" },
        { "list-append", "delete", "the workload list-append has no 'delete' in its transactions" },
        { "bank", "append 1 2", "the workload bank has no 'append' in its transactions" },
    };
    struct random_key key = random_key_of_seed(5);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct builtin_options options = builtin_defaults(workload_find(text_of(rows[i].workload)));
        struct arena *arena = fixture_arena();
        struct builtin builtin;

        listed_close(&listing);
        listing = (struct listed){ 0 };
        ASSERT_OK(builtin_init(&builtin, &options, (struct builtin_clients){ 1, 1 }, &key, arena, &err), &err);
        listed_begin(&listing, 0);
        ASSERT_OK(listed_parse(&listing, text_of(rows[i].op), &err), &err);
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, builtin_follow(&builtin, &listing, arena, &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].refusal, err.text);
        memset(&err, 0, sizeof err);
    }
}

static void an_expectation_that_is_not_true_breaks_the_invariant(void)
{
    struct builtin_options options = builtin_defaults(workload_find(TEXT("bank")));
    struct random_key key = random_key_of_seed(5);
    struct builtin_row rows[] = { { 0, 60, 0 }, { 1, 39, 0 } };
    struct arena *arena = fixture_arena();
    struct builtin builtin;
    struct builtin_txn txn;

    ASSERT_OK(builtin_init(&builtin, &options, (struct builtin_clients){ 1, 1 }, &key, arena, &err), &err);
    listed_begin(&listing, 0);
    ASSERT_OK(listed_parse(&listing, TEXT("select; expect rows = 2; expect sum = 100"), &err),
              &err);
    ASSERT_OK(builtin_follow(&builtin, &listing, arena, &err), &err);
    builtin_begin(&txn, &builtin, 0, 0, 0);
    TEST_ASSERT_EQUAL(BUILTIN_SELECT, builtin_next(&txn).kind);
    builtin_answer(&txn, rows, 2);
    TEST_ASSERT_EQUAL(BUILTIN_COMMIT, builtin_next(&txn).kind);
    TEST_ASSERT_TRUE(builtin_saw_broken(&txn, &out));
    buffer_byte(&out, '\0');
    TEST_ASSERT_EQUAL_STRING("a transaction's \"expect sum = 100\" is not true: it was 99", out.at);
    rows[1].value = 40;
    builtin_begin(&txn, &builtin, 0, 0, 0);
    builtin_answer(&txn, rows, 2);
    TEST_ASSERT_FALSE(builtin_saw_broken(&txn, &out));
}

static void values_that_repeat_are_not_called_unique(void)
{
    static const struct { const char *first, *second; bool unique; } rows[] = {
        { "w 1 5", "w 1 6", true },         { "w 1 5", "w 2 5", true },
        { "w 1 5", "w 1 5", false },        { "w 1 5 #1", "w 1 5 #2", true },
        { "w 1 5 #1", "w 1 6 #1", false },  { "a = r 1; w 1 a+1", "r 1", false },
        { "a = r 1; w 1 a+1 #7", "r 1", true },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin_options options = builtin_defaults(workload_find(TEXT("rw-register")));
        struct random_key key = random_key_of_seed(5);
        struct arena *arena = fixture_arena();
        struct builtin builtin;

        listed_close(&listing);
        listing = (struct listed){ 0 };
        listed_begin(&listing, 0);
        ASSERT_OK(listed_parse(&listing, text_of(rows[i].first), &err), &err);
        ASSERT_OK(listed_parse(&listing, text_of(rows[i].second), &err), &err);
        ASSERT_OK(builtin_init(&builtin, &options, (struct builtin_clients){ 1, 1 }, &key, arena, &err), &err);
        ASSERT_OK(builtin_follow(&builtin, &listing, arena, &err), &err);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].unique, builtin_is_unique(&builtin), rows[i].first);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_printed_reads_back);
    RUN_TEST(what_is_no_operation_is_refused_with_its_place);
    RUN_TEST(each_client_has_its_turns_in_its_order);
    RUN_TEST(listed_transactions_ask_for_what_drawn_ones_do);
    RUN_TEST(values_that_repeat_are_not_called_unique);
    RUN_TEST(what_the_workload_does_not_know_is_refused);
    RUN_TEST(an_expectation_that_is_not_true_breaks_the_invariant);
    return UNITY_END();
}
