#include "checkers/values/wrong_answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_private.h"
#include "checkers/proof/tell.h"

struct wrong_answer {
    const struct wrong_answers *all;
    uint32_t txn, op; /* the read, or the row of a statement */
    uint32_t key;
    struct held held; /* what is there */
    struct suspect suspect;
    struct discovery discovery;
    uint32_t txns[2];
};

static bool is_by(const struct history *h, uint32_t txn, uint32_t version)
{
    return version != VERSION_INITIAL && version >= h->txn_op[txn] && version < h->txn_op[txn + 1];
}

static enum anomaly name_of(const struct wrong_answer *b)
{
    enum anomaly kind = suspects_anomaly(b->suspect.suspicion);

    if (kind != ANOMALY_COUNT)
        return kind;
    return is_by(b->all->history, b->txn, b->held.version) && b->held.version < b->op
               ? ANOMALY_INTERNAL
               : ANOMALY_RESULT_SET_MISMATCH;
}

/* "where T3 had left x=5" */
static void tell_held(struct buffer *out, const struct wrong_answers *j, uint32_t key,
                      const struct held *held)
{
    const struct history *h = j->history;

    if (held->version == VERSION_INITIAL) {
        buffer_text(out, TEXT("where "));
        if (history_initial(h, key).kind == VALUE_NULL) {
            tell_print(out, h, "%K had not been written yet", key);
        } else {
            buffer_text(out, TEXT("the initial "));
            tell_key_value(out, h, key, history_initial(h, key));
            buffer_text(out, TEXT(" stood"));
        }
        return;
    }
    tell_print(out, h, "where %T had left %K=", history_txn_of(h, held->version), key);
    contents_tell(out, j->contents, held->content);
}

/* ", which T4 wrote and then rolled back" */
static void tell_suspect(struct buffer *out, const struct history *h, const struct suspect *s)
{
    static const char *const words[] = {
        [SUSPECT_COMMITTED] = " wrote",
        [SUSPECT_SELF_EARLIER] = " itself wrote earlier",
        [SUSPECT_SELF_LATER] = " itself writes only later",
        [SUSPECT_INTERMEDIATE] = " overwrote itself",
        [SUSPECT_LEFT_OUT] = " tried to write, without committing",
        [SUSPECT_ABORTED] = " wrote and rolled back",
    };

    if (s->suspicion == SUSPECT_NOBODY) {
        buffer_text(out, TEXT(", which nobody wrote"));
        return;
    }
    if (s->suspicion == SUSPECT_INITIAL || s->suspicion == SUSPECT_OPEN)
        return;
    tell_print(out, h, ", which %T", s->txn);
    buffer_text(out, text_of(words[s->suspicion]));
}

/* As what it stands in the witness, which knows fewer names. */
static enum anomaly provable_name(const struct wrong_answer *b)
{
    return b->suspect.suspicion == SUSPECT_LEFT_OUT ? ANOMALY_RESULT_SET_MISMATCH
                                                    : b->discovery.kind;
}

static void prove_by_read(struct wrong_answer *b, uint32_t op, uint32_t key)
{
    struct wrong_read read = { .txn = b->txn, .op = op, .key = key };

    read.version_is_known =
        b->suspect.txn != HISTORY_NONE && b->suspect.suspicion != SUSPECT_NOBODY;
    read.version = b->suspect.version;
    proof_read(&b->discovery.proof, b->all->history, &read);
}

/* --- Reads ------------------------------------------------------------------------ */

/* Whether the suspect's version has all of the answer's value: of an append nobody has looked. */
static bool is_whole(const struct wrong_answer *b)
{
    const struct history *h = b->all->history;

    if (b->suspect.version != VERSION_INITIAL)
        return h->op_kind[b->suspect.version] != OP_APPEND &&
               (h->op_value_kind[b->suspect.version] != VALUE_LIST ||
                contents_equal(b->all->contents,
                               content_of(history_value(h, b->suspect.version)),
                               history_value(h, b->op)));
    return contents_equal(b->all->contents, content_of(history_initial(h, b->key)),
                          history_value(h, b->op));
}

