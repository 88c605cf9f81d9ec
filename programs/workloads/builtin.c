#include "programs/workloads/builtin.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "history/history.h"
#include "programs/workloads/builtin_listed_private.h"
#include "programs/workloads/builtin_private.h"

/*
 * Every draw of a client has a number of its own, and none depends on those before:
 *
 *     ordinal (31 bits) | step (13 bits) | which draw (4 bits)
 */
#define STEP_BITS 13
#define DRAW_BITS 4

static_assert(DRAW_COUNT <= 1 << DRAW_BITS, "a step has no more draws than that");
static_assert(STEP_OF_ALL == (1 << STEP_BITS) - 1, "the last number is no step's");
static_assert(BUILTIN_OPERATIONS_MAX < STEP_OF_ALL, "every operation has a step");

static uint64_t builtin_word(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which)
{
    assert(step <= STEP_OF_ALL);
    return random_draw_at(&txn->builtin->client_keys[txn->client],
                          (txn->ordinal << STEP_BITS | step) << DRAW_BITS | which);
}

uint64_t builtin_below(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which,
                       uint64_t bound)
{
    return random_scale(builtin_word(txn, step, which), bound);
}

bool builtin_percent(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which,
                     enum builtin_parameter parameter)
{
    return builtin_below(txn, step, which, 100) < (uint64_t)builtin_number(txn->builtin, parameter);
}

bool builtin_only_reads(const struct builtin_txn *txn, uint32_t step)
{
    return builtin_percent(txn, step, DRAW_KIND, PARAMETER_READ_PERCENT);
}

uint32_t builtin_slot(const struct builtin_txn *txn, uint32_t step, enum builtin_draw which)
{
    return key_distribution_key(&txn->builtin->choice, builtin_word(txn, step, which));
}

/*
 * How often all clients together have written, if each has come as far as this one: transactions
 * times their mean length times the share of writes. Below 2^31 * 2^12 * 2^11 * 2^7.
 */
static uint64_t writes_so_far(const struct builtin_txn *txn)
{
    const struct builtin *builtin = txn->builtin;
    uint64_t lengths = (uint64_t)builtin_number(builtin, PARAMETER_OPERATIONS_MIN) +
                       (uint64_t)builtin_number(builtin, PARAMETER_OPERATIONS_MAX);
    uint64_t write_percent = 100 - (uint64_t)builtin_number(builtin, PARAMETER_READ_PERCENT);

    return txn->ordinal * builtin->clients * lengths * write_percent / 200;
}

/* Slots begin somewhere within the life of their first key, so that they do not retire at once. */
uint64_t builtin_key_of_slot(const struct builtin_txn *txn, uint32_t slot)
{
    const struct key_distribution *choice = &txn->builtin->choice;
    uint64_t life, expected, head_start;

    if (!builtin_has_parameter(txn->builtin->workload, PARAMETER_WRITES_PER_KEY))
        return slot;
    life = (uint64_t)builtin_number(txn->builtin, PARAMETER_WRITES_PER_KEY);
    if (life == 0)
        return slot;
    expected = key_distribution_expected(choice, slot, writes_so_far(txn));
    head_start = life * slot / choice->count;
    return slot + (expected + head_start) / life * choice->count;
}

int64_t builtin_amount(const struct builtin_txn *txn, uint32_t step)
{
    uint64_t most = (uint64_t)builtin_number(txn->builtin, PARAMETER_AMOUNT);

    return 1 + (int64_t)builtin_below(txn, step, DRAW_NUMBER, most);
}

/* The digits of a number whose bases are the limits: no two writes have the same. */
static int64_t unique_value(const struct builtin_txn *txn, uint32_t step)
{
    const struct builtin *builtin = txn->builtin;
    uint64_t steps = 1, value = txn->ordinal;

    if (builtin_has_parameter(builtin->workload, PARAMETER_OPERATIONS_MAX))
        steps = (uint64_t)builtin_number(builtin, PARAMETER_OPERATIONS_MAX);
    assert(step < steps);
    value = value * builtin->attempts + txn->attempt;
    value = value * builtin->clients + txn->client;
    value = value * steps + step;
    return (int64_t)value + 1;
}

static_assert((unsigned __int128)(BUILTIN_ORDINAL_MAX + 1) * BUILTIN_ATTEMPTS_MAX *
                      BUILTIN_CLIENTS_MAX * BUILTIN_OPERATIONS_MAX <
                  INT64_MAX,
              "a value fits");

