#include "smt/smt.h"

#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>
#include <z3_version.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "smt/apart.h"

/* Debian 12 and 13 both name it so; load() tells them apart. */
#define Z3_LIBRARY "libz3.so.4"

/* All that is called of Z3. */
/* clang-format off */
#define Z3_FUNCTIONS(X) \
    X(del_config) X(get_ast_id) X(get_bool_value) X(get_error_code) X(get_error_msg) \
    X(get_numeral_int64) X(get_version) X(global_param_set) X(mk_add) X(mk_and) X(mk_bool_sort) \
    X(mk_config) X(mk_const) X(mk_context) X(mk_div) X(mk_eq) X(mk_false) X(mk_forall_const) X(mk_ge) X(mk_int) \
    X(mk_int64) X(mk_int_sort) X(mk_ite) X(mk_le) X(mk_mul) X(mk_not) X(mk_or) X(mk_params) \
    X(mk_simple_solver) X(mk_solver_for_logic) X(mk_string_symbol) X(mk_sub) X(mk_true) \
    X(model_dec_ref) X(model_eval) X(model_inc_ref) X(params_dec_ref) X(params_inc_ref) \
    X(params_set_uint) X(set_error_handler) X(solver_assert) X(solver_check) X(solver_get_model) \
    X(solver_get_reason_unknown) X(solver_inc_ref) X(solver_pop) X(solver_propagate_consequence) \
    X(solver_propagate_fixed) X(solver_propagate_init) X(solver_propagate_register) \
    X(solver_push) X(solver_set_params)
/* clang-format on */

struct z3 {
#define MEMBER(name) __typeof__(Z3_##name) *name;
    Z3_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* What the propagator is told of: Z3 4.8 numbers what it watches, later ones hand over the term. */
#if Z3_MINOR_VERSION == 8
typedef unsigned watched_term;
#else
typedef Z3_ast watched_term;
#endif

struct smt {
    struct smt_options options;
    enum smt_logic logic;
    struct z3 z3;
    Z3_context context;
    Z3_solver solver;
    Z3_ast *variables, *integers;
    uint32_t variable_count, integer_count;
    Z3_ast one;
    ARRAY(Z3_ast) terms;
    Z3_model model; /* of the last check, or NULL */
    ARRAY(Z3_ast) parts; /* of the term at hand */
    const struct smt_propagator *propagator;
    Z3_solver_callback callback; /* within `fixed` of the propagator */
    watched_term *watched;       /* by variable */
    uint32_t *variable_of;       /* back: by Z3's number of the term */
    ARRAY(watched_term) refused;
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
    Z3_error_code code = smt->z3.get_error_code(smt->context);

    if (code == Z3_OK)
        return STATUS_OK;
    return error_set(err, code == Z3_MEMOUT_FAIL ? STATUS_OVER_LIMIT : STATUS_BAD_INPUT, "Z3: %s",
                     smt->z3.get_error_msg(smt->context, code));
}

/* --- Loading ---------------------------------------------------------------------------- */

/* Headers and library must be the same, as functions of one name differ between versions. */
static enum status check_version(const struct z3 *z3, struct error *err)
{
    unsigned major, minor, build, revision;

    z3->get_version(&major, &minor, &build, &revision);
    if (major != Z3_MAJOR_VERSION || minor != Z3_MINOR_VERSION || build != Z3_BUILD_NUMBER)
        return error_set(err, STATUS_IO,
                         "Z3 %u.%u.%u is installed, but Ordeal was built for %d.%d.%d: build it "
                         "again",
                         major, minor, build, Z3_MAJOR_VERSION, Z3_MINOR_VERSION, Z3_BUILD_NUMBER);
    return STATUS_OK;
}

/* The loader tells what it had no memory for, and seldom that it had none. */
static enum status refuse_to_load(struct error *err)
{
    static const char *const wants[] = { "memory", "cannot allocate", "cannot create", "cannot map",
                                         "failed to map", "cannot extend" };
    const char *why = dlerror();

    for (size_t i = 0; i < ROW_COUNT(wants); i++)
        if (!why || strstr(why, wants[i]))
            return error_set(err, STATUS_OVER_LIMIT, "no memory to load Z3: %s", why ? why : "");
    return error_set(err, STATUS_IO, "Z3 cannot be loaded: %s", why);
}

/*
 * Z3 allocates as soon as it is loaded, and aborts if it cannot; so it is loaded only when it is
 * asked for. Its threads and tables do not survive being unloaded.
 */
static enum status load(struct z3 *z3, struct error *err)
{
    void *library;
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define ROW(name) { "Z3_" #name, offsetof(struct z3, name) },
        Z3_FUNCTIONS(ROW)
#undef ROW
    };

