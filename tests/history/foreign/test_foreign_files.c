/* Where histories come from: files, pipes, compressed or not, folders; and formats that are forced. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/fixture.h"
#include "tests/history/foreign/foreign_fixture.h"
#include "unity.h"

static struct error err;
static struct history history;
static char folder[64], path[128];

void setUp(void)
{
    memset(&err, 0, sizeof err);
    history = (struct history){ 0 };
    strcpy(folder, "/tmp/ordeal-files-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/one", folder);
}

void tearDown(void)
{
    char command[128];

    history_close(&history);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

static void write_bytes(const char *name, const char *bytes, size_t size)
{
    char where[256];
    FILE *file;

    snprintf(where, sizeof where, "%s/%s", folder, name);
    file = fopen(where, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_UINT64(size, fwrite(bytes, 1, size, file));
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* Reads the history, which is closed, in native text; to be freed. */
static char *read_native(const char *what, enum format format)
{
    char *native;

    ASSERT_OK(format_read_history(what, format, NULL, &history, &err), &err);
    native = foreign_native(&history);
    history_close(&history);
    history = (struct history){ 0 };
    return native;
}

static void expect(const char *what, const char *wanted)
{
    char *found = read_native(what, FORMAT_ANY);

    TEST_ASSERT_EQUAL_STRING(wanted, found);
    free(found);
}

static void expect_refusal(const char *what, enum format format, const char *file,
                           const char *why)
{
    err = (struct error){ 0 };
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT,
                              format_read_history(what, format, NULL, &history, &err), why);
    TEST_ASSERT_EQUAL_STRING(why, err.text);
    TEST_ASSERT_EQUAL_STRING(file, err.file);
    TEST_ASSERT_NULL(history.memory);
}

/* --- Forced formats ----------------------------------------------------------------- */

static void expect_every_other_format_refused(const char *what, enum format is)
{
    for (enum format forced = 0; forced < FORMAT_COUNT; forced++) {
        char wanted[100];

        if (forced == is)
            continue;
        snprintf(wanted, sizeof wanted, "this file is in format %s, not %s", format_name(is),
                 format_name(forced));
        expect_refusal(what, forced, what, wanted);
    }
}

static void every_wrong_format_is_an_error(void)
{
    static const enum format own[] = { FORMAT_JSONL, FORMAT_OH };

    for (size_t f = 0; f < foreign_row_count; f++) {
        write_bytes("one", foreign_rows[f].text, foreign_rows[f].size);
        free(read_native(path, foreign_rows[f].format));
        expect_every_other_format_refused(path, foreign_rows[f].format);
    }
    write_text("one", "{\"ordeal-history\":1}\n");
    for (size_t i = 0; i < ROW_COUNT(own); i++) {
        ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &history, &err), &err);
        ASSERT_OK(format_write_history(&history, own[i], path, NULL, &err), &err);
        history_close(&history);
        history = (struct history){ 0 };
        expect_every_other_format_refused(path, own[i]);
    }
}

/* --- Pipes and compression ---------------------------------------------------------- */

/* Standard input is a pipe with these bytes in it. */
static void put_into_standard_input(const char *bytes, size_t size)
{
    int ends[2];

    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    TEST_ASSERT_EQUAL_UINT64(size, write(ends[1], bytes, size));
    close(ends[1]);
    TEST_ASSERT_EQUAL_INT(STDIN_FILENO, dup2(ends[0], STDIN_FILENO));
    close(ends[0]);
}

