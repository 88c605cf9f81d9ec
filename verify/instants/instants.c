#include "verify/instants/instants.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "verify/instants/instant_proof.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/workings.h"

/* --- Times ------------------------------------------------------------------- */

static int64_t earlier(int64_t time, int64_t by)
{
    return time < INT64_MIN + by ? INT64_MIN : time - by;
}

static int64_t later(int64_t time, int64_t by)
{
    return time > INT64_MAX - by ? INT64_MAX : time + by;
}

static struct window widened(const struct verifier *v, int64_t low, int64_t high)
{
    return (struct window){ earlier(low, v->w->clock_error), later(high, v->w->clock_error) };
}

/* As they stand in the history; what was never answered ended with its transaction. */
static struct window written_times(const struct history *h, uint32_t txn, uint32_t op)
{
    bool has_from = h->op_invoked && h->op_invoked[op] != TIME_ABSENT;
    bool has_to =
        h->op_completed && h->op_completed[op] != TIME_ABSENT && h->op_completed[op] != TIME_NEVER;

    return (struct window){ has_from ? h->op_invoked[op] : h->txn_invoked[txn],
                            has_to ? h->op_completed[op] : h->txn_completed[txn] };
}

struct window instants_op_times(const struct verifier *v, uint32_t txn, uint32_t op)
{
    struct window times = written_times(v->h, txn, op);

    return widened(v, times.low, times.high);
}

int64_t instants_sent(const struct verifier *v, uint32_t version)
{
    return instants_op_times(v, v->op_txn[version], v->op_head[version]).low;
}

static enum status check_times(struct verifier *v, uint32_t txn, struct error *err)
{
    const struct history *h = v->h;

    if (!h->txn_invoked || !h->txn_completed || h->txn_invoked[txn] == TIME_ABSENT ||
        h->txn_completed[txn] == TIME_ABSENT)
        return verify_refuse(v, err, "nobody wrote down the times of transaction %" PRId64,
                             h->txn_id[txn]);
    return STATUS_OK;
}

/* --- Operations -------------------------------------------------------------- */

bool instants_is_look(const struct verifier *v, uint32_t txn, uint32_t head)
{
    const struct history *h = v->h;

    return op_is_head(h->op_kind[head]) && answer_is_judged(v, txn, head) &&
           !(h->statement_flags[h->op_key[head]] & STATEMENT_AGGREGATES);
}

bool instants_look_is_cut(const struct verifier *v, uint32_t head)
{
    const struct history *h = v->h;
    int64_t limit = h->statement_limit[h->op_key[head]];

    return h->op_kind[head] == OP_SELECT && limit >= 0 &&
           h->statement_row_count[h->op_key[head]] >= limit;
}

bool instants_asks_for_locks(const struct history *h, uint32_t head)
{
    return (h->op_flags[head] & (OP_LOCK_SHARE | OP_LOCK_UPDATE)) ||
           h->op_kind[head] == OP_UPDATE || h->op_kind[head] == OP_DELETE;
}

bool instants_read_locks(const struct verifier *v, uint32_t head, uint32_t op)
{
    const struct history *h = v->h;
    const struct workings *w = v->instants->w;
    bool is_nothing = instants_is_nothing(h, history_value(h, op)); /* as it is of a head */

    return (w->locks_reads || (w->locks_for && instants_asks_for_locks(h, head))) &&
           (!is_nothing || w->locks_absent);
}

/* Reads of what is there, where a lock is asked for and nobody aborts for having been second. */
static bool reads_what_is_there(const struct verifier *v, uint32_t head)
{
    const struct workings *w = v->instants->w;

    return instants_asks_for_locks(v->h, head) && w->locks_for && !workings_first_wins(w);
}

bool instants_look_is_strict(const struct verifier *v, uint32_t head)
{
    const struct workings *w = v->instants->w;

    if (w->view == READS_BY_STATEMENT)
        return !instants_asks_for_locks(v->h, head);
    return w->view == READS_AT_COMMIT || (w->view == READS_AT_ONE && !reads_what_is_there(v, head));
}

/* --- Points ------------------------------------------------------------------ */

uint64_t instants_own_view(const struct verifier *v, uint32_t head, uint32_t op)
{
    switch (v->instants->w->view) {
    case READS_AT_COMMIT:
        return NO_POINT;
    case READS_AT_ONE:
        return reads_what_is_there(v, head) ? point_of_op(v->h, head) : NO_POINT;
    case READS_BY_STATEMENT:
        return point_of_op(v->h, head);
    default:
        return point_of_op(v->h, op);
    }
}

uint64_t instants_txn_view(const struct verifier *v, uint32_t txn)
{
    switch (v->instants->w->view) {
    case READS_AT_COMMIT:
        return point_of_commit(txn);
    case READS_AT_ONE:
        return point_of_view(txn);
    default:
        return NO_POINT;
    }
}

uint64_t instants_view(const struct verifier *v, uint32_t txn, uint32_t head, uint32_t op)
{
    uint64_t own = instants_own_view(v, head, op);

    return own == NO_POINT ? instants_txn_view(v, txn) : own;
}

