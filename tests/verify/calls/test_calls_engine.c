/*
 * The verifier's interpreter against the engine of programs: the same calls on the same file, drawn at
 * random. Answers, SQLSTATEs and in the end all tables are the same.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "programs/machine/engine.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "tests/verify/calls/interpreter.h"
#include "unity.h"

#define FOLDER "scenarios/programs"
#define TEXT_MAX (1 << 20)

static struct arena texts;
static struct engine *engine;
static struct random dice;
static struct error err;
static char file_text[TEXT_MAX];
static const char *where; /* for messages */
static int64_t least, greatest; /* of integers that are drawn */
static unsigned done, failed;

void setUp(void) {}
void tearDown(void) {}

/* --- Both sides ------------------------------------------------------------------------ */

static struct text keep(struct buffer *out)
{
    char *at = arena_push(&texts, out->count + 1, 1);

    TEST_ASSERT_NOT_NULL(at);
    if (out->count > 0)
        memcpy(at, out->at, out->count);
    buffer_close(out);
    return (struct text){ at, out->count };
}

static struct text print_datum(const struct datum *d)
{
    struct buffer out = { 0 };
    struct text text;

    if (datum_is_null(d))
        return TEXT("<NULL>");
    datum_print(d, &out);
    text.length = out.count;
    text.at = keep(&out).at;
    return text;
}

static void expect_same(struct text expected, struct text got, const char *what)
{
    char message[1000];

    snprintf(message, sizeof message, "%s: %s: the engine says %.*s, the verifier %.*s", where, what,
             TEXT_PRINT(expected), TEXT_PRINT(got));
    TEST_ASSERT_TRUE_MESSAGE(text_equal(expected, got), message);
}

static void compare_row(const struct schema_table *table, const struct datum *row, uint32_t state)
{
    struct text key[8], cell;

    for (uint16_t i = 0; i < table->key.count; i++)
        key[i] = print_datum(&row[table->key.at[i]]);
    for (uint16_t c = 0; c < table->column_count; c++) {
        TEST_ASSERT_TRUE_MESSAGE(interpreter_cell(table->name, key, c, state, &cell), where);
        expect_same(print_datum(&row[c]), cell, "a cell");
    }
    arena_reset_to(&texts, 0);
}

static void compare_tables(uint32_t state)
{
    for (uint32_t t = 0; t < fixture_program.tree.schema.table_count; t++) {
        const struct schema_table *table = &fixture_program.tree.schema.tables[t];
        const struct datum *const *rows;
        uint32_t count;

        ASSERT_OK(engine_read_table(engine, t, &rows, &count, &err), &err);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(count, interpreter_count(table->name, state), where);
        for (uint32_t i = 0; i < count; i++)
            compare_row(table, rows[i], state);
    }
}

/* --- Calls ------------------------------------------------------------------------------- */

/* A value that stands somewhere in a table, so that something is found. */
static bool draw_stored(enum type_kind kind, struct buffer *out)
{
    uint32_t t = (uint32_t)random_below(&dice, fixture_program.tree.schema.table_count);
    const struct schema_table *table = &fixture_program.tree.schema.tables[t];
    uint16_t c = (uint16_t)random_below(&dice, table->column_count);
    const struct datum *const *rows;
    uint32_t count, i;

    if (!(table->columns[c].type.kind == kind ||
          (type_is_text(table->columns[c].type.kind) && type_is_text(kind))))
        return false;
    ASSERT_OK(engine_read_table(engine, t, &rows, &count, &err), &err);
    if (count == 0)
        return false;
    i = (uint32_t)random_below(&dice, count);
    if (datum_is_null(&rows[i][c]))
        return false;
    datum_print(&rows[i][c], out);
    return true;
}

