#include "programs/workloads/builtin.h"

#include <stdio.h>

#include "base/map.h"
#include "tests/fixture.h"
#include "tests/programs/workloads/builtin_fixture.h"
#include "tests/programs/workloads/toy_store.h"
#include "unity.h"

static struct error err;
static struct buffer out;
static struct toy_run run;

void setUp(void) {}

void tearDown(void)
{
    toy_close(&run);
    buffer_close(&out);
}

static const char *said(void)
{
    buffer_byte(&out, '\0');
    return out.at;
}

/* 250 transactions of each of four clients. */
static void run_on(const struct builtin *builtin, enum toy_store store)
{
    toy_close(&run);
    run = (struct toy_run){
        .builtin = builtin,
        .store = store,
        .transactions = 250,
        .seed = store,
    };
    toy_run(&run);
}

/* --- Plans ------------------------------------------------------------------------------------ */

/* But for what an attempt or the number of clients may change: values that must be unique. */
static bool is_same_plan(const struct builtin *builtin, const struct builtin_request *a,
                         const struct builtin_request *b)
{
    bool key_is_value = workload_find(TEXT("set")) == builtin->workload;

    return a->kind == b->kind && (a->key == b->key || key_is_value) && a->column == b->column &&
           a->low == b->low && a->high == b->high;
}

static void a_transaction_that_is_tried_again_has_the_same_plan(void)
{
    for (const char *const *name = workload_run_names(); *name; name++) {
        struct builtin builtin = builtin_fixture_make(*name, "", TOY_CLIENTS);
        struct builtin_request first[64], again[64];

        for (uint64_t ordinal = 0; ordinal < 100; ordinal++) {
            uint32_t count = builtin_fixture_play(&builtin, 2, ordinal, 0, first, ROW_COUNT(first));

            TEST_ASSERT_EQUAL(
                count, builtin_fixture_play(&builtin, 2, ordinal, 3, again, ROW_COUNT(again)));
            for (uint32_t i = 0; i < count; i++)
                TEST_ASSERT_TRUE_MESSAGE(is_same_plan(&builtin, &first[i], &again[i]), *name);
        }
    }
}

/* Where keys retire, more clients make them retire sooner. */
static void another_client_changes_no_plan(void)
{
    for (const char *const *name = workload_run_names(); *name; name++) {
        struct builtin_options options = builtin_defaults(workload_find(text_of(*name)));
        bool retires = builtin_has_parameter(options.workload, PARAMETER_WRITES_PER_KEY);
        struct random_key key = random_key_of_seed(5);
        struct arena *arena = fixture_arena();
        struct builtin few, many;
        struct builtin_request of_few[64], of_many[64];

        if (retires)
            ASSERT_OK(builtin_set(&options, TEXT("writes_per_key"), TEXT("0"), &err), &err);
        ASSERT_OK(builtin_init(&few, &options, (struct builtin_clients){ 3, BUILTIN_FIXTURE_ATTEMPTS }, &key,
                               arena, &err),
                  &err);
        ASSERT_OK(builtin_init(&many, &options, (struct builtin_clients){ 50, BUILTIN_FIXTURE_ATTEMPTS },
                               &key, arena, &err),
                  &err);
        for (uint64_t ordinal = 0; ordinal < 100; ordinal++) {
            uint32_t count = builtin_fixture_play(&few, 2, ordinal, 0, of_few, ROW_COUNT(of_few));

            TEST_ASSERT_EQUAL(
                count, builtin_fixture_play(&many, 2, ordinal, 0, of_many, ROW_COUNT(of_many)));
            for (uint32_t i = 0; i < count; i++)
                TEST_ASSERT_TRUE_MESSAGE(is_same_plan(&few, &of_few[i], &of_many[i]), *name);
        }
    }
}

