/*
 * The fast path against the general parser, over random histories as programs
 * write them, as people write them, and damaged.
 */
#include "history/jsonl_read.h"
#include "history/jsonl_write.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "history/oh.h"
#include "tests/fixture.h"
#include "unity.h"

#define TXN_COUNT_MAX 12
#define KEY_COUNT 12

/* Keys as JSON writes them, around each length that the fast path tells apart. */
static const char *const keys[KEY_COUNT] = {
    "x", "y", "k1234567", "k12345678", "k123456789abcde", "k123456789abcdef",
    "k123456789abcdef0", "a\\\"b", "\\u0041", "t/7", "\xc3\xa9", "",
};

static struct random dice;
static struct buffer text, written;
static struct error err;

static struct {
    bool is_careless;          /* blanks, and whatever only the general parser reads */
    bool has_tables;
    int64_t time;
    uint32_t written_key[64];  /* one entry for each transaction that wrote the key last */
    int64_t written_txn[64];
    size_t written_count;
} made;

void setUp(void)
{
    struct random_key key = random_key_of_seed(7);

    random_init(&dice, &key);
}

void tearDown(void)
{
    buffer_close(&text);
    buffer_close(&written);
}

static bool chance(uint64_t one_in)
{
    return random_below(&dice, one_in) == 0;
}

static void put(const char *bytes)
{
    buffer_text(&text, text_of(bytes));
    if (made.is_careless && chance(20))
        buffer_byte(&text, ' ');
}

/* Of every length, and often at an end of the range. */
static void put_number(void)
{
    uint64_t number = random_next(&dice) >> random_below(&dice, 64);

    if (chance(50))
        number = (uint64_t)INT64_MAX + random_below(&dice, 2);
    buffer_int64(&text, (int64_t)(chance(4) ? 0 - number : number));
}

static void put_times(void)
{
    put(",\"at\":[");
    made.time += (int64_t)random_below(&dice, 1000000000);
    buffer_int64(&text, made.time);
    put(",");
    if (chance(10))
        put("null");
    else
        buffer_int64(&text, made.time + (int64_t)random_below(&dice, 1000));
    put("]");
}

static void put_place(const char *name)
{
    uint64_t parts = 1 + random_below(&dice, 3);

    put(name);
    put(parts > 1 ? "[" : "");
    for (uint64_t i = 0; i < parts; i++) {
        put(i ? "," : "");
        put_number();
    }
    put(parts > 1 ? "]" : "");
}

static void put_value(void)
{
    uint64_t count = random_below(&dice, 4);

    switch (made.is_careless ? random_below(&dice, 8) : random_below(&dice, 4)) {
    case 0:
        put("null");
        break;
    case 1:
        put("[");
        for (uint64_t i = 0; i < count; i++) {
            put(i ? "," : "");
            put_number();
        }
        put("]");
        break;
    case 4:
        put("true");
        break;
    case 5:
        put("\"12.30\"");
        break;
    case 6:
        put("{\"a\":1,\"b\":[2]}");
        break;
    default:
        put_number();
    }
}

/* --- Rows and statements -------------------------------------------------------- */

#define TABLES_HEADER                                                                              \
    "{\"ordeal-history\":1,\"tables\":{"                                                            \
    "\"acc\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\",\"name\":\"text\"},\"key\":[\"id\"]},"      \
    "\"a-long/name\":{\"columns\":{\"who\":\"text\",\"is\":\"boolean\",\"list\":\"bigint[]\","            \
    "\"price in euros\":\"numeric(10,2)\"},\"key\":[\"who\",\"is\"]}}}\n"

/* The row number `number` of one of the tables, by its primary key. */
static void put_primary_key(bool is_other, uint64_t number)
{
    static const char *const names[] = { "", "ann", "\xc3\xa9", "b%2Fc", "a\\\"b" };

    if (is_other)
        buffer_print(&text, "%s/%s", names[number % ROW_COUNT(names)],
                     number % 2 ? "true" : "false");
    else
        buffer_print(&text, "%d", (int)number - 5);
}

static void put_string(void)
{
    static const char *const strings[] = { "\"\"", "\"b\"", "\"a\\\"b\"", "\"12.30\"", "null" };

    put(strings[random_below(&dice, ROW_COUNT(strings))]);
}

