#include "store/clients/record.h"

#include <stdio.h>
#include <string.h>

#include "programs/machine/program.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/store/clients/round_trip.h"
#include "tests/store/clients/record_inspect.h"
#include "unity.h"

/* The last table is none of the history's, as that of probes. */
static const char sql[] =
    "CREATE TABLE items (key bigint PRIMARY KEY, value bigint);"
    "CREATE TABLE lists (key bigint PRIMARY KEY, value bigint[]);"
    "CREATE TABLE t (id bigint PRIMARY KEY, name varchar(9), paid numeric(6,2), at timestamp,"
    "                ok boolean, free text);"
    "CREATE TABLE probe (key bigint PRIMARY KEY, value bigint);";

enum { ITEMS, LISTS, T, PROBE, TABLES };

static const enum table_shape shapes[] = { TABLE_ITEMS, TABLE_LISTS, TABLE_ROWS, TABLE_ROWS };

static struct error err;
static struct program program;
static struct catalog catalog;
static struct run_record *record;
static struct pool_memory memory;
static struct pool pool;
static struct history history;
static struct buffer text;

static void open_record(bool exports_snapshot, bool keeps)
{
    struct record_options options = { .catalog = &catalog, .workload = "hand-made",
                                      .exports_snapshot = exports_snapshot, .keeps = keeps,
                                      .unique = true, .table_count = PROBE };

    ASSERT_OK(record_open(&record, &options, &err), &err);
}

void setUp(void)
{
    struct arena *arena = fixture_arena();

    ASSERT_OK(program_load(&program, text_of(sql), &err), &err);
    ASSERT_OK(catalog_init(&catalog, &program.tree.schema, shapes, 1, arena, &err), &err);
    pool_memory_init(&memory, arena, arena->size);
    pool_init(&pool, &memory);
    open_record(false, true);
    history = (struct history){ 0 };
}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&text);
    text = (struct buffer){ 0 };
    record_close(record);
    catalog_close(&catalog);
    program_close(&program);
}

/* --- What is recorded ------------------------------------------------------------------------- */

static uint32_t key(const char *name)
{
    uint32_t table = strncmp(name, "t/", 2) == 0       ? T
                     : strncmp(name, "probe/", 6) == 0 ? PROBE
                     : *name == '9'                    ? LISTS
                                                       : ITEMS;

    return catalog_key_of_text(&catalog, table, text_of(name));
}

/* Good as long as the arena. */
static struct text row_of(const struct datum *cells, uint16_t count)
{
    struct wire_writer w = { .pool = &pool };

    row_put(&w, cells, count);
    return wire_writer_text(&w);
}

static struct text item(int64_t number)
{
    struct datum cells[] = { datum_of_int64(0), datum_of_int64(number) };

    return row_of(cells, 2);
}

static struct text list(const int64_t *elements, uint32_t count)
{
    struct datum cells[] = { datum_of_int64(0), { .kind = DATUM_ARRAY, .length = count } };

    cells[1].as.array.at = elements;
    return row_of(cells, 2);
}

static struct text whole_row(int64_t id, const char *name, int64_t cents)
{
    struct datum cells[] = { datum_of_int64(id),
                             datum_of_text(text_of(name)),
                             datum_of_numeric((struct numeric){ cents, 2 }),
                             datum_of_timestamp(5000000000),
                             datum_of_bool(true),
                             datum_null() };

    return row_of(cells, 6);
}

static struct record_op at(int64_t invoked_ns, int64_t completed_ns)
{
    return (struct record_op){ .invoked_ns = invoked_ns, .completed_ns = completed_ns };
}

static void decide(uint64_t txn, int64_t place)
{
    struct decision d = { .txn = txn, .commits = true, .place = { place, 0, txn },
                          .snapshot = { place - 5, 0, 0 } };

    record_decision(record, &d);
}

/* --- What comes of it ------------------------------------------------------------------------- */

static void assert_history(const char *lines)
{
    ASSERT_OK(record_history_finish(record, &history, &err), &err);
    ASSERT_OK(history_check(&history, &err), &err);
    round_trip(&history);
    round_trip_print(&history, &text);
    buffer_byte(&text, '\0');
    TEST_ASSERT_EQUAL_STRING(lines, text.at);
}

