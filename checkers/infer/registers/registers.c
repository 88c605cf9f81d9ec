/*
 * Finds the writer of each value that was read of a register, and names reads that have none.
 *
 *     T1: w x 1       T2: r x 1, w x 2      T3 abort: w x 3      T4: r x 3     G1a
 *     T5: w x 4, w x 5                                           T6: r x 4     G1b
 *     T7: r x 9                                                                garbage-read
 *     T8: r x 6, w x 6                                                         future-read
 *     T9: w x 7, r x 1;  T9: r x 1, r x 2                                      internal
 *
 * A read that several may have written is left out, and the verdict is unknown
 * unless something else is wrong. What a transaction of unknown outcome wrote and somebody
 * read has been committed.
 */
#include "checkers/infer/registers/registers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "checkers/infer/registers/registers_edges.h"
#include "checkers/proof/tell.h"
#include "checkers/values/values.h"

/* --- Circles of versions --------------------------------------------------------- */

/*
 * Keys whose versions precede each other.
 *
 *     T1: r x 1, w x 2     T2: r x 2, w x 1      1 before 2 before 1
 *
 * Mostly all links lead forward in the history, and there is none. Keys where one
 * leads back are looked at: first with the links of updates, then with those of sessions,
 * or of time, added. A circle violates the levels at which its links are inferences, and its
 * links say no more.
 */

struct circling {
    struct registers *registers;
    bool *is_suspect;                      /* by key */
    version_links links[SOURCE_TIME + 1];  /* of suspects, by enum order_source */
    struct components components;
    uint32_t *parent, *by; /* by node: the one before it, and the link that led to it */
    uint32_t *round;       /* by node: the search that saw it */
    uint32_t *queue;
    uint32_t rounds;
};

/* What is looked at together, and what a circle of it says. */
struct circle_kind {
    uint8_t circle;       /* enum key_circle */
    uint8_t hides;        /* circles of which it is no more than another one */
    uint32_t sources;     /* 1 << enum order_source */
    enum level violated; /* the weakest level */
};

#define SOURCE(source) (UINT32_C(1) << SOURCE_##source)

static const struct circle_kind kinds[] = {
    { CIRCLE_OF_DATA, 0, SOURCE(UPDATE), LEVEL_READ_COMMITTED },
    { CIRCLE_OF_SESSION, CIRCLE_OF_DATA, SOURCE(UPDATE) | SOURCE(SESSION), LEVEL_READ_ATOMIC },
    { CIRCLE_OF_READS, CIRCLE_OF_DATA | CIRCLE_OF_SESSION,
      SOURCE(UPDATE) | SOURCE(SESSION) | SOURCE(SESSION_READS), LEVEL_CAUSAL },
    { CIRCLE_OF_TIME, CIRCLE_OF_DATA, SOURCE(UPDATE) | SOURCE(TIME), LEVEL_STRICT_SNAPSHOT },
};

static bool is_back(const struct version_link *link)
{
    return link->from > link->to;
}

static bool find_suspects(struct circling *c)
{
    const struct registers *r = c->registers;
    bool found = false;

    for (unsigned by = SOURCE_UPDATE; by <= SOURCE_TIME; by++)
        for (size_t i = 0; i < r->links[by].count; i++) {
            const struct version_link *link = &r->links[by].at[i];

            if (register_is_initial(r, link->from) || !is_back(link))
                continue;
            c->is_suspect[register_key(r, link->to)] = found = true;
        }
    return found;
}

static enum status take_suspects(struct circling *c, struct error *err)
{
    const struct registers *r = c->registers;

    for (unsigned by = SOURCE_UPDATE; by <= SOURCE_TIME; by++)
        for (size_t i = 0; i < r->links[by].count; i++) {
            struct version_link link = r->links[by].at[i];

            if (!register_is_initial(r, link.from) && c->is_suspect[register_key(r, link.to)])
                TRY(array_push(&c->links[by], link, err));
        }
    return STATUS_OK;
}

/* Whether links of a key are in the graph of such a circle. */
static bool is_drawn(const struct circling *c, const struct version_link *link,
                     const struct circle_kind *kind)
{
    const struct registers *r = c->registers;
    uint32_t key = register_key(r, link->to);

    return !(r->circles[key] & kind->hides);
}

