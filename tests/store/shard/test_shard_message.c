#include "store/shard/shard_message.h"

#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

static struct arena *arena;
static struct pool_memory memory;
static struct pool pool;
static struct random random_words;
static struct wire_writer writer, again;

void setUp(void)
{
    struct random_key key = random_key_of_seed(4);

    arena = fixture_arena();
    pool_memory_init(&memory, arena, (size_t)32 << 20);
    pool_init(&pool, &memory);
    writer = again = (struct wire_writer){ .pool = &pool };
    random_init(&random_words, &key);
}

void tearDown(void) {}

/* --- Random contents -------------------------------------------------------------------------- */

static uint64_t number(void)
{
    return random_next(&random_words) >> random_below(&random_words, 64);
}

static uint32_t number32(void)
{
    return (uint32_t)number();
}

static uint32_t few(void)
{
    return (uint32_t)random_below(&random_words, 4);
}

static bool flag(void)
{
    return random_below(&random_words, 2);
}

static struct stamp stamp(void)
{
    struct stamp stamp = { .wall_ns = (int64_t)number() };

    stamp.logical = number32();
    stamp.txn = number();
    return flag() ? stamp : flag() ? stamp_never() : (struct stamp){ 0 };
}

static struct text bytes(void)
{
    uint32_t length = few() * 40;
    char *at = arena_push(arena, length + 1, 1);

    for (uint32_t i = 0; i < length; i++)
        at[i] = (char)number();
    return (struct text){ at, length };
}

static const struct row_change *changes(uint32_t count)
{
    struct row_change *at = arena_push(arena, count + 1, sizeof *at);

    for (uint32_t i = 0; i < count; i++) {
        at[i].key = number32();
        at[i].is_removed = flag();
        if (!at[i].is_removed)
            at[i].row = bytes();
    }
    return at;
}

static const struct seen_key *seen_keys(uint32_t count)
{
    struct seen_key *at = arena_push(arena, count + 1, sizeof *at);

    for (uint32_t i = 0; i < count; i++) {
        at[i].key = number32();
        at[i].at = stamp();
        at[i].writer = number();
    }
    return at;
}

static const struct seen_scope *seen_scopes(uint32_t count)
{
    struct seen_scope *at = arena_push(arena, count + 1, sizeof *at);

    for (uint32_t i = 0; i < count; i++) {
        at[i].scope = number32();
        at[i].index = number();
    }
    return at;
}

static struct prepare prepare(void)
{
    struct prepare p = { .txn = number() };

    p.coordinator = number32();
    p.begin = stamp();
    p.snapshot = stamp();
    p.least = stamp();
    p.place = stamp();
    p.term = number();
    p.participants = number();
    p.anchor = number32();
    p.is_alone = flag();
    p.reads_only = flag();
    p.key_count = few();
    p.keys = seen_keys(p.key_count);
    p.scope_count = few();
    p.scopes = seen_scopes(p.scope_count);
    p.change_count = few();
    p.changes = changes(p.change_count);
    return p;
}

static struct decision decision(void)
{
    struct decision d = { .txn = number() };

    d.commits = flag();
    d.begin = stamp();
    d.participants = number();
    d.at = stamp();
    d.snapshot = stamp();
    d.place = stamp();
    d.out = stamp();
    return d;
}

static struct vote vote(void)
{
    struct vote v = { .refusal = (enum refusal)random_below(&random_words, REFUSAL_COUNT) };

    v.at = stamp();
    v.out = stamp();
    v.pivot = stamp();
    v.in = stamp();
    return v;
}

static struct ask random_ask(enum ask_kind kind)
{
    struct ask a = { .kind = kind, .txn = number() };
    uint32_t *keys = arena_push(arena, 4, sizeof *keys);
    struct stamp *path = arena_push(arena, 4, sizeof *path);

