/*
 * mirror_private: what the mirror holds of keys and of transactions that can still matter.
 *
 *     key x    versions   newest first, as far back as somebody may still read
 *              readers    who read them: who overwrites them comes after
 *              lockers    who locked the key to read it
 */
#ifndef CHECKERS_INTERVAL_MIRROR_PRIVATE_H
#define CHECKERS_INTERVAL_MIRROR_PRIVATE_H

#include "checkers/interval/drawing.h"
#include "checkers/interval/key_order.h"
#include "checkers/interval/mirror.h"
#include "checkers/interval/row_store.h"

#define MIRROR_NONE UINT32_MAX
#define KEY_VERSIONS_KEPT 8     /* from so many on, old ones are looked for */
#define VERSIONS_LOOKED_AT 4096 /* by an access; of a key with more nothing is judged */

enum version_state {
    VERSION_OF_BEGINNING,
    VERSION_COMMITTED,
    VERSION_PERHAPS,    /* nobody knows whether it was committed */
    VERSION_ABORTED,    /* nobody can read it */
    VERSION_OVERWRITTEN /* by its own transaction; nobody can read it either */
};

/* What each event looks at comes first. */
struct version {
    uint64_t value;
    uint64_t txn;           /* its number among live ones, also when it has gone */
    struct times installed; /* the instant of its commit, where the point is not live */
    int64_t settled;        /* by then all older ones had been installed, if ever */
    uint32_t older;         /* the key's next, or MIRROR_NONE */
    uint32_t point, view;   /* of the timeline, or MIRROR_NONE: gone */
    uint32_t certified;     /* of the certifier, or MIRROR_NONE */
    uint8_t state;
    bool is_linked;      /* the certifier knows who came before it */
    uint32_t row;        /* in the row store */
    uint32_t reads;      /* while it is the last: so many, before the next */
    uint32_t before;     /* of a transaction that it was known to precede, number_before(); or 0 */
    int64_t came;        /* the earliest that it can have been installed, by its times alone */
    struct times locked; /* when the key was locked for it */
    struct times viewed; /* the instant of its transaction's view, where that is not live */
    int64_t txn_id;
    uint32_t number, op; /* the caller's, of the transaction and the operation */
};

/* The last write of a key by the transaction that is being added. */
struct own_write {
    uint64_t stamp; /* the transaction's */
    uint32_t key, access;
};

/*
 * Who read which version: a later one must come after the reader. Or who locked the key to read
 * it, whatever the version.
 */
struct reader {
    uint64_t txn;
    uint32_t version, access;
};

/* In the order in which they read. */
struct readers {
    struct reader *at;
    uint32_t count, room;
};

struct key_state {
    uint32_t newest; /* version */
    uint32_t count, count_to_collect;
    bool is_known;
    struct readers readers, lockers;
};

/* Of a key that is a row of a table. */
struct key_row {
    int64_t place;
    uint64_t asked; /* the question that it has come in the answer of */
    uint64_t born;  /* the question that was the last before it was told of */
    uint64_t own_txn; /* the transaction that is being judged, plus one, if it has passed a write */
    uint32_t own_access; /* that */
    uint32_t table; /* MIRROR_NONE: it is none */
};

/* A query that has been judged, for as long as its transaction is live. */
struct watcher {
    uint64_t txn, asked;
    uint32_t access;
};

struct relation {
    struct key_order order;
    ARRAY(struct watcher) watchers; /* in the order in which they asked */
    size_t watchers_to_forget;
};

/* A statement of a transaction. */
struct query {
    int64_t low, high;
    uint64_t asked;
    uint32_t table, condition;
    uint32_t *came; /* keys */
    uint32_t came_count;
    uint8_t kind; /* enum query_kind */
    bool is_unjudged;
};

/* An operation that matters to others. */
struct access {
    struct times at;
    uint64_t value;
    uint32_t key, op;
    uint32_t view; /* of a read: the point, or MIRROR_NONE: that of its transaction */
    uint8_t kind;  /* enum trace_kind */
    bool is_last;  /* of a write: what the transaction leaves behind */
    bool is_locking;
    bool is_updated;  /* of a read: the transaction writes the key, too */
    bool is_behind;   /* of one that has a view: it comes behind all views before it */
    uint32_t version; /* of a write, once it is installed */
    uint32_t row;     /* of a write, in the row store; of a query, its number */
};

