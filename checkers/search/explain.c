#include "checkers/search/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "checkers/check_private.h"
#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"
#include "checkers/search/polygraph/distill.h"
#include "checkers/values/suspects.h"
#include "checkers/values/values.h"
#include "history/anomaly.h"
#include "history/level.h"

/*
 * Why a list that was read cannot be, whatever the order of transactions.
 *
 *     a transaction's elements are not all there    it came before the reader, and did not
 *     another's stand between them                  each comes before the other
 *     they stand in another order                   than the transaction appended them in
 *
 * For telling only, one list at a time: each takes a look at all operations.
 */

/* --- Lists --------------------------------------------------------------------- */

struct list_read {
    const struct history *h;
    uint32_t txn, op, key;
    const int64_t *at;
    uint32_t *appends; /* beside the elements: which append it was, or INITIAL */
    uint32_t count;
    bool is_snapshot;
    struct buffer *out;
};

#define INITIAL HISTORY_NONE /* whoever made what was there in the beginning */

static bool appends(const struct history *h, uint32_t op, uint32_t key)
{
    return h->op_kind[op] == OP_APPEND && !(h->op_flags[op] & OP_ERROR) && h->op_key[op] == key;
}

static bool has(const struct list_read *r, int64_t element)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->at[i] == element)
            return true;
    return false;
}

static bool was_aborted(const struct history *h, uint32_t op)
{
    return h->txn_status[history_txn_of(h, op)] == TXN_ABORT;
}

/* Of each element of the list, by one look at all operations: who aborted counts only if nobody else did. */
static enum status find_appends(struct list_read *r, struct error *err)
{
    struct map place_of = { 0 };
    enum status status =
        check_memory((void **)&r->appends, r->count, sizeof *r->appends, 0xff, err);
    size_t unused;
    uint64_t place;

    for (uint32_t i = 0; i < r->count && status == STATUS_OK; i++)
        status = map_add(&place_of, (uint64_t)r->at[i], i, &unused, err);
    for (uint32_t op = 0; op < r->h->op_count && status == STATUS_OK; op++)
        if (appends(r->h, op, r->key) &&
            map_find(&place_of, (uint64_t)r->h->op_value[op], &place) &&
            (r->appends[place] == INITIAL ||
             (was_aborted(r->h, r->appends[place]) && !was_aborted(r->h, op))))
            r->appends[place] = op;
    map_close(&place_of);
    return status;
}

static uint32_t txn_of(const struct list_read *r, uint32_t op)
{
    return op == INITIAL ? INITIAL : history_txn_of(r->h, op);
}

/* Whether the list lacks an element of what is in it otherwise. */
static bool is_partly_absent(const struct list_read *r, uint32_t txn)
{
    struct value value = history_initial(r->h, r->key);

    if (txn == INITIAL) {
        for (uint64_t i = 0; value.kind == VALUE_LIST &&
                             i < r->h->list_start[value.bits + 1] - r->h->list_start[value.bits];
             i++)
            if (!has(r, r->h->list_element[r->h->list_start[value.bits] + i]))
                return true;
        return false;
    }
    for (uint32_t op = r->h->txn_op[txn]; op < r->h->txn_op[txn + 1]; op++)
        if (appends(r->h, op, r->key) && !has(r, r->h->op_value[op]))
            return true;
    return false;
}

/* An element that nobody appended, nor was there in the beginning: no order is to blame. */
static bool has_strange(const struct list_read *r)
{
    struct value value = history_initial(r->h, r->key);

    for (uint32_t i = 0; i < r->count; i++) {
        bool is_known = r->appends[i] != INITIAL;

        for (uint64_t k = 0; !is_known && value.kind == VALUE_LIST &&
                             k < r->h->list_start[value.bits + 1] - r->h->list_start[value.bits];
             k++)
            is_known = r->h->list_element[r->h->list_start[value.bits] + k] == r->at[i];
        if (!is_known)
            return true;
    }
    return false;
}

static bool has_others(const struct list_read *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (txn_of(r, r->appends[i]) != r->txn)
            return true;
    return false;
}

/* --- Steps ------------------------------------------------------------------------ */

static void print_version(const struct list_read *r, const char *name, uint32_t txn)
{
    buffer_print(r->out, ",\"%s\":", name);
    if (txn == INITIAL)
        buffer_text(r->out, TEXT("null"));
    else
        buffer_int64(r->out, r->h->txn_id[txn]);
}

