/* format_private: what the files of this door share. */
#ifndef HISTORY_FORMAT_PRIVATE_H
#define HISTORY_FORMAT_PRIVATE_H

#include "history/foreign/foreign.h"
#include "history/format.h"

#define PEEK_BYTES ((size_t)4096)

/* What the beginning looks like, or FORMAT_ANY. */
enum format format_recognise(struct text beginning);
/* NULL: one of our own. */
const struct foreign *format_foreign(enum format);

/*
 * The files of a folder that are a history: one file, or where a tool writes a file for each
 * session, all of these, in the order of their names.
 */
struct format_folder {
    enum format format;
    ARRAY(char *) paths;
};

/* Closed by format_folder_close(), also after a failure. */
MUST_USE enum status format_folder_choose(const char *folder, enum format wanted,
                                          struct format_folder *, struct error *);
void format_folder_close(struct format_folder *);

#endif
