#include "store/coordinator/client_request.h"

#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

static struct pool_memory memory;
static struct pool pool;
static struct wire_writer w;
static struct arena scratch;

static const uint32_t keys[] = { 7, 0, 300000 };
static const struct row_change changes[] = {
    { .key = 3, .row = { "row", 3 } },
    { .key = 4, .is_removed = true },
    { .key = 5 }, /* an empty row */
};
static const struct read_row rows[] = {
    { .key = 1, .at = { 17, 2, 9 }, .writer = 9, .is_row = true, .row = { "cells", 5 } },
    { .key = 2 },
};
static const struct seen_key seen[] = { { .key = 8, .at = { 5, 6, 7 }, .writer = 7 } };

static const struct client_request requests[] = {
    { .kind = CLIENT_READ,
      .txn = 1,
      .number = 1,
      .keys = keys,
      .key_count = 3,
      .scope = SCOPE_NONE,
      .lock = ROW_LOCK_SHARE,
      .for_write = true },
    { .kind = CLIENT_READ,
      .txn = 300,
      .number = 2,
      .is_repeat = true,
      .scope = 12,
      .first_table = true,
      .seen = { 1000, 1, 200 },
      .session = { "s", 1 } },
    { .kind = CLIENT_WRITE,
      .txn = 1,
      .number = 9,
      .changes = changes,
      .change_count = 3,
      .scope = SCOPE_NONE },
    { .kind = CLIENT_COMMIT, .txn = UINT64_MAX, .number = UINT32_MAX, .scope = SCOPE_NONE },
    { .kind = CLIENT_ABORT, .txn = 2, .number = 3, .scope = SCOPE_NONE },
};

static const struct client_reply replies[] = {
    { .kind = REPLY_DONE,
      .txn = 1,
      .number = 2,
      .at = { 77, 0, 0 },
      .rows = rows,
      .row_count = 2,
      .seen = seen,
      .seen_count = 1,
      .session = { "state", 5 } },
    { .kind = REPLY_ABORTED, .txn = 1, .number = 2, .refusal = REFUSED_DEADLOCK },
    { .kind = REPLY_GONE, .txn = 1, .number = 2 },
    { .kind = REPLY_UNKNOWN, .txn = 1, .number = 2, .refusal = REFUSED_TOO_OLD },
};

void setUp(void)
{
    pool_memory_init(&memory, fixture_arena(), (size_t)1 << 24);
    pool_init(&pool, &memory);
    w = (struct wire_writer){ .pool = &pool };
    scratch = arena_over(pool_take(&pool, 1 << 20), 1 << 20);
}

void tearDown(void) {}

