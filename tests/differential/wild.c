#include "tests/differential/wild.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

#define TXNS_MAX 12
#define OPS_MAX 6
#define KEYS_MAX 5
#define ELEMENTS_MAX 40
#define TICK 100 /* between two transactions of a run: of time, and of places */
#define NOBODY TXNS_MAX

/* How the values of a key are told: a number as an integer, a text, a decimal; or a list, or a row. */
enum form { INTEGER, WORD, DECIMAL, TRUTH, LIST, ROW, WIDE_ROW, FORM_COUNT };

struct content {
    bool exists;
    int number; /* of a list: nothing */
    unsigned count;
    int elements[ELEMENTS_MAX];
};

/* What a key holds, and whose n-th version of it that is. */
struct cell {
    struct content content;
    unsigned txn, nth;
};

struct state {
    struct cell key[KEYS_MAX];
};

enum kind { READ, WRITE, APPEND, REMOVE, SELECT, INSERT, UPDATE, DELETE };

enum column { COLUMN_V, COLUMN_ID, COLUMN_NAME, COLUMN_AMOUNT, COLUMN_FLAG, COLUMN_COUNT };
enum compared { AT_LEAST, LESS, EQUAL, DIFFERENT, IS_NULL, IS_NOT_NULL, COMPARED_COUNT };

struct term {
    enum column column;
    enum compared compared;
    int constant;
};

struct condition {
    unsigned term_count; /* none: every row */
    bool is_or;
    struct term terms[2];
};

enum telling { ROWS, ORDERED, LIMITED, ORDERED_DOWN, COUNTED, LEAST, SUMMED, TELLING_COUNT };

struct op {
    enum kind kind;
    unsigned key;          /* of a statement: one of its table's */
    struct content answer; /* of an item: read or written */
    struct condition condition;
    enum telling telling;
    unsigned limit;
    bool is_refused, is_unanswered;
    struct state seen; /* before it */
    bool has_row[KEYS_MAX];
    struct content row[KEYS_MAX]; /* what came back, or was written */
    unsigned prefix;
};

struct txn {
    enum { OK, ABORT, UNKNOWN } status;
    bool lands;
    unsigned session, op_count, prefix;
    uint32_t visible;
    unsigned version_count[KEYS_MAX];
    int64_t invoked, completed, last; /* invocation of an operation */
    struct op ops[OPS_MAX];
    int64_t id;
};

/* How what a transaction sees of those before it is drawn. */
enum sight { ALL, SNAPSHOT, PREFIX, SOME, CLOSED, ANEW, SIGHT_COUNT };

struct wild {
    struct dice *dice;
    struct buffer *out;
    enum sight sight;
    enum form form[KEYS_MAX];
    unsigned key_count, txn_count;
    struct content initial[KEYS_MAX];
    struct txn txns[TXNS_MAX];
    unsigned file_order[TXNS_MAX];
    int last_number;
    bool repeats, writes_lists, has_sessions;
    unsigned lies; /* one answer in so many is told otherwise; 0: none */
};

static unsigned throw(struct wild *w, unsigned sides)
{
    return dice_throw(w->dice, sides);
}

static bool rarely(struct wild *w, unsigned times)
{
    return dice_rarely(w->dice, times);
}

static bool lies(struct wild *w)
{
    return w->lies > 0 && rarely(w, w->lies);
}

static bool is_row(const struct wild *w, unsigned key)
{
    return w->form[key] >= ROW;
}

/* --- Planning -------------------------------------------------------------------- */

static int fresh_number(struct wild *w)
{
    return w->repeats ? (int)throw(w, 4) : ++w->last_number;
}

static void plan_keys(struct wild *w)
{
    /* What a history is about: anything, registers, lists, rows, one type of value. */
    unsigned about = throw(w, 5);

    w->key_count = 1 + throw(w, KEYS_MAX);
    for (unsigned k = 0; k < w->key_count; k++) {
        enum form form = about == 4 ? w->form[0] : (enum form)throw(w, FORM_COUNT);

        if (about == 1 || (k == 0 && about == 4))
            form = INTEGER;
        else if (about == 2)
            form = LIST;
        else if (about == 3)
            form = k < 3 ? ROW : WIDE_ROW;
        w->form[k] = form;
        if (rarely(w, 3)) {
            w->initial[k] = (struct content){ .exists = true, .number = 900 + (int)k };
            if (form == LIST) {
                w->initial[k].count = throw(w, 3);
                for (unsigned i = 0; i < w->initial[k].count; i++)
                    w->initial[k].elements[i] = 900 + (int)i;
            }
        }
    }
}