static void begin_step(const struct list_read *r, const char *step)
{
    buffer_print(r->out, "{\"step\":\"%s\",\"read\":[%" PRId64 ",%" PRIu32 "],\"key\":", step,
                 r->h->txn_id[r->txn], tell_op_number(r->h, r->txn, r->op));
    buffer_json(r->out, history_key(r->h, r->key));
}

/* The end of the list: all its steps, and a cycle of two transactions, if there is one. */
static void conclude(const struct list_read *r, const char *by, uint32_t first, uint32_t second,
                     bool readers_begin)
{
    buffer_print(r->out, "{\"clause\":[],\"by\":[%s]", by);
    if (first != second) {
        const char *marks[2] = { r->is_snapshot ? "\"c" : "", r->is_snapshot ? "\"" : "" };
        const char *b = r->is_snapshot ? "\"b" : "";
        int64_t x = r->h->txn_id[first], y = r->h->txn_id[second];

        if (readers_begin || !r->is_snapshot)
            buffer_print(r->out, ",\"cycle\":[%s%" PRId64 "%s,%s%" PRId64 "%s]", marks[0], x,
                         marks[1], b, y, marks[1]);
        else
            buffer_print(r->out,
                         ",\"cycle\":[\"b%" PRId64 "\",\"c%" PRId64 "\",\"b%" PRId64
                         "\",\"c%" PRId64 "\"]",
                         x, x, y, y);
    }
    buffer_text(r->out, TEXT("}]"));
}

/* It came before the reader, as one element shows; and did not, as another does. */
static void prove_absent(const struct list_read *r, uint32_t txn)
{
    buffer_text(r->out, TEXT("\"refutation\":["));
    begin_step(r, "absent");
    print_version(r, "other", txn);
    buffer_text(r->out, TEXT("},"));
    if (txn == INITIAL) {
        conclude(r, "0", INITIAL, INITIAL, false);
        return;
    }
    begin_step(r, "follows");
    print_version(r, "from", txn);
    buffer_text(r->out, TEXT("},"));
    conclude(r, "0,1", txn, r->txn, true);
}

static void print_prefix(const struct list_read *r, uint32_t first, uint32_t second)
{
    begin_step(r, "prefix");
    print_version(r, "first", first);
    print_version(r, "second", second);
    buffer_text(r->out, TEXT("},"));
}

/* Each stands before an element of the other; or one before what it had appended earlier. */
static void prove_prefix(const struct list_read *r, uint32_t first, uint32_t second)
{
    buffer_text(r->out, TEXT("\"refutation\":["));
    if (first == second || second == INITIAL) {
        print_prefix(r, first, second);
        conclude(r, "0", INITIAL, INITIAL, false);
        return;
    }
    print_prefix(r, first, second);
    print_prefix(r, second, first);
    if (r->is_snapshot)
        buffer_print(r->out,
                     "{\"step\":\"program\",\"txn\":%" PRId64
                     "},{\"step\":\"program\",\"txn\":%" PRId64 "},",
                     r->h->txn_id[first], r->h->txn_id[second]);
    conclude(r, r->is_snapshot ? "0,1,2,3" : "0,1", first, second, false);
}

/* --- What is wrong ---------------------------------------------------------------- */

/* Where an element stood in the beginning. */
static uint64_t initial_place(const struct list_read *r, int64_t element)
{
    uint64_t from = r->h->list_start[history_initial(r->h, r->key).bits], i = from;

    while (r->h->list_element[i] != element)
        i++;
    return i - from;
}

/* An element that a transaction appended earlier than one in front of it, or not next to it. */
static bool find_disorder(const struct list_read *r, uint32_t culprits[2])
{
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t k = i + 1; k < r->count; k++) {
            uint32_t earlier = r->appends[i], later = r->appends[k];
            uint32_t first = txn_of(r, earlier), second = txn_of(r, later), between;

            culprits[0] = first;
            if (second == INITIAL && first != INITIAL) {
                prove_prefix(r, first, INITIAL);
                return true;
            }
            if (first == INITIAL && second == INITIAL &&
                initial_place(r, r->at[i]) > initial_place(r, r->at[k])) {
                prove_prefix(r, INITIAL, INITIAL);
                return true;
            }
            if (first != second || first == INITIAL)
                continue;
            if (later == earlier)
                return false; /* it is there twice: no version has that */
            if (later < earlier) {
                prove_prefix(r, first, first);
                return true;
            }
            between = txn_of(r, r->appends[i + 1]);
            if (between != first) {
                culprits[1] = between;
                prove_prefix(r, first, between);
                return true;
            }
        }
    return false;
}

