#include "trial/run/director_trial.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"
#include "programs/machine/final_state.h"

#define HEAP_BYTES_MAX ((size_t)16 << 20) /* of one call's arguments */
#define SECOND_NS INT64_C(1000000000)

/* --- What is refused ---------------------------------------------------------------------------- */

static enum status refuse_level(const struct director_trial *t, struct error *err)
{
    if (!(directed_levels() & LEVEL_BIT(t->level)))
        return error_set(err, STATUS_BAD_INPUT,
                         "the directed store has no %s: check.level must be read-committed, "
                         "read-atomic, causal, prefix, snapshot or serializable",
                         level_name(t->level));
    if (t->level == LEVEL_SERIALIZABLE && !t->by_file && t->mode != DIRECTOR_LATEST)
        return error_set(err, STATUS_BAD_INPUT,
                         "at serializable a director has nothing to choose, as every read returns "
                         "the latest version: say --director latest, or a weaker check.level, as "
                         "in --set check.level=causal");
    return STATUS_OK;
}

static enum status refuse(const struct director_trial *t, struct error *err)
{
    const struct scenario *s = t->scenario;

    if (s->database.kind)
        return error_set(err, STATUS_BAD_INPUT,
                         "--director is for the directed store, not for a real database");
    if (s->workload.kind != WORKLOAD_PROGRAM)
        return error_set(err, STATUS_BAD_INPUT,
                         "--director needs calls of a program's functions (workload.program)");
    if (s->nemesis_count > 0 || s->swarm.dimensions != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "the directed store has no nodes and no network that a nemesis could "
                         "strike: a scenario with nemeses, or a swarm, has no director");
    if (memchr(s->cluster.bugs.on, true, sizeof s->cluster.bugs.on))
        return error_set(err, STATUS_BAD_INPUT,
                         "bugs are of the simulated store: the directed store has none");
    if (s->check.audits)
        return error_set(err, STATUS_BAD_INPUT,
                         "check.audit is for the simulated store: with --director write the calls "
                         "with --audit-log, and audit them");
    return refuse_level(t, err);
}

/* --- Opening ------------------------------------------------------------------------------------ */

static enum status blame(struct error *err, uint64_t line)
{
    if (err->status == STATUS_BAD_INPUT && err->file[0] == '\0' && err->line == 0)
        err->line = line;
    return err->status;
}

static enum status open_calls(struct director_trial *t, struct error *err)
{
    const struct scenario *s = t->scenario;
    struct random_key key = random_key_of_seed(s->seed), own = random_key_fork(&key, "workload");
    struct calls_options options = { .program = &t->program,
                                     .clients = s->workload.sessions,
                                     .attempts = STORE_ATTEMPTS_MAX,
                                     .key = &own };

    if (s->workload.is_listed)
        return listed_turns_init(&t->turns, &s->listing, s->workload.sessions, &t->arena, err);
    TRY(simulation_make_calls(s, &t->arena, &options.calls, &options.call_count, err));
    return calls_init(&t->calls, &options, &t->arena, err);
}

static enum status open_store(struct director_trial *t, struct error *err)
{
    const struct scenario_workload *from = &t->scenario->workload;
    struct directed_options options = { &t->program, t->level, from->sessions, true };

    TRY(program_load_file(&t->program, from->program, err));
    TRY(program_examine_invariants(&t->program, err));
    for (uint32_t i = 0; i < t->scenario->invariant_count; i++)
        if (final_query_check(&t->program.tree.schema, t->program.tree.schema.table_count,
                              t->scenario->invariants[i].query, err) != STATUS_OK)
            return blame(err, t->scenario->lines.invariants[i]);
    if (open_calls(t, err) != STATUS_OK)
        return blame(err, t->scenario->lines.workload);
    TRY(directed_open(&t->store, &options, err));
    if (from->load[0] != '\0' && directed_load(t->store, text_of(from->load), err) != STATUS_OK)
        return blame(err, t->scenario->lines.load);
    return STATUS_OK;
}

static enum status read_choices(struct director_trial *t, struct error *err)
{
    struct source source;
    enum status status;

    TRY(source_open(&source, t->options.director, NULL, err));
    status = choices_read(&t->wanted, &source, err);
    source_close(&source);
    return status;
}

static enum status open_director(struct director_trial *t, struct error *err)
{
    struct random_key key = random_key_of_seed(t->scenario->seed);
    struct random_key own = random_key_fork(&key, "director");
    struct director latest;

