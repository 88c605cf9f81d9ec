#include "tests/differential/wild.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "tests/differential/wild_private.h"

/* --- Planning -------------------------------------------------------------------- */

static int fresh_number(struct wild *w)
{
    return w->repeats ? (int)wild_throw(w, 4) : ++w->last_number;
}

static void plan_keys(struct wild *w)
{
    /* What a history is about: anything, registers, lists, rows, one type of value. */
    unsigned about = wild_throw(w, 5);

    w->key_count = 1 + wild_throw(w, KEYS_MAX);
    for (unsigned k = 0; k < w->key_count; k++) {
        enum form form = about == 4 ? w->form[0] : (enum form)wild_throw(w, FORM_COUNT);

        if (about == 1 || (k == 0 && about == 4))
            form = INTEGER;
        else if (about == 2)
            form = LIST;
        else if (about == 3)
            form = k < 3 ? ROW : WIDE_ROW;
        w->form[k] = form;
        if (wild_rarely(w, 3)) {
            w->initial[k] = (struct content){ .exists = true, .number = 900 + (int)k };
            if (form == LIST) {
                w->initial[k].count = wild_throw(w, 3);
                for (unsigned i = 0; i < w->initial[k].count; i++)
                    w->initial[k].elements[i] = 900 + (int)i;
            }
        }
    }
}

static void plan_condition(struct wild *w, struct condition *c)
{
    c->term_count = wild_throw(w, 4) ? 1 + wild_rarely(w, 3) : 0;
    c->is_or = wild_throw(w, 2);
    for (unsigned i = 0; i < c->term_count; i++) {
        struct term *term = &c->terms[i];

        term->column = wild_throw(w, 2) ? COLUMN_V : (enum column)wild_throw(w, COLUMN_COUNT);
        term->compared = (enum compared)wild_throw(w, COMPARED_COUNT);
        term->constant = (int)wild_throw(w, (unsigned)w->last_number + 2);
    }
}

static void plan_op(struct wild *w, struct op *op, unsigned reads_in_ten)
{
    op->key = wild_throw(w, w->key_count);
    op->is_refused = wild_rarely(w, 40);
    op->is_unanswered = wild_rarely(w, 40);
    op->kind = wild_throw(w, 10) < reads_in_ten ? READ : WRITE;
    if (wild_is_row(w, op->key) && wild_throw(w, 4)) {
        op->kind = op->kind == READ ? SELECT : wild_throw(w, 3) ? UPDATE : DELETE;
        op->telling = wild_throw(w, 2) ? ROWS : (enum telling)wild_throw(w, TELLING_COUNT);
        op->limit = wild_throw(w, 3);
        plan_condition(w, &op->condition);
    } else if (op->kind == WRITE) {
        op->answer = (struct content){ .exists = true, .number = fresh_number(w) };
        if (wild_rarely(w, 6))
            op->kind = REMOVE;
        else if (wild_is_row(w, op->key) && wild_throw(w, 2))
            op->kind = INSERT;
        if (w->form[op->key] == LIST && op->kind != REMOVE && !(w->writes_lists && wild_rarely(w, 6)))
            op->kind = APPEND;
        if (w->form[op->key] == LIST && op->kind == REMOVE && !w->writes_lists)
            op->kind = APPEND;
        if (op->kind == REMOVE)
            op->answer = (struct content){ 0 };
        else if (op->kind == WRITE && w->form[op->key] == LIST) {
            op->answer.count = 1;
            op->answer.elements[0] = op->answer.number;
        } else if (op->kind == WRITE && wild_rarely(w, 30)) {
            op->answer.exists = false; /* null is written */
        }
    }
}

