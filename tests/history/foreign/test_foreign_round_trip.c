/* Histories written in a format of another tool and read again; and what is said of what is lost. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "history/builder.h"
#include "history/jsonl/jsonl_read.h"
#include "tests/fixture.h"
#include "tests/history/foreign/foreign_fixture.h"
#include "unity.h"

#define KEYS 4
#define SESSIONS 5
#define LISTS_MAX 8

static struct error err;
static char folder[64], path[128];

void setUp(void) /* an empty folder, and the name of something in it */
{
    memset(&err, 0, sizeof err);
    strcpy(folder, "/tmp/ordeal-round-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/written", folder);
}

static void remove_all(const char *what)
{
    char command[160];

    snprintf(command, sizeof command, "rm -rf '%s'", what);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

void tearDown(void)
{
    remove_all(folder);
}

/* --- Random histories --------------------------------------------------------------- */

struct maker {
    struct builder builder;
    struct random random;
    int64_t next_value;
};

static bool chance(struct maker *m, uint64_t of)
{
    return random_below(&m->random, of) == 0;
}

static void make_keys(struct maker *m, const char *prefix)
{
    builder_init(&m->builder);
    for (int k = 0; k < KEYS; k++) {
        char name[16];
        uint32_t key;

        snprintf(name, sizeof name, "%s%d", prefix, k);
        ASSERT_OK(builder_key(&m->builder, text_of(name), &key, &err), &err);
    }
}

/* As formats do that begin with 0. */
static void make_zeros(struct maker *m)
{
    make_keys(m, "");
    for (uint32_t k = 0; k < KEYS; k++)
        ASSERT_OK(builder_add_initial(&m->builder, k, value_integer(0), &err), &err);
}

static void add(struct maker *m, enum op_kind kind, uint32_t key, struct value value)
{
    ASSERT_OK(builder_add_op(&m->builder, kind, key, value, &err), &err);
}

/* A read of something, or a write of something new, or at times of something old. */
static void add_register_op(struct maker *m, struct value nothing, bool repeats)
{
    uint32_t key = (uint32_t)random_below(&m->random, KEYS);
    int64_t old = 1 + (int64_t)random_below(&m->random, (uint64_t)m->next_value);

    if (chance(m, 2))
        add(m, OP_READ, key, chance(m, 4) ? nothing : value_integer(old));
    else
        add(m, OP_WRITE, key, value_integer(repeats && chance(m, 4) ? old : m->next_value++));
}

/* Sessions in turn, in the order of the file; aborted transactions numbered as the reader does. */
static void make_for_plume(struct maker *m)
{
    int64_t last_aborted = -1, last_session = -1;

    make_zeros(m);
    for (int64_t t = 0; t < 20; t++) {
        int64_t session = (int64_t)random_below(&m->random, SESSIONS) * 7 - 3;
        bool aborted = session != last_session && chance(m, 4);

        ASSERT_OK(builder_begin_txn(&m->builder, aborted ? --last_aborted : t, session,
                                    aborted ? TXN_ABORT : TXN_OK, &err),
                  &err);
        do
            add_register_op(m, value_integer(0), true);
        while (!chance(m, 3));
        /* Two aborted transactions of a session, one behind the other, would be one. */
        last_session = session;
        if (aborted) {
            ASSERT_OK(builder_begin_txn(&m->builder, 100 + t, session, TXN_OK, &err), &err);
            add_register_op(m, value_integer(0), true);
        }
    }
}

/* One session after another, and numbers in that order. */
static void make_for_dbcop(struct maker *m)
{
    make_zeros(m);
    for (int64_t s = 0, id = 0; s < SESSIONS; s++)
        for (uint64_t left = 1 + random_below(&m->random, 4); left > 0; left--) {
            ASSERT_OK(builder_begin_txn(&m->builder, id++, s, TXN_OK, &err), &err);
            while (!chance(m, 3))
                add_register_op(m, value_integer(0), true);
        }
}

/* Sessions in order, times or none, values that repeat or do not, an open end at times. */
static void make_for_cobra(struct maker *m)
{
    bool is_timed = chance(m, 2), repeats = chance(m, 2);
    int64_t now = 5;

    make_keys(m, "");
    for (int64_t s = 0; s < SESSIONS; s++)
        for (uint64_t left = 1 + random_below(&m->random, 4); left > 0; left--) {
            bool is_open = left == 1 && chance(m, 3);
            int64_t began = now++;

            ASSERT_OK(builder_begin_txn(&m->builder, 1000 - now, s, is_open ? TXN_UNKNOWN : TXN_OK,
                                        &err),
                      &err);
            if (is_timed)
                ASSERT_OK(builder_set_txn_at(&m->builder, began, is_open ? TIME_NEVER : now++, &err),
                          &err);
            while (!chance(m, 3))
                if (is_open)
                    add(m, OP_WRITE, 0, value_integer(m->next_value++));
                else
                    add_register_op(m, value_null(), repeats);
        }
}

static struct value make_list(struct maker *m)
{
    int64_t elements[LISTS_MAX];
    size_t count = random_below(&m->random, LISTS_MAX);
    struct value list;

    for (size_t i = 0; i < count; i++)
        elements[i] = random_between(&m->random, -5, 100);
    ASSERT_OK(builder_list(&m->builder, elements, count, &list, &err), &err);
    return list;
}

static void add_jepsen_op(struct maker *m, enum txn_status status)
{
    uint32_t key = (uint32_t)random_below(&m->random, KEYS), text;
    struct value value = value_none();

    if (chance(m, 2)) {
        if (status == TXN_OK)
            value = chance(m, 4) ? value_null() : make_list(m);
        add(m, OP_READ, key, value);
    } else if (chance(m, 2)) {
        add(m, OP_APPEND, key, value_integer(m->next_value++));
    } else {
        ASSERT_OK(builder_text(&m->builder, TEXT("a \"quoted\"\n\\ \xc3\xa9 text"), &text, &err),
                  &err);
        add(m, OP_WRITE, key,
            chance(m, 3)   ? (struct value){ VALUE_TEXT, text }
            : chance(m, 2) ? value_boolean(chance(m, 2))
                           : value_integer(-m->next_value++));
    }
}

/* With times: each transaction begins at one index, and ends before its session goes on. */
static void make_for_jepsen(struct maker *m)
{
    bool is_timed = chance(m, 2);
    int64_t fresh = SESSIONS, sessions[SESSIONS];

    make_keys(m, chance(m, 2) ? "" : chance(m, 2) ? ":key-" : "a key\t");
    for (int64_t s = 0; s < SESSIONS; s++)
        sessions[s] = s;
    for (int64_t t = 0, index = 0; t < 20; t++) {
        size_t s = random_below(&m->random, SESSIONS);
        enum txn_status status = chance(m, 2) ? TXN_OK : chance(m, 2) ? TXN_ABORT : TXN_UNKNOWN;

        ASSERT_OK(builder_begin_txn(&m->builder, t, sessions[s], status, &err), &err);
        ASSERT_OK(builder_set_origin(&m->builder, (struct place){ 2, { index, sessions[s] } }, &err),
                  &err);
        if (is_timed)
            ASSERT_OK(builder_set_txn_at(&m->builder, 10 * index,
                                         status == TXN_UNKNOWN ? TIME_NEVER : 10 * index + 10, &err),
                      &err);
        index += is_timed && status != TXN_UNKNOWN ? 2 : 1;
        while (!chance(m, 3))
            add_jepsen_op(m, status);
        if (status == TXN_UNKNOWN)
            sessions[s] = fresh++;
    }
}

/* What a transaction writes is its number from 1, each key once; it reads from those before. */
static void make_for_isopredict(struct maker *m)
{
    bool has_written[32][KEYS] = { { false } };

    make_keys(m, "k ");
    for (uint32_t t = 0; t < 20; t++) {
        uint32_t ops = 0;

        ASSERT_OK(builder_begin_txn(&m->builder, t, 1 + (int64_t)random_below(&m->random, SESSIONS),
                                    TXN_OK, &err),
                  &err);
        while (ops == 0 || !chance(m, 3)) {
            uint32_t key = (uint32_t)random_below(&m->random, KEYS);
            uint32_t from = (uint32_t)random_below(&m->random, t + 1);

            ops++;
            if (chance(m, 2))
                add(m, OP_READ, key,
                    has_written[from][key] ? value_integer(from + 1) : value_null());
            else if (!has_written[t][key]) {
                has_written[t][key] = true;
                add(m, OP_WRITE, key, value_integer(t + 1));
            } else
                ops--;
        }
    }
}

static const struct {
    enum format format;
    void (*make)(struct maker *);
    uint32_t losses; /* that may be told: what is lost is nothing here */
} rows[] = {
    { FORMAT_PLUME, make_for_plume, 1u << LOSS_IDS },
    { FORMAT_DBCOP, make_for_dbcop, 0 },
    { FORMAT_COBRA, make_for_cobra, 0 },
    { FORMAT_JEPSEN_EDN, make_for_jepsen, 1u << LOSS_IDS | 1u << LOSS_ORIGINS },
    { FORMAT_JEPSEN_JSON, make_for_jepsen, 1u << LOSS_IDS | 1u << LOSS_ORIGINS },
    { FORMAT_ISOPREDICT, make_for_isopredict, 1u << LOSS_IDS | 1u << LOSS_VALUES },
};

static void expect_the_same(enum format format, const struct history *history)
{
    char *wanted = foreign_native(history), *found;
    struct history again;

    ASSERT_OK(format_write_history(history, format, path, NULL, &err), &err);
    ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &again, &err), &err);
    found = foreign_native(&again);
    if (strcmp(wanted, found) != 0)
        printf("%s\n", format_name(format));
    TEST_ASSERT_EQUAL_STRING(wanted, found);
    for (uint32_t key = 0; key < again.key_count; key++) {
        uint32_t before = history_find_key(history, history_key(&again, key));

        TEST_ASSERT_NOT_EQUAL(HISTORY_NONE, before);
        TEST_ASSERT_TRUE(history_initial(&again, key).kind ==
                         history_initial(history, before).kind);
    }
    history_close(&again);
    remove_all(path);
    free(wanted);
    free(found);
}

