#include "cli/xml.h"

void xml_text(struct buffer *out, const char *text)
{
    unsigned char last = text_is_utf8(text_of(text)) ? 0xFF : 0x7F;

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            buffer_text(out, TEXT("&amp;"));
        else if (c == '<')
            buffer_text(out, TEXT("&lt;"));
        else if (c == '>')
            buffer_text(out, TEXT("&gt;"));
        else if (c == '"')
            buffer_text(out, TEXT("&quot;"));
        else
            buffer_byte(out, (c < ' ' && c != '\n' && c != '\t') || c > last ? '?' : *text);
    }
}
