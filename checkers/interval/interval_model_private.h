/*
 * interval_model_private: what the model holds of keys and of transactions that can still matter.
 *
 *     key x    versions   newest first, as far back as somebody may still read
 *              readers    who read them: who overwrites them comes after
 *              lockers    who locked the key to read it
 */
#ifndef CHECKERS_INTERVAL_INTERVAL_MODEL_PRIVATE_H
#define CHECKERS_INTERVAL_INTERVAL_MODEL_PRIVATE_H

#include "checkers/interval/interval_model.h"
#include "checkers/interval/row_store_private.h"

/*
 * key_order: the keys of a table in the order of their places, to be looked up by range.
 *
 *     place    3    7    7    12        a place is mostly the number that is the primary key;
 *     key      #4   #0   #9   #1        where it is none, all keys have the same
 *
 * Kept in pieces, each in order, so that neither a new key nor a lookup takes long.
 */
#define KEY_PIECE_ROOM 256

struct placed_key {
    int64_t place;
    uint32_t key;
};

struct key_piece {
    uint32_t count;
    struct placed_key at[KEY_PIECE_ROOM];
};

struct key_order {
    ARRAY(struct key_piece *) pieces; /* none of them empty */
};

/* A walk; what is added on the way may or may not be met. */
struct key_walk {
    const struct key_order *order;
    size_t piece;
    uint32_t at;
    int64_t high;
};

void key_order_close(struct key_order *);
MUST_USE enum status key_order_add(struct key_order *, int64_t place, uint32_t key, struct error *);

/* The keys from one place to another, both included. */
struct key_walk key_order_walk(const struct key_order *, int64_t low, int64_t high);
/* False: that was the last. */
bool key_walk_next(struct key_walk *, uint32_t *key);

/*
 * drawing: intervals under each other, on one scale.
 *
 *     T1 commits                |---------|
 *     T2 commits                          |---------|
 *     T3 reads as of                                          |--------|
 *
 * An end that nobody knows is open: it begins with '-' or ends with '>'.
 */
#define DRAWING_ROWS_MAX 12

struct window_drawing {
    struct {
        char label[40];
        struct time_window times;
    } rows[DRAWING_ROWS_MAX];
    size_t count;
};

/* Rows that there is no room for are left out. */
void findings_drawing_add(struct window_drawing *, struct time_window, const char *format, ...)
    PRINTF_LIKE(3, 4);
void findings_drawing_print(const struct window_drawing *, struct buffer *);

#define INTERVAL_NONE UINT32_MAX
#define KEY_VERSIONS_KEPT 8 /* from so many on, old ones are looked for */

enum version_state {
    VERSION_OF_BEGINNING,
    VERSION_COMMITTED,
    VERSION_PERHAPS,    /* nobody knows whether it was committed */
    VERSION_ABORTED,    /* nobody can read it */
    VERSION_OVERWRITTEN /* by its own transaction; nobody can read it either */
};

/* What each event looks at comes first. */
struct key_version {
    uint64_t value;
    uint64_t txn;                 /* its number among live ones, also when it has gone */
    struct time_window installed; /* the instant of its commit, where the point is not live */
    int64_t settled;              /* by then all older ones had been installed, if ever */
    uint32_t older;               /* the key's next, or INTERVAL_NONE */
    uint32_t same;                /* the next that has the same value; without times */
    uint32_t point, view;         /* of the timeline, or INTERVAL_NONE: gone */
    uint32_t certified;           /* of the certifier, or INTERVAL_NONE */
    uint8_t state;
    bool is_linked;  /* the certifier knows who came before it */
    uint32_t row;    /* in the row store */
    uint32_t reads;  /* while it is the last: so many, before the next */
    uint32_t before; /* of a transaction that it was known to precede, number_before(); or 0 */
    int64_t came;    /* the earliest that it can have been installed, by its times alone */
    struct time_window locked; /* when the key was locked for it */
    struct time_window viewed; /* the instant of its transaction's view, where that is not live */
    int64_t txn_id;
    uint32_t number, op; /* the caller's, of the transaction and the operation */
};

