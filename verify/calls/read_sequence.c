#include "verify/calls/read_sequence_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 63

/* --- Sequences ------------------------------------------------------------------------------- */

static const struct sequence *find_sequence(const struct catalog *catalog, struct text name)
{
    for (uint32_t i = 0; i < catalog->sequence_count; i++)
        if (text_equal(catalog->sequences[i].name, name))
            return &catalog->sequences[i];
    return NULL;
}

static int64_t read_integer(struct reader *r, const PgQuery__Node *node)
{
    int64_t value;
    char *end;

    if (node && node->node_case == PG_QUERY__NODE__NODE_INTEGER)
        return node->integer->ival;
    if (!node || node->node_case != PG_QUERY__NODE__NODE_FLOAT)
        reader_refuse(r, "such an option of a sequence");
    errno = 0;
    value = strtoll(node->float_->fval, &end, 10);
    if (errno != 0 || *end)
        reader_refuse(r, "such a number of a sequence");
    return value;
}

static bool is_on(const PgQuery__Node *node)
{
    if (node && node->node_case == PG_QUERY__NODE__NODE_BOOLEAN)
        return node->boolean->boolval;
    return node && node->node_case == PG_QUERY__NODE__NODE_INTEGER && node->integer->ival != 0;
}

/* What is not said is what PostgreSQL takes. */
static void read_options(struct reader *r, struct sequence *s, enum kind kind,
                         PgQuery__Node *const *options, size_t count)
{
    const PgQuery__Node *low = NULL, *high = NULL, *start = NULL;
    int64_t least, greatest;

    s->step = 1;
    for (size_t i = 0; i < count; i++) {
        const PgQuery__DefElem *option = options[i]->def_elem;

        if (strcmp(option->defname, "as") == 0)
            kind = reader_type(r, option->arg->type_name).kind;
        else if (strcmp(option->defname, "increment") == 0)
            s->step = read_integer(r, option->arg);
        else if (strcmp(option->defname, "minvalue") == 0)
            low = option->arg;
        else if (strcmp(option->defname, "maxvalue") == 0)
            high = option->arg;
        else if (strcmp(option->defname, "start") == 0)
            start = option->arg;
        else if (strcmp(option->defname, "cycle") == 0)
            s->cycles = is_on(option->arg);
        else if (strcmp(option->defname, "cache") != 0 && strcmp(option->defname, "owned_by") != 0)
            reader_refuse(r, "such an option of a sequence");
    }
    least = kind == KIND_SMALLINT ? INT16_MIN : kind == KIND_INTEGER ? INT32_MIN : INT64_MIN;
    greatest = kind == KIND_SMALLINT ? INT16_MAX : kind == KIND_INTEGER ? INT32_MAX : INT64_MAX;
    s->low = low ? read_integer(r, low) : s->step > 0 ? 1 : least;
    s->high = high ? read_integer(r, high) : s->step > 0 ? greatest : -1;
    s->start = start ? read_integer(r, start) : s->step > 0 ? s->low : s->high;
    r->catalog->may_repeat |= s->cycles;
}

static const struct sequence *add_sequence(struct reader *r, struct text name, enum kind kind,
                                           PgQuery__Node *const *options, size_t count)
{
    struct sequence *s = &r->catalog->sequences[r->catalog->sequence_count];

    if (name.length > NAME_MAX_LENGTH || find_sequence(r->catalog, name) ||
        catalog_find_relation(r->catalog, name))
        reader_refuse(r, "a sequence of such a name");
    *s = (struct sequence){ .name = name, .number = r->catalog->sequence_count };
    read_options(r, s, kind, options, count);
    r->catalog->sequence_count++;
    return s;
}

void read_sequence(struct reader *r, const PgQuery__CreateSeqStmt *stmt)
{
    add_sequence(r, reader_keep(r, text_of(stmt->sequence->relname)), KIND_BIGINT, stmt->options,
                 stmt->n_options);
}

static struct formula *number_of(struct reader *r, enum number number, const struct sequence *s)
{
    static const struct item_type bigint = { .kind = KIND_BIGINT };
    struct formula *formula = read_new(r, FORMULA_NUMBER, bigint, 2);

    formula->count = 0;
    r->catalog->numbers++;
    formula->as.asks.kind = number;
    formula->as.asks.sequence = s;
    return formula;
}