    a.number = number32();
    a.from = number32();
    a.from_shard = number32();
    a.begin = stamp();
    a.at = stamp();
    a.limit = stamp();
    a.key_count = few();
    for (uint32_t i = 0; i < a.key_count; i++)
        keys[i] = number32();
    a.keys = keys;
    a.scope = flag() ? number32() : SCOPE_NONE;
    a.lock = (enum row_lock)random_below(&random_words, 3);
    a.for_write = flag();
    a.first_table = flag();
    a.prepare = prepare();
    a.to = stamp();
    a.decision = decision();
    a.serial = number();
    a.path_count = few();
    for (uint32_t i = 0; i < a.path_count; i++)
        path[i] = stamp();
    a.path = path;
    return a;
}

static struct shard_answer random_answer(enum ask_kind kind)
{
    struct shard_answer a = { .kind = kind, .txn = number() };
    struct read_row *rows = arena_push(arena, 4, sizeof *rows);

    a.number = number32();
    a.shard = number32();
    a.refusal = (enum refusal)random_below(&random_words, REFUSAL_COUNT);
    a.leader = number32();
    a.row_count = few();
    for (uint32_t i = 0; i < a.row_count; i++) {
        rows[i].key = number32();
        rows[i].at = stamp();
        rows[i].writer = number();
        rows[i].is_row = flag();
        if (rows[i].is_row)
            rows[i].row = bytes();
    }
    a.rows = rows;
    a.index = number();
    a.uncertain = stamp();
    a.at = stamp();
    a.term = number();
    a.vote = vote();
    a.decision = decision();
    return a;
}

static struct shard_command random_command(enum command_kind kind)
{
    struct shard_command c = { .kind = kind };
    uint64_t *txns = arena_push(arena, 4, sizeof *txns);

