/*
 * Steps about statements that look for rows.
 *
 * A row that did not come did not match as the statement saw it; one that was updated or deleted
 * did. Of a row that a select returned its value is known: it is a read like any other.
 */
#include "verify/instants/instant_looks_private.h"

#include "verify/instants/instant_proof.h"
#include "verify/instants/instant_reads_private.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/workings.h"

#define MATCH_STEPS 8 /* what looking at a row counts */

/* --- Asking ------------------------------------------------------------------ */

enum status instant_looks_open(struct asked *asked, struct verifier *v,
                               const struct visible_reader *r, struct error *err)
{
    const struct history *h = v->h;
    uint32_t where = h->statement_where[h->op_key[r->head]];
    uint64_t length = where == HISTORY_NONE ? 0 : history_text(h, where).length;

    *asked = (struct asked){ .v = v, .head = r->head };
    instant_looks_at_key(asked, r->key);
    TRY(verify_spend(v, length + 1, err));
    return answer_open_statement(v, r->head, &asked->query, err);
}

void instant_looks_at_key(struct asked *asked, uint32_t key)
{
    asked->key = key;
    asked->row = lookup_row_of(asked->v, asked->head, key);
}

void instant_looks_close(struct asked *asked)
{
    query_close(&asked->query);
}

enum match instant_looks_match(const struct asked *asked, uint32_t op)
{
    const struct history *h = asked->v->h;
    struct value row;

    if (op != VERSION_INITIAL && h->op_kind[op] == OP_APPEND)
        return MATCH_UNDECIDED; /* a list is no row */
    row = version_value(asked->v, asked->key, op);
    if (instants_is_nothing(h, row))
        return MATCH_NO;
    return row.kind == VALUE_ROW ? query_match(&asked->query, row) : MATCH_UNDECIDED;
}

enum match instant_looks_agree(const struct asked *asked, uint32_t op)
{
    enum match match = instant_looks_match(asked, op);

    if (match == MATCH_UNDECIDED || asked->row != HISTORY_NONE)
        return match;
    return match == MATCH_YES ? MATCH_NO : MATCH_YES;
}

bool instant_looks_tell(const struct asked *asked, const struct visible_reader *r)
{
    if (asked->row != HISTORY_NONE)
        return asked->v->h->op_kind[r->head] != OP_SELECT;
    return !instants_look_is_cut(asked->v, r->head);
}

enum status instant_look_agrees(struct proof *p, const struct visible_reader *r, uint32_t version,
                                enum match *match, struct error *err)
{
    struct asked asked;

    TRY(instant_looks_open(&asked, p->v, r, err));
    *match = instant_looks_tell(&asked, r) ? instant_looks_agree(&asked, version) : MATCH_UNDECIDED;
    instant_looks_close(&asked);
    return verify_spend(p->v, MATCH_STEPS, err);
}

/* --- All versions that may have been seen ------------------------------------- */

struct weighed {
    uint32_t agreeing, other;
    uint32_t agreeing_version; /* the last of them */
    bool is_undecided, tells;
};

static void weigh_version(const struct asked *asked, uint32_t version, struct weighed *weighed)
{
    switch (instant_looks_agree(asked, version)) {
    case MATCH_YES:
        weighed->agreeing++;
        weighed->agreeing_version = version;
        break;
    case MATCH_NO:
        weighed->other++;
        break;
    default:
        weighed->is_undecided = true;
    }
}

static enum status weigh_all(struct proof *p, const struct asked *asked,
                             const struct visible_reader *r, struct weighed *weighed,
                             struct error *err)
{
    struct visibility seen;
    uint32_t version;

    TRY(visible_begin_all(&seen, &p->k, r, err));
    while (visible_next(&seen, &version)) {
        TRY(verify_spend(p->v, MATCH_STEPS, err));
        weigh_version(asked, version, weighed);
    }
    return STATUS_OK;
}

static enum status weigh(struct proof *p, const struct visible_reader *r, struct weighed *weighed,
                         struct error *err)
{
    struct asked asked;
    enum status status = STATUS_OK;

    *weighed = (struct weighed){ .agreeing_version = HISTORY_NONE };
    TRY(instant_looks_open(&asked, p->v, r, err));
    weighed->tells = instant_looks_tell(&asked, r);
    if (weighed->tells)
        status = weigh_all(p, &asked, r, weighed, err);
    instant_looks_close(&asked);
    return status;
}

/* --- Steps ------------------------------------------------------------------- */

/* A look as of one instant at a key that its transaction had not written. */
static enum status find_strict(struct proof *p, struct visible_reader *r, struct error *err)
{
    uint32_t own;

    TRY(instant_look(p, r, err));
    own = instant_own(p, r);
    if (own != HISTORY_NONE)
        return instant_refuse(p, err, "its own transaction had written the key");
    return r->is_strict ? STATUS_OK : instant_refuse(p, err, "it did not look at one instant");
}

