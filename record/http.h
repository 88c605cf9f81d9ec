/*
 * http: requests to a server that speaks HTTP, one after another over one connection.
 *
 *     TRY(http_open(&http, err));
 *     TRY(http_post(http, "http://127.0.0.1:4001/db/request", body, err));
 *     ... http_status(http), http_answer(http) ...
 *     http_close(http);
 *
 * A request is sent at most once: when a connection turns out to be dead after the request was
 * sent, nobody knows what became of it, and it must not be sent again.
 */
#ifndef RECORD_HTTP_H
#define RECORD_HTTP_H

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"

struct http;

MUST_USE enum status http_open(struct http **, struct error *);
void http_close(struct http *); /* also of NULL */

/* An answer of any kind is success; the error says why there is none. */
MUST_USE enum status http_get(struct http *, const char *url, struct error *);
MUST_USE enum status http_post(struct http *, const char *url, struct text json, struct error *);

/* Of the last answer: 200 is fine. */
long http_status(const struct http *);
/*
 * Posts what is in the buffer, and gives the answer as a tree, which the caller deletes with
 * cJSON_Delete(); STATUS_IO: it is none, or not fine.
 */
MUST_USE enum status http_ask(struct http *, const char *server, const char *path,
                              const struct buffer *json, cJSON **answer, struct error *);
/* A string in an object, or "". */
const char *http_string(const cJSON *object, const char *name);

/* Holds until the next request. */
struct text http_answer(const struct http *);
/* As a tree, which the caller deletes with cJSON_Delete(); NULL: it is no JSON. */
cJSON *http_json(const struct http *);
/* What the answer has behind these words; `at` is NULL: it does not have them. */
struct text http_find(const struct http *, const char *words);

#endif
