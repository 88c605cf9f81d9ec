/*
 * operator_private: how the parts of operator_evaluate() are called.
 *
 * An evaluator sees as many arguments as the choice says, of the kinds that
 * resolution promised; if its code is strict, none of them is null. What it
 * writes is no argument's memory.
 */
#ifndef PROGRAMS_VALUES_OPERATOR_PRIVATE_H
#define PROGRAMS_VALUES_OPERATOR_PRIVATE_H

#include "programs/values/operator.h"

struct operator_call {
    const struct operator_choice *choice;
    const struct datum *arguments;
    struct heap *heap;
    struct sql_error *err;
};

/* Whether PostgreSQL casts by itself. */
bool operator_can_cast_implicitly(enum type_kind from, enum type_kind to);

#endif
