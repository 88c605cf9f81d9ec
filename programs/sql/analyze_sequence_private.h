/*
 * analyze_sequence: CREATE SEQUENCE, the sequences that serial and identity columns bring, and
 * nextval() and its like.
 */
#ifndef PROGRAMS_SQL_ANALYZE_SEQUENCE_PRIVATE_H
#define PROGRAMS_SQL_ANALYZE_SEQUENCE_PRIVATE_H

#include "programs/sql/analyze.h"

MUST_USE enum status analyze_sequence(struct analysis *, const PgQuery__CreateSeqStmt *, int32_t location);

/* What stands in the parentheses behind IDENTITY, or nothing. */
struct sequence_options {
    PgQuery__Node *const *nodes;
    size_t count;
};

/* One for a column of this type; it gets the name, and *number says which it is. */
MUST_USE enum status analyze_add_sequence(struct analysis *, struct text name, enum type_kind,
                                          struct sequence_options, int32_t location, uint32_t *number);
/* The number, or UINT32_MAX. */
uint32_t analyze_find_sequence(const struct analysis *, struct text name);

/* nextval, currval, lastval or setval, by its name: false if it is none of them. */
bool analyze_is_number(const char *name, enum number_kind *);
MUST_USE enum status analyze_number(struct analysis *, struct name_scope *, const PgQuery__FuncCall *,
                                    enum number_kind, const struct expression **);
/* The next number of a sequence. */
MUST_USE enum status analyze_next_number(struct analysis *, uint32_t sequence, int32_t location,
                                         const struct expression **);
/* Whether it asks for a number; and the same once more, which asks for one of its own. */
bool analyze_has_number(const struct expression *);
MUST_USE enum status analyze_ask_again(struct analysis *, const struct expression **);

#endif
