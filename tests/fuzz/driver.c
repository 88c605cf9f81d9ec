/*
 * driver: runs a fuzz target without the fuzzer, once on nothing and once on
 * each file named, so that `make check` replays the committed corpora under
 * any compiler. Each file is named before it is tried: the last one named is
 * the one that a crash belongs to.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes of a file in memory of exactly its size, so that a sanitizer sees
 * the first read beyond them. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long length;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)length;
        bytes = malloc(*size ? *size : 1);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("# nothing\n");
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);

    for (int i = 1; i < argc; i++) {
        size_t size = 0;
        uint8_t *bytes = read_file(argv[i], &size);

        if (!bytes) {
            printf("not ok - %s: %s\n", argv[i], strerror(errno));
            return 1;
        }
        printf("# %s\n", argv[i]);
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    printf("ok - %s withstands nothing and its %d committed inputs\n", argv[0],
           argc - 1);
    return 0;
}
