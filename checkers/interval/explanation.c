#include "checkers/interval/explanation_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "checkers/interval/derivation_private.h"
#include "checkers/interval/explanation_statements_private.h"
#include "checkers/interval/settled_order_private.h"
#include "checkers/proof/tell.h"

/* --- Facts ----------------------------------------------------------------------------------- */

/* An item operation or a row that was not refused. */
static bool explanation_is_item(const struct history *h, uint32_t op)
{
    return !op_is_head(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

bool explanation_writes(const struct history *h, uint32_t op)
{
    return explanation_is_item(h, op) && op_is_write(h->op_kind[op]);
}

static bool explanation_reads(const struct history *h, uint32_t op)
{
    return explanation_is_item(h, op) && op_is_read(h->op_kind[op]) &&
           h->op_value_kind[op] != VALUE_NONE;
}

/* The statement of a row, or the operation itself. */
static uint32_t explanation_head(const struct history *h, uint32_t op)
{
    while (op_is_row(h->op_kind[op]))
        op--;
    return op;
}

static bool explanation_asks_for_locks(const struct history *h, uint32_t op)
{
    return traces_ask_for_lock(h, explanation_head(h, op));
}

/* Whether its view is not its transaction's. */
static bool explanation_has_own_view(const struct explanation *x, uint32_t op)
{
    return profile_reads_apart(&x->m->profile, explanation_asks_for_locks(x->h, op));
}

static uint64_t value_number(uint32_t key, uint64_t value)
{
    return hash_number(hash_mix(hash_number(key), value));
}

/* Of values that a key has had by now. */
static enum status explanation_add_value(struct explanation *x, uint32_t key, uint64_t value,
                                         struct error *err)
{
    size_t place;

    return map_add(&x->values, value_number(key, value), 1, &place, err);
}

static bool explanation_had_value(const struct explanation *x, uint32_t key, uint64_t value)
{
    uint64_t count;

    return map_find(&x->values, value_number(key, value), &count);
}

/* --- Dependencies ------------------------------------------------------------------------ */

/* Where all is as of the commit, dependencies lead along the order, and make no circle. */
bool explanation_certifies(const struct explanation *x)
{
    return x->m->profile.view != VIEW_COMMIT && x->m->profile.certifier != CERTIFIER_NONE &&
           x->m->profile.certifier != CERTIFIER_CONCURRENT_VERSIONS;
}

enum status explanation_depend(struct explanation *x, uint32_t from, uint32_t to, struct error *err)
{
    struct dependent new = { to, 0 };

    if (from == NONE || from == to || !explanation_certifies(x))
        return STATUS_OK;
    new.next = x->first_dependency[from];
    x->first_dependency[from] = (uint32_t)x->dependencies.count;
    x->dependency_count[to]++;
    return array_push(&x->dependencies, new, err);
}

/* Takes away whoever depends on nobody that is left, as long as there is one. */
static enum status explanation_find_circle(struct explanation *x, bool *is_found, struct error *err)
{
    ARRAY(uint32_t) free_txns = { 0 };
    enum status status = STATUS_OK;
    size_t count = x->h->txn_count, gone = 0;

    for (uint32_t t = 0; t < count && status == STATUS_OK; t++)
        if (x->dependency_count[t] == 0)
            status = array_push(&free_txns, t, err);
    for (; status == STATUS_OK && free_txns.count > 0; gone++) {
        uint32_t at = x->first_dependency[free_txns.at[--free_txns.count]];

        for (; at != NONE && status == STATUS_OK; at = x->dependencies.at[at].next)
            if (--x->dependency_count[x->dependencies.at[at].to] == 0)
                status = array_push(&free_txns, x->dependencies.at[at].to, err);
    }
    *is_found = gone < count;
    array_close(&free_txns);
    return status;
}

/* --- What times alone say of versions -------------------------------------------------------- */

static int compare_pasts(const void *a, const void *b)
{
    const struct explained_past *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static enum status add_pasts(struct explanation *x, uint32_t txn, struct traces *traces,
                             struct error *err)
{
    struct interval_trace trace;

    if (!x->counts[txn])
        return STATUS_OK;
    TRY(traces_make(traces, txn, &trace, err));
    x->commits[txn] = interval_model_commit_times(x->m, &trace);
    if (x->committed_by && x->committed_by[txn] < x->commits[txn].high)
        x->commits[txn].high = x->committed_by[txn];
    for (uint32_t op = x->h->txn_op[txn]; op < x->h->txn_op[txn + 1]; op++) {
        struct explained_past past = { x->h->op_key[op], x->commits[txn].high,
                                       x->commits[txn].low };

        if (x->flags[op] & OP_IS_LAST && x->m->profile.timing == TIMING_KEY)
            TRY(array_push(&x->pasts, past, err));
    }
    return STATUS_OK;
}

static enum status explanation_find_times(struct explanation *x, struct error *err)
{
    struct traces traces = { .history = x->h };
    enum status status = STATUS_OK;

    TRY(check_memory((void **)&x->commits, x->h->txn_count, sizeof *x->commits, 0, err));
    for (uint32_t t = 0; t < x->h->txn_count && status == STATUS_OK; t++)
        status = add_pasts(x, t, &traces, err);
    traces_close(&traces);
    if (x->pasts.count > 0)
        qsort(x->pasts.at, x->pasts.count, sizeof *x->pasts.at, compare_pasts);
    for (size_t i = 1; i < x->pasts.count; i++)
        if (x->pasts.at[i].key == x->pasts.at[i - 1].key &&
            x->pasts.at[i].low < x->pasts.at[i - 1].low)
            x->pasts.at[i].low = x->pasts.at[i - 1].low;
    return status;
}

/* From when on the last of the versions can have been installed that were there by then. */
static int64_t past_before(const struct explanation *x, uint32_t key, int64_t time)
{
    const struct explained_past *at = x->pasts.at;
    size_t place;

    BISECT(place, 0, x->pasts.count,
           at[place].key < key || (at[place].key == key && at[place].high < time));
    return place > 0 && at[place - 1].key == key ? at[place - 1].low : TIMELINE_BEGINNING;
}

/* The earliest that something was, of which clocks say that. */
static int64_t explanation_start(const struct explanation *x, int64_t time)
{
    return time < TIMELINE_BEGINNING + x->m->clock_error ? TIMELINE_BEGINNING
                                                         : time - x->m->clock_error;
}

int64_t explanation_end(const struct explanation *x, uint32_t txn, uint32_t op)
{
    int64_t invoked, completed;

    traces_times(x->h, txn, explanation_head(x->h, op), &invoked, &completed);
    return completed == TIME_NEVER || completed > TIMELINE_END - x->m->clock_error
               ? TIMELINE_END
               : completed + x->m->clock_error;
}

bool explanation_times_allow(const struct explanation *x, uint32_t key, uint32_t txn, int64_t by)
{
    const struct profile *p = &x->m->profile;
    const struct key_now *now = &x->keys[key];
    int64_t past;

    if (now->writer != NONE && now->sent > by && !p->ignores_times &&
        (p->timing != TIMING_FULL || p->by_operations))
        return false;
    if (p->timing != TIMING_KEY)
        return true;
    past = past_before(x, key, explanation_start(x, x->h->txn_invoked[txn]));
    if (now->writer == NONE)
        return past == TIMELINE_BEGINNING;
    return past <= now->installed.high && now->installed.low <= by;
}

/* The writer had committed before the reader did. */
/* The writer had committed before the reader did. */
static void explanation_note_commit(struct explanation *x, uint32_t writer, uint32_t reader)
{
    if (x->committed_by && writer != NONE && x->h->txn_status[writer] == TXN_UNKNOWN &&
        x->commits[reader].high < x->committed_by[writer])
        x->committed_by[writer] = x->commits[reader].high;
}

/* --- What the history has -------------------------------------------------------------- */

/* Which transactions unknown to have committed were read, and so had. */
static void mark_counting(struct explanation *x)
{
    const struct derivation *g = x->m->derivation;

    for (uint32_t t = 0; t < x->h->txn_count; t++)
        x->counts[t] = x->h->txn_status[t] == TXN_OK;
    for (size_t i = 0; i < g->steps.count; i++) {
        const struct derivation_step *step = &g->steps.at[i];

        if ((step->kind == DERIVATION_READS || step->kind == DERIVATION_FINDS) &&
            step->txns[1] != INTERVAL_NONE)
            x->counts[step->txns[1]] = true;
    }
}

static void mark_ops(struct explanation *x, uint32_t txn)
{
    const struct history *h = x->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (h->txn_status[txn] == TXN_OK && explanation_statement_is_explicable(x, op))
            x->flags[op] |= OP_IS_OPEN; /* until it is explained */
        if (!explanation_is_item(h, op))
            continue;
        if (x->date[h->op_key[op]] == 2 * txn + 1)
            x->flags[op] |= OP_IS_OWN;
        if (explanation_writes(h, op)) {
            x->date[h->op_key[op]] = 2 * txn + 1;
            x->writes[txn] = true;
        }
    }
    for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];)
        if (explanation_writes(h, op) && x->date[h->op_key[op]] != 2 * txn + 2) {
            x->date[h->op_key[op]] = 2 * txn + 2;
            x->flags[op] |= OP_IS_LAST;
        }
}

