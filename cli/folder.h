/*
 * folder: what subcommands do with folders: make them, write into them, and find
 * the scenarios in them.
 */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <stdbool.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

#define FOLDER_PATH_SIZE 4096

bool folder_is_there(const char *path);
/* With those above it; no matter if it is there. */
MUST_USE enum status folder_make(const char *path, struct error *);
/* A file in it, which is there whole or not at all. */
MUST_USE enum status folder_write(const char *folder, const char *name, const struct buffer *,
                                  struct error *);

enum folder_content { FOLDER_SCENARIOS, FOLDER_FOLDERS };

struct folder_names {
    ARRAY(char *) names;
};

/* What is in it and has no dot in front, in the order of names. Closed, whatever the status. */
MUST_USE enum status folder_read(const char *folder, enum folder_content, struct folder_names *,
                                 struct error *);
void folder_close_names(struct folder_names *);

/* ./scenarios, or what was installed beside the program. */
bool folder_find_scenarios(char path[FOLDER_PATH_SIZE]);

#endif