    library = dlopen(Z3_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return refuse_to_load(err);
    for (size_t i = 0; i < ROW_COUNT(functions); i++) {
        void *symbol = dlsym(library, functions[i].name);

        if (!symbol)
            return refuse_to_load(err);
        memcpy((char *)z3 + functions[i].offset, &symbol, sizeof symbol);
    }
    return check_version(z3, err);
}

static enum status probe(void *context, void *result, struct error *err)
{
    struct z3 z3;

    (void)context;
    (void)result;
    return load(&z3, err);
}

enum status smt_probe(struct error *err)
{
    static atomic_bool is_there; /* once it was */
    struct apart apart = { .library = "Z3", .work = probe };

    if (atomic_load(&is_there))
        return STATUS_OK;
    TRY(apart_run(&apart, NULL, err));
    atomic_store(&is_there, true);
    return STATUS_OK;
}

/* --- Life ------------------------------------------------------------------------------- */

static enum status set_parameters(struct smt *smt, struct error *err)
{
    Z3_params params = smt->z3.mk_params(smt->context);

    smt->z3.params_inc_ref(smt->context, params);
    smt->z3.params_set_uint(smt->context, params,
                            smt->z3.mk_string_symbol(smt->context, "random_seed"),
                            smt->options.seed);
    if (smt->options.rlimit > 0)
        smt->z3.params_set_uint(smt->context, params,
                                smt->z3.mk_string_symbol(smt->context, "rlimit"),
                                smt->options.rlimit);
    smt->z3.solver_set_params(smt->context, smt->solver, params);
    smt->z3.params_dec_ref(smt->context, params);
    return look_for_error(smt, err);
}

static enum status make_solver(struct smt *smt, enum smt_logic logic, struct error *err)
{
    static const char *const logics[] = { [SMT_DIFFERENCES] = "QF_IDL", [SMT_TERMS] = "QF_LIA", [SMT_BOOLEANS] = NULL,
                                          [SMT_QUANTIFIED] = "LIA" };
    const char *name = logics[logic];

    smt->solver = name ? smt->z3.mk_solver_for_logic(smt->context, smt->z3.mk_string_symbol(smt->context, name))
                       : smt->z3.mk_simple_solver(smt->context);
    TRY(look_for_error(smt, err));
    smt->z3.solver_inc_ref(smt->context, smt->solver);
    return set_parameters(smt, err);
}

/*
 * Z3 counts for itself and gives up in good order. Where malloc() refuses before that, parts of Z3
 * end the process: they are left a quarter of what there is.
 */
static void bound_memory(const struct smt *smt)
{
    uint64_t left = memory_limit_left();
    char megabytes[24];

    if (left == MEMORY_UNLIMITED)
        return;
    left = left / 4 * 3 >> 20;
    snprintf(megabytes, sizeof megabytes, "%" PRIu64, left > 0 ? left : 1);
    smt->z3.global_param_set("memory_max_size", megabytes);
}

enum status smt_open(struct smt **opened, enum smt_logic logic, const struct smt_options *options,
                     struct error *err)
{
    struct smt *smt = NULL;
    Z3_config config;

    *opened = NULL;
    TRY(memory_resize((void **)&smt, 1, sizeof *smt, err));
    *smt = (struct smt){ .options = *options, .logic = logic };
    *opened = smt;
    TRY(load(&smt->z3, err));
    bound_memory(smt);
    config = smt->z3.mk_config();
    /* Without reference counts: all terms live until the context ends. */
    smt->context = smt->z3.mk_context(config);
    smt->z3.del_config(config);
    if (!smt->context)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for Z3");
    smt->z3.set_error_handler(smt->context, note_error);
    return make_solver(smt, logic, err);
}

/* --- Terms ------------------------------------------------------------------------------ */

static enum status make_constants(struct smt *smt, Z3_ast **constants, uint32_t count, char letter,
                                  Z3_sort sort, struct error *err)
{
    TRY(memory_resize((void **)constants, count, sizeof **constants, err));
    for (uint32_t n = 0; n < count; n++) {
        char name[16];

        snprintf(name, sizeof name, "%c%u", letter, n);
        (*constants)[n] =
            smt->z3.mk_const(smt->context, smt->z3.mk_string_symbol(smt->context, name), sort);
        TRY(look_for_error(smt, err));
    }
    return STATUS_OK;
}

enum status smt_add_variables(struct smt *smt, uint32_t count, struct error *err)
{
    assert(!smt->variables);
    smt->variable_count = count;
    return make_constants(smt, &smt->variables, count, 'v', smt->z3.mk_bool_sort(smt->context),
                          err);
}

enum status smt_add_integers(struct smt *smt, uint32_t count, struct error *err)
{
    Z3_sort sort = smt->z3.mk_int_sort(smt->context);

