/*
 * instants_fixture: proofs about instants by hand, and who holds them against verify.
 *
 *     { "it came", "T1 @0-10: w x 1; T2 @20-30: r x 1",
 *       AT_ONCE PROOF("inconsistent-read", "2", ALONE("unread", 2, 0, "x")), "may have seen" }
 *
 * A row is a history in tests/oracle/notation.h, a database and the steps, and what verify says.
 */
#ifndef TESTS_VERIFY_INSTANTS_FIXTURE_H
#define TESTS_VERIFY_INSTANTS_FIXTURE_H

#include <stddef.h>

#define PROFILE(view, timing, certifier, rules)                                                    \
    "\"profile\":{\"view\":\"" view "\",\"timing\":\"" timing "\",\"certifier\":\"" certifier      \
    "\",\"rules\":[" rules "]},"
#define INVALID(level) "\"checker\":\"interval\",\"level\":\"" level "\",\"verdict\":\"invalid\","
#define PROOF(kind, txns, steps)                                                                   \
    "\"anomalies\":[{\"kind\":\"" kind "\",\"transactions\":[" txns                                \
    "],\"explanation\":\"\",\"steps\":[" steps "]}]"

/* Databases. */
#define AT_ONCE                                                                                    \
    INVALID("strict-serializable") PROFILE("commit", "full", "none", "\"by_operations\"")
#define SNAPSHOTS                                                                                  \
    INVALID("strict-snapshot")                                                                     \
    PROFILE("transaction", "full", "none", "\"by_operations\",\"first_updater\"")
#define POSTGRES                                                                                   \
    INVALID("strict-serializable")                                                                 \
    PROFILE("transaction", "full", "write-skew",                                                   \
            "\"by_operations\",\"locks_writes\",\"locks_for\",\"first_updater\"")
#define STATEMENTS                                                                                 \
    INVALID("read-committed")                                                                      \
    PROFILE("statement", "full", "none", "\"by_operations\",\"locks_writes\",\"locks_for\"")
#define ROWS                                                                                       \
    INVALID("read-committed")                                                                      \
    PROFILE("row", "full", "none", "\"by_operations\",\"locks_writes\",\"locks_for\"")
#define UPDATES_SEE                                                                                \
    INVALID("read-committed")                                                                      \
    PROFILE("transaction", "full", "none", "\"by_operations\",\"locks_writes\",\"locks_for\"")
#define LOCKS                                                                                      \
    INVALID("strict-serializable")                                                                 \
    PROFILE("commit", "full", "none",                                                              \
            "\"by_operations\",\"locks_writes\",\"locks_for\",\"locks_reads\",\"locks_absent\"")
#define UNTIMED INVALID("serializable") PROFILE("commit", "none", "cycles", "")
#define UNTIMED_SNAPSHOTS                                                                          \
    INVALID("serializable") PROFILE("transaction", "none", "cycles", "\"first_updater\"")
#define BY_KEY INVALID("serializable") PROFILE("commit", "key", "cycles", "")
#define TIMESTAMPS INVALID("serializable") PROFILE("transaction", "full", "timestamp-order", "")
#define VALIDATION INVALID("serializable") PROFILE("transaction", "none", "validation", "")
#define VALIDATED                                                                                  \
    INVALID("strict-serializable") PROFILE("transaction", "full", "validation", "\"by_operations\"")
#define ANY_READ                                                                                   \
    INVALID("read-committed")                                                                      \
    PROFILE("statement", "none", "none", "\"reads_any\",\"ignores_times\"")

/* Steps. */
#define READ(txn, op, key) "\"read\":[" #txn "," #op "],\"key\":\"" key "\""
#define READS(txn, op, key, from) "{\"step\":\"reads\"," READ(txn, op, key) ",\"from\":" #from "}"
#define FINDS(txn, op, key, from) "{\"step\":\"finds\"," READ(txn, op, key) ",\"from\":" #from "}"
#define OTHER(step, txn, op, key, other)                                                           \
    "{\"step\":\"" step "\"," READ(txn, op, key) ",\"other\":" #other "}"
#define TWO(step, key, first, second)                                                              \
    "{\"step\":\"" step "\",\"key\":\"" key "\",\"first\":" first ",\"second\":" second "}"
#define ALONE(step, txn, op, key) "{\"step\":\"" step "\"," READ(txn, op, key) "}"
#define PROGRAM(from, to) "{\"step\":\"program\",\"from\":" from ",\"to\":" to "}"
#define STRUCTURE(txns) "{\"step\":\"structure\",\"transactions\":[" txns "]}"

/* Refused with these words; NULL: accepted. */
struct proof_row {
    const char *what, *history, *fields, *refusal;
};

/* Each as it says; and of those that are accepted every single step is needed. */
void instants_try(const struct proof_row *, size_t count);

#endif
