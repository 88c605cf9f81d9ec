/*
 * Verifies a commit order at a weak level: every read is from a transaction that is early enough,
 * and late enough. docs/format-witness.md, "weak", and "Valid" of `certificate` at causal, where
 * versions are known and a statement reads every row of its table.
 *
 * For each read of a key by T3, whoever wrote the key and comes before T3 as the level means it
 * must not come after who the read is from. It is enough to look at the last of them:
 *
 *     session            what its session had written             one walk
 *     monotonic reads    what was read in its session             one walk
 *     read atomic, read committed    what T3's other sources wrote    the smaller of two sets
 *     causal, monotonic writes, writes follow reads               one walk for each session
 *
 * In a walk for a session there are marks on keys, each with an operation of the session and
 * the last place among those up to it; a read asks for the last mark of its key that is
 * before its bound: all of the session that is before the reader.
 */
#include "verify/valid/saturated_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bisect.h"
#include "verify/lookup_private.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

/* A mark on a key: from this operation on, somebody at this place is not to be missed. */
struct saturation_mark {
    uint32_t op, place; /* places count from 1; 0 is what was there initially */
};

/* A mark before it is sorted by its key. */
struct news {
    uint32_t key;
    struct saturation_mark mark;
};

/* A read of another's version. */
struct foreign_read {
    uint32_t key, from, from_txn; /* the place; NO_TXN: the initial version, whose place is 0 */
};

struct saturation {
    struct verifier *v;
    ARRAY(struct foreign_read) reads;
    uint32_t *read_start; /* by transaction */
    /* By values: */
    uint32_t *from;          /* by operation: the place that a read is from, or NO_PLACE */
    uint32_t *from_txn;      /* by operation */
    struct buckets sessions; /* those that count, in their order */
    uint32_t *before;        /* by transaction: the one that is over before it, or NO_TXN */
    /* What is known of keys, and transactions, today. */
    uint32_t today, *key_date, *key_place, *txn_date, *txn_op;
    /* Of a walk. */
    uint32_t *mark_start, *mark_count; /* by key, of those that are dated today */
    ARRAY(struct saturation_mark) marks;
    ARRAY(struct news) news;
    uint32_t *bound; /* by transaction: it comes behind what the session did before */
};

#define GET(field, count) VERIFY_GET(v, s->field, count, err)

static bool is_read_of_others(const struct saturation *s, uint32_t op)
{
    return s->from[op] != NO_PLACE;
}

static enum status refuse_read(const struct saturation *s, uint32_t txn, uint32_t key,
                               const char *what, struct error *err)
{
    return verify_refuse(s->v, err, "transaction %" PRId64 " read %.*s of one who comes before %s",
                         s->v->h->txn_id[txn], TEXT_PRINT(history_key(s->v->h, key)), what);
}

/* --- Where reads are from ---------------------------------------------------- */

static enum status find_origin(struct saturation *s, uint32_t txn, uint32_t op, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;
    uint32_t key = h->op_key[op], own = lookup_own(v, txn, op, key), version;
    struct reading reading = { 0 };
    bool is_right;

    if (own != HISTORY_NONE) {
        is_right = version_has_value(v, key, own, history_value(h, op));
    } else {
        TRY(sources_read(v, txn, op, &reading, err));
        version = source_latest(v, &reading, v->place[txn]);
        is_right =
            version != VERSION_UNKNOWN && version_has_value(v, key, version, history_value(h, op));
        s->from[op] = 0;
        if (is_right && version != VERSION_INITIAL) {
            s->from_txn[op] = history_txn_of(h, version);
            s->from[op] = v->place[s->from_txn[op]] + 1;
        }
    }
    return verify_need(v, is_right, err,
                       "transaction %" PRId64 ": the answer is not what the order "
                       "gives, of %.*s",
                       h->txn_id[txn], TEXT_PRINT(history_key(h, key)));
}

static enum status add_read(struct saturation *s, uint32_t key, uint32_t from, uint32_t from_txn,
                            struct error *err)
{
    struct foreign_read read = { key, from, from_txn };

