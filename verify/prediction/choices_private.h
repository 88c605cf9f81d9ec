/*
 * choices: what stands in the witness of a prediction: docs/format-witness-prediction.md.
 */
#ifndef VERIFY_PREDICTION_CHOICES_PRIVATE_H
#define VERIFY_PREDICTION_CHOICES_PRIVATE_H

#include "base/array.h"
#include "base/json.h"
#include "history/level.h"

struct chosen_read {
    int64_t event; /* of the boundary transaction, from 0 */
    struct text key;
    bool is_initial;
    int64_t from; /* a transaction's id */
};

struct chosen_session {
    int64_t session, full;
    bool has_boundary;
    int64_t txn, included;
    size_t read, read_count; /* among all reads */
};

struct prediction_choices {
    struct text history; /* 64 hex digits */
    enum level level;
    bool is_strict;
    ARRAY(struct chosen_session) sessions;
    ARRAY(struct chosen_read) reads;
    struct text holds, fails; /* witnesses, unread */
    struct json json;         /* owns texts that had escapes */
};

/* Changes the bytes: line ends become blanks. To be closed whatever the status. */
MUST_USE enum status prediction_choices_read(char *bytes, size_t size, struct prediction_choices *, struct error *);
void prediction_choices_close(struct prediction_choices *);

#endif
