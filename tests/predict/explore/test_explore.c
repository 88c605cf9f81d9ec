#include "predict/explore/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "programs/machine/program.h"
#include "tests/fixture.h"
#include "unity.h"

/*
 * The engine against all assignments of writers to reads, by the definitions alone: a history is at a level if some
 * order of all transactions satisfies its axiom (Biswas and Enea, OOPSLA 2019).
 */

static const char sql[] =
    "CREATE TABLE t (k bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE FUNCTION load(n bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN FOR i IN 1..n LOOP INSERT INTO t VALUES (i, 0); END LOOP; END; $$;\n"
    "CREATE FUNCTION step(r1 bigint, r2 bigint, w1 bigint, w2 bigint) RETURNS bigint LANGUAGE "
    "plpgsql AS $$\n"
    "DECLARE a bigint; b bigint;\n"
    "BEGIN\n"
    "    IF r1 > 0 THEN SELECT v INTO a FROM t WHERE k = r1; END IF;\n"
    "    IF r2 > 0 THEN SELECT v INTO b FROM t WHERE k = r2; END IF;\n"
    "    IF w1 > 0 THEN UPDATE t SET v = v + 1 WHERE k = w1; END IF;\n"
    "    IF w2 > 0 THEN UPDATE t SET v = v + 1 WHERE k = w2; END IF;\n"
    "    RETURN a;\n"
    "END; $$;\n"
    "CREATE FUNCTION scan_and_make(p_k bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint;\n"
    "BEGIN SELECT count(*) INTO n FROM t WHERE v >= 0; INSERT INTO t VALUES (p_k, n); RETURN n; "
    "END; $$;\n"
    "CREATE FUNCTION drop_row(p_k bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN DELETE FROM t WHERE k = p_k; END; $$;\n"
    "CREATE FUNCTION raise_low(low bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN UPDATE t SET v = v + 1 WHERE v <= low; END; $$;\n"
    "CREATE FUNCTION first_only(p_k bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint;\n"
    "BEGIN SELECT v INTO n FROM t WHERE k = p_k; IF n > 0 THEN RAISE EXCEPTION 'no'; END IF;\n"
    "    UPDATE t SET v = v + 1 WHERE k = p_k; RETURN n; END; $$;\n";

#define TXNS_MAX 4
#define READS_MAX 16
#define KEYS 2
#define HISTORIES_MAX 20000
#define INITIAL 15 /* as a writer; four bits each */

/* What a transaction does: r1, r2, w1, w2. */
struct step {
    uint32_t session, position;
    unsigned keys[4];
};

struct item_read {
    unsigned txn, key;
};

/* All that the definitions need. */
struct plan {
    struct step txns[TXNS_MAX]; /* by session, then position */
    unsigned count, sessions;
    struct item_read reads[READS_MAX];
    unsigned read_count;
};

static struct program program;
static struct heap heap;
static struct error err;
static struct plan plan;
static uint64_t visited[HISTORIES_MAX], wanted[HISTORIES_MAX];
static bool visited_serial[HISTORIES_MAX];
static size_t visited_count, wanted_count;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    ASSERT_OK(program_load(&program, text_of(sql), &err), &err);
    heap_init(&heap, (size_t)1 << 24);
}

void tearDown(void)
{
    program_close(&program);
    heap_close(&heap);
}

/* --- The engine --------------------------------------------------------------------------------- */

static struct directed_call call_of(uint32_t session, const char *text)
{
    struct datum *arguments;
    struct sql_error error;
    struct directed_call call = { .session = session };
    void *at;

    TEST_ASSERT_EQUAL(STATUS_OK, heap_push(&heap, 8 * sizeof *arguments, &at, &error));
    arguments = at;
    ASSERT_OK(program_parse_call(&program, text_of(text), &heap, &call.function,
                                 (struct program_arguments){ arguments, 8 }, &err),
              &err);
    call.arguments = arguments;
    return call;
}

static void explore_calls(enum level level, struct explore_session *sessions, uint32_t count,
                          struct explore_options options, struct explore_counts *counts)
{
    struct directed_options store_options = { &program, explore_store_level(level), count, true };
    struct directed *store;