static enum status set_initial(struct explanation *x, struct error *err)
{
    const struct history *h = x->h;

    for (size_t k = 0; k < h->key_count; k++)
        x->keys[k] = (struct key_now){ .writer = NONE,
                                       .first_reader = NONE,
                                       .read_locker = NONE,
                                       .written_at = TIMELINE_BEGINNING,
                                       .unlocked_at = TIMELINE_BEGINNING };
    for (size_t i = 0; i < h->initial_count; i++) {
        struct value value = { (enum value_kind)h->initial_kind[i], h->initial_value[i] };
        struct key_now *now = &x->keys[h->initial_key[i]];

        now->value = traces_value(h, value);
        if (x->traces->rows)
            TRY(traces_row(x->traces, h->initial_key[i], value, &now->row, err));
    }
    return STATUS_OK;
}

static enum status add_initial_values(struct explanation *x, struct error *err)
{
    for (uint32_t k = 0; k < x->h->key_count && x->m->profile.reads_any; k++)
        TRY(explanation_add_value(x, k, x->keys[k].value, err));
    return STATUS_OK;
}

static enum status prepare(struct explanation *x, struct error *err)
{
    const struct history *h = x->h;
    size_t txns = h->txn_count;

    TRY(check_memory((void **)&x->flags, h->op_count, 1, 0, err));
    TRY(check_memory((void **)&x->counts, txns, sizeof *x->counts, 0, err));
    TRY(check_memory((void **)&x->writes, txns, sizeof *x->writes, 0, err));
    TRY(check_memory((void **)&x->view_place, txns, sizeof *x->view_place, 0xff, err));
    TRY(check_memory((void **)&x->commit_place, txns, sizeof *x->commit_place, 0xff, err));
    TRY(check_memory((void **)&x->op_place, h->op_count, sizeof *x->op_place, 0xff, err));
    TRY(check_memory((void **)&x->first_dependency, txns, sizeof *x->first_dependency, 0xff, err));
    TRY(check_memory((void **)&x->dependency_count, txns, sizeof *x->dependency_count, 0, err));
    TRY(check_memory((void **)&x->keys, h->key_count, sizeof *x->keys, 0, err));
    TRY(check_memory((void **)&x->date, h->key_count, sizeof *x->date, 0, err));
    TRY(check_memory((void **)&x->own_asked, h->key_count, sizeof *x->own_asked, 0, err));
    TRY(check_memory((void **)&x->came_asked, h->key_count, sizeof *x->came_asked, 0, err));
    mark_counting(x);
    for (uint32_t t = 0; t < txns; t++)
        if (x->counts[t])
            mark_ops(x, t);
    TRY(set_initial(x, err));
    TRY(add_initial_values(x, err));
    return explanation_find_times(x, err);
}

