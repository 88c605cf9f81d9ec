/*
 * story: gathers what happened in a small run, and prints it.
 *
 *     1 003.000 ms  session 0   T1 begins, at node 0
 *     1 004.012 ms  session 0   T1 writes 2=1
 *     1 006.100 ms  node 2      crashes, for 20 ms
 *
 * The scenario is run once more, and its transactions, faults, leaders and messages are gathered in
 * the order of time. story_print() writes them as lines, with the verdicts. story_drawing.h draws them
 * in the manner of Lamport: a line for each session and node, time going down, messages as arrows,
 * faults as shades.
 */
#ifndef CLI_STORY_H
#define CLI_STORY_H

#include "base/array.h"
#include "base/text.h"
#include "trial/run/run.h"
#include "trial/scenario/scenario.h"

/* An endpoint of the world: nodes first, and then the sessions. */
#define STORY_NOBODY UINT32_MAX

/* Texts are places in struct story.texts, which end in zero. */
struct story_event {
    int64_t at_ns;
    uint32_t who; /* or STORY_NOBODY */
    size_t text;
    bool is_fault;
};

struct story_message {
    int64_t sent_ns, came_ns; /* TIME_NEVER: it was lost */
    uint32_t from, to;
    uint64_t ordinal; /* on its link */
    size_t text;
};

/* Something that holds for a while. */
struct story_shade {
    int64_t from_ns, to_ns;
    uint32_t who; /* STORY_NOBODY: everybody */
    size_t text;
};

struct story {
    const struct scenario *scenario; /* the caller's */
    struct recording recording;
    struct trial trial;
    struct buffer texts;
    ARRAY(struct story_event) events;
    ARRAY(struct story_message) messages;
    ARRAY(struct story_shade) shades;
    ARRAY(size_t) details; /* by trace record: a text, or SIZE_MAX */
    bool is_short;         /* of memory */
};

/* Runs the scenario. Closed by story_close(), whatever the status. */
MUST_USE enum status story_tell(struct story *, const struct scenario *, struct error *);
void story_close(struct story *);

const char *story_text(const struct story *, size_t text);
/* "node 2", "session 0". */
void story_name(const struct story *, uint32_t who, struct buffer *);

void story_print(const struct story *, const char *fails, struct buffer *);

#endif
