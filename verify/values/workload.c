#include "verify/values/workload.h"

#include <inttypes.h>

#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/witness.h"

bool workload_is_called(const struct verifier *v, const char *name)
{
    const struct history *h = v->h;

    return h->workload != HISTORY_NONE && text_equal(history_text(h, h->workload), text_of(name));
}

bool verify_has_own_workload(const struct verifier *v)
{
    const struct history *h = v->h;
    bool is_bank = workload_is_called(v, "bank");

    if (h->statement_count > 0 ||
        (!is_bank && !workload_is_called(v, "set") && !workload_is_called(v, "counter")))
        return false;
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] == OP_WRITE || h->op_kind[op] == OP_REMOVE ||
            (is_bank && h->op_kind[op] == OP_APPEND))
            return false;
    return true;
}

static enum status need_workload(struct verifier *v, const char *name, struct error *err)
{
    if (v->basis->infers_versions && workload_is_called(v, name))
        return STATUS_OK;
    return verify_refuse(v, err, "the history does not say that it is of a %s", name);
}

/* --- Banks ------------------------------------------------------------------- */

enum status workload_bank_accounts(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    if (v->is_account)
        return STATUS_OK;
    TRY(VERIFY_GET(v, v->is_account, h->key_count, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        v->is_account[key] = history_initial(h, key).kind == VALUE_INTEGER;
    for (size_t op = 0; op < h->op_count; op++)
        if (!op_is_head(h->op_kind[op]) && h->op_value_kind[op] == VALUE_INTEGER)
            v->is_account[h->op_key[op]] = true;
    for (uint32_t key = 0; key < h->key_count; key++)
        v->account_count += v->is_account[key];
    return STATUS_OK;
}

/* Sums that differ in 64 bits differ. */
bool workload_bank_total(struct verifier *v, const struct witness_version *name, uint64_t *total)
{
    const struct history *h = v->h;
    const bool *is_account = v->is_account;
    size_t count = 0;
    uint64_t txn;

    *total = 0;
    if (name->is_initial) {
        for (uint32_t key = 0; key < h->key_count; key++) {
            count += is_account[key] && history_initial(h, key).kind == VALUE_INTEGER;
            *total += is_account[key] ? (uint64_t)history_initial(h, key).bits : 0;
        }
        return count == v->account_count && count > 0;
    }
    if (!map_find(&v->txn_of_id, (uint64_t)name->txn, &txn))
        return false;
    v->read_now++;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];

        if (!answer_reads_value(v, (uint32_t)txn, op) || !is_account[key] ||
            h->op_value_kind[op] != VALUE_INTEGER || v->read_date[key] == v->read_now ||
            lookup_own(v, (uint32_t)txn, op, key) != HISTORY_NONE)
            continue;
        v->read_date[key] = v->read_now;
        *total += (uint64_t)h->op_value[op];
        count++;
    }
    return count == v->account_count;
}

static enum status find_total(struct verifier *v, const struct witness_version *name,
                              uint64_t *total, struct error *err)
{
    uint32_t txn = 0;

    if (name->nth != 0)
        return verify_refuse(v, err, "a sum is of a transaction, and not of one of its versions");
    if (!name->is_initial) {
        TRY(lookup_txn(v, name->txn, &txn, err));
        (void)verify_add_part(v, txn);
    }
    return verify_need(v, workload_bank_total(v, name, total), err,
                       "one of the two did not read all accounts before it wrote them");
}

enum status verify_totals(struct verifier *v, const struct witness_anomaly *a, struct error *err)
{
    uint64_t totals[2] = { 0 };

    if (a->kind != ANOMALY_WRONG_TOTAL)
        return verify_refuse(v, err, "two sums are no %s", anomaly_name(a->kind));
    TRY(need_workload(v, "bank", err));
    if (!v->reads_are_consistent)
        return verify_refuse(v, err, "the level lets a transaction see parts of others");
    TRY(workload_bank_accounts(v, err));
    for (int i = 0; i < 2; i++)
        TRY(find_total(v, &a->totals[i], &totals[i], err));
    return verify_need(v, totals[0] != totals[1], err, "the sums are the same");
}

/* --- Reads ------------------------------------------------------------------- */

struct glimpse {
    uint32_t txn, op, key;
    struct value value;
};

/* Whether one was over before the other began; without times, in the same session. */
static bool is_over(const struct verifier *v, uint32_t a, uint32_t b)
{
    const struct history *h = v->h;
    enum closing closing = h->txn_invoked && h->txn_completed ? CLOSED_BY_TIME : CLOSED_BY_SESSIONS;

    return versions_txn_is_before(v, closing, a, b);
}