static void close(struct explanation *x)
{
    free(x->flags);
    free(x->counts);
    free(x->writes);
    free(x->view_place);
    free(x->commit_place);
    free(x->op_place);
    free(x->first_dependency);
    free(x->dependency_count);
    free(x->keys);
    free(x->date);
    free(x->own_asked);
    free(x->came_asked);
    explanation_statements_close(x);
    array_close(&x->readers);
    array_close(&x->looks);
    array_close(&x->ranges);
    array_close(&x->written);
    array_close(&x->dependencies);
    map_close(&x->values);
    free(x->commits);
    array_close(&x->pasts);
}

/* --- Reads ------------------------------------------------------------------------------- */

static bool may_be_taken(const struct explanation *x, uint32_t txn, uint32_t op)
{
    uint32_t key = x->h->op_key[op];
    uint64_t value = traces_value(x->h, history_value(x->h, op));

    if (x->m->profile.reads_any)
        return explanation_had_value(x, key, value);
    return x->keys[key].value == value &&
           explanation_times_allow(x, key, txn, explanation_end(x, txn, op));
}

static enum status read_now(struct explanation *x, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = x->h->op_key[op];
    struct key_now *now = &x->keys[key];
    struct version_reader reader = { txn, op, now->first_reader, NONE };

    if (x->flags[op] & OP_IS_OWN)
        return STATUS_OK;
    if (!may_be_taken(x, txn, op)) {
        x->flags[op] |= OP_IS_OPEN;
        return STATUS_OK;
    }
    explanation_note_commit(x, now->writer, txn);
    if (!explanation_certifies(x) || x->m->profile.reads_any)
        return STATUS_OK;
    now->first_reader = (uint32_t)x->readers.count;
    TRY(array_push(&x->readers, reader, err));
    return explanation_depend(x, now->writer, txn, err);
}