static void plan_condition(struct wild *w, struct condition *c)
{
    c->term_count = throw(w, 4) ? 1 + rarely(w, 3) : 0;
    c->is_or = throw(w, 2);
    for (unsigned i = 0; i < c->term_count; i++) {
        struct term *term = &c->terms[i];

        term->column = throw(w, 2) ? COLUMN_V : (enum column)throw(w, COLUMN_COUNT);
        term->compared = (enum compared)throw(w, COMPARED_COUNT);
        term->constant = (int)throw(w, (unsigned)w->last_number + 2);
    }
}

static void plan_op(struct wild *w, struct op *op, unsigned reads_in_ten)
{
    op->key = throw(w, w->key_count);
    op->is_refused = rarely(w, 40);
    op->is_unanswered = rarely(w, 40);
    op->kind = throw(w, 10) < reads_in_ten ? READ : WRITE;
    if (is_row(w, op->key) && throw(w, 4)) {
        op->kind = op->kind == READ ? SELECT : throw(w, 3) ? UPDATE : DELETE;
        op->telling = throw(w, 2) ? ROWS : (enum telling)throw(w, TELLING_COUNT);
        op->limit = throw(w, 3);
        plan_condition(w, &op->condition);
    } else if (op->kind == WRITE) {
        op->answer = (struct content){ .exists = true, .number = fresh_number(w) };
        if (rarely(w, 6))
            op->kind = REMOVE;
        else if (is_row(w, op->key) && throw(w, 2))
            op->kind = INSERT;
        if (w->form[op->key] == LIST && op->kind != REMOVE && !(w->writes_lists && rarely(w, 6)))
            op->kind = APPEND;
        if (w->form[op->key] == LIST && op->kind == REMOVE && !w->writes_lists)
            op->kind = APPEND;
        if (op->kind == REMOVE)
            op->answer = (struct content){ 0 };
        else if (op->kind == WRITE && w->form[op->key] == LIST) {
            op->answer.count = 1;
            op->answer.elements[0] = op->answer.number;
        } else if (op->kind == WRITE && rarely(w, 30)) {
            op->answer.exists = false; /* null is written */
        }
    }
}

static void plan_txns(struct wild *w)
{
    static const unsigned sizes[] = { 2, 2, 3, 3, 4, 4, 5, 6, 8, 10, TXNS_MAX };
    static const unsigned reads_in_ten[] = { 2, 5, 5, 8 };
    unsigned session_count = 1 + throw(w, 4), doubts = throw(w, 3) ? throw(w, 8) : 0;
    bool has_strange_ids = rarely(w, 10);

    w->txn_count = sizes[throw(w, ROW_COUNT(sizes))];
    w->has_sessions = throw(w, 2);
    for (unsigned t = 0; t < w->txn_count; t++) {
        struct txn *txn = &w->txns[t];
        unsigned reads = reads_in_ten[throw(w, ROW_COUNT(reads_in_ten))];
        unsigned fate = throw(w, 16);

        txn->id = has_strange_ids ? (int64_t)(t * 7919) % 13 - 5 : (int64_t)t + 1;
        txn->session = w->has_sessions ? throw(w, session_count) : t;
        txn->status = fate > doubts || fate == 0 ? OK : fate % 2 ? UNKNOWN : ABORT;
        txn->lands = throw(w, 2);
        txn->op_count = rarely(w, 40) ? 0 : 1 + throw(w, t % 3 ? 4 : OPS_MAX);
        for (unsigned i = 0; i < txn->op_count; i++)
            plan_op(w, &txn->ops[i], reads);
        w->file_order[t] = t;
    }
}

/* --- Running --------------------------------------------------------------------- */

static bool takes_effect(const struct txn *txn)
{
    return txn->status == OK || (txn->status == UNKNOWN && txn->lands);
}

static void write(struct cell *cell, const struct op *op, unsigned txn, unsigned nth)
{
    if (op->kind == APPEND) {
        assert(cell->content.count < ELEMENTS_MAX);
        cell->content.exists = true;
        cell->content.elements[cell->content.count++] = op->answer.number;
    } else {
        cell->content = op->answer;
    }
    cell->txn = txn;
    cell->nth = nth;
}

static bool writes_key(const struct op *op, unsigned key)
{
    if (op->is_refused)
        return false;
    if (op->kind == UPDATE || op->kind == DELETE)
        return op->has_row[key];
    return op->kind != READ && op->kind != SELECT && op->key == key;
}

/* Lays over a state what the first operations of a transaction wrote. */
static void overlay(const struct wild *w, unsigned t, unsigned op_count, struct state *state)
{
    unsigned nth[KEYS_MAX] = { 0 };

    for (unsigned i = 0; i < op_count; i++) {
        const struct op *op = &w->txns[t].ops[i];

        for (unsigned k = 0; k < w->key_count; k++) {
            struct op one = *op;

            if (!writes_key(op, k))
                continue;
            if (op->kind == UPDATE || op->kind == DELETE) {
                one.answer = op->row[k];
                one.answer.exists = op->kind == UPDATE;
            }
            write(&state->key[k], &one, t, ++nth[k]);
        }
    }
}

