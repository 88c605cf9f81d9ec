/*
 * engine_answer: a program's calls as lines of text, and what the engine says.
 *
 * For comparing with PostgreSQL. An answer is the value as psql shows it, <NULL>,
 * or SQLSTATE and message: `22012 division by zero`. At the end come all tables,
 * as COPY writes them.
 */
#ifndef TESTS_PROGRAMS_MACHINE_ENGINE_ANSWER_H
#define TESTS_PROGRAMS_MACHINE_ENGINE_ANSWER_H

/* Calls on standard input; each with its answer on standard output. The exit status. */
int engine_answer_all(const char *sql_path);

/* Commands for psql that show all tables in the same way. */
int engine_answer_script(const char *sql_path);

#endif
