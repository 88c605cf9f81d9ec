/*
 * sql_row: one operator of SQL as a line of text, computed.
 *
 * The lines are expressions that PostgreSQL reads, too, so that both can be
 * asked the same: one operator, keyword or function on operands such as
 * '5'::integer, NULL, 'a'::text::varchar(3); a conversion on its own; an
 * aggregate, (SELECT sum(x) FROM (VALUES ('1'::integer), (NULL)) AS t (x)); or an
 * assignment to a column, `integer <- '1.5'::numeric`, or to a variable of
 * PL/pgSQL, `integer := '1.5'::numeric`. Answers are `integer=3`, `integer IS
 * NULL` or SQLSTATE and message, `22012 division by zero`.
 */
#ifndef TESTS_PROGRAMS_VALUES_SQL_ROW_H
#define TESTS_PROGRAMS_VALUES_SQL_ROW_H

#define SQL_ROW_ANSWER_MAX 1024

void sql_row_answer(const char *line, char answer[static SQL_ROW_ANSWER_MAX]);

#endif
