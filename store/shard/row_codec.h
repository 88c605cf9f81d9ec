/*
 * row_codec: keys, rows and changes of rows as bytes: in requests of clients, in asks to shards and
 * in the deltas of several leaders. Arrays that are read are taken from a scratch arena.
 */
#ifndef STORE_SHARD_ROW_CODEC_H
#define STORE_SHARD_ROW_CODEC_H

#include "base/arena.h"
#include "store/shard/shard_message.h"

/* Among servers stamps are short, and writers are told by how they differ from their stamps. */
enum stamp_form { STAMP_WHOLE, STAMP_SHORT };

/* NULL if the count is 0. The scratch must have room: it is as large as any event needs. */
void *row_codec_take(struct arena *scratch, uint32_t count, size_t size);

void row_codec_put_keys(struct wire_writer *, const uint32_t *keys, uint32_t count);
const uint32_t *row_codec_get_keys(struct wire_reader *, uint32_t *count, struct arena *scratch);
void row_codec_put_changes(struct wire_writer *, const struct row_change *, uint32_t count);
const struct row_change *row_codec_get_changes(struct wire_reader *, uint32_t *count,
                                               struct arena *scratch);
void row_codec_put_seen(struct wire_writer *, const struct seen_key *, uint32_t count,
                        enum stamp_form);
const struct seen_key *row_codec_get_seen(struct wire_reader *, uint32_t *count, enum stamp_form,
                                          struct arena *scratch);
void row_codec_put_rows(struct wire_writer *, const struct read_row *, uint32_t count,
                        enum stamp_form);
const struct read_row *row_codec_get_rows(struct wire_reader *, uint32_t *count, enum stamp_form,
                                          struct arena *scratch);

#endif
