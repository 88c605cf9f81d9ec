#include "record/live_lines.h"

#include "history/io/sink.h"
#include "history/jsonl/jsonl_write.h"

/* A history without transactions is a header. */
static enum status print_header(struct live_lines *live, struct error *err)
{
    struct record_certificate certificate;
    struct history history;
    struct sink sink;
    enum status status;

    TRY(record_history_make(&live->source, &certificate, &history, err));
    sink_open_memory(&sink, &live->lines);
    status = jsonl_write(&history, &sink, NULL, err);
    if (status == STATUS_OK)
        status = sink_commit(&sink, err);
    sink_close(&sink);
    history_close(&history);
    return status;
}

enum status live_lines_open(struct live_lines *live, const struct record_source *source,
                            struct error *err)
{
    *live = (struct live_lines){ .source = *source };
    pthread_mutex_init(&live->mutex, NULL);
    return print_header(live, err);
}

void live_lines_close(struct live_lines *live)
{
    pthread_mutex_destroy(&live->mutex);
    buffer_close(&live->lines);
}

static enum status print_line(const struct record_source *source, struct buffer *line,
                              struct error *err)
{
    const uint32_t first = 0;
    struct record_certificate certificate;
    struct history history;
    enum status status;

    TRY(record_history_make(source, &certificate, &history, err));
    status = jsonl_write_txns(&history, &first, 1, line, err);
    history_close(&history);
    return status;
}

enum status live_lines_add(struct live_lines *live, const struct client_log *log, struct error *err)
{
    struct client_log last = *log; /* a view: the log keeps what it has */
    struct record_source source = live->source;
    struct buffer line = { 0 };
    enum status status;

    last.txns.at = log->txns.at + log->txns.count - 1;
    last.txns.count = 1;
    source.logs = &last;
    source.log_count = 1;
    source.is_without_initial = true;
    pthread_mutex_lock(&live->mutex);
    source.first_id = (int64_t)++live->txn_count;
    pthread_mutex_unlock(&live->mutex);
    status = print_line(&source, &line, err);
    if (status == STATUS_OK)
        status = buffer_status(&line, err);
    pthread_mutex_lock(&live->mutex);
    if (status == STATUS_OK)
        buffer_text(&live->lines, (struct text){ line.at, line.count });
    pthread_mutex_unlock(&live->mutex);
    buffer_close(&line);
    return status;
}

void live_lines_take(struct live_lines *live, struct buffer *lines)
{
    struct buffer taken;

    buffer_clear(lines);
    pthread_mutex_lock(&live->mutex);
    taken = live->lines;
    live->lines = *lines;
    pthread_mutex_unlock(&live->mutex);
    *lines = taken;
}