static void clients_and_ordinals_have_plans_of_their_own(void)
{
    struct builtin builtin = builtin_fixture_make("ycsb", "operations_min=8", TOY_CLIENTS);
    struct builtin_request one[16], other[16];
    uint32_t same = 0;

    for (uint64_t ordinal = 0; ordinal < 100; ordinal++) {
        builtin_fixture_play(&builtin, 0, ordinal, 0, one, ROW_COUNT(one));
        builtin_fixture_play(&builtin, 1, ordinal, 0, other, ROW_COUNT(other));
        same += one[0].key == other[0].key && one[1].key == other[1].key;
        builtin_fixture_play(&builtin, 0, ordinal + 1, 0, other, ROW_COUNT(other));
        same += one[0].key == other[0].key && one[1].key == other[1].key;
    }
    TEST_ASSERT_LESS_THAN(10, same);
}

static void a_copy_of_a_transaction_goes_the_same_way(void)
{
    struct builtin builtin = builtin_fixture_make("bank", "read_percent=0", 1);
    struct builtin_row row = { .value = 80 };
    struct builtin_txn txn, copy;

    builtin_begin(&txn, &builtin, 0, 3, 0);
    builtin_answer(&txn, &row, 1);
    copy = txn;
    builtin_answer(&txn, &row, 1);
    builtin_answer(&copy, &row, 1);
    TEST_ASSERT_EQUAL(BUILTIN_WRITE, builtin_next(&copy).kind);
    TEST_ASSERT_EQUAL_INT64(builtin_next(&txn).value, builtin_next(&copy).value);
    TEST_ASSERT_LESS_OR_EQUAL(96, sizeof txn);
}

