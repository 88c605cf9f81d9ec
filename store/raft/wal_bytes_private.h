/*
 * wal_bytes: the bytes of a replica's files.
 *
 *     wal.c         jobs: what is written when
 *     wal_bytes.c   the formats, and what can be recovered from them
 */
#ifndef STORE_RAFT_WAL_BYTES_PRIVATE_H
#define STORE_RAFT_WAL_BYTES_PRIVATE_H

#include "store/raft/wal.h"

#define WAL_META_BYTES ((size_t)2 * PAGE_BYTES)

/* Fills one page with the record, twice. */
void wal_put_meta(char *page, const struct wal_meta *, uint64_t sequence);
/* The newest whole record of the two pages; false if there is none. */
bool wal_get_meta(struct text bytes, struct wal_meta *, uint64_t *sequence);

/* The base without the state, which follows it. */
void wal_put_base(struct wire_writer *, uint64_t index, uint64_t term, struct text state);
void wal_put_record(struct wire_writer *, uint64_t index, const struct raft_entry *,
                    uint32_t sealed);
uint32_t wal_record_size(uint64_t index, const struct raft_entry *);

/*
 * Fills the log from the file's bytes, as far as they are whole: `found`, base_index, base_end,
 * cut_at and the state.
 */
void wal_recover_log(struct wal *, struct text bytes);

#endif
