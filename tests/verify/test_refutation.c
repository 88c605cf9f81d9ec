/*
 * Refutations by hand: what no order of transactions explains, from what clients saw
 * alone; and beside each what is only nearly so.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "tests/oracle/oracle.h"
#include "tests/verify/mutate.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void)
{
    fixture_history(NULL);
}

#define INVALID(level)                                                                             \
    "\"checker\":\"blackbox\",\"level\":\"" level "\",\"verdict\":\"invalid\",\"anomalies\":[{"
#define PROOF(kind, txns, steps)                                                                   \
    "\"kind\":\"" kind "\",\"transactions\":" txns ",\"explanation\":\"\",\"refutation\":[" steps  \
    "]}]"

#define READ(txn, op, key) "\"read\":[" #txn "," #op "],\"key\":\"" key "\""
#define READS(txn, op, key) "{\"step\":\"reads\"," READ(txn, op, key) "}"
#define FOLLOWS(txn, op, key, from)                                                                \
    "{\"step\":\"follows\"," READ(txn, op, key) ",\"from\":" #from "}"
#define OVERWRITES(txn, op, key, from, other)                                                      \
    "{\"step\":\"overwrites\"," READ(txn, op, key) ",\"from\":" #from ",\"other\":" #other "}"
#define PREFIX(txn, op, key, first, second)                                                        \
    "{\"step\":\"prefix\"," READ(txn, op, key) ",\"first\":" #first ",\"second\":" #second "}"
#define ABSENT(txn, op, key, other)                                                                \
    "{\"step\":\"absent\"," READ(txn, op, key) ",\"other\":" #other "}"
#define PAIR(step, from, to) "{\"step\":\"" step "\",\"from\":" #from ",\"to\":" #to "}"
#define PROGRAM(txn) "{\"step\":\"program\",\"txn\":" #txn "}"
#define WRITERS(step, key, first, second)                                                          \
    "{\"step\":\"" step "\",\"key\":\"" key "\",\"first\":" #first ",\"second\":" #second "}"
#define BY(by) "{\"clause\":[],\"by\":[" by "]}"
#define ROUND(by, cycle) "{\"clause\":[],\"by\":[" by "],\"cycle\":[" cycle "]}"
#define DERIVED(clause, by) "{\"clause\":[" clause "],\"by\":[" by "]}"
#define NOT_FROM(txn, op, key, from) "{" READ(txn, op, key) ",\"not-from\":" #from "}"

/* A history, and a refutation that is true; and, nearly the same, one that it does not fit. */
static const struct row {
    const char *what, *history, *fields, *holds;
    enum level level;
} rows[] = {
    { "two updates of one version", "T1: r x _, w x 1; T2: r x _, w x 2",
      INVALID("serializable")
          PROOF("G2-item", "[1,2]",
                OVERWRITES(1, 0, "x", null, 2) "," OVERWRITES(2, 0, "x", null, 1) "," BY("0,1")),
      "T1: r x _, w x 1; T2: r x 1, w x 2", LEVEL_SERIALIZABLE },
    { "each missed the other's row",
      "T1: sel v>=1 {}, ins {1=101}; T2: sel v>=3 {}, ins {2=4}",
      INVALID("serializable")
          PROOF("G2", "[1,2]",
                OVERWRITES(1, 0, "t/2", null, 2) "," OVERWRITES(2, 0, "t/1", null, 1) "," BY("0,1")),
      "T1: sel v>=1 {}, ins {1=101}; T2: sel v>=3 {1=101}, ins {2=4}", LEVEL_SERIALIZABLE },
    { "a row that cannot have been missing", "init t/7 12; T1: sel v>=10 {}",
      INVALID("serializable") PROOF("G2", "[1]", READS(1, 0, "t/7")),
      "init t/7 12; T1: sel v>=13 {}", LEVEL_SERIALIZABLE },
    { "a least value that was not there yet",
      "T1: w t/7 12, w x 1; T2: r x _, agg min(v) v>=10 12",
      INVALID("serializable")
          PROOF("G2", "[1,2]",
                "{\"step\":\"extreme\",\"read\":[2,1],\"value\":\"min(v)\"}"
                "," FOLLOWS(2, 1, "t/7", 1) "," OVERWRITES(2, 0, "x", null, 1) "," BY("0,1,2")),
      "T1: w t/7 12, w x 1; T2: r x 1, agg min(v) v>=10 12", LEVEL_SERIALIZABLE },
    { "and with snapshots", "T1: r x _, w x 1; T2: r x _, w x 2",
      INVALID("snapshot")
          PROOF("G-nonadjacent", "[1,2]",
                OVERWRITES(1, 0, "x", null, 2) "," OVERWRITES(2, 0, "x", null, 1) "," WRITERS(
                    "exclusive", "x", 1, 2) "," BY("0,1,2")),
      "T1: r x _, w x 1; T2: r x _, w y 2", LEVEL_SNAPSHOT },
    { "write skew", "T1: r x _, w y 1; T2: r y _, w x 1",
      INVALID("serializable")
          PROOF("G2-item", "[1,2]",
                OVERWRITES(1, 0, "x", null, 2) "," OVERWRITES(2, 0, "y", null, 1) "," BY("0,1")),
      "T1: r x 1, w y 1; T2: r y _, w x 1", LEVEL_SERIALIZABLE },
    { "long fork", "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1",
      INVALID("snapshot") PROOF(
          "G-nonadjacent", "[1,2,3,4]",
          FOLLOWS(3, 0, "x", 1) "," OVERWRITES(3, 1, "y", null, 2) "," FOLLOWS(
              4, 1, "y", 2) "," OVERWRITES(4, 0, "x", null,
                                           1) "," ROUND("0,1,2,3", "\"c1\",\"b3\",\"c2\",\"b4\"")),
      "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x 1, r y 1", LEVEL_SNAPSHOT },
    { "the begin of a transaction comes before its end", "T1: r y 2, w x 1; T2: r x 1, w y 2",
      INVALID("snapshot")
          PROOF("G-nonadjacent", "[1,2]",
                PROGRAM(1) "," PROGRAM(2) "," FOLLOWS(1, 0, "y", 2) "," FOLLOWS(
                    2, 0, "x", 1) "," ROUND("0,1,2,3", "\"b1\",\"c1\",\"b2\",\"c2\"")),
      "T1: r y _, w x 1; T2: r x 1, w y 2", LEVEL_SNAPSHOT },
    { "two possible versions, and neither can be",
      "T1: w x 5, r z 9; T2: w x 5, r z 9; T3: r x 5, w z 9",
      INVALID("serializable") PROOF(
          "G2-item", "[1,2,3]",
          FOLLOWS(1, 1, "z", 3) "," FOLLOWS(2, 1, "z", 3) "," FOLLOWS(3, 0, "x", 1) "," FOLLOWS(
              3, 0, "x", 2) "," READS(3, 0,
                                      "x") "," DERIVED(NOT_FROM(3, 0, "x", 1),
                                                       "0,2") "," DERIVED(NOT_FROM(3, 0, "x", 2),
                                                                          "1,3") "," BY("5,6,4")),
      "T1: w x 5; T2: w x 5, r z 9; T3: r x 5, w z 9", LEVEL_SERIALIZABLE },
    { "the initial value is one of two",
      "init x 5; T1 s1: w x 6; T2 s1: w x 5, r z 9; T3 s1: r x 5, w z 9; T4 s2: w x 7",
      INVALID("session-serializable") PROOF(
          "G2-item-process", "[1,2,3]",
          PAIR("session", 1, 3) "," OVERWRITES(3, 0, "x", null, 1) "," FOLLOWS(
              2, 1, "z", 3) "," FOLLOWS(3, 0, "x", 2) "," READS(3, 0, "x") "," BY("0,1,2,3,4")),
      "init x 5; T1 s1: w x 6; T2 s1: w x 5, r z _; T3 s1: r x 5, w z 9; T4 s2: w x 7",
      LEVEL_SESSION_SERIALIZABLE },
    { "who was read from took part, though nobody knew",
      "T1 unknown: w x 1, w y 1; T2: r x 1, r y _",
      INVALID("serializable")
          PROOF("G2-item", "[1,2]",
                FOLLOWS(2, 0, "x", 1) "," OVERWRITES(2, 1, "y", null, 1) "," BY("0,1")),
      "T1 unknown: w x 1, w y 1; T2: r x _, r y _", LEVEL_SERIALIZABLE },
    { "two orders of a list", "T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [2 1]",
      INVALID("serializable")
          PROOF("G2-item", "[1,2,3,4]",
                PREFIX(3, 0, "l", 1, 2) "," PREFIX(4, 0, "l", 2, 1) "," BY("0,1")),
      "T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [1 2]", LEVEL_SERIALIZABLE },
    { "each lacks what the other has", "T1: a l 1; T2: a l 2; T3: r l [1]; T4: r l [2]",
      INVALID("snapshot")
          PROOF("G-nonadjacent", "[1,2,3,4]",
                ABSENT(3, 0, "l", 2) "," FOLLOWS(4, 0, "l", 2) "," ABSENT(4, 0, "l", 1) "," FOLLOWS(
                    3, 0, "l", 1) "," ROUND("0,1,2,3", "\"b3\",\"c2\",\"b4\",\"c1\"")),
      "T1: a l 1; T2: a l 2; T3: r l [1]; T4: r l [1 2]", LEVEL_SNAPSHOT },
    { "a list against the order in which it was written", "T1: a l 1, a l 2; T2: r l [2 1]",
      INVALID("snapshot") PROOF("G-nonadjacent", "[1,2]", PREFIX(2, 0, "l", 1, 1)),
      "T1: a l 2, a l 1; T2: r l [2 1]", LEVEL_SNAPSHOT },
    { "a list that lost its beginning", "init l [7 8]; T1: a l 1; T2: r l [7 1]",
      INVALID("serializable") PROOF("G2-item", "[2]", ABSENT(2, 0, "l", null)),
      "init l [7]; T1: a l 1; T2: r l [7 1]", LEVEL_SERIALIZABLE },
    { "own elements come last", "T1: a l 1, r l [2 1]; T2: a l 2; T3: r l [1 2]",
      INVALID("serializable") PROOF(
          "G2-item", "[1,2,3]", FOLLOWS(1, 1, "l", 2) "," PREFIX(3, 0, "l", 1, 2) "," BY("0,1")),
      "T1: a l 1, r l [1]; T2: a l 2; T3: r l [1 2]", LEVEL_SERIALIZABLE },
    { "a session forgets", "T1 s1: w x 1; T2 s1: r x _",
      INVALID("session-snapshot")
          PROOF("G-nonadjacent-process", "[1,2]",
                PAIR("session", 1, 2) "," OVERWRITES(2, 0, "x", null, 1) "," BY("0,1")),
      "T2 s1: r x _; T1 s1: w x 1", LEVEL_SESSION_SNAPSHOT },
    { "time runs backwards", "T1 @10-20: w x 1; T2 @30-40: r x _",
      INVALID("strict-serializable")
          PROOF("G2-item-realtime", "[1,2]",
                PAIR("realtime", 1, 2) "," OVERWRITES(2, 0, "x", null, 1) "," BY("0,1")),
      "T1 @10-35: w x 1; T2 @30-40: r x _", LEVEL_STRICT_SERIALIZABLE },
    { "the history knows the order of the versions",
      "T1: w x 1, w y 1; T2: w x 2; T3: r y 1, r x 2; order x T2 T1",
      INVALID("serializable")
          PROOF("G2-item", "[1,2,3]",
                WRITERS("version-order", "x", 2, 1) "," FOLLOWS(3, 0, "y", 1) "," OVERWRITES(
                    3, 1, "x", 2, 1) "," BY("0,1,2")),
      "T1: w x 1, w y 1; T2: w x 2; T3: r y 1, r x 2; order x T1 T2", LEVEL_SERIALIZABLE },
    { "rows are items",
      "init t/7 1; T1: w t/7 2, w t/9 2; T2: sel v>=0 {7=2 9=2}; T3: r t/9 2, sel v<=1 {7=1}",
      INVALID("serializable")
          PROOF("G2-item", "[1,3]",
                FOLLOWS(3, 0, "t/9", 1) "," OVERWRITES(3, 1, "t/7", null, 1) "," BY("0,1")),
      "init t/7 1; T1: w t/7 2, w t/9 2; T2: sel v>=0 {7=2 9=2}; T3: r t/9 2, sel v<=2 {7=2 9=2}",
      LEVEL_SERIALIZABLE },
    { "nobody left what was read", "T1 abort: w x 5; T2: w x 5, w x 6; T3: r x 5",
      INVALID("serializable") PROOF("G2-item", "[3]", READS(3, 0, "x")),
      "T1 abort: w x 5; T2: w x 6, w x 5; T3: r x 5", LEVEL_SERIALIZABLE },
};

