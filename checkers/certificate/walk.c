/*
 * Walks through the transactions in the order of their places, then through those without one; of
 * each it visits what it saw, and then what it left behind.
 */
#include "checkers/certificate/walk_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "checkers/proof/tell.h"

/* --- Views --------------------------------------------------------------------- */

/*
 * Which version an operation sees of a key: docs/format-jsonl.md, Versions.
 */

#define SET_SCANNED_MAX 8 /* entries: more are remembered by key */

size_t certificate_find_set(const struct history *h, uint32_t op)
{
    size_t place;

    BISECT(place, 0, h->set_count, h->set_op[place] < op);
    return place < h->set_count && h->set_op[place] == op ? place : h->set_count;
}

enum status certificate_view(const struct certificate *c, uint32_t txn, uint32_t op,
                             struct certified_view *view, struct error *err)
{
    const struct history *h = c->history;
    struct place place;

    *view = (struct certified_view){ .seen = c->txn_seen[txn] };
    if (h->set_count > 0) {
        view->set = certificate_find_set(h, op);
        view->is_set = view->set < h->set_count;
        if (view->is_set)
            return STATUS_OK;
    }
    if (h->op_snapshot) {
        place = history_op_snapshot(h, txn, op);
        if (place.parts > 0)
            view->seen = places_up_to(&c->places, place, c->places.position[txn]);
    }
    if (view->seen == HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "the certificate is not full: operation %" PRIu32
                         " of transaction %" PRId64 " has no version set, neither by a \"set\" or "
                         "\"snapshot\" of its own, nor by a \"snapshot\" or \"ts\" of its "
                         "transaction",
                         tell_op_number(h, txn, op), h->txn_id[txn]);
    if (c->versions.unplaced != HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "the certificate is not full: transaction %" PRId64
                         " reads by place, and transaction %" PRId64 ", which wrote, has no \"ts\"",
                         h->txn_id[txn], h->txn_id[c->versions.unplaced]);
    return STATUS_OK;
}

/* Where the entries of a large set stand by key. */
static void remember_set(struct certificate *c, uint64_t set)
{
    const struct history *h = c->history;

    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        c->set_of_key[h->set_key[i]] = (uint32_t)set + 1;
        c->entry_of_key[h->set_key[i]] = (uint32_t)(i - h->set_start[set]);
    }
    c->remembered_set = (uint32_t)set + 1;
}

/* The place of the key's entry; the set's end: it has none. */
static uint64_t find_entry(struct certificate *c, uint64_t set, uint32_t key)
{
    const struct history *h = c->history;
    uint64_t i = h->set_start[set], end = h->set_start[set + 1];

    if (end - i <= SET_SCANNED_MAX) {
        while (i < end && h->set_key[i] != key)
            i++;
        return i;
    }
    if (c->remembered_set != set + 1)
        remember_set(c, set);
    return c->set_of_key[key] == set + 1 ? i + c->entry_of_key[key] : end;
}

static void look_in_set(struct certificate *c, uint64_t set, struct certified_sight *s)
{
    const struct history *h = c->history;
    uint64_t entry = find_entry(c, set, s->key);

    s->number = VERSION_FIRST; /* what a set leaves out */
    if (entry == h->set_start[set + 1] || h->set_version[entry] == VERSION_INITIAL)
        return;
    s->unreal = h->set_version[entry];
    s->number = c->versions.number[s->unreal];
    s->is_unreal = s->number == HISTORY_NONE || certificate_writer(c, s->number) == s->txn;
}

/* The last of the key's versions, by place, that are among the first `seen`. */
static uint32_t look_by_place(const struct certificate *c, const struct certified_sight *s, uint32_t seen)
{
    const struct certified_versions *v = &c->versions;
    uint32_t from = v->start[s->key], low;
    const uint32_t *by_place = v->is_sorted[s->key] ? NULL : v->by_place;

    BISECT(low, from, v->start[s->key + 1], v->rank[by_place ? by_place[low] : low] < seen);
    /* Its own is there by its own rules only. */
    if (low > from && certificate_writer(c, by_place ? by_place[low - 1] : low - 1) == s->txn)
        low--;
    if (low == from)
        return VERSION_FIRST;
    return by_place ? by_place[low - 1] : low - 1;
}

