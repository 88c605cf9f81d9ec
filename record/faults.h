/*
 * faults: when the processes of a real database suffer what, as a plan that the seed draws.
 *
 *     TRY(fault_wish_read(&wishes[DATABASE_KILL], DATABASE_KILL, TEXT("every=2s,for=500ms"), err));
 *     faults_init(&faults, wishes, seed, began_ns);
 *     while (faults_due(&faults, now_ns, &event))
 *         ... event.kind begins or ends; faults_note(&faults, &event, wall_clock_ns()) ...
 *
 * A fault of each kind begins about every `every_ns`, between a half and one and a half of it after
 * the last of its kind began, and lasts `for_ns`. Only one is there at a time: one that is due while
 * another lasts comes when that has ended. Nothing here touches a process.
 */
#ifndef RECORD_FAULTS_H
#define RECORD_FAULTS_H

#include "base/random.h"
#include "record/database.h"

struct fault_wish {
    int64_t every_ns; /* 0: not wanted */
    int64_t for_ns;
};

struct fault_facts {
    const char *name;   /* of the flag, and in run.json: "kill" */
    const char *noun;   /* "kill", of which there may be several */
    const char *denial; /* why a database cannot suffer it: "has no server to kill" */
    int64_t
        for_ns; /* how long it lasts unless it is said; of a kill the time that the server is down */
};

/* By kind. */
extern const struct fault_facts fault_facts[DATABASE_FAULT_COUNT];

/* "every=2s", "2s", "every=2s,for=500ms". */
MUST_USE enum status fault_wish_read(struct fault_wish *, enum database_fault, struct text,
                                     struct error *);

struct fault_event {
    enum database_fault kind;
    bool begins;
    uint32_t turn; /* how many of its kind have begun before */
};

struct faults {
    struct fault_wish wishes[DATABASE_FAULT_COUNT];
    struct random random[DATABASE_FAULT_COUNT];
    int64_t next_ns[DATABASE_FAULT_COUNT];
    uint32_t counts[DATABASE_FAULT_COUNT]; /* that have begun */
    bool lasts;                            /* one is there: */
    enum database_fault kind;
    int64_t until_ns;
};

void faults_init(struct faults *, const struct fault_wish wishes[DATABASE_FAULT_COUNT],
                 uint64_t seed, int64_t began_ns);
/* What has to be done by now; false: nothing. */
bool faults_due(const struct faults *, int64_t now_ns, struct fault_event *);
/* It was done, which took until now. */
void faults_note(struct faults *, const struct fault_event *, int64_t now_ns);

#endif
