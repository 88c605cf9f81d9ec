#include "tests/audit/called_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "history/call_log_write.h"
#include "programs/machine/engine.h"

#define STEP_NS 1000

const char *const called_change_names[CALLED_CHANGES] = {
    [CALLED_RIGHT] = "none",
    [CALLED_DIGIT] = "another digit",
    [CALLED_NOTHING] = "null",
    [CALLED_STALE] = "an old answer",
    [CALLED_LOST] = "done, and lost",
    [CALLED_UNDONE] = "failed, and told done",
    [CALLED_REFUSED] = "done, and told failed",
};

#define CALL(name, its_weight, ...)                                                                \
    { .procedure = { name, sizeof name - 1 },                                                      \
      .weight = its_weight,                                                                        \
      .arguments = (const struct text[]){ __VA_ARGS__ },                                           \
      .argument_count = sizeof((const struct text[]){ __VA_ARGS__ }) / sizeof(struct text) }
#define ARGUMENT(text) { text, sizeof text - 1 }

static const struct program_call bank_calls[] = {
    CALL("deposit", 20, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 100)")),
    CALL("withdraw", 15, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 100)")),
    CALL("transfer", 40, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 20)"),
         ARGUMENT("uniform(1, 100)")),
    CALL("withdraw_overdraft", 10, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 150)")),
    CALL("balance", 15, ARGUMENT("uniform(1, 20)")),
};

static const struct program_call balance_calls[] = {
    CALL("balance", 1, ARGUMENT("uniform(1, 20)")),
};

static const struct program_call smallbank_calls[] = {
    CALL("amalgamate", 15, ARGUMENT("uniform(1, 40)"), ARGUMENT("uniform(1, 40)")),
    CALL("balance", 15, ARGUMENT("'customer' || uniform(1, 40)")),
    CALL("deposit_checking", 15, ARGUMENT("fresh"), ARGUMENT("'customer' || uniform(1, 40)"),
         ARGUMENT("1.30")),
    CALL("send_payment", 25, ARGUMENT("uniform(1, 40)"), ARGUMENT("uniform(1, 40)"),
         ARGUMENT("5.00")),
    CALL("transact_savings", 15, ARGUMENT("fresh"), ARGUMENT("'customer' || uniform(1, 40)"),
         ARGUMENT("choose(20.20, -20.20)")),
    CALL("write_check", 15, ARGUMENT("fresh"), ARGUMENT("'customer' || uniform(1, 40)"),
         ARGUMENT("5.00")),
};

static const struct program_call twitter_calls[] = {
    CALL("new_tweet", 20, ARGUMENT("fresh"), ARGUMENT("uniform(1, 40)"), ARGUMENT("'a tweet'"),
         ARGUMENT("now")),
    CALL("follow", 40, ARGUMENT("zipf(1, 40)"), ARGUMENT("zipf(1, 40)"),
         ARGUMENT("choose(true, false)"), ARGUMENT("now")),
    CALL("timeline", 10, ARGUMENT("uniform(1, 40)")),
    CALL("show_follow", 10, ARGUMENT("uniform(1, 40)")),
    CALL("show_tweets", 20, ARGUMENT("uniform(1, 40)")),
};

static const struct program_call rubis_calls[] = {
    CALL("register_user", 10, ARGUMENT("fresh"), ARGUMENT("'region ' || uniform(0, 5)"),
         ARGUMENT("'nick ' || fresh")),
    CALL("register_item", 15, ARGUMENT("fresh"), ARGUMENT("uniform(1, 40)"), ARGUMENT("'a thing'"),
         ARGUMENT("uniform(1, 100)"), ARGUMENT("uniform(1, 10)")),
    CALL("store_buy_now", 15, ARGUMENT("fresh"), ARGUMENT("uniform(1, 80)"),
         ARGUMENT("uniform(1, 40)"), ARGUMENT("uniform(1, 3)")),
    CALL("store_comment", 20, ARGUMENT("fresh"), ARGUMENT("uniform(1, 80)"),
         ARGUMENT("uniform(1, 40)"), ARGUMENT("zipf(1, 40)"), ARGUMENT("uniform(0, 5)"),
         ARGUMENT("'fine'")),
    CALL("random_browse", 40, ARGUMENT("array(5, uniform(1, 80))"),
         ARGUMENT("array(3, zipf(1, 40))")),
};

