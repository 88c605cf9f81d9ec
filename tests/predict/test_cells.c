#include "predict/cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "history/format.h"
#include "predict/prediction.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static struct history rows, cells;
static struct buffer text;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    history_close(&rows);
    history_close(&cells);
    buffer_close(&text);
}

static struct dataflow is_encoded_as(const char *trace, const char *notation)
{
    struct dataflow d;

    notation_read(notation, &rows);
    ASSERT_OK(dataflow_of_cells(&d, &rows, &cells, fixture_arena(), &err), &err);
    fixture_print_dataflow(&d, &text);
    TEST_ASSERT_EQUAL_STRING(trace, text.at);
    return d;
}

static void who_inserts_a_row_writes_that_it_is_there_and_all_its_cells(void)
{
    is_encoded_as("T1: w Set(t:7), w t/7.id, w t/7.v | T2: r Set(t:7) T1, r t/7.id T1, r t/7.v T1",
                  "T1: ins {7=12}; T2: sel * {7=12} from t/7 T1");
}

static void who_updates_a_row_writes_the_cells_that_change(void)
{
    is_encoded_as("T1: r t/7.v init, w t/7.v | T2: r t/7.v T1, w t/7.v",
                  "init t/7 1; T1: upd id=7 {7=2} from t/7 init; T2: upd id=7 {7=3} from t/7 T1");
}

static void who_deletes_a_row_writes_that_it_is_not_there(void)
{
    is_encoded_as("T1: r Set(t:7) init, w Set(t:7) | T2: r Set(t:7) T1",
                  "init t/7 1; T1: del id=7 {7} from t/7 init; T2: sel id=7 {} from t/7 T1");
}

static void a_cell_is_read_from_whom_wrote_it_and_not_from_whom_wrote_its_row(void)
{
    is_encoded_as(
        "T1: w Set(t:7), w t/7.id, w t/7.v | T2: r Set(t:7) T1, r t/7.id T1, r t/7.v T1, w "
        "t/7.v | T3: r Set(t:7) T1, r t/7.id T1, r t/7.v T2",
        "T1: ins {7=1}; T2: upd id=7 {7=2} from t/7 T1; T3: sel * {7=2} from t/7 T2");
}

/* A table of three columns. */
#define HEADER                                                                                     \
    "{\"ordeal-history\":1,\"tables\":{\"p\":{\"columns\":{\"id\":\"bigint\",\"a\":\"bigint\","    \
    "\"b\":"                                                                                       \
    "\"bigint\"},\"key\":[\"id\"]}},\"initial\":{\"p/1\":{\"id\":1,\"a\":0,\"b\":0}}}\n"
#define TXN(id, what, set)                                                                         \
    "{\"txn\":" id ",\"session\":" id ",\"status\":\"ok\",\"ops\":[{\"" what ",\"set\":{" set      \
    "}}]}\n"
#define ROW(a, b) "\"where\":\"id = 1\",\"rows\":{\"1\":{\"id\":1,\"a\":" a ",\"b\":" b "}}"

static void of_two_who_update_different_cells_neither_hides_the_other(void)
{
    char path[] = "/tmp/ordeal-cells-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    struct dataflow d;

    TEST_ASSERT_NOT_NULL(file);
    fputs(HEADER TXN("1", "update\":\"p\"," ROW("5", "0"), "\"p/1\":null")
              TXN("2", "update\":\"p\"," ROW("5", "7"), "\"p/1\":1")
                  TXN("3", "select\":\"p\"," ROW("5", "7"), "\"p/1\":2"),
          file);
    TEST_ASSERT_EQUAL(0, fclose(file));
    ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &rows, &err), &err);
    unlink(path);
    ASSERT_OK(dataflow_of_cells(&d, &rows, &cells, fixture_arena(), &err), &err);
    fixture_print_dataflow(&d, &text);
    TEST_ASSERT_EQUAL_STRING(
        "T1: r p/1.a init, r p/1.b init, w p/1.a | T2: r p/1.a T1, r p/1.b init, w "
        "p/1.b | T3: r p/1.a T1, r p/1.b T2",
        text.at);
}

static void rows_that_stood_in_the_way_of_a_scan_are_read(void)
{
    is_encoded_as("T1: r t/7.v init, w t/7.v | T2: r t/7.v init",
                  "init t/7 1; T1: upd id=7 {7=9} from t/7 init; T2: sel v>=5 {} from t/7 init");
}

static void the_cells_of_an_own_row_that_were_not_written_are_read_from_others(void)
{
    is_encoded_as("T1: w Set(t:7), w t/7.id, w t/7.v | T2: r Set(t:7) T1, r t/7.id T1, r t/7.v T1, "
                  "w t/7.v, r "
                  "Set(t:7) T1, r t/7.id T1",
                  "T1: ins {7=1}; T2: upd id=7 {7=2} from t/7 T1, sel id=7 {7=2} from t/7 T2");
}

static void of_a_version_that_nobody_names_an_update_writes_all_cells(void)
{
    struct dataflow d =
        is_encoded_as("T1: w Set(t:7), w t/7.id, w t/7.v", "init t/7 1; T1: upd id=7 {7=2}");

    TEST_ASSERT_EQUAL_UINT64(1, d.unjudged);
}

static void items_stay_what_they_are(void)
{
    is_encoded_as("T1: w x | T2: r x T1, w y", "T1: w x 1, w x 2; T2: r x 2, w y 1, r y 1");
}

/* Writes of rows that do not depend on each other hide no skew: it is the same in both encodings. */
static void a_skew_over_two_rows_is_predicted_from_cells_too(void)
{
    struct dataflow d;
    struct predict_options options = { .level = LEVEL_SNAPSHOT,
                                       .strategy = STRATEGY_APPROX_RELAXED };
    struct arena *arena = fixture_arena();
    struct prediction p;

    notation_read(
        "init t/1 1; init t/2 1; T1: sel v>=1 {1=1 2=1} from t/1 init t/2 init, upd id=1 "
        "{1=0} from t/1 init; T2: sel v>=1 {2=1} from t/1 T1 t/2 init, upd id=2 {2=0} from "
        "t/2 init",
        &rows);
    ASSERT_OK(dataflow_of_cells(&d, &rows, &cells, arena, &err), &err);
    ASSERT_OK(predict_native(&d, &options, arena, &p, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, p.kind);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_inserts_a_row_writes_that_it_is_there_and_all_its_cells);
    RUN_TEST(who_updates_a_row_writes_the_cells_that_change);
    RUN_TEST(who_deletes_a_row_writes_that_it_is_not_there);
    RUN_TEST(a_cell_is_read_from_whom_wrote_it_and_not_from_whom_wrote_its_row);
    RUN_TEST(of_two_who_update_different_cells_neither_hides_the_other);
    RUN_TEST(rows_that_stood_in_the_way_of_a_scan_are_read);
    RUN_TEST(the_cells_of_an_own_row_that_were_not_written_are_read_from_others);
    RUN_TEST(of_a_version_that_nobody_names_an_update_writes_all_cells);
    RUN_TEST(items_stay_what_they_are);
    RUN_TEST(a_skew_over_two_rows_is_predicted_from_cells_too);
    return UNITY_END();
}
