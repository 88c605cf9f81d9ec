#include "base/json_writer.h"

#include <assert.h>
#include <inttypes.h>

static void begin_value(struct json_writer *json, const char *name)
{
    if (json->needs_comma)
        buffer_byte(json->out, ',');
    json->needs_comma = true;
    if (name) {
        buffer_json(json->out, text_of(name));
        buffer_byte(json->out, ':');
    }
}

void json_writer_open(struct json_writer *json, const char *name, char bracket)
{
    begin_value(json, name);
    buffer_byte(json->out, bracket);
    json->needs_comma = false;
}

void json_writer_close(struct json_writer *json, char bracket)
{
    buffer_byte(json->out, bracket);
    json->needs_comma = true;
}

static void print_damaged_text(struct buffer *out, struct text text)
{
    struct buffer plain = { 0 };

    for (size_t i = 0; i < text.length; i++)
        buffer_byte(&plain, (unsigned char)text.at[i] < 0x80 ? text.at[i] : '?');
    out->out_of_memory |= plain.out_of_memory;
    buffer_json(out, (struct text){ plain.at, plain.count });
    buffer_close(&plain);
}

void json_writer_string(struct json_writer *json, const char *name, struct text value)
{
    begin_value(json, name);
    if (text_is_utf8(value))
        buffer_json(json->out, value);
    else
        print_damaged_text(json->out, value);
}

void json_writer_text(struct json_writer *json, const char *name, const char *value)
{
    if (value)
        json_writer_string(json, name, text_of(value));
    else
        json_writer_null(json, name);
}

void json_writer_number(struct json_writer *json, const char *name, uint64_t value)
{
    begin_value(json, name);
    buffer_print(json->out, "%" PRIu64, value);
}

void json_writer_int64(struct json_writer *json, const char *name, int64_t value)
{
    begin_value(json, name);
    buffer_int64(json->out, value);
}

void json_writer_null(struct json_writer *json, const char *name)
{
    begin_value(json, name);
    buffer_text(json->out, TEXT("null"));
}

void json_writer_bool(struct json_writer *json, const char *name, bool value)
{
    begin_value(json, name);
    buffer_text(json->out, value ? TEXT("true") : TEXT("false"));
}

void json_writer_seconds(struct json_writer *json, const char *name, int64_t ns)
{
    assert(ns >= 0);
    begin_value(json, name);
    buffer_print(json->out, "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}
