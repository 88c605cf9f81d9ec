/*
 * xml: escapes texts for XML, in reports for build servers.
 */
#ifndef CLI_XML_H
#define CLI_XML_H

#include "base/text.h"

/*
 * Escaped for an attribute or between tags. Control characters, which XML cannot have at all, become
 * question marks, and of a text that is not UTF-8 all that is not ASCII.
 */
void xml_text(struct buffer *, const char *text);

#endif
