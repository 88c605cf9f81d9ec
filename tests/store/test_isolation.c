/*
 * The interleavings of Hermitage, and PostgreSQL's own of its serializable level: what
 * each protocol makes of them, on one shard and across shards.
 *
 * Who blocks and who fails is the protocol's own affair. An anomaly that is
 * prevented must not be seen in what was committed; one that is permitted must be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "store/catalog_private.h"
#include "tests/fixture.h"
#include "tests/store/isolation_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static const char *const serializable[] = { "ssi", "2pl", "mvto", "occ" };
static const uint32_t shard_counts[] = { 1, 4 };

/* --- Hermitage -------------------------------------------------------------------------------- */

static const char test_table[] =
    "CREATE TABLE test (id bigint PRIMARY KEY, value bigint NOT NULL);\n"
    "CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN INSERT INTO test VALUES (1, 10), (2, 20); END; $$;\n";

typedef bool anomaly(const struct isolation_run *);

/* Where the second waits for the first, both may well commit. */
static bool all_commit(const struct isolation_run *run)
{
    return run->aborted_count == 0 && !run->is_serial;
}

static bool writes_are_mixed(const struct isolation_run *run)
{
    return (strstr(run->final, "[1,12]") && strstr(run->final, "[2,21]")) ||
           (strstr(run->final, "[1,11]") && strstr(run->final, "[2,22]"));
}

static bool second_reads_101(const struct isolation_run *run)
{
    return isolation_reads(run, 2, 0, "[1,101]");
}

static bool information_is_circular(const struct isolation_run *run)
{
    return isolation_reads(run, 1, 0, "[2,22]") && isolation_reads(run, 2, 0, "[1,11]");
}

static bool observed_vanishes(const struct isolation_run *run)
{
    bool first = isolation_reads(run, 3, 1, "[1,12]") && isolation_reads(run, 3, 2, "[2,19]");
    bool second = isolation_reads(run, 3, 4, "[1,12]") && isolation_reads(run, 3, 3, "[2,19]");

    return first || second;
}

static bool phantom_is_read(const struct isolation_run *run)
{
    return isolation_reads(run, 1, 2, "[3,30]") && run->committed[0];
}

static bool reads_are_skewed(const struct isolation_run *run)
{
    return isolation_reads(run, 1, 1, "[1,10]") && isolation_reads(run, 1, 2, "[2,18]") &&
           run->committed[0];
}

static bool moved_row_is_read(const struct isolation_run *run)
{
    return isolation_reads(run, 1, 2, "[1,12]") && run->committed[0];
}

static bool is_unserializable(const struct isolation_run *run)
{
    return !run->is_serial;
}

struct hermitage {
    const char *name, *script;
    anomaly *anomaly;
    bool rc_permits, si_permits;
    /* With the write that has to wait behind whom it waits for. NULL: none does, or it is over. */
    const char *waited;
};

