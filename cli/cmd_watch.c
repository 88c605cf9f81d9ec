#include "cli/cmd_watch.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/quantity.h"
#include "base/wall_clock.h"
#include "checkers/checker.h"
#include "checkers/interval/online/watcher.h"
#include "cli/clock_error.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_watch.h"
#include "cli/tail.h"
#include "trial/scenario/profile_file.h"

/*
 * With which clock error nothing would have been found in streams that were files.
 *
 * Pipes are gone once they have been read; files can be watched again, as often as it takes
 * (clock_error.h).
 */

#define AGAIN_BLOCK_BYTES ((size_t)1 << 16)

struct again {
    struct watcher watcher;
    struct watcher_options options;
    const char *const *paths;
    size_t count, live_count;
    uint64_t unjudged; /* the first time */
    const atomic_bool *stop;
    ARRAY(FILE *) files; /* by stream; NULL: it is over */
    ARRAY(char) block;
};

static enum status open_files(struct again *a, struct error *err)
{
    TRY(array_reserve(&a->block, AGAIN_BLOCK_BYTES, err));
    TRY(array_reserve(&a->files, a->count, err));
    for (size_t i = 0; i < a->count; i++) {
        FILE *file = fopen(a->paths[i], "rb");
        uint32_t stream;

        if (!file) {
            error_set_file(err, a->paths[i]);
            return error_set(err, STATUS_IO, "cannot open it: %s", strerror(errno));
        }
        a->files.at[a->files.count++] = file;
        a->live_count++;
        TRY(watcher_add_stream(&a->watcher, a->paths[i], true, &stream, err));
    }
    return STATUS_OK;
}

static enum status read_block_again(struct again *a, uint32_t stream, struct error *err)
{
    size_t count = fread(a->block.at, 1, AGAIN_BLOCK_BYTES, a->files.at[stream]);

    if (count > 0)
        return watcher_feed(&a->watcher, stream, (struct text){ a->block.at, count }, err);
    fclose(a->files.at[stream]);
    a->files.at[stream] = NULL;
    a->live_count--;
    return watcher_end(&a->watcher, stream, false, err);
}

static bool is_stopped(const struct again *a)
{
    return atomic_load_explicit(a->stop, memory_order_relaxed);
}

/* From the one that is waited for, or else from each in its turn. */
static enum status read_all(struct again *a, struct error *err)
{
    for (uint32_t turn = 0; a->live_count > 0 && !is_stopped(a);
         turn = (turn + 1) % (uint32_t)a->count) {
        uint32_t awaited = watcher_awaited(&a->watcher);
        uint32_t stream = awaited == PIPELINE_NONE ? turn : awaited;

        if (a->files.at[stream])
            TRY(read_block_again(a, stream, err));
    }
    return watcher_finish(&a->watcher, err);
}

/* With wider windows a key may have too many versions: then nothing is found, as nobody looks. */
static enum clock_error_answer answer_of(const struct again *a)
{
    if (report_watch_verdict(&a->watcher) == VERDICT_INVALID)
        return CLOCKS_DO_NOT;
    return a->watcher.model.counts.unjudged <= a->unjudged ? CLOCKS_EXPLAIN : CLOCKS_LEAVE_OPEN;
}

static enum status watch_again_judge(void *context, int64_t ns, enum clock_error_answer *answer,
                                     struct error *err)
{
    struct again *a = context;
    enum status status;

    a->options.clock_error = ns;
    a->live_count = 0;
    watcher_init(&a->watcher, &a->options);
    status = open_files(a, err);
    if (status == STATUS_OK)
        status = read_all(a, err);
    *answer = status == STATUS_OK ? answer_of(a) : CLOCKS_DO_NOT;
    watcher_close(&a->watcher);
    for (size_t i = 0; i < a->files.count; i++)
        if (a->files.at[i])
            fclose(a->files.at[i]);
    a->files.count = 0;
    return status;
}

/* The watcher is the one that found something in these files; 0: none explains them. CLOCK_ERROR_UNKNOWN: it was stopped. */
static enum status watch_again_for_clocks(const struct watcher *w, const char *const *paths,
                                          size_t count, const atomic_bool *stop, int64_t *ns,
                                          struct error *err)
{
    struct again a = { .stop = stop,
                       .options = w->options,
                       .paths = paths,
                       .count = count,
                       .unjudged = w->model.counts.unjudged };
    struct clock_error_trial trial = { watch_again_judge, &a, w->counts.ops, stop };
    enum status status;

