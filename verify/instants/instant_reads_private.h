/*
 * instant_reads: steps about reads of items and of rows that came, and about statements that look
 * for rows.
 */
#ifndef VERIFY_INSTANTS_INSTANT_READS_PRIVATE_H
#define VERIFY_INSTANTS_INSTANT_READS_PRIVATE_H

#include "verify/instants/instant_proof.h"
#include "verify/sql/query.h"

#define MATCH_STEPS 8 /* what looking at a row counts */

/* A statement, and what it says of a key of its table. */
struct asked {
    struct verifier *v;
    struct statement_query query;
    uint32_t head, key, row; /* the operation that it came by, or HISTORY_NONE */
};

/* Refuses SQL that does not parse. To be closed if it could be opened. */
MUST_USE enum status instant_looks_open(struct asked *, struct verifier *,
                                        const struct visible_reader *, struct error *);
void instant_looks_close(struct asked *);
/* Another key of the same statement's table. */
void instant_looks_at_key(struct asked *, uint32_t key);
/* Whether a version, an operation or VERSION_INITIAL, matches; or agrees with the answer. */
enum match instant_looks_match(const struct asked *, uint32_t op);
enum match instant_looks_agree(const struct asked *, uint32_t op);
/* Whether the answer says anything of the key. */
bool instant_looks_tell(const struct asked *, const struct visible_reader *);

MUST_USE enum status instant_reads(struct proof *, struct error *);
MUST_USE enum status instant_overwrites(struct proof *, struct error *);
MUST_USE enum status instant_installed(struct proof *, struct error *);
MUST_USE enum status instant_precedes(struct proof *, struct error *);
MUST_USE enum status instant_unread(struct proof *, struct error *);
MUST_USE enum status instant_own_read(struct proof *, struct error *);
MUST_USE enum status instant_finds(struct proof *, struct error *);
MUST_USE enum status instant_found(struct proof *, struct error *);
MUST_USE enum status instant_not_found(struct proof *, struct error *);
MUST_USE enum status instant_row(struct proof *, struct error *);

#endif
