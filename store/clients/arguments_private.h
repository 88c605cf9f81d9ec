/*
 * arguments_private: the tree that arguments_parse.c makes and arguments.c draws from.
 */
#ifndef STORE_CLIENTS_ARGUMENTS_PRIVATE_H
#define STORE_CLIENTS_ARGUMENTS_PRIVATE_H

#include "programs/operator.h"
#include "programs/zipf.h"
#include "store/clients/arguments.h"

#define ARGUMENT_PARTS_MAX 64 /* of a choice, of a function */
#define ARGUMENT_ARRAY_MAX 10000

enum argument_kind {
    ARGUMENT_CONSTANT,
    ARGUMENT_APPLY, /* an operator, function or cast on its parts */
    ARGUMENT_UNIFORM,
    ARGUMENT_ZIPF,
    ARGUMENT_NURAND,
    ARGUMENT_CHOOSE, /* one of its parts */
    ARGUMENT_ARRAY,  /* of its only part */
    ARGUMENT_TEXT,
    ARGUMENT_FRESH,
    ARGUMENT_NOW,
};

struct argument {
    enum argument_kind kind;
    struct type type;
    union {
        struct datum constant;
        struct operator_choice apply;
        struct {
            int64_t a, low, high; /* a: of nurand */
        } range;
        struct {
            struct zipf ranks;
            int64_t low;
        } zipf;
        const uint64_t *weight_ends; /* of a choice: sums up to and with each part's */
        uint32_t count;              /* of an array, of a text */
    } as;
    const struct argument *const *parts;
    uint32_t part_count;
};

#endif