    a.options.tell = NULL;
    status = clock_error_search(&trial, w->options.clock_error, watcher_clock_error(w), ns, err);
    array_close(&a.files);
    array_close(&a.block);
    return status;
}

#define BLOCK_BYTES ((size_t)1 << 16)
#define WAITING_BYTES_MAX ((size_t)64 << 20)
#define LINE_BYTES_MAX_HERE ((size_t)64 << 20)
#define PATIENCE_NS ((int64_t)10 * 1000000000)
#define CLOCKS_NS ((int64_t)10 * 1000000000) /* for the search for what clocks explain */
#define NAP_MS 20 /* between two looks at files that may grow */

struct watch_values {
    struct option_texts files;
    const char *profile, *clock_error, *patience, *timeout;
    bool json;
};

#define AT(field) offsetof(struct watch_values, field)

static const struct option watch_rows[] = {
    OPERANDS_ROW("FILE", AT(files),
                 "native text that may still grow, or a named pipe; - or no file is\n"
                 "standard input. Several files are clients of one database",
                 .optional = true),
    TEXT_ROW("profile", "P", AT(profile),
             "profile of the recorded database, from `ordeal list profiles` or a\n"
             "FILE.toml",
             .required = true),
    TEXT_ROW("clock-error", "D", AT(clock_error),
             "largest error of the clients' clocks, as in 2ms"),
    TEXT_ROW("patience", "D", AT(patience),
             "longest wait for a silent stream, and longest transaction of a silent\n"
             "client while the stream goes on (default: 10s)"),
    TIMEOUT_ROW(AT(timeout), "after which what\n"
                             "has come is judged"),
    FLAG_ROW("json", AT(json), "print one JSON object, at the end"),
};

struct watch_call {
    const struct watch_values *values;
    struct limits *limits;
    struct watcher watcher;
    ARRAY(struct tail) tails; /* by stream */
    struct progress_bar bar;
    struct progress progress;
    char *block;
    int64_t patience, came_ns; /* when something came that was waited for */
    size_t live_count;
    struct error say_error;
};

/* At once, and not at the end of a stream that has none. */
static void tell(void *context, const struct interval_finding *finding)
{
    struct watch_call *watch = context;
    struct buffer out = { 0 };

    if (watch->values->json || watch->say_error.status != STATUS_OK)
        return;
    progress_bar_clear(&watch->bar);
    report_watch_finding(finding, &out);
    watch->say_error.status = output_print(&out, &watch->say_error);
    buffer_close(&out);
}

/* --- Options -------------------------------------------------------------------------------------- */

static enum status set_duration(const char *flag, const char *given, int64_t *ns,
                                struct error *err)
{
    if (given && (!quantity_to_duration(text_of(given), ns) || *ns < 0))
        return error_set(err, STATUS_BAD_INPUT, "--%s takes a time as in 2ms, not '%.80s'", flag,
                         given);
    return STATUS_OK;
}

/* What came twice would have been done twice. */
static enum status refuse_twice(const struct watch_call *watch, const struct tail *tail,
                                struct error *err)
{
    for (size_t i = 0; i < watch->tails.count; i++)
        if (tail_is_same(&watch->tails.at[i], tail)) {
            error_set_file(err, tail->name);
            return error_set(err, STATUS_BAD_INPUT, "is watched already, as %s",
                             watch->tails.at[i].name);
        }
    return STATUS_OK;
}

static enum status open_stream(struct watch_call *watch, const char *path, struct error *err)
{
    struct tail tail;
    uint32_t stream;
    enum status status;

    TRY(tail_open(&tail, path, err));
    status = refuse_twice(watch, &tail, err);
    if (status == STATUS_OK)
        status = array_push(&watch->tails, tail, err);
    if (status != STATUS_OK) {
        tail_close(&tail);
        return status;
    }
    watch->live_count++;
    return watcher_add_stream(&watch->watcher, tail.name, tail.is_finished, &stream, err);
}

