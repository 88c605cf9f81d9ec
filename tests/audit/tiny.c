#include "tests/audit/tiny.h"

#include <string.h>

static const char table[] = "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n";

static const char *const functions[TINY_CALL_COUNT] = {
    [TINY_RMW] =
        "CREATE FUNCTION rmw(p_k bigint, p_c bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
        "DECLARE x bigint; BEGIN\n"
        "    SELECT v INTO x FROM t WHERE id = p_k;\n"
        "    UPDATE t SET v = x + p_c WHERE id = p_k;\n"
        "    RETURN x; END; $$;\n",
    [TINY_SKEW] =
        "CREATE FUNCTION skew(p_k bigint, p_l bigint, p_c bigint) RETURNS boolean LANGUAGE plpgsql AS $$\n"
        "DECLARE x bigint; y bigint; BEGIN\n"
        "    SELECT v INTO x FROM t WHERE id = p_k;\n"
        "    SELECT v INTO y FROM t WHERE id = p_l;\n"
        "    IF x + y >= p_c THEN\n"
        "        UPDATE t SET v = x - p_c WHERE id = p_k;\n"
        "        RETURN true;\n"
        "    END IF;\n"
        "    RETURN false; END; $$;\n",
    [TINY_QUIET] =
        "CREATE FUNCTION quiet(p_k bigint, p_c bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
        "    UPDATE t SET v = v + p_c WHERE id = p_k; END; $$;\n",
    [TINY_COPY] =
        "CREATE FUNCTION copy(p_k bigint, p_l bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
        "DECLARE x bigint; BEGIN\n"
        "    SELECT v INTO x FROM t WHERE id = p_k;\n"
        "    IF FOUND THEN\n"
        "        UPDATE t SET v = x WHERE id = p_l;\n"
        "    END IF; END; $$;\n",
    [TINY_TWICE] =
        "CREATE FUNCTION twice(p_k bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
        "DECLARE x bigint; y bigint; BEGIN\n"
        "    SELECT v INTO x FROM t WHERE id = p_k;\n"
        "    SELECT v INTO y FROM t WHERE id = p_k;\n"
        "    RETURN x * 1000 + y; END; $$;\n",
    [TINY_TAKE] =
        "CREATE FUNCTION take() RETURNS bigint LANGUAGE plpgsql AS $$\n"
        "DECLARE x bigint; BEGIN\n"
        "    SELECT id INTO x FROM t ORDER BY id LIMIT 1;\n"
        "    IF FOUND THEN\n"
        "        DELETE FROM t WHERE id = x;\n"
        "    END IF;\n"
        "    RETURN x; END; $$;\n",
    [TINY_LAST] =
        "CREATE FUNCTION last(p_c bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
        "DECLARE x bigint; BEGIN\n"
        "    SELECT id INTO x FROM t WHERE v = p_c ORDER BY id DESC LIMIT 1;\n"
        "    RETURN x; END; $$;\n",
};

/* --- Printing ------------------------------------------------------------------------------- */

void tiny_print_program(const struct tiny_log *log, struct buffer *out)
{
    buffer_print(out, "%s", table);
    for (int call = 1; call < TINY_CALL_COUNT; call++) {
        bool is_called = !log;

        for (int i = 0; log && i < log->count; i++)
            is_called |= log->txns[i].call == (enum tiny_call)call;
        if (is_called)
            buffer_print(out, "%s", functions[call]);
    }
}

