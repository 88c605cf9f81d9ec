/*
 * Lists the edges between transactions by rank, without saying what they are about, for graphs.
 *
 * The walk (walk.c) says of each edge what it is about; here a
 * hundred million go by, of which most need not even be looked for. An edge that
 * leads far forward in time is left out, if whoever asks has said how far that is;
 * and then of each row only the versions need to be looked at that were written near
 * the reader:
 *
 *     time of T9's reads              |
 *     row t/7     T1   T2      T8     |   T10          T44
 *                 far          near       near         far
 *
 * With version orders that are those of places, the others are behind them on
 * both sides.
 */
#include "checkers/certificate/edge_listing_private.h"

#include <stdlib.h>

#include "checkers/certificate/walk_private.h"
#include "checkers/graph/cycles.h"
#include "history/level.h"

/* Remembered, so that nobody looks for them twice; of more, looking takes less memory. */
#define PAIRS_MAX ((size_t)1 << 24)

void edge_listing_init(struct edge_listing *l, struct certificate *c, int64_t span)
{
    *l = (struct edge_listing){ .certificate = c,
                           .kinds = cycles_kinds(c->options->level),
                           .is_snapshot = level_is_snapshot(c->options->level),
                           .span = span };
}

/* --- Times ------------------------------------------------------------------------ */

/*
 * In the time of ranks doubled a transaction commits at its place, and begins behind
 * those that it sees. One without a place has written nothing that somebody sees by
 * place: it stands where it looks.
 */
static inline int64_t commit_of(const struct edge_listing *l, uint32_t rank)
{
    const struct certificate *c = l->certificate;
    uint32_t seen;

    if (rank < c->places.sequence_count)
        return 2 * (int64_t)rank + l->is_snapshot;
    seen = c->txn_seen[c->ranked[rank]];
    return 2 * (int64_t)(seen != HISTORY_NONE ? seen : rank);
}

static inline int64_t begin_of(const struct edge_listing *l, uint32_t rank)
{
    const struct certificate *c = l->certificate;
    uint32_t seen;

    if (!l->is_snapshot)
        return commit_of(l, rank);
    seen = c->txn_seen[c->ranked[rank]];
    return 2 * (int64_t)(seen != HISTORY_NONE ? seen : rank);
}

int64_t edge_listing_time(const struct edge_listing *l, uint32_t node)
{
    if (!l->is_snapshot)
        return commit_of(l, node);
    return node % 2 ? commit_of(l, node / 2) : begin_of(l, node / 2);
}

/* What one rank depends on another in: behind its commit; what it overwrote: before it. */
static inline void list(struct edge_listing *l, uint32_t from, uint32_t to, bool is_anti)
{
    int64_t forward =
        is_anti ? commit_of(l, to) - begin_of(l, from) : begin_of(l, to) - commit_of(l, from);
    if (forward >= l->span)
        return;
    if (l->is_snapshot) {
        from = 2 * from + !is_anti;
        to = 2 * to + is_anti;
    }
    l->has_loop |= from == to;
    l->has_backward |= forward <= 0;
    if (l->adds_to) {
        graph_add(l->adds_to, from, to);
    } else if (l->counts_in) {
        graph_count(l->counts_in, from);
        if (l->pair_count < l->pair_room)
            l->pairs[l->pair_count] = (struct listed_pair){ from, to };
        l->pair_count++;
    }
}

/*
 * Which writers are near a rank, where they are sorted: from `low` on what it depends
 * on, and up to `high` what overwrites it.
 */
static void find_near(struct edge_listing *l, uint32_t rank)
{
    int64_t time = begin_of(l, rank), low, high;

    l->low = 0;
    l->high = UINT32_MAX;
    if (l->span == LISTING_ALL)
        return;
    /* commit_of(writer) > time - span, and < time + span */
    low = time - l->span - l->is_snapshot;
    high = time + l->span - l->is_snapshot + 1;
    l->low = low < 0 ? 0 : (uint32_t)(low / 2 + 1);
    l->high = high < 0 ? 0 : high / 2 < UINT32_MAX ? (uint32_t)(high / 2) : UINT32_MAX;
}

/* --- Items ------------------------------------------------------------------------ */

static inline bool wants(const struct edge_listing *l, enum edge_kind kind)
{
    return l->kinds >> kind & 1;
}