int64_t builtin_value(const struct builtin_txn *txn, uint32_t step)
{
    const struct builtin *builtin = txn->builtin;
    uint64_t repeated = 0;

    if (builtin_has_parameter(builtin->workload, PARAMETER_REPEAT_VALUES))
        repeated = (uint64_t)builtin_number(builtin, PARAMETER_REPEAT_VALUES);
    if (repeated > 0)
        return 1 + (int64_t)builtin_below(txn, step, DRAW_REPEATED, repeated);
    return unique_value(txn, step);
}

/*
 * What several workloads have in common in their first state and their last.
 */

const struct builtin_table builtin_accounts = {
    .name = "accounts",
    .key_column = "id",
    .value_column = "balance",
    .tag_column = "tag",
    .sql = "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL, "
           "tag bigint NOT NULL)",
};

uint64_t builtin_initial_keys(const struct builtin *builtin)
{
    return (uint64_t)builtin_number(builtin, PARAMETER_KEYS);
}

struct builtin_row builtin_initial_zero(const struct builtin *builtin, uint64_t index)
{
    (void)builtin;
    return (struct builtin_row){ .key = index };
}

struct builtin_row builtin_initial_balance(const struct builtin *builtin, uint64_t index)
{
    return (struct builtin_row){
        .key = index,
        .value = builtin_number(builtin, PARAMETER_BALANCE),
    };
}

bool builtin_has_all_keys(const struct builtin *builtin, uint64_t count, struct buffer *sentence)
{
    uint64_t keys = builtin_initial_keys(builtin);

    if (count == keys)
        return true;
    buffer_print(sentence, "there are %" PRIu64 " %s instead of %" PRIu64, count,
                 builtin->workload->table->name, keys);
    return false;
}

enum parameter_kind { KIND_INTEGER, KIND_RATIO, KIND_CHOICE };

static const struct {
    const char *name, *help;
    enum parameter_kind kind;
    int64_t low, high;
} parameters[] = {
#define PARAMETER_ROW(enumerator, name_, kind_, low_, high_, help_)                                \
    [PARAMETER_##enumerator] = { name_, help_, KIND_##kind_, low_, high_ },
    BUILTIN_PARAMETERS(PARAMETER_ROW)
#undef PARAMETER_ROW
};

const char *builtin_parameter_name(enum builtin_parameter parameter)
{
    return parameters[parameter].name;
}

const char *builtin_parameter_help(enum builtin_parameter parameter)
{
    return parameters[parameter].help;
}

bool builtin_has_parameter(const struct workload *workload,
                           enum builtin_parameter parameter)
{
    return workload->defaults[parameter] != NULL;
}

int64_t builtin_option(const struct builtin_options *options, enum builtin_parameter parameter)
{
    assert(builtin_has_parameter(options->workload, parameter));
    assert(parameters[parameter].kind != KIND_RATIO);
    return (int64_t)options->values[parameter].numerator;
}

int64_t builtin_number(const struct builtin *builtin, enum builtin_parameter parameter)
{
    return builtin_option(&builtin->options, parameter);
}

/* --- Setting ---------------------------------------------------------------------------------- */

static bool find_parameter(const struct workload *workload, struct text name,
                           enum builtin_parameter *found)
{
    for (unsigned i = 0; i < PARAMETER_COUNT; i++)
        if (workload->defaults[i] && text_equal(name, text_of(parameters[i].name))) {
            *found = (enum builtin_parameter)i;
            return true;
        }
    return false;
}

static enum status refuse_name(const struct workload *workload, struct text name,
                               struct error *err)
{
    const char *names[PARAMETER_COUNT + 1];
    unsigned count = 0;
    const char *nearest;

    for (unsigned i = 0; i < PARAMETER_COUNT; i++)
        if (workload->defaults[i])
            names[count++] = parameters[i].name;
    names[count] = NULL;
    nearest = text_nearest(name, names);
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "%s has no '%.*s'; did you mean '%s'?",
                         workload->name, TEXT_PRINT(name), nearest);
    return error_set(err, STATUS_BAD_INPUT, "%s has no '%.*s'", workload->name, TEXT_PRINT(name));
}

