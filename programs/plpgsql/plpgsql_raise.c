#include "programs/plpgsql/plpgsql_private.h"

#include <string.h>

#define LEVEL_ERROR 21 /* of RAISE EXCEPTION */
#define SQLSTATE_LENGTH 5

enum raise_option { OPTION_ERRCODE, OPTION_MESSAGE };

/* Conditions by name. PostgreSQL has more; these are what programs raise. */
static const struct {
    const char *name, *sqlstate;
} conditions[] = {
    { "assert_failure", "P0004" },
    { "case_not_found", "20000" },
    { "check_violation", "23514" },
    { "data_exception", "22000" },
    { "deadlock_detected", "40P01" },
    { "division_by_zero", "22012" },
    { "exclusion_violation", "23P01" },
    { "feature_not_supported", "0A000" },
    { "foreign_key_violation", "23503" },
    { "insufficient_privilege", "42501" },
    { "integrity_constraint_violation", "23000" },
    { "invalid_parameter_value", "22023" },
    { "invalid_text_representation", "22P02" },
    { "no_data_found", "P0002" },
    { "not_null_violation", "23502" },
    { "null_value_not_allowed", "22004" },
    { "numeric_value_out_of_range", "22003" },
    { "object_not_in_prerequisite_state", "55000" },
    { "query_canceled", "57014" },
    { "raise_exception", "P0001" },
    { "serialization_failure", "40001" },
    { "string_data_right_truncation", "22001" },
    { "too_many_rows", "P0003" },
    { "transaction_rollback", "40000" },
    { "unique_violation", "23505" },
};

static bool is_sqlstate(const char *text)
{
    return strlen(text) == SQLSTATE_LENGTH &&
           strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == SQLSTATE_LENGTH;
}

/* From a condition's name or a SQLSTATE, which is also the message where there is no other. */
static enum status take_condition(struct reader *r, const char *condition, struct action *raise)
{
    const char *sqlstate = is_sqlstate(condition) ? condition : NULL;

    for (size_t i = 0; i < ROW_COUNT(conditions) && !sqlstate; i++)
        if (strcmp(conditions[i].name, condition) == 0)
            sqlstate = conditions[i].sqlstate;
    if (!sqlstate)
        return refuse(r->a, -1, "the exception condition \"%s\" is not supported", condition);
    memcpy(raise->as.raise.sqlstate, sqlstate, SQLSTATE_LENGTH + 1);
    if (raise->as.raise.format.at)
        return STATUS_OK;
    return keep_text(r->a, text_of(condition), &raise->as.raise.format);
}

static enum status take_code(struct reader *r, const cJSON *option, struct action *raise)
{
    const struct expression *value;
    struct text text;
    char condition[NAME_MAX_BYTES + 1];

    TRY(read_expression(r, cJSON_GetObjectItemCaseSensitive(option, "expr"), NULL, &value));
    if (value->kind != EXPRESSION_CONSTANT || value->as.constant.kind != DATUM_TEXT)
        return refuse(r->a, -1, "ERRCODE that is not a literal is not supported");
    text = datum_text(&value->as.constant);
    if (text.length >= sizeof condition)
        return refuse(r->a, -1, "unrecognized exception condition");
    memcpy(condition, text.at, text.length);
    condition[text.length] = '\0';
    return take_condition(r, condition, raise);
}

static enum status take_message(struct reader *r, const cJSON *option, struct action *raise)
{
    const struct expression **arguments;
    void *memory;

    if (raise->as.raise.format.at)
        return refuse(r->a, -1, "RAISE option already specified: MESSAGE");
    TRY(keep(r->a, 1, sizeof *arguments, &memory));
    raise->as.raise.arguments = arguments = memory;
    raise->as.raise.argument_count = 1;
    raise->as.raise.format = TEXT("%");
    return read_expression(r, cJSON_GetObjectItemCaseSensitive(option, "expr"), NULL, arguments);
}

/* MESSAGE goes first, since ERRCODE is the message where there is none. */
static enum status take_options(struct reader *r, const cJSON *options, struct action *raise)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, options)
    {
        const cJSON *option = cJSON_GetObjectItemCaseSensitive(item, "PLpgSQL_raise_option");
        uint32_t kind = json_number(option, "opt_type");

        if (kind > OPTION_MESSAGE)
            return refuse(r->a, -1, "RAISE with DETAIL, HINT and the like is not supported");
        if (kind == OPTION_MESSAGE)
            TRY(take_message(r, option, raise));
    }
    cJSON_ArrayForEach(item, options)
    {
        const cJSON *option = cJSON_GetObjectItemCaseSensitive(item, "PLpgSQL_raise_option");

        if (json_number(option, "opt_type") == OPTION_ERRCODE)
            TRY(take_code(r, option, raise));
    }
    return STATUS_OK;
}

static enum status take_format(struct reader *r, const cJSON *json, const char *format,
                               struct action *raise)
{
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(json, "params"), *parameter;
    const struct expression **arguments;
    uint32_t wanted = 0, count = (uint32_t)cJSON_GetArraySize(parameters);
    void *memory;

    for (const char *at = format; *at; at++)
        if (*at == '%' && at[1] == '%')
            at++;
        else
            wanted += *at == '%';
    if (wanted != count)
        return refuse(r->a, -1, "too %s parameters specified for RAISE",
                      wanted > count ? "few" : "many");
    TRY(keep_text(r->a, text_of(format), &raise->as.raise.format));
    TRY(keep(r->a, count, sizeof *arguments, &memory));
    raise->as.raise.arguments = arguments = memory;
    raise->as.raise.argument_count = count;
    cJSON_ArrayForEach(parameter, parameters)
    {
        TRY(read_expression(r, parameter, NULL, arguments++));
    }
    return STATUS_OK;
}

enum status read_raise(struct reader *r, const cJSON *json, struct action *raise)
{
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(json, "options");
    const char *format = json_text(json, "message"), *condition = json_text(json, "condname");

    if (json_number(json, "elog_level") != LEVEL_ERROR)
        return refuse(r->a, -1, "RAISE of anything but EXCEPTION is not supported");
    if (!format && !condition && cJSON_GetArraySize(options) == 0)
        return refuse(r->a, -1,
                      "RAISE without parameters cannot be used outside an exception "
                      "handler");
    raise->kind = ACTION_RAISE;
    raise->kind = ACTION_RAISE;
    memcpy(raise->as.raise.sqlstate, "P0001", SQLSTATE_LENGTH + 1);
    if (format)
        TRY(take_format(r, json, format, raise));
    TRY(take_options(r, options, raise));
    if (condition)
        TRY(take_condition(r, condition, raise));
    if (!raise->as.raise.format.at)
        raise->as.raise.format = TEXT("P0001");
    return STATUS_OK;
}
