/*
 * sight: which version an operation read. docs/format-witness.md, "What an operation read".
 */
#ifndef VERIFY_VERSIONS_SIGHT_H
#define VERIFY_VERSIONS_SIGHT_H

#include "verify/verify_private.h"

/* Begins to look at a transaction. */
void sight_own_begin(struct verifier *);
/* Goes past one of its operations. */
void sight_own_pass(struct verifier *, uint32_t op);
/* Begins, and passes all of its operations before this one. */
void sight_own_pass_until(struct verifier *, uint32_t txn, uint32_t op);
/* Its last write of the key so far, or HISTORY_NONE. */
uint32_t sight_own_version(const struct verifier *, uint32_t key);

enum sight_kind {
    SIGHT_SPOT,
    SIGHT_NOBODY, /* the certificate names a version that nobody can read */
    SIGHT_UNSAID, /* nothing says which one */
};

struct sight {
    enum sight_kind kind;
    uint32_t spot;
    bool is_vague; /* or a version of a transaction that counts perhaps */
};

/* To be called before sight_of() for an operation, a head or an item operation. */
void sight_prepare(struct verifier *, uint32_t op);
/* What the operation read of a key that its transaction had not written. */
struct sight sight_of(const struct verifier *, uint32_t txn, uint32_t op, uint32_t key);

#endif
