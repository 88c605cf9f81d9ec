#include "trial/scenario/toml_private.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static struct setting *root;
static struct arena *arena;

void setUp(void)
{
    arena = fixture_arena();
    memset(&err, 0, sizeof err);
    ASSERT_OK(toml_read(TEXT("name = \"x\"\n"
                             "[cluster]\n"
                             "nodes = 5\n"
                             "[network]\n"
                             "latency = \"1ms\"\n"
                             "loss = 0.001\n"
                             "[[nemesis]]\n"
                             "kind = \"crash\"\n"),
                            arena, &root, &err),
              &err);
}

void tearDown(void) {}

/* By a path such as "nemesis.0.kind". */
static const struct setting *at(const char *path)
{
    const struct setting *setting = root;

    while (setting && *path) {
        size_t length = strcspn(path, ".");
        struct text part = { path, length };
        int64_t index;

        if (setting->kind == SETTING_ARRAY) {
            TEST_ASSERT_TRUE(text_to_int64(part, &index));
            for (setting = setting->first; setting && index > 0; index--)
                setting = setting->next;
        } else {
            setting = toml_find(setting, part);
        }
        path += length + (path[length] == '.');
    }
    return setting;
}

static const char *text_at(const char *path)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(at(path), path);
    return at(path)->text.at;
}

static void set(const char *assignment)
{
    ASSERT_OK(toml_set(root, assignment, arena, &err), &err);
}

static void every_kind_of_value_is_told_apart(void)
{
    ASSERT_OK(toml_read(TEXT("a = 'x'\nb = 1_000\nc = 0.5\nd = true\ne = 1979-05-27\n"
                             "f = [1]\ng = {}\nh = 0x10\n"),
                            arena, &root, &err),
              &err);
    TEST_ASSERT_EQUAL(SETTING_STRING, at("a")->kind);
    TEST_ASSERT_EQUAL(SETTING_INTEGER, at("b")->kind);
    TEST_ASSERT_EQUAL_INT64(1000, at("b")->number);
    TEST_ASSERT_EQUAL(SETTING_DECIMAL, at("c")->kind);
    TEST_ASSERT_EQUAL_STRING("0.5", text_at("c"));
    TEST_ASSERT_EQUAL(SETTING_BOOLEAN, at("d")->kind);
    TEST_ASSERT_EQUAL(SETTING_TIME, at("e")->kind);
    TEST_ASSERT_EQUAL(SETTING_ARRAY, at("f")->kind);
    TEST_ASSERT_EQUAL(SETTING_TABLE, at("g")->kind);
    TEST_ASSERT_EQUAL_INT64(16, at("h")->number);
}

/* tomlc99 knows capital digits alone. */
static void escapes_may_have_small_hex_digits(void)
{
    ASSERT_OK(toml_read(TEXT("a = \"\\u00e9\\U0001f600\\\\u00e9\"\n"
                             "b = '\\u00e9' # \"\\u00e9\n"
                             "c = \"\"\"\n\\u00eAx\"\"\"\n\"\\u00ea\" = 1\n"),
                        arena, &root, &err),
              &err);
    TEST_ASSERT_EQUAL_STRING("\xc3\xa9\xf0\x9f\x98\x80\\u00e9", text_at("a"));
    TEST_ASSERT_EQUAL_STRING("\\u00e9", text_at("b"));
    TEST_ASSERT_EQUAL_STRING("\xc3\xaax", text_at("c"));
    TEST_ASSERT_EQUAL_INT64(1, at("\xc3\xaa")->number);
}

static void settings_stand_in_the_order_of_their_lines(void)
{
    ASSERT_OK(toml_read(TEXT("b = [1]\na = 1\n[d]\nx = {}\nw = 2\n[c]\n"), arena, &root, &err),
              &err);
    TEST_ASSERT_EQUAL_STRING("b", root->first->key.at);
    TEST_ASSERT_EQUAL_STRING("a", root->first->next->key.at);
    TEST_ASSERT_EQUAL_STRING("d", root->first->next->next->key.at);
    TEST_ASSERT_EQUAL_STRING("x", at("d")->first->key.at);
    TEST_ASSERT_EQUAL_UINT64(5, at("d.w")->line);
    TEST_ASSERT_EQUAL_STRING("c", root->last->key.at);
}

static void what_is_no_toml_is_refused_with_its_line(void)
{
    static const struct {
        const char *text, *message;
        uint64_t line;
    } rows[] = {
        { "a = 1\nb\n", "not TOML: missing =", 2 },
        { "a = 1\n\na = 2\n", "not TOML: key exists", 3 },
        { "a = 'x", "not TOML: unterminated s-quote", 1 },
        { "\na. = 1\n", "not TOML: syntax error", 2 },
        { "\na = { b = 1 c = 2 }\n", "not TOML: syntax error", 2 },
        { "a = [ 1,\n2,\n\"x\" \"y\" ]\nb = 1\n", "not TOML: syntax error", 3 },
        { "\n\na = { b = \"1\" \"2\" }\n", "not TOML: syntax error", 3 },
        { "\na = bank\n", "'bank' is no value; strings stand in quotes", 2 },
        { "a = \"x\\u0000y\"\n", "a NUL in a string", 1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        memset(&err, 0, sizeof err);
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT,
                                  toml_read(text_of(rows[i].text), arena, &root, &err),
                                  rows[i].text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].message, err.text, rows[i].text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].line, err.line, rows[i].text);
    }
}

