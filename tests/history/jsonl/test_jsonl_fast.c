/*
 * The fast path against the general parser, over random histories as programs
 * write them, as people write them, and damaged.
 */
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "history/binary/oh.h"
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
static struct buffer text, written, spare;
static struct error err;

static struct {
    bool is_careless;          /* blanks, and whatever only the general parser reads */
    bool makes_mistakes;       /* and what no parser takes */
    bool has_tables;
    int64_t time;
    struct written_key {       /* one for each transaction that writes the key */
        char key[48];
        int64_t txn;
    } writes[64];
    size_t write_count;
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
    buffer_close(&spare);
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

#define TXN_TIME 20000000000 /* more than its operations take */

static void put_times(int64_t length)
{
    put(",\"at\":[");
    made.time += (int64_t)random_below(&dice, 1000000000);
    buffer_int64(&text, made.time);
    put(",");
    if (chance(10))
        put("null");
    else
        buffer_int64(&text, made.time + length + (int64_t)random_below(&dice, 1000));
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

    switch (random_below(&dice, made.is_careless ? 8 : 7)) {
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
    case 7:
        put("{\"a\":1,\"b\":[2]}");
        break;
    default:
        put_number();
    }
}

static void note_write(const char *key, int64_t txn)
{
    struct written_key *last = &made.writes[made.write_count];

    for (size_t i = 0; i < made.write_count; i++)
        if (strcmp(made.writes[i].key, key) == 0 && made.writes[i].txn == txn)
            return;
    if (made.write_count < ROW_COUNT(made.writes) - 1 && strlen(key) < sizeof last->key) {
        strcpy(last->key, key);
        last->txn = txn;
        made.write_count++;
    }
}

/* A mistake, not often. */
static bool slip(void)
{
    return made.makes_mistakes && chance(40);
}

/* A column's value, or another kind of it. */
static void put_cell(const char *name, const char *value)
{
    static const char *const others[] = { "true", "\"12.30\"", "[1]", "1", "\"x\"", "{}" };

    buffer_text(&text, text_of(name));
    text.at[text.count - 3] ^= slip(); /* another name */
    put(!slip() ? value : chance(2) ? "null" : others[random_below(&dice, ROW_COUNT(others))]);
    if (slip())
        put(name);
}

static const char *one_of(const char *const *texts, size_t count)
{
    return texts[random_below(&dice, count)];
}

#define ONE_OF(texts) one_of(texts, ROW_COUNT(texts))

static const char *draw_integer(char *number)
{
    buffer_clear(&spare);
    buffer_int64(&spare, (int64_t)(chance(20) ? random_next(&dice) : random_below(&dice, 9)));
    memcpy(number, spare.at, spare.count);
    number[spare.count] = 0;
    return number;
}

/* Tables as JSON writes them: names with and without escapes, keys of one column and of two. */
#define TABLE_COUNT 3
static const char *const table_names[TABLE_COUNT] = { "\"t\"", "\"two words\"", "\"a/\\\"b\"" };
static const char *const table_keys[TABLE_COUNT] = { "t/", "two words/", "a%2F\\\"b/" };
#define TABLES                                                                                     \
    "\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},\"key\":[\"id\"]},"       \
    "\"two words\":{\"columns\":{\"a\":\"text\",\"n\":\"numeric(4,2)\",\"is\":\"boolean\","        \
    "\"a long name indeed\":\"bigint[]\",\"m\":\"numeric\",\"sixteen with it\":\"varchar(9)\"},"   \
    "\"key\":[\"n\",\"a\"]},"                                                                      \
    "\"a/\\\"b\":{\"columns\":{\"\\n\":\"int\",\"on\":\"boolean\"},\"key\":[\"on\"]}},"

/* The key and the row of some row, without their table; keys rise with `place`, up to 8. */
struct drawn_row {
    char key[64], row[256];
};

static void draw_row_of_t(struct drawn_row *row, uint64_t place)
{
    char v[24];
    struct buffer saved = text;

    text = (struct buffer){ 0 };
    snprintf(row->key, sizeof row->key, "%d", (int)place * (place && chance(30) ? -1 : 1));
    put_cell("{\"id\":", row->key);
    put_cell(",\"v\":", chance(8) ? "null" : draw_integer(v));
    put("}");
    snprintf(row->row, sizeof row->row, "%.*s", (int)text.count, text.at);
    buffer_close(&text);
    text = saved;
}

static void draw_row_of_words(struct drawn_row *row, uint64_t place)
{
    static const char *const numbers[] = { "-0.5", "0", "1", "1.0", "2.25", "3", "41", "7.0", "9" };
    static const char *const names[] = { "\"ab\"", "\"x/y\"", "\"5%\"", "\"\xc3\xa9\"", "\"\"",
                                         "\"a\\\"b\"" };
    static const char *const spelled[] = { "ab", "x%2Fy", "5%25", "\xc3\xa9", "", "a\\\"b" };
    static const char *const lists[] = { "[]", "[1]", "[-7,123456789012]", "null" };
    static const char *const texts[] = { "\"some text that is rather long\"", "\"\"", "\"\\\\\"",
                                         "null" };
    size_t name = (size_t)random_below(&dice, ROW_COUNT(names));
    char number[16];
    struct buffer saved = text;

    text = (struct buffer){ 0 };
    snprintf(number, sizeof number, "\"%s\"", numbers[place]);
    snprintf(row->key, sizeof row->key, "%s/%s", numbers[place], spelled[name]);
    put_cell("{\"a\":", names[name]);
    put_cell(",\"n\":", number);
    put_cell(",\"is\":", chance(3) ? "null" : chance(2) ? "true" : "false");
    put_cell(",\"a long name indeed\":", ONE_OF(lists));
    put_cell(",\"m\":", chance(3) ? "null" : number);
    put_cell(",\"sixteen with it\":", ONE_OF(texts));
    put("}");
    snprintf(row->row, sizeof row->row, "%.*s", (int)text.count, text.at);
    buffer_close(&text);
    text = saved;
}

static void draw_row_of_ab(struct drawn_row *row, uint64_t place)
{
    char number[24];

    snprintf(row->key, sizeof row->key, place ? "true" : "false");
    snprintf(row->row, sizeof row->row, "{\"\\n\":%s,\"on\":%s}", draw_integer(number), row->key);
}

static void draw_row(struct drawn_row *row, size_t table, uint64_t place)
{
    if (table == 0)
        draw_row_of_t(row, place);
    else if (table == 1)
        draw_row_of_words(row, place);
    else
        draw_row_of_ab(row, place);
    if (slip())
        strcpy(row->key, chance(2) ? "1" : "no key");
}

static uint64_t place_count(size_t table)
{
    return table == 2 ? 2 : 9;
}

static void put_version_of(size_t write)
{
    buffer_print(&text, chance(3) ? "[%lld,1]" : "%lld", (long long)made.writes[write].txn);
}

/* Of at most two keys, one of which nobody writes. */
static void put_set(void)
{
    bool has_write = made.write_count > 0 && chance(2), has_other = chance(2);

    put(",\"set\":{");
    if (has_write) {
        size_t write = (size_t)random_below(&dice, made.write_count);
        buffer_print(&text, "\"%s\":", made.writes[write].key);
        put_version_of(write);
    }
    if (has_other)
        put(has_write ? ",\"idle\":null" : "\"idle\":null");
    put("}");
}

/* What any operation may have behind what it is; whether it was refused. */
static bool put_rest(bool may_lock)
{
    bool is_refused = made.is_careless && chance(20);

    if (may_lock && chance(10))
        put(chance(2) ? ",\"lock\":\"share\"" : ",\"lock\":\"update\"");
    if (!chance(3))
        put_times(0);
    if (chance(10))
        put_place(",\"snapshot\":");
    if (chance(10))
        put_set();
    if (is_refused)
        put(",\"error\":\"no\"");
    put("}");
    return is_refused;
}

static void put_item(int64_t txn, bool may_order)
{
    static const char *const kinds[] = { "r", "w", "append", "d" };
    uint64_t kind = random_below(&dice, 4), key = random_below(&dice, KEY_COUNT);

    if (made.has_tables && strcmp(keys[key], "t/7") == 0 && !slip())
        key = 0;
    put("{");
    buffer_print(&text, "\"%s\":\"%s\"", kinds[kind], keys[key]);
    if (kind == 2 && !slip()) {
        put(",\"v\":");
        put_number();
    } else if (slip() || (kind != 3 && (kind == 1 ? !slip() : !chance(10)))) {
        put(",\"v\":");
        put_value();
    }
    if (!put_rest(kind == 0) && kind != 0 && may_order)
        note_write(keys[key], txn);
}

/* A read, write or delete of a row by its whole key. */
static void put_row_item(int64_t txn, bool may_order)
{
    static const char *const kinds[] = { "r", "w", "d" };
    uint64_t kind = random_below(&dice, 3);
    size_t table = (size_t)random_below(&dice, TABLE_COUNT);
    struct drawn_row row;
    char key[128];

    draw_row(&row, table, random_below(&dice, place_count(table)));
    snprintf(key, sizeof key, "%s%s", table_keys[table], row.key);
    buffer_print(&text, "{\"%s\":\"%s\"", kinds[kind], key);
    if (kind == 1 || (kind == 0 && !chance(10))) {
        put(",\"v\":");
        put(chance(8) ? "null" : row.row);
    }
    if (!put_rest(kind == 0) && kind != 0 && may_order)
        note_write(key, txn);
}

enum statement_name { SELECT, INSERT, UPDATE, DELETE };

/* Rows with rising keys; in an order, any, and as pairs. Notes in `written` what they write. */
static void put_rows(size_t table, enum statement_name name, bool is_ordered,
                     struct buffer *written_keys)
{
    uint64_t place = random_below(&dice, place_count(table));
    bool is_first = true;

