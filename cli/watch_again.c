#include "cli/watch_again.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cli/clock_error.h"
#include "cli/report_watch.h"

#define BLOCK_BYTES ((size_t)1 << 16)

struct again {
    struct watcher watcher;
    struct watcher_options options;
    const char *const *paths;
    size_t count, live_count;
    uint64_t unjudged; /* the first time */
    ARRAY(FILE *) files; /* by stream; NULL: it is over */
    ARRAY(char) block;
};

static enum status open_files(struct again *a, struct error *err)
{
    TRY(array_reserve(&a->block, BLOCK_BYTES, err));
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

static enum status read_block(struct again *a, uint32_t stream, struct error *err)
{
    size_t count = fread(a->block.at, 1, BLOCK_BYTES, a->files.at[stream]);

    if (count > 0)
        return watcher_feed(&a->watcher, stream, (struct text){ a->block.at, count }, err);
    fclose(a->files.at[stream]);
    a->files.at[stream] = NULL;
    a->live_count--;
    return watcher_end(&a->watcher, stream, false, err);
}

/* From the one that is waited for, or else from each in its turn. */
static enum status read_all(struct again *a, struct error *err)
{
    for (uint32_t turn = 0; a->live_count > 0; turn = (turn + 1) % (uint32_t)a->count) {
        uint32_t awaited = watcher_awaited(&a->watcher);
        uint32_t stream = awaited == PIPELINE_NONE ? turn : awaited;

        if (a->files.at[stream])
            TRY(read_block(a, stream, err));
    }
    return watcher_finish(&a->watcher, err);
}

/* With wider windows a key may have too many versions: then nothing is found, as nobody looks. */
static bool is_explained(const struct again *a)
{
    return report_watch_verdict(&a->watcher) != VERDICT_INVALID &&
           a->watcher.model.counts.unjudged <= a->unjudged;
}

static enum status watch_again_judge(void *context, int64_t ns, bool *explains, struct error *err)
{
    struct again *a = context;
    enum status status;

    a->options.clock_error = ns;
    a->live_count = 0;
    watcher_init(&a->watcher, &a->options);
    status = open_files(a, err);
    if (status == STATUS_OK)
        status = read_all(a, err);
    *explains = status == STATUS_OK && is_explained(a);
    watcher_close(&a->watcher);
    for (size_t i = 0; i < a->files.count; i++)
        if (a->files.at[i])
            fclose(a->files.at[i]);
    a->files.count = 0;
    return status;
}

enum status watch_again_for_clocks(const struct watcher *w, const char *const *paths,
                                   size_t count, int64_t *ns, struct error *err)
{
    struct again a = { .options = w->options,
                       .paths = paths,
                       .count = count,
                       .unjudged = w->model.counts.unjudged };
    struct clock_error_trial trial = { watch_again_judge, &a, w->counts.ops };
    enum status status;

    a.options.tell = NULL;
    status = clock_error_search(&trial, w->options.clock_error, watcher_clock_error(w), ns, err);
    array_close(&a.files);
    array_close(&a.block);
    return status;
}
