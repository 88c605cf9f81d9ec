/*
 * tell: parts of a history in words, for explanations, and as witnesses name them.
 */
#ifndef CHECKERS_PROOF_TELL_H
#define CHECKERS_PROOF_TELL_H

#include "base/text.h"
#include "history/history.h"

/* "T12" */
void tell_txn(struct buffer *, const struct history *, uint32_t txn);
/* As in JSON, cut where it is long. */
void tell_value(struct buffer *, const struct history *, struct value);
/* "x=3", "t/7={...}", "x=null" */
void tell_key_value(struct buffer *, const struct history *, uint32_t key, struct value);
void tell_key(struct buffer *, const struct history *, uint32_t key);
/* What an operation wrote: "x=3", "3 to x" of an append, "x=null" of a delete. */
void tell_write(struct buffer *, const struct history *, uint32_t op);
/* "t where v >= 10", of a head. */
void tell_statement(struct buffer *, const struct history *, uint32_t head);

/*
 * A sentence. Each % stands for one of these, by its number, a uint32_t; or for %I, an int64_t:
 *
 *     %T  a transaction                 %W  what an operation wrote: tell_write()
 *     %K  a key                         %R  an operation's key and value: "x=3"
 *     %Q  the statement of a head       %V  an operation's value
 */
void tell_print(struct buffer *, const struct history *, const char *format, ...);

/* As format-jsonl.md counts within "ops": a statement and its rows are one. */
uint32_t tell_op_number(const struct history *, uint32_t txn, uint32_t op);
/* "null", "12", "[12,1]": docs/format-jsonl.md, Versions. */
void tell_version(struct buffer *, const struct history *, uint32_t version);

#endif