/* Whether the list that was read has an element twice. */
static bool explain_repeats(const struct history *h, uint32_t op)
{
    struct value value = history_value(h, op);

    if (value.kind != VALUE_LIST)
        return false;
    for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
        for (uint64_t k = i + 1; k < h->list_start[value.bits + 1]; k++)
            if (h->list_element[i] == h->list_element[k])
                return true;
    return false;
}

/* An append of the reader's own, later than the read, whose element it shows; or NOBODY. */
static uint32_t explain_own_later(const struct history *h, uint32_t txn, uint32_t op)
{
    struct value value = history_value(h, op);

    for (uint32_t i = op; value.kind == VALUE_LIST && i < h->txn_op[txn + 1]; i++)
        for (uint64_t at = h->list_start[value.bits]; at < h->list_start[value.bits + 1]; at++)
            if (appends(h, i, h->op_key[op]) && h->op_value[i] == h->list_element[at])
                return i;
    return NOBODY;
}

static bool explain_elements(const struct list_read *r, uint32_t culprits[2])
{
    /* Of a list of nobody else's elements there is nothing to say but that no version has it. */
    if (has_strange(r) || !has_others(r))
        return false;
    if (is_partly_absent(r, INITIAL)) {
        prove_absent(r, INITIAL);
        return true;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t writer = txn_of(r, r->appends[i]);

        if (writer != INITIAL && writer != r->txn && is_partly_absent(r, writer)) {
            culprits[0] = writer;
            prove_absent(r, writer);
            return true;
        }
    }
    return find_disorder(r, culprits);
}

/*
 * "refutation":[...] of the read, and who else takes part (or HISTORY_NONE). Not explained: it
 * is none of these, and nothing is written.
 */
static enum status explain_list(struct list_read *r, uint32_t culprits[2], bool *is_explained,
                                struct error *err)
{
    const struct history *h = r->h;
    struct value value = history_value(h, r->op);
    enum status status;

    r->key = h->op_key[r->op];
    if (value.kind == VALUE_LIST) {
        r->at = h->list_element + h->list_start[value.bits];
        r->count = (uint32_t)(h->list_start[value.bits + 1] - h->list_start[value.bits]);
    }
    culprits[0] = culprits[1] = INITIAL;
    *is_explained = false;
    status = find_appends(r, err);
    if (status == STATUS_OK)
        *is_explained = explain_elements(r, culprits);
    free(r->appends);
    return status;
}

/* --- Findings ------------------------------------------------------------------ */

#define FACTS_TOLD_MAX 24

/* --- Single reads ----------------------------------------------------------------- */

/* ANOMALY_COUNT: no name of its own. */
static enum anomaly name_of(const struct fault *fault, const struct suspect *suspect)
{
    if (fault->kind == FAULT_OF_ITS_OWN)
        return ANOMALY_INTERNAL;
    if (suspect->repeats)
        return ANOMALY_DUPLICATE_ELEMENTS;
    return suspects_anomaly(suspect->suspicion);
}

static void tell_fault(struct buffer *out, const struct history *h, const struct fault *fault,
                       enum anomaly kind, const struct suspect *suspect)
{
    tell_print(out, h, "%T read %R", fault->txn, fault->op);
    if (kind == ANOMALY_INTERNAL) {
        buffer_text(out, TEXT(", which is not what it had written or read there before"));
        return;
    }
    if (kind == ANOMALY_GARBAGE_READ || kind == ANOMALY_COUNT) {
        buffer_text(out, kind == ANOMALY_COUNT ? TEXT(", which no order of the writes explains")
                                               : TEXT(", which nobody wrote"));
        return;
    }
    if (kind == ANOMALY_DUPLICATE_ELEMENTS) {
        buffer_text(out, TEXT(", which has an element twice"));
        return;
    }
    if (kind == ANOMALY_FUTURE_READ) {
        buffer_text(out, TEXT(", which it wrote itself only later"));
        return;
    }
    tell_print(out, h, ", which %T", suspect->txn);
    buffer_text(out, kind == ANOMALY_G1B ? TEXT(" wrote and then overwrote itself")
                     : h->txn_status[suspect->txn] == TXN_ABORT
                         ? TEXT(" wrote and rolled back")
                         : TEXT(" wrote, and did not commit by the version order"));
}