/* The sequence whose next number it is and nothing else, which fits the type whatever it is; or NULL. */
static const struct sequence *kept_number(const struct formula *formula)
{
    const struct formula *number = formula->kind == FORMULA_CAST ? formula->arguments[0] : formula;
    int64_t low = INT64_MIN, high = INT64_MAX;

    if (number->kind != FORMULA_NUMBER || number->as.asks.kind != NUMBER_NEXT || !kind_is_integer(formula->type.kind))
        return NULL;
    if (formula->type.kind != KIND_BIGINT)
        low = formula->type.kind == KIND_INTEGER ? INT32_MIN : INT16_MIN;
    if (formula->type.kind != KIND_BIGINT)
        high = formula->type.kind == KIND_INTEGER ? INT32_MAX : INT16_MAX;
    return number->as.asks.sequence->low >= low && number->as.asks.sequence->high <= high ? number->as.asks.sequence
                                                                                          : NULL;
}

bool read_note_number(struct reader *r, struct relation_column *column, const struct formula *formula)
{
    const struct sequence *sequence = kept_number(formula);

    if (!sequence)
        return false;
    column->is_looked_at |= column->given_by && column->given_by != sequence; /* two may give the same */
    column->given_by = sequence;
    r->catalog->kept_numbers++;
    return true;
}

void read_numbered_column(struct reader *r, const struct relation *relation,
                          struct relation_column *column, PgQuery__Node *const *options, size_t count)
{
    struct buffer name = { 0 };
    struct text kept;

    buffer_print(&name, "%.*s_%.*s_seq", TEXT_PRINT(relation->name), TEXT_PRINT(column->name));
    kept = reader_keep_buffer(r, &name);
    column->not_null = true;
    column->initial = read_as(r,
                              number_of(r, NUMBER_NEXT,
                                        add_sequence(r, kept, column->type.kind, options, count)),
                              column->type, CAST_IS_ASSIGNMENT);
    read_note_number(r, column, column->initial);
}

bool read_is_serial(const PgQuery__TypeName *type, enum kind *kind)
{
    static const char *const names[][3] = { { "smallserial", "serial2" },
                                            { "serial", "serial4" },
                                            { "bigserial", "serial8" } };
    static const enum kind kinds[] = { KIND_SMALLINT, KIND_INTEGER, KIND_BIGINT };

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 2; k++)
            if (type->n_names == 1 && strcmp(reader_string(type->names[0]), names[i][k]) == 0) {
                *kind = kinds[i];
                return true;
            }
    return false;
}

/* --- nextval() and its like -------------------------------------------------------------------- */

static const struct sequence *read_name(struct reader *r, const PgQuery__Node *node)
{
    const struct sequence *s;
    char name[NAME_MAX_LENGTH + 1];
    const char *text;

    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
        node = node->type_cast->arg;
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        node->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
        reader_refuse(r, "a sequence whose name is no literal");
    text = node->a_const->sval->sval;
    if (strlen(text) > NAME_MAX_LENGTH || strpbrk(text, ".\""))
        reader_refuse(r, "a sequence of such a name");
    for (size_t i = 0; i <= strlen(text); i++)
        name[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    s = find_sequence(r->catalog, text_of(name));
    if (!s)
        trap_unknown(r->trap, "the sequence %s", name);
    return s;
}

struct formula *read_sequence_call(struct reader *r, const struct reader_scope *scope,
                            const PgQuery__FuncCall *call)
{
    static const struct item_type bigint = { .kind = KIND_BIGINT }, boolean = { .kind = KIND_BOOLEAN };
    const char *name = reader_string(call->funcname[call->n_funcname - 1]);
    struct formula **arguments, *formula;

    if (strcmp(name, "lastval") == 0 && call->n_args == 0)
        return number_of(r, NUMBER_LAST, NULL);
    if (strcmp(name, "nextval") == 0 && call->n_args == 1)
        return number_of(r, NUMBER_NEXT, read_name(r, call->args[0]));
    if (strcmp(name, "currval") == 0 && call->n_args == 1)
        return number_of(r, NUMBER_CURRENT, read_name(r, call->args[0]));
    if (strcmp(name, "setval") != 0 || call->n_args < 2 || call->n_args > 3)
        return NULL;
    r->catalog->may_repeat = true;
    formula = number_of(r, NUMBER_SET, read_name(r, call->args[0]));
    arguments = reader_take(r, 2, sizeof(struct formula *));
    for (size_t i = 1; i < call->n_args; i++)
        arguments[i - 1] = read_as(r, read_formula(r, scope, call->args[i]), i == 1 ? bigint : boolean,
                                   CAST_IS_IMPLICIT);
    formula->arguments = arguments;
    formula->count = (uint32_t)call->n_args - 1;
    return formula;
}

bool read_has_number(const struct formula *formula)
{
    for (uint32_t i = 0; i < formula->count; i++)
        if (read_has_number(formula->arguments[i]))
            return true;
    return formula->kind == FORMULA_NUMBER;
}
