/*
 * from_history: an ordinary history of statements as a log of calls, and its tables as a program.
 *
 * What a history says of the rows of tables becomes SQL with answers:
 *
 *     {"select":"t","where":P,"rows":...}   SELECT of all columns WHERE P, and the rows that came
 *     {"r":"t/7","v":row}                   SELECT of all columns by the key, and the row or none
 *     {"insert":"t",...}                    INSERT, and how many rows
 *     {"update":"t","where":P,...}          SELECT of the keys WHERE P FOR UPDATE, and these keys; then an UPDATE of
 *                                           each row by its key: a history does not say what was computed, only
 *                                           what came of it
 *     {"delete":"t","where":P,...}          the same with DELETE
 *     {"w":"t/7","v":row}                   INSERT ... ON CONFLICT DO UPDATE, of one row
 *     {"d":"t/7"}                           DELETE by the key; whether there was a row, nobody knows
 *
 * Items that are no rows, and lists, have no SQL: a history with operations on them is refused.
 */
#ifndef AUDIT_FROM_HISTORY_H
#define AUDIT_FROM_HISTORY_H

#include "base/text.h"
#include "history/history.h"

/* Appends the lines of the log, and CREATE TABLE of all tables. */
MUST_USE enum status audit_log_of_history(const struct history *, struct buffer *log,
                                          struct buffer *program, struct error *);

#endif