static inline void list_read(struct edge_listing *l, uint32_t reader, uint32_t key, uint32_t number)
{
    const struct certified_versions *v = &l->certificate->versions;
    uint32_t next = certificate_next(l->certificate, key, number);

    if (wants(l, EDGE_WR) && number != VERSION_FIRST)
        list(l, v->rank[number], reader, false);
    if (wants(l, EDGE_RW) && next != HISTORY_NONE && v->rank[next] != reader)
        list(l, reader, v->rank[next], true);
}

/* Most look at their own place, where the walk is. */
static enum status look(struct edge_listing *l, const struct certified_view *view, uint32_t op,
                        uint32_t key, uint32_t *number, bool *is_there)
{
    struct certificate *c = l->certificate;
    struct certified_sight s;

    *is_there = !(c->walked[key].own >= l->first && c->walked[key].own < op);
    if (!*is_there)
        return STATUS_OK;
    if (!view->is_set && view->seen == l->rank) {
        *number = c->walked[key].latest;
        return STATUS_OK;
    }
    s = certificate_look(c, view, c->ranked[l->rank], op, key);
    *number = s.number;
    *is_there = !s.is_unreal;
    return STATUS_OK;
}

static enum status list_item(struct edge_listing *l, uint32_t op, struct error *err)
{
    struct certificate *c = l->certificate;
    uint32_t key = c->history->op_key[op], number;
    struct certified_view view = { .seen = l->seen };
    bool is_there;

    if (!l->is_plain)
        TRY(certificate_view(c, c->ranked[l->rank], op, &view, err));
    TRY(look(l, &view, op, key, &number, &is_there));
    if (is_there)
        list_read(l, l->rank, key, number);
    return STATUS_OK;
}

static inline void list_write(struct edge_listing *l, uint32_t op)
{
    struct certificate *c = l->certificate;
    const struct certified_versions *v = &c->versions;
    uint32_t key = c->history->op_key[op], number = v->number[op];

    c->walked[key].own = op;
    if (number == HISTORY_NONE)
        return;
    /* Its own transaction no longer looks at it. */
    c->walked[key].latest = number;
    if (number > v->start[key] && wants(l, EDGE_WW))
        list(l, v->rank[number - 1], l->rank, false);
}

/* --- Statements ------------------------------------------------------------------- */

/* A statement. */
struct inquiry {
    struct certified_view view;
    struct predicate_columns columns;
    uint32_t head, low, high; /* which writers are near */
    bool reads_all, reads_returned;
};

/* False: nobody can say, and so nothing follows. */
static bool matches(struct edge_listing *l, struct inquiry *q, uint32_t key, uint32_t number, bool *yes)
{
    enum predicate_answer answer = predicate_columns_match(l->certificate, &q->columns, key, number);

    *yes = answer == PREDICATE_YES;
    if (answer == PREDICATE_UNDECIDED)
        certificate_note_undecided(l->certificate, q->head);
    return answer != PREDICATE_UNDECIDED;
}

/* The first of the versions down from this one that was written near. */
static uint32_t first_near(const struct edge_listing *l, const struct inquiry *q, uint32_t key,
                           uint32_t number)
{
    const struct certified_versions *v = &l->certificate->versions;

    if (q->low == 0 || !v->is_sorted[key])
        return v->start[key];
    while (number > v->start[key] && v->rank[number - 1] >= q->low)
        number--;
    return number;
}

/* Where near versions end, from this one on. */
static uint32_t end_near(const struct edge_listing *l, const struct inquiry *q, uint32_t key,
                         uint32_t number)
{
    const struct certified_versions *v = &l->certificate->versions;

    if (q->high == UINT32_MAX || !v->is_sorted[key])
        return v->start[key + 1];
    while (number < v->start[key + 1] && v->rank[number] < q->high)
        number++;
    return number;
}

/* At or before what was seen, the nearest version that changes whether the row matches. */
static void list_change_before(struct edge_listing *l, struct inquiry *q, uint32_t key, uint32_t number,
                               bool matched)
{
    const struct certified_versions *v = &l->certificate->versions;
    uint32_t first = first_near(l, q, key, number), n = number;
    bool other = matched;

    /* What is before `first` is asked for whether that changes it. */
    if (q->columns.only)
        n = predicate_columns_skip_back(&q->columns, matched, number, first);
    while (other == matched && n + 1 > first) {
        if (!matches(l, q, key, n == v->start[key] ? VERSION_FIRST : n - 1, &other))
            return;
        if (other != matched)
            list(l, v->rank[n], l->rank, false);
        else if (n-- == first)
            return;
    }
}