static void print_sql(const struct tiny_statement *s, struct buffer *out)
{
    int k = s->k, c = s->c, d = s->d;

    switch (s->kind) {
    case TINY_READ:
        buffer_print(out, "SELECT v FROM t WHERE id = %d", k);
        return;
    case TINY_READ_FOR_UPDATE:
        buffer_print(out, "SELECT v FROM t WHERE id = %d FOR UPDATE", k);
        return;
    case TINY_LOCK_FROM:
        buffer_print(out, "SELECT id, v FROM t WHERE v >= %d FOR UPDATE", c);
        return;
    case TINY_SUM:
        buffer_print(out, "SELECT sum(v) FROM t");
        return;
    case TINY_COUNT_FROM:
        buffer_print(out, "SELECT count(*) FROM t WHERE v >= %d", c);
        return;
    case TINY_ALL:
        buffer_print(out, "SELECT id, v FROM t ORDER BY v");
        return;
    case TINY_FIRST:
        buffer_print(out, "SELECT id, v FROM t ORDER BY v LIMIT 1");
        return;
    case TINY_SET:
        buffer_print(out, "UPDATE t SET v = %d WHERE id = %d", c, k);
        return;
    case TINY_ADD:
        buffer_print(out, "UPDATE t SET v = v + %d WHERE id = %d", c, k);
        return;
    case TINY_ADD_IF:
        buffer_print(out, "UPDATE t SET v = v + %d WHERE id = %d AND v >= %d", c, k, d);
        return;
    case TINY_ADD_FROM:
        buffer_print(out, "UPDATE t SET v = v + %d WHERE v >= %d", c, d);
        return;
    case TINY_ADD_RETURNING:
        buffer_print(out, "UPDATE t SET v = v + %d WHERE id = %d RETURNING v", c, k);
        return;
    case TINY_INSERT:
        buffer_print(out, "INSERT INTO t VALUES (%d, %d)", k, c);
        return;
    case TINY_INSERT_QUIETLY:
        buffer_print(out, "INSERT INTO t VALUES (%d, %d) ON CONFLICT DO NOTHING", k, c);
        return;
    case TINY_UPSERT:
        buffer_print(out, "INSERT INTO t VALUES (%d, %d) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v", k, c);
        return;
    case TINY_DELETE:
        buffer_print(out, "DELETE FROM t WHERE id = %d", k);
        return;
    default:
        buffer_print(out, "DELETE FROM t WHERE v >= %d", c);
    }
}

static void print_answer(const struct tiny_txn *txn, const struct tiny_answer *a, struct buffer *out)
{
    if (a->is_missing) {
        buffer_print(out, "null");
        return;
    }
    if (!a->is_rows) {
        buffer_print(out, "{\"count\":%d}", a->count);
        return;
    }
    buffer_print(out, "{\"rows\":[");
    for (int r = 0; r < a->count; r++) {
        buffer_print(out, "%s[", r > 0 ? "," : "");
        for (int i = 0; i < a->width; i++) {
            int cell = a->cells[r * a->width + i];

            if (i > 0)
                buffer_byte(out, ',');
            if (cell == TINY_NULL)
                buffer_print(out, "null");
            else if (txn->call == TINY_SKEW)
                buffer_print(out, "\"%s\"", cell ? "t" : "f");
            else
                buffer_print(out, "\"%d\"", cell);
        }
        buffer_byte(out, ']');
    }
    buffer_print(out, "]}");
}

static void print_what(const struct tiny_txn *txn, struct buffer *out)
{
    static const struct {
        const char *name;
        int arguments;
    } calls[TINY_CALL_COUNT] = { [TINY_RMW] = { "rmw", 2 },   [TINY_SKEW] = { "skew", 3 },
                                 [TINY_QUIET] = { "quiet", 2 }, [TINY_COPY] = { "copy", 2 },
                                 [TINY_TWICE] = { "twice", 1 }, [TINY_TAKE] = { "take", 0 },
                                 [TINY_LAST] = { "last", 1 } };

    if (txn->call != TINY_STATEMENTS) {
        buffer_print(out, "\"call\":\"%s\",\"arguments\":[", calls[txn->call].name);
        for (int i = 0; i < calls[txn->call].arguments; i++)
            buffer_print(out, "%s\"%d\"", i > 0 ? "," : "", txn->arguments[i]);
        buffer_print(out, "]");
        return;
    }
    buffer_print(out, "\"statements\":[");
    for (int i = 0; i < txn->statement_count; i++) {
        buffer_print(out, "%s{\"sql\":\"", i > 0 ? "," : "");
        print_sql(&txn->statements[i], out);
        buffer_print(out, "\"}");
    }
    buffer_print(out, "]");
}