struct live {
    int64_t id;
    uint32_t number;
    uint8_t status;
    bool is_installed, is_judged, is_gone;
    bool has_statements; /* with views of their own */
    bool has_reads, has_writes;
    struct times at, commit;
    int64_t view_high; /* of the transaction's view, by its times alone */
    uint32_t point, view, certified; /* MIRROR_NONE: none, or gone */
    struct access *accesses;
    uint32_t access_count;
    struct query *queries;
    uint32_t query_count;
};

/* Of two transactions, one of which depends on the other. */
struct dependency {
    uint64_t from, to;
    uint32_t access; /* of a read, whose view comes before; MIRROR_NONE: the commit does */
    uint8_t kind;    /* enum dependency_kind */
};

static inline struct live *mirror_live(const struct mirror *m, uint64_t txn)
{
    return &m->live.at[txn - m->live_first];
}

static inline bool mirror_is_live(const struct mirror *m, uint64_t txn)
{
    return txn >= m->live_first && !mirror_live(m, txn)->is_gone;
}

/* The transaction that a point is an instant of. */
static inline struct live *mirror_owner(const struct mirror *m, const struct point *p)
{
    return mirror_live(m, m->live_first + (uint32_t)(p->owner - (uint32_t)m->live_first));
}

static inline int64_t mirror_earlier(int64_t time, int64_t by)
{
    return time < TIMELINE_BEGINNING + by ? TIMELINE_BEGINNING : time - by;
}

/* As wide as the clocks may be wrong. */
static inline struct times mirror_widened(const struct mirror *m, int64_t low, int64_t high)
{
    return (struct times){ mirror_earlier(low, m->clock_error),
                           high > TIMELINE_END - m->clock_error ? TIMELINE_END
                                                                : high + m->clock_error };
}

static inline bool version_counts(const struct version *v)
{
    return v->state == VERSION_OF_BEGINNING || v->state == VERSION_COMMITTED;
}

static inline bool version_may_be_read(const struct version *v)
{
    return v->state <= VERSION_PERHAPS;
}

static inline struct times view_times(const struct mirror *m, uint32_t point,
                                      struct times otherwise)
{
    if (point == MIRROR_NONE || m->profile.timing != TIMING_FULL)
        return otherwise;
    return (struct times){ timeline_point(&m->timeline, point)->low,
                           timeline_point(&m->timeline, point)->high };
}

/* The instant of a version's commit, as narrow as it is known. */
static inline struct times version_installed(const struct mirror *m, const struct version *v)
{
    return view_times(m, v->point, v->installed);
}

/* Where points have gone, who came next is still known. */
static inline uint32_t number_before(uint64_t txn)
{
    return (uint32_t)txn == UINT32_MAX ? 0 : (uint32_t)txn + 1;
}

/* Whether one version surely comes before the other. */
static inline bool version_precedes(const struct mirror *m, const struct version *v,
                                    const struct version *w)
{
    if (v->state == VERSION_OF_BEGINNING || w->state == VERSION_OF_BEGINNING)
        return v->state == VERSION_OF_BEGINNING && w->state != VERSION_OF_BEGINNING;
    if (version_installed(m, v).high < version_installed(m, w).low)
        return true;
    if (v->point == MIRROR_NONE || w->point == MIRROR_NONE)
        return v->before != 0 && v->before == number_before(w->txn);
    return timeline_knows(&m->timeline, v->point, w->point);
}

/*
 * The next older one; MIRROR_NONE where all older ones are so old that windows say all there is to
 * say of them: they were installed before that time, and no order is known that windows do
 * not agree with.
 */
static inline uint32_t version_older(const struct mirror *m, const struct version *v, int64_t time)
{
    return v->settled < time && m->profile.timing == TIMING_FULL ? MIRROR_NONE : v->older;
}

/* --- keys.c --- */

MUST_USE enum status mirror_add_keys(struct mirror *, uint32_t key, struct error *);

