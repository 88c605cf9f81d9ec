/*
 * database: the databases that can be put on trial, and what each has to do for it.
 *
 * To add a database takes a row here and a file that defines it. Transactions are those of the
 * built-in workloads: a session gets their steps, some at a time, and answers each. It knows
 * nothing of workloads, logs or histories.
 */
#ifndef RECORD_DATABASE_H
#define RECORD_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "history/history.h"
#include "history/level.h"
#include "programs/workloads/builtin.h"

/* --- What a session is asked ------------------------------------------------------------------ */

enum database_step_kind { STEP_BEGIN, STEP_REQUEST, STEP_CALL, STEP_COMMIT, STEP_ABORT };

struct database_step {
    enum database_step_kind kind;
    struct builtin_request request; /* of STEP_REQUEST */
    const char *call;               /* of STEP_CALL: "transfer(1, 2, 10)", literals of SQL */
};

/* How the steps ended. */
enum database_end {
    STEPS_DONE,    /* all of them were answered */
    STEPS_REFUSED, /* the database rolled the transaction back; the reason is in `code` */
    STEPS_LOST,    /* the connection is gone, and what was not answered may have happened */
};

/* Of a read the row, or none; of a range those read, or as they are afterwards, or their keys. */
struct database_step_answer {
    int64_t invoked_ns, completed_ns; /* of the monotonic clock */
    uint32_t first, count;            /* rows; of a list its elements */
    bool is_there;                    /* a read found its item, list or row */
    uint32_t snapshot,
        snapshot_length; /* what the statement alone saw, in `snapshots`; 0: unknown */
};

/*
 * What the database says of the transaction besides. A snapshot is a text as in
 * record/commit_ranks.h.
 */
struct database_answer {
    enum database_end end;
    char code[16];       /* why it was refused: an SQLSTATE, or the database's own name for it */
    uint32_t step_count; /* that were answered */
    ARRAY(struct database_step_answer) steps;
    ARRAY(struct builtin_row) rows;
    ARRAY(int64_t) elements;
    struct buffer call_rows; /* what a call returned: [["12.50",null]], texts of the database */
    bool
        is_pipelined; /* the commit was sent with the requests: it may have come before their answers */
    uint64_t xid;     /* 0: unknown, or it has written nothing */
    struct buffer snapshot;  /* empty: unknown; of a call at read committed two, with a space between them */
    struct buffer snapshots; /* of statements, one behind the other */
};

/* --- What the recording says ------------------------------------------------------------------ */

/* The one table of a workload: items, lists or rows. */
struct stored_table {
    enum workload_shape shape;
    const char *name;                                   /* in the database */
    const char *key_column, *value_column, *tag_column; /* tag_column NULL: none */
};

/* Of the version order: the database's own statement about what was committed. */
struct recovered_commit {
    uint64_t xid;
    uint64_t place;        /* the number that snapshots have for it; 0: its xid */
    uint64_t first, count; /* of the changes, in the order in which they were made */
};

enum recovered_kind { RECOVERED_ROW, RECOVERED_REMOVAL };

struct recovered_change {
    enum recovered_kind kind;
    uint64_t key;
    int64_t value; /* of a list its last element */
};

/* In the order of the commits. */
struct recovered_order {
    ARRAY(struct recovered_commit) commits;
    ARRAY(struct recovered_change) changes;
};

/* What is done to the processes of a server, or to the network between its nodes. */
enum database_fault {
    DATABASE_KILL,      /* signal 9 for a node, and at the end it is started again */
    DATABASE_PAUSE,     /* SIGSTOP, SIGCONT */
    DATABASE_PARTITION, /* a node is cut off from the others */
    DATABASE_LATENCY,   /* its network is slow */
    DATABASE_DISK_FULL,
    DATABASE_CLOCK, /* its clock is wrong */
    DATABASE_FAULT_COUNT
};

#define DATABASE_FAULT_BIT(fault) (1u << (fault))

struct database_options {
    const char *connect; /* to a server that is there; NULL: one of its own is started */
    bool
        takes_over; /* with connect: the table is there, of a recording that was killed; stop() drops it */
    const char *binaries; /* the folder of the server's programs; NULL: it is looked for */
    const char *mode;     /* of the database, one of its row's; NULL: its first */
    enum level isolation; /* which the sessions ask for */
    bool certifies;       /* its order will be asked for */
    uint32_t faults;      /* a bit for each that it will suffer */
    uint32_t clients;
    const char *const *settings; /* of the server, "key=value", as its own manual calls them */
    size_t setting_count;
    struct stored_table table; /* with a program its name is empty */
};

