/*
 * fault: injects a fault into a world, or ends it, for a nemesis or a script.
 *
 * Each lever acts at once, writes what it did into the trace, and says
 * whether it had any effect. Who pulls a lever counts the fault, once, with
 * fault_count(): one partition cuts many links. What happens to messages by
 * the network's own options is counted by the world.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/disk.h"
#include "sim/world.h"

void fault_count(struct world *, enum world_fault);

/* True if the node was not down. Timers, roles and everything under way on it are gone. */
bool fault_crash(struct world *, uint32_t node);
/* True if it was down. */
bool fault_restart(struct world *, uint32_t node);
/* True if it was up. */
bool fault_pause(struct world *, uint32_t node);
/* True if it was paused. */
bool fault_resume(struct world *, uint32_t node);

/* One more cut; true if the link was whole. */
bool fault_cut_link(struct world *, uint32_t from, uint32_t to);
/* One cut fewer; true if the link is whole again. */
bool fault_mend_link(struct world *, uint32_t from, uint32_t to);

/* Messages wait until then. True if they need not have waited so long. */
bool fault_clog_link(struct world *, uint32_t from, uint32_t to, int64_t until_ns);
bool fault_clog_send(struct world *, uint32_t node, int64_t until_ns);
bool fault_clog_receive(struct world *, uint32_t node, int64_t until_ns);

/* What the burst of this number does, on the links that suffer it. */
void fault_set_burst(struct world *, uint32_t number, const struct burst *);
void fault_start_burst(struct world *, uint32_t number, uint32_t from, uint32_t to);
void fault_end_burst(struct world *, uint32_t number, uint32_t from, uint32_t to);

/* Disks belong to the programs; the node is that whose disk it is. */
void fault_set_disk(struct world *, uint32_t node, struct disk *, const struct disk_faults *);
void fault_stall_disk(struct world *, uint32_t node, struct disk *, int64_t until_ns);
/* Ends all its faults, and counts for the world those that it felt. */
void fault_heal_disk(struct world *, uint32_t node, struct disk *);

void fault_step_clock(struct world *, uint32_t node, int64_t by_ns);
void fault_slew_clock(struct world *, uint32_t node, int64_t by_ns, int32_t ppm);
void fault_set_drift(struct world *, uint32_t node, int32_t drift_ppm);
/* True if it ran. */
bool fault_freeze_clock(struct world *, uint32_t node);
/* True if it was frozen. */
bool fault_thaw_clock(struct world *, uint32_t node);
/* Undoes steps, slews and freezing. */
void fault_restore_clock(struct world *, uint32_t node);

/*
 * The end of all faults but those of disks, for judging liveness: every link
 * carries, nothing is clogged, lost, duplicated or reordered any more, every
 * node is up, every clock runs and is where it began. Drift stays.
 */
void fault_heal_everything(struct world *);

#endif
