#include "trial/explore/histories.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory.h"
#include "base/wall_clock.h"
#include "history/io/source.h"
#include "programs/machine/final_state.h"
#include "programs/workloads/calls.h"

#define QUERY_PREFIX "ordeal_query_"
#define HEAP_BYTES_MAX ((size_t)64 << 20)
#define SECOND_NS INT64_C(1000000000) /* between two calls of a session, as far as these know */

/* A function without parameters that is asked of the final rows. */
struct asked {
    uint32_t function;
    const char *query, *equals; /* of the scenario; NULL: it must be true */
};

struct exploring {
    const struct histories_options *options;
    struct histories_result *result;
    struct program program;
    bool has_program;
    struct arena arena;
    struct heap heap;
    struct directed *store;
    ARRAY(struct asked) asked;
    struct explore_session sessions[EXPLORE_TXNS_MAX];
    struct directed_call *calls; /* session * EXPLORE_TXNS_MAX + position */
};

const char *histories_inability(const struct scenario *scenario)
{
    if (scenario->database.kind)
        return "a real database cannot be explored: nobody chooses what it reads";
    if (scenario->workload.kind != WORKLOAD_PROGRAM)
        return "only the calls of a program are explored; --store explores the schedules of other "
               "workloads";
    return NULL;
}

void histories_fix(struct scenario *scenario, const struct histories_options *options)
{
    struct scenario_workload *workload = &scenario->workload;

    scenario->check.level_plus_1 = (uint32_t)explore_store_level(options->level) + 1;
    scenario->nemesis_count = 0;
    scenario->swarm = (struct swarm_options){ 0 };
    scenario->source = NULL;
    if (workload->is_listed)
        return;
    workload->client.transactions = options->transactions;
    if (workload->sessions > options->transactions)
        workload->sessions = options->transactions;
}

/* --- The program, and what is asked of the final rows ------------------------------------------- */

static enum status read_file(const char *path, struct buffer *text, struct error *err)
{
    struct source source;
    char *bytes = NULL;
    size_t size = 0;
    enum status status = source_open(&source, path, NULL, err);

    if (status == STATUS_OK)
        status = source_take_rest(&source, &bytes, &size, err);
    source_close(&source);
    if (status == STATUS_OK)
        buffer_text(text, (struct text){ bytes, size });
    free(bytes);
    return status == STATUS_OK ? buffer_status(text, err) : status;
}

/* A query of the scenario is a function behind those of the program. */
static void put_query(const struct invariant_options *invariant, uint32_t number,
                      struct buffer *sql)
{
    struct text query = text_of(invariant->query);

    while (query.length > 0 && strchr("; \n\t", query.at[query.length - 1]))
        query.length--;
    buffer_print(sql,
                 "\nCREATE FUNCTION " QUERY_PREFIX "%" PRIu32
                 "() RETURNS text LANGUAGE plpgsql AS $ordeal$ "
                 "DECLARE ordeal_value text; BEGIN ",
                 number);
    buffer_text(sql, query);
    buffer_text(sql, TEXT(" INTO ordeal_value; RETURN ordeal_value; END; $ordeal$;"));
}

static enum status load_program(struct exploring *x, struct error *err)
{
    const struct scenario *scenario = x->options->scenario;
    struct buffer sql = { 0 };
    enum status status = read_file(scenario->workload.program, &sql, err);

    for (uint32_t i = 0; i < scenario->invariant_count; i++)
        put_query(&scenario->invariants[i], i, &sql);
    if (status == STATUS_OK)
        status = buffer_status(&sql, err);
    if (status == STATUS_OK) {
        status = program_load(&x->program, (struct text){ sql.at, sql.count }, err);
        x->has_program = status == STATUS_OK;
    }
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, scenario->workload.program);
    buffer_close(&sql);
    return status;
}

static enum status find_asked(struct exploring *x, struct error *err)
{
    const struct scenario *scenario = x->options->scenario;

    if (!scenario->check.skips_workload)
        TRY(program_examine_invariants(&x->program, err));
    for (uint32_t i = 0; i < x->program.tree.function_count; i++)
        if (!scenario->check.skips_workload && program_is_invariant(&x->program, i))
            TRY(array_push(&x->asked, ((struct asked){ .function = i }), err));
    for (uint32_t i = 0; i < scenario->invariant_count; i++) {
        struct asked asked = { .query = scenario->invariants[i].query,
                               .equals = scenario->invariants[i].equals };
        char name[40];

        snprintf(name, sizeof name, QUERY_PREFIX "%" PRIu32, i);
        asked.function = program_find_function(&x->program, text_of(name));
        TRY(array_push(&x->asked, asked, err));
    }
    return STATUS_OK;
}

