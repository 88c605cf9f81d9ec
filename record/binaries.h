/*
 * binaries: where a database's program or library is on this machine.
 */
#ifndef RECORD_BINARIES_H
#define RECORD_BINARIES_H

#include <stdbool.h>

#include "base/error.h"
#include "record/database.h"

/* What is looked for, and where. */
struct binary {
    const char *title;  /* of the database */
    const char *file;   /* "rqlited" */
    const char *folder; /* where tools/deps.sh puts it, below build/databases; NULL: it does not */
    const char *advice; /* if it is missing: "install the package etcd-server" */
    bool is_library;
};

/*
 * The folder of --binaries, if it was given; else /usr/bin (or /usr/lib), /usr/local/bin (or lib), and
 * the folder `databases` beside the one that `ordeal` is in. `path` has room for `size` bytes.
 */
MUST_USE enum status binaries_find(const struct binary *, const struct database_options *,
                                   char *path, size_t size, struct error *);

#endif