static const struct hermitage hermitage[] = {
    { "G0",
      "1: begin; 2: begin; 1: w 1 11; 2: w 1 12; 1: w 2 21; 1: commit; 2: await; 2: w 2 22;"
      "2: commit",
      writes_are_mixed, false, false,
      "1: begin; 2: begin; 1: w 1 11; 1: w 2 21; 1: commit; 2: w 1 12; 2: w 2 22; 2: commit" },
    { "G1a", "1: begin; 2: begin; 1: w 1 101; 2: rall; 1: abort; 2: await; 2: rall; 2: commit",
      second_reads_101, false, false, NULL },
    { "G1b",
      "1: begin; 2: begin; 1: w 1 101; 2: rall; 1: w 1 11; 1: commit; 2: await; 2: rall;"
      "2: commit",
      second_reads_101, false, false, NULL },
    { "G1c", "1: begin; 2: begin; 1: w 1 11; 2: w 2 22; 1: r 2; 2: r 1; 1: commit; 2: commit",
      information_is_circular, false, false, NULL },
    { "OTV",
      "1: begin; 2: begin; 3: begin; 1: w 1 11; 1: w 2 19; 2: w 1 12; 1: commit; 2: await; 3: r 1;"
      "2: w 2 18; 3: r 2; 2: commit; 3: await; 3: r 2; 3: r 1; 3: commit",
      observed_vanishes, false, false,
      "1: begin; 2: begin; 3: begin; 1: w 1 11; 1: w 2 19; 1: commit; 2: w 1 12; 3: r 1; 2: w 2 18;"
      "3: r 2; 2: commit; 3: await; 3: r 2; 3: r 1; 3: commit" },
    { "PMP-read",
      "1: begin; 2: begin; 1: rp value = 30; 2: ins 3 30; 2: commit; 1: rp value % 3 = 0;"
      "1: commit",
      phantom_is_read, true, false, NULL },
    { "PMP-write",
      "1: begin; 2: begin; 1: UPDATE test SET value = value + 10; 2: rp value = 20;"
      "2: del value = 20; 1: commit; 2: await; 2: rall; 2: commit",
      is_unserializable, true, false,
      "1: begin; 2: begin; 1: UPDATE test SET value = value + 10; 2: rp value = 20; 1: commit;"
      "2: del value = 20; 2: rall; 2: commit" },
    { "P4", "1: begin; 2: begin; 1: r 1; 2: r 1; 1: w 1 11; 2: w 1 11; 1: commit; 2: commit",
      all_commit, true, false,
      "1: begin; 2: begin; 1: r 1; 2: r 1; 1: w 1 11; 1: commit; 2: w 1 11; 2: commit" },
    { "G-single",
      "1: begin; 2: begin; 1: r 1; 2: r 1; 2: r 2; 2: w 1 12; 2: w 2 18; 2: commit; 1: r 2;"
      "1: commit",
      reads_are_skewed, true, false, NULL },
    { "G-single-predicate",
      "1: begin; 2: begin; 1: rp value % 5 = 0; 2: UPDATE test SET value = 12 WHERE value = 10;"
      "2: commit; 1: rp value % 3 = 0; 1: commit",
      moved_row_is_read, true, false, NULL },
    { "G-single-write-predicate",
      "1: begin; 2: begin; 1: r 1; 2: rall; 2: w 1 12; 2: w 2 18; 2: commit; 1: del value = 20;"
      "1: r 2; 1: commit",
      is_unserializable, true, false, NULL },
    { "G2-item",
      "1: begin; 2: begin; 1: r 1; 1: r 2; 2: r 1; 2: r 2; 1: w 1 11; 2: w 2 21; 1: commit;"
      "2: commit",
      all_commit, true, true, NULL },
    { "G2",
      "1: begin; 2: begin; 1: rp value % 3 = 0; 2: rp value % 3 = 0; 1: ins 3 30; 2: ins 4 42;"
      "1: commit; 2: commit",
      all_commit, true, true, NULL },
    { "G2-two-edges",
      "1: begin; 1: rall; 2: begin; 2: w 2 25; 2: commit; 3: begin; 3: rall; 3: commit; 1: w 1 0;"
      "1: commit",
      all_commit, true, true, NULL },
};

static struct isolation_run run(const char *program, const char *script, const char *protocol,
                                uint32_t shards)
{
    struct interleaving it = {
        .program = program, .script = script, .protocol = protocol, .shards = shards, .seed = 7
    };
    struct isolation_run run = isolation_run(&it);

    if (run.complaint[0])
        printf("%s", isolation_describe(&run));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", run.complaint, protocol);
    return run;
}

/* As it is written, or with the write that would have waited. */
static bool shows_anomaly(const struct hermitage *it, const char *protocol, uint32_t shards)
{
    struct isolation_run first = run(test_table, it->script, protocol, shards), second;

    if (it->anomaly(&first))
        return true;
    if (!it->waited)
        return false;
    second = run(test_table, it->waited, protocol, shards);
    return it->anomaly(&second);
}

