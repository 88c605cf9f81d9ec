#include "verify/prediction/prediction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "history/builder.h"
#include "verify/prediction/choices_private.h"
#include "verify/prediction/observed_private.h"
#include "verify/witness/witness.h"

enum part { PART_NONE, PART_FULL, PART_BOUNDARY };

struct judge {
    const struct history *h;
    struct prediction_choices choices;
    struct observed observed;
    struct arena arena;
    bool is_refused;
    struct map txn_of_id;
    uint32_t *session_start, *session_txns; /* by session: its transactions, in order */
    uint8_t *part;                          /* by transaction, enum part */
    uint32_t *included;                     /* by transaction: how many of its events are in */
    uint32_t *from;                         /* by event: from whom it is read, where it is in */
    bool *is_chosen;                        /* by event */
    int64_t *number;  /* by transaction: its number among those that are in, from 1 */
    uint64_t changed; /* reads that come from another than observed */
    struct history predicted;
};

#define REFUSE(j, err, ...) ((j)->is_refused = true, error_set(err, STATUS_BAD_INPUT, __VA_ARGS__))

#define TAKE(j, field, count, err)                                                                 \
    do {                                                                                           \
        (field) = arena_push(&(j)->arena, (size_t)(count) + 1, sizeof *(field));                   \
        if (!(field))                                                                              \
            return error_set(err, STATUS_OVER_LIMIT, "no memory to verify a prediction");          \
    } while (0)

static uint32_t event_count_of(const struct judge *j, uint32_t txn)
{
    return j->observed.start[txn + 1] - j->observed.start[txn];
}

static enum status find_txn(struct judge *j, int64_t id, uint32_t *txn, struct error *err)
{
    uint64_t number;

    if (!map_find(&j->txn_of_id, (uint64_t)id, &number))
        return REFUSE(j, err, "the history has no transaction %" PRId64, id);
    *txn = (uint32_t)number;
    return STATUS_OK;
}

/* --- What is in ------------------------------------------------------------------------------------- */

/* Of a session, in order: so many full transactions, and the boundary behind them. */
static enum status take_session(struct judge *j, uint32_t session,
                                const struct chosen_session *chosen, struct error *err)
{
    const uint32_t *txns = j->session_txns + j->session_start[session];
    uint32_t count = j->session_start[session + 1] - j->session_start[session], boundary;

    if (count < chosen->full)
        return REFUSE(j, err,
                      "session %" PRId64 " has %" PRIu32 " transactions, and not %" PRId64
                      " full ones",
                      chosen->session, count, chosen->full);
    for (uint32_t i = 0; i < chosen->full; i++) {
        j->part[txns[i]] = PART_FULL;
        j->included[txns[i]] = event_count_of(j, txns[i]);
    }
    if (!chosen->has_boundary)
        return STATUS_OK;
    if (count == chosen->full || j->h->txn_id[txns[chosen->full]] != chosen->txn)
        return REFUSE(j, err,
                      "transaction %" PRId64 " does not follow the full ones of session %" PRId64,
                      chosen->txn, chosen->session);
    boundary = txns[chosen->full];
    if (chosen->included > event_count_of(j, boundary))
        return REFUSE(j, err, "transaction %" PRId64 " has %" PRIu32 " events, and not %" PRId64,
                      chosen->txn, event_count_of(j, boundary), chosen->included);
    j->part[boundary] = PART_BOUNDARY;
    j->included[boundary] = (uint32_t)chosen->included;
    return STATUS_OK;
}

static enum status list_sessions(struct judge *j, struct error *err)
{
    const struct history *h = j->h;
    uint32_t *start;

    TAKE(j, start, h->session_count + 1, err);
    TAKE(j, j->session_txns, h->txn_count, err);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (j->observed.takes_part[txn])
            start[h->txn_session[txn] + 2]++;
    array_sum_prefixes(start, h->session_count + 2);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (j->observed.takes_part[txn])
            j->session_txns[start[h->txn_session[txn] + 1]++] = txn;
    j->session_start = start;
    return STATUS_OK;
}

static bool session_has_txns(const struct judge *j, uint64_t session)
{
    return j->session_start[session] < j->session_start[session + 1];
}

