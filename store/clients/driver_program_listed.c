#include "store/clients/driver_program_listed_private.h"

#include <inttypes.h>
#include <string.h>

/* --- How they are followed -------------------------------------------------------------------- */

static enum status prepare(struct driver_program *d, const struct listed_txn *txn,
                           struct listed_call *call, struct error *err)
{
    struct text text = listed_call(d->options.listing, txn);
    struct datum arguments[CALL_ARGUMENTS_MAX];
    const struct program_function *function;

    call->function = UINT32_MAX;
    if (text.length == 0)
        return STATUS_OK;
    TRY(program_parse_call(d->program, text, &d->listed_heap, &call->function,
                           (struct program_arguments){ arguments, CALL_ARGUMENTS_MAX }, err));
    function = &d->program->tree.functions[call->function];
    call->arguments =
        arena_push(d->arena, function->parameter_count + (size_t)1, sizeof *call->arguments);
    if (!call->arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    memcpy(call->arguments, arguments, function->parameter_count * sizeof *arguments);
    return STATUS_OK;
}

enum status driver_program_listed_prepare(struct driver_program *d, struct error *err)
{
    const struct listed *listing = d->options.listing;

    TRY(listed_turns_init(&d->turns, listing, d->options.clients, d->arena, err));
    d->listed = arena_push(d->arena, listing->txns.count + 1, sizeof *d->listed);
    if (!d->listed)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
    for (size_t i = 0; i < listing->txns.count; i++)
        TRY(prepare(d, &listing->txns.at[i], &d->listed[i], err));
    return STATUS_OK;
}

bool driver_program_listed_turn(void *context, uint32_t client, uint64_t ordinal, struct driver_turn *turn)
{
    const struct driver_program *d = context;
    const struct listed_txn *listed = listed_turn(&d->turns, client, ordinal);

    if (listed)
        *turn = (struct driver_turn){ listed->at_ns, listed->node };
    return listed != NULL;
}

const struct listed_call *driver_program_listed_call(const struct driver_program *d, uint32_t client,
                                              uint64_t ordinal)
{
    const struct listed_txn *listed = listed_turn(&d->turns, client, ordinal);

    return listed ? &d->listed[listed - d->options.listing->txns.at] : NULL;
}

/* --- How they are listed ---------------------------------------------------------------------- */

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

void driver_program_listed_add(struct driver_program *d, uint32_t client, uint32_t function,
                  const struct datum *arguments)
{
    const struct program_function *called = &d->program->tree.functions[function];
    struct buffer out = { 0 }, room = { 0 };

    buffer_text(&out, called->name);
    buffer_byte(&out, '(');
    for (uint32_t i = 0; i < called->parameter_count; i++) {
        if (i > 0)
            buffer_text(&out, TEXT(", "));
        print_literal(&arguments[i], &out, &room);
    }
    buffer_byte(&out, ')');
    listed_begin(d->options.recorded, client);
    if (out.out_of_memory || room.out_of_memory)
        d->is_short = true;
    else
        listed_add_call(d->options.recorded, (struct text){ out.at, out.count });
    buffer_close(&out);
    buffer_close(&room);
}
