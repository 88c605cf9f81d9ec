/*
 * Checks sets: an element whose append was over before a read began is in what was read.
 *
 *     T1: append s 3    (over)    T2: r s [1]         3 is lost
 *
 * An element is known to be there from the end of the append, if that committed, or of the first
 * read that has it, if that ended earlier. Without times, that is known within a session
 * alone. By key, and without times by session within it: the moments from which elements are
 * known are sorted, so that of a read it is enough to count how many it should and does have.
 */
#include "checkers/infer/workloads/workload_set_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/map.h"
#include "base/sort.h"
#include "checkers/values/values.h"

#define NEVER INT64_MAX

struct set_element {
    int64_t known_from; /* in the group at hand */
    uint32_t append;    /* an operation, or HISTORY_NONE: nobody added it */
    uint32_t read_last; /* the last operation that was seen to have it, plus one */
    uint32_t group;     /* the last in which it was met */
};

struct set_access {
    uint32_t key, session, op, txn;
};

struct set {
    struct workload_judge *judge;
    ARRAY(struct set_access) accesses; /* by key, session without times, and operation */
    struct map numbers;            /* of the key at hand: element to its place */
    ARRAY(struct set_element) elements;
    ARRAY(uint32_t) met;           /* of the group at hand */
    ARRAY(int64_t) known;          /* of the group at hand: moments, sorted */
    uint32_t group;
};

/* Without times, places in the file are as good, within a session. */
static int64_t begins_at(const struct set *s, uint32_t txn)
{
    int64_t at = s->judge->is_timed ? s->judge->history->txn_invoked[txn] : txn;

    return at == TIME_ABSENT ? INT64_MIN : at;
}

static int64_t ends_at(const struct set *s, uint32_t txn)
{
    int64_t at = s->judge->is_timed ? s->judge->history->txn_completed[txn] : txn;

    return at == TIME_ABSENT ? NEVER : at;
}

/* --- What was done ------------------------------------------------------------------- */