/* The last write of a key by the transaction that is being added. */
struct txn_write {
    uint64_t stamp; /* the transaction's */
    uint32_t key, access;
};

/*
 * Who read which version: a later one must come after the reader. Or who locked the key to read
 * it, whatever the version.
 */
struct key_reader {
    uint64_t txn;
    uint32_t version, access;
    bool
        has_span; /* it looked for rows, did not get this one, and looks at rows of the span alone */
    struct span span;
};

/* In the order in which they read. */
struct key_readers {
    struct key_reader *at;
    uint32_t count, room;
};

struct key_state {
    uint32_t newest; /* version */
    uint32_t count, count_to_collect;
    bool is_known;
    uint32_t before, before_date; /* the chain of struct versions_before, if it is of that date */
    struct key_readers readers, lockers;
};

struct linked_version {
    uint32_t version, next; /* next: a link, or INTERVAL_NONE */
};

/* Of a key that is a row of a table. */
struct row_key {
    int64_t place;
    uint64_t asked;   /* the question that it has come in the answer of */
    uint64_t born;    /* the question that was the last before it was told of */
    uint64_t own_txn; /* the transaction that is being judged, plus one, if it has passed a write */
    uint32_t own_access; /* that */
    uint32_t table;      /* INTERVAL_NONE: it is none */
};

/* A query that has been judged, for as long as its transaction is live. */
struct judged_query {
    uint64_t txn, asked;
    uint32_t access;
};

struct relation {
    struct key_order order;
    ARRAY(struct judged_query) queries; /* in the order in which they asked */
    size_t queries_to_forget;
};

/* A statement of a transaction. */
struct live_query {
    int64_t low, high;
    uint64_t asked;
    uint32_t table, condition;
    uint32_t *came; /* keys */
    uint32_t came_count;
    uint8_t kind; /* enum interval_query_kind */
    bool is_unjudged;
};

/* An operation that matters to others. */
struct txn_access {
    struct time_window at;
    uint64_t value;
    uint32_t key, op;
    uint32_t view; /* of a read: the point, or INTERVAL_NONE: that of its transaction */
    uint8_t kind;  /* enum interval_trace_kind */
    bool is_last;  /* of a write: what the transaction leaves behind */
    bool is_locking;
    bool is_updated;  /* of a read: the transaction writes the key, too */
    bool is_behind;   /* of one that has a view: it comes behind all views before it */
    uint32_t version; /* of a write, once it is installed */
    uint32_t row;     /* of a write, in the row store; of a query, its number */
};

struct live_txn {
    int64_t id;
    uint32_t number;
    uint8_t status;
    bool is_installed, is_judged, is_gone;
    bool has_statements; /* with views of their own */
    bool has_reads, has_writes;
    struct time_window at, commit;
    int64_t view_high;               /* of the transaction's view, by its times alone */
    uint32_t point, view, certified; /* INTERVAL_NONE: none, or gone */
    struct txn_access *accesses;
    uint32_t access_count;
    struct live_query *queries;
    uint32_t query_count;
};

/* Of two transactions, one of which depends on the other. */
struct overlapping_dependency {
    uint64_t from, to;
    uint32_t access; /* of a read, whose view comes before; INTERVAL_NONE: the commit does */
    uint8_t kind;    /* enum dependency_kind */
};

static inline struct live_txn *model_live(const struct interval_model *m, uint64_t txn)
{
    return &m->live.at[txn - m->live_first];
}

static inline bool model_is_live(const struct interval_model *m, uint64_t txn)
{
    return txn >= m->live_first && !model_live(m, txn)->is_gone;
}

/* The transaction that a point is an instant of. */
static inline struct live_txn *model_owner(const struct interval_model *m,
                                           const struct instant_point *p)
{
    return model_live(m, m->live_first + (uint32_t)(p->owner - (uint32_t)m->live_first));
}

