/*
 * The shapes of scenarios, programs, witnesses, journals and profiles.
 */
#include "tests/hostile/shapes_private.h"

#include <inttypes.h>

/* --- Scenarios ----------------------------------------------------------------------------------------- */

static void scenario(FILE *out, const char *cluster)
{
    fprintf(out, "name = \"hostile\"\n[cluster]\n%s\n", cluster);
}

static void deep_toml(FILE *out, uint64_t size)
{
    fputs("name = ", out);
    repeat(out, "[", size);
    repeat(out, "]", size);
    fputs("\n", out);
}

static void toml_tables(FILE *out, uint64_t size)
{
    scenario(out, "nodes = 3");
    fputs("[workload]\nkind = \"bank\"\n", out);
    repeat(out, "[[nemesis]]\nkind = \"pause\"\nevery = \"1s\"\n", size);
}

static void toml_dots(FILE *out, uint64_t size)
{
    fputs("a", out);
    repeat(out, ".a", size);
    fputs(" = 1\n", out);
}

static void toml_array(FILE *out, uint64_t size)
{
    scenario(out, "");
    fputs("bugs = [", out);
    repeat(out, "\"no-timestamp-cache\",", size);
    fputs("]\n[workload]\nkind = \"bank\"\n", out);
}

static void toml_text(FILE *out, uint64_t size)
{
    fputs("name = \"", out);
    repeat(out, "\\u001B", size);
    fputs("\"\n", out);
}

static void many_steps(FILE *out, uint64_t size)
{
    scenario(out, "nodes = 3");
    fputs("[workload]\nkind = \"bank\"\n", out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "[[transaction]]\nsession = %" PRIu64 "\nat = \"%" PRIu64 "ns\"\ndo = [\"r 1\"]\n", i % 5, i);
}

static void huge_run(FILE *out, uint64_t size)
{
    scenario(out, "nodes = 255\nreplicas = 9\nshards = 64");
    fprintf(out, "[workload]\nkind = \"list-append\"\nsessions = 900\ntransactions = %" PRIu64 "\nduration = \"24h\"\n",
            size);
}

static void short_elections(FILE *out, uint64_t size)
{
    (void)size;
    scenario(out, "election = \"1ns\"\nheartbeat = \"1ns\"");
    fputs("[workload]\nkind = \"bank\"\ntransactions = 10\n", out);
}

static void short_timeouts(FILE *out, uint64_t size)
{
    (void)size;
    scenario(out, "ask_timeout = \"1ns\"\nin_doubt = \"2ns\"\ngossip = \"1ns\"");
    fputs("[workload]\nkind = \"bank\"\ntransactions = 10\ntimeout = \"1ns\"\nbackoff = \"1ns\"\n", out);
}

static void many_rows(FILE *out, uint64_t size)
{
    scenario(out, "nodes = 3");
    fprintf(out, "[workload]\nkind = \"ycsb\"\nkeys = %" PRIu64 "\ntransactions = 10\n", size);
}

static void many_accounts(FILE *out, uint64_t size)
{
    scenario(out, "nodes = 3");
    fprintf(out, "[workload]\nkind = \"bank\"\nkeys = %" PRIu64 "\ntransactions = 1000\n", size);
}

static void long_operations(FILE *out, uint64_t size)
{
    scenario(out, "nodes = 3");
    fprintf(out,
            "[workload]\nkind = \"rw-register\"\noperations_min = 1000\noperations_max = 1000\ntransactions = %" PRIu64 "\n",
            size);
}

static void pings(FILE *out, uint64_t size)
{
    (void)size;
    scenario(out, "nodes = 255");
    fputs("[workload]\nkind = \"ping\"\ninterval = \"1ns\"\nduration = \"24h\"\n", out);
}

/* --- Programs ------------------------------------------------------------------------------------------- */

static void program_begin(FILE *out)
{
    fputs("CREATE TABLE t (id bigint PRIMARY KEY, v bigint);\n", out);
}

static void function_begin(FILE *out)
{
    program_begin(out);
    fputs("CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE x bigint; BEGIN\n", out);
}

static void function_end(FILE *out)
{
    fputs("RETURN 1; END $$;\n", out);
}

static void deep_sql(FILE *out, uint64_t size)
{
    function_begin(out);
    fputs("x := ", out);
    repeat(out, "(", size);
    fputs("1", out);
    repeat(out, ")", size);
    fputs(";\n", out);
    function_end(out);
}

static void deep_sum(FILE *out, uint64_t size)
{
    function_begin(out);
    fputs("x := 1", out);
    repeat(out, " + 1", size);
    fputs(";\n", out);
    function_end(out);
}

static void deep_queries(FILE *out, uint64_t size)
{
    function_begin(out);
    fputs("SELECT v INTO x FROM t WHERE id IN (1", out);
    repeat(out, ", (SELECT v FROM t WHERE id IN (1", size);
    repeat(out, "))", size);
    fputs(");\n", out);
    function_end(out);
}

