#include "verify/calls/table_facts_private.h"

#include <string.h>

static void note_statement(struct table_facts *facts, const struct statement *s)
{
    bool loses = s && s->kind == STATEMENT_DELETE;

    if (!s || s->kind == STATEMENT_SELECT)
        return;
    for (uint32_t i = 0; i < s->setting_count; i++)
        loses |= column_set_has(s->relation->key, s->settings[i].column);
    facts->is_written[s->relation->number] = true;
    facts->loses_rows[s->relation->number] |= loses;
}

static void note_steps(struct table_facts *facts, const struct step_list *list)
{
    for (const struct step *step = list->first; step; step = step->next) {
        note_statement(facts, step->statement);
        for (const struct arm_of_if *arm = step->arms; arm; arm = arm->next)
            note_steps(facts, &arm->body);
        note_steps(facts, &step->body);
    }
}

/* Nobody knows what is done. */
static void note_anything(struct table_facts *facts, const struct catalog *catalog)
{
    memset(facts->is_written, true, catalog->relation_count);
    memset(facts->loses_rows, true, catalog->relation_count);
}

static void note_routine(struct table_facts *facts, const struct catalog *catalog, const struct routine *routine,
                         bool *is_noted)
{
    if (!routine || routine->call_count == ROUTINE_CALLS_MAX) {
        note_anything(facts, catalog);
        return;
    }
    if (is_noted[routine - catalog->routines])
        return;
    is_noted[routine - catalog->routines] = true;
    note_steps(facts, &routine->body);
    for (uint32_t i = 0; i < routine->call_count; i++)
        note_routine(facts, catalog, routine->calls[i], is_noted);
}

void table_facts_find(struct table_facts *facts, struct audit_replay *a)
{
    struct session *s = &a->session;
    bool *is_noted = arena_take(&s->lasting, s->catalog.routine_count + 1, sizeof *is_noted);

    facts->loses_rows = arena_take(&s->lasting, s->catalog.relation_count + 1, sizeof *facts->loses_rows);
    facts->is_written = arena_take(&s->lasting, s->catalog.relation_count + 1, sizeof *facts->is_written);
    for (size_t i = 0; i < a->log->txns.count; i++) {
        struct text function = a->log->txns.at[i].function;

        if (function.length > 0)
            note_routine(facts, &s->catalog, catalog_find_routine(&s->catalog, function), is_noted);
    }
    for (size_t i = 0; i < a->log->statements.count; i++) {
        const struct statement *statement;

        if (session_prepare(s, a->log->statements.at[i].sql, &statement) != ENDED_WELL || statement->calls)
            note_anything(facts, &s->catalog);
        else
            note_statement(facts, statement);
    }
}