    TRY(choices_init(&t->made, err));
    t->made.has_order = true;
    t->recorder.choices = &t->made;
    t->recorder.inner = director_of_mode(&t->state, t->mode, &own);
    if (!t->by_file)
        return STATUS_OK;
    latest = director_of_mode(&t->state, DIRECTOR_LATEST, &own);
    if (script_init(&t->script, t->wanted.wishes.at, (uint32_t)t->wanted.wishes.count, latest,
                    err) != STATUS_OK) {
        error_set_file(err, t->options.director);
        return err->status;
    }
    t->recorder.inner = script_director(&t->script);
    return STATUS_OK;
}

/* --- Running ------------------------------------------------------------------------------------ */

/* Where each session stands, and those that have something left, in no order. */
struct session_turns {
    struct director_trial *trial;
    struct random random;
    uint64_t *ordinal, *total;
    uint32_t *attempt;
    uint32_t *open, open_count;
    struct heap heap;
};

static uint64_t share_of(const struct director_trial *t, uint32_t session)
{
    uint64_t all = t->scenario->workload.client.transactions;
    uint64_t sessions = t->scenario->workload.sessions, count = 0;

    if (!t->scenario->workload.is_listed)
        return all / sessions + (session < all % sessions);
    while (listed_turn(&t->turns, session, count))
        count++;
    return count;
}

static enum status begin_turns(struct session_turns *s, struct error *err)
{
    struct director_trial *t = s->trial;
    uint32_t sessions = t->scenario->workload.sessions;
    struct random_key key = random_key_of_seed(t->scenario->seed);
    struct random_key own = random_key_fork(&key, "director/order");

    random_init(&s->random, &own);
    heap_init(&s->heap, HEAP_BYTES_MAX);
    s->ordinal = arena_push(&t->arena, sessions, sizeof *s->ordinal);
    s->total = arena_push(&t->arena, sessions, sizeof *s->total);
    s->attempt = arena_push(&t->arena, sessions, sizeof *s->attempt);
    s->open = arena_push(&t->arena, sessions, sizeof *s->open);
    if (!s->ordinal || !s->total || !s->attempt || !s->open)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the sessions of a workload");
    for (uint32_t i = 0; i < sessions; i++) {
        s->total[i] = share_of(t, i);
        if (s->total[i] > 0)
            s->open[s->open_count++] = i;
    }
    return STATUS_OK;
}

static bool is_over(const struct session_turns *s, size_t turn)
{
    const struct choices *wanted = &s->trial->wanted;

    return wanted->has_order ? turn == wanted->order.count : s->open_count == 0;
}

static enum status next_session(struct session_turns *s, size_t turn, uint32_t *session,
                                struct error *err)
{
    const struct director_trial *t = s->trial;

    if (!t->wanted.has_order) {
        *session = s->open[random_below(&s->random, s->open_count)];
        return STATUS_OK;
    }
    *session = t->wanted.order.at[turn];
    if (*session < t->scenario->workload.sessions && s->ordinal[*session] < s->total[*session])
        return STATUS_OK;
    error_set_file(err, t->options.director);
    return error_set(err, STATUS_BAD_INPUT,
                     "the order has a transaction of session %" PRIu32
                     " at its place %zu, which the scenario does not have",
                     *session, turn);
}

/* False: its arguments cannot be computed, so that it fails. */
static enum status draw(struct session_turns *s, uint32_t session, struct drawn_call *call,
                        bool *is_call, struct error *err)
{
    const struct director_trial *t = s->trial;
    struct calls_turn turn = { session, s->ordinal[session], s->attempt[session],
                               (int64_t)s->ordinal[session] * SECOND_NS };
    struct text text;

    heap_reset(&s->heap);
    if (!t->scenario->workload.is_listed) {
        *is_call = calls_draw(&t->calls, &turn, &s->heap, call);
        return STATUS_OK;
    }
    text = listed_call(&t->scenario->listing, listed_turn(&t->turns, session, s->ordinal[session]));
    *is_call = text.length > 0;
    if (!*is_call)
        return STATUS_OK;
    return program_parse_call(&t->program, text, &s->heap, &call->function,
                              (struct program_arguments){ call->arguments, CALL_ARGUMENTS_MAX },
                              err);
}

static void count(struct director_trial *t, enum directed_end end)
{
    t->committed += end == DIRECTED_COMMITTED;
    t->aborted += end != DIRECTED_COMMITTED;
    t->refused += end == DIRECTED_REFUSED;
}

static void close_session(struct session_turns *s, uint32_t session)
{
    for (uint32_t i = 0; i < s->open_count; i++)
        if (s->open[i] == session)
            s->open[i] = s->open[--s->open_count];
}

static uint32_t attempts_max(const struct director_trial *t)
{
    return t->scenario->workload.is_listed ? 1 : t->scenario->workload.client.attempts_max;
}

static enum status take_turn(struct session_turns *s, uint32_t session, struct error *err)
{
    struct director_trial *t = s->trial;
    struct director director = choice_recorder_director(&t->recorder);
    struct directed_outcome outcome = { .end = DIRECTED_FAILED };
    struct drawn_call call;
    bool is_call;