static enum status check_negative(struct verifier *v, const struct glimpse *g, struct error *err)
{
    TRY(need_workload(v, "bank", err));
    return verify_need(v, g->value.kind == VALUE_INTEGER && g->value.bits < 0, err,
                       "the balance is not below zero");
}

static bool key_has_initial(const struct verifier *v, uint32_t key)
{
    return history_initial(v->h, key).kind != VALUE_NULL;
}

/* Whether a transaction that was over before had read the element. */
static bool was_seen(const struct verifier *v, const struct glimpse *g, int64_t element)
{
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; is_over(v, t, g->txn) && op < h->txn_op[t + 1]; op++)
            if (h->op_key[op] == g->key && answer_reads_value(v, t, op) &&
                versions_value_has_element(h, history_value(h, op), element))
                return true;
    return false;
}

/* Whether all who may have added the element began after that transaction was over; one did. */
static bool is_added_after(const struct verifier *v, uint32_t key, int64_t element, uint32_t txn)
{
    const struct history *h = v->h;
    bool has_adder = false;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (v->counting[t] == COUNTS_NOT || h->op_key[op] != key ||
                h->op_kind[op] != OP_APPEND || !history_makes_version(h, op) ||
                h->op_value[op] != element)
                continue;
            has_adder = true;
            if (!versions_txn_is_before(v, CLOSED_BY_TIME, txn, t))
                return false;
        }
    return has_adder;
}

/* At levels of real time: whether an element was read whose addition began when that one was over. */
static enum status has_later(struct verifier *v, const struct glimpse *g, uint32_t writer,
                             bool *has, struct error *err)
{
    struct list_elements list = versions_elements(v->h, g->value);

    *has = false;
    if (v->closing != CLOSED_BY_TIME || key_has_initial(v, g->key))
        return STATUS_OK;
    for (uint64_t i = 0; i < list.count && !*has; i++) {
        TRY(verify_spend(v, v->h->op_count, err));
        *has = is_added_after(v, g->key, list.at[i], writer);
    }
    return STATUS_OK;
}

/* What nobody added, and was not there initially. */
static enum status check_strange(struct verifier *v, const struct witness_read *w,
                                 const struct glimpse *g, struct error *err)
{
    const struct history *h = v->h;
    struct list_elements list = versions_elements(h, g->value);
    struct map added = { 0 };
    bool is_strange = false;
    enum status status = STATUS_OK;
    size_t place;
    uint64_t unused;

    TRY(need_workload(v, "set", err));
    if (w->has_version || g->value.kind != VALUE_LIST || key_has_initial(v, g->key))
        return verify_refuse(v, err, "a version is to blame, or no set was read");
    TRY(verify_spend(v, h->op_count, err));
    for (size_t op = 0; op < h->op_count && status == STATUS_OK; op++)
        if (h->op_key[op] == g->key && h->op_kind[op] == OP_APPEND)
            status = map_add(&added, (uint64_t)h->op_value[op], 0, &place, err);
    for (uint64_t i = 0; i < list.count; i++)
        is_strange |= !map_find(&added, (uint64_t)list.at[i], &unused);
    map_close(&added);
    TRY(status);
    return verify_need(v, is_strange, err, "somebody added each element");
}

/* An element that was rolled back, or whose addition began behind the read. */
static enum status check_misplaced(struct verifier *v, enum anomaly kind,
                                   const struct witness_read *w, const struct glimpse *g,
                                   struct error *err)
{
    const struct history *h = v->h;
    uint32_t version = VERSION_INITIAL, writer;
    bool is_true;

    TRY(need_workload(v, "set", err));
    if (w->has_version)
        TRY(lookup_version(v, &w->version, g->key, &version, err));
    if (version == VERSION_INITIAL || h->op_kind[version] != OP_APPEND ||
        key_has_initial(v, g->key) ||
        !versions_value_has_element(h, g->value, h->op_value[version]))
        return verify_refuse(v, err, "it is not said which element was read");
    TRY(verify_spend(v, h->op_count, err));
    writer = history_txn_of(h, version);
    (void)verify_add_part(v, writer);
    if (kind == ANOMALY_FUTURE_READ) {
        is_true =
            v->closing == CLOSED_BY_TIME && is_added_after(v, g->key, h->op_value[version], g->txn);
    } else {
        is_true = v->counting[writer] == COUNTS_NOT;
        for (uint32_t t = 0; t < h->txn_count; t++)
            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
                is_true &= v->counting[t] == COUNTS_NOT || h->op_key[op] != g->key ||
                           h->op_kind[op] != OP_APPEND || h->op_value[op] != h->op_value[version];
    }
    return verify_need(v, is_true, err, "the element may have been there by then");
}

