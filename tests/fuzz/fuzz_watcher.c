/*
 * fuzz_watcher: no bytes make the watcher of streams crash or hang, and in what pieces they come
 * says nothing.
 *
 *     profile, switches, four lengths of pieces    one byte each
 *     the first stream, a line of "%", the second
 *
 * Streams that do not grow are judged once all has come: fed line by line, in pieces and as a whole,
 * they must be told alike, word for word. Then they come turn by turn as streams that grow, of
 * which a client may fall silent, something may be lost, or somebody may not wait for the end.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "checkers/interval/online/watcher.h"
#include "tests/checkers/interval/structure_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STREAMS 2
#define LENGTHS 4
#define HEAD_BYTES (2 + LENGTHS)

struct input {
    struct text streams[STREAMS];
    const uint8_t *lengths;
    uint8_t switches;
    struct watcher_options options;
};

enum {
    ADMITS_ERROR = 1,
    IS_SHORT_OF_ROOM = 2,
    IS_IMPATIENT = 4,
    GIVES_UP = 8,
    LOSES = 16,
    STOPS = 32
};

static void hear_finding(void *context, const struct interval_finding *finding)
{
    (*(size_t *)context)++;
    assert(finding->explanation.count > 0 && finding->txns.count == finding->ids.count);
}

static struct text find_second(struct text *first)
{
    for (size_t i = 0; i + 3 <= first->length; i++)
        if (memcmp(first->at + i, "\n%\n", 3) == 0) {
            struct text second = { first->at + i + 3, first->length - i - 3 };

            first->length = i + 1;
            return second;
        }
    return (struct text){ first->at, 0 };
}

static void take_input(struct input *in, const uint8_t *data, size_t size)
{
    unsigned count;
    const struct profile *all = profile_all(&count);

    in->lengths = data + 2;
    in->switches = data[1];
    in->streams[0] = (struct text){ (const char *)data + HEAD_BYTES, size - HEAD_BYTES };
    in->streams[1] = find_second(&in->streams[0]);
    in->options = (struct watcher_options){
        .profile = all[data[0] % count],
        .clock_error = in->switches & ADMITS_ERROR ? 1000 : 0,
        .patience = in->switches & IS_IMPATIENT ? 10 : 1000000,
        .bytes_max = in->switches & IS_SHORT_OF_ROOM ? 2000 : (size_t)1 << 26,
        .line_bytes_max = (size_t)1 << 16,
        .tell = hear_finding,
    };
}

static void begin(struct watcher *w, const struct input *in, bool is_finished, size_t *told)
{
    struct watcher_options options = in->options;
    struct error err = { 0 };

    *told = 0;
    options.context = told;
    if (is_finished)
        options.bytes_max = SIZE_MAX; /* where there is no room, it matters what comes first */
    watcher_init(w, &options);
    for (uint32_t i = 0, stream; i < STREAMS; i++) {
        enum status status = watcher_add_stream(w, i ? "two" : "one", is_finished, &stream, &err);

        assert(status == STATUS_OK && stream == i);
    }
}

/* As many bytes as the n-th piece has. */
static struct text take_piece(struct text *rest, const struct input *in, size_t n)
{
    struct text piece = { rest->at, 1 + (size_t)in->lengths[n % LENGTHS] };

    if (piece.length > rest->length)
        piece.length = rest->length;
    rest->at += piece.length;
    rest->length -= piece.length;
    return piece;
}

static void feed(struct watcher *w, uint32_t stream, struct text bytes)
{
    struct error err = { 0 };
    enum status status;

    if (bytes.length == 0)
        return;
    status = watcher_feed(w, stream, bytes, &err);
    assert(status == STATUS_OK);
    structure_check_pipeline(&w->pipeline);
}

static void end(struct watcher *w, uint32_t stream)
{
    struct error err = { 0 };
    enum status status = watcher_end(w, stream, false, &err);

    assert(status == STATUS_OK);
    structure_check_pipeline(&w->pipeline);
}