    options.level = level;
    options.sessions = sessions;
    options.session_count = count;
    ASSERT_OK(directed_open(&store, &store_options, &err), &err);
    ASSERT_OK(directed_load(store, TEXT("load(2)"), &err), &err);
    ASSERT_OK(explore(store, &options, counts, &err), &err);
    TEST_ASSERT_EQUAL_UINT32(0, directed_txn_count(store));
    directed_close(store);
}

static void explore_plan(enum level level, struct explore_options options,
                         struct explore_counts *counts)
{
    struct directed_call calls[TXNS_MAX];
    struct explore_session sessions[TXNS_MAX] = { { 0 } };
    char text[60];

    for (unsigned i = 0; i < plan.count; i++) {
        const struct step *s = &plan.txns[i];

        snprintf(text, sizeof text, "step(%u, %u, %u, %u)", s->keys[0], s->keys[1], s->keys[2],
                 s->keys[3]);
        calls[i] = call_of(s->session, text);
        if (s->position == 0)
            sessions[s->session].calls = &calls[i];
        sessions[s->session].count++;
    }
    explore_calls(level, sessions, plan.sessions, options, counts);
}

/* The number of a transaction of the plan. */
static unsigned planned(struct directed_txn_facts facts)
{
    for (unsigned i = 0; i < plan.count; i++)
        if (plan.txns[i].session == facts.session && plan.txns[i].position == facts.position)
            return i;
    TEST_FAIL_MESSAGE("a transaction that nobody called");
    return 0;
}

/* Its writers, in the order of the plan's reads: a word. */
static enum status keep_history(void *context, const struct explore_visit *visit, bool *ends,
                                struct error *why)
{
    uint64_t word = 0;
    unsigned read = 0;

    (void)context;
    (void)ends;
    (void)why;
    for (unsigned i = 0; i < plan.count; i++) {
        uint32_t count,
            txn = directed_find_txn(visit->store, plan.txns[i].session, plan.txns[i].position);
        const struct directed_seen *seen = directed_reads(visit->store, txn, &count);

        for (uint32_t k = 0; k < count; k++, read++) {
            uint64_t writer = seen[k].writer == DIRECTED_INITIAL
                                  ? INITIAL
                                  : planned(directed_txn(visit->store, seen[k].writer));
            char key[8];
            struct text name = directed_key_text(visit->store, seen[k].key);

            snprintf(key, sizeof key, "t/%u", plan.reads[read].key);
            TEST_ASSERT_TRUE(text_equal(name, text_of(key)));
            TEST_ASSERT_EQUAL_UINT(i, plan.reads[read].txn);
            word |= writer << 4 * read;
        }
    }
    TEST_ASSERT_EQUAL_UINT(plan.read_count, read);
    TEST_ASSERT_LESS_THAN_UINT64(HISTORIES_MAX, visited_count);
    visited_serial[visited_count] = visit->is_serializable;
    visited[visited_count++] = word;
    return STATUS_OK;
}

/* --- The definitions ---------------------------------------------------------------------------- */

static bool writes(unsigned txn, unsigned key)
{
    return plan.txns[txn].keys[2] == key || plan.txns[txn].keys[3] == key;
}

static unsigned writer_of(uint64_t word, unsigned read)
{
    return word >> 4 * read & 15;
}

static bool is_session_before(unsigned a, unsigned b)
{
    return plan.txns[a].session == plan.txns[b].session &&
           plan.txns[a].position < plan.txns[b].position;
}

static bool reads_from(uint64_t word, unsigned reader, unsigned writer)
{
    for (unsigned i = 0; i < plan.read_count; i++)
        if (plan.reads[i].txn == reader && writer_of(word, i) == writer)
            return true;
    return false;
}

static bool is_step(uint64_t word, unsigned a, unsigned b)
{
    return is_session_before(a, b) || reads_from(word, b, a);
}

static void happens_before(uint64_t word, bool hb[TXNS_MAX][TXNS_MAX])
{
    for (unsigned a = 0; a < plan.count; a++)
        for (unsigned b = 0; b < plan.count; b++)
            hb[a][b] = is_step(word, a, b);
    for (unsigned k = 0; k < plan.count; k++)
        for (unsigned a = 0; a < plan.count; a++)
            for (unsigned b = 0; b < plan.count; b++)
                hb[a][b] |= hb[a][k] && hb[k][b];
}

static bool conflict(unsigned a, unsigned b)
{
    for (unsigned key = 1; key <= KEYS; key++)
        if (writes(a, key) && writes(b, key))
            return true;
    return false;
}

