/*
 * Verifies an anomaly by steps about instants: docs/format-witness.md, "Instants".
 */
#include "verify/instants/instant_proof.h"

#include <inttypes.h>

#include "verify/instants/instant_locks_private.h"
#include "verify/instants/instant_reads_private.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/witness/steps.h"

enum status instant_refuse(struct proof *p, struct error *err, const char *why)
{
    return verify_refuse(p->v, err, "%s: %s", step_name(p->step), why);
}

/* --- What steps name --------------------------------------------------------- */

enum status instant_txn(struct proof *p, int64_t id, uint32_t *txn, struct error *err)
{
    TRY(lookup_txn(p->v, id, txn, err));
    if (p->v->h->txn_status[*txn] == TXN_ABORT)
        return verify_refuse(p->v, err, "transaction %" PRId64 " did not commit", id);
    (void)verify_add_part(p->v, *txn);
    return STATUS_OK;
}

enum status instant_version(struct proof *p, const struct witness_name *name, uint32_t key,
                            uint32_t *version, struct error *err)
{
    uint32_t txn = 0;

    *version = VERSION_INITIAL;
    if (name->kind == NAMED_NOBODY)
        return STATUS_OK;
    TRY(instant_txn(p, name->txn, &txn, err));
    *version = lookup_left(p->v, txn, key);
    if (*version == HISTORY_NONE)
        return verify_refuse(p->v, err, "transaction %" PRId64 " left no version of %.*s",
                             name->txn, TEXT_PRINT(history_key(p->v->h, key)));
    return STATUS_OK;
}

enum status instant_counting(struct proof *p, const struct witness_name *name, uint32_t key,
                             uint32_t *version, struct error *err)
{
    TRY(instant_version(p, name, key, version, err));
    return verify_need(p->v, visible_counts(&p->k, *version), err,
                       "nobody knows whether transaction %" PRId64 " committed", name->txn);
}

enum status instant_op(struct proof *p, const struct witness_name *name, uint32_t *txn,
                       uint32_t *op, struct error *err)
{
    TRY(instant_txn(p, name->txn, txn, err));
    return lookup_op(p->v, *txn, name->op, op, err);
}

/* Who reads, by which operation; of a select the row that came, if it did. */
static enum status begin_reader(struct proof *p, struct visible_reader *r, uint32_t *row,
                                struct error *err)
{
    struct verifier *v = p->v;
    const struct history *h = v->h;

    *r = (struct visible_reader){ .point = NO_POINT };
    *row = HISTORY_NONE;
    TRY(instant_op(p, &p->step->read, &r->txn, &r->head, err));
    TRY(lookup_key(v, p->step->key, &r->key, err));
    if (h->txn_status[r->txn] != TXN_OK)
        return instant_refuse(p, err, "nobody knows what the reads of its transaction mean");
    if (op_is_head(h->op_kind[r->head])) {
        TRY(verify_spend(v, h->statement_row_count[h->op_key[r->head]], err));
        *row = lookup_row_of(v, r->head, r->key);
    }
    return STATUS_OK;
}

static void end_reader(const struct proof *p, struct visible_reader *r)
{
    r->is_strict = !r->is_look || instants_look_is_strict(p->v, r->head);
    if (r->is_strict)
        r->point = instants_view(p->v, r->txn, r->head, r->op);
}

static enum status take_look(struct proof *p, struct visible_reader *r, struct error *err)
{
    if (!instants_is_look(p->v, r->txn, r->head) || !lookup_may_read(p->v, r->head, r->key))
        return instant_refuse(p, err, "the operation does not read the key");
    r->op = r->head;
    r->is_look = true;
    end_reader(p, r);
    return STATUS_OK;
}

enum status instant_reader(struct proof *p, struct visible_reader *r, struct error *err)
{
    const struct history *h = p->v->h;
    uint32_t row;