static uint32_t txn_of_point(const struct history *h, uint64_t point)
{
    return point_is_op(h, point) ? history_txn_of(h, (uint32_t)(point - 2 * (uint64_t)h->txn_count))
                                 : (uint32_t)(point / 2);
}

struct window instants_first_window(const struct verifier *v, uint64_t point)
{
    const struct history *h = v->h;
    uint32_t txn = txn_of_point(h, point), op;

    if (v->instants->w->timing != TIMED_FULL)
        return (struct window){ INT64_MIN, INT64_MAX };
    if (!point_is_op(h, point))
        return point % 2 == 0 ? v->instants->view[txn] : v->instants->commit[txn];
    op = (uint32_t)(point - 2 * (uint64_t)h->txn_count);
    return instants_op_times(v, txn, v->op_head[op]);
}

static enum status refuse_name(struct verifier *v, const struct witness_name *name, const char *why,
                               struct error *err)
{
    return verify_refuse(v, err, "of transaction %" PRId64 ": %s", name->txn, why);
}

enum status instants_find(struct verifier *v, const struct witness_name *name,
                          struct named_instant *i, struct error *err)
{
    const struct history *h = v->h;
    enum workings_view view = v->instants->w->view;
    uint32_t key;

    TRY(lookup_txn(v, name->txn, &i->txn, err));
    i->head = i->op = HISTORY_NONE;
    i->point = name->kind == NAMED_COMMIT ? point_of_commit(i->txn) : point_of_view(i->txn);
    if (h->txn_status[i->txn] == TXN_ABORT)
        return refuse_name(v, name, "it did not commit", err);
    if (name->kind == NAMED_VIEW && view != READS_AT_ONE)
        return refuse_name(v, name, "the profile has no such views", err);
    if (name->kind != NAMED_PLACE)
        return verify_need(v, name->kind == NAMED_COMMIT || name->kind == NAMED_VIEW, err,
                           "a transaction is no instant");
    TRY(lookup_op(v, i->txn, name->op, &i->head, err));
    i->op = i->head;
    if (name->has_key) {
        TRY(lookup_key(v, name->key, &key, err));
        if (!op_is_head(h->op_kind[i->op]) || view != READS_BY_ROW)
            return refuse_name(v, name, "only rows have views by their keys", err);
        i->op = lookup_row_of(v, i->op, key);
    }
    if (i->op == HISTORY_NONE ||
        !(instants_is_look(v, i->txn, i->op) || answer_reads_value(v, i->txn, i->op)))
        return refuse_name(v, name, "the operation reads nothing, and has no view of its own", err);
    i->point = instants_own_view(v, i->head, i->op);
    return i->point == NO_POINT ? refuse_name(v, name, "the operation has no view of its own", err)
                                : STATUS_OK;
}

/* A join sends its tables at once; but of those that it locks it reads what is there. */
bool instants_statement_follows(const struct verifier *v, uint32_t txn, uint32_t first,
                                uint32_t second)
{
    return v->instants->w->view != READS_BY_ROW && first < second &&
           (instants_op_times(v, txn, first).high <= instants_op_times(v, txn, second).low ||
            !(instants_asks_for_locks(v->h, first) || instants_asks_for_locks(v->h, second)));
}

/* --- Windows of transactions ------------------------------------------------- */

/*
 * An operation that ended with its transaction may have been what committed it: of that it is
 * known that it had begun.
 */
static int64_t least_commit(const struct history *h, uint32_t txn, struct window at)
{
    return at.high < h->txn_completed[txn] ? at.high : at.low;
}

/* Whether an item operation or a row tells anything: it was not refused, and had an answer. */
static bool tells(const struct history *h, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR) &&
           (op_is_write(h->op_kind[op]) ||
            (op_is_read(h->op_kind[op]) && h->op_value_kind[op] != VALUE_NONE));
}

/* Goes through the operations of a transaction; those that it reads as of its view bound that. */
static void find_windows(struct verifier *v, uint32_t txn)
{
    const struct history *h = v->h;
    struct instants *in = v->instants;
    bool is_ok = h->txn_status[txn] == TXN_OK;
    int64_t end = h->txn_status[txn] == TXN_UNKNOWN ? TIME_NEVER : h->txn_completed[txn];
    int64_t least = h->txn_invoked[txn], looked = INT64_MAX;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        bool is_look = instants_is_look(v, txn, op);
        bool is_read =
            is_look || (answer_reads_value(v, txn, op) && lookup_own_before(v, op) == HISTORY_NONE);
        struct window at = written_times(h, txn, v->op_head[op]);

        if ((is_look || tells(h, op)) && least_commit(h, txn, at) > least)
            least = least_commit(h, txn, at);
        if (is_read && instants_own_view(v, v->op_head[op], op) == NO_POINT && at.high < looked)
            looked = at.high;
    }
    if (!in->w->by_operations)
        least = h->txn_invoked[txn];
    in->times[txn] = widened(v, h->txn_invoked[txn], end);
    in->commit[txn] = widened(v, least, end);
    if (in->commit[txn].low > in->commit[txn].high)
        in->commit[txn].low = in->commit[txn].high;
    looked = later(looked, v->w->clock_error);
    in->view[txn] = (struct window){ in->times[txn].low, in->commit[txn].high };
    if (is_ok && in->w->by_operations && looked < in->view[txn].high)
        in->view[txn].high = looked;
}