    return s->reads.count < UINT32_MAX
               ? array_push(&s->reads, read, err)
               : error_set(err, STATUS_OVER_LIMIT, "%zu reads are too many", s->reads.count);
}

/* By values. */
static enum status find_origins(struct saturation *s, uint32_t txn, struct error *err)
{
    const struct history *h = s->v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        s->from[op] = NO_PLACE;
        s->from_txn[op] = NO_TXN;
        if (answer_reads_value(s->v, txn, op))
            TRY(find_origin(s, txn, op, err));
        if (is_read_of_others(s, op))
            TRY(add_read(s, h->op_key[op], s->from[op], s->from_txn[op], err));
    }
    return STATUS_OK;
}

/* By the certificate: what an operation saw of a key. */
static enum status note_sight(struct saturation *s, uint32_t txn, uint32_t op, uint32_t key,
                              struct error *err)
{
    struct verifier *v = s->v;
    struct sight sight;
    uint32_t writer;

    if (lookup_own(v, txn, op, key) != HISTORY_NONE)
        return STATUS_OK;
    sight = answer_sight(v, txn, op, key);
    if (sight.kind != SIGHT_SPOT || sight.is_vague)
        return verify_refuse(v, err, "transaction %" PRId64 ": nothing says what was read, of %.*s",
                             v->h->txn_id[txn], TEXT_PRINT(history_key(v->h, key)));
    if (chain_length(v, key) == 0)
        return STATUS_OK;
    if (sight.spot == 0)
        return add_read(s, key, 0, NO_TXN, err);
    writer = chain_txn_at(v, key, sight.spot);
    return v->place[writer] < v->place[txn]
               ? add_read(s, key, v->place[writer] + 1, writer, err)
               : verify_refuse(v, err,
                               "transaction %" PRId64 " should come before %" PRId64
                               ": the other read its version of %.*s",
                               v->h->txn_id[writer], v->h->txn_id[txn],
                               TEXT_PRINT(history_key(v->h, key)));
}

static enum status note_sights(struct saturation *s, uint32_t txn, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        bool is_head = op_is_head(h->op_kind[op]);
        uint32_t table = is_head ? h->statement_table[h->op_key[op]] : 0;

        if (!answer_is_judged(v, txn, op))
            continue;
        answer_prepare(v, op);
        if (!is_head)
            TRY(note_sight(s, txn, op, h->op_key[op], err));
        for (uint64_t i = v->table_keys.start[table]; is_head && i < v->table_keys.start[table + 1];
             i++)
            TRY(note_sight(s, txn, op, v->table_keys.at[i], err));
    }
    return STATUS_OK;
}

static enum status list_reads(struct saturation *s, struct error *err)
{
    struct verifier *v = s->v;

    TRY(GET(read_start, v->h->txn_count + 1));
    if (!v->is_causal) {
        TRY(GET(from, v->h->op_count));
        TRY(GET(from_txn, v->h->op_count));
    }
    for (uint32_t t = 0; t < v->h->txn_count; t++) {
        TRY(v->is_causal ? note_sights(s, t, err) : find_origins(s, t, err));
        s->read_start[t + 1] = (uint32_t)s->reads.count;
    }
    return STATUS_OK;
}

/* --- Sessions ---------------------------------------------------------------- */

static uint32_t session_of(const void *context, uint32_t txn)
{
    const struct verifier *v = context;

    return v->counting[txn] == COUNTS ? v->h->txn_session[txn] : HISTORY_NONE;
}

static enum status list_sessions(struct saturation *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    TRY(verify_bucket(v, (struct bucketing){ h->session_count, h->txn_count, session_of, v },
                      &s->sessions, err));
    return versions_list_before(v, &s->before, err);
}

/* The last place of the key that is known today. */
static void note_key(struct saturation *s, uint32_t key, uint32_t place)
{
    if (s->key_date[key] != s->today)
        s->key_place[key] = 0;
    s->key_date[key] = s->today;
    if (place > s->key_place[key])
        s->key_place[key] = place;
}