/* --- Calls -------------------------------------------------------------------------------------- */

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of an exploration");
}

static enum status add_call(struct exploring *x, uint32_t session, uint32_t function,
                            const struct datum *arguments, struct error *err)
{
    struct explore_session *s = &x->sessions[session];
    struct directed_call *call = &x->calls[session * EXPLORE_TXNS_MAX + s->count];
    uint16_t count = x->program.tree.functions[function].parameter_count;
    struct datum *kept = arena_push(&x->arena, count + 1u, sizeof *kept);
    struct sql_error error;

    if (!kept)
        return no_memory(err);
    for (uint16_t i = 0; i < count; i++)
        if (datum_copy(&arguments[i], &x->heap, &kept[i], &error) != STATUS_OK)
            return no_memory(err);
    *call = (struct directed_call){ .session = session, .function = function, .arguments = kept };
    s->count++;
    x->result->transactions++;
    return STATUS_OK;
}

static enum status prepare_calls(struct exploring *x, struct calls *calls, uint32_t sessions,
                                 struct error *err)
{
    const struct scenario *scenario = x->options->scenario;
    const struct scenario_calls *from = &scenario->workload.calls;
    struct random_key world = random_key_of_seed(scenario->seed);
    struct random_key key = random_key_fork(&world, "workload");
    struct calls_options options = { .program = &x->program,
                                     .clients = sessions,
                                     .attempts = scenario->workload.client.attempts_max,
                                     .key = &key,
                                     .call_count = from->count };
    struct program_call *list = arena_push(&x->arena, from->count + 1u, sizeof *list);

    options.calls = list;
    for (uint32_t i = 0; list && i < from->count; i++) {
        const struct scenario_call *call = &from->at[i];
        struct text *arguments =
            arena_push(&x->arena, call->argument_count + 1u, sizeof *arguments);

        if (!arguments)
            return no_memory(err);
        for (uint32_t k = 0; k < call->argument_count; k++)
            arguments[k] = text_of(call->arguments[k]);
        list[i] = (struct program_call){ text_of(call->procedure), call->weight, arguments,
                                         call->argument_count, scenario->lines.calls[i] };
    }
    return list ? calls_init(calls, &options, &x->arena, err) : no_memory(err);
}

static enum status draw_calls(struct exploring *x, struct error *err)
{
    uint32_t sessions = x->options->scenario->workload.sessions;
    struct heap scratch;
    struct calls calls;
    struct drawn_call call;
    enum status status = STATUS_OK;

    if (sessions > x->options->transactions)
        sessions = x->options->transactions;
    x->result->sessions = sessions;
    TRY(prepare_calls(x, &calls, sessions, err));
    heap_init(&scratch, HEAP_BYTES_MAX);
    for (uint32_t i = 0; i < x->options->transactions && status == STATUS_OK; i++) {
        struct calls_turn turn = { .client = i % sessions, .ordinal = i / sessions };

        turn.now_ns = (int64_t)turn.ordinal * SECOND_NS;
        heap_reset(&scratch);
        if (calls_draw(&calls, &turn, &scratch, &call))
            status = add_call(x, turn.client, call.function, call.arguments, err);
    }
    heap_close(&scratch);
    return status;
}

static enum status list_calls(struct exploring *x, struct error *err)
{
    const struct listed *listing = &x->options->scenario->listing;

    x->result->sessions = x->options->scenario->workload.sessions;
    if (listing->txns.count > EXPLORE_TXNS_MAX || x->result->sessions > EXPLORE_TXNS_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "at most %d transactions of as many sessions can be explored",
                         EXPLORE_TXNS_MAX);
    for (size_t i = 0; i < listing->txns.count; i++) {
        const struct listed_txn *txn = &listing->txns.at[i];
        struct datum arguments[CALL_ARGUMENTS_MAX];
        uint32_t function;

        if (txn->client >= x->result->sessions)
            return error_set(err, STATUS_BAD_INPUT, "there is no session %" PRIu32, txn->client);
        TRY(program_parse_call(&x->program, listed_call(listing, txn), &x->heap, &function,
                               (struct program_arguments){ arguments, CALL_ARGUMENTS_MAX }, err));
        TRY(add_call(x, txn->client, function, arguments, err));
    }
    return STATUS_OK;
}

