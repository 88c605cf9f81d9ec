/* compile_expression: steps for expressions and conditions, and the slots that they use. */
#ifndef PROGRAMS_MACHINE_COMPILE_EXPRESSION_PRIVATE_H
#define PROGRAMS_MACHINE_COMPILE_EXPRESSION_PRIVATE_H

#include "programs/machine/compile_private.h"

/* compile_expression.c */
void compile_fail(struct compiler *, const char *what);
void compile_close(struct compiler *);
/* An array in the arena; NULL after a failure, too. */
void *compile_keep(struct compiler *, const void *from, size_t count, size_t size);
uint32_t compile_emit(struct compiler *, struct step);
/* Lets a step that jumps go where the next one will be. */
void compile_aim(struct compiler *, uint32_t step);
uint32_t compile_take_slots(struct compiler *, uint32_t count);
struct operand compile_constant(struct compiler *, struct datum);
/* Steps for the expression; its value is in the slot, or anywhere with SLOT_ANY. */
struct operand compile_expression(struct compiler *, const struct expression *, uint32_t to);
/* The same where no query is around: if it has subqueries, they are one statement. */
struct operand compile_root(struct compiler *, const struct expression *, uint32_t to);
enum query_use compile_use_of_subquery(const struct expression *);
struct formula compile_formula(struct compiler *, const struct expression *);
/* Goes on where it returns unless the value is true: a jump to be aimed. */
uint32_t compile_unless(struct compiler *, const struct expression *);
bool compile_has_column(const struct expression *);
/* Without casts that change nothing. */
const struct expression *compile_peel(const struct expression *);

#endif