/* --- Versions by time -------------------------------------------------------- */

struct ended {
    struct window installed;
    uint32_t version;
};

static int compare_ended(const void *a, const void *b)
{
    const struct ended *x = a, *y = b;

    if (x->installed.high != y->installed.high)
        return x->installed.high < y->installed.high ? -1 : 1;
    if (x->installed.low != y->installed.low)
        return x->installed.low < y->installed.low ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

static void sort_key(const struct verifier *v, uint64_t from, uint64_t end, struct ended *ended)
{
    const struct instants *in = v->instants;
    int64_t max = INT64_MIN, min = INT64_MAX;

    for (uint64_t i = from; i < end; i++)
        ended[i - from] = (struct ended){ in->commit[v->op_txn[v->version[i]]], v->version[i] };
    if (end > from)
        qsort(ended, end - from, sizeof *ended, compare_ended);
    for (uint64_t i = from; i < end; i++) {
        in->by_end[i] = ended[i - from].version;
        if (ended[i - from].installed.low > max)
            max = ended[i - from].installed.low;
        in->low_max[i] = max;
    }
    for (uint64_t i = end; i-- > from;) {
        if (ended[i - from].installed.low < min)
            min = ended[i - from].installed.low;
        in->low_min[i] = min;
    }
}

static enum status sort_by_end(struct verifier *v, struct error *err)
{
    struct instants *in = v->instants;
    size_t keys = v->h->key_count, count = v->version_start[keys];
    struct ended *ended;

    TRY(VERIFY_GET(v, in->by_end, count, err));
    TRY(VERIFY_GET(v, in->low_max, count, err));
    TRY(VERIFY_GET(v, in->low_min, count, err));
    TRY(VERIFY_GET(v, ended, count, err));
    for (size_t key = 0; key < keys; key++)
        sort_key(v, v->version_start[key], v->version_start[key + 1], ended);
    return STATUS_OK;
}

/* --- The whole --------------------------------------------------------------- */

enum status instants_build(struct verifier *v, struct error *err)
{
    size_t count = v->h->txn_count;
    struct instants *in;

    TRY(VERIFY_GET(v, v->instants, 1, err));
    in = v->instants;
    in->w = &v->w->workings;
    TRY(VERIFY_GET(v, in->times, count, err));
    TRY(VERIFY_GET(v, in->commit, count, err));
    TRY(VERIFY_GET(v, in->view, count, err));
    for (uint32_t txn = 0; txn < count; txn++) {
        TRY(check_times(v, txn, err));
        find_windows(v, txn);
    }
    return sort_by_end(v, err);
}

/* --- Values ------------------------------------------------------------------ */

bool instants_is_nothing(const struct history *h, struct value value)
{
    return versions_value_plain(h, value).kind == VALUE_NULL;
}

static int64_t last_element(const struct history *h, struct value list)
{
    struct list_elements elements = versions_elements(h, list);

    assert(elements.count > 0);
    return elements.at[elements.count - 1];
}

static bool rows_look_alike(const struct history *h, int64_t a, int64_t b)
{
    uint32_t a_first = h->shape_start[h->row_shape[a]], b_first = h->shape_start[h->row_shape[b]];
    uint64_t count = h->row_start[a + 1] - h->row_start[a];

    if (h->row_start[b + 1] - h->row_start[b] != count)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x = h->shape_sorted[a_first + i], y = h->shape_sorted[b_first + i];
        uint64_t at = h->row_start[a] + x, bt = h->row_start[b] + y;
        struct value cell = { h->cell_kind[at], h->cell_value[at] };
        struct value other = { h->cell_kind[bt], h->cell_value[bt] };

        if (h->shape_column_name[a_first + x] != h->shape_column_name[b_first + y] ||
            !instants_look_alike(h, cell, other))
            return false;
    }
    return true;
}

bool instants_look_alike(const struct history *h, struct value a, struct value b)
{
    a = versions_value_plain(h, a);
    b = versions_value_plain(h, b);
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case VALUE_NULL:
        return true;
    case VALUE_LIST:
        return last_element(h, a) == last_element(h, b);
    case VALUE_ROW:
        return rows_look_alike(h, a.bits, b.bits);
    default:
        return a.bits == b.bits;
    }
}

bool instants_op_looks_like(const struct history *h, uint32_t key, uint32_t op, struct value value)
{
    if (op == VERSION_INITIAL)
        return instants_look_alike(h, history_initial(h, key), value);
    if (h->op_kind[op] != OP_APPEND)
        return instants_look_alike(h, history_value(h, op), value);
    value = versions_value_plain(h, value);
    return value.kind == VALUE_LIST && last_element(h, value) == h->op_value[op];
}
