#include "history/jsonl/jsonl_read.h"

#include <string.h>

#include "history/jsonl/jsonl_private.h"

#define OFFSET_UNSET UINT64_MAX

static const char byte_order_mark[] = "\xef\xbb\xbf";

/* Where the line began, to turn what the lexer says into a place in the file. */
static uint64_t line_offset(const struct source *source, struct text line)
{
    const char *next = source->bytes + source->begin;

    return source->offset - (uint64_t)(next - line.at);
}

/* The name of the line's first field, which tells what the line is; or an empty text. */
static struct text first_field(struct jsonl *reader, struct text line)
{
    struct text name = { "", 0 };
    struct error ignored;

    json_begin(&reader->json, line);
    if (json_open(&reader->json, '{', "", &ignored) != STATUS_OK ||
        json_field(&reader->json, 0, &name, &ignored) != STATUS_OK || !name.at)
        name = TEXT("");
    return name;
}

static enum status read_first(struct jsonl *reader, struct text line, struct error *err)
{
    if (line.length >= 3 && memcmp(line.at, byte_order_mark, 3) == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "the file begins with a byte order mark: UTF-8 is written without one");
    json_begin(&reader->json, line);
    return jsonl_header(reader, err);
}

/* A transaction or a version order. */
static enum status read_other(struct jsonl *reader, struct text line, struct error *err)
{
    bool done = false;
    struct text first;

    json_begin(&reader->json, line);
    if (reader->fast)
        TRY(jsonl_fast_txn(reader, line, &done, err));
    if (done)
        return STATUS_OK;
    first = first_field(reader, line);
    if (text_equal(first, TEXT("ordeal-history")))
        return json_refuse_token(&reader->json, err, "the header is the first line alone");
    if (text_equal(first, TEXT("version-order"))) {
        if (reader->is_excerpt)
            return STATUS_OK;
        json_begin(&reader->json, line);
        return jsonl_order(reader, err);
    }
    json_begin(&reader->json, line);
    if (json_peek(&reader->json) == 0 && reader->json.at == reader->json.end)
        return json_refuse(&reader->json, "one object on each line", err);
    return jsonl_txn(reader, err);
}

static enum status read_line(struct jsonl *reader, struct text line, struct error *err)
{
    struct source *source = reader->source;
    enum status status;

    err->offset = OFFSET_UNSET;
    builder_set_line(reader->builder, source->line);
    status = source->line == 1 ? read_first(reader, line, err) : read_other(reader, line, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    error_set_file(err, source->name);
    err->line = source->line;
    /* The builder knows no bytes: what it refuses begins with the last token. */
    if (err->offset == OFFSET_UNSET)
        err->offset = (uint64_t)(reader->json.token - reader->json.begin);
    err->offset += line_offset(source, line);
    return status;
}

static enum status read_lines(struct jsonl *reader, struct error *err)
{
    struct text line;

    for (;;) {
        TRY(source_line(reader->source, &line, err));
        if (!line.at)
            break;
        TRY(read_line(reader, line, err));
    }
    if (reader->source->line > 0)
        return STATUS_OK;
    error_set_file(err, reader->source->name);
    err->line = 1;
    err->offset = 0;
    return error_set(err, STATUS_BAD_INPUT,
                     "expected {\"ordeal-history\":1,..., found an empty file");
}

static enum status read_all(struct jsonl *reader, unsigned flags, struct history *history,
                            struct error *err)
{
    if (!(flags & JSONL_GENERAL_ONLY))
        TRY(jsonl_fast_open(reader, err));
    TRY(read_lines(reader, err));
    err->line = err->offset = 0;
    if (builder_finish(reader->builder, history, err) == STATUS_OK)
        return STATUS_OK;
    error_set_file(err, reader->source->name);
    return err->status;
}

enum status jsonl_read(struct source *source, unsigned flags, struct history *history,
                       struct error *err)
{
    struct builder builder;
    struct jsonl reader = { .source = source, .builder = &builder };
    enum status status;

    reader.is_excerpt = flags & JSONL_EXCERPT;
    builder_init(&builder);
    *history = (struct history){ 0 };
    status = read_all(&reader, flags, history, err);
    builder_close(&builder);
    jsonl_fast_close(&reader);
    json_close(&reader.json);
    array_close(&reader.elements);
    array_close(&reader.cells);
    array_close(&reader.aggregates);
    array_close(&reader.rows);
    array_close(&reader.set);
    return status;
}

bool jsonl_is_it(struct text beginning)
{
    struct json json;

    if (beginning.length >= 3 && memcmp(beginning.at, byte_order_mark, 3) == 0) {
        beginning.at += 3;
        beginning.length -= 3;
    }
    json_begin(&json, beginning); /* decodes nothing: only looks */
    if (json_peek(&json) != '{')
        return false;
    json.at++;
    return json_peek(&json) == '"' && (size_t)(json.end - json.at) >= 16 &&
           memcmp(json.at, "\"ordeal-history\"", 16) == 0;
}
