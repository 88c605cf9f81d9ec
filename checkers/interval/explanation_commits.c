/*
 * A commit, on the walk: what it locked, what it updated, and what others had read of that.
 */
#include "checkers/interval/explanation_private.h"

/* --- Commits ------------------------------------------------------------------------------- */

static bool locks_to_read(const struct explanation *x, uint32_t op)
{
    bool is_there = trace_value(x->h, history_value(x->h, op)) != 0;

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
        if (reader->look != NONE && (reader->txn == txn || look_still_agrees(x, reader, key))) {
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
    now->value = trace_written(x->h, op);
    now->writer = txn;
    now->writer_place = x->place;
    if (now->written_at < released_at(x, txn))
        now->written_at = released_at(x, txn);
    trace_times(x->h, txn, explanation_head(x->h, op), &sent, &completed);
    now->installed = x->commits[txn];
    now->sent = explanation_start(x, sent);
    TRY(leave_readers(x, txn, key, readers, err));
    return x->m->profile.reads_any ? explanation_add_value(x, key, now->value, err) : STATUS_OK;
}

enum status explanation_commit(struct explanation *x, uint32_t txn, struct error *err)
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
    return look_judge_ranges(x, txn, err);
}
