/*
 * format: the formats of history files, and the one door for reading and
 * writing whole files.
 *
 * What a file is in is seen from its content, never from its name. Whoever
 * names a format forces it: a file of another is then refused as such.
 */
#ifndef HISTORY_FORMAT_H
#define HISTORY_FORMAT_H

#include <stdbool.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "history/history.h"
#include "history/progress.h"

/* X(enumerator, c, name, what it is in a line): foreign_c, in history/foreign/, reads and writes it. */
#define FOREIGN_FORMATS(X)                                                                         \
    X(PLUME, plume, "plume", "text of Plume, PolySI and AWDIT: r(key,value,session,txn) a line")   \
    X(AWDIT_TEST, awdit_test, "awdit-test",                                                        \
      "AWDIT's tests: r KEY VALUE a line, dashes between transactions")                            \
    X(DBCOP, dbcop, "dbcop", "dbcop's binary histories")                                           \
    X(JEPSEN_EDN, jepsen_edn, "jepsen-edn", "operations of Jepsen, Elle and Knossos in EDN")       \
    X(JEPSEN_JSON, jepsen_json, "jepsen-json", "the same in JSON")                                 \
    X(COBRA, cobra, "cobra", "a folder of Cobra's logs, one file a session")                       \
    X(DBCOP_JSON, dbcop_json, "dbcop-json", "dbcop's histories in JSON")                           \
    X(CHRONOS, chronos, "chronos", "JSON of TimeKiller (Chronos, Aion), with timestamps")          \
    X(VIPER, viper, "viper", "Viper's histories in JSON, a transaction a line")                    \
    X(PORCUPINE, porcupine, "porcupine",                                                           \
      "Jepsen's text logs of a register, as Knossos and Porcupine read")                           \
    X(ISOPREDICT, isopredict, "isopredict",                                                        \
      "IsoPredict's traces: READ KEY[k] Txn(s, i) From(s, i)")

#define FORMATS(X)                                                                                 \
    X(JSONL, none, "jsonl", "native text: one JSON object a line")                                 \
    X(OH, none, "oh", "native binary: columns, mapped into memory")                                \
    FOREIGN_FORMATS(X)

enum format {
#define FORMAT_ENUM(enumerator, c, name, description) FORMAT_##enumerator,
    FORMATS(FORMAT_ENUM)
#undef FORMAT_ENUM
        FORMAT_COUNT
};

#define FORMAT_ANY FORMAT_COUNT /* whatever the file is in */

const char *format_name(enum format);
const char *format_description(enum format);
bool format_of_text(struct text, enum format *);
/* All names, ending in NULL. */
const char *const *format_names(void);

/*
 * Reads a file, or standard input for "-", compressed or not, or what a tool left in a folder.
 * `progress` may be NULL. The error has the file's name and the place in it.
 */
MUST_USE enum status format_read_history(const char *path, enum format, const struct progress *,
                                         struct history *, struct error *);

struct history_paths {
    ARRAY(char *) paths;  /* in the order of their names */
    uint32_t other_count; /* files that are no histories */
};

/*
 * The histories that a path stands for: itself, unless it is a folder that is not one history as a
 * whole; then those in it and in its folders. Closed by history_paths_close(), also after a failure.
 */
MUST_USE enum status format_find_histories(const char *path, enum format wanted,
                                           struct history_paths *, struct error *);
void history_paths_close(struct history_paths *);

/*
 * Formats of other tools carry less than a history has: a bit for each enum loss
 * (history/foreign/foreign.h) that writing it would mean. What would be another history is refused.
 */
MUST_USE enum status format_losses(const struct history *, enum format, uint32_t *losses,
                                   struct error *);

/*
 * Writes a file, or standard output for "-", compressed where the path ends in `.zst`; or a folder,
 * where a format is one.
 */
MUST_USE enum status format_write_history(const struct history *, enum format, const char *path,
                                          const struct progress *, struct error *);

#endif
