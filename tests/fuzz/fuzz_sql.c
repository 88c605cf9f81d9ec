/*
 * fuzz_sql: bytes as the choices of a program of typed statements, and of conditions over its table.
 *
 * The program is loaded and called twice, each time on tables of its own, and says the same. A condition
 * that both understand means to `verify`, whose evaluation of SQL is its own, what it means to the checkers.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "programs/machine/engine.h"
#include "programs/machine/predicates.h"
#include "tests/programs/machine/random_condition.h"
#include "tests/verify/condition_answer.h"

#define HEAP_LIMIT ((size_t)1 << 20)
#define ROWS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- Programs ---------------------------------------------------------------------------------- */

static void call(const struct program *program, uint64_t seed, struct buffer *answer)
{
    struct random_key key = random_key_of_seed(seed);
    struct datum arguments[16], row[RANDOM_COLUMNS];
    struct engine_outcome outcome;
    struct engine *engine;
    struct random random;
    struct error err = { 0 };
    struct heap heap;
    uint32_t function;
    enum status status = engine_open(&engine, program, &err);

    assert(status == STATUS_OK);
    heap_init(&heap, HEAP_LIMIT);
    random_init(&random, &key);
    for (int i = 0; i < ROWS; i++) {
        random_row(&random, row);
        if (engine_put_row(engine, 0, row, &err) != STATUS_OK)
            assert(err.text[0] != '\0'); /* the same key twice */
    }
    status = program_parse_call(program, TEXT(RANDOM_CALL), &heap, &function,
                                (struct program_arguments){ arguments, 16 }, &err);
    assert(status == STATUS_OK);
    if (engine_call(engine, function, arguments, &outcome, &err) != STATUS_OK) {
        assert(err.text[0] != '\0');
        buffer_print(answer, "%s", err.text);
    } else if (outcome.is_done) {
        datum_print(&outcome.value, answer);
    } else {
        assert(strlen(outcome.sqlstate) == 5);
        buffer_print(answer, "%u %s %s", outcome.line, outcome.sqlstate, outcome.message);
    }
    heap_close(&heap);
    engine_close(engine);
}

static void check_program(struct dice *dice)
{
    struct buffer text = { 0 }, first = { 0 }, second = { 0 };
    struct program program;
    struct error err = { 0 };
    uint64_t seed = dice_throw(dice, 200);
    bool is_same;

    random_program(dice, &text);
    if (getenv("FUZZ_SHOW"))
        printf("%.*s\n", (int)text.count, text.at);
    if (program_load(&program, (struct text){ text.at, text.count }, &err) == STATUS_OK) {
        call(&program, seed, &first);
        call(&program, seed, &second);
        program_close(&program);
        is_same = text_equal((struct text){ first.at, first.count }, (struct text){ second.at, second.count });
        if (!is_same || getenv("FUZZ_SHOW"))
            printf("%.*s\n%.*s\n", (int)first.count, first.at, (int)second.count, second.at);
        fflush(stdout);
        assert(is_same);
    } else {
        if (getenv("FUZZ_SHOW"))
            printf("%s\n", err.text);
        assert(err.text[0] != '\0');
    }
    buffer_close(&text);
    buffer_close(&first);
    buffer_close(&second);
}

/* --- Conditions ------------------------------------------------------------------------------------ */