/* Behind what was seen. Behind its own version, version order says as much anyway. */
static void list_change_behind(struct edge_listing *l, struct inquiry *q, uint32_t key, uint32_t number,
                               bool matched)
{
    const struct certified_versions *v = &l->certificate->versions;
    uint32_t n = number == VERSION_FIRST ? v->start[key] : number + 1;
    uint32_t end = end_near(l, q, key, n);
    bool other = matched;

    if (q->columns.only)
        n = predicate_columns_skip_forward(&q->columns, matched, n, end);
    for (; n < end && v->rank[n] != l->rank; n++) {
        if (!matches(l, q, key, n, &other))
            return;
        if (other == matched)
            continue;
        list(l, l->rank, v->rank[n], true);
        return;
    }
}

static enum status list_row(struct edge_listing *l, struct inquiry *q, uint32_t key)
{
    struct certificate *c = l->certificate;
    const struct certified_versions *v = &c->versions;
    uint32_t number, next;
    bool is_there, matched;

    TRY(look(l, &q->view, q->head, key, &number, &is_there));
    if (!is_there)
        return STATUS_OK;
    next = certificate_next(c, key, number);
    if (v->is_sorted[key] && (number == VERSION_FIRST || v->rank[number] < q->low) &&
        (next == HISTORY_NONE || v->rank[next] >= q->high))
        return STATUS_OK;
    if (!matches(l, q, key, number, &matched))
        return STATUS_OK;
    if (wants(l, EDGE_PREDICATE_WR) && number != VERSION_FIRST)
        list_change_before(l, q, key, number, matched);
    if (wants(l, EDGE_PREDICATE_RW))
        list_change_behind(l, q, key, number, matched);
    if (matched && (q->reads_all || (q->reads_returned && c->returned[key] == q->head + 1)))
        list_read(l, l->rank, key, number);
    return STATUS_OK;
}

/*
 * A row has an edge to tell of only if what is seen of it was written near, or what
 * comes next: between the nearest end and where the statement looks, on either side.
 * Whether those are fewer than rows in all; and of which ranks they are.
 */
static bool is_few(const struct certificate *c, const struct inquiry *q, uint32_t table,
                   uint32_t *from, uint32_t *end)
{
    uint32_t seen = q->view.seen;

    if (q->view.is_set || c->is_in_disorder[table])
        return false;
    *from = q->low < seen ? q->low : seen;
    *end = q->high > seen ? q->high : seen;
    if (*end > c->places.in_count)
        *end = c->places.in_count;
    if (*from > *end)
        *from = *end;
    return c->left_start[*end] - c->left_start[*from] <
           c->keys.start[table + 1] - c->keys.start[table];
}

static enum status list_near_rows(struct edge_listing *l, struct inquiry *q, uint32_t table,
                                  uint32_t from, uint32_t end)
{
    struct certificate *c = l->certificate;

    c->question++;
    for (uint32_t i = c->left_start[from]; i < c->left_start[end]; i++) {
        uint32_t key = c->left[i];

        if (!pace_spend(&c->rows.pace, 2))
            break;
        if (c->keys.table[key] != table || c->asked[key] == c->question)
            continue;
        c->asked[key] = c->question;
        TRY(list_row(l, q, key));
    }
    return STATUS_OK;
}

static enum status list_statement(struct edge_listing *l, uint32_t head, struct error *err)
{
    struct certificate *c = l->certificate;
    const struct history *h = c->history;
    uint32_t table = h->statement_table[h->op_key[head]], from, end;
    struct inquiry q = { .view = { .seen = l->seen },
                         .low = l->low,
                         .high = l->high,
                         .columns = predicate_columns_of(c, head),
                         .head = head,
                         .reads_all = answers_read_all(h, head),
                         .reads_returned = h->op_kind[head] == OP_SELECT };
    const struct spans *spans = q.columns.spans;

