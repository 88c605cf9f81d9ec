#include "store/raft/wal.h"

#include <assert.h>
#include <string.h>

#include "base/checksum.h"
#include "base/hash.h"

/*
 * The bytes of a replica's files.
 *
 *     wal.c         jobs: what is written when
 *     wal_bytes.c   the formats, and what can be recovered from them
 */

#define WAL_META_BYTES ((size_t)2 * PAGE_BYTES)

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

/* Fills one page with the record, twice. */
static void wal_put_meta(char *page, const struct wal_meta *meta, uint64_t sequence)
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

/* The newest whole record of the two pages, and its page; false if there is none. */
static bool wal_get_meta(struct text bytes, struct wal_meta *meta, uint64_t *sequence, unsigned *page)
{
    bool found = false;

    for (size_t at = 0; at + META_BYTES <= bytes.length; at += META_STRIDE) {
        const char *record = bytes.at + at;
        uint64_t its = hash_word(record + 16);

        if (!is_whole(record, META_BYTES) || hash_half_word(record + 8) != META_MAGIC ||
            (found && its < *sequence))
            continue;
        found = true;
        *sequence = its;
        *page = (unsigned)(at / PAGE_BYTES);
        *meta = (struct wal_meta){ .term = hash_word(record + 24),
                                   .vote = hash_half_word(record + 12),
                                   .doubtful = hash_word(record + 32) != 0 };
    }
    return found;
}

/* The base without the state, which follows it. */
static void wal_put_base(struct wire_writer *w, uint64_t index, uint64_t term, struct text state)
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

static uint32_t wal_record_size(uint64_t index, const struct raft_entry *entry)
{
    return RECORD_BYTES + number_size(index) + number_size(entry->term) + entry->length;
}