static void what_cannot_be_is_refuted(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char reason[512], message[700];
        bool is_accepted;

        fixture_history(rows[i].history);
        is_accepted = fixture_accepts(reason, "%s", rows[i].fields);
        snprintf(message, sizeof message, "%s: %s", rows[i].what, reason);
        TEST_ASSERT_TRUE_MESSAGE(is_accepted, message);
    }
}

/* The oracle must agree that it cannot be, and that the other may be. */
static void what_can_be_is_not_refuted(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct oracle_options how = { .use_certificate = true };
        char reason[512];
        bool is_accepted;

        TEST_ASSERT_EQUAL_MESSAGE(
            ORACLE_VIOLATED, oracle_decide(fixture_history(rows[i].history), rows[i].level, how),
            rows[i].what);
        TEST_ASSERT_EQUAL_MESSAGE(ORACLE_HOLDS,
                                  oracle_decide(fixture_history(rows[i].holds), rows[i].level, how),
                                  rows[i].what);
        is_accepted = fixture_accepts(reason, "%s", rows[i].fields);
        TEST_ASSERT_FALSE_MESSAGE(is_accepted, rows[i].what);
    }
}

/* --- Changed ----------------------------------------------------------------- */

typedef bool change_function(struct text, size_t n, struct buffer *);

