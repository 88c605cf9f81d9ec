/*
 * plpgsql_cursor: explicit cursors, which libpg_query 15 cannot parse.
 *
 * What is about cursors is found among the words of the body, and libpg_query gets something else in its place that
 * has the same lines and the same variables. Its JSON then has a name that stands for the words:
 *
 *     c CURSOR (a int) FOR SELECT ... ;     c refcursor := "ordeal 0";
 *     OPEN c (3);                           PERFORM "ordeal 1";
 *     FETCH NEXT FROM c INTO x, y;          SELECT "ordeal 2" INTO x, y;
 *     CLOSE c;                              PERFORM "ordeal 3";
 *     FOR r IN c (3) LOOP                   FOR r IN "ordeal 4"..0 LOOP
 *
 * A cursor is a variable, a number that only the machine understands: of the cursor's name where a query is declared
 * with it, else one that OPEN gives it.
 */
#ifndef PROGRAMS_PLPGSQL_PLPGSQL_CURSOR_PRIVATE_H
#define PROGRAMS_PLPGSQL_PLPGSQL_CURSOR_PRIVATE_H

#include "programs/plpgsql/plpgsql_private.h"

/* Finds the words of cursors, once the body has been scanned. */
MUST_USE enum status plpgsql_find_cursors(struct plpgsql_reader *);
/* The line of a statement of cursors that was not found, from that line of the file on. */
uint32_t plpgsql_strange_cursor(const struct plpgsql_reader *, uint32_t line);
/* The statement that creates the function, for libpg_query; free() it. */
MUST_USE enum status plpgsql_without_cursors(struct plpgsql_reader *, struct text statement, char **out);
/* What a PLpgSQL_expr stands for, or NULL. */
const struct cursor_words *plpgsql_cursor_words(const struct plpgsql_reader *, const cJSON *object);

/* A variable that is declared as a cursor; `initial` as of other variables. */
MUST_USE enum status plpgsql_declare_cursor(struct plpgsql_reader *, struct names *, const cJSON *variable,
                                            struct named **, const struct expression **initial);
/* OPEN and CLOSE. */
MUST_USE enum status plpgsql_read_cursor(struct plpgsql_reader *, const struct cursor_words *, struct action *);
MUST_USE enum status plpgsql_read_fetch(struct plpgsql_reader *, const struct cursor_words *, const cJSON *json,
                                        struct action *);
/* FOR over a cursor, while its body is read. */
struct cursor_loop {
    struct names names;    /* in the body */
    struct action *action; /* the loop itself */
    struct analyze_cursor *cursor;
};

/* All of FOR but its body. */
MUST_USE enum status plpgsql_begin_cursor_loop(struct plpgsql_reader *, const struct cursor_words *,
                                               const char *record, struct action *, struct cursor_loop *);
void plpgsql_end_cursor_loop(struct cursor_loop *);

#endif
