/*
 * fields: objects and arrays of a witness, each read by a table.
 *
 *     static const struct field rows[] = {
 *         FIELD("key", FIELD_TEXT, struct pair, key, .what = "a key"),
 *         FIELD("second", FIELD_VERSION, struct pair, second),
 *         { .name = NULL },
 *     };
 *     static const struct object pair_object = { "a pair", rows, .needed = 3 };
 *
 *     TRY(fields_read(json, &pair_object, &pair, &seen, err));
 *
 * Fields may come in any order, each once. Those that must be there are bits by their rows' numbers.
 */
#ifndef VERIFY_WITNESS_FIELDS_PRIVATE_H
#define VERIFY_WITNESS_FIELDS_PRIVATE_H

#include "base/array.h"
#include "base/json.h"
#include "verify/witness/witness.h"

enum field_type {
    FIELD_OWN,      /* by the row's function, which gets the row's number */
    FIELD_LIST,     /* an array, by `list` */
    FIELD_INTEGER,  /* int64_t; `what` it is, as for texts */
    FIELD_OP,       /* int64_t: the place of an operation in its transaction */
    FIELD_TEXT,     /* struct text */
    FIELD_UNJUDGED, /* words that nobody judges */
    FIELD_WORD,     /* an enumeration, by `words` */
    FIELD_VERSION,  /* struct witness_version: `null`, id, or [id,n] */
    FIELD_PLACE,    /* struct witness_place: [id,op] */
    FIELD_NAME,     /* struct witness_name */
    FIELD_NAMES,    /* struct witness_names */
    FIELD_NUMBERS,  /* struct witness_numbers */
};

/* Reads number n, of the elements of an array or the fields of an object, into its owner. */
typedef enum status field_function(struct json *, size_t n, void *owner, struct error *);

struct list {
    const char *what; /* "an array of literals" */
    field_function *read;
    size_t least, most; /* elements; 0: any number */
    const char *why;    /* what is said of another number */
};

struct field {
    const char *name; /* NULL behind the last */
    enum field_type type;
    size_t offset; /* of its value in the owner */
    const char *what;
    const char *const *words;
    const struct list *list;
    field_function *read;
};

#define FIELD(its_name, its_type, owner, member, ...)                                              \
    {                                                                                              \
        .name = its_name, .type = its_type, .offset = offsetof(owner, member), __VA_ARGS__         \
    }

struct object {
    const char *what;
    const struct field *rows; /* at most 32 */
    uint32_t needed;
};

/* `seen` has a bit for each row that was there. */
MUST_USE enum status fields_read(struct json *, const struct object *, void *owner, uint32_t *seen,
                                 struct error *);
/* Refuses an object that lacks one of the fields of a mask. */
MUST_USE enum status fields_need(const struct object *, struct json *, uint32_t seen,
                                 uint32_t needed, struct error *);
MUST_USE enum status fields_read_list(struct json *, const struct list *, void *owner,
                                      struct error *);
MUST_USE enum status fields_read_version(struct json *, struct witness_version *, struct error *);
MUST_USE enum status fields_read_place(struct json *, struct witness_place *, struct error *);
MUST_USE enum status fields_read_name(struct json *, struct witness_name *, struct error *);

#endif
