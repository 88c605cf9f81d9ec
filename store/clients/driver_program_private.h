/*
 * driver_program_private: the state of a program driver and its clients, for driver_program.c
 * and driver_program_final.c.
 */
#ifndef STORE_CLIENTS_DRIVER_PROGRAM_PRIVATE_H
#define STORE_CLIENTS_DRIVER_PROGRAM_PRIVATE_H

#include "programs/machine/sequences.h"
#include "programs/workloads/calls.h"
#include "store/clients/changes_private.h"
#include "store/clients/driver_program.h"
#include "store/clients/misread.h"

/* A call that is listed. */
struct listed_call {
    uint32_t function; /* UINT32_MAX: its arguments could not be computed, so it aborts */
    struct datum *arguments;
};

struct program_client {
    struct machine *machine;      /* opened with its first transaction */
    const struct request *request; /* that the machine stands at; NULL: it could not begin */
    ARRAY(uint32_t) keys;            /* of the read at hand */
    uint32_t scope;               /* or SCOPE_NONE */
    struct changes changes;       /* of the write at hand */
    /* An update or delete of a scope whose rows have been read and not written yet. */
    bool is_half_done;
    uint32_t half_scope, half_table;
    struct changes matched;
    struct kept_op half;
    /* Of a call that is noted: what is known of it as it begins. */
    struct buffer beginning;
    uint32_t function;
    uint64_t txn; /* 0: none of its requests has been answered */
    struct misread misread;
};

/* Rows of the final state, for invariants. */
struct final_row {
    uint32_t table;
    struct datum *cells;
};

struct driver_program {
    const struct program *program;
    struct driver_program_options options;
    struct random_key key;
    struct catalog *catalog;
    struct arena *arena;
    struct driver driver;
    enum table_shape *shapes;
    struct calls calls;        /* of those that are drawn */
    struct listed_turns turns; /* of those that are listed */
    struct listed_call *listed; /* by number in the listing */
    struct heap listed_heap;
    struct program_client *clients;
    struct pool_memory memory;
    struct pool pool;
    struct heap heap;       /* of the answer at hand, or of arguments */
    struct key_marks marks;
    ARRAY(const struct datum *) rows; /* of the answer at hand */
    struct heap final_heap;
    uint32_t final_table;
    ARRAY(struct final_row) final;
    ARRAY(uint32_t) final_of_key; /* by key: place in `final` plus one */
    struct machine *judge;
    struct sequences sequences; /* numbers are given out at once, as by a service that never fails */
    bool is_short;
};

#endif
