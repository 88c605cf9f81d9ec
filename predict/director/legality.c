#include "predict/director/legality_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool legality_has_order(enum level level)
{
    return level == LEVEL_PREFIX || level == LEVEL_SNAPSHOT || level == LEVEL_SERIALIZABLE ||
           level == LEVEL_READ_UNCOMMITTED;
}

void legality_init(struct legality *l, enum level level, const struct directed_keys *keys)
{
    *l = (struct legality){ .level = level, .keys = keys };
}

void legality_close(struct legality *l)
{
    commit_order_close(&l->order);
    free(l->sets);
    array_close(&l->reads);
}

/* --- Sets --------------------------------------------------------------------------------------- */

static enum status reserve(struct legality *l, uint32_t count, struct error *err)
{
    TRY(commit_order_reserve(&l->order, count, err));
    if (l->words == l->order.words)
        return STATUS_OK;
    free(l->sets);
    l->words = 0;
    l->sets = calloc((size_t)l->order.words * 5, sizeof *l->sets);
    if (!l->sets)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what a transaction has seen");
    l->words = l->order.words;
    l->seen = l->sets;
    l->barred = l->seen + l->words;
    l->loaded = l->barred + l->words;
    l->writers = l->loaded + l->words;
    l->passed = l->writers + l->words;
    return STATUS_OK;
}

static void find_writers(const struct legality *l, uint32_t key)
{
    const struct directed_key *k = &l->keys->keys.at[key];

    memset(l->writers, 0, l->words * sizeof *l->writers);
    for (size_t i = 1; i < k->versions.count; i++)
        bits_add(l->writers, k->versions.at[i].writer);
}

/* What reading from the writer brings with it, in one word. */
static uint64_t brought(const struct legality *l, uint32_t writer, uint32_t word)
{
    uint64_t own = word == writer / 64 ? UINT64_C(1) << writer % 64 : 0;

    if (l->level != LEVEL_CAUSAL)
        return own;
    return own | order_row(l->order.past, &l->order, writer)[word];
}

/* --- A transaction ------------------------------------------------------------------------------ */

static void forget_reads(struct legality *l)
{
    memset(l->barred, 0, l->words * sizeof *l->barred);
    memset(l->loaded, 0, l->words * sizeof *l->loaded);
}

enum status legality_begin(struct legality *l, uint32_t txn, uint32_t previous, struct error *err)
{
    l->reads.count = l->moment = 0;
    l->statement = UINT32_MAX;
    l->previous = previous;
    l->low = previous == LEGALITY_NOBODY ? 0 : previous + 1;
    l->high = txn;
    if (l->level == LEVEL_SERIALIZABLE)
        l->low = txn;
    if (legality_has_order(l->level))
        return STATUS_OK;
    TRY(reserve(l, txn + 1, err));
    forget_reads(l);
    memset(l->seen, 0, l->words * sizeof *l->seen);
    l->mark = commit_order_mark(&l->order);
    if (previous == LEGALITY_NOBODY || l->level == LEVEL_READ_COMMITTED)
        return STATUS_OK;
    memcpy(l->seen, order_row(l->order.past, &l->order, previous), l->words * sizeof *l->seen);
    bits_add(l->seen, previous);
    return STATUS_OK;
}

void legality_enter(struct legality *l, uint32_t statement)
{
    if (l->level != LEVEL_READ_COMMITTED || l->statement == statement)
        return;
    l->statement = statement;
    l->moment = l->reads.count;
    forget_reads(l);
}

/* --- Edges that a read forces ------------------------------------------------------------------- */

/*
 * The transactions in the bits of a word come before `then`. False: some of them cannot. Where they can is not looked
 * at again: the edges that others brought count.
 */