static enum status take_named_sessions(struct judge *j, const struct map *ids, bool *is_told,
                                       struct error *err)
{
    for (size_t i = 0; i < j->choices.sessions.count; i++) {
        const struct chosen_session *chosen = &j->choices.sessions.at[i];
        uint64_t s;

        if (!map_find(ids, (uint64_t)chosen->session, &s) || !session_has_txns(j, s))
            return REFUSE(j, err, "session %" PRId64 " has no transaction that counts",
                          chosen->session);
        if (is_told[s])
            return REFUSE(j, err, "session %" PRId64 " stands here twice", chosen->session);
        TRY(take_session(j, (uint32_t)s, chosen, err));
        is_told[s] = true;
    }
    return STATUS_OK;
}

/* Each that has transactions, once. */
static enum status take_sessions(struct judge *j, struct error *err)
{
    const struct history *h = j->h;
    struct map ids = { 0 };
    enum status status = STATUS_OK;
    bool *is_told;
    size_t place;

    TRY(list_sessions(j, err));
    TAKE(j, is_told, h->session_count, err);
    for (uint32_t s = 0; s < h->session_count && status == STATUS_OK; s++)
        status = map_add(&ids, (uint64_t)h->session_id[s], s, &place, err);
    if (status == STATUS_OK)
        status = take_named_sessions(j, &ids, is_told, err);
    map_close(&ids);
    TRY(status);
    for (uint32_t s = 0; s < h->session_count; s++)
        if (session_has_txns(j, s) && !is_told[s])
            return REFUSE(j, err, "session %" PRId64 " is missing", h->session_id[s]);
    return STATUS_OK;
}

/* --- From whom is read --------------------------------------------------------------------------------- */

static enum status take_choice(struct judge *j, uint32_t txn, const struct chosen_read *read,
                               struct error *err)
{
    const struct history *h = j->h;
    uint32_t event = j->observed.start[txn] + (uint32_t)read->event, writer = FROM_INITIAL;
    struct observed_event observed;

    if (read->event >= j->included[txn])
        return REFUSE(j, err, "event %" PRId64 " of transaction %" PRId64 " is not in", read->event,
                      h->txn_id[txn]);
    observed = j->observed.events.at[event];
    if (observed.from == FROM_NOBODY || !text_equal(read->key, history_key(h, observed.key)))
        return REFUSE(j, err, "event %" PRId64 " of transaction %" PRId64 " is no read of %.*s",
                      read->event, h->txn_id[txn], TEXT_PRINT(read->key));
    if (j->is_chosen[event])
        return REFUSE(j, err, "event %" PRId64 " of transaction %" PRId64 " stands here twice",
                      read->event, h->txn_id[txn]);
    if (!read->is_initial) {
        TRY(find_txn(j, read->from, &writer, err));
        if (writer == txn || !j->observed.takes_part[writer] ||
            !observed_writes(&j->observed, writer, observed.key))
            return REFUSE(j, err,
                          "transaction %" PRId64 " cannot read %.*s from %" PRId64
                          ", which does not write it",
                          h->txn_id[txn], TEXT_PRINT(read->key), read->from);
    }
    j->is_chosen[event] = true;
    j->from[event] = writer;
    j->changed += writer != observed.from;
    return STATUS_OK;
}

/* Behind the strict cut nothing is left; it is behind the one read that was chosen. */
static enum status check_cut(struct judge *j, uint32_t txn, const struct chosen_session *chosen,
                             struct error *err)
{
    if (!j->choices.is_strict)
        return chosen->included == event_count_of(j, txn)
                   ? STATUS_OK
                   : REFUSE(j, err, "transaction %" PRId64 " is cut, and the boundary is relaxed",
                            chosen->txn);
    if (chosen->read_count != 1)
        return REFUSE(j, err,
                      "transaction %" PRId64 " has %zu chosen reads, and the boundary is strict",
                      chosen->txn, chosen->read_count);
    if (j->choices.reads.at[chosen->read].event != chosen->included - 1)
        return REFUSE(j, err, "transaction %" PRId64 " is not cut behind the read that was chosen",
                      chosen->txn);
    return STATUS_OK;
}

