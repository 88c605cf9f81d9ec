#include "cli/audit_input.h"

#include <string.h>

#define PEEK_BYTES ((size_t)64)

static enum status read_log(struct call_log *log, const char *path, const struct progress *progress,
                            struct error *err)
{
    struct source source;
    enum status status = source_open(&source, path, progress, err);

    *log = (struct call_log){ 0 };
    if (status == STATUS_OK)
        status = call_log_read(log, &source, err);
    source_close(&source);
    return status;
}

static enum status read_rows(struct call_log *log, const char *path, struct error *err)
{
    struct source source;
    enum status status = source_open(&source, path, NULL, err);

    if (status == STATUS_OK)
        status = call_log_read_rows(log, &source, err);
    source_close(&source);
    return status;
}

enum status audit_input_read(struct call_log *log, const char *path, const char *initial,
                             const struct progress *progress, struct error *err)
{
    TRY(read_log(log, path, progress, err));
    if (initial && strcmp(initial, "unknown") == 0)
        call_log_forget_rows(log);
    else if (initial)
        TRY(read_rows(log, initial, err));
    return STATUS_OK;
}

bool audit_input_is_log(const char *path)
{
    struct source source;
    struct text beginning;
    struct error ignored = { 0 };
    bool is_log = strcmp(path, "-") != 0 && source_open(&source, path, NULL, &ignored) == STATUS_OK;

    if (!is_log)
        return false;
    is_log = source_peek(&source, PEEK_BYTES, &beginning, &ignored) == STATUS_OK &&
             call_log_is_it(beginning);
    source_close(&source);
    return is_log;
}
