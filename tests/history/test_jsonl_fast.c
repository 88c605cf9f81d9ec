/*
 * The fast path against the general parser, over random histories as programs
 * write them, as people write them, and damaged.
 */
#include "history/jsonl_read.h"
#include "history/jsonl_write.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
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
        struct digest a = history_digest(&fast), b = history_digest(&general);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&b, &a, sizeof a, text.at);
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
