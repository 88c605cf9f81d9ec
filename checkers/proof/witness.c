#include "checkers/proof/witness.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/sort.h"
#include "checkers/checker.h"
#include "checkers/proof/tell.h"

/* Long ones are written number by number: room is asked for in larger pieces. */
#define NUMBER_BYTES_MAX 24
#define PIECE 4096

static void print_numbers(struct buffer *out, const int64_t *ids, const uint32_t *numbers,
                          size_t count)
{
    char *at = NULL;

    for (size_t i = 0; i < count; i++) {
        if (i % PIECE == 0 && !(at = buffer_reserve(out, (size_t)PIECE * NUMBER_BYTES_MAX)))
            return;
        if (i > 0)
            *at++ = ',';
        at = text_write_int64(at, ids ? ids[numbers[i]] : (int64_t)numbers[i]);
        if (i % PIECE == PIECE - 1 || i == count - 1)
            out->count = (size_t)(at - out->at);
    }
}

void witness_order(struct check *check, const struct history *h, const uint32_t *txns, size_t count)
{
    assert(check->verdict == VERDICT_VALID && count <= h->txn_count);
    buffer_text(&check->witness, TEXT("\"order\":["));
    print_numbers(&check->witness, h->txn_id, txns, count);
    buffer_byte(&check->witness, ']');
}

void witness_snapshots(struct check *check, const uint32_t *seen, size_t count)
{
    buffer_text(&check->witness, TEXT(",\"snapshots\":["));
    print_numbers(&check->witness, NULL, seen, count);
    buffer_byte(&check->witness, ']');
}

/* Each once. */
static void print_txns(struct buffer *out, const struct history *h,
                       const struct check_finding *finding)
{
    uint32_t *txns = NULL;
    struct error unsaid = { 0 };
    const char *between = "";

    if (memory_resize((void **)&txns, finding->txn_count, sizeof *txns, &unsaid) != STATUS_OK) {
        out->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < finding->txn_count; i++)
        txns[i] = finding->txns[i];
    sort_numbers(txns, finding->txn_count);
    for (size_t i = 0; i < finding->txn_count; i++) {
        if (i > 0 && txns[i] == txns[i - 1])
            continue;
        buffer_print(out, "%s%" PRId64, between, h->txn_id[txns[i]]);
        between = ",";
    }
    free(txns);
}

static void print_findings(struct buffer *out, const struct history *h, const struct check *check)
{
    const char *between = "";

    buffer_text(out, TEXT("\"anomalies\":["));
    for (size_t i = 0; i < check->findings.count; i++) {
        const struct check_finding *finding = &check->findings.at[i];

        if (!finding->proof[0])
            continue;
        buffer_print(out, "%s\n{\"kind\":\"%s\",\"transactions\":[", between,
                     anomaly_name(finding->proven));
        print_txns(out, h, finding);
        buffer_text(out, TEXT("],\"explanation\":"));
        buffer_json(out, text_of(finding->explanation));
        buffer_byte(out, ',');
        buffer_text(out, text_of(finding->proof));
        buffer_byte(out, '}');
        between = ",";
    }
    buffer_byte(out, ']');
}

/* Statements that a valid verdict says nothing of; interval has its own way to say so. */
static void print_unjudged(struct buffer *out, const struct history *h, const struct check *check)
{
    const char *first = "\"unjudged\":[", *between = first;

    for (uint32_t s = 0; s < h->statement_count; s++) {
        uint32_t head = h->statement_op[s], txn;

        if (!check->is_unjudged[s])
            continue;
        txn = history_txn_of(h, head);
        buffer_print(out, "%s[%" PRId64 ",%" PRIu32 "]", between, h->txn_id[txn],
                     tell_op_number(h, txn, head));
        between = ",";
    }
    if (between != first)
        buffer_text(out, TEXT("],"));
}

/* A model may hold where nothing shows it. */
static bool is_shown(const struct check *check, const struct buffer *evidence)
{
    bool has_proof = false;

    for (size_t i = 0; i < check->findings.count; i++)
        has_proof |= check->findings.at[i].proof[0] != '\0';
    return check->verdict == VERDICT_INVALID ? has_proof
                                             : check->verdict == VERDICT_VALID && evidence->count > 0;
}

enum status witness_finish(const struct history *h, struct check *check, struct error *err)
{
    struct buffer evidence = check->witness;
    struct buffer *out = &check->witness;
    struct digest digest = history_digest(h);
    char hex[DIGEST_HEX_SIZE];

    check->witness = (struct buffer){ 0 };
    if (is_shown(check, &evidence)) {
        digest_hex(&digest, hex);
        buffer_print(out,
                     "{\"ordeal-witness\":1,\"history\":\"%s\",\"checker\":\"%s\",\"level\":\"%s\","
                     "\"verdict\":\"%s\",",
                     hex, check->checker->name, level_name(check->level),
                     check->verdict == VERDICT_VALID ? "valid" : "invalid");
        if (check->by_part)
            buffer_text(out, TEXT("\"version-order\":\"part\","));
        buffer_text(out, (struct text){ check->premises.at, check->premises.count });
        if (check->verdict == VERDICT_VALID) {
            print_unjudged(out, h, check);
            buffer_text(out, (struct text){ evidence.at, evidence.count });
        } else {
            print_findings(out, h, check);
        }
        buffer_text(out, TEXT("}\n"));
    }
    out->out_of_memory |= evidence.out_of_memory;
    buffer_close(&evidence);
    return buffer_status(out, err);
}
