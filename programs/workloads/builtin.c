#include "programs/workloads/builtin.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

#include "programs/workloads/builtin_private.h"

static const struct builtin_workload *const builtins[] = {
#define BUILTIN_ROW(c_name, name) &builtin_workload_##c_name,
    BUILTINS(BUILTIN_ROW)
#undef BUILTIN_ROW
};

const struct builtin_workload *builtin_find(struct text name)
{
    for (size_t i = 0; i < ROW_COUNT(builtins); i++)
        if (text_equal(name, text_of(builtins[i]->name)))
            return builtins[i];
    return NULL;
}

const char *const *builtin_names(void)
{
#define BUILTIN_NAME(c_name, name) name,
    static const char *const names[] = { BUILTINS(BUILTIN_NAME) NULL };
#undef BUILTIN_NAME

    return names;
}

const struct builtin_workload *const *builtin_all(unsigned *count)
{
    *count = ROW_COUNT(builtins);
    return builtins;
}

bool builtin_invariant_holds_at(const struct builtin_workload *workload, enum level level)
{
    if (!workload->invariant)
        return false;
    return level_implies(level, workload->invariant_levels[0]) ||
           level_implies(level, workload->invariant_levels[1]);
}

/* --- The workload, settled -------------------------------------------------------------------- */

static enum status init_choice(struct builtin *builtin, struct arena *arena, struct error *err)
{
    const struct builtin_options *options = &builtin->options;
    uint32_t count = builtin_choices(options);

    switch (builtin_option(options, PARAMETER_CHOICE)) {
    case CHOICE_ZIPF:
        return choice_init_zipf(&builtin->choice, count, options->values[PARAMETER_THETA], arena,
                                err);
    case CHOICE_HOT:
        return choice_init_hot(&builtin->choice, count,
                               (uint32_t)builtin_option(options, PARAMETER_HOT_KEYS),
                               options->values[PARAMETER_HOT_SHARE], err);
    default:
        choice_init_uniform(&builtin->choice, count);
        return STATUS_OK;
    }
}

enum status builtin_init(struct builtin *builtin, const struct builtin_options *options,
                         uint32_t clients, uint32_t attempts, const struct random_key *key,
                         struct arena *arena, struct error *err)
{
    struct random_key *client_keys;

    assert(clients >= 1 && clients <= BUILTIN_CLIENTS_MAX);
    assert(attempts >= 1 && attempts <= BUILTIN_ATTEMPTS_MAX);
    TRY(builtin_check_options(options, err));
    client_keys = arena_push(arena, clients, sizeof *client_keys);
    if (!client_keys)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " clients", clients);
    for (uint32_t i = 0; i < clients; i++)
        client_keys[i] = random_key_fork(key, "client/%" PRIu32, i);
    *builtin = (struct builtin){
        .workload = options->workload,
        .options = *options,
        .clients = clients,
        .attempts = attempts,
        .client_keys = client_keys,
    };
    return init_choice(builtin, arena, err);
}

bool builtin_is_unique(const struct builtin *builtin)
{
    if (builtin->repeats)
        return false;
    return !builtin_has_parameter(builtin->workload, PARAMETER_REPEAT_VALUES) ||
           builtin_number(builtin, PARAMETER_REPEAT_VALUES) == 0;
}

uint64_t builtin_initial_count(const struct builtin *builtin)
{
    const struct builtin_behaviour *behaviour = builtin->workload->behaviour;

    return behaviour->initial_count ? behaviour->initial_count(builtin) : 0;
}

struct builtin_row builtin_initial(const struct builtin *builtin, uint64_t index)
{
    assert(index < builtin_initial_count(builtin));
    return builtin->workload->behaviour->initial(builtin, index);
}

void builtin_print_key(const struct builtin *builtin, uint64_t key, struct buffer *out)
{
    if (builtin->workload->table) {
        buffer_text(out, text_of(builtin->workload->table->name));
        buffer_byte(out, '/');
    }
    buffer_int64(out, (int64_t)key);
}

/* --- One transaction -------------------------------------------------------------------------- */