/* For want of another proof: the read has no possible version. */
static void prove_impossible(struct buffer *out, const struct history *h, const struct fault *fault,
                             uint32_t key)
{
    buffer_print(out, "\"refutation\":[{\"step\":\"reads\",\"read\":[%" PRId64 ",%" PRIu32 "]",
                 h->txn_id[fault->txn], tell_op_number(h, fault->txn, fault->op));
    buffer_text(out, TEXT(",\"key\":"));
    buffer_json(out, history_key(h, key));
    buffer_text(out, TEXT("},{\"clause\":[],\"by\":[0]}]"));
}

/* What a statement says of a row, and what its transaction saw there, whatever the order was. */
static enum status explain_no_sight(struct check *check, const struct distilled *d,
                                    const struct fault *fault, struct error *err)
{
    const struct history *h = d->history;
    bool is_snapshot = level_is_snapshot(check->level);
    struct discovery found = { .txns = &fault->txn,
                               .txn_count = 1,
                               .kind = is_snapshot ? ANOMALY_G_NONADJACENT
                                                   : ANOMALY_RESULT_SET_MISMATCH,
                               .proven = is_snapshot ? ANOMALY_G_NONADJACENT : ANOMALY_G2 };

    tell_print(&found.why, h,
               "%T asked for %Q, and no version of %K that it can have seen agrees with the answer",
               fault->txn, fault->op, fault->key);
    prove_impossible(&found.proof, h, fault, fault->key);
    return check_add(check, &found, err);
}

/* By somebody who may have committed: else it is judged as a value, however it looks. */
static bool is_appended(const struct history *h, const struct places *places, bool by_part,
                        uint32_t key)
{
    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool may_count = places->standing[t] != STANDING_OUT ||
                         (by_part && h->txn_status[t] == TXN_UNKNOWN);

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1] && may_count; op++)
            if (h->op_kind[op] == OP_APPEND && !(h->op_flags[op] & OP_ERROR) &&
                h->op_key[op] == key)
                return true;
    }
    return false;
}

static enum status explain_fault(struct check *check, const struct distilled *d,
                                 struct suspects *suspects, const struct fault *fault,
                                 struct error *err)
{
    const struct history *h = d->history;
    struct suspect suspect = { .suspicion = SUSPECT_NOBODY, .txn = HISTORY_NONE };
    uint32_t txns[3] = { fault->txn }, others[2] = { HISTORY_NONE, HISTORY_NONE };
    struct discovery found = { .txns = txns, .txn_count = 1 };
    struct wrong_read read = { .txn = fault->txn, .op = fault->op, .key = h->op_key[fault->op] };
    enum anomaly kind,
        weakest = level_is_snapshot(check->level) ? ANOMALY_G_NONADJACENT : ANOMALY_G2_ITEM;
    bool may_be_order, is_explained = false;

    if (fault->kind == FAULT_NO_WRITER)
        TRY(suspects_find(suspects, fault->txn, fault->op, &suspect, err));
    /* By a part of the version orders nobody knows who did not commit: but his last version would do. */
    if (check->by_part && suspect.suspicion == SUSPECT_LEFT_OUT &&
        h->txn_status[suspect.txn] == TXN_UNKNOWN)
        suspect.suspicion = SUSPECT_INTERMEDIATE;
    if (fault->is_list && explain_own_later(h, fault->txn, fault->op) != NOBODY)
        suspect = (struct suspect){ SUSPECT_SELF_LATER, explain_own_later(h, fault->txn, fault->op),
                                    fault->txn, false };
    suspect.repeats = fault->is_list && explain_repeats(h, fault->op);
    kind = name_of(fault, &suspect);
    if (kind == ANOMALY_GARBAGE_READ && values_is_nothing(h, history_value(h, fault->op)))
        kind = ANOMALY_COUNT; /* nobody writes what was never written */
    read.version_is_known =
        kind == ANOMALY_G1A || kind == ANOMALY_G1B || kind == ANOMALY_FUTURE_READ;
    read.version = suspect.version;
    tell_fault(&found.why, h, fault, kind, &suspect);
    may_be_order = fault->is_list && is_appended(h, suspects->places, check->by_part, h->op_key[fault->op]) &&
                   (kind == ANOMALY_COUNT || kind == ANOMALY_G1B || kind == ANOMALY_GARBAGE_READ);
    found.kind = found.proven = kind;
    if (may_be_order)
        TRY(explain_list(&(struct list_read){ .h = h,
                                              .txn = fault->txn,
                                              .op = fault->op,
                                              .is_snapshot = level_is_snapshot(check->level),
                                              .out = &found.proof },
                         others, &is_explained, err));
    if (is_explained) {
        found.proven = weakest;
    } else if (kind == ANOMALY_COUNT) {
        prove_impossible(&found.proof, h, fault, h->op_key[fault->op]);
        others[0] = others[1] = HISTORY_NONE;
        found.proven = weakest;
    } else {
        proof_read(&found.proof, h, &read);
        others[0] = read.version_is_known ? suspect.txn : HISTORY_NONE;
        others[1] = HISTORY_NONE;
    }
    if (found.proven == weakest && kind != ANOMALY_G1B)
        found.kind = weakest;
    for (int i = 0; i < 2; i++)
        if (others[i] != HISTORY_NONE && others[i] != fault->txn)
            txns[found.txn_count++] = others[i];
    return check_add(check, &found, err);
}