static struct state state_of(const struct wild *w, uint32_t visible)
{
    struct state state = { 0 };

    for (unsigned k = 0; k < w->key_count; k++)
        state.key[k] = (struct cell){ .content = w->initial[k], .txn = NOBODY };
    for (unsigned t = 0; t < w->txn_count; t++)
        if ((visible & (UINT32_C(1) << t)) && takes_effect(&w->txns[t]))
            overlay(w, t, w->txns[t].op_count, &state);
    return state;
}

/* What a row has in a column, as a number that compares as it does; false: null. */
static bool column_of(const struct wild *w, unsigned key, const struct content *row,
                      enum column column, int *number)
{
    bool is_wide = w->form[key] == WIDE_ROW;

    switch (column) {
    case COLUMN_ID:
        *number = (int)key;
        return true;
    case COLUMN_NAME:
        *number = row->number % 4;
        return is_wide || row->number % 4 != 3;
    default:
        *number = row->number;
        return true;
    case COLUMN_AMOUNT:
        *number = 2 * row->number + 1; /* and a half */
        return true;
    case COLUMN_FLAG:
        *number = row->number % 2;
        return true;
    }
}

/* Which columns a table has: the one of rows names and flags, the other of wide rows amounts. */
static enum column real_column(const struct wild *w, unsigned key, enum column column)
{
    bool is_wide = w->form[key] == WIDE_ROW;

    if (is_wide ? column == COLUMN_NAME || column == COLUMN_FLAG : column == COLUMN_AMOUNT)
        return COLUMN_V;
    return column;
}

enum truth { NO, YES, MAYBE };

static enum truth term_holds(const struct wild *w, unsigned key, const struct content *row,
                             const struct term *term)
{
    enum column column = real_column(w, key, term->column);
    int constant = column == COLUMN_NAME ? term->constant % 3
                   : column == COLUMN_AMOUNT ? 2 * term->constant
                   : column == COLUMN_FLAG ? 1
                   : column == COLUMN_ID ? term->constant % KEYS_MAX
                                          : term->constant;
    int number;
    bool is_there = column_of(w, key, row, column, &number);

    if (term->compared == IS_NULL || term->compared == IS_NOT_NULL)
        return is_there == (term->compared == IS_NOT_NULL) ? YES : NO;
    if (!is_there)
        return MAYBE;
    switch (term->compared) {
    case AT_LEAST:
        return number >= constant ? YES : NO;
    case LESS:
        return number < constant ? YES : NO;
    case EQUAL:
        return number == constant ? YES : NO;
    default:
        return number != constant ? YES : NO;
    }
}

static bool matches(const struct wild *w, const struct op *op, unsigned key,
                    const struct content *row)
{
    const struct condition *c = &op->condition;
    unsigned yes = 0;

    if (w->form[key] != w->form[op->key] || !row->exists)
        return false;
    for (unsigned i = 0; i < c->term_count; i++)
        yes += term_holds(w, key, row, &c->terms[i]) == YES;
    return c->term_count == 0 || (c->is_or ? yes > 0 : yes == c->term_count);
}

static void run_op(struct wild *w, unsigned t, struct op *op)
{
    for (unsigned k = 0; k < w->key_count; k++) {
        op->row[k] = op->seen.key[k].content;
        op->has_row[k] = op->kind >= SELECT && op->kind != INSERT && matches(w, op, k, &op->row[k]);
        if (op->kind == UPDATE && op->has_row[k])
            op->row[k].number = fresh_number(w);
    }
    if (op->kind == READ)
        op->answer = op->seen.key[op->key].content;
    if (op->is_unanswered && op->kind >= UPDATE)
        memset(op->has_row, 0, sizeof op->has_row);
    for (unsigned k = 0; k < w->key_count; k++)
        w->txns[t].version_count[k] += writes_key(op, k);
}

static uint32_t first(unsigned count)
{
    return (UINT32_C(1) << count) - 1;
}

static uint32_t draw_visible(struct wild *w, unsigned t)
{
    uint32_t visible = 0;

    for (unsigned seen = t; seen-- > 0;) {
        bool is_own = w->txns[seen].session == w->txns[t].session && w->lies == 0;

        if (is_own || throw(w, 3))
            visible |= UINT32_C(1) << seen;
        if (w->sight == CLOSED && (visible & (UINT32_C(1) << seen)))
            visible |= w->txns[seen].visible;
    }
    return visible;
}