static void put_acc_row(uint64_t number)
{
    buffer_print(&text, "{\"id\":%d,\"v\":", (int)number - 5);
    if (chance(5))
        put("null");
    else
        put_number();
    put(",\"name\":");
    put_string();
    put("}");
}

static void put_other_row(uint64_t number)
{
    static const char *const names[] = { "", "ann", "\xc3\xa9", "b/c", "a\\\"b" };
    static const char *const prices[] = { "\"12.30\"", "\"-1\"", "null" };

    buffer_print(&text, "{\"who\":\"%s\",\"is\":%s,\"list\":", names[number % ROW_COUNT(names)],
                 number % 2 ? "true" : "false");
    put(chance(3) ? "[1,-2]" : chance(2) ? "[]" : "null");
    put(",\"price in euros\":");
    put(prices[random_below(&dice, ROW_COUNT(prices))]);
    put("}");
}

static void put_row(bool is_other, uint64_t number)
{
    if (is_other)
        put_other_row(number);
    else
        put_acc_row(number);
}

static void put_table(bool is_other)
{
    put(is_other ? "\"a-long/name\"" : "\"acc\"");
}

/* Different rows, a few of ten. */
static void put_rows(bool is_other, bool is_ordered, bool are_removed)
{
    uint64_t number = random_below(&dice, 10);
    bool is_first = true;

    put(is_ordered ? ",\"rows\":[" : ",\"rows\":{");
    for (; number < 10; number += 1 + random_below(&dice, 5)) {
        put(is_first ? "" : ",");
        buffer_text(&text, is_ordered ? TEXT("[\"") : TEXT("\""));
        put_primary_key(is_other, number);
        put(is_ordered ? "\"," : "\":");
        if (are_removed)
            put("null");
        else
            put_row(is_other, number);
        put(is_ordered ? "]" : "");
        is_first = false;
    }
    put(is_ordered ? "]" : "}");
}

static void put_answer(bool is_other, uint64_t kind)
{
    bool has_order = kind == 0 && chance(4), has_limit = kind == 0 && chance(4);

    if (has_order)
        put(",\"order\":\"v desc\"");
    if (has_limit)
        put(",\"limit\":3");
    if (kind == 0 && chance(4))
        put(chance(2) ? ",\"values\":{\"min(v)\":3,\"max(v)\":null}" : ",\"values\":{}");
    else if (kind > 0 || !chance(8))
        put_rows(is_other, has_order || has_limit, kind == 3);
}

static void put_version_set(void)
{
    put(",\"set\":{");
    if (chance(2))
        put("\"acc/0\":null");
    put("}");
}

static void put_statement(void)
{
    static const char *const kinds[] = { "{\"select\":", "{\"insert\":", "{\"update\":",
                                         "{\"delete\":" };
    uint64_t kind = random_below(&dice, 4);
    bool is_other = chance(3);

    put(kinds[kind]);
    put_table(is_other);
    if (kind != 1 && !chance(4))
        put(chance(2) ? ",\"where\":\"v >= 10 AND v <= 20\"" : ",\"where\":\"name = 'a\\\"b'\"");
    put_answer(is_other, kind);
    if (kind == 0 && chance(5))
        put(chance(2) ? ",\"lock\":\"update\"" : ",\"lock\":\"share\"");
    if (!chance(3))
        put_times();
    if (chance(10))
        put_place(",\"snapshot\":");
    if (chance(10))
        put_version_set();
    if (made.is_careless && chance(20))
        put(",\"error\":\"no\"");
    put("}");
}

/* A row as an item. */
static void put_row_item(void)
{
    bool is_other = chance(3), is_read = chance(2);
    uint64_t number = random_below(&dice, 10);

    buffer_print(&text, "{\"%s\":\"%s", is_read ? "r" : "w", is_other ? "a-long%2Fname/" : "acc/");
    put_primary_key(is_other, number);
    put("\",\"v\":");
    if (is_read && chance(4))
        put("null");
    else
        put_row(is_other, number);
    put("}");
}

/* --- Items and transactions ------------------------------------------------------ */

