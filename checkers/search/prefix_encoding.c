#include "checkers/search/prefix_encoding.h"

#include <inttypes.h>
#include <string.h>

#include "checkers/check_private.h"
#include "checkers/proof/witness.h"
#include "checkers/search/decide_private.h"
#include "checkers/search/explain.h"
#include "checkers/search/hints.h"

/* --- Cutting ------------------------------------------------------------------- */

struct cutting {
    const struct distilled *whole;
    struct distilled *halves;
    struct arena *arena;
    uint32_t *number; /* by read of the whole: its number among those of the halves */
    uint32_t *writer; /* by key of the history: the actor at hand, plus one, if it writes it */
    uint32_t *write;  /* beside it: the operation that does so first */
};

static void note_writes(struct cutting *c, uint32_t actor)
{
    const struct history *h = c->whole->history;
    uint32_t txn = c->whole->actor_txn[actor];

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];

        if (!op_is_write(h->op_kind[op]) || h->op_flags[op] & OP_ERROR ||
            c->writer[key] == actor + 1)
            continue;
        c->writer[key] = actor + 1;
        c->write[key] = op;
    }
}

/* Whether the reader had appended to the list before. */
static bool is_behind_own(const struct cutting *c, uint32_t read)
{
    const struct distilled *w = c->whole;
    uint32_t key = w->history->op_key[w->read_op[read]];

    return c->writer[key] == w->read_actor[read] + 1 && c->write[key] < w->read_op[read];
}

/* Of each actor first those of b, then those of c. */
static enum status number_reads(struct cutting *c, struct error *err)
{
    const struct distilled *w = c->whole;
    struct distilled *d = c->halves;

    TAKE(c->arena, c->number, w->read_count, err);
    TAKE(c->arena, c->writer, w->history->key_count, err);
    TAKE(c->arena, c->write, w->history->key_count, err);
    TAKE(c->arena, d->read_actor, w->read_count, err);
    for (uint32_t from = 0, to; from < w->read_count; from = to) {
        uint32_t actor = w->read_actor[from], next = from;

        note_writes(c, actor);
        for (to = from; to < w->read_count && w->read_actor[to] == actor; to++)
            if (!is_behind_own(c, to)) {
                d->read_actor[next] = 2 * actor;
                c->number[to] = next++;
            }
        for (uint32_t read = from; read < to; read++)
            if (is_behind_own(c, read)) {
                d->read_actor[next] = 2 * actor + 1;
                c->number[read] = next++;
            }
    }
    return STATUS_OK;
}

static enum status move_reads(struct cutting *c, struct error *err)
{
    const struct distilled *w = c->whole;
    struct distilled *d = c->halves;
    uint32_t count = w->read_count;

    TAKE(c->arena, d->read_op, count, err);
    TAKE(c->arena, d->read_key, count, err);
    TAKE(c->arena, d->read_length, count, err);
    TAKE(c->arena, d->read_source, count, err);
    TAKE(c->arena, d->candidate_start, (size_t)count + 1, err);
    TAKE(c->arena, d->candidates, w->candidate_start[count], err);
    for (uint32_t read = 0; read < count; read++) {
        uint32_t to = c->number[read];

        d->read_op[to] = w->read_op[read];
        d->read_key[to] = w->read_key[read];
        d->read_length[to] = w->read_length[read];
        d->read_source[to] = w->read_source[read];
        d->candidate_start[to + 1] = w->candidate_start[read + 1] - w->candidate_start[read];
    }
    array_sum_prefixes(d->candidate_start, count + 1);
    for (uint32_t read = 0; read < count; read++)
        for (uint32_t i = w->candidate_start[read]; i < w->candidate_start[read + 1]; i++)
            d->candidates[d->candidate_start[c->number[read]] + i - w->candidate_start[read]] =
                w->candidates[i];
    return STATUS_OK;
}

static enum status move_lists(struct cutting *c, struct error *err)
{
    const struct distilled *w = c->whole;
    struct distilled *d = c->halves;

    TAKE(c->arena, d->shown, w->shown_count, err);
    TAKE(c->arena, d->key_list, w->key_count, err);
    for (uint32_t i = 0; i < w->shown_count; i++) {
        d->shown[i] = w->shown[i];
        d->shown[i].read = c->number[w->shown[i].read];
    }
    for (uint32_t key = 0; key < w->key_count; key++)
        d->key_list[key] = w->key_list[key] == NOBODY ? NOBODY : c->number[w->key_list[key]];
    return STATUS_OK;
}

/* Each actor in two, the reads before the writes. Lives as long as the whole. */
static enum status halves_cut(struct distilled *d, const struct distilled *w, struct arena *arena,
                              struct error *err)
{
    struct cutting c = { .whole = w, .halves = d, .arena = arena };