static void each_format_is_known_in_pipes_and_compressed(void)
{
    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];
        char packed[4096], *wanted, *found;
        size_t size = ZSTD_compress(packed, sizeof packed, row->text, row->size, 3);

        TEST_ASSERT_FALSE(ZSTD_isError(size));
        write_bytes("one", row->text, row->size);
        wanted = read_native(path, FORMAT_ANY);
        write_bytes("one", packed, size);
        expect(path, wanted);
        put_into_standard_input(row->text, row->size);
        expect("-", wanted);
        put_into_standard_input(packed, size);
        found = read_native("-", row->format);
        TEST_ASSERT_EQUAL_STRING(wanted, found);
        free(found);
        put_into_standard_input(row->text, row->size);
        err = (struct error){ 0 };
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                          format_read_history("-", FORMAT_JSONL, NULL, &history, &err));
        TEST_ASSERT_EQUAL_STRING("standard input", err.file);
        free(wanted);
    }
}

static void a_byte_order_mark_is_named(void)
{
    for (size_t f = 0; f < foreign_row_count; f++) {
        struct buffer text = { 0 };

        if (foreign_rows[f].format == FORMAT_DBCOP)
            continue;
        buffer_text(&text, TEXT("\xef\xbb\xbf"));
        buffer_text(&text, (struct text){ foreign_rows[f].text, foreign_rows[f].size });
        write_bytes("one", text.at, text.count);
        buffer_close(&text);
        /* Of these, other lines are passed over. */
        if (foreign_rows[f].format == FORMAT_PORCUPINE)
            continue;
        if (foreign_rows[f].format == FORMAT_ISOPREDICT)
            continue;
        expect_refusal(path, FORMAT_ANY, path,
                       "the file begins with a byte order mark: no format of histories does");
    }
}

/* --- Cobra -------------------------------------------------------------------------- */

#define WORD(low) "\0\0\0\0\0\0\0" low
#define INITIAL "\0\0\0\0\xbe\xbe\xeb\xee"
#define NULL_WRITER "\0\0\0\0\xde\xad\xbe\xef"
#define UNIVERSAL "\0\0\0\0\xab\xdd\xef\xee"
#define WRITE_LOG(name, bytes) write_bytes(name, bytes, sizeof(bytes) - 1)

static void cobras_logs_are_sessions_in_the_order_of_their_names(void)
{
    WRITE_LOG("a.log", "S" WORD("\1") "W" WORD("\7") WORD("\5") WORD("\x9") "C" WORD("\1"));
    WRITE_LOG("b.log", "S" WORD("\2") "R" WORD("\1") WORD("\7") WORD("\5") WORD("\x9") "R" INITIAL INITIAL
                       WORD("\6") WORD("\0") "C" WORD("\2") "S" WORD("\3") "R" NULL_WRITER
                       NULL_WRITER WORD("\5") WORD("\0"));
    WRITE_LOG("c.log", "");
    write_text("notes.txt", "no log");
    expect(folder,
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"5\",\"v\":7}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"5\",\"v\":7},{\"r\":\"6\",\"v\":"
           "null}]}\n"
           "{\"txn\":3,\"session\":1,\"status\":\"unknown\",\"ops\":[{\"r\":\"5\",\"v\":null}]}\n");
    expect_refusal(folder, FORMAT_VIPER, folder, "no file in this folder is in format viper");
    snprintf(path, sizeof path, "%s/a.log", folder);
    expect_refusal(path, FORMAT_ANY, path,
                   "this is one session of a history in format cobra: name the folder, with all of "
                   "them");
    expect_refusal(path, FORMAT_PLUME, path, "this file is in format cobra, not plume");
}

/* With the universal id, the hash says what was written, and may come twice. */
static void cobras_universal_id_is_seen_wherever_it_stands(void)
{
    WRITE_LOG("a.log", "S" WORD("\1") "W" WORD("\7") WORD("\5") WORD("\x9") "C" WORD("\1"));
    WRITE_LOG("b.log", "S" WORD("\2") "W" UNIVERSAL WORD("\5") WORD("\x9") "R" UNIVERSAL UNIVERSAL
                       WORD("\5") WORD("\x9") "C" WORD("\2"));
    expect(folder,
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"5\",\"v\":9}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"5\",\"v\":9},{\"r\":\"5\",\"v\":"
           "9}]}\n");
}

