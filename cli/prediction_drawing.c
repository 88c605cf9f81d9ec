#include "cli/prediction_drawing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "cli/output.h"

/* In pixels at the natural size. */
#define BOX_CHARS 22
#define BOX_WIDTH 188
#define BOX_PAD 7
#define LINE 17
#define LANE_GAP 58
#define SIDE 30
#define ROW_GAP 34
#define HEAD 64
#define PANEL_GAP 20
#define FOOT 30
#define LABEL_CHAR_TENTHS 69
#define LABEL_HEIGHT 16
#define LABEL_KEY_CHARS 18
#define LANES_BESIDE 2 /* with more lanes the panels stand one above the other */
#define EVENTS_MAX 9   /* of a box */

enum event_look { LOOK_PLAIN, LOOK_CHANGED, LOOK_OUT };

struct drawn_txn {
    uint32_t txn; /* of the observed trace */
    uint32_t lane;
    int64_t x, y, height; /* within the panel */
    uint32_t events, hidden, edges, edges_drawn;
};

struct rectangle {
    int64_t x, y, width, height;
};

/* A curve by Bézier's four points. */
struct curve {
    int64_t x[4], y[4];
};

struct drawing {
    const struct told_prediction *p;
    struct buffer *out;
    bool *key_matters; /* by key of the history */
    bool *txn_matters; /* by transaction of the observed trace */
    uint32_t *lane_of; /* by session of the observed trace, plus one; 0: it is not drawn */
    uint32_t lane_count;
    ARRAY(struct drawn_txn) txns;
    ARRAY(struct rectangle) labels;
    ARRAY(struct curve) curves;                  /* by edge of the cycle */
    int64_t panel_width, panel_height, left_out; /* labels that found no room, so far */
    bool is_beside;
};

/* --- What is drawn ------------------------------------------------------------------------------- */

/* Of the predicted trace's own number. */
static uint32_t observed_number(const struct drawing *d, uint32_t txn)
{
    const struct dataflow *t = d->p->observed, *predicted = &d->p->confirmation->trace;
    uint32_t place;

    BISECT(place, 0, t->txn_count, t->txn[place] < predicted->txn[txn]);
    assert(place < t->txn_count && t->txn[place] == predicted->txn[txn]);
    return place;
}

static void mark_writer(struct drawing *d, uint32_t writer)
{
    if (writer < DATAFLOW_INITIAL)
        d->txn_matters[writer] = true;
}

static void mark(struct drawing *d)
{
    const struct dataflow *t = d->p->observed;
    const struct confirmation *c = d->p->confirmation;

    for (uint32_t s = 0; s < t->session_count; s++) {
        uint32_t txn = d->p->prediction->boundary[s];

        for (uint32_t e = txn == DATAFLOW_NONE ? 0 : t->event_start[txn];
             txn != DATAFLOW_NONE && e < t->event_start[txn + 1]; e++)
            if (told_is_changed(d->p, e)) {
                d->key_matters[t->key[t->events[e].key]] = true;
                d->txn_matters[txn] = true;
                mark_writer(d, t->events[e].writer);
                mark_writer(d, d->p->prediction->writer[e]);
            }
    }
    for (uint32_t i = 0; i < c->cycle.count; i++) {
        const struct cycle_edge *edge = &c->cycle.edges[i];

        d->txn_matters[observed_number(d, edge->from)] = true;
        if (edge->kind == CYCLE_SO)
            continue;
        d->key_matters[c->trace.key[edge->key]] = true;
        if (edge->other < DATAFLOW_INITIAL)
            d->txn_matters[observed_number(d, edge->other)] = true;
    }
}

static bool event_matters(const struct drawing *d, uint32_t event)
{
    const struct dataflow *t = d->p->observed;

    return d->key_matters[t->key[t->events[event].key]];
}

static enum status place_txns(struct drawing *d, struct error *err)
{
    const struct dataflow *t = d->p->observed;
    int64_t y = HEAD;

    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        if (d->txn_matters[txn])
            d->lane_of[t->session[txn]] = 1;
    for (uint32_t s = 0; s < t->session_count; s++)
        if (d->lane_of[s])
            d->lane_of[s] = ++d->lane_count;
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        struct drawn_txn drawn = { .txn = txn, .lane = d->lane_of[t->session[txn]] - 1, .y = y };

