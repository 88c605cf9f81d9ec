/*
 * timestamp: virtual time as SQL reads and writes it.
 *
 * Nanoseconds since 1970-01-01 00:00:00, without time zones, from 1677 to 2262.
 * Texts end at microseconds, as PostgreSQL's do, so whoever makes a timestamp
 * of the virtual clock cuts it to whole microseconds first. Of the many ways in
 * which PostgreSQL reads a date there is one: 'YYYY-MM-DD[ HH:MM[:SS[.ffffff]]]'.
 */
#ifndef PROGRAMS_VALUES_TIMESTAMP_PRIVATE_H
#define PROGRAMS_VALUES_TIMESTAMP_PRIVATE_H

#include <stdint.h>

#include "base/text.h"
#include "programs/values/sql_error.h"

#define TIMESTAMP_TEXT_MAX 26 /* bytes, without a zero byte */

MUST_USE enum status timestamp_parse(struct text, int64_t *time_ns, struct sql_error *);
/* Returns the end. */
char *timestamp_write(char *to, int64_t time_ns);

#endif
