/*
 * client_fixture: real clients and coordinators, over scripted shards.
 *
 * A driver runs `script` again and again, or what next_of() says, and writes into
 * ends[] how each attempt ended. setUp() opens a store with one client that has one
 * transaction; a test that wants another sets what it wants and calls open_again().
 */
#ifndef TESTS_STORE_CLIENTS_CLIENT_FIXTURE_H
#define TESTS_STORE_CLIENTS_CLIENT_FIXTURE_H

#include "tests/store/server_fixture.h"

#define CLIENTS_MAX 4
#define ENDS_MAX 4096

/* How an attempt ended. */
struct end {
    uint32_t client, attempt;
    uint64_t ordinal, txn;
    enum txn_status status;
    int64_t began_ns, at_ns;
    bool asked_to_commit;
};

/* What a client is doing, as its driver sees it. */
struct run {
    uint64_t ordinal;
    uint32_t attempt, step;
    bool is_running, asked_to_commit;
    int64_t began_ns;
    uint32_t answered, unanswered, rows;
};

extern struct run runs[CLIENTS_MAX];
extern struct end ends[ENDS_MAX];
extern uint32_t end_count;
extern struct intent script[8]; /* of every transaction; ends in COMMIT or ABORT */
extern struct intent (*next_of)(uint32_t client);
extern struct client_options client_options;
extern struct world_options world_options;
extern struct bugs bugs;
extern uint32_t client_count;
extern struct client *clients[CLIENTS_MAX];
extern struct row_change change;
void open_again(void);

#endif
