/*
 * version: the version of this program, and the digest of what runs.
 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#include "base/digest.h"
#include "base/error.h"

/* "0.1.0" */
const char *version_text(void);

/* Of the bytes of the running program and of the libraries that can change a run: two builds of one
 * version are told apart. */
MUST_USE enum status version_build(struct digest *, struct error *);
/* The running program, to be run again: 0 if the system does not tell. */
size_t version_program(char *path, size_t size);

#endif
