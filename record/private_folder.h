/*
 * private_folder: takes away the folder of a server, with the disks that are mounted in it. Needs no memory.
 */
#ifndef RECORD_PRIVATE_FOLDER_H
#define RECORD_PRIVATE_FOLDER_H

#include <stdbool.h>

/* False: something is left. */
bool private_folder_remove(const char *path);

#endif
