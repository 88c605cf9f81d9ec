#include "history/jsonl/excerpt.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "history/jsonl/jsonl_read.h"

#define LINES_MAX ((size_t)512)
#define BYTES_MAX ((size_t)1 << 18)  /* unless one line is longer */
#define BYTES_FAST ((size_t)1 << 14) /* the fast path takes a while to be set up */

static const char bare_header[] = "{\"ordeal-history\":1}";

void excerpt_close(struct excerpt *e)
{
    buffer_close(&e->header);
    buffer_close(&e->text);
}

bool excerpt_is_header(struct text line)
{
    return jsonl_is_it(line);
}

/* --- The header ---------------------------------------------------------------------------- */

static bool is_kept(struct text name)
{
    return !text_equal(name, TEXT("initial")) && !text_equal(name, TEXT("unique"));
}

/* The header's fields but for those. It has been read: nothing in it is wrong. */
static enum status shorten_header(struct json *json, struct buffer *out, struct error *err)
{
    TRY(json_open(json, '{', "a header", err));
    for (size_t n = 0;; n++) {
        struct text name;
        const char *from;

        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        from = json->at;
        TRY(json_skip(json, err));
        if (!is_kept(name))
            continue;
        buffer_byte(out, n == 0 ? '{' : ',');
        buffer_json(out, name);
        buffer_byte(out, ':');
        buffer_text(out, (struct text){ from, (size_t)(json->at - from) });
    }
    buffer_byte(out, '}');
    return buffer_status(out, err);
}

static enum status read_text(struct text text, unsigned flags, struct history *history,
                             struct error *err)
{
    struct source source;
    enum status status;

    *history = (struct history){ 0 };
    *err = (struct error){ 0 };
    TRY(source_open_memory(&source, "", text.at, text.length, err));
    status = jsonl_read(&source, JSONL_EXCERPT | flags, history, err);
    source_close(&source);
    return status;
}

/* Readers look at some bytes behind the end. */
static enum status copy_line(struct excerpt *e, struct text line, struct error *err)
{
    buffer_clear(&e->text);
    buffer_text(&e->text, line);
    (void)buffer_reserve(&e->text, SOURCE_SLACK);
    return buffer_status(&e->text, err);
}

enum status excerpt_header(struct excerpt *e, struct text line, struct history *initial,
                           struct error *err)
{
    struct json json = { 0 };
    enum status status;

    TRY(copy_line(e, line, err));
    line.at = e->text.at;
    TRY(read_text(line, JSONL_GENERAL_ONLY, initial, err));
    buffer_clear(&e->header);
    json_begin(&json, line);
    status = shorten_header(&json, &e->header, err);
    json_close(&json);
    if (status != STATUS_OK)
        history_close(initial);
    return status;
}

/* --- Lines ----------------------------------------------------------------------------------- */

static size_t line_length(struct text lines)
{
    const char *feed = memchr(lines.at, '\n', lines.length);

    return feed ? (size_t)(feed - lines.at) + 1 : lines.length;
}

/* So many of the lines, one at the least. */
static struct text first_lines(struct text lines, size_t count_max, size_t bytes_max)
{
    struct text first = { lines.at, line_length(lines) };

    for (size_t count = 1; count < count_max && first.length < lines.length; count++) {
        struct text rest = { lines.at + first.length, lines.length - first.length };
        size_t length = line_length(rest);

        if (first.length + length > bytes_max)
            break;
        first.length += length;
    }
    return first;
}

static enum status read_lines(struct excerpt *e, struct text lines, struct history *history,
                              struct error *err)
{
    struct text header = { e->header.at, e->header.count };

    buffer_clear(&e->text);
    buffer_text(&e->text, e->header.count > 0 ? header : text_of(bare_header));
    buffer_byte(&e->text, '\n');
    buffer_text(&e->text, lines);
    TRY(buffer_status(&e->text, err));
    return read_text((struct text){ e->text.at, e->text.count },
                     lines.length < BYTES_FAST ? JSONL_GENERAL_ONLY : 0, history, err);
}

/* Those before the one that was refused, which is counted from the header on. */
static size_t count_good(size_t tried, uint64_t refused)
{
    if (refused > 2 && refused - 2 < tried)
        return (size_t)(refused - 2);
    return refused == 2 ? 0 : tried / 2;
}

enum status excerpt_read(struct excerpt *e, struct text lines, struct history *history,
                         size_t *taken, struct error *err)
{
    size_t count = e->line_count > 0 ? e->line_count : 1;

    assert(lines.length > 0);
    for (;;) {
        struct text first = first_lines(lines, count, BYTES_MAX);
        enum status status = read_lines(e, first, history, err);

        *taken = first.length;
        if (status == STATUS_OK) {
            e->line_count = 2 * count < LINES_MAX ? 2 * count : LINES_MAX;
            return STATUS_OK;
        }
        count = count_good(count, err->line);
        e->line_count = 1; /* where one line is wrong, others may be */
        if (status != STATUS_BAD_INPUT || count == 0) {
            *taken = line_length(lines);
            return status;
        }
    }
}
