/*
 * sequences: the numbers that a program's sequences have given out.
 *
 * They belong to no transaction: what is taken is gone, whether the transaction commits or not.
 */
#ifndef PROGRAMS_MACHINE_SEQUENCES_H
#define PROGRAMS_MACHINE_SEQUENCES_H

#include "programs/machine/machine.h"

struct sequence_state {
    int64_t last;
    bool is_called; /* else `last` is what comes next */
};

struct sequences {
    const struct schema *schema;
    struct sequence_state *at;
};

MUST_USE enum status sequences_open(struct sequences *, const struct schema *, struct error *);
void sequences_close(struct sequences *);
/* Of the same schema: goes on where the other one stands. */
void sequences_go_on(struct sequences *, const struct sequences *from);

/* Answers the request for a number at which the machine stands. */
void sequences_answer(struct sequences *, struct machine *);

#endif