static void run_ops(struct wild *w, unsigned t)
{
    struct txn *txn = &w->txns[t];

    memset(txn->version_count, 0, sizeof txn->version_count);
    for (unsigned i = 0; i < txn->op_count; i++) {
        struct op *op = &txn->ops[i];

        op->prefix = w->sight == ANEW ? t - throw(w, t + 1) : txn->prefix;
        op->seen = state_of(w, w->sight == ANEW ? first(op->prefix) : txn->visible);
        overlay(w, t, i, &op->seen);
        run_op(w, t, op);
    }
}

static bool is_in_conflict(const struct wild *w, unsigned t)
{
    for (unsigned other = w->txns[t].prefix; other < t; other++)
        for (unsigned k = 0; k < w->key_count; k++)
            if (takes_effect(&w->txns[other]) && w->txns[other].version_count[k] &&
                w->txns[t].version_count[k])
                return true;
    return false;
}

static void run(struct wild *w)
{
    for (unsigned t = 0; t < w->txn_count; t++) {
        struct txn *txn = &w->txns[t];

        txn->prefix = w->sight == SNAPSHOT || w->sight == PREFIX ? t - throw(w, t + 1) : t;
        txn->visible = first(txn->prefix);
        if (w->sight == SOME || w->sight == CLOSED)
            txn->visible = draw_visible(w, t);
        run_ops(w, t);
        if (w->sight == SNAPSHOT && is_in_conflict(w, t)) {
            txn->prefix = t;
            txn->visible = first(t);
            run_ops(w, t);
        }
    }
}

/* --- Telling: values ------------------------------------------------------------- */

static struct content another_list(struct wild *w, unsigned key, const struct content *told)
{
    struct content list = *told;
    unsigned i = list.count ? throw(w, list.count) : 0;

    switch (throw(w, 4)) {
    case 0: /* one that is missing */
        if (list.count > 0)
            memmove(&list.elements[i], &list.elements[i + 1],
                    (--list.count - i) * sizeof list.elements[0]);
        break;
    case 1: /* two that changed places */
        if (i + 1 < list.count) {
            list.elements[i] = told->elements[i + 1];
            list.elements[i + 1] = told->elements[i];
        }
        break;
    case 2: /* one that somebody appends, now or never */
        for (unsigned t = 0; t < w->txn_count; t++)
            for (unsigned o = 0; o < w->txns[t].op_count; o++)
                if (w->txns[t].ops[o].kind == APPEND && w->txns[t].ops[o].key == key &&
                    list.count + 1 < ELEMENTS_MAX && rarely(w, 3))
                    list.elements[list.count++] = w->txns[t].ops[o].answer.number;
        break;
    default: /* an older one */
        list.count = i;
    }
    list.exists = list.count > 0 || throw(w, 2);
    return list;
}

/* Another version of the key, or nothing, or what nobody wrote. */
static struct content another(struct wild *w, unsigned key, const struct content *told)
{
    struct content content = w->initial[key];
    unsigned seen = 1;

    if (w->form[key] == LIST && throw(w, 4))
        return another_list(w, key, told);
    if (rarely(w, 6))
        return (struct content){ 0 };
    if (rarely(w, 8) && w->form[key] != LIST)
        return (struct content){ .exists = true, .number = 77 };
    for (unsigned t = 0; t < w->txn_count; t++)
        for (unsigned i = 0; i < w->txns[t].op_count; i++) {
            const struct op *op = &w->txns[t].ops[i];

            if (writes_key(op, key) && op->kind != APPEND && rarely(w, ++seen))
                content = op->kind == UPDATE ? op->row[key]
                          : op->kind == DELETE ? (struct content){ 0 }
                                               : op->answer;
        }
    return content;
}

static void tell_primary_key(struct wild *w, unsigned key)
{
    if (w->form[key] == WIDE_ROW)
        buffer_print(w->out, "%u/a%%2F%u", key, key % 2);
    else
        buffer_print(w->out, "%u", key);
}

static void tell_key(struct wild *w, unsigned key)
{
    static const char *const items[] = { "a", "b", "c", "d", "e" };

    buffer_byte(w->out, '"');
    if (is_row(w, key)) {
        buffer_print(w->out, w->form[key] == WIDE_ROW ? "u/" : "t/");
        tell_primary_key(w, key);
    } else {
        buffer_print(w->out, "%s", items[key]);
    }
    buffer_byte(w->out, '"');
}

static void tell_row(struct wild *w, unsigned key, const struct content *row)
{
    int v = row->number;

    if (w->form[key] == WIDE_ROW) {
        buffer_print(w->out, "{\"id\":%u,\"tag\":\"a/%u\",\"v\":%d,\"amount\":\"%d.50\",\"l\":[%d]}", key,
                     key % 2, v, v, v);
        return;
    }
    buffer_print(w->out, "{\"id\":%u,\"v\":%d,\"name\":", key, v);
    if (v % 4 == 3)
        buffer_print(w->out, "null");
    else
        buffer_print(w->out, "\"%c\"", 'a' + v % 4);
    buffer_print(w->out, ",\"flag\":%s}", v % 2 ? "true" : "false");
}