    assert(!smt->integers);
    smt->integer_count = count;
    smt->one = smt->z3.mk_int(smt->context, 1, sort);
    return make_constants(smt, &smt->integers, count, 'n', sort, err);
}

static Z3_ast literal_of(const struct smt *smt, uint32_t literal)
{
    assert(literal / 2 < smt->variable_count);
    return literal % 2 ? smt->z3.mk_not(smt->context, smt->variables[literal / 2])
                       : smt->variables[literal / 2];
}

static enum status add_term(struct smt *smt, Z3_ast clause, struct error *err)
{
    TRY(look_for_error(smt, err));
    smt->z3.solver_assert(smt->context, smt->solver, clause);
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
    return add_term(smt, smt->z3.mk_or(smt->context, (unsigned)smt->parts.count, smt->parts.at),
                    err);
}

enum status smt_add_less(struct smt *smt, const uint32_t *guards, size_t guard_count, uint32_t low,
                         uint32_t high, struct error *err)
{
    Z3_ast difference[2] = { smt->integers[high], smt->integers[low] };
    Z3_ast parts[3] = { smt->z3.mk_sub(smt->context, 2, difference) };
    unsigned count = 1;

    assert(guard_count <= 2 && low < smt->integer_count && high < smt->integer_count);
    TRY(look_for_error(smt, err));
    parts[0] = smt->z3.mk_ge(smt->context, parts[0], smt->one);
    TRY(look_for_error(smt, err));
    for (size_t g = 0; g < guard_count; g++) {
        parts[count++] = literal_of(smt, guards[g] ^ 1);
        TRY(look_for_error(smt, err));
    }
    return add_term(smt, count == 1 ? parts[0] : smt->z3.mk_or(smt->context, count, parts), err);
}

/* --- Terms that are combined ------------------------------------------------------------- */

static enum status keep_term(struct smt *smt, Z3_ast made, uint32_t *term, struct error *err)
{
    TRY(look_for_error(smt, err));
    *term = (uint32_t)smt->terms.count;
    return array_push(&smt->terms, made, err);
}

enum status smt_make_constant(struct smt *smt, int64_t number, uint32_t *term, struct error *err)
{
    return keep_term(smt, smt->z3.mk_int64(smt->context, number, smt->z3.mk_int_sort(smt->context)), term, err);
}

enum status smt_make_truth(struct smt *smt, bool truth, uint32_t *term, struct error *err)
{
    return keep_term(smt, truth ? smt->z3.mk_true(smt->context) : smt->z3.mk_false(smt->context), term, err);
}

enum status smt_make_literal(struct smt *smt, uint32_t literal, uint32_t *term, struct error *err)
{
    return keep_term(smt, literal_of(smt, literal), term, err);
}

enum status smt_make_free(struct smt *smt, bool is_boolean, uint32_t *term, struct error *err)
{
    Z3_sort sort = is_boolean ? smt->z3.mk_bool_sort(smt->context) : smt->z3.mk_int_sort(smt->context);
    char name[16];

    snprintf(name, sizeof name, "t%zu", smt->terms.count);
    return keep_term(smt, smt->z3.mk_const(smt->context, smt->z3.mk_string_symbol(smt->context, name), sort), term, err);
}

enum status smt_make_term(struct smt *smt, enum smt_operation operation, const uint32_t *operands, uint32_t *term,
                          struct error *err)
{
    unsigned count = operation == SMT_NOT ? 1 : operation == SMT_IF ? 3 : 2;
    Z3_ast of[3] = { NULL }, made = NULL;

