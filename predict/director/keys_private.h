/*
 * keys: the rows that a directed store knows of, by name, and their versions in the order of execution.
 *
 *     accounts/7    initial: (7, 100)    T2: (7, 90)    T5: no row
 */
#ifndef PREDICT_DIRECTOR_KEYS_PRIVATE_H
#define PREDICT_DIRECTOR_KEYS_PRIVATE_H

#include "base/array.h"
#include "base/intern.h"
#include "predict/director/director.h"

struct key_version {
    uint32_t writer;
    const struct datum *row; /* NULL: there is no row */
};

struct directed_key {
    uint32_t table;
    bool is_indexed;                    /* whoever looks through the table finds it */
    ARRAY(struct key_version) versions; /* the first is the initial one */
    /* Of the transaction whose round it is: its write of the key, its read of it. */
    uint64_t write_round, read_round;
    size_t write, read;
};

struct directed_keys {
    struct intern texts; /* numbers are the keys' */
    ARRAY(struct directed_key) keys;
};

#endif