    if (!l->is_plain)
        TRY(certificate_view(c, c->ranked[l->rank], head, &q.view, err));
    if (q.reads_returned)
        certificate_note_returned(c, head);
    if (spans->is_pinned)
        return spans->key == HISTORY_NONE ? STATUS_OK : list_row(l, &q, spans->key);
    if (is_few(c, &q, table, &from, &end))
        return list_near_rows(l, &q, table, from, end);
    for (uint32_t i = c->keys.start[table];
         i < c->keys.start[table + 1] && pace_spend(&c->rows.pace, 4); i++)
        TRY(list_row(l, &q, c->keys.members[i]));
    return STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------- */

/*
 * Passes over reads and writes at one's own place of which nothing near is to be told,
 * without a jump between the two. Where two keys meet, a version may look near that is
 * another key's: it stops there, too, and whoever looks closely sees that.
 */
static uint32_t pass_over(const struct edge_listing *l, uint32_t op, uint32_t end)
{
    const struct certificate *c = l->certificate;
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;

    for (; op < end && h->op_kind[op] <= OP_WRITE && !(h->op_flags[op] & OP_ERROR); op++) {
        struct walked *walked = &c->walked[h->op_key[op]];
        bool writes = h->op_kind[op] == OP_WRITE;
        uint32_t number = writes ? v->number[op] : walked->latest;
        bool is_near;

        if (number == HISTORY_NONE) /* one that it overwrites itself, or the initial version */
            break;
        is_near = (v->rank[(int64_t)number - writes] >= l->low) |
                  (!writes & (v->rank[number + 1] < l->high));
        if (is_near)
            break;
        walked->own = writes ? op : walked->own;
        walked->latest = number;
    }
    return op;
}

static enum status list_txn(struct edge_listing *l, uint32_t rank, struct error *err)
{
    struct certificate *c = l->certificate;
    const struct history *h = c->history;
    uint32_t txn = c->ranked[rank], end = h->txn_op[txn + 1];
    bool reads = (l->kinds & ~(UINT32_C(1) << EDGE_WW)) && h->txn_status[txn] == TXN_OK;

    l->rank = rank;
    l->first = h->txn_op[txn];
    l->seen = c->txn_seen[txn];
    l->is_plain = certificate_is_plain(c, txn);
    find_near(l, rank);
    for (uint32_t op = l->first; op < end; op++) {
        uint8_t kind;

        if (l->is_plain && l->low > 0)
            op = pass_over(l, op, end);
        if (op == end)
            break;
        kind = h->op_kind[op];
        if (history_makes_version(h, op))
            list_write(l, op);
        else if (reads && kind != OP_ROW_READ && certificate_is_answered(h, txn, op))
            TRY(kind == OP_READ ? list_item(l, op, err) : list_statement(l, op, err));
    }
    return STATUS_OK;
}

void edge_listing_close(struct edge_listing *l)
{
    free(l->pairs);
    l->pairs = NULL;
    l->pair_count = l->pair_room = 0;
}

/* What was remembered, if it was all. */
static bool has_pairs(struct edge_listing *l)
{
    if (!l->adds_to || l->pair_room == 0 || l->pair_count > l->pair_room)
        return false;
    for (size_t i = 0; i < l->pair_count; i++)
        graph_add(l->adds_to, l->pairs[i].from, l->pairs[i].to);
    return true;
}

static enum status make_room(struct edge_listing *l, struct error *err)
{
    size_t room = 1024 + 64 * l->certificate->history->op_count;

    room = room < PAIRS_MAX ? room : PAIRS_MAX;
    TRY(memory_resize((void **)&l->pairs, room, sizeof *l->pairs, err));
    l->pair_room = room;
    return STATUS_OK;
}

enum status edge_listing_run(struct edge_listing *l, struct error *err)
{
    struct certificate *c = l->certificate;

    if (has_pairs(l))
        return STATUS_OK;
    if (l->counts_in)
        TRY(make_room(l, err));

    certificate_begin_walk(c);
    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        if (rank + CERTIFICATE_AHEAD < c->places.in_count)
            certificate_fetch(c, c->ranked[rank + CERTIFICATE_AHEAD]);
        TRY(list_txn(l, rank, err));
        if (l->stops_backward && l->has_backward)
            return STATUS_OK;
        if (certificate_is_time(c, rank) && !certificate_goes_on(c, "cycles", rank))
            return STATUS_OK;
    }
    return STATUS_OK;
}