/* Whether c must come before the one that `read` reads from. */
static bool must_precede(enum level level, uint64_t word, bool hb[TXNS_MAX][TXNS_MAX],
                         const unsigned *place, unsigned c, unsigned read)
{
    unsigned t = plan.reads[read].txn;

    switch (level) {
    case LEVEL_READ_COMMITTED:
        for (unsigned i = 0; i < read; i++)
            if (plan.reads[i].txn == t && writer_of(word, i) == c)
                return true;
        return false;
    case LEVEL_READ_ATOMIC:
        return is_step(word, c, t);
    case LEVEL_CAUSAL:
        return hb[c][t];
    case LEVEL_SERIALIZABLE:
        return place[c] < place[t];
    default:
        for (unsigned u = 0; u < plan.count; u++)
            if (place[c] <= place[u] &&
                (is_step(word, u, t) ||
                 (level == LEVEL_SNAPSHOT && u != t && place[u] < place[t] && conflict(u, t))))
                return true;
        return false;
    }
}

static bool order_satisfies(enum level level, uint64_t word, bool hb[TXNS_MAX][TXNS_MAX],
                            const unsigned *place)
{
    for (unsigned a = 0; a < plan.count; a++)
        for (unsigned b = 0; b < plan.count; b++)
            if (hb[a][b] && place[a] >= place[b])
                return false;
    for (unsigned i = 0; i < plan.read_count; i++)
        for (unsigned c = 0; c < plan.count; c++) {
            unsigned w = writer_of(word, i);

            if (c == w || c == plan.reads[i].txn || !writes(c, plan.reads[i].key) ||
                !must_precede(level, word, hb, place, c, i))
                continue;
            if (w == INITIAL || place[c] >= place[w])
                return false;
        }
    return true;
}

static bool some_order(enum level level, uint64_t word, bool hb[TXNS_MAX][TXNS_MAX],
                       unsigned *place, unsigned next)
{
    if (next == plan.count)
        return order_satisfies(level, word, hb, place);
    for (unsigned txn = 0; txn < plan.count; txn++)
        if (place[txn] == UINT32_MAX) {
            bool is_one;

            place[txn] = next;
            is_one = some_order(level, word, hb, place, next + 1);
            place[txn] = UINT32_MAX;
            if (is_one)
                return true;
        }
    return false;
}

static bool is_at_level(enum level level, uint64_t word)
{
    bool hb[TXNS_MAX][TXNS_MAX];
    unsigned place[TXNS_MAX] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

    happens_before(word, hb);
    return some_order(level, word, hb, place, 0);
}

static void assign_writers(enum level level, uint64_t word, unsigned read)
{
    if (read == plan.read_count) {
        if (is_at_level(level, word)) {
            TEST_ASSERT_LESS_THAN_UINT64(HISTORIES_MAX, wanted_count);
            wanted[wanted_count++] = word;
        }
        return;
    }
    assign_writers(level, word | (uint64_t)INITIAL << 4 * read, read + 1);
    for (unsigned txn = 0; txn < plan.count; txn++)
        if (txn != plan.reads[read].txn && writes(txn, plan.reads[read].key))
            assign_writers(level, word | (uint64_t)txn << 4 * read, read + 1);
}

/* --- Both --------------------------------------------------------------------------------------- */

/* What is read from others: once a key, but at read committed once a statement. */
static void add_read(unsigned txn, unsigned key, bool repeats)
{
    for (unsigned i = 0; i < plan.read_count; i++)
        if (plan.reads[i].txn == txn && plan.reads[i].key == key && !repeats)
            return;
    plan.reads[plan.read_count++] = (struct item_read){ txn, key };
}

static void find_reads(bool repeats)
{
    plan.read_count = 0;
    for (unsigned i = 0; i < plan.count; i++) {
        const unsigned *keys = plan.txns[i].keys;

        for (unsigned k = 0; k < 3; k++)
            if (keys[k] > 0)
                add_read(i, keys[k], repeats);
        if (keys[3] > 0 && keys[3] != keys[2])
            add_read(i, keys[3], repeats);
    }
}