/* Calls for each link of the kind. */
#define EACH_LINK(c, kind, link)                                                                   \
    for (unsigned by_ = SOURCE_UPDATE; by_ <= SOURCE_TIME; by_++)                                  \
        if ((kind)->sources >> by_ & 1)                                                            \
            for (size_t i_ = 0; i_ < (c)->links[by_].count; i_++)                                  \
                for (const struct version_link *link = &(c)->links[by_].at[i_]; link; link = NULL) \
                    if (is_drawn(c, link, kind))

static enum status draw(const struct circling *c, const struct circle_kind *kind, struct graph *g,
                        struct error *err)
{
    TRY(graph_init(g, c->registers->infer->versions.count, err));
    EACH_LINK(c, kind, link)
        graph_count(g, link->from);
    TRY(graph_lay_out(g, err));
    EACH_LINK(c, kind, link)
        graph_add(g, link->from, link->to);
    return STATUS_OK;
}

/* --- Telling ------------------------------------------------------------------------ */

/* The links within circles of the kind, by where they begin. */
struct circle_links {
    uint32_t *start;
    struct version_link *links;
    uint8_t *by;
};

static bool is_within(const struct circling *c, const struct version_link *link)
{
    return c->components.of_node[link->from] == c->components.of_node[link->to];
}

static enum status sort_links(const struct circling *c, const struct circle_kind *kind,
                              struct circle_links *l, struct error *err)
{
    size_t count = (size_t)c->registers->infer->versions.count + 2;

    TRY(check_memory((void **)&l->start, count, sizeof *l->start, 0, err));
    EACH_LINK(c, kind, link)
        if (is_within(c, link))
            l->start[link->from + 2]++;
    array_sum_prefixes(l->start, count);
    TRY(memory_resize((void **)&l->links, l->start[count - 1], sizeof *l->links, err));
    TRY(memory_resize((void **)&l->by, l->start[count - 1], sizeof *l->by, err));
    EACH_LINK(c, kind, link)
    {
        if (!is_within(c, link))
            continue;
        l->links[l->start[link->from + 1]] = *link;
        l->by[l->start[link->from + 1]++] = (uint8_t)by_;
    }
    return STATUS_OK;
}

/* The shortest way from a node back to itself: the link that closes it. */
static uint32_t search(struct circling *c, const struct circle_links *l, uint32_t first)
{
    uint32_t head = 0, tail = 0;

    c->rounds++;
    c->queue[tail++] = first;
    c->round[first] = c->rounds;
    while (head < tail) {
        uint32_t node = c->queue[head++];

        for (uint32_t i = l->start[node]; i < l->start[node + 1]; i++) {
            uint32_t to = l->links[i].to;

            if (to == first)
                return i;
            if (c->round[to] == c->rounds)
                continue;
            c->round[to] = c->rounds;
            c->by[to] = i;
            c->queue[tail++] = to;
        }
    }
    return INFER_NOTHING;
}

static enum version_reason reason_of(uint8_t by)
{
    if (by == SOURCE_UPDATE)
        return VERSION_READ_THEN_WRITTEN;
    return by == SOURCE_TIME ? VERSION_IN_TIME : VERSION_IN_SESSION;
}

static void tell_step(struct buffer *why, const struct history *h, const struct version_step *s)
{
    tell_txn(why, h, s->txns[0]);
    if (s->reason == VERSION_READ_THEN_WRITTEN) {
        tell_print(why, h, " read %W and wrote %W", s->from, s->to);
        return;
    }
    tell_print(why, h, " had to do with %W", s->from);
    buffer_text(why, s->reason == VERSION_IN_TIME ? TEXT(" before ")
                                                  : TEXT(" before, in its session, "));
    tell_print(why, h, "%T had with %W", s->txns[1], s->to);
}

static enum status tell_circle(struct circling *c, const struct circle_links *l, uint32_t last,
                               struct error *err)
{
    struct infer *infer = c->registers->infer;
    const struct history *h = infer->history;
    ARRAY(struct version_step) steps = { 0 };
    ARRAY(uint32_t) txns = { 0 };
    struct buffer why = { 0 }, proof = { 0 };
    uint32_t first = l->links[last].to, key = register_key(c->registers, first), link = last;
    enum status status = STATUS_OK;

