/*
 * sql_text: the workloads' table and statements in SQL, for the databases that read SQLite's dialect.
 *
 * Lists are texts, "1,2,3".
 */
#ifndef RECORD_SQL_TEXT_H
#define RECORD_SQL_TEXT_H

#include "record/database.h"

/*
 * The table and its first rows, each statement with this character behind it. `integer` is the
 * database's name of a 64-bit integer.
 */
void sql_text_print_load(const struct stored_table *, const char *integer, const struct builtin *,
                         char end, struct buffer *);

/* The same as one text, in a transaction, with a zero byte at its end. */
MUST_USE enum status sql_text_load(const struct stored_table *, const char *integer,
                                   const struct builtin *, struct buffer *, struct error *);

/* The key is ?1, value and tag ?2 and ?3, the ends of a range ?4 and ?5. */
void sql_text_print_statement(const struct stored_table *, const struct builtin_request *,
                              struct buffer *);
/* The same with the values themselves, and a zero byte at its end. */
void sql_text_print_request(const struct stored_table *, const struct builtin_request *,
                            struct buffer *);

#endif