static void draw_plan(struct random *random)
{
    plan.count = 2 + (unsigned)random_below(random, TXNS_MAX - 1);
    plan.sessions = 1 + (unsigned)random_below(random, plan.count);
    for (unsigned i = 0; i < plan.count; i++) {
        struct step *s = &plan.txns[i];

        s->session = i < plan.sessions ? i : plan.txns[i - 1].session;
        s->position = i < plan.sessions ? 0 : plan.txns[i - 1].position + 1;
        for (unsigned k = 0; k < 4; k++)
            s->keys[k] = random_below(random, 2) ? (unsigned)random_below(random, KEYS + 1) : 0;
    }
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void expect_the_same(enum level level)
{
    struct explore_counts counts;
    char label[300];
    size_t length = (size_t)snprintf(label, sizeof label, "%s:", level_name(level));

    for (unsigned i = 0; i < plan.count; i++)
        length +=
            (size_t)snprintf(label + length, sizeof label - length, " s%u(%u,%u,%u,%u)",
                             (unsigned)plan.txns[i].session, plan.txns[i].keys[0],
                             plan.txns[i].keys[1], plan.txns[i].keys[2], plan.txns[i].keys[3]);
    find_reads(level == LEVEL_READ_COMMITTED);
    visited_count = wanted_count = 0;
    explore_plan(level, (struct explore_options){ .visit = keep_history }, &counts);
    TEST_ASSERT_TRUE(counts.is_complete);
    TEST_ASSERT_EQUAL_UINT64(visited_count, counts.histories);
    for (size_t i = 0; i < visited_count; i++)
        TEST_ASSERT_EQUAL_MESSAGE(is_at_level(LEVEL_SERIALIZABLE, visited[i]), visited_serial[i],
                                  label);
    assign_writers(level, 0, 0);
    qsort(visited, visited_count, sizeof *visited, compare_words);
    qsort(wanted, wanted_count, sizeof *wanted, compare_words);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(wanted_count, visited_count, label);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(wanted, visited, wanted_count * sizeof *wanted, label);
}

static void exactly_the_histories_at_the_level_are_visited_each_once(void)
{
    static const enum level levels[] = {
        LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL,
        LEVEL_PREFIX,         LEVEL_SNAPSHOT,    LEVEL_SERIALIZABLE
    };
    struct random_key key = random_key_of_seed(7);
    struct random random;
    size_t rounds = fixture_rounds(60);

    random_init(&random, &key);
    for (size_t i = 0; i < rounds; i++) {
        draw_plan(&random);
        find_reads(true);
        if (plan.read_count > 9)
            continue;
        for (size_t k = 0; k < ROW_COUNT(levels); k++)
            expect_the_same(levels[k]);
        heap_reset(&heap);
    }
}

/* --- By hand ------------------------------------------------------------------------------------ */

/* Both read a counter and write it: either reads from the other, or both the initial value. */
static void a_lost_update_is_one_of_three_histories_of_two_increments(void)
{
    static const struct {
        enum level level;
        uint64_t histories, unserializable;
    } rows[] = {
        { LEVEL_READ_COMMITTED, 3, 1 }, { LEVEL_CAUSAL, 3, 1 },       { LEVEL_PREFIX, 3, 1 },
        { LEVEL_SNAPSHOT, 2, 0 },       { LEVEL_SERIALIZABLE, 2, 0 },
    };
    struct explore_counts counts;

    plan = (struct plan){ .count = 2,
                          .sessions = 2,
                          .txns = { { 0, 0, { 0, 0, 1, 0 } }, { 1, 0, { 0, 0, 1, 0 } } } };
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        explore_plan(rows[i].level, (struct explore_options){ 0 }, &counts);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].histories, counts.histories,
                                         level_name(rows[i].level));
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].unserializable, counts.unserializable,
                                         level_name(rows[i].level));
    }
}

/* Whoever comes first sees the rows without the other's; that it did not see them counts, too. */
static void rows_that_nobody_saw_are_read_as_not_being_there(void)
{
    struct directed_call calls[] = { call_of(0, "scan_and_make(11)"),
                                     call_of(1, "scan_and_make(12)") };
    struct explore_session sessions[] = { { &calls[0], 1 }, { &calls[1], 1 } };
    struct explore_counts counts;

    explore_calls(LEVEL_CAUSAL, sessions, 2, (struct explore_options){ 0 }, &counts);
    TEST_ASSERT_EQUAL_UINT64(3, counts.histories);
    TEST_ASSERT_EQUAL_UINT64(1, counts.unserializable);
    explore_calls(LEVEL_SNAPSHOT, sessions, 2, (struct explore_options){ 0 }, &counts);
    TEST_ASSERT_EQUAL_UINT64(3, counts.histories);
    explore_calls(LEVEL_SERIALIZABLE, sessions, 2, (struct explore_options){ 0 }, &counts);
    TEST_ASSERT_EQUAL_UINT64(2, counts.histories);
}