/* The same, from where the walk is: most look there, or a little way back. */
static uint32_t look_around(const struct certificate *c, const struct certified_sight *s, uint32_t seen)
{
    const struct certified_versions *v = &c->versions;
    uint32_t number = c->walked[s->key].latest;

    if (seen == c->places.position[s->txn])
        return number;
    if (seen > c->places.position[s->txn] || !v->is_sorted[s->key])
        return look_by_place(c, s, seen);
    for (unsigned tries = 0; tries < 16; tries++) {
        if (number == VERSION_FIRST || v->rank[number] < seen)
            return number;
        number = number == v->start[s->key] ? VERSION_FIRST : number - 1;
    }
    return look_by_place(c, s, seen);
}

struct certified_sight certificate_look(struct certificate *c, const struct certified_view *view,
                                        uint32_t txn, uint32_t op, uint32_t key)
{
    const struct history *h = c->history;
    struct certified_sight s = { .txn = txn, .op = op, .key = key };
    uint32_t own = c->walked[key].own;

    s.is_own = own >= h->txn_op[txn] && own < op && own != HISTORY_NONE;
    if (s.is_own)
        return s;
    if (view->is_set)
        look_in_set(c, view->set, &s);
    else if (c->places.position[txn] == HISTORY_NONE)
        s.number = look_by_place(c, &s, view->seen);
    else
        s.number = look_around(c, &s, view->seen);
    return s;
}

/* --- What is there ---------------------------------------------------------------- */

/*
 * What comes behind each write of the transaction, gathered from the last to the
 * first when one of its own writes is looked at.
 */
static enum status note_own_writes(struct certificate *c, uint32_t txn, struct error *err)
{
    const struct history *h = c->history;
    uint32_t first = h->txn_op[txn], count = h->txn_op[txn + 1] - first;

    if (c->own_writes.count > 0 && c->own_writes_txn == txn)
        return STATUS_OK;
    if (!c->own_last)
        TRY(check_memory((void **)&c->own_last, h->key_count, sizeof *c->own_last, 0xff, err));
    c->own_writes.count = 0;
    TRY(array_reserve(&c->own_writes, count, err));
    for (uint32_t op = first + count; op-- > first;) {
        struct certified_write *last, *here = &c->own_writes.at[op - first];

        if (!history_makes_version(h, op))
            continue;
        last = &c->own_last[h->op_key[op]];
        *here =
            last->txn == txn ? *last : (struct certified_write){ txn, c->versions.number[op], 0, true };
        *last = *here;
        last->later++;
        last->only_appends &= h->op_kind[op] == OP_APPEND;
    }
    for (uint32_t op = first; op < first + count; op++) /* for the next time it is asked */
        if (history_makes_version(h, op))
            c->own_last[h->op_key[op]].txn = HISTORY_NONE;
    c->own_writes.count = count;
    c->own_writes_txn = txn;
    return STATUS_OK;
}

/*
 * What the transaction made of the key so far, upon the version before its own. If
 * all it does from now on is appending, that is where its own version begins with.
 */
static enum status hold_own(struct certificate *c, const struct certified_sight *s, struct held *held,
                            struct error *err)
{
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;
    uint32_t last = c->walked[s->key].own;
    struct certified_write own;

