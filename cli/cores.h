/*
 * cores: the number of threads to use unless the user says otherwise.
 */
#ifndef CLI_CORES_H
#define CLI_CORES_H

#define CORES_MAX 1024 /* threads that may be asked for */

/* The machine's cores that are in use, at least 1 and at the most CORES_MAX. */
unsigned cores_count(void);

#endif