static void check_hermitage(const char *protocol, const struct hermitage *it, bool permits)
{
    char what[200];

    for (size_t s = 0; s < ROW_COUNT(shard_counts); s++) {
        snprintf(what, sizeof what, "%s, %s, %" PRIu32 " shards", it->name, protocol,
                 shard_counts[s]);
        TEST_ASSERT_EQUAL_MESSAGE(permits, shows_anomaly(it, protocol, shard_counts[s]), what);
    }
}

static void read_committed_permits_what_the_collection_says(void)
{
    for (size_t i = 0; i < ROW_COUNT(hermitage); i++)
        check_hermitage("rc", &hermitage[i], hermitage[i].rc_permits);
}

static void snapshot_isolation_permits_what_the_collection_says(void)
{
    for (size_t i = 0; i < ROW_COUNT(hermitage); i++)
        check_hermitage("si", &hermitage[i], hermitage[i].si_permits);
}

static void what_is_serializable_permits_none(void)
{
    for (size_t i = 0; i < ROW_COUNT(hermitage); i++)
        for (size_t p = 0; p < ROW_COUNT(serializable); p++)
            check_hermitage(serializable[p], &hermitage[i], false);
}

static void what_is_serializable_commits_a_serial_order_and_no_other(void)
{
    char what[200];

    for (size_t i = 0; i < ROW_COUNT(hermitage); i++)
        for (size_t p = 0; p < ROW_COUNT(serializable); p++)
            for (size_t s = 0; s < ROW_COUNT(shard_counts); s++) {
                struct isolation_run it = run(test_table, hermitage[i].script, serializable[p],
                                              shard_counts[s]);

                snprintf(what, sizeof what, "%s, %s", hermitage[i].name, serializable[p]);
                TEST_ASSERT_TRUE_MESSAGE(it.is_serial, what);
                TEST_ASSERT_GREATER_THAN_MESSAGE(0, it.committed_count, what);
            }
}

static void the_two_rows_of_the_collection_are_on_different_shards(void)
{
    static const enum table_shape shapes[] = { TABLE_ROWS };
    struct datum row[2] = { datum_of_int64(1), datum_of_int64(0) };
    struct program program;
    struct catalog catalog;
    struct error err = { 0 };
    uint32_t first, second;

    ASSERT_OK(program_load(&program, text_of(test_table), &err), &err);
    ASSERT_OK(catalog_init(&catalog, &program.tree.schema, shapes, 4, fixture_arena(), &err), &err);
    first = catalog_shard(&catalog, catalog_key_of_row(&catalog, 0, row));
    row[0] = datum_of_int64(2);
    second = catalog_shard(&catalog, catalog_key_of_row(&catalog, 0, row));
    TEST_ASSERT_NOT_EQUAL(first, second);
    catalog_close(&catalog);
    program_close(&program);
}

/* --- PostgreSQL's ----------------------------------------------------------------------------- */

#define LOAD(rows)                                                                                 \
    "CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$ BEGIN " rows " END; $$;\n"

#define PIECES_MAX 6

/* Two sessions, each in pieces that are done without the other. */
struct specification {
    const char *name, *program;
    const char *first[PIECES_MAX], *second[PIECES_MAX]; /* up to NULL */
    uint32_t count;                                     /* of interleavings */
};