/*
 * Where the version that was read is known, and it is one that its transaction left
 * behind, the store's order is part of a cycle: what was read is older than what is
 * there, or comes only later.
 */
static bool prove_by_cycle(struct wrong_answer *b)
{
    const struct history *h = b->all->history;
    const struct places *places = b->all->places;
    struct edge edges[2] = { { .from = b->txn, .op = b->op, .key = b->key },
                             { .kind = EDGE_ORDER, .to = b->txn } };
    bool is_older = b->suspect.suspicion == SUSPECT_INITIAL ||
                    (b->suspect.suspicion == SUSPECT_COMMITTED &&
                     places->position[b->suspect.txn] < places->position[b->txn]);

    if (b->discovery.kind != ANOMALY_RESULT_SET_MISMATCH || !b->all->by_order || !is_whole(b))
        return false;
    if (is_older) {
        if (b->held.version == VERSION_INITIAL)
            return false;
        edges[0].kind = EDGE_RW;
        edges[0].version = b->suspect.version;
        edges[0].other = b->held.version;
        edges[0].to = history_txn_of(h, b->held.version);
        edges[1].from = edges[0].to;
        b->discovery.kind = ANOMALY_G_SINGLE;
    } else {
        edges[0].kind = EDGE_WR;
        edges[0].version = b->suspect.version;
        edges[0].from = b->suspect.txn;
        edges[0].to = b->txn;
        edges[1].from = b->txn;
        edges[1].to = b->suspect.txn;
        b->discovery.kind = ANOMALY_G1C;
    }
    b->txns[0] = edges[0].from;
    b->txns[1] = edges[1].from;
    b->discovery.txn_count = 2;
    b->discovery.proven = b->discovery.kind;
    buffer_text(&b->discovery.why, TEXT("; "));
    proof_tell_cycle(&b->discovery.why, h, edges, 2);
    proof_cycle(&b->discovery.proof, h, edges, 2);
    return true;
}

static void tell_read(struct wrong_answer *b)
{
    struct buffer *out = &b->discovery.why;
    const struct history *h = b->all->history;

    tell_print(out, h, "%T read ", b->txn);
    tell_key_value(out, h, b->key, history_value(h, b->op));
    tell_suspect(out, h, &b->suspect);
    buffer_text(out, TEXT(", "));
    tell_held(out, b->all, b->key, &b->held);
}

/* --- Lists ------------------------------------------------------------------------ */

/* Another read of the list, of which neither is the beginning of the other. */
static bool find_incompatible(const struct wrong_answer *b, uint32_t *other)
{
    const struct history *h = b->all->history;
    const struct contents *contents = b->all->contents;
    const int64_t *mine, *theirs;
    size_t count = contents_elements(contents, content_of(history_value(h, b->op)), &mine);

    for (uint32_t op = 0; op < h->op_count; op++) {
        size_t others, both;

        if (h->op_kind[op] != OP_READ || h->op_key[op] != b->key ||
            h->op_value_kind[op] != VALUE_LIST)
            continue;
        others = contents_elements(contents, content_of(history_value(h, op)), &theirs);
        both = count < others ? count : others;
        if (both > 0 && memcmp(mine, theirs, both * sizeof *mine) != 0 &&
            h->txn_status[history_txn_of(h, op)] == TXN_OK) {
            *other = history_txn_of(h, op);
            return *other != b->txn;
        }
    }
    return false;
}

/* Whether what was rolled back stands below an element that committed. */
static bool is_built_upon(const struct wrong_answer *b, uint32_t *upon)
{
    const struct history *h = b->all->history;
    int64_t list = h->op_value[b->op];
    uint64_t last = h->list_start[list + 1] - 1;
    const struct suspects *s = b->all->suspects;

    if (b->suspect.suspicion != SUSPECT_ABORTED || h->op_kind[b->suspect.version] != OP_APPEND ||
        h->list_element[last] == h->op_value[b->suspect.version])
        return false;
    for (uint64_t i = s->start[b->key]; i < s->start[b->key + 1]; i++) {
        uint32_t version = s->writes[i];

        if (h->op_kind[version] != OP_APPEND || h->op_value[version] != h->list_element[last])
            continue;
        *upon = history_txn_of(h, version);
        return places_is_in(b->all->places, *upon);
    }
    return false;
}

