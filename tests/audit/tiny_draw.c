#include "tests/audit/tiny_draw.h"

#include <stdlib.h>
#include <string.h>

static int below(struct random *dice, int bound)
{
    return (int)random_below(dice, (uint64_t)bound);
}

/* --- Transactions ------------------------------------------------------------------------------ */

static struct tiny_statement draw_statement(struct random *dice)
{
    struct tiny_statement s = { .kind = (enum tiny_kind)below(dice, TINY_KIND_COUNT) };

    /* Simple ones more often, so that transactions meet. */
    if (below(dice, 3) == 0)
        s.kind = below(dice, 2) ? TINY_ADD : TINY_READ;
    s.k = 1 + below(dice, below(dice, 2) ? 2 : TINY_ROWS);
    s.c = below(dice, 4);
    s.d = below(dice, 4);
    return s;
}

static void draw_txn(struct random *dice, struct tiny_txn *txn)
{
    memset(txn, 0, sizeof *txn);
    if (below(dice, 3) == 0) {
        txn->call = (enum tiny_call)(1 + below(dice, TINY_CALL_COUNT - 1));
        txn->arguments[0] = 1 + below(dice, 2);
        txn->arguments[1] = txn->call == TINY_SKEW || txn->call == TINY_COPY ? 1 + below(dice, TINY_ROWS)
                                                                          : 1 + below(dice, 3);
        txn->arguments[2] = 1 + below(dice, 4);
        return;
    }
    txn->statement_count = 1 + below(dice, TINY_STATEMENTS_MAX);
    for (int i = 0; i < txn->statement_count; i++)
        txn->statements[i] = draw_statement(dice);
}

/* --- A database ---------------------------------------------------------------------------------- */

enum simulated { SIMULATED_SERIAL, SIMULATED_SNAPSHOT, SIMULATED_READ_COMMITTED, SIMULATED_LOCKING, SIMULATED_COUNT };

struct simulation {
    struct random *dice;
    enum simulated level;
    struct tiny_state states[TINY_TXNS_MAX + 1];
    bool writes[TINY_TXNS_MAX + 1][TINY_ROWS];
    int count, seen; /* states; the one that the statement at hand sees */
    bool is_first;
};

static void next_statement(void *context)
{
    struct simulation *s = context;
    int oldest = s->is_first || s->level == SIMULATED_READ_COMMITTED ? 0 : s->seen;

    if (s->level == SIMULATED_SERIAL)
        s->seen = s->count;
    else if (s->level != SIMULATED_SNAPSHOT || s->is_first)
        s->seen = oldest + below(s->dice, s->count + 1 - oldest);
    s->is_first = false;
}

static struct tiny_row see(void *context, int row)
{
    const struct simulation *s = context;

    return s->states[s->seen].rows[row];
}

static bool conflicts(const struct simulation *s, const struct tiny_run *run)
{
    for (int i = s->seen; i < s->count; i++)
        for (int k = 0; k < TINY_ROWS; k++)
            if (run->writes[k] && s->writes[i][k])
                return true;
    return false;
}

/* Runs one more; it may abort. */
static void simulate_txn(struct simulation *s, struct tiny_txn *txn, int place)
{
    struct tiny_sight sight = { see, next_statement, s, s->level == SIMULATED_LOCKING,
                                &s->states[s->count] };
    struct tiny_run run;

    s->is_first = true;
    tiny_run_txn(txn, &sight, false, &run);
    memcpy(txn->answers, run.answers, sizeof txn->answers);
    txn->has_ts = txn->has_times = true;
    txn->ts = place;
    txn->completed = 100 * place + 50 + below(s->dice, 100);
    txn->invoked = txn->completed - 60 - below(s->dice, 250);
    if (run.is_wrong || (s->level == SIMULATED_SNAPSHOT && conflicts(s, &run))) {
        txn->status = TINY_ABORT;
        return;
    }
    if (below(s->dice, 12) == 0) {
        txn->status = TINY_UNKNOWN;
        for (int i = 0; i < TINY_STATEMENTS_MAX; i++)
            txn->answers[i].is_missing = true;
        if (below(s->dice, 2))
            return;
    }
    s->states[s->count + 1] = s->states[s->count];
    for (int k = 0; k < TINY_ROWS; k++) {
        s->writes[s->count][k] = run.writes[k];
        if (run.writes[k])
            s->states[s->count + 1].rows[k] = run.after.rows[k];
    }
    s->count++;
}