static const struct specification specifications[] = {
    { "simple write skew",
      "CREATE TABLE test (i bigint PRIMARY KEY, t text NOT NULL);\n"
      LOAD("INSERT INTO test VALUES (5, 'apple'), (7, 'pear'), (11, 'banana');"),
      { "UPDATE test SET t = 'apple' WHERE t = 'pear'", "commit" },
      { "UPDATE test SET t = 'pear' WHERE t = 'apple'", "commit" },
      6 },
    { "total cash",
      "CREATE TABLE account (type text PRIMARY KEY, balance bigint NOT NULL);\n"
      LOAD("INSERT INTO account VALUES ('checking', 600), ('savings', 600);"),
      { "UPDATE account SET balance = balance - 200 WHERE type = 'checking'",
        "SELECT sum(balance) FROM account", "commit" },
      { "UPDATE account SET balance = balance - 200 WHERE type = 'savings'",
        "SELECT sum(balance) FROM account", "commit" },
      20 },
    { "project manager",
      "CREATE TABLE person (id bigint PRIMARY KEY, is_manager boolean NOT NULL);\n"
      "CREATE TABLE project (no bigint PRIMARY KEY, manager bigint NOT NULL);\n"
      LOAD("INSERT INTO person VALUES (1, true), (2, false);"
           "INSERT INTO project VALUES (100, 2);"),
      { "SELECT count(*) FROM person WHERE id = 1 AND is_manager",
        "INSERT INTO project VALUES (101, 1)", "commit" },
      { "SELECT count(*) FROM project WHERE manager = 1",
        "UPDATE person SET is_manager = false WHERE id = 1", "commit" },
      20 },
    { "classroom scheduling",
      "CREATE TABLE booking (room bigint, begins bigint, ends bigint NOT NULL,\n"
      "                      PRIMARY KEY (room, begins));\n"
      LOAD("INSERT INTO booking VALUES (101, 1000, 1100), (101, 1400, 1500), (102, 1330, 1430);"),
      { "SELECT count(*) FROM booking WHERE room = 101 AND begins < 1400 AND ends > 1300",
        "INSERT INTO booking VALUES (101, 1300, 1400)", "commit" },
      { "SELECT count(*) FROM booking WHERE room = 101 AND begins < 1430 AND ends > 1330",
        "UPDATE booking SET begins = 1330, ends = 1430 WHERE room = 101 AND begins = 1000",
        "commit" },
      20 },
    { "temporal range integrity",
      "CREATE TABLE statute (cite bigint, since bigint, until bigint, PRIMARY KEY (cite, since));\n"
      "CREATE TABLE offense (no bigint PRIMARY KEY, cite bigint NOT NULL, day bigint NOT NULL);\n"
      LOAD("INSERT INTO statute VALUES (1, 20000101, 20200101);"
           "INSERT INTO offense VALUES (1, 2, 20100101);"),
      { "SELECT count(*) FROM statute WHERE cite = 1 AND since <= 20090315 AND until > 20090315",
        "INSERT INTO offense VALUES (2, 1, 20090315)", "commit" },
      { "SELECT count(*) FROM offense WHERE cite = 1 AND day >= 20080801",
        "UPDATE statute SET until = 20080801 WHERE cite = 1 AND since = 20000101", "commit" },
      20 },
    { "partial index",
      "CREATE TABLE test (id bigint PRIMARY KEY, val text NOT NULL);\n"
      LOAD("INSERT INTO test VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'a');"),
      { "SELECT id FROM test WHERE val = 'a'", "UPDATE test SET val = 'b' WHERE id = 3", "commit" },
      { "SELECT id FROM test WHERE val = 'b'", "UPDATE test SET val = 'a' WHERE id = 2", "commit" },
      20 },
    { "index-only scan",
      "CREATE TABLE x (id bigint PRIMARY KEY);\n"
      "CREATE TABLE y (id bigint PRIMARY KEY);\n"
      LOAD("INSERT INTO x VALUES (1), (2); INSERT INTO y VALUES (1), (2);")
      "CREATE FUNCTION cut_y() RETURNS bigint LANGUAGE plpgsql AS $$\n"
      "DECLARE least bigint; BEGIN SELECT min(id) INTO least FROM x;\n"
      "DELETE FROM y WHERE id = least; RETURN least; END; $$;\n"
      "CREATE FUNCTION cut_x() RETURNS bigint LANGUAGE plpgsql AS $$\n"
      "DECLARE least bigint; BEGIN SELECT min(id) INTO least FROM y;\n"
      "DELETE FROM x WHERE id = least; RETURN least; END; $$;\n",
      { "SELECT cut_y()", "commit" },
      { "SELECT cut_x()", "commit" },
      6 },
    { "referential integrity",
      "CREATE TABLE parent (id bigint PRIMARY KEY);\n"
      "CREATE TABLE child (id bigint PRIMARY KEY, parent bigint NOT NULL);\n"
      LOAD("INSERT INTO parent VALUES (1);"),
      { "SELECT id FROM parent WHERE id = 1", "INSERT INTO child VALUES (7, 1)", "commit" },
      { "SELECT id FROM parent WHERE id = 1", "SELECT id FROM child WHERE parent = 1",
        "DELETE FROM parent WHERE id = 1", "commit" },
      35 },
};

