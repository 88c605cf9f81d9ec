#include "tests/history/foreign/foreign_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void) {}

/* --- Registers with keys ----------------------------------------------------------- */

static void independent_registers_are_keys_of_their_own(void)
{
    foreign_expect(
        &foreign_jepsen_edn,
        "{:type :invoke, :process 0, :time 1, :f :write, :value [:x 5]}"
        "{:type :ok, :process 0, :time 2, :f :write, :value [:x 5]}"
        "{:type :invoke, :process 0, :time 3, :f :cas, :value [:x [5 6]]}"
        "{:type :ok, :process 0, :time 4, :f :cas, :value [:x [5 6]]}"
        "{:type :invoke, :process 0, :time 5, :f :read, :value [7 nil]}"
        "{:type :ok, :process 0, :time 6, :f :read, :value #jepsen.independent.Tuple[7 nil]}"
        "{:type :invoke, :process 0, :time 7, :f :read, :value [:x nil]}"
        "{:type :fail, :process 0, :time 8, :f :read, :value [:x nil], :error :timeout}",
        "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"w\":\":x\",\"v\":5}]}\n"
        "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[3,4],\"ops\":[{\"r\":\":x\",\"v\":5},"
        "{\"w\":\":x\",\"v\":6}]}\n"
        "{\"txn\":2,\"session\":0,\"status\":\"ok\",\"at\":[5,6],\"ops\":[{\"r\":\"7\",\"v\":null}]}"
        "\n"
        "{\"txn\":3,\"session\":0,\"status\":\"abort\",\"at\":[7,8],\"ops\":[{\"r\":\":x\"}]}\n");
    foreign_expect(
        &foreign_jepsen_json,
        "[{\"type\":\"ok\",\"process\":0,\"f\":\"read\",\"value\":[1,2]},\n"
        "{\"type\":\"ok\",\"process\":1,\"f\":\"write\",\"value\":[1,2]}]",
        "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":2}]}\n"
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"1\",\"v\":2}]}\n");
}

static void registers_with_and_without_keys_do_not_go_together(void)
{
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:type :ok, :process 0, :f :write, :value [1 5]}\n"
                           "{:type :ok, :process 0, :f :write, :value 5}",
                           2, "expected [key value], as the registers before have keys, found \"5}\"");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:type :ok, :process 0, :f :cas, :value [1 5]}\n"
                           "{:type :ok, :process 0, :f :cas, :value [1 [5 6]]}",
                           2,
                           "expected a value without a key, as the registers before, found \"[1 [5 "
                           "6]]}\"");
    foreign_expect_refusal(&foreign_jepsen_edn, "{:type :ok, :process 0, :f :write, :value [1 5 6]}",
                           1, "expected the end of [key value], found \"6]}\"");
}

/* --- Sets, counters, banks --------------------------------------------------------- */

static void expect_workload(const char *text, const char *name, const char *wanted)
{
    struct error err = { 0 };
    struct history history;
    char *found;

    ASSERT_OK(foreign_read_text(&foreign_jepsen_edn, text, strlen(text), &history, &err), &err);
    TEST_ASSERT_NOT_EQUAL(HISTORY_NONE, history.workload);
    TEST_ASSERT_TRUE(text_equal(history_text(&history, history.workload), text_of(name)));
    found = foreign_native(&history);
    history_close(&history);
    TEST_ASSERT_EQUAL_STRING(wanted, found);
    free(found);
}

static void what_is_added_to_a_set_is_appended_and_read_as_a_list(void)
{
    static const char wanted[] =
        "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"added\",\"v\":[]}]}\n"
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":3}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"unknown\",\"ops\":[{\"append\":\"added\",\"v\":4}]}\n"
        "{\"txn\":3,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"added\",\"v\":[3,4]}]}\n";

    expect_workload("{:process 0 :type :ok :f :read :value #{}}{:process 1 :type :ok :f :add :value 3}"
                    "{:process 2 :type :info :f :add :value 4}"
                    "{:process 0 :type :ok :f :read :value #{3 4}}",
                    "set", wanted);
    /* Before anything was added, a read of two elements is no register's [key value]. */
    expect_workload("{:process 0 :type :ok :f :read :value [3 4]}{:process 1 :type :ok :f :add :value 3}",
                    "set",
                    "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"added\",\"v\":[3,4]}]}\n"
                    "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":3}]}"
                    "\n");
}

