/*
 * Adds what follows from what is known, in rounds over all keys until nothing new follows.
 *
 * Chain A comes before chain B if the other way round would close a cycle: if A's head comes
 * before B's last version, or before a reader of it. With clocks nobody looks at
 * pairs: the chains of a lane follow each other, so of each lane the last one that must
 * precede B is found by bisection, and it alone gets edges.
 *
 *     lane of slot 3:  A1 A2 A3 | A4 A5      clock of B's readers at slot 3: up to A3
 */
#include "checkers/search/polygraph/saturate.h"

#include <string.h>

#include "checkers/check_private.h"
#include "base/bisect.h"
#include "checkers/search/polygraph/polygraph_private.h"

/* --- Reads --------------------------------------------------------------------- */

/*
 * Reads with several possible sources: a candidate is struck out when the reader came before it,
 * or another version of the key stood between them. One that is left is the source.
 */

/* Versions of one key that come before a reader: of each slot the last, or all. */
struct rivals {
    uint32_t *at;
    uint32_t count;
    uint32_t *of_slot;  /* by slot: where the slot's rival stands in `at` */
    uint32_t *slot_key; /* by slot: the read, plus one, that of_slot is about */
};

/* The rivals of a slot follow each other, so that the last speaks for all. */
static void add_rival(const struct polygraph *p, struct rivals *r, uint32_t read, uint32_t version)
{
    uint32_t node = version_commit(p, version), slot = p->slot[node];

    if (p->reach.kind == REACH_CLOCKS) {
        if (r->slot_key[slot] == read + 1) {
            uint32_t *last = &r->at[r->of_slot[slot]];

            if (p->place[version_commit(p, *last)] < p->place[node])
                *last = version;
            return;
        }
        r->slot_key[slot] = read + 1;
        r->of_slot[slot] = r->count;
    }
    r->at[r->count++] = version;
}

static void find_rivals(const struct polygraph *p, struct rivals *r, uint32_t read)
{
    const struct distilled *d = p->d;
    uint32_t key = d->read_key[read], actor = d->read_actor[read], reader = node_begin(p, actor);

    r->count = 0;
    for (uint32_t v = d->key_start[key] + 1; v < d->key_start[key + 1]; v++)
        if (d->version_actor[v] != actor &&
            reach_is_before(&p->reach, version_commit(p, v), reader))
            add_rival(p, r, read, v);
}

/* Who shows that the version is not the source: NOBODY for the reader itself. */
static bool is_ruled_out(const struct polygraph *p, const struct rivals *r, uint32_t read,
                         uint32_t version, uint32_t *rival)
{
    const struct distilled *d = p->d;
    bool is_initial = version_is_initial(d, version);

    *rival = NOBODY;
    if (!is_initial &&
        reach_is_before(&p->reach, node_begin(p, d->read_actor[read]), version_commit(p, version)))
        return true;
    for (uint32_t i = 0; i < r->count; i++) {
        *rival = r->at[i];
        if (*rival != version &&
            (is_initial ||
             reach_is_before(&p->reach, version_commit(p, version), version_begin(p, *rival))))
            return true;
    }
    return false;
}

static enum status strike_of(struct polygraph *p, struct rivals *r, uint32_t read,
                             struct error *err)
{
    const struct distilled *d = p->d;
    uint32_t left = 0, last = NOBODY;

    find_rivals(p, r, read);
    for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++) {
        uint32_t rival;

        if (p->is_gone[c])
            continue;
        if (is_ruled_out(p, r, read, d->candidates[c], &rival)) {
            p->is_gone[c] = 1;
            TRY(polygraph_add(
                p, ((struct fact){ NOBODY, NOBODY, read, d->candidates[c], rival, FACT_NOT_FROM }),
                err));
            continue;
        }
        left++;
        last = d->candidates[c];
    }
    if (left == 0)
        p->read_without = read;
    if (left != 1)
        return STATUS_OK;
    p->open_count--;
    return polygraph_settle(p, read, last, err);
}

/* Strikes out candidates of reads that can no longer be their sources. */
static enum status polygraph_strike(struct polygraph *p, const struct check_options *options,
                                    struct error *err)
{
    const struct distilled *d = p->d;
    struct rivals r = { 0 };
    size_t mark = p->arena->used;

