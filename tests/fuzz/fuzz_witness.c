/*
 * fuzz_witness: any bytes as a witness of a small history. They are no witness,
 * and it is said why; or they are refused, and it is said why; or accepted, and
 * then again when they are read a second time.
 *
 * The first byte, a digit, chooses the history; a digest of 64 zeros stands for its own, so
 * that the fuzzer need not find it out.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const histories[] = {
    "{\"ordeal-history\":1,\"unique\":true}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"r\":\"x\",\"v\":null},"
    "{\"w\":\"y\",\"v\":1}],\"ts\":1,\"snapshot\":0}\n"
    "{\"txn\":2,\"session\":0,\"status\":\"ok\",\"at\":[3,4],\"ops\":[{\"r\":\"y\",\"v\":null},"
    "{\"w\":\"x\",\"v\":1},{\"r\":\"x\",\"v\":7}],\"ts\":2,\"snapshot\":0}\n"
    "{\"txn\":3,\"session\":1,\"status\":\"abort\",\"ops\":[{\"w\":\"x\",\"v\":7}]}\n"
    "{\"txn\":4,\"session\":1,\"status\":\"unknown\",\"ops\":[{\"append\":\"l\",\"v\":7},"
    "{\"append\":\"l\",\"v\":8}],\"ts\":4}\n"
    "{\"version-order\":{\"x\":[2],\"y\":[1]}}\n",
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},"
    "\"key\":[\"id\"]}},\"initial\":{\"t/7\":{\"id\":7,\"v\":12}}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"v >= 10\","
    "\"rows\":{\"7\":{\"id\":7,\"v\":12}}},{\"insert\":\"t\",\"rows\":{\"9\":{\"id\":9,\"v\":20}}}]"
    ","
    "\"ts\":1,\"snapshot\":0}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"v >= 10\","
    "\"order\":\"v DESC\",\"limit\":1,\"rows\":[[\"7\",{\"id\":7,\"v\":12}]]},{\"update\":\"t\","
    "\"where\":\"id = 7\",\"rows\":{\"7\":{\"id\":7,\"v\":5}}},{\"select\":\"t\",\"values\":"
    "{\"min(v)\":5}}],\"ts\":2,\"snapshot\":0}\n"
    "{\"version-order\":{\"t/7\":[2],\"t/9\":[1]}}\n",
    "{\"ordeal-history\":1,\"initial\":{\"l\":[7]}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"w\":\"x\",\"v\":5},"
    "{\"append\":\"l\",\"v\":1}]}\n"
    "{\"txn\":2,\"session\":0,\"status\":\"unknown\",\"at\":[3,null],\"ops\":[{\"w\":\"x\",\"v\":5}"
    ","
    "{\"append\":\"l\",\"v\":2},{\"w\":\"y\",\"v\":1}]}\n"
    "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"at\":[5,6],\"ops\":[{\"r\":\"x\",\"v\":5},"
    "{\"r\":\"l\",\"v\":[7,2,1]},{\"w\":\"y\",\"v\":2}]}\n"
    "{\"txn\":4,\"session\":1,\"status\":\"ok\",\"at\":[7,8],\"ops\":[{\"r\":\"l\",\"v\":[7,1,2]},"
    "{\"r\":\"x\",\"v\":null}]}\n"
    "{\"version-order\":{\"y\":[2,3]}}\n",
    /* Without version orders, for infer and weak. */
    "{\"ordeal-history\":1,\"workload\":\"bank\",\"initial\":{\"x\":0}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"r\":\"x\",\"v\":0},"
    "{\"w\":\"x\",\"v\":1},{\"append\":\"l\",\"v\":1},{\"append\":\"l\",\"v\":3}]}\n"
    "{\"txn\":2,\"session\":0,\"status\":\"unknown\",\"at\":[3,null],\"ops\":[{\"w\":\"y\",\"v\":2}"
    ","
    "{\"append\":\"l\",\"v\":2}]}\n"
    "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"at\":[4,6],\"ops\":[{\"r\":\"x\",\"v\":1},"
    "{\"w\":\"x\",\"v\":3},{\"r\":\"y\",\"v\":2},{\"r\":\"l\",\"v\":[1,2,3]}]}\n"
    "{\"txn\":4,\"session\":1,\"status\":\"ok\",\"at\":[7,8],\"ops\":[{\"r\":\"x\",\"v\":1},"
    "{\"r\":\"l\",\"v\":[1]},{\"r\":\"y\",\"v\":null},{\"w\":\"x\",\"v\":4}]}\n"
    "{\"txn\":5,\"session\":2,\"status\":\"abort\",\"ops\":[{\"append\":\"l\",\"v\":9}]}\n",
    /* With times, for interval: items, and rows. */
    "{\"ordeal-history\":1,\"initial\":{\"x\":0}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[10,50],\"ops\":[{\"r\":\"x\",\"v\":0,\"at\":"
    "[11,12]},{\"w\":\"y\",\"v\":1,\"at\":[20,30]},{\"r\":\"l\",\"v\":[2],\"at\":[31,32]}]}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[10,60],\"ops\":[{\"r\":\"y\",\"v\":null,\"at\":"
    "[13,14]},{\"w\":\"x\",\"v\":1,\"at\":[20,30]},{\"w\":\"y\",\"v\":2,\"at\":[33,40]}]}\n"
    "{\"txn\":3,\"session\":2,\"status\":\"unknown\",\"at\":[5,null],\"ops\":[{\"append\":\"l\",\"v\":2},"
    "{\"w\":\"x\",\"v\":7}]}\n"
    "{\"txn\":4,\"session\":2,\"status\":\"ok\",\"at\":[70,90],\"ops\":[{\"r\":\"x\",\"v\":0,\"lock\":"
    "\"update\",\"at\":[71,72]},{\"w\":\"x\",\"v\":3,\"at\":[73,74]},{\"r\":\"x\",\"v\":4}]}\n"
    "{\"txn\":5,\"session\":3,\"status\":\"abort\",\"at\":[1,2],\"ops\":[{\"w\":\"x\",\"v\":4}]}\n",
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},"
    "\"key\":[\"id\"]}},\"initial\":{\"t/7\":{\"id\":7,\"v\":12}}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[10,20],\"ops\":[{\"select\":\"t\",\"where\":\"v >= 10\","
    "\"rows\":{\"7\":{\"id\":7,\"v\":12}},\"at\":[11,12]},{\"insert\":\"t\",\"rows\":{\"9\":{\"id\":9,\"v\":20}},"
    "\"at\":[13,14]}]}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[10,40],\"ops\":[{\"select\":\"t\",\"where\":\"v >= 10\","
    "\"order\":\"v DESC\",\"limit\":1,\"rows\":[[\"7\",{\"id\":7,\"v\":12}]],\"at\":[11,15]},{\"update\":\"t\","
    "\"where\":\"v < 30\",\"rows\":{\"7\":{\"id\":7,\"v\":5}},\"at\":[16,18]},{\"select\":\"t\",\"values\":"
    "{\"min(v)\":5}}]}\n"
    "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"at\":[50,60],\"ops\":[{\"select\":\"t\",\"where\":\"v >= 10\","
    "\"rows\":{}},{\"delete\":\"t\",\"where\":\"id = 7\",\"rows\":{\"7\":null}}]}\n",
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
    status = verify_witness(history, bytes, size, &verification, &err);
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
    history = history_of(histories[(uint8_t)(data[0] - '0') % (sizeof histories / sizeof *histories)]);
    first = judge(&history, data + 1, size - 1);
    second = judge(&history, data + 1, size - 1);
    assert(first == second);
    history_close(&history);
    return 0;
}