/* The names that lists have for what is wrong with them, beside the plain one. */
static enum status add_list_names(const struct wrong_answer *b, struct error *err)
{
    const struct history *h = b->all->history;
    uint32_t txns[2] = { b->txn, b->txn };
    struct discovery d = { .txns = txns, .txn_count = 2 };

    if (h->op_kind[b->op] != OP_READ || h->op_value_kind[b->op] != VALUE_LIST ||
        h->list_start[h->op_value[b->op]] == h->list_start[h->op_value[b->op] + 1] ||
        check_is_full(b->all->check))
        return STATUS_OK;
    if (is_built_upon(b, &txns[1])) {
        txns[0] = b->suspect.txn;
        d.kind = ANOMALY_DIRTY_UPDATE;
        tell_print(&d.why, h, "%T appended to what %T had appended and rolled back, as %T saw",
                   txns[1], txns[0], b->txn);
    } else if (find_incompatible(b, &txns[1])) {
        d.kind = ANOMALY_INCOMPATIBLE_ORDER;
        tell_print(&d.why, h, "%T and %T read %K in two orders, neither the beginning of the other",
                   txns[0], txns[1], b->key);
    } else {
        return STATUS_OK;
    }
    d.proven = d.kind;
    return check_add(b->all->check, &d, err);
}

/* --- Reads of items --------------------------------------------------------------- */

static void name_reader(struct wrong_answer *b)
{
    b->discovery.kind = name_of(b);
    b->discovery.proven = provable_name(b);
    b->discovery.txns = b->txns;
    b->txns[0] = b->txn;
    b->txns[1] = b->suspect.txn;
    b->discovery.txn_count = b->suspect.txn == HISTORY_NONE || b->suspect.txn == b->txn ? 1 : 2;
}

static void doubt(const struct wrong_answers *j, uint32_t txn)
{
    check_doubt(j->check,
                "what transaction %" PRId64 " saw can only be judged by who knows whether a "
                "transaction of unknown outcome committed",
                j->history->txn_id[txn]);
}

enum status wrong_answer_tell_read(const struct wrong_answers *j, uint32_t txn, uint32_t op, const struct held *held,
                                   struct error *err)
{
    const struct history *h = j->history;
    uint32_t key = h->op_key[op];
    struct wrong_answer b = { .all = j, .txn = txn, .op = op, .key = key, .held = *held };

    if (j->key_is_open && j->key_is_open[key]) {
        doubt(j, txn);
        return STATUS_OK;
    }
    if (check_is_full(j->check))
        return STATUS_OK;
    TRY(suspects_find(j->suspects, txn, op, &b.suspect, err));
    name_reader(&b);
    tell_read(&b);
    if (b.suspect.repeats) {
        b.discovery.kind = ANOMALY_DUPLICATE_ELEMENTS;
        b.discovery.proven = ANOMALY_RESULT_SET_MISMATCH;
    }
    if (!prove_by_cycle(&b))
        prove_by_read(&b, op, key);
    TRY(check_add(j->check, &b.discovery, err));
    return add_list_names(&b, err);
}

/* --- Statements ------------------------------------------------------------------- */

