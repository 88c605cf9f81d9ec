#include "checkers/search/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/lattice.h"
#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"
#include "checkers/search/explain_lists_private.h"
#include "checkers/values/suspects.h"

#define FACTS_TOLD_MAX 24

/* --- Single reads ----------------------------------------------------------------- */

/* ANOMALY_COUNT: no name of its own. */
static enum anomaly name_of(const struct fault *fault, const struct suspect *suspect)
{
    if (fault->kind == FAULT_OF_ITS_OWN)
        return ANOMALY_INTERNAL;
    if (suspect->repeats)
        return ANOMALY_DUPLICATE_ELEMENTS;
    switch (suspect->suspicion) {
    case SUSPECT_ABORTED:
    case SUSPECT_LEFT_OUT:
        return ANOMALY_G1A;
    case SUSPECT_INTERMEDIATE:
        return ANOMALY_G1B;
    case SUSPECT_SELF_LATER:
        return ANOMALY_FUTURE_READ;
    case SUSPECT_NOBODY:
        return ANOMALY_GARBAGE_READ;
    default:
        return ANOMALY_COUNT;
    }
}

static void tell_fault(struct buffer *out, const struct history *h, const struct fault *fault,
                       enum anomaly kind, const struct suspect *suspect)
{
    tell_txn(out, h, fault->txn);
    buffer_text(out, TEXT(" read "));
    tell_key_value(out, h, h->op_key[fault->op], history_value(h, fault->op));
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
    buffer_text(out, TEXT(", which "));
    tell_txn(out, h, suspect->txn);
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

static bool is_nothing(const struct history *h, struct value value)
{
    return value.kind == VALUE_NULL ||
           (value.kind == VALUE_LIST && h->list_start[value.bits] == h->list_start[value.bits + 1]);
}

/* What a statement says of a row, and what its transaction saw there, whatever the order was. */
static enum status explain_no_sight(struct check *check, const struct distilled *d,
                                    const struct fault *fault, struct error *err)
{
    const struct history *h = d->history;
    bool is_snapshot = lattice_is_snapshot(check->level);
    struct discovery found = { .txns = &fault->txn,
                               .txn_count = 1,
                               .kind = is_snapshot ? ANOMALY_G_NONADJACENT
                                                   : ANOMALY_RESULT_SET_MISMATCH,
                               .proven = is_snapshot ? ANOMALY_G_NONADJACENT : ANOMALY_G2 };

    tell_txn(&found.why, h, fault->txn);
    buffer_text(&found.why, TEXT(" asked for "));
    tell_statement(&found.why, h, fault->op);
    buffer_text(&found.why, TEXT(", and no version of "));
    tell_key(&found.why, h, fault->key);
    buffer_text(&found.why, TEXT(" that it can have seen agrees with the answer"));
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
        weakest = lattice_is_snapshot(check->level) ? ANOMALY_G_NONADJACENT : ANOMALY_G2_ITEM;
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
    if (kind == ANOMALY_GARBAGE_READ && is_nothing(h, history_value(h, fault->op)))
        kind = ANOMALY_COUNT; /* nobody writes what was never written */
    read.version_is_known =
        kind == ANOMALY_G1A || kind == ANOMALY_G1B || kind == ANOMALY_FUTURE_READ;
    read.version = suspect.version;
    tell_fault(&found.why, h, fault, kind, &suspect);
    may_be_order = fault->is_list && is_appended(h, suspects->places, check->by_part, h->op_key[fault->op]) &&
                   (kind == ANOMALY_COUNT || kind == ANOMALY_G1B || kind == ANOMALY_GARBAGE_READ);
    found.kind = found.proven = kind;
    if (may_be_order)
        TRY(explain_list(&found.proof, h, fault->txn, fault->op, lattice_is_snapshot(check->level),
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
        buffer_text(out, TEXT(" looked for "));
        tell_statement(out, h, d->read_op[a->a]);
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
    enum closing closing = s->has_base ? lattice_closing(check->level) : CLOSED_BY_DATA;

    return of_data == ANOMALY_NO_PREFIX ? of_data : lattice_cycle(of_data, closing);
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