    held->version = last;
    if (h->op_kind[last] != OP_APPEND)
        return contents_write(&c->contents, (struct content){ .kind = VALUE_NULL }, last,
                              &held->content, err);
    TRY(note_own_writes(c, s->txn, err));
    own = c->own_writes.at[last - h->txn_op[s->txn]];
    if (own.only_appends && v->content[own.number].kind == CONTENT_GROWN) {
        held->content = v->content[own.number];
        held->content.length -= own.later;
        return STATUS_OK;
    }
    held->content = certificate_content(
        c, s->key, own.number == v->start[s->key] ? VERSION_FIRST : own.number - 1);
    for (uint32_t op = h->txn_op[s->txn]; op <= last; op++)
        if (history_makes_version(h, op) && h->op_key[op] == s->key)
            TRY(contents_write(&c->contents, held->content, op, &held->content, err));
    return STATUS_OK;
}

/* What is there. */
static enum status certificate_hold(struct certificate *c, const struct certified_sight *s, struct held *held,
                                    struct error *err)
{
    if (s->is_own)
        return hold_own(c, s, held, err);
    if (s->is_unreal) {
        *held = (struct held){ { .kind = VALUE_NONE }, s->unreal };
        return STATUS_OK;
    }
    *held = (struct held){ certificate_content(c, s->key, s->number),
                           certificate_version_op(c, s->number) };
    return STATUS_OK;
}

/* --- Statements ---------------------------------------------------------------- */

/*
 * Statements: which rows should have come, and which versions changed whether a row
 * matches (algorithm 3 of the paper).
 *
 *     row t/7      10 << 30 << 35 << 12 << 31       v >= 20
 *     matches      no    yes   yes   no    yes
 *     changes            *           *     *
 *
 * If 35 was seen: a read dependency on the nearest change at or before it (30), an
 * anti-dependency on the nearest behind it (12). Those further away follow from
 * version order with as many anti-dependencies on every path, so that no cycle is
 * lost or changes its name.
 */

/* One statement, while its table's rows are looked at. */
struct asking {
    struct walk *walk;
    uint32_t txn, head;
    struct predicate_columns columns;
    struct certified_view view;
    bool is_undecided;
    bool reads_all, reads_returned; /* what is in rows, and not only whether they match */
};

void certificate_note_undecided(struct certificate *c, uint32_t head)
{
    check_note_unjudged(c->check, c->history->op_key[head]);
}

void certificate_note_returned(struct certificate *c, uint32_t head)
{
    const struct history *h = c->history;
    uint32_t count = h->statement_row_count[h->op_key[head]];

    for (uint32_t op = head + 1; op <= head + count; op++)
        c->returned[h->op_key[op]] = head + 1;
}

/* Of a version: false: nobody can say, and so nothing follows. */
static bool matches(struct asking *a, uint32_t key, uint32_t number, bool *yes)
{
    struct certificate *c = a->walk->certificate;
    enum predicate_answer answer = predicate_columns_match(c, &a->columns, key, number);

    *yes = answer == PREDICATE_YES;
    if (answer == PREDICATE_UNDECIDED)
        certificate_note_undecided(c, a->head);
    return answer != PREDICATE_UNDECIDED;
}

/* Whether there is time for one more version or row. */
static bool may_go_on(const struct asking *a)
{
    return pace_spend(&a->walk->certificate->rows.pace, 4);
}

/* --- Changes ---------------------------------------------------------------------- */

static enum status tell_change(struct asking *a, const struct certified_sight *s, uint32_t changing,
                               enum edge_kind kind, struct error *err)
{
    const struct certificate *c = a->walk->certificate;
    bool is_read = kind == EDGE_PREDICATE_WR;
    uint32_t writer = certificate_writer(c, changing);
    struct edge edge = { .kind = (uint8_t)kind,
                         .from = is_read ? writer : a->txn,
                         .to = is_read ? a->txn : writer,
                         .op = a->head,
                         .key = s->key,
                         .version = certificate_version_op(c, s->number),
                         .other = c->versions.op[changing] };

    return a->walk->edge(a->walk->context, &edge, err);
}