enum status explain_faults(struct check *check, const struct distilled *d,
                           const struct places *places, struct error *err)
{
    struct suspects suspects;
    enum status status = STATUS_OK;

    suspects_init(&suspects, d->history, places);
    for (size_t i = 0; i < d->faults.count && status == STATUS_OK && !check_is_full(check); i++)
        status = d->faults.at[i].kind == FAULT_NO_SIGHT
                     ? explain_no_sight(check, d, &d->faults.at[i], err)
                     : explain_fault(check, d, &suspects, &d->faults.at[i], err);
    suspects_close(&suspects);
    return status;
}

/* --- Refutations ------------------------------------------------------------------ */

static struct edge base_edge(const struct distilled *d, const struct axiom *a)
{
    return (struct edge){ .kind = a->kind == AXIOM_SESSION ? EDGE_PROCESS : EDGE_REALTIME,
                          .from = d->actor_txn[a->a],
                          .to = d->actor_txn[a->b] };
}

/* From the writer of what was read, to the reader. */
static struct edge read_edge(const struct distilled *d, uint32_t read, uint32_t version)
{
    bool is_look = op_is_head(d->history->op_kind[d->read_op[read]]);

    return (struct edge){ .kind = is_look ? EDGE_PREDICATE_WR : EDGE_WR,
                          .from = d->actor_txn[d->version_actor[version]],
                          .to = d->actor_txn[d->read_actor[read]],
                          .op = d->read_op[read],
                          .key = d->key_name[d->read_key[read]],
                          .version = d->version_op[version],
                          .other = d->version_op[version] };
}

static void tell_also_wrote(struct buffer *out, const struct distilled *d, uint32_t version)
{
    const struct history *h = d->history;

    tell_txn(out, h, d->actor_txn[d->version_actor[version]]);
    buffer_text(out, h->op_kind[d->version_op[version]] == OP_APPEND ? TEXT(" appended ")
                                                                     : TEXT(" wrote "));
    tell_write(out, h, d->version_op[version]);
}

static void tell_shown(struct buffer *out, const struct distilled *d, const struct axiom *a)
{
    const struct history *h = d->history;

    tell_txn(out, h, d->actor_txn[d->read_actor[a->a]]);
    if (op_is_head(h->op_kind[d->read_op[a->a]])) {
        tell_print(out, h, " looked for %Q", d->read_op[a->a]);
        return;
    }
    buffer_text(out, TEXT(" read "));
    tell_key_value(out, h, d->key_name[d->read_key[a->a]], history_value(h, d->read_op[a->a]));
}

/* False: it says nothing that the others do not. */
static bool tell_axiom(struct buffer *out, const struct distilled *d, const struct axiom *a)
{
    struct edge edge;

    switch (a->kind) {
    case AXIOM_SESSION:
    case AXIOM_REALTIME:
        edge = base_edge(d, a);
        proof_tell_edge(out, d->history, &edge);
        return true;
    case AXIOM_FOLLOWS:
        edge = read_edge(d, a->a, a->b);
        proof_tell_edge(out, d->history, &edge);
        return true;
    case AXIOM_OVERWRITES:
        if (version_is_initial(d, a->b)) {
            tell_shown(out, d, a);
            buffer_text(out, TEXT(" before "));
        }
        tell_also_wrote(out, d, a->c);
        return true;
    case AXIOM_PREFIX:
    case AXIOM_ABSENT:
        tell_shown(out, d, a);
        return true;
    case AXIOM_VERSION_ORDER:
        buffer_text(out, TEXT("by the version order "));
        tell_also_wrote(out, d, a->a);
        buffer_text(out, TEXT(" before "));
        tell_also_wrote(out, d, a->b);
        return true;
    default:
        return false;
    }
}