/* TINY_FIRST has run with all rows for an answer. */
static void cut_first(struct tiny_log *log)
{
    for (int t = 0; t < log->count; t++)
        for (int i = 0; i < log->txns[t].statement_count; i++)
            if (log->txns[t].statements[i].kind == TINY_FIRST && log->txns[t].answers[i].count > 1)
                log->txns[t].answers[i].count = 1;
}

/* --- What goes wrong ------------------------------------------------------------------------------- */

/* One more or one less; of a truth the other. */
static void put_off(struct random *dice, const struct tiny_txn *txn, struct tiny_answer *answer)
{
    int *cell = answer->count > 0 && answer->is_rows ? &answer->cells[answer->width - 1] : NULL;

    if (!answer->is_rows)
        answer->count++;
    else if (cell && txn->call == TINY_SKEW)
        *cell = !*cell;
    else if (cell && *cell != TINY_NULL)
        *cell += below(dice, 2) ? 1 : -1;
}

static void spoil(struct random *dice, struct tiny_log *log)
{
    struct tiny_txn *a = &log->txns[below(dice, log->count)], *b = &log->txns[below(dice, log->count)];
    int count = a->call == TINY_STATEMENTS ? a->statement_count : 1, ts;
    struct tiny_answer *answer = &a->answers[below(dice, count)];

    switch (below(dice, 6)) {
    case 0: /* off by one */
    case 1:
        put_off(dice, a, answer);
        return;
    case 2: /* a row that is missing */
        if (answer->is_rows && answer->width == 2 && answer->count > 0)
            answer->count--;
        return;
    case 3: /* another's answer, where it has that shape: a stale read */
        if (a->call == b->call && a->call != TINY_STATEMENTS)
            memcpy(a->answers, b->answers, sizeof a->answers);
        else if (a->call == b->call && a->statements[0].kind == b->statements[0].kind)
            a->answers[0] = b->answers[0];
        return;
    case 4: /* an order that is not that of the commits */
        ts = a->ts;
        a->ts = b->ts;
        b->ts = ts;
        return;
    default: /* a write that is lost: it says that it committed, and did not */
        if (a->status == TINY_ABORT)
            a->status = TINY_OK;
        return;
    }
}

static void forget_something(struct random *dice, struct tiny_log *log)
{
    for (int t = 0; t < log->count; t++) {
        if (below(dice, 4) == 0)
            log->txns[t].has_ts = false;
        if (below(dice, 6) == 0)
            log->txns[t].has_times = false;
        if (below(dice, 6) == 0)
            log->txns[t].answers[below(dice, TINY_STATEMENTS_MAX)].is_missing = true;
    }
    log->ts_is_hint = below(dice, 10) == 0;
}

void tiny_draw_begin(struct random *dice, uint64_t seed)
{
    const char *given = getenv("TINY_SEED");
    struct random_key key = random_key_of_seed(given ? strtoull(given, NULL, 10) : seed);

    random_init(dice, &key);
}

void tiny_draw(struct random *dice, int txns, struct tiny_log *log)
{
    struct simulation s = { .dice = dice, .level = (enum simulated)below(dice, SIMULATED_COUNT) };

    memset(log, 0, sizeof *log);
    for (int k = 0; k < TINY_ROWS; k++)
        if (k == 0 || below(dice, 4) > 0)
            log->initial.rows[k] = (struct tiny_row){ true, below(dice, 3) };
    s.states[0] = log->initial;
    log->count = txns;
    for (int t = 0; t < txns; t++) {
        draw_txn(dice, &log->txns[t]);
        simulate_txn(&s, &log->txns[t], t + 1);
    }
    cut_first(log);
    if (below(dice, 2))
        spoil(dice, log);
    if (below(dice, 4) == 0)
        spoil(dice, log);
    if (below(dice, 2))
        forget_something(dice, log);
}
