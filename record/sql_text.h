/*
 * sql_text: the workloads' table for every database with SQL, and statements for those that read SQLite's
 * dialect.
 *
 * Lists are texts, "1,2,3", if the database has nothing better.
 */
#ifndef RECORD_SQL_TEXT_H
#define RECORD_SQL_TEXT_H

#include "record/database.h"

/* The database's names of types: a 64-bit integer, and what a list is kept in. */
struct sql_types {
    const char *integer, *list;
};

/* The table and its first rows, many in a statement; each statement with this character behind it. */
void sql_text_print_load(const struct stored_table *, struct sql_types, const struct builtin *,
                         char end, struct buffer *);

/* The same as one text, in a transaction, with a zero byte at its end. */
MUST_USE enum status sql_text_load(const struct stored_table *, struct sql_types,
                                   const struct builtin *, struct buffer *, struct error *);

/* The key is ?1, value and tag ?2 and ?3, the ends of a range ?4 and ?5. */
void sql_text_print_statement(const struct stored_table *, const struct builtin_request *,
                              struct buffer *);
/* The same with the values themselves, and a zero byte at its end. */
void sql_text_print_request(const struct stored_table *, const struct builtin_request *,
                            struct buffer *);

#endif
