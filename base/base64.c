#include "base/base64.h"

#include <sodium.h>

#define ALPHABET sodium_base64_VARIANT_ORIGINAL

void base64_print(struct buffer *to, struct text bytes)
{
    size_t room = sodium_base64_ENCODED_LEN(bytes.length, ALPHABET);
    char *at = buffer_reserve(to, room);

    if (!at)
        return;
    sodium_bin2base64(at, room, (const unsigned char *)bytes.at, bytes.length, ALPHABET);
    to->count += room - 1; /* without the zero at the end */
}

bool base64_decode(struct buffer *to, struct text encoded)
{
    size_t room = encoded.length / 4 * 3 + 3, length;
    unsigned char *at = (unsigned char *)buffer_reserve(to, room);

    if (!at ||
        sodium_base642bin(at, room, encoded.at, encoded.length, NULL, &length, NULL, ALPHABET) != 0)
        return false;
    to->count += length;
    return true;
}
