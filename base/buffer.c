#include "base/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void buffer_close(struct buffer *buffer)
{
    free(buffer->at);
    *buffer = (struct buffer){ 0 };
}

void buffer_clear(struct buffer *buffer)
{
    buffer->count = 0;
}

static char *fail(struct buffer *buffer)
{
    buffer->out_of_memory = true;
    memory_note_failure();
    return NULL;
}

char *buffer_reserve(struct buffer *buffer, size_t more)
{
    size_t wanted;
    char *moved;

    if (buffer->at && buffer->room - buffer->count >= more)
        return buffer->at + buffer->count;
    if (__builtin_add_overflow(buffer->count, more, &wanted) || wanted > PTRDIFF_MAX / 2)
        return fail(buffer);
    if (wanted < buffer->room * 2)
        wanted = buffer->room * 2;
    if (wanted < 256)
        wanted = 256;
    moved = realloc(buffer->at, wanted);
    if (!moved)
        return fail(buffer);
    buffer->at = moved;
    buffer->room = wanted;
    return buffer->at + buffer->count;
}

void buffer_byte(struct buffer *buffer, char byte)
{
    char *to = buffer_reserve(buffer, 1);

    if (to) {
        *to = byte;
        buffer->count++;
    }
}

void buffer_text(struct buffer *buffer, struct text text)
{
    char *to = buffer_reserve(buffer, text.length);

    if (to && text.length) {
        memcpy(to, text.at, text.length);
        buffer->count += text.length;
    }
}

void buffer_append(struct buffer *buffer, const struct buffer *piece)
{
    buffer_text(buffer, (struct text){ piece->at, piece->count });
    buffer->out_of_memory |= piece->out_of_memory;
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    int length;
    char *to;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    to = buffer_reserve(buffer, (size_t)length + 1);
    if (to) {
        vsnprintf(to, (size_t)length + 1, format, again);
        buffer->count += (size_t)length;
    }
    va_end(again);
}

void buffer_int64(struct buffer *buffer, int64_t number)
{
    char *to = buffer_reserve(buffer, 20);

    if (to)
        buffer->count += (size_t)(text_write_int64(to, number) - to);
}

void buffer_json(struct buffer *buffer, struct text text)
{
    static const char hex[] = "0123456789abcdef";
    size_t plain = 0;

    buffer_byte(buffer, '"');
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.at[i];
        char escape[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
        size_t length = 6;

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r') {
            escape[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
            length = 2;
        }
        buffer_text(buffer, (struct text){ text.at + plain, i - plain });
        buffer_text(buffer, (struct text){ escape, length });
        plain = i + 1;
    }
    if (plain < text.length)
        buffer_text(buffer, (struct text){ text.at + plain, text.length - plain });
    buffer_byte(buffer, '"');
}

void buffer_utf8(struct buffer *buffer, uint32_t code)
{
    assert(code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
    if (code < 0x80) {
        buffer_byte(buffer, (char)code);
        return;
    }
    if (code < 0x800) {
        buffer_byte(buffer, (char)(0xc0 | code >> 6));
    } else {
        if (code < 0x10000) {
            buffer_byte(buffer, (char)(0xe0 | code >> 12));
        } else {
            buffer_byte(buffer, (char)(0xf0 | code >> 18));
            buffer_byte(buffer, (char)(0x80 | (code >> 12 & 0x3f)));
        }
        buffer_byte(buffer, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    buffer_byte(buffer, (char)(0x80 | (code & 0x3f)));
}

enum status buffer_status(const struct buffer *buffer, struct error *err)
{
    if (buffer->out_of_memory)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for output of more than %zu bytes",
                         buffer->count);
    return STATUS_OK;
}