    TRY(begin_reader(p, r, &row, err));
    r->op = row == HISTORY_NONE ? r->head : row;
    if (op_is_head(h->op_kind[r->op]) || !op_is_read(h->op_kind[r->op]))
        return op_is_head(h->op_kind[r->head])
                   ? take_look(p, r, err)
                   : instant_refuse(p, err, "the operation does not read the key");
    if (h->op_key[r->op] != r->key || !answer_reads_value(p->v, r->txn, r->op))
        return instant_refuse(p, err, "the operation does not read the key");
    end_reader(p, r);
    return STATUS_OK;
}

enum status instant_look(struct proof *p, struct visible_reader *r, struct error *err)
{
    uint32_t row;

    TRY(begin_reader(p, r, &row, err));
    return take_look(p, r, err);
}

/* --- Of the program ---------------------------------------------------------- */

static enum status take_program(struct proof *p, struct error *err)
{
    struct named_instant from = { 0 }, to = { 0 };

    TRY(instants_find(p->v, &p->step->first, &from, err));
    TRY(instants_find(p->v, &p->step->second, &to, err));
    if (from.txn != to.txn || p->step->first.kind == NAMED_COMMIT ||
        p->step->second.kind == NAMED_VIEW)
        return instant_refuse(p, err, "that is no order of a transaction's instants");
    if (p->step->second.kind == NAMED_PLACE &&
        (from.head == HISTORY_NONE ||
         !instants_statement_follows(p->v, from.txn, from.head, to.head)))
        return instant_refuse(p, err, "the second did not begin when the first was over");
    return known_lay(&p->k, from.point, to.point, err);
}

/* --- The whole --------------------------------------------------------------- */

static enum status take_step(struct proof *p, struct error *err)
{
    switch (p->step->kind) {
    case INSTANT_PROGRAM:
        return take_program(p, err);
    case INSTANT_READS:
        return instant_reads(p, err);
    case INSTANT_FINDS:
        return instant_finds(p, err);
    case INSTANT_OVERWRITES:
        return instant_overwrites(p, err);
    case INSTANT_INSTALLED:
        return instant_installed(p, err);
    case INSTANT_PRECEDES:
        return instant_precedes(p, err);
    case INSTANT_FOUND:
        return instant_found(p, err);
    case INSTANT_NOT_FOUND:
        return instant_not_found(p, err);
    case INSTANT_LOCKS:
    case INSTANT_UNLOCKED:
        return instant_locks(p, p->step->kind == INSTANT_UNLOCKED, err);
    case INSTANT_FIRST_WINS:
    case INSTANT_LOST:
        return instant_first_wins(p, p->step->kind == INSTANT_LOST, err);
    case INSTANT_UNREAD:
        return instant_unread(p, err);
    case INSTANT_OWN:
        return instant_own_read(p, err);
    case INSTANT_ROW:
        return instant_row(p, err);
    default:
        return instant_structure(p, err);
    }
}

/* Who is named. */
static enum status name_parts(struct proof *p, struct error *err)
{
    const struct witness_name *names[] = { &p->step->read, &p->step->first, &p->step->second };
    uint32_t txn;

    for (size_t i = 0; i < ROW_COUNT(names); i++)
        if (names[i]->kind != NAMED_NOBODY)
            TRY(instant_txn(p, names[i]->txn, &txn, err));
    for (size_t i = 0; p->step->kind == INSTANT_STRUCTURE && i < p->step->txns.count; i++)
        TRY(instant_txn(p, p->step->txns.at[i], &txn, err));
    return STATUS_OK;
}

static enum status find_contradiction(struct proof *p, bool *is_one, bool *is_circle,
                                      struct error *err)
{
    TRY(known_find_circle(&p->k, is_circle, err));
    TRY(known_find_gap(&p->k, is_one, err));
    *is_one |= *is_circle;
    return STATUS_OK;
}

/* Of a step that was only named: whoever wrote what it had missed was the first of the two. */
static enum status name_passed(struct proof *p, struct error *err)
{
    uint32_t txn, key;

