#include "programs/machine/sequences.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status sequences_open(struct sequences *s, const struct schema *schema, struct error *err)
{
    *s = (struct sequences){ .schema = schema };
    s->at = calloc(schema->sequence_count + 1U, sizeof *s->at);
    if (!s->at)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for sequences");
    for (uint32_t i = 0; i < schema->sequence_count; i++)
        s->at[i].last = schema->sequences[i].start;
    return STATUS_OK;
}

void sequences_close(struct sequences *s)
{
    free(s->at);
    *s = (struct sequences){ .schema = NULL };
}

void sequences_go_on(struct sequences *s, const struct sequences *from)
{
    assert(s->schema == from->schema);
    memcpy(s->at, from->at, s->schema->sequence_count * sizeof *s->at);
}

/* False: there is none left. */
static bool take_next(const struct schema_sequence *s, struct sequence_state *state)
{
    __int128 next = (__int128)state->last + s->increment;
    bool is_over = next < s->low || next > s->high;

    if (!state->is_called) {
        state->is_called = true;
        return true;
    }
    if (is_over && !s->cycles)
        return false;
    if (is_over)
        state->last = s->increment > 0 ? s->low : s->high;
    else
        state->last = (int64_t)next;
    return true;
}

void sequences_answer(struct sequences *s, struct machine *m)
{
    const struct request *r = machine_request(m);
    struct sequence_state *state = &s->at[r->sequence];

    assert(r->kind == REQUEST_NUMBER && r->sequence < s->schema->sequence_count);
    if (r->number == NUMBER_SET) {
        *state = (struct sequence_state){ r->value.as.integer, r->is_called };
        machine_answer_number(m, state->last);
    } else if (take_next(&s->schema->sequences[r->sequence], state)) {
        machine_answer_number(m, state->last);
    } else {
        machine_refuse_number(m);
    }
}
