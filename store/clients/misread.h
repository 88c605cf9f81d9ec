/*
 * misread: bugs between the rows that a client is answered and those that its program gets.
 *
 * The record has what the client was answered, so a history with such a bug is in order. What the program
 * makes of it is not, which only an audit of its calls can tell.
 */
#ifndef STORE_CLIENTS_MISREAD_H
#define STORE_CLIENTS_MISREAD_H

#include "base/pool.h"
#include "programs/machine/machine.h"
#include "store/bugs.h"
#include "store/clients/driver.h"

/* A row as a client has read it in one of its transactions. */
struct misread_row {
    uint32_t key;
    struct text row; /* in the pool */
};

/* What a client remembers, while there is a bug that uses it. */
struct misread {
    ARRAY(struct misread_row) rows;
};

/* What the program gets of this row of the answer; nothing: the row is kept from it. */
struct text misread_values(struct misread *, const struct bugs *, struct pool *, const struct request *,
                           const struct driver_answer *, uint32_t place);

#endif