    for (unsigned i = 0; i < count; i++) {
        assert(operands[i] < smt->terms.count);
        of[i] = smt->terms.at[operands[i]];
    }
    switch (operation) {
    case SMT_ADD:
        made = smt->z3.mk_add(smt->context, 2, of);
        break;
    case SMT_MULTIPLY:
        made = smt->z3.mk_mul(smt->context, 2, of);
        break;
    case SMT_DIVIDE:
        made = smt->z3.mk_div(smt->context, of[0], of[1]);
        break;
    case SMT_AT_MOST:
        made = smt->z3.mk_le(smt->context, of[0], of[1]);
        break;
    case SMT_EQUAL:
        made = smt->z3.mk_eq(smt->context, of[0], of[1]);
        break;
    case SMT_NOT:
        made = smt->z3.mk_not(smt->context, of[0]);
        break;
    case SMT_AND:
        made = smt->z3.mk_and(smt->context, 2, of);
        break;
    case SMT_OR:
        made = smt->z3.mk_or(smt->context, 2, of);
        break;
    case SMT_IF:
        made = smt->z3.mk_ite(smt->context, of[0], of[1], of[2]);
        break;
    }
    return keep_term(smt, made, term, err);
}

/* These terms, as Z3 knows them, in smt->parts. */
static enum status gather_parts(struct smt *smt, const uint32_t *terms, size_t count, struct error *err)
{
    smt->parts.count = 0;
    for (size_t i = 0; i < count; i++) {
        assert(terms[i] < smt->terms.count);
        TRY(array_push(&smt->parts, smt->terms.at[terms[i]], err));
    }
    return STATUS_OK;
}

enum status smt_make_any(struct smt *smt, const uint32_t *terms, size_t count, uint32_t *term, struct error *err)
{
    TRY(gather_parts(smt, terms, count, err));
    return keep_term(smt, smt->z3.mk_or(smt->context, (unsigned)smt->parts.count, smt->parts.at), term, err);
}

enum status smt_make_for_all(struct smt *smt, const uint32_t *bound, size_t count, uint32_t body, uint32_t *term,
                             struct error *err)
{
    assert(count > 0 && body < smt->terms.count);
    TRY(gather_parts(smt, bound, count, err));
    return keep_term(smt,
                     smt->z3.mk_forall_const(smt->context, 0, (unsigned)count, (Z3_app *)smt->parts.at, 0, NULL,
                                             smt->terms.at[body]),
                     term, err);
}

static void forget_model(struct smt *smt)
{
    if (smt->model)
        smt->z3.model_dec_ref(smt->context, smt->model);
    smt->model = NULL;
}

enum status smt_assert(struct smt *smt, uint32_t term, struct error *err)
{
    assert(term < smt->terms.count);
    return add_term(smt, smt->terms.at[term], err);
}

enum status smt_push(struct smt *smt, struct error *err)
{
    smt->z3.solver_push(smt->context, smt->solver);
    return look_for_error(smt, err);
}

enum status smt_pop(struct smt *smt, unsigned scopes, struct error *err)
{
    smt->z3.solver_pop(smt->context, smt->solver, scopes);
    return look_for_error(smt, err);
}

enum status smt_evaluate(struct smt *smt, uint32_t term, int64_t *value, struct error *err)
{
    Z3_ast found = NULL;

    assert(term < smt->terms.count);
    if (!smt->model) {
        smt->model = smt->z3.solver_get_model(smt->context, smt->solver);
        TRY(look_for_error(smt, err));
        smt->z3.model_inc_ref(smt->context, smt->model);
    }
    if (!smt->z3.model_eval(smt->context, smt->model, smt->terms.at[term], true, &found))
        return error_set(err, STATUS_BAD_INPUT, "Z3 has no value for a term");
    TRY(look_for_error(smt, err));
    switch (smt->z3.get_bool_value(smt->context, found)) {
    case Z3_L_TRUE:
        *value = 1;
        return STATUS_OK;
    case Z3_L_FALSE:
        *value = 0;
        return STATUS_OK;
    case Z3_L_UNDEF:
        break;
    }
    if (!smt->z3.get_numeral_int64(smt->context, found, value))
        return error_set(err, STATUS_BAD_INPUT, "Z3 has found a number of more than 64 bits");
    return STATUS_OK;
}

/* --- The propagator --------------------------------------------------------------------- */

static void push(const struct smt *smt)
{
    smt->propagator->push(smt->propagator->context);
}

static void pop(const struct smt *smt, unsigned count)
{
    if (count > 0)
        smt->propagator->pop(smt->propagator->context, count);
}

static void fix(struct smt *smt, Z3_solver_callback callback, unsigned number, Z3_ast value)
{
    bool truth = smt->z3.get_bool_value(smt->context, value) == Z3_L_TRUE;

    smt->callback = callback;
    smt->propagator->fixed(smt->propagator->context, smt, smt->variable_of[number], truth);
    smt->callback = NULL;
}

#if Z3_MINOR_VERSION == 8
static void on_push(void *context)
{
    push(context);
}

static void on_pop(void *context, unsigned count)
{
    pop(context, count);
}

static void on_fixed(void *context, Z3_solver_callback callback, unsigned number, Z3_ast value)
{
    fix(context, callback, number, value);
}

/* Returns Z3's number of the variable. */
static unsigned watch_variable(struct smt *smt, uint32_t variable)
{
    Z3_ast term = smt->variables[variable];

    smt->watched[variable] = smt->z3.solver_propagate_register(smt->context, smt->solver, term);
    return smt->watched[variable];
}
#else
static void on_push(void *context, Z3_solver_callback callback)
{
    (void)callback;
    push(context);
}

static void on_pop(void *context, Z3_solver_callback callback, unsigned count)
{
    (void)callback;
    pop(context, count);
}

static void on_fixed(void *context, Z3_solver_callback callback, Z3_ast term, Z3_ast value)
{
    struct smt *smt = context;

    fix(smt, callback, smt->z3.get_ast_id(smt->context, term), value);
}

static unsigned watch_variable(struct smt *smt, uint32_t variable)
{
    Z3_ast term = smt->variables[variable];

    smt->watched[variable] = term;
    smt->z3.solver_propagate_register(smt->context, smt->solver, term);
    return smt->z3.get_ast_id(smt->context, term);
}
#endif

/* Only who solves in many threads asks for another. */
static void *on_fresh(void *context, Z3_context fresh)
{
    (void)fresh;
    return context;
}

enum status smt_watch(struct smt *smt, const struct smt_propagator *propagator, struct error *err)
{
    size_t room = 0;