static bool drop_part(struct text text, size_t n, struct buffer *out)
{
    struct span_of_text parts[MUTATE_MAX];

    if (n >= mutate_parts(text, parts))
        return false;
    mutate_drop(text, parts[n], out);
    return true;
}

static bool replace_word(struct text text, size_t n, struct buffer *out)
{
    struct span_of_text words[MUTATE_MAX];
    size_t others = mutate_other_count();

    if (n / others >= mutate_words(text, words))
        return false;
    mutate_replace(text, words[n / others], mutate_others[n % others], out);
    return true;
}

struct tally {
    size_t tried, accepted;
};

static void try_changes(const struct row *row, const struct history *h, change_function *change,
                        struct tally *tally)
{
    struct oracle_options how = { .use_certificate = true };
    struct buffer witness = { 0 }, changed = { 0 };
    char reason[512];

    fixture_begin(&witness, h);
    buffer_print(&witness, "%s}", row->fields);
    for (size_t n = 0; change((struct text){ witness.at, witness.count }, n, &changed); n++) {
        tally->tried++;
        if (!fixture_verify(h, (struct text){ changed.at, changed.count }, reason))
            continue;
        tally->accepted++;
        buffer_byte(&changed, 0);
        TEST_ASSERT_EQUAL_MESSAGE(ORACLE_VIOLATED, oracle_decide(h, fixture_level(changed.at), how),
                                  changed.at);
    }
    buffer_close(&witness);
    buffer_close(&changed);
}

