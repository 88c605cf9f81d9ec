#include "cli/cores.h"

#include <unistd.h>

unsigned cores_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    if (count < 1)
        return 1; /* also where the system does not say */
    return count < CORES_MAX ? (unsigned)count : CORES_MAX;
}
