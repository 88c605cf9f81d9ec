/*
 * calls: which functions of a program its clients call, and with what.
 *
 *     TRY(calls_init(&calls, &options, arena, err));
 *     if (calls_draw(&calls, (struct calls_turn){ client, ordinal, attempt, now_ns }, &heap, &call))
 *         ... call.function with call.arguments ...
 *
 * What a transaction calls is a function of the key, its client and its ordinal within the client,
 * so that the same seed gives the same calls, in a simulated run and on a real database. One that is
 * tried again has the same arguments, but for what is fresh (arguments_private.h).
 */
#ifndef PROGRAMS_WORKLOADS_CALLS_H
#define PROGRAMS_WORKLOADS_CALLS_H

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/random.h"
#include "programs/machine/program.h"

#define CALL_ARGUMENTS_MAX 32

/* As a scenario says it. */
struct program_call {
    struct text procedure;
    uint32_t weight; /* at least 1 */
    const struct text *arguments;
    uint32_t argument_count;
    uint64_t line; /* of the file that says so, for errors; 0: none */
};

struct calls_options {
    const struct program *program;
    const struct program_call *calls;
    uint32_t call_count;
    uint32_t clients, attempts;
    const struct random_key *key;
};

struct prepared_call;
struct calling_client;

/* Lives in the arena; nothing changes it. */
struct calls {
    const struct program *program;
    struct random_key key;
    uint32_t count, clients, attempts;
    const struct prepared_call *prepared;
    const uint64_t *weight_ends; /* by call: the sum of the weights up to and with it */
    uint32_t fresh_max;          /* of any call */
    const struct calling_client *client_keys;
};

struct calls_turn {
    uint32_t client;
    uint64_t ordinal;
    uint32_t attempt;
    int64_t now_ns;
};

struct drawn_call {
    uint32_t function;
    struct datum arguments[CALL_ARGUMENTS_MAX]; /* in the heap */
};

/* Refuses functions that are not there and arguments that do not fit; the error has the call's line. */
MUST_USE enum status calls_init(struct calls *, const struct calls_options *, struct arena *,
                                struct error *);
/* False: its arguments cannot be computed, and so the call fails. */
bool calls_draw(const struct calls *, const struct calls_turn *, struct heap *,
                struct drawn_call *);

/* "transfer(1, 'a', NULL)": literals that an argument of its type takes. */
void calls_print(const struct program *, uint32_t function, const struct datum *arguments,
                 struct buffer *out, struct buffer *room);

/* As text, as PostgreSQL prints it, or null: an element of an array that is open. */
void calls_write_value(struct json_writer *, const struct datum *, struct buffer *room);
/* All of a call. */
void calls_write_arguments(struct json_writer *, const struct program *, uint32_t function,
                           const struct datum *arguments, struct buffer *room);

#endif