struct database {
    const char *name; /* as on the command line */
    const char *title;
    const char *package;      /* that has its server or library; of Debian, unless it says so */
    const char *gives;        /* what it can be asked for, in a line */
    const char *const *modes; /* ways to run it, ending in NULL; or NULL */
    uint64_t levels;          /* that sessions can ask for */
    bool has_server;          /* apart from this process: --connect means something */
    bool has_library;         /* that is looked for when it is needed: --binaries means something */
    bool has_settings;        /* `settings` of the options mean something */
    bool takes_whole; /* a transaction is one request: none of its steps depends on another */
    uint32_t faults;  /* a bit for each that it can suffer */
    bool certifies;   /* its own order can be recovered */
    bool
        certifies_statements; /* at read committed, too, where each statement sees something else */

    /* The profile that the checker interval may know of it at that level, or NULL. NULL: it has none. */
    const char *(*profile)(enum level);
    /* Whether what was committed may be missed later in that mode, so that no profile holds; or NULL. */
    bool (*lags)(const char *mode);

    /*
     * Starts the server, if need be, and says its version. Closed by stop(), whatever the status.
     */
    enum status (*start)(void **server, const struct database_options *, struct buffer *version,
                         struct error *);
    /* The empty table, and its first rows. */
    enum status (*load)(void *server, const struct builtin *, struct error *);
    /*
     * A fault begins, or ends. `turn` counts its beginnings from 0: with several nodes it chooses
     * one. `is_felt` becomes true, at the beginning or at the end, if the database has felt it.
     * Called by one thread, while sessions are at work. NULL: it suffers none.
     */
    enum status (*fault)(void *server, enum database_fault, bool begins, uint32_t turn,
                         bool *is_felt, struct error *);
    /* Instead of load(), with a program: some statements of SQL. NULL: it has no functions. */
    enum status (*script)(void *server, const char *sql, struct error *);
    /* Takes away all that start() and load() made. */
    void (*stop)(void *server);

    /*
     * For a client, by its number: with several nodes it chooses one. The number of the client that
     * reads everything back at the end is that of all others. STATUS_IO: not now; there may be a
     * connection later.
     */
    enum status (*open)(void **session, void *server, uint32_t client, struct error *);
    /* An error ends the whole recording: what is refused or lost is an answer. */
    enum status (*steps)(void *session, const struct database_step *, uint32_t count,
                         struct database_answer *, struct error *);
    void (*close)(void *session);

    /*
     * When all sessions have ended: the value of a query. NULL: it has no SQL.
     */
    enum status (*query)(void *server, const char *sql, struct buffer *value, struct error *);
    /* Likewise. NULL: it cannot. */
    enum status (*recover)(void *server, struct recovered_order *, struct error *);
};

/* Their rows, each in a file of its own. */
#define DATABASES(row)                                                                             \
    row(postgres) row(mariadb) row(galera) row(sqlite) row(duckdb) row(etcd) row(rqlite)

#define DATABASE_DECLARE(name) extern const struct database database_##name;
DATABASES(DATABASE_DECLARE)
#undef DATABASE_DECLARE

/* Ends in NULL, as do the names. */
const struct database *const *database_all(void);
const char *const *database_names(void);
const struct database *database_find(struct text name);

/* --- For databases ---------------------------------------------------------------------------- */

/* Memory for a server or a session, all zero. */
MUST_USE enum status database_new(void **made, size_t size, struct error *);

/* The place of the options' mode in its row's. */
uint32_t database_mode(const struct database_options *, const char *const *modes);
/*
 * A setting that is the clients' and not the server's, "level=weak": the place of its value among
 * these, which end in NULL; if it is not set, the usual one.
 */
MUST_USE enum status database_choose(const struct database_options *, const char *name,
                                     const char *const *values, uint32_t usual, uint32_t *chosen,
                                     struct error *);
/* Whether "level=weak" is the setting of this name. */
bool database_is_setting(const char *setting, const char *name);

/* "SELECT key, value FROM ordeal_items": for those that speak SQL. */
void database_print_columns(const struct stored_table *, struct buffer *);

/*
 * One step after another, each with its times, until one is refused or lost: for those that cannot send
 * several together.
 */
typedef enum status database_one_step(void *session, const struct database_step *,
                                      struct database_answer *, struct database_step_answer *,
                                      struct error *);
MUST_USE enum status database_each_step(database_one_step *, void *session,
                                        const struct database_step *, uint32_t count,
                                        struct database_answer *, struct error *);

MUST_USE enum status database_answer_row(struct database_answer *, struct database_step_answer *,
                                         struct builtin_row, struct error *);
MUST_USE enum status database_answer_element(struct database_answer *,
                                             struct database_step_answer *, int64_t,
                                             struct error *);
/* Elements as "1,2,3", in braces or not. False: they are something else. */
MUST_USE enum status database_answer_list(struct database_answer *, struct database_step_answer *,
                                          struct text, struct error *);
/* The database rolled the transaction back, for this reason. */
void database_answer_refuse(struct database_answer *, const char *code);
void database_answer_clear(struct database_answer *);
void database_answer_close(struct database_answer *);

#endif