        if (!d->txn_matters[txn])
            continue;
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
            if (event_matters(d, e) && drawn.events < EVENTS_MAX)
                drawn.events++;
            else
                drawn.hidden++;
        drawn.x = SIDE + drawn.lane * (int64_t)(BOX_WIDTH + LANE_GAP);
        drawn.height = 2 * BOX_PAD + LINE * (int64_t)(1 + drawn.events + (drawn.hidden > 0));
        y += drawn.height + ROW_GAP;
        TRY(array_push(&d->txns, drawn, err));
    }
    d->panel_width = 2 * SIDE + d->lane_count * (int64_t)(BOX_WIDTH + LANE_GAP) - LANE_GAP;
    if (d->panel_width < 2 * SIDE + BOX_WIDTH + 120)
        d->panel_width = 2 * SIDE + BOX_WIDTH + 120;
    d->panel_height = y - ROW_GAP + 12;
    d->is_beside = d->lane_count <= LANES_BESIDE;
    return STATUS_OK;
}

/* --- Text ----------------------------------------------------------------------------------------- */

static size_t char_count(struct text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return count;
}

/* The place of character number n. */
static size_t char_place(struct text text, size_t n)
{
    for (size_t i = 0; i < text.length; i++)
        if (((unsigned char)text.at[i] & 0xc0) != 0x80 && n-- == 0)
            return i;
    return text.length;
}

/* Escaped; of a long one the end matters more than the middle. */
static void print_shortened(struct buffer *out, struct text text, size_t max)
{
    struct buffer plain = { 0 };
    size_t count = char_count(text);

    if (count <= max) {
        buffer_text(&plain, text);
    } else {
        size_t begin = (max - 1) / 3, end = char_place(text, count - (max - 1 - begin));

        buffer_text(&plain, (struct text){ text.at, char_place(text, begin) });
        buffer_text(&plain, TEXT("…"));
        buffer_text(&plain, (struct text){ text.at + end, text.length - end });
    }
    buffer_byte(&plain, '\0');
    if (plain.out_of_memory)
        out->out_of_memory = true;
    else
        output_xml(out, plain.at);
    buffer_close(&plain);
}

static void begin_text(struct buffer *out, const char *class, int64_t x, int64_t y)
{
    buffer_print(out, "<text class=\"%s\" x=\"%" PRId64 "\" y=\"%" PRId64 "\">", class, x, y);
}

static void print_plain(struct buffer *out, const char *class, int64_t x, int64_t y,
                        const char *text)
{
    begin_text(out, class, x, y);
    output_xml(out, text);
    buffer_text(out, TEXT("</text>\n"));
}

/* --- Boxes ------------------------------------------------------------------------------------------ */

static void draw_event(const struct drawing *d, const struct drawn_txn *drawn, uint32_t event,
                       bool is_predicted, int64_t y)
{
    static const char *const classes[] = { "event", "event changed", "event out" };
    const struct dataflow *t = d->p->observed;
    struct dataflow_event e = t->events[event];
    struct text key = told_key(t, e.key);
    struct buffer writer = { 0 };
    uint32_t place = event - t->event_start[drawn->txn];
    bool is_changed = told_is_changed(d->p, event);
    enum event_look look = is_changed ? LOOK_CHANGED : LOOK_PLAIN;

    if (is_predicted && place >= told_included(d->p, drawn->txn))
        look = LOOK_OUT;
    if (dataflow_is_read(e)) {
        uint32_t from = is_predicted && is_changed ? d->p->prediction->writer[event] : e.writer;

        buffer_text(&writer, TEXT(" ← "));
        if (from == DATAFLOW_INITIAL)
            buffer_text(&writer, TEXT("initial"));
        else
            told_print_writer(t, from, &writer);
    }
    buffer_byte(&writer, '\0');
    if (writer.out_of_memory) {
        d->out->out_of_memory = true;
    } else {
        size_t taken = 2 + char_count(text_of(writer.at));

        begin_text(d->out, classes[look], drawn->x + BOX_PAD + 3, y);
        buffer_text(d->out, TEXT("<title>"));
        print_shortened(d->out, key, 400);
        buffer_text(d->out, dataflow_is_read(e) ? TEXT("</title>r ") : TEXT("</title>w "));
        print_shortened(d->out, key, taken + 6 < BOX_CHARS ? BOX_CHARS - taken : 6);
        buffer_print(d->out, "%s</text>\n", writer.at);
    }
    buffer_close(&writer);
}

