/*
 * certificate_private: the data that all files of the checker `certificate` share.
 */
#ifndef CHECKERS_CERTIFICATE_CERTIFICATE_PRIVATE_H
#define CHECKERS_CERTIFICATE_CERTIFICATE_PRIVATE_H

#include "checkers/certificate/predicate_columns_private.h"
#include "checkers/certificate/versions_private.h"
#include "checkers/check_private.h"
#include "checkers/graph/barriers.h"
#include "checkers/graph/places.h"
#include "checkers/proof/proof.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"
#include "checkers/rows/rows.h"
#include "checkers/values/contents.h"
#include "checkers/values/suspects.h"
#include "checkers/values/wrong_answer.h"

#define CERTIFICATE_STEP 8192    /* transactions between two looks whether somebody wants an end */
#define VERSION_FIRST UINT32_MAX /* as a number: the initial version, before number 0 */

/* What is known of a key while a walk goes on. */
struct walked {
    uint32_t own;    /* the last operation that wrote it */
    uint32_t latest; /* the version behind which the walk is */
};

/* What comes behind a write in its transaction. */
struct certified_write {
    uint32_t txn;
    uint32_t number; /* of the version that is left behind in the end */
    uint32_t later;  /* writes of the key */
    bool only_appends;
};

struct certificate {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct places places;
    /*
     * Transactions that are in have ranks: first their positions, then those without a
     * place as the history goes.
     */
    uint32_t *rank;   /* by transaction */
    uint32_t *ranked; /* by rank: the transaction */
    struct keys keys;
    struct matcher matcher;
    struct answers answers;
    struct rows rows; /* of the place where a replay is */
    struct contents contents;
    struct suspects suspects;
    struct wrong_answers wrong_answers;
    struct certified_versions versions;
    struct predicate_column *predicate_columns; /* by column of all tables */
    uint32_t *left_start;  /* by rank, and one more: the keys of tables that it left behind */
    uint32_t *left;        /* keys */
    bool *is_in_disorder;  /* by table: some row's versions are not in the order of places */
    bool *agrees;          /* by statement: it surely returned what it should have; or NULL */
    uint32_t *returned;    /* by key: the head, plus one, that returned it last */
    uint32_t *asked;       /* by key: the last question that was about it */
    uint32_t question;
    uint32_t *txn_seen;    /* by transaction: what it sees where its operations say nothing else */
    struct walked *walked; /* by key, and one more, of no key */
    uint32_t *set_of_key, *entry_of_key; /* by key: of the set that is remembered, plus one */
    uint32_t remembered_set;             /* plus one */
    ARRAY(struct certified_write) own_writes;  /* by operation, from the first of own_writes_txn */
    uint32_t own_writes_txn;
    struct certified_write *own_last; /* by key, while they are gathered; NULL: nobody has asked yet */
    ARRAY(struct matched_row) matching;
    uint32_t ruled_out; /* levels, a bit each, by what was found so far */
    bool is_stopped;
};

/* An answer that is judged: of a read, or of a statement that looks for rows. */
static inline bool certificate_is_answered(const struct history *h, uint32_t txn, uint32_t op)
{
    if (h->txn_status[txn] != TXN_OK || h->op_flags[op] & OP_ERROR)
        return false;
    if (op_is_head(h->op_kind[op]))
        return h->op_kind[op] != OP_INSERT &&
               h->statement_flags[h->op_key[op]] & STATEMENT_ANSWERED;
    return h->op_kind[op] == OP_READ && h->op_value_kind[op] != VALUE_NONE;
}

/* Whether certificate_goes_on() is to be asked: every so many transactions, and where work is dear. */
static inline bool certificate_is_time(const struct certificate *c, uint32_t done)
{
    return done % CERTIFICATE_STEP == 0 || c->rows.pace.is_over;
}

/*
 * Asked where certificate_is_time(), of which so many have been looked at.
 * False: somebody wants the check to end, and it says now how far it came.
 */
bool certificate_goes_on(struct certificate *, const char *looking_for, uint32_t done);

/* The operation that wrote it, or VERSION_INITIAL. */
static inline uint32_t certificate_version_op(const struct certificate *c, uint32_t number)
{
    return number == VERSION_FIRST ? VERSION_INITIAL : c->versions.op[number];
}

/* The transaction that wrote it. */
static inline uint32_t certificate_writer(const struct certificate *c, uint32_t number)
{
    return c->ranked[c->versions.rank[number]];
}

/* The one behind it in its key's order, or HISTORY_NONE. */
static inline uint32_t certificate_next(const struct certificate *c, uint32_t key, uint32_t number)
{
    uint32_t next = number == VERSION_FIRST ? c->versions.start[key] : number + 1;

    return next < c->versions.start[key + 1] ? next : HISTORY_NONE;
}

/* Rules out the level and all that imply it. */
void certificate_rule_out(struct certificate *, enum level);

#endif
