#include "tests/programs/machine/machine_fixture.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define TEXTS 4

struct program fixture_program;
static struct heap heap;

void fixture_load(const char *sql)
{
    struct error err = { 0 };

    ASSERT_OK(program_load(&fixture_program, text_of(sql), &err), &err);
    heap_init(&heap, (size_t)1 << 20);
}

void fixture_load_file(const char *path)
{
    struct error err = { 0 };

    ASSERT_OK(program_load_file(&fixture_program, path, &err), &err);
    heap_init(&heap, (size_t)1 << 20);
}

void fixture_unload(void)
{
    heap_close(&heap);
    program_close(&fixture_program);
}

struct fixture_call fixture_call(const char *call)
{
    struct fixture_call it;
    struct error err = { 0 };

    ASSERT_OK(program_parse_call(&fixture_program, text_of(call), &heap, &it.function,
                                 (struct program_arguments){ it.arguments, ROW_COUNT(it.arguments) }, &err),
              &err);
    return it;
}

static const char *keep(struct buffer *text)
{
    static char kept[TEXTS][4096];
    static unsigned next;
    char *to = kept[next++ % TEXTS];

    TEST_ASSERT_TRUE(text->count < sizeof kept[0]);
    if (text->count > 0)
        memcpy(to, text->at, text->count);
    to[text->count] = '\0';
    buffer_close(text);
    return to;
}

const char *fixture_text(const struct datum *d)
{
    struct buffer text = { 0 };

    if (datum_is_null(d))
        return "<NULL>";
    datum_print(d, &text);
    return keep(&text);
}

const char *fixture_filter(const struct filter *f)
{
    struct buffer text = { 0 };

    condition_print_filter(f, &fixture_program.tree.schema, &text);
    return keep(&text);
}

uint32_t fixture_table(const struct program *program, struct text name)
{
    for (uint32_t i = 0; i < program->tree.schema.table_count; i++)
        if (text_equal(program->tree.schema.tables[i].name, name))
            return i;
    return UINT32_MAX;
}