    for (bool goes_on = true; goes_on && status == STATUS_OK; link = c->by[l->links[link].from]) {
        const struct version_link *at = &l->links[link];
        struct version_step step = { (uint8_t)reason_of(l->by[link]),
                                     infer->versions.op[at->from],
                                     infer->versions.op[at->to],
                                     { at->first, at->second } };

        goes_on = at->from != first;
        status = array_push(&steps, step, err);
        if (status == STATUS_OK)
            status = array_push(&txns, at->first, err);
        if (status == STATUS_OK)
            status = array_push(&txns, at->second, err);
        if (status == STATUS_OK)
            status = array_push(&txns, infer->versions.txn[at->to], err);
        if (!goes_on)
            break;
    }
    txns.count = sort_once(txns.at, txns.count);
    /* From behind. */
    for (size_t i = 0; i < steps.count / 2; i++) {
        struct version_step step = steps.at[i];

        steps.at[i] = steps.at[steps.count - 1 - i];
        steps.at[steps.count - 1 - i] = step;
    }
    for (size_t i = 0; i < steps.count && i < 8; i++) {
        buffer_text(&why, i > 0 ? TEXT("; ") : TEXT(""));
        tell_step(&why, h, &steps.at[i]);
    }
    tell_print(&why, h, "; so that versions of %K come before themselves", key);
    proof_versions(&proof, h, key, steps.at, steps.count);
    if (status == STATUS_OK) {
        status = check_tell(infer->check,
                            (struct discovery){ .kind = ANOMALY_CYCLIC_VERSIONS, .txns = txns.at,
                                                .txn_count = txns.count, .why = why,
                                                .proof = proof }, err);
    } else {
        buffer_close(&why);
        buffer_close(&proof);
    }
    array_close(&steps);
    array_close(&txns);
    return status;
}

/* One circle of each key that has some; the key loses its links. */
static enum status tell_keys(struct circling *c, const struct circle_kind *kind,
                             const struct circle_links *l, struct error *err)
{
    struct registers *r = c->registers;
    struct infer *infer = r->infer;
    bool is_told = level_implies(infer->options->level, kind->violated);

    for (uint32_t n = 0; n < infer->versions.count; n++) {
        uint32_t key;

        if (l->start[n] == l->start[n + 1])
            continue;
        key = register_key(r, n);
        if (r->circles[key] & kind->circle)
            continue;
        r->circles[key] |= kind->circle;
        infer_rule_out(infer, kind->violated);
        if (is_told && !check_is_full(infer->check))
            TRY(tell_circle(c, l, search(c, l, n), err));
    }
    return STATUS_OK;
}

static enum status find_kind(struct circling *c, const struct circle_kind *kind, struct error *err)
{
    struct graph g = { 0 };
    struct circle_links l = { 0 };
    enum status status = draw(c, kind, &g, err);

    if (status == STATUS_OK)
        status = graph_find_components(&g, &c->components, err);
    if (status == STATUS_OK && c->components.count < g.node_count) {
        status = sort_links(c, kind, &l, err);
        if (status == STATUS_OK)
            status = tell_keys(c, kind, &l, err);
    }
    graph_close(&g);
    graph_components_close(&c->components);
    free(l.start);
    free(l.links);
    free(l.by);
    return status;
}

static enum status find_all(struct circling *c, struct error *err)
{
    struct registers *r = c->registers;
    const struct infer *infer = r->infer;
    size_t keys = infer->history->key_count, versions = infer->versions.count;

    TRY(check_memory((void **)&c->is_suspect, keys, sizeof *c->is_suspect, 0, err));
    if (!find_suspects(c))
        return STATUS_OK;
    TRY(take_suspects(c, err));
    TRY(check_memory((void **)&r->circles, keys, sizeof *r->circles, 0, err));
    TRY(memory_resize((void **)&c->by, versions, sizeof *c->by, err));
    TRY(check_memory((void **)&c->round, versions, sizeof *c->round, 0, err));
    TRY(memory_resize((void **)&c->queue, versions, sizeof *c->queue, err));
    for (size_t i = 0; i < ROW_COUNT(kinds); i++)
        TRY(find_kind(c, &kinds[i], err));
    return STATUS_OK;
}

static enum status registers_find_circles(struct registers *r, struct error *err)
{
    struct circling c = { .registers = r };
    enum status status = find_all(&c, err);