static enum status take_choices(struct judge *j, struct error *err)
{
    for (size_t i = 0; i < j->choices.sessions.count; i++) {
        const struct chosen_session *chosen = &j->choices.sessions.at[i];
        uint32_t txn = 0;

        if (!chosen->has_boundary)
            continue;
        TRY(find_txn(j, chosen->txn, &txn, err));
        TRY(check_cut(j, txn, chosen, err));
        for (size_t r = chosen->read; r < chosen->read + chosen->read_count; r++)
            TRY(take_choice(j, txn, &j->choices.reads.at[r], err));
    }
    return STATUS_OK;
}

/* Whoever is read, by the choices or as observed, is full. */
static enum status check_writers(struct judge *j, struct error *err)
{
    const struct history *h = j->h;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t n = 0; n < j->included[txn]; n++) {
            uint32_t event = j->observed.start[txn] + n;
            struct observed_event observed = j->observed.events.at[event];

            if (!j->is_chosen[event])
                j->from[event] = observed.from;
            if (j->from[event] >= FROM_INITIAL || j->part[j->from[event]] == PART_FULL)
                continue;
            return REFUSE(j, err,
                          "transaction %" PRId64 " reads %.*s from %" PRId64 ", which is not full",
                          h->txn_id[txn], TEXT_PRINT(history_key(h, observed.key)),
                          h->txn_id[j->from[event]]);
        }
    return STATUS_OK;
}

/* --- The predicted history ------------------------------------------------------------------------------- */

static enum status build_txn(struct judge *j, uint32_t txn, struct builder *b, struct error *err)
{
    const struct history *h = j->h;
    uint32_t key;

    TRY(builder_begin_txn(b, h->txn_id[txn], h->session_id[h->txn_session[txn]], TXN_OK, err));
    for (uint32_t n = 0; n < j->included[txn]; n++) {
        uint32_t event = j->observed.start[txn] + n, from = j->from[event];
        bool is_read = from != FROM_NOBODY;
        struct value value =
            from == FROM_INITIAL ? value_null() : value_integer(j->number[is_read ? from : txn]);

        TRY(builder_key(b, history_key(h, j->observed.events.at[event].key), &key, err));
        TRY(builder_add_op(b, is_read ? OP_READ : OP_WRITE, key, value, err));
    }
    return builder_end_txn(b, err);
}

static enum status build_all(struct judge *j, struct builder *b, struct error *err)
{
    int64_t count = 0;

    TRY(builder_set_workload(b, TEXT("predicted"), err));
    builder_set_unique(b, true);
    for (uint32_t txn = 0; txn < j->h->txn_count; txn++)
        if (j->part[txn] != PART_NONE)
            j->number[txn] = ++count;
    for (uint32_t txn = 0; txn < j->h->txn_count; txn++)
        if (j->part[txn] != PART_NONE)
            TRY(build_txn(j, txn, b, err));
    return builder_finish(b, &j->predicted, err);
}

static enum status build_predicted(struct judge *j, struct error *err)
{
    struct builder b;
    enum status status;

    builder_init(&b);
    status = build_all(j, &b, err);
    builder_close(&b);
    return status;
}

/* --- The witnesses within --------------------------------------------------------------------------------- */

struct inner {
    const char *name;
    struct text bytes;
    bool is_valid; /* what it has to be */
};

/* Whether it is of the verdict, the level and a checker that are wanted here. */
static enum status check_inner(struct judge *j, const struct inner *inner, const struct witness *w,
                               struct error *err)
{
    enum level holds =
        j->choices.level == LEVEL_SNAPSHOT ? LEVEL_SESSION_SNAPSHOT : j->choices.level;
    struct text checker = text_of(w->basis->checker);
    bool is_level = inner->is_valid
                        ? w->level == holds
                        : w->level == LEVEL_SERIALIZABLE || w->level == LEVEL_SESSION_SERIALIZABLE;
    bool is_known = text_equal(checker, TEXT("blackbox")) ||
                    (inner->is_valid && text_equal(checker, TEXT("weak")));

    if (w->is_valid != inner->is_valid)
        return REFUSE(j, err, "\"%s\" has the verdict %s", inner->name,
                      w->is_valid ? "valid" : "invalid");
    if (!is_level)
        return REFUSE(j, err, "\"%s\" is of %s, and not of %s", inner->name, level_name(w->level),
                      inner->is_valid ? level_name(holds) : "serializable or session-serializable");
    if (!is_known)
        return REFUSE(j, err, "\"%s\" is by %s, and not by %s", inner->name, w->basis->checker,
                      inner->is_valid ? "weak or blackbox" : "blackbox");
    return STATUS_OK;
}

