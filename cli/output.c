#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "history/io/sink.h"

void output_init(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit is an error of write() */
    /*
     * A file opened later must not become standard output because that was
     * closed. Opened the wrong way round, a stream still fails when it is used.
     */
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) == -1)
            _exit(2);
}

enum status output_print(const struct buffer *out, struct error *err)
{
    const char *at = out->at;
    size_t left = out->count;

    TRY(buffer_status(out, err));
    while (left > 0) {
        ssize_t written = write(STDOUT_FILENO, at, left);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            error_set_file(err, "standard output");
            err->line = 0;
            return error_set(err, STATUS_IO, "%s", strerror(errno));
        }
        at += written;
        left -= (size_t)written;
    }
    return STATUS_OK;
}

enum status output_write_file(const char *path, const struct buffer *out, struct error *err)
{
    struct sink sink;
    enum status status;

    TRY(buffer_status(out, err));
    TRY(sink_open(&sink, path, err));
    sink.syncs = true;
    status = sink_write(&sink, out->at, out->count, err);
    if (status == STATUS_OK)
        status = sink_commit(&sink, err);
    sink_close(&sink);
    return status;
}

enum status output_write(const char *path, const struct buffer *out, struct error *err)
{
    return strcmp(path, "-") == 0 ? output_print(out, err) : output_write_file(path, out, err);
}

void output_tame(struct buffer *out, size_t from)
{
    for (size_t i = from; i < out->count; i++)
        if ((unsigned char)out->at[i] < ' ' || out->at[i] == 0x7f)
            out->at[i] = '?';
}

void output_describe(const struct error *err, struct buffer *out)
{
    size_t start = out->count;

    if (err->file[0] == '\0')
        buffer_print(out, "ordeal: %s", err->text);
    else if (err->line > 0)
        buffer_print(out, "%s:%" PRIu64 ": %s", err->file, err->line, err->text);
    else
        buffer_print(out, "%s: %s", err->file, err->text);
    output_tame(out, start);
}

static void print_error_object(const struct error *err, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_open(&json, "error", '{');
    json_writer_text(&json, "file", err->file[0] != '\0' ? err->file : NULL);
    if (err->line > 0)
        json_writer_number(&json, "line", err->line);
    else
        json_writer_null(&json, "line");
    if (err->offset > 0)
        json_writer_number(&json, "offset", err->offset);
    else
        json_writer_null(&json, "offset");
    json_writer_text(&json, "message", err->text);
    json_writer_close(&json, '}');
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

/* Without memory: the line is made on the stack, and an object says less than it could. */
static void report_plainly(const struct error *err, bool json)
{
    static const char object[] = "{\"error\":{\"file\":null,\"line\":null,\"offset\":null,"
                                 "\"message\":\"out of memory\"}}\n";
    char line[sizeof err->file + sizeof err->text + 40];
    struct buffer kept = { .at = line, .room = sizeof line };
    ssize_t ignored;

    if (err->file[0] == '\0')
        snprintf(line, sizeof line, "ordeal: %s", err->text);
    else
        snprintf(line, sizeof line, "%s: %s", err->file, err->text);
    kept.count = strlen(line);
    output_tame(&kept, 0);
    line[kept.count] = '\n';
    ignored = write(STDERR_FILENO, line, kept.count + 1);
    if (json)
        ignored = write(STDOUT_FILENO, object, sizeof object - 1);
    (void)ignored;
}

void output_report(const struct error *err, bool json)
{
    struct buffer out = { 0 }, object = { 0 };
    struct error ignored = { 0 };
    enum status said;

    output_describe(err, &out);
    buffer_byte(&out, '\n');
    if (json)
        print_error_object(err, &object);
    if (out.out_of_memory || object.out_of_memory) {
        report_plainly(err, json);
    } else {
        fwrite(out.at, 1, out.count, stderr);
        said = output_print(&object, &ignored);
        (void)said; /* if even this cannot be said, the exit status still tells */
    }
    buffer_close(&out);
    buffer_close(&object);
}

void output_xml(struct buffer *out, const char *text)
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
