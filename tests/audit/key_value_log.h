/*
 * key_value_log: logs of transactions that read, write and add to the values of a few keys, from a database at
 * read-committed that several clients use at once.
 *
 * Values are from a small range, so that nobody can tell by a value who wrote it. A statement sees what is committed; who
 * writes a row that another has written waits for that one to end; and who waits for too long starts anew.
 */
#ifndef TESTS_AUDIT_KEY_VALUE_LOG_H
#define TESTS_AUDIT_KEY_VALUE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define KEY_VALUE_PROGRAM "CREATE TABLE kv (k bigint PRIMARY KEY, v bigint NOT NULL);\n"

enum key_value_change {
    KEY_VALUE_RIGHT,
    KEY_VALUE_OTHER,   /* one answer is another value, which may be right as well */
    KEY_VALUE_UNHEARD, /* one that nobody can have written */
};

struct key_value_spec {
    uint64_t seed;
    unsigned txns, keys, values, clients; /* at most 100, 16, 1000, 16 */
    bool has_times;
    enum key_value_change change;
};

/* Ends the text with a null byte. */
void key_value_log(const struct key_value_spec *, struct buffer *out);

#endif
