#include "checkers/interval/derivation_witness_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/interval/traces_private.h"
#include "checkers/proof/tell.h"

/* --- All that a finding rests on ------------------------------------------------------------ */

struct collection {
    const struct derivation *g;
    const struct timeline *timeline;
    uint8_t *step_seen, *record_seen;
    ARRAY(uint32_t) todo; /* as uses are */
};

static enum status collect_step(struct collection *c, uint32_t step, struct error *err)
{
    size_t from;

    if (step == DERIVATION_NONE || c->step_seen[step])
        return STATUS_OK;
    c->step_seen[step] = 1;
    from = step == 0 ? 0 : c->g->steps.at[step - 1].use_end;
    for (size_t i = from; i < c->g->steps.at[step].use_end; i++)
        TRY(array_push(&c->todo, c->g->uses.at[i], err));
    return STATUS_OK;
}

/* An end is where it is as the order of a step moved it, to where another end was. */
static enum status collect_end(struct collection *c, uint32_t record, struct error *err)
{
    const struct end_record *r = &c->timeline->records.at[record];

    if (c->record_seen[record])
        return STATUS_OK;
    c->record_seen[record] = 1;
    if (r->source != TIMELINE_NONE)
        TRY(array_push(&c->todo, r->source << 1 | 1, err));
    return collect_step(c, r->step, err);
}

static enum status collect_all(struct collection *c, const struct interval_finding *f,
                               struct error *err)
{
    for (size_t i = 0; i < f->steps.count; i++)
        TRY(collect_step(c, f->steps.at[i], err));
    while (c->todo.count > 0) {
        uint32_t use = c->todo.at[--c->todo.count];

        TRY(use & 1 ? collect_end(c, use >> 1, err) : collect_step(c, use >> 1, err));
    }
    return STATUS_OK;
}

static enum status list(const struct collection *c, uint32_t **steps, size_t *count,
                        struct error *err)
{
    size_t found = 0;

    for (size_t i = 0; i < c->g->steps.count; i++)
        found += c->step_seen[i];
    TRY(memory_resize((void **)steps, found, sizeof **steps, err));
    *count = 0;
    for (size_t i = 0; i < c->g->steps.count; i++)
        if (c->step_seen[i])
            (*steps)[(*count)++] = (uint32_t)i;
    return STATUS_OK;
}

static enum status collect(const struct interval_model *m, const struct interval_finding *f,
                           uint32_t **steps, size_t *count, struct error *err)
{
    struct collection c = { .g = m->derivation, .timeline = &m->timeline };
    enum status status;

    c.step_seen = calloc(c.g->steps.count + 1, 1);
    c.record_seen = calloc(m->timeline.records.count + 1, 1);
    status = c.step_seen && c.record_seen
                 ? collect_all(&c, f, err)
                 : error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    if (status == STATUS_OK)
        status = list(&c, steps, count, err);
    free(c.step_seen);
    free(c.record_seen);
    array_close(&c.todo);
    return status;
}

/* --- As the witness has it -------------------------------------------------------------------- */

struct derivation_teller {
    const struct interval_model *m;
    const struct history *h;
    struct buffer *out;
};

static void tell_id(const struct derivation_teller *t, uint32_t txn)
{
    if (txn == INTERVAL_NONE)
        buffer_text(t->out, TEXT("null"));
    else
        buffer_print(t->out, "%" PRId64, t->h->txn_id[txn]);
}

static void tell_name(const struct derivation_teller *t, const char *name, uint32_t txn)
{
    buffer_print(t->out, ",\"%s\":", name);
    tell_id(t, txn);
}

static void tell_key_of(const struct derivation_teller *t, const struct derivation_step *g)
{
    buffer_text(t->out, TEXT(",\"key\":"));
    buffer_json(t->out, history_key(t->h, g->keys[0]));
}

static void tell_place(const struct derivation_teller *t, uint32_t txn, uint32_t op)
{
    buffer_print(t->out, "[%" PRId64 ",%" PRIu32, t->h->txn_id[txn], tell_op_number(t->h, txn, op));
}

static void tell_op(const struct derivation_teller *t, const char *name, uint32_t txn, uint32_t op)
{
    buffer_print(t->out, ",\"%s\":", name);
    tell_place(t, txn, op);
    buffer_byte(t->out, ']');
}

void derivation_witness_tell_instant(const struct interval_model *m, const struct history *h,
                                     uint32_t txn, uint32_t op, uint32_t key, struct buffer *out)
{
    struct derivation_teller t = { m, h, out };

    if (op == DERIVATION_VIEW || op == DERIVATION_COMMIT) {
        buffer_print(out, "\"%c%" PRId64 "\"", op == DERIVATION_VIEW ? 'b' : 'c', h->txn_id[txn]);
        return;
    }
    tell_place(&t, txn, op);
    if (m->profile.view == VIEW_ROW && key != INTERVAL_NONE && op_is_head(h->op_kind[op])) {
        buffer_byte(out, ',');
        buffer_json(out, history_key(h, key));
    }
    buffer_byte(out, ']');
}