    free(c.is_suspect);
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        array_close(&c.links[by]);
    free(c.by);
    free(c.round);
    free(c.queue);
    return status;
}

#define LOOKS_MAX UINT64_C(100000000) /* at operations, for one that wrote what was read before */

struct register_reading {
    struct registers *registers;
    uint32_t txn, op, key;
};

/* --- Telling ------------------------------------------------------------------------ */

static enum status tell_repeated(struct infer *c, uint32_t first, uint32_t second,
                                 struct error *err)
{
    const struct history *h = c->history;
    const struct inferred_versions *v = &c->versions;
    uint32_t txns[] = { v->txn[first], v->txn[second] };
    struct buffer why = { 0 }, proof = { 0 };

    /* Null is what deletes leave, as often as they come. */
    if (h->unique != 1 || !infer_is_committed(c, txns[0]) || !infer_is_committed(c, txns[1]) ||
        values_same(h, history_value(h, v->op[first]),
                             (struct value){ .kind = VALUE_NULL }) ||
        !infer_finds(c, ANOMALY_DUPLICATE_WRITE))
        return STATUS_OK;
    tell_print(&why, h, "%T wrote %W", txns[0], v->op[first]);
    if (txns[0] == txns[1]) {
        buffer_text(&why, TEXT(" twice"));
    } else {
        tell_print(&why, h, ", and so did %T", txns[1]);
    }
    buffer_text(&why, TEXT("; but line 1 says that values are unique"));
    proof_writes(&proof, h, h->op_key[v->op[first]], v->op[first], v->op[second]);
    return check_tell(c->check,
                      (struct discovery){ .kind = ANOMALY_DUPLICATE_WRITE, .txns = txns,
                                          .txn_count = txns[0] == txns[1] ? 1 : 2, .why = why,
                                          .proof = proof }, err);
}

static void tell_why(struct buffer *why, const struct register_reading *r, enum anomaly kind,
                     uint32_t version)
{
    const struct infer *c = r->registers->infer;
    const struct history *h = c->history;
    const struct inferred_versions *v = &c->versions;

    tell_print(why, h, "%T read %R", r->txn, r->op);
    switch (kind) {
    case ANOMALY_G1A:
        tell_print(why, h, ", which %T wrote, which did not commit", v->txn[version]);
        break;
    case ANOMALY_G1B:
        tell_print(why, h, ", which %T wrote, and then overwrote", v->txn[version]);
        break;
    case ANOMALY_FUTURE_READ:
        buffer_text(why, TEXT(", which it wrote only later"));
        break;
    case ANOMALY_GARBAGE_READ:
        buffer_text(why, TEXT(", which nobody wrote"));
        break;
    default:
        buffer_text(why, TEXT(", where it had "));
        if (r->registers->last_write[r->key] > h->txn_op[r->txn]) {
            tell_print(why, h, "written %W", r->registers->last_write[r->key] - 1);
        } else {
            buffer_text(why, TEXT("read "));
            tell_key_value(why, h, r->key,
                           history_value(h, r->registers->last_read[r->key] - 1));
        }
    }
}

/* `version` is a number, INFER_INITIAL or, where it is not known, INFER_NOTHING. */
static enum status tell_read(const struct register_reading *r, enum anomaly kind, uint32_t version,
                             struct error *err)
{
    struct infer *c = r->registers->infer;
    struct buffer why = { 0 }, proof = { 0 };
    uint32_t txns[] = { r->txn, r->txn }, count = 1;
    struct wrong_read wrong = { .txn = r->txn, .op = r->op, .key = r->key };

    if (!infer_finds(c, kind))
        return STATUS_OK;
    wrong.version_is_known = version != INFER_NOTHING;
    wrong.version = VERSION_INITIAL;
    if (version < c->versions.count) {
        wrong.version = c->versions.op[version];
        txns[1] = c->versions.txn[version];
        count += txns[1] != txns[0];
    }
    tell_why(&why, r, kind, version);
    proof_read(&proof, c->history, &wrong);
    return check_tell(c->check,
                      (struct discovery){ .kind = kind, .txns = txns, .txn_count = count,
                                          .why = why, .proof = proof }, err);
}

/* --- Writers ------------------------------------------------------------------------ */

/*
 * A writer is possible if it may have committed and wrote the key no more: the others,
 * aborted and intermediate ones, are only told where nobody else is left.
 */