static enum status make_calls(struct exploring *x, struct error *err)
{
    x->calls = arena_push(&x->arena, EXPLORE_TXNS_MAX * EXPLORE_TXNS_MAX, sizeof *x->calls);
    if (!x->calls)
        return no_memory(err);
    for (uint32_t i = 0; i < EXPLORE_TXNS_MAX; i++)
        x->sessions[i].calls = x->calls + i * EXPLORE_TXNS_MAX;
    return x->options->scenario->workload.is_listed ? list_calls(x, err) : draw_calls(x, err);
}

/* --- What is wrong with a history --------------------------------------------------------------- */

static char *copy_of(const struct buffer *text)
{
    char *copy = text->out_of_memory ? NULL : malloc(text->count + 1);

    if (!copy)
        return NULL;
    if (text->count > 0)
        memcpy(copy, text->at, text->count);
    copy[text->count] = '\0';
    return copy;
}

static enum status add_failure(struct exploring *x, const struct buffer *what,
                               const struct buffer *explanation, uint64_t number, struct error *err)
{
    struct histories_result *result = x->result;
    struct histories_failure failure = { .count = 1, .first = number };

    for (size_t i = 0; i < result->failures.count; i++)
        if (text_equal(text_of(result->failures.at[i].what),
                       (struct text){ what->at, what->count })) {
            result->failures.at[i].count++;
            return STATUS_OK;
        }
    failure.what = copy_of(what);
    failure.explanation = copy_of(explanation);
    if (failure.what && failure.explanation &&
        array_push(&result->failures, failure, err) == STATUS_OK)
        return STATUS_OK;
    free(failure.what);
    free(failure.explanation);
    return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a history");
}

/* A failure of the call is no value: of an overflow, say. */
static enum status evaluate(struct exploring *x, const struct asked *asked, struct buffer *value,
                            bool *holds, struct error *err)
{
    struct error why = { 0 };
    struct datum datum;
    enum status status = directed_evaluate(x->store, asked->function, &datum, &why);

    if (status == STATUS_BAD_INPUT) {
        buffer_print(value, "ERROR: %s", why.text);
        *holds = false;
        return STATUS_OK;
    }
    if (status != STATUS_OK) {
        *err = why;
        return status;
    }
    datum_print(&datum, value);
    *holds = asked->query
                 ? text_equal((struct text){ value->at, value->count }, text_of(asked->equals))
                 : datum_is_true(&datum);
    return buffer_status(value, err);
}

static void print_failure(const struct exploring *x, const struct asked *asked,
                          const struct buffer *value, struct buffer *what,
                          struct buffer *explanation)
{
    struct text name = x->program.tree.functions[asked->function].name;

    if (asked->query) {
        buffer_print(what, "invariant %s", asked->query);
        buffer_print(explanation, "%s gives %.*s, not %s", asked->query, (int)value->count,
                     value->at ? value->at : "", asked->equals);
        return;
    }
    buffer_print(what, "invariant %.*s", TEXT_PRINT(name));
    buffer_print(explanation, "%.*s() is not true of the final state", TEXT_PRINT(name));
}

static enum status ask(struct exploring *x, const struct asked *asked, uint64_t number, bool *holds,
                       struct error *err)
{
    struct buffer value = { 0 }, what = { 0 }, explanation = { 0 };
    enum status status = evaluate(x, asked, &value, holds, err);

    if (status == STATUS_OK && !*holds) {
        print_failure(x, asked, &value, &what, &explanation);
        status = add_failure(x, &what, &explanation, number, err);
    }
    buffer_close(&value);
    buffer_close(&what);
    buffer_close(&explanation);
    return status;
}

static enum status note_unserializable(struct exploring *x, uint64_t number, struct error *err)
{
    struct buffer what = { 0 }, explanation = { 0 };
    enum status status;

    buffer_text(&what, TEXT("unserializable"));
    buffer_text(&explanation, TEXT("no order of the transactions explains what they read"));
    status = add_failure(x, &what, &explanation, number, err);
    buffer_close(&what);
    buffer_close(&explanation);
    return status;
}

/* --- The story of a history --------------------------------------------------------------------- */

static const struct directed_call *call_of(const struct exploring *x,
                                           struct directed_txn_facts facts)
{
    return &x->sessions[facts.session].calls[facts.position];
}

static void print_writer(uint32_t writer, struct buffer *out)
{
    if (writer == DIRECTED_INITIAL)
        buffer_text(out, TEXT("initial"));
    else
        buffer_print(out, "T%" PRIu32, writer + 1);
}

