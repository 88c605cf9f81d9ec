#include "store/raft/wal.h"

#include <string.h>

#include "sim/fault.h"
#include "tests/fixture.h"
#include "unity.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define META 0
#define LOG 1
#define NEXT 2
#define BASE_BYTES 48
#define RECORD_BYTES 23 /* with an index and a term of one byte, and five bytes of command */
#define ALWAYS ((struct ratio){ 1, 1 })

static struct world world;
static struct disk disk;
static struct pool_memory memory;
static struct pool pool;
static struct raft_log entries;
static struct wal wal;
static struct error err;
static uint32_t opened, checkpointed;

static void on_start(void *context, struct world *w, uint32_t node, bool restarted)
{
    static struct sometimes sometimes;
    struct wal_options options = {
        .world = w, .node = node, .disk = &disk, .payload = 9, .sometimes = &sometimes
    };

    (void)context;
    (void)restarted;
    pool_init(&pool, &memory);
    raft_log_init(&entries, &pool);
    wal_open(&wal, &options, &entries, &pool);
}

static void on_completion(void *context, struct world *w, uint32_t node, uint64_t what)
{
    enum wal_event event = wal_on_completion(&wal);

    (void)context;
    (void)w;
    (void)node;
    TEST_ASSERT_EQUAL_UINT64(9, what);
    opened += event == WAL_OPENED;
    checkpointed += event == WAL_CHECKPOINTED;
}

static void on_timer(void *context, struct world *w, uint32_t node, uint64_t payload)
{
    (void)context;
    (void)w;
    (void)node;
    TEST_ASSERT_EQUAL_UINT64(9, payload);
    wal_on_timer(&wal);
}

static void on_crash(void *context, struct world *w, uint32_t node)
{
    (void)context;
    (void)node;
    pool_drop(&pool);
    disk_crash(&disk, w->now_ns);
}

static const struct node_process process = { .name = "wal",
                                             .start = on_start,
                                             .completion = on_completion,
                                             .timer = on_timer,
                                             .crash = on_crash };

static void run(int64_t for_ns)
{
    ASSERT_OK(world_run(&world, world.now_ns + for_ns, &err), &err);
}

/* Every operation takes 10 us, a sync a millisecond. */
static void start_on_new_disk(uint64_t seed)
{
    const struct world_options options = { .seed = 1, .node_count = 1 };
    const struct disk_config config = { .file_count_max = 4,
                                        .page_count_max = 64,
                                        .write = { .base_ns = 10 * US },
                                        .read = { .base_ns = 10 * US },
                                        .sync = { .base_ns = MS } };
    struct arena *arena = fixture_arena();

    opened = checkpointed = 0;
    ASSERT_OK(world_init(&world, &options, arena, &err), &err);
    ASSERT_OK(disk_init(&disk, &config, random_key_of_seed(seed), arena, &err), &err);
    pool_memory_init(&memory, arena, (size_t)1 << 24);
    world_set_process(&world, 0, &process, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
}

void setUp(void)
{
    start_on_new_disk(1);
    run(10 * MS);
}

void tearDown(void)
{
    world_close(&world);
}

static void set_meta(uint64_t term, uint32_t vote)
{
    wal.meta.term = term;
    wal.meta.vote = vote;
    wal_work(&wal);
}

static void push(uint64_t term)
{
    raft_log_push(&entries, term, TEXT("hello"));
    wal_work(&wal);
}

/* So many entries of term 1, each in a write of its own. */
static void store(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        push(1);
        run(5 * MS);
    }
}

static void cut(uint64_t index)
{
    wal_cut(&wal, index);
    raft_log_cut(&entries, index);
}

static void checkpoint(uint64_t index, struct text state)
{
    wire_put_bytes(wal_begin_checkpoint(&wal, index, raft_log_term(&entries, index)), state.at,
                   state.length);
    wal_work(&wal);
}

static void restart(void)
{
    opened = 0;
    fault_crash(&world, 0);
    fault_restart(&world, 0);
    run(50 * MS);
}

static void damage(uint32_t file, uint64_t offset)
{
    disk_write(&disk, world.now_ns, file, offset, "#", 1);
    disk_sync(&disk, world.now_ns, file);
    run(5 * MS);
}

static void set_faults(struct disk_faults faults)
{
    disk_set_faults(&disk, &faults);
}

static void assert_found(enum wal_found found, uint64_t last, bool doubtful)
{
    TEST_ASSERT_EQUAL_UINT32(1, opened);
    TEST_ASSERT_EQUAL_INT(found, wal.found);
    TEST_ASSERT_EQUAL_UINT64(last, raft_log_last(&entries));
    TEST_ASSERT_EQUAL_UINT64(last, wal.stored);
    TEST_ASSERT_EQUAL_INT(doubtful, wal.meta.doubtful);
}

