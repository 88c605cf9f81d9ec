/*
 * What becomes of an ask at a leader that is ready.
 *
 * READ, LOCK and CHECK are the protocol's; the rest goes through the log. Before a
 * command is proposed, and again when it has been applied, the answer is looked for
 * in the state: so a repeated ask, or one that an earlier leader had proposed
 * already, is answered as it was the first time.
 */
#include "store/shard/replica_serve_private.h"

#include <assert.h>

#include "store/shard/replica_private.h"
#include "store/shard/replica_read.h"

static bool asks_for_shard(enum ask_kind kind)
{
    return kind == ASK_INQUIRE || kind == ASK_RESOLVE;
}

void replica_send(struct replica *r, const struct ask *ask, struct shard_answer *answer)
{
    bool to_replica = asks_for_shard(ask->kind);

    answer->kind = ask->kind;
    answer->txn = ask->txn;
    answer->number = ask->number;
    answer->shard = r->shard.number;
    server_send_answer(r->server, ask->from, to_replica ? ask->from_shard : r->shard.number, answer,
                       to_replica);
}

void replica_refuse(struct replica *r, const struct ask *ask, enum refusal refusal)
{
    struct shard_answer answer = {
        .refusal = refusal,
        .leader = raft_leader(r->raft),
        .term = r->term,
        .vote.refusal = refusal,
    };

    replica_send(r, ask, &answer);
}

static void propose_for(struct replica *r, struct waiting_ask *w,
                        const struct shard_command *command)
{
    w->index = replica_propose(r, command);
    /* Without an index the leadership is gone, and all who wait will hear of it. */
    w->is_proposed = w->index > 0;
}

/* --- READ, LOCK, CHECK ------------------------------------------------------------------------ */

static enum serve_progress progress_of(enum served served)
{
    switch (served) {
    case SERVED:
        return PROGRESS_DONE;
    case SERVE_LATER:
        return PROGRESS_LATER;
    case SERVE_AFTER_ROUND:
        return PROGRESS_ROUND;
    }
    assert(false);
    return PROGRESS_LATER;
}

static enum served read_newest(struct replica *r, struct waiting_ask *w,
                               struct shard_answer *answer)
{
    replica_read_rows(r, &w->ask, stamp_never(), answer);
    return SERVED;
}

static enum serve_progress serve_read(struct replica *r, struct waiting_ask *w)
{
    const struct protocol *protocol = r->shard.protocol;
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };
    enum served served;

    if (!stamp_is_zero(w->ask.at) && stamp_less(w->ask.at, r->shard.horizon)) {
        SOMETIMES(r->shard.sometimes, READ_TOO_OLD);
        replica_refuse(r, &w->ask, REFUSED_TOO_OLD);
        return PROGRESS_DONE;
    }
    if (BUGGIFY(r->shard.sometimes, r->server->node, READ_REFUSED)) {
        replica_refuse(r, &w->ask, REFUSED_OVERLOADED);
        return PROGRESS_DONE;
    }
    served = protocol->serve_read ? protocol->serve_read(r, w, &answer)
                                  : read_newest(r, w, &answer);
    if (served == SERVED)
        replica_send(r, &w->ask, &answer);
    return progress_of(served);
}

static enum serve_progress serve_lock(struct replica *r, struct waiting_ask *w)
{
    const struct protocol *protocol = r->shard.protocol;
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };
    enum served served = protocol->serve_lock ? protocol->serve_lock(r, w, &answer) : SERVED;

    if (served == SERVED)
        replica_send(r, &w->ask, &answer);
    return progress_of(served);
}

static enum serve_progress serve_check(struct replica *r, struct waiting_ask *w)
{
    const struct protocol *protocol = r->shard.protocol;
    struct shard_answer answer = { .term = r->term };
    enum served served =
        protocol->serve_check ? protocol->serve_check(r, w, &answer.vote) : SERVED;

    answer.refusal = answer.vote.refusal;
    if (served == SERVED)
        replica_send(r, &w->ask, &answer);
    return progress_of(served);
}

/* --- PREPARE ---------------------------------------------------------------------------------- */

/* What the state says of a transaction that wanted to commit. False: nothing. */
static bool find_vote(const struct replica *r, const struct prepare *p, struct shard_answer *answer)
{
    const struct shard_outcome *outcome = shard_find_outcome(&r->shard, p->txn);
    const struct prepared *prepared = outcome ? NULL : shard_find_prepared(&r->shard, p->txn);

    if (outcome) {
        answer->decision = outcome->decision;
        answer->vote = (struct vote){ .refusal = outcome->refusal, .at = outcome->decision.at };
    } else if (prepared) {
        answer->vote = prepared->vote;
    } else if (shard_refuses_age(&r->shard, p)) {
        answer->vote.refusal = REFUSED_TOO_OLD;
    } else {
        return false;
    }
    answer->refusal = answer->vote.refusal;
    return true;
}

/* Above everything that this leader has served a read at, or heard of. */
static void set_least(struct replica *r, struct prepare *p)
{
    if (stamp_is_zero(p->least))
        p->least = replica_now(r, p->txn);
}

static enum serve_progress serve_prepare(struct replica *r, struct waiting_ask *w)
{
    struct shard_command command = { .kind = COMMAND_PREPARE };
    struct shard_answer answer = { .term = r->term };
    enum served served = SERVED;

