/*
 * digest: BLAKE2b-256 (RFC 7693) by libsodium, for keys, traces and the
 * identity of histories. Digest fields, never structs: padding is noise.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define DIGEST_BYTES 32
#define DIGEST_HEX_SIZE (2 * DIGEST_BYTES + 1)

struct digest {
    uint8_t bytes[DIGEST_BYTES];
};

struct digest_stream {
    crypto_generichash_blake2b_state state;
};

void digest_begin(struct digest_stream *);
void digest_add(struct digest_stream *, const void *bytes, size_t size);
/* As eight little-endian bytes. */
void digest_add_number(struct digest_stream *, uint64_t);
/* The bytes of a file. */
MUST_USE enum status digest_add_file(struct digest_stream *, const char *path, struct error *);
struct digest digest_end(struct digest_stream *);

/* 64 lowercase hex digits and a zero byte. */
void digest_hex(const struct digest *, char hex[DIGEST_HEX_SIZE]);

#endif