static enum status add_edges(struct legality *l, uint64_t bits, uint32_t word, uint32_t then,
                             bool *is_possible, struct error *err)
{
    bits &= ~order_row(l->order.before, &l->order, then)[word];
    for (; bits && *is_possible; bits &= bits - 1) {
        uint32_t first = word * 64 + (uint32_t)__builtin_ctzll(bits);

        if (first == then)
            continue;
        *is_possible = !bits_have(order_row(l->order.after, &l->order, then), first);
        if (*is_possible)
            TRY(commit_order_add(&l->order, first, then, err));
    }
    return STATUS_OK;
}

/* Those that the writer newly brings with it come before whom the transaction has read their keys from. */
static enum status add_earlier(struct legality *l, uint32_t writer, bool *is_possible,
                               struct error *err)
{
    for (size_t i = l->moment; i < l->reads.count && *is_possible; i++) {
        const struct legal_read *r = &l->reads.at[i];

        find_writers(l, r->key);
        for (uint32_t word = 0; word < l->words && *is_possible; word++) {
            uint64_t bits = brought(l, writer, word) & ~l->seen[word] & l->writers[word];

            if (r->writer == DIRECTED_INITIAL)
                *is_possible = bits == 0;
            else
                TRY(add_edges(l, bits, word, r->writer, is_possible, err));
        }
    }
    return STATUS_OK;
}

/* Whether the writer brings somebody of the set with it who has not been seen. */
static bool brings(const struct legality *l, uint32_t writer, const uint64_t *set)
{
    const uint64_t *past = order_row(l->order.past, &l->order, writer);

    if (bits_have(set, writer) && !bits_have(l->seen, writer))
        return true;
    for (uint32_t word = 0; l->level == LEVEL_CAUSAL && word < l->words; word++)
        if (past[word] & set[word] & ~l->seen[word])
            return true;
    return false;
}

static bool has_unseen(const struct legality *l, const uint64_t *set)
{
    for (uint32_t word = 0; word < l->words; word++)
        if (set[word] & ~l->seen[word])
            return true;
    return false;
}

/* The key's writers are at hand; not afterwards, if there are edges that others bring. */
static enum status add_all(struct legality *l, uint32_t writer, bool *is_possible,
                           struct error *err)
{
    bool has_earlier = brings(l, writer, l->loaded);

    *is_possible = true;
    for (uint32_t word = 0; word < l->words && *is_possible; word++)
        TRY(add_edges(l, (l->seen[word] | brought(l, writer, word)) & l->writers[word], word,
                      writer, is_possible, err));
    return has_earlier ? add_earlier(l, writer, is_possible, err) : STATUS_OK;
}

/* --- What is legal ------------------------------------------------------------------------------ */

static bool is_initial_legal(const struct legality *l)
{
    for (uint32_t word = 0; word < l->words; word++)
        if (l->seen[word] & l->writers[word])
            return false;
    return true;
}

/*
 * Those that come before a writer of the key that has been seen: from them it cannot be read. Whoever they bring with
 * them comes before them.
 */
static void find_passed(struct legality *l)
{
    memset(l->passed, 0, l->words * sizeof *l->passed);
    for (uint32_t word = l->words; word-- > 0;)
        for (uint64_t bits = l->seen[word] & l->writers[word] & ~l->passed[word]; bits;) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(bits);
            const uint64_t *before = order_row(l->order.before, &l->order, word * 64 + bit);

            for (uint32_t i = 0; i < l->words; i++)
                l->passed[i] |= before[i];
            bits &= ~(UINT64_C(1) << bit) & ~l->passed[word];
        }
}

static enum status is_legal(struct legality *l, uint32_t key, uint32_t writer, bool *legal,
                            struct error *err)
{
    size_t mark = commit_order_mark(&l->order);

    if (writer == DIRECTED_INITIAL) {
        *legal = is_initial_legal(l);
        return STATUS_OK;
    }
    *legal = !bits_have(l->passed, writer) && !(l->is_barring && brings(l, writer, l->barred));
    /* Edges to one transaction alone close no cycle together that none of them closes. With others they may. */
    if (!*legal || !l->is_loading || !brings(l, writer, l->loaded))
        return STATUS_OK;
    TRY(add_all(l, writer, legal, err));
    commit_order_go_back(&l->order, mark);
    find_writers(l, key);
    return STATUS_OK;
}