/* A key of that name makes no set of registers. */
static void a_function_is_looked_for_and_no_word(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "{:process 0 :type :ok :f :read :value [:add 4]}"
                   "{:process 0 :type :ok :f :read :value [:transfer 5] :of :add}",
                   "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\":add\",\"v\":4}]}\n"
                   "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\":transfer\",\"v\":5}]}"
                   "\n");
    foreign_expect(&foreign_jepsen_json,
                   "[{\"process\":0,\"type\":\"ok\",\"f\":\"read\",\"value\":[3,4]},\n"
                   "{\"process\":0,\"type\":\"ok\",\"f\" : \"add\",\"value\":3}]",
                   "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"added\",\"v\":[3,4]}]}\n"
                   "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":3}]}"
                   "\n");
}

static void counters_are_read_as_numbers(void)
{
    expect_workload("{:process 1 :type :invoke :time 1 :f :add :value 3}"
                    "{:process 0 :type :invoke :time 2 :f :read :value nil}"
                    "{:process 0 :type :ok :time 3 :f :read :value 3}"
                    "{:process 0 :type :invoke :time 4 :f :read :value nil}"
                    "{:process 0 :type :fail :time 5 :f :read :value nil}",
                    "counter",
                    "{\"txn\":0,\"session\":1,\"status\":\"unknown\",\"at\":[1,null],\"ops\":[{"
                    "\"append\":\"added\",\"v\":3}]}\n"
                    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[2,3],\"ops\":[{\"r\":"
                    "\"added\",\"v\":3}]}\n"
                    "{\"txn\":2,\"session\":0,\"status\":\"abort\",\"at\":[4,5],\"ops\":[]}\n");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:process 1 :type :ok :f :add :value 3}\n"
                           "{:process 1 :type :ok :f :read :value 3}\n"
                           "{:process 1 :type :ok :f :read :value #{3}}",
                           3, "expected a number or a set, as in the reads before, found \"#{3}}\"");
}

static void a_bank_is_accounts_that_are_read_together(void)
{
    expect_workload("{:process 1 :type :ok :f :read :value {0 10, :a -5}}"
                    "{:process 0 :type :ok :f :transfer :value {:from 0 :to :a :amount 2}}"
                    "{:process 1 :type :ok :f :read :value [7 8]}",
                    "bank",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"0\",\"v\":10},"
                    "{\"r\":\":a\",\"v\":-5}]}\n"
                    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[]}\n"
                    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"0\",\"v\":7},"
                    "{\"r\":\"1\",\"v\":8}]}\n");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:process 1 :type :ok :f :transfer :value {}}\n"
                           "{:process 1 :type :ok :f :write :value 3}",
                           2,
                           "registers, sets or counters, banks, mutexes and comments are tests of "
                           "their own, and this has operations of two of them");
    /* Nobody transferred anything: a map of balances is a bank's all the same. */
    expect_workload("{:process 1 :type :ok :f :read :value {0 10}}", "bank",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"0\",\"v\":10}]}\n");
}

static void independent_sets_are_keys_of_their_own(void)
{
    expect_workload("{:process 1 :type :ok :f :add :value [4 3]}"
                    "{:process 1 :type :ok :f :read :value [4 #{3}]}",
                    "set",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"4\",\"v\":3}]}\n"
                    "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"4\",\"v\":[3]}]}\n");
    /* A read of three is no [key set]: the pairs are elements then, numbered as they come. */
    expect_workload("{:process 1 :type :ok :f :add :value [4 3]}"
                    "{:process 1 :type :ok :f :read :value [4 [4 3] 7]}",
                    "set",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":"
                    "-4611686018427387904}]}\n"
                    "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"added\",\"v\":[4,"
                    "-4611686018427387904,7]}]}\n");
}

/* What was added twice, and never read, is no set. */
static void what_is_never_read_is_a_set_unless_elements_repeat(void)
{
    expect_workload("{:process 1 :type :ok :f :add :value 3}", "set",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":3}]}"
                    "\n");
    expect_workload("{:process 1 :type :ok :f :add :value 3}{:process 1 :type :ok :f :add :value 3}",
                    "counter",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":3}]}\n"
                    "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"added\",\"v\":3}]}"
                    "\n");
}

