#include "tests/store/isolation_fixture.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/engine.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

#define SECOND INT64_C(1000000000)
#define ARENA_BYTES ((size_t)4 << 30)
#define NODES 5

struct parts {
    struct arena arena;
    struct world world;
    struct program program;
    struct store *store;
    struct schedule_step steps[ISOLATION_STEPS_MAX];
    char names[ISOLATION_SESSIONS_MAX][8];
};

/* --- Scripts ---------------------------------------------------------------------------------- */

static struct isolation_step *add_step(struct isolation_run *run, uint32_t session,
                                       enum schedule_act act, const char *sql)
{
    struct isolation_step *step = &run->steps[run->step_count++];

    TEST_ASSERT_LESS_OR_EQUAL(ISOLATION_STEPS_MAX, run->step_count);
    step->session = session;
    step->act = act;
    snprintf(step->sql, sizeof step->sql, "%s", sql);
    return step;
}

static void expand(char *sql, size_t size, const char *what)
{
    long a, b;

    if (sscanf(what, "r %ld", &a) == 1)
        snprintf(sql, size, "SELECT id, value FROM test WHERE id = %ld", a);
    else if (strcmp(what, "rall") == 0)
        snprintf(sql, size, "SELECT id, value FROM test");
    else if (strncmp(what, "rp ", 3) == 0)
        snprintf(sql, size, "SELECT id, value FROM test WHERE %s", what + 3);
    else if (sscanf(what, "w %ld %ld", &a, &b) == 2)
        snprintf(sql, size, "UPDATE test SET value = %ld WHERE id = %ld", b, a);
    else if (sscanf(what, "ins %ld %ld", &a, &b) == 2)
        snprintf(sql, size, "INSERT INTO test VALUES (%ld, %ld)", a, b);
    else if (strncmp(what, "del ", 4) == 0)
        snprintf(sql, size, "DELETE FROM test WHERE %s", what + 4);
    else
        snprintf(sql, size, "%s", what);
}

static void read_step(struct isolation_run *run, char *text, bool *has_begun)
{
    static const char *const acts[] = { "begin", "commit", "abort", "await" };
    uint32_t session;
    int length = 0;
    char sql[200];

    TEST_ASSERT_EQUAL_INT_MESSAGE(1, sscanf(text, " %" SCNu32 ": %n", &session, &length), text);
    TEST_ASSERT_TRUE(session >= 1 && session < ISOLATION_SESSIONS_MAX);
    text += length;
    session--;
    if (run->session_count <= session)
        run->session_count = session + 1;
    for (int i = 0; i < 4; i++)
        if (strcmp(text, acts[i]) == 0) {
            has_begun[session] |= i == SCHEDULE_BEGIN;
            add_step(run, session, (enum schedule_act)i, acts[i]);
            return;
        }
    if (!has_begun[session])
        add_step(run, session, SCHEDULE_BEGIN, "begin");
    has_begun[session] = true;
    expand(sql, sizeof sql, text);
    add_step(run, session, SCHEDULE_STATEMENT, sql);
}

static void add_last_reads(struct isolation_run *run, const struct schema *schema)
{
    uint32_t session = run->session_count++;
    char sql[200];

    add_step(run, session, SCHEDULE_BEGIN, "begin");
    for (uint32_t i = 0; i < schema->table_count; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %.*s", TEXT_PRINT(schema->tables[i].name));
        add_step(run, session, SCHEDULE_STATEMENT, sql);
    }
    add_step(run, session, SCHEDULE_COMMIT, "commit");
}

static void read_script(struct parts *parts, struct isolation_run *run, const char *script)
{
    bool has_begun[ISOLATION_SESSIONS_MAX] = { false };
    char *copy = strdup(script), *rest = copy, *text;

    TEST_ASSERT_NOT_NULL(copy);
    while ((text = strsep(&rest, ";")))
        if (text[strspn(text, " ")] != '\0')
            read_step(run, text, has_begun);
    free(copy);
    /* So that who is blocked at the end has come to its own. */
    for (uint32_t i = 0; i < run->session_count; i++)
        for (int k = 0; k < 4; k++)
            add_step(run, i, SCHEDULE_AWAIT, "await");
    add_last_reads(run, &parts->program.tree.schema);
}

