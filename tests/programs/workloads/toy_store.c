#include "tests/programs/workloads/toy_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

struct toy_row {
    struct builtin_row row;
    uint64_t committed; /* the commit that it is of */
    bool is_there, is_written;
};

struct toy_rows {
    struct toy_row at[TOY_ROWS_MAX];
    uint32_t count;
};

struct toy_client {
    struct toy_rows rows; /* its copy */
    struct builtin_txn txn;
    uint64_t snapshot; /* the commit that the copy was taken after */
    uint32_t begun;
    bool is_running;
};

static struct toy_rows store;
static uint64_t commits;
static struct toy_client clients[TOY_CLIENTS];

static struct toy_row *find(struct toy_rows *rows, uint64_t key)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->at[i].row.key == key)
            return &rows->at[i];
    TEST_ASSERT_MESSAGE(rows->count < TOY_ROWS_MAX, "too many rows for the toy store");
    rows->at[rows->count] = (struct toy_row){ .row.key = key };
    return &rows->at[rows->count++];
}

static void put(struct toy_rows *rows, struct builtin_row row, bool is_there)
{
    struct toy_row *at = find(rows, row.key);

    at->row = row;
    at->is_there = is_there;
    at->is_written = true;
}

static void copy_rows(struct toy_rows *to, const struct toy_rows *from)
{
    memcpy(to->at, from->at, from->count * sizeof *from->at);
    to->count = from->count;
    for (uint32_t i = 0; i < to->count; i++)
        to->at[i].is_written = false;
}

/* What the client has not written itself is as it stands in the store by now. */
static void look_again(struct toy_client *client)
{
    for (uint32_t i = 0; i < store.count; i++) {
        struct toy_row *own = find(&client->rows, store.at[i].row.key);

        if (own->is_written)
            continue;
        *own = store.at[i];
        own->is_written = false;
    }
}

static bool matches(const struct builtin_request *request, const struct toy_row *row)
{
    int64_t cell = request->column == BUILTIN_KEY_COLUMN ? (int64_t)row->row.key : row->row.value;

    return row->is_there && (request->column == BUILTIN_NO_COLUMN ||
                             (cell >= request->low && cell <= request->high));
}

static void do_range(struct toy_client *client, const struct builtin_request *request)
{
    static struct builtin_row found[TOY_ROWS_MAX];
    uint64_t count = 0;

    for (uint32_t i = 0; i < client->rows.count; i++) {
        struct toy_row *row = &client->rows.at[i];

        if (!matches(request, row))
            continue;
        found[count++] = row->row;
        row->is_written = row->is_written || request->kind != BUILTIN_SELECT;
        row->is_there = request->kind != BUILTIN_DELETE;
        if (request->kind == BUILTIN_UPDATE) {
            row->row.value = request->value;
            row->row.tag = request->tag;
        }
    }
    builtin_answer(&client->txn, found, count);
}

static void do_request(struct toy_client *client, const struct builtin_request *request)
{
    struct builtin_row row = { request->key, request->value, request->tag };
    struct toy_row *at;

    switch (request->kind) {
    case BUILTIN_READ:
        at = find(&client->rows, request->key);
        builtin_answer(&client->txn, &at->row, at->is_there);
        break;
    case BUILTIN_INSERT:
        TEST_ASSERT_FALSE_MESSAGE(find(&client->rows, row.key)->is_there,
                                  "an INSERT of what is there");
        put(&client->rows, row, true);
        builtin_answer(&client->txn, NULL, 0);
        break;
    case BUILTIN_WRITE:
    case BUILTIN_APPEND:
        put(&client->rows, row, true);
        builtin_answer(&client->txn, NULL, 0);
        break;
    default:
        do_range(client, request);
    }
}

static bool somebody_wrote_first(const struct toy_client *client)
{
    for (uint32_t i = 0; i < client->rows.count; i++)
        if (client->rows.at[i].is_written &&
            find(&store, client->rows.at[i].row.key)->committed > client->snapshot)
            return true;
    return false;
}

static void install(const struct toy_client *client)
{
    commits++;
    for (uint32_t i = 0; i < client->rows.count; i++) {
        const struct toy_row *own = &client->rows.at[i];

        if (own->is_written) {
            struct toy_row *at = find(&store, own->row.key);

            *at = *own;
            at->committed = commits;
        }
    }
}

