#include "record/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unity.h"

/* A server that answers so many requests, and closes the connection on the next, unanswered. */
static struct {
    int listener;
    unsigned port, answers, requests;
    pthread_t thread;
} server;

static struct http *http;
static struct error err;
static char url[100];

/* The requests of these tests end in their body, "]". */
static bool take_request(int connection)
{
    char bytes[2000];
    size_t count = 0;

    while (count < sizeof bytes - 1) {
        ssize_t got = recv(connection, bytes + count, sizeof bytes - 1 - count, 0);

        if (got <= 0)
            return false;
        count += (size_t)got;
        if (bytes[count - 1] == ']')
            break;
    }
    server.requests++;
    return true;
}

static void *serve(void *context)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"results\":[\"x\"]}";
    int connection;

    (void)context;
    while ((connection = accept(server.listener, NULL, NULL)) >= 0) {
        while (take_request(connection) && server.requests <= server.answers)
            if (send(connection, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0)
                break;
        close(connection);
    }
    return NULL;
}

static void answer_requests(unsigned count)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;

    server.answers = count;
    server.requests = 0;
    server.listener = socket(AF_INET, SOCK_STREAM, 0);
    TEST_ASSERT_EQUAL_INT(0, bind(server.listener, (struct sockaddr *)&address, sizeof address));
    TEST_ASSERT_EQUAL_INT(0, getsockname(server.listener, (struct sockaddr *)&address, &size));
    TEST_ASSERT_EQUAL_INT(0, listen(server.listener, 8));
    snprintf(url, sizeof url, "http://127.0.0.1:%u/db", (unsigned)ntohs(address.sin_port));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&server.thread, NULL, serve, NULL));
}

static void stop_server(void)
{
    shutdown(server.listener, SHUT_RDWR);
    pthread_join(server.thread, NULL);
    close(server.listener);
}

void setUp(void)
{
    TEST_ASSERT_EQUAL(STATUS_OK, http_open(&http, &err));
}

void tearDown(void)
{
    http_close(http);
}

static void an_answer_has_a_status_and_a_text(void)
{
    answer_requests(1);
    TEST_ASSERT_EQUAL(STATUS_OK, http_post(http, url, TEXT("[1]"), &err));
    TEST_ASSERT_EQUAL_INT64(200, http_status(http));
    TEST_ASSERT_TRUE(text_equal(TEXT("{\"results\":[\"x\"]}"), http_answer(http)));
    TEST_ASSERT_TRUE(text_equal(TEXT("\"x\"]}"), http_find(http, "results\":[")));
    TEST_ASSERT_NULL(http_find(http, "error").at);
    http_close(http);
    http = NULL;
    stop_server();
}

static void what_was_sent_is_never_sent_again(void)
{
    answer_requests(1);
    TEST_ASSERT_EQUAL(STATUS_OK, http_post(http, url, TEXT("[1]"), &err));
    /* libcurl itself would try this again, since the connection had been in use before. */
    TEST_ASSERT_EQUAL(STATUS_IO, http_post(http, url, TEXT("[2]"), &err));
    http_close(http);
    http = NULL;
    stop_server();
    TEST_ASSERT_EQUAL_UINT(2, server.requests);
}

static void a_server_that_is_not_there_is_an_error(void)
{
    TEST_ASSERT_EQUAL(STATUS_IO, http_get(http, "http://127.0.0.1:1/", &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "127.0.0.1:1"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_answer_has_a_status_and_a_text);
    RUN_TEST(what_was_sent_is_never_sent_again);
    RUN_TEST(a_server_that_is_not_there_is_an_error);
    return UNITY_END();
}
