/*
 * trace_file: writes the trace of a run to a file.
 *
 * Lines are written in large pieces. A failure to write is kept until trace_file_finish(), because the
 * run cannot stop for it.
 */
#ifndef CLI_TRACE_FILE_H
#define CLI_TRACE_FILE_H

#include "base/error.h"
#include "base/text.h"
#include "history/io/sink.h"
#include "sim/trace.h"

struct trace_file {
    struct sink sink;
    struct buffer lines;
    struct error failure; /* STATUS_OK: none so far */
};

/* `path` must outlive it. Sets the options so that the trace's lines come here. */
MUST_USE enum status trace_file_open(struct trace_file *, const char *path,
                                     struct trace_options *, struct error *);
MUST_USE enum status trace_file_finish(struct trace_file *, struct error *);
void trace_file_close(struct trace_file *);

#endif