static enum status check_lost(struct verifier *v, const struct witness_read *w,
                              const struct glimpse *g, struct error *err)
{
    uint32_t version = VERSION_INITIAL, writer;
    bool has_a_later_one;
    int64_t element;

    TRY(need_workload(v, "set", err));
    if (w->has_version)
        TRY(lookup_version(v, &w->version, g->key, &version, err));
    if (version == VERSION_INITIAL || v->h->op_kind[version] != OP_APPEND)
        return verify_refuse(v, err, "it is not said which element was lost");
    writer = history_txn_of(v->h, version);
    element = v->h->op_value[version];
    (void)verify_add_part(v, writer);
    if (g->value.kind != VALUE_LIST && g->value.kind != VALUE_NULL)
        return verify_refuse(v, err, "no set was read");
    if (versions_value_has_element(v->h, g->value, element))
        return verify_refuse(v, err, "the element is there");
    TRY(verify_spend(v, v->h->op_count, err));
    TRY(has_later(v, g, writer, &has_a_later_one, err));
    return verify_need(v, is_over(v, writer, g->txn) || was_seen(v, g, element) || has_a_later_one,
                       err, "the element need not have been there yet");
}

/* What others added, at the least and at the most; false if it is beyond 64 bits. */
static bool bound_count(const struct verifier *v, const struct glimpse *g, int64_t *low,
                        int64_t *high)
{
    const struct history *h = v->h;
    bool fits = true;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool is_own = t == g->txn, is_certain = is_own || is_over(v, t, g->txn);

        if (v->counting[t] == COUNTS_NOT || (!is_own && is_over(v, g->txn, t)))
            continue;
        for (uint32_t op = h->txn_op[t]; op < (is_own ? g->op : h->txn_op[t + 1]); op++) {
            int64_t added = h->op_value[op];

            if (h->op_key[op] != g->key || h->op_kind[op] != OP_APPEND ||
                !history_makes_version(h, op))
                continue;
            if (is_certain || added < 0)
                fits &= !__builtin_add_overflow(*low, added, low);
            if (is_certain || added > 0)
                fits &= !__builtin_add_overflow(*high, added, high);
        }
    }
    return fits;
}

static enum status check_count(struct verifier *v, const struct glimpse *g, struct error *err)
{
    struct value initial = history_initial(v->h, g->key);
    int64_t low = initial.kind == VALUE_INTEGER ? initial.bits : 0, high = low;

    TRY(need_workload(v, "counter", err));
    if (g->value.kind != VALUE_INTEGER)
        return verify_refuse(v, err, "no count was read");
    TRY(verify_spend(v, v->h->op_count, err));
    if (!bound_count(v, g, &low, &high))
        return verify_refuse(v, err, "the counts are beyond what can be counted");
    return verify_need(v, g->value.bits < low || g->value.bits > high, err,
                       "it is within %" PRId64 " and %" PRId64, low, high);
}

bool workload_has_kind(const struct verifier *v, enum anomaly kind)
{
    bool is_of_set =
        kind == ANOMALY_GARBAGE_READ || kind == ANOMALY_G1A || kind == ANOMALY_FUTURE_READ;

    return kind == ANOMALY_NEGATIVE_BALANCE || kind == ANOMALY_LOST_ELEMENT ||
           kind == ANOMALY_COUNT_OUT_OF_BOUNDS || (is_of_set && v->has_own_workload);
}

static enum status look(struct verifier *v, const struct witness_read *w, struct glimpse *g,
                        struct error *err)
{
    if (!w->has_key)
        return verify_refuse(v, err, "it is not said which key is to blame");
    TRY(lookup_key(v, w->key, &g->key, err));
    TRY(lookup_txn(v, w->txn, &g->txn, err));
    TRY(lookup_op(v, g->txn, w->op, &g->op, err));
    (void)verify_add_part(v, g->txn);
    if (op_is_head(v->h->op_kind[g->op]))
        g->op = lookup_row_of(v, g->op, g->key);
    if (g->op == HISTORY_NONE || v->h->op_key[g->op] != g->key ||
        !answer_reads_value(v, g->txn, g->op))
        return verify_refuse(v, err, "the operation did not read the key");
    g->value = versions_value_plain(v->h, history_value(v->h, g->op));
    return STATUS_OK;
}