static bool writes_key(const struct exploring *x, uint32_t txn, uint32_t key)
{
    uint32_t count;
    const uint32_t *writes = directed_writes(x->store, txn, &count);

    for (uint32_t i = 0; i < count; i++)
        if (writes[i] == key)
            return true;
    return false;
}

static bool reads_key(const struct exploring *x, uint32_t txn, uint32_t key)
{
    uint32_t count;
    const struct directed_seen *reads = directed_reads(x->store, txn, &count);

    for (uint32_t i = 0; i < count; i++)
        if (reads[i].key == key)
            return true;
    return false;
}

/* Whether another transaction writes the key; or, of a key that is written, reads or writes it. */
static bool is_shared(const struct exploring *x, uint32_t txn, uint32_t key, bool is_written)
{
    for (uint32_t other = 0; other < directed_txn_count(x->store); other++)
        if (other != txn && (writes_key(x, other, key) || (is_written && reads_key(x, other, key))))
            return true;
    return false;
}

/* What concerns another transaction; the rest is counted. */
static void tell_reads(const struct exploring *x, uint32_t txn, struct buffer *out)
{
    uint32_t count, told = 0;
    const struct directed_seen *reads = directed_reads(x->store, txn, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (!is_shared(x, txn, reads[i].key, false))
            continue;
        buffer_text(out, told++ ? TEXT(", ") : TEXT("   reads "));
        buffer_text(out, directed_key_text(x->store, reads[i].key));
        buffer_text(out, TEXT(" from "));
        print_writer(reads[i].writer, out);
    }
    if (told < count)
        buffer_print(out,
                     told ? ", and %" PRIu32 " more"
                          : "   reads %" PRIu32 " rows that nobody else writes",
                     count - told);
}

static void tell_writes(const struct exploring *x, uint32_t txn, struct buffer *out)
{
    uint32_t count, told = 0;
    const uint32_t *writes = directed_writes(x->store, txn, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (!is_shared(x, txn, writes[i], true))
            continue;
        buffer_text(out, told++ ? TEXT(", ") : TEXT("   writes "));
        buffer_text(out, directed_key_text(x->store, writes[i]));
    }
    if (told < count)
        buffer_print(out, told ? ", and %" PRIu32 " more" : "   writes %" PRIu32 " rows of its own",
                     count - told);
}

static void tell_txn(const struct exploring *x, uint32_t txn, struct buffer *out,
                     struct buffer *room)
{
    static const char *const ends[] = { [DIRECTED_COMMITTED] = "",
                                        [DIRECTED_FAILED] = "   aborted",
                                        [DIRECTED_REFUSED] = "   refused" };
    struct directed_txn_facts facts = directed_txn(x->store, txn);
    const struct directed_call *call = call_of(x, facts);

    buffer_print(out, "T%" PRIu32 " (session %" PRIu32 ") ", txn + 1, facts.session);
    calls_print(&x->program, call->function, call->arguments, out, room);
    tell_reads(x, txn, out);
    tell_writes(x, txn, out);
    buffer_text(out, text_of(ends[facts.end]));
    buffer_byte(out, '\n');
}

/* The first line of a file of choices: the sessions in the order in which they were executed. */
static void tell_order(const struct exploring *x, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "ordeal-choices", 1);
    json_writer_open(&json, "order", '[');
    for (uint32_t txn = 0; txn < directed_txn_count(x->store); txn++)
        json_writer_number(&json, NULL, directed_txn(x->store, txn).session);
    json_writer_close(&json, ']');
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

static void tell_choices(const struct exploring *x, uint32_t txn, struct buffer *out)
{
    struct directed_txn_facts facts = directed_txn(x->store, txn);
    uint32_t count;
    const struct directed_seen *reads = directed_reads(x->store, txn, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct json_writer json = { .out = out };

        json_writer_open(&json, NULL, '{');
        json_writer_number(&json, "session", facts.session);
        json_writer_number(&json, "transaction", facts.position);
        json_writer_number(&json, "statement", reads[i].statement);
        json_writer_string(&json, "key", directed_key_text(x->store, reads[i].key));
        if (reads[i].writer == DIRECTED_INITIAL) {
            json_writer_text(&json, "from", "initial");
        } else {
            struct directed_txn_facts from = directed_txn(x->store, reads[i].writer);

            json_writer_open(&json, "from", '[');
            json_writer_number(&json, NULL, from.session);
            json_writer_number(&json, NULL, from.position);
            json_writer_close(&json, ']');
        }
        json_writer_close(&json, '}');
        buffer_byte(out, '\n');
    }
}