/* Made by this program: a change of any changes what every scenario runs. */
static void a_plan_is_the_same_for_ever(void)
{
    struct builtin builtin = builtin_fixture_make("list-append", "", TOY_CLIENTS);
    struct builtin_request requests[16];

    for (uint64_t ordinal = 0; ordinal < 6; ordinal++) {
        uint32_t count =
            builtin_fixture_play(&builtin, 1, ordinal * 100, 0, requests, ROW_COUNT(requests));

        for (uint32_t i = 0; i + 1 < count; i++)
            buffer_print(&out, requests[i].kind == BUILTIN_READ ? "r%d " : "a%d:%lld ",
                         (int)requests[i].key, (long long)requests[i].value);
        buffer_byte(&out, '|');
    }
    TEST_ASSERT_EQUAL_STRING("r5 r8 r4 a7:8 |r50 a21:6406 |r18 a24:12806 |r27 a43:19206 r150 |"
                             "r210 a210:25606 r36 r210 |a63:32005 |",
                             said());
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool is_write(const struct builtin_request *request)
{
    return request->kind == BUILTIN_WRITE || request->kind == BUILTIN_APPEND ||
           request->kind == BUILTIN_INSERT || request->kind == BUILTIN_UPDATE;
}

/* What must differ: the key of a set's element, a row's tag, an item's value. */
static uint64_t mark_of(const struct builtin *builtin, const struct builtin_request *request)
{
    if (!builtin->workload->table)
        return (uint64_t)request->value;
    return builtin->workload->table->tag_column ? (uint64_t)request->tag : request->key;
}

/* Marks are unique all over, except that the writes of one step, of two keys, share theirs. */
static void collect_marks(const struct builtin *builtin, struct map *marks)
{
    struct builtin_request requests[64];

    for (uint32_t i = 0; i < TOY_CLIENTS * BUILTIN_FIXTURE_ATTEMPTS * 300; i++) {
        uint32_t client = i % TOY_CLIENTS, attempt = i / TOY_CLIENTS % BUILTIN_FIXTURE_ATTEMPTS;
        uint64_t ordinal = i / (TOY_CLIENTS * BUILTIN_FIXTURE_ATTEMPTS);
        uint32_t count =
            builtin_fixture_play(builtin, client, ordinal, attempt, requests, ROW_COUNT(requests));

        for (uint32_t j = 0; j < count; j++) {
            uint64_t mark = mark_of(builtin, &requests[j]), before;
            size_t place;

            if (!is_write(&requests[j]))
                continue;
            TEST_ASSERT_GREATER_THAN_MESSAGE(0, (int64_t)mark, builtin->workload->name);
            TEST_ASSERT_TRUE_MESSAGE(
                !map_find(marks, mark, &before) ||
                    (before >> 20 == i && (before & 0xfffff) != requests[j].key),
                builtin->workload->name);
            ASSERT_OK(map_add(marks, mark, (uint64_t)i << 20 | requests[j].key, &place, &err),
                      &err);
        }
    }
}

static void every_write_of_every_attempt_has_a_value_of_its_own(void)
{
    for (const char *const *name = workload_run_names(); *name; name++) {
        struct builtin builtin = builtin_fixture_make(*name, "", TOY_CLIENTS);
        struct map marks = { 0 };

        TEST_ASSERT_TRUE(builtin_is_unique(&builtin));
        collect_marks(&builtin, &marks);
        TEST_ASSERT_GREATER_THAN_MESSAGE(1000, marks.keys.count, *name);
        map_close(&marks);
    }
}

static void values_repeat_where_they_are_asked_to(void)
{
    static const char *const names[] = { "rw-register", "bank", "counter", "predicate" };

    for (size_t n = 0; n < ROW_COUNT(names); n++) {
        struct builtin builtin = builtin_fixture_make(names[n], "repeat_values=2", TOY_CLIENTS);
        struct builtin_request requests[64];
        unsigned seen[3] = { 0 };

        TEST_ASSERT_FALSE(builtin_is_unique(&builtin));
        for (uint64_t ordinal = 0; ordinal < 200; ordinal++) {
            uint32_t count =
                builtin_fixture_play(&builtin, 0, ordinal, 0, requests, ROW_COUNT(requests));

            for (uint32_t i = 0; i < count; i++) {
                if (!is_write(&requests[i]))
                    continue;
                TEST_ASSERT_LESS_OR_EQUAL(2, mark_of(&builtin, &requests[i]));
                seen[mark_of(&builtin, &requests[i])]++;
            }
        }
        TEST_ASSERT_EQUAL_MESSAGE(0, seen[0], names[n]);
        TEST_ASSERT_TRUE_MESSAGE(seen[1] > 20 && seen[2] > 20, names[n]);
    }
}

static void the_largest_value_there_can_be_is_a_value(void)
{
    struct builtin_options options =
        builtin_fixture_options("ycsb", "operations_max=1000 read_percent=0 "
                                        "operations_min=1000");
    struct random_key key = random_key_of_seed(5);
    struct builtin builtin;
    struct builtin_txn txn;
    struct builtin_request request = { 0 };

    ASSERT_OK(builtin_init(&builtin, &options,
                           (struct builtin_clients){ BUILTIN_CLIENTS_MAX, BUILTIN_ATTEMPTS_MAX }, &key,
                           fixture_arena(), &err),
              &err);
    builtin_begin(&txn, &builtin, BUILTIN_CLIENTS_MAX - 1, BUILTIN_ORDINAL_MAX,
                  BUILTIN_ATTEMPTS_MAX - 1);
    for (int i = 0; i < 1000; i++) {
        request = builtin_next(&txn);
        builtin_answer(&txn, NULL, 0);
    }
    TEST_ASSERT_EQUAL(BUILTIN_WRITE, request.kind);
    TEST_ASSERT_EQUAL_INT64((INT64_C(1) << 51) * 1000, request.value);
    TEST_ASSERT_EQUAL(BUILTIN_COMMIT, builtin_next(&txn).kind);
}

/* --- Proportions ------------------------------------------------------------------------------ */

static void reads_and_writes_have_their_shares(void)
{
    static const struct {
        const char *settings;
        uint64_t percent;
    } rows[] = { { "read_percent=0", 0 }, { "read_percent=20", 20 }, { "read_percent=100", 100 } };
    static const char *const names[] = { "rw-register", "ycsb", "blindw", "list-append" };

    for (size_t n = 0; n < ROW_COUNT(names); n++)
        for (size_t i = 0; i < ROW_COUNT(rows); i++) {
            struct builtin builtin = builtin_fixture_make(names[n], rows[i].settings, TOY_CLIENTS);
            uint64_t reads, all;

            run_on(&builtin, TOY_SERIAL);
            reads = run.requests[BUILTIN_READ];
            all = reads + run.requests[BUILTIN_WRITE] + run.requests[BUILTIN_APPEND];
            TEST_ASSERT_GREATER_OR_EQUAL(1000, all);
            TEST_ASSERT_UINT64_WITHIN_MESSAGE(rows[i].percent % 100 ? 4 : 0, rows[i].percent,
                                              reads * 100 / all, names[n]);
        }
}

static void transactions_are_as_long_as_they_may_be(void)
{
    struct builtin builtin =
        builtin_fixture_make("rw-register", "operations_min=2 operations_max=5", 1);
    struct builtin_request requests[16];
    unsigned lengths[8] = { 0 };

    for (uint64_t ordinal = 0; ordinal < 400; ordinal++)
        lengths[builtin_fixture_play(&builtin, 0, ordinal, 0, requests, 7) - 1]++;
    for (unsigned length = 0; length < 8; length++)
        if (length >= 2 && length <= 5)
            TEST_ASSERT_UINT_WITHIN(50, 100, lengths[length]);
        else
            TEST_ASSERT_EQUAL(0, lengths[length]);
}

static void blind_writers_never_read(void)
{
    struct builtin builtin = builtin_fixture_make("blindw", "", 1);
    struct builtin_request requests[16];
    unsigned readers = 0;

    for (uint64_t ordinal = 0; ordinal < 200; ordinal++) {
        TEST_ASSERT_EQUAL(
            9, builtin_fixture_play(&builtin, 0, ordinal, 0, requests, ROW_COUNT(requests)));
        for (uint32_t i = 1; i < 8; i++)
            TEST_ASSERT_EQUAL(requests[0].kind, requests[i].kind);
        readers += requests[0].kind == BUILTIN_READ;
    }
    TEST_ASSERT_UINT_WITHIN(40, 100, readers);
}

static void some_abort_themselves_if_asked_to(void)
{
    for (const char *const *name = workload_run_names(); *name; name++) {
        struct builtin never =
            builtin_fixture_make(*name, "abort_percent=0 read_percent=100", TOY_CLIENTS);
        struct builtin half;

        run_on(&never, TOY_SERIAL);
        TEST_ASSERT_EQUAL_MESSAGE(0, run.aborted, *name);
        half = builtin_fixture_make(*name, "abort_percent=50 read_percent=100", TOY_CLIENTS);
        run_on(&half, TOY_SERIAL);
        TEST_ASSERT_UINT64_WITHIN_MESSAGE(100, 500, run.aborted, *name);
    }
}

static void hot_keys_are_chosen_more_often(void)
{
    struct builtin builtin =
        builtin_fixture_make("ycsb", "choice=hot hot_keys=10 hot_share=0.75", TOY_CLIENTS);
    struct builtin_request requests[16];
    unsigned hot = 0, all = 0;

    for (uint64_t ordinal = 0; ordinal < 500; ordinal++) {
        uint32_t count =
            builtin_fixture_play(&builtin, 0, ordinal, 0, requests, ROW_COUNT(requests));

        for (uint32_t i = 0; i + 1 < count; i++, all++)
            hot += requests[i].key < 10;
    }
    TEST_ASSERT_UINT_WITHIN(4, 75, hot * 100 / all);
}

/* --- Keys that retire ------------------------------------------------------------------------- */

/* Writes of each key by four clients that go equally fast. */
static void count_writes(const struct builtin *builtin, struct map *writes)
{
    struct builtin_request requests[16];

    for (uint32_t i = 0; i < TOY_CLIENTS * 2000; i++) {
        uint32_t count = builtin_fixture_play(builtin, i % TOY_CLIENTS, i / TOY_CLIENTS, 0,
                                              requests, ROW_COUNT(requests));

        for (uint32_t j = 0; j < count; j++) {
            size_t place;

            if (!is_write(&requests[j]))
                continue;
            ASSERT_OK(map_add(writes, requests[j].key, 0, &place, &err), &err);
            writes->values.at[place]++;
        }
    }
}

static void a_key_retires_after_about_as_many_writes_as_it_may_have(void)
{
    static const char *const settings[] = {
        "writes_per_key=32",
        "writes_per_key=32 choice=uniform",
        "writes_per_key=32 choice=hot read_percent=20",
    };

    for (size_t i = 0; i < ROW_COUNT(settings); i++) {
        struct builtin builtin = builtin_fixture_make("list-append", settings[i], TOY_CLIENTS);
        struct map writes = { 0 };
        uint64_t full = 0;

        count_writes(&builtin, &writes);
        for (size_t j = 0; j < writes.keys.count; j++) {
            TEST_ASSERT_LESS_THAN_MESSAGE(64, writes.values.at[j], settings[i]);
            full += writes.values.at[j] >= 16;
        }
        TEST_ASSERT_GREATER_THAN_MESSAGE(200, writes.keys.count, settings[i]);
        TEST_ASSERT_GREATER_THAN_MESSAGE(writes.keys.count * 9 / 10, full, settings[i]);
        map_close(&writes);
    }
}

/* Ten keys of 32 writes live for 64 transactions of four clients that write 1.25 each. */
static void keys_do_not_all_retire_at_once(void)
{
    struct builtin builtin = builtin_fixture_make("list-append", "choice=uniform", TOY_CLIENTS);
    struct builtin_request requests[16];
    unsigned old = 0, young = 0;

    for (uint64_t ordinal = 30; ordinal < 34; ordinal++)
        for (uint32_t client = 0; client < TOY_CLIENTS; client++) {
            uint32_t count =
                builtin_fixture_play(&builtin, client, ordinal, 0, requests, ROW_COUNT(requests));

            for (uint32_t i = 0; i + 1 < count; i++) {
                old += requests[i].key < 10;
                young += requests[i].key >= 10 && requests[i].key < 20;
            }
        }
    TEST_ASSERT_TRUE(old > 5 && young > 5);
}

static void keys_stay_for_ever_if_they_never_retire(void)
{
    struct builtin builtin = builtin_fixture_make("list-append", "writes_per_key=0", TOY_CLIENTS);
    struct map writes = { 0 };

    count_writes(&builtin, &writes);
    TEST_ASSERT_EQUAL(10, writes.keys.count);
    map_close(&writes);
}

/* --- One by one ------------------------------------------------------------------------------- */

static void a_long_fork_reads_each_key_of_one_group_or_writes_one(void)
{
    struct builtin builtin = builtin_fixture_make("long-fork", "keys=12 group=4", 1);
    struct builtin_request requests[16];
    unsigned first_members[4] = { 0 };

    for (uint64_t ordinal = 0; ordinal < 300; ordinal++) {
        uint32_t count =
            builtin_fixture_play(&builtin, 0, ordinal, 0, requests, ROW_COUNT(requests));
        unsigned members = 0;

        if (requests[0].kind == BUILTIN_WRITE) {
            TEST_ASSERT_EQUAL(2, count);
            continue;
        }
        TEST_ASSERT_EQUAL(5, count);
        for (uint32_t i = 0; i < 4; i++) {
            TEST_ASSERT_EQUAL(requests[0].key / 4, requests[i].key / 4);
            members |= 1u << requests[i].key % 4;
        }
        TEST_ASSERT_EQUAL(15, members);
        first_members[requests[0].key % 4]++;
    }
    for (size_t i = 0; i < 4; i++)
        TEST_ASSERT_GREATER_THAN(10, first_members[i]);
}

static void a_bank_audits_by_select_or_by_reading_each_account(void)
{
    struct builtin each = builtin_fixture_make("bank", "read_percent=100 select_percent=0", 1);
    struct builtin whole;
    struct builtin_request requests[16];

    TEST_ASSERT_EQUAL(11, builtin_fixture_play(&each, 0, 0, 0, requests, ROW_COUNT(requests)));
    for (uint32_t i = 0; i < 10; i++)
        TEST_ASSERT_EQUAL_UINT64(i, requests[i].key);
    whole = builtin_fixture_make("bank", "read_percent=100 select_percent=100", 1);
    TEST_ASSERT_EQUAL(2, builtin_fixture_play(&whole, 0, 0, 0, requests, ROW_COUNT(requests)));
    TEST_ASSERT_EQUAL(BUILTIN_SELECT, requests[0].kind);
    TEST_ASSERT_EQUAL(BUILTIN_NO_COLUMN, requests[0].column);
}

static void a_transfer_goes_between_two_accounts_and_keeps_the_sum(void)
{
    struct builtin builtin = builtin_fixture_make("bank", "keys=2 read_percent=0", 1);
    struct builtin_request requests[16];

    for (uint64_t ordinal = 0; ordinal < 100; ordinal++) {
        TEST_ASSERT_EQUAL(
            5, builtin_fixture_play(&builtin, 0, ordinal, 0, requests, ROW_COUNT(requests)));
        TEST_ASSERT_EQUAL_UINT64(1, requests[0].key + requests[1].key);
        TEST_ASSERT_EQUAL_UINT64(requests[0].key, requests[2].key);
        TEST_ASSERT_EQUAL_UINT64(requests[1].key, requests[3].key);
        TEST_ASSERT_EQUAL_INT64(2000, requests[2].value + requests[3].value);
        TEST_ASSERT_TRUE(requests[2].value >= 995 && requests[2].value < 1000);
    }
}

static void whoever_has_too_little_gives_up(void)
{
    static const struct {
        const char *workload, *settings;
    } rows[] = { { "bank", "read_percent=0" },
                 { "write-skew", "read_percent=0 deposit_percent=0" } };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin builtin = builtin_fixture_make(rows[i].workload, rows[i].settings, 1);
        struct builtin_row nothing = { 0 };
        struct builtin_txn txn;

        builtin_begin(&txn, &builtin, 0, 0, 0);
        for (int read = 0; read < 2; read++) {
            TEST_ASSERT_EQUAL(BUILTIN_READ, builtin_next(&txn).kind);
            builtin_answer(&txn, &nothing, 1);
        }
        TEST_ASSERT_EQUAL_MESSAGE(BUILTIN_ABORT, builtin_next(&txn).kind, rows[i].workload);
        TEST_ASSERT_FALSE(builtin_saw_broken(&txn, &out));
    }
}

