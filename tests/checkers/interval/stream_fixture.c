#include "tests/checkers/interval/stream_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history/io/sink.h"
#include "history/jsonl/jsonl_write.h"
#include "tests/checkers/interval/structure_checks.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;

/* When a client knew the end, or gave up to wait for it. */
static int64_t over(const struct history *h, uint32_t txn)
{
    int64_t last = h->txn_invoked[txn];

    if (h->txn_completed[txn] != TIME_NEVER)
        return h->txn_completed[txn];
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (h->op_completed && h->op_completed[op] != TIME_NEVER && h->op_completed[op] > last)
            last = h->op_completed[op];
    return last;
}

static int compare_lines(const void *a, const void *b)
{
    const struct stream_line *x = a, *y = b;

    if (x->over != y->over)
        return x->over < y->over ? -1 : 1;
    return (x->text.at > y->text.at) - (x->text.at < y->text.at);
}

static struct text next_line(struct text *rest)
{
    const char *feed = memchr(rest->at, '\n', rest->length);
    struct text line = { rest->at, (size_t)(feed - rest->at) + 1 };

    TEST_ASSERT_NOT_NULL(feed);
    rest->at += line.length;
    rest->length -= line.length;
    return line;
}

void stream_of_history(struct stream_lines *s, const struct history *h)
{
    struct text rest;
    struct sink sink;

    *s = (struct stream_lines){ 0 };
    sink_open_memory(&sink, &s->bytes);
    ASSERT_OK(jsonl_write(h, &sink, NULL, &err), &err);
    sink_close(&sink);
    rest = (struct text){ s->bytes.at, s->bytes.count };
    s->header = next_line(&rest);
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        struct stream_line line = { .text = next_line(&rest),
                                    .session = h->session_id[h->txn_session[txn]],
                                    .invoked = h->txn_invoked[txn],
                                    .over = over(h, txn) };

        ASSERT_OK(array_push(&s->txns, line, &err), &err);
    }
    qsort(s->txns.at, s->txns.count, sizeof *s->txns.at, compare_lines);
}

void stream_of_truth(struct stream_lines *s, const struct truth_options *options)
{
    struct history history;

    ASSERT_OK(truth_history(options, &history, &err), &err);
    stream_of_history(s, &history);
    history_close(&history);
}

void stream_close(struct stream_lines *s)
{
    buffer_close(&s->bytes);
    array_close(&s->txns);
}

void stream_join(const struct stream_lines *s, unsigned part, unsigned parts, struct buffer *out)
{
    buffer_text(out, s->header);
    for (size_t i = 0; i < s->txns.count; i++)
        if ((uint64_t)s->txns.at[i].session % parts == part)
            buffer_text(out, s->txns.at[i].text);
    ASSERT_OK(buffer_status(out, &err), &err);
}

struct watcher_options stream_options(const struct truth_options *truth,
                                      const struct stream_lines *s)
{
    int64_t longest = 1;

    for (size_t i = 0; i < s->txns.count; i++)
        if (s->txns.at[i].over - s->txns.at[i].invoked > longest)
            longest = s->txns.at[i].over - s->txns.at[i].invoked;
    return (struct watcher_options){ .profile = *truth->profile,
                                     .clock_error = truth->clock_error_ns,
                                     .patience = 5 * longest,
                                     .bytes_max = (size_t)64 << 20,
                                     .line_bytes_max = (size_t)1 << 20 };
}

void stream_feed(struct watcher *w, uint32_t stream, struct text text, size_t piece_max,
                 struct random *random)
{
    while (text.length > 0) {
        size_t length = 1 + (size_t)random_below(random, piece_max);

        length = length < text.length ? length : text.length;
        ASSERT_OK(watcher_feed(w, stream, (struct text){ text.at, length }, &err), &err);
        text.at += length;
        text.length -= length;
        structure_check_pipeline(&w->pipeline);
    }
    ASSERT_OK(watcher_end(w, stream, false, &err), &err);
}

size_t stream_findings(const struct watcher *w)
{
    return w->model.findings.count - (size_t)w->counts.withdrawn;
}

void stream_expect_nothing(const struct watcher *w, const char *what, uint64_t seed)
{
    char message[600];

    for (size_t i = 0; i < w->passed.count; i++) {
        const struct buffer *why = &w->model.findings.at[i].explanation;

        if (w->passed.at[i] == INT64_MIN)
            continue;
        snprintf(message, sizeof message, "%s, seed %" PRIu64 ": %.*s", what, seed,
                 (int)why->count, why->at);
        TEST_FAIL_MESSAGE(message);
    }
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void stream_describe(const struct interval_model *m, struct buffer *out)
{
    char *words[INTERVAL_FINDINGS_MAX];

    for (size_t i = 0; i < m->findings.count; i++) {
        const struct interval_finding *f = &m->findings.at[i];
        struct buffer word = { 0 };

        buffer_print(&word, "%s", anomaly_name(f->kind));
        for (size_t k = 0; k < f->ids.count; k++)
            buffer_print(&word, " %" PRId64, f->ids.at[k]);
        buffer_byte(&word, '\n');
        buffer_byte(&word, '\0');
        words[i] = word.at;
    }
    qsort(words, m->findings.count, sizeof *words, compare_words);
    for (size_t i = 0; i < m->findings.count; i++) {
        buffer_text(out, text_of(words[i]));
        free(words[i]);
    }
    buffer_print(out, "%" PRIu64 " in all", m->finding_count);
    buffer_byte(out, '\0');
}