/* The prefixes that show this version: from and to how many transactions. */
static uint32_t shown_from(const struct directed_key *k, uint32_t place)
{
    return place ? k->versions.at[place].writer + 1 : 0;
}

static uint32_t shown_to(const struct directed_key *k, uint32_t place)
{
    return place + 1 < k->versions.count ? k->versions.at[place + 1].writer : UINT32_MAX;
}

enum status legality_find(struct legality *l, uint32_t key, uint32_t *places, uint32_t *count,
                          struct error *err)
{
    const struct directed_key *k = &l->keys->keys.at[key];

    *count = 0;
    if (!legality_has_order(l->level)) {
        find_writers(l, key);
        find_passed(l);
        l->is_barring = has_unseen(l, l->barred);
        l->is_loading = has_unseen(l, l->loaded);
    }
    for (uint32_t place = 0; place < k->versions.count; place++) {
        bool legal = l->level == LEVEL_READ_UNCOMMITTED ||
                     (shown_from(k, place) <= l->high && shown_to(k, place) >= l->low);

        if (!legality_has_order(l->level))
            TRY(is_legal(l, key, k->versions.at[place].writer, &legal, err));
        if (legal)
            places[(*count)++] = place;
    }
    assert(*count > 0);
    return STATUS_OK;
}

/* --- What was done ------------------------------------------------------------------------------ */

/* Of a read of the key whose writers are at hand. */
static void bar_writers(struct legality *l, uint32_t writer)
{
    for (uint32_t word = 0; word < l->words; word++) {
        uint64_t writers = l->writers[word];

        if (writer == DIRECTED_INITIAL) {
            l->barred[word] |= writers;
            continue;
        }
        if (word == writer / 64)
            writers &= ~(UINT64_C(1) << writer % 64);
        l->barred[word] |= writers & order_row(l->order.after, &l->order, writer)[word];
        l->loaded[word] |= writers & ~order_row(l->order.before, &l->order, writer)[word];
    }
}

/* New edges change what the reads before say. */
static void bar_all(struct legality *l)
{
    forget_reads(l);
    for (size_t i = l->moment; i < l->reads.count; i++) {
        find_writers(l, l->reads.at[i].key);
        bar_writers(l, l->reads.at[i].writer);
    }
}

static enum status take(struct legality *l, uint32_t key, uint32_t writer, struct error *err)
{
    size_t mark = commit_order_mark(&l->order);
    bool is_possible = true;

    find_writers(l, key);
    if (writer != DIRECTED_INITIAL)
        TRY(add_all(l, writer, &is_possible, err));
    assert(is_possible);
    for (uint32_t word = 0; writer != DIRECTED_INITIAL && word < l->words; word++)
        l->seen[word] |= brought(l, writer, word);
    TRY(array_push(&l->reads, ((struct legal_read){ key, writer }), err));
    if (commit_order_mark(&l->order) > mark) {
        bar_all(l);
        return STATUS_OK;
    }
    find_writers(l, key);
    bar_writers(l, writer);
    return STATUS_OK;
}

enum status legality_read(struct legality *l, uint32_t key, uint32_t place, struct error *err)
{
    const struct directed_key *k = &l->keys->keys.at[key];

    /* Without other versions nothing is forced, now or by the reads that follow. */
    if (k->versions.count == 1 || l->level == LEVEL_READ_UNCOMMITTED)
        return STATUS_OK;
    if (!legality_has_order(l->level))
        return take(l, key, k->versions.at[place].writer, err);
    if (shown_from(k, place) > l->low)
        l->low = shown_from(k, place);
    if (shown_to(k, place) < l->high)
        l->high = shown_to(k, place);
    assert(l->low <= l->high);
    return STATUS_OK;
}

