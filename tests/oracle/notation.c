#include "tests/oracle/notation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/builder.h"

#define TOKEN_MAX 64
#define ELEMENTS_MAX 32

struct notation {
    const char *whole, *rest;
    char token[TOKEN_MAX]; /* the next one; empty at the end */
    struct builder builder;
    struct error error;
    uint32_t table;
};

static void give_up(const struct notation *n, const char *what)
{
    fprintf(stderr, "notation: %s at \"%s%s\" in: %s\n", what, n->token, n->rest, n->whole);
    abort();
}

static void must(struct notation *n, enum status status)
{
    if (status != STATUS_OK)
        give_up(n, n->error.text);
}

/* --- Tokens ------------------------------------------------------------------ */

static void advance(struct notation *n)
{
    size_t length = strspn(n->rest, " \n");

    n->rest += length;
    length = strcspn(n->rest, " \n;,:{}[]");
    if (length == 0 && *n->rest)
        length = 1;
    if (length >= TOKEN_MAX)
        give_up(n, "too long");
    memcpy(n->token, n->rest, length);
    n->token[length] = '\0';
    n->rest += length;
}

static bool is_next(const struct notation *n, const char *token)
{
    return strcmp(n->token, token) == 0;
}

static bool accept(struct notation *n, const char *token)
{
    bool found = is_next(n, token);

    if (found)
        advance(n);
    return found;
}

static void expect(struct notation *n, const char *token)
{
    if (!accept(n, token))
        give_up(n, token);
}

static bool begins_with(const char *token, const char *prefix)
{
    return strncmp(token, prefix, strlen(prefix)) == 0;
}

static int64_t number_of(const struct notation *n, const char *digits)
{
    int64_t number;

    if (!text_to_int64(text_of(digits), &number))
        give_up(n, "no number");
    return number;
}

static int64_t take_number(struct notation *n)
{
    int64_t number = number_of(n, n->token);

    advance(n);
    return number;
}

static bool ends_op(const struct notation *n)
{
    return is_next(n, ",") || is_next(n, ";") || is_next(n, "") || is_next(n, "!") ||
           is_next(n, "from") || is_next(n, "locked") || n->token[0] == '@';
}

/* --- Keys and values --------------------------------------------------------- */

static uint32_t take_key(struct notation *n)
{
    uint32_t key;

    must(n, builder_key(&n->builder, text_of(n->token), &key, &n->error));
    advance(n);
    return key;
}

static uint32_t row_key(struct notation *n, int64_t id)
{
    char digits[32];
    uint32_t key;

    snprintf(digits, sizeof digits, "%" PRId64, id);
    must(n, builder_row_key(&n->builder, n->table, text_of(digits), &key, &n->error));
    return key;
}

static struct value row_value(struct notation *n, int64_t id, int64_t v)
{
    struct named_value cells[] = {
        { TEXT("id"), value_integer(id) },
        { TEXT("v"), value_integer(v) },
    };
    struct value value;

    must(n, builder_row(&n->builder, n->table, cells, ROW_COUNT(cells), &value, &n->error));
    return value;
}

static struct value take_list(struct notation *n)
{
    int64_t elements[ELEMENTS_MAX];
    size_t count = 0;
    struct value value;

    while (!accept(n, "]")) {
        if (count == ELEMENTS_MAX)
            give_up(n, "too many elements");
        elements[count++] = take_number(n);
    }
    must(n, builder_list(&n->builder, elements, count, &value, &n->error));
    return value;
}

static struct value take_value(struct notation *n, const char *key)
{
    if (ends_op(n))
        return value_none();
    if (accept(n, "_"))
        return value_null();
    if (accept(n, "["))
        return take_list(n);
    if (begins_with(key, "t/"))
        return row_value(n, number_of(n, key + 2), take_number(n));
    return value_integer(take_number(n));
}

/* --- Statements -------------------------------------------------------------- */

/* Predicates stand without blanks here, and & is AND. */
static uint32_t take_where(struct notation *n)
{
    struct buffer sql = { 0 };
    uint32_t text = HISTORY_NONE;

    if (accept(n, "*"))
        return HISTORY_NONE;
    for (const char *c = n->token; *c; c++) {
        if (*c == '&')
            buffer_print(&sql, " AND ");
        else
            buffer_byte(&sql, *c);
    }
    must(n, builder_text(&n->builder, (struct text){ sql.at, sql.count }, &text, &n->error));
    buffer_close(&sql);
    advance(n);
    return text;
}

