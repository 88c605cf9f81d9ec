#include "checkers/interval/online/watcher.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/interval/online/watcher_clients_private.h"

#define ITEM_BYTES (2 * sizeof(struct pipeline_item)) /* of a transaction that waits */

/* --- Tables ---------------------------------------------------------------------------------- */

/*
 * Tables of streams. The first header that has some says what they are like; statements of streams
 * that have others are judged by the rows that they returned alone.
 */
static bool text_is_same(const struct history *h, uint32_t x, const struct history *g, uint32_t y)
{
    return text_equal(history_text(h, x), history_text(g, y));
}

static bool columns_are_same(const struct history *h, const struct history *g)
{
    for (size_t i = 0; i < h->table_column_count; i++)
        if (h->table_column_kind[i] != g->table_column_kind[i] ||
            !text_is_same(h, h->table_column_name[i], g, g->table_column_name[i]) ||
            !text_is_same(h, h->table_column_type[i], g, g->table_column_type[i]))
            return false;
    for (size_t i = 0; i < h->table_key_count; i++)
        if (h->table_key_column[i] != g->table_key_column[i])
            return false;
    return true;
}

/* In the same order: that is what tables are numbered by. */
static bool tables_are_same(const struct history *h, const struct history *g)
{
    if (h->table_count != g->table_count || h->table_column_count != g->table_column_count ||
        h->table_key_count != g->table_key_count)
        return false;
    for (size_t t = 0; t < h->table_count; t++)
        if (!text_is_same(h, h->table_name[t], g, g->table_name[t]) ||
            h->table_column_start[t] != g->table_column_start[t] ||
            h->table_key_start[t] != g->table_key_start[t])
            return false;
    return columns_are_same(h, g);
}