/* An id that was written, with a value or by a transaction that was not, is nobody's write. */
static void a_read_with_anothers_hash_or_writer_reads_what_nobody_wrote(void)
{
    WRITE_LOG("a.log", "S" WORD("\1") "W" WORD("\7") WORD("\5") WORD("\x9") "C" WORD("\1"));
    WRITE_LOG("b.log", "S" WORD("\2") "R" WORD("\1") WORD("\7") WORD("\5") WORD("\x8") "R" WORD("\3")
                       WORD("\7") WORD("\5") WORD("\x9") "R" WORD("\1") WORD("\x6") WORD("\5")
                       WORD("\x9") "C" WORD("\2"));
    expect(folder,
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"5\",\"v\":7}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"5\",\"v\":\"write 7 of "
           "transaction 1 with hash 8\"},{\"r\":\"5\",\"v\":\"write 7 of transaction 3 with hash 9\"},"
           "{\"r\":\"5\",\"v\":6}]}\n");
}

static void time_ordered_logs_have_times(void)
{
    WRITE_LOG("a.log", "S" WORD("\1") WORD("\x5") "W" WORD("\7") WORD("\5") WORD("\x9") "C" WORD("\1")
                       WORD("\x6"));
    WRITE_LOG("b.log", "S" WORD("\2") WORD("\x7"));
    expect(folder,
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[5,6],\"ops\":[{\"w\":\"5\",\"v\":7}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"unknown\",\"at\":[7,null],\"ops\":[]}\n");
    /* Not all of them, or times that go backwards: none. */
    WRITE_LOG("b.log", "S" WORD("\2") WORD("\x7") "C" WORD("\2") WORD("\x6"));
    expect(folder,
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"5\",\"v\":7}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[]}\n");
}

