/*
 * basis: what a verdict is drawn from, and which proofs that allows: one row for each checker whose
 * witnesses are known.
 *
 * A rule of proof asks the row for what it needs ("does the certificate count?"), and never who gave the
 * verdict. docs/format-witness.md has the same table in words.
 */
#ifndef VERIFY_BASIS_PRIVATE_H
#define VERIFY_BASIS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "history/level.h"

enum witness_proof {
    PROOF_NONE,
    PROOF_CYCLE,
    PROOF_READ,
    PROOF_WRITES,
    PROOF_REFUTATION,
    PROOF_READS,
    PROOF_VERSIONS,
    PROOF_TOTALS,
    PROOF_STEPS
};

struct basis {
    const char *checker;
    uint64_t levels;          /* a bit each */
    uint64_t levels_of_shape; /* of these, those that forbid cycles of their own shape */
    uint64_t levels_refuted;  /* those at which a refutation is a proof, whatever `proofs` says */
    unsigned proofs;          /* a bit each */
    bool has_places;          /* ts orders the transactions */
    bool has_version_sets;    /* version orders and version sets say what each operation saw */
    bool is_of_clients;       /* nothing but what clients saw, and when */
    bool has_values;          /* a read is of whoever wrote its value */
    bool infers_versions;     /* values tell the order of versions, too */
    bool saturates;           /* order is forced step by step: see saturated.h */
    bool searches_orders;     /* version orders and statements are premises of a refutation */
    bool has_instants;        /* times, and how the database works */
};

#define BASIS_COUNT 6

/* Names of the checkers, NULL behind them, in the order of the rows. */
extern const char *const basis_names[BASIS_COUNT + 1];
const struct basis *basis_at(unsigned number);
/* Whether a proof of this kind shows that the level is violated. */
bool basis_allows(const struct basis *, enum level, enum witness_proof);

struct verifier;

/* Refuses a level that the checker does not decide; notes what the level judges of a history. */
MUST_USE enum status basis_take_level(struct verifier *, struct error *);

#endif
