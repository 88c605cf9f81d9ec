/*
 * fields: how objects of a witness are read.
 *
 *     struct fields fields = { .names = names };
 *     TRY(json_open(json, '{', "an object", err));
 *     for (;;) {
 *         TRY(witness_fields_next(&fields, json, &field, err));
 *         if (field == FIELDS_END)
 *             break;
 *         ... the value of names[field] comes next ...
 *     }
 *     TRY(witness_fields_need(&fields, json, 1U << FIRST | 1U << SECOND, err));
 */
#ifndef VERIFY_WITNESS_FIELDS_PRIVATE_H
#define VERIFY_WITNESS_FIELDS_PRIVATE_H

#include "base/array.h"
#include "base/json.h"
#include "verify/witness/witness.h"

#define FIELDS_END UINT32_MAX

struct fields {
    const char *const *names; /* ending in NULL; at most 32 */
    uint32_t seen;            /* a bit for each */
    size_t count;
};

/* The number of the next field's name, each of which may stand there once; or FIELDS_END. */
MUST_USE enum status witness_fields_next(struct fields *, struct json *, unsigned *field,
                                         struct error *);
/* Refuses an object that lacks one of the fields of a mask. */
MUST_USE enum status witness_fields_need(const struct fields *, struct json *, uint32_t needed,
                                         struct error *);

/* A string that is one of these names. */
MUST_USE enum status witness_name(struct json *, const char *const *names, const char *what,
                                  unsigned *number, struct error *);
/* `null`, id, or [id,n] */
MUST_USE enum status witness_version(struct json *, struct witness_version *, struct error *);
/* [id,op] */
MUST_USE enum status witness_place(struct json *, int64_t *txn, int64_t *op, struct error *);
/* Words that nobody judges. */
MUST_USE enum status witness_words(struct json *, const char *what, struct error *);
/* The place of an operation in its transaction. */
MUST_USE enum status witness_op(struct json *, int64_t *op, struct error *);

/* Leaves the loop around it at the end of an array; `n` counts its elements. */
#define ELEMENT_OR_BREAK(json, n, err)                                                             \
    {                                                                                              \
        bool element_comes;                                                                        \
        TRY(json_element(json, n, &element_comes, err));                                           \
        if (!element_comes)                                                                        \
            break;                                                                                 \
    }

/* Appends the integers of an array to one of int64_t. */
#define READ_NUMBERS(json, array, what, err)                                                       \
    do {                                                                                           \
        int64_t number;                                                                            \
        TRY(json_open(json, '[', "an array", err));                                                \
        for (size_t n = 0;; n++) {                                                                 \
            ELEMENT_OR_BREAK(json, n, err);                                                        \
            TRY(json_integer(json, what, &number, err));                                           \
            TRY(array_push(array, number, err));                                                   \
        }                                                                                          \
    } while (0)

#endif
