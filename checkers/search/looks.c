#include "checkers/search/looks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "checkers/check_private.h"
#include "checkers/values/values.h"

#define CANDIDATES_MAX ((size_t)1 << 26) /* each may become a fact: some gigabytes */

/* Whether a statement of an actor is to be judged. */
static bool look_is_judged(const struct history *h, uint32_t txn, uint32_t op)
{
    return h->txn_status[txn] == TXN_OK && op_is_head(h->op_kind[op]) &&
           h->op_kind[op] != OP_INSERT && !(h->op_flags[op] & OP_ERROR) &&
           h->statement_flags[h->op_key[op]] & STATEMENT_ANSWERED;
}

enum status looks_init(struct looks *l, const struct distilled *d, struct error *err)
{
    const struct history *h = d->history;

    *l = (struct looks){ .history = h, .d = d };
    TRY(keys_init(&l->keys, h, err));
    TRY(matcher_init(&l->matcher, h, false, err));
    TRY(answers_init(&l->answers, h, l->matcher.predicates, err));
    TRY(rows_init(&l->rows, h, &l->keys, &l->matcher, err));
    TRY(check_memory((void **)&l->own_date, h->key_count, sizeof *l->own_date, 0, err));
    TRY(check_memory((void **)&l->own_op, h->key_count, sizeof *l->own_op, 0, err));
    TRY(check_memory((void **)&l->row_date, h->key_count, sizeof *l->row_date, 0, err));
    TRY(check_memory((void **)&l->row_op, h->key_count, sizeof *l->row_op, 0, err));
    TRY(check_memory((void **)&l->is_undecided, h->statement_count, 1, 0, err));
    TRY(check_memory((void **)&l->is_strange, h->table_count, 1, 0, err));
    TRY(check_memory((void **)&l->cells, h->table_column_count, sizeof *l->cells, 0, err));
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] == OP_APPEND && l->keys.table[h->op_key[op]] != HISTORY_NONE)
            l->is_strange[l->keys.table[h->op_key[op]]] = 1;
    return STATUS_OK;
}

void looks_close(struct looks *l)
{
    if (!l->history)
        return;
    rows_close(&l->rows);
    answers_close(&l->answers);
    matcher_close(&l->matcher);
    keys_close(&l->keys);
    array_close(&l->sights);
    array_close(&l->somes);
    array_close(&l->candidates);
    array_close(&l->some_versions);
    array_close(&l->written);
    map_close(&l->sight_of);
    map_close(&l->some_of);
    free(l->own_date);
    free(l->own_op);
    free(l->row_date);
    free(l->row_op);
    free(l->is_undecided);
    free(l->is_strange);
    for (size_t i = 0; l->cells && i < l->history->table_column_count; i++)
        free(l->cells[i]);
    free(l->cells);
    *l = (struct looks){ 0 };
}

/* --- One version and one statement -------------------------------------------------- */

/* Before looks_admit() of another head. */
static void looks_begin_statement(struct looks *l, uint32_t head)
{
    const struct history *h = l->history;
    uint32_t count = h->statement_row_count[h->op_key[head]];

    l->row_now++;
    for (uint32_t op = head + 1; op <= head + count; op++) {
        l->row_date[h->op_key[op]] = l->row_now;
        l->row_op[h->op_key[op]] = op;
    }
}

/* Whether an answer may be what it is if this is what was seen of the key. */
static bool looks_admit(struct looks *l, uint32_t head, uint32_t key, struct value row)
{
    bool came = l->row_date[key] == l->row_now;

    return answers_admit(&l->answers, head, came ? l->row_op[key] : HISTORY_NONE,
                         matcher_match(&l->matcher, matcher_predicate(&l->matcher, head), row),
                         row);
}

static struct value version_value(const struct looks *l, uint32_t version)
{
    const struct distilled *d = l->d;

    return d->version_actor[version] == NOBODY
               ? history_initial(l->history, d->key_name[d->version_key[version]])
               : history_value(l->history, d->version_op[version]);
}

/* --- Columns of numbers ---------------------------------------------------------------- */

