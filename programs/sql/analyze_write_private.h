/* analyze_write: INSERT, UPDATE and DELETE. */
#ifndef PROGRAMS_SQL_ANALYZE_WRITE_PRIVATE_H
#define PROGRAMS_SQL_ANALYZE_WRITE_PRIVATE_H

#include "programs/sql/analyze.h"

MUST_USE enum status analyze_insert(struct analysis *, struct routine *,
                                    const PgQuery__InsertStmt *, struct insert *);
MUST_USE enum status analyze_update(struct analysis *, struct routine *,
                                    const PgQuery__UpdateStmt *, struct update *);
MUST_USE enum status analyze_delete(struct analysis *, struct routine *,
                                    const PgQuery__DeleteStmt *, struct delete *);

#endif
