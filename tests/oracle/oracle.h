/*
 * oracle: decides every level for small histories by trying everything.
 *
 * The ground truth that checkers are tested against. It shares nothing with
 * them, is slow, and takes each definition at its word:
 *
 *     oracle_replay.c   serializable and snapshot, as machines: some order of commits whose
 *                       replay returns what every read returned
 *     oracle_axioms.c   Biswas and Enea, "On the complexity of checking transactional
 *                       consistency" (2019): some total order satisfies an axiom
 *     oracle_view.c     and what some of Adya's levels say of the order within a transaction
 *     oracle_adya.c     Adya: some version order and some version for every read, such that
 *                       oracle_graph.c finds no forbidden cycle
 *
 * Conventions:
 *
 * - Committed transactions all count. Aborted ones are out, so that nobody can
 *   have read from them. Unknown ones are in or out, whatever explains more;
 *   their reads mean nothing. Session order and real time lead into them and
 *   never out of them, as their writes may land at any later time.
 * - Real time: completed before the other's invocation, where both are known.
 *   The strict levels ask for real time and not for sessions: where a session
 *   is sequential in time, that is the same.
 * - A refused operation and a read without answer constrain nothing.
 * - A read finds what its own transaction wrote before it, at every level but
 *   read-uncommitted, Adya's read-committed, and what is made of these and not of
 *   read-atomic or update-atomic (as in Elle, whose `internal` leaves all of
 *   them standing); but at repeatable-read it does.
 * - An append makes a version that holds what the version before it in the
 *   version order holds, and one element more. An empty list is null.
 * - An insert is a blind write: it does not show that the row was absent.
 * - A select reads which rows match, and the rows it returned. An update or
 *   delete reads only which rows match.
 * - At read-uncommitted reads are not judged, but lists show the order of the
 *   transactions that appended, where all lists read of a key are compatible.
 *
 * A certificate, if it is to be used, is the truth, and narrows what is tried:
 * version orders are kept (a writer that an order leaves out may stand
 * anywhere, but an unknown one is out), and a read reads the version that its
 * version set names: if the value differs, nothing explains it, and every level
 * from read-committed upwards is violated. A key that a `set` leaves out has
 * its initial version. Certified levels of the snapshot and serializable
 * families are judged by Adya's graphs.
 */
#ifndef TESTS_ORACLE_ORACLE_H
#define TESTS_ORACLE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "history/history.h"
#include "history/level.h"

enum oracle_answer {
    ORACLE_HOLDS,
    ORACLE_VIOLATED,
    ORACLE_CANNOT_JUDGE, /* too large, or nothing defines it */
};

/*
 *                      Adya      axioms    replay
 *     read-uncommitted default   -         -
 *     read-committed   default   +         -
 *     read-atomic      -         default   -
 *     causal, prefix   -         default   -
 *     snapshot*        +         +         default; Adya with a certificate
 *     repeatable-read  default   -         -
 *     serializable*    +         +         default; Adya with a certificate
 *
 *     strong-*                     default   -         -
 *     monotonic-atomic-view        default   +         -
 *     cursor-stability, monotonic-, consistent-, forward-consistent-view, update-serializable
 *                                  default   -         -
 *     update-atomic                -         default   -
 *     parallel-snapshot-isolation  +         default   -
 *     session guarantees, pram     -         default   -
 *     linearizable                 -         -         default: each key by itself, without
 *                                                      predicates and certificates
 *     monotonic-snapshot-read      -         -         -
 *
 * *: with session- and strict-. The axioms' own snapshot and serializable
 * include session order, so that they are session-snapshot and
 * session-serializable of the others.
 */
enum oracle_definition { ORACLE_DEFAULT, ORACLE_ADYA, ORACLE_AXIOMATIC };

struct oracle_options {
    enum oracle_definition definition;
    bool use_certificate; /* else only what clients saw */
    size_t steps_max;     /* 0: ORACLE_STEPS_MAX */
};

#define ORACLE_STEPS_MAX 2000000 /* some seconds at the worst */
#define ORACLE_TXNS_MAX 24       /* committed and unknown */
#define ORACLE_KEYS_MAX 32

enum oracle_answer oracle_decide(const struct history *, enum level, struct oracle_options);

const char *oracle_answer_name(enum oracle_answer);

#endif
