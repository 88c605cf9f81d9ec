/*
 * Valid witnesses of small histories: an order that verify accepts is there
 * exactly where the oracle says that the level holds. All orders are tried.
 */
#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

#define TXNS_MAX 4

void setUp(void) {}
void tearDown(void) {}

/* Who gives the verdict, and what the oracle is to take for the truth. */
static const struct judge {
    const char *checker, *fields;
    bool has_places, has_orders; /* ts, snapshots and sets; version orders */
    bool takes_orders, takes_statements;
} certificate = { "certificate", "", true, true, true, true },
  blackbox = { "blackbox", "", false, false, false, true },
  with_orders = { "blackbox", "", false, true, true, true },
  with_part = { "blackbox", "\"version-order\":\"part\",", false, true, false, true },
  weak = { "weak", "", false, false, false, false };

struct search {
    const struct history *history;
    const struct judge *judge;
    enum level level;
    bool is_snapshot;
    unsigned txn_count, placed;
    unsigned order[TXNS_MAX], snapshots[TXNS_MAX];
    bool is_used[TXNS_MAX];
    bool is_partial; /* some order was refused because the certificate does not tell */
    char reason[512];
    struct buffer witness;
};

/* Every statement that looks for rows and got an answer. */
static void print_unjudged(struct buffer *w, const struct history *h)
{
    const char *between = "";

    buffer_text(w, TEXT("\"unjudged\":["));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        int place = -1;

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            place += !op_is_row(h->op_kind[op]);
            if (h->txn_status[t] != TXN_OK || !op_is_head(h->op_kind[op]) ||
                h->op_kind[op] == OP_INSERT || h->op_flags[op] & OP_ERROR ||
                !(h->statement_flags[h->op_key[op]] & STATEMENT_ANSWERED))
                continue;
            buffer_print(w, "%s[%d,%d]", between, (int)h->txn_id[t], place);
            between = ",";
        }
    }
    buffer_text(w, TEXT("],"));
}

static bool try_order(struct search *s)
{
    struct buffer *w = &s->witness;
    bool is_accepted;

    buffer_clear(w);
    fixture_begin(w, s->history);
    buffer_print(w, "\"checker\":\"%s\",\"level\":\"%s\",\"verdict\":\"valid\",%s",
                 s->judge->checker, level_name(s->level), s->judge->fields);
    if (!s->judge->takes_statements)
        print_unjudged(w, s->history);
    buffer_text(w, TEXT("\"order\":["));
    for (unsigned i = 0; i < s->placed; i++)
        buffer_print(w, "%s%d", i ? "," : "", (int)s->history->txn_id[s->order[i]]);
    buffer_print(w, "]");
    for (unsigned i = 0; s->is_snapshot && i < s->placed; i++)
        buffer_print(w, "%s%u", i ? "," : ",\"snapshots\":[", s->snapshots[i]);
    buffer_print(w, "%s}", !s->is_snapshot ? "" : s->placed ? "]" : ",\"snapshots\":[]");
    is_accepted = fixture_verify(s->history, (struct text){ w->at, w->count }, s->reason);
    s->is_partial |= strstr(s->reason, "the version order of") || strstr(s->reason, "nothing says");
    return is_accepted;
}

/* Orders of some of the transactions that may have committed, and what each of them sees. */
static bool find_order(struct search *s)
{
    const struct history *h = s->history;
    bool is_complete = true;

    for (unsigned t = 0; t < s->txn_count; t++)
        is_complete &= s->is_used[t] || h->txn_status[t] != TXN_OK;
    if (is_complete && try_order(s))
        return true;
    for (unsigned t = 0; t < s->txn_count; t++) {
        if (s->is_used[t] || h->txn_status[t] == TXN_ABORT)
            continue;
        s->is_used[t] = true;
        s->order[s->placed++] = t;
        for (unsigned seen = s->is_snapshot ? 0 : s->placed - 1; seen < s->placed; seen++) {
            s->snapshots[s->placed - 1] = seen;
            if (find_order(s))
                return true;
        }
        s->placed--;
        s->is_used[t] = false;
    }
    return false;
}