static enum status map_keys(struct watcher *w, const struct history *h, uint32_t **key_of,
                            struct error *err)
{
    TRY(memory_resize((void **)key_of, h->key_count, sizeof **key_of, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        TRY(intern_add(&w->keys, history_key(h, key), &(*key_of)[key], err));
    return STATUS_OK;
}

static enum status take_initial(struct watcher *w, const struct history *h, struct error *err)
{
    bool has_rows = w->has_rows && tables_are_same(&w->schema, h);
    struct traces traces = { .history = h, .rows = has_rows ? &w->rows : NULL, .model = &w->model };
    uint32_t *key_of = NULL;
    enum status status = map_keys(w, h, &key_of, err);

    traces.key_of = key_of;
    if (status == STATUS_OK && has_rows)
        status = keys_init(&traces.keys, h, err);
    if (status == STATUS_OK)
        status = traces_initial(&traces, &w->model, err);
    traces_close(&traces);
    free(key_of);
    return status;
}

static enum status tables_take_header(struct watcher *w, struct history *initial, struct error *err)
{
    enum status status = STATUS_OK;

    if (w->has_rows || initial->table_count == 0) {
        status = take_initial(w, initial, err);
        history_close(initial);
        return status;
    }
    w->schema = *initial;
    w->has_rows = true;
    TRY(row_store_init(&w->rows, &w->schema, err));
    w->model.rows = &w->rows;
    return take_initial(w, &w->schema, err);
}

/* After the model, which holds rows. */
static void tables_close(struct watcher *w)
{
    if (!w->has_rows)
        return;
    row_store_close(&w->rows);
    history_close(&w->schema);
}

static enum status tables_begin_batch(struct watcher *w, struct watcher_batch *batch,
                                      struct error *err)
{
    batch->has_rows = w->has_rows && tables_are_same(&w->schema, &batch->history);
    return batch->has_rows ? keys_init(&batch->keys, &batch->history, err) : STATUS_OK;
}

static enum status examine_condition(struct watcher *w, const struct history *h, uint32_t head,
                                     struct error *err)
{
    uint32_t statement = h->op_key[head], where = h->statement_where[statement], condition;

    if (where == HISTORY_NONE)
        return STATUS_OK;
    TRY(row_store_ask(&w->rows, h->statement_table[statement], history_text(h, where), &condition,
                      err));
    row_store_forget(&w->rows, condition);
    return STATUS_OK;
}

static enum status tables_examine(struct watcher *w, const struct watcher_batch *batch,
                                  uint32_t txn, struct error *err)
{
    const struct history *h = &batch->history;

    for (uint32_t op = h->txn_op[txn]; batch->has_rows && op < h->txn_op[txn + 1]; op++)
        if (op_is_head(h->op_kind[op]) && h->op_kind[op] != OP_INSERT)
            TRY(examine_condition(w, h, op, err));
    return STATUS_OK;
}

/* --- Streams --------------------------------------------------------------------------------- */

static void name_key(const void *context, uint32_t key, struct buffer *out)
{
    const struct watcher *w = context;
    struct text name = intern_text(&w->keys, key);

    buffer_print(out, "%.*s", TEXT_PRINT(name));
}

/* The lines may be gone: `op` is what number_ops() has made of it. */
static void name_op(const void *context, uint32_t number, uint32_t op, uint32_t key,
                    struct buffer *out)
{
    (void)number;
    name_key(context, key, out);
    buffer_print(out, " (operation %" PRIu32 ")", op);
}

void watcher_init(struct watcher *w, const struct watcher_options *options)
{
    *w = (struct watcher){ .options = *options };
    interval_model_init(&w->model, &options->profile, options->clock_error);
    w->model.key_name = name_key;
    w->model.op_name = name_op;
    w->model.context = w;
    pipeline_init(&w->pipeline);
}

static void close_batch(struct watcher_batch *batch)
{
    history_close(&batch->history);
    free(batch->key_of);
    keys_close(&batch->keys);
    free(batch);
}

static void release(struct watcher *w, struct watcher_batch *batch)
{
    if (--batch->left > 0)
        return;
    w->bytes_waiting -= batch->bytes;
    close_batch(batch);
}

static void close_stream(struct watcher_stream *s)
{
    excerpt_close(&s->excerpt);
    buffer_close(&s->unread);
    map_close(&s->places);
}

/* What still waits, after an error, is given out to nobody. */
static void close_waiting(struct watcher *w)
{
    for (size_t i = 0; i < w->pipeline.lanes.count; i++) {
        const struct pipeline_lane *lane = &w->pipeline.lanes.at[i];

        for (size_t k = lane->first; k < lane->items.count; k++)
            release(w, lane->items.at[k].batch);
    }
}

void watcher_close(struct watcher *w)
{
    close_waiting(w);
    pipeline_close(&w->pipeline);
    interval_model_close(&w->model);
    intern_close(&w->keys);
    array_close(&w->traces.ops);
    array_close(&w->traces.queries);
    tables_close(w);
    pipeline_recent_close(&w->recent);
    for (size_t i = 0; i < w->streams.count; i++)
        close_stream(&w->streams.at[i]);
    array_close(&w->streams);
    array_close(&w->clients);
    array_close(&w->free_clients);
    array_close(&w->passed);
}

enum status watcher_add_stream(struct watcher *w, const char *name, bool finished, uint32_t *stream,
                               struct error *err)
{
    struct watcher_stream new = { .name = name, .is_finished = finished };

    *stream = (uint32_t)w->streams.count;
    TRY(array_push(&w->streams, new, err));
    return watcher_clients_begin_stream(w, *stream, err);
}

/* --- To the model ----------------------------------------------------------------------------- */

static enum status tell_new(struct watcher *w, struct error *err)
{
    while (w->passed.count < w->model.findings.count) {
        size_t i = w->passed.count;

        TRY(array_push(&w->passed, w->pipeline.passed, err));
        if (w->options.tell)
            w->options.tell(w->options.context, &w->model.findings.at[i]);
    }
    return STATUS_OK;
}

/* Where one is in a transaction's operations, and what that is called. */
struct op_place {
    uint32_t op, number;
};

/* A statement and its rows are one operation (docs/format-jsonl.md). They come in order. */
static uint32_t number_of(const struct history *h, uint32_t op, struct op_place *at)
{
    while (at->op < op) {
        at->op++;
        at->number += !op_is_row(h->op_kind[at->op]);
    }
    return at->number;
}

/* Findings name operations so: what they are in the history of these lines is forgotten. */
static void number_ops(struct traces *traces, uint32_t txn)
{
    const struct history *h = traces->history;
    struct op_place at = { .op = h->txn_op[txn] }, query_at = at;

    for (size_t i = 0; i < traces->ops.count; i++)
        traces->ops.at[i].op = number_of(h, traces->ops.at[i].op, &at);
    for (size_t i = 0; i < traces->queries.count; i++)
        traces->queries.at[i].op = number_of(h, traces->queries.at[i].op, &query_at);
}

static enum status judge(struct watcher *w, const struct pipeline_item *item, struct error *err)
{
    struct watcher_batch *batch = item->batch;
    struct interval_trace trace;

    w->traces.history = &batch->history;
    w->traces.key_of = batch->key_of;
    w->traces.keys = batch->keys;
    w->traces.rows = batch->has_rows ? &w->rows : NULL;
    w->traces.model = &w->model;
    TRY(traces_make(&w->traces, item->number, &trace, err));
    number_ops(&w->traces, item->number);
    trace.number = w->number++;
    TRY(interval_model_advance(&w->model, trace.invoked, err));
    TRY(interval_model_add(&w->model, &trace, err));
    return tell_new(w, err);
}

static enum status pass_all(struct watcher *w, struct error *err)
{
    struct pipeline_item item;

    while (pipeline_next(&w->pipeline, &item)) {
        enum status status = judge(w, &item, err);

        w->bytes_waiting -= ITEM_BYTES;
        release(w, item.batch);
        TRY(status);
    }
    return STATUS_OK;
}

static uint32_t awaited_client(const struct watcher *w)
{
    uint32_t lane = pipeline_awaited(&w->pipeline);

    return lane == PIPELINE_NONE || w->pipeline.waiting == 0
               ? PIPELINE_NONE
               : pipeline_lane(&w->pipeline, lane)->owner;
}

/* In a stream that does not grow everybody is waited for, as there is time. */
static enum status pass_on(struct watcher *w, struct error *err)
{
    for (;;) {
        uint32_t client;
        bool is_gone;

        TRY(pass_all(w, err));
        client = awaited_client(w);
        if (client == PIPELINE_NONE || w->streams.at[w->clients.at[client].stream].is_finished)
            return STATUS_OK;
        TRY(watcher_clients_forget(w, client, &is_gone, err));
        if (!is_gone)
            return STATUS_OK;
    }
}

uint32_t watcher_awaited(const struct watcher *w)
{
    uint32_t client = awaited_client(w);

    return client == PIPELINE_NONE ? PIPELINE_NONE : w->clients.at[client].stream;
}

bool watcher_is_full(const struct watcher *w)
{
    return w->bytes_waiting > w->options.bytes_max;
}

enum status watcher_give_up(struct watcher *w, struct error *err)
{
    uint32_t stream = watcher_awaited(w);

    while (stream != PIPELINE_NONE && watcher_awaited(w) == stream) {
        watcher_clients_give_up(w, awaited_client(w));
        TRY(pass_on(w, err));
    }
    return STATUS_OK;
}

/* A stream that gives much, and not what is waited for. */
static enum status make_room(struct watcher *w, uint32_t stream, struct error *err)
{
    while (watcher_is_full(w) && watcher_awaited(w) == stream) {
        TRY(watcher_clients_relieve(w, awaited_client(w), err));
        TRY(pass_on(w, err));
    }
    return STATUS_OK;
}

static void lose_line(struct watcher *w, uint32_t stream, const struct error *why)
{
    struct watcher_stream *s = &w->streams.at[stream];

    w->counts.garbage++;
    watcher_clients_lose(w, stream);
    if (w->first_garbage.status != STATUS_OK)
        return;
    w->first_garbage = *why;
    error_set_file(&w->first_garbage, s->name);
    w->first_garbage.line = s->line;
    w->first_garbage.offset = 0;
}

/* A stream that begins anew has lost what was not over. */
static enum status read_header(struct watcher *w, uint32_t stream, struct text line,
                               struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    struct history initial;

    if (s->line > 1) {
        w->counts.cuts++;
        watcher_clients_lose(w, stream);
    }
    TRY(excerpt_header(&s->excerpt, line, &initial, err));
    return tables_take_header(w, &initial, err);
}

/* One that was resumed: its header may be that of another stream. */
static enum status do_without_header(struct watcher *w, uint32_t stream, struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];

    w->counts.cuts++;
    watcher_clients_lose(w, stream);
    for (size_t i = 0; i < w->streams.count && s->excerpt.header.count == 0; i++) {
        const struct buffer *header = &w->streams.at[i].excerpt.header;

        if (header->count > 0)
            buffer_text(&s->excerpt.header, (struct text){ header->at, header->count });
    }
    return buffer_status(&s->excerpt.header, err);
}

/* By all that a transaction has but what its operations are. */
static uint64_t code_of(const struct history *h, uint32_t txn, uint32_t stream)
{
    uint64_t session = (uint64_t)h->session_id[h->txn_session[txn]];
    uint64_t code = hash_mix(hash_number((uint64_t)h->txn_id[txn]), session);

    code = hash_mix(code, (uint64_t)h->txn_invoked[txn]);
    code = hash_mix(code, (uint64_t)h->txn_completed[txn]);
    code = hash_mix(code, stream);
    return hash_number(code ^ (h->txn_op[txn + 1] - h->txn_op[txn]));
}

/* One line of a batch. */
static enum status hear(struct watcher *w, uint32_t stream, struct watcher_batch *batch,
                        uint32_t txn, struct error *err)
{
    struct error why = { 0 };
    bool is_known, is_wanted;

    if (traces_examine(&batch->history, txn, &why) != STATUS_OK ||
        tables_examine(w, batch, txn, &why) != STATUS_OK) {
        *err = why;
        if (why.status != STATUS_BAD_INPUT)
            return why.status;
        lose_line(w, stream, &why);
        return STATUS_OK;
    }
    TRY(pipeline_recent_add(&w->recent, code_of(&batch->history, txn, stream), &is_known, err));
    if (is_known) {
        w->counts.repeated++;
        return STATUS_OK;
    }
    batch->left++;
    w->bytes_waiting += ITEM_BYTES;
    TRY(watcher_clients_hear(w, stream, batch, txn, &is_wanted, err));
    if (!is_wanted) {
        batch->left--;
        w->bytes_waiting -= ITEM_BYTES;
    }
    return STATUS_OK;
}

static enum status hear_all(struct watcher *w, uint32_t stream, struct watcher_batch *batch,
                            struct error *err)
{
    const struct history *h = &batch->history;

