#include "smt/smt.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <z3.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread.h"

#define WATCH_NANOSECONDS 5000000

struct smt {
    struct smt_options options;
    Z3_context context;
    Z3_solver solver;
    Z3_ast *variables, *integers;
    uint32_t variable_count, integer_count;
    Z3_ast one;
    ARRAY(Z3_ast) parts; /* of the term at hand */
    const struct smt_propagator *propagator;
    Z3_solver_callback callback; /* within `fixed` of the propagator */
    uint32_t *ids;               /* by variable: Z3's number of it, and */
    uint32_t *variable_of;       /* back */
    ARRAY(unsigned) refused;     /* ids */
};

/* --- Errors ----------------------------------------------------------------------------- */

/* The default one ends the process. What went wrong is asked for afterwards. */
static void note_error(Z3_context context, Z3_error_code code)
{
    (void)context;
    (void)code;
}

/* Each call forgets the error of the one before. */
static enum status look_for_error(const struct smt *smt, struct error *err)
{
    Z3_error_code code = Z3_get_error_code(smt->context);

    if (code == Z3_OK)
        return STATUS_OK;
    return error_set(err, code == Z3_MEMOUT_FAIL ? STATUS_OVER_LIMIT : STATUS_BAD_INPUT,
                     "Z3: %s", Z3_get_error_msg(smt->context, code));
}

/* --- Life ------------------------------------------------------------------------------- */

static enum status set_parameters(struct smt *smt, struct error *err)
{
    Z3_params params = Z3_mk_params(smt->context);

    Z3_params_inc_ref(smt->context, params);
    Z3_params_set_uint(smt->context, params, Z3_mk_string_symbol(smt->context, "random_seed"),
                       smt->options.seed);
    if (smt->options.rlimit > 0)
        Z3_params_set_uint(smt->context, params, Z3_mk_string_symbol(smt->context, "rlimit"),
                           smt->options.rlimit);
    Z3_solver_set_params(smt->context, smt->solver, params);
    Z3_params_dec_ref(smt->context, params);
    return look_for_error(smt, err);
}

static enum status make_solver(struct smt *smt, enum smt_logic logic, struct error *err)
{
    Z3_symbol differences = Z3_mk_string_symbol(smt->context, "QF_IDL");

    smt->solver = logic == SMT_DIFFERENCES ? Z3_mk_solver_for_logic(smt->context, differences)
                                           : Z3_mk_simple_solver(smt->context);
    TRY(look_for_error(smt, err));
    Z3_solver_inc_ref(smt->context, smt->solver);
    return set_parameters(smt, err);
}

/*
 * Z3 counts for itself and gives up in good order. Where malloc() refuses before that, parts of Z3
 * end the process: they are left a quarter of what there is.
 */
static void bound_memory(void)
{
    uint64_t left = memory_limit_left();
    char megabytes[24];

    if (left == MEMORY_UNLIMITED)
        return;
    left = left / 4 * 3 >> 20;
    snprintf(megabytes, sizeof megabytes, "%" PRIu64, left > 0 ? left : 1);
    Z3_global_param_set("memory_max_size", megabytes);
}

enum status smt_open(struct smt **opened, enum smt_logic logic, const struct smt_options *options,
                     struct error *err)
{
    struct smt *smt = NULL;
    Z3_config config;

    *opened = NULL;
    TRY(memory_resize((void **)&smt, 1, sizeof *smt, err));
    *smt = (struct smt){ .options = *options };
    *opened = smt;
    bound_memory();
    config = Z3_mk_config();
    /* Without reference counts: all terms live until the context ends. */
    smt->context = Z3_mk_context(config);
    Z3_del_config(config);
    if (!smt->context)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for Z3");
    Z3_set_error_handler(smt->context, note_error);
    return make_solver(smt, logic, err);
}

void smt_close(struct smt *smt)
{
    if (!smt)
        return;
    if (smt->solver)
        Z3_solver_dec_ref(smt->context, smt->solver);
    if (smt->context)
        Z3_del_context(smt->context);
    free(smt->variables);
    free(smt->integers);
    free(smt->ids);
    free(smt->variable_of);
    array_close(&smt->parts);
    array_close(&smt->refused);
    free(smt);
}

/* --- Terms ------------------------------------------------------------------------------ */

