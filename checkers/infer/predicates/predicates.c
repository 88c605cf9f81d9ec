/*
 * Infers which versions of rows a statement saw, where no other is possible.
 *
 *     row t/7          absent at first; T1 inserts {v 12}; T2 updates it to {v 30}
 *     select v >= 10   without t/7: of its versions only the initial one does not match, so that
 *                      was seen: a predicate-rw to who wrote what comes next, T1
 *     select v >= 20   without t/7: the initial one or that of T1: nobody can say
 *     update v >= 20   with t/7: only T2's matches: a predicate-wr from T2, and a predicate-rw to
 *                      whoever overwrote it
 *
 * A version is possible if its transaction may have committed and left it behind. Where
 * exactly one is, it was seen; the others change whether the row matches, so that the next ones
 * behind it are what the statement anti-depends on. Rows that a select returned are item
 * reads, of registers.c. Where none is possible, the statement is wrong: result-set-mismatch.
 *
 * Statements with a limit or aggregates say nothing of absent rows, and neither does a
 * condition that cannot be computed: they count as unjudged, and so do those that saw one of several
 * versions of some row, and those that a budget of comparisons does not reach.
 */
#include "checkers/infer/predicates/predicates.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "checkers/infer/registers/registers.h"
#include "checkers/infer/registers/registers_edges.h"
#include "checkers/proof/tell.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"

#define COMPARISONS_MAX UINT64_C(5000000)
#define SIGHTS_MAX ((size_t)1 << 22)
#define FEW 4 /* sights or links: each pair is said */

/* A statement saw this version of a row. */
struct inferred_sight {
    uint32_t txn, head, node;
    uint32_t own; /* what the transaction left of the row, or INFER_NOTHING */
};

struct predicted {
    struct infer *infer;
    struct matcher matcher;
    struct keys keys;
    ARRAY(struct inferred_sight) sights;
    uint32_t *group;        /* by node: its first group, or INFER_NOTHING */
    uint32_t *next_group;   /* by group: the next one of its node */
    uint32_t *returned;     /* by key: the head that returned it last, plus one */
    uint32_t *own_version;  /* by key: what the transaction at hand has written so far, ... */
    uint32_t *owner;        /* ... and which transaction that is, plus one */
    uint64_t comparisons;
    bool has_mismatch;
};

/* The possible versions of a row that match, or that do not. */
struct predicate_candidates {
    uint32_t count, node;
    bool is_undecided;
};

struct sight_question {
    struct predicted *predicted;
    uint32_t txn, head, predicate;
    bool is_undecided;
};

/* --- Candidates --------------------------------------------------------------------- */

static enum predicate_answer match(struct sight_question *a, struct value row)
{
    struct predicted *p = a->predicted;

    p->comparisons++;
    if (row.kind != VALUE_ROW)
        return PREDICATE_NO;
    return matcher_match(&p->matcher, a->predicate, row);
}

static void consider(struct sight_question *a, struct predicate_candidates *c, uint32_t node,
                     struct value row, enum predicate_answer wanted)
{
    enum predicate_answer answer = match(a, row);

    c->is_undecided |= answer == PREDICATE_UNDECIDED;
    if (answer != wanted)
        return;
    c->count++;
    c->node = node;
}

/* Of others; two are as many as there may be. */
static struct predicate_candidates find_candidates(struct sight_question *a, uint32_t key,
                                                   enum predicate_answer wanted)
{
    const struct infer *infer = a->predicted->infer;
    const struct inferred_versions *v = &infer->versions;
    struct predicate_candidates c = { .node = register_initial(infer->registers, key) };

    consider(a, &c, c.node, history_initial(infer->history, key), wanted);
    for (uint32_t n = v->start[key]; n < v->start[key + 1] && !c.is_undecided && c.count < 2;
         n++)
        if (v->is_final[n] && v->txn[n] != a->txn &&
            infer->places.standing[v->txn[n]] != STANDING_OUT)
            consider(a, &c, n, history_value(infer->history, v->op[n]), wanted);
    return c;
}

/* --- Telling ------------------------------------------------------------------------ */

/* Which of the levels below those that it rules out allow a wrong answer is not judged. */
static void leave_weaker_open(struct infer *c)
{
    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_COUNT && level_implies((enum level)level, LEVEL_READ_COMMITTED))
            c->undecided |= LEVEL_BIT(level) & ~c->rules_out[ANOMALY_RESULT_SET_MISMATCH];
}

static enum status tell_mismatch(struct sight_question *a, uint32_t key, bool came, struct error *err)
{
    struct infer *c = a->predicted->infer;
    struct buffer why = { 0 }, proof = { 0 };
    struct wrong_read wrong = { .txn = a->txn, .op = a->head, .key = key };

