#include "verify/values/inferred.h"

#include <string.h>

#include "verify/lookup_private.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

struct inferred {
    uint32_t *longest;       /* by key: the read of the longest list, or HISTORY_NONE */
    uint32_t *position;      /* by append: in the longest list, from 1 */
    uint64_t *element_start; /* by key */
    uint32_t *element;       /* what appended those of the longest lists */
    uint32_t *read;          /* by operation: the version that it is of, or VERSION_UNKNOWN */
    struct buckets touches;  /* operations by version; initial ones by key behind all others */
    uint32_t *first_in_session, first_now, *first_date; /* by session, of one question */
    uint32_t *reached, reached_now, *queue; /* by version, and so many, of one question */
};

#define GET(field, count) VERIFY_GET(v, n->field, count, err)

/* --- Reads ------------------------------------------------------------------- */

/* Of a register, what no other can be; of a list, whatever ends with it. */
static enum status find_version(struct verifier *v, uint32_t txn, uint32_t op, uint32_t *version,
                                struct error *err)
{
    struct reading reading = { 0 };

    *version = VERSION_UNKNOWN;
    TRY(sources_read(v, txn, op, &reading, err));
    if (reading.kind == READING_WRONG && reading.elsewhere != ELSEWHERE_NOT) {
        if (reading.elsewhere == VERSION_INITIAL || reading.elsewhere < ELSEWHERE_NONE)
            *version = reading.elsewhere;
    } else if (reading.is_plain && reading.kind == READING_OF_OTHERS) {
        if (v->judges_own || lookup_own_before(v, op) == HISTORY_NONE)
            *version = reading.element_op;
    } else {
        (void)source_is_only(v, &reading, version);
    }
    return STATUS_OK;
}

uint32_t inferred_read(const struct verifier *v, uint32_t txn, uint32_t op)
{
    return answer_reads_value(v, txn, op) ? v->inferred->read[op] : VERSION_UNKNOWN;
}

/* --- Lists ------------------------------------------------------------------- */

static struct list_elements list_of(const struct history *h, uint32_t op)
{
    return op == HISTORY_NONE ? (struct list_elements){ 0 }
                              : versions_elements(h, history_value(h, op));
}

/*
 * Where reads are not judged, lists that exclude each other or the initial one tell nothing; else they
 * have been found to be wrong, and the longest is as good as any.
 */
static void drop_incompatible(struct verifier *v)
{
    const struct history *h = v->h;
    uint32_t *longest = v->inferred->longest;

    for (size_t op = 0; op < h->op_count; op++)
        if (answer_reads_value(v, v->op_txn[op], (uint32_t)op) &&
            source_is_plain(v, h->op_key[op]) && longest[h->op_key[op]] != HISTORY_NONE &&
            !inferred_begins(v, h->op_key[op], list_of(h, (uint32_t)op)))
            longest[h->op_key[op]] = HISTORY_NONE;
    for (uint32_t key = 0; key < h->key_count; key++)
        if (source_is_plain(v, key) &&
            !inferred_begins(v, key, versions_elements(h, history_initial(h, key))))
            longest[key] = HISTORY_NONE;
}

static enum status number_elements(struct verifier *v, struct error *err)
{
    struct inferred *n = v->inferred;
    size_t key_count = v->h->key_count;

    TRY(GET(element_start, key_count + 1));
    for (uint32_t key = 0; key < key_count; key++)
        n->element_start[key + 1] = n->element_start[key] + list_of(v->h, n->longest[key]).count;
    TRY(GET(element, n->element_start[key_count]));
    for (uint32_t key = 0; key < key_count; key++) {
        struct list_elements list = list_of(v->h, n->longest[key]);

        for (uint64_t i = 0; i < list.count; i++) {
            uint32_t op = HISTORY_NONE;

            TRY(source_of_element(v, key, list.at[i], &op, err));
            n->element[n->element_start[key] + i] = op;
            if (op != HISTORY_NONE && n->position[op] == 0)
                n->position[op] = (uint32_t)i + 1;
        }
    }
    return STATUS_OK;
}

bool inferred_begins(const struct verifier *v, uint32_t key, struct list_elements list)
{
    struct list_elements longest = list_of(v->h, v->inferred->longest[key]);

    return list.count == 0 || (list.count <= longest.count &&
                               memcmp(longest.at, list.at, list.count * sizeof *list.at) == 0);
}