static void a_mutex_is_a_register_that_is_compared_and_set(void)
{
    expect_workload("{:process 1 :type :ok :f :acquire :value nil}{:process 2 :type :info :f :acquire}"
                    "{:process 1 :type :ok :f :release}{:process 1 :type :fail :f :release :value [3 nil]}",
                    "mutex",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"mutex\",\"v\":false},"
                    "{\"w\":\"mutex\",\"v\":true}]}\n"
                    "{\"txn\":1,\"session\":2,\"status\":\"unknown\",\"ops\":[{\"r\":\"mutex\"},"
                    "{\"w\":\"mutex\",\"v\":true}]}\n"
                    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"mutex\",\"v\":true},"
                    "{\"w\":\"mutex\",\"v\":false}]}\n"
                    "{\"txn\":3,\"session\":1,\"status\":\"abort\",\"ops\":[{\"r\":\"3\"},"
                    "{\"w\":\"3\",\"v\":false}]}\n");
}

/* Each write is a key, and each read is of all keys: of those that nobody wrote, too. */
static void comments_are_keys_that_are_read_together(void)
{
    expect_workload("{:process 1 :type :ok :f :write :value 3}{:process 1 :type :info :f :write :value 5}"
                    "{:process 2 :type :ok :f :read :value #{4 3}}{:process 2 :type :fail :f :read}",
                    "comments",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"3\",\"v\":true}]}\n"
                    "{\"txn\":1,\"session\":1,\"status\":\"unknown\",\"ops\":[{\"w\":\"5\",\"v\":true}]}\n"
                    "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"ops\":[{\"r\":\"3\",\"v\":true},"
                    "{\"r\":\"5\",\"v\":null},{\"r\":\"4\",\"v\":true}]}\n"
                    "{\"txn\":3,\"session\":2,\"status\":\"abort\",\"ops\":[]}\n");
    expect_workload("{:process 1 :type :ok :f :write :value [0 3]}{:process 1 :type :ok :f :write :value [1 5]}"
                    "{:process 2 :type :ok :f :read :value [0 (3)]}",
                    "comments",
                    "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"0/3\",\"v\":true}]}\n"
                    "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"1/5\",\"v\":true}]}\n"
                    "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"ops\":[{\"r\":\"0/3\",\"v\":true}]}\n");
}

static void reads_and_writes_of_several_keys_are_transactions(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "({:process 1 :type :invoke :f :write :value [[:w 0 1]]}"
                   "{:process 1 :type :info :f :write}"
                   "{:process 2 :type :invoke :f :read :value ([:r 0 nil] [:r 1 nil])}"
                   "{:process 2 :type :ok :f :read :value ([:r 0 1] [:r 1 nil])}"
                   "{:process 2 :type :invoke :f :txn :value [[:read 0 nil] [:write 1 7]]}"
                   "{:process 2 :type :ok :value [[:read 0 1] [:write 1 7]]})",
                   "{\"txn\":0,\"session\":1,\"status\":\"unknown\",\"at\":[1,null],\"ops\":[{\"w\":"
                   "\"0\",\"v\":1}]}\n"
                   "{\"txn\":1,\"session\":2,\"status\":\"ok\",\"at\":[3,4],\"ops\":[{\"r\":\"0\",\"v\":"
                   "1},{\"r\":\"1\",\"v\":null}]}\n"
                   "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[5,6],\"ops\":[{\"r\":\"0\",\"v\":"
                   "1},{\"w\":\"1\",\"v\":7}]}\n");
    foreign_expect_refusal(&foreign_jepsen_edn, "({:process 1 :type :ok :value [[:r 0 1])})", 1,
                           "expected a value, found \")})\"");
}

/* --- The order of events ------------------------------------------------------------- */