static void nobody_mends_a_pair_that_is_broken(void)
{
    static const char *const settings[] = { "read_percent=0 deposit_percent=100",
                                            "read_percent=0 deposit_percent=0",
                                            "read_percent=100" };

    for (size_t i = 0; i < ROW_COUNT(settings); i++) {
        struct builtin builtin = builtin_fixture_make("write-skew", settings[i], 1);
        struct builtin_row less_than_nothing = { .value = -1 };
        struct builtin_txn txn;

        builtin_begin(&txn, &builtin, 0, 0, 0);
        builtin_answer(&txn, &less_than_nothing, 1);
        builtin_answer(&txn, &less_than_nothing, 1);
        TEST_ASSERT_EQUAL_MESSAGE(BUILTIN_COMMIT, builtin_next(&txn).kind, settings[i]);
        TEST_ASSERT_TRUE_MESSAGE(builtin_saw_broken(&txn, &out), settings[i]);
    }
}

static void predicates_ask_for_ranges_and_rows_come_and_go(void)
{
    struct builtin builtin = builtin_fixture_make("predicate", "values=100 width=10", TOY_CLIENTS);
    struct builtin_request requests[64];

    run_on(&builtin, TOY_SERIAL);
    TEST_ASSERT_GREATER_THAN(300, run.requests[BUILTIN_READ]);
    TEST_ASSERT_GREATER_THAN(300, run.requests[BUILTIN_SELECT]);
    TEST_ASSERT_GREATER_THAN(300, run.requests[BUILTIN_UPDATE]);
    TEST_ASSERT_GREATER_THAN(50, run.requests[BUILTIN_DELETE]);
    TEST_ASSERT_GREATER_THAN(50, run.requests[BUILTIN_INSERT]);
    TEST_ASSERT_GREATER_THAN(100, run.requests[BUILTIN_WRITE]);
    TEST_ASSERT_TRUE(run.row_count > 15 && run.row_count < 95);
    for (uint64_t ordinal = 0; ordinal < 200; ordinal++) {
        uint32_t count =
            builtin_fixture_play(&builtin, 0, ordinal, 0, requests, ROW_COUNT(requests));

        for (uint32_t i = 0; i < count; i++) {
            if (requests[i].column != BUILTIN_VALUE_COLUMN)
                continue;
            TEST_ASSERT_EQUAL_INT64(9, requests[i].high - requests[i].low);
            TEST_ASSERT_TRUE(requests[i].low >= 0 && requests[i].high < 100);
        }
    }
}