struct value_writers {
    uint32_t count;         /* possible ones; three of more, and then nobody looks for the rest */
    uint32_t first, second; /* of these; numbers of versions, or INFER_NOTHING */
    uint32_t other;         /* the most harmless of the impossible ones, or INFER_NOTHING */
};

/* That a transaction overwrote it itself is less than that it did not commit. */
static bool is_more_harmless(const struct infer *c, uint32_t a, uint32_t b)
{
    return b == INFER_NOTHING || (c->places.standing[c->versions.txn[a]] != STANDING_OUT &&
                                  c->places.standing[c->versions.txn[b]] == STANDING_OUT);
}

static struct value_writers find_writers(const struct registers *r, uint32_t key,
                                         struct value value)
{
    const struct infer *c = r->infer;
    struct value_writers found = { 0, INFER_NOTHING, INFER_NOTHING, INFER_NOTHING };

    for (struct writer w = writers_find(&r->writers, key, value);
         w.number != WRITERS_NOBODY && found.count < 3; w = writers_next(&r->writers, w)) {
        if (c->versions.is_final[w.number] &&
            c->places.standing[c->versions.txn[w.number]] != STANDING_OUT) {
            found.first = found.count == 0 ? w.number : found.first;
            found.second = found.count == 1 ? w.number : found.second;
            found.count++;
        } else if (is_more_harmless(c, w.number, found.other)) {
            found.other = w.number;
        }
    }
    return found;
}

static uint32_t op_of_version(const void *context, uint32_t key, uint32_t version)
{
    const struct infer *c = context;

    (void)key;
    return c->versions.op[version];
}

static enum status index_values(struct registers *r, struct error *err)
{
    struct infer *c = r->infer;
    const struct inferred_versions *v = &c->versions;

    TRY(writers_init(&r->writers, c->history, v->count, err));
    r->writers.op_of = op_of_version;
    r->writers.context = c;
    for (uint32_t key = 0; key < c->history->key_count; key++)
        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++) {
            uint32_t first;

            if (c->key_kind[key] != KEY_REGISTER)
                break;
            TRY(writers_add(&r->writers, key, history_value(c->history, v->op[n]), n, &first,
                            err));
            if (first != WRITERS_NOBODY)
                TRY(tell_repeated(c, first, n, err));
        }
    return STATUS_OK;
}

/* --- Reading ------------------------------------------------------------------------ */

/*
 * The later of the transaction's own writes of this value; the read comes before it. Where others
 * hide it, it is looked for in a limited number of steps: beyond them the read is one of theirs.
 */
static uint32_t find_own_later(const struct register_reading *r, struct value value)
{
    const struct infer *c = r->registers->infer;
    const struct history *h = c->history;
    struct value_writers w = find_writers(r->registers, r->key, value);
    uint32_t known[] = { w.first, w.second, w.other };

    for (size_t i = 0; i < ROW_COUNT(known); i++)
        if (known[i] != INFER_NOTHING && c->versions.txn[known[i]] == r->txn &&
            c->versions.op[known[i]] > r->op)
            return known[i];
    if ((w.count == 0 && w.other == INFER_NOTHING) || r->registers->looks > LOOKS_MAX)
        return INFER_NOTHING;
    r->registers->looks += h->txn_op[r->txn + 1] - r->op;
    for (uint32_t op = r->op + 1; op < h->txn_op[r->txn + 1]; op++)
        if (history_makes_version(h, op) && h->op_key[op] == r->key &&
            values_same(h, history_value(h, op), value))
            return r->registers->number_of[op];
    return INFER_NOTHING;
}

/* Whether the transaction itself had written this value before the read. */
static bool wrote_earlier(const struct register_reading *r, struct value value)
{
    const struct history *h = r->registers->infer->history;

    for (uint32_t op = h->txn_op[r->txn]; op < r->op; op++)
        if (history_makes_version(h, op) && h->op_key[op] == r->key &&
            values_same(h, history_value(h, op), value))
            return true;
    return false;
}

/* Nobody can have written what was read there. */
static enum status blame(const struct register_reading *r, struct value value, uint32_t impossible,
                         struct error *err)
{
    struct infer *c = r->registers->infer;
    uint32_t later = find_own_later(r, value);

