#include "programs/workloads/calls.h"

#include <assert.h>
#include <inttypes.h>

#include "programs/workloads/arguments_private.h"

#define FRESH_MAX 1000 /* in one call */

struct prepared_call {
    uint32_t function;
    const struct argument **arguments;
    uint32_t argument_count;
};

struct calling_client {
    struct random_key key, call_key; /* of arguments, and of which call */
};

/* --- Preparing -------------------------------------------------------------------------------- */

static enum status prepare_arguments(struct calls *c, const struct program_call *given,
                                     struct prepared_call *call, struct arena *arena,
                                     struct error *err)
{
    const struct program_function *function = &c->program->tree.functions[call->function];
    uint32_t fresh = 0;

    if (given->argument_count != function->parameter_count ||
        given->argument_count > CALL_ARGUMENTS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%.*s takes %" PRIu32 " argument%s, not %" PRIu32,
                         TEXT_PRINT(given->procedure), function->parameter_count,
                         function->parameter_count == 1 ? "" : "s", given->argument_count);
    call->argument_count = given->argument_count;
    call->arguments = arena_push(arena, given->argument_count + (size_t)1, sizeof *call->arguments);
    if (!call->arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    for (uint32_t i = 0; i < given->argument_count; i++) {
        enum status status = argument_parse(&call->arguments[i], given->arguments[i],
                                            function->variables[i].type, arena, err);

        if (status != STATUS_OK)
            return error_wrap(err, "%.*s", TEXT_PRINT(given->procedure));
        fresh += argument_fresh_max(call->arguments[i]);
    }
    if (fresh > FRESH_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%.*s takes more than %d fresh integers",
                         TEXT_PRINT(given->procedure), FRESH_MAX);
    c->fresh_max = fresh > c->fresh_max ? fresh : c->fresh_max;
    return STATUS_OK;
}

static enum status prepare_call(struct calls *c, const struct program_call *given,
                                struct prepared_call *call, struct arena *arena, struct error *err)
{
    err->line = given->line;
    if (given->weight == 0)
        return error_set(err, STATUS_BAD_INPUT, "the weight of %.*s must be at least 1",
                         TEXT_PRINT(given->procedure));
    call->function = program_find_function(c->program, given->procedure);
    if (call->function == UINT32_MAX)
        return error_set(err, STATUS_BAD_INPUT, "the program has no procedure '%.*s'",
                         TEXT_PRINT(given->procedure));
    return prepare_arguments(c, given, call, arena, err);
}

static enum status make_keys(struct calls *c, struct arena *arena, struct error *err)
{
    struct calling_client *keys = arena_push(arena, c->clients, sizeof *keys);

    if (!keys)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the clients of a workload");
    for (uint32_t i = 0; i < c->clients; i++) {
        keys[i].key = random_key_fork(&c->key, "client/%" PRIu32, i);
        keys[i].call_key = random_key_fork(&keys[i].key, "call");
    }
    c->client_keys = keys;
    return STATUS_OK;
}

enum status calls_init(struct calls *c, const struct calls_options *options, struct arena *arena,
                       struct error *err)
{
    struct prepared_call *prepared;
    uint64_t *ends, sum = 0;

    *c = (struct calls){ .program = options->program,
                         .key = *options->key,
                         .count = options->call_count,
                         .clients = options->clients,
                         .attempts = options->attempts };
    if (c->count == 0)
        return error_set(err, STATUS_BAD_INPUT, "a program needs a call to be made");
    prepared = arena_push(arena, c->count, sizeof *prepared);
    ends = arena_push(arena, c->count, sizeof *ends);
    if (!prepared || !ends)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    for (uint32_t i = 0; i < c->count; i++) {
        TRY(prepare_call(c, &options->calls[i], &prepared[i], arena, err));
        sum += options->calls[i].weight;
        ends[i] = sum;
    }
    err->line = 0;
    c->prepared = prepared;
    c->weight_ends = ends;
    return make_keys(c, arena, err);
}

/* --- Drawing ---------------------------------------------------------------------------------- */

static const struct prepared_call *choose_call(const struct calls *c, const struct calls_turn *turn)
{
    const struct random_key *key = &c->client_keys[turn->client].call_key;
    uint64_t at = random_scale(random_draw_at(key, turn->ordinal), c->weight_ends[c->count - 1]);
    uint32_t call = 0;

    while (c->weight_ends[call] <= at)
        call++;
    return &c->prepared[call];
}

bool calls_draw(const struct calls *c, const struct calls_turn *turn, struct heap *heap,
                struct drawn_call *drawn)
{
    const struct prepared_call *call = choose_call(c, turn);
    uint64_t attempts = turn->ordinal * c->attempts + turn->attempt;
    uint64_t number = attempts * c->clients + turn->client;
    struct argument_source source = {
        .key = &c->client_keys[turn->client].key,
        .run = &c->key,
        .ordinal = turn->ordinal,
        .fresh = ARGUMENTS_FRESH_ABOVE + 1 + (int64_t)(number * c->fresh_max),
        .now_ns = turn->now_ns,
    };
    struct sql_error err;

    assert(turn->client < c->clients && turn->attempt < c->attempts);
    drawn->function = call->function;
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (argument_draw(call->arguments[i], &source, heap, &drawn->arguments[i], &err) !=
            STATUS_OK)
            return false;
    return true;
}

/* --- As text ---------------------------------------------------------------------------------- */

/* As a literal of SQL that an argument of its type takes. */
static void print_literal(const struct datum *value, struct buffer *out, struct buffer *room)
{
    bool is_plain = value->kind == DATUM_INTEGER || value->kind == DATUM_NUMERIC;

    if (value->kind == DATUM_NULL || value->kind == DATUM_BOOLEAN) {
        buffer_text(out, value->kind == DATUM_NULL ? TEXT("NULL")
                         : value->as.integer       ? TEXT("true")
                                                   : TEXT("false"));
        return;
    }
    buffer_clear(room);
    datum_print(value, room);
    if (!is_plain)
        buffer_byte(out, '\'');
    for (size_t i = 0; i < room->count; i++) {
        if (!is_plain && room->at[i] == '\'')
            buffer_byte(out, '\'');
        buffer_byte(out, room->at[i]);
    }
    if (!is_plain)
        buffer_byte(out, '\'');
}

void calls_print(const struct program *program, uint32_t function, const struct datum *arguments,
                 struct buffer *out, struct buffer *room)
{
    const struct program_function *called = &program->tree.functions[function];

    buffer_text(out, called->name);
    buffer_byte(out, '(');
    for (uint32_t i = 0; i < called->parameter_count; i++) {
        if (i > 0)
            buffer_text(out, TEXT(", "));
        print_literal(&arguments[i], out, room);
    }
    buffer_byte(out, ')');
}

void calls_write_value(struct json_writer *json, const struct datum *value, struct buffer *room)
{
    if (value->kind == DATUM_NULL) {
        json_writer_null(json, NULL);
        return;
    }
    buffer_clear(room);
    datum_print(value, room);
    json_writer_string(json, NULL, (struct text){ room->count ? room->at : "", room->count });
}

void calls_write_arguments(struct json_writer *json, const struct program *program,
                           uint32_t function, const struct datum *arguments, struct buffer *room)
{
    const struct program_function *called = &program->tree.functions[function];

    for (uint32_t i = 0; i < called->parameter_count; i++)
        calls_write_value(json, &arguments[i], room);
}
