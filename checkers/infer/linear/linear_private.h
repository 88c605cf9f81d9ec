/*
 * linear: the data that all files of `linear` share.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_PRIVATE_H

#include "base/array.h"
#include "base/text.h"
#include "checkers/check_private.h"
#include "checkers/graph/places.h"
#include "checkers/infer/linear/linear.h"

/* --- States ------------------------------------------------------------------------ */

#define STATE_NOTHING 0u           /* null, and the empty list */
#define STATE_ANY UINT32_MAX       /* of a call: it asks for none, or leaves what it finds */
#define STATE_UNSEEN (UINT32_MAX - 1) /* a list that nobody read, nor any that goes on from it */

struct state {
    int64_t bits;    /* the last element of a list; else of the value */
    uint32_t parent; /* the list without it; else STATE_ANY */
    uint32_t depth;  /* elements */
    uint8_t kind;    /* enum value_kind; VALUE_LIST: bits is an element */
};

struct list_seen {
    uint32_t list, state;
};

/*
 * What a key can hold, each by a number, whatever the key; equal values have equal numbers. A list
 * is the list before its last element, and that element, so that beginnings are ancestors.
 */
struct states {
    const struct history *history;
    ARRAY(struct state) all;
    uint32_t *slots; /* number plus one; 0: free */
    size_t slot_count;
    struct list_seen *seen; /* by key: the list numbered last; lists grow, and so the work does not */
};

/* --- Calls -------------------------------------------------------------------------- */

/* What a transaction does to a key. */
struct call {
    int64_t invoked, completed; /* INT64_MIN, INT64_MAX: whenever */
    uint32_t txn, key;
    uint32_t need; /* the state that it must find, or STATE_ANY */
    uint32_t set;  /* the state that it leaves; STATE_ANY: what it finds, with its appends */
    /* Blindly: the first and the last, in `appended` of the calls, plus one; 0: nothing. */
    uint32_t first_appended, appended;
    bool is_open;    /* may be left out */
    bool overwrites; /* not by appends alone */
};

static inline bool call_writes(const struct call *c)
{
    return c->set != STATE_ANY || c->appended != 0;
}

struct appended {
    int64_t element;
    uint32_t before, next; /* of the same call, plus one */
};

struct calls {
    const struct history *history;
    struct states states;
    ARRAY(struct call) all;          /* key by key, and as they were invoked */
    ARRAY(struct appended) appended;
    uint32_t *start;                 /* by key, and one more */
    uint32_t *initial;               /* by key: a state */
    bool has_faults;                 /* answers that contradict their own transaction */
    bool has_several;                /* transactions that touch several keys */
    bool is_stopped;
};

/* --- One key ------------------------------------------------------------------------ */

/* Scratch by state, of one key after another: `stamp` tells whose it is. */
struct mark {
    uint32_t stamp, producer, count, claims;
    uint64_t scan[2];  /* of the search: when `best` was chosen */
    uint32_t best[2];
    int64_t last_need; /* when the last who needs it is over */
    uint32_t needs, makers; /* still to come: who needs it, and who leaves it */
    uint64_t sought;        /* the scan that saw in flight who needs it, and when he is over */
    int64_t soonest;
};

struct task {
    const struct calls *calls;
    const struct call *at; /* as they were invoked */
    uint32_t count;
    uint32_t initial; /* state */
    const struct check_options *options;
    struct mark *marks; /* by state */
    uint32_t stamp;     /* changes with each question */
    uint64_t steps_max; /* of the search */
    bool is_blind;      /* it does not look ahead: it comes as far as it can */
};

enum linear_answer { LINEAR_HOLDS, LINEAR_FAILS, LINEAR_OPEN };

struct linear_result {
    enum linear_answer answer;
    ARRAY(uint32_t) order;   /* holds: calls in their order; who was left out is not there */
    ARRAY(uint32_t) clash;   /* fails: calls that cannot go together; may be empty */
    /* A search that does not look ahead fails: who could not be placed; else HISTORY_NONE. */
    uint32_t stuck;
    ARRAY(uint32_t) held;    /* states that were possible then, some of them */
    const char *reason;      /* open: why */
};

void linear_result_close(struct linear_result *);

/* One or the other. */
MUST_USE enum status linear_decide(struct task *, struct linear_result *, struct error *);

/* --- Refutations: linear_tell.c ------------------------------------------------------ */

struct refuted {
    uint32_t key;
    const struct linear_result *result;
    struct task *task; /* of the whole key */
};

/* What makes proofs: of a whole history, made when the first is asked for. */
struct prover;

MUST_USE enum status linear_states_init(struct states *, const struct history *, struct error *);
void linear_states_close(struct states *);
MUST_USE enum status linear_states_of_value(struct states *, uint32_t key, struct value, uint32_t *state,
                                            struct error *);

/* What an append leaves. */
MUST_USE enum status linear_states_append(struct states *, uint32_t before, int64_t element,
                                          uint32_t *after, struct error *);

/* The same, where nothing is to be numbered anew: else STATE_UNSEEN. */
uint32_t linear_states_find_append(const struct states *, uint32_t before, int64_t element);
void linear_states_tell(struct buffer *, const struct states *, uint32_t state);

#endif