static bool is_too_early(const struct saturation *s, uint32_t op)
{
    uint32_t key = s->v->h->op_key[op];

    return is_read_of_others(s, op) && s->key_date[key] == s->today &&
           s->key_place[key] > s->from[op];
}

static void note_writes(struct saturation *s, uint32_t txn)
{
    const struct history *h = s->v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op))
            note_key(s, h->op_key[op], s->v->place[txn] + 1);
}

/* What its session had written. */
static enum status check_own_session(struct saturation *s, struct error *err)
{
    const struct history *h = s->v->h;

    for (size_t i = 0; i < h->session_count; i++) {
        s->today++;
        for (uint32_t j = s->sessions.start[i]; j < s->sessions.start[i + 1]; j++) {
            uint32_t t = s->sessions.at[j];

            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
                if (is_too_early(s, op))
                    return refuse_read(s, t, h->op_key[op], "what its session had written", err);
            if (h->txn_status[t] == TXN_OK)
                note_writes(s, t);
        }
    }
    return STATUS_OK;
}

/* The operation behind a statement's rows, or behind an item operation. */
static uint32_t end_of_operation(const struct history *h, uint32_t op)
{
    return op_is_head(h->op_kind[op]) ? op + 1 + h->statement_row_count[h->op_key[op]] : op + 1;
}

/* What had been read in its session, by operations before. */
static enum status check_reads_of_session(struct saturation *s, struct error *err)
{
    const struct history *h = s->v->h;

    for (size_t i = 0; i < h->session_count; i++) {
        s->today++;
        for (uint32_t j = s->sessions.start[i]; j < s->sessions.start[i + 1]; j++) {
            uint32_t t = s->sessions.at[j], end = 0;

            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op = end) {
                end = end_of_operation(h, op);
                for (uint32_t row = op; row < end; row++)
                    if (is_too_early(s, row))
                        return refuse_read(s, t, h->op_key[row], "what its session had read", err);
                for (uint32_t row = op; row < end; row++) {
                    uint32_t source = s->from_txn[row];

                    if (source == NO_TXN || s->txn_date[source] == s->today)
                        continue;
                    s->txn_date[source] = s->today;
                    note_writes(s, source);
                }
            }
        }
    }
    return STATUS_OK;
}

/* --- Other sources of a transaction ------------------------------------------- */

/* Whether the read is of a key that the source wrote, from somebody before it. */
static bool is_missed(const struct saturation *s, uint32_t source, uint32_t op)
{
    const struct verifier *v = s->v;

    return is_read_of_others(s, op) && s->from[op] < v->place[source] + 1 &&
           lookup_left(v, source, v->h->op_key[op]) != HISTORY_NONE;
}

/* Against all reads from an operation on: `key_place` has the least place they are from. */
static enum status check_source(struct saturation *s, uint32_t txn, uint32_t source, uint32_t begin,
                                struct error *err)
{
    const struct history *h = s->v->h;
    uint32_t place = s->v->place[source] + 1, end = h->txn_op[txn + 1];

    if (h->txn_op[source + 1] - h->txn_op[source] > end - begin) {
        for (uint32_t op = begin; op < end; op++)
            if (is_missed(s, source, op))
                return refuse_read(s, txn, h->op_key[op], "another of whom it read", err);
        return STATUS_OK;
    }
    for (uint32_t op = h->txn_op[source]; op < h->txn_op[source + 1]; op++) {
        uint32_t key = h->op_key[op];

        if (history_makes_version(h, op) && s->key_date[key] == s->today &&
            s->key_place[key] < place)
            return refuse_read(s, txn, h->op_key[op], "another of whom it read", err);
    }
    return STATUS_OK;
}