/* The keys up to that one are there from now on. */
MUST_USE static inline enum status mirror_key(struct mirror *m, uint32_t key,
                                              struct key_state **state, struct error *err)
{
    if (key >= m->keys.count)
        TRY(mirror_add_keys(m, key, err));
    *state = &m->keys.at[key];
    return STATUS_OK;
}

/* What it holds at first is known, nothing if nobody said it. */
MUST_USE static inline enum status mirror_know_key(struct mirror *m, uint32_t key,
                                                   struct error *err)
{
    return key < m->keys.count && m->keys.at[key].is_known ? STATUS_OK
                                                           : mirror_initial(m, key, 0, err);
}

MUST_USE enum status key_install(struct mirror *, struct live *, struct access *, struct error *);
/* A version comes to be the newest, of a transaction that is live, or one written elsewhere. */
MUST_USE enum status key_put(struct mirror *, uint32_t key, struct version *, const struct live *,
                             uint32_t *place, struct error *);
/* Those whose transactions have gone make room first. */
MUST_USE enum status key_add_reader(const struct mirror *, struct readers *, struct reader,
                                    struct error *);
/* Lets go what nobody can ask for any more. */
MUST_USE enum status key_collect(struct mirror *, struct key_state *, struct error *);

/*
 * Whether a view of a key, within these times, may see what was written in a gap: no version that
 * surely came after the gap surely came before the view.
 */
bool gap_may_reach(const struct mirror *, uint32_t key, struct times view);

static inline bool gap_reaches(const struct mirror *m, uint32_t key, struct times view)
{
    return (m->gaps.is_open || m->gaps.closed.count > 0) && gap_may_reach(m, key, view);
}

/* --- seek.c --- */

/* A statement of the transaction that is being added: an access more. */
MUST_USE enum status seek_add(struct mirror *, struct live *, const struct trace *,
                               const struct trace_query *, struct times at, struct error *);
/* The rows of an operation that is left out, or all of those of a transaction. */
void seek_drop_op(struct mirror *, const struct trace_op *);
void seek_drop_trace(struct mirror *, const struct trace *);
/* What a transaction holds of statements and rows. */
void seek_close(struct mirror *, struct live *);
void seek_close_all(struct mirror *);
/* The write comes to be what the transaction that is being judged sees of the key. */
void seek_pass_write(struct mirror *, const struct live *, uint32_t access);
/* Whether this is a row that the query looks for. */
enum predicate_answer seek_matches(struct mirror *, const struct query *, uint64_t value,
                                    uint32_t row);

bool seek_has_come(const struct query *, uint32_t key);
/* " where v >= 10" */
void seek_tell(const struct mirror *, const struct query *, struct buffer *);

/* --- predicate_read.c --- */

MUST_USE enum status seek_judge(struct mirror *, struct live *, uint32_t access, struct error *);
/* A version is there: who looked for it before comes before it. */
MUST_USE enum status seek_installed(struct mirror *, uint32_t key, uint32_t version,
                                     struct error *);
/* Likewise of one that had looked at the key. */
MUST_USE enum status seek_overtaken(struct mirror *, const struct reader *, uint32_t key,
                                     uint32_t version, struct error *);

/* --- range_lock.c --- */

/* Whether a query locks what it did not find. */
bool range_locks(const struct mirror *, const struct access *query);
MUST_USE enum status range_lock_judge(struct mirror *, const struct live *, uint32_t access,
                                      uint32_t key, struct error *);
MUST_USE enum status range_lock_installed(struct mirror *, const struct live *, uint32_t access,
                                          uint32_t key, uint32_t version, struct error *);

/* --- own_read.c --- */

/* Whether a transaction sees its own writes before it commits. */
bool own_is_seen(const struct mirror *);
/* A read of what the transaction wrote last before it. */
void own_judge(struct mirror *, const struct live *, const struct trace_op *read,
               const struct access *own);
/* A row that matches came or did not come, against what the transaction wrote there last. */
void own_judge_row(struct mirror *, const struct live *, uint32_t op, uint32_t key, bool came);
/* A row came twice in one answer. */
void own_judge_twice(struct mirror *, const struct live *, uint32_t op, uint32_t key);

/* --- dependencies.c --- */

struct look;
/* A read that just one version explains. */
MUST_USE enum status dependency_of_read(struct mirror *, const struct look *, uint32_t access,
                                        uint32_t version, struct error *);