static enum status refuse_value(enum builtin_parameter parameter, struct text value,
                                struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "%s must be %s between %" PRId64 " and %" PRId64 ", not '%.*s'",
                     parameters[parameter].name,
                     parameters[parameter].kind == KIND_RATIO ? "a decimal" : "an integer",
                     parameters[parameter].low, parameters[parameter].high, TEXT_PRINT(value));
}

static enum status parse_choice(enum builtin_parameter parameter, struct text value,
                                struct ratio *to, struct error *err)
{
    const char *const *names = key_distribution_names();
    const char *nearest = text_nearest(value, names);

    for (uint64_t i = 0; names[i]; i++)
        if (text_equal(value, text_of(names[i]))) {
            *to = (struct ratio){ i, 1 };
            return STATUS_OK;
        }
    if (nearest)
        return error_set(err, STATUS_BAD_INPUT, "%s has no '%.*s'; did you mean '%s'?",
                         parameters[parameter].name, TEXT_PRINT(value), nearest);
    return error_set(err, STATUS_BAD_INPUT, "%s must be uniform, zipf or hot, not '%.*s'",
                     parameters[parameter].name, TEXT_PRINT(value));
}

static enum status parse_value(enum builtin_parameter parameter, struct text value,
                               struct ratio *to, struct error *err)
{
    int64_t number;
    struct ratio ratio;

    switch (parameters[parameter].kind) {
    case KIND_CHOICE:
        return parse_choice(parameter, value, to, err);
    case KIND_RATIO:
        if (!random_ratio_of_text(value, &ratio) ||
            ratio.numerator >
                (unsigned __int128)ratio.denominator * (uint64_t)parameters[parameter].high)
            return refuse_value(parameter, value, err);
        *to = ratio;
        return STATUS_OK;
    default:
        if (!text_to_int64(value, &number) || number < parameters[parameter].low ||
            number > parameters[parameter].high)
            return refuse_value(parameter, value, err);
        *to = (struct ratio){ (uint64_t)number, 1 };
        return STATUS_OK;
    }
}

enum status builtin_set(struct builtin_options *options, struct text name, struct text value,
                        struct error *err)
{
    enum builtin_parameter parameter;

    if (!find_parameter(options->workload, name, &parameter))
        return refuse_name(options->workload, name, err);
    return parse_value(parameter, value, &options->values[parameter], err);
}

struct builtin_options builtin_defaults(const struct workload *workload)
{
    struct builtin_options options = { .workload = workload };
    struct error err = { 0 };

    for (unsigned i = 0; i < PARAMETER_COUNT; i++) {
        enum status status = STATUS_OK;

        options.values[i] = (struct ratio){ 0, 1 };
        if (workload->defaults[i])
            status = parse_value((enum builtin_parameter)i, text_of(workload->defaults[i]),
                                 &options.values[i], &err);
        assert(status == STATUS_OK);
        (void)status;
    }
    return options;
}

/* A ratio is as it was parsed: over a power of ten. */
static void print_ratio(struct ratio ratio, struct buffer *out)
{
    uint64_t rest = ratio.numerator % ratio.denominator;

    buffer_print(out, "%" PRIu64, ratio.numerator / ratio.denominator);
    if (ratio.denominator > 1)
        buffer_byte(out, '.');
    for (uint64_t unit = ratio.denominator / 10; unit > 0; unit /= 10)
        buffer_byte(out, (char)('0' + rest / unit % 10));
}

void builtin_print_value(const struct builtin_options *options, enum builtin_parameter parameter,
                         struct buffer *out)
{
    struct ratio value = options->values[parameter];

    if (parameters[parameter].kind == KIND_CHOICE)
        buffer_text(out, text_of(key_distribution_names()[value.numerator]));
    else
        print_ratio(value, out);
}

/* --- Whether they go together ----------------------------------------------------------------- */

/* How many there are to choose from. */
static uint32_t builtin_choices(const struct builtin_options *options)
{
    if (options->workload->behaviour->choices)
        return options->workload->behaviour->choices(options);
    return (uint32_t)builtin_option(options, PARAMETER_KEYS);
}

static enum status check_operations(const struct builtin_options *options, struct error *err)
{
    int64_t least, most;

    if (!builtin_has_parameter(options->workload, PARAMETER_OPERATIONS_MIN))
        return STATUS_OK;
    least = builtin_option(options, PARAMETER_OPERATIONS_MIN);
    most = builtin_option(options, PARAMETER_OPERATIONS_MAX);
    if (least > most)
        return error_set(err, STATUS_BAD_INPUT,
                         "operations_min is %" PRId64
                         ", more than operations_max, which is %" PRId64,
                         least, most);
    return STATUS_OK;
}