    if (p->open_count == 0)
        return STATUS_OK;
    TAKE(p->arena, r.at, d->version_count, err);
    TAKE(p->arena, r.of_slot, p->reach.slot_count + 1, err);
    TAKE(p->arena, r.slot_key, p->reach.slot_count + 1, err);
    for (uint32_t read = 0; read < d->read_count && p->read_without == NOBODY; read++) {
        if (p->source[read] == NOBODY)
            TRY(strike_of(p, &r, read, err));
        if (check_is_stopped(options))
            break;
    }
    arena_reset_to(p->arena, mark);
    return STATUS_OK;
}

/* Whether a sight can still be of a version. */
bool polygraph_may_be_from(const struct polygraph *p, uint32_t read, uint32_t version)
{
    const struct distilled *d = p->d;

    if (p->source[read] != NOBODY)
        return p->source[read] == version;
    for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++)
        if (d->candidates[c] == version)
            return !p->is_gone[c];
    return false;
}

/* Looks for a value that can have come from nowhere. */
static void polygraph_find_without(struct polygraph *p)
{
    const struct distilled *d = p->d;

    for (uint32_t i = 0; i < d->some_count && p->some_without == NOBODY; i++) {
        const struct some *s = &d->somes[i];
        bool may_be = false;

        for (uint32_t k = s->start; k < s->start + s->count && !may_be; k++)
            may_be = polygraph_may_be_from(p, d->some_read[k], d->some_version[k]);
        if (!may_be)
            p->some_without = i;
    }
}

/* --- Chains -------------------------------------------------------------------- */

/* --- One order -------------------------------------------------------------------- */

/* "A before B", unless it is known already; chains of one key. */
static enum status polygraph_order(struct polygraph *p, uint32_t a, uint32_t b, struct error *err)
{
    const struct distilled *d = p->d;
    uint32_t tail = p->tail[a], head = p->head[b];

    if (!version_is_initial(d, tail) &&
        !reach_is_before(&p->reach, version_commit(p, tail), version_begin(p, head)))
        TRY(polygraph_add(p,
                          ((struct fact){ version_commit(p, tail), version_begin(p, head), 0, tail,
                                          head, FACT_ORDER }),
                          err));
    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++) {
        uint32_t read = p->readers[i], reader = d->read_actor[read];

        if (reader != d->version_actor[head] &&
            !reach_is_before(&p->reach, node_begin(p, reader), version_commit(p, head)))
            TRY(polygraph_overtake(p, read, head, err));
    }
    return STATUS_OK;
}

/* --- What chains themselves say --------------------------------------------------- */

static enum status close_links(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;

    for (uint32_t version = 0; version < d->version_count; version++) {
        uint32_t next = p->next[version];

        if (next == NOBODY)
            continue;
        for (uint32_t i = p->reader_start[version]; i < p->reader_start[version + 1]; i++)
            if (!reach_is_before(&p->reach, node_begin(p, d->read_actor[p->readers[i]]),
                                 version_commit(p, next)))
                TRY(polygraph_overtake(p, p->readers[i], next, err));
    }
    return STATUS_OK;
}

/* The initial chain before all, and the chains of a lane one before the other. */
static enum status follow_lanes(struct polygraph *p, uint32_t key, struct error *err)
{
    uint32_t initial = p->chain_start[key];

    for (uint32_t i = p->lane_start[key]; i < p->lane_start[key + 1]; i++) {
        const struct lane *lane = &p->lanes[i];

        TRY(polygraph_order(p, initial, lane->start, err));
        for (uint32_t c = lane->start; c + 1 < lane->end; c++)
            if (p->is_snapshot || !p->is_plain[c])
                TRY(polygraph_order(p, c, c + 1, err));
    }
    return STATUS_OK;
}

/* --- What cycles forbid ----------------------------------------------------------- */

/*
 * How far along a slot chains must come before this one: up to this place of their heads'
 * beginnings. At snapshot, where readers are concerned, commits count, which are one place further.
 */
