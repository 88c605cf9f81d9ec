/*
 * arguments: the arguments of a program's calls, drawn anew for each of them.
 *
 *     'customer' || uniform(1, 20)      choose(85: 0, 15: uniform(1, 4))
 *     array(15, nurand(8191, 1, 20))    lpad(zipf(1, 100)::text, 15, '0')
 *
 * An expression has SQL's literals, + - * / % ||, casts and built-in functions,
 * and besides:
 *
 *     uniform(a, b)              an integer from a to b
 *     zipf(a, b), zipf(a, b, t)  the same, the nearer to a the likelier; theta is 0.99, or t
 *     nurand(A, a, b)            the same by TPC-C's non-uniform distribution
 *     choose(x, y), choose(85: x, 15: y)     one of them; with weights. Also: choice
 *     array(n, x)                a bigint[] of n times x, each drawn
 *     text(n)                    n small letters
 *     fresh                      an integer above a thousand million, never given before
 *     now                        the time, as a timestamp
 *
 * It is parsed and typed once. What is drawn is a function of the client, of the
 * ordinal of its transaction and of the place in the arguments; a transaction
 * that is tried again has the same arguments, but for what is fresh.
 */
#ifndef PROGRAMS_WORKLOADS_ARGUMENTS_PRIVATE_H
#define PROGRAMS_WORKLOADS_ARGUMENTS_PRIVATE_H

#include "base/arena.h"
#include "base/random.h"
#include "programs/values/datum.h"

#define ARGUMENTS_FRESH_ABOVE INT64_C(1000000000)

struct argument;

/* Who draws. The counts are zero when a call's arguments begin. */
struct argument_source {
    const struct random_key *key; /* the client's */
    const struct random_key *run; /* of all clients: nurand's constants */
    uint64_t ordinal;
    int64_t fresh; /* the first that is free for this attempt */
    int64_t now_ns;
    uint32_t draw_count, fresh_count;
};

/*
 * One argument, to be of that type, in the arena. An error names the byte, from 1, and what was
 * expected there.
 */
MUST_USE enum status argument_parse(const struct argument **, struct text, struct type,
                                    struct arena *, struct error *);
/* How many fresh integers it takes at most. */
uint32_t argument_fresh_max(const struct argument *);
/* In the heap. */
MUST_USE enum status argument_draw(const struct argument *, struct argument_source *, struct heap *,
                                   struct datum *, struct sql_error *);

#endif