static enum status check_hot_keys(const struct builtin_options *options, struct error *err)
{
    uint32_t choices = builtin_choices(options);

    if (builtin_option(options, PARAMETER_CHOICE) == CHOICE_HOT &&
        builtin_option(options, PARAMETER_HOT_KEYS) >= choices)
        return error_set(err, STATUS_BAD_INPUT,
                         "hot_keys is %" PRId64 ", but must be less than the %" PRIu32
                         " there are to choose from",
                         builtin_option(options, PARAMETER_HOT_KEYS), choices);
    return STATUS_OK;
}

/* Whether parameters that all workloads know go together. */
static enum status builtin_check_options(const struct builtin_options *options, struct error *err)
{
    TRY(check_operations(options, err));
    if (options->workload->behaviour->check)
        TRY(options->workload->behaviour->check(options, err));
    return check_hot_keys(options, err);
}

bool builtin_invariant_holds_at(const struct workload *workload, enum level level)
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
        return key_distribution_init_zipf(&builtin->choice, count, options->values[PARAMETER_THETA], arena,
                                          err);
    case CHOICE_HOT:
        return key_distribution_init_hot(&builtin->choice, count,
                                         (uint32_t)builtin_option(options, PARAMETER_HOT_KEYS),
                                         options->values[PARAMETER_HOT_SHARE], err);
    default:
        key_distribution_init_uniform(&builtin->choice, count);
        return STATUS_OK;
    }
}

enum status builtin_init(struct builtin *builtin, const struct builtin_options *options,
                         struct builtin_clients clients, const struct random_key *key,
                         struct arena *arena, struct error *err)
{
    struct random_key *client_keys;

    assert(clients.count >= 1 && clients.count <= BUILTIN_CLIENTS_MAX);
    assert(clients.attempts >= 1 && clients.attempts <= BUILTIN_ATTEMPTS_MAX);
    TRY(builtin_check_options(options, err));
    client_keys = arena_push(arena, clients.count, sizeof *client_keys);
    if (!client_keys)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " clients", clients.count);
    for (uint32_t i = 0; i < clients.count; i++)
        client_keys[i] = random_key_fork(key, "client/%" PRIu32, i);
    *builtin = (struct builtin){
        .workload = options->workload,
        .options = *options,
        .clients = clients.count,
        .attempts = clients.attempts,
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

bool builtin_is_planned(const struct builtin *builtin)
{
    return !builtin->turns && builtin_workload_is_planned(builtin->workload);
}

bool builtin_workload_is_planned(const struct workload *workload)
{
    return !workload->behaviour->answer;
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

void builtin_tally_init(struct builtin_tally *tally, const struct builtin *builtin)
{
    *tally = (struct builtin_tally){ .builtin = builtin };
}

void builtin_tally_close(struct builtin_tally *tally)
{
    array_close(&tally->acknowledged);
    array_close(&tally->unknown);
}

enum status builtin_tally_add(struct builtin_tally *tally, const struct builtin_txn *txn,
                              enum txn_status outcome, struct error *err)
{
    const struct builtin_behaviour *behaviour = tally->builtin->workload->behaviour;

    assert(txn->builtin == tally->builtin);
    if (!behaviour->tally || outcome == TXN_ABORT)
        return STATUS_OK;
    return (txn->listed ? builtin_listed_tally : behaviour->tally)(tally, txn, outcome == TXN_OK,
                                                                   err);
}

enum status builtin_tally_note(struct builtin_tally *tally, uint64_t number, bool acknowledged,
                               struct error *err)
{
    return acknowledged ? array_push(&tally->acknowledged, number, err)
                        : array_push(&tally->unknown, number, err);
}

void builtin_tally_sort(struct builtin_tally *tally)
{
    sort_wide(tally->acknowledged.at, tally->acknowledged.count);
    sort_wide(tally->unknown.at, tally->unknown.count);
}

bool builtin_tally_holds(struct builtin_tally *tally, const struct builtin_row *rows,
                         uint64_t count, struct buffer *sentence)
{
    const struct builtin_behaviour *behaviour = tally->builtin->workload->behaviour;

    return !behaviour->holds || behaviour->holds(tally, rows, count, sentence);
}