/* Of all versions of a table's rows, one behind the other: that is quicker than to look into each. */
static enum status column_of(struct looks *l, uint32_t table, uint16_t column,
                             const int64_t **cells, struct error *err)
{
    const struct history *h = l->history;
    const struct distilled *d = l->d;
    int64_t **made = &l->cells[h->table_column_start[table] + column];

    if (!*made) {
        TRY(memory_resize((void **)made, d->version_count, sizeof **made, err));
        for (uint32_t v = 0; v < d->version_count; v++) {
            struct value row = version_value(l, v);

            (*made)[v] = LOOKS_NO_CELL;
            if (l->keys.table[d->version_key[v]] == table && row.kind == VALUE_ROW &&
                !matcher_cell(h, row, column, &(*made)[v]))
                (*made)[v] = LOOKS_NO_CELL;
        }
    }
    *cells = *made;
    return STATUS_OK;
}

/* Where a statement asks for a span of one column: which cells of a row agree. */
struct quick_look {
    uint16_t column;
    int64_t low, high; /* a span */
    bool is_inside;    /* those in it, else the others */
};

/* Of a least or greatest value only what is beyond it disagrees. False: it is neither. */
static bool confine_to_beyond(const struct looks *l, uint32_t head, struct quick_look *quick)
{
    const struct history *h = l->history;
    uint32_t statement = h->op_key[head], first = h->statement_aggregate_start[statement];
    bool is_least = false;
    int64_t told;
    uint16_t column;

    if (h->statement_row_count[statement] > 0 ||
        h->statement_aggregate_start[statement + 1] != first + 1 ||
        !answers_extreme(h, h->statement_table[statement], first, &column, &told, &is_least) ||
        column != quick->column || told == INT64_MIN || told == INT64_MAX)
        return false;
    if (is_least)
        quick->high = told - 1 < quick->high ? told - 1 : quick->high;
    else
        quick->low = told + 1 > quick->low ? told + 1 : quick->low;
    return true;
}

/* False: it is not so simple. */
static bool find_quick_look(const struct looks *l, uint32_t head, bool came,
                            struct quick_look *quick)
{
    const struct history *h = l->history;
    uint32_t statement = h->op_key[head];
    const struct spans *spans = &l->matcher.spans[matcher_predicate(&l->matcher, head)];

    if ((came && h->op_kind[head] == OP_SELECT) || !spans->is_exact || spans->is_empty ||
        spans->count != 1 || h->statement_limit[statement] >= 0 ||
        spans->at[0].low == LOOKS_NO_CELL)
        return false;
    *quick = (struct quick_look){ spans->at[0].column, spans->at[0].low, spans->at[0].high, came };
    return !(h->statement_flags[statement] & STATEMENT_AGGREGATES) ||
           (!came && confine_to_beyond(l, head, quick));
}

static enum status narrow_quickly(struct looks *l, struct row_sight *s, uint32_t head,
                                  const struct quick_look *quick, struct error *err)
{
    uint32_t kept = s->candidate_start, table = l->history->statement_table[l->history->op_key[head]];
    const int64_t *cells;

    TRY(column_of(l, table, quick->column, &cells, err));
    for (uint32_t c = s->candidate_start; c < s->candidate_start + s->candidate_count; c++) {
        uint32_t version = l->candidates.at[c];

        l->candidates.at[kept] = version;
        kept += ((cells[version] >= quick->low) & (cells[version] <= quick->high)) ==
                quick->is_inside;
    }
    s->candidate_count = kept - s->candidate_start;
    return STATUS_OK;
}

/* --- Sights ------------------------------------------------------------------------- */

/* Leaves of the sight's candidates those that agree with what an operation read, or asked for. */
static void narrow(struct looks *l, struct row_sight *s, uint32_t op)
{
    const struct history *h = l->history;
    bool is_look = op_is_head(h->op_kind[op]);
    uint32_t kept = s->candidate_start;

    if (is_look)
        looks_begin_statement(l, op);
    for (uint32_t c = s->candidate_start; c < s->candidate_start + s->candidate_count; c++) {
        struct value value = version_value(l, l->candidates.at[c]);

        if (is_look ? looks_admit(l, op, s->key, value)
                    : values_same(h, value, history_value(h, op)))
            l->candidates.at[kept++] = l->candidates.at[c];
    }
    s->candidate_count = kept - s->candidate_start;
}

