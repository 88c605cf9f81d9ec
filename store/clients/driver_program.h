/*
 * driver_program: calls of a program's functions as clients of the store.
 *
 * One call is one transaction, run by the client's own machine, which stands
 * still between requests. What it asks for becomes a read of keys where its
 * filter pins the primary key, and of a scope where not:
 *
 *     machine                       intent                 in the history
 *     select, unique, reference     READ                   r of each key, or select
 *     update, delete: rows          READ for write         r of each key; a scope waits
 *                     writes        WRITE                  w, d; or update, delete of the scope
 *     insert: is the key free?      READ for write         r
 *             the row               WRITE                  insert
 *     returned, failed              COMMIT, ABORT
 *
 * An update that changes primary keys is taken down as what it is made of: a
 * select, deletes and inserts. A call that fails, by its own RAISE or by a
 * constraint, aborts itself and is not tried again. Uniqueness of anything but
 * the primary key is a predicate read, as strong as the store's isolation.
 *
 * Which function a transaction calls, and with what, is a function of the key,
 * the client and the ordinal: see arguments.h.
 */
#ifndef STORE_CLIENTS_DRIVER_PROGRAM_H
#define STORE_CLIENTS_DRIVER_PROGRAM_H

#include "base/random.h"
#include "programs/machine/program.h"
#include "programs/workloads/listed.h"
#include "store/clients/call_notes.h"
#include "store/clients/driver.h"
#include "store/clients/driver_builtin.h"
#include "store/store.h"

#define PROGRAM_ATTEMPTS_MAX 256
#define PROGRAM_CLIENTS_MAX 4096

struct driver_program_options {
    const struct program *program; /* must outlive the driver */
    const struct bugs *bugs; /* of computing; must outlive the driver; NULL: none */
    const struct program_call *calls; /* must outlive the driver */
    uint32_t call_count;
    bool is_directed;              /* no calls: clients call what driver_program_call() says */
    struct text load;              /* "load(100)"; empty: the store is empty at first */
    uint32_t clients, attempts;
    const struct random_key *key;
    const struct listed *listing; /* instead of calls, the calls that are made; or NULL */
    struct listed *recorded;      /* where calls are listed as they are made; or NULL */
    struct call_notes *notes;     /* where calls and their answers are noted; or NULL */
    /* A client's clock, for `now`; NULL: a second a transaction. */
    int64_t (*now_ns)(void *context, uint32_t client);
    void *now_context;
};

struct driver_program;

/*
 * Refuses functions that are not there, arguments that do not fit, and a load that fails. Closed by
 * driver_program_close(), also after a failure, if it is not NULL.
 */
MUST_USE enum status driver_program_open(struct driver_program **,
                                         const struct driver_program_options *, struct arena *,
                                         struct error *);
void driver_program_close(struct driver_program *);

const struct schema *driver_program_schema(const struct driver_program *);
const enum table_shape *driver_program_shapes(const struct driver_program *);
const struct driver *driver_program_driver(const struct driver_program *);

/*
 * Of a driver that is directed: lets a client go on with another function, which takes
 * nothing. The driver says COMMIT when it has returned, and ABORT when it failed; until another is
 * called, the request says what it returned.
 */
void driver_program_call(struct driver_program *, uint32_t client, uint32_t function);
const struct request *driver_program_request(const struct driver_program *, uint32_t client);

/* At the end of a run that notes calls: those that go on still are of unknown outcome. */
void driver_program_note_open(struct driver_program *);

/* The load call is run here, on the engine of programs; the rows that are then there are added. */
MUST_USE enum status driver_program_load(struct driver_program *, struct catalog *,
                                         driver_add_row *, void *context, struct error *);

/* Memory ran out: the run must end. */
bool driver_program_is_short(const struct driver_program *);

#endif