/* Whatever the format can carry comes back as it was, and nothing is said to be lost. */
static void what_a_format_carries_comes_back_as_it_was(void)
{
    struct random_key seed = random_key_of_seed(20);
    struct maker m = { .next_value = 1 };

    random_init(&m.random, &seed);
    for (size_t r = 0; r < ROW_COUNT(rows); r++)
        for (size_t round = 0; round < fixture_rounds(40); round++) {
            struct history history;
            uint32_t losses;

            m.next_value = 1;
            rows[r].make(&m);
            ASSERT_OK(builder_finish(&m.builder, &history, &err), &err);
            builder_close(&m.builder);
            ASSERT_OK(format_losses(&history, rows[r].format, &losses, &err), &err);
            TEST_ASSERT_EQUAL_HEX32_MESSAGE(0, losses & ~rows[r].losses,
                                            format_name(rows[r].format));
            expect_the_same(rows[r].format, &history);
            history_close(&history);
        }
}

/* Who begins at the moment when another ends was not after it, and is not afterwards. */
static void what_touches_in_time_still_overlaps(void)
{
    static const char lines[] =
        "{\"ordeal-history\":1,\"producer\":\"jepsen\"}\n"
        "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"at\":[1,5],\"ops\":[],\"origin\":[0,0]}\n"
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[5,5],\"ops\":[],\"origin\":[1,1]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[5,9],\"ops\":[],\"origin\":[2,2]}\n";
    struct history history;
    struct source source;

    ASSERT_OK(source_open_memory(&source, "input", lines, sizeof lines - 1, &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
    source_close(&source);
    expect_the_same(FORMAT_JEPSEN_EDN, &history);
    history_close(&history);
}

/* --- Losses ------------------------------------------------------------------------- */

#define TXN(id, session, status, rest)                                                             \
    "{\"txn\":" id ",\"session\":" session ",\"status\":\"" status "\"," rest "}\n"
#define W(key, value) "{\"w\":\"" key "\",\"v\":" value "}"
#define R(key, value) "{\"r\":\"" key "\",\"v\":" value "}"

static const struct {
    enum format format;
    const char *header, *lines;
    uint32_t losses;
} lossy[] = {
    { FORMAT_PLUME, ",\"initial\":{\"1\":0}",
      TXN("0", "0", "ok", "\"at\":[1,2],\"ops\":[" W("1", "5") "]"), 1u << LOSS_TIMES },
    { FORMAT_PLUME, ",\"initial\":{\"1\":0}",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "],\"ts\":4"), 1u << LOSS_CERTIFICATE },
    { FORMAT_PLUME, ",\"initial\":{\"1\":0}",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "]") "{\"version-order\":{\"1\":[0]}}\n",
      1u << LOSS_CERTIFICATE },
    { FORMAT_DBCOP, ",\"initial\":{\"1\":0}",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "]")
          TXN("1", "1", "abort", "\"ops\":[" W("1", "6") "]"),
      1u << LOSS_ABORTED },
    { FORMAT_COBRA, "",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "]")
          TXN("1", "1", "abort", "\"ops\":[" W("1", "6") "]"),
      1u << LOSS_ABORTED },
    { FORMAT_DBCOP, ",\"initial\":{\"1\":0}",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "]")
          TXN("1", "1", "unknown", "\"ops\":[" W("1", "6") "]"),
      1u << LOSS_UNKNOWN },
    { FORMAT_PLUME, ",\"initial\":{\"1\":0}",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "]") TXN("1", "0", "ok", "\"ops\":[]"),
      1u << LOSS_EMPTY },
    { FORMAT_ISOPREDICT, "", TXN("0", "1", "ok", "\"ops\":[" W("1", "9") "]"),
      1u << LOSS_VALUES | 1u << LOSS_IDS },
    { FORMAT_JEPSEN_EDN, "", TXN("0", "0", "ok", "\"ops\":[" W("1", "5") ",{\"r\":\"1\"}]"),
      1u << LOSS_REFUSED | 1u << LOSS_IDS },
    { FORMAT_JEPSEN_JSON, "",
      TXN("0", "0", "ok", "\"ops\":[{\"w\":\"1\",\"v\":2,\"error\":\"no\"}]"),
      1u << LOSS_REFUSED | 1u << LOSS_IDS },
    { FORMAT_COBRA, "",
      TXN("0", "0", "ok", "\"ops\":[{\"r\":\"1\",\"v\":null,\"lock\":\"share\"}]"),
      1u << LOSS_LOCKS },
    { FORMAT_DBCOP, ",\"initial\":{\"1\":0}", TXN("7", "0", "ok", "\"ops\":[" W("1", "5") "]"),
      1u << LOSS_IDS },
    { FORMAT_COBRA, "", TXN("7", "3", "ok", "\"ops\":[" W("1", "5") "]"), 1u << LOSS_IDS },
    { FORMAT_COBRA, "", TXN("7", "0", "ok", "\"ops\":[" W("x", "5") "]"), 1u << LOSS_KEYS },
    { FORMAT_COBRA, ",\"initial\":{\"1\":4}",
      TXN("7", "0", "ok", "\"ops\":[" R("1", "4") "," W("1", "5") "]"), 1u << LOSS_INITIAL },
    { FORMAT_PLUME, "", TXN("7", "0", "ok", "\"ops\":[" R("1", "null") "]"), 1u << LOSS_NULLS },
    { FORMAT_PLUME, ",\"initial\":{\"1\":0}",
      TXN("7", "0", "abort", "\"ops\":[" W("1", "5") "]")
          TXN("8", "0", "abort", "\"ops\":[" W("1", "6") "]"),
      1u << LOSS_MERGED | 1u << LOSS_IDS },
    { FORMAT_JEPSEN_EDN, "",
      TXN("0", "0", "abort", "\"ops\":[" R("1", "5") "]"), 1u << LOSS_ANSWERS | 1u << LOSS_IDS },
    { FORMAT_COBRA, "",
      TXN("0", "0", "unknown", "\"ops\":[" R("1", "5") "]"), 1u << LOSS_ANSWERS },
    { FORMAT_JEPSEN_JSON, "",
      TXN("0", "0", "unknown", "\"ops\":[" W("1", "5") "]")
          TXN("1", "0", "ok", "\"ops\":[" W("1", "6") "]"),
      1u << LOSS_SESSIONS | 1u << LOSS_IDS },
    { FORMAT_COBRA, "",
      TXN("0", "0", "unknown", "\"ops\":[" W("1", "5") "]")
          TXN("1", "0", "ok", "\"ops\":[" W("1", "6") "]"),
      1u << LOSS_SESSIONS | 1u << LOSS_IDS },
    { FORMAT_JEPSEN_EDN, "",
      TXN("0", "0", "ok", "\"at\":[1,9],\"ops\":[" W("1", "5") "]")
          TXN("1", "0", "ok", "\"at\":[9,10],\"ops\":[" W("1", "6") "]"),
      1u << LOSS_TIMES | 1u << LOSS_IDS },
    { FORMAT_COBRA, "", TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "],\"origin\":[4,0]"),
      1u << LOSS_ORIGINS },
    { FORMAT_JEPSEN_EDN, ",\"workload\":\"bank\"",
      TXN("0", "0", "ok", "\"ops\":[" W("1", "5") "]"), 1u << LOSS_HEADER | 1u << LOSS_IDS },
    { FORMAT_JEPSEN_EDN, "",
      TXN("0", "0", "ok", "\"at\":[1,9],\"ops\":[" W("1", "5") "]")
          TXN("1", "0", "ok", "\"at\":[2,8],\"ops\":[" W("1", "6") "]"),
      1u << LOSS_TIMES | 1u << LOSS_IDS },
};