/* At or before what was seen; its own would be what it does only later. */
static enum status find_change_before(struct asking *a, const struct certified_sight *s, bool matched,
                                      struct error *err)
{
    const struct certified_versions *v = &a->walk->certificate->versions;
    uint32_t from = s->number;

    if (s->number == VERSION_FIRST)
        return STATUS_OK;
    if (a->columns.only)
        from = predicate_columns_skip_back(&a->columns, matched, from, v->start[s->key]);
    for (uint32_t n = from;; n--) {
        uint32_t before = n == v->start[s->key] ? VERSION_FIRST : n - 1;
        bool other;

        if (!may_go_on(a) || !matches(a, s->key, before, &other))
            return STATUS_OK;
        if (other != matched)
            return tell_change(a, s, n, EDGE_PREDICATE_WR, err);
        if (before == VERSION_FIRST)
            return STATUS_OK;
    }
}

/* Behind its own version, version order says all. */
static enum status find_change_behind(struct asking *a, const struct certified_sight *s, bool matched,
                                      struct error *err)
{
    const struct certificate *c = a->walk->certificate;
    const struct certified_versions *v = &c->versions;
    uint32_t end = v->start[s->key + 1], own = c->rank[a->txn];
    uint32_t n = s->number == VERSION_FIRST ? v->start[s->key] : s->number + 1;
    bool other;

    if (a->columns.only) {
        uint32_t skipped = predicate_columns_skip_forward(&a->columns, matched, n, end);

        while (n < skipped && v->rank[n] != own)
            n++;
    }
    for (; n < end && v->rank[n] != own; n++) {
        if (!may_go_on(a) || !matches(a, s->key, n, &other))
            return STATUS_OK;
        if (other != matched)
            return tell_change(a, s, n, EDGE_PREDICATE_RW, err);
    }
    return STATUS_OK;
}

/* --- Rows ------------------------------------------------------------------------- */

/* What the edges of a read of an item are. */
static enum status walk_item_edges(struct walk *w, const struct certified_sight *s, struct error *err)
{
    const struct certificate *c = w->certificate;
    const struct certified_versions *v = &c->versions;
    struct edge edge = { .op = s->op,
                         .key = s->key,
                         .version = certificate_version_op(c, s->number) };
    uint32_t next;

    if (walk_wants(w, EDGE_WR) && s->number != VERSION_FIRST) {
        edge.kind = EDGE_WR;
        edge.from = certificate_writer(c, s->number);
        edge.to = s->txn;
        TRY(w->edge(w->context, &edge, err));
    }
    next = certificate_next(c, s->key, s->number);
    /* What comes behind its own version, version order says already. */
    if (!walk_wants(w, EDGE_RW) || next == HISTORY_NONE || certificate_writer(c, next) == s->txn)
        return STATUS_OK;
    edge.kind = EDGE_RW;
    edge.from = s->txn;
    edge.to = certificate_writer(c, next);
    edge.other = v->op[next];
    return w->edge(w->context, &edge, err);
}

static enum status find_edges(struct asking *a, const struct certified_sight *s, bool matched,
                              struct error *err)
{
    const struct certificate *c = a->walk->certificate;

    if (walk_wants(a->walk, EDGE_PREDICATE_WR))
        TRY(find_change_before(a, s, matched, err));
    if (walk_wants(a->walk, EDGE_PREDICATE_RW))
        TRY(find_change_behind(a, s, matched, err));
    if (matched && (a->reads_all || (a->reads_returned && c->returned[s->key] == a->head + 1)))
        return walk_item_edges(a->walk, s, err);
    return STATUS_OK;
}

static enum status blame_unreal(struct asking *a, const struct certified_sight *s, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    const struct answer_fault fault = { .kind = FAULT_UNSEEN, .key = s->key };
    struct held held = { { .kind = VALUE_NONE }, s->unreal };

    if (!a->walk->judges)
        return STATUS_OK;
    return wrong_answer_tell_statement(&c->wrong_answers, a->txn, a->head, &fault, &held, err);
}

