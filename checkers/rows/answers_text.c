/*
 * The little SQL that stands behind ORDER BY and in front of an aggregate's value.
 */
#include "checkers/rows/answers_private.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES_MAX 128

static void skip_blanks(struct text *rest)
{
    while (rest->length > 0 && isspace((unsigned char)*rest->at))
        rest->at++, rest->length--;
}

static bool take_byte(struct text *rest, char byte)
{
    skip_blanks(rest);
    if (rest->length == 0 || *rest->at != byte)
        return false;
    rest->at++, rest->length--;
    return true;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* An identifier, folded as PostgreSQL does. */
static bool take_name(struct text *rest, char name[NAME_BYTES_MAX])
{
    size_t length = 0, from = 0;
    bool is_quoted;

    skip_blanks(rest);
    is_quoted = rest->length > 0 && *rest->at == '"';
    from = is_quoted;
    while (from + length < rest->length &&
           (is_quoted ? rest->at[from + length] != '"' : is_of_name(rest->at[from + length])))
        length++;
    if (length == 0 || length >= NAME_BYTES_MAX || isdigit((unsigned char)*rest->at) ||
        (is_quoted && from + length == rest->length))
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = rest->at[from + i];
        name[i] = is_quoted ? c : (char)tolower((unsigned char)c);
    }
    name[length] = '\0';
    rest->at += length + 2 * from;
    rest->length -= length + 2 * from;
    return true;
}

static bool take_word(struct text *rest, const char *word)
{
    struct text ahead = *rest;
    char name[NAME_BYTES_MAX];

    skip_blanks(&ahead);
    if (ahead.length == 0 || *ahead.at == '"' || !take_name(&ahead, name) ||
        strcasecmp(name, word) != 0)
        return false;
    *rest = ahead;
    return true;
}

static bool find_column(const struct history *h, uint32_t table, const char *name, uint16_t *column)
{
    uint32_t first = h->table_column_start[table];

    for (uint32_t i = first; i < h->table_column_start[table + 1]; i++)
        if (text_equal(history_text(h, h->table_column_name[i]), text_of(name))) {
            *column = (uint16_t)(i - first);
            return i - first <= UINT16_MAX;
        }
    return false;
}

static bool take_term(struct text *rest, const struct history *h, uint32_t table,
                      struct order_term *term)
{
    char name[NAME_BYTES_MAX];

    if (!take_name(rest, name) || !find_column(h, table, name, &term->column))
        return false;
    term->descends = take_word(rest, "desc");
    if (!term->descends)
        (void)take_word(rest, "asc");
    term->nulls_first = term->descends;
    if (!take_word(rest, "nulls"))
        return true;
    term->nulls_first = take_word(rest, "first");
    return term->nulls_first || take_word(rest, "last");
}

bool answer_parse_order(const struct history *h, uint32_t table, struct text text,
                        struct order_term terms[ORDER_TERMS_MAX], unsigned *count)
{
    *count = 0;
    do {
        if (*count == ORDER_TERMS_MAX || !take_term(&text, h, table, &terms[*count]))
            return false;
        ++*count;
    } while (take_byte(&text, ','));
    skip_blanks(&text);
    return text.length == 0;
}

bool answer_parse_aggregate(const struct history *h, uint32_t table, struct text text,
                            enum aggregate_function *function, uint16_t *column)
{
    static const char *const names[] = { "", "count", "sum", "min", "max", "avg" };
    char name[NAME_BYTES_MAX];
    bool is_known = false;

    if (!take_name(&text, name) || !take_byte(&text, '('))
        return false;
    for (int i = FUNCTION_COUNT; i <= FUNCTION_AVG && !is_known; i++) {
        is_known = strcmp(name, names[i]) == 0;
        *function = (enum aggregate_function)i;
    }
    if (!is_known)
        return false;
    if (*function == FUNCTION_COUNT && take_byte(&text, '*'))
        *function = FUNCTION_COUNT_ROWS;
    else if (!take_name(&text, name) || !find_column(h, table, name, column))
        return false;
    if (!take_byte(&text, ')'))
        return false;
    skip_blanks(&text);
    return text.length == 0;
}