/* None of these proofs has a part too many. */
static void without_one_of_its_parts_it_proves_nothing(void)
{
    struct tally tally = { 0 };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        try_changes(&rows[i], fixture_history(rows[i].history), drop_part, &tally);
    TEST_ASSERT_GREATER_THAN(200, tally.tried);
    TEST_ASSERT_EQUAL(0, tally.accepted);
}

/* Levels, words for people, and steps that are named twice may change. */
static void with_one_of_its_words_changed_it_mostly_proves_nothing(void)
{
    struct tally tally = { 0 };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        try_changes(&rows[i], fixture_history(rows[i].history), replace_word, &tally);
    printf("%zu tried, %zu accepted\n", tally.tried, tally.accepted);
    TEST_ASSERT_GREATER_THAN(20000, tally.tried);
    TEST_ASSERT_GREATER_THAN(tally.tried / 100, tally.accepted);
    TEST_ASSERT_LESS_THAN(tally.tried / 10, tally.accepted);
}

static void no_change_makes_it_fit_where_it_cannot(void)
{
    struct tally tally = { 0 };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        try_changes(&rows[i], fixture_history(rows[i].holds), drop_part, &tally);
        try_changes(&rows[i], fixture_history(rows[i].holds), replace_word, &tally);
    }
    TEST_ASSERT_GREATER_THAN(20000, tally.tried);
}

