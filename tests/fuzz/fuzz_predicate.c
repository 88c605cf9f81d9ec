/*
 * fuzz_predicate: any bytes as the predicate of a table with every type. It is
 * refused with a reason, or it means the same with its numbers cut out and
 * without, and once it is printed and read again.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "programs/machine/predicates.h"

#define ROW_COUNT_OF_T 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const lines =
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"a\":\"int\",\"z\":"
    "\"smallint\",\"m\":\"numeric(8,2)\",\"s\":\"varchar(4)\",\"f\":\"boolean\",\"w\":"
    "\"timestamp\","
    "\"l\":\"bigint[]\",\"Order\":\"bigint\",\"c\":\"char(3)\"},\"key\":[\"id\"]}}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"insert\":\"t\",\"rows\":{"
    "\"1\":{\"id\":1,\"a\":10,\"z\":1,\"m\":\"12.30\",\"s\":\"ab\",\"f\":true,\"w\":1000000000,"
    "\"l\":[1,2],\"Order\":7,\"c\":\"x\"},"
    "\"2\":{\"id\":2,\"a\":0,\"z\":-1,\"m\":\"-0.50\",\"s\":\"\",\"f\":false,\"w\":0,"
    "\"l\":[],\"Order\":8,\"c\":null},"
    "\"3\":{\"id\":3,\"a\":null,\"z\":null,\"m\":null,\"s\":null,\"f\":null,\"w\":null,"
    "\"l\":null,\"Order\":null,\"c\":null},"
    "\"4\":{\"id\":4,\"a\":-2147483648,\"z\":99999,\"m\":\"1\",\"s\":\"it's\",\"f\":true,"
    "\"w\":-1000000000,\"l\":[5],\"Order\":-9223372036854775808,\"c\":null}}}]}\n";

struct asked {
    struct predicates *set;
    enum status status;
    struct error err;
    struct buffer printed;
    enum predicate_answer answers[ROW_COUNT_OF_T];
};

static void must(enum status status)
{
    assert(status == STATUS_OK);
}

static void ask(struct asked *asked, const struct history *history, unsigned flags,
                struct text text)
{
    struct predicate_scratch scratch;
    uint32_t number;

    *asked = (struct asked){ .status = STATUS_OK };
    must(predicates_open(&asked->set, history, flags, &asked->err));
    must(predicate_scratch_init(&scratch, &asked->err));
    asked->status = predicates_add(asked->set, 0, text, &number, &asked->err);
    assert(asked->status == STATUS_OK || asked->err.text[0]);
    for (uint32_t row = 0; asked->status == STATUS_OK && row < ROW_COUNT_OF_T; row++)
        asked->answers[row] =
            predicates_match(asked->set, number, history_value(history, row + 1), &scratch);
    if (asked->status == STATUS_OK)
        predicates_print(asked->set, number, &asked->printed);
    predicate_scratch_close(&scratch);
    predicates_close(asked->set);
}

static void compare(const struct asked *a, const struct asked *b)
{
    assert(a->status == b->status && strcmp(a->err.text, b->err.text) == 0);
    assert(memcmp(a->answers, b->answers, sizeof a->answers) == 0);
    assert(text_equal((struct text){ a->printed.at, a->printed.count },
                      (struct text){ b->printed.at, b->printed.count }));
}

/* What is too large or too deep once all its parentheses are written may be refused. */
static void read_back(const struct asked *asked, const struct history *history)
{
    struct asked again;

    ask(&again, history, 0, (struct text){ asked->printed.at, asked->printed.count });
    if (again.status != STATUS_OVER_LIMIT)
        compare(asked, &again);
    buffer_close(&again.printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text text = { (const char *)data, size };
    struct history history = { 0 };
    struct error err = { 0 };
    struct asked cut, whole;
    struct source source;

    must(source_open_memory(&source, "fuzz", lines, strlen(lines), &err));
    must(jsonl_read(&source, 0, &history, &err));
    source_close(&source);
    ask(&cut, &history, 0, text);
    ask(&whole, &history, PREDICATES_WHOLE, text);
    compare(&cut, &whole);
    if (cut.status == STATUS_OK)
        read_back(&cut, &history);
    buffer_close(&cut.printed);
    buffer_close(&whole.printed);
    history_close(&history);
    return 0;
}
