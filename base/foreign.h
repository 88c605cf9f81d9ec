/*
 * foreign: marks work inside a library that does not survive a failed allocation.
 *
 *     foreign_begin("the parser of SQL");
 *     result = pg_query_parse(text);
 *     foreign_end();
 *
 * libpg_query does not look at what malloc() returns, and ends the process with exit(1) where
 * PostgreSQL would end a session. foreign_watch() makes of such an end exit status 2 and a line
 * that names the library. Elsewhere in the program a crash stays a crash.
 */
#ifndef BASE_FOREIGN_H
#define BASE_FOREIGN_H

/* Of this thread. The name must outlive the work. */
void foreign_begin(const char *library);
void foreign_end(void);

/* For a library that takes its memory from us: ends the process as foreign_watch() would. */
_Noreturn void foreign_out_of_memory(void);

/* Of the whole program, once. The sanitizers report crashes themselves: with them it does nothing. */
void foreign_watch(void);

#endif
