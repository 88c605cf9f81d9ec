#include "history/foreign/edn_private.h"

#include <string.h>

static bool is_ascii(struct text text)
{
    uint8_t all = 0;

    for (size_t i = 0; i < text.length; i++)
        all |= (uint8_t)text.at[i];
    return all < 0x80;
}

bool edn_is_utf8(struct text text)
{
    return is_ascii(text) || text_is_utf8(text);
}

static int hex_digit(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

/* Behind the backslash. Surrogates and the zero character are in no name that a test uses. */
static enum status take_escape(struct edn *e, struct error *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = e->at < e->end && *e->at ? strchr(from, *e->at) : NULL;
    unsigned code = 0;

    if (found) {
        buffer_byte(&e->decoded, to[found - from]);
        e->at++;
        return STATUS_OK;
    }
    if (e->end - e->at < 5 || *e->at != 'u')
        return edn_refuse(e, "an escape of a string", err);
    for (int i = 1; i <= 4; i++) {
        if (hex_digit(e->at[i]) < 0)
            return edn_refuse(e, "four hexadecimal digits", err);
        code = code << 4 | (unsigned)hex_digit(e->at[i]);
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        return edn_refuse(e, "a character that is neither zero nor half a pair", err);
    buffer_utf8(&e->decoded, code);
    e->at += 5;
    return STATUS_OK;
}

enum status edn_take_string(struct edn *e, struct text *text, struct error *err)
{
    const char *from = ++e->at;
    bool is_plain = true;

    buffer_clear(&e->decoded);
    for (;;) {
        const char *run = e->at;

        while (e->at < e->end && *e->at && *e->at != '"' && *e->at != '\\')
            e->at++;
        if (e->at == e->end || !*e->at)
            return edn_refuse(e, "the end of a string", err);
        if (*e->at == '"' && is_plain)
            break;
        buffer_text(&e->decoded, (struct text){ run, (size_t)(e->at - run) });
        if (*e->at == '"')
            break;
        is_plain = false;
        e->at++;
        TRY(take_escape(e, err));
    }
    TRY(buffer_status(&e->decoded, err));
    *text = is_plain ? (struct text){ from, (size_t)(e->at - from) }
                     : (struct text){ e->decoded.at, e->decoded.count };
    e->at++;
    if (!edn_is_utf8(*text))
        return edn_refuse(e, "a string of UTF-8 before this", err);
    return STATUS_OK;
}