static void note_sight(struct toy_run *run, const struct toy_client *client)
{
    struct buffer sentence = { 0 };

    if (builtin_saw_broken(&client->txn, &sentence)) {
        run->saw_broken++;
        snprintf(run->broken_sight, sizeof run->broken_sight, "%.*s", (int)sentence.count,
                 sentence.at);
    }
    buffer_close(&sentence);
}

static void tell(struct toy_run *run, const struct toy_client *client, enum txn_status outcome)
{
    struct error err;

    TEST_ASSERT_EQUAL(STATUS_OK, builtin_tally_add(&run->tally, &client->txn, outcome, &err));
    run->committed += outcome == TXN_OK;
    run->aborted += outcome == TXN_ABORT;
    if (outcome == TXN_OK)
        note_sight(run, client);
}

static void start(const struct toy_run *run, struct toy_client *client, uint32_t attempt)
{
    uint32_t number = (uint32_t)(client - clients);

    copy_rows(&client->rows, &store);
    client->snapshot = commits;
    builtin_begin(&client->txn, run->builtin, number, client->begun, attempt);
    client->is_running = true;
}

static void run_again(const struct toy_run *run, struct toy_client *client)
{
    struct builtin_request request;

    start(run, client, 1);
    while ((request = builtin_next(&client->txn)).kind < BUILTIN_COMMIT)
        do_request(client, &request);
    install(client);
}

static void commit(struct toy_run *run, struct toy_client *client)
{
    bool now_and_then = client->begun % 5 == 4;

    if (run->store == TOY_SNAPSHOT && somebody_wrote_first(client)) {
        tell(run, client, TXN_ABORT);
        return;
    }
    if (run->store == TOY_UNKNOWN && now_and_then) {
        if (client->begun % 2 == 0)
            install(client);
        tell(run, client, TXN_UNKNOWN);
        return;
    }
    if (run->store != TOY_FORGETS || !now_and_then)
        install(client);
    tell(run, client, TXN_OK);
    if (run->store == TOY_REPEATS && now_and_then)
        run_again(run, client);
}

static void step(struct toy_run *run, struct toy_client *client)
{
    struct builtin_request request;

    if (!client->is_running)
        start(run, client, 0);
    if (run->store == TOY_UNREPEATED)
        look_again(client);
    request = builtin_next(&client->txn);
    run->requests[request.kind]++;
    if (request.kind < BUILTIN_COMMIT) {
        do_request(client, &request);
        return;
    }
    if (request.kind == BUILTIN_COMMIT) {
        commit(run, client);
    } else {
        if (run->store == TOY_KEEPS)
            install(client);
        tell(run, client, TXN_ABORT);
    }
    client->is_running = false;
    client->begun++;
}

static bool is_concurrent(enum toy_store kind)
{
    return kind == TOY_SNAPSHOT || kind == TOY_LOSES || kind == TOY_UNREPEATED;
}

static int compare_rows(const void *a, const void *b)
{
    const struct builtin_row *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static void load(const struct toy_run *run)
{
    store.count = 0;
    commits = 0;
    for (uint64_t i = 0; i < builtin_initial_count(run->builtin); i++)
        put(&store, builtin_initial(run->builtin, i), true);
    for (uint32_t i = 0; i < TOY_CLIENTS; i++) {
        clients[i].begun = 0;
        clients[i].is_running = false;
    }
}

void toy_run(struct toy_run *run)
{
    struct random_key key = random_key_of_seed(run->seed);
    uint32_t finished = 0;

    builtin_tally_init(&run->tally, run->builtin);
    load(run);
    for (uint64_t turn = 0; finished < TOY_CLIENTS; turn++) {
        struct toy_client *client = &clients[random_scale(random_draw_at(&key, turn), TOY_CLIENTS)];

        if (client->begun == run->transactions)
            continue;
        do
            step(run, client);
        while (client->is_running && !is_concurrent(run->store));
        finished += client->begun == run->transactions;
    }
    for (uint32_t i = 0; i < store.count; i++)
        if (store.at[i].is_there)
            run->rows[run->row_count++] = store.at[i].row;
    qsort(run->rows, run->row_count, sizeof *run->rows, compare_rows);
}

void toy_close(struct toy_run *run)
{
    builtin_tally_close(&run->tally);
}
