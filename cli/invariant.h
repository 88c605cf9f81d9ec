/*
 * invariant: a query over the final rows of a run, and what it must give.
 *
 *     [[invariant]]
 *     query = "SELECT sum(balance) FROM accounts"
 *     equals = 100000
 */
#ifndef CLI_INVARIANT_H
#define CLI_INVARIANT_H

#define INVARIANT_COUNT_MAX 32
#define INVARIANT_QUERY_SIZE 1000
#define INVARIANT_EQUALS_SIZE 100

struct invariant_options {
    char query[INVARIANT_QUERY_SIZE];
    char equals[INVARIANT_EQUALS_SIZE]; /* the value, as it is printed */
};

#endif