/* What the row is where the statement looks, for its answer. */
static enum status gather(struct asking *a, const struct certified_sight *s, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct matched_row row = { .key = s->key };
    struct held held;

    TRY(certificate_hold(c, s, &held, err));
    row.row = (struct value){ (enum value_kind)held.content.kind, held.content.bits };
    switch (s->is_own ? matcher_match(&c->matcher, a->columns.predicate, row.row)
                      : predicate_columns_match(c, &a->columns, s->key, s->number)) {
    case PREDICATE_NO:
        return STATUS_OK;
    case PREDICATE_UNDECIDED:
        a->is_undecided = true;
        return STATUS_OK;
    case PREDICATE_YES:
        break;
    }
    return array_push(&c->matching, row, err);
}

static enum status look_at(struct asking *a, uint32_t key, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct certified_sight s = certificate_look(c, &a->view, a->txn, a->head, key);
    bool matched;

    if (s.is_unreal)
        return blame_unreal(a, &s, err);
    if (a->walk->judges)
        TRY(gather(a, &s, err));
    if (!a->walk->edge || s.is_own || !matches(a, key, s.number, &matched))
        return STATUS_OK;
    return find_edges(a, &s, matched, err);
}

/* --- Statements ------------------------------------------------------------------- */

static enum status judge_answer(struct asking *a, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    struct answer_fault fault = { .key = HISTORY_NONE };
    struct held held = { { .kind = VALUE_NULL }, VERSION_INITIAL };
    enum answer answer = ANSWER_UNDECIDED;

    if (!a->is_undecided)
        answer = answers_compare(&c->answers, a->head, c->matching.at, c->matching.count, &fault);
    if (answer == ANSWER_UNDECIDED)
        certificate_note_undecided(c, a->head);
    if (answer != ANSWER_DIFFERS)
        return STATUS_OK;
    if (fault.key != HISTORY_NONE) {
        struct certified_sight s = certificate_look(c, &a->view, a->txn, a->head, fault.key);

        TRY(certificate_hold(c, &s, &held, err));
    }
    return wrong_answer_tell_statement(&c->wrong_answers, a->txn, a->head, &fault, &held, err);
}

/*
 * A predicate that names one row looks at no other; but a version that nobody could have seen is
 * wrong in a version set, whatever row it is of.
 */
static enum status look_at_pinned(struct asking *a, uint32_t pinned, struct error *err)
{
    struct certificate *c = a->walk->certificate;
    const struct history *h = c->history;

    if (pinned != HISTORY_NONE)
        TRY(look_at(a, pinned, err));
    if (!a->view.is_set)
        return STATUS_OK;
    for (uint64_t i = h->set_start[a->view.set]; i < h->set_start[a->view.set + 1]; i++) {
        uint32_t key = h->set_key[i];
        struct certified_sight s = { 0 };

        if (key != pinned)
            s = certificate_look(c, &a->view, a->txn, a->head, key);
        if (s.is_unreal)
            TRY(blame_unreal(a, &s, err));
    }
    return STATUS_OK;
}

/* The part of it that is about one statement. */
static enum status walk_statement(struct walk *w, uint32_t txn, uint32_t head, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct history *h = c->history;
    uint32_t table = h->statement_table[h->op_key[head]];
    struct asking a = { .walk = w, .txn = txn, .head = head, .columns = predicate_columns_of(c, head) };
    const struct spans *spans = a.columns.spans;

    TRY(certificate_view(c, txn, head, &a.view, err));
    a.reads_all = answers_read_all(h, head);
    a.reads_returned = h->op_kind[head] == OP_SELECT;
    if (w->edge)
        certificate_note_returned(c, head);
    c->matching.count = 0;
    if (spans->is_pinned) {
        TRY(look_at_pinned(&a, spans->key, err));
    } else {
        for (uint32_t i = c->keys.start[table]; i < c->keys.start[table + 1]; i++) {
            if (!may_go_on(&a))
                return STATUS_OK;
            TRY(look_at(&a, c->keys.members[i], err));
        }
    }
    return w->judges ? judge_answer(&a, err) : STATUS_OK;
}