const uint32_t *inferred_elements(const struct verifier *v, uint32_t key, size_t *count)
{
    const struct inferred *n = v->inferred;

    *count = (size_t)(n->element_start[key + 1] - n->element_start[key]);
    return n->element + n->element_start[key];
}

uint32_t inferred_position(const struct verifier *v, uint32_t append)
{
    return v->inferred->position[append];
}

/* --- Touches ----------------------------------------------------------------- */

static size_t place_of(const struct verifier *v, uint32_t key, uint32_t version)
{
    return version == VERSION_INITIAL ? v->h->op_count + key : version;
}

struct touches inferred_touches(const struct verifier *v, uint32_t key, uint32_t version)
{
    const struct inferred *n = v->inferred;
    size_t place = place_of(v, key, version);

    return (struct touches){ n->touches.at + n->touches.start[place],
                             n->touches.start[place + 1] - n->touches.start[place] };
}

/* A version, or VERSION_UNKNOWN, that an operation touches. */
static uint32_t touched(const struct verifier *v, uint32_t txn, uint32_t op)
{
    if (op_is_read(v->h->op_kind[op]))
        return inferred_read(v, txn, op);
    if (history_makes_version(v->h, op) && v->counting[txn] != COUNTS_NOT &&
        lookup_left(v, txn, v->h->op_key[op]) == op)
        return op;
    return VERSION_UNKNOWN;
}

static uint32_t place_touched(const void *context, uint32_t op)
{
    const struct verifier *v = context;
    uint32_t version =
        op_is_head(v->h->op_kind[op]) ? VERSION_UNKNOWN : touched(v, v->op_txn[op], op);

    return version == VERSION_UNKNOWN ? HISTORY_NONE
                                      : (uint32_t)place_of(v, v->h->op_key[op], version);
}

/* --- The whole --------------------------------------------------------------- */

static enum status take_read(struct verifier *v, uint32_t txn, uint32_t op, struct error *err)
{
    struct inferred *n = v->inferred;
    uint32_t key = v->h->op_key[op];

    n->read[op] = VERSION_UNKNOWN;
    if (!answer_reads_value(v, txn, op))
        return STATUS_OK;
    TRY(find_version(v, txn, op, &n->read[op], err));
    if (source_is_plain(v, key) && (n->longest[key] == HISTORY_NONE ||
                                    list_of(v->h, op).count > list_of(v->h, n->longest[key]).count))
        n->longest[key] = op;
    return STATUS_OK;
}

enum status inferred_build(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct inferred *n;

    TRY(VERIFY_GET(v, v->inferred, 1, err));
    n = v->inferred;
    TRY(GET(longest, h->key_count));
    TRY(GET(position, h->op_count));
    TRY(GET(read, h->op_count));
    TRY(GET(first_in_session, h->session_count));
    TRY(GET(first_date, h->session_count));
    TRY(GET(reached, h->op_count));
    TRY(GET(queue, h->op_count + 1));
    for (size_t key = 0; key < h->key_count; key++)
        n->longest[key] = HISTORY_NONE;
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            TRY(take_read(v, t, op, err));
    if (!v->judges_reads)
        drop_incompatible(v);
    TRY(number_elements(v, err));
    return verify_bucket(
        v, (struct bucketing){ h->op_count + h->key_count, h->op_count, place_touched, v },
        &n->touches, err);
}

/* --- By one transaction, or two ---------------------------------------------- */

bool inferred_by_update(struct verifier *v, uint32_t txn, uint32_t key, uint32_t first,
                        uint32_t second)
{
    const struct history *h = v->h;

    if (!v->judges_reads || first == second || second == VERSION_INITIAL ||
        lookup_left(v, txn, key) != second)
        return false;
    for (uint32_t op = h->txn_op[txn]; op < second; op++)
        if (!op_is_head(h->op_kind[op]) && h->op_key[op] == key &&
            inferred_read(v, txn, op) == first)
            return true;
    return false;
}

/* How a transaction touches a version: bits. */
enum { TOUCHES_NOT, TOUCHES_BY_READ, TOUCHES_BY_WRITE };

static unsigned touch_of(struct verifier *v, uint32_t txn, uint32_t key, uint32_t version)
{
    const struct history *h = v->h;
    unsigned touches = TOUCHES_NOT;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (!op_is_head(h->op_kind[op]) && h->op_key[op] == key && touched(v, txn, op) == version)
            touches |= version == op ? TOUCHES_BY_WRITE : TOUCHES_BY_READ;
    return touches;
}