static enum status narrow_by_look(struct looks *l, struct row_sight *s, uint32_t head,
                                  struct error *err)
{
    const struct history *h = l->history;
    struct quick_look quick;
    bool came = false;

    for (uint32_t i = 1; i <= h->statement_row_count[h->op_key[head]]; i++)
        came |= h->op_key[head + i] == s->key;
    if (find_quick_look(l, head, came, &quick))
        return narrow_quickly(l, s, head, &quick, err);
    narrow(l, s, head);
    return STATUS_OK;
}

static bool is_look_at(const struct looks *l, uint32_t txn, uint32_t op, uint32_t key)
{
    const struct history *h = l->history;

    return look_is_judged(h, txn, op) && h->statement_table[h->op_key[op]] == l->keys.table[key];
}

/* Of an item, or of a row that a select returned. */
static bool is_read_of(const struct history *h, uint32_t op, uint32_t key)
{
    return h->op_key[op] == key && op_is_read(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR) &&
           h->op_value_kind[op] != VALUE_NONE;
}

/* Where the transaction first writes the key, or ends. */
static uint32_t first_write(const struct history *h, uint32_t txn, uint32_t key)
{
    uint32_t op = h->txn_op[txn];

    while (op < h->txn_op[txn + 1] && (h->op_key[op] != key || !history_makes_version(h, op)))
        op++;
    return op;
}

static enum status gather(struct looks *l, struct row_sight *s, struct error *err)
{
    const struct history *h = l->history;
    const struct distilled *d = l->d;
    uint32_t txn = d->actor_txn[s->actor], first = h->txn_op[txn], by_values;
    uint32_t end = first_write(h, txn, s->key);

    for (uint32_t v = d->key_start[s->key]; v < d->key_start[s->key + 1]; v++)
        if (d->version_actor[v] != s->actor)
            TRY(array_push(&l->candidates, v, err));
    s->candidate_count = (uint32_t)l->candidates.count - s->candidate_start;
    for (uint32_t op = first; op < end; op++)
        if (!op_is_head(h->op_kind[op]) && is_read_of(h, op, s->key))
            narrow(l, s, op);
    by_values = s->candidate_count;
    for (uint32_t op = end; op-- > first;)
        if (is_look_at(l, txn, op, s->key)) {
            TRY(narrow_by_look(l, s, op, err));
            s->op = op;
        }
    s->is_narrowed = s->candidate_count < by_values;
    l->candidates.count = s->candidate_start + s->candidate_count;
    return STATUS_OK;
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* Adds the sight of a row that the actor has not written before the operation, if it is new. */
static enum status looks_add_sight(struct looks *l, uint32_t actor, uint32_t key, struct error *err)
{
    struct row_sight s = { .actor = actor,
                       .key = key,
                       .op = HISTORY_NONE,
                       .candidate_start = (uint32_t)l->candidates.count };
    uint64_t known;
    size_t place;

    l->is_too_large |= l->candidates.count > CANDIDATES_MAX;
    if (l->is_too_large || map_find(&l->sight_of, pair_key(actor, key), &known))
        return STATUS_OK;
    TRY(gather(l, &s, err));
    if (s.candidate_count == 0) {
        l->has_fault = true;
        l->fault = (struct fault){ .txn = l->d->actor_txn[actor],
                                   .op = s.op,
                                   .kind = FAULT_NO_SIGHT,
                                   .key = key };
        return STATUS_OK;
    }
    l->added++;
    TRY(map_add(&l->sight_of, pair_key(actor, key), l->sights.count, &place, err));
    return array_push(&l->sights, s, err);
}

/* Whether items tell already where the actor's sight of the key came from. */
static bool has_source(const struct distilled *d, uint32_t actor, uint32_t key)
{
    uint32_t place;

    BISECT(place, 0, d->read_count, d->read_actor[place] < actor);
    for (; place < d->read_count && d->read_actor[place] == actor; place++)
        if (d->read_key[place] == key && d->read_source[place] != NOBODY)
            return true;
    return false;
}

static enum status add_matched_of(struct looks *l, uint32_t actor, struct error *err)
{
    const struct history *h = l->history;
    uint32_t txn = l->d->actor_txn[actor];