/* The parameters of random conditions are columns here; the rows are operations 1 to 3. */
static const char *const lines =
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"a\":\"int\",\"order\":\"int\","
    "\"z\":\"smallint\",\"m\":\"numeric(8,2)\",\"any number\":\"numeric\",\"s\":\"varchar(9)\",\"it\\\"s\":\"text\","
    "\"f\":\"boolean\",\"w\":\"timestamp\",\"l\":\"bigint[]\",\"x\":\"bigint\",\"y\":\"int\",\"k\":\"smallint\","
    "\"n\":\"numeric\",\"u\":\"text\",\"v\":\"varchar\",\"g\":\"boolean\",\"d\":\"timestamp\",\"e\":\"bigint[]\","
    "\"nil\":\"int\"},\"key\":[\"id\"]}}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"insert\":\"t\",\"rows\":{"
    "\"1\":{\"id\":1,\"a\":2147483647,\"order\":-3,\"z\":-32768,\"m\":\"12.50\",\"any number\":\"0.125\","
    "\"s\":\"it's\",\"it\\\"s\":\"x\",\"f\":true,\"w\":1000000000,\"l\":[1,2],\"x\":9223372036854775807,\"y\":-3,"
    "\"k\":32767,\"n\":\"-12.50\",\"u\":\"it's\",\"v\":\"\\\\\",\"g\":true,\"d\":981259506500000000,\"e\":[3,-1],"
    "\"nil\":null},"
    "\"2\":{\"id\":2,\"a\":0,\"order\":2,\"z\":5,\"m\":\"-7.25\",\"any number\":\"100.0\",\"s\":\"\",\"it\\\"s\":\"5\","
    "\"f\":false,\"w\":946771200000000000,\"l\":[],\"x\":1,\"y\":2,\"k\":-1,\"n\":\"0.5\",\"u\":\"\",\"v\":\"a'b\","
    "\"g\":false,\"d\":0,\"e\":null,\"nil\":null},"
    "\"3\":{\"id\":3,\"a\":null,\"order\":null,\"z\":null,\"m\":null,\"any number\":null,\"s\":null,\"it\\\"s\":null,"
    "\"f\":null,\"w\":null,\"l\":null,\"x\":3,\"y\":null,\"k\":3,\"n\":null,\"u\":\"x\",\"v\":null,\"g\":null,"
    "\"d\":null,\"e\":[],\"nil\":null}}}]}\n"
    "{\"txn\":2,\"session\":0,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":";

static void compare(const struct history *history, const char *where)
{
    struct predicates *set;
    struct predicate_scratch scratch;
    struct error err = { 0 };
    uint32_t select = (uint32_t)history->statement_count - 1;
    enum status status;

    if (predicates_open(&set, history, PREDICATES_WHOLE, &err) != STATUS_OK) {
        assert(err.text[0] != '\0');
        return;
    }
    status = predicate_scratch_init(&scratch, &err);
    assert(status == STATUS_OK);
    for (uint32_t row = 1; row <= ROWS; row++) {
        struct value value = history_value(history, row);
        enum predicate_answer theirs =
            predicates_match(set, predicates_of_statement(set, select), value, &scratch);
        char ours = condition_answer(history, select, value);
        bool agree = theirs == PREDICATE_UNDECIDED || ours == '?' || (theirs == PREDICATE_YES) == (ours == 'y');

        if (!agree)
            printf("row %u: checkers %d, verify %c: %s\n", row, (int)theirs, ours, where);
        fflush(stdout);
        assert(agree);
    }
    predicate_scratch_close(&scratch);
    predicates_close(set);
}

static void check_condition(struct dice *dice)
{
    struct buffer where = { 0 }, text = { 0 };
    struct history history = { 0 };
    struct source source;
    struct error err = { 0 };

    random_condition(dice, 1 + dice_throw(dice, 4), &where);
    buffer_text(&text, text_of(lines));
    buffer_json(&text, (struct text){ where.at, where.count });
    buffer_text(&text, TEXT(",\"rows\":{}}]}\n"));
    buffer_byte(&where, '\0');
    if (source_open_memory(&source, "sql", text.at, text.count, &err) == STATUS_OK &&
        jsonl_read(&source, 0, &history, &err) == STATUS_OK) {
        compare(&history, where.at);
        history_close(&history);
    } else {
        assert(err.text[0] != '\0');
    }
    source_close(&source);
    buffer_close(&where);
    buffer_close(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dice dice;

    dice_of_bytes(&dice, data, size);
    check_program(&dice);
    check_condition(&dice);
    return 0;
}
