/*
 * watcher: streams of native text, judged while they come.
 *
 *     watcher_init(&w, &options);
 *     TRY(watcher_add_stream(&w, "a.jsonl", is_finished, &stream, err));
 *     TRY(watcher_feed(&w, stream, bytes, err));      as often as there are some
 *     TRY(watcher_end(&w, stream, false, err));
 *     TRY(watcher_finish(&w, err));                    once all have ended
 *
 * Nothing here opens or waits for files: the caller does, and reads from watcher_awaited()
 * first. Several sessions may stand in one stream, in any order, but each one's transactions in
 * its own. A transaction is judged once nobody can come who began before it: nobody of whom
 * something was heard, and of those who were not heard of, yet or for as long as the patience,
 * nobody who began longer ago than that, as the stream's own times go; in a finished stream they
 * are waited for as long as there is room.
 *
 * A transaction that comes again, as from a recorder that went on a little before where it had
 * stopped, is passed over.
 *
 * What is lost becomes a gap (gaps_private.h), and no reason to accuse anybody: lines that cannot be
 * read, what is missing before a stream that begins without its header or behind one that ends
 * within a line, clients that are not waited for any longer. What nobody could know, that a
 * transaction was still to come which began before what was judged already, puts the findings
 * since then in doubt.
 *
 * Memory holds what the model keeps, the names of all keys, and of what waits no more than
 * the options say, and a buffer.
 */
#ifndef CHECKERS_INTERVAL_ONLINE_WATCHER_H
#define CHECKERS_INTERVAL_ONLINE_WATCHER_H

#include "base/intern.h"
#include "base/map.h"
#include "checkers/interval/interval_model.h"
#include "checkers/interval/online/pipeline_private.h"
#include "checkers/interval/row_store_private.h"
#include "checkers/interval/traces_private.h"
#include "history/jsonl/excerpt.h"

struct watcher_options {
    struct profile profile;
    int64_t clock_error, patience;
    size_t bytes_max;      /* that wait */
    size_t line_bytes_max; /* a longer line is no line */
    /* A finding, as soon as there is one. May be NULL. */
    void (*tell)(void *context, const struct interval_finding *);
    void *context;
};

struct watcher_counts {
    uint64_t txns, ops, bytes;
    uint64_t garbage;  /* lines that could not be read */
    uint64_t repeated; /* transactions that had come before, and were passed over */
    uint64_t cuts;     /* streams that began without a header, began anew, or ended within a line */
    uint64_t given_up; /* clients that were not waited for any longer */
    uint64_t late;     /* transactions that came too late to be judged */
    uint64_t surprises; /* those of them that nobody could expect */
    uint64_t withdrawn; /* findings that they put in doubt */
};

struct watcher_batch;

/* Somebody who does one thing after the other; or all of a stream who were not heard of yet. */
struct watcher_client {
    int64_t session;
    uint32_t stream, lane; /* PIPELINE_NONE: it is silent, and judged without */
    int64_t heard_until;   /* nothing is unknown of it before */
    uint64_t epoch;        /* the stream's, when it was heard of last */
    bool is_used, is_unseen;
};

struct watcher_stream {
    const char *name;
    struct excerpt excerpt;
    struct buffer unread;
    size_t searched;   /* of what is unread: there is no line feed */
    struct map places; /* by session: its place among the clients */
    size_t client_count;
    uint32_t unseen;     /* client */
    uint64_t epoch;      /* rises when something is lost */
    uint64_t line;       /* the last that was read */
    int64_t newest;      /* of what came, when the last was over */
    int64_t unsure_from; /* those not heard of may have lost something since, if is_unsure */
    bool is_finished, has_begun, is_over, is_unsure, is_passing;
};

struct watcher {
    struct watcher_options options;
    struct interval_model model;
    struct pipeline pipeline;
    struct intern keys;
    struct traces traces;
    struct history
        schema; /* tables, once a header has them; of statements of others nothing is judged */
    struct row_store rows;
    bool has_rows;
    struct recent recent; /* transactions */
    ARRAY(struct watcher_stream) streams;
    ARRAY(struct watcher_client) clients;
    ARRAY(uint32_t) free_clients;
    ARRAY(int64_t) passed; /* by finding: what had been given out when it was made */
    size_t bytes_waiting, silent_count;
    int64_t silent_from; /* the longest of the silent */
    uint32_t number;
    bool is_stopped;
    uint32_t judged_at_stop;    /* transactions */
    uint64_t gapped_at_stop;    /* reads */
    struct error first_garbage; /* what was wrong with the first, and where */
    struct watcher_counts counts;
};

void watcher_init(struct watcher *, const struct watcher_options *);
void watcher_close(struct watcher *);

/* `finished`: it does not grow, so that there is time. The name must outlive the watcher. */
MUST_USE enum status watcher_add_stream(struct watcher *, const char *name, bool finished,
                                        uint32_t *stream, struct error *);
MUST_USE enum status watcher_feed(struct watcher *, uint32_t stream, struct text bytes,
                                  struct error *);
/* Nothing more comes; `cut`: though there was more. */
MUST_USE enum status watcher_end(struct watcher *, uint32_t stream, bool cut, struct error *);
MUST_USE enum status watcher_finish(struct watcher *, struct error *);
/* Something of the stream is lost that nobody can see in it, as where a file was written anew. */
MUST_USE enum status watcher_lose(struct watcher *, uint32_t stream, struct error *);
/*
 * Instead of all that: nobody wants to wait for what is still to come of streams that have not
 * ended. It is a gap behind all the rest, and the reads that it may explain are watcher_unended().
 */
MUST_USE enum status watcher_stop(struct watcher *, struct error *);

/* The stream that judging waits for; PIPELINE_NONE: it does not matter which. */
uint32_t watcher_awaited(const struct watcher *);
/* Whether no stream but the awaited one should be read. */
bool watcher_is_full(const struct watcher *);
/* The awaited stream is not waited for any longer: others are judged without it. */
MUST_USE enum status watcher_give_up(struct watcher *, struct error *);

/* Statements of whose answer only the rows that came were judged. */
uint64_t watcher_unjudged(const struct watcher *);
/* Why nobody can tell whether all is well; empty: it is, or there are findings. */
void watcher_doubt(const struct watcher *, struct buffer *reason);
uint64_t watcher_unended(const struct watcher *);
/*
 * With about which clock error there would be none of the findings that stand; 0: nobody knows, or
 * there would be some all the same.
 */
int64_t watcher_clock_error(const struct watcher *);

#endif
