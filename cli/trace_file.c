#include "cli/trace_file.h"

#define PIECE_BYTES ((size_t)256 << 10)

static void write_lines(struct trace_file *file)
{
    if (file->failure.status == STATUS_OK &&
        buffer_status(&file->lines, &file->failure) == STATUS_OK)
        file->failure.status =
            sink_write(&file->sink, file->lines.at, file->lines.count, &file->failure);
    buffer_clear(&file->lines);
}

static void take_line(void *context, struct text line)
{
    struct trace_file *file = context;

    buffer_text(&file->lines, line);
    buffer_byte(&file->lines, '\n');
    if (file->lines.count >= PIECE_BYTES)
        write_lines(file);
}

enum status trace_file_open(struct trace_file *file, const char *path,
                            struct trace_options *options, struct error *err)
{
    *file = (struct trace_file){ 0 };
    TRY(sink_open(&file->sink, path, err));
    options->line = take_line;
    options->line_context = file;
    return STATUS_OK;
}

enum status trace_file_finish(struct trace_file *file, struct error *err)
{
    write_lines(file);
    if (file->failure.status != STATUS_OK) {
        *err = file->failure;
        return err->status;
    }
    return sink_commit(&file->sink, err);
}

void trace_file_close(struct trace_file *file)
{
    buffer_close(&file->lines);
    sink_close(&file->sink);
}