    if (!a->predicted->has_mismatch)
        leave_weaker_open(c);
    a->predicted->has_mismatch = true;
    /* Weaker levels have no name for it: what is wrong is not called valid for that. */
    if (!infer_finds(c, ANOMALY_RESULT_SET_MISMATCH)) {
        a->is_undecided |= level_implies(c->options->level, LEVEL_READ_COMMITTED);
        return STATUS_OK;
    }
    tell_print(&why, c->history, "%T asked for %Q", a->txn, a->head);
    buffer_text(&why, came ? TEXT(" and got ") : TEXT(" and did not get "));
    tell_key(&why, c->history, key);
    buffer_text(&why, came ? TEXT(", of which nothing that could be there matches")
                           : TEXT(", of which everything that could be there matches"));
    proof_read(&proof, c->history, &wrong);
    return check_tell(c->check,
                      (struct discovery){ .kind = ANOMALY_RESULT_SET_MISMATCH, .txns = &a->txn,
                                          .txn_count = 1, .why = why, .proof = proof }, err);
}

/* --- Rows --------------------------------------------------------------------------- */

/* What it had written itself is what it sees. */
static enum status look_at_own(struct sight_question *a, uint32_t key, bool came, struct error *err)
{
    const struct predicted *p = a->predicted;
    const struct history *h = p->infer->history;
    enum predicate_answer answer = match(a, history_value(h, p->own_version[key]));

    a->is_undecided |= answer == PREDICATE_UNDECIDED;
    if (answer == (came ? PREDICATE_NO : PREDICATE_YES))
        return tell_mismatch(a, key, came, err);
    return STATUS_OK;
}

static enum status look_at(struct sight_question *a, uint32_t key, bool came, struct error *err)
{
    struct predicted *p = a->predicted;
    struct predicate_candidates c;
    struct inferred_sight sight = { a->txn, a->head, INFER_NOTHING, INFER_NOTHING };

    if (p->infer->key_kind[key] != KEY_REGISTER) {
        a->is_undecided = true;
        return STATUS_OK;
    }
    if (p->owner[key] == a->txn + 1)
        return look_at_own(a, key, came, err);
    if (p->comparisons > COMPARISONS_MAX) {
        a->is_undecided = true;
        return STATUS_OK;
    }
    c = find_candidates(a, key, came ? PREDICATE_YES : PREDICATE_NO);
    a->is_undecided |= c.is_undecided;
    if (c.is_undecided)
        return STATUS_OK;
    if (c.count == 0)
        return tell_mismatch(a, key, came, err);
    if (c.count > 1 || p->sights.count == SIGHTS_MAX) {
        a->is_undecided = true; /* another one may be the one that it saw */
        return STATUS_OK;
    }
    sight.node = c.node;
    if (!register_is_initial(p->infer->registers, c.node))
        infer_note_read_from(p->infer, p->infer->versions.txn[c.node]);
    return array_push(&p->sights, sight, err);
}

/* A row of a select: it is what it is, and must match. */
static enum status look_at_row(struct sight_question *a, uint32_t op, struct error *err)
{
    const struct history *h = a->predicted->infer->history;
    enum predicate_answer answer;

    if (h->op_value_kind[op] == VALUE_NONE)
        return STATUS_OK;
    answer = match(a, history_value(h, op));
    a->is_undecided |= answer == PREDICATE_UNDECIDED;
    return answer == PREDICATE_NO ? tell_mismatch(a, h->op_key[op], true, err) : STATUS_OK;
}

/* --- Statements --------------------------------------------------------------------- */

static bool says_what_is_absent(const struct history *h, uint32_t head)
{
    uint32_t statement = h->op_key[head];

    return h->statement_limit[statement] < 0 &&
           !(h->statement_flags[statement] & STATEMENT_AGGREGATES);
}

static enum status look_at_rows(struct sight_question *a, struct error *err)
{
    struct predicted *p = a->predicted;
    const struct history *h = p->infer->history;
    uint32_t count = h->statement_row_count[h->op_key[a->head]];

    for (uint32_t op = a->head + 1; op <= a->head + count; op++) {
        p->returned[h->op_key[op]] = a->head + 1;
        if (h->op_kind[a->head] == OP_SELECT)
            TRY(look_at_row(a, op, err));
        else
            TRY(look_at(a, h->op_key[op], true, err));
    }
    return STATUS_OK;
}

static enum status look_at_absent(struct sight_question *a, struct error *err)
{
    struct predicted *p = a->predicted;
    const struct history *h = p->infer->history;
    uint32_t table = h->statement_table[h->op_key[a->head]];
    const struct spans *spans = &p->matcher.spans[a->predicate];

