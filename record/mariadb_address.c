#include "record/mariadb_address_private.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static int digit_of(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10
                                        : -1;
}

/* Copies a part of a URI, in which %41 stands for A. */
static bool decode(const char *from, const char *end, char *to, size_t size)
{
    size_t count = 0;

    while (from < end && count + 1 < size) {
        if (*from == '%' && end - from > 2 && digit_of(from[1]) >= 0 && digit_of(from[2]) >= 0) {
            to[count++] = (char)(digit_of(from[1]) * 16 + digit_of(from[2]));
            from += 3;
        } else {
            to[count++] = *from++;
        }
    }
    to[count] = '\0';
    return from == end;
}

static const char *find(const char *from, const char *end, char c)
{
    const char *at = memchr(from, c, (size_t)(end - from));

    return at ? at : end;
}

static bool read_user(const char *from, const char *end, struct mariadb_address *a)
{
    const char *colon = find(from, end, ':');

    return decode(from, colon, a->user, sizeof a->user) &&
           (colon == end || decode(colon + 1, end, a->password, sizeof a->password));
}

/* A host that begins with a slash is a socket's path. */
static bool read_host(const char *from, const char *end, struct mariadb_address *a)
{
    const char *colon = find(from, end, ':');
    uint64_t port = 0;
    struct text digits = { colon + 1, colon < end ? (size_t)(end - colon - 1) : 0 };

    if (!decode(from, colon, a->host, sizeof a->host))
        return false;
    if (a->host[0] == '/') {
        snprintf(a->socket, sizeof a->socket, "%s", a->host);
        a->host[0] = '\0';
    }
    if (colon == end)
        return true;
    if (!text_take_uint64(&digits, &port) || digits.length > 0 || port > 65535)
        return false;
    a->port = (unsigned)port;
    return true;
}

static bool read_uri(const char *uri, struct mariadb_address *a)
{
    const char *end = uri + strlen(uri), *from, *slash, *at;

    if (strncmp(uri, "mariadb://", 10) != 0 && strncmp(uri, "mysql://", 8) != 0)
        return false;
    from = strstr(uri, "://") + 3;
    slash = find(from, end, '/');
    at = find(from, slash, '@');
    if (at < slash && !read_user(from, at, a))
        return false;
    return slash < end && read_host(at < slash ? at + 1 : from, slash, a) &&
           decode(slash + 1, end, a->database, sizeof a->database) && a->database[0] != '\0';
}

enum status mariadb_address_read(const char *uri, struct mariadb_address *a, struct error *err)
{
    *a = (struct mariadb_address){ .port = 0 };
    if (read_uri(uri, a))
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "--connect takes mariadb://user:password@host:port/database, where the host "
                     "may be a socket's path with %%2F for each slash");
}