/* As many operations as are drawn, of a workload that has such a parameter. */
static uint32_t draw_length(const struct builtin_txn *txn)
{
    int64_t least, most;

    if (!builtin_has_parameter(txn->builtin->workload, PARAMETER_OPERATIONS_MIN))
        return 1;
    least = builtin_number(txn->builtin, PARAMETER_OPERATIONS_MIN);
    most = builtin_number(txn->builtin, PARAMETER_OPERATIONS_MAX);
    return (uint32_t)(least + (int64_t)builtin_below(txn, STEP_OF_ALL, DRAW_LENGTH,
                                                     (uint64_t)(most - least + 1)));
}

void builtin_begin(struct builtin_txn *txn, const struct builtin *builtin, uint32_t client,
                   uint64_t ordinal, uint32_t attempt)
{
    assert(client < builtin->clients && attempt < builtin->attempts);
    assert(ordinal <= BUILTIN_ORDINAL_MAX);
    *txn = (struct builtin_txn){
        .builtin = builtin,
        .ordinal = ordinal,
        .client = client,
        .attempt = attempt,
    };
    if (builtin->turns) {
        builtin_listed_begin(txn);
        return;
    }
    txn->step_count = draw_length(txn);
    if (builtin->workload->behaviour->begin)
        builtin->workload->behaviour->begin(txn);
}

struct builtin_request builtin_next(const struct builtin_txn *txn)
{
    if (txn->gives_up)
        return (struct builtin_request){ .kind = BUILTIN_ABORT };
    if (txn->listed)
        return builtin_listed_next(txn);
    if (txn->step < txn->step_count)
        return txn->builtin->workload->behaviour->next(txn);
    if (builtin_percent(txn, STEP_OF_ALL, DRAW_ABORT, PARAMETER_ABORT_PERCENT))
        return (struct builtin_request){ .kind = BUILTIN_ABORT };
    return (struct builtin_request){ .kind = BUILTIN_COMMIT };
}

void builtin_answer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    const struct builtin_behaviour *behaviour = txn->builtin->workload->behaviour;

    assert(!txn->gives_up && txn->step < txn->step_count);
    if (txn->listed)
        builtin_listed_answer(txn, rows, count);
    else if (behaviour->answer)
        behaviour->answer(txn, rows, count);
    else
        builtin_end_step(txn);
}

bool builtin_saw_broken(const struct builtin_txn *txn, struct buffer *sentence)
{
    const struct builtin_behaviour *behaviour = txn->builtin->workload->behaviour;

    if (txn->listed)
        return builtin_listed_saw_broken(txn, sentence);
    return behaviour->saw_broken && behaviour->saw_broken(txn, sentence);
}

void builtin_print_where(const struct builtin *builtin, const struct builtin_request *request,
                         struct buffer *out)
{
    const struct builtin_table *table = builtin->workload->table;
    const char *column =
        request->column == BUILTIN_KEY_COLUMN ? table->key_column : table->value_column;

    if (request->column == BUILTIN_NO_COLUMN)
        return;
    if (request->low == request->high)
        buffer_print(out, "%s = %" PRId64, column, request->low);
    else
        buffer_print(out, "%s >= %" PRId64 " AND %s <= %" PRId64, column, request->low, column,
                     request->high);
}

/* --- Requests and answers --------------------------------------------------------------------- */

struct builtin_request builtin_read(uint64_t key)
{
    return (struct builtin_request){ .kind = BUILTIN_READ, .key = key };
}

struct builtin_request builtin_write(const struct builtin_txn *txn, uint64_t key, int64_t value)
{
    return (struct builtin_request){
        .kind = BUILTIN_WRITE,
        .key = key,
        .value = value,
        .tag = txn->builtin->workload->table ? builtin_value(txn, txn->step) : 0,
    };
}

struct builtin_request builtin_range(enum builtin_request_kind kind, enum builtin_column column,
                                     int64_t low, int64_t high)
{
    return (struct builtin_request){ .kind = kind, .column = column, .low = low, .high = high };
}

int64_t builtin_take(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    if (count == 1)
        return rows[0].value;
    txn->saw_missing = true;
    txn->gives_up = true;
    return 0;
}

void builtin_end_part(struct builtin_txn *txn)
{
    txn->part++;
}

void builtin_end_step(struct builtin_txn *txn)
{
    txn->step++;
    txn->part = 0;
}