    if (later != INFER_NOTHING)
        return tell_read(r, ANOMALY_FUTURE_READ, later, err);
    if (impossible == INFER_NOTHING || c->versions.txn[impossible] == r->txn)
        return tell_read(r, ANOMALY_GARBAGE_READ, INFER_NOTHING, err);
    return tell_read(r,
                     c->places.standing[c->versions.txn[impossible]] == STANDING_OUT
                         ? ANOMALY_G1A
                         : ANOMALY_G1B,
                     impossible, err);
}

/* Who wrote what was read, where it was not the reader itself: the possible ones. */
static uint32_t count_sources(const struct register_reading *r, struct value value,
                              uint32_t *source, uint32_t *impossible)
{
    const struct infer *c = r->registers->infer;
    struct value_writers w = find_writers(r->registers, r->key, value);
    uint32_t count = w.count;

    *source = w.first;
    *impossible = w.other;
    if (w.count > 0 && c->versions.txn[w.first] == r->txn) {
        count--;
        *source = w.second;
    } else if (w.count > 1 && c->versions.txn[w.second] == r->txn) {
        count--;
    }
    if (values_same(c->history, history_initial(c->history, r->key), value)) {
        count++;
        *source = INFER_INITIAL;
    }
    return count;
}

static enum status note_read(const struct register_reading *r, uint32_t source, struct error *err)
{
    struct registers *registers = r->registers;
    struct infer *c = registers->infer;
    struct register_read read = { r->op, r->txn, source, INFER_NOTHING,
                                  registers->last_write[r->key] > c->history->txn_op[r->txn] };

    c->read_number[r->op] = source;
    if (source == INFER_INITIAL)
        read.node = register_initial(registers, r->key);
    else
        infer_note_read_from(c, c->versions.txn[source]);
    return array_push(&registers->reads, read, err);
}

/* Whether it contradicts what the transaction itself wrote or read before. */
static bool is_contradiction(const struct register_reading *r, struct value value)
{
    const struct registers *registers = r->registers;
    const struct history *h = registers->infer->history;
    uint32_t start = h->txn_op[r->txn];
    uint32_t before = registers->last_write[r->key] > start ? registers->last_write[r->key]
                                                            : registers->last_read[r->key];

    return before > start && !values_same(h, history_value(h, before - 1), value);
}

static enum status read_value(const struct register_reading *r, struct error *err)
{
    struct registers *registers = r->registers;
    const struct history *h = registers->infer->history;
    struct value value = history_value(h, r->op);
    bool contradicts = is_contradiction(r, value);
    uint32_t source, impossible, count;

    if (!contradicts && registers->last_write[r->key] > h->txn_op[r->txn])
        return STATUS_OK; /* its own */
    count = count_sources(r, value, &source, &impossible);
    if (contradicts)
        TRY(tell_read(r, ANOMALY_INTERNAL, count == 1 ? source : INFER_NOTHING, err));
    if (contradicts && wrote_earlier(r, value))
        return STATUS_OK; /* its own, though others may have written that, too */
    if (count == 1)
        return note_read(r, source, err);
    if (count == 0)
        return blame(r, value, impossible, err);
    if (registers->ambiguous++ == 0)
        registers->ambiguous_read = r->op;
    return STATUS_OK;
}

static bool is_own_key(const struct infer *c, uint32_t op)
{
    return c->key_kind[c->history->op_key[op]] == KEY_REGISTER;
}

static enum status read_txn(struct registers *r, uint32_t txn, struct error *err)
{
    const struct history *h = r->infer->history;
    size_t first = r->reads.count;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        struct register_reading reading = { r, txn, op, h->op_key[op] };

        if (history_makes_version(h, op) && is_own_key(r->infer, op)) {
            r->last_write[reading.key] = op + 1;
        } else if (infer_is_answer(h, op) && is_own_key(r->infer, op)) {
            TRY(read_value(&reading, err));
            r->last_read[reading.key] = op + 1;
        }
    }
    for (size_t i = first; i < r->reads.count; i++) {
        uint32_t key = h->op_key[r->reads.at[i].op];

        if (r->last_write[key] > h->txn_op[txn])
            r->reads.at[i].own = r->number_of[r->last_write[key] - 1];
    }
    return STATUS_OK;
}