    put(is_ordered ? ",\"rows\":[" : ",\"rows\":{");
    while (place < place_count(table)) {
        struct drawn_row row;
        draw_row(&row, table, place);
        put(is_first ? "" : ",");
        buffer_print(&text, is_ordered ? "[\"%s\"," : "\"%s\":", row.key);
        put(name == DELETE ? "null" : row.row);
        put(is_ordered ? "]" : "");
        buffer_print(written_keys, "%s%s\n", table_keys[table], row.key);
        is_first = false;
        if (is_ordered)
            place = random_below(&dice, place_count(table) + 4);
        else if (!slip())
            place += 1 + random_below(&dice, 3);
    }
    put(is_ordered ? "]" : "}");
}

static void put_aggregates(void)
{
    static const char *const names[] = { "min(v)", "max(v)", "count(*)" };
    static const char *const values[] = { "3", "null", "\"12.30\"", "[1,2]", "true", "-9" };
    size_t count = (size_t)random_below(&dice, ROW_COUNT(names) + 1);

    put(",\"values\":{");
    for (size_t i = 0; i < count; i++) {
        buffer_print(&text, "%s\"%s\":", i ? "," : "", slip() ? names[0] : names[i]);
        put(ONE_OF(values));
    }
    put("}");
}

static void note_lines(const struct buffer *lines, int64_t txn)
{
    for (size_t from = 0, to; from < lines->count; from = to + 1) {
        char key[128];
        for (to = from; lines->at[to] != '\n'; to++)
            ;
        snprintf(key, sizeof key, "%.*s", (int)(to - from), lines->at + from);
        note_write(key, txn);
    }
}

static void put_statement(int64_t txn, bool may_order)
{
    static const char *const names[] = { "select", "insert", "update", "delete" };
    static const char *const predicates[] = { "v >= 10 AND v <= 20", "id = 7", "", "a = 'x'",
                                              "a = \\\"b\\\"", "n > 0\xc3\xa9" };
    enum statement_name name = (enum statement_name)random_below(&dice, 4);
    size_t table = (size_t)random_below(&dice, TABLE_COUNT);
    bool has_order = name == SELECT && chance(4), has_limit = name == SELECT && chance(4);
    struct buffer written_keys = { 0 };

    buffer_print(&text, "{\"%s\":", names[name]);
    put(slip() ? "\"tt\"" : table_names[table]);
    if (name != INSERT && !chance(4))
        buffer_print(&text, ",\"where\":\"%s\"", ONE_OF(predicates));
    if (has_order)
        put(",\"order\":\"v desc\"");
    if (has_limit && slip()) {
        put(",\"limit\":-1");
        has_limit = false;
    } else if (has_limit) {
        put(",\"limit\":2");
    }
    if (name == SELECT && chance(4))
        put_aggregates();
    else if (!chance(10))
        put_rows(table, name, slip() ? chance(2) : has_order || has_limit, &written_keys);
    if (!put_rest(name == SELECT) && name != SELECT && may_order)
        note_lines(&written_keys, txn);
    buffer_close(&written_keys);
}

static void put_op(int64_t txn, bool may_order)
{
    if (made.has_tables && chance(2))
        put_statement(txn, may_order);
    else if (made.has_tables && chance(2))
        put_row_item(txn, may_order);
    else
        put_item(txn, may_order);
}

static void put_txn(int64_t txn)
{
    static const char *const statuses[] = { "ok", "ok", "abort", "unknown" };
    uint64_t status = random_below(&dice, ROW_COUNT(statuses)), count = random_below(&dice, 6);

    put("{\"txn\":");
    buffer_print(&text, "%lld,\"session\":%d,\"status\":\"%s\"", (long long)txn,
                 (int)random_below(&dice, 3), statuses[status]);
    if (chance(2))
        put_times(TXN_TIME);
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

/* Of the key of this write, unless an earlier one has had it; forwards or back. */
static void put_order(size_t write)
{
    const char *key = made.writes[write].key;
    bool is_first = true, is_back;

    for (size_t i = 0; i < write; i++)
        if (strcmp(made.writes[i].key, key) == 0)
            return;
    buffer_print(&text, "{\"version-order\":{\"%s\":[", key);
    is_back = chance(2);
    for (size_t n = 0, count = made.write_count - write; n < count; n++) {
        size_t i = is_back ? made.write_count - 1 - n : write + n;
        if (strcmp(made.writes[i].key, key) != 0)
            continue;
        put(is_first ? "" : ",");
        buffer_int64(&text, made.writes[i].txn);
        put(slip() ? ".5" : "");
        is_first = false;
    }
    buffer_text(&text, TEXT("]}}\n"));
}

static void make_history(bool is_careless, bool makes_mistakes)
{
    uint64_t count = random_below(&dice, TXN_COUNT_MAX + 1);
    int64_t txn = random_between(&dice, -3, 1000);

    buffer_clear(&text);
    made.is_careless = is_careless;
    made.makes_mistakes = makes_mistakes;
    made.has_tables = chance(2);
    made.time = 0;
    made.write_count = 0;
    buffer_text(&text, TEXT("{\"ordeal-history\":1,"));
    if (made.has_tables)
        buffer_text(&text, TEXT(TABLES));
    buffer_text(&text, TEXT("\"initial\":{\"x\":0}}\n"));
    for (uint64_t i = 0; i < count; i++) {
        put_txn(txn);
        txn += 1 + (int64_t)random_below(&dice, 3);
    }
    for (size_t write = 0; write < made.write_count; write++)
        put_order(write);
}

/* Puts in, takes out or changes a few bytes. */
static void damage(void)
{
    static const char bytes[] = "{}[]\",:.0123456789-\\ \n\tabcdrwtsvn\x80\xc3";
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
    for (size_t i = 0; i < fixture_rounds(600); i++) {
        make_history(false, false);
        TEST_ASSERT_TRUE_MESSAGE(compare(), text.at);
    }
}

static void both_read_what_people_write(void)
{
    for (size_t i = 0; i < fixture_rounds(600); i++) {
        make_history(true, false);
        TEST_ASSERT_TRUE_MESSAGE(compare(), text.at);
    }
}

static void both_refuse_the_same_damage_with_the_same_words(void)
{
    size_t rounds = fixture_rounds(4000), refused = 0;

    for (size_t i = 0; i < rounds; i++) {
        make_history(chance(4), false);
        damage();
        refused += !compare();
    }
    /* Neither all nor nothing: otherwise this would compare little. */
    TEST_ASSERT_TRUE(refused > rounds / 4);
    TEST_ASSERT_TRUE(rounds - refused > rounds / 20);
}

static void both_refuse_the_same_mistakes_with_the_same_words(void)
{
    size_t rounds = fixture_rounds(2000), refused = 0;

    for (size_t i = 0; i < rounds; i++) {
        make_history(chance(4), true);
        refused += !compare();
    }
    TEST_ASSERT_TRUE(refused > rounds / 10);
    TEST_ASSERT_TRUE(rounds - refused > rounds / 10);
}

static void what_was_written_once_is_written_the_same_again(void)
{
    for (size_t i = 0; i < fixture_rounds(300); i++) {
        struct buffer once;

        make_history(true, false);
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
    RUN_TEST(both_refuse_the_same_mistakes_with_the_same_words);
    RUN_TEST(what_was_written_once_is_written_the_same_again);
    return UNITY_END();
}
