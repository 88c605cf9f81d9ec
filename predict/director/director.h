/*
 * director: who chooses, for each read, which of the legal versions it returns.
 *
 *     T1 (session 0) wrote x, T2 (session 1) wrote x; T3 reads x at causal, and has seen neither:
 *         candidates   initial, T1, T2       oldest first; the director answers 0, 1 or 2
 *
 * A director is asked for every read but those of a key that the transaction wrote itself, or that it must see as it
 * saw it before; also where there is no choice. Transactions are numbered from 0 as they are executed, those included
 * that do not commit; and so they are within their session.
 */
#ifndef PREDICT_DIRECTOR_DIRECTOR_H
#define PREDICT_DIRECTOR_DIRECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/random.h"
#include "base/text.h"
#include "programs/values/datum.h"

struct directed; /* predict/director/directed.h */

#define DIRECTED_SESSIONS_MAX 4096
#define DIRECTED_INITIAL UINT32_MAX /* as a writer: the initial state */

/* A version that may be returned. */
struct directed_version {
    uint32_t writer;            /* the transaction's number, or DIRECTED_INITIAL */
    uint32_t session, position; /* of the writer: its number in its session */
    const struct datum *row;    /* NULL: there is no row */
};

struct directed_read {
    const struct directed *store;
    uint32_t txn; /* who reads */
    uint32_t session, position;
    uint32_t statement;  /* in the transaction: struct request's ordinal */
    uint32_t number;     /* of the reads of the transaction that were asked, from 0 */
    uint32_t table, key; /* key: a number of the store's */
    const struct directed_version *candidates; /* oldest first, by execution; at least one */
    uint32_t count;
    bool has_latest; /* the last of them is the newest version that there is */
};

/* The index of a candidate. */
typedef uint32_t director_choose(void *context, const struct directed_read *);

struct director {
    director_choose *choose;
    void *context;
};

/* X(ENUMERATOR, name, what it does) */
#define DIRECTOR_MODES(X)                                                                          \
    X(LATEST, "latest", "the newest version that is legal")                                        \
    X(OLDEST, "oldest", "the oldest version that is legal")                                        \
    X(RANDOM, "random", "a session that wrote one, and then one of its versions")                  \
    X(BIASED, "biased", "three times in four one that is not the newest, where there is one")

enum director_mode {
#define DIRECTOR_MODE_ENUM(enumerator, name, summary) DIRECTOR_##enumerator,
    DIRECTOR_MODES(DIRECTOR_MODE_ENUM)
#undef DIRECTOR_MODE_ENUM
        DIRECTOR_MODE_COUNT
};

const char *director_mode_name(enum director_mode);
bool director_mode_of_text(struct text, enum director_mode *);

/* What a ready-made director remembers: its stream of numbers. */
struct director_state {
    enum director_mode mode;
    struct random random;
};

/* The state must outlive the director. The key counts for random and biased alone. */
struct director director_of_mode(struct director_state *, enum director_mode,
                                 const struct random_key *);

/* --- Scripts ------------------------------------------------------------------------------------ */

/*
 * Choices that are wanted, each of a read by its transaction, statement and key. What is not wanted, and where a wish
 * cannot be granted, the script's fallback chooses.
 */
struct wanted_read {
    uint32_t session, position, statement;
    struct text key; /* "accounts/7" */
    bool is_initial; /* who wrote it; else: */
    uint32_t from_session, from_position;
};

enum divergence_kind {
    DIVERGENCE_UNREAD,  /* the transaction did not read this key there */
    DIVERGENCE_ABSENT,  /* the wanted transaction did not write the key */
    DIVERGENCE_ILLEGAL, /* it did, and the level does not allow to read that */
};

struct divergence {
    enum divergence_kind kind;
    uint32_t wish; /* its number in the script */
};

struct script {
    const struct wanted_read *wishes;
    uint32_t count;
    bool *is_granted, *is_asked; /* by wish */
    struct director fallback;
    ARRAY(struct divergence) divergences;
    uint64_t others; /* reads that nobody had a wish for */
    bool is_short;   /* memory ran out: the divergences are not all */
    uint32_t *slots; /* a wish plus one, by the hash of its read */
    size_t slot_count;
};

/* The wishes must outlive it. Refuses two wishes for one read. Closed by script_close(), also after a failure. */
MUST_USE enum status script_init(struct script *, const struct wanted_read *, uint32_t count,
                                 struct director fallback, struct error *);
void script_close(struct script *);
struct director script_director(struct script *);
/* After the run: wishes for reads that never came are divergences, too. */
void script_finish(struct script *);

#endif