static void take_rows(struct notation *n)
{
    expect(n, "{");
    while (!accept(n, "}")) {
        char *equals = strchr(n->token, '=');
        struct value value = value_null();
        int64_t id;

        if (equals)
            *equals = '\0';
        id = number_of(n, n->token);
        if (equals)
            value = row_value(n, id, number_of(n, equals + 1));
        must(n, builder_add_row(&n->builder, row_key(n, id), value, &n->error));
        advance(n);
    }
}

static void take_source(struct notation *n, uint32_t key)
{
    struct version_name version = { .is_initial = is_next(n, "init") };

    if (!version.is_initial)
        version.txn_id = number_of(n, n->token + 1);
    advance(n);
    must(n, builder_add_set_entry(&n->builder, key, version, &n->error));
}

static void take_statement(struct notation *n, enum op_kind kind)
{
    struct statement statement = { .kind = kind,
                                   .table = n->table,
                                   .where = HISTORY_NONE,
                                   .order = HISTORY_NONE,
                                   .limit = -1,
                                   .flags = STATEMENT_ANSWERED };

    if (kind != OP_INSERT)
        statement.where = take_where(n);
    must(n, builder_begin_statement(&n->builder, &statement, &n->error));
    take_rows(n);
    must(n, builder_end_statement(&n->builder, &n->error));
    if (accept(n, "from"))
        while (!ends_op(n))
            take_source(n, take_key(n));
}

static void take_top(struct notation *n)
{
    struct statement statement = { .kind = OP_SELECT,
                                   .table = n->table,
                                   .flags = STATEMENT_ANSWERED | STATEMENT_ORDERED };

    statement.limit = take_number(n);
    statement.where = take_where(n);
    must(n, builder_text(&n->builder, TEXT("v"), &statement.order, &n->error));
    must(n, builder_begin_statement(&n->builder, &statement, &n->error));
    take_rows(n);
    must(n, builder_end_statement(&n->builder, &n->error));
}

static void take_aggregate(struct notation *n)
{
    struct statement statement = { .kind = OP_SELECT,
                                   .table = n->table,
                                   .order = HISTORY_NONE,
                                   .limit = -1,
                                   .flags = STATEMENT_ANSWERED | STATEMENT_AGGREGATES };
    char name[TOKEN_MAX];

    strcpy(name, n->token);
    advance(n);
    statement.where = take_where(n);
    must(n, builder_begin_statement(&n->builder, &statement, &n->error));
    must(n, builder_add_aggregate(&n->builder, text_of(name), take_value(n, ""), &n->error));
    must(n, builder_end_statement(&n->builder, &n->error));
}

/* --- Transactions ------------------------------------------------------------ */

static void take_item(struct notation *n, enum op_kind kind)
{
    char name[TOKEN_MAX];
    uint32_t key;

    strcpy(name, n->token);
    key = take_key(n);
    must(n, builder_add_op(&n->builder, kind, key,
                           kind == OP_REMOVE ? value_none() : take_value(n, name), &n->error));
    if (accept(n, "from"))
        take_source(n, key);
}

/* @10-20, or @10- */
struct window {
    int64_t invoked, completed;
};

static struct window times_of(struct notation *n)
{
    char *dash = strchr(n->token + 2, '-'); /* behind a sign of the first number */

    if (!dash)
        give_up(n, "no times");
    *dash = '\0';
    return (struct window){ number_of(n, n->token + 1),
                            dash[1] ? number_of(n, dash + 1) : TIME_NEVER };
}