static void tell_content(struct wild *w, unsigned key, const struct content *content)
{
    if (!content->exists) {
        buffer_print(w->out, w->form[key] == LIST && throw(w, 2) ? "[]" : "null");
        return;
    }
    switch (w->form[key]) {
    case INTEGER:
        buffer_print(w->out, "%d", content->number);
        return;
    case WORD:
        buffer_print(w->out, "\"w%d\"", content->number);
        return;
    case DECIMAL:
        buffer_print(w->out, "\"%d.50\"", content->number);
        return;
    case TRUTH:
        buffer_print(w->out, content->number % 2 ? "true" : "false");
        return;
    case LIST:
        for (unsigned i = 0; i < content->count; i++)
            buffer_print(w->out, "%c%d", i ? ',' : '[', content->elements[i]);
        buffer_print(w->out, content->count ? "]" : "[]");
        return;
    default:
        tell_row(w, key, content);
    }
}

/* --- Telling: statements ---------------------------------------------------------- */

static void tell_term(struct wild *w, unsigned key, const struct term *term)
{
    static const char *const columns[] = { "v", "id", "name", "amount", "flag" };
    static const char *const signs[] = { ">=", "<", "=", "<>" };
    enum column column = real_column(w, key, term->column);

    if (term->compared == IS_NULL || term->compared == IS_NOT_NULL)
        buffer_print(w->out, "%s IS %sNULL", columns[column],
                     term->compared == IS_NULL ? "" : "NOT ");
    else if (column == COLUMN_NAME)
        buffer_print(w->out, "name %s '%c'", signs[term->compared], 'a' + term->constant % 3);
    else if (column == COLUMN_FLAG)
        buffer_print(w->out, "flag %s true", signs[term->compared]);
    else
        buffer_print(w->out, "%s %s %d", columns[column], signs[term->compared],
                     column == COLUMN_ID ? term->constant % KEYS_MAX : term->constant);
}

static void tell_condition(struct wild *w, const struct op *op)
{
    const struct condition *c = &op->condition;

    if (c->term_count == 0)
        return;
    buffer_print(w->out, ",\"where\":\"");
    for (unsigned i = 0; i < c->term_count; i++) {
        buffer_print(w->out, "%s", i == 0 ? "" : c->is_or ? " OR " : " AND ");
        tell_term(w, op->key, &c->terms[i]);
    }
    buffer_byte(w->out, '"');
}

/* The rows in their order, by v and then the key; returns how many. */
static unsigned sort_rows(const struct wild *w, const struct op *op, unsigned *keys)
{
    unsigned count = 0;
    int sign = op->telling == ORDERED_DOWN ? -1 : 1;

    for (unsigned k = 0; k < w->key_count; k++) {
        unsigned i = count;

        if (!op->has_row[k])
            continue;
        for (; i > 0 && sign * op->row[keys[i - 1]].number > sign * op->row[k].number; i--)
            keys[i] = keys[i - 1];
        keys[i] = k;
        count++;
    }
    return count;
}

static void tell_ordered(struct wild *w, const struct op *op)
{
    unsigned keys[KEYS_MAX], count = sort_rows(w, op, keys);

    if (op->telling != LIMITED || throw(w, 4))
        buffer_print(w->out, ",\"order\":\"v%s\"", op->telling == ORDERED_DOWN ? " DESC, id" : "");
    if (op->telling != ORDERED) {
        buffer_print(w->out, ",\"limit\":%u", op->limit);
        count = count > op->limit ? op->limit : count;
    }
    if (op->is_unanswered)
        return;
    buffer_print(w->out, ",\"rows\":[");
    for (unsigned i = 0; i < count; i++) {
        buffer_print(w->out, "%s[\"", i ? "," : "");
        tell_primary_key(w, keys[i]);
        buffer_print(w->out, "\",");
        tell_row(w, keys[i], &op->row[keys[i]]);
        buffer_byte(w->out, ']');
    }
    buffer_byte(w->out, ']');
}

static void tell_aggregate(struct wild *w, const struct op *op)
{
    static const char *const names[] = { [COUNTED] = "count(*)", [LEAST] = "min(v)",
                                         [SUMMED] = "sum(v)" };
    int count = 0, least = 0, sum = 0;

    for (unsigned k = 0; k < w->key_count; k++)
        if (op->has_row[k]) {
            least = count == 0 || op->row[k].number < least ? op->row[k].number : least;
            sum += op->row[k].number;
            count++;
        }
    if (op->is_unanswered)
        return;
    buffer_print(w->out, ",\"values\":{\"%s\":", names[op->telling]);
    if (op->telling == COUNTED)
        buffer_print(w->out, "%d}", count);
    else if (count == 0)
        buffer_print(w->out, "null}");
    else
        buffer_print(w->out, "%d}", op->telling == LEAST ? least : sum);
}