    c.prepare = prepare();
    c.decision = decision();
    c.stamp = stamp();
    c.txn_count = few();
    for (uint32_t i = 0; i < c.txn_count; i++)
        txns[i] = number();
    c.txns = txns;
    return c;
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void assert_same_bytes(void)
{
    TEST_ASSERT_EQUAL_UINT64(writer.count, again.count);
    TEST_ASSERT_EQUAL_MEMORY(writer.at, again.at, writer.count);
}

static void an_ask_is_the_same_after_its_way(void)
{
    for (unsigned round = 0; round < 900; round++) {
        struct ask ask = random_ask((enum ask_kind)(round % ASK_KIND_COUNT)), got;
        struct wire_reader r;

        wire_writer_reset(&writer);
        wire_writer_reset(&again);
        shard_ask_put(&writer, &ask);
        r = wire_reader_of(wire_writer_text(&writer));
        TEST_ASSERT_TRUE(shard_ask_get(&r, &got, arena));
        TEST_ASSERT_TRUE(wire_reader_is_done(&r));
        TEST_ASSERT_EQUAL_INT(ask.kind, got.kind);
        TEST_ASSERT_EQUAL_UINT64(ask.txn, got.txn);
        TEST_ASSERT_EQUAL_UINT32(ask.number, got.number);
        shard_ask_put(&again, &got);
        assert_same_bytes();
    }
}

static void a_prepare_arrives_field_by_field(void)
{
    struct ask ask = random_ask(ASK_PREPARE), got;
    struct row_change change = { .key = 7, .row = TEXT("row") };
    struct seen_key seen = { 3, { 5, 6, 7 }, 8 };
    struct seen_scope scope = { 9, 10 };
    struct prepare p = { .txn = 1, .coordinator = 2, .begin = { 1, 2, 3 }, .snapshot = { 4, 5, 6 },
                         .least = { 7, 8, 9 }, .place = { 10, 11, 12 }, .term = 13,
                         .participants = UINT64_C(1) << 63, .anchor = 63, .is_alone = true,
                         .keys = &seen, .key_count = 1, .scopes = &scope, .scope_count = 1,
                         .changes = &change, .change_count = 1 };
    struct wire_reader r;

    ask.prepare = p;
    shard_ask_put(&writer, &ask);
    r = wire_reader_of(wire_writer_text(&writer));
    TEST_ASSERT_TRUE(shard_ask_get(&r, &got, arena));
    TEST_ASSERT_EQUAL_UINT64(1, got.prepare.txn);
    TEST_ASSERT_EQUAL_UINT32(2, got.prepare.coordinator);
    TEST_ASSERT_TRUE(stamp_equal(p.begin, got.prepare.begin));
    TEST_ASSERT_TRUE(stamp_equal(p.snapshot, got.prepare.snapshot));
    TEST_ASSERT_TRUE(stamp_equal(p.least, got.prepare.least));
    TEST_ASSERT_TRUE(stamp_equal(p.place, got.prepare.place));
    TEST_ASSERT_EQUAL_UINT64(13, got.prepare.term);
    TEST_ASSERT_EQUAL_UINT64(p.participants, got.prepare.participants);
    TEST_ASSERT_EQUAL_UINT32(63, got.prepare.anchor);
    TEST_ASSERT_TRUE(got.prepare.is_alone);
    TEST_ASSERT_FALSE(got.prepare.reads_only);
    TEST_ASSERT_EQUAL_UINT32(3, got.prepare.keys[0].key);
    TEST_ASSERT_TRUE(stamp_equal(seen.at, got.prepare.keys[0].at));
    TEST_ASSERT_EQUAL_UINT64(8, got.prepare.keys[0].writer);
    TEST_ASSERT_EQUAL_UINT32(9, got.prepare.scopes[0].scope);
    TEST_ASSERT_EQUAL_UINT64(10, got.prepare.scopes[0].index);
    TEST_ASSERT_EQUAL_UINT32(7, got.prepare.changes[0].key);
    TEST_ASSERT_TRUE(text_equal(TEXT("row"), got.prepare.changes[0].row));
}

static void an_answer_is_the_same_after_its_way(void)
{
    for (unsigned round = 0; round < 900; round++) {
        struct shard_answer answer = random_answer((enum ask_kind)(round % ASK_KIND_COUNT)), got;
        struct wire_reader r;

        wire_writer_reset(&writer);
        wire_writer_reset(&again);
        shard_answer_put(&writer, &answer);
        r = wire_reader_of(wire_writer_text(&writer));
        TEST_ASSERT_TRUE(shard_answer_get(&r, &got, arena));
        TEST_ASSERT_TRUE(wire_reader_is_done(&r));
        TEST_ASSERT_EQUAL_INT(answer.refusal, got.refusal);
        shard_answer_put(&again, &got);
        assert_same_bytes();
    }
}

static void a_refusal_says_who_leads(void)
{
    struct shard_answer answer = { .kind = ASK_READ, .refusal = REFUSED_NOT_LEADER, .leader = 3 },
                        got;
    struct wire_reader r;

    shard_answer_put(&writer, &answer);
    r = wire_reader_of(wire_writer_text(&writer));
    TEST_ASSERT_TRUE(shard_answer_get(&r, &got, arena));
    TEST_ASSERT_EQUAL_UINT32(3, got.leader);
    TEST_ASSERT_EQUAL_UINT32(0, got.row_count);
}

static void a_command_is_the_same_after_its_way(void)
{
    for (unsigned round = 0; round < 900; round++) {
        struct shard_command command =
            random_command((enum command_kind)(round % COMMAND_KIND_COUNT));
        struct shard_command got;
        struct wire_reader r;

        wire_writer_reset(&writer);
        wire_writer_reset(&again);
        shard_command_put(&writer, &command);
        r = wire_reader_of(wire_writer_text(&writer));
        TEST_ASSERT_TRUE(shard_command_get(&r, &got, arena));
        TEST_ASSERT_TRUE(wire_reader_is_done(&r));
        shard_command_put(&again, &got);
        assert_same_bytes();
    }
}

static void bytes_that_end_too_early_are_refused(void)
{
    for (unsigned round = 0; round < 90; round++) {
        struct ask ask = random_ask((enum ask_kind)(round % ASK_KIND_COUNT)), got;
        struct shard_command command =
            random_command((enum command_kind)(round % COMMAND_KIND_COUNT));
        struct shard_command got_command;

        wire_writer_reset(&writer);
        shard_ask_put(&writer, &ask);
        for (size_t length = 0; length < writer.count; length++) {
            struct wire_reader r = wire_reader_of((struct text){ writer.at, length });
            TEST_ASSERT_FALSE(shard_ask_get(&r, &got, arena));
        }
        wire_writer_reset(&writer);
        shard_command_put(&writer, &command);
        for (size_t length = 0; length < writer.count; length++) {
            struct wire_reader r = wire_reader_of((struct text){ writer.at, length });
            TEST_ASSERT_FALSE(shard_command_get(&r, &got_command, arena));
        }
    }
}

static void bytes_of_nobody_are_read_without_harm(void)
{
    char noise[200];

    for (unsigned round = 0; round < 5000; round++) {
        struct ask ask;
        struct shard_answer answer;
        struct shard_command command;
        size_t used = arena->used, length = random_below(&random_words, sizeof noise);
        struct text text = { noise, length };
        struct wire_reader r;

        for (size_t i = 0; i < length; i++)
            noise[i] = (char)(flag() ? number() : few());
        r = wire_reader_of(text);
        (void)shard_ask_get(&r, &ask, arena);
        r = wire_reader_of(text);
        (void)shard_answer_get(&r, &answer, arena);
        r = wire_reader_of(text);
        (void)shard_command_get(&r, &command, arena);
        arena_reset_to(arena, used);
    }
}

static void a_copy_does_not_depend_on_what_it_was_made_of(void)
{
    struct arena scratch;
    struct error err;
    char *at;

    ASSERT_OK(arena_init(&scratch, (size_t)1 << 20, &err), &err);
    for (unsigned round = 0; round < 300; round++) {
        struct ask ask = random_ask((enum ask_kind)(round % ASK_KIND_COUNT)), copy;
        char *message;
        struct wire_reader r;

        wire_writer_reset(&writer);
        wire_writer_reset(&again);
        shard_ask_put(&writer, &ask);
        message = arena_push(&scratch, writer.count, 1);
        memcpy(message, writer.at, writer.count);
        r = wire_reader_of((struct text){ message, writer.count });
        TEST_ASSERT_TRUE(shard_ask_get(&r, &ask, &scratch));
        copy = shard_ask_copy(&ask, pool_take(&pool, shard_ask_size(&ask)));
        arena_reset_to(&scratch, 0);
        while ((at = arena_push(&scratch, 1, 4096)) != NULL)
            memset(at, 0xff, 4096);
        arena_reset_to(&scratch, 0);
        shard_ask_put(&again, &copy);
        assert_same_bytes();
    }
    arena_close(&scratch);
}

static void asks_and_answers_can_be_put_into_words(void)
{
    struct ask ask = { .kind = ASK_READ, .txn = 7, .number = 2, .key_count = 3,
                       .scope = SCOPE_NONE };
    struct shard_answer answer = { .kind = ASK_DECIDE,
                                   .txn = 7,
                                   .number = 3,
                                   .shard = 1,
                                   .decision = { .txn = 7, .commits = true, .at = { 5, 1, 7 } } };
    struct buffer out = { 0 };

    shard_ask_describe(&ask, &out);
    buffer_byte(&out, '|');
    shard_answer_describe(&answer, &out);
    buffer_byte(&out, '|');
    answer.refusal = REFUSED_TOO_OLD;
    shard_answer_describe(&answer, &out);
    buffer_byte(&out, 0);
    TEST_ASSERT_EQUAL_STRING("read T7.2 3 keys|decide T7.3 s1: granted commits at 5.1|"
                             "decide T7.3 s1: too old", out.at);
    buffer_close(&out);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_ask_is_the_same_after_its_way);
    RUN_TEST(a_prepare_arrives_field_by_field);
    RUN_TEST(an_answer_is_the_same_after_its_way);
    RUN_TEST(a_refusal_says_who_leads);
    RUN_TEST(a_command_is_the_same_after_its_way);
    RUN_TEST(bytes_that_end_too_early_are_refused);
    RUN_TEST(bytes_of_nobody_are_read_without_harm);
    RUN_TEST(a_copy_does_not_depend_on_what_it_was_made_of);
    RUN_TEST(asks_and_answers_can_be_put_into_words);
    return UNITY_END();
}