static void note_least(struct saturation *s, uint32_t op)
{
    uint32_t key = s->v->h->op_key[op];

    if (!is_read_of_others(s, op))
        return;
    if (s->key_date[key] != s->today || s->from[op] < s->key_place[key])
        s->key_place[key] = s->from[op];
    s->key_date[key] = s->today;
}

/* Its operations in the order in which they stand, statements with their rows: the starts. */
static enum status check_sources_of(struct saturation *s, uint32_t txn, bool only_before,
                                    uint32_t *starts, struct error *err)
{
    const struct history *h = s->v->h;
    uint32_t begin = h->txn_op[txn], end = h->txn_op[txn + 1], count = 0;

    for (uint32_t op = begin; op < end; op = end_of_operation(h, op))
        starts[count++] = op;
    s->today++;
    for (uint32_t op = begin; op < end; op++) {
        uint32_t source = s->from_txn[op];

        if (source != NO_TXN && s->txn_date[source] != s->today) {
            s->txn_date[source] = s->today;
            s->txn_op[source] = op; /* the first that is from it */
        }
        if (!only_before)
            note_least(s, op);
    }
    /* From its last operation to its first, so that all reads behind each are known. */
    while (count-- > 0) {
        uint32_t op = starts[count], behind = end_of_operation(h, op);

        for (uint32_t row = op; row < behind; row++)
            if (s->from_txn[row] != NO_TXN && s->txn_op[s->from_txn[row]] == row)
                TRY(check_source(s, txn, s->from_txn[row], only_before ? behind : begin, err));
        for (uint32_t row = op; only_before && row < behind; row++)
            note_least(s, row);
    }
    return STATUS_OK;
}

static enum status check_sources(struct saturation *s, bool only_before, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;
    uint32_t *starts, longest = 0;

    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_op[t + 1] - h->txn_op[t] > longest)
            longest = h->txn_op[t + 1] - h->txn_op[t];
    TRY(VERIFY_GET(v, starts, longest, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            TRY(check_sources_of(s, t, only_before, starts, err));
    return STATUS_OK;
}

/* --- Marks ------------------------------------------------------------------- */

static void begin_marks(struct saturation *s)
{
    s->today++;
    s->news.count = 0;
}

/* What a transaction left of each key, from an operation of the session on. */
static enum status mark_writes(struct saturation *s, uint32_t txn, uint32_t since,
                               struct error *err)
{
    const struct verifier *v = s->v;
    const struct history *h = v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        struct news news = { h->op_key[op], { since, v->place[txn] + 1 } };

        if (history_makes_version(h, op))
            TRY(array_push(&s->news, news, err));
    }
    return STATUS_OK;
}

/* What others left whom it read, each of whom once in a session. */
static enum status mark_reads(struct saturation *s, uint32_t txn, struct error *err)
{
    const struct history *h = s->v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t source = s->from_txn[op];

        if (source == NO_TXN || s->txn_date[source] == s->today)
            continue;
        s->txn_date[source] = s->today;
        TRY(mark_writes(s, source, op, err));
    }
    return STATUS_OK;
}

/* By key, each with the last place so far. */
static enum status sort_marks(struct saturation *s, struct error *err)
{
    uint32_t next = 0;

    for (size_t i = 0; i < s->news.count; i++) {
        uint32_t key = s->news.at[i].key;

        if (s->key_date[key] != s->today)
            s->mark_count[key] = 0;
        s->key_date[key] = s->today;
        s->mark_count[key]++;
    }
    s->marks.count = 0;
    TRY(array_reserve(&s->marks, s->news.count, err));
    s->marks.count = s->news.count;
    for (size_t i = 0; i < s->news.count; i++) {
        uint32_t key = s->news.at[i].key;

        if (s->mark_count[key] > 0) {
            s->mark_start[key] = next;
            next += s->mark_count[key];
            s->key_place[key] = 0;
            s->mark_count[key] = 0; /* none of them stands there yet */
        }
    }
    for (size_t i = 0; i < s->news.count; i++) {
        const struct news *news = &s->news.at[i];
        uint32_t key = news->key;

        if (news->mark.place > s->key_place[key])
            s->key_place[key] = news->mark.place;
        s->marks.at[s->mark_start[key] + s->mark_count[key]++] =
            (struct saturation_mark){ news->mark.op, s->key_place[key] };
    }
    return STATUS_OK;
}