static enum status open_streams(struct watch_call *watch, struct error *err)
{
    static const char *const nothing[] = { "-" };
    const struct option_texts *files = &watch->values->files;
    size_t count = files->count > 0 ? files->count : 1;

    for (size_t i = 0; i < count; i++)
        TRY(open_stream(watch, files->count > 0 ? files->at[i] : nothing[0], err));
    return STATUS_OK;
}

/* --- Reading ---------------------------------------------------------------------------------------- */

/* One block of a stream, if there is one. */
static enum status read_block(struct watch_call *watch, uint32_t stream, bool *has_come,
                              struct error *err)
{
    struct tail *tail = &watch->tails.at[stream];
    bool is_first;
    size_t count;

    if (tail->is_over)
        return STATUS_OK;
    is_first = tail->position == 0;
    TRY(tail_read(tail, watch->block, BLOCK_BYTES, &count, err));
    if (is_first && count > 0)
        TRY(tail_refuse_packed(tail, (struct text){ watch->block, count }, "watch -", err));
    if (tail->was_cut)
        TRY(watcher_lose(&watch->watcher, stream, err));
    if (count > 0)
        TRY(watcher_feed(&watch->watcher, stream, (struct text){ watch->block, count }, err));
    if (tail->is_over) {
        watch->live_count--;
        TRY(watcher_end(&watch->watcher, stream, false, err));
    }
    *has_come |= count > 0 || tail->is_over;
    progress_report(&watch->progress, watch->watcher.counts.txns, 0);
    return STATUS_OK;
}

/* From the one that is waited for, and only where it has nothing from the others. */
static enum status read_blocks(struct watch_call *watch, bool *has_come, struct error *err)
{
    uint32_t awaited = watcher_awaited(&watch->watcher);

    *has_come = false;
    if (awaited != PIPELINE_NONE)
        TRY(read_block(watch, awaited, has_come, err));
    if (*has_come) {
        watch->came_ns = wall_clock_ns();
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < watch->tails.count; i++)
        if (i != awaited && !watcher_is_full(&watch->watcher))
            TRY(read_block(watch, i, has_come, err));
    if (awaited == PIPELINE_NONE)
        watch->came_ns = wall_clock_ns();
    return STATUS_OK;
}

/* Pipes wake us; files do not. */
static void nap(const struct watch_call *watch)
{
    struct pollfd fds[OPTION_TEXTS_MAX];
    nfds_t count = 0;

    for (size_t i = 0; i < watch->tails.count && !watcher_is_full(&watch->watcher); i++)
        if (!watch->tails.at[i].is_over && !watch->tails.at[i].is_regular)
            fds[count++] = (struct pollfd){ .fd = watch->tails.at[i].file, .events = POLLIN };
    (void)poll(fds, count, NAP_MS);
}

static enum status watch_all(struct watch_call *watch, struct error *err)
{
    watch->came_ns = wall_clock_ns();
    while (watch->live_count > 0 && interrupt_signal() == 0 && !limits_is_over(watch->limits)) {
        bool has_come;

        TRY(read_blocks(watch, &has_come, err));
        if (watch->say_error.status != STATUS_OK) /* nobody listens: the rest would be for nobody */
            break;
        if (has_come)
            continue;
        nap(watch);
        if (wall_clock_ns() - watch->came_ns > watch->patience) {
            TRY(watcher_give_up(&watch->watcher, err));
            watch->came_ns = wall_clock_ns();
        }
    }
    if (watch->say_error.status != STATUS_OK) {
        *err = watch->say_error;
        return err->status;
    }
    if (watch->live_count > 0)
        return watcher_stop(&watch->watcher, err);
    return watcher_finish(&watch->watcher, err);
}

/* --- The end ------------------------------------------------------------------------------------------ */

/* Whether all that was watched can be read once more: it stands in files, and has ended. */
static bool stands_in_files(const struct watch_call *watch)
{
    bool is_all = !watch->watcher.is_stopped;

    for (size_t i = 0; i < watch->tails.count; i++)
        is_all &= watch->tails.at[i].is_regular && watch->tails.at[i].file != STDIN_FILENO;
    return is_all;
}