enum status verify_workload_read(struct verifier *v, const struct witness_anomaly *a,
                                 struct error *err)
{
    struct glimpse g;

    TRY(look(v, &a->read, &g, err));
    if (a->kind == ANOMALY_LOST_ELEMENT)
        return check_lost(v, &a->read, &g, err);
    if (a->kind == ANOMALY_GARBAGE_READ)
        return check_strange(v, &a->read, &g, err);
    if (a->kind == ANOMALY_G1A || a->kind == ANOMALY_FUTURE_READ)
        return check_misplaced(v, a->kind, &a->read, &g, err);
    if (a->read.has_version)
        return verify_refuse(v, err, "no version is to blame");
    return a->kind == ANOMALY_NEGATIVE_BALANCE ? check_negative(v, &g, err)
                                               : check_count(v, &g, err);
}

/* Whether the one has an element that the other lacks. */
static enum status has_more(struct verifier *v, const struct glimpse *g,
                            const struct glimpse *other, bool *has, struct error *err)
{
    struct list_elements list = versions_elements(v->h, g->value);

    *has = false;
    for (uint64_t i = 0; i < list.count && !*has; i++) {
        TRY(verify_spend(v, versions_elements(v->h, other->value).count, err));
        *has = !versions_value_has_element(v->h, other->value, list.at[i]);
    }
    return STATUS_OK;
}

enum status verify_workload_reads(struct verifier *v, const struct witness_anomaly *a,
                                  struct error *err)
{
    const struct history *h = v->h;
    bool asks_for_order = v->has_rw && !v->has_shape && v->w->level != LEVEL_REPEATABLE_READ;
    struct glimpse g[2];
    bool has_more_each = true;

    TRY(need_workload(v, "set", err));
    if (a->kind != ANOMALY_INCOMPATIBLE_ORDER || !asks_for_order)
        return verify_refuse(v, err,
                             "the level does not ask for one order of what two reads found");
    for (int i = 0; i < 2; i++) {
        TRY(look(v, &a->reads[i], &g[i], err));
        for (uint32_t op = h->txn_op[g[i].txn]; op < h->txn_op[g[i].txn + 1]; op++)
            if (h->op_kind[op] == OP_APPEND)
                return verify_refuse(v, err, "one of the two added something itself");
    }
    if (g[0].key != g[1].key || g[0].value.kind != VALUE_LIST || g[1].value.kind != VALUE_LIST)
        return verify_refuse(v, err, "they are no two reads of a set");
    for (int i = 0; i < 2 && has_more_each; i++)
        TRY(has_more(v, &g[i], &g[1 - i], &has_more_each, err));
    return verify_need(v, has_more_each, err, "one of the two has all that the other has");
}

/* --- Valid --------------------------------------------------------------------- */

/* --- Sets and counters --------------------------------------------------------- */

/* What each key holds after so many transactions of the order. */
struct holdings {
    struct verifier *v;
    struct map numbers; /* elements of sets: their numbers */
    struct map has;     /* key and number of an element that is there */
    uint64_t *size;     /* of sets, by key */
    int64_t *sum;       /* of counters, by key */
    struct map seen;    /* elements of the read at hand, or of those before: its number */
    uint64_t read_count;
};

static enum status hold_element(struct holdings *s, uint32_t key, int64_t element,
                                struct error *err)
{
    size_t number, place, count = s->has.keys.count;

    TRY(map_add(&s->numbers, (uint64_t)element, 0, &number, err));
    TRY(map_add(&s->has, (uint64_t)key << 32 | (uint32_t)number, 0, &place, err));
    s->size[key] += s->has.keys.count > count;
    return STATUS_OK;
}

static enum status begin_holdings(struct holdings *s, bool is_set, struct error *err)
{
    const struct history *h = s->v->h;

    TRY(VERIFY_GET(s->v, s->size, h->key_count, err));
    TRY(VERIFY_GET(s->v, s->sum, h->key_count, err));
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value initial = history_initial(h, key);
        struct list_elements list = versions_elements(h, initial);

        s->size[key] = 0;
        s->sum[key] = !is_set && initial.kind == VALUE_INTEGER ? initial.bits : 0;
        for (uint64_t i = 0; is_set && i < list.count; i++)
            TRY(hold_element(s, key, list.at[i], err));
    }
    return STATUS_OK;
}