#define HEADER(initial)                                                                            \
    "{\"ordeal-history\":1,\"workload\":\"hand-made\",\"tables\":{\"t\":{\"columns\":"             \
    "{\"id\":\"bigint\",\"name\":\"varchar(9)\",\"paid\":\"numeric(6,2)\",\"at\":\"timestamp\","   \
    "\"ok\":\"boolean\",\"free\":\"text\"},\"key\":[\"id\"]}}," initial                            \
    "\"unique\":true,\"producer\":\"ordeal\"}\n"

static void items_and_lists_stand_alone(void)
{
    static const int64_t elements[] = { 3, 4 };
    struct record_op op = at(11, 12);
    uint64_t txn;

    record_initial(record, key("1"), item(7));
    record_initial(record, key("probe/1"), item(1));
    txn = record_begin(record, 0, 10);
    record_read(record, txn, &op, key("1"), true, item(7));
    op = at(13, 14);
    record_write(record, txn, &op, key("1"), item(8));
    op = at(15, 16);
    record_append(record, txn, &op, key("9"), 3);
    op = at(17, 18);
    record_read(record, txn, &op, key("9"), true, list(elements, 2));
    op = at(19, 20);
    record_read(record, txn, &op, key("2"), false, TEXT(""));
    op = at(21, 22);
    record_remove(record, txn, &op, key("2"));
    decide(txn, 30);
    record_end(record, txn, TXN_OK, 40);
    assert_history(HEADER("\"initial\":{\"1\":7},")
        "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[10,40],\"ops\":["
        "{\"r\":\"1\",\"v\":7,\"at\":[11,12]},{\"w\":\"1\",\"v\":8,\"at\":[13,14]},"
        "{\"append\":\"9\",\"v\":3,\"at\":[15,16]},{\"r\":\"9\",\"v\":[3,4],\"at\":[17,18]},"
        "{\"r\":\"2\",\"v\":null,\"at\":[19,20]},{\"d\":\"2\",\"at\":[21,22]}],\"ts\":[30,0,1]}\n"
        "{\"version-order\":{\"1\":[1]}}\n"
        "{\"version-order\":{\"9\":[1]}}\n"
        "{\"version-order\":{\"2\":[1]}}\n");
}

static void rows_are_whole_and_a_row_that_comes_twice_is_told_once(void)
{
    struct row_change rows[] = { { .key = key("t/1"), .row = whole_row(1, "a/b", 1230) },
                                 { .key = key("t/1"), .row = whole_row(1, "again", -1) },
                                 { .key = key("t/2"), .is_removed = true } };
    struct record_op op = at(11, 12);
    uint64_t txn = record_begin(record, 4, 10);
    uint32_t all = catalog_whole_table(&catalog, T);

    record_statement(record, txn, &op,
                     &(struct record_statement){ OP_INSERT, T, SCOPE_NONE, rows, 1 });
    op.lock = ROW_LOCK_UPDATE;
    record_statement(record, txn, &op, &(struct record_statement){ OP_SELECT, T, all, rows, 2 });
    record_statement(record, txn, &op, &(struct record_statement){ OP_SELECT, T, all, NULL, 0 });
    op = at(13, TIME_NEVER);
    record_statement(record, txn, &op, &(struct record_statement){ OP_UPDATE, T, all, NULL, 0 });
    record_statement(record, txn, &op,
                     &(struct record_statement){ OP_DELETE, T, all, rows + 2, 1 });
    record_read(record, txn, &op, key("t/1"), true, whole_row(1, "a/b", 1230));
    record_end(record, txn, TXN_ABORT, 40);
#define ROW                                                                                        \
    "{\"id\":1,\"name\":\"a/b\",\"paid\":\"12.30\",\"at\":5000000000,\"ok\":true,\"free\":null}"
    assert_history(HEADER("")
        "{\"txn\":1,\"session\":4,\"status\":\"abort\",\"at\":[10,40],\"ops\":["
        "{\"insert\":\"t\",\"rows\":{\"1\":" ROW "},\"at\":[11,12]},"
        "{\"select\":\"t\",\"rows\":{\"1\":" ROW "},\"lock\":\"update\",\"at\":[11,12]},"
        "{\"select\":\"t\",\"rows\":{},\"lock\":\"update\",\"at\":[11,12]},"
        "{\"update\":\"t\",\"at\":[13,null]},"
        "{\"delete\":\"t\",\"rows\":{\"2\":null},\"at\":[13,null]},"
        "{\"r\":\"t/1\",\"at\":[13,null]}]}\n"
        "{\"version-order\":{\"t/1\":[]}}\n"
        "{\"version-order\":{\"t/2\":[]}}\n");
}