static void tell_program(const struct derivation_teller *t, uint32_t txn, const uint32_t ops[2],
                         const uint32_t keys[2])
{
    buffer_text(t->out, TEXT("{\"step\":\"program\",\"from\":"));
    derivation_witness_tell_instant(t->m, t->h, txn, ops[0], keys[0], t->out);
    buffer_text(t->out, TEXT(",\"to\":"));
    derivation_witness_tell_instant(t->m, t->h, txn, ops[1], keys[1], t->out);
    buffer_byte(t->out, '}');
}

static void tell_structure(const struct derivation_teller *t, const struct derivation_step *g)
{
    buffer_text(t->out, TEXT(",\"transactions\":["));
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            buffer_byte(t->out, ',');
        tell_id(t, g->txns[i]);
    }
    buffer_byte(t->out, ']');
}

static void tell_fields(const struct derivation_teller *t, const struct derivation_step *g)
{
    switch ((enum derivation_kind)g->kind) {
    case DERIVATION_LOCKS:
    case DERIVATION_UNLOCKED:
        tell_key_of(t, g);
        tell_op(t, "first", g->txns[0], g->ops[0]);
        tell_op(t, "second", g->txns[1], g->ops[1]);
        return;
    case DERIVATION_FIRST_WINS:
    case DERIVATION_LOST:
    case DERIVATION_PRECEDES:
        tell_key_of(t, g);
        tell_name(t, "first", g->txns[0]);
        tell_name(t, "second", g->txns[1]);
        return;
    case DERIVATION_STRUCTURE:
        tell_structure(t, g);
        return;
    default:
        tell_op(t, "read", g->txns[0], g->ops[0]);
        tell_key_of(t, g);
    }
    if (g->kind == DERIVATION_READS || g->kind == DERIVATION_FINDS)
        tell_name(t, "from", g->txns[1]);
    else if (g->kind >= DERIVATION_OVERWRITES && g->kind <= DERIVATION_NOT_FOUND)
        tell_name(t, "other", g->txns[1]);
}

static bool writes_key(const struct history *h, uint32_t txn, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (op_is_write(h->op_kind[op]) && !op_is_head(h->op_kind[op]) && h->op_key[op] == key)
            return true;
    return false;
}

/* The model orders who was read before the commit of a reader who writes the key, too. */
static bool leads_to_commit(const struct derivation_teller *t, const struct derivation_step *g)
{
    return g->kind == DERIVATION_READS && t->m->profile.view != VIEW_COMMIT &&
           writes_key(t->h, g->txns[0], g->keys[0]);
}

/* The view of a read: its own, or its transaction's. */
static uint32_t view_op(const struct interval_model *m, const struct history *h, uint32_t op)
{
    return profile_reads_apart(&m->profile, traces_ask_for_lock(h, op)) ? op : DERIVATION_VIEW;
}

static void tell_step(const struct derivation_teller *t, const struct derivation_step *g)
{
    if (g->kind == DERIVATION_PROGRAM) {
        tell_program(t, g->txns[0], g->ops, g->keys);
        return;
    }
    buffer_print(t->out, "{\"step\":\"%s\"", derivation_names[g->kind]);
    tell_fields(t, g);
    buffer_byte(t->out, '}');
    if (leads_to_commit(t, g)) {
        uint32_t ops[] = { view_op(t->m, t->h, g->ops[0]), DERIVATION_COMMIT };
        uint32_t keys[] = { g->keys[0], INTERVAL_NONE };

        buffer_text(t->out, TEXT(",\n"));
        tell_program(t, g->txns[0], ops, keys);
    }
}

enum status derivation_witness_tell(const struct interval_model *m, const struct history *h,
                                    const struct interval_finding *f, struct buffer *out,
                                    struct error *err)
{
    struct derivation_teller t = { m, h, out };
    uint32_t *steps = NULL;
    size_t count = 0;
    enum status status;

    if (m->derivation->is_broken)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    status = collect(m, f, &steps, &count, err);
    if (status == STATUS_OK && count > 0) {
        buffer_text(out, TEXT("\"steps\":["));
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buffer_text(out, TEXT(",\n"));
            tell_step(&t, &m->derivation->steps.at[steps[i]]);
        }
        buffer_byte(out, ']');
    }
    free(steps);
    return status;
}

void derivation_witness_tell_premises(const struct profile *p, int64_t clock_error,
                                      struct buffer *out)
{
    const char *between = "";

    buffer_print(out,
                 "\"profile\":{\"view\":\"%s\",\"timing\":\"%s\",\"certifier\":\"%s\",\"rules\":[",
                 profile_view_names[p->view], profile_timing_names[p->timing],
                 profile_certifier_names[p->certifier]);
    for (size_t i = 0; profile_rules[i].name; i++)
        if (profile_has(p, &profile_rules[i])) {
            buffer_print(out, "%s\"%s\"", between, profile_rules[i].name);
            between = ",";
        }
    buffer_print(out, "]},\"clock-error\":%" PRId64 ",", clock_error);
}
