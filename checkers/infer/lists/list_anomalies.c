/*
 * Finds the anomalies of a read of a list, element by element.
 *
 *     longest   1 2 3 4      1, 2, 3 by T1, T2, T3; 4 by T4, which was aborted
 *     read      1 3          incompatible-order
 *     read      1 2 9        garbage-read: nobody appended 9
 *     read      1 2 2        duplicate-elements
 *     read      1 2 3 4      G1a; and dirty-update, if 5 by T5 stands behind the 4
 *     read      1 2 7        garbage-read, if T6 appended 6 and then 7
 *
 * Each list of a key is looked at once, however many read it. What is about the
 * reader as well (its own elements) takes no further look at the elements.
 */
#include "checkers/infer/lists/list_anomalies_private.h"

#include <stdlib.h>

#include "checkers/proof/tell.h"

#define NO_PLACE UINT32_MAX

/* What a list of a key shows. */
struct look {
    struct elements list;
    bool lacks_initial;
    uint32_t garbage;   /* the first place of such an element, or NO_PLACE */
    uint32_t twice;     /* likewise: one that had come before */
    uint32_t skipping;  /* likewise: one whose transaction had appended another before */
    uint32_t aborted;   /* the number of the first such append, or HISTORY_NONE */
    uint32_t dirtied;   /* the number of the first that counts behind it */
    uint32_t last;      /* the last element's number; INFER_INITIAL, INFER_NOTHING */
    uint32_t last_txn;  /* who appended it, and maybe some before it */
    uint32_t before;    /* the number of what stands before these */
};

struct inquest {
    struct infer *infer;
    uint32_t key;
    uint32_t *seen;   /* by number, counted through all keys: the list that had it last, plus one */
    uint32_t *slot_at; /* by number, likewise: the slot */
    uint32_t *latest; /* by transaction: its last append that is in the list at hand, plus one */
    uint32_t lists;   /* looked at */
};