static const char *note_of(const struct drawing *d, uint32_t txn, bool is_predicted)
{
    if (!is_predicted || told_is_full(d->p, txn))
        return "";
    if (!told_is_boundary(d->p, txn))
        return ", left out";
    return strategy_is_relaxed(d->p->options->strategy) ? ", as it was" : ", cut";
}

static void draw_box(const struct drawing *d, const struct drawn_txn *drawn, bool is_predicted)
{
    const struct dataflow *t = d->p->observed;
    bool is_boundary = is_predicted && told_is_boundary(d->p, drawn->txn);
    bool is_out = is_predicted && !is_boundary && !told_is_full(d->p, drawn->txn);
    uint32_t end = t->event_start[drawn->txn] + told_included(d->p, drawn->txn), shown = 0;
    int64_t y = drawn->y + BOX_PAD + LINE - 5, cut = 0;

    buffer_print(d->out,
                 "<rect class=\"box%s\" x=\"%" PRId64 "\" y=\"%" PRId64
                 "\" width=\"%d\" height=\"%" PRId64 "\" rx=\"6\"/>\n",
                 is_out        ? " dashed"
                 : is_boundary ? " boundary"
                               : "",
                 drawn->x, drawn->y, BOX_WIDTH, drawn->height);
    begin_text(d->out, is_out ? "name out" : "name", drawn->x + BOX_PAD + 3, y);
    buffer_print(d->out, "T%" PRId64 "%s</text>\n", told_txn_id(t, drawn->txn),
                 note_of(d, drawn->txn, is_predicted));
    for (uint32_t e = t->event_start[drawn->txn];
         e < t->event_start[drawn->txn + 1] && shown < drawn->events; e++) {
        if (!event_matters(d, e))
            continue;
        if (is_boundary && e >= end && cut == 0)
            cut = y + 5;
        y += LINE;
        shown++;
        draw_event(d, drawn, e, is_predicted, y);
    }
    if (is_boundary && cut == 0 && end < t->event_start[drawn->txn + 1])
        cut = y + 5;
    if (drawn->hidden > 0) {
        begin_text(d->out, "event more", drawn->x + BOX_PAD + 3, y + LINE);
        buffer_print(d->out, "… %" PRIu32 " more</text>\n", drawn->hidden);
    }
    if (cut > 0)
        buffer_print(d->out,
                     "<line class=\"cut\" x1=\"%" PRId64 "\" y1=\"%" PRId64 "\" x2=\"%" PRId64
                     "\" y2=\"%" PRId64 "\"/>\n",
                     drawn->x, cut, drawn->x + BOX_WIDTH, cut);
}

static void draw_lanes(const struct drawing *d)
{
    const struct dataflow *t = d->p->observed;

    for (uint32_t s = 0; s < t->session_count; s++) {
        int64_t x = SIDE + ((int64_t)d->lane_of[s] - 1) * (BOX_WIDTH + LANE_GAP) + BOX_WIDTH / 2;

        if (d->lane_of[s] == 0)
            continue;
        begin_text(d->out, "lane", x, HEAD - 12);
        buffer_print(d->out, "session %" PRId64 "</text>\n", told_session_id(t, s));
        buffer_print(d->out,
                     "<line class=\"life\" x1=\"%" PRId64 "\" y1=\"%d\" x2=\"%" PRId64
                     "\" y2=\"%" PRId64 "\"/>\n",
                     x, HEAD - 6, x, d->panel_height - 4);
    }
}

/* --- Edges ------------------------------------------------------------------------------------------- */