static void tell_rows(struct wild *w, const struct op *op)
{
    bool has_any = false;

    if (op->is_unanswered)
        return;
    buffer_print(w->out, ",\"rows\":{");
    for (unsigned k = 0; k < w->key_count; k++) {
        if (!op->has_row[k])
            continue;
        buffer_print(w->out, "%s\"", has_any ? "," : "");
        has_any = true;
        tell_primary_key(w, k);
        buffer_print(w->out, "\":");
        if (op->kind == DELETE)
            buffer_print(w->out, "null");
        else
            tell_row(w, k, &op->row[k]);
    }
    buffer_byte(w->out, '}');
}

/* Of a select: rows come and go, or change. What an update wrote stays, as others may have read it. */
static void change_rows(struct wild *w, struct op *op)
{
    for (unsigned k = 0; k < w->key_count; k++) {
        if (w->form[k] != w->form[op->key] || !lies(w))
            continue;
        if (op->has_row[k] && rarely(w, 3)) {
            op->has_row[k] = false;
        } else {
            op->row[k] = another(w, k, &op->row[k]);
            op->has_row[k] = op->row[k].exists;
        }
    }
}

static void tell_statement(struct wild *w, struct op *op)
{
    static const char *const names[] = { "select", "insert", "update", "delete" };

    buffer_print(w->out, "{\"%s\":\"%s\"", names[op->kind - SELECT],
                 w->form[op->key] == WIDE_ROW ? "u" : "t");
    if (op->kind == INSERT) {
        op->has_row[op->key] = true;
        op->row[op->key] = op->answer;
        op->is_unanswered = false;
    } else {
        tell_condition(w, op);
    }
    if (op->kind != SELECT) {
        tell_rows(w, op);
        return;
    }
    change_rows(w, op);
    if (op->telling >= COUNTED)
        tell_aggregate(w, op);
    else if (op->telling == ROWS)
        tell_rows(w, op);
    else
        tell_ordered(w, op);
}

static void tell_item(struct wild *w, struct op *op)
{
    static const char *const names[] = { "r", "w", "append", "d" };

    buffer_print(w->out, "{\"%s\":", names[op->kind]);
    tell_key(w, op->key);
    if (op->kind == REMOVE || (op->kind == READ && op->is_unanswered))
        return;
    if (op->kind == READ && lies(w))
        op->answer = another(w, op->key, &op->answer);
    buffer_print(w->out, ",\"v\":");
    if (op->kind == APPEND)
        buffer_print(w->out, "%d", op->answer.number);
    else
        tell_content(w, op->key, &op->answer);
}

/* --- Telling: times and certificate ------------------------------------------------ */

/* Which of these a history has, and how much of it is missing (one in so many) or wrong. */
struct extras {
    bool txn_times, op_times, ts, txn_snapshots, op_snapshots, sets, orders;
    unsigned gaps, wrongs; /* 0: none */
};

static bool is_missing(struct wild *w, const struct extras *x)
{
    return x->gaps > 0 && rarely(w, x->gaps);
}

static bool is_wrong(struct wild *w, const struct extras *x)
{
    return x->wrongs > 0 && rarely(w, x->wrongs);
}

static void tell_times(struct wild *w, int64_t from, int64_t to, bool has_end)
{
    buffer_print(w->out, ",\"at\":[%" PRId64 ",", from);
    if (has_end)
        buffer_print(w->out, "%" PRId64 "]", to);
    else
        buffer_print(w->out, "null]");
}

static int64_t between(int64_t low, int64_t time, int64_t high)
{
    return time < low ? low : time > high ? high : time;
}

static int64_t instant_of(unsigned t)
{
    return ((int64_t)t + 10) * TICK;
}

static void tell_place(struct wild *w, const char *name, int64_t place, bool has_parts)
{
    if (has_parts)
        buffer_print(w->out, ",\"%s\":[%" PRId64 ",%" PRId64 "]", name, place / 1000,
                     place % 1000);
    else
        buffer_print(w->out, ",\"%s\":%" PRId64, name, place);
}

static void tell_version(struct wild *w, unsigned t, unsigned nth, unsigned key)
{
    unsigned count = w->txns[t].version_count[key];

    if (nth == count && throw(w, 6))
        buffer_print(w->out, "%" PRId64, w->txns[t].id);
    else
        buffer_print(w->out, "[%" PRId64 ",%u]", w->txns[t].id, nth);
}