static enum status refuse_answer(struct holdings *s, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = s->v->h;

    return verify_refuse(s->v, err,
                         "transaction %" PRId64 ": the answer is not what the order gives, of %.*s",
                         h->txn_id[txn], TEXT_PRINT(history_key(h, h->op_key[op])));
}

/* Whether the elements of the list, each counted once, are those that are there. */
static enum status read_set(struct holdings *s, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = s->v->h;
    struct value value = versions_value_plain(h, history_value(h, op));
    struct list_elements list = versions_elements(h, value);
    uint64_t distinct = 0, unused;

    if (value.kind != VALUE_LIST && value.kind != VALUE_NULL)
        return refuse_answer(s, txn, op, err);
    s->read_count++;
    for (uint64_t i = 0; i < list.count; i++) {
        size_t number, place;

        TRY(map_add(&s->numbers, (uint64_t)list.at[i], 0, &number, err));
        if (!map_find(&s->has, (uint64_t)h->op_key[op] << 32 | (uint32_t)number, &unused))
            return refuse_answer(s, txn, op, err);
        TRY(map_add(&s->seen, number, 0, &place, err));
        distinct += s->seen.values.at[place] != s->read_count;
        s->seen.values.at[place] = s->read_count;
    }
    return distinct == s->size[h->op_key[op]] ? STATUS_OK : refuse_answer(s, txn, op, err);
}

static enum status replay_op(struct holdings *s, bool is_set, uint32_t txn, uint32_t op,
                             struct error *err)
{
    const struct history *h = s->v->h;
    uint32_t key = h->op_key[op];

    if (h->op_kind[op] == OP_APPEND && history_makes_version(h, op)) {
        if (is_set)
            return hold_element(s, key, h->op_value[op], err);
        return __builtin_add_overflow(s->sum[key], h->op_value[op], &s->sum[key])
                   ? verify_refuse(s->v, err, "the sums are beyond what can be counted")
                   : STATUS_OK;
    }
    if (!answer_reads_value(s->v, txn, op))
        return STATUS_OK;
    if (is_set)
        return read_set(s, txn, op, err);
    return h->op_value_kind[op] == VALUE_INTEGER && h->op_value[op] == s->sum[key]
               ? STATUS_OK
               : refuse_answer(s, txn, op, err);
}

static enum status replay(struct holdings *s, bool is_set, struct error *err)
{
    const struct verifier *v = s->v;

    TRY(begin_holdings(s, is_set, err));
    for (size_t i = 0; i < v->w->order.count; i++) {
        uint32_t txn = 0;

        TRY(lookup_txn(s->v, v->w->order.at[i], &txn, err));
        for (uint32_t op = v->h->txn_op[txn]; op < v->h->txn_op[txn + 1]; op++)
            TRY(replay_op(s, is_set, txn, op, err));
    }
    return STATUS_OK;
}

/* --- Banks --------------------------------------------------------------------- */

/* Whoever reads an account reads all, and finds what others found; what it wrote, nobody says. */
static enum status check_totals(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct witness_version name = { .is_initial = true };
    uint64_t total = 0;
    bool has_total = workload_bank_total(v, &name, &total);

    name.is_initial = false;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool reads = false;
        uint64_t found = 0;

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool is_balance = answer_reads_value(v, t, op) && h->op_value_kind[op] == VALUE_INTEGER;

            reads |= is_balance;
            if (is_balance && h->op_value[op] < 0)
                return verify_refuse(v, err, "transaction %" PRId64 " found a balance below zero",
                                     h->txn_id[t]);
        }
        if (!reads || !v->reads_are_consistent)
            continue;
        name.txn = h->txn_id[t];
        if (!workload_bank_total(v, &name, &found))
            return verify_refuse(v, err, "transaction %" PRId64 " did not read all accounts",
                                 h->txn_id[t]);
        if (has_total && found != total)
            return verify_refuse(v, err, "transaction %" PRId64 " found another total",
                                 h->txn_id[t]);
        has_total = true;
        total = found;
    }
    return STATUS_OK;
}

enum status verify_workload_valid(struct verifier *v, struct error *err)
{
    struct holdings s = { .v = v };
    enum status status;

    if (workload_is_called(v, "bank")) {
        if (v->closing != CLOSED_BY_NOTHING)
            return verify_refuse(v, err, "totals say nothing of sessions and real time");
        TRY(workload_bank_accounts(v, err));
        return check_totals(v, err);
    }
    status = replay(&s, workload_is_called(v, "set"), err);
    map_close(&s.numbers);
    map_close(&s.has);
    map_close(&s.seen);
    return status;
}