/* The last place of a key among the marks before a bound. */
static uint32_t last_mark(const struct saturation *s, uint32_t key, uint32_t bound)
{
    const struct saturation_mark *marks = s->marks.at + s->mark_start[key];
    uint32_t end;

    BISECT(end, 0, s->mark_count[key], marks[end].op < bound);
    return end > 0 ? marks[end - 1].place : 0;
}

static enum status check_bound(struct saturation *s, uint32_t txn, uint32_t bound, const char *what,
                               struct error *err)
{
    for (uint32_t i = s->read_start[txn]; bound > 0 && i < s->read_start[txn + 1]; i++) {
        const struct foreign_read *read = &s->reads.at[i];

        if (s->key_date[read->key] == s->today && last_mark(s, read->key, bound) > read->from)
            return refuse_read(s, txn, read->key, what, err);
    }
    return STATUS_OK;
}

/* --- Causal ------------------------------------------------------------------ */

/* The bounds of all, by place: behind who is in the walk, and behind whom that is. */
static enum status pass_bounds(struct saturation *s, const uint32_t *txn_at, size_t count,
                               const bool *is_in_walk, struct error *err)
{
    const struct history *h = s->v->h;

    for (size_t place = 0; place < count; place++) {
        uint32_t t = txn_at[place], bound = s->before[t] == NO_TXN ? 0 : s->bound[s->before[t]];

        for (uint32_t i = s->read_start[t]; i < s->read_start[t + 1]; i++) {
            uint32_t writer = s->reads.at[i].from_txn;

            assert(writer == NO_TXN || s->v->place[writer] < place);
            if (writer != NO_TXN && s->bound[writer] > bound)
                bound = s->bound[writer];
        }
        TRY(check_bound(s, t, bound, "what it depends on", err));
        s->bound[t] = is_in_walk[t] ? h->txn_op[t + 1] : bound;
    }
    return STATUS_OK;
}

/* The whole order, and those of one session that are looked at. */
struct causal_walk {
    uint32_t *txn_at; /* by place */
    size_t count;
    bool *is_member;
};

static enum status walk_causal(struct saturation *s, const struct causal_walk *walk,
                               const uint32_t *members, size_t member_count, struct error *err)
{
    bool *is_in_walk = walk->is_member;
    const struct history *h = s->v->h;
    enum status status = STATUS_OK;

    begin_marks(s);
    for (size_t i = 0; i < member_count; i++) {
        /* An unknown one is before none of its session. */
        is_in_walk[members[i]] = h->txn_status[members[i]] == TXN_OK || i == member_count - 1;
        if (is_in_walk[members[i]])
            TRY(mark_writes(s, members[i], h->txn_op[members[i]], err));
    }
    TRY(sort_marks(s, err));
    if (s->marks.count > 0)
        status = pass_bounds(s, walk->txn_at, walk->count, is_in_walk, err);
    for (size_t i = 0; i < member_count; i++)
        is_in_walk[members[i]] = false;
    return status;
}