/* Of an answered statement: its sights of all rows of its table. */
static enum status walk_table(struct walk *w, uint32_t txn, uint32_t head, struct error *err)
{
    struct certificate *c = w->certificate;
    uint32_t table = c->history->statement_table[c->history->op_key[head]];
    struct certified_view view;

    TRY(certificate_view(c, txn, head, &view, err));
    for (uint32_t i = c->keys.start[table]; i < c->keys.start[table + 1]; i++) {
        struct certified_sight s = certificate_look(c, &view, txn, head, c->keys.members[i]);

        if (!pace_spend(&c->rows.pace, 4))
            return STATUS_OK;
        if (!s.is_own && !s.is_unreal)
            TRY(w->sight(w->context, &s, err));
    }
    return STATUS_OK;
}

/* --- Items ------------------------------------------------------------------------ */

/* Whether the version's own value is the answer, as it nearly always is. */
static bool is_plainly(const struct certificate *c, const struct certified_sight *s)
{
    const struct history *h = c->history;
    uint32_t op;

    if (s->is_own || s->is_unreal || s->number == VERSION_FIRST || c->versions.content)
        return false;
    op = c->versions.op[s->number];
    return h->op_value_kind[op] == h->op_value_kind[s->op] && h->op_value[op] == h->op_value[s->op];
}

static enum status judge_read(struct walk *w, const struct certified_sight *s, struct error *err)
{
    struct certificate *c = w->certificate;
    struct held held;

    if (is_plainly(c, s))
        return STATUS_OK;
    TRY(certificate_hold(c, s, &held, err));
    if (!s->is_unreal &&
        contents_equal(&c->contents, held.content, history_value(c->history, s->op)))
        return STATUS_OK;
    return wrong_answer_tell_read(&c->wrong_answers, s->txn, s->op, &held, err);
}

static enum status walk_read(struct walk *w, uint32_t txn, uint32_t op, struct error *err)
{
    struct certificate *c = w->certificate;
    struct certified_view view;
    struct certified_sight s;

    TRY(certificate_view(c, txn, op, &view, err));
    s = certificate_look(c, &view, txn, op, c->history->op_key[op]);
    if (w->judges)
        TRY(judge_read(w, &s, err));
    if (s.is_own || s.is_unreal)
        return STATUS_OK;
    if (w->sight)
        TRY(w->sight(w->context, &s, err));
    return w->edge ? walk_item_edges(w, &s, err) : STATUS_OK;
}

/*
 * Passes over reads and writes at one's own place, as far as all that was read is what is held:
 * without a jump between the two, as a right read stores what is there already. Where it stopped.
 */
static uint32_t judge_plainly(const struct walk *w, uint32_t op, uint32_t end)
{
    const struct certificate *c = w->certificate;
    const struct history *h = c->history;
    const uint32_t *numbers = c->versions.number;

    for (; op < end && h->op_kind[op] <= OP_WRITE && !(h->op_flags[op] & OP_ERROR); op++) {
        uint32_t key = h->op_key[op], number = numbers[op];
        struct walked *walked = &c->walked[key];
        struct content *held = &w->held[key];
        bool writes = h->op_kind[op] == OP_WRITE;
        bool is_same = (held->kind == h->op_value_kind[op]) & (held->bits == h->op_value[op]);

        if (!(writes | is_same))
            break;
        held->kind = h->op_value_kind[op];
        held->bits = h->op_value[op];
        walked->own = writes ? op : walked->own;
        walked->latest = number != HISTORY_NONE ? number : walked->latest;
    }
    return op;
}