    l->own_now++;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1] && !l->has_fault; op++) {
        if (look_is_judged(h, txn, op) && h->op_kind[op] != OP_SELECT &&
            !l->is_strange[h->statement_table[h->op_key[op]]])
            for (uint32_t row = op + 1; row <= op + h->statement_row_count[h->op_key[op]]; row++)
                if (l->own_date[h->op_key[row]] != l->own_now &&
                    !has_source(l->d, actor, h->op_key[row]))
                    TRY(looks_add_sight(l, actor, h->op_key[row], err));
        if (history_makes_version(h, op))
            l->own_date[h->op_key[op]] = l->own_now;
    }
    return STATUS_OK;
}

/* A read whose source is known, and which a statement of its transaction denies. */
static enum status hold_against_looks(struct looks *l, uint32_t read, struct error *err)
{
    const struct distilled *d = l->d;
    const struct history *h = l->history;
    uint32_t key = d->read_key[read], txn = d->actor_txn[d->read_actor[read]];
    uint32_t end = first_write(h, txn, key);

    for (uint32_t op = h->txn_op[txn]; op < end; op++) {
        if (!is_look_at(l, txn, op, key))
            continue;
        looks_begin_statement(l, op);
        if (d->read_source[read] == NOBODY ||
            !looks_admit(l, op, key, version_value(l, d->read_source[read])))
            return looks_add_sight(l, d->read_actor[read], key, err);
    }
    return STATUS_OK;
}

static bool is_row(const struct looks *l, uint32_t key)
{
    return l->keys.table[key] != HISTORY_NONE && !l->is_strange[l->keys.table[key]];
}

enum status looks_add_first(struct looks *l, struct error *err)
{
    for (uint32_t read = 0; read < l->d->read_count && !l->has_fault; read++)
        if (!looks_are_stopped(l) && is_row(l, l->d->read_key[read]))
            TRY(hold_against_looks(l, read, err));
    for (uint32_t actor = 0; actor < l->d->actor_count && !l->has_fault; actor++)
        if (!looks_are_stopped(l))
            TRY(add_matched_of(l, actor, err));
    return STATUS_OK;
}

/* --- Greatest and least -------------------------------------------------------------- */

static bool has_extreme(struct looks *l, uint32_t head, struct value row, uint16_t column,
                        int64_t value)
{
    uint32_t predicate = matcher_predicate(&l->matcher, head);
    int64_t cell;

    return row.kind == VALUE_ROW && matcher_cell(l->history, row, column, &cell) &&
           cell == value && matcher_match(&l->matcher, predicate, row) != PREDICATE_NO;
}

/* The candidates of an actor's sight of a key that have this value and match. */
static enum status gather_some(struct looks *l, struct look_some *s, uint32_t key,
                               uint16_t column, int64_t value, struct error *err)
{
    const struct distilled *d = l->d;
    const int64_t *cells;

    TRY(column_of(l, l->keys.table[key], column, &cells, err));
    for (uint32_t v = d->key_start[key]; v < d->key_start[key + 1]; v++) {
        if (cells[v] != value || d->version_actor[v] == s->actor ||
            !has_extreme(l, s->head, version_value(l, v), column, value))
            continue;
        TRY(looks_add_sight(l, s->actor, key, err));
        if (l->has_fault)
            return STATUS_OK;
        TRY(array_push(&l->some_versions, v, err));
        s->count++;
    }
    return STATUS_OK;
}

/* Whether a row that matches where the statement is asked has the value: another aggregate is wrong. */
static bool is_extreme_there(struct looks *l, uint32_t head, uint16_t column, int64_t value)
{
    for (size_t i = 0; i < l->rows.matching.count; i++)
        if (has_extreme(l, head, l->rows.matching.at[i].row, column, value))
            return true;
    return false;
}

