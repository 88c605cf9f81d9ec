/*
 * bench: figures, printed one a line, for `make bench`.
 *
 * Each bench_*() measures one thing several times and prints the best and the
 * spread: on a shared machine the best is what the code can do, and the spread
 * says how much to believe it. Nothing here is a test: no figure can fail.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

#define BENCH_ROUNDS 5

/* Monotonic wall time. */
double bench_seconds(void);
/* What the processors did for this process, which a busy machine does not stretch. */
double bench_cpu_seconds(void);

/* In a process of its own, whose peak of memory is that of this work alone. */
void bench_in_child(void (*work)(const void *context), const void *context);
/* That of this process so far. */
long bench_peak_megabytes(void);

/* One line: what, amount of unit per second by the best round, and the worst round's share of it. */
void bench_print_rate(const char *what, double amount, const char *unit,
                      const double seconds[BENCH_ROUNDS]);

/* The same for what is counted in nanoseconds: those of one in the best round. */
void bench_print_time(const char *what, double count, const double seconds[BENCH_ROUNDS]);

/* bench/base.c, bench/event_queue.c, bench/world.c, bench/jsonl.c, bench/oh.c, bench/formats.c,
   bench/generate.c, bench/programs.c, bench/store.c, bench/checkers.c, bench/infer.c,
   bench/weak.c, bench/interval*.c, bench/blackbox*.c, bench/audit*.c, bench/predict*.c, bench/costs.c, bench/record.c */
void bench_base(void);
void bench_event_queue(void);
void bench_world(void);
void bench_jsonl(void);
void bench_oh(void);
void bench_formats(void);
void bench_generate(void);
void bench_programs(void);
void bench_store(void);
void bench_checkers(void);
void bench_checkers_large(void); /* takes minutes, and some gigabytes of memory and of disk */
void bench_infer(void);
void bench_infer_large(void); /* likewise */
void bench_blackbox(void);
void bench_blackbox_predicates(void);
void bench_blackbox_growth(void);
void bench_blackbox_sweep(void);
void bench_blackbox_stores(void);
void bench_weak(void);
void bench_weak_large(void); /* takes minutes, and some gigabytes of memory and of disk */
void bench_interval(void);
void bench_interval_pipeline(void);
void bench_interval_store(void);
void bench_interval_check(void);
void bench_interval_watch(void);
void bench_interval_large(void); /* takes minutes */
void bench_audit(void);
void bench_audit_figures(void); /* takes minutes, and Z3 */
void bench_audit_record(void); /* takes minutes, and a server */
void bench_predict(void); /* takes a few minutes, and Z3 */
void bench_predict_sizes(void);
void bench_predict_record(void); /* takes minutes, and a server */
void bench_costs(void);
void bench_record(void); /* takes minutes, and a server */
void bench_record_figures(void); /* likewise */

#endif