/* Places decide, not the order in which clients ended. */
static void version_orders_are_of_those_who_committed_by_their_places(void)
{
    static const enum txn_status statuses[] = { TXN_OK,      TXN_UNKNOWN, TXN_UNKNOWN,
                                                TXN_ABORT,   TXN_ABORT,   TXN_OK,
                                                TXN_OK };
    struct record_op op = at(11, 12);

    for (int64_t i = 0; i < 7; i++) {
        uint64_t txn = record_begin(record, (uint32_t)i, 10);

        record_write(record, txn, &op, key("1"), item(100 + i));
        record_write(record, txn, &op, key("1"), item(200 + i));
        if (i == 0 || i == 1 || i == 3 || i == 6)
            decide(txn, 100 - 10 * i);
        record_end(record, txn, statuses[i], 20);
    }
    ASSERT_OK(record_history_finish(record, &history, &err), &err);
    round_trip(&history);
    round_trip_print(&history, &text);
    buffer_byte(&text, '\0');
    TEST_ASSERT_NOT_NULL(strstr(text.at, "{\"version-order\":{\"1\":[7,2,1]}}\n"));
    TEST_ASSERT_NOT_NULL(strstr(text.at, "\"v\":201,\"at\":[11,12]}],\"ts\":[90,0,2]}\n"));
    TEST_ASSERT_NULL_MESSAGE(strstr(text.at, "\"ts\":[70"), "aborted for its client");
    TEST_ASSERT_EQUAL(3, record_counts(record).committed);
    TEST_ASSERT_EQUAL(2, record_counts(record).aborted);
    TEST_ASSERT_EQUAL(2, record_counts(record).unknown);
}

static void snapshots_stand_where_the_protocol_exports_them(void)
{
    struct record_op op = at(11, 12);
    uint64_t txn;

    record_close(record);
    open_record(true, true);
    txn = record_begin(record, 0, 10);
    op.snapshot = (struct stamp){ 24, 3, 0 };
    record_read(record, txn, &op, key("1"), false, TEXT(""));
    record_read_only(record, txn, (struct stamp){ 0 }, false, (struct stamp){ 25, 0, 0 });
    record_end(record, txn, TXN_OK, 40);
    txn = record_begin(record, 0, 50);
    op = at(51, 52);
    record_write(record, txn, &op, key("1"), item(1));
    decide(txn, 60);
    record_end(record, txn, TXN_OK, 70);
    assert_history(HEADER("")
        "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[10,40],\"ops\":["
        "{\"r\":\"1\",\"v\":null,\"at\":[11,12],\"snapshot\":[24,3]}],\"snapshot\":25}\n"
        "{\"txn\":2,\"session\":0,\"status\":\"ok\",\"at\":[50,70],\"ops\":["
        "{\"w\":\"1\",\"v\":1,\"at\":[51,52]}],\"ts\":[60,0,2],\"snapshot\":55}\n"
        "{\"version-order\":{\"1\":[2]}}\n");
}

static void sets_name_the_versions_that_were_seen(void)
{
    struct seen_key seen[] = { { .key = key("1"), .writer = 1 },
                               { .key = key("2") },
                               { .key = key("1"), .writer = 99 } };
    struct record_op op = at(11, 12);
    uint64_t txn = record_begin(record, 0, 10);

    record_write(record, txn, &op, key("1"), item(1));
    decide(txn, 5);
    record_end(record, txn, TXN_OK, 12);
    txn = record_begin(record, 1, 20);
    op = at(21, 22);
    op.has_set = true;
    op.set = seen;
    op.set_count = 2;
    record_read(record, txn, &op, key("1"), true, item(1));
    op.set = seen + 2; /* nobody in the history */
    op.set_count = 1;
    record_read(record, txn, &op, key("1"), true, item(1));
    record_end(record, txn, TXN_OK, 23);
    assert_history(HEADER("")
        "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[10,12],\"ops\":["
        "{\"w\":\"1\",\"v\":1,\"at\":[11,12]}],\"ts\":[5,0,1]}\n"
        "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[20,23],\"ops\":["
        "{\"r\":\"1\",\"v\":1,\"at\":[21,22],\"set\":{\"1\":1,\"2\":null}},"
        "{\"r\":\"1\",\"v\":1,\"at\":[21,22],\"set\":{}}]}\n"
        "{\"version-order\":{\"1\":[1]}}\n");
}