/* Positions decide: T0 is over before T1 begins, whatever their times. */
static void the_order_of_events_is_that_of_the_file(void)
{
    static const struct {
        const char *what, *times[4], *at[2];
    } rows[] = {
        { "times that rise", { ":time 10", ":time 20", ":time 30", ":time 40" },
          { "[10,20]", "[30,40]" } },
        { "no times", { "", "", "", "" }, { "[1,2]", "[3,4]" } },
        { "one is missing", { ":time 10", "", ":time 30", ":time 40" }, { "[10,11]", "[30,40]" } },
        { "ties", { ":time 10", ":time 10", ":time 10", ":time 10" }, { "[10,10]", "[11,11]" } },
        { "back", { ":time 10", ":time 20", ":time 5", ":time 6" }, { "[10,20]", "[21,21]" } },
        { "before all times", { ":time -4", ":time 1", ":time 3", ":time 3" },
          { "[1,1]", "[3,3]" } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct buffer text = { 0 }, wanted = { 0 };

        buffer_print(&text,
                     "{:process 0 :type :invoke :f :write :value 1 %s}"
                     "{:process 0 :type :ok :f :write :value 1 %s}"
                     "{:process 1 :type :invoke :f :write :value 2 %s}"
                     "{:process 1 :type :ok :f :write :value 2 %s}%c",
                     rows[i].times[0], rows[i].times[1], rows[i].times[2], rows[i].times[3], '\0');
        buffer_print(&wanted,
                     "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"at\":%s,\"ops\":[{\"w\":"
                     "\"register\",\"v\":1}]}\n"
                     "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":%s,\"ops\":[{\"w\":"
                     "\"register\",\"v\":2}]}\n%c",
                     rows[i].at[0], rows[i].at[1], '\0');
        foreign_expect(&foreign_jepsen_edn, text.at, wanted.at);
        buffer_close(&text);
        buffer_close(&wanted);
    }
}

/* Two that overlap still do if all four events have one time. */
static void what_overlaps_at_one_moment_still_overlaps(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "{:process 0 :type :invoke :f :write :value 1 :time 7}"
                   "{:process 1 :type :invoke :f :write :value 2 :time 7}"
                   "{:process 0 :type :ok :f :write :value 1 :time 7}"
                   "{:process 1 :type :ok :f :write :value 2 :time 7}",
                   "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"at\":[7,7],\"ops\":[{\"w\":"
                   "\"register\",\"v\":1}]}\n"
                   "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[7,7],\"ops\":[{\"w\":"
                   "\"register\",\"v\":2}]}\n");
}

/* Indexes that are all there, and differ, say in which order events happened. */
static void indexes_go_before_places_in_the_file(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "{:index 2 :process 0 :type :invoke :value [[:w 1 2]]}"
                   "{:index 3 :process 0 :type :ok :value [[:w 1 2]]}"
                   "{:index 0 :process 0 :type :invoke :value [[:w 1 1]]}"
                   "{:index 1 :process 0 :type :ok :value [[:w 1 1]]}",
                   "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"w\":\"1\",\"v\":"
                   "1}],\"origin\":[0,0]}\n"
                   "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[3,4],\"ops\":[{\"w\":\"1\",\"v\":"
                   "2}],\"origin\":[2,0]}\n");
}

/* --- Processes that are none ------------------------------------------------------- */

/* Some published histories call every client 0: what completes is told by what it does. */
static void overlapping_operations_of_one_process_are_sessions_of_their_own(void)
{
    foreign_expect(
        &foreign_jepsen_edn,
        "{:index 0 :type :invoke, :process 0, :time 1, :f :txn, :value [[:r 1 nil] [:append 1 7]]}"
        "{:index 1 :type :invoke, :process 0, :time 2, :f :txn, :value [[:append 1 8]]}"
        "{:index 2 :type :ok, :process 0, :time 3, :f :txn, :value [[:r 1 []] [:append 1 7]]}"
        "{:index 3 :type :ok, :process 0, :time 4, :f :txn, :value [[:append 1 8]]}"
        "{:index 4 :type :invoke, :process 0, :time 5, :f :txn, :value [[:append 1 9]]}"
        "{:index 5 :type :fail, :process 0, :time 6, :f :txn, :value [[:append 1 9]]}",
        "{\"txn\":0,\"session\":-3,\"status\":\"ok\",\"at\":[1,3],\"ops\":[{\"r\":\"1\",\"v\":[]},"
        "{\"append\":\"1\",\"v\":7}],\"origin\":[0,0]}\n"
        "{\"txn\":1,\"session\":-4,\"status\":\"ok\",\"at\":[2,4],\"ops\":[{\"append\":\"1\",\"v\":8}"
        "],\"origin\":[1,0]}\n"
        "{\"txn\":2,\"session\":-5,\"status\":\"abort\",\"at\":[5,6],\"ops\":[{\"append\":\"1\","
        "\"v\":9}],\"origin\":[4,0]}\n");
}

/* Of two that are alike nobody knows which completed: both may have begun with the first. */
static void overlapping_operations_that_are_alike_begin_with_the_first(void)
{
    foreign_expect(
        &foreign_jepsen_edn,
        "{:type :invoke, :process 0, :time 1, :f :read, :value nil}"
        "{:type :invoke, :process 0, :time 2, :f :read, :value nil}"
        "{:type :ok, :process 0, :time 3, :f :read, :value 1}"
        "{:type :ok, :process 0, :time 4, :f :read, :value nil}",
        "{\"txn\":0,\"session\":-3,\"status\":\"ok\",\"at\":[1,4],\"ops\":[{\"r\":\"register\",\"v\":"
        "null}]}\n"
        "{\"txn\":1,\"session\":-4,\"status\":\"ok\",\"at\":[1,3],\"ops\":[{\"r\":\"register\",\"v\":"
        "1}]}\n");
}

