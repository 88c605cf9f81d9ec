#include "programs/predicate.h"

#include <assert.h>
#include <strings.h>

/* Longer ones first: `<=` begins with `<`. */
static const struct {
    struct text symbol;
    enum comparison comparison;
} comparisons[] = {
    { { "<=", 2 }, COMPARE_AT_MOST }, { { ">=", 2 }, COMPARE_AT_LEAST },
    { { "=", 1 }, COMPARE_EQUAL },    { { "<", 1 }, COMPARE_LESS },
    { { ">", 1 }, COMPARE_MORE },
};

struct parser {
    struct text text;
    size_t at;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->text.length && is_blank(p->text.at[p->at]))
        p->at++;
}

static bool is_at_end(struct parser *p)
{
    skip_blanks(p);
    return p->at == p->text.length;
}

static enum status refuse(const struct parser *p, const char *expected, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "predicate, byte %zu: expected %s", p->at + 1,
                     expected);
}

/* Letters, digits and underscores: a name, a keyword or, behind a minus sign, a number. */
static struct text take_word(struct parser *p)
{
    size_t from = p->at;

    while (p->at < p->text.length && is_of_word(p->text.at[p->at]))
        p->at++;
    return (struct text){ p->text.at + from, p->at - from };
}

static bool is_and(struct text word)
{
    return word.length == 3 && strncasecmp(word.at, "and", 3) == 0;
}

static enum status parse_column(struct parser *p, struct text *column, struct error *err)
{
    size_t from;

    skip_blanks(p);
    from = p->at;
    *column = take_word(p);
    if (column->length > 0 && !is_digit(*column->at) && !is_and(*column))
        return STATUS_OK;
    p->at = from;
    return refuse(p, "a column", err);
}

static enum status parse_comparison(struct parser *p, enum comparison *comparison,
                                    struct error *err)
{
    skip_blanks(p);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        struct text symbol = comparisons[i].symbol;
        struct text here = { p->text.at + p->at, symbol.length };

        if (p->text.length - p->at < symbol.length || !text_equal(here, symbol))
            continue;
        p->at += symbol.length;
        *comparison = comparisons[i].comparison;
        return STATUS_OK;
    }
    return refuse(p, "=, <, >, <= or >=", err);
}

static enum status parse_bound(struct parser *p, int64_t *bound, struct error *err)
{
    size_t from;
    struct text number;

    skip_blanks(p);
    from = p->at;
    if (p->at < p->text.length && p->text.at[p->at] == '-')
        p->at++;
    take_word(p);
    number = (struct text){ p->text.at + from, p->at - from };
    if (text_to_int64(number, bound))
        return STATUS_OK;
    p->at = from;
    return refuse(p, "a 64-bit integer", err);
}

static enum status parse_and(struct parser *p, struct error *err)
{
    size_t from = p->at;

    if (is_and(take_word(p)))
        return STATUS_OK;
    p->at = from;
    return refuse(p, "AND or the end", err);
}

enum status predicate_parse(struct predicate *predicate, struct text text, struct error *err)
{
    struct parser p = { text, 0 };

    predicate->term_count = 0;
    while (!is_at_end(&p)) {
        struct predicate_term *term = &predicate->terms[predicate->term_count];

        if (predicate->term_count == PREDICATE_TERMS_MAX)
            return error_set(err, STATUS_OVER_LIMIT, "predicate: more than %d comparisons",
                             PREDICATE_TERMS_MAX);
        if (predicate->term_count > 0)
            TRY(parse_and(&p, err));
        TRY(parse_column(&p, &term->column, err));
        TRY(parse_comparison(&p, &term->comparison, err));
        TRY(parse_bound(&p, &term->bound, err));
        predicate->term_count++;
    }
    return STATUS_OK;
}

static enum status bind_term(struct predicate_term *term, const struct history *h, uint32_t table,
                             struct error *err)
{
    uint32_t from = h->table_column_start[table], to = h->table_column_start[table + 1];

    for (uint32_t c = from; c < to; c++) {
        if (!text_equal(term->column, history_text(h, h->table_column_name[c])))
            continue;
        if (h->table_column_kind[c] != COLUMN_INTEGER)
            return error_set(err, STATUS_BAD_INPUT, "predicate: column %.*s is not an integer",
                             TEXT_PRINT(term->column));
        term->cell = c - from;
        return STATUS_OK;
    }
    return error_set(err, STATUS_BAD_INPUT, "predicate: table %.*s has no column %.*s",
                     TEXT_PRINT(history_text(h, h->table_name[table])), TEXT_PRINT(term->column));
}

enum status predicate_bind(struct predicate *predicate, const struct history *h, uint32_t table,
                           struct error *err)
{
    assert(table < h->table_count);
    for (unsigned i = 0; i < predicate->term_count; i++)
        TRY(bind_term(&predicate->terms[i], h, table, err));
    return STATUS_OK;
}

static bool compare(enum comparison comparison, int64_t value, int64_t bound)
{
    switch (comparison) {
    case COMPARE_EQUAL:
        return value == bound;
    case COMPARE_LESS:
        return value < bound;
    case COMPARE_MORE:
        return value > bound;
    case COMPARE_AT_MOST:
        return value <= bound;
    case COMPARE_AT_LEAST:
        return value >= bound;
    }
    assert(!"a comparison that does not exist");
    return false;
}

bool predicate_matches(const struct predicate *predicate, const struct history *h, struct value row)
{
    if (row.kind != VALUE_ROW)
        return false;
    for (unsigned i = 0; i < predicate->term_count; i++) {
        const struct predicate_term *term = &predicate->terms[i];
        uint64_t cell = h->row_start[row.bits] + term->cell;

        assert(cell < h->row_start[row.bits + 1]);
        if (h->cell_kind[cell] != VALUE_INTEGER ||
            !compare(term->comparison, h->cell_value[cell], term->bound))
            return false;
    }
    return true;
}

static struct text symbol_of(enum comparison comparison)
{
    size_t i = 0;

    while (comparisons[i].comparison != comparison)
        i++;
    return comparisons[i].symbol;
}

void predicate_print(const struct predicate *predicate, struct buffer *out)
{
    for (unsigned i = 0; i < predicate->term_count; i++) {
        const struct predicate_term *term = &predicate->terms[i];

        if (i > 0)
            buffer_text(out, TEXT(" AND "));
        buffer_text(out, term->column);
        buffer_byte(out, ' ');
        buffer_text(out, symbol_of(term->comparison));
        buffer_byte(out, ' ');
        buffer_int64(out, term->bound);
    }
}