static void rows_are_written_blindly_or_die_and_are_born_again(void)
{
    struct builtin blind = builtin_fixture_make(
        "predicate", "read_percent=0 range_percent=0 delete_percent=0 blind_percent=100", 1);
    struct builtin reborn = builtin_fixture_make(
        "predicate", "read_percent=0 range_percent=0 delete_percent=0 reborn_percent=100", 1);
    struct builtin_txn txn;

    builtin_begin(&txn, &blind, 0, 0, 0);
    TEST_ASSERT_EQUAL(BUILTIN_WRITE, builtin_next(&txn).kind);
    builtin_begin(&txn, &reborn, 0, 0, 0);
    for (uint32_t step = 0; step < txn.step_count; step++) {
        struct builtin_request removal = builtin_next(&txn), insert;

        TEST_ASSERT_EQUAL(BUILTIN_DELETE, removal.kind);
        TEST_ASSERT_EQUAL(BUILTIN_KEY_COLUMN, removal.column);
        builtin_answer(&txn, NULL, 0);
        TEST_ASSERT_EQUAL(BUILTIN_READ, builtin_next(&txn).kind);
        builtin_answer(&txn, NULL, 0);
        insert = builtin_next(&txn);
        TEST_ASSERT_EQUAL(BUILTIN_INSERT, insert.kind);
        TEST_ASSERT_EQUAL_INT64(removal.low, (int64_t)insert.key);
        builtin_answer(&txn, NULL, 0);
    }
    TEST_ASSERT_EQUAL(BUILTIN_COMMIT, builtin_next(&txn).kind);
}