static void finish(struct watcher *w, const size_t *told)
{
    struct error err = { 0 };
    enum status status = w->is_stopped ? STATUS_OK : watcher_finish(w, &err);

    assert(status == STATUS_OK && w->bytes_waiting == 0 && w->pipeline.waiting == 0);
    assert(*told == w->model.findings.count && *told == w->passed.count);
    assert(w->model.findings.count <= w->model.finding_count);
    assert(w->counts.withdrawn <= w->model.findings.count);
    assert(w->counts.late + w->counts.repeated <= w->counts.txns);
    assert(w->counts.surprises <= w->counts.late);
    assert(w->model.counts.excused <= w->model.counts.gapped);
    assert(w->counts.garbage == 0 || w->first_garbage.text[0]);
}

/* All that people are told. */
static void describe(const struct watcher *w, struct buffer *out)
{
    const struct watcher_counts *c = &w->counts;

    buffer_print(out,
                 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                 c->repeated, c->txns, c->ops, watcher_unjudged(w), c->bytes, c->garbage, c->cuts,
                 c->late, w->model.finding_count, w->model.counts.gapped);
    buffer_print(out, "%s:%" PRIu64 ": %s\n", w->first_garbage.file, w->first_garbage.line,
                 w->first_garbage.text);
    watcher_doubt(w, out);
    for (size_t i = 0; i < w->model.findings.count; i++) {
        const struct interval_finding *f = &w->model.findings.at[i];

        buffer_print(out, "\n%s: ", anomaly_name(f->kind));
        buffer_text(out, (struct text){ f->explanation.at, f->explanation.count });
        buffer_text(out, (struct text){ f->drawing.at, f->drawing.count });
    }
    assert(!out->out_of_memory);
}

/* One stream behind the other; `count` bytes at a time, or pieces where that is 0. */
static void judge_finished(const struct input *in, size_t count, struct buffer *out)
{
    struct watcher w;
    size_t told;

    begin(&w, in, true, &told);
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct text rest = in->streams[i];

        for (size_t n = 0; rest.length > 0 && count == 0; n++)
            feed(&w, i, take_piece(&rest, in, n));
        while (rest.length > 0) {
            struct text piece = { rest.at, count < rest.length ? count : rest.length };

            feed(&w, i, piece);
            rest.at += piece.length;
            rest.length -= piece.length;
        }
        end(&w, i);
    }
    finish(&w, &told);
    describe(&w, out);
    watcher_close(&w);
}

static void expect_the_same(const struct input *in, size_t count, const struct buffer *wanted)
{
    struct buffer got = { 0 };

    judge_finished(in, count, &got);
    assert(got.count == wanted->count && memcmp(got.at, wanted->at, got.count) == 0);
    buffer_close(&got);
}

/* What may happen to a stream besides. */
static void disturb(struct watcher *w, const struct input *in, uint32_t stream, size_t n)
{
    struct error err = { 0 };
    enum status status = STATUS_OK;

    if (in->switches & GIVES_UP && n % 3 == 0)
        status = watcher_give_up(w, &err);
    if (status == STATUS_OK && in->switches & LOSES && n % 5 == 4)
        status = watcher_lose(w, stream, &err);
    assert(status == STATUS_OK);
    structure_check_pipeline(&w->pipeline);
}

static void judge_growing(const struct input *in)
{
    struct text rest[STREAMS] = { in->streams[0], in->streams[1] };
    size_t length = rest[0].length + rest[1].length, told;
    struct watcher w;

    begin(&w, in, false, &told);
    for (size_t n = 0; rest[0].length + rest[1].length > 0; n++) {
        uint32_t stream = rest[0].length == 0 ? 1 : rest[1].length == 0 ? 0 : (uint32_t)(n % 2);

        feed(&w, stream, take_piece(&rest[stream], in, n));
        disturb(&w, in, stream, n);
        if (in->switches & STOPS && rest[0].length + rest[1].length < length / 2)
            break;
    }
    if (in->switches & STOPS) {
        struct error err = { 0 };
        enum status status = watcher_stop(&w, &err);

        assert(status == STATUS_OK && watcher_unended(&w) <= w.model.counts.gapped);
    } else {
        end(&w, 0);
        end(&w, 1);
    }
    finish(&w, &told);
    watcher_close(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer whole = { 0 };
    struct input in;

    if (size < HEAD_BYTES)
        return 0;
    take_input(&in, data, size);
    judge_finished(&in, SIZE_MAX, &whole);
    expect_the_same(&in, 0, &whole);
    expect_the_same(&in, 1, &whole);
    buffer_close(&whole);
    judge_growing(&in);
    return 0;
}