void tiny_print(const struct tiny_log *log, struct buffer *out)
{
    static const char *const statuses[] = { "ok", "abort", "unknown" };
    const char *comma = "";

    buffer_print(out, "{\"ordeal-log\":1,\"rows\":{\"t\":[");
    for (int k = 0; k < TINY_ROWS; k++)
        if (log->initial.rows[k].is_there) {
            buffer_print(out, "%s{\"id\":\"%d\",\"v\":\"%d\"}", comma, k + 1, log->initial.rows[k].v);
            comma = ",";
        }
    buffer_print(out, "]}%s}\n", log->ts_is_hint ? ",\"ts\":\"hint\"" : "");
    for (int i = 0; i < log->count; i++) {
        const struct tiny_txn *txn = &log->txns[i];
        int answers = txn->call == TINY_STATEMENTS ? txn->statement_count : 1;

        buffer_print(out, "{\"txn\":%d,\"session\":%d,", i + 1, i);
        print_what(txn, out);
        buffer_print(out, ",\"status\":\"%s\"", statuses[txn->status]);
        if (txn->has_times)
            buffer_print(out, ",\"at\":[%d,%d]", txn->invoked, txn->completed);
        if (txn->has_ts)
            buffer_print(out, ",\"ts\":%d", txn->ts);
        buffer_print(out, ",\"answers\":[");
        for (int k = 0; k < answers; k++) {
            buffer_print(out, "%s", k > 0 ? "," : "");
            print_answer(txn, &txn->answers[k], out);
        }
        buffer_print(out, "]}\n");
    }
}

/* --- Running ------------------------------------------------------------------------------------ */

/* A statement that runs: what is there, first as it is seen, then as it is found by who locks. */
struct working {
    const struct tiny_sight *sight;
    struct tiny_run *run;
};

static struct tiny_row seen(const struct working *w, int k)
{
    return w->run->writes[k] ? w->run->after.rows[k] : w->sight->see(w->sight->context, k);
}

static struct tiny_row newest(const struct working *w, int k)
{
    if (w->run->writes[k])
        return w->run->after.rows[k];
    return w->sight->is_locking ? w->sight->newest->rows[k] : w->sight->see(w->sight->context, k);
}

static void write_row(const struct working *w, int k, bool is_there, int v)
{
    w->run->writes[k] = true;
    w->run->after.rows[k] = (struct tiny_row){ is_there, is_there ? v : 0 };
}

/* Which rows a condition means: v >= d of row k, or of any if k is 0. */
static bool is_target(const struct working *w, const struct tiny_statement *s, int k, int least)
{
    struct tiny_row row;

    if (s->k > 0 && s->k != k + 1)
        return false;
    row = seen(w, k);
    if (!row.is_there || row.v < least)
        return false;
    row = newest(w, k);
    return row.is_there && row.v >= least;
}

#define ANYTHING (-1000000)

static void give_row(struct tiny_answer *a, int first, int second)
{
    a->is_rows = true;
    a->cells[a->count * a->width] = first;
    if (a->width == 2)
        a->cells[a->count * a->width + 1] = second;
    a->count++;
}

/* By v, and by id where that is the same. */
static void sort_rows(struct tiny_answer *a)
{
    for (int i = 1; i < a->count; i++)
        for (int k = i; k > 0; k--) {
            int *x = &a->cells[2 * (k - 1)], *y = &a->cells[2 * k];
            int id = x[0], v = x[1];

            if (x[1] < y[1] || (x[1] == y[1] && x[0] < y[0]))
                break;
            x[0] = y[0], x[1] = y[1];
            y[0] = id, y[1] = v;
        }
}

