/*
 * damage: changes bytes of a file as disks, editors and strangers do: flipped bits, pieces that are lost,
 * repeated, moved or overwritten, a file cut short, numbers and words put in place of others: wild ones, of which
 * most are refused, and others of the same file, which mostly leave it readable.
 */
#ifndef TESTS_HOSTILE_DAMAGE_H
#define TESTS_HOSTILE_DAMAGE_H

#include "base/buffer.h"
#include "tests/differential/dice.h"

/* One to four changes, after which the bytes may still be what they were. */
void damage(struct dice *, struct buffer *bytes);

#endif
