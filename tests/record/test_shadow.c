/*
 * Version sets, cross-checked by shadow transactions as in "Bringing Order to Practical Validation of
 * Database Isolation Levels", section 5.3: while others write, a transaction exports its snapshot,
 * another takes it over (SET TRANSACTION SNAPSHOT) and reads every row. That must be what the order
 * recovered from the server's log and the first one's snapshot, a text, say together.
 */
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/commit_ranks.h"
#include "record/postgres_server_private.h"
#include "tests/fixture.h"
#include "unity.h"

#define WRITERS 4
#define KEYS 12
#define SHADOWS 60
#define GONE (-1)

/* Of each key its value, or GONE. */
struct sight {
    int64_t values[KEYS];
    char snapshot[500];
};

static const struct stored_table table = { .shape = SHAPE_ROWS,
                                           .name = "ordeal_rows",
                                           .key_column = "id",
                                           .value_column = "c",
                                           .tag_column = "tag" };

static struct postgres *server;
static atomic_bool is_over;
static atomic_uint committed;
static struct sight shadows[SHADOWS];
static struct recovered_order order;
static struct error err;

void setUp(void) {}

void tearDown(void)
{
    database_postgres.stop(server);
    server = NULL;
    array_close(&order.commits);
    array_close(&order.changes);
    order = (struct recovered_order){ 0 };
}

/* False: there is none on this machine. */
static bool start(struct builtin *builtin)
{
    struct database_options options = {
        .isolation = LEVEL_SNAPSHOT, .certifies = true, .clients = WRITERS + 1, .table = table
    };
    struct builtin_options workload = builtin_defaults(workload_find(TEXT("predicate")));
    struct random_key key = random_key_of_seed(1);
    struct buffer version = { 0 };
    enum status status;

    TEST_ASSERT_EQUAL(STATUS_OK, builtin_set(&workload, TEXT("keys"), TEXT("12"), &err));
    TEST_ASSERT_EQUAL(STATUS_OK, builtin_init(builtin, &workload,
                                              (struct builtin_clients){ WRITERS, 1 }, &key,
                                              fixture_arena(), &err));
    status = database_postgres.start((void **)&server, &options, &version, &err);
    buffer_close(&version);
    if (status != STATUS_OK && strstr(err.text, "there is no PostgreSQL server"))
        return false;
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, status, err.text);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, database_postgres.load(server, builtin, &err), err.text);
    return true;
}

static struct database_step write_of(struct random *random, int64_t value)
{
    int64_t key = (int64_t)random_below(random, KEYS);
    struct database_step step = { .kind = STEP_REQUEST };

    if (random_below(random, 4) == 0)
        step.request = (struct builtin_request){
            .kind = BUILTIN_DELETE, .column = BUILTIN_KEY_COLUMN, .low = key, .high = key
        };
    else
        step.request = (struct builtin_request){
            .kind = BUILTIN_WRITE, .key = (uint64_t)key, .value = value, .tag = value
        };
    return step;
}

/* Two writes, one round trip each so that transactions overlap; each value is written once. */
static void *write_rows(void *context)
{
    unsigned number = *(const unsigned *)context;
    struct random_key key = random_key_of_seed(number);
    struct random random;
    struct database_answer answer = { .end = STEPS_DONE };
    struct error failure;
    void *session = NULL;
    enum status status = database_postgres.open(&session, server, number, &failure);

    random_init(&random, &key);
    for (int64_t i = 1; status == STATUS_OK && !atomic_load(&is_over); i++) {
        struct database_step steps[3] = { { .kind = STEP_BEGIN },
                                          write_of(&random, (2 * i) * WRITERS + number) };

        database_answer_clear(&answer);
        status = database_postgres.steps(session, steps, 2, &answer, &failure);
        if (status != STATUS_OK || answer.end != STEPS_DONE)
            continue;
        steps[0] = write_of(&random, (2 * i + 1) * WRITERS + number);
        steps[1] = (struct database_step){ .kind = STEP_COMMIT };
        database_answer_clear(&answer);
        status = database_postgres.steps(session, steps, 2, &answer, &failure);
        if (status == STATUS_OK && answer.end == STEPS_DONE)
            atomic_fetch_add(&committed, 1);
    }
    database_postgres.close(session);
    database_answer_close(&answer);
    return NULL;
}