static int64_t bezier(const int64_t p[4], int64_t t)
{
    int64_t s = 100 - t;

    return (s * s * s * p[0] + 3 * s * s * t * p[1] + 3 * s * t * t * p[2] + t * t * t * p[3]) /
           1000000;
}

/* Where the next edge touches the box: none of a box at the height of another. */
static int64_t touch(struct drawn_txn *drawn)
{
    drawn->edges_drawn++;
    return drawn->y + drawn->height * (int64_t)drawn->edges_drawn / ((int64_t)drawn->edges + 1);
}

static struct curve curve_of(struct drawn_txn *a, struct drawn_txn *b)
{
    bool to_right = b->lane > a->lane, is_same = a->lane == b->lane;
    int64_t bend = is_same ? -24 : to_right ? 44 : -44;
    int64_t x1 = a->x + (to_right ? BOX_WIDTH : 0), y1 = touch(a);
    int64_t x2 = b->x + (to_right || is_same ? 0 : BOX_WIDTH), y2 = touch(b);

    return (struct curve){ { x1, x1 + bend, x2 + (is_same ? bend : -bend), x2 },
                           { y1, y1, y2, y2 } };
}

static bool overlap(struct rectangle a, struct rectangle b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

static bool is_free(const struct drawing *d, struct rectangle at)
{
    if (at.x < 4 || at.x + at.width > d->panel_width - 4 || at.y < HEAD - 6 ||
        at.y + at.height > d->panel_height)
        return false;
    for (size_t i = 0; i < d->txns.count; i++) {
        const struct drawn_txn *t = &d->txns.at[i];

        if (overlap(at, (struct rectangle){ t->x - 2, t->y - 2, BOX_WIDTH + 4, t->height + 4 }))
            return false;
    }
    for (size_t i = 0; i < d->labels.count; i++)
        if (overlap(at, d->labels.at[i]))
            return false;
    return true;
}

static bool is_crossed(const struct drawing *d, struct rectangle at)
{
    for (size_t i = 0; i < d->curves.count; i++)
        for (int64_t t = 0; t <= 100; t += 2) {
            struct rectangle point = { bezier(d->curves.at[i].x, t), bezier(d->curves.at[i].y, t),
                                       1, 1 };

            if (overlap(at, point))
                return true;
        }
    return false;
}

/* Near the curve, where nothing stands; beside all curves, if that can be; else below the panel. */
static struct rectangle place_label(struct drawing *d, const struct curve *curve, int64_t width)
{
    static const int64_t along[] = { 50, 42, 58, 34, 66, 26, 74, 18, 82 };
    struct rectangle at = { .width = width, .height = LABEL_HEIGHT };

    for (int may_cross = 0; may_cross < 2; may_cross++)
        for (int64_t away = 0; away <= 4; away++)
            for (size_t i = 0; i < ROW_COUNT(along); i++)
                for (int64_t side = -1; side <= 1; side++) {
                    at.x = bezier(curve->x, along[i]) - width / 2 + side * (width / 2 + 6);
                    at.y = bezier(curve->y, along[i]) - LABEL_HEIGHT / 2 +
                           (away % 2 ? -1 : 1) * ((away + 1) / 2) * 14;
                    if (is_free(d, at) && (may_cross || !is_crossed(d, at)))
                        return at;
                }
    at.x = SIDE;
    at.y = d->panel_height + 4 + LABEL_HEIGHT * d->left_out++;
    return at;
}

static struct drawn_txn *drawn_of(struct drawing *d, uint32_t predicted)
{
    uint32_t txn = observed_number(d, predicted);
    size_t place;

    BISECT(place, 0, d->txns.count, d->txns.at[place].txn < txn);
    assert(place < d->txns.count && d->txns.at[place].txn == txn);
    return &d->txns.at[place];
}

static void draw_curve(const struct drawing *d, const struct curve *c)
{
    buffer_print(d->out,
                 "<path class=\"edge\" d=\"M%" PRId64 ",%" PRId64 " C%" PRId64 ",%" PRId64
                 " %" PRId64 ",%" PRId64 " %" PRId64 ",%" PRId64 "\"/>\n",
                 c->x[0], c->y[0], c->x[1], c->y[1], c->x[2], c->y[2], c->x[3], c->y[3]);
}

/* Below the boxes. */
static enum status draw_curves(struct drawing *d, struct error *err)
{
    const struct cycle *cycle = &d->p->confirmation->cycle;

    for (uint32_t i = 0; i < cycle->count; i++) {
        drawn_of(d, cycle->edges[i].from)->edges++;
        drawn_of(d, cycle->edges[i].to)->edges++;
    }
    for (uint32_t i = 0; i < cycle->count; i++) {
        struct curve curve =
            curve_of(drawn_of(d, cycle->edges[i].from), drawn_of(d, cycle->edges[i].to));

        TRY(array_push(&d->curves, curve, err));
        draw_curve(d, &curve);
    }
    return STATUS_OK;
}

static enum status draw_label(struct drawing *d, const struct cycle_edge *edge,
                              const struct curve *curve, struct error *err)
{
    const struct dataflow *predicted = &d->p->confirmation->trace;
    struct text key = edge->kind == CYCLE_SO ? TEXT("") : told_key(predicted, edge->key);
    size_t chars = char_count(key);
    struct rectangle at;

    chars = (chars > LABEL_KEY_CHARS ? LABEL_KEY_CHARS : chars) + 3;
    at = place_label(d, curve, (int64_t)chars * LABEL_CHAR_TENTHS / 10);
    TRY(array_push(&d->labels, at, err));
    begin_text(d->out, "label", at.x, at.y + LABEL_HEIGHT - 4);
    buffer_print(d->out, "%s ", cycle_edge_name(edge->kind));
    print_shortened(d->out, key, LABEL_KEY_CHARS);
    if (at.y > d->panel_height)
        buffer_print(d->out, ": T%" PRId64 " → T%" PRId64, told_txn_id(predicted, edge->from),
                     told_txn_id(predicted, edge->to));
    buffer_text(d->out, TEXT("</text>\n"));
    return STATUS_OK;
}

static enum status draw_labels(struct drawing *d, struct error *err)
{
    const struct cycle *cycle = &d->p->confirmation->cycle;

    for (uint32_t i = 0; i < cycle->count; i++)
        TRY(draw_label(d, &cycle->edges[i], &d->curves.at[i], err));
    return STATUS_OK;
}

/* --- The whole ----------------------------------------------------------------------------------------- */

static const char style[] =
    "<style>text{font:13px ui-monospace,'DejaVu Sans Mono',monospace;fill:#222}.back{fill:#fff}"
    ".title{font-weight:bold;font-size:15px}.name{font-weight:bold}.lane{text-anchor:middle;fill:#"
    "666}"
    ".event{font-size:12.5px}.changed{fill:#b34700;font-weight:bold}.out{fill:#999;text-decoration:"
    "line-through}"
    ".more{fill:#888}.box{fill:#f4f6f8;stroke:#8a939c}.boundary{stroke:#b34700;stroke-width:1.6}"
    ".dashed{stroke-dasharray:5 "
    "4;fill:none}.cut{stroke:#b34700;stroke-width:1.6;stroke-dasharray:6 3}"
    ".life{stroke:#ccc}.edge{fill:none;stroke:#c01c28;stroke-width:1.6;marker-end:url(#tip)}.tip{"
    "fill:#c01c28}"
    ".label{font-size:11.5px;fill:#c01c28;paint-order:stroke;stroke:#fff;stroke-width:3px}.legend{"
    "fill:#666;"
    "font-size:11.5px}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.back{fill:#16181b}.lane,.legend{fill:#aaa}"
    ".changed{fill:#ffa348}.out{fill:#777}.more{fill:#999}.box{fill:#24282d;stroke:#77808a}"
    ".boundary{stroke:#ffa348}.dashed{fill:none}.cut{stroke:#ffa348}.life{stroke:#3a3f45}.edge{"
    "stroke:#ff7b72}"
    ".tip{fill:#ff7b72}.label{fill:#ff7b72;stroke:#16181b}}</style>\n"
    "<defs><marker id=\"tip\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" "
    "orient=\"auto\" "
    "markerUnits=\"userSpaceOnUse\"><path class=\"tip\" d=\"M0,0 L9,4 L0,8 z\"/></marker></defs>\n";

static enum status draw_panel(struct drawing *d, bool is_predicted, struct error *err)
{
    struct buffer title = { 0 };

    if (is_predicted)
        buffer_print(&title, "predicted at %s", level_name(d->p->options->level));
    else
        buffer_text(&title, TEXT("observed"));
    buffer_byte(&title, '\0');
    if (title.out_of_memory)
        d->out->out_of_memory = true;
    else
        print_plain(d->out, "title", SIDE, 26, title.at);
    buffer_close(&title);
    draw_lanes(d);
    if (is_predicted)
        TRY(draw_curves(d, err));
    for (size_t i = 0; i < d->txns.count; i++)
        draw_box(d, &d->txns.at[i], is_predicted);
    return is_predicted ? draw_labels(d, err) : STATUS_OK;
}

static void draw_legend(const struct drawing *d, int64_t y)
{
    print_plain(d->out, "legend", SIDE, y,
                d->p->confirmation->cycle.count > 0
                    ? "An arrow: must come before. In a circle, so that no order of the "
                      "transactions is right."
                    : "No order of the transactions is right: each fails for a reason of its own.");
}

static enum status draw(struct drawing *d, struct error *err)
{
    struct buffer panel = { 0 }, *out = d->out;
    int64_t width, height, shift;
    enum status status;

    /* The panel with edges is drawn first, to know how many labels stand below it. */
    d->out = &panel;
    status = draw_panel(d, true, err);
    d->out = out;
    shift = d->is_beside ? d->panel_width + PANEL_GAP : 0;
    width = d->panel_width + shift;
    height = d->panel_height * (d->is_beside ? 1 : 2) + LABEL_HEIGHT * d->left_out + FOOT;
    if (width < 640)
        width = 640; /* for the legend */
    buffer_print(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"100%%\" "
                 "style=\"max-width:%" PRId64
                 "px\" preserveAspectRatio=\"xMinYMin meet\" viewBox=\"0 0 %" PRId64 " %" PRId64
                 "\">\n<title>What was observed, and what was predicted</title>\n",
                 width * 3 / 2, width, height);
    buffer_text(out, TEXT(style));
    buffer_print(out, "<rect class=\"back\" width=\"%" PRId64 "\" height=\"%" PRId64 "\"/>\n<g>\n",
                 width, height);
    if (status == STATUS_OK)
        status = draw_panel(d, false, err);
    buffer_print(out, "</g>\n<g transform=\"translate(%" PRId64 ",%" PRId64 ")\">\n", shift,
                 d->is_beside ? 0 : d->panel_height);
    buffer_append(out, &panel);
    buffer_text(out, TEXT("</g>\n"));
    draw_legend(d, height - 10);
    buffer_text(out, TEXT("</svg>\n"));
    buffer_close(&panel);
    return status;
}

enum status prediction_draw(const struct told_prediction *p, struct buffer *out, struct error *err)
{
    struct drawing d = { .p = p, .out = out };
    enum status status = STATUS_OK;

    d.key_matters = calloc(p->observed->history->key_count + 1, sizeof *d.key_matters);
    d.txn_matters = calloc((size_t)p->observed->txn_count + 1, sizeof *d.txn_matters);
    d.lane_of = calloc((size_t)p->observed->session_count + 1, sizeof *d.lane_of);
    if (!d.key_matters || !d.txn_matters || !d.lane_of)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory to draw a prediction");
    if (status == STATUS_OK) {
        mark(&d);
        status = place_txns(&d, err);
    }
    if (status == STATUS_OK)
        status = draw(&d, err);
    if (status == STATUS_OK)
        status = buffer_status(out, err);
    array_close(&d.txns);
    array_close(&d.labels);
    array_close(&d.curves);
    free(d.key_matters);
    free(d.txn_matters);
    free(d.lane_of);
    return status;
}
