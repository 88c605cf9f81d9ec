/*
 * anonymize: a history once more, from which nobody can tell in which order it was made.
 *
 * Transactions, sessions and integers get other names, and transactions another order in the
 * file, in which only each session's own order is left, or, without sessions, none at
 * all. Places, snapshots and version sets are gone, and so are operations that were
 * refused. What was read and from whom stays, and so does every verdict that stands on
 * what is kept alone. For histories of the generator, whose numbers rise as transactions commit:
 * a checker that is measured on those may be led by them without knowing.
 *
 * Only for items: rows and statements are refused.
 */
#ifndef TESTS_PROGRAMS_GENERATOR_ANONYMIZE_H
#define TESTS_PROGRAMS_GENERATOR_ANONYMIZE_H

#include <stdbool.h>

#include "base/error.h"
#include "history/history.h"

struct anonymize_options {
    bool sessions;       /* are kept; else each transaction has its own */
    bool version_orders; /* are kept */
    bool times;          /* of transactions are kept: they do tell, to who asks them */
    uint64_t seed;
};

MUST_USE enum status anonymize_history(const struct history *, const struct anonymize_options *,
                                       struct history *, struct error *);

#endif
