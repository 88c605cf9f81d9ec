#include "base/json.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void json_begin(struct json *json, struct text line)
{
    json->begin = json->at = json->token = line.at;
    json->end = line.at + line.length;
    buffer_clear(&json->decoded);
}

void json_close(struct json *json)
{
    buffer_close(&json->decoded);
}

void json_blank_line_ends(char *bytes, size_t size)
{
    bool in_string = false;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '"')
            in_string = !in_string;
        else if (in_string && bytes[i] == '\\')
            i++;
        else if (!in_string && (bytes[i] == '\n' || bytes[i] == '\r'))
            bytes[i] = ' ';
    }
}

static enum status refuse_at(struct json *json, const char *at, const char *text,
                             struct error *err)
{
    err->offset = (uint64_t)(at - json->begin);
    return error_set(err, STATUS_BAD_INPUT, "%s", text);
}

static bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next character in words. */
static void describe(const struct json *json, char *words, size_t room)
{
    unsigned char c = json->at < json->end ? (unsigned char)*json->at : 0;
    size_t length = 1;

    if (json->at == json->end) {
        snprintf(words, room, "the end of the line");
    } else if (c == '\r') {
        snprintf(words, room, "a carriage return (lines end with a line feed alone)");
    } else if (c < 0x20 || c == 0x7f) {
        snprintf(words, room, "the control character 0x%02x", c);
    } else if (c >= 0x80) {
        snprintf(words, room, "the byte 0x%02x", c);
    } else if (c == '"') {
        snprintf(words, room, "a string");
    } else {
        const char *at = json->at;
        while (length < 24 && at + length < json->end &&
               is_word_byte(at[length]) && is_word_byte(at[0]))
            length++;
        snprintf(words, room, "%.*s", (int)length, at);
    }
}

enum status json_refuse(struct json *json, const char *what, struct error *err)
{
    char found[64];

    (void)json_peek(json);
    describe(json, found, sizeof found);
    err->offset = (uint64_t)(json->at - json->begin);
    return error_set(err, STATUS_BAD_INPUT, "expected %s, found %s", what, found);
}

enum status json_refuse_token(struct json *json, struct error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return refuse_at(json, json->token, text, err);
}

enum status json_open(struct json *json, char bracket, const char *what, struct error *err)
{
    if (json_peek(json) != bracket)
        return json_refuse(json, what, err);
    json->token = json->at++;
    return STATUS_OK;
}

enum status json_field(struct json *json, size_t n, struct text *name, struct error *err)
{
    char next = json_peek(json);

    *name = (struct text){ NULL, 0 };
    if (next == '}') {
        json->at++;
        return STATUS_OK;
    }
    if (n > 0) {
        if (next != ',')
            return json_refuse(json, "\",\" or \"}\"", err);
        json->at++;
    }
    TRY(json_string(json, n > 0 ? "another field" : "a field or \"}\"", name, err));
    if (json_peek(json) != ':')
        return json_refuse(json, "\":\" after the field's name", err);
    json->at++;
    return STATUS_OK;
}

enum status json_element(struct json *json, size_t n, bool *more, struct error *err)
{
    char next = json_peek(json);