static void read_native(const char *header, const char *lines, struct history *history)
{
    struct buffer text = { 0 };
    struct source source;

    buffer_print(&text, "{\"ordeal-history\":1%s}\n%s", header, lines);
    ASSERT_OK(source_open_memory(&source, "input", text.at, text.count, &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, history, &err), &err);
    source_close(&source);
    buffer_close(&text);
}

static void each_kind_of_loss_is_told_and_no_other(void)
{
    uint32_t seen = 0;

    for (size_t i = 0; i < ROW_COUNT(lossy); i++) {
        struct history history;
        uint32_t losses;
        char label[40];

        snprintf(label, sizeof label, "row %zu: %s", i, format_name(lossy[i].format));
        read_native(lossy[i].header, lossy[i].lines, &history);
        ASSERT_OK(format_losses(&history, lossy[i].format, &losses, &err), &err);
        TEST_ASSERT_EQUAL_HEX32_MESSAGE(lossy[i].losses, losses, label);
        ASSERT_OK(format_write_history(&history, lossy[i].format, path, NULL, &err), &err);
        history_close(&history);
        ASSERT_OK(format_read_history(path, lossy[i].format, NULL, &history, &err), &err);
        history_close(&history);
        remove_all(path);
        seen |= losses;
    }
    TEST_ASSERT_EQUAL_HEX32((1u << LOSS_COUNT) - 1, seen);
}