/* What is held once appends need a closer look, or nobody judges, nobody asks for. */
static enum status hold_initial(struct walk *w, struct error *err)
{
    const struct certificate *c = w->certificate;
    const struct history *h = c->history;

    if (!w->judges || c->versions.content || check_wants(c->options, CHECK_SLOWLY))
        return STATUS_OK;
    TRY(memory_resize((void **)&w->held, h->key_count, sizeof *w->held, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        w->held[key] = content_of(history_initial(h, key));
    return STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status walk_write(struct walk *w, uint32_t txn, uint32_t op, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct certified_versions *v = &c->versions;
    uint32_t key = c->history->op_key[op], number = v->number[op];
    struct edge edge = { .kind = EDGE_WW, .key = key, .op = op };

    c->walked[key].own = op;
    if (w->held) {
        w->held[key].kind = c->history->op_value_kind[op];
        w->held[key].bits = c->history->op_value[op];
        if (w->held[key].kind == VALUE_NONE)
            w->held[key].kind = VALUE_NULL; /* it was deleted */
    }
    if (number == HISTORY_NONE)
        return STATUS_OK;
    c->walked[key].latest = number; /* who wrote it no longer looks at it */
    if (number == v->start[key] || !walk_wants(w, EDGE_WW) || (w->skips && w->skips[txn]))
        return STATUS_OK;
    edge.from = certificate_writer(c, number - 1);
    edge.to = txn;
    edge.version = v->op[number - 1];
    edge.other = op;
    return w->edge(w->context, &edge, err);
}

/* A statement looks before it writes: its rows come behind its head. */
static enum status walk_txn(struct walk *w, uint32_t txn, struct error *err)
{
    struct certificate *c = w->certificate;
    const struct history *h = c->history;
    bool looks = w->judges || (w->edge && (w->kinds & ~(UINT32_C(1) << EDGE_WW)));
    bool reads = looks || w->sight, is_plain = w->held && certificate_is_plain(c, txn);

    if (w->skips && w->skips[txn])
        reads = looks = false;
    for (uint32_t op = h->txn_op[txn], end = h->txn_op[txn + 1]; op < end; op++) {
        uint8_t kind;

        if (is_plain)
            op = judge_plainly(w, op, end);
        if (op == end)
            break;
        kind = h->op_kind[op];
        if (history_makes_version(h, op))
            TRY(walk_write(w, txn, op, err));
        else if (!reads || kind == OP_ROW_READ || !certificate_is_answered(h, txn, op))
            continue;
        else if (kind == OP_READ)
            TRY(walk_read(w, txn, op, err));
        else if (looks && !w->edge && c->agrees && c->agrees[h->op_key[op]])
            continue;
        else if (looks)
            TRY(walk_statement(w, txn, op, err));
        else if (w->sees_tables)
            TRY(walk_table(w, txn, op, err));
    }
    return STATUS_OK;
}

void certificate_begin_walk(struct certificate *c)
{
    for (size_t k = 0; k <= c->history->key_count; k++)
        c->walked[k] = (struct walked){ HISTORY_NONE, VERSION_FIRST };
}

static enum status walk_all(struct walk *w, struct error *err)
{
    struct certificate *c = w->certificate;

    certificate_begin_walk(c);
    TRY(hold_initial(w, err));
    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        if (rank + CERTIFICATE_AHEAD < c->places.in_count)
            certificate_fetch(c, c->ranked[rank + CERTIFICATE_AHEAD]);
        TRY(walk_txn(w, c->ranked[rank], err));
        if (certificate_is_time(c, rank) &&
            !certificate_goes_on(c, w->judges ? "answers" : "cycles", rank))
            return STATUS_OK;
    }
    return STATUS_OK;
}

enum status certificate_walk(struct walk *w, struct error *err)
{
    enum status status = walk_all(w, err);

    free(w->held);
    w->held = NULL;
    return status;
}