    *d = *w; /* keys and versions stay as they are */
    memset(&d->faults, 0, sizeof d->faults);
    d->is_halved = true;
    d->actor_count = 2 * w->actor_count;
    TAKE(arena, d->actor_txn, d->actor_count, err);
    TAKE(arena, d->version_actor, w->version_count, err);
    for (uint32_t actor = 0; actor < d->actor_count; actor++)
        d->actor_txn[actor] = w->actor_txn[actor / 2];
    for (uint32_t v = 0; v < w->version_count; v++)
        d->version_actor[v] = w->version_actor[v] == NOBODY ? NOBODY : 2 * w->version_actor[v] + 1;
    TRY(number_reads(&c, err));
    TRY(move_reads(&c, err));
    return move_lists(&c, err);
}

/* --- Judging ------------------------------------------------------------------- */

struct prefix_question {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct arena arena;
    struct distilled whole, halves;
    struct fixed_order base; /* of the whole */
    bool is_decided;
};

/* --- Orders ----------------------------------------------------------------------- */

static enum status tell_valid(struct prefix_question *j, const struct serial *serial, struct error *err)
{
    uint32_t count = j->whole.actor_count, *txns;

    j->is_decided = true;
    if (!check_wants(j->options, CHECK_WITNESS))
        return STATUS_OK;
    TAKE(&j->arena, txns, count, err);
    for (uint32_t i = 0; i < count; i++)
        txns[i] = j->whole.actor_txn[serial->actors[i]];
    witness_order(j->check, j->history, txns, count);
    witness_snapshots(j->check, serial->seen, count);
    return STATUS_OK;
}

/* Nothing is valid that was not replayed. */
static enum status try_order(struct prefix_question *j, const struct serial *serial, struct error *err)
{
    bool holds = false;

    TRY(replay_serial(&j->whole, &j->base, serial, &j->arena, &holds, err));
    return holds ? tell_valid(j, serial, err) : STATUS_OK;
}

/*
 * In an order of commits whoever sees as little as possible sees nothing that overwrote what it
 * read: what stands before it in its session, and whom it read from.
 */
static enum status see_little(struct prefix_question *j, struct serial *serial, struct error *err)
{
    const struct distilled *d = &j->whole;
    uint32_t *place, *seen; /* by actor */

    TAKE(&j->arena, serial->seen, d->actor_count, err);
    TAKE(&j->arena, place, d->actor_count, err);
    TAKE(&j->arena, seen, d->actor_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        place[serial->actors[i]] = i;
    for (uint32_t actor = 0; actor < d->actor_count; actor++)
        if (j->base.before[actor] != NOBODY)
            seen[actor] = place[j->base.before[actor]] + 1;
    for (uint32_t read = 0; read < d->read_count; read++) {
        uint32_t source = d->read_source[read], reader = d->read_actor[read];
        uint32_t writer = source == NOBODY ? NOBODY : d->version_actor[source];

        if (writer != NOBODY && seen[reader] < place[writer] + 1)
            seen[reader] = place[writer] + 1;
    }
    for (uint32_t i = 0; i < d->actor_count; i++)
        serial->seen[i] = seen[serial->actors[i]];
    return STATUS_OK;
}

/* The actors in the order of a hint; false: it has not all of them. */
static enum status follow_hint(struct prefix_question *j, const uint32_t *hint, size_t count,
                               struct serial *serial, bool *is_whole, struct error *err)
{
    const struct distilled *d = &j->whole;
    uint32_t *actor, taken = 0; /* by transaction, plus one */

    TAKE(&j->arena, actor, j->history->txn_count, err);
    TAKE(&j->arena, serial->actors, d->actor_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        actor[d->actor_txn[i]] = i + 1;
    for (size_t i = 0; i < count; i++)
        if (actor[hint[i]] != 0)
            serial->actors[taken++] = actor[hint[i]] - 1;
    *is_whole = taken == d->actor_count;
    return STATUS_OK;
}

static enum status try_commits(struct prefix_question *j, struct serial *serial, struct error *err)
{
    serial->overlaps = true;
    TRY(see_little(j, serial, err));
    return try_order(j, serial, err);
}

/* Those of the store, of time and of the file, and the one that came along. */
static enum status try_hints(struct prefix_question *j, const uint32_t *given, size_t count,
                             struct error *err)
{
    size_t mark = j->arena.used;
    struct serial serial = { 0 };
    bool is_usable = false;