/* --- Refused ----------------------------------------------------------------- */

#define SKEWED(kind, txns, steps) INVALID("serializable") PROOF(kind, txns, steps)
#define FIRST OVERWRITES(1, 0, "x", null, 2)
#define SECOND OVERWRITES(2, 0, "y", null, 1)

static void a_refusal_says_what_is_not_true(void)
{
    fixture_history("T1 s1: r x _, w y 1, w y 2; T2 s1: r y _, w x 1, r x 1; T3 abort: w x 3;"
                    "T4: r x 4; T5 unknown: w x 4");
    ASSERT_ACCEPTED(SKEWED("G2-item", "[1,2]", FIRST "," SECOND "," BY("0,1")));
    ASSERT_REFUSED("step 2: nothing contradicts it",
                   SKEWED("G2-item", "[1,2]", FIRST "," SECOND "," BY("0")));
    ASSERT_REFUSED("step 1: step 2 is not before it",
                   SKEWED("G2-item", "[1,2]", FIRST "," BY("0,2") "," SECOND));
    ASSERT_REFUSED("step 2: step 2 is not before it",
                   SKEWED("G2-item", "[1,2]", FIRST "," SECOND "," BY("0,2")));
    ASSERT_REFUSED("step -1 is not before it",
                   SKEWED("G2-item", "[1,2]", FIRST "," SECOND "," BY("0,-1")));
    ASSERT_REFUSED("leaves something", SKEWED("G2-item", "[1,2]", FIRST "," SECOND));
    ASSERT_REFUSED("leaves something", SKEWED("G2-item", "[]", ""));
    ASSERT_REFUSED("leaves a choice", SKEWED("G2-item", "[1,2,4,5]",
                                             OVERWRITES(4, 0, "x", 5, 2) "," FIRST "," BY("0,1")));
    ASSERT_REFUSED("not those of the proof",
                   SKEWED("G2-item", "[1]", FIRST "," SECOND "," BY("0,1")));
    ASSERT_REFUSED("not those of the proof",
                   SKEWED("G2-item", "[1,2,5]", FIRST "," SECOND "," BY("0,1")));
    ASSERT_REFUSED("no G-single", SKEWED("G-single", "[1,2]", FIRST "," SECOND "," BY("0,1")));
    ASSERT_REFUSED("not known to be before",
                   SKEWED("G2-item", "[1,2]", FIRST "," SECOND "," ROUND("0", "1,2")));
    ASSERT_REFUSED("no such points",
                   SKEWED("G2-item", "[1,2]", FIRST "," SECOND "," ROUND("0", "\"b1\",\"c2\"")));
    ASSERT_REFUSED("did not commit", SKEWED("G2-item", "[1,3]", OVERWRITES(1, 0, "x", null, 3)));
    ASSERT_REFUSED("left no version", SKEWED("G2-item", "[1,2]", OVERWRITES(1, 0, "x", null, 1)));
    ASSERT_REFUSED("did not read", SKEWED("G2-item", "[1,2]", OVERWRITES(1, 0, "y", null, 2)));
    ASSERT_REFUSED("read nothing", SKEWED("G2-item", "[1,2]", OVERWRITES(1, 1, "y", null, 2)));
    ASSERT_REFUSED("no operation 3", SKEWED("G2-item", "[1,2]", OVERWRITES(1, 3, "y", null, 2)));
    ASSERT_REFUSED("had written it", SKEWED("G2-item", "[2]", READS(2, 2, "x")));
    ASSERT_REFUSED("does not ask", SKEWED("G2-item", "[1,2]", PAIR("session", 1, 2)));
    ASSERT_REFUSED("was not over", INVALID("session-serializable")
                                       PROOF("G2-item", "[1,2]", PAIR("session", 2, 1)));
    ASSERT_REFUSED("one point", SKEWED("G2-item", "[1]", PROGRAM(1)));
    ASSERT_REFUSED("only snapshots", SKEWED("G2-item", "[2,5]", WRITERS("exclusive", "x", 2, 5)));
    ASSERT_REFUSED("does not say so",
                   SKEWED("G2-item", "[2,5]", WRITERS("version-order", "x", 2, 5)));
    ASSERT_REFUSED("one before the other", SKEWED("G2-item", "[1,2,5]", PREFIX(1, 0, "x", 2, 5)));
    ASSERT_REFUSED("is missing", SKEWED("G2-item", "[1,2]", ABSENT(1, 0, "x", 2)));
    ASSERT_REFUSED("no proof for this checker",
                   INVALID("serializable") "\"kind\":\"duplicate-write\",\"transactions\":[2,5],"
                                           "\"explanation\":\"\","
                                           "\"writes\":{\"key\":\"x\",\"versions\":[2,5]}}]");
}

