/*
 * draft: collects the transactions of another tool's file, whatever order they come in.
 *
 *     r(1,2,0,7)          transaction 7 of session 0 reads 2 from key 1
 *     w(1,3,1,8)          transaction 8 of session 1 writes 3
 *     r(4,0,0,7)          transaction 7 goes on
 *
 * Operations come in the order of the file, whatever transaction they belong to, and
 * what is there before the first of them may turn out at the end. draft_finish()
 * sorts them out and has the builder make a history of them.
 */
#ifndef HISTORY_FOREIGN_DRAFT_PRIVATE_H
#define HISTORY_FOREIGN_DRAFT_PRIVATE_H

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "history/builder.h"
#include "history/foreign/edn_private.h"
#include "history/history.h"
#include "history/io/source.h"

struct draft_txn {
    int64_t id, session;
    int64_t invoked, completed; /* TIME_ABSENT, both: nobody says */
    struct place ts, snapshot, origin; /* without parts: there is none */
    uint64_t line;              /* where it began; 0: there are no lines */
    uint32_t op_count;
    uint8_t status; /* enum txn_status */
};

struct draft_op {
    struct value value;
    uint32_t txn, key;
    uint8_t kind; /* enum op_kind */
};

struct foreign_draft {
    struct builder builder; /* for keys and values; transactions come at the end */
    ARRAY(struct draft_txn) txns;
    ARRAY(struct draft_op) ops;
    struct map by_id;
    struct value initial; /* of every key; VALUE_NONE: nothing */
    ARRAY(struct draft_op) initials; /* of single keys, in place of it; they have no txn, no kind */
    struct map initial_keys;
};

void draft_init(struct foreign_draft *);
void draft_close(struct foreign_draft *);

/* A new transaction, committed and without times. Ids are unique. */
MUST_USE enum status draft_add_txn(struct foreign_draft *, int64_t id, int64_t session, uint64_t line,
                                   uint32_t *txn, struct error *);
/* The transaction of that id; false: there is none. */
bool draft_find_txn(const struct foreign_draft *, int64_t id, uint32_t *txn);
MUST_USE enum status draft_add_op(struct foreign_draft *, uint32_t txn, enum op_kind, struct text key,
                                  struct value, struct error *);
/* A key's number, for draft_add_op_of(). */
MUST_USE enum status draft_key(struct foreign_draft *, struct text, uint32_t *key, struct error *);
MUST_USE enum status draft_add_op_of(struct foreign_draft *, uint32_t txn, enum op_kind, uint32_t key,
                                     struct value, struct error *);
/* A key by its number, spelled as such. */
MUST_USE enum status draft_add_numbered(struct foreign_draft *, uint32_t txn, enum op_kind, int64_t key,
                                        struct value, struct error *);

/* What the key begins with, whatever the others do. Each key once. */
MUST_USE enum status draft_add_initial(struct foreign_draft *, struct text key, struct value,
                                       struct error *);

/* The history; `producer` is the tool's name. The draft may only be closed afterwards. */
MUST_USE enum status draft_finish(struct foreign_draft *, const char *producer, struct history *,
                                  struct error *);

/*
 * A file that is read as a whole, value by value, into a draft.
 *
 *     status = draft_begin_file(&whole, source, is_json, err);
 *     if (status == STATUS_OK)
 *         status = take values from whole.edn, add them to whole.draft;
 *     return draft_end_file(&whole, source, status, "tool", history, err);
 *
 * So a refusal names the file, the line and the offset, whatever reader it comes from.
 */

struct draft_file {
    struct edn edn;
    struct foreign_draft draft;
    char *bytes;
};

/* Ended by draft_end_file(), also after a failure. */
MUST_USE enum status draft_begin_file(struct draft_file *, struct source *, bool is_json, struct error *);
/*
 * The history if all was well so far; otherwise the error is about where the lexer is. Nothing is
 * left of the whole afterwards.
 */
MUST_USE enum status draft_end_file(struct draft_file *, const struct source *, enum status so_far,
                               const char *producer, struct history *, struct error *);
/* The same for several files, one after another, each after draft_init_file(); draft_end_file() has no source. */
void draft_init_file(struct draft_file *);
MUST_USE enum status draft_take_file(struct draft_file *, struct source *, bool is_json, struct error *);
/* The error is about where the lexer is in that file. */
enum status draft_refuse_file(const struct draft_file *, const char *file, struct error *);
/* Whether everything was read, but for blanks. */
MUST_USE enum status draft_is_over(struct draft_file *, struct error *);

#endif