static enum status make_constants(struct smt *smt, Z3_ast **constants, uint32_t count, char letter,
                                  Z3_sort sort, struct error *err)
{
    TRY(memory_resize((void **)constants, count, sizeof **constants, err));
    for (uint32_t n = 0; n < count; n++) {
        char name[16];

        snprintf(name, sizeof name, "%c%u", letter, n);
        (*constants)[n] = Z3_mk_const(smt->context, Z3_mk_string_symbol(smt->context, name), sort);
        TRY(look_for_error(smt, err));
    }
    return STATUS_OK;
}

enum status smt_add_variables(struct smt *smt, uint32_t count, struct error *err)
{
    assert(!smt->variables);
    smt->variable_count = count;
    return make_constants(smt, &smt->variables, count, 'v', Z3_mk_bool_sort(smt->context), err);
}

enum status smt_add_integers(struct smt *smt, uint32_t count, struct error *err)
{
    Z3_sort sort = Z3_mk_int_sort(smt->context);

    assert(!smt->integers);
    smt->integer_count = count;
    smt->one = Z3_mk_int(smt->context, 1, sort);
    return make_constants(smt, &smt->integers, count, 'n', sort, err);
}

static Z3_ast literal_of(const struct smt *smt, uint32_t literal)
{
    assert(literal / 2 < smt->variable_count);
    return literal % 2 ? Z3_mk_not(smt->context, smt->variables[literal / 2])
                       : smt->variables[literal / 2];
}

static enum status add_term(struct smt *smt, Z3_ast clause, struct error *err)
{
    TRY(look_for_error(smt, err));
    Z3_solver_assert(smt->context, smt->solver, clause);
    return look_for_error(smt, err);
}

enum status smt_add_clause(struct smt *smt, const uint32_t *literals, size_t count,
                           struct error *err)
{
    smt->parts.count = 0;
    for (size_t i = 0; i < count; i++) {
        Z3_ast literal = literal_of(smt, literals[i]);

        TRY(look_for_error(smt, err));
        TRY(array_push(&smt->parts, literal, err));
    }
    return add_term(smt, Z3_mk_or(smt->context, (unsigned)smt->parts.count, smt->parts.at), err);
}

enum status smt_add_less(struct smt *smt, const uint32_t *guards, size_t guard_count, uint32_t low,
                         uint32_t high, struct error *err)
{
    Z3_ast difference[2] = { smt->integers[high], smt->integers[low] };
    Z3_ast parts[3] = { Z3_mk_sub(smt->context, 2, difference) };
    unsigned count = 1;

    assert(guard_count <= 2 && low < smt->integer_count && high < smt->integer_count);
    TRY(look_for_error(smt, err));
    parts[0] = Z3_mk_ge(smt->context, parts[0], smt->one);
    TRY(look_for_error(smt, err));
    for (size_t g = 0; g < guard_count; g++) {
        parts[count++] = literal_of(smt, guards[g] ^ 1);
        TRY(look_for_error(smt, err));
    }
    return add_term(smt, count == 1 ? parts[0] : Z3_mk_or(smt->context, count, parts), err);
}

/* --- The propagator --------------------------------------------------------------------- */

static void on_push(void *context)
{
    const struct smt *smt = context;

    smt->propagator->push(smt->propagator->context);
}

static void on_pop(void *context, unsigned count)
{
    const struct smt *smt = context;

    if (count > 0)
        smt->propagator->pop(smt->propagator->context, count);
}

/* Only who solves in many threads asks for another. */
static void *on_fresh(void *context, Z3_context fresh)
{
    (void)fresh;
    return context;
}

static void on_fixed(void *context, Z3_solver_callback callback, unsigned id, Z3_ast value)
{
    struct smt *smt = context;
    bool truth = Z3_get_bool_value(smt->context, value) == Z3_L_TRUE;

    smt->callback = callback;
    smt->propagator->fixed(smt->propagator->context, smt, smt->variable_of[id], truth);
    smt->callback = NULL;
}

enum status smt_watch(struct smt *smt, const struct smt_propagator *propagator, struct error *err)
{
    uint32_t count = smt->variable_count;