static void a_new_disk_is_empty_and_not_doubtful(void)
{
    assert_found(WAL_FRESH, 0, false);
    TEST_ASSERT_EQUAL_UINT64(0, wal.meta.term);
    TEST_ASSERT_EQUAL_UINT32(WORLD_NOBODY, wal.meta.vote);
    restart();
    assert_found(WAL_WHOLE, 0, false);
}

static void what_is_stored_survives_and_nothing_else_does(void)
{
    set_meta(3, 2);
    run(5 * MS);
    TEST_ASSERT_TRUE(wal_meta_is_stored(&wal));
    store(2);
    push(1);
    set_meta(4, 0);
    TEST_ASSERT_EQUAL_UINT64(2, wal.stored);
    TEST_ASSERT_FALSE(wal_meta_is_stored(&wal));
    restart();
    assert_found(WAL_WHOLE, 2, false);
    TEST_ASSERT_EQUAL_UINT64(3, wal.meta.term);
    TEST_ASSERT_EQUAL_UINT32(2, wal.meta.vote);
    TEST_ASSERT_EQUAL_UINT64(1, raft_log_term(&entries, 2));
    TEST_ASSERT_TRUE(text_equal(TEXT("hello"), raft_log_command(&entries, 2)));
}

static void entries_of_one_moment_share_one_sync(void)
{
    uint64_t syncs = disk.files[LOG].syncs;

    set_meta(1, 0);
    for (int i = 0; i < 1000; i++)
        raft_log_push(&entries, 1, TEXT("hello"));
    wal_work(&wal);
    run(20 * MS);
    TEST_ASSERT_EQUAL_UINT64(1000, wal.stored);
    TEST_ASSERT_EQUAL_UINT64(syncs + 1, disk.files[LOG].syncs);
}

/* The tear leaves garbage behind what was synced: nobody can say whether it was acknowledged. */
static void a_torn_tail_is_cut_off_and_leaves_doubts(void)
{
    static const char large[3000];
    uint32_t doubts = 0;

    set_faults((struct disk_faults){ .torn = ALWAYS });
    set_meta(1, 0);
    run(5 * MS);
    for (uint64_t i = 1; i <= 10; i++) {
        store(1);
        raft_log_push(&entries, 1, (struct text){ large, sizeof large });
        wal_work(&wal);
        run(100 * US);
        restart();
        TEST_ASSERT_GREATER_OR_EQUAL_UINT64(i, raft_log_last(&entries));
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(i + 1, raft_log_last(&entries));
        TEST_ASSERT_EQUAL_INT(wal.found == WAL_CUT, wal.meta.doubtful);
        doubts += wal.meta.doubtful;
        wal.meta.doubtful = false;
        cut(i);
    }
    TEST_ASSERT_GREATER_THAN_UINT32(5, doubts);
}

static void doubts_are_on_the_disk_before_the_tail_is_cut(void)
{
    set_meta(7, 1);
    run(5 * MS);
    store(3);
    damage(LOG, BASE_BYTES + 3 * RECORD_BYTES - 2);
    restart();
    assert_found(WAL_CUT, 2, true);
    TEST_ASSERT_EQUAL_UINT64(7, wal.meta.term);
    restart();
    assert_found(WAL_WHOLE, 2, true);
}

