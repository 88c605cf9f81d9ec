#include "trial/scenario/store_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/quantity.h"
#include "checkers/checker.h"

enum status scenario_protocol_read(const struct protocol **protocol, const char *label,
                                   const struct setting *given, struct error *err)
{
    if (given->kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a string", label);
    *protocol = store_protocol(given->text);
    return *protocol ? STATUS_OK : toml_refuse_name(given, "protocol", store_protocol_names(), err);
}

enum status scenario_bugs_read(struct bugs *bugs, const char *label, const struct setting *list,
                               struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"ack-before-sync\"]",
                           label);
    for (const struct setting *name = list->first; name; name = name->next) {
        enum bug bug;

        if (name->kind != SETTING_STRING)
            return toml_refuse(name, err, "%s should list bugs by name", label);
        bug = bug_find(name->text);
        if (bug == BUG_COUNT)
            return toml_refuse_name(name, "bug", bug_names(), err);
        bugs->on[bug] = true;
    }
    return STATUS_OK;
}

void scenario_bugs_print(const struct bugs *bugs, struct buffer *out)
{
    bool first = true;

    buffer_byte(out, '[');
    for (int i = 0; i < BUG_COUNT; i++)
        if (bugs->on[i]) {
            buffer_print(out, "%s\"%s\"", first ? "" : ", ", bug_entry((enum bug)i)->name);
            first = false;
        }
    buffer_byte(out, ']');
}

enum status scenario_level_read(uint32_t *level_plus_1, const char *label,
                                const struct setting *given, struct error *err)
{
    enum level level;

    if (given->kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a string", label);
    if (!level_of_text(given->text, &level) || level > LEVEL_COUNT)
        return toml_refuse_name(given, "level", level_names(), err);
    *level_plus_1 = (uint32_t)level + 1;
    return STATUS_OK;
}

static enum status add_checker(struct check_wishes *wishes, const struct setting *name,
                               struct error *err)
{
    const struct checker *const *all = checkers_all();

    for (uint32_t i = 0; all[i]; i++)
        if (text_equal(name->text, text_of(all[i]->name))) {
            wishes->checkers |= 1u << i;
            return STATUS_OK;
        }
    return toml_refuse_name(name, "checker", checker_names(), err);
}

enum status scenario_checkers_read(struct check_wishes *wishes, const char *label,
                                   const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"certificate\"]", label);
    wishes->is_listed = 1;
    for (const struct setting *name = list->first; name; name = name->next) {
        if (name->kind != SETTING_STRING)
            return toml_refuse(name, err, "%s should list checkers by name", label);
        TRY(add_checker(wishes, name, err));
    }
    return STATUS_OK;
}

void scenario_checkers_print(const struct check_wishes *wishes, struct buffer *out)
{
    const struct checker *const *all = checkers_all();
    bool first = true;

    buffer_byte(out, '[');
    for (uint32_t i = 0; all[i]; i++)
        if (wishes->checkers >> i & 1) {
            buffer_print(out, "%s\"%s\"", first ? "" : ", ", all[i]->name);
            first = false;
        }
    buffer_byte(out, ']');
}

static enum status refuse_workload(const struct setting *given, struct error *err)
{
    const char *names[WORKLOAD_NAMES_MAX + 2] = { 0 };
    size_t count = 0;

    for (const char *const *builtin = workload_run_names(); *builtin && count < WORKLOAD_NAMES_MAX;
         builtin++)
        names[count++] = *builtin;
    names[count] = scenario_workload_name(WORKLOAD_PING);
    return toml_refuse_name(given, "workload", names, err);
}