/* A read of an item or a row, or a statement that looks for rows. */
static enum status see(struct explanation *x, uint32_t txn, uint32_t op, struct error *err)
{
    if (x->flags[op] & OP_IS_OPEN && op_is_head(x->h->op_kind[op]))
        return explanation_statement_explain(x, txn, op, err);
    return explanation_reads(x->h, op) ? read_now(x, txn, op, err) : STATUS_OK;
}

/* All that is read as of one instant of the transaction. */
static enum status explanation_read_transaction(struct explanation *x, uint32_t txn,
                                                struct error *err)
{
    const struct history *h = x->h;

    if (h->txn_status[txn] != TXN_OK)
        return STATUS_OK;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (!explanation_has_own_view(x, op))
            TRY(see(x, txn, op, err));
    return STATUS_OK;
}

/* --- Commits ------------------------------------------------------------------------------- */

/*
 * A commit, on the walk: what it locked, what it updated, and what others had read of that.
 */

static bool locks_to_read(const struct explanation *x, uint32_t op)
{
    bool is_there = traces_value(x->h, history_value(x->h, op)) != 0;

    return profile_locks_to_read(&x->m->profile, explanation_asks_for_locks(x->h, op), is_there);
}

/* An instant that the lock was taken before. */
static uint32_t start_of(const struct explanation *x, uint32_t txn, uint32_t op)
{
    uint32_t own = x->op_place[explanation_head(x->h, op)];
    bool has_own = explanation_has_own_view(x, op) &&
                   (explanation_asks_for_locks(x->h, op) || x->m->profile.view == VIEW_ROW);

    if (x->m->profile.view == VIEW_ROW)
        own = x->op_place[op];
    return has_own && !explanation_writes(x->h, op) && own != NONE ? own : x->commit_place[txn];
}

/* When a lock is given back, at the earliest. */
static int64_t released_at(const struct explanation *x, uint32_t txn)
{
    return x->m->profile.timing == TIMING_FULL ? x->now : x->commits[txn].low;
}

/* Who had the lock gave it back before this one took it, if the order of commits is theirs. */
static void take_lock(struct explanation *x, uint32_t txn, uint32_t op)
{
    const struct key_now *now = &x->keys[x->h->op_key[op]];
    bool is_write = explanation_writes(x->h, op);
    int64_t taken = explanation_end(x, txn, op);

    if (x->m->profile.timing == TIMING_NONE || (is_write && !x->m->profile.locks_writes) ||
        (is_write && !(x->flags[op] & OP_IS_LAST)) || (!is_write && !locks_to_read(x, op)))
        return;
    if ((now->writer != NONE &&
         (now->written_at > taken || now->writer_place >= start_of(x, txn, op))) ||
        (is_write && now->read_locker != txn && now->unlocked_at > taken))
        x->flags[op] |= OP_IS_OPEN;
}