static void damage_before_what_was_synced_later_wipes_the_log_and_keeps_the_vote(void)
{
    static const struct {
        const char *where;
        uint64_t offset;
    } rows[] = {
        { "in the base", 20 },
        { "in the size of a record", BASE_BYTES + 9 },
        { "in an index", BASE_BYTES + RECORD_BYTES + 16 },
        { "in a command", BASE_BYTES + 2 * RECORD_BYTES - 2 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        tearDown();
        setUp();
        set_meta(7, 1);
        run(5 * MS);
        store(4);
        damage(LOG, rows[i].offset);
        restart();
        TEST_ASSERT_EQUAL_INT_MESSAGE(WAL_WIPED, wal.found, rows[i].where);
        assert_found(WAL_WIPED, 0, true);
        TEST_ASSERT_EQUAL_UINT64(7, wal.meta.term);
        TEST_ASSERT_EQUAL_UINT32(1, wal.meta.vote);
        store(2);
        restart();
        assert_found(WAL_WHOLE, 2, true);
    }
}

static void a_record_of_meta_outlives_damage_to_one_copy_of_it(void)
{
    static const uint64_t offsets[] = { 10, 2048 + 30, 4096 + 24, 4096 + 2048 + 1 };

    for (uint64_t term = 1; term <= 4; term++) {
        set_meta(term, (uint32_t)term);
        run(5 * MS);
        damage(META, offsets[term - 1]);
        restart();
        TEST_ASSERT_EQUAL_UINT32(1, opened);
        TEST_ASSERT_EQUAL_UINT64(term, wal.meta.term);
        TEST_ASSERT_EQUAL_UINT32(term, wal.meta.vote);
    }
}

static void a_torn_write_of_meta_leaves_the_record_before(void)
{
    set_faults((struct disk_faults){ .torn = ALWAYS });
    for (uint64_t term = 1; term <= 50; term++) {
        set_meta(term, 1);
        run(5 * MS);
        set_meta(term, 2);
        run(100 * US);
        restart();
        TEST_ASSERT_EQUAL_UINT32(1, opened);
        TEST_ASSERT_EQUAL_UINT64(term, wal.meta.term);
        TEST_ASSERT_TRUE(wal.meta.vote == 1 || wal.meta.vote == 2);
    }
}

/* The first write is of both pages: if one is torn, the next write is of that one. */
static void two_torn_writes_of_meta_in_two_lives_leave_a_record(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        tearDown();
        start_on_new_disk(seed);
        set_faults((struct disk_faults){ .torn = ALWAYS });
        run(500 * US);
        restart();
        TEST_ASSERT_EQUAL_UINT32(1, opened);
        set_meta(1, 1);
        run(100 * US);
        restart();
        TEST_ASSERT_TRUE(wal.found != WAL_LOST);
        TEST_ASSERT_EQUAL_UINT32(1, opened);
    }
}

static void who_has_lost_term_and_vote_stays_silent(void)
{
    for (uint64_t offset = 0; offset < 2 * PAGE_BYTES; offset += 8)
        disk_write(&disk, world.now_ns, META, offset, "damaged!", 8);
    disk_sync(&disk, world.now_ns, META);
    run(50 * MS);
    restart();
    TEST_ASSERT_EQUAL_INT(WAL_LOST, wal.found);
    TEST_ASSERT_EQUAL_UINT32(0, opened);
}

static void what_is_cut_while_it_is_written_does_not_count_as_stored(void)
{
    set_meta(2, 0);
    run(5 * MS);
    store(2);
    push(1);
    run(100 * US); /* the sync is under way */
    cut(1);
    raft_log_push(&entries, 2, TEXT("other"));
    wal_work(&wal);
    run(950 * US); /* and done */
    TEST_ASSERT_EQUAL_UINT64(1, wal.stored);
    run(10 * MS);
    TEST_ASSERT_EQUAL_UINT64(2, wal.stored);
    restart();
    assert_found(WAL_WHOLE, 2, false);
    TEST_ASSERT_TRUE(text_equal(TEXT("other"), raft_log_command(&entries, 2)));
}

static void a_checkpoint_replaces_the_entries_up_to_it(void)
{
    set_meta(2, 0);
    run(5 * MS);
    store(5);
    checkpoint(3, TEXT("state at 3"));
    push(1); /* comes behind the checkpoint */
    run(10 * MS);
    TEST_ASSERT_EQUAL_UINT32(1, checkpointed);
    TEST_ASSERT_EQUAL_UINT64(3, wal.base_index);
    TEST_ASSERT_EQUAL_UINT64(6, wal.stored);
    restart();
    assert_found(WAL_WHOLE, 6, false);
    TEST_ASSERT_EQUAL_UINT64(3, wal.base_index);
    TEST_ASSERT_EQUAL_UINT64(4, entries.first);
    TEST_ASSERT_EQUAL_UINT64(1, raft_log_term(&entries, 3));
    TEST_ASSERT_TRUE(text_equal(TEXT("state at 3"), wal_state(&wal)));
}

static void a_crash_in_the_middle_of_a_checkpoint_leaves_the_old_log(void)
{
    set_faults((struct disk_faults){ .torn = ALWAYS });
    set_meta(2, 0);
    run(5 * MS);
    store(5);
    checkpoint(3, TEXT("state at 3"));
    run(500 * US);
    restart();
    assert_found(WAL_WHOLE, 5, false);
    TEST_ASSERT_EQUAL_UINT64(0, wal.base_index);
}

