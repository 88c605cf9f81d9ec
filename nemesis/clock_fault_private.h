/*
 * clock_fault: clocks that jump, flicker, stand still or run wrong.
 *
 * Letting go undoes what this nemesis did and nothing else: a step is stepped
 * back, a thawed wall clock is stepped ahead by the time it stood still, a
 * drift is set back. Monotonic clocks keep what they lost.
 */
#ifndef NEMESIS_CLOCK_FAULT_PRIVATE_H
#define NEMESIS_CLOCK_FAULT_PRIVATE_H

#include "nemesis/nemesis.h"

#define CLOCK_FAULT_AMOUNT_DEFAULT_NS (INT64_C(250) * 1000 * 1000)
#define CLOCK_FAULT_DRIFT_DEFAULT_PPM 1000

bool clock_fault_strike(struct nemesis *, struct world *);
void clock_fault_release(struct nemesis *, struct world *);
/* While a strobe holds: flickers once, and returns after how long to do it again. 0: never. */
int64_t clock_fault_flicker(struct nemesis *, struct world *);

#endif