/*
 * Whether the level forbids that a transaction touches a later version, and then one behind it an
 * earlier one: where reads are not judged, of writes alone; where anti-dependencies are no matter, if
 * the later one wrote it.
 */
static bool is_forbidden(const struct verifier *v, bool first_writes, bool second_writes)
{
    if (v->has_rw && v->w->level == LEVEL_READ_ATOMIC)
        return first_writes || second_writes;
    if (v->has_rw)
        return true;
    return second_writes && (first_writes || v->judges_reads);
}

bool inferred_by_order(struct verifier *v, enum closing closing, const uint32_t txns[2],
                       uint32_t key, uint32_t first, uint32_t second)
{
    unsigned a = touch_of(v, txns[0], key, first), b = touch_of(v, txns[1], key, second);

    return first != second && second != VERSION_INITIAL && closing == v->closing && a != 0 &&
           b != 0 && versions_txn_is_before(v, closing, txns[0], txns[1]) &&
           is_forbidden(v, a & TOUCHES_BY_WRITE, b & TOUCHES_BY_WRITE);
}

/* --- By anybody -------------------------------------------------------------- */

/* The first of each session that touches a version. */
static void mark_sessions(struct verifier *v, struct touches touches, bool is_write)
{
    struct inferred *n = v->inferred;

    n->first_now++;
    for (size_t i = 0; i < touches.count; i++) {
        uint32_t txn = v->op_txn[touches.at[i]], session = v->h->txn_session[txn];

        if (v->h->txn_status[txn] != TXN_OK ||
            (is_write && !history_makes_version(v->h, touches.at[i])))
            continue;
        if (n->first_date[session] != n->first_now || txn < n->first_in_session[session])
            n->first_in_session[session] = txn;
        n->first_date[session] = n->first_now;
    }
}

static bool is_behind_session(struct verifier *v, struct touches second, bool is_write)
{
    const struct inferred *n = v->inferred;

    for (size_t i = 0; i < second.count; i++) {
        uint32_t session = v->h->txn_session[v->op_txn[second.at[i]]];

        if ((!is_write || history_makes_version(v->h, second.at[i])) &&
            n->first_date[session] == n->first_now &&
            n->first_in_session[session] < v->op_txn[second.at[i]])
            return true;
    }
    return false;
}

static bool is_behind_time(const struct verifier *v, struct touches first, struct touches second,
                           bool first_writes, bool second_writes)
{
    const struct history *h = v->h;
    int64_t end = TIME_NEVER;

    for (size_t i = 0; i < first.count; i++) {
        uint32_t txn = v->op_txn[first.at[i]];

        if (h->txn_status[txn] == TXN_OK &&
            (!first_writes || history_makes_version(v->h, first.at[i])) && h->txn_completed &&
            h->txn_completed[txn] != TIME_ABSENT && h->txn_completed[txn] < end)
            end = h->txn_completed[txn];
    }
    for (size_t i = 0; i < second.count; i++)
        if ((!second_writes || history_makes_version(v->h, second.at[i])) && h->txn_invoked &&
            h->txn_invoked[v->op_txn[second.at[i]]] != TIME_ABSENT &&
            end < h->txn_invoked[v->op_txn[second.at[i]]])
            return true;
    return false;
}

static enum status is_before_by_order(struct verifier *v, uint32_t key, uint32_t first,
                                      uint32_t second, bool *is_before, struct error *err)
{
    struct touches a = inferred_touches(v, key, first), b = inferred_touches(v, key, second);
    bool only_first_writes = !v->judges_reads, only_second_writes = !v->has_rw;

    if (v->closing == CLOSED_BY_NOTHING)
        return STATUS_OK;
    TRY(verify_spend(v, a.count + b.count, err));
    if (v->closing == CLOSED_BY_SESSIONS && v->w->level == LEVEL_READ_ATOMIC) {
        /* There one of the two must have written. */
        mark_sessions(v, a, true);
        *is_before = is_behind_session(v, b, false);
        mark_sessions(v, a, false);
        *is_before |= is_behind_session(v, b, true);
    } else if (v->closing == CLOSED_BY_SESSIONS) {
        mark_sessions(v, a, only_first_writes);
        *is_before = is_behind_session(v, b, only_second_writes);
    } else {
        *is_before = is_behind_time(v, a, b, only_first_writes, only_second_writes);
    }
    v->by_order |= *is_before;
    return STATUS_OK;
}

