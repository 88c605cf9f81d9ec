/*
 * stream_fixture: histories as the lines that a recorder writes while they come.
 *
 *     stream_lines(&lines, &history);                      in the order of completion
 *     lines.at[i].text, .session, .completed
 *
 * and a watcher that is fed with them.
 */
#ifndef TESTS_CHECKERS_INTERVAL_STREAM_FIXTURE_H
#define TESTS_CHECKERS_INTERVAL_STREAM_FIXTURE_H

#include "checkers/interval/online/watcher.h"
#include "tests/checkers/interval/truth.h"

struct stream_line {
    struct text text; /* with its line feed */
    int64_t session, invoked, over;
};

struct stream_lines {
    struct buffer bytes;
    struct text header;
    ARRAY(struct stream_line) txns;
};

/* Of what a database of the truth did. */
void stream_of_truth(struct stream_lines *, const struct truth_options *);
void stream_of_history(struct stream_lines *, const struct history *);
void stream_close(struct stream_lines *);

/* All its lines behind each other; `count` of them, by the session's number modulo that. */
void stream_join(const struct stream_lines *, unsigned part, unsigned parts, struct buffer *);

/* Patience: five times as long as the longest transaction took. */
struct watcher_options stream_options(const struct truth_options *, const struct stream_lines *);

/* Feeds it in pieces of random lengths up to that, and ends it. */
void stream_feed(struct watcher *, uint32_t stream, struct text, size_t piece_max,
                 struct random *);

/* Findings that stand. */
size_t stream_findings(const struct watcher *);
/* Fails with the first of them, if there is one. */
void stream_expect_nothing(const struct watcher *, const char *what, uint64_t seed);
/* "kind ids" of each, sorted, on lines of their own. */
void stream_describe(const struct interval_model *, struct buffer *);

#endif