static void tell_fault(struct wrong_answer *b, uint32_t head, const struct answer_fault *fault)
{
    const struct history *h = b->all->history;
    struct buffer *out = &b->discovery.why;

    tell_txn(out, h, b->txn);
    buffer_text(out, h->op_kind[head] == OP_SELECT   ? TEXT(" looked for ")
                     : h->op_kind[head] == OP_UPDATE ? TEXT(" updated ")
                                                     : TEXT(" deleted from "));
    tell_statement(out, h, head);
    switch (fault->kind) {
    case FAULT_MISSING:
        buffer_text(out, TEXT(" and missed "));
        tell_key_value(out, h, fault->key, fault->expected);
        break;
    case FAULT_EXTRA:
    case FAULT_OTHER:
        buffer_text(out, TEXT(" and got "));
        if (h->op_kind[head] == OP_SELECT)
            tell_key_value(out, h, fault->key, history_value(h, fault->op));
        else
            tell_key(out, h, fault->key);
        tell_suspect(out, h, &b->suspect);
        break;
    case FAULT_CHOICE:
        buffer_print(out, " and did not get %s", fault->should_be);
        return;
    case FAULT_NUMBER:
        buffer_text(out, TEXT(" and got "));
        buffer_text(out, history_text(h, h->aggregate_name[fault->aggregate]));
        buffer_byte(out, '=');
        tell_value(out, h,
                   (struct value){ h->aggregate_kind[fault->aggregate],
                                   h->aggregate_value[fault->aggregate] });
        buffer_print(out, " instead of %s", fault->should_be);
        return;
    case FAULT_UNSEEN:
        tell_print(out, h, " and saw %K as %T wrote it, a version that nobody can see", fault->key,
                   history_txn_of(h, b->held.version));
        return;
    }
    buffer_text(out, TEXT(", "));
    tell_held(out, b->all, fault->key, &b->held);
}

static bool may_be_open(const struct wrong_answers *j, uint32_t head, const struct answer_fault *fault)
{
    const struct history *h = j->history;

    if (!j->key_is_open)
        return false;
    return fault->key == HISTORY_NONE ? j->table_is_open[h->statement_table[h->op_key[head]]]
                                      : j->key_is_open[fault->key];
}

/* The rows of a select have values that somebody wrote. */
static enum status suspect_row(struct wrong_answer *b, const struct answer_fault *fault, struct error *err)
{
    const struct history *h = b->all->history;

    if ((fault->kind != FAULT_EXTRA && fault->kind != FAULT_OTHER) ||
        h->op_kind[fault->op] != OP_ROW_READ)
        return STATUS_OK;
    return suspects_find(b->all->suspects, b->txn, fault->op, &b->suspect, err);
}

enum status wrong_answer_tell_statement(const struct wrong_answers *j, uint32_t txn, uint32_t head,
                                        const struct answer_fault *fault, const struct held *held,
                                        struct error *err)
{
    struct wrong_answer b = { .all = j, .txn = txn, .op = head, .key = fault->key, .held = *held };

    if (may_be_open(j, head, fault)) {
        doubt(j, txn);
        return STATUS_OK;
    }
    if (check_is_full(j->check))
        return STATUS_OK;
    b.suspect = (struct suspect){ SUSPECT_INITIAL, VERSION_INITIAL, HISTORY_NONE, false };
    TRY(suspect_row(&b, fault, err));
    name_reader(&b);
    if (fault->key == HISTORY_NONE)
        b.discovery.kind = b.discovery.proven = ANOMALY_RESULT_SET_MISMATCH;
    tell_fault(&b, head, fault);
    prove_by_read(&b, head, fault->key);
    return check_add(j->check, &b.discovery, err);
}

/* --- Open transactions ------------------------------------------------------------ */

enum status wrong_answer_note_open(struct wrong_answers *j, struct error *err)
{
    const struct history *h = j->history;

    if (j->places->open_count == 0)
        return STATUS_OK;
    TRY(check_memory((void **)&j->key_is_open, h->key_count, 1, 0, err));
    TRY(check_memory((void **)&j->table_is_open, h->table_count, 1, 0, err));
    for (size_t t = 0; t < h->txn_count; t++) {
        if (j->places->standing[t] != STANDING_OPEN)
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t key = h->op_key[op];

            if (!history_makes_version(h, op))
                continue;
            j->key_is_open[key] = 1;
            if (j->keys->table && j->keys->table[key] != HISTORY_NONE)
                j->table_is_open[j->keys->table[key]] = true;
        }
    }
    return STATUS_OK;
}

void wrong_answer_close(struct wrong_answers *j)
{
    free(j->key_is_open);
    free(j->table_is_open);
    j->key_is_open = NULL;
    j->table_is_open = NULL;
}