static void deep_blocks(FILE *out, uint64_t size)
{
    function_begin(out);
    repeat(out, "IF true THEN\n", size);
    repeat(out, "END IF;\n", size);
    function_end(out);
}

static void many_statements(FILE *out, uint64_t size)
{
    function_begin(out);
    repeat(out, "UPDATE t SET v = v + 1 WHERE id = 1;\n", size);
    function_end(out);
}

static void many_functions(FILE *out, uint64_t size)
{
    program_begin(out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "CREATE FUNCTION f%" PRIu64 "() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;\n", i);
}

static void many_relations(FILE *out, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "CREATE TABLE t%" PRIu64 " (id bigint PRIMARY KEY, v bigint);\n", i);
}

static void open_comment(FILE *out, uint64_t size)
{
    program_begin(out);
    repeat(out, "/*", size);
}

static void open_quote(FILE *out, uint64_t size)
{
    program_begin(out);
    fputs("CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql AS $$", out);
    repeat(out, "''x", size);
}

/* --- Witnesses, journals, profiles --------------------------------------------------------------------- */

static void witness_begin(FILE *out, const char *verdict)
{
    /* The digest is that of the history beside it. */
    fprintf(out, "{\"ordeal-witness\":1,\"history\":\"@DIGEST@\",\"checker\":\"infer\",\"level\":\"serializable\","
                 "\"verdict\":\"%s\",", verdict);
}

static void long_witness(FILE *out, uint64_t size)
{
    witness_begin(out, "valid");
    fputs("\"order\":[1", out);
    for (uint64_t i = 2; i < size; i++)
        fprintf(out, ",%" PRIu64, i);
    fputs("]}", out);
}

static void deep_witness(FILE *out, uint64_t size)
{
    witness_begin(out, "invalid");
    fputs("\"anomalies\":", out);
    repeat(out, "[", size);
    repeat(out, "]", size);
    fputs("}", out);
}

static void many_anomalies(FILE *out, uint64_t size)
{
    witness_begin(out, "invalid");
    fputs("\"anomalies\":[", out);
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "%s{\"kind\":\"G1c\",\"transactions\":[1,2],\"explanation\":\"x\",\"cycle\":["
                     "{\"from\":1,\"to\":2,\"kind\":\"ww\",\"key\":\"x\"},{\"from\":2,\"to\":1,\"kind\":\"ww\",\"key\":\"x\"}]}",
                i ? "," : "");
    fputs("]}", out);
}

static void long_journal(FILE *out, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        fprintf(out, "%016" PRIx64 " run %" PRIu64 " 1 {\"seed\":%" PRIu64 "}\n", i * 77, i, i);
}

static void journal_line(FILE *out, uint64_t size)
{
    fputs("0000000000000000 {\"ordeal-sweep\":1,\"scenarios\":[", out);
    repeat(out, "{},", size);
}

static void deep_journal(FILE *out, uint64_t size)
{
    fputs("0000000000000000 {\"ordeal-sweep\":1,\"scenarios\":", out);
    repeat(out, "[", size);
    fputs("\n", out);
}

static void long_profile(FILE *out, uint64_t size)
{
    fputs("name = \"a/snapshot\"\nsummary = \"", out);
    repeat(out, "a", size);
    fputs("\"\n", out);
}

const struct shape shapes_of_others[] = {
    { "deep-toml", "scenario", 400000, deep_toml },
    { "toml-tables", "scenario", 20000, toml_tables },
    { "toml-dots", "scenario", 400000, toml_dots },
    { "toml-array", "scenario", 40000, toml_array },
    { "toml-text", "scenario", 150000, toml_text },
    { "many-steps", "scenario", 10000, many_steps },
    { "huge-run", "scenario", 10000000, huge_run },
    { "short-elections", "scenario", 1, short_elections },
    { "short-timeouts", "scenario", 1, short_timeouts },
    { "many-rows", "scenario", 1000000, many_rows },
    { "many-accounts", "scenario", 1000000, many_accounts },
    { "long-operations", "scenario", 10000, long_operations },
    { "pings", "scenario", 1, pings },
    { "deep-sql", "program", 1000000, deep_sql },
    { "deep-sum", "program", 1000000, deep_sum },
    { "deep-queries", "program", 100000, deep_queries },
    { "deep-blocks", "program", 100000, deep_blocks },
    { "many-statements", "program", 100000, many_statements },
    { "many-functions", "program", 50000, many_functions },
    { "many-relations", "program", 100000, many_relations },
    { "open-comment", "program", 10000000, open_comment },
    { "open-quote", "program", 10000000, open_quote },
    { "long-witness", "witness", 10000000, long_witness },
    { "deep-witness", "witness", 10000000, deep_witness },
    { "many-anomalies", "witness", 500000, many_anomalies },
    { "long-journal", "journal", 1000000, long_journal },
    { "journal-line", "journal", 30000000, journal_line },
    { "deep-journal", "journal", 10000000, deep_journal },
    { "long-profile", "profile", 900000, long_profile },
    { .name = NULL },
};
