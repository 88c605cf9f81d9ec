#include "record/mariadb_binlog_private.h"
#include "tests/fixture.h"
#include "unity.h"

#include <stdlib.h>
#include <string.h>

static struct recovered_order order;
static struct buffer file;
static struct error err;

static const struct stored_table rows = { .shape = SHAPE_ROWS,
                                          .name = "ordeal_accounts",
                                          .key_column = "id",
                                          .value_column = "balance",
                                          .tag_column = "tag" };
static const struct stored_table lists = {
    .shape = SHAPE_LISTS, .name = "ordeal_lists", .key_column = "key", .value_column = "elements"
};

static void put(uint64_t number, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        buffer_byte(&file, (char)(number >> 8 * i));
}

static void begin_file(void)
{
    buffer_clear(&file);
    put(0xfe, 1);
    buffer_text(&file, TEXT("bin"));
}

void setUp(void)
{
    order = (struct recovered_order){ 0 };
    begin_file();
}

void tearDown(void)
{
    array_close(&order.commits);
    array_close(&order.changes);
    buffer_close(&file);
}

/* An event's header; its end is told by end_event(). */
static size_t begin_event(unsigned kind)
{
    size_t at = file.count;

    put(0, 4);
    put(kind, 1);
    put(1, 4);
    put(0, 4);
    put(0, 4);
    put(0, 2);
    return at;
}

static void end_event(size_t at)
{
    uint64_t length = file.count - at;

    for (unsigned i = 0; i < 4; i++)
        file.at[at + 9 + i] = (char)(length >> 8 * i);
}

static void put_gtid(uint64_t number)
{
    size_t at = begin_event(162);

    put(number, 8);
    put(0, 5);
    end_event(at);
}

static void put_xid(void)
{
    size_t at = begin_event(16);

    put(4711, 8);
    end_event(at);
}

static void put_name(const char *name)
{
    put(strlen(name), 1);
    buffer_text(&file, text_of(name));
    put(0, 1);
}

/* Three numbers, or a number and a text. */
static void put_table(const char *name, bool is_list)
{
    size_t at = begin_event(19);

    put(18, 6);
    put(1, 2);
    put_name("ordeal");
    put_name(name);
    put(is_list ? 2 : 3, 1);
    put(8, 1);
    put(is_list ? 252 : 8, 1);
    if (!is_list)
        put(8, 1);
    put(is_list, 1);
    if (is_list)
        put(3, 1); /* a text's length has three bytes */
    put(0, 1);
    end_event(at);
}

static size_t begin_rows(unsigned kind, unsigned columns)
{
    size_t at = begin_event(kind);

    put(18, 6);
    put(1, 2);
    put(columns, 1);
    put((1u << columns) - 1, 1);
    if (kind == 24)
        put((1u << columns) - 1, 1);
    return at;
}

static void put_row(int64_t key, int64_t value, int64_t tag)
{
    put(0, 1);
    put((uint64_t)key, 8);
    put((uint64_t)value, 8);
    put((uint64_t)tag, 8);
}

static void put_list(int64_t key, const char *list)
{
    put(0, 1);
    put((uint64_t)key, 8);
    put(strlen(list), 3);
    buffer_text(&file, text_of(list));
}

static enum status read_log(const struct stored_table *table, bool by_place)
{
    struct mariadb_binlog log = {
        .bytes = { file.at, file.count }, .file = 2, .by_place = by_place, .table = table
    };

    return mariadb_binlog_read(&log, &order, &err);
}

static void changes_stand_with_their_commit(void)
{
    size_t at;

    put_gtid(7);
    put_table("ordeal_accounts", false);
    at = begin_rows(23, 3);
    put_row(5, -17, 3);
    put_row(6, 18, 4);
    end_event(at);
    at = begin_rows(24, 3);
    put_row(5, -17, 3);
    put_row(5, 20, 8);
    end_event(at);
    at = begin_rows(25, 3);
    put_row(6, 18, 4);
    end_event(at);
    put_xid();
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_log(&rows, false), err.text);
    TEST_ASSERT_EQUAL(1, order.commits.count);
    TEST_ASSERT_EQUAL(7, order.commits.at[0].xid);
    TEST_ASSERT_EQUAL(7, order.commits.at[0].place);
    TEST_ASSERT_EQUAL(4, order.commits.at[0].count);
    TEST_ASSERT_EQUAL(-17, order.changes.at[0].value);
    TEST_ASSERT_EQUAL(6, order.changes.at[1].key);
    TEST_ASSERT_EQUAL_MESSAGE(20, order.changes.at[2].value, "an update is what is there then");
    TEST_ASSERT_EQUAL(RECOVERED_REMOVAL, order.changes.at[3].kind);
    TEST_ASSERT_EQUAL(6, order.changes.at[3].key);
}

