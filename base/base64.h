/*
 * base64: bytes as text, in the standard alphabet with padding.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>

#include "base/text.h"

void base64_print(struct buffer *, struct text bytes);
/* Appends what it decodes. False: that is no base64, or memory has run out, which the buffer knows. */
bool base64_decode(struct buffer *, struct text encoded);

#endif