static void wal_put_record(struct wire_writer *w, uint64_t index, const struct raft_entry *entry,
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

/*
 * Fills the log from the file's bytes, as far as they are whole: `found`, base_index, base_end,
 * cut_at and the state.
 */
static void wal_recover_log(struct wal *wal, struct text bytes)
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

#define PAUSE_MIN_NS (INT64_C(1000) * 1000)
#define PAUSE_MAX_NS (INT64_C(100) * 1000 * 1000)
#define LAG_NS_MAX (INT64_C(500) * 1000 * 1000)
#define APPEND_BYTES_MAX ((size_t)1 << 20)

enum wal_file { FILE_META, FILE_LOG, FILE_NEXT };

static uint32_t file_of(const struct wal *wal, enum wal_file file)
{
    return wal->options.first_file + (uint32_t)file;
}

static int64_t now_ns(const struct wal *wal)
{
    return wal->options.world->now_ns; /* the disk's time, which no process sees */
}

static int64_t lag_ns(const struct wal *wal)
{
    return buggify_delay_ns(wal->options.sometimes->buggify, BUGGIFY_SYNC_LAGS, wal->options.node,
                            LAG_NS_MAX);
}

/* The job ends when this operation, its last, is done. */
static void await(struct wal *wal, struct disk_result result)
{
    wal->outcome = result.outcome;
    if (BUGGIFY(wal->options.sometimes, wal->options.node, SYNC_LAGS))
        result.done_ns += lag_ns(wal);
    if (wal->job == WAL_WRITE_NEXT &&
        BUGGIFY(wal->options.sometimes, wal->options.node, CHECKPOINT_LAGS))
        result.done_ns += 4 * lag_ns(wal);
    if (BUGGIFY(wal->options.sometimes, wal->options.node, CRASH_IN_SYNC))
        buggify_crash(wal->options.sometimes->buggify, wal->options.node,
                      now_ns(wal) + (result.done_ns - now_ns(wal)) / 2);
    if (wal->job == WAL_WRITE_META &&
        BUGGIFY(wal->options.sometimes, wal->options.node, CRASH_IN_VOTE))
        buggify_crash(wal->options.sometimes->buggify, wal->options.node,
                      now_ns(wal) + (result.done_ns - now_ns(wal)) / 2);
    world_complete_at(wal->options.world, wal->options.node, result.done_ns, wal->options.payload);
}

/* Everything of the log up to the entry ends here in the file. */
static uint32_t end_of(const struct wal *wal, uint64_t index)
{
    return index > wal->base_index ? raft_log_entry(wal->log, index)->end : wal->base_end;
}

static void forget_above(struct wal *wal, uint64_t index)
{
    if (wal->written > index)
        wal->written = index;
    if (wal->stored > index)
        wal->stored = index;
    if (wal->job_upto > index)
        wal->job_upto = index;
}

/* --- Reading -------------------------------------------------------------- */

static void start_reading(struct wal *wal, enum wal_job job, enum wal_file file)
{
    wal_forget_state(wal);
    wal->job = job;
    wal->read_size = (size_t)disk_file_size(wal->options.disk, file_of(wal, file));
    wal->read = pool_take(wal->pool, wal->read_size);
    await(wal, disk_read(wal->options.disk, now_ns(wal), file_of(wal, file), 0, wal->read,
                         wal->read_size));
}

static void on_meta_read(struct wal *wal)
{
    struct text bytes = { wal->read, wal->outcome == DISK_OK ? wal->read_size : 0 };

    wal->has_read_meta = true;
    wal->found = WAL_WHOLE;
    /* Until both pages are durable nothing was founded on them. */
    wal->meta_is_missing = bytes.length < WAL_META_BYTES;
    if (!wal_get_meta(bytes, &wal->meta, &wal->meta_sequence, &wal->meta_page))
        wal->found =
            disk_file_exists(wal->options.disk, file_of(wal, FILE_LOG)) ? WAL_LOST : WAL_FRESH;
    if (wal->found == WAL_FRESH)
        wal->meta_is_missing = true;
    wal->meta_stored = wal->meta;
}

/* An empty log of its own, in the place of whatever there is. */
static void start_over(struct wal *wal)
{
    raft_log_reset(wal->log, 0, 0);
    wal->base_index = 0;
    wal->base_end = wal->cut_at = 0;
    wal->state = (struct text){ 0 };
    wal_begin_checkpoint(wal, 0, 0);
    wal->checkpoint.needed = true;
}

static void on_log_read(struct wal *wal)
{
    wal->has_read_log = true;
    if (wal->outcome == DISK_OK)
        wal_recover_log(wal, (struct text){ wal->read, wal->read_size });
    else
        wal->found = wal->meta.term == 0 ? WAL_FRESH : WAL_WIPED;
    if (wal->found == WAL_CUT)
        SOMETIMES(wal->options.sometimes, LOG_TAIL_CUT);
    if (wal->found == WAL_CUT || wal->found == WAL_WIPED)
        wal->meta.doubtful = true;
    if (wal->found == WAL_FRESH || wal->found == WAL_WIPED)
        start_over(wal);
    wal->written = wal->stored = raft_log_last(wal->log);
}

/* --- Writing -------------------------------------------------------------- */

static bool is_same_meta(const struct wal_meta *a, const struct wal_meta *b)
{
    return a->term == b->term && a->vote == b->vote && a->doubtful == b->doubtful;
}

bool wal_meta_is_stored(const struct wal *wal)
{
    return !wal->meta_is_missing && is_same_meta(&wal->meta, &wal->meta_stored);
}

/* Both pages at first; then the one that does not hold what is durable: of the first write one may be torn. */
static void start_meta(struct wal *wal)
{
    char pages[WAL_META_BYTES];
    uint32_t file = file_of(wal, FILE_META);
    uint64_t sequence = wal->meta_sequence + 1;
    uint64_t offset = wal->meta_is_missing || wal->meta_page == 1 ? 0 : PAGE_BYTES;
    struct disk_result result;

    wal->job = WAL_WRITE_META;
    wal->meta_in_job = wal->meta;
    wal_put_meta(pages, &wal->meta, sequence);
    wal_put_meta(pages + PAGE_BYTES, &wal->meta, sequence);
    result = disk_write(wal->options.disk, now_ns(wal), file, offset, pages,
                        wal->meta_is_missing ? WAL_META_BYTES : PAGE_BYTES);
    if (result.outcome == DISK_OK)
        result = disk_sync(wal->options.disk, now_ns(wal), file);
    await(wal, result);
}

static enum wal_event on_meta_written(struct wal *wal)
{
    wal->meta_page = wal->meta_is_missing ? 1 : 1 - wal->meta_page;
    wal->meta_is_missing = false;
    wal->meta_stored = wal->meta_in_job;
    wal->meta_sequence++;
    return WAL_META_STORED;
}

/* Records up to the last have just come into the file, one behind the other. */
static void note_ends(struct wal *wal, uint64_t after, uint64_t last)
{
    uint32_t end = end_of(wal, after);

    for (uint64_t index = after + 1; index <= last; index++) {
        struct raft_entry *entry = raft_log_entry(wal->log, index);
        end += wal_record_size(index, entry);
        entry->end = end;
    }
    wal->written = last;
}

/* Puts records that the file lacks into `bytes`, as many as one write takes; returns the last. */
static uint64_t put_new_records(struct wal *wal)
{
    uint32_t sealed = end_of(wal, wal->stored);
    uint64_t index = wal->written;

    wire_writer_reset(&wal->bytes);
    while (index < raft_log_last(wal->log) && wal->bytes.count < APPEND_BYTES_MAX) {
        index++;
        wal_put_record(&wal->bytes, index, raft_log_entry(wal->log, index), sealed);
    }
    return index;
}

static void start_append(struct wal *wal)
{
    struct disk *disk = wal->options.disk;
    uint32_t file = file_of(wal, FILE_LOG);
    struct disk_result result = { .outcome = DISK_OK };
    uint64_t last = put_new_records(wal);

    wal->job = WAL_APPEND;
    /* After a sync that failed they may all be in the file already. */
    if (last > wal->written) {
        assert(disk_file_size(disk, file) == end_of(wal, wal->written));
        result = disk_append(disk, now_ns(wal), file, wal->bytes.at, wal->bytes.count);
    }
    if (result.outcome == DISK_OK) {
        note_ends(wal, wal->written, last);
        result = disk_sync(disk, now_ns(wal), file);
    }
    wal->job_upto = wal->written;
    await(wal, result);
}

/* --- Checkpoints ---------------------------------------------------------- */

struct wire_writer *wal_begin_checkpoint(struct wal *wal, uint64_t index, uint64_t term)
{
    struct wal_checkpoint *checkpoint = &wal->checkpoint;

    checkpoint->wanted = true;
    checkpoint->needed = false;
    checkpoint->index = index;
    checkpoint->term = term;
    checkpoint->generation++;
    wire_writer_reset(&checkpoint->state);
    return &checkpoint->state;
}

bool wal_is_checkpointing(const struct wal *wal)
{
    return wal->checkpoint.wanted;
}

void wal_replace(struct wal *wal, uint64_t index, uint64_t term, struct wire_writer *state)
{
    struct wire_writer old = wal->checkpoint.state;

    wal_begin_checkpoint(wal, index, term);
    wal->checkpoint.needed = true;
    wal->checkpoint.state = *state;
    *state = old;
    forget_above(wal, 0);
}

/*
 * All records behind the checkpoint, however many: some may be acknowledged. Before any of them
 * can be read as the log, all that is before it in the file is durable.
 */
static void put_all_records(struct wal *wal, uint32_t from)
{
    uint64_t index = wal->checkpoint.index;

    wire_writer_reset(&wal->bytes);
    while (index < raft_log_last(wal->log)) {
        index++;
        wal_put_record(&wal->bytes, index, raft_log_entry(wal->log, index),
                       from + (uint32_t)wal->bytes.count);
    }
    wal->job_upto = index;
}

static void start_checkpoint(struct wal *wal)
{
    struct disk *disk = wal->options.disk;
    uint32_t file = file_of(wal, FILE_NEXT);
    const struct wal_checkpoint *checkpoint = &wal->checkpoint;
    struct text state = wire_writer_text(&checkpoint->state);
    struct disk_result result;

    wal->job = WAL_WRITE_NEXT;
    wal->generation_in_job = checkpoint->generation;
    disk_delete(disk, now_ns(wal), file);
    wire_writer_reset(&wal->bytes);
    wal_put_base(&wal->bytes, checkpoint->index, checkpoint->term, state);
    result = disk_append(disk, now_ns(wal), file, wal->bytes.at, wal->bytes.count);
    if (result.outcome == DISK_OK)
        result = disk_append(disk, now_ns(wal), file, state.at, state.length);
    put_all_records(wal, (uint32_t)disk_file_size(disk, file));
    if (result.outcome == DISK_OK)
        result = disk_append(disk, now_ns(wal), file, wal->bytes.at, wal->bytes.count);
    if (result.outcome == DISK_OK)
        result = disk_sync(disk, now_ns(wal), file);
    await(wal, result);
}

/* The next log is durable: it becomes the log, in one step. */
static void start_rename(struct wal *wal)
{
    struct disk *disk = wal->options.disk;
    uint32_t file = file_of(wal, FILE_LOG);
    const struct wal_checkpoint *checkpoint = &wal->checkpoint;
    struct disk_result result = disk_rename(disk, now_ns(wal), file_of(wal, FILE_NEXT), file);

    assert(result.outcome == DISK_OK);
    wal->job = WAL_RENAME;
    wal->base_index = checkpoint->index;
    wal->base_end = (uint32_t)(disk_file_size(disk, file) - wal->bytes.count);
    note_ends(wal, wal->base_index, wal->job_upto);
    wal->stored = wal->written;
    /* Entries that were cut while the next log was written. */
    if (disk_file_size(disk, file) > end_of(wal, wal->written)) {
        SOMETIMES(wal->options.sometimes, CUT_IN_CHECKPOINT);
        result = disk_truncate(disk, now_ns(wal), file, end_of(wal, wal->written));
    }
    wal->checkpoint.wanted = wal->checkpoint.needed = false;
    await(wal, result);
}

/* --- Jobs ------------------------------------------------------------------ */

void wal_work(struct wal *wal)
{
    if (wal->job != WAL_NO_JOB || wal->is_waiting || wal->found == WAL_LOST)
        return;
    if (!wal->has_read_meta) {
        start_reading(wal, WAL_READ_META, FILE_META);
    } else if (!wal->has_read_log) {
        start_reading(wal, WAL_READ_LOG, FILE_LOG);
    } else if (!wal_meta_is_stored(wal)) {
        start_meta(wal);
    } else if (wal->checkpoint.wanted) {
        start_checkpoint(wal);
    } else if (wal->is_open && wal->stored < raft_log_last(wal->log)) {
        start_append(wal);
    }
}

/* Not now: again after a pause, except that an idle wish for a snapshot is given up. */
static void on_failure(struct wal *wal, enum wal_job job)
{
    if (job == WAL_WRITE_NEXT && !wal->checkpoint.needed) {
        wal->checkpoint.wanted = false;
        disk_delete(wal->options.disk, now_ns(wal), file_of(wal, FILE_NEXT));
    }
    SOMETIMES(wal->options.sometimes, DISK_TRIED_AGAIN);
    wal->pause_ns = wal->pause_ns ? wal->pause_ns * 2 : PAUSE_MIN_NS;
    if (wal->pause_ns > PAUSE_MAX_NS)
        wal->pause_ns = PAUSE_MAX_NS;
    wal->is_waiting = true;
    world_set_timer(wal->options.world, wal->options.node, wal->pause_ns, wal->options.payload);
}

void wal_on_timer(struct wal *wal)
{
    wal->is_waiting = false;
    wal_work(wal);
}

/* Whether what was found is in order on the disk, so that life can begin. */
static enum wal_event open_if_ready(struct wal *wal)
{
    if (wal->job != WAL_NO_JOB || !wal->has_read_log || wal->found == WAL_LOST ||
        !wal_meta_is_stored(wal) || wal->checkpoint.wanted)
        return WAL_NOTHING;
    if (wal->cut_at)
        disk_truncate(wal->options.disk, now_ns(wal), file_of(wal, FILE_LOG), wal->cut_at);
    wal->is_open = true;
    return WAL_OPENED;
}

static enum wal_event wal_finish(struct wal *wal, enum wal_job job)
{
    switch (job) {
    case WAL_NO_JOB:
        break;
    case WAL_READ_META:
        on_meta_read(wal);
        break;
    case WAL_READ_LOG:
        on_log_read(wal);
        break;
    case WAL_WRITE_META:
        return on_meta_written(wal);
    case WAL_APPEND:
        wal->stored = wal->job_upto;
        return WAL_ENTRIES_STORED;
    case WAL_WRITE_NEXT:
        if (wal->generation_in_job == wal->checkpoint.generation)
            start_rename(wal);
        break;
    case WAL_RENAME:
        return WAL_CHECKPOINTED;
    }
    return WAL_NOTHING;
}

enum wal_event wal_on_completion(struct wal *wal)
{
    enum wal_job job = wal->job;
    enum wal_event event = WAL_NOTHING;
    bool is_reading = job == WAL_READ_META || job == WAL_READ_LOG;

    assert(job != WAL_NO_JOB);
    wal->job = WAL_NO_JOB;
    if (wal->outcome == DISK_OK || (is_reading && wal->outcome == DISK_ABSENT)) {
        wal->pause_ns = 0;
        event = wal_finish(wal, job);
        if (!wal->is_open)
            event = open_if_ready(wal);
    } else {
        on_failure(wal, job);
    }
    wal_work(wal);
    return event;
}

void wal_open(struct wal *wal, const struct wal_options *options, struct raft_log *log,
              struct pool *pool)
{
    *wal = (struct wal){ .options = *options,
                         .pool = pool,
                         .log = log,
                         .meta = { .vote = WORLD_NOBODY },
                         .checkpoint.state.pool = pool,
                         .bytes.pool = pool };
    wal_work(wal);
}

struct text wal_state(const struct wal *wal)
{
    return wal->state;
}

void wal_forget_state(struct wal *wal)
{
    pool_give(wal->pool, wal->read, wal->read_size);
    wal->read = NULL;
    wal->read_size = 0;
    wal->state = (struct text){ 0 };
}

void wal_cut(struct wal *wal, uint64_t index)
{
    bool is_in_file = wal->written > index;

    forget_above(wal, index);
    /* A log that is to be replaced as a whole has no place for the entry; `written` is 0 then. */
    if (is_in_file)
        disk_truncate(wal->options.disk, now_ns(wal), file_of(wal, FILE_LOG), end_of(wal, index));
}