    w->counts.txns += h->txn_count;
    w->counts.ops += h->op_count;
    for (size_t i = 0; i < h->statement_count; i++)
        w->counts.ops -= h->statement_row_count[i];
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        w->streams.at[stream].line++;
        TRY(hear(w, stream, batch, txn, err));
    }
    watcher_clients_advance(w, stream);
    return STATUS_OK;
}

/* Takes over the history. */
static enum status take_batch(struct watcher *w, uint32_t stream, struct history *history,
                              struct error *err)
{
    struct watcher_batch *batch = calloc(1, sizeof *batch);
    enum status status;

    if (!batch) {
        history_close(history);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for lines of a stream");
    }
    batch->history = *history;
    batch->left = 1; /* this function */
    batch->bytes = history_bytes(history) + history->key_count * sizeof *batch->key_of;
    w->bytes_waiting += batch->bytes;
    status = map_keys(w, history, &batch->key_of, err);
    if (status == STATUS_OK)
        status = tables_begin_batch(w, batch, err);
    if (status == STATUS_OK)
        status = hear_all(w, stream, batch, err);
    release(w, batch);
    return status;
}

/* Lines that are no header; `taken` of them. */
static enum status read_some(struct watcher *w, uint32_t stream, struct text lines, size_t *taken,
                             struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    struct history history;
    struct error why;
    enum status status;

    if (s->line == 0)
        TRY(do_without_header(w, stream, err));
    status = excerpt_read(&s->excerpt, lines, &history, taken, &why);
    if (status == STATUS_OK)
        return take_batch(w, stream, &history, err);
    *err = why;
    if (status != STATUS_BAD_INPUT)
        return status;
    s->line++;
    lose_line(w, stream, &why);
    return STATUS_OK;
}