static void tell_set(struct wild *w, const struct op *op, unsigned t, const struct extras *x)
{
    bool has_any = false;

    buffer_print(w->out, ",\"set\":{");
    for (unsigned k = 0; k < w->key_count; k++) {
        const struct cell *cell = &op->seen.key[k];
        unsigned txn = cell->txn, nth = cell->nth;
        bool is_asked = op->kind >= SELECT ? w->form[k] == w->form[op->key] : op->key == k;

        if ((!is_asked && throw(w, 8)) || is_missing(w, x) || (txn == t && throw(w, 8)))
            continue;
        if (is_wrong(w, x)) {
            txn = throw(w, w->txn_count);
            nth = 1 + throw(w, w->txns[txn].version_count[k] + 1);
            if (nth > w->txns[txn].version_count[k])
                txn = NOBODY;
        }
        buffer_print(w->out, "%s", has_any ? "," : "");
        has_any = true;
        tell_key(w, k);
        buffer_byte(w->out, ':');
        if (txn == NOBODY)
            buffer_print(w->out, "null");
        else
            tell_version(w, txn, nth, k);
    }
    buffer_byte(w->out, '}');
}

static void tell_order(struct wild *w, unsigned key, const struct extras *x)
{
    unsigned listed[TXNS_MAX], count = 0;

    for (unsigned t = 0; t < w->txn_count; t++) {
        const struct txn *txn = &w->txns[t];
        bool is_in = takes_effect(txn);

        if (is_wrong(w, x) && txn->status != OK)
            is_in = txn->status == UNKNOWN ? !is_in : rarely(w, 4);
        if (is_in && txn->version_count[key] > 0 && !is_missing(w, x))
            listed[count++] = t;
    }
    for (unsigned i = 1; i < count; i++)
        if (is_wrong(w, x)) {
            unsigned other = throw(w, i), t = listed[i];

            listed[i] = listed[other];
            listed[other] = t;
        }
    if (count == 0 && throw(w, 8))
        return;
    buffer_print(w->out, "{\"version-order\":{");
    tell_key(w, key);
    buffer_print(w->out, ":[");
    for (unsigned i = 0; i < count; i++) {
        unsigned versions = w->txns[listed[i]].version_count[key];

        buffer_print(w->out, "%s", i ? "," : "");
        if (versions > 1 && is_wrong(w, x)) {
            tell_version(w, listed[i], 1, key);
            buffer_byte(w->out, ',');
        }
        tell_version(w, listed[i], rarely(w, 200) ? 1 : versions, key);
    }
    buffer_print(w->out, "]}}\n");
}

static struct extras plan_extras(struct wild *w)
{
    struct extras x = { 0 };
    bool knows = throw(w, 2);

    x.txn_times = throw(w, 2);
    x.op_times = x.txn_times ? throw(w, 2) : rarely(w, 20);
    x.ts = knows && throw(w, 4);
    x.orders = knows && throw(w, 4);
    x.txn_snapshots = x.ts && (w->sight == SNAPSHOT || w->sight == PREFIX || rarely(w, 10));
    x.op_snapshots = x.ts && (w->sight == ANEW || rarely(w, 10));
    x.sets = knows && rarely(w, 4);
    x.gaps = rarely(w, 3) ? 3 + throw(w, 20) : 0;
    x.wrongs = throw(w, 3) == 0 ? 3 + throw(w, 20) : 0;
    return x;
}

/* Within its transaction, mostly about when it ran. */
static void tell_op_times(struct wild *w, unsigned t, unsigned i, const struct extras *x)
{
    struct txn *txn = &w->txns[t];
    int64_t invoked = instant_of(t) - TICK / 2 + 10 * (int64_t)i, completed = invoked + throw(w, 10);

    if (is_wrong(w, x))
        invoked += (int64_t)throw(w, 2 * TICK) - TICK;
    if (is_wrong(w, x))
        completed += (int64_t)throw(w, 2 * TICK);
    if (x->txn_times && !rarely(w, 300)) {
        invoked = between(txn->invoked, invoked, txn->completed);
        completed = between(invoked, completed, txn->completed);
    }
    if (!rarely(w, 300))
        invoked = between(txn->last, invoked, INT64_MAX);
    txn->last = invoked;
    tell_times(w, invoked, completed < invoked ? invoked : completed, !is_wrong(w, x));
}

static void tell_op(struct wild *w, unsigned t, unsigned i, const struct extras *x)
{
    struct op *op = &w->txns[t].ops[i];

    if (op->kind >= SELECT)
        tell_statement(w, op);
    else
        tell_item(w, op);
    if ((op->kind == READ || op->kind == SELECT) && rarely(w, 8))
        buffer_print(w->out, ",\"lock\":\"%s\"", throw(w, 2) ? "update" : "share");
    if (x->op_times && !is_missing(w, x))
        tell_op_times(w, t, i, x);
    if (x->op_snapshots && !is_missing(w, x))
        tell_place(w, "snapshot", is_wrong(w, x) ? instant_of(throw(w, w->txn_count)) + TICK / 2
                                                 : instant_of(op->prefix) - TICK / 2, false);
    if (x->sets && !is_missing(w, x))
        tell_set(w, op, t, x);
    if (op->is_refused)
        buffer_print(w->out, ",\"error\":\"refused\"");
    buffer_byte(w->out, '}');
}