static void read_rows(const struct working *w, const struct tiny_statement *s, struct tiny_answer *a)
{
    int sum = 0, count = 0, matching = 0;

    a->is_rows = true;
    a->width = s->kind == TINY_ALL || s->kind == TINY_FIRST || s->kind == TINY_LOCK_FROM ? 2 : 1;
    for (int k = 0; k < TINY_ROWS; k++) {
        struct tiny_row row = { false, 0 };

        if (s->kind == TINY_READ || s->kind == TINY_READ_FOR_UPDATE) {
            if (s->k != k + 1)
                continue;
            row = seen(w, k);
            if (s->kind == TINY_READ_FOR_UPDATE && row.is_there)
                row = newest(w, k);
            if (row.is_there)
                give_row(a, row.v, 0);
            continue;
        }
        if (s->kind == TINY_LOCK_FROM) {
            if (is_target(w, &(struct tiny_statement){ .k = 0 }, k, s->c))
                give_row(a, k + 1, newest(w, k).v);
            continue;
        }
        row = seen(w, k);
        if (!row.is_there)
            continue;
        count++;
        sum += row.v;
        matching += row.v >= s->c;
        if (s->kind == TINY_ALL || s->kind == TINY_FIRST)
            give_row(a, k + 1, row.v);
    }
    if (s->kind == TINY_SUM)
        give_row(a, count > 0 ? sum : TINY_NULL, 0);
    if (s->kind == TINY_COUNT_FROM)
        give_row(a, matching, 0);
    if (s->kind == TINY_ALL || s->kind == TINY_FIRST)
        sort_rows(a);
}

static void change_rows(const struct working *w, const struct tiny_statement *s, struct tiny_answer *a)
{
    struct tiny_statement where = *s;
    int least = ANYTHING;

    if (s->kind == TINY_ADD_FROM || s->kind == TINY_DELETE_FROM)
        where.k = 0;
    if (s->kind == TINY_ADD_IF || s->kind == TINY_ADD_FROM)
        least = s->d;
    if (s->kind == TINY_DELETE_FROM)
        least = s->c;
    a->width = 1;
    a->is_rows = s->kind == TINY_ADD_RETURNING;
    for (int k = 0; k < TINY_ROWS; k++) {
        int v;

        if (!is_target(w, &where, k, least))
            continue;
        v = s->kind == TINY_SET ? s->c : newest(w, k).v + s->c;
        write_row(w, k, s->kind != TINY_DELETE && s->kind != TINY_DELETE_FROM, v);
        if (a->is_rows)
            give_row(a, v, 0);
        else
            a->count++;
    }
}

static void insert_row(const struct working *w, const struct tiny_statement *s, struct tiny_answer *a)
{
    struct tiny_row row = newest(w, s->k - 1);

    if (row.is_there && s->kind == TINY_INSERT)
        w->run->is_wrong = true; /* an error, with which nothing commits */
    if (row.is_there && s->kind != TINY_UPSERT)
        return;
    write_row(w, s->k - 1, true, row.is_there ? row.v + s->c : s->c);
    a->count = 1;
}

static void run_statement(const struct working *w, const struct tiny_statement *s, struct tiny_answer *a)
{
    *a = (struct tiny_answer){ .count = 0 };
    w->sight->next_statement(w->sight->context);
    w->run->place_counts |= s->kind >= TINY_SET || s->kind == TINY_READ_FOR_UPDATE ||
                            s->kind == TINY_LOCK_FROM;
    if (s->kind < TINY_SET)
        read_rows(w, s, a);
    else if (s->kind == TINY_INSERT || s->kind == TINY_INSERT_QUIETLY || s->kind == TINY_UPSERT)
        insert_row(w, s, a);
    else
        change_rows(w, s, a);
}

/* The value of row k, or TINY_NULL. */
static int read_value(const struct working *w, int k)
{
    struct tiny_answer a;

    run_statement(w, &(struct tiny_statement){ TINY_READ, k, 0, 0 }, &a);
    return a.count > 0 ? a.cells[0] : TINY_NULL;
}

static void set_value(const struct working *w, int k, int v)
{
    struct tiny_answer a;

    run_statement(w, &(struct tiny_statement){ TINY_SET, k, v, 0 }, &a);
    /* SET v = NULL, of a row that there is */
    if (v == TINY_NULL && a.count > 0)
        w->run->is_wrong = true;
}

/* The number of the first row in which v is c, or of the last; or TINY_NULL. */
static int find_row(const struct working *w, bool is_last, int c)
{
    w->sight->next_statement(w->sight->context);
    for (int i = 0; i < TINY_ROWS; i++) {
        int k = is_last ? TINY_ROWS - 1 - i : i;
        struct tiny_row row = seen(w, k);

        if (row.is_there && (c == ANYTHING || row.v == c))
            return k + 1;
    }
    return TINY_NULL;
}