static void draw_value(enum type_kind kind, struct buffer *out)
{
    static const char *const words[] = { "customer3", "name", "", "region 2", "a longer text than many",
                                         "O'Hara", "\xc3\xa9t\xc3\xa9" };

    if (kind != TYPE_BIGINT_ARRAY && random_below(&dice, 3) == 0)
        for (unsigned i = 0; i < 10; i++)
            if (draw_stored(kind, out))
                return;
    switch (kind) {
    case TYPE_NUMERIC:
        buffer_print(out, "%d.%02d", (int)random_between(&dice, -5, 200), (int)random_below(&dice, 100));
        return;
    case TYPE_BOOLEAN:
        buffer_text(out, random_below(&dice, 2) ? TEXT("t") : TEXT("f"));
        return;
    case TYPE_TIMESTAMP:
        buffer_print(out, "2024-%02d-%02d 12:%02d:00", (int)random_between(&dice, 1, 12),
                     (int)random_between(&dice, 1, 28), (int)random_below(&dice, 60));
        return;
    case TYPE_BIGINT_ARRAY:
        buffer_byte(out, '{');
        for (unsigned i = 0, n = (unsigned)random_below(&dice, 16); i < n; i++)
            buffer_print(out, "%s%d", i ? "," : "", (int)random_between(&dice, 0, 12));
        buffer_byte(out, '}');
        return;
    case TYPE_TEXT:
    case TYPE_VARCHAR:
        buffer_text(out, text_of(words[random_below(&dice, ROW_COUNT(words))]));
        return;
    default:
        buffer_int64(out, random_below(&dice, 12) ? random_between(&dice, 0, 12)
                                                  : random_between(&dice, least, greatest));
    }
}

static struct text draw_argument(enum type_kind kind)
{
    struct buffer out = { 0 };
    struct text text = { NULL, 0 };

    if (random_below(&dice, 60) == 0)
        return text;
    draw_value(kind, &out);
    text.length = out.count;
    text.at = keep(&out).at;
    return text;
}

static enum status parse_argument(struct text text, struct type type, struct heap *heap, struct datum *d)
{
    struct sql_error error;

    *d = datum_null();
    return text.at ? datum_parse(text, type.kind, heap, d, &error) : STATUS_OK;
}

/* False: some argument is none of its type. */
static bool draw_arguments(const struct program_function *function, struct heap *heap,
                           struct text *given, struct datum *arguments)
{
    bool is_fit = true;

    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct type type = function->variables[i].type;

        given[i] = draw_argument(type.kind);
        is_fit &= parse_argument(given[i], type, heap, &arguments[i]) == STATUS_OK &&
                  !(type_is_integer(type.kind) && type.kind != TYPE_BIGINT && given[i].at &&
                    (arguments[i].as.integer > 30000 || arguments[i].as.integer < -30000));
    }
    return is_fit;
}

static void compare_call(uint32_t number, uint32_t position)
{
    const struct program_function *function = &fixture_program.tree.functions[number];
    struct engine_outcome outcome;
    struct datum arguments[32];
    struct text given[32], answer;
    enum interpreted interpreted;
    struct heap heap;

    heap_init(&heap, 1 << 20);
    if (draw_arguments(function, &heap, given, arguments)) {
        ASSERT_OK(engine_call(engine, number, arguments, &outcome, &err), &err);
        interpreted = interpreter_call(function->name, given, function->parameter_count, position, &answer);
        if (interpreted == INTERPRETED_UNKNOWN)
            TEST_FAIL_MESSAGE(answer.at);
        done += outcome.is_done;
        failed += !outcome.is_done;
        expect_same(outcome.is_done ? print_datum(&outcome.value) : text_of(outcome.sqlstate), answer,
                    outcome.is_done ? "a value" : outcome.message);
    }
    heap_close(&heap);
    arena_reset_to(&texts, 0);
}

static void read_text(FILE *file)
{
    TEST_ASSERT_NOT_NULL(file);
    file_text[fread(file_text, 1, sizeof file_text - 1, file)] = '\0';
}

static void compare_calls(const char *path, uint64_t seed, size_t calls)
{
    struct fixture_call load = fixture_call("load(1)");
    struct engine_outcome outcome;
    char message[300];

    where = path;
    ASSERT_OK(engine_call(engine, load.function, load.arguments, &outcome, &err), &err);
    TEST_ASSERT_TRUE_MESSAGE(outcome.is_done, outcome.message);
    interpreter_load("load(1)");
    compare_tables(0);
    for (size_t i = 0; i < calls; i++) {
        uint32_t number = (uint32_t)random_below(&dice, fixture_program.tree.function_count);
        struct text name = fixture_program.tree.functions[number].name;

        if (name.length >= 4 && memcmp(name.at, "load", 4) == 0)
            continue;
        snprintf(message, sizeof message, "%s, seed %llu, call %zu: %.*s", path,
                 (unsigned long long)seed, i, TEXT_PRINT(name));
        where = message;
        compare_call(number, (uint32_t)i + 1);
    }
    where = path;
    compare_tables((uint32_t)calls + 1);
}

