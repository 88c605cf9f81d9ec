#include "cli/story_drawing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "history/history.h"

#define LEFT 110
#define TOP 90
#define COLUMN 190
#define STEP_MIN 15
#define STEP_MAX 44
#define NS_PER_PIXEL INT64_C(150000)
#define MESSAGES_MAX 600
#define LABEL_MAX 44

struct story_drawing {
    const struct story *story;
    struct buffer *out;
    ARRAY(int64_t) times; /* rising, each once */
    ARRAY(int64_t) heights;
    int64_t columns[SIMULATION_NODES_MAX + STORE_SESSIONS_MAX]; /* of each endpoint; 0: not drawn */
    uint32_t column_count;
};

/* --- Text ------------------------------------------------------------------------------------- */

static void print_escaped(struct buffer *out, const char *text, size_t max)
{
    size_t length = 0;

    for (; *text; text++) {
        bool begins = ((unsigned char)*text & 0xc0) != 0x80;
        if (begins && length++ == max) {
            buffer_text(out, TEXT("…"));
            return;
        }
        switch (*text) {
        case '<':
            buffer_text(out, TEXT("&lt;"));
            break;
        case '>':
            buffer_text(out, TEXT("&gt;"));
            break;
        case '&':
            buffer_text(out, TEXT("&amp;"));
            break;
        case '"':
            buffer_text(out, TEXT("&quot;"));
            break;
        default:
            buffer_byte(out, (unsigned char)*text < ' ' ? ' ' : *text);
        }
    }
}

static void print_text(const struct story_drawing *d, int64_t x, int64_t y, const char *class,
                       const char *text, size_t max)
{
    buffer_print(d->out, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\" class=\"%s\">", x, y, class);
    print_escaped(d->out, text, max);
    buffer_text(d->out, TEXT("</text>\n"));
}

/* --- Places ----------------------------------------------------------------------------------- */

static bool is_drawn(const struct story_message *message)
{
    return message->came_ns != TIME_NEVER;
}

/* Drawn is what has to do with a transaction, and what comes before, if it is a fault. */
static enum status collect_times(struct story_drawing *d, struct error *err)
{
    const struct story *story = d->story;

    for (size_t i = 0; i < story->events.count; i++)
        TRY(array_push(&d->times, story->events.at[i].at_ns, err));
    for (size_t i = 0; i < story->messages.count && i < MESSAGES_MAX; i++) {
        TRY(array_push(&d->times, story->messages.at[i].sent_ns, err));
        if (is_drawn(&story->messages.at[i]))
            TRY(array_push(&d->times, story->messages.at[i].came_ns, err));
    }
    for (size_t i = 0; i < story->shades.count; i++)
        TRY(array_push(&d->times, story->shades.at[i].to_ns, err));
    sort_signed(d->times.at, d->times.count);
    return STATUS_OK;
}

static enum status place_times(struct story_drawing *d, struct error *err)
{
    size_t kept = 0;
    int64_t y = TOP;

    TRY(collect_times(d, err));
    for (size_t i = 0; i < d->times.count; i++)
        if (kept == 0 || d->times.at[kept - 1] != d->times.at[i])
            d->times.at[kept++] = d->times.at[i];
    d->times.count = kept;
    for (size_t i = 0; i < kept; i++) {
        int64_t step = i > 0 ? (d->times.at[i] - d->times.at[i - 1]) / NS_PER_PIXEL : 0;

        y += step > STEP_MAX ? STEP_MAX : step < STEP_MIN ? STEP_MIN : step;
        TRY(array_push(&d->heights, y, err));
    }
    return STATUS_OK;
}

static int64_t height_of(const struct story_drawing *d, int64_t at_ns)
{
    size_t place;

    BISECT(place, 0, d->times.count, d->times.at[place] < at_ns);
    return place < d->times.count && d->times.at[place] == at_ns ? d->heights.at[place] : TOP;
}

static int64_t bottom_of(const struct story_drawing *d)
{
    return (d->heights.count ? d->heights.at[d->heights.count - 1] : TOP) + 30;
}

/* Sessions with something to say stand left, all nodes right. */
static void place_columns(struct story_drawing *d)
{
    const struct story *story = d->story;
    uint32_t nodes = story->scenario->cluster.nodes;
    uint32_t count = story->trial.simulation->world.endpoint_count;
    bool speaks[SIMULATION_NODES_MAX + STORE_SESSIONS_MAX] = { false };

    for (size_t i = 0; i < story->events.count; i++)
        if (story->events.at[i].who != STORY_NOBODY)
            speaks[story->events.at[i].who] = true;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t who = (k + nodes) % count; /* sessions are behind the nodes */
        if (speaks[who] || who < nodes)
            d->columns[who] = LEFT + COLUMN * (int64_t)d->column_count++;
    }
}

/* --- Drawing ---------------------------------------------------------------------------------- */

