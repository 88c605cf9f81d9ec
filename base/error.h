/*
 * error: how a function that can fail says so.
 *
 * A fallible function returns enum status and takes a struct error as its
 * last parameter. The error carries the place (file, line, byte offset; zero
 * or empty where there is none) apart from the text, because users' tools read
 * places. Only users' mistakes and the machine's refusals are errors: our own
 * mistakes are asserts, simulated faults are events, anomalies are verdicts.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdint.h>

#if __SIZEOF_POINTER__ != 8
#error "Ordeal needs a machine and a compiler of 64 bits"
#endif

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

enum status {
    STATUS_OK,
    STATUS_BAD_INPUT,  /* a file or a call is wrong */
    STATUS_OVER_LIMIT, /* memory or a declared limit ran out */
    STATUS_IO,         /* the operating system refused */
    STATUS_TOO_LONG,   /* a budget of work, or its time, was over */
};

struct error {
    enum status status;
    uint64_t line;   /* from 1; 0: no line */
    uint64_t offset; /* bytes from the start of the file, where known */
    char file[512];  /* empty: not about a file */
    char text[512];
};

/* Sets status and text, and keeps the place. Returns the status. */
MUST_USE enum status error_set(struct error *, enum status, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Puts text before the error's own: "scenario bank.toml: storm 3: ...". */
enum status error_wrap(struct error *, const char *format, ...) PRINTF_LIKE(2, 3);

void error_set_file(struct error *, const char *file);

/* Returns on anything but success. The error must already be set. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status = (call);                                                           \
        if (try_status != STATUS_OK)                                                               \
            return try_status;                                                                     \
    } while (0)

#endif