static void probes_are_in_no_history_and_what_is_open_is_unknown(void)
{
    struct record_op op = at(11, 12);
    uint64_t probe = record_begin(record, 0, 10), open = record_begin(record, 1, 20);

    record_forget(record, probe);
    record_write(record, probe, &op, key("probe/1"), item(1));
    op = at(21, 22);
    record_write(record, open, &op, key("1"), item(1));
    decide(probe, 7);
    record_end(record, probe, TXN_OK, 12);
    assert_history(HEADER("")
        "{\"txn\":2,\"session\":1,\"status\":\"unknown\",\"at\":[20,null],\"ops\":["
        "{\"w\":\"1\",\"v\":1,\"at\":[21,22]}]}\n"
        "{\"version-order\":{\"1\":[]}}\n");
    TEST_ASSERT_EQUAL(0, record_counts(record).committed);
}

static void the_first_decision_counts_and_another_is_a_contradiction(void)
{
    uint64_t txn = record_begin(record, 0, 10);
    struct stamp place;

    TEST_ASSERT_FALSE(record_place(record, txn, &place));
    decide(txn, 30);
    decide(txn, 30);
    TEST_ASSERT_EQUAL(0, record_contradictions(record));
    decide(txn, 31);
    TEST_ASSERT_EQUAL(1, record_contradictions(record));
    TEST_ASSERT_TRUE(record_place(record, txn, &place));
    TEST_ASSERT_EQUAL(30, place.wall_ns);
}

/* A transaction that writes if it is asked to, and ends as its client was told. */
static uint64_t ended(bool writes, enum txn_status told)
{
    struct record_op op = at(11, 12);
    uint64_t txn = record_begin(record, 0, 10);

    if (writes)
        record_remove(record, txn, &op, key("1"));
    record_end(record, txn, told, 13);
    return txn;
}

static void a_commit_that_was_never_decided_is_a_false_word(void)
{
    uint64_t writer = ended(true, TXN_OK), reader = ended(false, TXN_OK);

    TEST_ASSERT_EQUAL(FALSE_UNDECIDED, record_false_word(record, writer));
    TEST_ASSERT_EQUAL(FALSE_UNDECIDED, record_false_word(record, reader));
    record_applied(record, writer); /* not where it is decided */
    TEST_ASSERT_EQUAL(FALSE_UNDECIDED, record_false_word(record, writer));
    decide(writer, 30);
    record_read_only(record, reader, (struct stamp){ 0 }, false, (struct stamp){ 25, 0, 0 });
    TEST_ASSERT_EQUAL(FALSE_NOTHING, record_false_word(record, writer));
    TEST_ASSERT_EQUAL(FALSE_NOTHING, record_false_word(record, reader));
    TEST_ASSERT_EQUAL(2, record_txn_count(record));
}

static void a_writer_that_is_committed_as_a_reader_has_lost_its_writes(void)
{
    uint64_t txn = ended(true, TXN_OK);

    record_read_only(record, txn, (struct stamp){ 0 }, false, (struct stamp){ 25, 0, 0 });
    TEST_ASSERT_EQUAL(FALSE_READ_ONLY, record_false_word(record, txn));
}

static void an_abort_whose_writes_are_applied_is_a_false_word(void)
{
    uint64_t applied = ended(true, TXN_ABORT), aborted = ended(true, TXN_ABORT);
    uint64_t unknown = ended(true, TXN_UNKNOWN), open = record_begin(record, 0, 20);

    record_applied(record, applied);
    record_applied(record, unknown);
    record_applied(record, open);
    TEST_ASSERT_EQUAL(FALSE_ABORT, record_false_word(record, applied));
    TEST_ASSERT_EQUAL(FALSE_NOTHING, record_false_word(record, aborted));
    TEST_ASSERT_EQUAL(FALSE_NOTHING, record_false_word(record, unknown));
    TEST_ASSERT_EQUAL(FALSE_NOTHING, record_false_word(record, open));
}