static void give_back(struct explanation *x, uint32_t txn, uint32_t op)
{
    struct key_now *now = &x->keys[x->h->op_key[op]];

    if (explanation_writes(x->h, op) || !locks_to_read(x, op))
        return;
    if (now->read_locker == NONE || released_at(x, txn) > now->unlocked_at)
        now->unlocked_at = released_at(x, txn);
    now->read_locker = txn;
}

static void judge_update(struct explanation *x, uint32_t txn, uint32_t op)
{
    const struct key_now *now = &x->keys[x->h->op_key[op]];

    if (!profile_first_wins(&x->m->profile) || now->writer == NONE)
        return;
    if (x->view_place[txn] != NONE && x->view_place[txn] < now->writer_place)
        x->flags[op] |= OP_IS_OPEN;
}

/* Those who read the version that goes. Who writes anything must have been over. */
static enum status leave_readers(struct explanation *x, uint32_t txn, uint32_t key, uint32_t first,
                                 struct error *err)
{
    struct key_now *now = &x->keys[key];

    for (uint32_t at = first, next; at != NONE; at = next) {
        struct version_reader *reader = &x->readers.at[at];

        next = reader->next;
        if (reader->look != NONE &&
            (reader->txn == txn || explanation_statement_still_agrees(x, reader, key))) {
            reader->next = now->first_reader;
            now->first_reader = at;
            continue;
        }
        TRY(explanation_depend(x, reader->txn, txn, err));
        if (x->m->profile.certifier == CERTIFIER_VALIDATION && reader->look == NONE &&
            reader->txn != txn && x->writes[reader->txn] && x->commit_place[reader->txn] == NONE)
            x->flags[reader->op] |= OP_IS_OPEN;
    }
    return STATUS_OK;
}

/* The row that stands there now, if anybody looks for rows. */
static enum status take_row(struct explanation *x, uint32_t key, struct value value,
                            struct error *err)
{
    struct key_now *now = &x->keys[key];

    if (!x->traces->rows)
        return STATUS_OK;
    row_store_drop(x->traces->rows, now->row);
    now->row = ROW_NONE;
    return traces_row(x->traces, key, value, &now->row, err);
}

static enum status install(struct explanation *x, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = x->h->op_key[op];
    struct key_now *now = &x->keys[key];
    int64_t sent, completed;
    uint32_t readers;

    judge_update(x, txn, op);
    TRY(explanation_depend(x, now->writer, txn, err));
    readers = now->first_reader;
    now->first_reader = NONE;
    TRY(take_row(x, key, history_value(x->h, op), err));
    now->value = traces_written(x->h, op);
    now->writer = txn;
    now->writer_place = x->place;
    if (now->written_at < released_at(x, txn))
        now->written_at = released_at(x, txn);
    traces_times(x->h, txn, explanation_head(x->h, op), &sent, &completed);
    now->installed = x->commits[txn];
    now->sent = explanation_start(x, sent);
    TRY(leave_readers(x, txn, key, readers, err));
    return x->m->profile.reads_any ? explanation_add_value(x, key, now->value, err) : STATUS_OK;
}

static enum status explanation_commit(struct explanation *x, uint32_t txn, struct error *err)
{
    const struct history *h = x->h;
    uint32_t from = h->txn_op[txn], end = h->txn_op[txn + 1];

    if (x->m->profile.view == VIEW_COMMIT) {
        x->view_place[txn] = x->place;
        TRY(explanation_read_transaction(x, txn, err));
    }
    x->commit_place[txn] = x->place;
    for (uint32_t op = from; op < end; op++)
        if (explanation_writes(h, op) || (explanation_reads(h, op) && h->txn_status[txn] == TXN_OK))
            take_lock(x, txn, op);
    for (uint32_t op = from; op < end; op++)
        if (explanation_reads(h, op) && h->txn_status[txn] == TXN_OK)
            give_back(x, txn, op);
    for (uint32_t op = from; op < end; op++)
        if (explanation_writes(h, op) && x->flags[op] & OP_IS_LAST)
            TRY(install(x, txn, op, err));
    return explanation_statements_judge_ranges(x, txn, err);
}

/* An item, the rows of a statement, or one of them. */
static enum status read_operation(struct explanation *x, const struct settled_instant *at,
                                  struct error *err)
{
    const struct history *h = x->h;
    uint32_t op = at->op, end = h->txn_op[at->number + 1];