    *more = next != ']';
    if (next == ']' || (n > 0 && next == ',')) {
        json->at++;
        return STATUS_OK;
    }
    return n > 0 ? json_refuse(json, "\",\" or \"]\"", err) : STATUS_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum status json_integer(struct json *json, const char *what, int64_t *number, struct error *err)
{
    const char *from, *digits;
    uint64_t magnitude = 0;
    struct text text;
    char next = json_peek(json);

    if (next != '-' && !is_digit(next))
        return json_refuse(json, what, err);
    from = json->token = json->at;
    digits = from + (next == '-');
    json->at = digits;
    while (json->at < json->end && is_digit(*json->at))
        magnitude = magnitude * 10 + (uint64_t)(*json->at++ - '0');
    if (json->at == digits)
        return json_refuse(json, "a digit after \"-\"", err);
    if (json->at < json->end && (*json->at == '.' || (*json->at | 32) == 'e'))
        return refuse_at(json, json->at,
                         "fractions and exponents are not allowed: write decimals as strings", err);
    /* Up to eighteen digits cannot be too many; what is longer is looked at again. */
    if ((*digits != '0' && json->at - digits <= 18) || (next == '0' && json->at - digits == 1)) {
        *number = next == '-' ? -(int64_t)magnitude : (int64_t)magnitude;
        return STATUS_OK;
    }
    text = (struct text){ from, (size_t)(json->at - from) };
    if (text_to_int64(text, number))
        return STATUS_OK;
    if (*digits == '0')
        return refuse_at(json, from, "a number has no leading zeros and no negative zero", err);
    return json_refuse_token(json, err, "the number %.*s is beyond 64 bits", TEXT_PRINT(text));
}

bool json_word(struct json *json, const char *word)
{
    size_t length;

    if (json_peek(json) != word[0])
        return false;
    length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
        return false;
    json->at += length;
    return true;
}

enum status json_end(struct json *json, struct error *err)
{
    (void)json_peek(json);
    return json->at == json->end ? STATUS_OK : json_refuse(json, "nothing more on this line", err);
}

/* Four hex digits, or -1. */
static long hex_of(const struct json *json, const char *at)
{
    long code = 0;

    if (json->end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        if (is_digit(c))
            code = code * 16 + (c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            code = code * 16 + ((c | 32) - 'a' + 10);
        else
            return -1;
    }
    return code;
}

/* Behind `\u`: one escape, or two that make a pair. */
static enum status decode_code(struct json *json, struct error *err)
{
    const char *escape = json->at - 2;
    long code = hex_of(json, json->at), low;

    if (code < 0)
        return refuse_at(json, escape, "\"\\u\" needs four hexadecimal digits", err);
    if (code == 0)
        return refuse_at(json, escape, "the zero character is not allowed", err);
    json->at += 4;
    if (code >= 0xd800 && code <= 0xdfff) {
        low = code < 0xdc00 && json->end - json->at >= 6 && json->at[0] == '\\' &&
                      json->at[1] == 'u'
                  ? hex_of(json, json->at + 2)
                  : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return refuse_at(json, escape, "half of a surrogate pair stands alone", err);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        json->at += 6;
    }
    buffer_utf8(&json->decoded, (uint32_t)code);
    return STATUS_OK;
}

static enum status decode_escape(struct json *json, struct error *err)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *escape = json->at, *name;

    if (json->end - escape < 2)
        return refuse_at(json, escape, "the line ends within a string", err);
    json->at += 2;
    if (escape[1] == 'u')
        return decode_code(json, err);
    name = escape[1] ? strchr(names, escape[1]) : NULL;
    if (!name)
        return refuse_at(json, escape, "unknown escape in a string", err);
    buffer_byte(&json->decoded, meanings[name - names]);
    return STATUS_OK;
}

/* Up to a quote, a backslash or the end; refuses control characters and bad UTF-8. */
static enum status pass_plain(struct json *json, struct text *plain, struct error *err)
{
    const char *from = json->at;
    unsigned char all = 0;

    while (json->at < json->end && *json->at != '"' && *json->at != '\\') {
        unsigned char c = (unsigned char)*json->at;
        if (c < 0x20) {
            err->offset = (uint64_t)(json->at - json->begin);
            return error_set(err, STATUS_BAD_INPUT,
                             c ? "the control character 0x%02x stands in a string: escape it"
                               : "the zero character 0x%02x is not allowed",
                             c);
        }
        all |= c;
        json->at++;
    }
    *plain = (struct text){ from, (size_t)(json->at - from) };
    if (all >= 0x80 && !text_is_utf8(*plain))
        return refuse_at(json, from, "the string is not UTF-8", err);
    if (json->at == json->end)
        return refuse_at(json, json->at, "the line ends within a string", err);
    return STATUS_OK;
}

enum status json_string(struct json *json, const char *what, struct text *text,
                        struct error *err)
{
    struct text plain;
    size_t decoded_from;

