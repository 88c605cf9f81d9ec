#include "store/raft/wal.h"

#include <assert.h>

#include "store/raft/wal_bytes_private.h"

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
    if (!wal_get_meta(bytes, &wal->meta, &wal->meta_sequence))
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

/* Both pages at first; then the one that does not hold what is durable. */
static void start_meta(struct wal *wal)
{
    char pages[WAL_META_BYTES];
    uint32_t file = file_of(wal, FILE_META);
    uint64_t sequence = wal->meta_sequence + 1;
    uint64_t offset = wal->meta_is_missing ? 0 : sequence % 2 * PAGE_BYTES;
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