static void elements_are_of_sets_that_fill_up_and_retire(void)
{
    struct builtin builtin = builtin_fixture_make("set", "keys=2 writes_per_key=50", TOY_CLIENTS);
    uint64_t largest_set = 0;

    run_on(&builtin, TOY_SERIAL);
    for (uint64_t i = 0; i < run.row_count; i++) {
        uint64_t members = 0;

        for (uint64_t j = 0; j < run.row_count; j++)
            members += run.rows[j].value == run.rows[i].value;
        largest_set = members > largest_set ? members : largest_set;
    }
    TEST_ASSERT_TRUE(run.row_count > 1000 && largest_set < 90);
}

/* --- What a store needs to know --------------------------------------------------------------- */

static void what_must_be_loaded_is_known_by_key(void)
{
    static const struct {
        const char *workload;
        uint64_t count, last_key;
        int64_t last_value;
    } rows[] = {
        { "rw-register", 0, 0, 0 },  { "list-append", 0, 0, 0 },   { "bank", 10, 9, 100 },
        { "long-fork", 0, 0, 0 },    { "set", 0, 0, 0 },           { "counter", 5, 4, 0 },
        { "write-skew", 10, 9, 50 }, { "predicate", 50, 98, 980 }, { "blindw", 0, 0, 0 },
        { "ycsb", 1000, 999, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin builtin = builtin_fixture_make(rows[i].workload, "", 1);
        uint64_t count = builtin_initial_count(&builtin);

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].count, count, rows[i].workload);
        for (uint64_t j = 1; j < count; j++)
            TEST_ASSERT_TRUE(builtin_initial(&builtin, j - 1).key <
                             builtin_initial(&builtin, j).key);
        if (count == 0)
            continue;
        TEST_ASSERT_EQUAL_UINT64(rows[i].last_key, builtin_initial(&builtin, count - 1).key);
        TEST_ASSERT_EQUAL_INT64(rows[i].last_value, builtin_initial(&builtin, count - 1).value);
        TEST_ASSERT_EQUAL_INT64(0, builtin_initial(&builtin, count - 1).tag);
    }
}