    if (json_peek(json) != '"')
        return json_refuse(json, what, err);
    json->token = json->at++;
    TRY(pass_plain(json, text, err));
    if (*json->at == '"') {
        json->at++;
        return STATUS_OK;
    }
    /* All that is decoded on this line fits, so what was handed out stays where it is. */
    if (!buffer_reserve(&json->decoded, (size_t)(json->end - json->begin) - json->decoded.count))
        return buffer_status(&json->decoded, err);
    decoded_from = json->decoded.count;
    for (plain = *text;;) {
        buffer_text(&json->decoded, plain);
        if (*json->at == '"')
            break;
        TRY(decode_escape(json, err));
        TRY(pass_plain(json, &plain, err));
    }
    json->at++;
    *text = (struct text){ json->decoded.at + decoded_from, json->decoded.count - decoded_from };
    return STATUS_OK;
}

static enum status skip_plain(struct json *json, struct error *err)
{
    struct text text;
    int64_t number;
    char next = json_peek(json);

    if (next == '"')
        return json_string(json, "a string", &text, err);
    if (json_word(json, "null") || json_word(json, "true") || json_word(json, "false"))
        return STATUS_OK;
    return json_integer(json, "a value", &number, err);
}

enum status json_skip(struct json *json, struct error *err)
{
    struct {
        bool is_object;
        size_t count;
    } open[JSON_DEPTH_MAX];
    size_t depth = 0, decoded = json->decoded.count;

    do {
        char next = json_peek(json);
        struct text name = { "", 0 };
        bool more = true;

        if (next == '{' || next == '[') {
            if (depth == JSON_DEPTH_MAX)
                return refuse_at(json, json->at, "brackets are nested too deep", err);
            open[depth].is_object = next == '{';
            open[depth++].count = 0;
            json->at++;
        } else {
            TRY(skip_plain(json, err));
        }
        /* On to the next value, or out of all brackets that close here. */
        while (depth > 0) {
            size_t n = open[depth - 1].count++;
            if (open[depth - 1].is_object) {
                TRY(json_field(json, n, &name, err));
                more = name.at != NULL;
            } else {
                TRY(json_element(json, n, &more, err));
            }
            if (more)
                break;
            depth--;
        }
    } while (depth > 0);
    json->decoded.count = decoded; /* nobody saw these, and they may be read again */
    return STATUS_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

static enum status refuse_name(struct json *json, const char *what, struct text name,
                               const char *const *names, struct error *err)
{
    const char *nearest = text_nearest(name, names);

    if (nearest)
        return json_refuse_token(json, err, "unknown %s \"%.*s\": did you mean \"%s\"?", what,
                                 TEXT_PRINT(name), nearest);
    return json_refuse_token(json, err, "unknown %s \"%.*s\"", what, TEXT_PRINT(name));
}

static bool find_name(struct text name, const char *const *names, unsigned *place)
{
    /* Most names differ in their first byte. */
    for (unsigned i = 0; name.length > 0 && names[i]; i++) {
        if (names[i][0] == name.at[0] && text_equal(name, text_of(names[i]))) {
            *place = i;
            return true;
        }
    }
    return false;
}

enum status json_know_field(struct json *json, struct text name, const char *const *names,
                            unsigned *field, unsigned *seen, struct error *err)
{
    if (!find_name(name, names, field))
        return refuse_name(json, "field", name, names, err);
    if (*seen >> *field & 1)
        return json_refuse_token(json, err, "\"%.*s\" stands here twice", TEXT_PRINT(name));
    *seen |= 1u << *field;
    return STATUS_OK;
}

enum status json_choice(struct json *json, const char *what, const char *const *names,
                        unsigned *choice, struct error *err)
{
    struct text name;

    if (json_peek(json) != '"') {
        char expected[64];
        snprintf(expected, sizeof expected, "a %s string", what);
        return json_refuse(json, expected, err);
    }
    TRY(json_string(json, what, &name, err));
    if (!find_name(name, names, choice))
        return refuse_name(json, what, name, names, err);
    return STATUS_OK;
}

enum status json_one_of(struct json *json, const char *const *words, const char *what,
                        unsigned *number, struct error *err)
{
    struct text word;

    TRY(json_string(json, what, &word, err));
    return find_name(word, words, number)
               ? STATUS_OK
               : json_refuse_token(json, err, "\"%.*s\" is not %s", TEXT_PRINT(word), what);
}
