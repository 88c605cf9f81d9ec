/*
 * foreign: the formats of other tools, one file each.
 *
 * A format says whether a file is in it from how the file begins, reads it, and
 * writes it where it can. What a tool's own reader would take for granted is checked:
 * what is not in the format is refused with its place.
 *
 * A format carries less than a history has. What falls by the wayside when one is written
 * is noted (enum loss), for the user to be told; what would change the meaning, such as a
 * predicate, or a write of a text where only numbers can be, is refused.
 */
#ifndef HISTORY_FOREIGN_FOREIGN_H
#define HISTORY_FOREIGN_FOREIGN_H

#include "base/error.h"
#include "base/text.h"
#include "history/format.h"
#include "history/history.h"
#include "history/io/sink.h"
#include "history/io/source.h"

/* X(enumerator, what is lost) */
#define LOSSES(X)                                                                                  \
    X(TIMES, "times")                                                                              \
    X(CERTIFICATE, "ts, snapshots, version sets and version orders")                               \
    X(ABORTED, "aborted transactions")                                                             \
    X(UNKNOWN, "unknown outcomes: what was read from is committed, the rest is left out")          \
    X(EMPTY, "transactions without operations")                                                    \
    X(VALUES, "values, which are numbered by who wrote them")                                      \
    X(REFUSED, "refused operations and reads without an answer")                                   \
    X(LOCKS, "locks of reads")                                                                     \
    X(IDS, "ids of transactions and sessions, which are numbered anew")                            \
    X(KEYS, "names of keys, which are numbered anew")                                              \
    X(INITIAL, "what keys begin with: reads of it become reads of nothing")                        \
    X(NULLS, "that keys begin with nothing: they begin with 0")                                    \
    X(MERGED, "where one aborted transaction of a session ends and the next begins")               \
    X(ANSWERS, "what transactions that did not commit, or may not have, read")                     \
    X(SESSIONS, "that a session goes on after a transaction of unknown outcome")                   \
    X(ORIGINS, "what transactions were called in the file that they come from")                   \
    X(HEADER, "the workload's name and what line 1 says of values")

enum loss {
#define LOSS_ENUM(enumerator, what) LOSS_##enumerator,
    LOSSES(LOSS_ENUM)
#undef LOSS_ENUM
        LOSS_COUNT
};

const char *foreign_loss(enum loss);

struct foreign {
    bool (*is_it)(struct text beginning);
    /* NULL: a file alone is no history. */
    enum status (*read)(struct source *, struct history *, struct error *);
    /* Where the tool writes a file for each session: all of them. Or NULL. */
    enum status (*read_sessions)(const char *const *paths, size_t count, struct history *,
                                 struct error *);
    /* NULL: it is only read. Sets a bit of `losses` for each enum loss; writing comes after. */
    enum status (*examine)(const struct history *, uint32_t *losses, struct error *);
    enum status (*write)(const struct history *, struct sink *, struct error *);
    /* In place of write: makes a folder, which must not be there or be empty. */
    enum status (*write_folder)(const struct history *, const char *folder, struct error *);
};

#define FOREIGN_DECLARE(enumerator, c, name, description) extern const struct foreign foreign_##c;
FOREIGN_FORMATS(FOREIGN_DECLARE)
#undef FOREIGN_DECLARE

#endif