static void a_place_is_the_end_of_the_commit_in_its_file(void)
{
    put_gtid(7);
    put_xid();
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_log(&rows, true), err.text);
    TEST_ASSERT_EQUAL(mariadb_binlog_place(2, file.count), order.commits.at[0].place);
    TEST_ASSERT_EQUAL(0, order.commits.at[0].count);
}

static void of_a_list_the_last_element_counts(void)
{
    static const struct {
        const char *list;
        int64_t last;
    } table[] = { { "12,-34", -34 }, { "7", 7 }, { "", 0 } };

    for (size_t i = 0; i < ROW_COUNT(table); i++) {
        size_t at;

        tearDown();
        setUp();
        put_gtid(1);
        put_table("ordeal_lists", true);
        at = begin_rows(23, 2);
        put_list(3, table[i].list);
        end_event(at);
        put_xid();
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_log(&lists, false), err.text);
        TEST_ASSERT_EQUAL_MESSAGE(table[i].last, order.changes.at[0].value, table[i].list);
    }
}

static void tables_of_others_are_passed_over(void)
{
    size_t at;

    put_gtid(1);
    put_table("other", false);
    at = begin_rows(23, 3);
    put_row(1, 2, 3);
    end_event(at);
    put_xid();
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_log(&rows, false), err.text);
    TEST_ASSERT_EQUAL(1, order.commits.count);
    TEST_ASSERT_EQUAL(0, order.changes.count);
}

/* A server that is killed leaves what it was writing, and begins another file. */
static void what_has_no_xid_was_not_committed(void)
{
    size_t at, whole;

    put_gtid(1);
    put_table("ordeal_accounts", false);
    at = begin_rows(23, 3);
    put_row(1, 2, 3);
    end_event(at);
    put_xid();
    put_gtid(2);
    put_table("ordeal_accounts", false);
    at = begin_rows(23, 3);
    put_row(4, 5, 6);
    end_event(at);
    whole = file.count;
    put_xid();
    for (size_t count = whole; count < file.count; count++) {
        struct mariadb_binlog log = { .bytes = { file.at, count }, .file = 1, .table = &rows };

        order.commits.count = order.changes.count = 0;
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, mariadb_binlog_read(&log, &order, &err), err.text);
        TEST_ASSERT_EQUAL(1, order.commits.count);
        TEST_ASSERT_EQUAL(1, order.changes.count);
    }
}

static void checksums_are_no_rows(void)
{
    size_t at;

    at = begin_event(15);
    put(4, 2);
    put(1, 1); /* CRC32 */
    put(0, 4);
    end_event(at);
    at = begin_event(162);
    put(9, 8);
    put(0, 5);
    put(0xdeadbeef, 4);
    end_event(at);
    at = begin_event(16);
    put(1, 8);
    put(0xdeadbeef, 4);
    end_event(at);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_log(&rows, false), err.text);
    TEST_ASSERT_EQUAL(9, order.commits.at[0].xid);
}

/* However it is cut or changed, it is read or refused, and nothing else is read. */
static void damage_is_no_danger(void)
{
    size_t at;

    put_gtid(7);
    put_table("ordeal_lists", true);
    at = begin_rows(24, 2);
    put_list(3, "1,2");
    put_list(3, "1,2,3");
    end_event(at);
    put_xid();
    for (size_t i = 0; i < file.count; i++)
        for (unsigned change = 1; change < 256; change *= 2) {
            char kept = file.at[i], *copy = malloc(file.count);
            struct mariadb_binlog log = { .file = 1, .table = &lists };

            TEST_ASSERT_NOT_NULL(copy);
            file.at[i] = (char)(kept ^ (char)change);
            memcpy(copy, file.at, file.count);
            log.bytes = (struct text){ copy, file.count };
            order.commits.count = order.changes.count = 0;
            if (mariadb_binlog_read(&log, &order, &err) != STATUS_OK)
                TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, err.status);
            TEST_ASSERT_TRUE(order.commits.count <= 1);
            file.at[i] = kept;
            free(copy);
        }
}

static void what_is_not_understood_is_refused(void)
{
    size_t at;

    put_gtid(7);
    at = begin_event(166); /* compressed rows */
    put(0, 8);
    put(0, 4);
    end_event(at);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, read_log(&rows, false));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "compressed"));
    buffer_clear(&file);
    buffer_text(&file, TEXT("nothing"));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, read_log(&rows, false));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(changes_stand_with_their_commit);
    RUN_TEST(a_place_is_the_end_of_the_commit_in_its_file);
    RUN_TEST(of_a_list_the_last_element_counts);
    RUN_TEST(tables_of_others_are_passed_over);
    RUN_TEST(what_has_no_xid_was_not_committed);
    RUN_TEST(checksums_are_no_rows);
    RUN_TEST(damage_is_no_danger);
    RUN_TEST(what_is_not_understood_is_refused);
    return UNITY_END();
}
