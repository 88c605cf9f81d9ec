#include "cli/answer.h"

#include <assert.h>
#include <inttypes.h>

static void begin_value(struct answer *answer, const char *name)
{
    if (answer->needs_comma)
        buffer_byte(answer->out, ',');
    answer->needs_comma = true;
    if (name) {
        buffer_json(answer->out, text_of(name));
        buffer_byte(answer->out, ':');
    }
}

void answer_open(struct answer *answer, const char *name, char bracket)
{
    begin_value(answer, name);
    buffer_byte(answer->out, bracket);
    answer->needs_comma = false;
}

void answer_close(struct answer *answer, char bracket)
{
    buffer_byte(answer->out, bracket);
    answer->needs_comma = true;
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

void answer_text(struct answer *answer, const char *name, const char *value)
{
    struct text text = text_of(value);

    begin_value(answer, name);
    if (text_is_utf8(text))
        buffer_json(answer->out, text);
    else
        print_damaged_text(answer->out, text);
}

void answer_number(struct answer *answer, const char *name, uint64_t value)
{
    begin_value(answer, name);
    buffer_print(answer->out, "%" PRIu64, value);
}

void answer_null(struct answer *answer, const char *name)
{
    begin_value(answer, name);
    buffer_text(answer->out, TEXT("null"));
}

void answer_bool(struct answer *answer, const char *name, bool value)
{
    begin_value(answer, name);
    buffer_text(answer->out, value ? TEXT("true") : TEXT("false"));
}

void answer_seconds(struct answer *answer, const char *name, int64_t ns)
{
    assert(ns >= 0);
    begin_value(answer, name);
    buffer_print(answer->out, "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}