static bool is_acceptable(const struct history *h, const struct judge *judge, enum level level,
                          bool *is_partial)
{
    struct search s = { .history = h,
                        .judge = judge,
                        .level = level,
                        .is_snapshot = fixture_has_snapshots(level) || level == LEVEL_PREFIX,
                        .txn_count = (unsigned)h->txn_count };
    bool found = find_order(&s);

    *is_partial = s.is_partial;
    buffer_close(&s.witness);
    return found;
}

static struct small_options options_of(uint64_t seed)
{
    struct small_options options = small_options_of_seed(seed);

    options.txns_max = TXNS_MAX;
    return options;
}

struct tally {
    size_t held, violated, partial, unjudged;
};

/* Two writes of a key have equal values, or one is as if there had never been any. */
static bool is_ambiguous(const struct history *h)
{
    for (uint32_t a = 0; a < h->op_count; a++) {
        struct value value = h->op_kind[a] == OP_REMOVE || h->op_kind[a] == OP_ROW_REMOVE
                                 ? (struct value){ .kind = VALUE_NULL }
                                 : history_value(h, a);

        if (!history_makes_version(h, a))
            continue;
        if (history_values_equal(h, value, history_initial(h, h->op_key[a])))
            return true;
        for (uint32_t b = 0; b < a; b++)
            if (history_makes_version(h, b) && h->op_key[b] == h->op_key[a] &&
                (history_values_equal(h, value, history_value(h, b)) ||
                 h->op_kind[a] != h->op_kind[b]))
                return true;
    }
    return false;
}

static void compare(uint64_t seed, const struct history *h, const struct judge *judge,
                    enum level level, struct tally *tally)
{
    struct oracle_options options = { .use_certificate = judge->takes_orders,
                                      .definition = judge == &weak && level == LEVEL_READ_COMMITTED
                                                        ? ORACLE_AXIOMATIC
                                                        : ORACLE_DEFAULT };
    enum oracle_answer answer = oracle_decide(h, level, options);
    bool found, is_partial;
    char message[200];

    if (answer == ORACLE_CANNOT_JUDGE)
        return;
    found = is_acceptable(h, judge, level, &is_partial);
    /* What a partial certificate leaves open, the oracle tries, and verify refuses. */
    if (!found && is_partial) {
        tally->partial++;
        return;
    }
    /* What is absent is nothing to who judges no statements. */
    if (found && answer == ORACLE_VIOLATED && !judge->takes_statements && h->statement_count > 0) {
        tally->unjudged++;
        return;
    }
    /* Of whom a read is that may be of several, a weak witness does not say. */
    if (!found && answer == ORACLE_HOLDS && judge == &weak && is_ambiguous(h)) {
        tally->partial++;
        return;
    }
    snprintf(message, sizeof message, "seed %llu, %s %s, %s: the oracle says it %s",
             (unsigned long long)seed, judge->checker, judge->fields, level_name(level),
             oracle_answer_name(answer));
    TEST_ASSERT_EQUAL_MESSAGE(answer == ORACLE_HOLDS, found, message);
    tally->held += found;
    tally->violated += !found;
}

static const enum level by_values[] = { LEVEL_SERIALIZABLE,        LEVEL_SESSION_SERIALIZABLE,
                                        LEVEL_STRICT_SERIALIZABLE, LEVEL_SNAPSHOT,
                                        LEVEL_SESSION_SNAPSHOT,    LEVEL_STRICT_SNAPSHOT };

static const enum level by_certificate[] = {
    LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED,       LEVEL_REPEATABLE_READ,
    LEVEL_SERIALIZABLE,     LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE,
    LEVEL_SNAPSHOT,         LEVEL_SESSION_SNAPSHOT,     LEVEL_STRICT_SNAPSHOT,
    LEVEL_CAUSAL
};

static const enum level by_commit_order[] = {
    LEVEL_READ_COMMITTED,   LEVEL_READ_ATOMIC,         LEVEL_CAUSAL,
    LEVEL_PREFIX,           LEVEL_READ_YOUR_WRITES,    LEVEL_MONOTONIC_READS,
    LEVEL_MONOTONIC_WRITES, LEVEL_WRITES_FOLLOW_READS, LEVEL_PRAM
};

