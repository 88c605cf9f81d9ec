/*
 * story_drawing: draws a story (cli/story.h) as SVG.
 *
 * Time goes down, but not evenly: each event has room for its text, and long pauses are shortened.
 */
#ifndef CLI_STORY_DRAWING_H
#define CLI_STORY_DRAWING_H

#include "cli/story.h"

void story_draw(const struct story *, const char *fails, struct buffer *);

#endif
