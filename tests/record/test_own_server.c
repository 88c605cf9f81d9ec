#include "record/own_server.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/record/process_state.h"
#include "unity.h"

#define NODES 4

static struct own_server server;
static struct error err;
static bool is_felt;

void setUp(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, own_server_open(&server, NODES, 0, &err), err.text);
}

void tearDown(void)
{
    own_server_close(&server);
}

static void start(unsigned node, const char *script)
{
    const char *argv[] = { "/bin/sh", "-c", script, NULL };

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, own_server_start(&server, node, argv, &err), err.text);
}

/* Until the node has said so much, for at most five seconds. */
static void wait_for_words(unsigned node, const char *wanted)
{
    char words[100] = "";

    for (int i = 0; i < 500 && strcmp(words, wanted) != 0; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        own_server_last_words(&server, node, words, sizeof words);
    }
    TEST_ASSERT_EQUAL_STRING(wanted, words);
}

static void nodes_live_and_die_by_themselves(void)
{
    start(0, "echo one; exec sleep 60");
    start(3, "echo two; exec sleep 60");
    wait_for_words(0, "one");
    wait_for_words(3, "two");
    TEST_ASSERT_EQUAL(STATUS_OK, own_server_fault(&server, DATABASE_KILL, true, 0, &is_felt, &err));
    TEST_ASSERT_TRUE(is_felt);
    TEST_ASSERT_FALSE(own_server_is_alive(&server, 0));
    TEST_ASSERT_TRUE(own_server_is_alive(&server, 3));
    TEST_ASSERT_EQUAL(STATUS_IO, own_server_fault(&server, DATABASE_KILL, true, 0, &is_felt, &err));
    TEST_ASSERT_EQUAL_STRING("the server had ended by itself", err.text);
    start(0, "echo again; exec sleep 60");
    wait_for_words(0, "again");
}

static void a_node_that_ends_is_not_alive(void)
{
    start(1, "echo 'no such port'");
    for (int i = 0; i < 500 && own_server_is_alive(&server, 1); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    TEST_ASSERT_FALSE(own_server_is_alive(&server, 1));
    wait_for_words(1, "no such port");
}

static void a_pause_stops_a_node_and_its_children_and_ends(void)
{
    start(0, "sleep 60 & echo $!; wait");
    char words[100] = "";
    int child = 0;

    for (int i = 0; i < 500 && child == 0; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        own_server_last_words(&server, 0, words, sizeof words);
        sscanf(words, "%d", &child);
    }
    TEST_ASSERT_GREATER_THAN_INT(0, child);
    TEST_ASSERT_EQUAL(STATUS_OK,
                      own_server_fault(&server, DATABASE_PAUSE, true, 0, &is_felt, &err));
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    TEST_ASSERT_EQUAL_INT('T', state_of(server.pids[0]));
    TEST_ASSERT_EQUAL_INT('T', state_of((pid_t)child));
    TEST_ASSERT_EQUAL(STATUS_OK,
                      own_server_fault(&server, DATABASE_PAUSE, false, 0, &is_felt, &err));
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    TEST_ASSERT_EQUAL_INT('S', state_of(server.pids[0]));
    TEST_ASSERT_EQUAL_INT('S', state_of((pid_t)child));
}

static void closing_ends_all_of_them_and_the_folder_even_if_one_is_stopped(void)
{
    char folder[OWN_SERVER_PATH_SIZE];
    pid_t pids[2];

    start(0, "exec sleep 60");
    start(1, "exec sleep 60");
    pids[0] = server.pids[0];
    pids[1] = server.pids[1];
    snprintf(folder, sizeof folder, "%s", server.folder);
    TEST_ASSERT_EQUAL(STATUS_OK,
                      own_server_fault(&server, DATABASE_PAUSE, true, 1, &is_felt, &err));
    own_server_close(&server);
    TEST_ASSERT_EQUAL_INT(-1, kill(pids[0], 0));
    TEST_ASSERT_EQUAL_INT(-1, kill(pids[1], 0));
    TEST_ASSERT_EQUAL_INT(-1, access(folder, F_OK));
}

/* False: it may not suffer this fault here, and err says why. */
static bool reopen(unsigned node_count, enum database_fault fault)
{
    own_server_close(&server);
    return own_server_open(&server, node_count, DATABASE_FAULT_BIT(fault), &err) == STATUS_OK;
}

static bool can_write(const char *name)
{
    char path[OWN_SERVER_PATH_SIZE + 64], bytes[8192] = "";
    FILE *file;
    bool is_written;

    snprintf(path, sizeof path, "%s/%s", server.folder, name);
    file = fopen(path, "we");
    TEST_ASSERT_NOT_NULL(file);
    is_written = fwrite(bytes, sizeof bytes, 1, file) == 1;
    return fclose(file) == 0 && is_written;
}

static void a_full_disk_is_full_for_one_node(void)
{
    char folder[OWN_SERVER_PATH_SIZE];

    TEST_ASSERT_TRUE(reopen(2, DATABASE_DISK_FULL));
    if (own_server_make_data(&server, 0, "data0", &err) != STATUS_OK)
        TEST_IGNORE_MESSAGE(err.text);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, own_server_make_data(&server, 1, "data1", &err), err.text);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "data0/a" : "data0/b";

        TEST_ASSERT_TRUE(can_write("data0/c"));
        TEST_ASSERT_EQUAL(STATUS_OK,
                          own_server_fault(&server, DATABASE_DISK_FULL, true, 0, &is_felt, &err));
        TEST_ASSERT_FALSE(can_write(name));
        TEST_ASSERT_TRUE(can_write("data1/b"));
        TEST_ASSERT_EQUAL(STATUS_OK,
                          own_server_fault(&server, DATABASE_DISK_FULL, false, 0, &is_felt, &err));
        TEST_ASSERT_TRUE(can_write(name));
    }
    snprintf(folder, sizeof folder, "%s", server.folder);
    own_server_close(&server);
    TEST_ASSERT_EQUAL_INT(-1, access(folder, F_OK));
}