    if (spans->is_empty || (spans->is_pinned && spans->key == HISTORY_NONE))
        return STATUS_OK;
    if (spans->is_pinned)
        return p->returned[spans->key] == a->head + 1 ? STATUS_OK
                                                      : look_at(a, spans->key, false, err);
    for (uint32_t i = p->keys.start[table]; i < p->keys.start[table + 1]; i++) {
        uint32_t key = p->keys.members[i];

        if (p->comparisons > COMPARISONS_MAX) {
            a->is_undecided = true;
            return STATUS_OK;
        }
        if (p->returned[key] != a->head + 1)
            TRY(look_at(a, key, false, err));
    }
    return STATUS_OK;
}

static enum status look_at_statement(struct predicted *p, uint32_t txn, uint32_t head,
                                     struct error *err)
{
    struct infer *c = p->infer;
    const struct history *h = c->history;
    struct sight_question a = { p, txn, head, matcher_predicate(&p->matcher, head), false };

    if (h->op_flags[head] & OP_ERROR ||
        !(h->statement_flags[h->op_key[head]] & STATEMENT_ANSWERED))
        return STATUS_OK;
    TRY(look_at_rows(&a, err));
    if (says_what_is_absent(h, head))
        TRY(look_at_absent(&a, err));
    else
        a.is_undecided = true;
    if (a.is_undecided)
        check_note_unjudged(c->check, h->op_key[head]);
    return STATUS_OK;
}

static enum status look_at_txn(struct predicted *p, uint32_t txn, struct error *err)
{
    const struct registers *r = p->infer->registers;
    const struct history *h = p->infer->history;
    size_t first = p->sights.count;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if (op_is_head(kind) && kind != OP_INSERT)
            TRY(look_at_statement(p, txn, op, err));
        if (!history_makes_version(h, op))
            continue;
        p->owner[h->op_key[op]] = txn + 1;
        p->own_version[h->op_key[op]] = op;
    }
    for (size_t i = first; i < p->sights.count; i++) {
        uint32_t key = register_key(r, p->sights.at[i].node);

        if (p->owner[key] == txn + 1)
            p->sights.at[i].own = r->number_of[p->own_version[key]];
    }
    return STATUS_OK;
}

/* --- Groups of what comes next ------------------------------------------------------ */

/* Groups without hubs get some where many statements saw what is before them. */
static enum status find_groups(struct predicted *p, struct error *err)
{
    struct registers *r = p->infer->registers;
    uint32_t *seen = NULL; /* by node: by so many statements */
    enum status status;

    TRY(check_memory((void **)&p->group, r->node_count, sizeof *p->group, 0xff, err));
    TRY(memory_resize((void **)&p->next_group, r->groups.count, sizeof *p->next_group, err));
    status = check_memory((void **)&seen, r->node_count, sizeof *seen, 0, err);
    for (size_t i = 0; status == STATUS_OK && i < p->sights.count; i++)
        seen[p->sights.at[i].node]++;
    for (size_t i = r->groups.count; status == STATUS_OK && i-- > 0;) {
        struct link_group *g = &r->groups.at[i];
        uint32_t readers = r->reader_start[g->node + 1] - r->reader_start[g->node];

        p->next_group[i] = p->group[g->node];
        p->group[g->node] = (uint32_t)i;
        if (g->hub == INFER_NOTHING && seen[g->node] + readers >= FEW && g->end - g->start >= FEW)
            registers_add_hubs(r, g);
    }
    free(seen);
    return status;
}

static enum status open(struct predicted *p, struct error *err)
{
    const struct history *h = p->infer->history;

    TRY(matcher_init(&p->matcher, h, check_wants(p->infer->options, CHECK_SLOWLY), err));
    TRY(keys_init(&p->keys, h, err));
    TRY(check_memory((void **)&p->returned, h->key_count, sizeof *p->returned, 0, err));
    TRY(check_memory((void **)&p->owner, h->key_count, sizeof *p->owner, 0, err));
    return check_memory((void **)&p->own_version, h->key_count, sizeof *p->own_version, 0, err);
}

static enum status read_all(struct predicted *p, struct error *err)
{
    struct infer *c = p->infer;

    TRY(open(p, err));
    for (uint32_t t = 0; t < c->history->txn_count; t++) {
        if (t % INFER_STEP == 0 && !infer_goes_on(c, "what statements saw", t))
            return STATUS_OK;
        if (infer_is_committed(c, t))
            TRY(look_at_txn(p, t, err));
    }
    return STATUS_OK;
}

enum status infer_link_predicates(struct infer *c, struct error *err)
{
    return c->predicted ? find_groups(c->predicted, err) : STATUS_OK;
}