    for (int hint = 0; hint < HINT_COUNT && !j->is_decided; hint++) {
        TRY(hints_order(&j->whole, (enum hint)hint, &j->arena, &serial, &is_usable, err));
        if (is_usable)
            TRY(try_commits(j, &serial, err));
        arena_reset_to(&j->arena, mark);
    }
    if (j->is_decided)
        return STATUS_OK;
    TRY(follow_hint(j, given, count, &serial, &is_usable, err));
    if (is_usable)
        TRY(try_commits(j, &serial, err));
    arena_reset_to(&j->arena, mark);
    return STATUS_OK;
}

/* An order of halves: commits, and how many of them stand before each beginning. */
static enum status join(struct prefix_question *j, const struct serial *halves, struct serial *serial,
                        struct error *err)
{
    uint32_t count = 0, *begun;

    serial->overlaps = true;
    TAKE(&j->arena, serial->actors, j->whole.actor_count, err);
    TAKE(&j->arena, serial->seen, j->whole.actor_count, err);
    TAKE(&j->arena, begun, j->whole.actor_count, err);
    for (uint32_t i = 0; i < j->halves.actor_count; i++) {
        uint32_t half = halves->actors[i];

        if (half % 2 == 0) {
            begun[half / 2] = count;
            continue;
        }
        serial->seen[count] = begun[half / 2];
        serial->actors[count++] = half / 2;
    }
    return STATUS_OK;
}

/* --- The question ----------------------------------------------------------------- */

static void doubt(struct prefix_question *j, const struct answer_found *answer)
{
    if (check_is_stopped(j->options))
        check_doubt(j->check, "it was stopped");
    else if (answer->reason)
        check_doubt(j->check, "%s", answer->reason);
    else
        check_doubt(j->check,
                    "no order and no proof was found: %" PRIu64 " orders of writers are open",
                    answer->pair_count);
}

static enum status hear(struct prefix_question *j, const struct answer_found *answer, struct error *err)
{
    struct serial serial = { 0 };

    if (answer->kind == ANSWER_ORDER) {
        TRY(join(j, &answer->serial, &serial, err));
        TRY(try_order(j, &serial, err));
        /* That a list is the same before and behind own appends is asked of nobody but the
         * replay. */
        if (!j->is_decided)
            check_doubt(j->check, "the order that was found does not explain what a transaction "
                                  "read of lists behind its own appends");
    } else if (answer->kind == ANSWER_NONE) {
        TRY(explain_refutation(j->check, &answer->steps, err));
    } else {
        doubt(j, answer);
    }
    return STATUS_OK;
}

static enum status ask(struct prefix_question *j, struct error *err)
{
    struct question question = { .d = &j->halves,
                                 .options = j->options,
                                 .arena = &j->arena,
                                 .closing = CLOSING_SESSION,
                                 .wants_proof = true };
    struct answer_found answer = { 0 };
    enum status status = halves_cut(&j->halves, &j->whole, &j->arena, err);

    if (status != STATUS_OK)
        return status;
    status = decide(&question, &answer, err);
    if (status == STATUS_OK)
        status = hear(j, &answer, err);
    decide_close(&answer);
    return status;
}

/* --- The whole -------------------------------------------------------------------- */

static enum status judge(struct prefix_question *j, const struct places *places,
                         const struct prefix_hint *hint, struct error *err)
{
    struct distill_options options = { .version_order = { 0, 1 },
                                       .stop = j->options->stop,
                                       .keeps_standing = true };

    TRY(arena_init(&j->arena, ARENA_UNLIMITED, err));
    TRY(distill(&j->whole, j->history, places, &options, &j->arena, err));
    if (j->whole.is_stopped || j->whole.is_too_large || j->whole.strange_key != HISTORY_NONE ||
        j->whole.faults.count > 0) {
        check_doubt(j->check, j->whole.is_stopped
                                  ? "it was stopped"
                                  : "reads of values written more than once, or of lists before "
                                    "and behind own appends, are not searched for a common order");
        return STATUS_OK;
    }
    TRY(fixed_order_init(&j->base, &j->whole, CLOSING_SESSION, &j->arena, err));
    if (!check_wants(j->options, CHECK_SLOWLY))
        TRY(try_hints(j, hint->txns, hint->count, err));
    return j->is_decided ? STATUS_OK : ask(j, err);
}

enum status prefix_encoding_judge(const struct history *h, const struct places *places,
                                  const struct prefix_hint *hint,
                                  const struct check_options *options, struct check *check,
                                  struct error *err)
{
    struct prefix_question j = { .history = h, .options = options, .check = check };
    enum status status = judge(&j, places, hint, err);

    distill_close(&j.whole);
    arena_close(&j.arena);
    return status;
}
