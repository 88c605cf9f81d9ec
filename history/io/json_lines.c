#include "history/io/json_lines.h"

#include <string.h>

#define OFFSET_UNSET UINT64_MAX

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool has_byte_order_mark(struct text text)
{
    return text.length >= 3 && memcmp(text.at, byte_order_mark, 3) == 0;
}

static enum status read_line(const struct source *source, struct json *json, struct text line,
                             json_line_reader *read, void *reader, struct error *err)
{
    const char *next = source->bytes + source->begin;
    uint64_t line_offset = source->offset - (uint64_t)(next - line.at);
    enum status status;

    err->offset = OFFSET_UNSET;
    json_begin(json, line);
    if (source->line == 1 && has_byte_order_mark(line))
        status = error_set(err, STATUS_BAD_INPUT,
                           "the file begins with a byte order mark: UTF-8 is written without one");
    else
        status = read(reader, line, err);
    if (status == STATUS_OK) {
        err->offset = 0;
        return status;
    }
    error_set_file(err, source->name);
    err->line = source->line;
    if (err->offset == OFFSET_UNSET)
        err->offset = (uint64_t)(json->token - json->begin);
    err->offset += line_offset;
    return status;
}

enum status json_lines_read(struct source *source, struct json *json, const char *beginning,
                            json_line_reader *read, void *reader, struct error *err)
{
    for (;;) {
        struct text line;

        TRY(source_line(source, &line, err));
        if (!line.at)
            break;
        TRY(read_line(source, json, line, read, reader, err));
    }
    if (source->line > 0 || !beginning)
        return STATUS_OK;
    error_set_file(err, source->name);
    err->line = 1;
    return error_set(err, STATUS_BAD_INPUT, "expected %s, found an empty file", beginning);
}

bool json_lines_begin_with(struct text beginning, const char *name)
{
    size_t length = strlen(name);
    struct json json;

    if (has_byte_order_mark(beginning)) {
        beginning.at += 3;
        beginning.length -= 3;
    }
    json_begin(&json, beginning); /* decodes nothing: only looks */
    if (json_peek(&json) != '{')
        return false;
    json.at++;
    return json_peek(&json) == '"' && (size_t)(json.end - json.at) >= length + 2 &&
           memcmp(json.at + 1, name, length) == 0 && json.at[length + 1] == '"';
}