static inline int64_t model_later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t model_earlier(int64_t time, int64_t by)
{
    return time < TIMELINE_BEGINNING + by ? TIMELINE_BEGINNING : time - by;
}

/* As wide as the clocks may be wrong. */
static inline struct time_window model_widened(const struct interval_model *m, int64_t low,
                                               int64_t high)
{
    return (struct time_window){ model_earlier(low, m->clock_error),
                                 high > TIMELINE_END - m->clock_error ? TIMELINE_END
                                                                      : high + m->clock_error };
}

static inline bool version_counts(const struct key_version *v)
{
    return v->state == VERSION_OF_BEGINNING || v->state == VERSION_COMMITTED;
}

static inline bool version_may_be_read(const struct key_version *v)
{
    return v->state <= VERSION_PERHAPS;
}

static inline struct time_window view_times(const struct interval_model *m, uint32_t point,
                                            struct time_window otherwise)
{
    if (point == INTERVAL_NONE || m->profile.timing != TIMING_FULL)
        return otherwise;
    return (struct time_window){ timeline_point(&m->timeline, point)->low,
                                 timeline_point(&m->timeline, point)->high };
}

/* The instant of a version's commit, as narrow as it is known. */
static inline struct time_window version_installed(const struct interval_model *m,
                                                   const struct key_version *v)
{
    return view_times(m, v->point, v->installed);
}

/* Where points have gone, who came next is still known. */
static inline uint32_t number_before(uint64_t txn)
{
    return (uint32_t)txn == UINT32_MAX ? 0 : (uint32_t)txn + 1;
}

/*
 * Whether a version that is not of the beginning may precede this one. Where windows say nothing, none
 * does to whose instant nothing leads.
 */
static inline bool version_may_follow(const struct interval_model *m, const struct key_version *w)
{
    return m->profile.timing != TIMING_NONE || w->point == INTERVAL_NONE ||
           timeline_point(&m->timeline, w->point)->first_in != TIMELINE_NONE;
}

/* Likewise, whether a version may precede one. */
static inline bool version_may_lead(const struct interval_model *m, const struct key_version *v)
{
    return m->profile.timing != TIMING_NONE || v->point == INTERVAL_NONE ||
           timeline_point(&m->timeline, v->point)->first_out != TIMELINE_NONE;
}

/* Whether one version surely comes before the other. */
static inline bool version_precedes(const struct interval_model *m, const struct key_version *v,
                                    const struct key_version *w)
{
    if (v->state == VERSION_OF_BEGINNING || w->state == VERSION_OF_BEGINNING)
        return v->state == VERSION_OF_BEGINNING && w->state != VERSION_OF_BEGINNING;
    if (!version_may_follow(m, w))
        return false;
    if (version_installed(m, v).high < version_installed(m, w).low)
        return true;
    if (v->point == INTERVAL_NONE || w->point == INTERVAL_NONE)
        return v->before != 0 && v->before == number_before(w->txn);
    return timeline_knows(&m->timeline, v->point, w->point);
}

/*
 * The next older one; INTERVAL_NONE where all older ones are so old that windows say all there is to
 * say of them: they were installed before that time, and no order is known that windows do
 * not agree with.
 */
static inline uint32_t version_older(const struct interval_model *m, const struct key_version *v,
                                     int64_t time)
{
    return v->settled < time && m->profile.timing == TIMING_FULL ? INTERVAL_NONE : v->older;
}

/* Within which times a transaction commits, by its clients' times alone. */
struct time_window interval_model_commit_times(const struct interval_model *,
                                               const struct interval_trace *);

/* Whether nobody who is not judged yet can ask for the transaction. */
static inline bool model_may_go(const struct interval_model *m, const struct live_txn *live)
{
    return !live->is_gone && live->is_judged && live->is_installed && live->at.high < m->oldest;
}

#endif