static enum status keep_first(struct exploring *x, struct error *err)
{
    struct histories_result *result = x->result;
    const struct directed_telling telling = { .load =
                                                  text_of(x->options->scenario->workload.load) };
    struct buffer room = { 0 };
    enum status status = directed_history(x->store, &telling, &result->history, err);

    result->has_history = status == STATUS_OK;
    tell_order(x, &result->choices);
    for (uint32_t txn = 0; txn < directed_txn_count(x->store); txn++) {
        tell_txn(x, txn, &result->story, &room);
        tell_choices(x, txn, &result->choices);
    }
    if (status == STATUS_OK)
        status = buffer_status(&room, err);
    if (status == STATUS_OK)
        status = buffer_status(&result->story, err);
    if (status == STATUS_OK)
        status = buffer_status(&result->choices, err);
    buffer_close(&room);
    return status;
}

static enum status look(void *context, const struct explore_visit *visit, bool *ends,
                        struct error *err)
{
    struct exploring *x = context;
    bool is_wrong = false;

    for (size_t i = 0; i < x->asked.count; i++) {
        bool holds;

        TRY(ask(x, &x->asked.at[i], visit->number, &holds, err));
        is_wrong |= !holds;
    }
    if (!visit->is_serializable && x->options->wants_serializable) {
        TRY(note_unserializable(x, visit->number, err));
        is_wrong = true;
    }
    if (!is_wrong)
        return STATUS_OK;
    *ends = x->options->until_failure;
    return x->result->violations++ == 0 ? keep_first(x, err) : STATUS_OK;
}

/* --- All of it ---------------------------------------------------------------------------------- */

static enum status open_store(struct exploring *x, struct error *err)
{
    const struct scenario_workload *workload = &x->options->scenario->workload;
    struct directed_options options = { .program = &x->program,
                                        .level = explore_store_level(x->options->level),
                                        .sessions = x->result->sessions,
                                        .keeps = true };

    TRY(directed_open(&x->store, &options, err));
    if (workload->load[0] == '\0')
        return STATUS_OK;
    if (directed_load(x->store, text_of(workload->load), err) == STATUS_OK)
        return STATUS_OK;
    if (err->status == STATUS_BAD_INPUT)
        err->line = x->options->scenario->lines.load;
    return err->status;
}

static enum status explore_all(struct exploring *x, struct error *err)
{
    struct explore_options options = {
        .level = x->options->level,
        .sessions = x->sessions,
        .visit = look,
        .context = x,
        .progress = x->options->progress,
        .stop = x->options->stop,
    };

    TRY(arena_init(&x->arena, ARENA_UNLIMITED, err));
    TRY(load_program(x, err));
    TRY(find_asked(x, err));
    TRY(make_calls(x, err));
    TRY(open_store(x, err));
    options.session_count = x->result->sessions;
    return explore(x->store, &options, &x->result->counts, err);
}

enum status histories_explore(struct histories_result *result,
                              const struct histories_options *options, struct error *err)
{
    struct exploring x = { .options = options, .result = result };
    int64_t began_ns = wall_clock_ns();
    uint64_t failures = memory_failures();
    enum status status;

    assert(!histories_inability(options->scenario));
    assert(options->transactions >= 1 && options->transactions <= EXPLORE_TXNS_MAX);
    *result = (struct histories_result){ .violations = 0 };
    heap_init(&x.heap, HEAP_BYTES_MAX);
    status = explore_all(&x, err);
    /* What was explored until memory ran out stands. */
    if (status == STATUS_OVER_LIMIT && result->counts.histories > 0) {
        snprintf(result->ended_why, sizeof result->ended_why, "%.290s", err->text);
        memory_tell_failures(failures);
        *err = (struct error){ 0 };
        status = STATUS_OK;
    }
    directed_close(x.store);
    if (x.has_program)
        program_close(&x.program);
    array_close(&x.asked);
    heap_close(&x.heap);
    arena_close(&x.arena);
    result->wall_ns = wall_clock_ns() - began_ns;
    return status;
}

void histories_close(struct histories_result *result)
{
    for (size_t i = 0; i < result->failures.count; i++) {
        free(result->failures.at[i].what);
        free(result->failures.at[i].explanation);
    }
    array_close(&result->failures);
    buffer_close(&result->story);
    buffer_close(&result->choices);
    if (result->has_history)
        history_close(&result->history);
}