/* The fault ends when the node says so, or soon. */
static bool feels(enum database_fault fault, const char *until)
{
    is_felt = false;
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, own_server_fault(&server, fault, true, 0, &is_felt, &err),
                              err.text);
    if (until)
        wait_for_words(0, until);
    else
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, own_server_fault(&server, fault, false, 0, &is_felt, &err),
                              err.text);
    return is_felt;
}

static void a_full_disk_is_felt_by_a_node_that_says_so_or_ends(void)
{
    TEST_ASSERT_TRUE(reopen(1, DATABASE_DISK_FULL));
    if (own_server_make_data(&server, 0, "data0", &err) != STATUS_OK)
        TEST_IGNORE_MESSAGE(err.text);
    start(0, "echo 'write: No space left on device'; exec sleep 60");
    wait_for_words(0, "write: No space left on device");
    TEST_ASSERT_FALSE_MESSAGE(feels(DATABASE_DISK_FULL, NULL), "said before");
    own_server_kill(&server, 0);
    start(0, "while head -c 9000 /dev/zero >>data0/file; do :; done 2>/dev/null; echo is full; "
             "exec sleep 60");
    TEST_ASSERT_TRUE_MESSAGE(feels(DATABASE_DISK_FULL, "is full"), "said meanwhile");
    own_server_kill(&server, 0);
    TEST_ASSERT_TRUE_MESSAGE(feels(DATABASE_DISK_FULL, NULL), "ended");
}

static void a_wrong_clock_is_felt_by_a_node_that_asks_for_the_time(void)
{
    const char *idle[] = { "/bin/sleep", "60", NULL },
               *asking[] = { "/bin/sh", "-c", "while sleep 0.01; do date >/dev/null; done", NULL };

    TEST_ASSERT_TRUE(reopen(1, DATABASE_CLOCK));
    if (own_server_start(&server, 0, idle, &err) != STATUS_OK)
        TEST_IGNORE_MESSAGE(err.text);
    nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL); /* it asks as it begins */
    TEST_ASSERT_FALSE(feels(DATABASE_CLOCK, NULL));
    own_server_kill(&server, 0);
    TEST_ASSERT_EQUAL(STATUS_OK, own_server_start(&server, 0, asking, &err));
    nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
    TEST_ASSERT_TRUE(feels(DATABASE_CLOCK, NULL));
}

static long seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (long)now.tv_sec;
}

