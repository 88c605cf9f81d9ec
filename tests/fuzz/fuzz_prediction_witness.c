/*
 * fuzz_prediction_witness: any bytes as the witness of a prediction from a small history. They are no witness, and it is
 * said why; or they are refused, and it is said why; or accepted; and all that twice.
 *
 * The first byte, a digit, chooses the history; a digest of 64 zeros stands for its own, so that the fuzzer need not find
 * it out. The digests of predicted histories stand in the corpus.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const histories[] = {
    "{\"ordeal-history\":1}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":1}]}\n"
    "{\"txn\":2,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":1},{\"w\":\"y\",\"v\":"
    "1}]}\n"
    "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"y\",\"v\":1},{\"r\":\"x\",\"v\":"
    "1},"
    "{\"w\":\"z\",\"v\":1}]}\n"
    "{\"txn\":4,\"session\":2,\"status\":\"ok\",\"ops\":[{\"r\":\"z\",\"v\":1}]}\n"
    "{\"txn\":5,\"session\":2,\"status\":\"abort\",\"ops\":[{\"w\":\"x\",\"v\":9}]}\n",
    /* Repeated values, an unknown transaction that is read from, deletes, ts. */
    "{\"ordeal-history\":1,\"initial\":{\"x\":0}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":0},{\"w\":\"x\",\"v\":"
    "1}],"
    "\"ts\":1}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"unknown\",\"ops\":[{\"r\":\"x\",\"v\":1},{\"w\":\"y\","
    "\"v\":1}],"
    "\"ts\":2}\n"
    "{\"txn\":3,\"session\":2,\"status\":\"ok\",\"ops\":[{\"r\":\"y\",\"v\":1},{\"r\":\"x\",\"v\":"
    "1},"
    "{\"d\":\"x\"}],\"ts\":3}\n"
    "{\"txn\":4,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":null},{\"w\":\"x\","
    "\"v\":1},"
    "{\"r\":\"y\",\"v\":1}],\"ts\":4}\n",
    /* Statements with and without version sets, and a condition that cannot be decided of every row. */
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},"
    "\"key\":[\"id\"]}},\"initial\":{\"t/7\":{\"id\":7,\"v\":12}}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"v >= 10\","
    "\"rows\":{\"7\":{\"id\":7,\"v\":12}},\"set\":{\"t/7\":null,\"t/9\":null}},{\"insert\":\"t\","
    "\"rows\":{\"9\":{\"id\":9,\"v\":20}}}]}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"100 / v >= "
    "10\","
    "\"rows\":{\"7\":{\"id\":7,\"v\":12}},\"set\":{\"t/7\":null,\"t/9\":1}},{\"update\":\"t\","
    "\"where\":\"id = 7\",\"rows\":{\"7\":{\"id\":7,\"v\":5}},\"set\":{\"t/7\":null}}]}\n"
    "{\"txn\":3,\"session\":0,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"values\":{\"min(v)\":"
    "5}},"
    "{\"delete\":\"t\",\"where\":\"id = 9\",\"rows\":{\"9\":null},\"set\":{\"t/9\":1}}]}\n",
    /* There is no trace of lists. */
    "{\"ordeal-history\":1}\n{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"append\":\"l\",\"v\":1}]}\n",
};

static struct history history_of(const char *lines)
{
    struct history history = { 0 };
    struct source source;
    struct error err = { 0 };
    bool is_read =
        source_open_memory(&source, "history", lines, strlen(lines), &err) == STATUS_OK &&
        jsonl_read(&source, 0, &history, &err) == STATUS_OK;

    assert(is_read);
    source_close(&source);
    return history;
}

static void put_digest(const struct history *history, char *bytes, size_t size)
{
    struct digest digest = history_digest(history);
    char hex[DIGEST_HEX_SIZE], zeros[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    memset(zeros, '0', sizeof zeros - 1);
    for (size_t i = 0; i + sizeof zeros - 1 <= size; i++)
        if (memcmp(bytes + i, zeros, sizeof zeros - 1) == 0)
            memcpy(bytes + i, hex, sizeof hex - 1);
}

/* 0: no witness; 1: refused; 2: accepted. */
static int judge(const struct history *history, const uint8_t *data, size_t size)
{
    char *bytes = malloc(size > 0 ? size : 1);
    struct verification verification;
    struct error err = { 0 };
    enum status status;

    assert(bytes);
    memcpy(bytes, data, size);
    put_digest(history, bytes, size);
    status = verify_prediction(history, bytes, size, &verification, &err);
    free(bytes);
    assert(status == STATUS_OK ? verification.reason[0] : err.text[0]);
    return status != STATUS_OK ? 0 : verification.is_accepted ? 2 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history history;
    int first, second;

    if (size == 0)
        return 0;
    history =
        history_of(histories[(uint8_t)(data[0] - '0') % (sizeof histories / sizeof *histories)]);
    first = judge(&history, data + 1, size - 1);
    second = judge(&history, data + 1, size - 1);
    assert(first == second);
    history_close(&history);
    return 0;
}