static enum status check_causal(struct saturation *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;
    struct causal_walk walk = { .count = v->w->order.count };

    TRY(VERIFY_GET(v, walk.txn_at, walk.count, err));
    TRY(VERIFY_GET(v, walk.is_member, h->txn_count, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (v->place[t] != NO_PLACE)
            walk.txn_at[v->place[t]] = t;
    for (size_t i = 0; i < h->session_count; i++) {
        const uint32_t *members = s->sessions.at + s->sessions.start[i];
        size_t member_count = s->sessions.start[i + 1] - s->sessions.start[i];

        if (member_count == 0)
            continue;
        TRY(walk_causal(s, &walk, members, member_count, err));
        for (size_t j = 0; j + 1 < member_count; j++)
            if (h->txn_status[members[j]] != TXN_OK)
                TRY(walk_causal(s, &walk, &members[j], 1, err));
    }
    return STATUS_OK;
}

/* --- Monotonic writes, writes follow reads ------------------------------------ */

/* Reads by the session of whom they are from. */
static uint32_t session_read(const void *context, uint32_t op)
{
    const struct saturation *s = context;

    return s->from_txn[op] == NO_TXN ? HISTORY_NONE : s->v->h->txn_session[s->from_txn[op]];
}

/* The marks of one session, against all who read from it. */
static enum status walk_session(struct saturation *s, size_t session, bool of_reads,
                                const struct buckets *reads, struct error *err)
{
    const struct history *h = s->v->h;
    const char *what = of_reads ? "what one had read of whom it read"
                                : "what one of whom it read had written before";

    begin_marks(s);
    for (uint32_t j = s->sessions.start[session]; j < s->sessions.start[session + 1]; j++) {
        uint32_t t = s->sessions.at[j];

        if (h->txn_status[t] == TXN_OK)
            TRY(of_reads ? mark_reads(s, t, err) : mark_writes(s, t, h->txn_op[t], err));
    }
    TRY(sort_marks(s, err));
    for (uint32_t i = reads->start[session], j; i < reads->start[session + 1]; i = j) {
        uint32_t reader = s->v->op_txn[reads->at[i]], bound = 0;

        for (j = i; j < reads->start[session + 1] && s->v->op_txn[reads->at[j]] == reader; j++) {
            uint32_t op = reads->at[j], writer = s->from_txn[op];
            uint32_t from = of_reads ? lookup_left(s->v, writer, h->op_key[op]) : h->txn_op[writer];

            bound = from > bound ? from : bound;
        }
        TRY(check_bound(s, reader, bound, what, err));
    }
    return STATUS_OK;
}

static enum status check_writers(struct saturation *s, bool of_reads, struct error *err)
{
    struct buckets reads;

    TRY(verify_bucket(
        s->v, (struct bucketing){ s->v->h->session_count, s->v->h->op_count, session_read, s },
        &reads, err));
    for (size_t i = 0; i < s->v->h->session_count; i++)
        TRY(walk_session(s, i, of_reads, &reads, err));
    return STATUS_OK;
}

/* --- The whole --------------------------------------------------------------- */

static enum status check_level(struct saturation *s, struct error *err)
{
    switch (s->v->w->level) {
    case LEVEL_READ_COMMITTED:
        return check_sources(s, true, err);
    case LEVEL_READ_ATOMIC:
        TRY(check_own_session(s, err));
        return check_sources(s, false, err);
    case LEVEL_CAUSAL:
        return check_causal(s, err);
    case LEVEL_READ_YOUR_WRITES:
        return check_own_session(s, err);
    case LEVEL_MONOTONIC_READS:
        return check_reads_of_session(s, err);
    case LEVEL_MONOTONIC_WRITES:
        return check_writers(s, false, err);
    case LEVEL_WRITES_FOLLOW_READS:
        return check_writers(s, true, err);
    default:
        TRY(check_own_session(s, err));
        TRY(check_reads_of_session(s, err));
        return check_writers(s, false, err);
    }
}

static enum status saturate(struct saturation *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    TRY(GET(key_date, h->key_count));
    TRY(GET(key_place, h->key_count));
    TRY(GET(mark_start, h->key_count));
    TRY(GET(mark_count, h->key_count));
    TRY(GET(txn_date, h->txn_count));
    TRY(GET(txn_op, h->txn_count));
    TRY(GET(bound, h->txn_count));
    TRY(list_reads(s, err));
    TRY(list_sessions(s, err));
    return check_level(s, err);
}

enum status verify_saturated(struct verifier *v, struct error *err)
{
    struct saturation s = { .v = v };
    enum status status = saturate(&s, err);

    array_close(&s.reads);
    array_close(&s.marks);
    array_close(&s.news);
    return status;
}