static void compare_seeds(const enum level *levels, size_t level_count, const struct judge *judge,
                          size_t rounds)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct small_options options = options_of(seed);
        struct history h, view;

        options.certificate = judge->has_orders;
        small_history(&options, seed, &h);
        view = h;
        if (!judge->has_places)
            fixture_forget_places(&view);
        compare(seed, &view, judge, levels[seed % level_count], &tally);
        history_close(&h);
    }
    printf("held %zu, violated %zu, partial %zu, unjudged %zu\n", tally.held, tally.violated,
           tally.partial, tally.unjudged);
    TEST_ASSERT_GREATER_THAN(rounds / 4, tally.held);
    TEST_ASSERT_GREATER_THAN(rounds / 8, tally.violated);
    TEST_ASSERT_LESS_THAN(rounds / 4, tally.partial);
    TEST_ASSERT_LESS_THAN(rounds / 20, tally.unjudged);
}

static void without_a_certificate_there_is_an_order_where_the_oracle_finds_one(void)
{
    compare_seeds(by_values, ROW_COUNT(by_values), &blackbox, fixture_rounds(600));
}

static void version_orders_narrow_it_where_all_of_them_are_taken(void)
{
    compare_seeds(by_values, ROW_COUNT(by_values), &with_orders, fixture_rounds(600));
    compare_seeds(by_values, ROW_COUNT(by_values), &with_part, fixture_rounds(600));
}

static void by_a_certificate_there_is_an_order_where_the_oracle_finds_one(void)
{
    compare_seeds(by_certificate, ROW_COUNT(by_certificate), &certificate, fixture_rounds(1800));
}

static void at_weak_levels_there_is_a_commit_order_where_the_oracle_finds_one(void)
{
    compare_seeds(by_commit_order, ROW_COUNT(by_commit_order), &weak, fixture_rounds(1800));
}

/*
 * As many counts of a row as versions of it, which all of them match. Where those who count come
 * first though they saw the last version, nothing is wrong, but for each all versions are asked.
 */
static bool accepts_counts_before_writes(unsigned count, char reason[512])
{
    struct buffer text = { 0 };
    bool is_accepted;

    buffer_print(&text, "init t/7 0; ");
    for (unsigned i = 1; i <= count; i++)
        buffer_print(&text, "T%u ts%u: w t/7 %u; T%u ts%u snap%u: agg count(*) v>=0 1; ", i, i, i,
                     count + i, count + i, count);
    buffer_print(&text, "order t/7");
    for (unsigned i = 1; i <= count; i++)
        buffer_print(&text, " T%u", i);
    buffer_byte(&text, 0);
    fixture_history(text.at);
    buffer_clear(&text);
    fixture_begin(&text, fixture_now());
    buffer_print(&text, "\"checker\":\"certificate\",\"level\":\"serializable\","
                        "\"verdict\":\"valid\",\"order\":[");
    for (unsigned i = 0; i < 2 * count; i++)
        buffer_print(&text, "%s%u", i ? "," : "", (i + count) % (2 * count) + 1);
    buffer_print(&text, "]}");
    is_accepted = fixture_verify(fixture_now(), (struct text){ text.at, text.count }, reason);
    buffer_close(&text);
    fixture_history(NULL);
    return is_accepted;
}

static void a_hostile_order_does_not_take_for_ever(void)
{
    char reason[512];
    bool is_accepted = accepts_counts_before_writes(100, reason);

    TEST_ASSERT_TRUE_MESSAGE(is_accepted, reason);
    TEST_ASSERT_FALSE(accepts_counts_before_writes(400, reason));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(reason, "too much of it"), reason);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(without_a_certificate_there_is_an_order_where_the_oracle_finds_one);
    RUN_TEST(version_orders_narrow_it_where_all_of_them_are_taken);
    RUN_TEST(by_a_certificate_there_is_an_order_where_the_oracle_finds_one);
    RUN_TEST(at_weak_levels_there_is_a_commit_order_where_the_oracle_finds_one);
    RUN_TEST(a_hostile_order_does_not_take_for_ever);
    return UNITY_END();
}
