/*
 * compare: whether what a call or a statement gave is what the log says it answered.
 *
 * Values are compared as the texts that PostgreSQL prints. Rows come in order as far as ORDER BY says it:
 * those that it leaves equal are compared as sets, and where LIMIT cuts among them, any of them
 * will do.
 */
#ifndef AUDIT_COMPARE_PRIVATE_H
#define AUDIT_COMPARE_PRIVATE_H

#include "base/text.h"
#include "history/call_log.h"
#include "programs/machine/machine.h"

struct compare {
    const struct call_log *log;
    struct buffer room;
};

void compare_close(struct compare *);

/* Whether a value is printed so; a cell without a text is null. */
bool compare_cell(struct compare *, const struct datum *, struct text cell);

/* What a function of this type returned, and what a call answered. */
MUST_USE enum status compare_call(struct compare *, const struct call_answer *, enum type_kind,
                                  const struct datum *value, bool *is_right, struct error *);

/* The same of a statement: a request that has returned, of a machine that tells ties. */
MUST_USE enum status compare_statement(struct compare *, const struct call_answer *,
                                       const struct request *, bool *is_right, struct error *);

/* For people: what came out, or what was answered; at most some hundred bytes. */
void compare_print_value(struct buffer *, enum type_kind, const struct datum *);
void compare_print_rows(struct buffer *, const struct request *);
void compare_print_answer(struct buffer *, const struct call_log *, const struct call_answer *);

#endif