static size_t line_length(struct text lines)
{
    const char *feed = memchr(lines.at, '\n', lines.length);

    assert(feed);
    return (size_t)(feed - lines.at) + 1;
}

static enum status read_next(struct watcher *w, uint32_t stream, struct text lines, size_t *taken,
                             struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    struct error why = { 0 };

    if (lines.at[0] == '\n') {
        *taken = 1;
        s->line += s->line > 0;
        return STATUS_OK;
    }
    if (!excerpt_is_header(lines))
        return read_some(w, stream, lines, taken, err);
    *taken = line_length(lines);
    s->line++;
    if (read_header(w, stream, (struct text){ lines.at, *taken - 1 }, &why) == STATUS_OK)
        return STATUS_OK;
    *err = why;
    if (why.status != STATUS_BAD_INPUT)
        return why.status;
    lose_line(w, stream, &why);
    return STATUS_OK;
}

/* Whole lines. What is waited for is given out now and then, so that memory stays small. */
static enum status read_lines(struct watcher *w, uint32_t stream, struct text lines,
                              struct error *err)
{
    while (lines.length > 0) {
        size_t taken = 0;

        TRY(read_next(w, stream, lines, &taken, err));
        assert(taken > 0 && taken <= lines.length);
        lines.at += taken;
        lines.length -= taken;
        TRY(pass_on(w, err));
        TRY(make_room(w, stream, err));
    }
    return STATUS_OK;
}