static void note_rows(struct sight *sight, const struct builtin_row *rows, size_t count)
{
    for (size_t i = 0; i < KEYS; i++)
        sight->values[i] = GONE;
    for (size_t i = 0; i < count; i++) {
        TEST_ASSERT_LESS_THAN(KEYS, rows[i].key);
        sight->values[rows[i].key] = rows[i].value;
    }
}

/* What a transaction sees whose snapshot was exported under that name. */
static void look_as_shadow(PGconn *conn, const char *name, struct sight *sight)
{
    struct builtin_row rows[KEYS];
    PGresult *result;
    char sql[200];

    snprintf(sql, sizeof sql, "BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '%s'",
             name);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, postgres_ask(conn, sql, NULL, 0, &err), err.text);
    result = PQexec(conn, "SELECT id, c FROM ordeal_rows");
    TEST_ASSERT_TRUE(postgres_is_fine(result));
    TEST_ASSERT_LESS_OR_EQUAL(KEYS, PQntuples(result));
    for (int i = 0; i < PQntuples(result); i++)
        rows[i] = (struct builtin_row){ .key = strtoull(PQgetvalue(result, i, 0), NULL, 10),
                                        .value = strtoll(PQgetvalue(result, i, 1), NULL, 10) };
    note_rows(sight, rows, (size_t)PQntuples(result));
    PQclear(result);
    TEST_ASSERT_EQUAL(STATUS_OK, postgres_ask(conn, "COMMIT", NULL, 0, &err));
}

/* One transaction as it is recorded, which exports its snapshot as well, and its shadow. */
static void look(void *session, PGconn *conn, struct sight *shadow)
{
    static const struct database_step begin[] = {
        { .kind = STEP_BEGIN },
        { .kind = STEP_CALL, .call = "pg_export_snapshot()" },
        { .kind = STEP_REQUEST,
          .request = { .kind = BUILTIN_SELECT, .column = BUILTIN_NO_COLUMN } }
    };
    static const struct database_step end[] = { { .kind = STEP_COMMIT } };
    struct database_answer answer = { .end = STEPS_DONE };
    struct sight seen = { .snapshot = "" };
    char name[60] = "";

    TEST_ASSERT_EQUAL(STATUS_OK, database_postgres.steps(session, begin, 3, &answer, &err));
    TEST_ASSERT_EQUAL(STEPS_DONE, answer.end);
    TEST_ASSERT_EQUAL(1, sscanf(answer.call_rows.at, "[[\"%50[0-9A-F-]", name));
    note_rows(&seen, answer.rows.at, answer.rows.count);
    look_as_shadow(conn, name, shadow);
    TEST_ASSERT_EQUAL_MEMORY(seen.values, shadow->values, sizeof seen.values);
    TEST_ASSERT_LESS_THAN(sizeof shadow->snapshot, answer.snapshot.count);
    memcpy(shadow->snapshot, answer.snapshot.at, answer.snapshot.count);
    shadow->snapshot[answer.snapshot.count] = '\0';
    database_answer_clear(&answer);
    TEST_ASSERT_EQUAL(STATUS_OK, database_postgres.steps(session, end, 1, &answer, &err));
    database_answer_close(&answer);
}