/* What would be another history is refused, and nothing is written. */
static void what_would_be_another_history_is_refused(void)
{
    static const struct {
        enum format format;
        const char *header, *lines, *why;
    } refused[] = {
        { FORMAT_COBRA, "", TXN("0", "0", "ok", "\"ops\":[{\"append\":\"1\",\"v\":5}]"),
          "this format has reads and writes alone, no appends and no deletes" },
        { FORMAT_COBRA, "", TXN("0", "0", "ok", "\"ops\":[" W("1", "\"a\"") "]"),
          "values of this format are numbers" },
        { FORMAT_COBRA, ",\"initial\":{\"1\":4}",
          TXN("0", "0", "ok", "\"ops\":[" W("1", "4") "]")
              TXN("1", "1", "ok", "\"ops\":[" R("1", "4") "]"),
          "transaction 1 may or may not have read what a key begins with: this format says which" },
        { FORMAT_COBRA, "", TXN("0", "0", "abort", "\"ops\":[]"),
          "no transaction may have committed: without one the logs are no history" },
        { FORMAT_PLUME, "", TXN("0", "0", "ok", "\"ops\":[" W("1", "0") "]"),
          "values of this format are numbers, and nobody writes the initial 0" },
        { FORMAT_PLUME, "", TXN("-4", "0", "ok", "\"ops\":[" W("1", "1") "]"),
          "transaction -4: ids of this format are not below 0" },
        { FORMAT_DBCOP, "", TXN("0", "0", "ok", "\"ops\":[" W("1", "-1") "]"),
          "values of this format are numbers from 0" },
        { FORMAT_DBCOP, ",\"initial\":{\"1\":4}", TXN("0", "0", "ok", "\"ops\":[" W("1", "1") "]"),
          "in this format every key begins with 0" },
        { FORMAT_JEPSEN_EDN, ",\"initial\":{\"1\":4}",
          TXN("0", "0", "ok", "\"ops\":[" W("1", "1") "]"),
          "in this format every key begins with nil" },
        { FORMAT_VIPER, "", TXN("0", "0", "ok", "\"ops\":[" W("1", "1") "]"),
          "histories in format viper are read, but not written" },
    };

    for (size_t i = 0; i < ROW_COUNT(refused); i++) {
        struct history history;

        read_native(refused[i].header, refused[i].lines, &history);
        err = (struct error){ 0 };
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, format_write_history(&history, refused[i].format, path,
                                                                 NULL, &err));
        TEST_ASSERT_EQUAL_STRING(refused[i].why, err.text);
        TEST_ASSERT_NOT_EQUAL(0, access(path, F_OK));
        history_close(&history);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_a_format_carries_comes_back_as_it_was);
    RUN_TEST(what_touches_in_time_still_overlaps);
    RUN_TEST(each_kind_of_loss_is_told_and_no_other);
    RUN_TEST(what_would_be_another_history_is_refused);
    return UNITY_END();
}
