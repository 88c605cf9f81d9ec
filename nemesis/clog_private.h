/*
 * clog: messages wait, on drawn links, or whatever a node sends or receives.
 *
 * Nothing is lost: what waited arrives when the clog ends. It ends by itself.
 */
#ifndef NEMESIS_CLOG_PRIVATE_H
#define NEMESIS_CLOG_PRIVATE_H

#include "nemesis/nemesis.h"

bool clog_strike(struct nemesis *, struct world *);
void clog_release(struct nemesis *, struct world *);

#endif