static void run_call(const struct working *w, const struct tiny_txn *txn, struct tiny_answer *a)
{
    const int *p = txn->arguments;
    struct tiny_answer ignored;
    int x, y;

    *a = (struct tiny_answer){ .is_rows = true, .width = 1 };
    switch (txn->call) {
    case TINY_RMW:
        x = read_value(w, p[0]);
        set_value(w, p[0], x == TINY_NULL ? TINY_NULL : x + p[1]);
        give_row(a, x, 0);
        return;
    case TINY_SKEW:
        x = read_value(w, p[0]);
        y = read_value(w, p[1]);
        if (x != TINY_NULL && y != TINY_NULL && x + y >= p[2]) {
            set_value(w, p[0], x - p[2]);
            give_row(a, 1, 0);
        } else {
            give_row(a, 0, 0);
        }
        return;
    case TINY_QUIET:
        run_statement(w, &(struct tiny_statement){ TINY_ADD, p[0], p[1], 0 }, &ignored);
        return;
    case TINY_COPY:
        x = read_value(w, p[0]);
        if (x != TINY_NULL)
            set_value(w, p[1], x);
        return;
    case TINY_TAKE:
        x = find_row(w, false, ANYTHING);
        if (x != TINY_NULL)
            run_statement(w, &(struct tiny_statement){ TINY_DELETE, x, 0, 0 }, &ignored);
        give_row(a, x, 0);
        return;
    case TINY_LAST:
        give_row(a, find_row(w, true, p[0]), 0);
        return;
    default:
        x = read_value(w, p[0]);
        y = read_value(w, p[0]);
        give_row(a, x == TINY_NULL || y == TINY_NULL ? TINY_NULL : x * 1000 + y, 0);
    }
}

static bool same_sorted(const struct tiny_answer *a, struct tiny_answer logged)
{
    sort_rows(&logged);
    return memcmp(a->cells, logged.cells, (size_t)(2 * a->count) * sizeof(int)) == 0;
}

/* `a` is what it would be: of TINY_FIRST all rows, any of which may be the first that has none below it. */
static bool is_answer(const struct tiny_txn *txn, int number, const struct tiny_answer *a,
                      const struct tiny_answer *logged)
{
    enum tiny_kind kind = txn->call == TINY_STATEMENTS ? txn->statements[number].kind : TINY_READ;

    if (logged->is_missing)
        return true;
    if (logged->is_rows != a->is_rows)
        return false;
    if (kind == TINY_FIRST) {
        if (a->count == 0 || logged->count != 1)
            return a->count == 0 && logged->count == 0;
        for (int i = 0; i < a->count && a->cells[2 * i + 1] == a->cells[1]; i++)
            if (a->cells[2 * i] == logged->cells[0] && a->cells[2 * i + 1] == logged->cells[1])
                return true;
        return false;
    }
    if (logged->count != a->count)
        return false;
    if (kind == TINY_LOCK_FROM) { /* in any order */
        struct tiny_answer sorted = *a;

        sort_rows(&sorted);
        return same_sorted(&sorted, *logged);
    }
    /* By v as the log has it, or the order was wrong. */
    if (kind == TINY_ALL) {
        for (int i = 1; i < logged->count; i++)
            if (logged->cells[2 * i - 1] > logged->cells[2 * i + 1])
                return false;
        return same_sorted(a, *logged);
    }
    return !a->is_rows ||
           memcmp(a->cells, logged->cells, (size_t)(a->count * a->width) * sizeof(int)) == 0;
}

void tiny_run_txn(const struct tiny_txn *txn, const struct tiny_sight *sight, bool compares,
                  struct tiny_run *run)
{
    struct working w = { sight, run };
    int count = txn->call == TINY_STATEMENTS ? txn->statement_count : 1;

    memset(run, 0, sizeof *run);
    for (int i = 0; i < count && !run->is_wrong; i++) {
        if (txn->call == TINY_STATEMENTS)
            run_statement(&w, &txn->statements[i], &run->answers[i]);
        else
            run_call(&w, txn, &run->answers[i]);
        if (compares && !is_answer(txn, i, &run->answers[i], &txn->answers[i]))
            run->is_wrong = true;
    }
}