static void plan_txns(struct wild *w)
{
    static const unsigned sizes[] = { 2, 2, 3, 3, 4, 4, 5, 6, 8, 10, TXNS_MAX };
    static const unsigned reads_in_ten[] = { 2, 5, 5, 8 };
    unsigned session_count = 1 + wild_throw(w, 4), doubts = wild_throw(w, 3) ? wild_throw(w, 8) : 0;
    bool has_strange_ids = wild_rarely(w, 10);

    w->txn_count = sizes[wild_throw(w, ROW_COUNT(sizes))];
    w->has_sessions = wild_throw(w, 2);
    for (unsigned t = 0; t < w->txn_count; t++) {
        struct txn *txn = &w->txns[t];
        unsigned reads = reads_in_ten[wild_throw(w, ROW_COUNT(reads_in_ten))];
        unsigned fate = wild_throw(w, 16);

        txn->id = has_strange_ids ? (int64_t)(t * 7919) % 13 - 5 : (int64_t)t + 1;
        txn->session = w->has_sessions ? wild_throw(w, session_count) : t;
        txn->status = fate > doubts || fate == 0 ? OK : fate % 2 ? UNKNOWN : ABORT;
        txn->lands = wild_throw(w, 2);
        txn->op_count = wild_rarely(w, 40) ? 0 : 1 + wild_throw(w, t % 3 ? 4 : OPS_MAX);
        for (unsigned i = 0; i < txn->op_count; i++)
            plan_op(w, &txn->ops[i], reads);
        w->file_order[t] = t;
    }
}

/* --- Running --------------------------------------------------------------------- */

bool wild_takes_effect(const struct txn *txn)
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

bool wild_writes_key(const struct op *op, unsigned key)
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

            if (!wild_writes_key(op, k))
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
        if ((visible & (UINT32_C(1) << t)) && wild_takes_effect(&w->txns[t]))
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

enum column wild_real_column(const struct wild *w, unsigned key, enum column column)
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
    enum column column = wild_real_column(w, key, term->column);
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
        w->txns[t].version_count[k] += wild_writes_key(op, k);
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

        if (is_own || wild_throw(w, 3))
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

        op->prefix = w->sight == ANEW ? t - wild_throw(w, t + 1) : txn->prefix;
        op->seen = state_of(w, w->sight == ANEW ? first(op->prefix) : txn->visible);
        overlay(w, t, i, &op->seen);
        run_op(w, t, op);
    }
}

static bool is_in_conflict(const struct wild *w, unsigned t)
{
    for (unsigned other = w->txns[t].prefix; other < t; other++)
        for (unsigned k = 0; k < w->key_count; k++)
            if (wild_takes_effect(&w->txns[other]) && w->txns[other].version_count[k] &&
                w->txns[t].version_count[k])
                return true;
    return false;
}

static void run(struct wild *w)
{
    for (unsigned t = 0; t < w->txn_count; t++) {
        struct txn *txn = &w->txns[t];

        txn->prefix = w->sight == SNAPSHOT || w->sight == PREFIX ? t - wild_throw(w, t + 1) : t;
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

/* --- All of it ------------------------------------------------------------------- */

void wild_history(struct dice *dice, struct buffer *out)
{
    static const unsigned lies[] = { 0, 0, 20, 8, 3, 1 };
    struct wild wild = { .dice = dice, .out = out }, *w = &wild;
    struct extras x;
    bool has_parts;

    w->sight = wild_throw(w, 2) ? ALL : (enum sight)wild_throw(w, SIGHT_COUNT);
    w->lies = lies[wild_throw(w, ROW_COUNT(lies))];
    w->repeats = wild_rarely(w, 3);
    w->writes_lists = wild_rarely(w, 4);
    plan_keys(w);
    plan_txns(w);
    run(w);
    x = wild_plan_extras(w);
    has_parts = wild_rarely(w, 10);
    wild_tell_header(w);
    for (unsigned t = 1; t < w->txn_count; t++)
        if (wild_is_wrong(w, &x) || wild_rarely(w, 20)) {
            w->file_order[t] = w->file_order[t - 1];
            w->file_order[t - 1] = t;
        }
    for (unsigned t = 0; t < w->txn_count; t++)
        wild_tell_txn(w, w->file_order[t], &x, has_parts);
    for (unsigned k = 0; x.orders && k < w->key_count; k++)
        if (!wild_is_missing(w, &x))
            wild_tell_order(w, k, &x);
}