static void keys_are_spelled_as_in_histories(void)
{
    struct builtin registers = builtin_fixture_make("rw-register", "", 1);
    struct builtin bank = builtin_fixture_make("bank", "", 1);

    builtin_print_key(&registers, 17, &out);
    buffer_byte(&out, '|');
    builtin_print_key(&bank, 17, &out);
    TEST_ASSERT_EQUAL_STRING("17|accounts/17", said());
}

static void the_table_is_what_its_sql_says(void)
{
    unsigned count;
    const struct workload *const *all = workload_run(&count);

    TEST_ASSERT_EQUAL(10, count);
    for (unsigned i = 0; i < count; i++) {
        const struct builtin_table *table = all[i]->table;
        char sql[300];

        TEST_ASSERT_EQUAL(all[i]->shape == SHAPE_ROWS, table != NULL);
        TEST_ASSERT_EQUAL_STRING(workload_run_names()[i], all[i]->name);
        if (!table)
            continue;
        snprintf(sql, sizeof sql,
                 "CREATE TABLE %s (%s bigint PRIMARY KEY, %s bigint NOT NULL%s%s%s)", table->name,
                 table->key_column, table->value_column, table->tag_column ? ", " : "",
                 table->tag_column ? table->tag_column : "",
                 table->tag_column ? " bigint NOT NULL" : "");
        TEST_ASSERT_EQUAL_STRING(sql, table->sql);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_transaction_that_is_tried_again_has_the_same_plan);
    RUN_TEST(another_client_changes_no_plan);
    RUN_TEST(clients_and_ordinals_have_plans_of_their_own);
    RUN_TEST(a_copy_of_a_transaction_goes_the_same_way);
    RUN_TEST(a_plan_is_the_same_for_ever);
    RUN_TEST(every_write_of_every_attempt_has_a_value_of_its_own);
    RUN_TEST(values_repeat_where_they_are_asked_to);
    RUN_TEST(the_largest_value_there_can_be_is_a_value);
    RUN_TEST(reads_and_writes_have_their_shares);
    RUN_TEST(transactions_are_as_long_as_they_may_be);
    RUN_TEST(blind_writers_never_read);
    RUN_TEST(some_abort_themselves_if_asked_to);
    RUN_TEST(hot_keys_are_chosen_more_often);
    RUN_TEST(a_key_retires_after_about_as_many_writes_as_it_may_have);
    RUN_TEST(keys_do_not_all_retire_at_once);
    RUN_TEST(keys_stay_for_ever_if_they_never_retire);
    RUN_TEST(a_long_fork_reads_each_key_of_one_group_or_writes_one);
    RUN_TEST(a_bank_audits_by_select_or_by_reading_each_account);
    RUN_TEST(a_transfer_goes_between_two_accounts_and_keeps_the_sum);
    RUN_TEST(whoever_has_too_little_gives_up);
    RUN_TEST(nobody_mends_a_pair_that_is_broken);
    RUN_TEST(predicates_ask_for_ranges_and_rows_come_and_go);
    RUN_TEST(rows_are_written_blindly_or_die_and_are_born_again);
    RUN_TEST(elements_are_of_sets_that_fill_up_and_retire);
    RUN_TEST(what_must_be_loaded_is_known_by_key);
    RUN_TEST(keys_are_spelled_as_in_histories);
    RUN_TEST(the_table_is_what_its_sql_says);
    return UNITY_END();
}