static void a_record_that_keeps_nothing_still_counts(void)
{
    struct record_op op = at(11, 12);
    uint64_t txn;

    record_close(record);
    open_record(false, false);
    txn = record_begin(record, 0, 10);
    record_write(record, txn, &op, key("1"), item(1));
    record_end(record, txn, TXN_OK, 20);
    TEST_ASSERT_EQUAL(1, record_counts(record).committed);
}

/* --- As the oracle sees it -------------------------------------------------------------------- */

/* A counter read and written by two; the second sees the first one's write, or, wrongly, not. */
static enum oracle_answer judge_two(bool sees_the_first, bool use_certificate)
{
    struct oracle_options options = { .use_certificate = use_certificate };
    struct record_op op = at(11, 12);
    uint64_t one = record_begin(record, 0, 10), two;

    record_initial(record, key("1"), item(0));
    record_read(record, one, &op, key("1"), true, item(0));
    record_write(record, one, &op, key("1"), item(1));
    decide(one, 20);
    record_end(record, one, TXN_OK, 30);
    two = record_begin(record, 1, 40);
    op = at(41, 42);
    record_read(record, two, &op, key("1"), true, item(sees_the_first));
    record_write(record, two, &op, key("1"), item(2));
    decide(two, 50);
    record_end(record, two, TXN_OK, 60);
    ASSERT_OK(record_history_finish(record, &history, &err), &err);
    return oracle_decide(&history, LEVEL_SERIALIZABLE, options);
}

static void the_oracle_accepts_what_is_right(void)
{
    TEST_ASSERT_EQUAL(ORACLE_HOLDS, judge_two(true, true));
}

static void the_oracle_refuses_what_is_wrong(void)
{
    TEST_ASSERT_EQUAL(ORACLE_VIOLATED, judge_two(false, false));
}

static void the_oracle_refuses_what_the_certificate_belies(void)
{
    TEST_ASSERT_EQUAL(ORACLE_VIOLATED, judge_two(false, true));
}

static void an_array_with_a_null_is_refused_at_the_end(void)
{
    static const int64_t elements[] = { 3, 0 };
    static const uint64_t nulls[] = { 2 };
    struct datum cells[] = { datum_of_int64(9), { .kind = DATUM_ARRAY, .length = 2 } };
    struct record_op op = at(11, 12);
    uint64_t txn = record_begin(record, 0, 10);

    cells[1].as.array.at = elements;
    cells[1].as.array.nulls = nulls;
    record_write(record, txn, &op, key("9"), row_of(cells, 2));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, record_history_finish(record, &history, &err));
    TEST_ASSERT_EQUAL_STRING("histories have no form for an array with a null in it", err.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(items_and_lists_stand_alone);
    RUN_TEST(rows_are_whole_and_a_row_that_comes_twice_is_told_once);
    RUN_TEST(version_orders_are_of_those_who_committed_by_their_places);
    RUN_TEST(snapshots_stand_where_the_protocol_exports_them);
    RUN_TEST(sets_name_the_versions_that_were_seen);
    RUN_TEST(probes_are_in_no_history_and_what_is_open_is_unknown);
    RUN_TEST(the_first_decision_counts_and_another_is_a_contradiction);
    RUN_TEST(a_commit_that_was_never_decided_is_a_false_word);
    RUN_TEST(a_writer_that_is_committed_as_a_reader_has_lost_its_writes);
    RUN_TEST(an_abort_whose_writes_are_applied_is_a_false_word);
    RUN_TEST(a_record_that_keeps_nothing_still_counts);
    RUN_TEST(the_oracle_accepts_what_is_right);
    RUN_TEST(the_oracle_refuses_what_is_wrong);
    RUN_TEST(the_oracle_refuses_what_the_certificate_belies);
    RUN_TEST(an_array_with_a_null_is_refused_at_the_end);
    return UNITY_END();
}
