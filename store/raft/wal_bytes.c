#include "store/raft/wal_bytes_private.h"

#include <assert.h>
#include <string.h>

#include "base/checksum.h"
#include "base/hash.h"

#define META_MAGIC UINT32_C(0x6174654d)
#define BASE_MAGIC UINT32_C(0x65736142)

/* meta: checksum, magic, vote, sequence, term, doubtful */
#define META_BYTES 40
#define META_COPIES 2
#define META_STRIDE (PAGE_BYTES / META_COPIES) /* whole sectors apart */
/* base: checksum, magic, 0, index, term, length of the state, its checksum; then the state */
#define BASE_BYTES 48
/* record: checksum, size, sealed; then index and term as numbers, and the command */
#define RECORD_BYTES 16

static void put_word(char *to, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(uint8_t)(word >> (8 * i));
}

static void put_half_word(char *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (char)(uint8_t)(word >> (8 * i));
}

/* Whatever it is: the first word is the checksum of the rest. */
static void seal(char *at, size_t size)
{
    put_word(at, checksum(at + 8, size - 8));
}

static bool is_whole(const char *at, size_t size)
{
    return hash_word(at) == checksum(at + 8, size - 8);
}

void wal_put_meta(char *page, const struct wal_meta *meta, uint64_t sequence)
{
    char record[META_BYTES];

    put_half_word(record + 8, META_MAGIC);
    put_half_word(record + 12, meta->vote);
    put_word(record + 16, sequence);
    put_word(record + 24, meta->term);
    put_word(record + 32, meta->doubtful);
    seal(record, sizeof record);
    memset(page, 0, PAGE_BYTES);
    for (size_t copy = 0; copy < META_COPIES; copy++)
        memcpy(page + copy * META_STRIDE, record, sizeof record);
}

bool wal_get_meta(struct text bytes, struct wal_meta *meta, uint64_t *sequence)
{
    bool found = false;

    for (size_t at = 0; at + META_BYTES <= bytes.length; at += META_STRIDE) {
        const char *record = bytes.at + at;
        uint64_t its = hash_word(record + 16);

        if (!is_whole(record, META_BYTES) || hash_half_word(record + 8) != META_MAGIC ||
            (found && its <= *sequence))
            continue;
        found = true;
        *sequence = its;
        *meta = (struct wal_meta){ .term = hash_word(record + 24),
                                   .vote = hash_half_word(record + 12),
                                   .doubtful = hash_word(record + 32) != 0 };
    }
    return found;
}

void wal_put_base(struct wire_writer *w, uint64_t index, uint64_t term, struct text state)
{
    char base[BASE_BYTES];

    put_half_word(base + 8, BASE_MAGIC);
    put_half_word(base + 12, 0);
    put_word(base + 16, index);
    put_word(base + 24, term);
    put_word(base + 32, state.length);
    put_word(base + 40, checksum(state.at, state.length));
    seal(base, sizeof base);
    wire_put_bytes(w, base, sizeof base);
}

static uint32_t number_size(uint64_t number)
{
    uint32_t size = 1;

    for (; number >= 128; number >>= 7)
        size++;
    return size;
}

uint32_t wal_record_size(uint64_t index, const struct raft_entry *entry)
{
    return RECORD_BYTES + number_size(index) + number_size(entry->term) + entry->length;
}

void wal_put_record(struct wire_writer *w, uint64_t index, const struct raft_entry *entry,
                    uint32_t sealed)
{
    static const char blank[RECORD_BYTES];
    size_t from = w->count;
    uint32_t size = wal_record_size(index, entry);

    wire_writer_make_room(w, size);
    wire_put_bytes(w, blank, sizeof blank);
    wire_put_number(w, index);
    wire_put_number(w, entry->term);
    wire_put_bytes(w, entry->at, entry->length);
    assert(w->count - from == size);
    put_half_word(w->at + from + 8, size);
    put_half_word(w->at + from + 12, sealed);
    seal(w->at + from, size);
}

struct wal_record {
    uint64_t index, term;
    uint32_t size, sealed;
    struct text command;
};

/* Whether a whole record begins at the offset. */
static bool get_record(struct text bytes, size_t offset, struct wal_record *record)
{
    const char *at = bytes.at + offset;
    struct wire_reader reader;

    if (bytes.length - offset < RECORD_BYTES + 2)
        return false;
    record->size = hash_half_word(at + 8);
    record->sealed = hash_half_word(at + 12);
    /* Both are checked first, as the search for proof tries every offset. */
    if (record->size < RECORD_BYTES + 2 || record->size > bytes.length - offset ||
        record->sealed > offset || !is_whole(at, record->size))
        return false;
    reader = wire_reader_of((struct text){ at + RECORD_BYTES, record->size - RECORD_BYTES });
    record->index = wire_get_number(&reader);
    record->term = wire_get_number(&reader);
    record->command = wire_get_bytes(&reader, (size_t)(reader.end - reader.at));
    return !reader.bad;
}

/* Whether a record behind the offset was written when the bytes there were durable. */
static bool is_proved_durable(struct text bytes, size_t offset)
{
    struct wal_record record;

    for (size_t at = offset + 1; at + RECORD_BYTES + 2 <= bytes.length; at++)
        if (get_record(bytes, at, &record) && record.sealed > offset)
            return true;
    return false;
}

/* Reads the base; false if it is not whole. */
static bool recover_base(struct wal *wal, struct text bytes)
{
    const char *at = bytes.at;
    uint64_t state_size;

    if (bytes.length < BASE_BYTES || !is_whole(at, BASE_BYTES) ||
        hash_half_word(at + 8) != BASE_MAGIC)
        return false;
    state_size = hash_word(at + 32);
    if (state_size > bytes.length - BASE_BYTES ||
        checksum(at + BASE_BYTES, state_size) != hash_word(at + 40))
        return false;
    wal->base_index = hash_word(at + 16);
    wal->base_end = (uint32_t)(BASE_BYTES + state_size);
    wal->state = (struct text){ at + BASE_BYTES, state_size };
    raft_log_reset(wal->log, wal->base_index, hash_word(at + 24));
    return true;
}

void wal_recover_log(struct wal *wal, struct text bytes)
{
    struct raft_log *log = wal->log;
    struct wal_record record;
    size_t offset;

    wal->found = WAL_WIPED;
    if (!recover_base(wal, bytes))
        return;
    for (offset = wal->base_end; offset < bytes.length; offset += record.size) {
        if (!get_record(bytes, offset, &record) || record.index != raft_log_last(log) + 1 ||
            record.term < raft_log_last_term(log))
            break;
        raft_log_push(log, record.term, record.command);
        raft_log_entry(log, record.index)->end = (uint32_t)(offset + record.size);
    }
    if (raft_log_last_term(log) > wal->meta.term)
        return; /* meta has forgotten a term, which a disk of the fault model never does */
    wal->found = WAL_WHOLE;
    if (offset < bytes.length) {
        wal->found = is_proved_durable(bytes, offset) ? WAL_WIPED : WAL_CUT;
        wal->cut_at = (uint32_t)offset;
    }
}