    if (p->step->kind != INSTANT_OVERWRITES || !workings_first_wins(p->v->instants->w))
        return STATUS_OK;
    TRY(instant_txn(p, p->step->read.txn, &txn, err));
    TRY(lookup_key(p->v, p->step->key, &key, err));
    p->has_update_order |= lookup_left(p->v, txn, key) != HISTORY_NONE;
    return STATUS_OK;
}

/*
 * One that is not true need not be, if those before it cannot all be: the mirror leaves an order
 * out that contradicts others, and tells of it by itself. Such a step is only named, for the kind.
 */
static enum status take_or_pass(struct proof *p, struct error *err)
{
    struct error why;
    bool is_circle = false;
    enum status status;

    TRY(name_parts(p, err));
    status = take_step(p, err);
    if (status == STATUS_OK || !p->v->is_refused)
        return status;
    why = *err;
    p->v->is_refused = false;
    *err = (struct error){ 0 };
    if (!p->is_contradicted)
        TRY(find_contradiction(p, &p->is_contradicted, &is_circle, err));
    if (p->is_contradicted)
        return name_passed(p, err);
    p->v->is_refused = true;
    *err = why;
    return status;
}

static enum status take_next(void *context, const struct proof_step *step, size_t n,
                             struct error *err)
{
    struct proof *p = context;

    (void)n;
    p->step = step;
    TRY(p->is_over ? instant_refuse(p, err, "the step before it can only be the last")
                   : take_or_pass(p, err));
    p->counts[step->kind]++;
    if (step->kind == INSTANT_UNREAD || step->kind == INSTANT_ROW)
        TRY(lookup_key(p->v, step->key, &p->blamed_key, err));
    p->is_over = instant_step_is_last(step->kind);
    return STATUS_OK;
}

/* --- Kinds ------------------------------------------------------------------- */

static uint32_t count_antis(const struct proof *p)
{
    return p->counts[INSTANT_OVERWRITES] + p->counts[INSTANT_NOT_FOUND];
}

static bool has_look(const struct proof *p)
{
    return p->counts[INSTANT_FINDS] + p->counts[INSTANT_FOUND] + p->counts[INSTANT_NOT_FOUND] > 0;
}

/* Of what steps contradict each other; the suffix says that times are needed for that. */
static bool is_kind_of_cycle(const struct proof *p, enum anomaly kind, bool is_circle)
{
    switch (kind) {
    case ANOMALY_G0:
        return is_circle;
    case ANOMALY_G0_REALTIME:
        return true;
    case ANOMALY_G1C:
    case ANOMALY_G1C_REALTIME:
        return (is_circle || kind == ANOMALY_G1C_REALTIME) &&
               p->counts[INSTANT_READS] + p->counts[INSTANT_FINDS] + p->counts[INSTANT_FOUND] > 0;
    case ANOMALY_G_SINGLE:
    case ANOMALY_G_SINGLE_REALTIME:
        return (is_circle || kind == ANOMALY_G_SINGLE_REALTIME) && count_antis(p) >= 1;
    case ANOMALY_G2_ITEM:
    case ANOMALY_G2_ITEM_REALTIME:
        return (is_circle || kind == ANOMALY_G2_ITEM_REALTIME) && count_antis(p) >= 2;
    case ANOMALY_G2:
    case ANOMALY_G2_REALTIME:
        return (is_circle || kind == ANOMALY_G2_REALTIME) && count_antis(p) >= 2 && has_look(p);
    case ANOMALY_LOCK_VIOLATION:
        return p->counts[INSTANT_LOCKS] > 0;
    case ANOMALY_LOST_UPDATE:
        return p->counts[INSTANT_FIRST_WINS] > 0 || p->has_update_order;
    default:
        return false;
    }
}