static void note_write(uint32_t key, int64_t txn)
{
    size_t n = made.written_count;

    for (size_t i = 0; i < n; i++)
        if (made.written_key[i] == key && made.written_txn[i] == txn)
            return;
    if (n < ROW_COUNT(made.written_key)) {
        made.written_key[n] = key;
        made.written_txn[n] = txn;
        made.written_count++;
    }
}

static void put_op(int64_t txn, bool may_order)
{
    static const char *const kinds[] = { "r", "w", "append", "d" };
    uint64_t kind = random_below(&dice, 4), key = random_below(&dice, KEY_COUNT);
    bool is_refused = made.is_careless && chance(20);

    put("{");
    buffer_print(&text, "\"%s\":\"%s\"", kinds[kind], keys[key]);
    if (kind == 2) {
        put(",\"v\":");
        put_number();
    } else if (kind != 3 && (kind == 1 || !chance(10))) {
        put(",\"v\":");
        put_value();
    }
    if (kind == 0 && made.is_careless && chance(10))
        put(",\"lock\":\"share\"");
    if (!chance(3))
        put_times();
    if (chance(10))
        put_place(",\"snapshot\":");
    if (is_refused)
        put(",\"error\":\"no\"");
    put("}");
    if (kind != 0 && !is_refused && may_order)
        note_write((uint32_t)key, txn);
}

static void put_txn(int64_t txn)
{
    static const char *const statuses[] = { "ok", "ok", "abort", "unknown" };
    uint64_t status = random_below(&dice, ROW_COUNT(statuses)), count = random_below(&dice, 6);

    put("{\"txn\":");
    buffer_print(&text, "%lld,\"session\":%d,\"status\":\"%s\"", (long long)txn,
                 (int)random_below(&dice, 3), statuses[status]);
    if (chance(2))
        put_times();
    put(",\"ops\":[");
    for (uint64_t i = 0; i < count; i++) {
        put(i ? "," : "");
        if (made.has_tables && chance(2))
            put_statement();
        else if (made.has_tables && chance(3))
            put_row_item();
        else
            put_op(txn, status != 2);
    }
    put("]");
    if (chance(2))
        put_place(",\"ts\":");
    if (chance(4))
        put_place(",\"snapshot\":");
    buffer_text(&text, TEXT("}\n"));
}

static void put_order(uint32_t key)
{
    bool is_begun = false;

    for (size_t i = 0; i < made.written_count; i++) {
        if (made.written_key[i] != key)
            continue;
        if (is_begun)
            buffer_byte(&text, ',');
        else
            buffer_print(&text, "{\"version-order\":{\"%s\":[", keys[key]);
        buffer_int64(&text, made.written_txn[i]);
        is_begun = true;
    }
    if (is_begun)
        buffer_text(&text, TEXT("]}}\n"));
}

static void make_history(bool is_careless)
{
    uint64_t count = random_below(&dice, TXN_COUNT_MAX + 1);
    int64_t txn = random_between(&dice, -3, 1000);

    buffer_clear(&text);
    made.is_careless = is_careless;
    made.time = 0;
    made.written_count = 0;
    made.has_tables = chance(2);
    if (made.has_tables)
        buffer_text(&text, TEXT(TABLES_HEADER));
    else
        buffer_text(&text, TEXT("{\"ordeal-history\":1,\"initial\":{\"x\":0}}\n"));
    for (uint64_t i = 0; i < count; i++) {
        put_txn(txn);
        txn += 1 + (int64_t)random_below(&dice, 3);
    }
    for (uint32_t key = 0; key < KEY_COUNT; key++)
        put_order(key);
}

/* Puts in, takes out or changes a few bytes. */
static void damage(void)
{
    static const char bytes[] = "{}[]\",:0123456789-\\ \n\tabcdrwtsvn\x80\xc3";
    uint64_t count = 1 + random_below(&dice, 3);

    for (uint64_t i = 0; i < count && text.count > 0; i++) {
        size_t at = (size_t)random_below(&dice, text.count);
        char byte = bytes[random_below(&dice, sizeof bytes)];
        switch (random_below(&dice, 4)) {
        case 0:
            memmove(text.at + at, text.at + at + 1, --text.count - at);
            break;
        case 1:
            buffer_byte(&text, 0);
            memmove(text.at + at + 1, text.at + at, text.count - 1 - at);
            text.at[at] = byte;
            break;
        case 2:
            text.count = chance(10) ? at : text.count;
            break;
        default:
            text.at[at] = byte;
        }
    }
}

