#include "base/digest.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void digest_begin(struct digest_stream *stream)
{
    int failed = crypto_generichash_blake2b_init(&stream->state, NULL, 0, DIGEST_BYTES);

    assert(!failed);
    (void)failed;
}

void digest_add(struct digest_stream *stream, const void *bytes, size_t size)
{
    crypto_generichash_blake2b_update(&stream->state, bytes, size);
}

void digest_add_number(struct digest_stream *stream, uint64_t number)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    digest_add(stream, bytes, sizeof bytes);
}

struct digest digest_end(struct digest_stream *stream)
{
    struct digest digest;

    crypto_generichash_blake2b_final(&stream->state, digest.bytes, DIGEST_BYTES);
    return digest;
}

void digest_hex(const struct digest *digest, char hex[DIGEST_HEX_SIZE])
{
    sodium_bin2hex(hex, DIGEST_HEX_SIZE, digest->bytes, DIGEST_BYTES);
}

static enum status refuse_file(const char *path, struct error *err)
{
    int number = errno;

    error_set_file(err, path);
    return error_set(err, STATUS_IO, "cannot read: %s", strerror(number));
}

enum status digest_add_file(struct digest_stream *stream, const char *path, struct error *err)
{
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    enum status status;
    size_t got;

    if (!file)
        return refuse_file(path, err);
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        digest_add(stream, bytes, got);
    status = ferror(file) ? refuse_file(path, err) : STATUS_OK;
    fclose(file);
    return status;
}