/* --- Single reads ------------------------------------------------------------ */

#define WRONG(kind, txns, fields)                                                                  \
    INVALID("snapshot")                                                                            \
    "\"kind\":\"" kind "\",\"transactions\":" txns ",\"explanation\":\"\",\"read\":{" fields "}}]"
#define OF(txn, op, key) "\"txn\":" #txn ",\"op\":" #op ",\"key\":\"" key "\""
#define OF_VERSION(txn, op, key, version) OF(txn, op, key) ",\"version\":" #version

static void a_read_that_nothing_explains_is_wrong_by_itself(void)
{
    fixture_history("T1 abort: w x 1, w y 2; T2: w y 3, w y 4; T3: r x 1, r y 3; T4: r z 9;"
                    "T5: r q 5, w q 5; T6: w p 1, r p 2; T7: w p 2, r p 2; T8: r p 1, r p 2;"
                    "T9: r p 1, r p 1");
    ASSERT_ACCEPTED(WRONG("G1a", "[1,3]", OF_VERSION(3, 0, "x", 1)));
    ASSERT_ACCEPTED(WRONG("G1b", "[2,3]", "\"txn\":3,\"op\":1,\"key\":\"y\",\"version\":[2,1]"));
    ASSERT_ACCEPTED(WRONG("garbage-read", "[4]", OF(4, 0, "z")));
    ASSERT_ACCEPTED(WRONG("future-read", "[5]", OF_VERSION(5, 0, "q", 5)));
    ASSERT_ACCEPTED(WRONG("internal", "[6]", OF(6, 1, "p")));
    ASSERT_ACCEPTED(WRONG("internal", "[8]", OF(8, 1, "p")));
    ASSERT_REFUSED("its answer is right", WRONG("internal", "[7]", OF(7, 1, "p")));
    ASSERT_REFUSED("its answer is right", WRONG("internal", "[9]", OF(9, 1, "p")));
    ASSERT_REFUSED("its answer is right", WRONG("internal", "[8]", OF(8, 0, "p")));
    ASSERT_REFUSED("somebody wrote", WRONG("garbage-read", "[3]", OF(3, 0, "x")));
    ASSERT_REFUSED("no G1a",
                   WRONG("G1a", "[2,3]", "\"txn\":3,\"op\":1,\"key\":\"y\",\"version\":[2,1]"));
    ASSERT_REFUSED("not of that version", WRONG("G1b", "[2,3]", OF_VERSION(3, 1, "y", 2)));
    ASSERT_REFUSED("no result-set-mismatch", WRONG("result-set-mismatch", "[4]", OF(4, 0, "z")));
}

