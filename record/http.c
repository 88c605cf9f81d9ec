#define _GNU_SOURCE /* memmem() */

#include "record/http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 10000L

struct http {
    CURL *curl;
    struct curl_slist *headers;
    struct buffer answer;
    long status;
    unsigned sent; /* how often this request was sent */
};

static void begin_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct http *http = context;

    buffer_text(&http->answer, (struct text){ bytes, size * count });
    return http->answer.out_of_memory ? 0 : size * count;
}

/* Called before a request is sent: libcurl would send it again if a kept connection were dead. */
static int note_sending(void *context, char *to, char *from, int to_port, int from_port)
{
    struct http *http = context;

    (void)to, (void)from, (void)to_port, (void)from_port;
    return http->sent++ == 0 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

enum status http_open(struct http **out, struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct http *http = calloc(1, sizeof *http);

    *out = http;
    pthread_once(&once, begin_curl);
    if (http)
        http->curl = curl_easy_init();
    if (http && http->curl)
        http->headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (!http || !http->headers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an HTTP connection");
    curl_easy_setopt(http->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(http->curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(http->curl, CURLOPT_MAXCONNECTS, 1L);
    curl_easy_setopt(http->curl, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(http->curl, CURLOPT_TIMEOUT_MS, PATIENCE_MS);
    curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(http->curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(http->curl, CURLOPT_WRITEDATA, http);
    curl_easy_setopt(http->curl, CURLOPT_PREREQFUNCTION, note_sending);
    curl_easy_setopt(http->curl, CURLOPT_PREREQDATA, http);
    return STATUS_OK;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    curl_easy_cleanup(http->curl);
    curl_slist_free_all(http->headers);
    buffer_close(&http->answer);
    free(http);
}

static enum status perform(struct http *http, const char *url, struct error *err)
{
    CURLcode code;

    buffer_clear(&http->answer);
    http->sent = 0;
    http->status = 0;
    curl_easy_setopt(http->curl, CURLOPT_URL, url);
    code = curl_easy_perform(http->curl);
    if (code != CURLE_OK)
        return error_set(err, STATUS_IO, "%s: %s", url, curl_easy_strerror(code));
    curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &http->status);
    return STATUS_OK;
}

enum status http_get(struct http *http, const char *url, struct error *err)
{
    curl_easy_setopt(http->curl, CURLOPT_HTTPGET, 1L);
    return perform(http, url, err);
}

enum status http_post(struct http *http, const char *url, struct text json, struct error *err)
{
    curl_easy_setopt(http->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)json.length);
    curl_easy_setopt(http->curl, CURLOPT_POSTFIELDS, json.at);
    return perform(http, url, err);
}

long http_status(const struct http *http)
{
    return http->status;
}

struct text http_answer(const struct http *http)
{
    return (struct text){ http->answer.at, http->answer.count };
}

cJSON *http_json(const struct http *http)
{
    return http->answer.at ? cJSON_ParseWithLength(http->answer.at, http->answer.count) : NULL;
}

struct text http_find(const struct http *http, const char *words)
{
    size_t length = strlen(words);
    const char *at = http->answer.at;
    const char *found = at ? memmem(at, http->answer.count, words, length) : NULL;

    if (!found)
        return (struct text){ NULL, 0 };
    found += length;
    return (struct text){ found, (size_t)(at + http->answer.count - found) };
}

enum status http_ask(struct http *http, const char *server, const char *path,
                     const struct buffer *json, cJSON **answer, struct error *err)
{
    char url[300];

    *answer = NULL;
    snprintf(url, sizeof url, "%s%s", server, path);
    TRY(buffer_status(json, err));
    TRY(http_post(http, url, (struct text){ json->at, json->count }, err));
    if (http->status == 200)
        *answer = http_json(http);
    if (*answer)
        return STATUS_OK;
    return error_set(err, STATUS_IO, "%s: %.*s", url, TEXT_PRINT(http_answer(http)));
}

const char *http_string(const cJSON *object, const char *name)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

    return found ? found : "";
}