static void draw_head(const struct story_drawing *d, const char *fails)
{
    int64_t width = LEFT + COLUMN * (int64_t)d->column_count, height = bottom_of(d) + 20;

    buffer_print(d->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64
                 "\" height=\"%" PRId64 "\" viewBox=\"0 0 %" PRId64 " %" PRId64 "\">\n"
                 "<style>text{font:11px sans-serif;fill:#222}.title{font:bold 14px sans-serif}"
                 ".name{font:bold 12px sans-serif}.time{fill:#888;text-anchor:end}"
                 ".message{font-size:9px;fill:#36c}.fault{fill:#a00}line{stroke:#999}"
                 ".sent{stroke:#36c;stroke-width:1;marker-end:url(#tip)}"
                 ".lost{stroke:#c33;stroke-dasharray:4 3}.shade{fill:#e55;opacity:.18}"
                 ".event{fill:#222}</style>\n"
                 "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" "
                 "refY=\"3\" orient=\"auto\"><path d=\"M0,0 L7,3 L0,6 z\" fill=\"#36c\"/></marker>"
                 "</defs>\n<rect width=\"%" PRId64 "\" height=\"%" PRId64 "\" fill=\"#fff\"/>\n",
                 width, height, width, height, width, height);
    print_text(d, 20, 26, "title", d->story->scenario->name, 100);
    print_text(d, 20, 44, "fault", fails, 160);
}

static void draw_shade(const struct story_drawing *d, const struct story_shade *shade)
{
    int64_t from = height_of(d, shade->from_ns), to = height_of(d, shade->to_ns);
    int64_t x = shade->who == STORY_NOBODY ? LEFT - 10 : d->columns[shade->who] - 10;
    int64_t width = shade->who == STORY_NOBODY ? COLUMN * (int64_t)d->column_count : 20;

    buffer_print(d->out,
                 "<rect class=\"shade\" x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64
                 "\" height=\"%" PRId64 "\"/>\n",
                 x, from, width, to > from + 4 ? to - from : 4);
}

static void draw_line(const struct story_drawing *d, uint32_t who)
{
    struct buffer name = { 0 };
    int64_t x = d->columns[who];

    story_name(d->story, who, &name);
    buffer_byte(&name, '\0');
    buffer_print(d->out,
                 "<line x1=\"%" PRId64 "\" y1=\"%d\" x2=\"%" PRId64 "\" y2=\"%" PRId64 "\"/>\n", x,
                 TOP - 8, x, bottom_of(d));
    print_text(d, x - 24, TOP - 16, "name", name.at ? name.at : "", 40);
    buffer_close(&name);
}

static void draw_message(const struct story_drawing *d, const struct story_message *message)
{
    bool came = is_drawn(message);
    int64_t x1 = d->columns[message->from], x2 = d->columns[message->to];
    int64_t y1 = height_of(d, message->sent_ns);
    int64_t y2 = came ? height_of(d, message->came_ns) : y1 + STEP_MIN;

    if (x1 == 0 || x2 == 0)
        return;
    if (!came)
        x2 = (x1 + x2) / 2;
    buffer_print(d->out,
                 "<line class=\"%s\" x1=\"%" PRId64 "\" y1=\"%" PRId64 "\" x2=\"%" PRId64
                 "\" y2=\"%" PRId64 "\"><title>",
                 came ? "sent" : "lost", x1, y1, x2, y2);
    print_escaped(d->out, story_text(d->story, message->text), 200);
    buffer_text(d->out, TEXT("</title></line>\n"));
    print_text(d, (x1 + 2 * x2) / 3 - 30, (y1 + 2 * y2) / 3 - 2, "message",
               story_text(d->story, message->text), 28);
}

static void draw_event(const struct story_drawing *d, const struct story_event *event)
{
    int64_t x = event->who == STORY_NOBODY ? LEFT - 10 : d->columns[event->who];
    int64_t y = height_of(d, event->at_ns);

    if (event->who != STORY_NOBODY)
        buffer_print(d->out, "<circle class=\"event\" cx=\"%" PRId64 "\" cy=\"%" PRId64
                     "\" r=\"3\"/>\n", x, y);
    print_text(d, x + 8, y + 4, event->is_fault ? "fault" : "event",
               story_text(d->story, event->text), LABEL_MAX);
}

static void draw_times(const struct story_drawing *d)
{
    for (size_t i = 0; i < d->story->events.count; i++) {
        int64_t at_ns = d->story->events.at[i].at_ns;
        char time[40];

        if (i > 0 && d->story->events.at[i - 1].at_ns == at_ns)
            continue;
        snprintf(time, sizeof time, "%" PRId64 ".%03d ms", at_ns / 1000000,
                 (int)(at_ns / 1000 % 1000));
        print_text(d, LEFT - 24, height_of(d, at_ns) + 4, "time", time, 40);
    }
}

static void draw(const struct story_drawing *d, const char *fails)
{
    const struct story *story = d->story;

    draw_head(d, fails);
    for (size_t i = 0; i < story->shades.count; i++)
        draw_shade(d, &story->shades.at[i]);
    for (uint32_t who = 0; who < story->trial.simulation->world.endpoint_count; who++)
        if (d->columns[who] > 0)
            draw_line(d, who);
    for (size_t i = 0; i < story->messages.count && i < MESSAGES_MAX; i++)
        draw_message(d, &story->messages.at[i]);
    draw_times(d);
    for (size_t i = 0; i < story->events.count; i++)
        draw_event(d, &story->events.at[i]);
    buffer_text(d->out, TEXT("</svg>\n"));
}

void story_draw(const struct story *story, const char *fails, struct buffer *out)
{
    struct story_drawing *d = calloc(1, sizeof *d);
    struct error err;

    if (!d) {
        out->out_of_memory = true;
        return;
    }
    d->story = story;
    d->out = out;
    place_columns(d);
    if (place_times(d, &err) == STATUS_OK)
        draw(d, fails);
    else
        out->out_of_memory = true;
    array_close(&d->times);
    array_close(&d->heights);
    free(d);
}
