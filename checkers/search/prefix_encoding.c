#include "checkers/search/prefix_encoding.h"

#include <inttypes.h>
#include <string.h>

#include "checkers/checker_private.h"
#include "checkers/proof/witness.h"
#include "checkers/search/decide.h"
#include "checkers/search/explain.h"
#include "checkers/search/hints.h"

#define ARENA_MAX ((size_t)64 << 30) /* of addresses: memory comes as it is touched */
#define ARENA_MIN ((size_t)256 << 20)

struct judge {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct arena arena;
    struct distilled whole, halves;
    struct base base; /* of the whole */
    bool is_decided;
};

/* --- Orders ----------------------------------------------------------------------- */

static enum status tell_valid(struct judge *j, const struct serial *serial, struct error *err)
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
static enum status try_order(struct judge *j, const struct serial *serial, struct error *err)
{
    bool holds = false;

    TRY(replay_serial(&j->whole, &j->base, serial, &j->arena, &holds, err));
    return holds ? tell_valid(j, serial, err) : STATUS_OK;
}

/*
 * In an order of commits whoever sees as little as possible sees nothing that overwrote what it
 * read: what stands before it in its session, and whom it read from.
 */
static enum status see_little(struct judge *j, struct serial *serial, struct error *err)
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
static enum status follow_hint(struct judge *j, const uint32_t *hint, size_t count,
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

static enum status try_commits(struct judge *j, struct serial *serial, struct error *err)
{
    serial->overlaps = true;
    TRY(see_little(j, serial, err));
    return try_order(j, serial, err);
}

/* Those of the store, of time and of the file, and the one that came along. */
static enum status try_hints(struct judge *j, const uint32_t *given, size_t count,
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
static enum status join(struct judge *j, const struct serial *halves, struct serial *serial,
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

static void doubt(struct judge *j, const struct answer_found *answer)
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

static enum status hear(struct judge *j, const struct answer_found *answer, struct error *err)
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

static enum status ask(struct judge *j, struct error *err)
{
    struct question question = { .d = &j->halves,
                                 .options = j->options,
                                 .arena = &j->arena,
                                 .closing = CLOSED_BY_SESSION,
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

static enum status take_arena(struct arena *arena, struct error *err)
{
    for (size_t size = ARENA_MAX; size > ARENA_MIN; size /= 2)
        if (arena_init(arena, size, err) == STATUS_OK)
            return STATUS_OK;
    return arena_init(arena, ARENA_MIN, err);
}

static enum status judge(struct judge *j, const struct places *places, const uint32_t *hint,
                         size_t hint_count, struct error *err)
{
    struct distill_options options = { .version_order = { 0, 1 },
                                       .stop = j->options->stop,
                                       .keeps_standing = true };

    TRY(take_arena(&j->arena, err));
    TRY(distill(&j->whole, j->history, places, &options, &j->arena, err));
    if (j->whole.is_stopped || j->whole.is_too_large || j->whole.strange_key != HISTORY_NONE ||
        j->whole.faults.count > 0) {
        check_doubt(j->check, j->whole.is_stopped
                                  ? "it was stopped"
                                  : "reads of values written more than once, or of lists before "
                                    "and behind own appends, are not searched for a common order");
        return STATUS_OK;
    }
    TRY(base_init(&j->base, &j->whole, CLOSED_BY_SESSION, &j->arena, err));
    if (!check_wants(j->options, CHECK_SLOWLY))
        TRY(try_hints(j, hint, hint_count, err));
    return j->is_decided ? STATUS_OK : ask(j, err);
}

enum status halves_judge(const struct history *h, const struct places *places, const uint32_t *hint,
                         size_t hint_count, const struct check_options *options,
                         struct check *check, struct error *err)
{
    struct judge j = { .history = h, .options = options, .check = check };
    enum status status = judge(&j, places, hint, hint_count, err);

    distilled_close(&j.whole);
    arena_close(&j.arena);
    return status;
}
