/*
 * used_columns: which columns of a source a query makes use of. States in which only other columns
 * differ are one to it.
 */
#ifndef AUDIT_PROGRAMS_USED_COLUMNS_H
#define AUDIT_PROGRAMS_USED_COLUMNS_H

#include <stdint.h>

#include "programs/sql/tree.h"

#define USED_ALL UINT64_MAX

/* A bit for each column; the last for all from there on. */
static inline uint64_t used_bit(uint16_t column)
{
    return UINT64_C(1) << (column < 63 ? column : 63);
}

uint64_t used_columns_of(const struct query *, uint16_t source);
/* Which columns of a row that is there the query may change. */
uint64_t used_columns_changed(const struct query *);

#endif