bool infer_predicates_agree(const struct infer *c, uint32_t txn, const uint32_t *state)
{
    const struct predicted *p = c->predicted;
    size_t place;

    BISECT(place, 0, p ? p->sights.count : 0, p->sights.at[place].txn < txn);
    for (; p && place < p->sights.count && p->sights.at[place].txn == txn; place++) {
        uint32_t node = p->sights.at[place].node, key = register_key(c->registers, node);

        if (state[key] != (register_is_initial(c->registers, node) ? INFER_INITIAL : node))
            return false;
    }
    return true;
}

/* There is no row that could be absent or come back: only what was counted or summed up is not looked at. */
static void pass_over_aggregates(struct infer *c)
{
    const struct history *h = c->history;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; infer_is_committed(c, t) && op < h->txn_op[t + 1]; op++)
            if (h->op_kind[op] == OP_SELECT && !(h->op_flags[op] & OP_ERROR) &&
                (h->statement_flags[h->op_key[op]] & STATEMENT_AGGREGATES))
                check_note_unjudged(c->check, h->op_key[op]);
}

enum status infer_read_predicates(struct infer *c, struct error *err)
{
    struct predicted *p = NULL;

    if (c->history->statement_count == 0 || c->history->table_count == 0)
        return STATUS_OK;
    if (!c->registers) {
        pass_over_aggregates(c);
        return STATUS_OK;
    }
    TRY(check_memory((void **)&p, 1, sizeof *p, 0, err));
    p->infer = c;
    c->predicted = p;
    return read_all(p, err);
}

/* --- Edges -------------------------------------------------------------------------- */

static enum status hear_source(const struct predicted *p, const struct inferred_sight *s,
                               struct level_graph *sink, struct error *err)
{
    const struct infer *c = p->infer;
    struct edge edge = { .kind = EDGE_PREDICATE_WR, .to = s->txn, .op = s->head };

    if (register_is_initial(c->registers, s->node) ||
        !infer_is_in(c, c->versions.txn[s->node]))
        return STATUS_OK;
    edge.from = c->versions.txn[s->node];
    edge.key = register_key(c->registers, s->node);
    edge.version = edge.other = c->versions.op[s->node];
    return level_graph_hear(sink, &edge, err);
}

static enum status hear_next(const struct predicted *p, const struct inferred_sight *s,
                             struct level_graph *sink, struct error *err)
{
    const struct infer *c = p->infer;
    const struct registers *r = c->registers;
    struct edge edge = { .kind = EDGE_PREDICATE_RW, .from = s->txn, .op = s->head };

    edge.key = register_key(r, s->node);
    edge.version = register_is_initial(r, s->node) ? VERSION_INITIAL : c->versions.op[s->node];
    for (uint32_t i = p->group[s->node]; i != INFER_NOTHING; i = p->next_group[i]) {
        const struct link_group *g = &r->groups.at[i];

        if (!(sink->sources >> g->by & 1))
            continue;
        edge.by = g->by;
        TRY(registers_hear_next(r, g, edge, s->own, sink, err));
    }
    return STATUS_OK;
}

enum status infer_hear_predicates(struct infer *c, struct level_graph *sink, struct error *err)
{
    const struct predicted *p = c->predicted;

    for (size_t i = 0; p && i < p->sights.count; i++) {
        if (level_graph_hears(sink, EDGE_PREDICATE_WR))
            TRY(hear_source(p, &p->sights.at[i], sink, err));
        if (level_graph_hears(sink, EDGE_PREDICATE_RW))
            TRY(hear_next(p, &p->sights.at[i], sink, err));
    }
    return STATUS_OK;
}

enum status infer_hear_completed_sights(struct infer *c, struct level_graph *sink, struct error *err)
{
    const struct predicted *p = c->predicted;

    for (size_t i = 0; p && i < p->sights.count; i++) {
        const struct inferred_sight *s = &p->sights.at[i];
        struct edge edge = { .kind = EDGE_PREDICATE_RW, .from = s->txn, .op = s->head };
        uint32_t next =
            register_is_initial(c->registers, s->node) ? INFER_NOTHING : c->next[s->node];

        if (next == INFER_NOTHING || c->versions.txn[next] == s->txn)
            continue;
        edge.to = c->versions.txn[next];
        edge.key = register_key(c->registers, next);
        edge.version = c->versions.op[s->node];
        edge.other = c->versions.op[next];
        TRY(level_graph_hear(sink, &edge, err));
    }
    return STATUS_OK;
}

void infer_close_predicates(struct infer *c)
{
    struct predicted *p = c->predicted;

    if (!p)
        return;
    matcher_close(&p->matcher);
    keys_close(&p->keys);
    array_close(&p->sights);
    free(p->group);
    free(p->next_group);
    free(p->returned);
    free(p->owner);
    free(p->own_version);
    free(p);
    c->predicted = NULL;
}
