#include "tests/predict/director/director_fixture.h"

#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "history/builder.h"
#include "programs/machine/program.h"
#include "tests/fixture.h"
#include "unity.h"

const char director_program[] =
    "CREATE TABLE t (k bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE TABLE notes (id bigserial PRIMARY KEY, who bigint);\n"
    "CREATE TABLE marks (who bigint);\n"
    "CREATE FUNCTION load(n bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN FOR i IN 1..n LOOP INSERT INTO t VALUES (i, 0); END LOOP; END; $$;\n"
    "CREATE FUNCTION step(r1 bigint, r2 bigint, w1 bigint, w2 bigint, tag bigint)\n"
    "RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; b bigint;\n"
    "BEGIN\n"
    "    IF r1 > 0 THEN SELECT v INTO a FROM t WHERE k = r1; END IF;\n"
    "    IF r2 > 0 THEN SELECT v INTO b FROM t WHERE k = r2; END IF;\n"
    "    IF w1 > 0 THEN UPDATE t SET v = v + tag WHERE k = w1; END IF;\n"
    "    IF w2 > 0 THEN UPDATE t SET v = v + tag WHERE k = w2; END IF;\n"
    "    RETURN a;\n"
    "END; $$;\n"
    "CREATE FUNCTION scan(low bigint, high bigint, w bigint, tag bigint)\n"
    "RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint;\n"
    "BEGIN\n"
    "    SELECT count(*) INTO n FROM t WHERE v BETWEEN low AND high;\n"
    "    IF w > 0 THEN UPDATE t SET v = tag WHERE k = w; END IF;\n"
    "    RETURN n;\n"
    "END; $$;\n"
    "CREATE FUNCTION make(p_k bigint, tag bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN INSERT INTO t VALUES (p_k, tag); END; $$;\n"
    "CREATE FUNCTION drop_row(p_k bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN DELETE FROM t WHERE k = p_k; END; $$;\n"
    "CREATE FUNCTION drop_all(tag bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN DELETE FROM t WHERE v >= tag; END; $$;\n"
    "CREATE FUNCTION note(tag bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint;\n"
    "BEGIN INSERT INTO notes (who) VALUES (tag); INSERT INTO marks VALUES (tag);\n"
    "SELECT count(*) INTO n FROM marks; RETURN n; END; $$;\n"
    "CREATE FUNCTION fail(w bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN UPDATE t SET v = 99 WHERE k = w; RAISE EXCEPTION 'no'; END; $$;\n"
    "CREATE FUNCTION total() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint;\n"
    "BEGIN SELECT sum(v)::bigint INTO n FROM t; RETURN n; END; $$;\n";

static struct program program;
static struct heap heap;
static bool is_open;
static struct error err;

struct directed *directed_fixture_open(enum level level, uint32_t sessions, bool keeps)
{
    struct directed_options options = { &program, level, sessions, keeps };
    struct directed *d;

    TEST_ASSERT_FALSE(is_open);
    ASSERT_OK(program_load(&program, text_of(director_program), &err), &err);
    heap_init(&heap, (size_t)1 << 20);
    is_open = true;
    ASSERT_OK(directed_open(&d, &options, &err), &err);
    ASSERT_OK(directed_load(d, TEXT("load(3)"), &err), &err);
    return d;
}

void directed_fixture_close(struct directed *d)
{
    directed_close(d);
    if (is_open) {
        program_close(&program);
        heap_close(&heap);
    }
    is_open = false;
}

struct directed_outcome directed_fixture_call(struct directed *d, uint32_t session,
                                              const char *text, struct director director)
{
    struct datum arguments[8];
    struct directed_call call = { .session = session, .arguments = arguments };
    struct directed_outcome outcome;

    heap_reset(&heap);
    ASSERT_OK(program_parse_call(&program, text_of(text), &heap, &call.function,
                                 (struct program_arguments){ arguments, 8 }, &err),
              &err);
    ASSERT_OK(directed_run(d, &call, &director, &outcome, &err), &err);
    return outcome;
}

struct directed_outcome directed_fixture_call_drawn(struct directed *d, uint32_t sessions,
                                                    struct random *r, struct director director)
{
    uint32_t session = (uint32_t)random_below(r, sessions);
    unsigned a = (unsigned)random_below(r, 4), b = (unsigned)random_below(r, 4);
    unsigned c = (unsigned)random_below(r, 4), e = (unsigned)random_below(r, 4);
    unsigned tag = directed_txn_count(d) + 1;
    char text[100];