/* A log cut, or with a changed bit, beside whole ones: it is refused, or read as it stands. */
static void a_damaged_log_is_refused_and_never_left_out(void)
{
    static const char whole[] = "S" WORD("\2") "R" WORD("\1") WORD("\7") WORD("\5") WORD("\x9") "C" WORD("\2")
        "S" WORD("\3") "W" WORD("\x8") WORD("\5") WORD("\x9") "C" WORD("\3");
    static const size_t ends[] = { 0, 9, 42, 51, 60, 85, 94 };
    const size_t size = sizeof whole - 1;
    char bytes[sizeof whole], wanted[128];
    size_t cut_at_end = 0;

    WRITE_LOG("a.log", "S" WORD("\1") "W" WORD("\7") WORD("\5") WORD("\x9") "C" WORD("\1"));
    snprintf(wanted, sizeof wanted, "%s/b.log", folder);
    for (size_t cut = 0; cut <= size; cut++) {
        bool is_end = cut == ends[cut_at_end];
        enum status status;

        write_bytes("b.log", whole, cut);
        err = (struct error){ 0 };
        status = format_read_history(folder, FORMAT_ANY, NULL, &history, &err);
        TEST_ASSERT_EQUAL(is_end ? STATUS_OK : STATUS_BAD_INPUT, status);
        if (!is_end) {
            TEST_ASSERT_EQUAL_STRING(wanted, err.file);
            TEST_ASSERT_EQUAL_STRING("expected a record: S, C, R or W and its words", err.text);
            TEST_ASSERT_EQUAL_UINT64(ends[cut_at_end - 1], err.offset);
        }
        cut_at_end += is_end;
        history_close(&history);
        history = (struct history){ 0 };
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(bytes, whole, size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        write_bytes("b.log", bytes, size);
        err = (struct error){ 0 };
        if (format_read_history(folder, FORMAT_ANY, NULL, &history, &err) == STATUS_OK) {
            TEST_ASSERT_EQUAL_UINT64(3, history.txn_count);
        } else {
            TEST_ASSERT_EQUAL_STRING(wanted, err.file);
            TEST_ASSERT_TRUE(strlen(err.text) > 0);
        }
        history_close(&history);
        history = (struct history){ 0 };
    }
}

/* --- Other folders ------------------------------------------------------------------ */

static void vipers_files_are_sessions_and_make_one_history(void)
{
    char where[128];

    write_text("J0.json", "{\"value\":[[\"w\",7,1,null]],\"isInitial\":true}\n"
                          "{\"value\":[[\"w\",7,2,null]]}\n");
    write_text("J1.json", "{\"value\":[[\"r\",7,2,false]]}\n{\"value\":[[\"r\",7,1,false]]}\n");
    expect(folder,
           "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"7\",\"v\":2}]}\n"
           "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"7\",\"v\":2}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"7\",\"v\":1}]}\n");
    /* One of them damaged is not one fewer. */
    write_text("J2.json", "{\"value\":[[\"r\",7,2,false]]}\n{\"value\":[[\"q\",7,1,false]]}\n");
    snprintf(where, sizeof where, "%s/J2.json", folder);
    expect_refusal(folder, FORMAT_ANY, where,
                   "expected \"r\" or \"w\" before this: ranges, inserts and deletes are not read, "
                   "found \",7,1,false]]}\n\"");
    TEST_ASSERT_EQUAL_UINT64(2, err.line);
    write_text("J2.json", "some text");
    expect_refusal(folder, FORMAT_ANY, where,
                   "expected a transaction, an object, found \"some text\"");
}

/* A test's folder has logs and results beside its history. */
static void the_history_of_a_folder_is_the_one_that_is_called_so(void)
{
    static const char edn[] = "{:type :ok, :process 0, :f :txn, :value [[:append 1 1]]}\n";
    static const char wanted[] = "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"append\":\"1\","
                                 "\"v\":1}]}\n";
    char where[128];

    write_text("results.edn", "{:valid? true}\n");
    write_text(".hidden.edn", "{:type :ok, :process 0, :f :txn, :value [[:append 1 2]]}\n");
    expect_refusal(folder, FORMAT_ANY, folder, "no file in this folder is a history");
    expect_refusal(folder, FORMAT_PLUME, folder, "no file in this folder is in format plume");
    write_text("some.edn", edn);
    expect(folder, wanted);
    write_text("other.edn", edn);
    expect_refusal(folder, FORMAT_ANY, folder,
                   "there are several histories in this folder, such as other.edn in format "
                   "jepsen-edn and some.edn in format jepsen-edn: name one of them");
    write_text("history.edn", edn);
    expect(folder, wanted);
    write_text("history.txt", "r(1,0,0,0)\n");
    expect_refusal(folder, FORMAT_ANY, folder,
                   "there are several histories in this folder, such as history.edn in format "
                   "jepsen-edn and history.txt in format plume: name one of them");
    free(read_native(folder, FORMAT_PLUME));
    snprintf(where, sizeof where, "%s/pipe", folder);
    TEST_ASSERT_EQUAL_INT(0, mkfifo(where, 0600));
    free(read_native(folder, FORMAT_PLUME));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_wrong_format_is_an_error);
    RUN_TEST(each_format_is_known_in_pipes_and_compressed);
    RUN_TEST(a_byte_order_mark_is_named);
    RUN_TEST(cobras_logs_are_sessions_in_the_order_of_their_names);
    RUN_TEST(cobras_universal_id_is_seen_wherever_it_stands);
    RUN_TEST(a_read_with_anothers_hash_or_writer_reads_what_nobody_wrote);
    RUN_TEST(time_ordered_logs_have_times);
    RUN_TEST(a_damaged_log_is_refused_and_never_left_out);
    RUN_TEST(vipers_files_are_sessions_and_make_one_history);
    RUN_TEST(the_history_of_a_folder_is_the_one_that_is_called_so);
    return UNITY_END();
}