/* Adds that the aggregate's value came from somewhere. */
static enum status looks_add_some(struct looks *l, uint32_t actor, uint32_t head, uint32_t aggregate,
                                  struct error *err)
{
    const struct history *h = l->history;
    uint32_t table = h->statement_table[h->op_key[head]];
    struct look_some s = { actor, head, aggregate, (uint32_t)l->some_versions.count, 0 };
    uint16_t column;
    int64_t value;
    uint64_t known;
    size_t place;
    bool is_least;

    if (map_find(&l->some_of, aggregate, &known) ||
        !answers_extreme(h, table, aggregate, &column, &value, &is_least) ||
        is_extreme_there(l, head, column, value))
        return STATUS_OK;
    for (uint32_t i = l->keys.start[table]; i < l->keys.start[table + 1] && !l->has_fault; i++)
        if (l->own_date[l->keys.members[i]] != l->own_now)
            TRY(gather_some(l, &s, l->keys.members[i], column, value, err));
    l->added++;
    TRY(map_add(&l->some_of, aggregate, l->somes.count, &place, err));
    return array_push(&l->somes, s, err);
}

/* --- The distilled history with them --------------------------------------------------- */

/* Reads and candidates for which there is room. */
static size_t room_for(size_t count)
{
    return count + count / 2 + 1024;
}

#define GROW(arena, at, old, room, err)                                                            \
    do {                                                                                           \
        const void *grown = (at);                                                                  \
        TAKE(arena, at, room, err);                                                                \
        if ((old) > 0)                                                                             \
            memcpy((at), grown, (old) * sizeof *(at));                                             \
    } while (0)

static enum status grow_reads(struct looks *l, struct distilled *d, struct arena *arena,
                              struct error *err)
{
    size_t old = d->read_count, wanted = old + l->sights.count - l->merged_sights;
    size_t room = room_for(wanted);

    if (wanted <= l->read_room)
        return STATUS_OK;
    l->read_room = room;
    GROW(arena, d->read_actor, old, room, err);
    GROW(arena, d->read_op, old, room, err);
    GROW(arena, d->read_key, old, room, err);
    GROW(arena, d->read_length, old, room, err);
    GROW(arena, d->read_source, old, room, err);
    if (d->read_is_narrowed)
        GROW(arena, d->read_is_narrowed, old, room, err);
    else
        TAKE(arena, d->read_is_narrowed, room, err);
    GROW(arena, d->candidate_start, old + 1, room + 1, err);
    return STATUS_OK;
}

static enum status grow_candidates(struct looks *l, struct distilled *d, struct arena *arena,
                                   struct error *err)
{
    size_t old = d->candidate_start[d->read_count];
    size_t wanted = old + l->candidates.count - l->merged_candidates;

    if (wanted <= l->candidate_room)
        return STATUS_OK;
    l->candidate_room = room_for(wanted);
    GROW(arena, d->candidates, old, l->candidate_room, err);
    return STATUS_OK;
}

static void append_sight(const struct looks *l, struct distilled *d, struct row_sight *s)
{
    const uint32_t *candidates = l->candidates.at + s->candidate_start;
    uint32_t read = d->read_count, used = d->candidate_start[read];

    s->read = read;
    d->read_actor[read] = s->actor;
    d->read_op[read] = s->op;
    d->read_key[read] = s->key;
    d->read_length[read] = 0;
    d->read_is_narrowed[read] = s->is_narrowed;
    d->read_source[read] = s->candidate_count == 1 ? candidates[0] : NOBODY;
    if (s->candidate_count > 1) {
        memcpy(d->candidates + used, candidates, s->candidate_count * sizeof *candidates);
        used += s->candidate_count;
    }
    d->candidate_start[++d->read_count] = used;
}

/* What others say of the row may leave the version out. */
static bool is_candidate(const struct looks *l, const struct row_sight *s, uint32_t version)
{
    for (uint32_t c = s->candidate_start; c < s->candidate_start + s->candidate_count; c++)
        if (l->candidates.at[c] == version)
            return true;
    return false;
}

