#include "record/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unity.h"

#define NODES 3
#define HUB NODES
#define PORT 4001

static struct network network;
static struct error err;

void setUp(void)
{
    if (network_open(&network, NODES, false, &err) != STATUS_OK) {
        TEST_ASSERT_FALSE(network.is_open);
        TEST_IGNORE_MESSAGE(err.text);
    }
}

void tearDown(void)
{
    network_close(&network);
}

/* A socket belongs to the namespace of the thread that has made it. */
struct visit {
    unsigned node;
    int socket;
};

static void *make_socket(void *context)
{
    struct visit *visit = context;

    if (visit->node == HUB || network_enter(&network, visit->node))
        visit->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return NULL;
}

static int socket_of(unsigned node)
{
    struct visit visit = { node, -1 };
    pthread_t thread;

    TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, make_socket, &visit));
    pthread_join(thread, NULL);
    TEST_ASSERT_GREATER_OR_EQUAL_INT(0, visit.socket);
    return visit.socket;
}

static struct sockaddr_in address_of(unsigned node)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    char text[NETWORK_ADDRESS_SIZE];

    network_address(node, text);
    TEST_ASSERT_EQUAL(1, inet_pton(AF_INET, text, &address.sin_addr));
    return address;
}

/* Whether a connection comes about within a third of a second. */
static bool reaches(unsigned from, unsigned to)
{
    struct sockaddr_in address = address_of(to);
    int server = socket_of(to), client = socket_of(from), how = -1;
    socklen_t size = sizeof how;
    struct pollfd waiting = { .fd = client, .events = POLLOUT };
    bool is_there = false;

    TEST_ASSERT_EQUAL(0, setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)));
    TEST_ASSERT_EQUAL(0, bind(server, (struct sockaddr *)&address, sizeof address));
    TEST_ASSERT_EQUAL(0, listen(server, 1));
    TEST_ASSERT_EQUAL(0, fcntl(client, F_SETFL, O_NONBLOCK));
    (void)!connect(client, (struct sockaddr *)&address, sizeof address);
    if (poll(&waiting, 1, 333) == 1 && getsockopt(client, SOL_SOCKET, SO_ERROR, &how, &size) == 0)
        is_there = how == 0;
    close(client);
    close(server);
    return is_there;
}

static void check_all(unsigned parted, const char *when)
{
    for (unsigned from = 0; from <= HUB; from++)
        for (unsigned to = 0; to < NODES; to++) {
            bool crosses = from != HUB && from != to && (from == parted || to == parted);
            char which[64];

            snprintf(which, sizeof which, "%s, from %u to %u", when, from, to);
            TEST_ASSERT_EQUAL_MESSAGE(!crosses, reaches(from, to), which);
        }
}

static void nodes_and_the_hub_reach_every_node(void)
{
    check_all(NODES + 1, "whole");
}

static void a_parted_node_is_reached_by_the_hub_alone(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, network_part(&network, 1, true, &err), err.text);
    check_all(1, "parted");
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, network_part(&network, 1, false, &err), err.text);
    check_all(NODES + 1, "whole again");
}

static void a_partition_is_known_by_what_it_drops(void)
{
    uint64_t before = network_dropped();

    check_all(NODES + 1, "whole");
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(before, network_dropped(), "nothing is dropped");
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, network_part(&network, 1, true, &err), err.text);
    TEST_ASSERT_TRUE(reaches(0, 2));
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(before, network_dropped(), "the others still talk");
    TEST_ASSERT_FALSE(reaches(0, 1));
    TEST_ASSERT_TRUE(network_dropped() > before);
}

static void what_is_sent_to_a_node_is_counted(void)
{
    uint64_t first = network_sent(0), second = network_sent(1);

    TEST_ASSERT_TRUE(reaches(HUB, 1));
    TEST_ASSERT_EQUAL_UINT64(first, network_sent(0));
    TEST_ASSERT_TRUE(network_sent(1) > second);
}

static void what_cannot_be_undone_is_told(void)
{
    TEST_ASSERT_EQUAL(STATUS_IO, network_part(&network, 0, false, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "/ip: "), err.text);
}

static void name_of_namespace(char name[64])
{
    ssize_t length = readlink("/proc/thread-self/ns/net", name, 63);

    name[length > 0 ? length : 0] = '\0';
}

static void the_thread_comes_back_to_where_it_was(void)
{
    char hub[64], home[64], again[64];

    name_of_namespace(hub);
    network_close(&network);
    name_of_namespace(home);
    TEST_ASSERT_TRUE(strcmp(hub, home) != 0);
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, network_open(&network, 1, false, &err), err.text);
    network_close(&network);
    name_of_namespace(again);
    TEST_ASSERT_EQUAL_STRING(home, again);
}

/* With netem a connection takes longer; without it the kernel's words say what it misses. */
static void a_slow_network_is_slow_or_refused(void)
{
    network_close(&network);
    if (network_open(&network, 2, true, &err) != STATUS_OK) {
        TEST_ASSERT_FALSE(network.is_open);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "netem"), err.text);
        return;
    }
    TEST_ASSERT_TRUE(reaches(0, 1));
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, network_slow(&network, 1, true, &err), err.text);
    TEST_ASSERT_TRUE(reaches(0, 1));
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, network_slow(&network, 1, false, &err), err.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nodes_and_the_hub_reach_every_node);
    RUN_TEST(a_parted_node_is_reached_by_the_hub_alone);
    RUN_TEST(a_partition_is_known_by_what_it_drops);
    RUN_TEST(what_is_sent_to_a_node_is_counted);
    RUN_TEST(what_cannot_be_undone_is_told);
    RUN_TEST(the_thread_comes_back_to_where_it_was);
    RUN_TEST(a_slow_network_is_slow_or_refused);
    return UNITY_END();
}
