/* operator_text: functions of texts, LIKE among them, and how all evaluators are called. */
#ifndef PROGRAMS_VALUES_OPERATOR_TEXT_PRIVATE_H
#define PROGRAMS_VALUES_OPERATOR_TEXT_PRIVATE_H

#include "programs/values/operator_evaluate.h"

/*
 * How an evaluator is called. It sees as many arguments as the choice says, of the kinds that
 * resolution promised; if its code is strict, none of them is null. What it writes is no argument's
 * memory.
 */
struct operator_call {
    const struct operator_choice *choice;
    const struct datum *arguments;
    struct heap *heap;
    struct sql_error *err;
};

enum status operator_concatenate(const struct operator_call *, struct datum *);
enum status operator_length(const struct operator_call *, struct datum *);
enum status operator_substring(const struct operator_call *, struct datum *);
enum status operator_lpad(const struct operator_call *, struct datum *);
enum status operator_lower(const struct operator_call *, struct datum *);
enum status operator_upper(const struct operator_call *, struct datum *);
/* LIKE and NOT LIKE. */
enum status operator_like(const struct operator_call *, struct datum *);
/* The pattern as it is with a backslash in place of the escape character given. */
enum status operator_like_escape(const struct operator_call *, struct datum *);

#endif