static void compile(struct parts *parts, const struct isolation_run *run)
{
    struct program_statement statements[ISOLATION_STEPS_MAX];
    uint32_t function = parts->program.tree.function_count, count = 0;
    struct error err = { 0 };

    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct isolation_step *step = &run->steps[i];

        snprintf(parts->names[step->session], sizeof parts->names[0], "%" PRIu32,
                 step->session + 1);
        parts->steps[i] = (struct schedule_step){ .session = step->session,
                                                  .session_name =
                                                      text_of(parts->names[step->session]),
                                                  .act = step->act,
                                                  .sql = text_of(step->sql) };
        if (step->act != SCHEDULE_STATEMENT)
            continue;
        parts->steps[i].function = function++;
        statements[count++] = (struct program_statement){ text_of(step->sql), i + 1 };
    }
    ASSERT_OK(program_add_statements(&parts->program, statements, count, &err), &err);
}

/* --- A run ------------------------------------------------------------------------------------ */

static void open_store(struct parts *parts, const struct interleaving *it,
                       const struct isolation_run *run)
{
    struct error err = { 0 };
    struct world_options world = { .seed = it->seed,
                                   .node_count = NODES,
                                   .client_count = run->session_count,
                                   .shard_count = it->shards };
    struct cluster_options options = {
        .protocol = store_protocol(text_of(it->protocol)),
        .shards = it->shards,
        .replicas = 3,
        .sessions = run->session_count,
        .max_offset_ns = SECOND / 4,
        .client = { .attempts_max = 1, .patience_ns = 3600 * SECOND },
    };
    struct store_workload workload = {
        .program = &parts->program,
        .program_name = "isolation",
        .load = TEXT("load()"),
        .steps = parts->steps,
        .step_count = run->step_count,
    };

    TEST_ASSERT_NOT_NULL_MESSAGE(options.protocol, it->protocol);
    ASSERT_OK(latency_constant(&world.network.latency, SECOND / 1000, &err), &err);
    ASSERT_OK(world_init(&parts->world, &world, &parts->arena, &err), &err);
    ASSERT_OK(store_open(&parts->store, &options, &workload, &parts->world, &parts->arena, &err),
              &err);
    ASSERT_OK(world_start(&parts->world, &err), &err);
}

static void drive(struct parts *parts, struct isolation_run *run)
{
    const struct cluster_findings *findings;
    struct error err = { 0 };

    while (parts->world.now_ns < 60 * SECOND && !store_is_idle(parts->store))
        ASSERT_OK(world_run(&parts->world, parts->world.now_ns + SECOND / 10, &err), &err);
    store_stop(parts->store);
    ASSERT_OK(store_settle(parts->store, 30 * SECOND, &err), &err);
    ASSERT_OK(store_status(parts->store, &err), &err);
    findings = store_findings(parts->store);
    if (findings->stuck)
        snprintf(run->complaint, sizeof run->complaint, "stuck: %s", findings->stuck_what);
    if (findings->replicas_differ)
        snprintf(run->complaint, sizeof run->complaint, "replicas differ: %s",
                 findings->differ_what);
}

static void note_end(struct isolation_run *run, const struct isolation_step *step)
{
    uint32_t s = step->session;
    bool is_last = s + 1 == run->session_count;

    run->committed[s] |= step->act == SCHEDULE_COMMIT && step->outcome == SCHEDULE_OK;
    if (is_last && step->has_rows)
        snprintf(run->final + strlen(run->final), sizeof run->final - strlen(run->final), "%s",
                 step->rows);
}

/* Of a blocked step, what its await says. */
static void collect(struct parts *parts, struct isolation_run *run)
{
    uint32_t last[ISOLATION_SESSIONS_MAX] = { 0 };

    for (uint32_t i = 0; i < run->step_count; i++) {
        struct isolation_step *step = &run->steps[i];
        struct schedule_result result = store_schedule_result(parts->store, i);

        step->outcome = result.outcome;
        step->has_rows = result.has_rows;
        TEST_ASSERT_LESS_THAN(sizeof step->rows, result.rows.length);
        if (result.rows.length > 0)
            memcpy(step->rows, result.rows.at, result.rows.length);
        if (step->act != SCHEDULE_AWAIT) {
            if (step->outcome != SCHEDULE_SKIPPED)
                last[step->session] = i;
        } else if (run->steps[last[step->session]].outcome == SCHEDULE_BLOCKED) {
            run->steps[last[step->session]].outcome = step->outcome;
        }
    }
    for (uint32_t i = 0; i < run->step_count; i++)
        note_end(run, &run->steps[i]);
    for (uint32_t s = 0; s + 1 < run->session_count; s++)
        if (run->committed[s])
            run->committed_count++;
        else
            run->aborted_count++;
}