/* registers.c: all reads, and what is wrong with them. */
static enum status registers_read(struct registers *r, struct error *err)
{
    const struct history *h = r->infer->history;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (t % INFER_STEP == 0 && !infer_goes_on(r->infer, "the writers of what was read", t))
            return STATUS_OK;
        r->read_start[t] = (uint32_t)r->reads.count;
        if (infer_is_committed(r->infer, t))
            TRY(read_txn(r, t, err));
    }
    r->read_start[h->txn_count] = (uint32_t)r->reads.count;
    return STATUS_OK;
}

/* --- The whole ---------------------------------------------------------------------- */

static enum status open_registers(struct registers *r, struct error *err)
{
    struct infer *c = r->infer;
    const struct history *h = c->history;

    if ((uint64_t)c->versions.count + h->key_count >= INFER_INITIAL)
        return error_set(err, STATUS_OVER_LIMIT, "too many versions to be numbered");
    r->node_count = c->versions.count + (uint32_t)h->key_count;
    TRY(memory_resize((void **)&r->number_of, h->op_count, sizeof *r->number_of, err));
    TRY(memory_resize((void **)&r->key_of, c->versions.count, sizeof *r->key_of, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        for (uint32_t n = c->versions.start[key]; n < c->versions.start[key + 1]; n++) {
            r->number_of[c->versions.op[n]] = n;
            r->key_of[n] = key;
        }
    TRY(check_memory((void **)&r->last_write, h->key_count, sizeof *r->last_write, 0, err));
    TRY(check_memory((void **)&r->last_read, h->key_count, sizeof *r->last_read, 0, err));
    TRY(memory_resize((void **)&r->read_start, h->txn_count + 1, sizeof *r->read_start, err));
    return index_values(r, err);
}

/* By what they read; start[n + 1] runs through those of n, and ends where those of n + 1 begin. */
static enum status sort_reads(struct registers *r, struct error *err)
{
    size_t count = (size_t)r->node_count + 2;

    TRY(check_memory((void **)&r->reader_start, count, sizeof *r->reader_start, 0, err));
    TRY(memory_resize((void **)&r->by_node, r->reads.count, sizeof *r->by_node, err));
    for (size_t i = 0; i < r->reads.count; i++)
        r->reader_start[r->reads.at[i].node + 2]++;
    array_sum_prefixes(r->reader_start, count);
    for (uint32_t i = 0; i < r->reads.count; i++)
        r->by_node[r->reader_start[r->reads.at[i].node + 1]++] = r->reads.at[i];
    return STATUS_OK;
}

static enum status read_all(struct registers *r, struct error *err)
{
    struct infer *c = r->infer;

    TRY(open_registers(r, err));
    TRY(registers_read(r, err));
    if (c->is_stopped)
        return STATUS_OK;
    if (r->ambiguous > 0)
        infer_leave_out(c,
                    "values are not unique: %" PRIu64 " reads, the first of them of %.*s, may be "
                    "of any of several writes, and say nothing",
                    r->ambiguous,
                    TEXT_PRINT(history_key(c->history, c->history->op_key[r->ambiguous_read])));
    return STATUS_OK;
}

enum status infer_link_registers(struct infer *c, struct error *err)
{
    if (!c->registers)
        return STATUS_OK;
    TRY(sort_reads(c->registers, err));
    TRY(registers_link(c->registers, err));
    TRY(registers_find_circles(c->registers, err));
    return registers_group(c->registers, err);
}

static bool has_registers(const struct infer *c)
{
    for (size_t key = 0; key < c->history->key_count; key++)
        if (c->key_kind[key] == KEY_REGISTER)
            return true;
    return false;
}

enum status infer_read_registers(struct infer *c, struct error *err)
{
    struct registers *r = NULL;

    if (!has_registers(c))
        return STATUS_OK;
    TRY(check_memory((void **)&r, 1, sizeof *r, 0, err));
    r->infer = c;
    c->registers = r;
    return read_all(r, err);
}

void infer_close_registers(struct infer *c)
{
    struct registers *r = c->registers;

    if (!r)
        return;
    writers_close(&r->writers);
    free(r->number_of);
    free(r->key_of);
    free(r->last_write);
    free(r->last_read);
    array_close(&r->reads);
    free(r->read_start);
    free(r->reader_start);
    free(r->by_node);
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        array_close(&r->links[by]);
    free(r->circles);
    free(r->next);
    array_close(&r->groups);
    free(r);
    c->registers = NULL;
}