/* A process that begins again, and never completes what it did before, lost it. */
static void what_is_never_completed_is_of_unknown_outcome(void)
{
    foreign_expect(
        &foreign_jepsen_edn,
        "{:type :invoke, :process 0, :time 1, :f :write, :value 1}"
        "{:type :invoke, :process 0, :time 2, :f :write, :value 2}"
        "{:type :ok, :process 0, :time 3, :f :write, :value 2}",
        "{\"txn\":0,\"session\":0,\"status\":\"unknown\",\"at\":[1,null],\"ops\":[{\"w\":"
        "\"register\",\"v\":1}]}\n"
        "{\"txn\":1,\"session\":-2,\"status\":\"ok\",\"at\":[2,3],\"ops\":[{\"w\":\"register\",\"v\":"
        "2}]}\n");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:type :invoke, :process 0, :time 1, :f :write, :value 1}\n"
                           "{:type :ok, :process 0, :time 1, :f :write, :value 1}\n"
                           "{:type :ok, :process 0, :time 1, :f :write, :value 1}",
                           3, "process 0 completes what it did not invoke");
}

/* However many it begins: what it does takes a time that grows with the file. */
static void a_process_that_begins_without_end_is_read_in_time(void)
{
    struct buffer text = { 0 };
    struct error err = { 0 };
    struct history history;

    for (int i = 0; i < 20000; i++)
        buffer_print(&text, "{:type :invoke, :process 0, :time %d, :f :write, :value %d}\n", i, i);
    for (int i = 19999; i >= 20000 - 100; i--)
        buffer_print(&text, "{:type :ok, :process 0, :time %d, :f :write, :value %d}\n", 40000 - i,
                     i);
    ASSERT_OK(foreign_read_text(&foreign_jepsen_edn, text.at, text.count, &history, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(20000, history.txn_count);
    TEST_ASSERT_EQUAL(TXN_UNKNOWN, history.txn_status[19000]);
    TEST_ASSERT_EQUAL(TXN_OK, history.txn_status[19950]);
    history_close(&history);
    buffer_close(&text);
}

/* --- Fields ------------------------------------------------------------------------ */

/* An operation that loses its process would be left out in silence, like one of the nemesis. */
static void an_operation_has_a_process(void)
{
    foreign_expect(&foreign_jepsen_edn, "{:type :info :process :nemesis :f :start :value nil}", "");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:type :ok :process 1 :f :txn :value []}\n{:type :ok :f :txn :value []}", 2,
                           "an operation has no :process, and others have one");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:type :ok :process nil :f :txn :value []}\n"
                           "{:type :ok :process 1 :f :txn :value []}",
                           2, "an operation has no :process, and others have one");
}

/* Where none has a process, what completes is told by what it does, and no two are of one session. */
static void a_history_may_have_no_processes_at_all(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "{:type :invoke :value [[:r 1 nil]]}{:type :invoke :value [[:w 1 2]]}"
                   "{:type :ok :value [[:w 1 2]]}{:type :ok :value [[:r 1 2]]}",
                   "{\"txn\":0,\"session\":-3,\"status\":\"ok\",\"at\":[1,4],\"ops\":[{\"r\":\"1\",\"v\":"
                   "2}]}\n"
                   "{\"txn\":1,\"session\":-4,\"status\":\"ok\",\"at\":[2,3],\"ops\":[{\"w\":\"1\",\"v\":"
                   "2}]}\n");
}

/* What was rolled back, and reads without an answer, need no value; other writes do. */
static void a_value_may_be_missing_where_it_says_nothing(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "{:process 0 :type :invoke :f :read}{:process 0 :type :info :f :read}"
                   "{:process 1 :type :invoke :f :write :value 1}{:process 1 :type :info}",
                   "{\"txn\":0,\"session\":0,\"status\":\"unknown\",\"at\":[1,null],\"ops\":[]}\n"
                   "{\"txn\":1,\"session\":1,\"status\":\"unknown\",\"at\":[3,null],\"ops\":[{\"w\":"
                   "\"register\",\"v\":1}]}\n");
    foreign_expect_refusal(&foreign_jepsen_edn, "{:process 0 :type :info :f :write}", 1,
                           "transaction 0 has no :value");
}