/* A line that does not end is passed over, however long it is. */
static void pass_long_line(struct watcher *w, uint32_t stream)
{
    struct watcher_stream *s = &w->streams.at[stream];
    struct error why = { 0 };

    if (s->unread.count <= w->options.line_bytes_max)
        return;
    if (!s->is_passing) {
        s->line++;
        why.status = error_set(&why, STATUS_BAD_INPUT, "the line has more than %zu bytes",
                               w->options.line_bytes_max);
        lose_line(w, stream, &why);
    }
    s->is_passing = true;
    s->unread.count = s->searched = 0;
}

static struct text end_of_long_line(struct watcher_stream *s, struct text bytes)
{
    const char *feed = memchr(bytes.at, '\n', bytes.length);

    if (!feed)
        return (struct text){ bytes.at, 0 };
    s->is_passing = false;
    return (struct text){ feed + 1, bytes.length - (size_t)(feed + 1 - bytes.at) };
}

/* How much of what is unread are whole lines. */
static size_t whole_lines(struct watcher_stream *s)
{
    for (size_t end = s->unread.count; end > s->searched; end--)
        if (s->unread.at[end - 1] == '\n')
            return end;
    s->searched = s->unread.count;
    return 0;
}

enum status watcher_feed(struct watcher *w, uint32_t stream, struct text bytes, struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    size_t whole;

    assert(!s->is_over);
    w->counts.bytes += bytes.length;
    if (s->is_passing)
        bytes = end_of_long_line(s, bytes);
    if (bytes.length == 0)
        return STATUS_OK;
    buffer_text(&s->unread, bytes);
    TRY(buffer_status(&s->unread, err));
    whole = whole_lines(s);
    if (whole > 0) {
        TRY(read_lines(w, stream, (struct text){ s->unread.at, whole }, err));
        s = &w->streams.at[stream];
        memmove(s->unread.at, s->unread.at + whole, s->unread.count - whole);
        s->unread.count -= whole;
        s->searched = s->unread.count;
    }
    pass_long_line(w, stream);
    return STATUS_OK;
}