enum status scenario_workload_read(struct scenario_workload *workload, const char *label,
                                   const struct setting *given, struct error *err)
{
    const struct workload *builtin;

    if (given->kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a string", label);
    if (workload->program[0] != '\0')
        return toml_refuse(given, err, "a workload has a kind or a program, not both");
    if (text_equal(given->text, text_of(scenario_workload_name(WORKLOAD_PING)))) {
        workload->kind = WORKLOAD_PING;
        return STATUS_OK;
    }
    builtin = workload_find(given->text);
    if (!builtin || !builtin->behaviour)
        return refuse_workload(given, err);
    workload->kind = WORKLOAD_BUILTIN;
    workload->builtin = builtin_defaults(builtin);
    return STATUS_OK;
}

enum status scenario_parameter_read(struct scenario_workload *workload, const char *name,
                                    const struct setting *given, struct error *err)
{
    if (given->kind != SETTING_STRING && given->kind != SETTING_INTEGER &&
        given->kind != SETTING_DECIMAL)
        return toml_refuse(given, err, "workload.%s should be a number or a string", name);
    if (builtin_set(&workload->builtin, text_of(name), given->text, err) != STATUS_OK)
        return toml_blame(given, err);
    return STATUS_OK;
}

enum status scenario_line_read(char *line, size_t size, const char *label,
                               const struct setting *given, struct error *err)
{
    struct text text = given->text;

    if (given->kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a string", label);
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.at[i] < ' ' || text.at[i] == 0x7f)
            return toml_refuse(given, err, "%s should be one line", label);
    if (text.length == 0 || text.length >= size)
        return toml_refuse(given, err, "%s should be a string of 1 to %zu bytes", label,
                           size - 1);
    memcpy(line, text.at, text.length);
    line[text.length] = '\0';
    return STATUS_OK;
}

static enum status read_arguments(struct scenario_call *call, const struct setting *list,
                                  struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count > CALL_ARGUMENTS_MAX)
        return toml_refuse(list, err,
                           "workload.call.arguments should be a list of at most %d strings "
                           "such as [\"uniform(1,100)\"]",
                           CALL_ARGUMENTS_MAX);
    for (const struct setting *one = list->first; one; one = one->next) {
        struct setting as_text = *one;
        if (one->kind == SETTING_INTEGER)
            as_text.kind = SETTING_STRING; /* 7 is "7" */
        TRY(scenario_line_read(call->arguments[call->argument_count], sizeof call->arguments[0],
                               "workload.call.arguments", &as_text, err));
        call->argument_count++;
    }
    return STATUS_OK;
}

static enum status read_call(struct scenario_call *call, const struct setting *table,
                             struct error *err)
{
    static const char *const names[] = { "procedure", "weight", "arguments", NULL };

    if (table->kind != SETTING_TABLE)
        return toml_refuse(table, err, "workload.call should be a list of tables: "
                                          "[[workload.call]]");
    call->weight = 1;
    for (const struct setting *key = table->first; key; key = key->next) {
        if (text_equal(key->key, TEXT("procedure"))) {
            TRY(scenario_line_read(call->procedure, sizeof call->procedure, "workload.call.procedure",
                                   key, err));
        } else if (text_equal(key->key, TEXT("weight"))) {
            if (key->kind != SETTING_INTEGER || key->number < 1 || key->number > 1000000)
                return toml_refuse(key, err, "workload.call.weight should be an integer from 1 "
                                                "to 1000000");
            call->weight = (uint32_t)key->number;
        } else if (text_equal(key->key, TEXT("arguments"))) {
            TRY(read_arguments(call, key, err));
        } else {
            const char *nearest = text_nearest(key->key, names);
            return toml_refuse(key, err, "workload.call has no '%.*s'%s%s%s",
                               TEXT_PRINT(key->key), nearest ? "; did you mean '" : "",
                               nearest ? nearest : "", nearest ? "'?" : "");
        }
    }
    if (call->procedure[0] == '\0')
        return toml_refuse(table, err, "workload.call.procedure is missing: what is called");
    return STATUS_OK;
}

enum status scenario_calls_read(struct scenario_calls *calls, const char *label,
                                const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list of tables: [[%s]]", label, label);
    for (const struct setting *table = list->first; table; table = table->next) {
        if (calls->count == CALLS_MAX)
            return toml_refuse(table, err, "more than %d calls", CALLS_MAX);
        TRY(read_call(&calls->at[calls->count], table, err));
        calls->count++;
    }
    return STATUS_OK;
}

/* As a list of inline tables, so that it can stand among the keys of its section. */
void scenario_calls_print(const struct scenario_calls *calls, struct buffer *out)
{
    buffer_byte(out, '[');
    for (uint32_t i = 0; i < calls->count; i++) {
        const struct scenario_call *call = &calls->at[i];
        buffer_text(out, i ? TEXT(",\n    { procedure = ") : TEXT("\n    { procedure = "));
        buffer_json(out, text_of(call->procedure));
        buffer_print(out, ", weight = %" PRIu32 ", arguments = [", call->weight);
        for (uint32_t k = 0; k < call->argument_count; k++) {
            buffer_text(out, k ? TEXT(", ") : TEXT(""));
            buffer_json(out, text_of(call->arguments[k]));
        }
        buffer_text(out, TEXT("] }"));
    }
    buffer_text(out, calls->count ? TEXT("\n]") : TEXT("]"));
}