static void append_some(const struct looks *l, struct distilled *d, const struct look_some *s)
{
    const struct some *before = d->some_count > 0 ? &d->somes[d->some_count - 1] : NULL;
    uint32_t used = before ? before->start + before->count : 0;
    struct some *some = &d->somes[d->some_count++];

    *some = (struct some){ s->actor, s->head, s->aggregate, used, 0 };
    for (uint32_t c = s->start; c < s->start + s->count; c++) {
        uint32_t version = l->some_versions.at[c];
        uint64_t sight;

        if (!map_find(&l->sight_of, pair_key(s->actor, d->version_key[version]), &sight) ||
            !is_candidate(l, &l->sights.at[sight], version))
            continue;
        d->some_read[used] = l->sights.at[sight].read;
        d->some_version[used++] = version;
    }
    some->count = used - some->start;
}

enum status looks_distill(struct looks *l, struct distilled *d, struct arena *arena,
                          struct error *err)
{
    size_t old = d->some_count > 0 ? d->somes[d->some_count - 1].start +
                                         d->somes[d->some_count - 1].count
                                   : 0;

    TRY(grow_reads(l, d, arena, err));
    TRY(grow_candidates(l, d, arena, err));
    GROW(arena, d->somes, d->some_count, l->somes.count, err);
    GROW(arena, d->some_read, old, l->some_versions.count, err);
    GROW(arena, d->some_version, old, l->some_versions.count, err);
    for (; l->merged_sights < l->sights.count; l->merged_sights++)
        append_sight(l, d, &l->sights.at[l->merged_sights]);
    l->merged_candidates = l->candidates.count;
    for (; d->some_count < l->somes.count;)
        append_some(l, d, &l->somes.at[d->some_count]);
    return STATUS_OK;
}

/* --- Replay -------------------------------------------------------------------- */

/*
 * The statements of an order that explains all items. What was committed is what the rows are; each
 * transaction is run where its snapshot was taken, and taken back; then it commits where it does.
 */

struct run {
    struct looks *l;
    const struct serial *serial;
    uint32_t *start, *starting; /* by place: who takes a snapshot there; actors */
    struct value *committed;    /* by key */
};

/* --- One statement ------------------------------------------------------------------ */

static enum status ask_row(struct run *r, uint32_t actor, uint32_t head, uint32_t key,
                           bool *disagrees, struct error *err)
{
    struct looks *l = r->l;
    struct value row = { VALUE_ROW, l->rows.row[key] };

    if (row.bits < 0)
        row = (struct value){ VALUE_NULL, 0 };
    looks_begin_statement(l, head); /* another may have been looked at meanwhile */
    if (looks_admit(l, head, key, row))
        return STATUS_OK;
    *disagrees = true;
    if (l->own_date[key] != l->own_now)
        return looks_add_sight(l, actor, key, err); /* a statement before may have done so */
    l->has_fault = true;
    l->fault = (struct fault){
        .txn = l->d->actor_txn[actor], .op = head, .kind = FAULT_NO_SIGHT, .key = key
    };
    return STATUS_OK;
}

/* Which rows are at fault, and then which aggregates. */
static enum status blame(struct run *r, uint32_t actor, uint32_t head, struct error *err)
{
    struct looks *l = r->l;
    const struct history *h = l->history;
    uint32_t statement = h->op_key[head], end = h->statement_aggregate_start[statement + 1];
    size_t added = l->added;
    bool disagrees = false;

    for (uint32_t op = head + 1; op <= head + h->statement_row_count[statement]; op++)
        TRY(ask_row(r, actor, head, h->op_key[op], &disagrees, err));
    for (size_t i = 0; i < l->rows.matching.count && !l->has_fault; i++)
        TRY(ask_row(r, actor, head, l->rows.matching.at[i].key, &disagrees, err));
    for (uint32_t i = h->statement_aggregate_start[statement];
         i < end && !disagrees && !l->has_fault; i++)
        TRY(looks_add_some(l, actor, head, i, err));
    l->unexplained += l->added == added && !disagrees && !l->has_fault;
    return STATUS_OK;
}

static enum status ask(struct run *r, uint32_t actor, uint32_t head, struct error *err)
{
    struct looks *l = r->l;
    struct answer_fault unsaid = { .key = HISTORY_NONE };
    enum answer answer;