static uint32_t count_pieces(const char *const *pieces)
{
    uint32_t count = 0;

    while (count < PIECES_MAX && pieces[count])
        count++;
    return count;
}

/* The choice has a bit for each piece in turn: whether it is the second session's. */
static bool write_script(const struct specification *it, uint32_t choice, char *script, size_t size)
{
    uint32_t at[2] = { 0 }, counts[2] = { count_pieces(it->first), count_pieces(it->second) };
    size_t used = 0;

    for (uint32_t i = 0; i < counts[0] + counts[1]; i++) {
        uint32_t session = choice >> i & 1;
        const char *const *pieces = session ? it->second : it->first;

        if (at[session] == counts[session])
            return false;
        used += (size_t)snprintf(script + used, size - used, "%" PRIu32 ": %s;", session + 1,
                                 pieces[at[session]++]);
    }
    TEST_ASSERT_LESS_THAN(size, used);
    return true;
}

static bool is_one_after_the_other(const struct specification *it, uint32_t choice)
{
    uint32_t first = count_pieces(it->first), second = count_pieces(it->second);

    return choice == (1u << second) - 1 || choice == ((1u << second) - 1) << first;
}

struct tally {
    uint32_t interleavings, all_committed, unserializable;
};

static struct tally tally_of(const struct specification *it, const char *protocol, uint32_t shards,
                             bool is_serializable)
{
    uint32_t end = 1u << (count_pieces(it->first) + count_pieces(it->second));
    struct tally tally = { 0 };
    char script[2000], what[2300];

    for (uint32_t choice = 0; choice < end; choice++) {
        struct isolation_run one;

        if (!write_script(it, choice, script, sizeof script))
            continue;
        snprintf(what, sizeof what, "%s, %s: %s", it->name, protocol, script);
        one = run(it->program, script, protocol, shards);
        tally.interleavings++;
        tally.all_committed += one.aborted_count == 0;
        tally.unserializable += !one.is_serial;
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, one.committed_count, what);
        TEST_ASSERT_TRUE_MESSAGE(one.is_serial || !is_serializable, what);
        if (is_one_after_the_other(it, choice))
            TEST_ASSERT_EQUAL_MESSAGE(0, one.aborted_count, what);
    }
    return tally;
}

static void no_interleaving_is_committed_that_is_not_serializable(void)
{
    for (size_t i = 0; i < ROW_COUNT(specifications); i++)
        for (size_t p = 0; p < ROW_COUNT(serializable); p++)
            for (size_t s = 0; s < ROW_COUNT(shard_counts); s++) {
                struct tally tally =
                    tally_of(&specifications[i], serializable[p], shard_counts[s], true);

                TEST_ASSERT_EQUAL(specifications[i].count, tally.interleavings);
                if (strcmp(serializable[p], "ssi") == 0)
                    TEST_ASSERT_EQUAL_MESSAGE(2, tally.all_committed, specifications[i].name);
            }
}

