#include "record/key_values.h"

#include <stdio.h>

#include "unity.h"

#define KEYS 3

/* A store that counts what it is asked, and keeps what a commit tells it. */
struct store_session {
    struct key_values kv; /* first */
    const char *values[KEYS];
    char committed[200];
    unsigned reads;
    bool is_away;
};

static const struct stored_table table = {
    .shape = SHAPE_ROWS, .name = "t", .key_column = "k", .value_column = "v"
};
static const struct stored_table lists = {
    .shape = SHAPE_LISTS, .name = "l", .key_column = "k", .value_column = "v"
};
static struct store_session session;
static struct database_answer answer;
static struct error err;

static enum status read_store(void *context, const uint64_t *key, struct error *failed)
{
    struct store_session *s = context;

    s->reads++;
    if (s->is_away)
        return error_set(failed, STATUS_IO, "nobody answers");
    for (uint64_t k = 0; k < KEYS; k++)
        if (s->values[k] && (!key || *key == k))
            TRY(key_values_found(&s->kv, k, text_of(s->values[k]), failed));
    return STATUS_OK;
}

static enum status commit(void *context, struct database_answer *to, struct error *failed)
{
    struct store_session *s = context;
    size_t length = 0;

    (void)to, (void)failed;
    for (size_t i = 0; i < s->kv.entries.count; i++) {
        const struct key_value *entry = &s->kv.entries.at[i];
        struct text text = key_values_text(&s->kv, entry);

        length += (size_t)snprintf(s->committed + length, sizeof s->committed - length,
                                   "%u%s%s=%.*s ", (unsigned)entry->key, entry->is_read ? "r" : "",
                                   entry->is_written ? "w" : "", (int)text.length,
                                   text.at ? text.at : "");
    }
    return STATUS_OK;
}

void setUp(void)
{
    session =
        (struct store_session){ .kv = { .table = &table, .read = read_store, .commit = commit },
                                .values = { "10", "11" } };
    answer = (struct database_answer){ .end = STEPS_DONE };
}

void tearDown(void)
{
    key_values_close(&session.kv);
    database_answer_close(&answer);
}

/* As one transaction. */
static void run(const struct builtin_request *requests, uint32_t count)
{
    struct database_step steps[8] = { { .kind = STEP_BEGIN } };

    for (uint32_t i = 0; i < count; i++)
        steps[i + 1] = (struct database_step){ .kind = STEP_REQUEST, .request = requests[i] };
    steps[count + 1] = (struct database_step){ .kind = STEP_COMMIT };
    TEST_ASSERT_EQUAL_MESSAGE(
        STATUS_OK, key_values_steps(&session, steps, count + 2, &answer, &err), err.text);
}

static void a_key_is_read_once_and_its_own_write_is_seen(void)
{
    run((struct builtin_request[]){ { BUILTIN_READ, .key = 0 },
                                    { BUILTIN_WRITE, .key = 0, .value = 5 },
                                    { BUILTIN_WRITE, .key = 2, .value = 7 },
                                    { BUILTIN_READ, .key = 0 } },
        4);
    TEST_ASSERT_EQUAL(STEPS_DONE, answer.end);
    TEST_ASSERT_EQUAL_UINT(1, session.reads);
    TEST_ASSERT_EQUAL_INT64(10, answer.rows.at[0].value);
    TEST_ASSERT_EQUAL_INT64(5, answer.rows.at[1].value);
    TEST_ASSERT_EQUAL_STRING("0rw=5 2w=7 ", session.committed);
}

static void a_key_that_is_not_there_was_read_all_the_same(void)
{
    run((struct builtin_request[]){ { BUILTIN_READ, .key = 2 }, { BUILTIN_READ, .key = 2 } }, 2);
    TEST_ASSERT_EQUAL_UINT(1, session.reads);
    TEST_ASSERT_EQUAL_UINT(0, answer.rows.count);
    TEST_ASSERT_EQUAL_STRING("2r= ", session.committed);
}

static void a_range_has_what_the_transaction_wrote_and_not_what_it_deleted(void)
{
    run(
        (struct builtin_request[]){
            { BUILTIN_WRITE, .key = 2, .value = 12 },
            { BUILTIN_DELETE, .column = BUILTIN_KEY_COLUMN, .low = 0, .high = 0 },
            { BUILTIN_SELECT, .column = BUILTIN_VALUE_COLUMN, .low = 10, .high = 12 } },
        3);
    TEST_ASSERT_EQUAL_UINT(1, answer.steps.at[2].count);
    TEST_ASSERT_EQUAL_UINT(2, answer.steps.at[3].count);
    TEST_ASSERT_EQUAL_UINT(1, session.reads);
    TEST_ASSERT_EQUAL_STRING("2w=12 0rw= 1r=11 ", session.committed);
}

static void an_append_keeps_what_the_list_has(void)
{
    session.kv.table = &lists;
    run((struct builtin_request[]){ { BUILTIN_APPEND, .key = 1, .value = 4 },
                                    { BUILTIN_APPEND, .key = 2, .value = 6 },
                                    { BUILTIN_READ, .key = 1 } },
        3);
    TEST_ASSERT_EQUAL_UINT(2, answer.elements.count);
    TEST_ASSERT_EQUAL_STRING("1rw=11,4 2rw=6 ", session.committed);
}

static void an_insert_of_what_is_there_is_refused(void)
{
    run((struct builtin_request[]){ { BUILTIN_INSERT, .key = 1, .value = 4 } }, 1);
    TEST_ASSERT_EQUAL(STEPS_REFUSED, answer.end);
    TEST_ASSERT_EQUAL_STRING("EXISTS", answer.code);
    TEST_ASSERT_EQUAL_STRING("", session.committed);
}

static void a_read_that_fails_refuses_the_transaction(void)
{
    session.is_away = true;
    run((struct builtin_request[]){ { BUILTIN_READ, .key = 1 } }, 1);
    TEST_ASSERT_EQUAL(STEPS_REFUSED, answer.end);
    TEST_ASSERT_EQUAL_STRING("UNREACHABLE", answer.code);
}

static void keys_that_are_there_are_told(void)
{
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, key_values_check_none(&session.kv, &err));
    TEST_ASSERT_EQUAL_STRING("there are keys of t in it already", err.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_key_is_read_once_and_its_own_write_is_seen);
    RUN_TEST(a_key_that_is_not_there_was_read_all_the_same);
    RUN_TEST(a_range_has_what_the_transaction_wrote_and_not_what_it_deleted);
    RUN_TEST(an_append_keeps_what_the_list_has);
    RUN_TEST(an_insert_of_what_is_there_is_refused);
    RUN_TEST(a_read_that_fails_refuses_the_transaction);
    RUN_TEST(keys_that_are_there_are_told);
    return UNITY_END();
}