/* Who reads what the other wrote fails, and nobody reads from it. */
static void a_transaction_that_fails_is_part_of_its_history(void)
{
    struct directed_call calls[] = { call_of(0, "first_only(1)"), call_of(1, "first_only(1)") };
    struct explore_session sessions[] = { { &calls[0], 1 }, { &calls[1], 1 } };
    struct explore_counts counts;

    explore_calls(LEVEL_CAUSAL, sessions, 2, (struct explore_options){ 0 }, &counts);
    TEST_ASSERT_EQUAL_UINT64(3, counts.histories);
    TEST_ASSERT_EQUAL_UINT64(1, counts.unserializable);
}

static enum status end_at_once(void *context, const struct explore_visit *visit, bool *ends,
                               struct error *why)
{
    (void)context;
    (void)why;
    TEST_ASSERT_EQUAL_UINT64(0, visit->number);
    *ends = true;
    return STATUS_OK;
}

static void who_looks_may_end_it_and_then_it_is_not_complete(void)
{
    struct explore_counts counts;

    plan = (struct plan){ .count = 2,
                          .sessions = 2,
                          .txns = { { 0, 0, { 0, 0, 1, 0 } }, { 1, 0, { 0, 0, 1, 0 } } } };
    explore_plan(LEVEL_CAUSAL, (struct explore_options){ .visit = end_at_once }, &counts);
    TEST_ASSERT_EQUAL_UINT64(1, counts.histories);
    TEST_ASSERT_FALSE(counts.is_complete);
}

static void who_is_stopped_is_not_complete(void)
{
    const atomic_bool stop = true;
    struct explore_counts counts;

    plan = (struct plan){ .count = 2,
                          .sessions = 2,
                          .txns = { { 0, 0, { 0, 0, 1, 0 } }, { 1, 0, { 0, 0, 1, 0 } } } };
    explore_plan(LEVEL_CAUSAL, (struct explore_options){ .stop = &stop }, &counts);
    TEST_ASSERT_EQUAL_UINT64(0, counts.histories);
    TEST_ASSERT_FALSE(counts.is_complete);
}

/* --- Against random runs: scans, rows that come and go, failures -------------------------------- */

#define CALLS 4

struct drawn_calls {
    struct directed_call calls[CALLS];
    struct explore_session sessions[CALLS];
    uint32_t count, session_count;
    char label[200];
};

static void draw_call(struct random *random, char text[40])
{
    unsigned key = 1 + (unsigned)random_below(random, 2),
             number = (unsigned)random_below(random, 2);

    switch (random_below(random, 6)) {
    case 0:
        snprintf(text, 40, "scan_and_make(%u)", 2 + key);
        break;
    case 1:
        snprintf(text, 40, "drop_row(%u)", key + number);
        break;
    case 2:
        snprintf(text, 40, "raise_low(%u)", number);
        break;
    case 3:
        snprintf(text, 40, "first_only(%u)", key);
        break;
    default:
        snprintf(text, 40, "step(%u, %u, %u, 0)", number, 3 - key, key);
    }
}

static void draw_calls(struct random *random, struct drawn_calls *drawn)
{
    char text[40];

    *drawn = (struct drawn_calls){ .count = 2 + (uint32_t)random_below(random, CALLS - 2) };
    drawn->session_count = 2 + (uint32_t)random_below(random, drawn->count - 1);
    for (uint32_t i = 0; i < drawn->count; i++) {
        uint32_t session = i < drawn->session_count ? i : drawn->session_count - 1;
        size_t length = strlen(drawn->label);

        draw_call(random, text);
        drawn->calls[i] = call_of(session, text);
        if (i < drawn->session_count)
            drawn->sessions[session].calls = &drawn->calls[i];
        drawn->sessions[session].count++;
        snprintf(drawn->label + length, sizeof drawn->label - length, "s%u %s; ", (unsigned)session,
                 text);
    }
}

