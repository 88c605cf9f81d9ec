/*
 * sql: PostgreSQL's own parser, as the rest of this room sees it.
 *
 * Only sql.c calls libpg_query. What comes out are libpg_query's trees for
 * statements, JSON for bodies of functions, and tokens with their places.
 * Hostile texts are stopped here: too long, not UTF-8, too many tokens in one
 * statement or too deep a tree (libpg_query and protobuf-c recurse without a
 * look at the stack, and a chain of 30,000 additions overflows it).
 *
 * sql_only() is how nothing is skipped silently: whoever reads a node names the
 * fields it reads, and any other field that says something is refused by name.
 *
 * libpg_query catches what PostgreSQL would print by pointing descriptor 2
 * elsewhere while it parses, so two threads must not parse at once.
 */
#ifndef PROGRAMS_SQL_SQL_PRIVATE_H
#define PROGRAMS_SQL_SQL_PRIVATE_H

#include <pg_query/pg_query.pb-c.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define SQL_TEXT_MAX ((size_t)1 << 20)
#define SQL_TOKENS_MAX 10000 /* of one statement */
#define SQL_DEPTH_MAX 1000   /* messages within messages */
#define SQL_NOWHERE UINT32_MAX

/* Why a text cannot be parsed, and where. */
struct sql_fault {
    enum status status;
    uint32_t at;   /* byte, from 0; SQL_NOWHERE: not known */
    uint32_t line; /* of a function's body, from 1; 0: not known */
    char text[400];
};

struct sql_token {
    uint32_t start, end; /* bytes */
    PgQuery__Token kind;
};

struct sql_tokens {
    struct sql_token *at;
    uint32_t count;
};

/* Texts end in a zero byte. Comments are no tokens. */
MUST_USE enum status sql_scan(const char *, struct sql_tokens *, struct sql_fault *);
void sql_tokens_close(struct sql_tokens *);
/* The first token that starts at the byte or behind it; count if there is none. */
uint32_t sql_tokens_find(const struct sql_tokens *, uint32_t at);

/* Tokens are optional: they have been scanned for anyway. */
MUST_USE enum status sql_parse(const char *, PgQuery__ParseResult **, struct sql_tokens *,
                               struct sql_fault *);
void sql_tree_close(PgQuery__ParseResult *);

/* The body of one CREATE FUNCTION statement, as libpg_query's JSON; free() it. */
MUST_USE enum status sql_parse_body(const char *statement, char **json, struct sql_fault *);

/*
 * Whether every field that says anything is among those named ("target_list
 * from_clause"). If not, what the first other one is called, and where it is or -1.
 */
bool sql_only(const ProtobufCMessage *, const char *fields, const char **construct,
              int32_t *location);

/* The construct's name for people: "a subquery", "CREATE INDEX". */
const char *sql_node_name(const PgQuery__Node *);
/* The byte where a node begins, or -1. */
int32_t sql_node_location(const PgQuery__Node *);
/* Of a node that is a string: String. Empty if it is something else. */
struct text sql_string(const PgQuery__Node *);

#endif