static void an_operation_is_known_by_its_type_too(void)
{
    TEST_ASSERT_TRUE(foreign_jepsen_edn.is_it(TEXT("{:value [[:r 1 nil]], :type :ok, :x")));
    TEST_ASSERT_TRUE(foreign_jepsen_json.is_it(TEXT("[{\"type\":\"invoke\",\"value\":[[\"r\"")));
    TEST_ASSERT_FALSE(foreign_jepsen_edn.is_it(TEXT("{:type :good, :value [[:r 1 nil]]")));
}

static void a_field_that_comes_twice_is_refused(void)
{
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:process 0 :type :ok :type :fail :f :txn :value []}", 1,
                           "expected no second field of that name, found \" :fail :f :txn :valu\"");
}

static void json_is_held_to_its_commas_and_colons(void)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        { "[{\"process\":1,\"type\":\"ok\",\"f\":\"txn\" \"value\":[]}]",
          "expected a comma, found \"\"value\":[]}]\"" },
        { "[{\"process\":1,,\"type\":\"ok\",\"f\":\"txn\"}]",
          "expected the name of a field, found \",,\"type\":\"ok\",\"f\":\"t\"" },
        { "[{\"process\":1,\"type\",\"ok\"}]", "expected a colon, found \",\"ok\"}]\"" },
        { "[{\"process\":1,\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"r\",1,[1 2]]]}]",
          "expected a comma, found \"2]]]}]\"" },
        { "[{\"process\":1,\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"r\",1,[1,]]]}]",
          "expected an element, a number, found \",]]]}]\"" },
        { "[{\"process\":1,\"type\":\"ok\",\"f\":\"txn\",\"value\":[]} {\"process\":2}]",
          "expected a comma, found \"{\"process\":2}]\"" },
        { "[{\"process\":+1,\"type\":\"ok\",\"f\":\"txn\",\"value\":[]}]",
          "expected a process, found \"+1,\"type\":\"ok\",\"f\":\"\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        foreign_expect_refusal(&foreign_jepsen_json, rows[i].text, 1, rows[i].why);
}

static void what_is_passed_over_may_be_anything_that_is_balanced(void)
{
    foreign_expect(&foreign_jepsen_edn,
                   "{:process 0, :type :ok, :f :txn, :x {:a#b [\\] c\\d #{1 ; ]\n} #_ [3] 2.5 #\"]\"]}, "
                   ":value [[:w 1 2]]}",
                   "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"1\",\"v\":2}]}\n");
    foreign_expect_refusal(&foreign_jepsen_edn,
                           "{:process 0, :type :ok, :f :txn, :x [1 (2] 3), :value []}", 1,
                           "expected a value, found \"] 3), :value []}\"");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(independent_registers_are_keys_of_their_own);
    RUN_TEST(registers_with_and_without_keys_do_not_go_together);
    RUN_TEST(what_is_added_to_a_set_is_appended_and_read_as_a_list);
    RUN_TEST(a_function_is_looked_for_and_no_word);
    RUN_TEST(counters_are_read_as_numbers);
    RUN_TEST(a_bank_is_accounts_that_are_read_together);
    RUN_TEST(independent_sets_are_keys_of_their_own);
    RUN_TEST(what_is_never_read_is_a_set_unless_elements_repeat);
    RUN_TEST(a_mutex_is_a_register_that_is_compared_and_set);
    RUN_TEST(comments_are_keys_that_are_read_together);
    RUN_TEST(reads_and_writes_of_several_keys_are_transactions);
    RUN_TEST(the_order_of_events_is_that_of_the_file);
    RUN_TEST(what_overlaps_at_one_moment_still_overlaps);
    RUN_TEST(indexes_go_before_places_in_the_file);
    RUN_TEST(overlapping_operations_of_one_process_are_sessions_of_their_own);
    RUN_TEST(overlapping_operations_that_are_alike_begin_with_the_first);
    RUN_TEST(what_is_never_completed_is_of_unknown_outcome);
    RUN_TEST(a_process_that_begins_without_end_is_read_in_time);
    RUN_TEST(an_operation_has_a_process);
    RUN_TEST(a_history_may_have_no_processes_at_all);
    RUN_TEST(a_value_may_be_missing_where_it_says_nothing);
    RUN_TEST(an_operation_is_known_by_its_type_too);
    RUN_TEST(a_field_that_comes_twice_is_refused);
    RUN_TEST(json_is_held_to_its_commas_and_colons);
    RUN_TEST(what_is_passed_over_may_be_anything_that_is_balanced);
    return UNITY_END();
}
