/*
 * key_values: a transaction that a client builds over a store of keys and values, as the libraries of
 * such stores do: it reads from a snapshot, keeps its writes back, and commits by a comparison.
 *
 *     struct session {
 *         struct key_values kv;     its first field
 *         ...
 *     };
 *     session->kv = (struct key_values){ .table = &table, .read = read, .commit = commit };
 *     ... key_values_steps() are the session's ...
 *     key_values_close(&session->kv);
 *
 * A value is a text: "5", "5,1" with a tag, "5,6,7" for a list, and empty where nothing is: what is
 * deleted becomes empty. What the transaction knows of a key it does not read again.
 */
#ifndef RECORD_KEY_VALUES_H
#define RECORD_KEY_VALUES_H

#include "record/database.h"

struct key_value {
    uint64_t key;
    size_t at, length; /* in `texts` */
    bool is_read, is_written;
};

struct key_values {
    const struct stored_table *table;
    /*
     * Reads one key, or all of them if it is NULL; tells key_values_found() of each that is there.
     * STATUS_IO: not now.
     */
    enum status (*read)(void *session, const uint64_t *key, struct error *);
    /* Of `entries`, if what is read is as it was. */
    enum status (*commit)(void *session, struct database_answer *, struct error *);
    struct buffer texts;
    ARRAY(struct key_value) entries; /* keys that the transaction has to do with */
    bool has_read_all;
    int64_t revision; /* of the store, that it reads; 0: it has not read yet */
};

void key_values_close(struct key_values *);

MUST_USE enum status key_values_found(struct key_values *, uint64_t key, struct text,
                                      struct error *);
struct text key_values_text(const struct key_values *, const struct key_value *);

/* As in struct database. */
MUST_USE enum status key_values_steps(void *session, const struct database_step *, uint32_t count,
                                      struct database_answer *, struct error *);
/* Whether there are no keys of the table yet. */
MUST_USE enum status key_values_check_none(struct key_values *, struct error *);
/* The first rows, so many in a transaction. */
MUST_USE enum status key_values_load(struct key_values *, const struct builtin *, uint32_t rows,
                                     struct error *);

#endif