/* --- Whether it is serializable --------------------------------------------------------------- */

struct replay {
    char rows[300];
};

static void print_cell(const struct datum *cell, struct buffer *out)
{
    if (cell->kind == DATUM_TEXT) {
        buffer_json(out, (struct text){ cell->as.text, cell->length });
    } else if (cell->kind == DATUM_NULL) {
        buffer_text(out, TEXT("[]"));
    } else if (cell->kind == DATUM_BOOLEAN) {
        buffer_text(out, cell->as.integer ? TEXT("true") : TEXT("false"));
    } else {
        TEST_ASSERT_TRUE(cell->kind == DATUM_INTEGER || cell->kind == DATUM_NUMERIC);
        datum_print(cell, out);
    }
}

static void watch(void *context, const struct request *request, const struct datum *const *rows,
                  uint32_t count)
{
    struct replay *replay = context;
    struct buffer out = { 0 };

    (void)rows;
    (void)count;
    if (request->kind != REQUEST_RETURNED)
        return;
    for (uint32_t i = 0; i < request->row_count; i++) {
        buffer_byte(&out, '[');
        for (uint32_t k = 0; k < request->row_width; k++) {
            buffer_text(&out, k ? TEXT(",") : TEXT(""));
            print_cell(&request->rows[i * request->row_width + k], &out);
        }
        buffer_text(&out, TEXT("]\n"));
    }
    TEST_ASSERT_LESS_THAN(sizeof replay->rows, out.count);
    if (out.count > 0)
        memcpy(replay->rows, out.at, out.count);
    replay->rows[out.count] = '\0';
    buffer_close(&out);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint32_t sort_lines(char *text, char **lines, uint32_t max)
{
    uint32_t count = 0;

    for (char *line; (line = strsep(&text, "\n"));) {
        TEST_ASSERT_LESS_THAN(max, count);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    return count;
}

static bool have_same_rows(const char *a, const char *b)
{
    char first[300], second[300], *lines_a[50], *lines_b[50];
    uint32_t count_a, count_b;
    bool are_same;

    snprintf(first, sizeof first, "%s", a);
    snprintf(second, sizeof second, "%s", b);
    count_a = sort_lines(first, lines_a, 50);
    count_b = sort_lines(second, lines_b, 50);
    are_same = count_a == count_b;
    for (uint32_t i = 0; are_same && i < count_a; i++)
        are_same = strcmp(lines_a[i], lines_b[i]) == 0;
    return are_same;
}

static bool session_agrees(const struct parts *parts, const struct isolation_run *run,
                           struct engine *engine, struct replay *replay, uint32_t session)
{
    struct engine_outcome outcome;
    struct error err = { 0 };

    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct isolation_step *step = &run->steps[i];

        if (step->session != session || step->act != SCHEDULE_STATEMENT)
            continue;
        ASSERT_OK(engine_call(engine, parts->steps[i].function, NULL, &outcome, &err), &err);
        if (!outcome.is_done || (step->has_rows && !have_same_rows(step->rows, replay->rows)))
            return false;
    }
    return true;
}

static bool order_agrees(const struct parts *parts, const struct isolation_run *run,
                         const uint32_t *order, uint32_t count)
{
    struct engine_outcome outcome;
    struct engine *engine;
    struct replay replay;
    struct error err = { 0 };
    bool agrees = true;

    ASSERT_OK(engine_open(&engine, &parts->program, &err), &err);
    ASSERT_OK(engine_call(engine, program_find_function(&parts->program, TEXT("load")), NULL,
                          &outcome, &err),
              &err);
    TEST_ASSERT_TRUE(outcome.is_done);
    engine_watch(engine, watch, &replay);
    for (uint32_t i = 0; i < count && agrees; i++)
        agrees = session_agrees(parts, run, engine, &replay, order[i]);
    engine_close(engine);
    return agrees;
}

/* The transactions up to `fixed` stand; all orders of the others are tried. */
static bool some_order_agrees(const struct parts *parts, const struct isolation_run *run,
                              uint32_t *order, uint32_t fixed, uint32_t count)
{
    if (fixed == count) {
        order[count] = run->session_count - 1;
        return order_agrees(parts, run, order, count + 1);
    }
    for (uint32_t i = fixed; i < count; i++) {
        uint32_t chosen = order[i];
        bool agrees;

        order[i] = order[fixed];
        order[fixed] = chosen;
        agrees = some_order_agrees(parts, run, order, fixed + 1, count);
        order[fixed] = order[i];
        order[i] = chosen;
        if (agrees)
            return true;
    }
    return false;
}

static bool is_serial(const struct parts *parts, const struct isolation_run *run)
{
    uint32_t order[ISOLATION_SESSIONS_MAX + 1], count = 0;

    for (uint32_t i = 0; i + 1 < run->session_count; i++)
        if (run->committed[i])
            order[count++] = i;
    return some_order_agrees(parts, run, order, 0, count);
}

/* What the protocol promises, by the history, where the oracle can tell. */
static void ask_oracle(struct parts *parts, const struct interleaving *it,
                       struct isolation_run *run)
{
    enum level level = store_protocol_facts(store_protocol(text_of(it->protocol))).level;
    struct history history;
    struct error err = { 0 };

    ASSERT_OK(store_history(parts->store, &history, &err), &err);
    for (int certified = 0; certified < 2; certified++) {
        struct oracle_options options = { .use_certificate = certified };
        bool is_serializable = certified == 0 && level == LEVEL_SERIALIZABLE;
        enum oracle_answer answer = oracle_decide(&history, level, options);

        /* Its conditions know no remainders: what then is told comes from the orders tried here. */
        TEST_ASSERT_TRUE_MESSAGE(answer != ORACLE_CANNOT_JUDGE || strchr(it->script, '%'),
                                 it->script);
        if (answer == ORACLE_VIOLATED)
            snprintf(run->complaint, sizeof run->complaint, "the oracle (%s): not %s",
                     certified ? "by the certificate" : "by what clients saw", level_name(level));
        if (is_serializable && answer == ORACLE_HOLDS && !run->is_serial)
            snprintf(run->complaint, sizeof run->complaint,
                     "the oracle finds it serializable, and no order explains it");
    }
    history_close(&history);
}

struct isolation_run isolation_run(const struct interleaving *it)
{
    struct parts *parts = calloc(1, sizeof *parts);
    struct isolation_run run = { 0 };
    struct error err = { 0 };

    TEST_ASSERT_NOT_NULL(parts);
    ASSERT_OK(arena_init(&parts->arena, ARENA_BYTES, &err), &err);
    ASSERT_OK(program_load(&parts->program, text_of(it->program), &err), &err);
    read_script(parts, &run, it->script);
    compile(parts, &run);
    open_store(parts, it, &run);
    drive(parts, &run);
    collect(parts, &run);
    TEST_ASSERT_TRUE_MESSAGE(run.committed[run.session_count - 1], isolation_describe(&run));
    run.is_serial = is_serial(parts, &run);
    ask_oracle(parts, it, &run);
    store_close(parts->store);
    program_close(&parts->program);
    world_close(&parts->world);
    arena_close(&parts->arena);
    free(parts);
    return run;
}

/* --- Questions -------------------------------------------------------------------------------- */

static bool has_line(const char *rows, const char *row)
{
    size_t length = strlen(row);

    for (const char *at = rows; (at = strstr(at, row)); at++)
        if ((at == rows || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

bool isolation_reads(const struct isolation_run *run, uint32_t session, uint32_t nth,
                     const char *row)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < run->step_count; i++) {
        const struct isolation_step *step = &run->steps[i];

        if (step->session + 1 != session || step->act != SCHEDULE_STATEMENT ||
            strncmp(step->sql, "SELECT", 6) != 0)
            continue;
        seen++;
        if ((nth == 0 || seen == nth) && has_line(step->rows, row))
            return true;
    }
    return false;
}

const char *isolation_describe(const struct isolation_run *run)
{
    static char text[8000];
    size_t used = 0;

    for (uint32_t i = 0; i < run->step_count && used < sizeof text; i++) {
        const struct isolation_step *step = &run->steps[i];

        if (step->act == SCHEDULE_AWAIT)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%" PRIu32 ": %s: %s %s\n",
                                 step->session + 1, step->sql,
                                 store_schedule_outcome_name(step->outcome), step->rows);
    }
    return text;
}