/* The program is in `file_text`. */
static void compare_program(const char *path, uint64_t seed, size_t calls)
{
    struct random_key key = random_key_of_seed(seed);

    random_init(&dice, &key);
    fixture_load(file_text);
    ASSERT_OK(arena_init(&texts, (size_t)16 << 20, &err), &err);
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    interpreter_open(text_of(file_text));
    compare_calls(path, seed, calls);
    interpreter_close();
    engine_close(engine);
    arena_close(&texts);
    fixture_unload();
}

static void compare_file(const char *path, uint64_t seed, size_t calls)
{
    FILE *file = fopen(path, "rb");

    read_text(file);
    fclose(file);
    compare_program(path, seed, calls);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void every_program_gives_the_same_answers_errors_and_tables(void)
{
    static char names[100][256];
    DIR *folder = opendir(FOLDER);
    size_t count = 0;

    TEST_ASSERT_NOT_NULL(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) && count < ROW_COUNT(names);) {
        size_t length = strlen(entry->d_name);

        if (length > 4 && length < 200 && strcmp(entry->d_name + length - 4, ".sql") == 0)
            snprintf(names[count++], sizeof *names, FOLDER "/%.200s", entry->d_name);
    }
    closedir(folder);
    TEST_ASSERT_TRUE(count > 10);
    least = -70000, greatest = 3000000000;
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++)
        compare_file(names[i], 1 + i, fixture_rounds(1000));
    /* Neither all nor nothing goes well: else little would have been compared. */
    TEST_ASSERT_GREATER_THAN_UINT(5000, done);
    TEST_ASSERT_GREATER_THAN_UINT(1000, failed);
}

/* Those that tests/postgres/statements.sh asks PostgreSQL. */
static void drawn_statements_give_the_same_answers_errors_and_tables(void)
{
    unsigned long first = getenv("SEED") ? strtoul(getenv("SEED"), NULL, 10) : 1;
    char command[200];
    FILE *program;

    /* Small: of the conditions that could overflow it is open which are looked at. */
    least = -7, greatest = 32768;
    compare_file("tests/programs/machine/cursors.sql", first, 500);
    for (unsigned long seed = first; seed < first + fixture_rounds(4); seed++) {
        snprintf(command, sizeof command,
                 "awk -f tests/postgres/statements.awk -v count=250 -v seed=%lu", seed);
        program = popen(command, "r");
        read_text(program);
        TEST_ASSERT_EQUAL_INT(0, pclose(program));
        compare_program(command, seed, 2000);
    }
}

static void expect_match(const char *text, const char *pattern, const char *expected)
{
    struct text given[] = { text_of(text), text_of(pattern) }, answer;

    interpreter_call(TEXT("match"), given, 2, 1, &answer);
    TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(expected, answer.at, answer.length, pattern);
}

/* Each % tried all that is left of the text: with twenty of them it never ended. */
static void patterns_take_no_longer_than_their_lengths(void)
{
    static const struct {
        const char *text, *pattern, *matches;
    } rows[] = {
        { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%ab", "f" },
        { "abcabcabd", "%abc%abd", "t" },
        { "abcabcabd", "a_c%_bd", "t" },
        { "50%", "50\\%", "t" },
        { "505", "50\\%", "f" },
        { "a", "%\\", "22025" },
        { "", "\\", "f" },
        { "", "%\\", "f" },
        { "\xc3\xa9", "_", "t" },
        { "\xc3\xa9t", "%__", "t" },
        { "\xc3\xa9t", "%___", "f" },
        { "", "%%", "t" },
    };

    interpreter_open(TEXT("CREATE FUNCTION match(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$ "
                          "BEGIN RETURN a LIKE b; END; $$;"));
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_match(rows[i].text, rows[i].pattern, rows[i].matches);
    interpreter_close();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(patterns_take_no_longer_than_their_lengths);
    RUN_TEST(every_program_gives_the_same_answers_errors_and_tables);
    RUN_TEST(drawn_statements_give_the_same_answers_errors_and_tables);
    return UNITY_END();
}