    switch (random_below(r, 13)) {
    case 4:
        snprintf(text, sizeof text, "note(%u)", tag);
        break;
    case 0:
        snprintf(text, sizeof text, "scan(%u, %u, %u, %u)", a, a + 5 * b, c, tag);
        break;
    case 1:
        snprintf(text, sizeof text, "make(%u, %u)", a + 1, tag);
        break;
    case 2:
        snprintf(text, sizeof text, "drop_row(%u)", a + 1);
        break;
    case 3:
        snprintf(text, sizeof text, a == 1 ? "drop_all(%u)" : "fail(%u)", a == 1 ? 9 : b);
        break;
    default:
        snprintf(text, sizeof text, "step(%u, %u, %u, %u, %u)", a, b, c, e, tag);
    }
    return directed_fixture_call(d, session, text, director);
}

int64_t directed_fixture_evaluate(struct directed *d, const char *function)
{
    struct datum value;

    ASSERT_OK(
        directed_evaluate(d, program_find_function(&program, text_of(function)), &value, &err),
        &err);
    return value.as.integer;
}

struct director directed_fixture_director(struct director_state *state, enum director_mode mode,
                                          uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);

    return director_of_mode(state, mode, &key);
}

/* --- As items ----------------------------------------------------------------------------------- */

static void add_read(struct builder *b, const struct directed *d, uint32_t key, uint32_t writer)
{
    struct value value = writer == DIRECTED_INITIAL ? value_null() : value_integer(writer + 1);
    uint32_t number;

    ASSERT_OK(builder_key(b, directed_key_text(d, key), &number, &err), &err);
    ASSERT_OK(builder_add_op(b, OP_READ, number, value, &err), &err);
}

static void add_txn(struct builder *b, const struct directed *d, uint32_t txn)
{
    struct directed_txn_facts facts = directed_txn(d, txn);
    const struct directed_seen *seen;
    const uint32_t *keys;
    uint32_t count;

    ASSERT_OK(builder_begin_txn(b, txn + 1, facts.session, TXN_OK, &err), &err);
    seen = directed_reads(d, txn, &count);
    for (uint32_t i = 0; i < count; i++)
        add_read(b, d, seen[i].key, seen[i].writer);
    keys = directed_writes(d, txn, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number;

        ASSERT_OK(builder_key(b, directed_key_text(d, keys[i]), &number, &err), &err);
        ASSERT_OK(builder_add_op(b, OP_WRITE, number, value_integer(txn + 1), &err), &err);
    }
}

static void add_committed(struct builder *b, const struct directed *d, uint32_t count)
{
    builder_init(b);
    for (uint32_t i = 0; i < count; i++)
        if (directed_txn(d, i).end == DIRECTED_COMMITTED)
            add_txn(b, d, i);
}

void directed_fixture_items(const struct directed *d, struct history *h)
{
    struct builder b;

    add_committed(&b, d, directed_txn_count(d));
    ASSERT_OK(builder_finish(&b, h, &err), &err);
}

void directed_fixture_items_with(const struct directed_read *read, uint32_t writer,
                                 struct history *h)
{
    const struct directed_seen *seen;
    struct builder b;
    uint32_t count;

    add_committed(&b, read->store, read->txn);
    ASSERT_OK(builder_begin_txn(&b, read->txn + 1, read->session, TXN_OK, &err), &err);
    seen = directed_reads(read->store, read->txn, &count);
    for (uint32_t i = 0; i < count; i++)
        add_read(&b, read->store, seen[i].key, seen[i].writer);
    add_read(&b, read->store, read->key, writer);
    ASSERT_OK(builder_finish(&b, h, &err), &err);
}

bool directed_fixture_holds(const struct history *h, enum level level)
{
    const struct checker *checker = checker_find(
        level == LEVEL_SNAPSHOT || level == LEVEL_SERIALIZABLE ? TEXT("blackbox") : TEXT("weak"));
    struct check_options options = { .level = level };
    struct check check;
    bool holds;

    ASSERT_OK(checker_run(checker, h, &options, &check, &err), &err);
    TEST_ASSERT_TRUE_MESSAGE(check.verdict != VERDICT_UNKNOWN, check.reason);
    holds = check.verdict == VERDICT_VALID;
    check_close(&check);
    return holds;
}
