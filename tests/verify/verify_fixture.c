#include "tests/verify/verify_fixture.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/notation.h"

static struct history fixture;

const struct history *fixture_history(const char *notation)
{
    history_close(&fixture);
    if (notation)
        notation_read(notation, &fixture);
    return &fixture;
}

const struct history *fixture_now(void)
{
    return &fixture;
}

bool fixture_judge(const struct history *h, struct text witness, bool *is_witness, char reason[512])
{
    /* Of its exact size, so that the sanitizer sees who reads behind it. */
    char *bytes = malloc(witness.length > 0 ? witness.length : 1);
    struct verification verification;
    struct error err = { 0 };

    assert(bytes);
    if (witness.length > 0)
        memcpy(bytes, witness.at, witness.length);
    *is_witness = verify_witness(h, bytes, witness.length, &verification, &err) == STATUS_OK;
    snprintf(reason, 512, "%s", *is_witness ? verification.reason : err.text);
    assert(reason[0]);
    free(bytes);
    return *is_witness && verification.is_accepted;
}

bool fixture_verify(const struct history *h, struct text witness, char reason[512])
{
    bool is_witness;

    return fixture_judge(h, witness, &is_witness, reason);
}

void fixture_begin(struct buffer *out, const struct history *h)
{
    struct digest digest = history_digest(h);
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    buffer_print(out, "{\"ordeal-witness\":1,\"history\":\"%s\",", hex);
}

bool fixture_accepts(char reason[512], const char *format, ...)
{
    struct buffer witness = { 0 };
    char fields[8192];
    va_list arguments;
    bool is_accepted;

    va_start(arguments, format);
    vsnprintf(fields, sizeof fields, format, arguments);
    va_end(arguments);
    fixture_begin(&witness, &fixture);
    buffer_print(&witness, "%s}", fields);
    is_accepted = fixture_verify(&fixture, (struct text){ witness.at, witness.count }, reason);
    buffer_close(&witness);
    return is_accepted;
}

/* --- Forged witnesses -------------------------------------------------------- */

struct dated {
    struct place ts;
    uint32_t txn;
};

static int compare_dated(const void *a, const void *b)
{
    return history_compare_places(((const struct dated *)a)->ts, ((const struct dated *)b)->ts);
}

static bool is_listed(const struct history *h, uint32_t txn)
{
    for (uint64_t i = 0; i < h->order_version_count; i++)
        if (history_txn_of(h, h->order_version[i]) == txn)
            return true;
    return false;
}

static void write_snapshots(const struct history *h, const struct dated *dated, size_t count,
                            struct buffer *out)
{
    buffer_print(out, ",\"snapshots\":[");
    for (size_t i = 0; i < count; i++) {
        struct place snapshot = history_txn_snapshot(h, dated[i].txn);
        size_t seen = i;

        while (snapshot.parts > 0 && seen > 0 && history_compare_places(dated[seen - 1].ts, snapshot) > 0)
            seen--;
        buffer_print(out, "%s%zu", i ? "," : "", seen);
    }
    buffer_print(out, "]");
}

void fixture_forge(struct buffer *out, const struct history *h, const char *checker,
                   enum level level)
{
    struct dated *dated = calloc(h->txn_count + 1, sizeof *dated);
    size_t count = 0;

    assert(dated);
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK || (h->txn_status[t] == TXN_UNKNOWN && is_listed(h, t)))
            dated[count++] = (struct dated){ history_ts(h, t), t };
    qsort(dated, count, sizeof *dated, compare_dated);
    fixture_begin(out, h);
    buffer_print(out, "\"checker\":\"%s\",\"level\":\"%s\",\"verdict\":\"valid\",\"order\":[",
                 checker, level_name(level));
    for (size_t i = 0; i < count; i++) {
        buffer_print(out, "%s", i ? "," : "");
        buffer_int64(out, h->txn_id[dated[i].txn]);
    }
    buffer_print(out, "]");
    if (fixture_has_snapshots(level))
        write_snapshots(h, dated, count, out);
    buffer_print(out, "}");
    free(dated);
}

void fixture_forget_places(struct history *h)
{
    h->txn_ts_parts = h->txn_snapshot_parts = h->op_snapshot_parts = NULL;
    h->txn_ts = h->txn_ts_second = h->txn_ts_third = NULL;
    h->txn_snapshot = h->txn_snapshot_second = h->txn_snapshot_third = NULL;
    h->op_snapshot = h->op_snapshot_second = h->op_snapshot_third = NULL;
    h->set_count = h->set_entry_count = 0;
}

enum level fixture_level(const char *witness)
{
    const char *name = strstr(witness, "\"level\":\"");
    enum level level = LEVEL_COUNT;

    assert(name);
    name += strlen("\"level\":\"");
    if (!level_of_text((struct text){ name, strcspn(name, "\"") }, &level))
        assert(!"a witness without a level");
    return level;
}

bool fixture_has_snapshots(enum level level)
{
    return level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
           level == LEVEL_STRICT_SNAPSHOT;
}
