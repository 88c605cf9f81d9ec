#include "cli/progress_bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "cli/output.h"

#define REDRAW_NS INT64_C(100000000)
#define SECOND_NS UINT64_C(1000000000)
#define WIDTH 24

/* Three digits and a prefix: "12.3 M". */
static void print_rounded(struct buffer *out, uint64_t number)
{
    static const char prefixes[] = " kMGTP";
    uint64_t unit = 1;
    size_t p = 0;

    while (number / unit >= 1000 && p + 2 < sizeof prefixes) {
        unit *= 1000;
        p++;
    }
    if (p == 0)
        buffer_print(out, "%" PRIu64 " ", number);
    else
        buffer_print(out, "%" PRIu64 ".%" PRIu64 " %c", number / unit, number % unit * 10 / unit,
                     prefixes[p]);
}

static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t c)
{
    unsigned __int128 result = (unsigned __int128)a * b / c;

    return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

static void print_time_left(struct buffer *out, uint64_t seconds)
{
    if (seconds < 100)
        buffer_print(out, "%" PRIu64 " s left", seconds);
    else if (seconds < 6000)
        buffer_print(out, "%" PRIu64 " min left", seconds / 60);
    else
        buffer_print(out, "%" PRIu64 " h left", seconds / 3600);
}

void progress_bar_print(const struct progress_bar *bar, uint64_t done, uint64_t total,
                        int64_t elapsed_ns, struct buffer *out)
{
    uint64_t elapsed = elapsed_ns > 0 ? (uint64_t)elapsed_ns : 1;

    if (done > total && total > 0)
        done = total;
    buffer_print(out, "%-8s ", bar->what);
    if (total > 0) {
        uint64_t marks = multiply_divide(done, WIDTH, total);
        buffer_byte(out, '[');
        for (uint64_t i = 0; i < WIDTH; i++)
            buffer_byte(out, i < marks ? '#' : ' ');
        buffer_print(out, "] %3" PRIu64 "%%", multiply_divide(done, 100, total));
    } else {
        print_rounded(out, done);
        buffer_text(out, text_of(bar->unit));
    }
    buffer_text(out, TEXT("   "));
    print_rounded(out, multiply_divide(done, SECOND_NS, elapsed));
    buffer_print(out, "%s/s", bar->unit);
    if (total > 0 && done > 0) {
        buffer_text(out, TEXT("   "));
        print_time_left(out, multiply_divide(elapsed, total - done, done) / SECOND_NS);
    }
}

static void update(void *context, uint64_t done, uint64_t total)
{
    struct progress_bar *bar = context;
    int64_t now;
    struct buffer line = { 0 };

    if (!bar->is_shown)
        return;
    now = wall_clock_ns();
    if (now - bar->drawn_ns < REDRAW_NS)
        return;
    bar->drawn_ns = now;
    bar->is_drawn = true;
    buffer_text(&line, TEXT("\r"));
    progress_bar_print(bar, done, total, now - bar->began_ns, &line);
    if (bar->note[0] != '\0')
        buffer_print(&line, "   %s", bar->note);
    buffer_text(&line, TEXT("\033[K"));
    if (!line.out_of_memory)
        fwrite(line.at, 1, line.count, stderr);
    buffer_close(&line);
}

void progress_bar_begin(struct progress_bar *bar, const char *what, const char *unit)
{
    const char *terminal = getenv("TERM");

    *bar = (struct progress_bar){ 0 };
    bar->is_shown = isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
    progress_bar_next(bar, what, unit);
}

void progress_bar_next(struct progress_bar *bar, const char *what, const char *unit)
{
    bar->what = what;
    bar->unit = unit;
    bar->note[0] = '\0';
    /* The first drawing waits too, so that short work draws nothing. */
    bar->began_ns = bar->drawn_ns = bar->is_shown ? wall_clock_ns() : 0;
}

static void take_note(void *context, struct text words)
{
    struct progress_bar *bar = context;
    size_t length = words.length < sizeof bar->note ? words.length : sizeof bar->note - 1;

    if (bar->is_shown && length > 0)
        memcpy(bar->note, words.at, length);
    bar->note[bar->is_shown ? length : 0] = '\0';
}

static void progress_bar_begin_next(void *context, const char *what)
{
    progress_bar_next(context, what, "");
}

void progress_bar_end(struct progress_bar *bar)
{
    if (bar->is_drawn)
        fputs("\r\033[K", stderr);
    bar->is_drawn = bar->is_shown = false;
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (bar->is_drawn)
        fputs("\r\033[K", stderr);
    bar->is_drawn = false;
}

void progress_bar_say(struct progress_bar *bar, const struct buffer *line)
{
    if (!bar->is_shown || line->out_of_memory)
        return;
    progress_bar_clear(bar);
    fwrite(line->at, 1, line->count, stderr);
    fputc('\n', stderr);
    bar->drawn_ns = 0; /* it is drawn again as soon as there is something to tell */
}

struct progress progress_bar_listener(struct progress_bar *bar)
{
    if (!bar)
        return (struct progress){ .report = NULL };
    return (struct progress){ .report = update,
                              .begin = progress_bar_begin_next,
                              .note = take_note,
                              .context = bar };
}