    TRY(draw(s, session, &call, &is_call, err));
    if (is_call)
        TRY(directed_run(t->store,
                         &(struct directed_call){ session, call.function, call.arguments },
                         &director, &outcome, err));
    count(t, outcome.end);
    if (outcome.end == DIRECTED_REFUSED && s->attempt[session] + 1 < attempts_max(t)) {
        s->attempt[session]++;
        return STATUS_OK;
    }
    s->attempt[session] = 0;
    if (++s->ordinal[session] == s->total[session])
        close_session(s, session);
    return STATUS_OK;
}

static enum status take_turns(struct session_turns *s, struct error *err)
{
    struct director_trial *t = s->trial;
    uint64_t all = t->scenario->workload.client.transactions;

    TRY(begin_turns(s, err));
    for (size_t turn = 0; !is_over(s, turn); turn++) {
        uint32_t session;

        if (t->options.stop && atomic_load(t->options.stop)) {
            snprintf(t->too_long, sizeof t->too_long, "%s", t->options.unfinished);
            return STATUS_OK;
        }
        TRY(next_session(s, turn, &session, err));
        TRY(array_push(&t->made.order, session, err));
        TRY(take_turn(s, session, err));
        progress_report(t->options.progress, turn, all);
    }
    return STATUS_OK;
}

static enum status execute(struct director_trial *t, struct error *err)
{
    struct session_turns turns = { .trial = t };
    int64_t began_ns = wall_clock_ns();
    enum status status = take_turns(&turns, err);

    heap_close(&turns.heap);
    t->ran_ns = wall_clock_ns() - began_ns;
    t->counts = directed_counts(t->store);
    if (t->by_file)
        script_finish(&t->script);
    if (status == STATUS_OK && (t->recorder.is_short || t->script.is_short))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the choices of a director");
    return status;
}

/* --- The final state ---------------------------------------------------------------------------- */

static void find(struct director_trial *t, const char *name, struct buffer *why)
{
    struct finding *finding = &t->findings[t->finding_count++];

    assert(t->finding_count <= INVARIANT_COUNT_MAX + 1);
    finding->kind = ANOMALY_INVARIANT;
    buffer_byte(why, '\0');
    snprintf(finding->name, sizeof finding->name, "%s", name);
    snprintf(finding->explanation, sizeof finding->explanation, "%s", why->at ? why->at : "");
}

