/*
 * oh: histories as native binary files, `.oh`.
 *
 *     header | table of sections | section | section | ...
 *
 * A section is a column of the history, byte for byte, so that a file is read
 * by mapping it into memory. docs/format-oh.md has the layout. Each section has
 * its checksum; header and table have one together; nothing in the file is
 * without. What was read has passed history_check(): damage and malice are
 * refused alike, with the section's name and, in the error, its offset.
 *
 * One history makes one file: the same columns give the same bytes, and what a
 * file gives, written again, is that file.
 *
 * A mapped file must not change while its history lives. If another process
 * cuts it short in that time, the system ends ours with SIGBUS.
 */
#ifndef HISTORY_BINARY_OH_H
#define HISTORY_BINARY_OH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "history/history.h"

#define OH_MAGIC_SIZE 8

/* Whether a file that begins so is of this format; of fewer bytes, never. */
bool oh_is(const void *bytes, size_t size);

/* Gives the file to `write`, piece by piece. */
MUST_USE enum status oh_write(const struct history *,
                              enum status (*write)(void *context, const void *bytes, size_t size,
                                                   struct error *),
                              void *context, struct error *);

/* Maps a plain file. */
MUST_USE enum status oh_map(const char *path, struct history *, struct error *);

/*
 * Reads a file that is in memory from malloc() already, because it came through
 * a pipe or was compressed. The bytes are the history's from now on, and freed
 * if it is refused. `name` is what errors call the file.
 */
MUST_USE enum status oh_read(const char *name, void *bytes, size_t size, struct history *,
                             struct error *);

#endif