void dependency_of_unclear_read(struct mirror *, const struct look *);
/* The newest version of its key. */
MUST_USE enum status dependency_of_write(struct mirror *, uint32_t version, struct error *);
/* Counts what was deduced of those of whom one is about to be let go, or of all. */
MUST_USE enum status dependencies_decide(struct mirror *, bool decides_all, struct error *);

/* --- mirror.c --- */

/* Within which times a transaction commits, by its clients' times alone. */
struct times mirror_commit_times(const struct mirror *, const struct trace *);

/* --- collection.c --- */

/* Whether nobody who is not judged yet can ask for the transaction. */
static inline bool mirror_may_go(const struct mirror *m, const struct live *live)
{
    return !live->is_gone && live->is_judged && live->is_installed && live->at.high < m->oldest;
}

/* Lets transactions go that nobody can ask for any more. */
MUST_USE enum status mirror_collect(struct mirror *, struct error *);

/* --- The mechanisms --- */

MUST_USE enum status read_judge(struct mirror *, struct live *, uint32_t access, struct error *);
/* A version is there: who read an earlier one comes before it. */
MUST_USE enum status read_installed(struct mirror *, uint32_t key, uint32_t version,
                                    struct error *);
MUST_USE enum status lock_judge(struct mirror *, struct live *, uint32_t access, struct error *);
/* A lock that was taken to read, and one to write a version. */
MUST_USE enum status lock_compare(struct mirror *, const struct live *, const struct access *taken,
                                  uint32_t key, uint32_t version, struct error *);
MUST_USE enum status update_judge(struct mirror *, struct live *, uint32_t access, struct error *);
/* Who sees to it that the first updater wins. */
enum mechanism update_mechanism(const struct mirror *);
/* One transaction depends on the other. */
MUST_USE enum status certifier_depend(struct mirror *, uint32_t from, uint32_t to,
                                      enum order_reason, uint32_t key, struct error *);
/* A transaction read an earlier version of the key than that one. */
MUST_USE enum status certifier_missed(struct mirror *, const struct live *reader,
                                      const struct version *, uint32_t key, struct error *);
/* Where the certifier's instant of a transaction lies. */
struct times certifier_times(const struct mirror *, const struct live *);

/* --- findings.c --- */

/* Begins a finding; NULL: there are enough of them, or no memory. It goes into `findings` at once. */
struct mirror_finding *finding_begin(struct mirror *, enum mechanism, enum anomaly);
void finding_add_txn(struct mirror_finding *, uint32_t number, int64_t id);
/* Lays an order of instants; tells if it contradicts what is known. None of them: nothing is. */
MUST_USE enum status mirror_lay(struct mirror *, struct timeline *, uint32_t from, uint32_t to,
                                enum order_reason, uint32_t key, enum mechanism, struct error *);
/* Likewise, on the timeline of all. */
MUST_USE static inline enum status mirror_order(struct mirror *m, uint32_t from, uint32_t to,
                                                enum order_reason reason, uint32_t key,
                                                enum mechanism mechanism, struct error *err)
{
    /* What windows say is most of what is deduced, and need not be laid. */
    return from == MIRROR_NONE || to == MIRROR_NONE ||
                   timeline_point(&m->timeline, from)->high < timeline_point(&m->timeline, to)->low
               ? STATUS_OK
               : mirror_lay(m, &m->timeline, from, to, reason, key, mechanism, err);
}

/* Of two ends of windows that would have to meet, what admitting clock errors makes of it. */
int64_t finding_clock_error(int64_t late, int64_t early);

void tell_key_name(const struct mirror *, uint32_t key, struct buffer *);
/* An operation of a transaction, on that key. */
void tell_op_name(const struct mirror *, uint32_t number, uint32_t op, uint32_t key,
                  struct buffer *);
/* Which orders moved an end of a point's window, in brackets; nothing where none did. */
void tell_narrowed(const struct mirror *, uint32_t point, bool is_high, struct buffer *);
/* What is said of an end of a window: "at 12 at the earliest". */
void tell_low(struct times, struct buffer *);
void tell_high(struct times, struct buffer *);
void tell_times(struct times, struct buffer *);

#endif