/* Something is committed meanwhile, or the writers have failed. */
static void wait_for_a_commit(void)
{
    unsigned before = atomic_load(&committed);

    for (int i = 0; i < 5000 && atomic_load(&committed) == before; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void look_while_others_write(void)
{
    static const unsigned numbers[WRITERS] = { 0, 1, 2, 3 };
    pthread_t writers[WRITERS];
    PGconn *conn = PQconnectdb(server->conninfo[0]);
    void *session = NULL;

    TEST_ASSERT_EQUAL(CONNECTION_OK, PQstatus(conn));
    TEST_ASSERT_EQUAL(STATUS_OK, database_postgres.open(&session, server, WRITERS, &err));
    atomic_store(&is_over, false);
    for (size_t i = 0; i < WRITERS; i++)
        TEST_ASSERT_EQUAL(0, pthread_create(&writers[i], NULL, write_rows, (void *)&numbers[i]));
    for (size_t i = 0; i < SHADOWS; i++) {
        wait_for_a_commit();
        look(session, conn, &shadows[i]);
    }
    atomic_store(&is_over, true);
    for (size_t i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    database_postgres.close(session);
    PQfinish(conn);
}

/* Of each key the last of the commits that were visible, in the order of the log. */
static void work_out(const struct commit_ranks *ranks, const struct builtin *builtin, size_t number,
                     struct sight *sight)
{
    for (uint64_t i = 0; i < KEYS; i++)
        sight->values[i] = GONE;
    for (uint64_t i = 0; i < builtin_initial_count(builtin); i++)
        sight->values[builtin_initial(builtin, i).key] = builtin_initial(builtin, i).value;
    for (size_t i = 0; i < order.commits.count; i++)
        for (uint64_t c = order.commits.at[i].first;
             ranks->commit_ranks[i] <= ranks->snapshot_ranks[number] &&
             c < order.commits.at[i].first + order.commits.at[i].count;
             c++) {
            const struct recovered_change *change = &order.changes.at[c];

            sight->values[change->key] = change->kind == RECOVERED_ROW ? change->value : GONE;
        }
}

static void what_the_recovered_order_says_was_seen_is_what_shadow_transactions_see(void)
{
    struct taken_snapshot snapshots[SHADOWS];
    struct numbered_commit *commits;
    struct commit_ranks ranks;
    const char *required = getenv("REQUIRED");
    struct builtin builtin;
    struct sight sight;
    size_t differing = 0;

    if (!start(&builtin)) {
        if (required && strstr(required, "postgres"))
            TEST_FAIL_MESSAGE(err.text);
        TEST_IGNORE_MESSAGE(err.text);
    }
    look_while_others_write();
    TEST_ASSERT_EQUAL(STATUS_OK, database_postgres.recover(server, &order, &err));
    TEST_ASSERT_GREATER_THAN(SHADOWS, order.commits.count);
    commits = malloc(order.commits.count * sizeof *commits);
    for (size_t i = 0; i < order.commits.count; i++)
        commits[i] = (struct numbered_commit){ order.commits.at[i].xid, INT64_MIN };
    for (size_t i = 0; i < SHADOWS; i++)
        snapshots[i] = (struct taken_snapshot){ text_of(shadows[i].snapshot), INT64_MAX };
    TEST_ASSERT_EQUAL(STATUS_OK, commit_ranks_find(&ranks, commits, order.commits.count, snapshots,
                                                   SHADOWS, &err));
    TEST_ASSERT_EQUAL(0, ranks.misfits);
    for (size_t i = 0; i < SHADOWS; i++) {
        work_out(&ranks, &builtin, i, &sight);
        TEST_ASSERT_EQUAL_INT64_ARRAY_MESSAGE(shadows[i].values, sight.values, KEYS,
                                              shadows[i].snapshot);
        differing += i > 0 && memcmp(shadows[i].values, shadows[i - 1].values,
                                     sizeof sight.values) != 0;
    }
    TEST_ASSERT_GREATER_THAN(SHADOWS / 4, differing); /* they did not all see the same */
    commit_ranks_close(&ranks);
    free(commits);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_the_recovered_order_says_was_seen_is_what_shadow_transactions_see);
    return UNITY_END();
}