static void assert_equal_texts(struct text a, struct text b)
{
    TEST_ASSERT_EQUAL(a.length, b.length);
    TEST_ASSERT_TRUE(a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

static void assert_equal_requests(const struct client_request *a, const struct client_request *b)
{
    TEST_ASSERT_EQUAL(a->kind, b->kind);
    TEST_ASSERT_EQUAL_UINT64(a->txn, b->txn);
    TEST_ASSERT_EQUAL(a->number, b->number);
    TEST_ASSERT_EQUAL(a->is_repeat, b->is_repeat);
    TEST_ASSERT_TRUE(stamp_equal(a->seen, b->seen));
    assert_equal_texts(a->session, b->session);
    TEST_ASSERT_EQUAL(a->scope, b->scope);
    TEST_ASSERT_EQUAL(a->lock, b->lock);
    TEST_ASSERT_EQUAL(a->for_write, b->for_write);
    TEST_ASSERT_EQUAL(a->first_table, b->first_table);
    TEST_ASSERT_EQUAL(a->key_count, b->key_count);
    for (uint32_t i = 0; i < a->key_count; i++)
        TEST_ASSERT_EQUAL(a->keys[i], b->keys[i]);
    TEST_ASSERT_EQUAL(a->change_count, b->change_count);
    for (uint32_t i = 0; i < a->change_count; i++) {
        TEST_ASSERT_EQUAL(a->changes[i].key, b->changes[i].key);
        TEST_ASSERT_EQUAL(a->changes[i].is_removed, b->changes[i].is_removed);
        assert_equal_texts(a->changes[i].row, b->changes[i].row);
    }
}

static void assert_equal_replies(const struct client_reply *a, const struct client_reply *b)
{
    TEST_ASSERT_EQUAL(a->kind, b->kind);
    TEST_ASSERT_EQUAL_UINT64(a->txn, b->txn);
    TEST_ASSERT_EQUAL(a->number, b->number);
    TEST_ASSERT_EQUAL(a->refusal, b->refusal);
    TEST_ASSERT_TRUE(stamp_equal(a->at, b->at));
    assert_equal_texts(a->session, b->session);
    TEST_ASSERT_EQUAL(a->row_count, b->row_count);
    for (uint32_t i = 0; i < a->row_count; i++) {
        TEST_ASSERT_EQUAL(a->rows[i].key, b->rows[i].key);
        TEST_ASSERT_TRUE(stamp_equal(a->rows[i].at, b->rows[i].at));
        TEST_ASSERT_EQUAL_UINT64(a->rows[i].writer, b->rows[i].writer);
        TEST_ASSERT_EQUAL(a->rows[i].is_row, b->rows[i].is_row);
        assert_equal_texts(a->rows[i].row, b->rows[i].row);
    }
    TEST_ASSERT_EQUAL(a->seen_count, b->seen_count);
    for (uint32_t i = 0; i < a->seen_count; i++) {
        TEST_ASSERT_EQUAL(a->seen[i].key, b->seen[i].key);
        TEST_ASSERT_TRUE(stamp_equal(a->seen[i].at, b->seen[i].at));
        TEST_ASSERT_EQUAL_UINT64(a->seen[i].writer, b->seen[i].writer);
    }
}

static bool read_request(struct text bytes, struct client_request *request)
{
    struct wire_reader r = wire_reader_of(bytes);

    arena_reset_to(&scratch, 0);
    return client_request_get(&r, request, &scratch);
}

static bool read_reply(struct text bytes, struct client_reply *reply)
{
    struct wire_reader r = wire_reader_of(bytes);

    arena_reset_to(&scratch, 0);
    return client_reply_get(&r, reply, &scratch);
}

static void requests_are_read_as_they_were_written(void)
{
    for (size_t i = 0; i < ROW_COUNT(requests); i++) {
        struct client_request got;
        wire_writer_reset(&w);
        client_request_put(&w, &requests[i]);
        TEST_ASSERT_TRUE(read_request(wire_writer_text(&w), &got));
        assert_equal_requests(&requests[i], &got);
    }
}

static void replies_are_read_as_they_were_written(void)
{
    for (size_t i = 0; i < ROW_COUNT(replies); i++) {
        struct client_reply got;
        wire_writer_reset(&w);
        client_reply_put(&w, &replies[i]);
        TEST_ASSERT_TRUE(read_reply(wire_writer_text(&w), &got));
        assert_equal_replies(&replies[i], &got);
    }
}

static void what_is_cut_short_or_too_long_is_refused(void)
{
    struct client_request request;
    struct client_reply reply;

    for (size_t i = 0; i < ROW_COUNT(requests); i++) {
        wire_writer_reset(&w);
        client_request_put(&w, &requests[i]);
        for (size_t size = 0; size < w.count; size++)
            TEST_ASSERT_FALSE(read_request((struct text){ w.at, size }, &request));
        wire_put_byte(&w, 0);
        TEST_ASSERT_FALSE(read_request(wire_writer_text(&w), &request));
    }
    for (size_t i = 0; i < ROW_COUNT(replies); i++) {
        wire_writer_reset(&w);
        client_reply_put(&w, &replies[i]);
        for (size_t size = 0; size < w.count; size++)
            TEST_ASSERT_FALSE(read_reply((struct text){ w.at, size }, &reply));
        wire_put_byte(&w, 0);
        TEST_ASSERT_FALSE(read_reply(wire_writer_text(&w), &reply));
    }
}

/* Enumerators stay in their range, or the bytes are refused; the sanitizers watch. */
static void damaged_bytes_are_refused_or_mean_something(void)
{
    struct random_key key = random_key_of_seed(5);
    struct random random;
    char bytes[64];

    random_init(&random, &key);
    for (size_t round = 0; round < fixture_rounds(20000); round++) {
        struct text text = { bytes, random_below(&random, sizeof bytes) };
        struct client_request request;
        struct client_reply reply;
        struct buffer described = { 0 };
        for (size_t i = 0; i < text.length; i++)
            bytes[i] = (char)random_below(&random, 2 + random_below(&random, 255));
        if (read_request(text, &request))
            client_request_describe(&request, &described);
        if (read_reply(text, &reply))
            client_reply_describe(&reply, &described);
        buffer_close(&described);
    }
}

static void requests_and_replies_can_be_put_into_words(void)
{
    struct buffer words = { 0 };

    client_request_describe(&requests[1], &words);
    buffer_byte(&words, '|');
    client_request_describe(&requests[2], &words);
    buffer_byte(&words, '|');
    client_reply_describe(&replies[0], &words);
    buffer_byte(&words, '|');
    client_reply_describe(&replies[1], &words);
    buffer_byte(&words, '\0');
    TEST_ASSERT_EQUAL_STRING("read T300.2 again scope 12|write T1.9 k3 -k4 k5|done T1.2 2 rows|"
                             "aborted T1.2: deadlock",
                             words.at);
    buffer_close(&words);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(requests_are_read_as_they_were_written);
    RUN_TEST(replies_are_read_as_they_were_written);
    RUN_TEST(what_is_cut_short_or_too_long_is_refused);
    RUN_TEST(damaged_bytes_are_refused_or_mean_something);
    RUN_TEST(requests_and_replies_can_be_put_into_words);
    return UNITY_END();
}