static const struct program_call tpcc_calls[] = {
    CALL("new_order", 45, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("nurand(1023, 1, 10)"), ARGUMENT("uniform(5, 15)"),
         ARGUMENT("array(15, choose(999: nurand(8191, 1, 20), 1: 0))"),
         ARGUMENT("array(15, choose(99: 0, 1: uniform(1, 2)))"),
         ARGUMENT("array(15, uniform(1, 10))"), ARGUMENT("now")),
    CALL("payment", 43, ARGUMENT("fresh"), ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("choose(85: 0, 15: uniform(1, 2))"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("choose(60: true, 40: false)"), ARGUMENT("nurand(1023, 1, 10)"),
         ARGUMENT("nurand(255, 0, 4)"), ARGUMENT("uniform(1, 5000)"), ARGUMENT("now")),
    CALL("order_status", 4, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("choose(60: true, 40: false)"), ARGUMENT("nurand(1023, 1, 10)"),
         ARGUMENT("nurand(255, 0, 4)")),
    CALL("delivery", 4, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 10)"), ARGUMENT("now")),
    CALL("stock_level", 4, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("uniform(10, 20)")),
};

#define PROGRAM(its_name, file, its_calls)                                                         \
    { its_name, "scenarios/programs/" file ".sql", its_calls, sizeof its_calls / sizeof *its_calls }

const struct called_program called_programs[CALLED_COUNT] = {
    [CALLED_BANK] = PROGRAM("bank", "bank", bank_calls),
    [CALLED_SMALLBANK] = PROGRAM("smallbank", "smallbank", smallbank_calls),
    [CALLED_TWITTER] = PROGRAM("twitter", "twitter", twitter_calls),
    [CALLED_RUBIS] = PROGRAM("rubis", "rubis", rubis_calls),
    [CALLED_TPCC] = PROGRAM("tpcc", "tpcc", tpcc_calls),
    [CALLED_BALANCES] = PROGRAM("balance", "bank", balance_calls),
};

struct serial_database {
    const struct called_log_spec *spec;
    struct program program;
    struct calls calls;
    struct engine *engine;
    struct heap heap;
    struct arena arena;
    struct buffer call, rows, room;
    struct json_writer json; /* of the call */
    bool is_changed;

    /* For an old answer: the last one of each call. */
    struct map last; /* by the hash of the call: its place in `answers` */
    struct buffer answers;
};

static bool is_void(const struct serial_database *d, uint32_t function)
{
    return d->program.tree.functions[function].result.kind == TYPE_VOID;
}

/* --- Changes ---------------------------------------------------------------------------------------------- */

static bool is_due(const struct serial_database *d, uint64_t number, enum called_change change)
{
    return !d->is_changed && d->spec->change == change && number >= d->spec->after;
}

/* Its last digit. */
static bool change_digit(struct serial_database *d)
{
    for (size_t i = d->rows.count; i > 0; i--) {
        char *c = &d->rows.at[i - 1];

        if (*c >= '0' && *c <= '9') {
            *c = *c == '9' ? '0' : (char)(*c + 1);
            return true;
        }
    }
    return false;
}

static bool change_to_null(struct serial_database *d)
{
    static const char nothing[] = "[[null]]";

    if (strcmp(d->rows.at, nothing) == 0)
        return false;
    buffer_clear(&d->rows);
    buffer_text(&d->rows, TEXT(nothing));
    return true;
}

/* `place` of the answer that the call got before. */
static bool change_to_old(struct serial_database *d, uint64_t place)
{
    const char *old = d->answers.at + place;

    if (strcmp(old, d->rows.at) == 0)
        return false;
    buffer_clear(&d->rows);
    buffer_text(&d->rows, text_of(old));
    return true;
}

static enum status change_answer(struct serial_database *d, uint64_t number, struct error *err)
{
    uint64_t call = hash_bytes(d->call.at, d->call.count), old = 0;
    bool is_known = map_find(&d->last, call, &old);
    size_t place = 0, from = d->answers.count;

    if (d->spec->change == CALLED_STALE) {
        buffer_text(&d->answers, (struct text){ d->rows.at, d->rows.count + 1 });
        TRY(map_add(&d->last, call, from, &place, err));
        d->last.values.at[place] = from;
    }
    if (is_due(d, number, CALLED_DIGIT))
        d->is_changed = change_digit(d);
    else if (is_due(d, number, CALLED_NOTHING))
        d->is_changed = change_to_null(d);
    else if (is_due(d, number, CALLED_STALE) && is_known)
        d->is_changed = change_to_old(d, old);
    return STATUS_OK;
}

static enum status put_answer(struct serial_database *d, uint64_t number, uint32_t function,
                              struct engine_outcome *outcome, struct error *err)
{
    struct json_writer json = { .out = &d->rows };

    buffer_clear(&d->rows);
    if (outcome->is_done && is_void(d, function) && is_due(d, number, CALLED_REFUSED)) {
        d->is_changed = true;
        *outcome = (struct engine_outcome){ .is_done = false, .sqlstate = "40001" };
    }
    if (!outcome->is_done)
        return STATUS_OK;
    json_writer_open(&json, NULL, '[');
    if (!is_void(d, function)) {
        json_writer_open(&json, NULL, '[');
        calls_write_value(&json, &outcome->value, &d->room);
        json_writer_close(&json, ']');
    }
    json_writer_close(&json, ']');
    buffer_byte(&d->rows, '\0');
    d->rows.count--;
    TRY(buffer_status(&d->rows, err));
    return is_void(d, function) ? STATUS_OK : change_answer(d, number, err);
}

/* --- Calls -------------------------------------------------------------------------------------------------- */

static void put_call(struct serial_database *d, const struct drawn_call *call)
{
    d->json = (struct json_writer){ .out = &d->call };
    buffer_clear(&d->call);
    call_log_begin_call(&d->json, d->program.tree.functions[call->function].name);
    calls_write_arguments(&d->json, &d->program, call->function, call->arguments, &d->room);
}

static enum status do_call(struct serial_database *d, uint64_t number, const struct drawn_call *call,
                           struct engine_outcome *outcome, struct error *err)
{
    *outcome = (struct engine_outcome){ .is_done = true, .sqlstate = "" };
    if (is_due(d, number, CALLED_LOST) && is_void(d, call->function)) {
        d->is_changed = true;
        return STATUS_OK;
    }
    TRY(engine_call(d->engine, call->function, call->arguments, outcome, err));
    if (!outcome->is_done && is_due(d, number, CALLED_UNDONE) && is_void(d, call->function))
        d->is_changed = outcome->is_done = true;
    return STATUS_OK;
}

static enum status put_line(struct serial_database *d, uint64_t number, struct buffer *out, struct error *err)
{
    const int64_t now = (int64_t)number * STEP_NS;
    const struct calls_turn turn = { (uint32_t)(number % CALLED_LOG_CLIENTS), number / CALLED_LOG_CLIENTS, 0, now };
    struct call_log_line line = { .txn = (int64_t)number,
                                  .session = turn.client,
                                  .status = TXN_ABORT,
                                  .invoked_ns = now,
                                  .completed_ns = now + (CALLED_LOG_CLIENTS - 1) * STEP_NS };
    struct engine_outcome outcome;
    struct drawn_call call;

    if (!calls_draw(&d->calls, &turn, &d->heap, &call))
        return error_set(err, STATUS_BAD_INPUT, "a call cannot be drawn");
    put_call(d, &call);
    TRY(do_call(d, number, &call, &outcome, err));
    TRY(put_answer(d, number, call.function, &outcome, err));
    if (outcome.is_done) {
        line.status = TXN_OK;
        line.ts_parts = 1;
        line.ts[0] = (int64_t)number + 1;
    }
    call_log_end_call(&d->json, outcome.is_done ? "" : outcome.sqlstate, (struct text){ d->rows.at, d->rows.count });
    line.call = (struct text){ d->call.at, d->call.count };
    call_log_write_line(out, &line);
    return buffer_status(out, err);
}

/* --- The whole ------------------------------------------------------------------------------------------------ */

static enum status open_database(struct serial_database *d, struct error *err)
{
    const struct called_log_spec *spec = d->spec;
    const struct random_key key = random_key_of_seed(spec->seed > 0 ? spec->seed : 1);
    const struct calls_options options = { .program = &d->program,
                                           .calls = spec->called->calls,
                                           .call_count = spec->called->call_count,
                                           .clients = CALLED_LOG_CLIENTS,
                                           .attempts = 1,
                                           .key = &key };
    struct datum scale = datum_of_int64(2);
    struct engine_outcome outcome;

    heap_init(&d->heap, (size_t)1 << 20);
    TRY(arena_init(&d->arena, ARENA_UNLIMITED, err));
    TRY(program_load_file(&d->program, spec->called->path, err));
    TRY(calls_init(&d->calls, &options, &d->arena, err));
    TRY(engine_open(&d->engine, &d->program, err));
    return engine_call(d->engine, program_find_function(&d->program, TEXT("load")), &scale, &outcome, err);
}

static enum status put_log(struct serial_database *d, called_log_sink *sink, void *context, struct buffer *out,
                           struct error *err)
{
    TRY(open_database(d, err));
    call_log_write_head(out, &(struct call_log_head){ .producer = TEXT("test"), .load = TEXT("load(2)") });
    for (uint64_t i = 0; i < d->spec->transactions; i++) {
        heap_reset(&d->heap);
        TRY(put_line(d, i, out, err));
        TRY(sink(context, (struct text){ out->at, out->count }, err));
        buffer_clear(out);
    }
    return STATUS_OK;
}

enum status called_log_make(const struct called_log_spec *spec, bool *is_changed, called_log_sink *sink, void *context,
                            struct error *err)
{
    struct serial_database d = { .spec = spec };
    struct buffer out = { 0 };
    enum status status = put_log(&d, sink, context, &out, err);

    if (is_changed)
        *is_changed = d.is_changed;
    buffer_close(&out);
    buffer_close(&d.call);
    buffer_close(&d.rows);
    buffer_close(&d.room);
    buffer_close(&d.answers);
    map_close(&d.last);
    engine_close(d.engine);
    program_close(&d.program);
    heap_close(&d.heap);
    arena_close(&d.arena);
    return status;
}
