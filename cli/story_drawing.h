/*
 * story_drawing: a story (cli/story.h) as SVG.
 *
 * Time goes down, but not evenly: between one thing and the next is room for its
 * text at least, and a long pause is drawn as a short one.
 */
#ifndef CLI_STORY_DRAWING_H
#define CLI_STORY_DRAWING_H

#include "cli/story.h"

void story_draw(const struct story *, const char *fails, struct buffer *);

#endif
