#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

static const struct {
    const char *name;
    void (*measure)(void);
    bool only_if_asked;
} benches[] = {
    { "base", bench_base, false },
    { "event_queue", bench_event_queue, false },
    { "world", bench_world, false },
    { "jsonl", bench_jsonl, false },
    { "oh", bench_oh, false },
    { "formats", bench_formats, false },
    { "generate", bench_generate, false },
    { "programs", bench_programs, false },
    { "store", bench_store, false },
    { "checkers", bench_checkers, false },
    { "checkers-large", bench_checkers_large, true },
    { "infer", bench_infer, false },
    { "infer-large", bench_infer_large, true },
    { "blackbox", bench_blackbox, false },
    { "blackbox-stores", bench_blackbox_stores, false },
    { "blackbox-predicates", bench_blackbox_predicates, false },
    { "blackbox-growth", bench_blackbox_growth, true },
    { "blackbox-sweep", bench_blackbox_sweep, true },
    { "weak", bench_weak, false },
    { "weak-large", bench_weak_large, true },
    { "interval", bench_interval, false },
    { "interval-pipeline", bench_interval_pipeline, false },
    { "interval-store", bench_interval_store, false },
    { "interval-check", bench_interval_check, false },
    { "interval-watch", bench_interval_watch, false },
    { "interval-large", bench_interval_large, true },
    { "audit", bench_audit, false },
    { "audit-figures", bench_audit_figures, true },
    { "audit-record", bench_audit_record, true },
    { "predict", bench_predict, true },
    { "predict-sizes", bench_predict_sizes, false },
    { "predict-record", bench_predict_record, true },
    { "costs", bench_costs, true },
    { "record", bench_record, true },
    { "record-figures", bench_record_figures, true },
};

#define BENCH_COUNT (sizeof benches / sizeof *benches)

double bench_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void bench_in_child(void (*work)(const void *context), const void *context)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        work(context);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0)
        printf(" not measured: no process for it\n");
    else
        waitpid(child, NULL, 0);
}

long bench_peak_megabytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static void find_best(const double seconds[BENCH_ROUNDS], double *best, double *worst)
{
    *best = *worst = seconds[0];
    for (int i = 1; i < BENCH_ROUNDS; i++) {
        *best = seconds[i] < *best ? seconds[i] : *best;
        *worst = seconds[i] > *worst ? seconds[i] : *worst;
    }
}

void bench_print_time(const char *what, double count, const double seconds[BENCH_ROUNDS])
{
    double best, worst;

    find_best(seconds, &best, &worst);
    printf("  %-50s %9.1f ns %12.0f /s   worst round %+.0f %%\n", what, best / count * 1e9,
           count / best, (worst / best - 1) * 100);
    fflush(stdout);
}

void bench_print_rate(const char *what, double amount, const char *unit,
                      const double seconds[BENCH_ROUNDS])
{
    double best, worst;

    find_best(seconds, &best, &worst);
    printf("  %-44s %10.2f M %s/s   %9.2f ms   worst round %+.0f %%\n", what, amount / best / 1e6,
           unit, best * 1e3, (worst / best - 1) * 100);
    fflush(stdout);
}

/* With names as arguments only those: `make bench BENCH="base jsonl"`. */
int main(int argc, char **argv)
{
    for (size_t i = 0; i < BENCH_COUNT; i++) {
        bool wanted = argc == 1 && !benches[i].only_if_asked;
        for (int a = 1; a < argc; a++)
            wanted |= strcmp(argv[a], benches[i].name) == 0;
        if (wanted) {
            printf("%s\n", benches[i].name);
            benches[i].measure();
        }
    }
    return 0;
}
