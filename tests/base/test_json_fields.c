#include "base/json_fields.h"

#include <string.h>

#include "base/array.h"
#include "tests/fixture.h"
#include "unity.h"

struct bag {
    uint64_t count;
    uint32_t small;
    int64_t number;
    bool is_open;
    char word[6];
    uint64_t items[4];
    uint32_t item_count;
};

static struct bag bag;
static struct buffer out;
static struct error err;

static enum status read_item(struct json *json, void *owner, struct error *why)
{
    struct bag *into = owner;

    return json_fields_count(json, &into->items[into->item_count++], why);
}

static void write_items(const void *owner, const char *name, struct json_writer *json)
{
    const struct bag *from = owner;

    for (uint32_t i = 0; i < from->item_count; i++)
        json_writer_number(json, name, from->items[i]);
}

static bool has_items(const void *owner)
{
    return ((const struct bag *)owner)->item_count > 0;
}

static const struct json_row rows[] = {
    JSON_ROW("count", JSON_COUNT, struct bag, count),
    JSON_ROW("small", JSON_COUNT32, struct bag, small),
    JSON_ROW("number", JSON_INTEGER, struct bag, number),
    JSON_ROW("open", JSON_FLAG, struct bag, is_open),
    JSON_ROW("word", JSON_WORD, struct bag, word),
    { .name = "items", .type = JSON_LIST, .read = read_item, .write = write_items,
      .is_there = has_items },
};
static const struct json_object object = { "a bag", rows, ROW_COUNT(rows) };

void setUp(void)
{
    memset(&err, 0, sizeof err);
    memset(&bag, 0, sizeof bag);
}

void tearDown(void)
{
    buffer_close(&out);
}

static enum status read(const char *line)
{
    return json_fields_read_line(text_of(line), &object, &bag, &err);
}

static const char *written(void)
{
    struct json_writer json = { .out = &out };

    buffer_clear(&out);
    json_fields_write(&json, NULL, &object, &bag);
    buffer_byte(&out, '\0');
    TEST_ASSERT_FALSE(out.out_of_memory);
    return out.at;
}

static void what_is_written_reads_back_the_same(void)
{
    static const char line[] = "{\"count\":18,\"small\":7,\"number\":-5,\"open\":1,\"word\":\"a\\\"b\","
                               "\"items\":[3,0,2]}";

    ASSERT_OK(read(line), &err);
    TEST_ASSERT_EQUAL_UINT64(18, bag.count);
    TEST_ASSERT_EQUAL_INT64(-5, bag.number);
    TEST_ASSERT_TRUE(bag.is_open);
    TEST_ASSERT_EQUAL_STRING("a\"b", bag.word);
    TEST_ASSERT_EQUAL_UINT32(3, bag.item_count);
    TEST_ASSERT_EQUAL_STRING(line, written());
}

static void members_may_be_absent_and_in_any_order(void)
{
    ASSERT_OK(read("{\"word\":\"x\",\"count\":2}"), &err);
    TEST_ASSERT_EQUAL_STRING("{\"count\":2,\"small\":0,\"number\":0,\"open\":0,\"word\":\"x\"}",
                             written());
}

static void what_does_not_fit_is_refused(void)
{
    static const struct {
        const char *line, *message;
    } refused[] = {
        { "{\"colour\":1}", "a bag has no field 'colour'" },
        { "{\"count\":1,\"count\":1}", "a bag has the field 'count' twice" },
        { "{\"count\":-1}", "a count is not below zero" },
        { "{\"small\":4294967296}", "this is too much" },
        { "{\"word\":\"sixsix\"}", "this is too long" },
        { "{\"items\":3}", "a list" },
        { "{} {}", "expected" },
        { "[]", "a bag" },
    };

    for (size_t i = 0; i < ROW_COUNT(refused); i++) {
        setUp();
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read(refused[i].line), refused[i].line);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, refused[i].message), err.text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_written_reads_back_the_same);
    RUN_TEST(members_may_be_absent_and_in_any_order);
    RUN_TEST(what_does_not_fit_is_refused);
    return UNITY_END();
}