static enum status read_text(unsigned flags, struct history *history, struct error *refusal)
{
    struct source source;
    enum status status;

    memset(refusal, 0, sizeof *refusal);
    ASSERT_OK(source_open_memory(&source, "memory", text.at, text.count, refusal), refusal);
    status = jsonl_read(&source, flags, history, refusal);
    source_close(&source);
    return status;
}

static void write_text(const struct history *history)
{
    struct sink sink;

    buffer_clear(&written);
    sink_open_memory(&sink, &written);
    ASSERT_OK(jsonl_write(history, &sink, NULL, &err), &err);
    sink_close(&sink);
}

static enum status keep_bytes(void *buffer, const void *bytes, size_t size, struct error *refusal)
{
    buffer_text(buffer, (struct text){ bytes, size });
    return buffer_status(buffer, refusal);
}

/* To the number of each text, list and row. */
static void expect_same_columns(const struct history *fast, const struct history *general)
{
    struct buffer a = { 0 }, b = { 0 };

    ASSERT_OK(oh_write(fast, keep_bytes, &a, &err), &err);
    ASSERT_OK(oh_write(general, keep_bytes, &b, &err), &err);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(b.count, a.count, text.at);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(b.at, a.at, a.count, text.at);
    buffer_close(&a);
    buffer_close(&b);
}

/* Reads both ways; whether it could be read. */
static bool compare(void)
{
    struct history fast, general;
    struct error fast_err, general_err;
    enum status fast_status = read_text(0, &fast, &fast_err);
    enum status general_status = read_text(JSONL_GENERAL_ONLY, &general, &general_err);

    buffer_byte(&text, 0);
    text.count--;
    TEST_ASSERT_EQUAL_INT_MESSAGE(general_status, fast_status, text.at);
    if (fast_status == STATUS_OK) {
        expect_same_columns(&fast, &general);
        ASSERT_OK(history_check(&fast, &err), &err);
        write_text(&fast);
    } else {
        TEST_ASSERT_EQUAL_STRING_MESSAGE(general_err.text, fast_err.text, text.at);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(general_err.line, fast_err.line, text.at);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(general_err.offset, fast_err.offset, text.at);
    }
    history_close(&fast);
    history_close(&general);
    return fast_status == STATUS_OK;
}

static void both_read_what_programs_write(void)
{
    for (size_t i = 0; i < fixture_rounds(1000); i++) {
        make_history(false);
        TEST_ASSERT_TRUE_MESSAGE(compare(), text.at);
    }
}

static void both_read_what_people_write(void)
{
    for (size_t i = 0; i < fixture_rounds(1000); i++) {
        make_history(true);
        TEST_ASSERT_TRUE_MESSAGE(compare(), text.at);
    }
}

static void both_refuse_the_same_damage_with_the_same_words(void)
{
    size_t rounds = fixture_rounds(6000), refused = 0;

    for (size_t i = 0; i < rounds; i++) {
        make_history(chance(4));
        damage();
        refused += !compare();
    }
    /* Neither all nor nothing: otherwise this would compare little. */
    TEST_ASSERT_TRUE(refused > rounds / 4);
    TEST_ASSERT_TRUE(rounds - refused > rounds / 20);
}

static void what_was_written_once_is_written_the_same_again(void)
{
    for (size_t i = 0; i < fixture_rounds(500); i++) {
        struct buffer once;

        make_history(true);
        TEST_ASSERT_TRUE(compare());
        once = written;
        written = (struct buffer){ 0 };
        buffer_clear(&text);
        buffer_text(&text, (struct text){ once.at, once.count });
        TEST_ASSERT_TRUE_MESSAGE(compare(), text.at);
        TEST_ASSERT_EQUAL_UINT64(once.count, written.count);
        TEST_ASSERT_EQUAL_MEMORY(once.at, written.at, once.count);
        buffer_close(&once);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(both_read_what_programs_write);
    RUN_TEST(both_read_what_people_write);
    RUN_TEST(both_refuse_the_same_damage_with_the_same_words);
    RUN_TEST(what_was_written_once_is_written_the_same_again);
    return UNITY_END();
}