/* Back from version to version, each of which was read by who wrote the next. */
static enum status is_before_by_updates(struct verifier *v, uint32_t key, uint32_t first,
                                        uint32_t second, bool *is_before, struct error *err)
{
    const struct history *h = v->h;

    while (second != VERSION_INITIAL && !*is_before) {
        uint32_t txn = history_txn_of(h, second), previous = VERSION_UNKNOWN;

        if (second != first)
            TRY(is_before_by_order(v, key, first, second, is_before, err));
        if (*is_before)
            break;
        TRY(verify_spend(v, 1 + second - h->txn_op[txn], err));
        for (uint32_t op = h->txn_op[txn]; op < second; op++)
            if (!op_is_head(h->op_kind[op]) && h->op_key[op] == key &&
                inferred_read(v, txn, op) != VERSION_UNKNOWN) {
                /* Any of them came before it; nothing leads back from the initial one. */
                if (previous == VERSION_UNKNOWN || inferred_read(v, txn, op) != VERSION_INITIAL)
                    previous = inferred_read(v, txn, op);
                *is_before |= inferred_read(v, txn, op) == first && v->judges_reads;
            }
        if (previous == VERSION_UNKNOWN || !v->judges_reads)
            break;
        second = previous;
    }
    return STATUS_OK;
}

enum status inferred_is_before(struct verifier *v, uint32_t key, uint32_t first, uint32_t second,
                               bool *is_before, struct error *err)
{
    const struct inferred *n = v->inferred;

    v->by_order = false;
    *is_before = first == VERSION_INITIAL && second != VERSION_INITIAL;
    if (first == second || first == VERSION_INITIAL || second == VERSION_INITIAL)
        return STATUS_OK;
    if (!source_is_plain(v, key))
        return is_before_by_updates(v, key, first, second, is_before, err);
    *is_before = n->position[first] != 0 &&
                 (n->position[second] == 0 || n->position[first] < n->position[second]);
    return STATUS_OK;
}

/* --- By any row of steps ------------------------------------------------------- */

/* One step: by a derived order, by who read the one and wrote the other, by sessions or times. */
static enum status is_step(struct verifier *v, uint32_t key, uint32_t from, uint32_t to,
                           bool *is_it, struct error *err)
{
    uint32_t txn = history_txn_of(v->h, to);

    TRY(verify_spend(v, 1 + v->derived.count + to - v->h->txn_op[txn], err));
    TRY(is_before_by_order(v, key, from, to, is_it, err));
    *is_it |= inferred_by_update(v, txn, key, from, to);
    for (size_t i = 0; i < v->derived.count && !*is_it; i++)
        *is_it = v->derived.at[i].key == key && v->derived.at[i].first == from &&
                 v->derived.at[i].second == to;
    return STATUS_OK;
}

static enum status take_step(struct verifier *v, uint32_t key, uint32_t from, uint32_t version,
                             size_t *queued, struct error *err)
{
    struct inferred *n = v->inferred;
    bool is_it = false;

    if (n->reached[version] == n->reached_now)
        return STATUS_OK;
    TRY(is_step(v, key, from, version, &is_it, err));
    if (is_it) {
        n->reached[version] = n->reached_now;
        n->queue[(*queued)++] = version;
    }
    return STATUS_OK;
}

enum status inferred_is_before_by_row(struct verifier *v, uint32_t key, uint32_t first,
                                      uint32_t second, bool *is_before, struct error *err)
{
    struct inferred *n = v->inferred;
    size_t queued = 1;

    *is_before = v->by_order = false;
    if (first == second || first == VERSION_INITIAL || second == VERSION_INITIAL ||
        source_is_plain(v, key))
        return STATUS_OK;
    n->reached_now++;
    n->reached[first] = n->reached_now;
    n->queue[0] = first;
    for (size_t i = 0; i < queued && n->reached[second] != n->reached_now; i++) {
        for (uint64_t c = v->version_start[key]; c < v->version_start[key + 1]; c++)
            TRY(take_step(v, key, n->queue[i], v->version[c], &queued, err));
    }
    *is_before = n->reached[second] == n->reached_now;
    return STATUS_OK;
}