/* Two who wrote one value: that one of them cannot have been read proves nothing. */
static void a_read_is_not_wrong_while_one_version_is_possible(void)
{
    fixture_history("T1 abort: w x 1; T2 unknown: w x 1; T3: r x 1; T4: w y 1, w y 2;"
                    "T5: w y 1; T6: r y 1; T7: r z 3, w z 3; T8: w z 3");
    ASSERT_REFUSED("its answer is right", WRONG("G1a", "[1,3]", OF_VERSION(3, 0, "x", 1)));
    ASSERT_REFUSED("its answer is right",
                   WRONG("G1b", "[4,6]", "\"txn\":6,\"op\":0,\"key\":\"y\",\"version\":[4,1]"));
    ASSERT_REFUSED("its answer is right", WRONG("future-read", "[7]", OF_VERSION(7, 0, "z", 7)));
    /* Known not to have committed: it wrote a key whose order does not have it. */
    fixture_history("T1 abort: w x 1; T2 unknown: w x 1; T3: r x 1; T4: w x 2; order x T4");
    ASSERT_ACCEPTED(WRONG("G1a", "[1,3]", OF_VERSION(3, 0, "x", 1)));
    ASSERT_ACCEPTED(WRONG("G1a", "[2,3]", OF_VERSION(3, 0, "x", 2)));
}

static void a_list_is_wrong_by_an_element(void)
{
    fixture_history("init l [8]; T1 abort: a l 1; T2: a l 2, a l 3; T3: r l [8 1 2 3];"
                    "T4: r l [8 2 3 9]; T5: r l [8 2 2 3]; T6: r l [8 2 3 4], a l 4;"
                    "T7: a l 7, r l [8 7 2 3]; T8: r l [8 2 3 4 7]; T9: r l [8 2 3];"
                    "T10: sel v>=1 {7=5}; T11 unknown: w t/7 6, w t/7 5, w t/9 1");
    ASSERT_ACCEPTED(WRONG("G1a", "[1,3]", OF_VERSION(3, 0, "l", 1)));
    ASSERT_ACCEPTED(WRONG("garbage-read", "[4]", OF(4, 0, "l")));
    ASSERT_ACCEPTED(WRONG("duplicate-elements", "[5]", OF(5, 0, "l")));
    ASSERT_ACCEPTED(WRONG("future-read", "[6]", OF_VERSION(6, 0, "l", 6)));
    ASSERT_ACCEPTED(WRONG("internal", "[7]", OF(7, 1, "l")));
    ASSERT_REFUSED("its answer is right", WRONG("duplicate-elements", "[9]", OF(9, 0, "l")));
    ASSERT_REFUSED("no element was read twice", WRONG("duplicate-elements", "[4]", OF(4, 0, "l")));
    ASSERT_REFUSED("its answer is right", WRONG("garbage-read", "[8]", OF(8, 0, "l")));
    ASSERT_REFUSED("its answer is right", WRONG("garbage-read", "[10]", OF(10, 0, "t/7")));
    ASSERT_REFUSED("nothing says", WRONG("garbage-read", "[10]", OF(10, 0, "t/9")));
    ASSERT_REFUSED("nothing says", WRONG("result-set-mismatch", "[10]", "\"txn\":10,\"op\":0"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_cannot_be_is_refuted);
    RUN_TEST(what_can_be_is_not_refuted);
    RUN_TEST(without_one_of_its_parts_it_proves_nothing);
    RUN_TEST(with_one_of_its_words_changed_it_mostly_proves_nothing);
    RUN_TEST(no_change_makes_it_fit_where_it_cannot);
    RUN_TEST(a_refusal_says_what_is_not_true);
    RUN_TEST(a_read_that_nothing_explains_is_wrong_by_itself);
    RUN_TEST(a_read_is_not_wrong_while_one_version_is_possible);
    RUN_TEST(a_list_is_wrong_by_an_element);
    return UNITY_END();
}
