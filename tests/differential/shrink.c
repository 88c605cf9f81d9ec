/*
 * shrink: a text that contestants quarrel about, with less in it.
 *
 * Each line is a tree of JSON. Whatever can be taken out of an object or an array is taken out, one
 * thing at a time, the largest first, as long as the quarrel is the same; until nothing can.
 */
#include <assert.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/differential/contest.h"

#define LINES_MAX 64

struct shrinking {
    struct contest contest;
    struct finding *finding;
    char signature[sizeof((struct finding){ 0 }).signature];
    cJSON *lines[LINES_MAX];
    unsigned line_count;
};

static void print_lines(const struct shrinking *s, struct buffer *out)
{
    buffer_clear(out);
    for (unsigned i = 0; i < s->line_count; i++) {
        char *line = cJSON_PrintUnformatted(s->lines[i]);

        assert(line);
        buffer_print(out, "%s\n", line);
        cJSON_free(line);
    }
}

static bool is_same_quarrel(struct shrinking *s)
{
    struct buffer text = { 0 };
    struct finding found = { 0 };
    bool is_same;

    print_lines(s, &text);
    is_same = !contest_holds_of_text(&s->contest, (struct text){ text.at, text.count }, &found) &&
              strcmp(found.signature, s->signature) == 0;
    if (is_same)
        *s->finding = found;
    buffer_close(&text);
    return is_same;
}

static bool drop_line(struct shrinking *s, unsigned i)
{
    cJSON *line = s->lines[i];

    memmove(&s->lines[i], &s->lines[i + 1], (s->line_count - i - 1) * sizeof *s->lines);
    s->line_count--;
    if (is_same_quarrel(s)) {
        cJSON_Delete(line);
        return true;
    }
    memmove(&s->lines[i + 1], &s->lines[i], (s->line_count - i) * sizeof *s->lines);
    s->line_count++;
    s->lines[i] = line;
    return false;
}

/* The first child's prev is the last. */
static void take_out(cJSON *parent, cJSON *child)
{
    if (parent->child == child)
        parent->child = child->next;
    else
        child->prev->next = child->next;
    if (child->next)
        child->next->prev = child->prev;
    else if (parent->child)
        parent->child->prev = child->prev;
}

static void put_back(cJSON *parent, cJSON *child, bool was_first)
{
    if (child->next)
        child->next->prev = child;
    else if (!was_first)
        parent->child->prev = child;
    if (was_first)
        parent->child = child;
    else
        child->prev->next = child;
}

static bool drop_child(struct shrinking *s, cJSON *parent, cJSON *child)
{
    bool was_first = parent->child == child;

    take_out(parent, child);
    if (!is_same_quarrel(s)) {
        put_back(parent, child, was_first);
        return false;
    }
    child->next = child->prev = NULL;
    cJSON_Delete(child);
    return true;
}

static bool shrink_tree(struct shrinking *s, cJSON *tree)
{
    bool has_shrunk = false;

    for (cJSON *child = tree->child, *next; child; child = next) {
        next = child->next;
        has_shrunk |= drop_child(s, tree, child);
    }
    for (cJSON *child = tree->child; child; child = child->next)
        has_shrunk |= shrink_tree(s, child);
    return has_shrunk;
}

static void read_lines(struct shrinking *s, const struct buffer *text)
{
    size_t from = 0;

    for (size_t i = 0; i < text->count; i++) {
        if (text->at[i] != '\n')
            continue;
        assert(s->line_count < LINES_MAX);
        s->lines[s->line_count] = cJSON_ParseWithLength(text->at + from, i - from);
        assert(s->lines[s->line_count]);
        s->line_count++;
        from = i + 1;
    }
}

void contest_shrink(const struct contest *contest, struct buffer *text, struct finding *finding)
{
    struct shrinking s = { .finding = finding };
    bool has_shrunk = true;

    s.contest.variant = contest->variant;
    s.contest.oracle_steps_max = contest->oracle_steps_max;
    memcpy(s.signature, finding->signature, sizeof s.signature);
    read_lines(&s, text);
    while (has_shrunk && is_same_quarrel(&s)) {
        has_shrunk = false;
        for (unsigned i = s.line_count; i-- > 1;)
            has_shrunk |= drop_line(&s, i);
        for (unsigned i = 0; i < s.line_count; i++)
            has_shrunk |= shrink_tree(&s, s.lines[i]);
    }
    print_lines(&s, text);
    for (unsigned i = 0; i < s.line_count; i++)
        cJSON_Delete(s.lines[i]);
}
