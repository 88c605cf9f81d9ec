/*
 * coordinator_fixture: a client by hand, against real coordinators over scripted shards.
 *
 *     read_key(key), write_key(key, value), commit(): the next request, and 20 ms
 *     assert_value(5), assert_aborted(REFUSED_DEADLOCK): what was heard of it
 *
 * setUp() opens a store with an empty protocol; a test that wants another sets
 * `protocol` or `bugs` and calls open_again().
 */
#ifndef TESTS_STORE_COORDINATOR_COORDINATOR_FIXTURE_H
#define TESTS_STORE_COORDINATOR_COORDINATOR_FIXTURE_H

#include "tests/store/server_fixture.h"

#define NODE 0 /* whose coordinator is tried */
#define CLIENTS 1
#define TRANSACTIONS 100 /* that the record has heard of */
#define ROWS_MAX 8

/* The last reply that a client got. */
struct heard {
    uint32_t count;
    struct client_reply reply;
    struct {
        uint32_t key;
        int64_t value; /* NO_VALUE: no row */
    } rows[ROWS_MAX];
};

extern struct heard heard[CLIENTS];
extern struct client_request sent; /* the last request of the first client */
extern struct bugs bugs;
/* For tests that set a protocol or bugs of their own. */
void open_again(void);
void send_to(uint32_t node, uint32_t client, const struct client_request *request);
/* The first client's next request; a new transaction begins at number 1. */
void request(struct client_request next);
void repeat_to(uint32_t node);
/* What requests point to stays, so that they can be repeated. */
void read_key(uint32_t key);
void read_scope(uint32_t scope);
void write_key(uint32_t key, int64_t value);
void commit(void);
void abort_it(void);
void assert_replied(enum client_reply_kind kind);
void assert_aborted(enum refusal refusal);
void assert_value(int64_t value);
void assert_idle(void);
void write_on_all_shards(void);
uint64_t written_shards(struct txn *txn);

#endif
