/*
 * network: a network for each node of a server of our own, so that nodes can be parted and slowed.
 *
 *     TRY(network_open(&network, 3, slows, err));     this thread, and those that it starts, are in it, too
 *     ... in the child that becomes node 1: network_enter(&network, 1) ...
 *     TRY(network_part(&network, 1, true, err));      node 1 reaches the others no more, nor they it
 *     TRY(network_part(&network, 1, false, err));
 *     network_close(&network);                        this thread is back where it was
 *
 * Each node has a network namespace, and so has whoever opens the network: the hub. A pair of linked
 * interfaces joins each node with the hub, which passes on what nodes send each other:
 *
 *     hub  node0 10.0.1.1 ---- 10.0.1.2 hub  node 0
 *          node1 10.0.2.1 ---- 10.0.2.2 hub  node 1
 *
 * No link leads out of it. Namespaces have no names and live as long as a process or a descriptor
 * that is in them, so nothing is left behind however we end.
 *
 * A partition is a rule of the hub that drops what it would pass on from the node or to it; clients,
 * which are in the hub, still reach the node. Slow is a queue in front of the node (tc's netem).
 */
#ifndef RECORD_NETWORK_H
#define RECORD_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define NETWORK_NODES_MAX 16
#define NETWORK_ADDRESS_SIZE 16

struct network {
    bool is_open;
    unsigned node_count;
    int home; /* the namespace that the thread came from, by a descriptor */
    int nodes[NETWORK_NODES_MAX];
};

/*
 * Needs the rights to make namespaces, and the program `ip`; if nodes are to be slowed, `tc` and a kernel with
 * netem. Otherwise it is refused with what is missing, and nothing has changed. Closed by the same thread,
 * when the threads that it has started have ended.
 */
MUST_USE enum status network_open(struct network *, unsigned node_count, bool slows,
                                  struct error *);
void network_close(struct network *); /* also of one that is not open */

/* "10.0.1.2" */
void network_address(unsigned node, char address[NETWORK_ADDRESS_SIZE]);
/* False: it cannot. Safe behind fork() in a process with threads. */
bool network_enter(const struct network *, unsigned node);

MUST_USE enum status network_part(const struct network *, unsigned node, bool begins,
                                  struct error *);
/*
 * How many packets were sent to the node so far, and how many the hub has dropped, as it does those of a
 * partition. 0: the kernel does not say. By the thread that has opened the network.
 */
uint64_t network_sent(unsigned node);
uint64_t network_dropped(void);
/* Packets to the node take 80 to 120 ms more. */
MUST_USE enum status network_slow(const struct network *, unsigned node, bool begins,
                                  struct error *);

#endif