    smt->propagator = propagator;
    TRY(memory_resize((void **)&smt->ids, count, sizeof *smt->ids, err));
    TRY(memory_resize((void **)&smt->variable_of, count, sizeof *smt->ids, err));
    TRY(array_reserve(&smt->refused, count, err)); /* Z3 takes no for no answer */
    Z3_solver_propagate_init(smt->context, smt->solver, smt, on_push, on_pop, on_fresh);
    Z3_solver_propagate_fixed(smt->context, smt->solver, on_fixed);
    TRY(look_for_error(smt, err));
    for (uint32_t v = 0; v < count; v++) {
        smt->ids[v] = Z3_solver_propagate_register(smt->context, smt->solver, smt->variables[v]);
        TRY(look_for_error(smt, err));
        assert(smt->ids[v] < count);
        smt->variable_of[smt->ids[v]] = v;
    }
    return look_for_error(smt, err);
}

void smt_refuse(struct smt *smt, const uint32_t *variables, size_t count)
{
    struct error unsaid;
    enum status status = STATUS_OK;

    assert(smt->callback);
    smt->refused.count = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = array_push(&smt->refused, smt->ids[variables[i]], &unsaid);
    assert(status == STATUS_OK); /* smt_watch() has made room */
    Z3_solver_propagate_consequence(smt->context, smt->callback, (unsigned)count,
                                    smt->refused.at, 0, NULL, NULL, Z3_mk_false(smt->context));
}

/* --- Being stopped ---------------------------------------------------------------------- */

struct stop_watch {
    Z3_context context;
    const atomic_bool *stop;
    atomic_bool is_over;
    pthread_t thread;
    bool is_running;
};

/* Z3 looks at no flag of ours, so somebody has to call it. */
static void *watch_stop(void *argument)
{
    struct stop_watch *watch = argument;
    struct timespec pause = { 0, WATCH_NANOSECONDS };

    while (!atomic_load(&watch->is_over)) {
        if (atomic_load(watch->stop))
            Z3_interrupt(watch->context);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static enum status watch_begin(struct stop_watch *watch, const struct smt *smt, struct error *err)
{
    *watch = (struct stop_watch){ .context = smt->context, .stop = smt->options.stop };
    if (!watch->stop)
        return STATUS_OK;
    if (thread_start(&watch->thread, watch_stop, watch) != 0)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a thread that watches Z3");
    watch->is_running = true;
    return STATUS_OK;
}

static void watch_end(struct stop_watch *watch)
{
    atomic_store(&watch->is_over, true);
    if (watch->is_running)
        pthread_join(watch->thread, NULL);
}

/* --- The answer ------------------------------------------------------------------------- */

static bool has_no_memory(const struct smt *smt)
{
    const char *why;

    if (Z3_get_error_code(smt->context) == Z3_MEMOUT_FAIL)
        return true;
    why = Z3_solver_get_reason_unknown(smt->context, smt->solver);
    return why && (strstr(why, "memory") || strstr(why, "memout"));
}

enum status smt_check(struct smt *smt, enum smt_answer *answer, struct error *err)
{
    struct stop_watch watch;
    Z3_lbool found;

    TRY(watch_begin(&watch, smt, err));
    found = Z3_solver_check(smt->context, smt->solver);
    watch_end(&watch);
    if (found == Z3_L_UNDEF && has_no_memory(smt))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for Z3");
    *answer = found == Z3_L_TRUE    ? SMT_HOLDS
              : found == Z3_L_FALSE ? SMT_IMPOSSIBLE
                                    : SMT_UNDECIDED;
    return STATUS_OK;
}

enum status smt_read_values(struct smt *smt, uint8_t *values, struct error *err)
{
    Z3_model model = Z3_solver_get_model(smt->context, smt->solver);
    Z3_ast value;

    TRY(look_for_error(smt, err));
    Z3_model_inc_ref(smt->context, model);
    for (uint32_t v = 0; v < smt->variable_count; v++)
        values[v] = Z3_model_eval(smt->context, model, smt->variables[v], true, &value) &&
                    Z3_get_bool_value(smt->context, value) == Z3_L_TRUE;
    Z3_model_dec_ref(smt->context, model);
    return look_for_error(smt, err);
}

void smt_version(char text[40])
{
    unsigned major, minor, build, revision;

    Z3_get_version(&major, &minor, &build, &revision);
    snprintf(text, 40, "%u.%u.%u", major, minor, build);
}
