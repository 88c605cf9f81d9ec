#include "record/http_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"

#define START_NS INT64_C(30000000000)

const char *const http_cluster_modes[] = { "single", "cluster", NULL };

/* --- Programs --------------------------------------------------------------------------------- */

static enum status start_node(struct http_cluster *c, unsigned node, struct error *err)
{
    struct buffer words = { 0 };
    const char **argv;
    enum status status;

    buffer_print(&words, "%s%c", c->path, '\0');
    c->program->words(c, node, &words);
    status = own_server_words(&words, &argv, err);
    if (status == STATUS_OK)
        status = own_server_start(&c->server, node, argv, err);
    free(argv);
    buffer_close(&words);
    return status;
}

/* --- Readiness -------------------------------------------------------------------------------- */

static enum status ask_ready(const struct http_cluster *c, unsigned node, struct http *http,
                             struct error *err)
{
    char url[300];

    snprintf(url, sizeof url, "%s%s", c->urls[node], c->program->ready);
    TRY(http_get(http, url, err));
    if (http_status(http) == 200)
        return STATUS_OK;
    return error_set(err, STATUS_IO, "%s is not ready: status %ld", c->urls[node],
                     http_status(http));
}

static enum status wait_ready(struct http_cluster *c, unsigned node, struct error *err)
{
    int64_t until = wall_clock_ns() + START_NS;
    struct http *http;
    enum status status = http_open(&http, err);

    while (status == STATUS_OK && ask_ready(c, node, http, err) != STATUS_OK) {
        char words[200];

        own_server_last_words(&c->server, node, words, sizeof words);
        if (!own_server_is_alive(&c->server, node))
            status = error_set(err, STATUS_IO, "%s ended at its start: %s",
                               c->program->binary.title, words);
        else if (wall_clock_ns() >= until)
            status = error_set(err, STATUS_TOO_LONG, "%s did not start within 30 seconds: %s",
                               c->program->binary.title, words);
        wall_clock_sleep(20000000);
    }
    http_close(http);
    return status;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static enum status name_strangers(struct http_cluster *c, struct error *err)
{
    for (const char *at = c->options.connect; at; at = strchr(at, ',')) {
        size_t length;

        at += *at == ',';
        length = strcspn(at, ",");
        if (c->node_count == HTTP_NODES_MAX || strncmp(at, "http://", 7) != 0 ||
            length >= sizeof c->urls[0])
            return error_set(err, STATUS_BAD_INPUT,
                             "--connect takes up to %d addresses as http://HOST:PORT, separated by "
                             "commas, not '%.80s'",
                             HTTP_NODES_MAX, at);
        snprintf(c->urls[c->node_count++], sizeof c->urls[0], "%.*s", (int)length, at);
    }
    return STATUS_OK;
}

static enum status start_all(struct http_cluster *c, unsigned node_count, struct error *err)
{
    unsigned ports[2 * HTTP_NODES_MAX];
    char name[32];

    TRY(binaries_find(&c->program->binary, &c->options, c->path, sizeof c->path, err));
    TRY(own_server_open(&c->server, node_count, c->options.faults, err));
    TRY(own_server_free_ports(ports, 2 * node_count, err));
    c->node_count = node_count;
    for (unsigned i = 0; i < node_count; i++) {
        c->client_ports[i] = ports[2 * i];
        c->peer_ports[i] = ports[2 * i + 1];
        snprintf(c->urls[i], sizeof c->urls[i], "http://%s:%u", c->server.addresses[i],
                 c->client_ports[i]);
        snprintf(name, sizeof name, "node-%u", i);
        TRY(own_server_make_data(&c->server, i, name, err));
    }
    for (unsigned i = 0; i < node_count; i++) {
        TRY(start_node(c, i, err));
        if (!c->program->starts_together)
            TRY(wait_ready(c, i, err));
    }
    for (unsigned i = 0; i < node_count && c->program->starts_together; i++)
        TRY(wait_ready(c, i, err));
    return STATUS_OK;
}

const char *http_cluster_url(const struct http_cluster *c, uint32_t client)
{
    return c->urls[client % c->node_count];
}

enum status http_cluster_connect(const struct http_cluster *c, uint32_t client, struct http **http,
                                 struct error *err)
{
    TRY(http_open(http, err));
    return ask_ready(c, client % c->node_count, *http, err);
}

static enum status ask_version(const struct http_cluster *c, struct buffer *version,
                               struct error *err)
{
    struct http *http;
    enum status status = http_cluster_connect(c, 0, &http, err);
    char url[300];

    snprintf(url, sizeof url, "%s%s", c->urls[0], c->program->version);
    buffer_print(version, "%s ", c->program->title);
    if (status == STATUS_OK)
        status = http_get(http, url, err);
    if (status == STATUS_OK) {
        struct text found = http_find(http, c->program->version_mark);
        const char *end = found.at ? memchr(found.at, '"', found.length) : NULL;

        if (end)
            buffer_text(version, (struct text){ found.at, (size_t)(end - found.at) });
    }
    http_close(http);
    return status;
}

enum status http_cluster_open(void **server, size_t size, const struct http_program *program,
                              const struct database_options *options, struct buffer *version,
                              struct error *err)
{
    struct http_cluster *c;

    TRY(database_new(server, size, err));
    c = *server;
    c->program = program;
    c->options = *options;
    c->has_table = options->takes_over;
    TRY(options->connect ? name_strangers(c, err)
                         : start_all(c, database_mode(options, http_cluster_modes) ? 3 : 1, err));
    return ask_version(c, version, err);
}

/* Nodes that were told to end would first look for another leader, some seconds long. */
void http_cluster_close(struct http_cluster *c)
{
    for (unsigned i = 0; i < c->server.node_count; i++)
        own_server_kill(&c->server, i);
    own_server_close(&c->server);
}

enum status http_cluster_fault(void *server, enum database_fault fault, bool begins, uint32_t turn,
                               bool *is_felt, struct error *err)
{
    struct http_cluster *c = server;
    unsigned node = turn % c->node_count;

    TRY(own_server_fault(&c->server, fault, begins, node, is_felt, err));
    if (begins)
        return STATUS_OK;
    if (!own_server_is_alive(&c->server, node)) /* it was killed, or has given up */
        TRY(start_node(c, node, err));
    return wait_ready(c, node, err);
}