enum status instant_finds(struct proof *p, struct error *err)
{
    uint32_t version = VERSION_INITIAL;
    struct weighed weighed;
    struct visible_reader r = { 0 };

    TRY(find_strict(p, &r, err));
    TRY(instant_version(p, &p->step->first, r.key, &version, err));
    TRY(weigh(p, &r, &weighed, err));
    if (!weighed.tells)
        return instant_refuse(p, err, "the answer does not tell what it saw of the key");
    if (weighed.is_undecided || weighed.agreeing > 1)
        return instant_refuse(p, err, "it may have seen another version that agrees");
    if (weighed.agreeing == 0 && weighed.other > 0)
        return instant_contradict(p);
    if (weighed.agreeing_version != version)
        return instant_refuse(p, err, "it cannot have seen that version");
    return instant_sees(p, &r, version, err);
}

/* Another's version that does not agree with the answer. */
static enum status find_disagreeing(struct proof *p, struct visible_reader *r, uint32_t *other,
                                    struct error *err)
{
    enum match match = MATCH_UNDECIDED;

    TRY(find_strict(p, r, err));
    if (p->v->instants->w->reads_any)
        return instant_refuse(p, err, "the profile lets reads see any version");
    TRY(instant_counting(p, &p->step->second, r->key, other, err));
    if (version_txn(p->v, *other) == r->txn)
        return instant_refuse(p, err, "the other version is not another's");
    TRY(instant_look_agrees(p, r, *other, &match, err));
    return match == MATCH_NO
               ? STATUS_OK
               : instant_refuse(p, err, "the other version may agree with the answer");
}

enum status instant_found(struct proof *p, struct error *err)
{
    struct visible_reader r = { 0 };
    struct visibility seen;
    uint32_t other = VERSION_INITIAL;

    TRY(find_disagreeing(p, &r, &other, err));
    TRY(visible_begin(&seen, &p->k, &r, err));
    if (!visible_is_there(&seen, other))
        return instant_refuse(p, err, "the other version need not have been there");
    return known_depend(&p->k, version_txn(p->v, other), r.txn, false, err);
}

enum status instant_not_found(struct proof *p, struct error *err)
{
    struct visible_reader r = { 0 };
    struct visibility seen;
    uint32_t other = VERSION_INITIAL;

    TRY(find_disagreeing(p, &r, &other, err));
    TRY(visible_begin(&seen, &p->k, &r, err));
    if (!visible_is_behind(&seen, other))
        return instant_refuse(p, err, "the other version may have been there");
    return known_depend(&p->k, r.txn, version_txn(p->v, other), true, err);
}

/* --- A row that is wrong by itself -------------------------------------------- */

/* By the answer alone. */
static enum status is_wrong_by_itself(struct proof *p, const struct visible_reader *r,
                                      bool *is_wrong, struct error *err)
{
    const struct history *h = p->v->h;
    struct asked asked;

    TRY(instant_looks_open(&asked, p->v, r, err));
    p->came_twice = lookup_came_twice(p->v, r->head, r->key);
    *is_wrong = p->came_twice;
    if (asked.row != HISTORY_NONE && h->op_kind[r->head] == OP_SELECT)
        *is_wrong |= instant_looks_match(&asked, asked.row) == MATCH_NO;
    instant_looks_close(&asked);
    return STATUS_OK;
}

/* No version that it may have seen agrees. */
static enum status disagrees(struct proof *p, const struct visible_reader *r, bool is_strict,
                             bool *is_wrong, struct error *err)
{
    bool came = lookup_row_of(p->v, r->head, r->key) != HISTORY_NONE;
    struct weighed weighed;

    TRY(weigh(p, r, &weighed, err));
    *is_wrong =
        weighed.tells && !weighed.is_undecided && weighed.agreeing == 0 && weighed.other > 0;
    /* One that was deleted and inserted meanwhile may never have been looked at. */
    if (!is_strict && !came && weighed.other != 1)
        *is_wrong = false;
    return STATUS_OK;
}

enum status instant_row(struct proof *p, struct error *err)
{
    struct visible_reader r = { 0 };
    uint32_t own;
    bool is_wrong, is_strict;

    TRY(instant_look(p, &r, err));
    TRY(is_wrong_by_itself(p, &r, &is_wrong, err));
    if (is_wrong)
        return STATUS_OK;
    own = instant_own(p, &r);
    if (own != HISTORY_NONE)
        return instant_refuse(p, err, "its own transaction had written the key");
    is_strict = r.is_strict;
    TRY(disagrees(p, &r, is_strict, &is_wrong, err));
    if (!is_wrong && workings_time_operations(p->v->instants->w)) {
        r.is_early = true;
        r.is_strict = false;
        TRY(disagrees(p, &r, is_strict, &is_wrong, err));
    }
    return is_wrong ? STATUS_OK : instant_refuse(p, err, "it may have seen what the answer says");
}