static uint64_t name_of(struct directed_txn_facts facts)
{
    return facts.session << 4 | facts.position;
}

/* Who reads what from whom, whatever the order; the initial state is read by whoever reads from nobody. */
static uint64_t digest_of(const struct directed *store)
{
    uint64_t sum = 0;

    for (uint32_t txn = 0; txn < directed_txn_count(store); txn++) {
        uint32_t count;
        const struct directed_seen *seen = directed_reads(store, txn, &count);

        for (uint32_t i = 0; i < count; i++) {
            struct text key = directed_key_text(store, seen[i].key);
            uint64_t hash = name_of(directed_txn(store, txn)) << 32 | seen[i].statement;

            if (seen[i].writer == DIRECTED_INITIAL)
                continue;
            hash = hash_mix(hash_number(hash), name_of(directed_txn(store, seen[i].writer)));
            for (size_t k = 0; k < key.length; k++)
                hash = hash_mix(hash, (uint64_t)key.at[k]);
            sum += hash_number(hash);
        }
    }
    return sum;
}

static enum status keep_digest(void *context, const struct explore_visit *visit, bool *ends,
                               struct error *why)
{
    (void)context;
    (void)ends;
    (void)why;
    TEST_ASSERT_LESS_THAN_UINT64(HISTORIES_MAX, visited_count);
    visited[visited_count++] = digest_of(visit->store);
    return STATUS_OK;
}

static uint64_t run_at_random(enum level level, const struct drawn_calls *drawn,
                              struct random *random)
{
    struct directed_options store_options = { &program, level, drawn->session_count, false };
    struct random_key key = random_key_of_seed(random_next(random));
    struct director_state state;
    struct director director = director_of_mode(&state, DIRECTOR_RANDOM, &key);
    uint32_t done[CALLS] = { 0 };
    struct directed *store;
    uint64_t digest;

    ASSERT_OK(directed_open(&store, &store_options, &err), &err);
    ASSERT_OK(directed_load(store, TEXT("load(2)"), &err), &err);
    while (directed_txn_count(store) < drawn->count) {
        uint32_t session = (uint32_t)random_below(random, drawn->session_count);
        struct directed_outcome outcome;

        if (done[session] == drawn->sessions[session].count)
            continue;
        ASSERT_OK(directed_run(store, &drawn->sessions[session].calls[done[session]++], &director,
                               &outcome, &err),
                  &err);
    }
    digest = digest_of(store);
    directed_close(store);
    return digest;
}

static void whatever_chance_makes_is_visited_and_nothing_twice(void)
{
    static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL };
    struct random_key key = random_key_of_seed(11);
    struct random random;
    size_t rounds = fixture_rounds(30);

    random_init(&random, &key);
    for (size_t i = 0; i < rounds; i++) {
        enum level level = levels[i % ROW_COUNT(levels)];
        struct explore_counts counts;
        struct drawn_calls drawn;

        draw_calls(&random, &drawn);
        visited_count = 0;
        explore_calls(level, drawn.sessions, drawn.session_count,
                      (struct explore_options){ .visit = keep_digest }, &counts);
        TEST_ASSERT_TRUE(counts.is_complete);
        qsort(visited, visited_count, sizeof *visited, compare_words);
        for (size_t k = 1; k < visited_count; k++)
            TEST_ASSERT_TRUE_MESSAGE(visited[k - 1] != visited[k], drawn.label);
        for (unsigned k = 0; k < 100; k++) {
            uint64_t digest = run_at_random(level, &drawn, &random);

            TEST_ASSERT_NOT_NULL_MESSAGE(
                bsearch(&digest, visited, visited_count, sizeof *visited, compare_words),
                drawn.label);
        }
        heap_reset(&heap);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(exactly_the_histories_at_the_level_are_visited_each_once);
    RUN_TEST(whatever_chance_makes_is_visited_and_nothing_twice);
    RUN_TEST(a_lost_update_is_one_of_three_histories_of_two_increments);
    RUN_TEST(rows_that_nobody_saw_are_read_as_not_being_there);
    RUN_TEST(a_transaction_that_fails_is_part_of_its_history);
    RUN_TEST(who_looks_may_end_it_and_then_it_is_not_complete);
    RUN_TEST(who_is_stopped_is_not_complete);
    return UNITY_END();
}