    w->ask.prepare.least = (struct stamp){ 0 };
    if (!find_vote(r, &w->ask.prepare, &answer)) {
        if (r->shard.protocol->admit)
            served = r->shard.protocol->admit(r, w, &answer.vote);
        if (served != SERVED)
            return progress_of(served);
        if (BUGGIFY(r->shard.sometimes, r->server->node, PREPARE_REFUSED))
            answer.vote.refusal = REFUSED_OVERLOADED;
        answer.refusal = answer.vote.refusal;
        if (answer.refusal == REFUSED_NOT) {
            set_least(r, &w->ask.prepare);
            command.prepare = w->ask.prepare;
            propose_for(r, w, &command);
            return PROGRESS_LATER;
        }
        SOMETIMES(r->shard.sometimes, PREPARE_REFUSED);
    }
    replica_send(r, &w->ask, &answer);
    return PROGRESS_DONE;
}

/* --- DECIDE, INQUIRE, RESOLVE ----------------------------------------------------------------- */

static bool find_decision(const struct replica *r, const struct ask *ask,
                          struct shard_answer *answer)
{
    const struct shard_outcome *outcome = shard_find_outcome(&r->shard, ask->txn);

    if (!outcome)
        return false;
    answer->decision = outcome->decision;
    return true;
}

static void propose_decision(struct replica *r, struct waiting_ask *w, enum command_kind kind,
                             bool commits)
{
    struct shard_command command = { .kind = kind, .decision = w->ask.decision };

    command.decision.txn = w->ask.txn;
    command.decision.commits = commits;
    propose_for(r, w, &command);
}

/* Nothing is known of it and nothing ever will be: it may have been forgotten. */
static bool is_forgotten(const struct replica *r, const struct ask *ask)
{
    if (shard_find_prepared(&r->shard, ask->txn) ||
        !shard_is_too_old(&r->shard, ask->decision.begin))
        return false;
    SOMETIMES(r->shard.sometimes, FORGOTTEN_ASKED);
    return true;
}

static enum serve_progress serve_decide(struct replica *r, struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };

    if (find_decision(r, &w->ask, &answer)) {
        replica_send(r, &w->ask, &answer);
        return PROGRESS_DONE;
    }
    if (is_forgotten(r, &w->ask)) {
        replica_refuse(r, &w->ask, REFUSED_TOO_OLD);
        return PROGRESS_DONE;
    }
    propose_decision(r, w, COMMAND_DECIDE, w->ask.decision.commits);
    return PROGRESS_LATER;
}

/*
 * Somebody has promised, and has not heard how it ended. Where the anchor has promised, too, it
 * will end one way or the other; where it has not, it never will: it is aborted, and the record
 * refuses what may yet come. One that may have been forgotten was aborted, or who asks had known.
 */
static enum serve_progress serve_inquire(struct replica *r, struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };

    if (!find_decision(r, &w->ask, &answer)) {
        if (shard_find_prepared(&r->shard, w->ask.txn))
            return PROGRESS_LATER;
        if (!is_forgotten(r, &w->ask)) {
            SOMETIMES(r->shard.sometimes, ABANDONED_ABORTED);
            propose_decision(r, w, COMMAND_DECIDE, false);
            return PROGRESS_LATER;
        }
        answer.decision = w->ask.decision;
        answer.decision.commits = false;
    }
    replica_send(r, &w->ask, &answer);
    return PROGRESS_DONE;
}

static enum serve_progress serve_resolve(struct replica *r, struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };

    if (!find_decision(r, &w->ask, &answer) && !is_forgotten(r, &w->ask)) {
        propose_decision(r, w, COMMAND_RESOLVE, w->ask.decision.commits);
        return PROGRESS_LATER;
    }
    replica_send(r, &w->ask, &answer);
    return PROGRESS_DONE;
}

/* --- All of them ------------------------------------------------------------------------------ */

enum serve_progress replica_serve(struct replica *r, struct waiting_ask *w)
{
    switch (w->ask.kind) {
    case ASK_READ:
        return serve_read(r, w);
    case ASK_LOCK:
        return serve_lock(r, w);
    case ASK_CHECK:
        return serve_check(r, w);
    case ASK_PREPARE:
        return serve_prepare(r, w);
    case ASK_DECIDE:
        return serve_decide(r, w);
    case ASK_INQUIRE:
        return serve_inquire(r, w);
    case ASK_RESOLVE:
        return serve_resolve(r, w);
    case ASK_RELEASE:
    case ASK_PROBE:
    case ASK_KIND_COUNT:
        break; /* these never wait */
    }
    assert(false);
    return PROGRESS_DONE;
}

void replica_answer_applied(struct replica *r, const struct waiting_ask *w)
{
    struct shard_answer answer = { .refusal = REFUSED_NOT, .term = r->term };
    bool is_known;

    if (w->ask.kind == ASK_PREPARE) {
        is_known = find_vote(r, &w->ask.prepare, &answer);
        assert(is_known);
    } else if (!find_decision(r, &w->ask, &answer)) {
        /* Below the horizon there are no records of what was never prepared. */
        answer.decision = w->ask.decision;
        answer.decision.commits = false;
        if (w->ask.kind == ASK_DECIDE)
            answer.refusal = REFUSED_TOO_OLD;
    }
    replica_send(r, &w->ask, &answer);
}
