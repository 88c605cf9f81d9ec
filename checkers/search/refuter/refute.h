/*
 * refute: proves that there is no order, by finding the reasons of facts from the last to the first.
 *
 * Known facts do not remember their reasons, but each can be given one from the facts
 * before it: a path, in most cases, and the chains along which a wrong assumption would spread. So
 * only the facts that the contradiction needs are looked at, from the last to the first; then
 * they are written down from the first to the last.
 *
 *     ORDER a -> b     suppose b -> a. Who read along a's chain saw what came before: b comes
 *                      before a's head. Who reads along b's chain: all of it comes before a's
 *                      head. But there is a path from a's head to b's end: a cycle
 *     OVERTAKEN r -> x   r read w, and x overwrote it, or came before it; but w comes before x
 *     NOT_FROM r, w    suppose r read w: it came before w; or another version stands between
 *
 * What the search has learnt is translated step by step: its variables are orders of points and
 * sources, its edges what these imply.
 */
#ifndef CHECKERS_SEARCH_REFUTER_REFUTE_H
#define CHECKERS_SEARCH_REFUTER_REFUTE_H

#include "checkers/search/polygraph/pairs.h"
#include "checkers/search/polygraph/steps.h"

/* Of facts that refute each other; or, with a proof of the search, of these too. */
MUST_USE enum status refute(struct steps *, const struct polygraph *, const struct open_pairs *,
                            const struct search_proof *, struct arena *, struct error *);

#endif