static bool is_kind_of_last(const struct proof *p, enum anomaly kind)
{
    bool is_unread = p->counts[INSTANT_UNREAD] > 0, is_row = p->counts[INSTANT_ROW] > 0;

    switch (kind) {
    case ANOMALY_INCONSISTENT_READ:
        return is_unread;
    case ANOMALY_G1A:
        return is_unread && p->is_aborted;
    case ANOMALY_G1B:
        return is_unread && p->is_overwritten;
    case ANOMALY_FUTURE_READ:
        /* Behind a contradiction nobody knows which steps would have forbidden it. */
        return is_unread && (p->is_future || (p->is_contradicted && p->has_other_writer));
    case ANOMALY_INTERNAL:
        return p->counts[INSTANT_OWN] > 0 || (is_row && p->came_twice);
    case ANOMALY_RESULT_SET_MISMATCH:
        return is_row;
    case ANOMALY_LOCK_VIOLATION:
        return p->counts[INSTANT_UNLOCKED] > 0;
    case ANOMALY_LOST_UPDATE:
        return p->counts[INSTANT_LOST] > 0;
    case ANOMALY_DANGEROUS_STRUCTURE:
    case ANOMALY_G2_ITEM_REALTIME:
        return p->counts[INSTANT_STRUCTURE] > 0;
    default:
        return false;
    }
}

static enum status check_end(struct proof *p, enum anomaly kind, struct error *err)
{
    bool is_circle = false, is_one = false, is_right;

    if (!p->is_over && !p->is_contradicted) {
        TRY(find_contradiction(p, &is_one, &is_circle, err));
        if (!is_one)
            return verify_refuse(p->v, err, "the steps do not contradict each other");
    }
    is_right = p->is_over ? is_kind_of_last(p, kind)
                          : is_kind_of_cycle(p, kind, is_circle || p->is_contradicted);
    return verify_need(p->v, is_right, err, "the steps prove no %s", anomaly_name(kind));
}

/* Whoever wrote a key may be told of where no version of it can have been seen. */
static enum status wrote_blamed(struct proof *p, uint32_t txn, bool *wrote, struct error *err)
{
    const struct history *h = p->v->h;

    TRY(verify_spend(p->v, h->txn_op[txn + 1] - h->txn_op[txn], err));
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1] && !*wrote; op++)
        *wrote = !op_is_head(h->op_kind[op]) && op_is_write(h->op_kind[op]) &&
                 h->op_key[op] == p->blamed_key;
    return STATUS_OK;
}

/* Some of those that the steps are about, each once. */
static enum status check_parts(struct proof *p, const struct witness_anomaly *a, struct error *err)
{
    struct verifier *v = p->v;
    uint32_t date_told = v->part_now | UINT32_C(1) << 31;

    if (a->txns.count == 0)
        return verify_refuse(v, err, "\"transactions\" are none");
    for (size_t i = 0; i < a->txns.count; i++) {
        bool stands;
        uint32_t txn = 0;

        TRY(lookup_txn(v, a->txns.at[i], &txn, err));
        stands = v->part_date[txn] == v->part_now;
        if (!stands && v->part_date[txn] != date_told)
            TRY(wrote_blamed(p, txn, &stands, err));
        if (!stands)
            return verify_refuse(v, err,
                                 "\"transactions\" has %" PRId64
                                 ", which does not stand in the steps, or twice",
                                 a->txns.at[i]);
        v->part_date[txn] = date_told;
    }
    return STATUS_OK;
}

enum status verify_instant_steps(struct verifier *v, const struct witness_anomaly *a,
                                 struct error *err)
{
    struct proof p = { .v = v, .k = { .v = v }, .blamed_key = HISTORY_NONE };
    enum status status = steps_take(a->steps, &steps_of_instants, take_next, &p, err);

    if (status == STATUS_OK)
        status = check_end(&p, a->kind, err);
    if (status == STATUS_OK)
        status = check_parts(&p, a, err);
    known_close(&p.k);
    return status;
}
