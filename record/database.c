#include "record/database.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"

#define DATABASE_ROW(name) &database_##name,
static const struct database *const all[] = { DATABASES(DATABASE_ROW) NULL };
#undef DATABASE_ROW

const struct database *const *database_all(void)
{
    return all;
}

const char *const *database_names(void)
{
    static const char *names[ROW_COUNT(all)];

    for (size_t i = 0; all[i]; i++)
        names[i] = all[i]->name;
    return names;
}

const struct database *database_find(struct text name)
{
    for (size_t i = 0; all[i]; i++)
        if (text_equal(name, text_of(all[i]->name)))
            return all[i];
    return NULL;
}

enum status database_new(void **made, size_t size, struct error *err)
{
    *made = calloc(1, size);
    if (*made)
        return STATUS_OK;
    return error_set(err, STATUS_OVER_LIMIT, "no memory for a database or its session");
}

uint32_t database_mode(const struct database_options *options, const char *const *modes)
{
    uint32_t mode = 0;

    while (options->mode && modes[mode] && strcmp(modes[mode], options->mode) != 0)
        mode++;
    assert(modes[mode]);
    return mode;
}

bool database_is_setting(const char *setting, const char *name)
{
    return strncmp(setting, name, strlen(name)) == 0 && setting[strlen(name)] == '=';
}

enum status database_choose(const struct database_options *options, const char *name,
                            const char *const *values, uint32_t usual, uint32_t *chosen,
                            struct error *err)
{
    struct buffer known = { 0 };
    enum status status;

    *chosen = usual;
    for (size_t i = 0; i < options->setting_count; i++) {
        const char *value = options->settings[i] + strlen(name) + 1;

        if (!database_is_setting(options->settings[i], name))
            continue;
        for (*chosen = 0; values[*chosen] && strcmp(values[*chosen], value) != 0;)
            ++*chosen;
        if (values[*chosen])
            continue;
        for (size_t k = 0; values[k]; k++)
            buffer_print(&known, "%s%s", k == 0 ? "" : values[k + 1] ? ", " : " or ", values[k]);
        buffer_byte(&known, '\0');
        status = buffer_status(&known, err);
        if (status == STATUS_OK)
            status =
                error_set(err, STATUS_BAD_INPUT, "%s is %s, not '%.80s'", name, known.at, value);
        buffer_close(&known);
        return status;
    }
    return STATUS_OK;
}

void database_print_columns(const struct stored_table *table, struct buffer *to)
{
    buffer_print(to, "%s, %s", table->key_column, table->value_column);
    if (table->tag_column)
        buffer_print(to, ", %s", table->tag_column);
}

/* --- Answers ---------------------------------------------------------------------------------- */

enum status database_each_step(database_one_step *one_step, void *session,
                               const struct database_step *steps, uint32_t count,
                               struct database_answer *answer, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct database_step_answer step = { .invoked_ns = wall_clock_ns() };

        TRY(one_step(session, &steps[i], answer, &step, err));
        if (answer->end != STEPS_DONE)
            return STATUS_OK;
        step.completed_ns = wall_clock_ns();
        TRY(array_push(&answer->steps, step, err));
        answer->step_count++;
    }
    return STATUS_OK;
}

enum status database_answer_row(struct database_answer *answer, struct database_step_answer *step,
                                struct builtin_row row, struct error *err)
{
    if (step->count == 0)
        step->first = (uint32_t)answer->rows.count;
    step->is_there = true;
    step->count++;
    return array_push(&answer->rows, row, err);
}

enum status database_answer_element(struct database_answer *answer,
                                    struct database_step_answer *step, int64_t element,
                                    struct error *err)
{
    if (step->count == 0)
        step->first = (uint32_t)answer->elements.count;
    step->is_there = true;
    step->count++;
    return array_push(&answer->elements, element, err);
}

enum status database_answer_list(struct database_answer *answer, struct database_step_answer *step,
                                 struct text list, struct error *err)
{
    const char *at = list.at, *end = list.at + list.length;

    if (at < end && *at == '{' && end[-1] == '}')
        at++, end--;
    step->is_there = true;
    while (at < end) {
        const char *comma = at;
        int64_t element;

        while (comma < end && *comma != ',')
            comma++;
        if (!text_to_int64((struct text){ at, (size_t)(comma - at) }, &element))
            return error_set(err, STATUS_BAD_INPUT,
                             "the database answered '%.*s', which is no list of integers",
                             TEXT_PRINT(list));
        TRY(database_answer_element(answer, step, element, err));
        at = comma < end ? comma + 1 : end;
    }
    return STATUS_OK;
}

void database_answer_refuse(struct database_answer *answer, const char *code)
{
    answer->end = STEPS_REFUSED;
    snprintf(answer->code, sizeof answer->code, "%s", code);
}

void database_answer_clear(struct database_answer *answer)
{
    answer->end = STEPS_DONE;
    answer->code[0] = '\0';
    answer->step_count = 0;
    answer->is_pipelined = false;
    answer->steps.count = answer->rows.count = answer->elements.count = 0;
    answer->xid = 0;
    buffer_clear(&answer->call_rows);
    buffer_clear(&answer->snapshot);
    buffer_clear(&answer->snapshots);
}

void database_answer_close(struct database_answer *answer)
{
    array_close(&answer->steps);
    array_close(&answer->rows);
    array_close(&answer->elements);
    buffer_close(&answer->call_rows);
    buffer_close(&answer->snapshot);
    buffer_close(&answer->snapshots);
}