static enum status ask_program(struct director_trial *t, struct error *err)
{
    for (uint32_t i = 0; i < t->program.tree.function_count; i++) {
        struct datum value;

        if (!program_is_invariant(&t->program, i))
            continue;
        TRY(directed_evaluate(t->store, i, &value, err));
        if (!datum_is_true(&value)) {
            struct buffer why = { 0 };

            buffer_print(&why, "%.*s() is not true of the final state",
                         TEXT_PRINT(t->program.tree.functions[i].name));
            find(t, "workload", &why);
            buffer_close(&why);
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static enum status each_row(void *context, uint32_t table, final_row_taker *take, void *taker,
                            struct error *err)
{
    return directed_each_final_row(context, table, take, taker, err);
}

static enum status ask_query(struct director_trial *t, const struct invariant_options *invariant,
                             struct buffer *value, struct error *err)
{
    const struct schema *schema = &t->program.tree.schema;
    const struct final_rows rows = { each_row, t->store };
    struct buffer why = { 0 };

    TRY(final_query_run(schema, schema->table_count, invariant->query, &rows, value, err));
    if (text_equal((struct text){ value->at, value->count }, text_of(invariant->equals)))
        return STATUS_OK;
    buffer_print(&why, "%s gives %.*s, not %s", invariant->query, (int)value->count,
                 value->at ? value->at : "", invariant->equals);
    find(t, invariant->query, &why);
    buffer_close(&why);
    return STATUS_OK;
}

static enum status ask_invariants(struct director_trial *t, struct error *err)
{
    enum status status = STATUS_OK;

    if (t->scenario->check.skips_workload)
        snprintf(t->unasked, sizeof t->unasked,
                 "that of the workload, as check.skip_invariants says");
    else
        TRY(ask_program(t, err));
    for (uint32_t i = 0; i < t->scenario->invariant_count && status == STATUS_OK; i++) {
        struct buffer value = { 0 };

        status = ask_query(t, &t->scenario->invariants[i], &value, err);
        buffer_close(&value);
    }
    return status;
}

/* --- Judging ------------------------------------------------------------------------------------ */

static bool has_places(const struct director_trial *t)
{
    return !t->by_file && t->mode == DIRECTOR_LATEST;
}

static struct directed_telling telling_of(const struct director_trial *t)
{
    const char *slash = strrchr(t->scenario->workload.program, '/');

    return (struct directed_telling){
        .producer = text_of(t->options.producer),
        .workload = text_of(slash ? slash + 1 : t->scenario->workload.program),
        .load = text_of(t->scenario->workload.load),
        .has_places = has_places(t),
    };
}

static enum status make_histories(struct director_trial *t, struct error *err)
{
    struct directed_telling telling = telling_of(t);

    TRY(directed_history(t->store, &telling, &t->history, err));
    t->has_history = true;
    TRY(directed_items(&t->history, &t->items, err));
    t->has_items = true;
    return STATUS_OK;
}

static const struct checker *complete_checker(enum level level)
{
    bool is_strong = level == LEVEL_SNAPSHOT || level == LEVEL_SERIALIZABLE;

    return checker_find(is_strong ? TEXT("blackbox") : TEXT("weak"));
}

/* With the store's own order the history can be judged as it is, statements included. */
static bool is_certified(const struct director_trial *t)
{
    return has_places(t) && checker_decides(checker_find(TEXT("certificate")), t->level);
}

static const struct checker *due_checker(const struct director_trial *t)
{
    return is_certified(t) ? checker_find(TEXT("certificate")) : complete_checker(t->level);
}

static enum status ask_jury(struct director_trial *t, struct error *err)
{
    const struct check_wishes *wishes = &t->scenario->check;
    struct jury_options options = {
        .check = { .level = t->level,
                   .flags = t->options.wants_witnesses ? CHECK_WITNESS : 0,
                   .stop = t->options.stop },
        .unfinished = t->options.unfinished,
        .rule = JURY_DUE,
        .is_named = wishes->is_listed,
        .named = wishes->checkers,
        .memory = t->options.memory,
    };

    if (wishes->is_listed && wishes->checkers == 0)
        return STATUS_OK;
    options.due = wishes->is_listed ? wishes->checkers : jury_bit(due_checker(t));
    TRY(jury_judge(&t->jury, director_trial_judged(t), &options, err));
    t->is_judged = true;
    return STATUS_OK;
}

static enum status ask_serializable(struct director_trial *t, struct error *err)
{
    struct check_options options = { .level = LEVEL_SERIALIZABLE, .stop = t->options.stop };

    TRY(checker_run(complete_checker(LEVEL_SERIALIZABLE), &t->items, &options, &t->serializable,
                    err));
    t->has_serializable = true;
    return STATUS_OK;
}

/* --- The whole ---------------------------------------------------------------------------------- */

enum status director_trial_run(struct director_trial *t, const struct scenario *scenario,
                               const struct director_trial_options *options, struct error *err)
{
    *t = (struct director_trial){ .scenario = scenario, .options = *options };
    t->level = scenario->check.level_plus_1 > 0 ? (enum level)(scenario->check.level_plus_1 - 1)
                                                : LEVEL_SERIALIZABLE;
    t->by_file = !director_mode_of_text(text_of(options->director), &t->mode);
    TRY(refuse(t, err));
    TRY(arena_init(&t->arena, ARENA_UNLIMITED, err));
    if (t->by_file)
        TRY(read_choices(t, err));
    TRY(open_store(t, err));
    TRY(open_director(t, err));
    TRY(execute(t, err));
    if (t->too_long[0] != '\0')
        return STATUS_OK;
    TRY(ask_invariants(t, err));
    TRY(make_histories(t, err));
    TRY(ask_jury(t, err));
    return ask_serializable(t, err);
}

void director_trial_close(struct director_trial *t)
{
    jury_close(&t->jury);
    if (t->has_serializable)
        check_close(&t->serializable);
    if (t->has_history)
        history_close(&t->history);
    if (t->has_items)
        history_close(&t->items);
    script_close(&t->script);
    choices_close(&t->made);
    choices_close(&t->wanted);
    directed_close(t->store);
    program_close(&t->program);
    arena_close(&t->arena);
    *t = (struct director_trial){ .scenario = NULL };
}

/* Items tell by their values who wrote them, which values of a program need not. */
const struct history *director_trial_judged(const struct director_trial *t)
{
    return is_certified(t) ? &t->history : &t->items;
}

enum verdict director_trial_verdict(const struct director_trial *t)
{
    if (t->finding_count > 0)
        return VERDICT_INVALID;
    if (t->too_long[0] != '\0' || t->committed == 0)
        return VERDICT_UNKNOWN;
    return t->is_judged ? t->jury.verdict : VERDICT_VALID;
}

enum status director_trial_call_log(struct director_trial *t, struct buffer *out, struct error *err)
{
    struct directed_telling telling = telling_of(t);

    return directed_call_log(t->store, &telling, out, err);
}
