/*
 * folder: makes the folders of subcommands, and writes into them.
 *
 * What a command answers with as a folder is written whole beside its place, and
 * then renamed, so that files of two answers never stand side by side. It is on the disk before it has
 * its name:
 *
 *     TRY(folder_claim(path, force, err));          before the work: may it be written?
 *     ...
 *     TRY(folder_answer(path, force, write, report, err));
 *
 * or step by step
 *
 *     TRY(folder_draft_open(&draft, path, err));    path.XXXXXX
 *     status = folder_write(draft.at, "run.json", &bytes, err);
 *     if (status == STATUS_OK)
 *         status = folder_draft_commit(&draft, force, err);
 *     folder_draft_close(&draft);                   nothing is left of one that was not committed
 *
 * A folder in which something stands is refused. By force, the files of an answer
 * before give way, and whatever else is there is left alone: the two folders change places at
 * once. (File by file if the system cannot do that, or folders stand in the old one.)
 */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <dirent.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "history/history.h"
#include "trial/run/jury.h"

#define FOLDER_PATH_SIZE 4096

/* With those above it; no matter if it is there. */
MUST_USE enum status folder_make(const char *path, struct error *);
/* A file in it, which is there whole or not at all. */
MUST_USE enum status folder_write(const char *folder, const char *name, const struct buffer *,
                                  struct error *);

struct folder_draft {
    char path[FOLDER_PATH_SIZE]; /* where it will be */
    char at[FOLDER_PATH_SIZE];   /* where it is until then; empty: it is committed */
    DIR *folder;                 /* that one, opened ahead: it can be emptied where memory is out */
    bool is_open;                /* interrupts are held back meanwhile */
};

/* Makes the folders above it. */
MUST_USE enum status folder_claim(const char *path, bool force, struct error *);
MUST_USE enum status folder_draft_open(struct folder_draft *, const char *path, struct error *);
MUST_USE enum status folder_draft_commit(struct folder_draft *, bool force, struct error *);
void folder_draft_close(struct folder_draft *);

/* All of it: `write` writes the files into the draft's folder. */
MUST_USE enum status folder_answer(const char *path, bool force,
                                   enum status (*write)(const void *report, const char *folder,
                                                        struct error *),
                                   const void *report, struct error *);
/* history.jsonl and the witnesses. */
MUST_USE enum status folder_write_judged(const char *folder, const struct history *,
                                         const struct jury *, struct error *);

#endif
