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

struct call {
    const struct operator_choice *choice;
    const struct datum *arguments;
    struct heap *heap;
    struct sql_error *err;
};

/* Refuses what does not fit: "smallint out of range". */
enum status operator_give_integer(const struct call *, enum type_kind, bool overflow, int64_t,
                                  struct datum *);

/* operator_text.c */
enum status operator_concatenate(const struct call *, struct datum *);
enum status operator_length(const struct call *, struct datum *);
enum status operator_substring(const struct call *, struct datum *);
enum status operator_lpad(const struct call *, struct datum *);
enum status operator_lower(const struct call *, struct datum *);
enum status operator_upper(const struct call *, struct datum *);

/* operator_array.c */
enum status operator_array(const struct call *, struct datum *);
enum status operator_array_append(const struct call *, struct datum *);
enum status operator_array_prepend(const struct call *, struct datum *);
enum status operator_array_concatenate(const struct call *, struct datum *);
enum status operator_subscript(const struct call *, struct datum *);
enum status operator_cardinality(const struct call *, struct datum *);
enum status operator_array_length(const struct call *, struct datum *);
enum status operator_equal_any(const struct call *, struct datum *);

/* operator_cast.c */
enum status operator_integer_to_integer(const struct call *, struct datum *);
enum status operator_integer_to_numeric(const struct call *, struct datum *);
enum status operator_integer_to_boolean(const struct call *, struct datum *);
enum status operator_boolean_to_integer(const struct call *, struct datum *);
enum status operator_numeric_to_integer(const struct call *, struct datum *);
enum status operator_numeric_fit(const struct call *, struct datum *);
enum status operator_text_fit(const struct call *, struct datum *);
enum status operator_print(const struct call *, struct datum *);
enum status operator_parse(const struct call *, struct datum *);
enum status operator_reparse(const struct call *, struct datum *);

/* Whether PostgreSQL casts by itself. */
bool operator_can_cast_implicitly(enum type_kind from, enum type_kind to);

#endif