enum status watcher_end(struct watcher *w, uint32_t stream, bool cut, struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    uint64_t garbage = w->counts.garbage;

    assert(!s->is_over);
    if (s->unread.count > 0) { /* its last line has no end */
        TRY(watcher_feed(w, stream, TEXT("\n"), err));
        cut |= w->counts.garbage > garbage;
    }
    w->counts.cuts += cut;
    w->streams.at[stream].is_over = true;
    TRY(watcher_clients_end_stream(w, stream, cut, err));
    return pass_on(w, err);
}

enum status watcher_finish(struct watcher *w, struct error *err)
{
    TRY(pass_on(w, err));
    assert(w->pipeline.waiting == 0);
    TRY(interval_model_end(&w->model, SIZE_MAX, err));
    return tell_new(w, err);
}

enum status watcher_lose(struct watcher *w, uint32_t stream, struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];

    assert(!s->is_over);
    if (s->unread.count > 0)
        TRY(watcher_feed(w, stream, TEXT("\n"), err));
    w->streams.at[stream].is_passing = false;
    w->counts.cuts++;
    watcher_clients_lose(w, stream);
    return STATUS_OK;
}

enum status watcher_stop(struct watcher *w, struct error *err)
{
    w->is_stopped = true;
    w->judged_at_stop = w->number;
    w->gapped_at_stop = w->model.counts.gapped;
    for (uint32_t stream = 0; stream < w->streams.count; stream++) {
        struct watcher_stream *s = &w->streams.at[stream];

        if (s->is_over)
            continue;
        s->is_over = true;
        TRY(watcher_clients_end_stream(w, stream, true, err));
    }
    return watcher_finish(w, err);
}

/* --- What it comes to ---------------------------------------------------------------------------- */

uint64_t watcher_unended(const struct watcher *w)
{
    return w->is_stopped ? w->model.counts.gapped - w->gapped_at_stop : 0;
}

uint64_t watcher_unjudged(const struct watcher *w)
{
    return w->traces.unjudged + w->model.counts.unjudged_queries;
}

static void doubt(struct buffer *reason, uint64_t count, const char *one, const char *many)
{
    if (count == 1)
        buffer_print(reason, "%s1 %s", reason->count > 0 ? "; " : "", one);
    else if (count > 1)
        buffer_print(reason, "%s%" PRIu64 " %s", reason->count > 0 ? "; " : "", count, many);
}

/* Where nothing was judged, nothing can have been wrong: that is no praise. */
static void doubt_emptiness(const struct watcher *w, struct buffer *reason)
{
    if (w->counts.txns == 0)
        buffer_text(reason, TEXT("no transaction came"));
    else if (w->is_stopped && w->judged_at_stop == 0)
        buffer_text(reason, TEXT("it was ended before anything could be judged"));
}

void watcher_doubt(const struct watcher *w, struct buffer *reason)
{
    const struct interval_counts *m = &w->model.counts;

    doubt_emptiness(w, reason);
    doubt(reason, w->counts.withdrawn,
          "finding is in doubt, as a transaction came later that had begun before",
          "findings are in doubt, as a transaction came later that had begun before");
    doubt(reason, w->counts.garbage, "line could not be read", "lines could not be read");
    doubt(reason, m->gapped - watcher_unended(w), "read may have seen what was lost",
          "reads may have seen what was lost");
    doubt(reason, w->counts.late, "transaction came too late to be judged",
          "transactions came too late to be judged");
    doubt(reason, m->unjudged, "read or write is of a key of which there are too many versions",
          "reads and writes are of keys of which there are too many versions");
}

int64_t watcher_clock_error(const struct watcher *w)
{
    int64_t more = 0;

    for (size_t i = 0; i < w->passed.count; i++) {
        const struct interval_finding *f = &w->model.findings.at[i];

        if (w->passed.at[i] == INT64_MIN)
            continue;
        if (f->clock_error == 0)
            return 0;
        if (f->clock_error > more)
            more = f->clock_error;
    }
    return more == 0 || more > INT64_MAX - w->model.clock_error ? 0 : more + w->model.clock_error;
}