static int compare_suspects(const void *a, const void *b)
{
    const struct suspect_read *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* --- The elements ------------------------------------------------------------------- */

/* Whether the list at hand lacks what the same transaction appended to the key before. */
static bool skips(const struct inquest *q, uint32_t number)
{
    const struct infer *c = q->infer;
    const struct inferred_versions *v = &c->versions;
    uint32_t slot = q->slot_at[number], before;

    if (slot == v->start[q->key])
        return false;
    before = c->lists->number_at[slot - 1];
    return v->txn[before] == v->txn[number] && q->seen[before] != q->lists;
}

static void look_at_element(struct inquest *q, struct look *look, uint32_t place)
{
    struct infer *c = q->infer;
    const struct inferred_versions *v = &c->versions;
    uint32_t number = lists_find(&c->lists->index, look->list.at[place]), txn;

    if (number == HISTORY_NONE) {
        look->garbage = look->garbage == NO_PLACE ? place : look->garbage;
        look->last = look->before = INFER_NOTHING;
        look->last_txn = HISTORY_NONE;
        return;
    }
    txn = v->txn[number];
    infer_note_read_from(c, txn);
    if (q->seen[number] == q->lists && look->twice == NO_PLACE)
        look->twice = place;
    if (skips(q, number) && look->skipping == NO_PLACE)
        look->skipping = place;
    q->seen[number] = q->lists;
    if (q->latest[txn] <= v->op[number])
        q->latest[txn] = v->op[number] + 1;
    if (!infer_is_in(c, txn))
        look->aborted = look->aborted == HISTORY_NONE ? number : look->aborted;
    else if (look->aborted != HISTORY_NONE && look->dirtied == HISTORY_NONE)
        look->dirtied = number;
    if (txn != look->last_txn) {
        look->before = look->last;
        look->last_txn = txn;
    }
    look->last = number;
}

static struct look look_at(struct inquest *q, struct elements list)
{
    struct elements initial = values_initial(q->infer->history, q->key);
    struct look look = { .list = list,
                         .garbage = NO_PLACE,
                         .twice = NO_PLACE,
                         .skipping = NO_PLACE,
                         .aborted = HISTORY_NONE,
                         .dirtied = HISTORY_NONE,
                         .last = INFER_INITIAL,
                         .last_txn = HISTORY_NONE,
                         .before = INFER_INITIAL };
    uint32_t first = initial.count < list.count ? initial.count : list.count;

    q->lists++;
    q->infer->lists->index.finger = 0;
    look.lacks_initial = !values_begin(list, initial);
    for (uint32_t i = look.lacks_initial ? 0 : first; i < list.count; i++)
        look_at_element(q, &look, i);
    return look;
}

/* Nobody's last append is remembered any more. */
static void forget(struct inquest *q, const struct look *look)
{
    struct infer *c = q->infer;

    c->lists->index.finger = 0;
    for (uint32_t i = 0; i < look->list.count; i++) {
        uint32_t number = lists_find(&c->lists->index, look->list.at[i]);

        if (number != HISTORY_NONE)
            q->latest[c->versions.txn[number]] = 0;
    }
}

/* --- Findings ----------------------------------------------------------------------- */

static void tell_reading(struct buffer *why, const struct history *h, uint32_t txn, uint32_t op)
{
    tell_print(why, h, "%T read %R", txn, op);
}

static enum status tell_garbage(struct inquest *q, const struct suspect_read *read,
                                const struct look *look, struct error *err)
{
    struct infer *c = q->infer;
    struct buffer why = { 0 };

    if (!infer_finds(c, ANOMALY_GARBAGE_READ))
        return STATUS_OK;
    tell_reading(&why, c->history, read->txn, read->op);
    if (!look)
        buffer_text(&why, TEXT(", which is no list"));
    else if (look->lacks_initial)
        buffer_text(&why, TEXT(", which lacks what was there at first"));
    else if (look->garbage != NO_PLACE) {
        buffer_text(&why, TEXT("; nobody appended "));
        buffer_int64(&why, look->list.at[look->garbage]);
    } else {
        buffer_text(&why, TEXT(", but whoever appended "));
        buffer_int64(&why, look->list.at[look->skipping]);
        buffer_text(&why, TEXT(" had appended another element before: it was never so"));
    }
    return lists_tell_read(c, &(struct list_fault){ ANOMALY_GARBAGE_READ, read->txn, read->op, HISTORY_NONE },
                           &why, err);
}

static enum status tell_aborted(struct inquest *q, const struct suspect_read *read,
                                const struct look *look, struct error *err)
{
    struct infer *c = q->infer;
    const struct history *h = c->history;
    uint32_t op = c->versions.op[look->aborted];
    struct buffer why = { 0 };

    if (!infer_finds(c, ANOMALY_G1A))
        return STATUS_OK;
    tell_reading(&why, h, read->txn, read->op);
    tell_print(&why, h, ", where %T, which did not commit, had appended %V",
               c->versions.txn[look->aborted], op);
    return lists_tell_read(c, &(struct list_fault){ ANOMALY_G1A, read->txn, read->op, op },
                           &why, err);
}

static bool is_behind_own(const struct history *h, uint32_t txn, uint32_t read)
{
    for (uint32_t op = h->txn_op[txn]; op < read; op++)
        if (h->op_key[op] == h->op_key[read] && history_makes_version(h, op))
            return true;
    return false;
}

static enum status tell_dirty(struct inquest *q, const struct suspect_read *read,
                              const struct look *look, struct error *err)
{
    struct infer *c = q->infer;
    const struct history *h = c->history;
    uint32_t ops[] = { c->versions.op[look->aborted], c->versions.op[look->dirtied] };
    uint32_t txns[] = { c->versions.txn[look->aborted], c->versions.txn[look->dirtied],
                        read->txn };
    struct buffer why = { 0 }, proof = { 0 };

    /* Where a transaction may contradict itself, that is no order of versions; G1a it is. */
    if (!(c->rules_out[ANOMALY_INTERNAL] & LEVEL_BIT(c->options->level)) &&
        is_behind_own(h, read->txn, read->op))
        return STATUS_OK;
    if (!infer_finds(c, ANOMALY_DIRTY_UPDATE))
        return STATUS_OK;
    tell_print(&why, h, "%T appended %W behind %V of %T, which did not commit, as %T read it",
               txns[1], ops[1], ops[0], txns[0], txns[2]);
    proof_dirty(&proof, h, ops[0], ops[1], read->txn, read->op);
    return check_tell(c->check,
                      (struct discovery){ .kind = ANOMALY_DIRTY_UPDATE, .txns = txns,
                                          .txn_count = txns[1] == txns[2] ? 2 : 3, .why = why,
                                          .proof = proof }, err);
}

static enum status tell_twice(struct inquest *q, const struct suspect_read *read,
                              const struct look *look, struct error *err)
{
    struct infer *c = q->infer;
    struct buffer why = { 0 };

    if (!infer_finds(c, ANOMALY_DUPLICATE_ELEMENTS))
        return STATUS_OK;
    tell_reading(&why, c->history, read->txn, read->op);
    buffer_text(&why, TEXT(", which has "));
    buffer_int64(&why, look->list.at[look->twice]);
    buffer_text(&why, TEXT(" twice"));
    return lists_tell_read(c, &(struct list_fault){ ANOMALY_DUPLICATE_ELEMENTS, read->txn, read->op, HISTORY_NONE },
                           &why, err);
}

/*
 * Where a level lets a transaction's reads contradict it, a list behind its own appends may be
 * what no version ever held.
 */
static bool says_nothing(const struct infer *c, const uint32_t *txns, const uint32_t *ops)
{
    return !(c->rules_out[ANOMALY_INTERNAL] & LEVEL_BIT(c->options->level)) &&
           (is_behind_own(c->history, txns[0], ops[0]) ||
            is_behind_own(c->history, txns[1], ops[1]));
}

static enum status tell_incompatible(struct inquest *q, const struct suspect_read *read,
                                     struct error *err)
{
    struct infer *c = q->infer;
    const struct history *h = c->history;
    uint32_t other = c->lists->longest[q->key];
    uint32_t txns[] = { read->txn, history_txn_of(h, other) }, ops[] = { read->op, other };
    struct buffer why = { 0 }, proof = { 0 };

    c->lists->flags[q->key] |= LIST_INCOMPATIBLE;
    if (says_nothing(c, txns, ops)) {
        c->ruled_out |= c->rules_out[ANOMALY_INTERNAL];
        infer_leave_out(c, "two lists contradict each other, one of which stands behind appends of "
                           "its own transaction");
        return STATUS_OK;
    }
    if (!infer_finds(c, ANOMALY_INCOMPATIBLE_ORDER))
        return STATUS_OK;
    tell_reading(&why, h, txns[0], ops[0]);
    tell_print(&why, h, ", and %T read %V: neither is a beginning of the other", txns[1], other);
    proof_reads(&proof, h, txns, ops);
    return check_tell(c->check,
                      (struct discovery){ .kind = ANOMALY_INCOMPATIBLE_ORDER, .txns = txns,
                                          .txn_count = txns[0] == txns[1] ? 1 : 2, .why = why,
                                          .proof = proof }, err);
}

/* --- Readers ------------------------------------------------------------------------ */

static enum status tell_reader(struct inquest *q, const struct suspect_read *read, enum anomaly kind,
                               uint32_t version, const char *what, struct error *err)
{
    struct infer *c = q->infer;
    const struct history *h = c->history;
    struct buffer why = { 0 };

    if (!infer_finds(c, kind))
        return STATUS_OK;
    tell_reading(&why, h, read->txn, read->op);
    buffer_text(&why, text_of(what));
    tell_txn(&why, h, history_txn_of(h, version));
    buffer_text(&why, kind == ANOMALY_G1B ? TEXT(" had not appended all of its own yet")
                                          : TEXT(" itself appended only later"));
    return lists_tell_read(c, &(struct list_fault){ kind, read->txn, read->op, version },
                           &why, err);
}

/* Where reads may contradict their own transaction, the order of appends tells of such lists: G0. */
static bool may_be_torn(const struct infer *c, uint32_t txn, uint32_t op)
{
    return !(c->rules_out[ANOMALY_INTERNAL] & LEVEL_BIT(c->options->level)) &&
           is_behind_own(c->history, txn, op);
}

static bool is_no_version(const struct look *look)
{
    return look->lacks_initial || look->garbage != NO_PLACE || look->twice != NO_PLACE;
}

static enum status judge_reader(struct inquest *q, const struct suspect_read *read,
                                const struct look *look, struct error *err)
{
    struct infer *c = q->infer;
    const struct inferred_versions *v = &c->versions;
    bool is_own = look->last_txn == read->txn, ends_with_own = is_own;
    uint32_t number = is_own ? look->before : look->last;
    size_t place;

    if (look->aborted != HISTORY_NONE)
        TRY(map_add(&c->lists->dirty, read->op, 0, &place, err));

    /*
     * As behind a transaction's appends all that shows is the order of versions; and where the longest
     * list or this one has what is in none, what it shows behind own appends is nobody's.
     */
    if (((c->lists->flags[q->key] & LIST_DEFECTIVE) || look->aborted != HISTORY_NONE) &&
        is_behind_own(c->history, read->txn, read->op))
        is_own = true;
    c->read_number[read->op] = is_own || is_no_version(look) ? INFER_NOTHING : number;
    c->lists->tail_readers[q->key]++; /* if it is none, no harm is done */
    if (read->is_plain)
        return STATUS_OK;
    if (q->latest[read->txn] > read->op) {
        c->read_number[read->op] = INFER_NOTHING; /* no version was such a list */
        return tell_reader(q, read, ANOMALY_FUTURE_READ, q->latest[read->txn] - 1,
                           ", of which the last that ", err);
    }
    /* Of one that never was, that is said already. */
    if (is_no_version(look) || look->skipping != NO_PLACE)
        return STATUS_OK;
    if (number >= INFER_INITIAL || v->is_final[number] || !infer_is_in(c, v->txn[number]) ||
        (ends_with_own && may_be_torn(c, read->txn, read->op)))
        return STATUS_OK;
    return tell_reader(q, read, ANOMALY_G1B, v->op[number], ", which ends where ", err);
}

static bool is_beginning_of_longest(const struct inquest *q, struct elements list)
{
    const struct history *h = q->infer->history;
    uint32_t longest = q->infer->lists->longest[q->key];
    struct elements other = { 0 };

    if (longest != HISTORY_NONE)
        (void)values_elements(h, history_value(h, longest), &other);
    return values_begin(other, list);
}

/* By one who may have committed. */
static bool has_appends(const struct infer *c, uint32_t key)
{
    for (uint32_t n = c->versions.start[key]; n < c->versions.start[key + 1]; n++)
        if (c->places.standing[c->versions.txn[n]] != STANDING_OUT)
            return true;
    return false;
}

/* All who read one list. */
static enum status judge_list(struct inquest *q, const struct suspect_read *reads, size_t count,
                              struct error *err)
{
    const struct history *h = q->infer->history;
    struct elements list;
    struct look look;

    if (!values_elements(h, history_value(h, reads->op), &list))
        return tell_garbage(q, reads, NULL, err);
    look = look_at(q, list);
    if (look.lacks_initial || look.garbage != NO_PLACE || look.skipping != NO_PLACE)
        TRY(tell_garbage(q, reads, &look, err));
    if (look.aborted != HISTORY_NONE)
        TRY(tell_aborted(q, reads, &look, err));
    if (look.dirtied != HISTORY_NONE)
        TRY(tell_dirty(q, reads, &look, err));
    if (look.twice != NO_PLACE)
        TRY(tell_twice(q, reads, &look, err));
    /* Where nobody appended there is no order: another list than the initial one was garbage. */
    if (!is_beginning_of_longest(q, list) && has_appends(q->infer, q->key))
        TRY(tell_incompatible(q, reads, err));
    for (size_t i = 0; i < count; i++)
        TRY(judge_reader(q, &reads[i], &look, err));
    forget(q, &look);
    return STATUS_OK;
}

/* Null and what is no list stand each for itself. */
static size_t count_alike(const struct suspect_read *reads, size_t left)
{
    size_t count = 1;

    while (reads->list != HISTORY_NONE && count < left && reads[count].key == reads->key &&
           reads[count].list == reads->list)
        count++;
    return count;
}

static void note_slots(struct inquest *q)
{
    const struct infer *c = q->infer;
    const uint32_t *start = c->versions.start;

    for (uint32_t slot = start[q->key]; slot < start[q->key + 1]; slot++)
        q->slot_at[c->lists->number_at[slot]] = slot;
}

static enum status judge_all(struct inquest *q, struct error *err)
{
    struct infer *c = q->infer;
    const struct suspect_read *reads = c->lists->suspects.at;
    size_t count = c->lists->suspects.count, alike;

    TRY(check_memory((void **)&q->seen, c->versions.count, sizeof *q->seen, 0, err));
    TRY(memory_resize((void **)&q->slot_at, c->versions.count, sizeof *q->slot_at, err));
    TRY(check_memory((void **)&q->latest, c->history->txn_count, sizeof *q->latest, 0, err));
    for (size_t i = 0; i < count; i += alike) {
        alike = count_alike(&reads[i], count - i);
        if (i == 0 || reads[i].key != q->key) {
            q->key = reads[i].key;
            TRY(lists_index(c, q->key, err));
            note_slots(q);
        }
        TRY(judge_list(q, &reads[i], alike, err));
        if (q->lists % INFER_STEP == 0 &&
            !infer_goes_on(c, "what is wrong with lists", reads[i].txn))
            return STATUS_OK;
    }
    return STATUS_OK;
}

enum status lists_judge_suspects(struct infer *c, struct error *err)
{
    struct inquest q = { .infer = c };
    enum status status;

    if (c->lists->suspects.count == 0)
        return STATUS_OK;
    qsort(c->lists->suspects.at, c->lists->suspects.count, sizeof *c->lists->suspects.at,
          compare_suspects);
    status = judge_all(&q, err);
    free(q.seen);
    free(q.slot_at);
    free(q.latest);
    return status;
}
