/*
 * The shapes of logs of calls. They are audited with shape_log_program.
 */
#include "tests/hostile/shapes_private.h"

#include <inttypes.h>

const char shape_log_program[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE FUNCTION add(p_id bigint, p_n bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "    v_v bigint;\n"
    "BEGIN\n"
    "    SELECT v INTO v_v FROM t WHERE id = p_id;\n"
    "    UPDATE t SET v = v_v + p_n WHERE id = p_id;\n"
    "    RETURN v_v;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION spin(p_n bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "    v_n bigint := 0;\n"
    "BEGIN\n"
    "    FOR i IN 1..p_n LOOP\n"
    "        v_n := (v_n + i) % 1000;\n"
    "    END LOOP;\n"
    "    RETURN v_n;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION all_of_it() RETURNS numeric LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "    v_sum numeric;\n"
    "BEGIN\n"
    "    SELECT sum(v) INTO v_sum FROM t;\n"
    "    RETURN v_sum;\n"
    "END;\n"
    "$$;\n";

static void log_head(FILE *out, uint64_t rows)
{
    fputs("{\"ordeal-log\":1,\"rows\":{\"t\":[", out);
    for (uint64_t i = 1; i <= rows; i++)
        fprintf(out, "%s{\"id\":\"%" PRIu64 "\",\"v\":\"0\"}", i > 1 ? "," : "", i);
    fputs("]}}\n", out);
}

static void log_call(FILE *out, uint64_t txn, const char *call, const char *status)
{
    fprintf(out, "{\"txn\":%" PRIu64 ",\"call\":%s,\"status\":\"%s\"", txn, call, status);
}

static void log_depth(FILE *out, uint64_t size)
{
    fputs("{\"ordeal-log\":1,\"rows\":{\"t\":[", out);
    repeat(out, "[", size);
    fputs("\n", out);
}

static void log_columns(FILE *out, uint64_t size)
{
    fputs("{\"ordeal-log\":1,\"rows\":{\"t\":[{", out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "\"c%" PRIu64 "\":null,", i);
    fputs("\"v\":\"0\"}]}}\n", out);
}

/* A call of all_of_it() that answers these rows, with one piece again and again. */
static void log_answer(FILE *out, const char *begin, const char *piece, uint64_t size,
                       const char *end)
{
    log_call(out, 1, "\"all_of_it\"", "ok");
    fprintf(out, ",\"answers\":[{\"rows\":[%s", begin);
    repeat(out, piece, size);
    fprintf(out, "%s]}]}\n", end);
}

static void log_rows(FILE *out, uint64_t size)
{
    log_head(out, size);
    log_answer(out, "", "", 0, "[\"0\"]");
}

static void log_values(FILE *out, uint64_t size)
{
    log_head(out, 1);
    log_answer(out, "[", "\"\",", size, "null]");
}

static void log_empty_rows(FILE *out, uint64_t size)
{
    log_head(out, 1);
    log_answer(out, "", "[],", size, "[]");
}

static void log_functions(FILE *out, uint64_t size)
{
    log_head(out, 1);
    for (uint64_t i = 1; i <= size; i++)
        fprintf(out, "{\"txn\":%" PRIu64 ",\"call\":\"f%" PRIu64 "\",\"status\":\"abort\",\"error\":\"%05" PRIu64 "\"}\n", i, i,
                i % 100000);
}

/* Nobody knows the order, and one answer of them is impossible. */
static void log_contention(FILE *out, uint64_t size)
{
    log_head(out, 1);
    for (uint64_t i = 1; i <= size; i++) {
        log_call(out, i, "\"add\",\"arguments\":[\"1\",\"1\"]", "ok");
        fprintf(out, ",\"answers\":[{\"rows\":[[\"%" PRIu64 "\"]]}]}\n", i == size ? i * 2 : (i * 7919) % size);
    }
}

/* Each of them has happened, or not. */
static void log_unknowns(FILE *out, uint64_t size)
{
    log_head(out, 1);
    for (uint64_t i = 1; i <= size; i++) {
        char call[80];

        snprintf(call, sizeof call, "\"add\",\"arguments\":[\"1\",\"%" PRIu64 "\"]", i * 2);
        log_call(out, i, call, "unknown");
        fputs("}\n", out);
    }
    log_call(out, size + 1, "\"all_of_it\"", "ok");
    fputs(",\"answers\":[{\"rows\":[[\"1001\"]]}]}\n", out);
}

static void log_loops(FILE *out, uint64_t size)
{
    log_head(out, 1);
    for (uint64_t i = 1; i <= 100; i++) {
        char call[80];

        snprintf(call, sizeof call, "\"spin\",\"arguments\":[\"%" PRIu64 "\"]", size);
        log_call(out, i, call, "ok");
        fputs("}\n", out);
    }
}

/* Each has its statement, and so its own text. */
static void log_statements(FILE *out, uint64_t size)
{
    log_head(out, 10);
    for (uint64_t i = 1; i <= size; i++)
        fprintf(out,
                "{\"txn\":%" PRIu64 ",\"statements\":[{\"sql\":\"SELECT v FROM t WHERE id = %" PRIu64
                "\"}],\"status\":\"ok\",\"answers\":[{\"rows\":[]}]}\n",
                i, i + 10);
}

static void log_statement(FILE *out, uint64_t size)
{
    log_head(out, 1);
    fputs("{\"txn\":1,\"statements\":[{\"sql\":\"SELECT ", out);
    repeat(out, "(1+", size);
    fputs("1", out);
    repeat(out, ")", size);
    fputs("\"}],\"status\":\"ok\",\"answers\":[{\"rows\":[]}]}\n", out);
}

const struct shape shapes_of_logs[] = {
    { "log-depth", "log", 10000000, log_depth },
    { "log-columns", "log", 1000000, log_columns },
    { "log-rows", "log", 1000000, log_rows },
    { "log-values", "log", 10000000, log_values },
    { "log-empty-rows", "log", 10000000, log_empty_rows },
    { "log-functions", "log", 500000, log_functions },
    { "log-contention", "log", 20000, log_contention },
    { "log-unknowns", "log", 2000, log_unknowns },
    { "log-loops", "log", 1000000000, log_loops },
    { "log-statements", "log", 100000, log_statements },
    { "log-statement", "log", 100000, log_statement },
    { .name = NULL },
};