    smt->propagator = propagator;
    TRY(memory_resize((void **)&smt->watched, smt->variable_count, sizeof *smt->watched, err));
    TRY(array_reserve(&smt->refused, smt->variable_count, err)); /* Z3 takes no for no answer */
    smt->z3.solver_propagate_init(smt->context, smt->solver, smt, on_push, on_pop, on_fresh);
    TRY(look_for_error(smt, err));
    smt->z3.solver_propagate_fixed(smt->context, smt->solver, on_fixed);
    TRY(look_for_error(smt, err));
    for (uint32_t v = 0; v < smt->variable_count; v++) {
        unsigned number = watch_variable(smt, v);

        TRY(look_for_error(smt, err));
        if (number >= room)
            TRY(array_grow((void **)&smt->variable_of, room, &room, number + 1 - room,
                           sizeof *smt->variable_of, err));
        smt->variable_of[number] = v;
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
        status = array_push(&smt->refused, smt->watched[variables[i]], &unsaid);
    assert(status == STATUS_OK); /* smt_watch() has made room */
    smt->z3.solver_propagate_consequence(smt->context, smt->callback, (unsigned)count,
                                         smt->refused.at, 0, NULL, NULL,
                                         smt->z3.mk_false(smt->context));
}

/* --- The answer ------------------------------------------------------------------------- */

/* A strategy for quantifiers that lacks memory gives up without a reason; of any other cause it says which. */
static bool has_no_memory(const struct smt *smt)
{
    const char *why;

    if (smt->z3.get_error_code(smt->context) == Z3_MEMOUT_FAIL)
        return true;
    why = smt->z3.solver_get_reason_unknown(smt->context, smt->solver);
    if (smt->logic == SMT_QUANTIFIED && (!why || !*why))
        return true;
    return why && (strstr(why, "memory") || strstr(why, "memout"));
}

enum status smt_check(struct smt *smt, enum smt_answer *answer, struct error *err)
{
    Z3_lbool found;

    forget_model(smt);
    found = smt->z3.solver_check(smt->context, smt->solver);
    if (found == Z3_L_UNDEF && has_no_memory(smt))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for Z3");
    *answer = found == Z3_L_TRUE ? SMT_HOLDS : found == Z3_L_FALSE ? SMT_IMPOSSIBLE : SMT_UNDECIDED;
    return STATUS_OK;
}

enum status smt_read_values(struct smt *smt, uint8_t *values, struct error *err)
{
    Z3_model model = smt->z3.solver_get_model(smt->context, smt->solver);
    Z3_ast value;

    TRY(look_for_error(smt, err));
    smt->z3.model_inc_ref(smt->context, model);
    for (uint32_t v = 0; v < smt->variable_count; v++)
        values[v] = smt->z3.model_eval(smt->context, model, smt->variables[v], true, &value) &&
                    smt->z3.get_bool_value(smt->context, value) == Z3_L_TRUE;
    smt->z3.model_dec_ref(smt->context, model);
    return look_for_error(smt, err);
}
