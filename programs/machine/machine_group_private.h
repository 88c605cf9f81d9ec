/* machine_group: groups and orders the rows of a select, and computes its aggregates. */
#ifndef PROGRAMS_MACHINE_MACHINE_GROUP_PRIVATE_H
#define PROGRAMS_MACHINE_MACHINE_GROUP_PRIVATE_H

#include "programs/machine/machine_join_private.h"

/* Where the rows of a select go: those of a scope that its outputs are computed of. */
struct select_sink {
    enum status (*output)(struct select_sink *, struct scope *);
    bool has_enough;
    uint32_t tie; /* the same for rows that are equal by ORDER BY */
};

/* Aggregates, order, and then outputs. The scope is that around the select. */
MUST_USE enum status machine_group_run(const struct select_code *, const struct tuples *,
                                       const struct scope *, struct select_sink *);

#endif
