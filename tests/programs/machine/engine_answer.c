#include "tests/programs/machine/engine_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/engine.h"

#define ARGUMENTS_MAX 64
#define LINE_MAX_BYTES 65536

static void print_datum(const struct datum *d, const char *null)
{
    struct buffer text = { 0 };

    if (datum_is_null(d)) {
        fputs(null, stdout);
        return;
    }
    datum_print(d, &text);
    if (text.count > 0)
        fwrite(text.at, 1, text.count, stdout);
    buffer_close(&text);
}

static void print_outcome(const struct program *p, uint32_t function,
                          const struct engine_outcome *outcome)
{
    bool is_void = p->tree.functions[function].result.kind == TYPE_VOID;

    if (outcome->is_done)
        print_datum(&outcome->value, is_void ? "" : "<NULL>");
    else
        printf("%s %s", outcome->sqlstate, outcome->message);
    putchar('\n');
}

static enum status answer(struct engine *engine, const struct program *p, const char *line,
                          struct heap *heap, struct error *err)
{
    struct datum arguments[ARGUMENTS_MAX];
    struct engine_outcome outcome;
    uint32_t function;

    heap_reset(heap);
    printf("%s\t", line);
    if (program_parse_call(p, text_of(line), heap, &function,
                           (struct program_arguments){ arguments, ARGUMENTS_MAX }, err) !=
        STATUS_OK) {
        printf("refused: %s\n", err->text);
        return STATUS_OK;
    }
    TRY(engine_call(engine, function, arguments, &outcome, err));
    print_outcome(p, function, &outcome);
    return STATUS_OK;
}

/* Rows without a primary key, in the order of their columns, nulls last. */
static uint32_t sorted_width;

static int compare_rows(const void *left, const void *right)
{
    const struct datum *a = *(const struct datum *const *)left, *b = *(const struct datum *const *)right;

    for (uint32_t i = 0; i < sorted_width; i++) {
        bool a_null = datum_is_null(&a[i]), b_null = datum_is_null(&b[i]);
        int order = a_null || b_null ? (int)a_null - (int)b_null : datum_compare(&a[i], &b[i]);

        if (order != 0)
            return order;
    }
    return 0;
}

static enum status print_table(struct engine *engine, const struct program *p, uint32_t number,
                               struct error *err)
{
    const struct schema_table *t = &p->tree.schema.tables[number];
    const struct datum *const *rows;
    uint32_t count, width = schema_shown(t);

    printf("table %.*s\n", TEXT_PRINT(t->name));
    TRY(engine_read_table(engine, number, &rows, &count, err));
    sorted_width = width;
    if (t->is_numbered && count > 0)
        qsort((void *)rows, count, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < width; c++) {
            print_datum(&rows[i][c], "\\N");
            putchar(c + 1 < width ? '\t' : '\n');
        }
    return STATUS_OK;
}

static enum status answer_all(struct engine *engine, const struct program *p, struct error *err)
{
    static char line[LINE_MAX_BYTES];
    struct heap heap;
    enum status status = STATUS_OK;

    heap_init(&heap, MACHINE_BYTES_MAX);
    while (status == STATUS_OK && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        status = answer(engine, p, line, &heap, err);
    }
    heap_close(&heap);
    for (uint32_t i = 0; i < p->tree.schema.table_count && status == STATUS_OK; i++)
        status = print_table(engine, p, i, err);
    return status;
}

static int complain(const struct error *err)
{
    fprintf(stderr, "%s:%llu: %s\n", err->file, (unsigned long long)err->line, err->text);
    return 1;
}

int engine_answer_all(const char *sql_path)
{
    struct program program;
    struct engine *engine = NULL;
    struct error err = { 0 };
    enum status status;

    if (program_load_file(&program, sql_path, &err) != STATUS_OK)
        return complain(&err);
    status = engine_open(&engine, &program, &err);
    if (status == STATUS_OK)
        status = answer_all(engine, &program, &err);
    engine_close(engine);
    program_close(&program);
    return status == STATUS_OK ? 0 : complain(&err);
}

int engine_answer_script(const char *sql_path)
{
    struct program program;
    struct error err = { 0 };

    if (program_load_file(&program, sql_path, &err) != STATUS_OK)
        return complain(&err);
    for (uint32_t i = 0; i < program.tree.schema.table_count; i++) {
        const struct schema_table *t = &program.tree.schema.tables[i];

        printf("\\echo table %.*s\nCOPY (SELECT * FROM \"%.*s\" ORDER BY ", TEXT_PRINT(t->name),
               TEXT_PRINT(t->name));
        for (uint32_t k = 0; k < (t->is_numbered ? schema_shown(t) : t->key.count); k++)
            printf("%s\"%.*s\"", k > 0 ? ", " : "",
                   TEXT_PRINT(t->columns[t->is_numbered ? k : t->key.at[k]].name));
        printf(") TO STDOUT;\n");
    }
    program_close(&program);
    return 0;
}