static enum status judge_inner(struct judge *j, const struct inner *inner, char *bytes,
                               struct error *err)
{
    struct verification result;
    struct witness witness;
    enum status status = witness_read(bytes, inner->bytes.length, &witness, err);

    if (status == STATUS_OK)
        status = check_inner(j, inner, &witness, err);
    witness_close(&witness);
    if (status == STATUS_OK)
        status = verify_witness(&j->predicted, bytes, inner->bytes.length, &result, err);
    if (status == STATUS_OK && !result.is_accepted)
        status = REFUSE(j, err, "\"%s\": %.400s", inner->name, result.reason);
    return status;
}

static enum status verify_inner(struct judge *j, struct inner inner, struct error *err)
{
    char *bytes = malloc(inner.bytes.length + 1);
    enum status status;

    if (!bytes)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to verify a prediction");
    memcpy(bytes, inner.bytes.at, inner.bytes.length);
    status = judge_inner(j, &inner, bytes, err);
    if (status == STATUS_BAD_INPUT && !j->is_refused)
        error_wrap(err, "\"%s\"", inner.name);
    free(bytes);
    return status;
}

/* --- The whole ------------------------------------------------------------------------------------------------ */

static enum status check_digest(struct judge *j, struct error *err)
{
    struct digest digest = history_digest(j->h);
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    return text_equal(j->choices.history, text_of(hex))
               ? STATUS_OK
               : REFUSE(j, err, "the witness is of another history, whose digest is %.*s",
                        TEXT_PRINT(j->choices.history));
}

static enum status observe(struct judge *j, struct error *err)
{
    const struct history *h = j->h;
    enum status status = observed_read(&j->observed, h, &j->arena, err);
    size_t place;

    j->is_refused |= j->observed.is_refused;
    TRY(status);
    TAKE(j, j->part, h->txn_count, err);
    TAKE(j, j->included, h->txn_count, err);
    TAKE(j, j->number, h->txn_count, err);
    TAKE(j, j->from, j->observed.events.count, err);
    TAKE(j, j->is_chosen, j->observed.events.count, err);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        TRY(map_add(&j->txn_of_id, (uint64_t)h->txn_id[txn], txn, &place, err));
    return STATUS_OK;
}

static enum status judge_all(struct judge *j, struct error *err)
{
    TRY(check_digest(j, err));
    TRY(observe(j, err));
    TRY(take_sessions(j, err));
    TRY(take_choices(j, err));
    TRY(check_writers(j, err));
    TRY(build_predicted(j, err));
    TRY(verify_inner(j, (struct inner){ "holds", j->choices.holds, true }, err));
    return verify_inner(j, (struct inner){ "fails", j->choices.fails, false }, err);
}

static void describe(const struct judge *j, struct verification *result)
{
    int length =
        snprintf(result->reason, sizeof result->reason,
                 "%s allows an execution that is not serializable: %zu transactions, %" PRIu64
                 " of their reads from another writer than observed",
                 level_name(j->choices.level), j->predicted.txn_count, j->changed);

    if (j->observed.unjudged > 0)
        snprintf(result->reason + length, sizeof result->reason - (size_t)length,
                 ", but for %" PRIu64 " %s not judged", j->observed.unjudged,
                 j->observed.unjudged == 1 ? "statement that was" : "statements that were");
}

enum status prediction_verify(const struct history *observed, char *bytes, size_t size,
                              struct verification *result, struct error *err)
{
    struct judge j = { .h = observed };
    enum status status;

    *result = (struct verification){ 0 };
    TRY(arena_init(&j.arena, ARENA_UNLIMITED, err));
    status = prediction_choices_read(bytes, size, &j.choices, err);
    if (status == STATUS_OK)
        status = judge_all(&j, err);
    if (status == STATUS_OK) {
        result->is_accepted = true;
        describe(&j, result);
    } else if (j.is_refused && status == STATUS_BAD_INPUT) {
        snprintf(result->reason, sizeof result->reason, "%s", err->text);
        *err = (struct error){ 0 };
        status = STATUS_OK;
    }
    history_close(&j.predicted);
    observed_close(&j.observed);
    prediction_choices_close(&j.choices);
    map_close(&j.txn_of_id);
    arena_close(&j.arena);
    return status;
}
