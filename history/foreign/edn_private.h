/*
 * edn: a strict lexer of EDN, Clojure's notation, and of JSON as the same tools write it.
 *
 *     {:index 3, :type :ok, :process 0, :f :txn, :value [[:append x 4] [:r y [1 2]]]}
 *     {"index":3,"type":"ok","process":0,"f":"txn","value":[["append","x",4],["r","y",[1,2]]]}
 *
 * It hands out what the caller asks for and builds no tree. It has no state but where it is, and which of
 * the brackets around it are round: who sets `at` to where a value began reads that value again. In EDN commas are blanks,
 * `;` begins a comment, `#_` leaves out the next value, and a tag such as #inst or
 * #jepsen.history.Op is passed over. In JSON there is one comma between values, none
 * elsewhere, and objects at the top may have a line feed between them in its place. A scalar is a
 * keyword, a symbol, a string, an integer, nil, true or false; fractions,
 * sets and characters can be skipped, but mean nothing here.
 */
#ifndef HISTORY_FOREIGN_EDN_PRIVATE_H
#define HISTORY_FOREIGN_EDN_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

enum edn_kind {
    EDN_END, /* of what is being read: a closing bracket or the end of the text */
    EDN_NIL,
    EDN_FALSE,
    EDN_TRUE,
    EDN_INTEGER,
    EDN_FRACTION, /* any other number */
    EDN_KEYWORD,  /* or a string of JSON that stands for one: see edn_is_name() */
    EDN_SYMBOL,
    EDN_STRING,
    EDN_OPEN /* a bracket */
};

struct edn {
    const char *begin, *at, *end;
    bool is_json;
    uint64_t rounds; /* a bit for each open list, the innermost lowest: it is one of EDN's ( ) */
    struct buffer decoded; /* the last string, where it had escapes */
};

struct edn_scalar {
    enum edn_kind kind;
    int64_t integer;
    struct text text; /* keyword without its colon, symbol, string: until the next is taken */
};

struct edn_integers {
    ARRAY(int64_t) all;
};

void edn_begin(struct edn *, struct text, bool is_json);
void edn_close(struct edn *);

/* What comes next. */
enum edn_kind edn_peek(struct edn *);
/* A bracket of that kind: '{', or '[', which in EDN may be '(' as well: a list is a vector here. */
MUST_USE enum status edn_open(struct edn *, char bracket, const char *what, struct error *);
/* Whether another value comes before the closing bracket, which is passed otherwise. */
MUST_USE enum status edn_more(struct edn *, char bracket, bool *more, struct error *);
MUST_USE enum status edn_take(struct edn *, const char *what, struct edn_scalar *, struct error *);
MUST_USE enum status edn_skip(struct edn *, struct error *);
MUST_USE enum status edn_take_integer(struct edn *, const char *what, int64_t *, struct error *);
MUST_USE enum status edn_take_boolean(struct edn *, const char *what, bool *, struct error *);
/* A list of integers, brackets included, in place of what was in the array. */
MUST_USE enum status edn_take_integers(struct edn *, struct edn_integers *, struct error *);
/* The name of the next field of a map; it holds until something else is taken. */
MUST_USE enum status edn_field(struct edn *, bool *more, struct edn_scalar *name, struct error *);

/* Whether it is the keyword or, in JSON, the string of that name. */
static inline bool edn_is_text(const struct edn *e, const struct edn_scalar *scalar,
                               struct text name)
{
    return scalar->text.length == name.length &&
           scalar->kind == (e->is_json ? EDN_STRING : EDN_KEYWORD) &&
           memcmp(scalar->text.at, name.at, name.length) == 0;
}

static inline bool edn_is_name(const struct edn *e, const struct edn_scalar *scalar,
                               const char *name)
{
    return edn_is_text(e, scalar, (struct text){ name, strlen(name) });
}

/* "expected WHAT, found ...", with the offset. */
MUST_USE enum status edn_refuse(struct edn *, const char *what, struct error *);

#endif