bool legality_write(struct legality *l, uint32_t key)
{
    const struct directed_key *k = &l->keys->keys.at[key];
    uint32_t from = shown_from(k, (uint32_t)k->versions.count - 1);

    if (l->level != LEVEL_SNAPSHOT)
        return true;
    if (from > l->high)
        return false;
    if (from > l->low)
        l->low = from;
    return true;
}

/* All that comes before a transaction, and itself, where it is not in the row yet: the rows are closed. */
static void come_after(struct legality *l, uint64_t *row, uint32_t txn)
{
    const uint64_t *before = order_row(l->order.before, &l->order, txn);

    if (bits_have(row, txn))
        return;
    for (uint32_t word = 0; word < l->words; word++)
        row[word] |= before[word];
    bits_add(row, txn);
}

void legality_commit(struct legality *l, uint32_t txn)
{
    uint64_t *row, *past;

    if (legality_has_order(l->level))
        return;
    row = order_row(l->order.before, &l->order, txn);
    past = order_row(l->order.past, &l->order, txn);
    /* The newest first: most others come before them. */
    for (uint32_t word = l->words; word-- > 0;)
        for (uint64_t bits = l->seen[word] & ~row[word]; bits; bits &= ~row[word])
            come_after(l, row, word * 64 + 63 - (uint32_t)__builtin_clzll(bits));
    if (l->previous != LEGALITY_NOBODY)
        come_after(l, row, l->previous);
    commit_order_append(&l->order, txn);
    if (l->level == LEVEL_CAUSAL)
        memcpy(past, l->seen, l->words * sizeof *past);
    if (l->level != LEVEL_READ_ATOMIC || l->previous == LEGALITY_NOBODY)
        return;
    memcpy(past, order_row(l->order.past, &l->order, l->previous), l->words * sizeof *past);
    bits_add(past, l->previous);
}

void legality_abort(struct legality *l)
{
    commit_order_go_back(&l->order, l->mark);
}

void legality_undo(struct legality *l, uint32_t txn, size_t mark)
{
    if (legality_has_order(l->level))
        return;
    commit_order_remove(&l->order, txn);
    commit_order_go_back(&l->order, mark);
}

/* --- At the end --------------------------------------------------------------------------------- */

static bool is_ready(const struct legality *l, uint32_t txn, const uint64_t *done)
{
    const uint64_t *before = order_row(l->order.before, &l->order, txn);

    for (uint32_t word = 0; word < l->words; word++)
        if (before[word] & ~done[word])
            return false;
    return true;
}

/* The first that is ready of those that must come before it, or itself. */
static uint32_t next_ready(const struct legality *l, uint32_t txn, const uint64_t *done)
{
    const uint64_t *before = order_row(l->order.before, &l->order, txn);

    for (uint32_t word = 0; word < l->words; word++)
        for (uint64_t bits = before[word] & ~done[word]; bits; bits &= bits - 1) {
            uint32_t other = word * 64 + (uint32_t)__builtin_ctzll(bits);

            if (is_ready(l, other, done))
                return other;
        }
    return txn;
}

enum status legality_final_order(const struct legality *l, uint32_t count, uint32_t *order,
                                 struct error *err)
{
    uint64_t *done;
    uint32_t placed = 0;

    for (uint32_t i = 0; legality_has_order(l->level) && i < count; i++)
        order[i] = i;
    if (legality_has_order(l->level) || count == 0)
        return STATUS_OK;
    done = calloc(l->words, sizeof *done);
    if (!done)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the order of transactions");
    for (uint32_t i = 0; i < count; i++)
        while (!bits_have(done, i)) {
            uint32_t next = next_ready(l, i, done);

            bits_add(done, next);
            order[placed++] = next;
        }
    assert(placed == count);
    free(done);
    return STATUS_OK;
}