/* A node that starts has the right time, so it says it again and again. */
static void a_wrong_clock_is_wrong_for_a_while(void)
{
    char words[100] = "";
    const char *argv[] = { "/bin/sh", "-c", "while sleep 0.05; do date +%s; done", NULL };
    long says;

    TEST_ASSERT_TRUE(reopen(1, DATABASE_CLOCK));
    if (own_server_start(&server, 0, argv, &err) != STATUS_OK)
        TEST_IGNORE_MESSAGE(err.text);
    for (int turn = 0; turn < 2; turn++) {
        long by = 0;

        TEST_ASSERT_EQUAL(STATUS_OK,
                          own_server_fault(&server, DATABASE_CLOCK, true, 0, &is_felt, &err));
        for (int i = 0; i < 500 && (turn == 0 ? by < 3 : by > -3); i++) {
            nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
            own_server_last_words(&server, 0, words, sizeof words);
            if (sscanf(words, "%ld", &says) == 1)
                by = says - seconds_now();
        }
        TEST_ASSERT_TRUE_MESSAGE(turn == 0 ? by >= 3 : by <= -3, words);
        TEST_ASSERT_EQUAL(STATUS_OK,
                          own_server_fault(&server, DATABASE_CLOCK, false, 0, &is_felt, &err));
    }
}

static void what_faults_cannot_do_is_refused(void)
{
    TEST_ASSERT_FALSE(reopen(1, DATABASE_PARTITION));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "needs another --topology"));
}

static void free_ports_are_all_different(void)
{
    unsigned ports[8];

    TEST_ASSERT_EQUAL(STATUS_OK, own_server_free_ports(ports, 8, &err));
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++)
            TEST_ASSERT_NOT_EQUAL(ports[k], ports[i]);
}

static void of_a_program_that_fails_the_last_complaint_is_told(void)
{
    const char *argv[] = { "/bin/sh", "-c",
                           "echo one; echo 'sh: error: no room'; echo tidying up; exit 1", NULL };

    TEST_ASSERT_EQUAL(STATUS_IO, own_server_run(&server, argv, &err));
    TEST_ASSERT_EQUAL_STRING("/bin/sh failed: sh: error: no room", err.text);
}

/* In a process that is killed meanwhile: a program that would make files in the folder later, as initdb does. */
static void run_for_long(int told)
{
    struct own_server theirs;
    char script[OWN_SERVER_PATH_SIZE + 100];
    const char *argv[] = { "/bin/sh", "-c", script, NULL };

    if (own_server_open(&theirs, 0, 0, &err) != STATUS_OK)
        _exit(1);
    snprintf(script, sizeof script, "touch begun; sleep 0.5; mkdir -p %s/data", theirs.folder);
    if (write(told, theirs.folder, sizeof theirs.folder) != (ssize_t)sizeof theirs.folder)
        _exit(1);
    _exit(own_server_run(&theirs, argv, &err) != STATUS_OK);
}

static void wait_for_file(const char *path, bool is_there)
{
    for (int i = 0; i < 500 && (access(path, F_OK) == 0) != is_there; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    TEST_ASSERT_EQUAL_MESSAGE(is_there, access(path, F_OK) == 0, path);
}

static void a_program_that_runs_when_we_are_killed_is_killed_and_leaves_nothing(void)
{
    char folder[OWN_SERVER_PATH_SIZE], file[OWN_SERVER_PATH_SIZE + 10];
    int ends[2];
    pid_t killed;

    TEST_ASSERT_EQUAL(0, pipe(ends));
    killed = fork();
    if (killed == 0)
        run_for_long(ends[1]);
    TEST_ASSERT_EQUAL(sizeof folder, read(ends[0], folder, sizeof folder));
    close(ends[0]);
    close(ends[1]);
    snprintf(file, sizeof file, "%s/begun", folder);
    wait_for_file(file, true);
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    wait_for_file(folder, false);
    nanosleep(&(struct timespec){ .tv_nsec = 700000000 }, NULL);
    wait_for_file(folder, false);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nodes_live_and_die_by_themselves);
    RUN_TEST(a_node_that_ends_is_not_alive);
    RUN_TEST(a_pause_stops_a_node_and_its_children_and_ends);
    RUN_TEST(closing_ends_all_of_them_and_the_folder_even_if_one_is_stopped);
    RUN_TEST(of_a_program_that_fails_the_last_complaint_is_told);
    RUN_TEST(a_program_that_runs_when_we_are_killed_is_killed_and_leaves_nothing);
    RUN_TEST(a_full_disk_is_full_for_one_node);
    RUN_TEST(a_full_disk_is_felt_by_a_node_that_says_so_or_ends);
    RUN_TEST(a_wrong_clock_is_wrong_for_a_while);
    RUN_TEST(a_wrong_clock_is_felt_by_a_node_that_asks_for_the_time);
    RUN_TEST(what_faults_cannot_do_is_refused);
    RUN_TEST(free_ports_are_all_different);
    return UNITY_END();
}