/* PostgreSQL's own figures: all but the two that are serial are wrong, and one of each fails. */
static void snapshot_isolation_commits_all_that_serializable_snapshots_refuse(void)
{
    for (size_t i = 0; i < ROW_COUNT(specifications); i++) {
        struct tally tally = tally_of(&specifications[i], "si", 4, false);

        TEST_ASSERT_EQUAL_MESSAGE(tally.interleavings - 2, tally.unserializable,
                                  specifications[i].name);
    }
}

/* --- The read-only anomaly -------------------------------------------------------------------- */

static const char two_accounts[] =
    "CREATE TABLE test (id bigint PRIMARY KEY, value bigint NOT NULL);\n"
    LOAD("INSERT INTO test VALUES (1, 0), (2, 0);");

/* X is row 1, and Y row 2. */
static const char with_a_reader[] =
    "1: begin; 2: begin; 3: begin; 2: r 1; 2: r 2; 1: r 2; 1: w 2 20; 1: commit; 3: rall; 3: commit;"
    "2: w 1 -11; 2: commit";
static const char without_it[] =
    "1: begin; 2: begin; 2: r 1; 2: r 2; 1: r 2; 1: w 2 20; 1: commit; 2: w 1 -11; 2: commit";

static void a_reader_makes_the_anomaly_under_snapshot_isolation(void)
{
    struct isolation_run it = run(two_accounts, with_a_reader, "si", 4);

    TEST_ASSERT_EQUAL(0, it.aborted_count);
    TEST_ASSERT_FALSE(it.is_serial);
    it = run(two_accounts, without_it, "si", 4);
    TEST_ASSERT_EQUAL(0, it.aborted_count);
    TEST_ASSERT_TRUE(it.is_serial);
}

static void serializable_snapshots_fail_the_writer_that_the_reader_was_before(void)
{
    for (size_t s = 0; s < ROW_COUNT(shard_counts); s++) {
        struct isolation_run it = run(two_accounts, with_a_reader, "ssi", shard_counts[s]);

        TEST_ASSERT_TRUE(it.committed[0] && !it.committed[1] && it.committed[2]);
    }
}

static void serializable_snapshots_commit_both_writers_where_nobody_reads(void)
{
    for (size_t s = 0; s < ROW_COUNT(shard_counts); s++) {
        struct isolation_run it = run(two_accounts, without_it, "ssi", shard_counts[s]);

        TEST_ASSERT_EQUAL(0, it.aborted_count);
    }
}

static void the_reader_sees_no_anomaly_where_the_level_is_serializable(void)
{
    for (size_t p = 0; p < ROW_COUNT(serializable); p++)
        for (size_t s = 0; s < ROW_COUNT(shard_counts); s++) {
            struct isolation_run it =
                run(two_accounts, with_a_reader, serializable[p], shard_counts[s]);

            TEST_ASSERT_TRUE_MESSAGE(it.is_serial, serializable[p]);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_two_rows_of_the_collection_are_on_different_shards);
    RUN_TEST(read_committed_permits_what_the_collection_says);
    RUN_TEST(snapshot_isolation_permits_what_the_collection_says);
    RUN_TEST(what_is_serializable_permits_none);
    RUN_TEST(what_is_serializable_commits_a_serial_order_and_no_other);
    RUN_TEST(no_interleaving_is_committed_that_is_not_serializable);
    RUN_TEST(snapshot_isolation_commits_all_that_serializable_snapshots_refuse);
    RUN_TEST(a_reader_makes_the_anomaly_under_snapshot_isolation);
    RUN_TEST(serializable_snapshots_fail_the_writer_that_the_reader_was_before);
    RUN_TEST(serializable_snapshots_commit_both_writers_where_nobody_reads);
    RUN_TEST(the_reader_sees_no_anomaly_where_the_level_is_serializable);
    return UNITY_END();
}