static uint32_t look_back(const struct polygraph *p, uint32_t chain, uint32_t slot)
{
    uint32_t tail = p->tail[chain];
    uint32_t furthest = reach_clock(&p->reach, version_commit(p, tail), slot);

    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++) {
        uint32_t reader = node_begin(p, p->d->read_actor[p->readers[i]]);
        uint32_t clock = reach_clock(&p->reach, reader, slot);

        if (clock > furthest + p->is_snapshot)
            furthest = clock - p->is_snapshot;
    }
    return furthest;
}

/* How many chains of a lane must come before. */
static uint32_t count_before(const struct lane *lane, const uint32_t *places, uint32_t furthest)
{
    uint32_t place;

    if (places[lane->start] > furthest)
        return 0;
    BISECT(place, lane->start, lane->end, places[place] <= furthest);
    return place - lane->start;
}

uint32_t polygraph_count_before(const struct polygraph *p, const struct lane *lane,
                                const uint32_t *places, uint32_t b)
{
    return count_before(lane, places, look_back(p, b, lane->slot));
}

/* Whether more is known to come before it than when it was last looked at. */
static bool has_changed(const struct polygraph *p, uint32_t chain)
{
    uint32_t tail = p->tail[chain];

    if (p->is_rechained || p->reach.has_changed[version_commit(p, tail)])
        return true;
    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++)
        if (p->reach.has_changed[node_begin(p, p->d->read_actor[p->readers[i]])])
            return true;
    return false;
}

static enum status force_by_clocks(struct polygraph *p, uint32_t key, uint32_t b, struct error *err)
{
    struct open_lanes open = polygraph_lanes(p, b);

    for (uint32_t i = open.starts[key]; i < open.starts[key + 1]; i++) {
        const struct lane *lane = &open.lanes[i];
        uint32_t count = polygraph_count_before(p, lane, open.places, b);

        /* Of its own lane it is itself one of them. */
        if (count > 0 && open_lanes_chain(&open, lane->start + count - 1) == b)
            count--;
        if (count > 0)
            TRY(polygraph_order(p, open_lanes_chain(&open, lane->start + count - 1), b, err));
    }
    return STATUS_OK;
}

/* Whether the other way round would close a cycle. */
bool polygraph_forces(const struct polygraph *p, uint32_t a, uint32_t b)
{
    uint32_t head = p->head[a], tail = p->tail[b];

    if (reach_is_before(&p->reach, version_begin(p, head), version_commit(p, tail)))
        return true;
    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++)
        if (reach_is_before(&p->reach, version_commit(p, head),
                            node_begin(p, p->d->read_actor[p->readers[i]])))
            return true;
    return false;
}

/* --- Without slots ----------------------------------------------------------------- */

/* The heads of one key's chains, as nodes, and whose heads they are. */
struct heads {
    uint64_t *begins, *commits; /* bits, of nodes */
    uint64_t *firm;             /* the same of firm chains: at serializable levels */
    uint32_t *chain;            /* by node */
};

static void mark(uint64_t *bits, uint32_t node, bool is_there)
{
    uint64_t bit = UINT64_C(1) << (node % 64);

    bits[node / 64] = is_there ? bits[node / 64] | bit : bits[node / 64] & ~bit;
}

static void mark_heads(const struct polygraph *p, struct heads *heads, uint32_t key, bool is_there)
{
    for (uint32_t c = p->chain_start[key] + 1; c < p->chain_start[key + 1]; c++) {
        uint32_t begin = version_begin(p, p->head[c]), commit = version_commit(p, p->head[c]);

        mark(heads->begins, begin, is_there);
        mark(heads->commits, commit, is_there);
        if (!p->is_plain[c])
            mark(heads->firm, begin, is_there);
        heads->chain[begin] = heads->chain[commit] = c;
    }
}

/* Chains whose heads are newly known to come before a node of b's must come before b. */
static enum status force_by_row(struct polygraph *p, const struct heads *heads,
                                const uint64_t *mask, uint32_t node, uint32_t b, struct error *err)
{
    const uint64_t *row = p->reach.bits + (size_t)node * p->reach.word_count;
    const uint64_t *before = p->reach.bits_before + (size_t)node * p->reach.word_count;

    if (!p->is_rechained && !p->reach.has_changed[node])
        return STATUS_OK;
    for (uint32_t word = 0; word < p->reach.word_count; word++) {
        uint64_t found = row[word] & mask[word] & (p->is_rechained ? ~UINT64_C(0) : ~before[word]);

        for (; found != 0; found &= found - 1) {
            uint32_t a = heads->chain[word * 64 + (uint32_t)__builtin_ctzll(found)];

            if (a != b)
                TRY(polygraph_order(p, a, b, err));
        }
    }
    return STATUS_OK;
}