    x->op_place[op] = x->place;
    TRY(see(x, at->number, op, err));
    for (op++; op < end && op_is_row(h->op_kind[op]); op++)
        if (explanation_reads(h, op) &&
            (x->m->profile.view != VIEW_ROW || h->op_key[op] == at->key)) {
            x->op_place[op] = x->place;
            TRY(read_now(x, at->number, op, err));
        }
    return STATUS_OK;
}

/* --- The walk --------------------------------------------------------------------------------- */

static enum status pass(struct explanation *x, const struct settled_instant *at, struct error *err)
{
    if (at->low > x->now)
        x->now = at->low;
    if (at->op == DERIVATION_COMMIT)
        return explanation_commit(x, at->number, err);
    if (at->op != DERIVATION_VIEW)
        return read_operation(x, at, err);
    x->view_place[at->number] = x->place;
    return explanation_read_transaction(x, at->number, err);
}

static enum status walk(struct explanation *x, struct buffer *out, struct error *err)
{
    const struct derivation *g = x->m->derivation;

    x->now = TIMELINE_BEGINNING;
    buffer_text(out, TEXT("\"instants\":["));
    for (size_t i = 0; i < g->settled.count; i++) {
        const struct settled_instant *at = &g->settled.at[i];

        if (!x->counts[at->number])
            continue;
        if (x->place > 0)
            buffer_byte(out, ',');
        derivation_witness_tell_instant(x->m, x->h, at->number, at->op, at->key, out);
        TRY(pass(x, at, err));
        x->place++;
    }
    buffer_byte(out, ']');
    return STATUS_OK;
}

/* [T,op], or of a row [T,op,key] */
static void tell_open(const struct explanation *x, struct buffer *out)
{
    const struct history *h = x->h;
    const char *between = "";

    buffer_text(out, TEXT(",\"open\":["));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t], number = 0; op < h->txn_op[t + 1]; op++) {
            number += op > h->txn_op[t] && !op_is_row(h->op_kind[op]);
            if (!(x->flags[op] & OP_IS_OPEN))
                continue;
            buffer_print(out, "%s[%" PRId64 ",%" PRIu32, between, h->txn_id[t], number);
            if (op_is_row(h->op_kind[op])) {
                buffer_byte(out, ',');
                buffer_json(out, history_key(h, h->op_key[op]));
            }
            buffer_byte(out, ']');
            between = ",";
        }
    buffer_byte(out, ']');
}

static enum status explain(struct explanation *x, struct buffer *out, struct error *err)
{
    bool has_circle = false;

    TRY(prepare(x, err));
    TRY(walk(x, out, err));
    if (explanation_certifies(x))
        TRY(explanation_find_circle(x, &has_circle, err));
    if (has_circle || x->gives_up)
        out->count = 0;
    else
        tell_open(x, out);
    return STATUS_OK;
}

/*
 * Where windows say nothing, times still say that who was unknown to have committed had, once
 * somebody read of him: a first walk finds by when.
 */
static enum status find_commits(struct explanation *x, struct error *err)
{
    struct explanation first = *x;
    struct buffer unsaid = { 0 };
    enum status status;

    if (x->m->profile.timing != TIMING_KEY)
        return STATUS_OK;
    TRY(memory_resize((void **)&x->committed_by, x->h->txn_count, sizeof *x->committed_by, err));
    for (size_t t = 0; t < x->h->txn_count; t++)
        x->committed_by[t] = TIMELINE_END;
    first.committed_by = x->committed_by;
    status = explain(&first, &unsaid, err);
    buffer_close(&unsaid);
    close(&first);
    return status;
}

enum status explanation_tell(struct interval_model *m, struct traces *traces, struct buffer *out,
                             struct error *err)
{
    struct explanation x = { .m = m, .h = traces->history, .traces = traces };
    enum status status = settled_order_finish(m, err);

    if (status == STATUS_OK)
        status = find_commits(&x, err);
    if (status == STATUS_OK)
        status = explain(&x, out, err);
    if (status == STATUS_OK && m->derivation->is_broken)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    free(x.committed_by);
    close(&x);
    return status;
}
