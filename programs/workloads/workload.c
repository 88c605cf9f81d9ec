#include "programs/workloads/workload.h"

#include <stddef.h>

#include "base/array.h"

#define ALL(c_name, name, is_generated, is_run) &workload_##c_name,
#define IF_0(x)
#define IF_1(x) x,
#define GENERATED(c_name, name, is_generated, is_run) IF_##is_generated(&workload_##c_name)
#define GENERATED_NAME(c_name, name, is_generated, is_run) IF_##is_generated(name)
#define RUN(c_name, name, is_generated, is_run) IF_##is_run(&workload_##c_name)
#define RUN_NAME(c_name, name, is_generated, is_run) IF_##is_run(name)

static const struct workload *const all[] = { WORKLOADS(ALL) };
static const struct workload *const generated[] = { WORKLOADS(GENERATED) };
static const struct workload *const run[] = { WORKLOADS(RUN) };

static const char *const generated_names[] = { WORKLOADS(GENERATED_NAME) NULL };
static const char *const run_names[] = { WORKLOADS(RUN_NAME) NULL };

const struct workload *workload_find(struct text name)
{
    for (size_t i = 0; i < ROW_COUNT(all); i++)
        if (text_equal(name, text_of(all[i]->name)))
            return all[i];
    return NULL;
}

const struct workload *const *workload_generated(unsigned *count)
{
    *count = ROW_COUNT(generated);
    return generated;
}

const char *const *workload_generated_names(void)
{
    return generated_names;
}

const struct workload *const *workload_run(unsigned *count)
{
    *count = ROW_COUNT(run);
    return run;
}

const char *const *workload_run_names(void)
{
    return run_names;
}