static void a_set_value_is_toml_or_else_a_bare_string(void)
{
    set("cluster.nodes=7");
    TEST_ASSERT_EQUAL(SETTING_INTEGER, at("cluster.nodes")->kind);
    TEST_ASSERT_EQUAL_INT64(7, at("cluster.nodes")->number);
    set("name=bank of x");
    TEST_ASSERT_EQUAL(SETTING_STRING, at("name")->kind);
    TEST_ASSERT_EQUAL_STRING("bank of x", text_at("name"));
    set("name=\"7\"");
    TEST_ASSERT_EQUAL_STRING("7", text_at("name"));
    set("name=");
    TEST_ASSERT_EQUAL_STRING("", text_at("name"));
    set("name=x=y");
    TEST_ASSERT_EQUAL_STRING("x=y", text_at("name"));
    /* No more than a value can be smuggled in. */
    set("name=1\nseed = 2");
    TEST_ASSERT_EQUAL(SETTING_STRING, at("name")->kind);
    TEST_ASSERT_NULL(at("seed"));
}

static void a_set_value_may_be_a_table_or_a_list(void)
{
    set("network.latency={ median = \"2ms\", p99 = \"9ms\" }");
    TEST_ASSERT_EQUAL_STRING("9ms", text_at("network.latency.p99"));
    set("cluster.bugs=[\"a\", \"b\"]");
    TEST_ASSERT_EQUAL_STRING("b", text_at("cluster.bugs.1"));
}

/* It once took the second place, as the line that it was given is that of the first. */
static void a_table_that_is_added_is_the_last(void)
{
    ASSERT_OK(toml_read(TEXT("[[nemesis]]\nkind = \"crash\"\n"
                             "[[nemesis]]\nkind = \"clock\"\n"),
                            arena, &root, &err),
              &err);
    set("nemesis.2.kind=pause");
    TEST_ASSERT_EQUAL_STRING("clock", text_at("nemesis.1.kind"));
    TEST_ASSERT_EQUAL_STRING("pause", text_at("nemesis.2.kind"));
}

static void what_is_set_makes_its_way(void)
{
    set("network.latency.median=2ms"); /* was a string */
    TEST_ASSERT_EQUAL_STRING("2ms", text_at("network.latency.median"));
    set("workload.kind=ping"); /* was not there */
    TEST_ASSERT_EQUAL_STRING("ping", text_at("workload.kind"));
    set("nemesis.0.kind=pause");
    TEST_ASSERT_EQUAL_STRING("pause", text_at("nemesis.0.kind"));
    set("nemesis.1.kind=clock"); /* one more */
    TEST_ASSERT_EQUAL_STRING("clock", text_at("nemesis.1.kind"));
    TEST_ASSERT_EQUAL(2, at("nemesis")->count);
    set("invariant.0.query=x"); /* a list that was not there */
    TEST_ASSERT_EQUAL(SETTING_ARRAY, at("invariant")->kind);
    TEST_ASSERT_EQUAL_STRING("x", text_at("invariant.0.query"));
    TEST_ASSERT_EQUAL_STRING("0.001", text_at("network.loss")); /* is still there */
}

static void what_cannot_be_set_is_said(void)
{
    static const struct {
        const char *assignment, *message;
    } rows[] = {
        { "nodes", "--set nodes: should be key=value" },
        { "=7", "--set =7: should be key=value" },
        { "a..b=7", "--set a..b=7: not a key" },
        { "a.=7", "--set a.=7: not a key" },
        { "a b=7", "--set a b=7: not a key" },
        { "nemesis.2.kind=x",
          "--set nemesis.2.kind=x: '2' should be a number from 0 to 1, its place in a list" },
        { "nemesis.kind=x",
          "--set nemesis.kind=x: 'kind' should be a number from 0 to 1, its place in a list" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, toml_set(root, rows[i].assignment, arena, &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].message, err.text);
    }
}

static void blame_falls_on_a_line_or_on_a_flag(void)
{
    set("cluster.nodes=7");
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, toml_refuse(at("network.loss"), &err, "too much"));
    TEST_ASSERT_EQUAL_UINT64(6, err.line);
    TEST_ASSERT_EQUAL_STRING("too much", err.text);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, toml_refuse(at("cluster.nodes"), &err, "too many"));
    TEST_ASSERT_EQUAL_UINT64(0, err.line);
    TEST_ASSERT_EQUAL_STRING("--set cluster.nodes=7: too many", err.text);
}

static void too_small_an_arena_is_an_error(void)
{
    for (size_t size = 0; size < 2000; size += 16) {
        struct arena small;
        enum status status;

        ASSERT_OK(arena_init(&small, size, &err), &err);
        status = toml_read(TEXT("a = 1\n[b]\nc = [ 'x', { d = 0.5 } ]\n"), &small, &root, &err);
        TEST_ASSERT_TRUE(status == STATUS_OK || status == STATUS_OVER_LIMIT);
        arena_close(&small);
        if (status == STATUS_OK)
            return;
    }
    TEST_FAIL_MESSAGE("never enough");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_kind_of_value_is_told_apart);
    RUN_TEST(escapes_may_have_small_hex_digits);
    RUN_TEST(settings_stand_in_the_order_of_their_lines);
    RUN_TEST(what_is_no_toml_is_refused_with_its_line);
    RUN_TEST(a_set_value_is_toml_or_else_a_bare_string);
    RUN_TEST(a_set_value_may_be_a_table_or_a_list);
    RUN_TEST(what_is_set_makes_its_way);
    RUN_TEST(a_table_that_is_added_is_the_last);
    RUN_TEST(what_cannot_be_set_is_said);
    RUN_TEST(blame_falls_on_a_line_or_on_a_flag);
    RUN_TEST(too_small_an_arena_is_an_error);
    return UNITY_END();
}