/* What nobody could find out is no reason to say nothing else. */
static int64_t try_clocks(struct watch_call *watch)
{
    const char *paths[OPTION_TEXTS_MAX];
    struct error ignored = { 0 };
    int64_t tried, left = limits_left_ns(watch->limits);
    struct timeout timeout;
    enum status status;

    if (report_watch_verdict(&watch->watcher) != VERDICT_INVALID || !stands_in_files(watch) ||
        watch->watcher.options.profile.timing == TIMING_NONE)
        return 0;
    for (size_t i = 0; i < watch->tails.count; i++)
        paths[i] = watch->tails.at[i].name;
    if (timeout_begin(&timeout, left > 0 ? left : CLOCKS_NS, &ignored) != STATUS_OK)
        return 0;
    status = watch_again_for_clocks(&watch->watcher, paths, watch->tails.count,
                                    timeout_stop(&timeout), &tried, &ignored);
    timeout_end(&timeout);
    return status == STATUS_OK ? tried : 0;
}

static enum status print(struct watch_call *watch, int64_t from, struct error *err)
{
    int64_t tried, ns;
    struct buffer out = { 0 };
    enum status status;

    if (watch->say_error.status != STATUS_OK) {
        *err = watch->say_error;
        return err->status;
    }
    tried = watch->values->json ? 0 : try_clocks(watch);
    ns = wall_clock_ns() - from;
    if (watch->values->json)
        report_watch_json(&watch->watcher, ns, &out);
    else
        report_watch_summary(&watch->watcher, ns, tried, &out);
    status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status watch_and_print(struct watch_call *watch, enum exit_code *code, struct error *err)
{
    int64_t from = wall_clock_ns();

    TRY(memory_resize((void **)&watch->block, BLOCK_BYTES, 1, err));
    TRY(open_streams(watch, err));
    (void)interrupt_notice(true); /* a stream may have no other end */
    progress_bar_begin(&watch->bar, "watching", "");
    watch->progress = progress_bar_listener(&watch->bar);
    TRY(watch_all(watch, err));
    progress_bar_end(&watch->bar);
    limits_settle(watch->limits);
    *code = command_exit_of_verdict(report_watch_verdict(&watch->watcher));
    return print(watch, from, err);
}

static enum status cmd_watch_run(const void *given, struct limits *limits,
                                 enum exit_code *code, struct error *err)
{
    struct watch_call watch = { .values = given, .limits = limits, .patience = PATIENCE_NS };
    struct watcher_options options = { .bytes_max = WAITING_BYTES_MAX,
                                       .line_bytes_max = LINE_BYTES_MAX_HERE,
                                       .tell = tell,
                                       .context = &watch };
    struct given_profile profile;
    enum status status;

    TRY(set_duration("clock-error", watch.values->clock_error, &options.clock_error, err));
    TRY(set_duration("patience", watch.values->patience, &watch.patience, err));
    TRY(profile_load(&profile, watch.values->profile, err));
    options.patience = watch.patience;
    options.profile = profile.profile;
    watcher_init(&watch.watcher, &options);
    status = watch_and_print(&watch, code, err);
    progress_bar_end(&watch.bar);
    watcher_close(&watch.watcher);
    for (size_t i = 0; i < watch.tails.count; i++)
        tail_close(&watch.tails.at[i]);
    array_close(&watch.tails);
    free(watch.block);
    return status;
}

const struct command command_watch = {
    .summary = "judges the history of a database while it is recorded",
    .description =
        "Reads native text as it comes, from standard input, growing files, or named pipes, and\n"
        "judges it by the times of operations alone. The memory that it needs depends on\n"
        "concurrency, not on length. Findings are reported at once. A pipe ends when its writer\n"
        "closes it; a file ends when no process has it open for writing and it has not grown for\n"
        "two seconds. SIGINT and SIGTERM end all. Lost records, such as lines that cannot be\n"
        "read, never cause a false alarm: what they may explain is not judged. Exits as ordeal\n"
        "check does.\n",
    .example = "  recorder | ordeal watch --profile postgresql/serializable\n"
               "  ordeal watch client-1.jsonl client-2.jsonl --profile tidb/snapshot --clock-error 2ms\n",
    .options = { "watch", watch_rows, ROW_COUNT(watch_rows), sizeof(struct watch_values) },
    .reads_strange_files = true,
    .run = cmd_watch_run,
};