static enum status force_by_bits(struct polygraph *p, const struct heads *heads, uint32_t b,
                                 struct error *err)
{
    uint32_t tail = p->tail[b];

    /* Among plain chains no order matters, at serializable levels. */
    if (!p->is_snapshot && p->is_plain[b])
        return force_by_row(p, heads, heads->firm, version_commit(p, tail), b, err);
    TRY(force_by_row(p, heads, heads->begins, version_commit(p, tail), b, err));
    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++)
        TRY(force_by_row(p, heads, heads->commits, node_begin(p, p->d->read_actor[p->readers[i]]),
                         b, err));
    return STATUS_OK;
}

/* --- All keys --------------------------------------------------------------------- */

static enum status force_in_key(struct polygraph *p, struct heads *heads, uint32_t key,
                                struct error *err)
{
    bool has_bits = p->reach.kind == REACH_BITS;
    enum status status = STATUS_OK;

    if (p->chain_start[key + 1] - p->chain_start[key] < 2)
        return STATUS_OK;
    if (has_bits)
        mark_heads(p, heads, key, true);
    for (uint32_t b = p->chain_start[key] + 1; b < p->chain_start[key + 1] && status == STATUS_OK;
         b++)
        if (has_bits)
            status = force_by_bits(p, heads, b, err);
        else if (has_changed(p, b))
            status = force_by_clocks(p, key, b, err);
    if (has_bits)
        mark_heads(p, heads, key, false);
    return status;
}

static enum status force(struct polygraph *p, const struct check_options *options,
                         struct error *err)
{
    size_t mark = p->arena->used;
    struct heads heads = { 0 };

    if (p->reach.kind == REACH_NOTHING)
        return STATUS_OK;
    if (p->reach.kind == REACH_BITS) {
        TAKE(p->arena, heads.begins, p->reach.word_count, err);
        TAKE(p->arena, heads.commits, p->reach.word_count, err);
        TAKE(p->arena, heads.firm, p->reach.word_count, err);
        TAKE(p->arena, heads.chain, p->node_count, err);
    }
    for (uint32_t key = 0; key < p->d->key_count; key++) {
        if (key % 1024 == 0) {
            progress_report(options->progress, key, p->d->key_count);
            if (check_is_stopped(options))
                break;
        }
        TRY(force_in_key(p, &heads, key, err));
    }
    arena_reset_to(p->arena, mark);
    return STATUS_OK;
}

/* --- Rounds ----------------------------------------------------------------------- */

static enum status take_a_round(struct polygraph *p, const struct check_options *options,
                                struct error *err)
{
    if (p->is_rechained) {
        TRY(close_links(p, err));
        for (uint32_t key = 0; key < p->d->key_count; key++)
            TRY(follow_lanes(p, key, err));
    }
    TRY(force(p, options, err));
    p->is_rechained = false;
    return polygraph_strike(p, options, err);
}

enum status polygraph_saturate(struct polygraph *p, const struct check_options *options,
                               struct error *err)
{
    uint32_t open, known = 0;

    do {
        bool is_acyclic = true;

        TRY(reach_update(&p->reach, p->arrows.at, &p->arrows.count, &is_acyclic, err));
        p->is_refuted = !is_acyclic;
        if (p->is_refuted || check_is_stopped(options) ||
            (known > 0 && p->reach.kind == REACH_NOTHING))
            break;
        known = (uint32_t)p->facts.count;
        open = p->open_count;
        TRY(take_a_round(p, options, err));
        if (p->open_count < open)
            TRY(polygraph_chain(p, err));
        polygraph_find_without(p);
        p->is_refuted = p->read_without != NOBODY || p->some_without != NOBODY;
    } while (!p->is_refuted && (p->facts.count > known || p->open_count < open));
    return STATUS_OK;
}
