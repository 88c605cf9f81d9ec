#include "trial/run/difference.h"

#include <assert.h>
#include <stdlib.h>

/* Simulations are large, and the nemeses in them must not move: they live on the heap. */
static enum status new_run(struct simulation **simulation, const struct scenario *scenario,
                           const struct run_options *options, struct error *err)
{
    *simulation = calloc(1, sizeof **simulation);
    if (!*simulation)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    return simulation_run(*simulation, scenario, options, err);
}

static void free_run(struct simulation *simulation)
{
    if (simulation)
        simulation_close(simulation);
    free(simulation);
}

static void print_record(const struct world *world, uint64_t number, struct buffer *out)
{
    const struct trace_record *record = trace_window_record(&world->trace, number);

    if (record)
        trace_print(&world->trace, record, (struct text){ NULL, 0 }, out);
    else
        buffer_text(out, TEXT("ended before"));
}

static void compare_windows(struct difference *difference, const struct simulation *first,
                            const struct simulation *second)
{
    difference->found =
        trace_find_difference(&first->world.trace, &second->world.trace, &difference->event);
    if (!difference->found)
        return;
    print_record(&first->world, difference->event, &difference->first);
    print_record(&second->world, difference->event, &difference->second);
}

static enum status look_closer(struct difference *difference, const struct scenario *scenario,
                               const struct scenario *again, const struct run_options *options,
                               struct error *err)
{
    struct simulation *first = NULL, *second = NULL;
    enum status status = new_run(&first, scenario, options, err);

    if (status == STATUS_OK)
        status = new_run(&second, again, options, err);
    if (status == STATUS_OK)
        compare_windows(difference, first, second);
    free_run(first);
    free_run(second);
    return status;
}

enum status difference_find(struct difference *difference, const struct simulation *first,
                            const struct scenario *scenario, const struct scenario *again,
                            const struct progress *progress, struct error *err)
{
    struct simulation *second = NULL;
    struct run_options options = { .progress = progress };
    enum status status = new_run(&second, again, &options, err);
    bool differ =
        status == STATUS_OK && trace_find_window(&first->world.trace, &second->world.trace,
                                                 &options.trace.window_from,
                                                 &options.trace.window_count);

    *difference = (struct difference){ .found = differ };
    free_run(second);
    if (!differ)
        return status;
    difference->event = options.trace.window_from;
    TRY(look_closer(difference, scenario, again, &options, err));
    /* That the two more runs agree makes the first two no less different. */
    difference->found = true;
    return buffer_status(&difference->first, err);
}

void difference_close(struct difference *difference)
{
    buffer_close(&difference->first);
    buffer_close(&difference->second);
}