static void take_op(struct notation *n)
{
    static const struct {
        const char *name;
        enum op_kind kind;
    } names[] = {
        { "r", OP_READ },     { "w", OP_WRITE },    { "a", OP_APPEND },   { "d", OP_REMOVE },
        { "sel", OP_SELECT }, { "upd", OP_UPDATE }, { "del", OP_DELETE }, { "ins", OP_INSERT },
    };
    bool known = false;

    for (size_t i = 0; i < ROW_COUNT(names) && !known; i++)
        if (accept(n, names[i].name)) {
            known = true;
            if (op_is_head(names[i].kind))
                take_statement(n, names[i].kind);
            else
                take_item(n, names[i].kind);
        }
    if (!known && accept(n, "top"))
        take_top(n);
    else if (!known && accept(n, "agg"))
        take_aggregate(n);
    else if (!known)
        give_up(n, "no operation");
    if (accept(n, "locked"))
        builder_set_op_lock(&n->builder, OP_LOCK_UPDATE);
    if (begins_with(n->token, "@")) {
        struct window at = times_of(n);

        must(n, builder_set_op_at(&n->builder, at.invoked, at.completed, &n->error));
        advance(n);
    }
    if (accept(n, "!"))
        must(n, builder_set_op_error(&n->builder, TEXT("refused"), &n->error));
}

struct txn_words {
    int64_t id, session;
    enum txn_status status;
    int64_t invoked, completed;
    struct place ts, snapshot;
};

static void take_times(struct notation *n, struct txn_words *words)
{
    struct window at = times_of(n);

    words->invoked = at.invoked;
    words->completed = at.completed;
}

static void take_txn_words(struct notation *n, struct txn_words *words)
{
    for (; !is_next(n, ":"); advance(n)) {
        if (is_next(n, "abort"))
            words->status = TXN_ABORT;
        else if (is_next(n, "unknown"))
            words->status = TXN_UNKNOWN;
        else if (begins_with(n->token, "@"))
            take_times(n, words);
        else if (begins_with(n->token, "ts"))
            words->ts = (struct place){ 1, { number_of(n, n->token + 2) } };
        else if (begins_with(n->token, "snap"))
            words->snapshot = (struct place){ 1, { number_of(n, n->token + 4) } };
        else if (begins_with(n->token, "s"))
            words->session = number_of(n, n->token + 1);
        else
            give_up(n, "no word of a transaction");
    }
}

static void take_txn(struct notation *n)
{
    struct builder *b = &n->builder;
    struct txn_words words = { .invoked = TIME_ABSENT };

    words.id = number_of(n, n->token + 1);
    words.session = 1000 + words.id;
    advance(n);
    take_txn_words(n, &words);
    must(n, builder_begin_txn(b, words.id, words.session, words.status, &n->error));
    if (words.invoked != TIME_ABSENT)
        must(n, builder_set_txn_at(b, words.invoked, words.completed, &n->error));
    if (words.ts.parts > 0)
        must(n, builder_set_ts(b, words.ts, &n->error));
    if (words.snapshot.parts > 0)
        must(n, builder_set_snapshot(b, words.snapshot, &n->error));
    expect(n, ":");
    do
        if (!ends_op(n))
            take_op(n);
    while (accept(n, ","));
}

/* --- The whole --------------------------------------------------------------- */

static void take_table(struct notation *n)
{
    struct builder *b = &n->builder;

    must(n, builder_add_table(b, TEXT("t"), &n->table, &n->error));
    must(n, builder_add_column(b, TEXT("id"), TEXT("bigint"), &n->error));
    must(n, builder_add_column(b, TEXT("v"), TEXT("bigint"), &n->error));
    must(n, builder_add_key_column(b, TEXT("id"), &n->error));
    must(n, builder_end_table(b, &n->error));
}

static void take_initial(struct notation *n)
{
    char name[TOKEN_MAX];
    uint32_t key;

    strcpy(name, n->token);
    key = take_key(n);
    must(n, builder_add_initial(&n->builder, key, take_value(n, name), &n->error));
}

static void take_order(struct notation *n)
{
    must(n, builder_begin_order(&n->builder, take_key(n), &n->error));
    for (; !ends_op(n); advance(n))
        must(n, builder_add_version(&n->builder,
                                    (struct version_name){ .txn_id = number_of(n, n->token + 1) },
                                    &n->error));
}

void notation_read(const char *text, struct history *history)
{
    struct notation n = { .whole = text, .rest = text };

    builder_init(&n.builder);
    take_table(&n);
    advance(&n);
    do {
        if (is_next(&n, ""))
            break;
        if (accept(&n, "init"))
            take_initial(&n);
        else if (accept(&n, "order"))
            take_order(&n);
        else
            take_txn(&n);
    } while (accept(&n, ";"));
    if (!is_next(&n, ""))
        give_up(&n, "something more");
    must(&n, builder_finish(&n.builder, history, &n.error));
    builder_close(&n.builder);
}