static int compare_accesses(const void *a, const void *b)
{
    const struct set_access *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static bool is_list_read(const struct history *h, uint32_t txn, uint32_t op)
{
    return workload_is_read(h, txn, op) &&
           (h->op_value_kind[op] == VALUE_LIST || h->op_value_kind[op] == VALUE_NULL);
}

static enum status collect(struct set *s, struct error *err)
{
    const struct history *h = s->judge->history;

    for (uint32_t t = 0; t < h->txn_count && workload_goes_on(s->judge, t); t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t session = s->judge->is_timed ? 0 : h->txn_session[t];
            struct set_access access = { h->op_key[op], session, op, t };

            if ((h->op_kind[op] == OP_APPEND && history_makes_version(h, op)) ||
                is_list_read(h, t, op))
                TRY(array_push(&s->accesses, access, err));
        }
    if (s->accesses.count > 0)
        qsort(s->accesses.at, s->accesses.count, sizeof *s->accesses.at, compare_accesses);
    return STATUS_OK;
}

static enum status element_of(struct set *s, int64_t value, struct set_element **element,
                              struct error *err)
{
    struct set_element fresh = { NEVER, HISTORY_NONE, 0, 0 };
    size_t place;

    TRY(map_add(&s->numbers, (uint64_t)value, s->elements.count, &place, err));
    if (s->numbers.values.at[place] == s->elements.count)
        TRY(array_push(&s->elements, fresh, err));
    *element = &s->elements.at[s->numbers.values.at[place]];
    if ((*element)->group != s->group) {
        (*element)->group = s->group;
        (*element)->known_from = NEVER;
        TRY(array_push(&s->met, (uint32_t)s->numbers.values.at[place], err));
    }
    return STATUS_OK;
}

/* --- What should be there -------------------------------------------------------------- */

static enum status learn(struct set *s, const struct set_access *a, struct error *err)
{
    const struct history *h = s->judge->history;
    int64_t at = ends_at(s, a->txn);
    struct set_element *element;
    struct elements list;

    if (h->op_kind[a->op] == OP_APPEND) {
        if (h->txn_status[a->txn] != TXN_OK)
            return STATUS_OK;
        TRY(element_of(s, h->op_value[a->op], &element, err));
        if (at < element->known_from) {
            element->known_from = at;
            element->append = a->op; /* of several that add it the one that was over first */
        }
        return STATUS_OK;
    }
    (void)values_elements(h, history_value(h, a->op), &list);
    for (uint32_t i = 0; i < list.count; i++) {
        TRY(element_of(s, list.at[i], &element, err));
        element->known_from = at < element->known_from ? at : element->known_from;
    }
    return STATUS_OK;
}

/* What nobody added, as far as we were told, is nothing that can be lost. */
static enum status sort_known(struct set *s, struct error *err)
{
    s->known.count = 0;
    for (size_t i = 0; i < s->met.count; i++) {
        const struct set_element *e = &s->elements.at[s->met.at[i]];

        if (e->append != HISTORY_NONE && e->known_from != NEVER)
            TRY(array_push(&s->known, e->known_from, err));
    }
    sort_signed(s->known.at, s->known.count);
    return STATUS_OK;
}

/* How many are known before the moment. */
static size_t count_known(const struct set *s, int64_t moment)
{
    size_t place;

    BISECT(place, 0, s->known.count, s->known.at[place] < moment);
    return place;
}

static enum status tell_lost(struct set *s, const struct set_access *a, const struct set_element *lost,
                             struct error *err)
{
    const struct history *h = s->judge->history;
    uint32_t writer = history_txn_of(h, lost->append), txns[2] = { writer, a->txn };
    struct wrong_read wrong = { .txn = a->txn,
                                .op = a->op,
                                .key = a->key,
                                .version_is_known = true,
                                .version = lost->append };
    struct buffer why = { 0 }, proof = { 0 };

    tell_print(&why, h, "%T did not find in %K", a->txn, a->key);
    buffer_print(&why, " the element %" PRId64 ", which ", h->op_value[lost->append]);
    tell_print(&why, h, "%T added, and which was known to be there before", writer);
    proof_read(&proof, h, &wrong);
    return check_tell(s->judge->check,
                      (struct discovery){ .kind = ANOMALY_LOST_ELEMENT, .txns = txns,
                                          .txn_count = writer == a->txn ? 1 : 2, .why = why,
                                          .proof = proof }, err);
}

/* Tells of an element that should have been read; read_last of those that were is the operation. */
static enum status tell_missing(struct set *s, const struct set_access *a, struct error *err)
{
    if (!workload_finds(s->judge, 0))
        return STATUS_OK;
    for (size_t i = 0; i < s->met.count; i++) {
        const struct set_element *e = &s->elements.at[s->met.at[i]];

        if (e->append != HISTORY_NONE && e->known_from < begins_at(s, a->txn) &&
            e->read_last != a->op + 1)
            return tell_lost(s, a, e, err);
    }
    return STATUS_OK;
}

static enum status judge_read(struct set *s, const struct set_access *a, struct error *err)
{
    const struct history *h = s->judge->history;
    int64_t moment = begins_at(s, a->txn);
    size_t found = 0;
    struct elements list;

    (void)values_elements(h, history_value(h, a->op), &list);
    for (uint32_t i = 0; i < list.count; i++) {
        struct set_element *e;

        TRY(element_of(s, list.at[i], &e, err));
        if (e->read_last == a->op + 1)
            continue;
        e->read_last = a->op + 1;
        found += e->append != HISTORY_NONE && e->known_from < moment;
    }
    return found < count_known(s, moment) ? tell_missing(s, a, err) : STATUS_OK;
}

/* --- Groups -------------------------------------------------------------------------- */

static enum status judge_group(struct set *s, size_t from, size_t end, struct error *err)
{
    const struct history *h = s->judge->history;

    s->group++;
    s->met.count = 0;
    for (size_t i = from; i < end; i++)
        TRY(learn(s, &s->accesses.at[i], err));
    TRY(sort_known(s, err));
    for (size_t i = from; i < end && workload_goes_on(s->judge, (uint32_t)i); i++)
        if (h->op_kind[s->accesses.at[i].op] != OP_APPEND)
            TRY(judge_read(s, &s->accesses.at[i], err));
    return STATUS_OK;
}

static enum status judge_key(struct set *s, size_t from, size_t end, struct error *err)
{
    const struct history *h = s->judge->history;

    map_close(&s->numbers);
    s->elements.count = 0;
    s->group++;
    for (size_t i = from; i < end; i++) {
        const struct set_access *a = &s->accesses.at[i];
        struct set_element *element;

        if (h->op_kind[a->op] != OP_APPEND || h->txn_status[a->txn] == TXN_ABORT)
            continue;
        TRY(element_of(s, h->op_value[a->op], &element, err));
        if (element->append == HISTORY_NONE)
            element->append = a->op;
    }
    for (size_t i = from, j = from; i < end && !s->judge->is_stopped; i = j) {
        while (j < end && s->accesses.at[j].session == s->accesses.at[i].session)
            j++;
        TRY(judge_group(s, i, j, err));
    }
    return STATUS_OK;
}

enum status workload_judge_set(struct workload_judge *j, struct error *err)
{
    struct set s = { .judge = j };
    enum status status = collect(&s, err);
    size_t count = s.accesses.count;
    bool is_read = count == 0;

    for (size_t i = 0; i < count && !is_read; i++)
        is_read = j->history->op_kind[s.accesses.at[i].op] != OP_APPEND;
    if (!is_read)
        check_doubt(j->check, "the set was never read");

    for (size_t from = 0, end = 0; from < count && status == STATUS_OK && !j->is_stopped;
         from = end) {
        while (end < count && s.accesses.at[end].key == s.accesses.at[from].key)
            end++;
        status = judge_key(&s, from, end, err);
    }
    map_close(&s.numbers);
    array_close(&s.accesses);
    array_close(&s.elements);
    array_close(&s.met);
    array_close(&s.known);
    return status;
}