    if (l->is_strange[l->history->statement_table[l->history->op_key[head]]]) {
        l->is_undecided[l->history->op_key[head]] = 1;
        return STATUS_OK;
    }
    if (rows_agree(&l->rows, head))
        return STATUS_OK;
    TRY(rows_find(&l->rows, head, err));
    answer = l->rows.is_undecided ? ANSWER_UNDECIDED
                                  : answers_compare(&l->answers, head, l->rows.matching.at,
                                                    l->rows.matching.count, &unsaid);
    if (answer == ANSWER_UNDECIDED)
        l->is_undecided[l->history->op_key[head]] = 1;
    l->has_differed |= answer == ANSWER_DIFFERS;
    return answer == ANSWER_DIFFERS && l->learns ? blame(r, actor, head, err) : STATUS_OK;
}

/* --- Transactions --------------------------------------------------------------------- */

static bool is_table_row(const struct looks *l, uint32_t key)
{
    return l->keys.table[key] != HISTORY_NONE;
}

static void put(struct looks *l, uint32_t key, struct value value)
{
    rows_set(&l->rows, key, (uint8_t)value.kind, value.bits);
}

static enum status run_actor(struct run *r, uint32_t actor, struct error *err)
{
    struct looks *l = r->l;
    const struct history *h = l->history;
    uint32_t txn = l->d->actor_txn[actor];

    l->own_now++;
    l->written.count = 0;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1] && !l->has_fault; op++) {
        uint32_t key = h->op_key[op];

        if (look_is_judged(h, txn, op)) {
            TRY(ask(r, actor, op, err));
        } else if (history_makes_version(h, op) && is_table_row(l, key)) {
            if (l->own_date[key] != l->own_now)
                TRY(array_push(&l->written, key, err));
            l->own_date[key] = l->own_now;
            put(l, key, history_value(h, op));
        }
    }
    for (size_t i = 0; i < l->written.count; i++)
        put(l, l->written.at[i], r->committed[l->written.at[i]]);
    return STATUS_OK;
}

static void commit(struct run *r, uint32_t actor)
{
    struct looks *l = r->l;
    const struct history *h = l->history;
    uint32_t txn = l->d->actor_txn[actor];

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && is_table_row(l, h->op_key[op]))
            r->committed[h->op_key[op]] = history_value(h, op);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && is_table_row(l, h->op_key[op]))
            put(l, h->op_key[op], r->committed[h->op_key[op]]);
}

static enum status begin(struct run *r, struct arena *arena, struct error *err)
{
    const struct looks *l = r->l;
    const struct distilled *d = l->d;
    const struct serial *serial = r->serial;

    TAKE(arena, r->start, (size_t)d->actor_count + 2, err);
    TAKE(arena, r->starting, d->actor_count, err);
    TAKE(arena, r->committed, l->history->key_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->start[(serial->seen ? serial->seen[i] : i) + 2]++;
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->start[i + 2] += r->start[i + 1];
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->starting[r->start[(serial->seen ? serial->seen[i] : i) + 1]++] = serial->actors[i];
    for (uint32_t key = 0; key < l->history->key_count; key++)
        if (is_table_row(l, key)) {
            r->committed[key] = history_initial(l->history, key);
            put(r->l, key, r->committed[key]);
        }
    return STATUS_OK;
}

/* Nothing that comes can change what is said of the order. */
static bool is_over(const struct looks *l)
{
    return l->has_fault || (l->has_differed && !l->learns) || looks_are_stopped(l);
}

enum status looks_replay(struct looks *l, const struct serial *serial, bool learns,
                         struct arena *arena, bool *holds, struct error *err)
{
    struct run r = { .l = l, .serial = serial };
    size_t mark = arena->used;

    l->added = 0;
    l->unexplained = 0;
    l->learns = learns;
    l->has_differed = false;
    memset(l->is_undecided, 0, l->history->statement_count);
    TRY(begin(&r, arena, err));
    for (uint32_t place = 0; place < l->d->actor_count && !is_over(l); place++) {
        for (uint32_t i = r.start[place]; i < r.start[place + 1] && !is_over(l); i++)
            TRY(run_actor(&r, r.starting[i], err));
        commit(&r, serial->actors[place]);
    }
    *holds = !l->has_differed && !looks_are_stopped(l);
    arena_reset_to(arena, mark);
    return STATUS_OK;
}
