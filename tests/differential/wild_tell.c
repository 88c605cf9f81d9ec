#include "tests/differential/wild_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* --- Telling: values ------------------------------------------------------------- */

static struct content another_list(struct wild *w, unsigned key, const struct content *told)
{
    struct content list = *told;
    unsigned i = list.count ? wild_throw(w, list.count) : 0;

    switch (wild_throw(w, 4)) {
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
                    list.count + 1 < ELEMENTS_MAX && wild_rarely(w, 3))
                    list.elements[list.count++] = w->txns[t].ops[o].answer.number;
        break;
    default: /* an older one */
        list.count = i;
    }
    list.exists = list.count > 0 || wild_throw(w, 2);
    return list;
}

/* Another version of the key, or nothing, or what nobody wrote. */
static struct content another(struct wild *w, unsigned key, const struct content *told)
{
    struct content content = w->initial[key];
    unsigned seen = 1;

    if (w->form[key] == LIST && wild_throw(w, 4))
        return another_list(w, key, told);
    if (wild_rarely(w, 6))
        return (struct content){ 0 };
    if (wild_rarely(w, 8) && w->form[key] != LIST)
        return (struct content){ .exists = true, .number = 77 };
    for (unsigned t = 0; t < w->txn_count; t++)
        for (unsigned i = 0; i < w->txns[t].op_count; i++) {
            const struct op *op = &w->txns[t].ops[i];

            if (wild_writes_key(op, key) && op->kind != APPEND && wild_rarely(w, ++seen))
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
    if (wild_is_row(w, key)) {
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
        buffer_print(w->out, w->form[key] == LIST && wild_throw(w, 2) ? "[]" : "null");
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
    enum column column = wild_real_column(w, key, term->column);

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

    if (op->telling != LIMITED || wild_throw(w, 4))
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
        if (w->form[k] != w->form[op->key] || !wild_lies(w))
            continue;
        if (op->has_row[k] && wild_rarely(w, 3)) {
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
    if (op->kind == READ && wild_lies(w))
        op->answer = another(w, op->key, &op->answer);
    buffer_print(w->out, ",\"v\":");
    if (op->kind == APPEND)
        buffer_print(w->out, "%d", op->answer.number);
    else
        tell_content(w, op->key, &op->answer);
}

/* --- Telling: times and certificate ------------------------------------------------ */

bool wild_is_missing(struct wild *w, const struct extras *x)
{
    return x->gaps > 0 && wild_rarely(w, x->gaps);
}

bool wild_is_wrong(struct wild *w, const struct extras *x)
{
    return x->wrongs > 0 && wild_rarely(w, x->wrongs);
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

    if (nth == count && wild_throw(w, 6))
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

        if ((!is_asked && wild_throw(w, 8)) || wild_is_missing(w, x) || (txn == t && wild_throw(w, 8)))
            continue;
        if (wild_is_wrong(w, x)) {
            txn = wild_throw(w, w->txn_count);
            nth = 1 + wild_throw(w, w->txns[txn].version_count[k] + 1);
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

void wild_tell_order(struct wild *w, unsigned key, const struct extras *x)
{
    unsigned listed[TXNS_MAX], count = 0;

    for (unsigned t = 0; t < w->txn_count; t++) {
        const struct txn *txn = &w->txns[t];
        bool is_in = wild_takes_effect(txn);

        if (wild_is_wrong(w, x) && txn->status != OK)
            is_in = txn->status == UNKNOWN ? !is_in : wild_rarely(w, 4);
        if (is_in && txn->version_count[key] > 0 && !wild_is_missing(w, x))
            listed[count++] = t;
    }
    for (unsigned i = 1; i < count; i++)
        if (wild_is_wrong(w, x)) {
            unsigned other = wild_throw(w, i), t = listed[i];

            listed[i] = listed[other];
            listed[other] = t;
        }
    if (count == 0 && wild_throw(w, 8))
        return;
    buffer_print(w->out, "{\"version-order\":{");
    tell_key(w, key);
    buffer_print(w->out, ":[");
    for (unsigned i = 0; i < count; i++) {
        unsigned versions = w->txns[listed[i]].version_count[key];

        buffer_print(w->out, "%s", i ? "," : "");
        if (versions > 1 && wild_is_wrong(w, x)) {
            tell_version(w, listed[i], 1, key);
            buffer_byte(w->out, ',');
        }
        tell_version(w, listed[i], wild_rarely(w, 200) ? 1 : versions, key);
    }
    buffer_print(w->out, "]}}\n");
}

struct extras wild_plan_extras(struct wild *w)
{
    struct extras x = { 0 };
    bool knows = wild_throw(w, 2);

    x.txn_times = wild_throw(w, 2);
    x.op_times = x.txn_times ? wild_throw(w, 2) : wild_rarely(w, 20);
    x.ts = knows && wild_throw(w, 4);
    x.orders = knows && wild_throw(w, 4);
    x.txn_snapshots = x.ts && (w->sight == SNAPSHOT || w->sight == PREFIX || wild_rarely(w, 10));
    x.op_snapshots = x.ts && (w->sight == ANEW || wild_rarely(w, 10));
    x.sets = knows && wild_rarely(w, 4);
    x.gaps = wild_rarely(w, 3) ? 3 + wild_throw(w, 20) : 0;
    x.wrongs = wild_throw(w, 3) == 0 ? 3 + wild_throw(w, 20) : 0;
    return x;
}

/* Within its transaction, mostly about when it ran. */
static void tell_op_times(struct wild *w, unsigned t, unsigned i, const struct extras *x)
{
    struct txn *txn = &w->txns[t];
    int64_t invoked = instant_of(t) - TICK / 2 + 10 * (int64_t)i, completed = invoked + wild_throw(w, 10);

    if (wild_is_wrong(w, x))
        invoked += (int64_t)wild_throw(w, 2 * TICK) - TICK;
    if (wild_is_wrong(w, x))
        completed += (int64_t)wild_throw(w, 2 * TICK);
    if (x->txn_times && !wild_rarely(w, 300)) {
        invoked = between(txn->invoked, invoked, txn->completed);
        completed = between(invoked, completed, txn->completed);
    }
    if (!wild_rarely(w, 300))
        invoked = between(txn->last, invoked, INT64_MAX);
    txn->last = invoked;
    tell_times(w, invoked, completed < invoked ? invoked : completed, !wild_is_wrong(w, x));
}

static void tell_op(struct wild *w, unsigned t, unsigned i, const struct extras *x)
{
    struct op *op = &w->txns[t].ops[i];

    if (op->kind >= SELECT)
        tell_statement(w, op);
    else
        tell_item(w, op);
    if ((op->kind == READ || op->kind == SELECT) && wild_rarely(w, 8))
        buffer_print(w->out, ",\"lock\":\"%s\"", wild_throw(w, 2) ? "update" : "share");
    if (x->op_times && !wild_is_missing(w, x))
        tell_op_times(w, t, i, x);
    if (x->op_snapshots && !wild_is_missing(w, x))
        tell_place(w, "snapshot", wild_is_wrong(w, x) ? instant_of(wild_throw(w, w->txn_count)) + TICK / 2
                                                 : instant_of(op->prefix) - TICK / 2, false);
    if (x->sets && !wild_is_missing(w, x))
        tell_set(w, op, t, x);
    if (op->is_refused)
        buffer_print(w->out, ",\"error\":\"refused\"");
    buffer_byte(w->out, '}');
}

void wild_tell_txn(struct wild *w, unsigned t, const struct extras *x, bool has_parts)
{
    static const char *const statuses[] = { "ok", "abort", "unknown" };
    struct txn *txn = &w->txns[t];

    txn->invoked = instant_of(t) - TICK / 2 - wild_throw(w, TICK);
    txn->completed = instant_of(t) + wild_throw(w, TICK + TICK / 2);
    if (wild_is_wrong(w, x))
        txn->invoked += (int64_t)wild_throw(w, 8 * TICK) - 4 * TICK;
    if (wild_is_wrong(w, x) || txn->completed < txn->invoked)
        txn->completed = txn->invoked + wild_throw(w, 2 * TICK);
    buffer_print(w->out, "{\"txn\":%" PRId64 ",\"session\":%u,\"status\":\"%s\"", txn->id,
                 txn->session, statuses[txn->status]);
    if (x->txn_times && !wild_is_missing(w, x))
        tell_times(w, txn->invoked, txn->completed,
                   txn->status == UNKNOWN ? !wild_throw(w, 4) : !wild_is_wrong(w, x));
    buffer_print(w->out, ",\"ops\":[");
    for (unsigned i = 0; i < txn->op_count; i++) {
        buffer_print(w->out, "%s", i ? "," : "");
        tell_op(w, t, i, x);
    }
    buffer_byte(w->out, ']');
    if (x->ts && !wild_is_missing(w, x))
        tell_place(w, "ts",
                   wild_is_wrong(w, x) ? instant_of(wild_throw(w, w->txn_count)) + wild_throw(w, 3)
                                  : instant_of(t),
                   has_parts);
    if (x->txn_snapshots && !wild_is_missing(w, x))
        tell_place(w, "snapshot",
                   (wild_is_wrong(w, x) ? instant_of(wild_throw(w, w->txn_count)) : instant_of(txn->prefix)) -
                       TICK / 2,
                   has_parts);
    buffer_print(w->out, "}\n");
}

void wild_tell_header(struct wild *w)
{
    bool has_any = false;

    buffer_print(w->out, "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\","
                         "\"name\":\"text\",\"flag\":\"boolean\"},\"key\":[\"id\"]},\"u\":{\"columns\":{\"id\":"
                         "\"bigint\",\"tag\":\"varchar(9)\",\"v\":\"integer\",\"amount\":\"numeric(9,2)\",\"l\":"
                         "\"bigint[]\"},\"key\":[\"id\",\"tag\"]}}");
    buffer_print(w->out, ",\"initial\":{");
    for (unsigned k = 0; k < w->key_count; k++) {
        if (!w->initial[k].exists && !wild_rarely(w, 10))
            continue;
        buffer_print(w->out, "%s", has_any ? "," : "");
        has_any = true;
        tell_key(w, k);
        buffer_byte(w->out, ':');
        tell_content(w, k, &w->initial[k]);
    }
    buffer_byte(w->out, '}');
    if (wild_throw(w, 2))
        buffer_print(w->out, ",\"unique\":%s", w->repeats == wild_rarely(w, 20) ? "true" : "false");
    if (wild_rarely(w, 30))
        buffer_print(w->out, ",\"workload\":\"bank\"");
    buffer_print(w->out, "}\n");
}
