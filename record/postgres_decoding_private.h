/*
 * postgres_decoding: reads what PostgreSQL's plugin test_decoding says was committed.
 *
 *     BEGIN 771
 *     table public.ordeal_items: INSERT: key[bigint]:5 value[bigint]:17
 *     table public.ordeal_lists: UPDATE: key[bigint]:5 elements[bigint[]]:'{3,9}'
 *     table public.ordeal_accounts: DELETE: id[bigint]:5
 *     COMMIT 771
 */
#ifndef RECORD_POSTGRES_DECODING_PRIVATE_H
#define RECORD_POSTGRES_DECODING_PRIVATE_H

#include "record/database.h"

struct decoding {
    struct recovered_order *order;
    const struct stored_table *table; /* changes of others are passed over */
    const char *schema;               /* where it is, as the log writes it; NULL: "public" */
    uint64_t xid_now;                 /* a full number: those of the log are its lower half */
    bool is_open;                     /* between BEGIN and COMMIT */
};

MUST_USE enum status postgres_decoding_line(struct decoding *, struct text line, struct error *);

#endif