/* Whether an axiom before it has been told in the same words. */
static bool is_told(const struct buffer *out, const struct buffer *words)
{
    for (size_t at = 0; at + words->count <= out->count; at++)
        if (memcmp(out->at + at, words->at, words->count) == 0)
            return true;
    return false;
}

static void tell_refutation(struct buffer *out, const struct steps *s, const uint32_t *txns,
                            size_t txn_count)
{
    const struct distilled *d = s->p->d;
    struct buffer words = { 0 };
    size_t told = 0, left = 0;

    for (size_t i = 0; i < s->axioms.count; i++) {
        buffer_clear(&words);
        if (!tell_axiom(&words, d, &s->axioms.at[i]))
            continue;
        if (told == FACTS_TOLD_MAX) {
            left++;
        } else if (!is_told(out, &words)) {
            buffer_text(out, (struct text){ words.at, words.count });
            buffer_text(out, TEXT("; "));
            told++;
        }
    }
    buffer_close(&words);
    if (left > 0)
        buffer_print(out, "and %zu more such facts; ", left);
    buffer_text(out, TEXT("no order of "));
    for (size_t i = 0; i < txn_count && i < FACTS_TOLD_MAX; i++) {
        if (i > 0)
            buffer_text(out, i + 1 == txn_count ? TEXT(" and ") : TEXT(", "));
        tell_txn(out, d->history, txns[i]);
    }
    if (txn_count > FACTS_TOLD_MAX)
        buffer_print(out, " and %zu more", txn_count - FACTS_TOLD_MAX);
    buffer_text(out, TEXT(" explains all that they read"));
}

/* What it stands for in the witness; and as it is called where one cycle shows it by itself. */
static enum anomaly weakest_kind(const struct steps *s)
{
    if (s->p->d->is_halved)
        return ANOMALY_NO_PREFIX;
    if (s->p->is_snapshot)
        return ANOMALY_G_NONADJACENT;
    return s->has_look ? ANOMALY_G2 : ANOMALY_G2_ITEM;
}

static enum anomaly kind_of(const struct steps *s)
{
    if (s->p->d->is_halved || !s->is_cycle || s->anti_count > 1)
        return weakest_kind(s);
    if (s->anti_count == 1)
        return ANOMALY_G_SINGLE;
    return s->read_count > 0 ? ANOMALY_G1C : ANOMALY_G0;
}

/* What needs the session is named for that, unless the level always has it. */
static enum anomaly name_closed(const struct check *check, const struct steps *s,
                                enum anomaly of_data)
{
    enum cycle_closing closing = s->has_base ? level_closing(check->level) : CLOSING_DATA;

    return of_data == ANOMALY_NO_PREFIX ? of_data : anomaly_of_cycle(of_data, closing);
}

enum status explain_refutation(struct check *check, const struct steps *s, struct error *err)
{
    const struct distilled *d = s->p->d;
    struct discovery found = { .kind = name_closed(check, s, kind_of(s)),
                               .proven = name_closed(check, s, weakest_kind(s)) };
    uint32_t *txns = NULL;
    enum status status;

    TRY(memory_resize((void **)&txns, d->actor_count, sizeof *txns, err));
    for (uint32_t actor = 0; actor < d->actor_count; actor++)
        if (s->takes_part[actor] &&
            (found.txn_count == 0 || txns[found.txn_count - 1] != d->actor_txn[actor]))
            txns[found.txn_count++] = d->actor_txn[actor];
    found.txns = txns;
    if (s->words.count > 0 && !d->is_halved)
        buffer_text(&found.why, (struct text){ s->words.at, s->words.count });
    else
        tell_refutation(&found.why, s, txns, found.txn_count);
    buffer_text(&found.proof, TEXT("\"refutation\":["));
    buffer_text(&found.proof, (struct text){ s->out.at, s->out.count });
    buffer_byte(&found.proof, ']');
    status = check_add(check, &found, err);
    free(txns);
    return status;
}