static void what_is_cut_during_a_checkpoint_is_not_in_the_new_log(void)
{
    set_meta(2, 0);
    run(5 * MS);
    store(5);
    checkpoint(3, TEXT("state at 3"));
    run(500 * US);
    cut(4);
    run(10 * MS);
    TEST_ASSERT_EQUAL_UINT64(3, wal.base_index);
    TEST_ASSERT_EQUAL_UINT64(4, wal.stored);
    raft_log_push(&entries, 2, TEXT("other"));
    wal_work(&wal);
    run(5 * MS);
    restart();
    assert_found(WAL_WHOLE, 5, false);
    TEST_ASSERT_EQUAL_UINT64(2, raft_log_term(&entries, 5));
}

static void a_log_that_is_replaced_counts_only_once_it_is_on_disk(void)
{
    struct wire_writer state = { .pool = &pool };

    set_meta(2, 0);
    run(5 * MS);
    store(5);
    checkpoint(3, TEXT("of itself"));
    run(500 * US);
    wire_put_bytes(&state, "of another", 10);
    raft_log_reset(&entries, 9, 2);
    wal_replace(&wal, 9, 2, &state);
    wal_work(&wal);
    TEST_ASSERT_EQUAL_UINT64(0, wal.stored);
    raft_log_push(&entries, 2, TEXT("tenth"));
    run(20 * MS);
    TEST_ASSERT_EQUAL_UINT64(10, wal.stored);
    restart();
    assert_found(WAL_WHOLE, 10, false);
    TEST_ASSERT_EQUAL_UINT64(9, wal.base_index);
    TEST_ASSERT_TRUE(text_equal(TEXT("of another"), wal_state(&wal)));
}

static void failures_are_tried_again(void)
{
    set_faults((struct disk_faults){ .write_error = ALWAYS });
    set_meta(2, 1);
    raft_log_push(&entries, 1, TEXT("hello"));
    run(300 * MS);
    TEST_ASSERT_FALSE(wal_meta_is_stored(&wal));
    TEST_ASSERT_EQUAL_UINT64(0, wal.stored);
    TEST_ASSERT_LESS_THAN_UINT64(15, disk.fault_counts[DISK_FAULT_WRITE_ERROR]);
    set_faults((struct disk_faults){ .write_error = { 1, 2 } });
    run(2000 * MS);
    TEST_ASSERT_EQUAL_UINT64(1, wal.stored);
    set_faults((struct disk_faults){ .read_error = { 1, 2 } });
    restart();
    run(1000 * MS);
    assert_found(WAL_WHOLE, 1, false);
}

static void a_full_disk_gives_up_the_checkpoint_and_keeps_the_log(void)
{
    set_meta(2, 0);
    run(5 * MS);
    store(5);
    set_faults((struct disk_faults){ .full = true });
    checkpoint(3, TEXT("state at 3"));
    run(50 * MS);
    TEST_ASSERT_FALSE(wal_is_checkpointing(&wal));
    TEST_ASSERT_FALSE(disk_file_exists(&disk, NEXT));
    /* Term and vote fit where they stood. */
    set_meta(3, 0);
    run(200 * MS);
    TEST_ASSERT_TRUE(wal_meta_is_stored(&wal));
    push(2);
    run(200 * MS);
    TEST_ASSERT_EQUAL_UINT64(5, wal.stored);
    set_faults((struct disk_faults){ 0 });
    run(200 * MS);
    TEST_ASSERT_EQUAL_UINT64(6, wal.stored);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_new_disk_is_empty_and_not_doubtful);
    RUN_TEST(what_is_stored_survives_and_nothing_else_does);
    RUN_TEST(entries_of_one_moment_share_one_sync);
    RUN_TEST(a_torn_tail_is_cut_off_and_leaves_doubts);
    RUN_TEST(doubts_are_on_the_disk_before_the_tail_is_cut);
    RUN_TEST(damage_before_what_was_synced_later_wipes_the_log_and_keeps_the_vote);
    RUN_TEST(a_record_of_meta_outlives_damage_to_one_copy_of_it);
    RUN_TEST(a_torn_write_of_meta_leaves_the_record_before);
    RUN_TEST(two_torn_writes_of_meta_in_two_lives_leave_a_record);
    RUN_TEST(who_has_lost_term_and_vote_stays_silent);
    RUN_TEST(what_is_cut_while_it_is_written_does_not_count_as_stored);
    RUN_TEST(a_checkpoint_replaces_the_entries_up_to_it);
    RUN_TEST(a_crash_in_the_middle_of_a_checkpoint_leaves_the_old_log);
    RUN_TEST(what_is_cut_during_a_checkpoint_is_not_in_the_new_log);
    RUN_TEST(a_log_that_is_replaced_counts_only_once_it_is_on_disk);
    RUN_TEST(failures_are_tried_again);
    RUN_TEST(a_full_disk_gives_up_the_checkpoint_and_keeps_the_log);
    return UNITY_END();
}