static void tell_txn(struct wild *w, unsigned t, const struct extras *x, bool has_parts)
{
    static const char *const statuses[] = { "ok", "abort", "unknown" };
    struct txn *txn = &w->txns[t];

    txn->invoked = instant_of(t) - TICK / 2 - throw(w, TICK);
    txn->completed = instant_of(t) + throw(w, TICK + TICK / 2);
    if (is_wrong(w, x))
        txn->invoked += (int64_t)throw(w, 8 * TICK) - 4 * TICK;
    if (is_wrong(w, x) || txn->completed < txn->invoked)
        txn->completed = txn->invoked + throw(w, 2 * TICK);
    buffer_print(w->out, "{\"txn\":%" PRId64 ",\"session\":%u,\"status\":\"%s\"", txn->id,
                 txn->session, statuses[txn->status]);
    if (x->txn_times && !is_missing(w, x))
        tell_times(w, txn->invoked, txn->completed,
                   txn->status == UNKNOWN ? !throw(w, 4) : !is_wrong(w, x));
    buffer_print(w->out, ",\"ops\":[");
    for (unsigned i = 0; i < txn->op_count; i++) {
        buffer_print(w->out, "%s", i ? "," : "");
        tell_op(w, t, i, x);
    }
    buffer_byte(w->out, ']');
    if (x->ts && !is_missing(w, x))
        tell_place(w, "ts",
                   is_wrong(w, x) ? instant_of(throw(w, w->txn_count)) + throw(w, 3)
                                  : instant_of(t),
                   has_parts);
    if (x->txn_snapshots && !is_missing(w, x))
        tell_place(w, "snapshot",
                   (is_wrong(w, x) ? instant_of(throw(w, w->txn_count)) : instant_of(txn->prefix)) -
                       TICK / 2,
                   has_parts);
    buffer_print(w->out, "}\n");
}

static void tell_header(struct wild *w)
{
    bool has_any = false;

    buffer_print(w->out, "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\","
                         "\"name\":\"text\",\"flag\":\"boolean\"},\"key\":[\"id\"]},\"u\":{\"columns\":{\"id\":"
                         "\"bigint\",\"tag\":\"varchar(9)\",\"v\":\"integer\",\"amount\":\"numeric(9,2)\",\"l\":"
                         "\"bigint[]\"},\"key\":[\"id\",\"tag\"]}}");
    buffer_print(w->out, ",\"initial\":{");
    for (unsigned k = 0; k < w->key_count; k++) {
        if (!w->initial[k].exists && !rarely(w, 10))
            continue;
        buffer_print(w->out, "%s", has_any ? "," : "");
        has_any = true;
        tell_key(w, k);
        buffer_byte(w->out, ':');
        tell_content(w, k, &w->initial[k]);
    }
    buffer_byte(w->out, '}');
    if (throw(w, 2))
        buffer_print(w->out, ",\"unique\":%s", w->repeats == rarely(w, 20) ? "true" : "false");
    if (rarely(w, 30))
        buffer_print(w->out, ",\"workload\":\"bank\"");
    buffer_print(w->out, "}\n");
}

void wild_history(struct dice *dice, struct buffer *out)
{
    static const unsigned lies[] = { 0, 0, 20, 8, 3, 1 };
    struct wild wild = { .dice = dice, .out = out }, *w = &wild;
    struct extras x;
    bool has_parts;

    w->sight = throw(w, 2) ? ALL : (enum sight)throw(w, SIGHT_COUNT);
    w->lies = lies[throw(w, ROW_COUNT(lies))];
    w->repeats = rarely(w, 3);
    w->writes_lists = rarely(w, 4);
    plan_keys(w);
    plan_txns(w);
    run(w);
    x = plan_extras(w);
    has_parts = rarely(w, 10);
    tell_header(w);
    for (unsigned t = 1; t < w->txn_count; t++)
        if (is_wrong(w, &x) || rarely(w, 20)) {
            w->file_order[t] = w->file_order[t - 1];
            w->file_order[t - 1] = t;
        }
    for (unsigned t = 0; t < w->txn_count; t++)
        tell_txn(w, w->file_order[t], &x, has_parts);
    for (unsigned k = 0; x.orders && k < w->key_count; k++)
        if (!is_missing(w, &x))
            tell_order(w, k, &x);
}
