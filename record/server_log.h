/*
 * server_log: what a program that we have started has printed into its file, line by line.
 */
#ifndef RECORD_SERVER_LOG_H
#define RECORD_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes so far. */
long server_log_size(const char *path);
/*
 * The last line behind `from` bytes that has one of these words, and not `unless`. The words end in NULL;
 * without words it is the last line that is not empty. False, and "": there is none.
 */
bool server_log_find(const char *path, long from, const char *const *words, const char *unless,
                     char *to, size_t size);

#endif
