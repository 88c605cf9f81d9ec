/*
 * fuzz_program: no text makes the loader of programs crash, hang or refuse
 * without a reason. What loads is also called, on texts behind a line of "%".
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/engine.h"
#include "programs/machine/program.h"

#define ARGUMENTS_MAX 100
#define HEAP_LIMIT ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void call(const struct program *program, struct engine *engine, struct text text)
{
    struct datum arguments[ARGUMENTS_MAX];
    struct engine_outcome outcome;
    struct error err = { 0 };
    struct heap heap;
    uint32_t function;

    heap_init(&heap, HEAP_LIMIT);
    if (program_parse_call(program, text, &heap, &function,
                           (struct program_arguments){ arguments, ARGUMENTS_MAX }, &err) !=
        STATUS_OK)
        assert(err.text[0] != '\0');
    else if (engine_call(engine, function, arguments, &outcome, &err) == STATUS_OK)
        assert(outcome.is_done || strlen(outcome.sqlstate) == 5);
    heap_close(&heap);
}

/* Each line is a call. */
static void call_all(const struct program *program, struct text calls)
{
    struct engine *engine;
    struct error err = { 0 };

    if (engine_open(&engine, program, &err) != STATUS_OK)
        return;
    while (calls.length > 0) {
        const char *end = memchr(calls.at, '\n', calls.length);
        size_t length = end ? (size_t)(end - calls.at) : calls.length;

        call(program, engine, (struct text){ calls.at, length });
        length += end != NULL;
        calls = (struct text){ calls.at + length, calls.length - length };
    }
    engine_close(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text file = { (const char *)data, size }, calls = { "", 0 };
    struct program program;
    struct error err = { 0 };

    for (size_t i = 0; i + 3 <= size; i++)
        if (memcmp(data + i, "\n%\n", 3) == 0) {
            file.length = i + 1;
            calls = (struct text){ (const char *)data + i + 3, size - i - 3 };
            break;
        }
    if (program_load(&program, file, &err) == STATUS_OK) {
        call_all(&program, calls);
        program_close(&program);
    } else {
        assert(err.text[0] != '\0');
    }
    return 0;
}
