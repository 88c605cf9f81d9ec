/*
 * Logs of programs with one planted error. Most are refuted, with a core that the verifier accepts; some have an execution
 * all the same, which it accepts, too; of some nothing is known. With ORDEAL_SOAK=1 there are 100 of each program and
 * level, and the table that it prints is that of docs/audit.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/io/source.h"
#include "tests/audit/audit_fixture.h"
#include "tests/audit/called_log.h"
#include "tests/fixture.h"
#include "unity.h"

#define PROGRAM_BYTES ((size_t)64 << 10) /* none is longer */
#define RUNS_PER_TXN 100
#define ROUNDS 6 /* one of each change */
#define TRANSACTIONS 60
#define SOAK_ROUNDS 100
#define SOAK_TRANSACTIONS 400

static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE, LEVEL_SNAPSHOT,
                                     LEVEL_STRICT_SNAPSHOT, LEVEL_READ_COMMITTED };

struct tally {
    unsigned made, verdicts[VERDICT_UNKNOWN + 1], undecided;
};

static struct tally all, by_change[CALLED_CHANGES];
static struct buffer text, program;

void setUp(void)
{
    all = (struct tally){ 0 };
    memset(by_change, 0, sizeof by_change);
}

void tearDown(void)
{
    buffer_close(&text);
    buffer_close(&program);
}

static enum status keep_line(void *context, struct text line, struct error *err)
{
    (void)context;
    buffer_text(&text, line);
    return buffer_status(&text, err);
}

/* False: there is no call to which the change can be made. */
static bool make_log(const struct called_log_spec *spec)
{
    struct error err = { 0 };
    bool is_changed;

    buffer_clear(&text);
    ASSERT_OK(called_log_make(spec, &is_changed, keep_line, NULL, &err), &err);
    buffer_byte(&text, '\0');
    return is_changed;
}

static void judge(const struct called_log_spec *spec, enum level level, struct tally *tally)
{
    struct audit_options options = { .level = level,
                                     .wants_witness = true,
                                     .allows_unjudged = true,
                                     .runs_max = RUNS_PER_TXN * spec->transactions };
    struct verification v;
    struct audited a;
    enum verdict verdict;

    audit_text(&a, program.at, text.at, options);
    verdict = a.verdict.verdict;
    tally->made++;
    tally->verdicts[verdict]++;
    if (verdict != VERDICT_UNKNOWN) {
        v = audited_verify(&a.log, program.at, &a.verdict.witness);
        if (verdict == VERDICT_INVALID && strncmp(v.reason, "undecided", 9) == 0)
            tally->undecided++;
        else
            TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
    }
    audited_close(&a);
}

static void add(struct tally *sum, const struct tally *t)
{
    sum->made += t->made;
    sum->undecided += t->undecided;
    for (int v = 0; v <= VERDICT_UNKNOWN; v++)
        sum->verdicts[v] += t->verdicts[v];
}

static void print_row(const char *what, const char *level, const struct tally *t)
{
    printf("| %s | %s | %u | %u | %u | %u | %u |\n", what, level, t->made, t->verdicts[VERDICT_INVALID], t->undecided,
           t->verdicts[VERDICT_VALID], t->verdicts[VERDICT_UNKNOWN]);
}

static void judge_program(const struct called_program *called, enum level level, unsigned rounds, uint64_t transactions)
{
    struct tally sum = { 0 };
    struct random_key key = random_key_of_seed(1);
    struct random dice;

    random_init(&dice, &key);
    for (unsigned i = 0; i < rounds; i++) {
        struct called_log_spec spec = { .called = called, .transactions = transactions, .seed = 1 + i };
        struct tally tally = { 0 };

        spec.change = (enum called_change)(1 + i % (CALLED_CHANGES - 1));
        spec.after = random_below(&dice, transactions / 2);
        if (make_log(&spec))
            judge(&spec, level, &tally);
        add(&sum, &tally);
        add(&by_change[spec.change], &tally);
    }
    print_row(called->name, level_name(level), &sum);
    add(&all, &sum);
}

static void load_program(const char *path)
{
    struct error err = { 0 };
    struct source source;
    struct text sql;

    buffer_clear(&program);
    ASSERT_OK(source_open(&source, path, NULL, &err), &err);
    ASSERT_OK(source_peek(&source, PROGRAM_BYTES, &sql, &err), &err);
    buffer_text(&program, sql);
    source_close(&source);
    buffer_byte(&program, '\0');
}

static void judge_all(unsigned rounds, uint64_t transactions)
{
    printf("| program, or error | level | logs of %u | invalid | of them not decided by verify | valid | unknown |\n",
           (unsigned)transactions);
    printf("|---|---|---|---|---|---|---|\n");
    for (size_t p = 0; p < CALLED_MIXES; p++) {
        load_program(called_programs[p].path);
        for (size_t i = 0; i < ROW_COUNT(levels); i++)
            judge_program(&called_programs[p], levels[i], rounds, transactions);
    }
    for (int change = 1; change < CALLED_CHANGES; change++)
        print_row(called_change_names[change], "all", &by_change[change]);
}

static void a_planted_error_is_refuted_or_explained_or_not_decided(void)
{
    judge_all(getenv("ORDEAL_SOAK") ? SOAK_ROUNDS : ROUNDS, getenv("ORDEAL_SOAK") ? SOAK_TRANSACTIONS : TRANSACTIONS);
    TEST_ASSERT_GREATER_THAN(all.made / 3, all.verdicts[VERDICT_INVALID]);
    TEST_ASSERT_LESS_THAN(all.made / 3, all.verdicts[VERDICT_UNKNOWN]);
    TEST_ASSERT_GREATER_THAN(0, by_change[CALLED_NOTHING].made);
    TEST_ASSERT_EQUAL(0, by_change[CALLED_NOTHING].verdicts[VERDICT_VALID]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_planted_error_is_refuted_or_explained_or_not_decided);
    return UNITY_END();
}
