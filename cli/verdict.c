#include "cli/verdict.h"

const char *verdict_name(enum verdict verdict)
{
    return verdict == VERDICT_VALID ? "valid" : verdict == VERDICT_INVALID ? "invalid" : "unknown";
}

enum exit_code verdict_exit_code(enum verdict verdict)
{
    return verdict == VERDICT_VALID     ? EXIT_VALID
           : verdict == VERDICT_INVALID ? EXIT_VIOLATION
                                        : EXIT_UNDECIDED;
}
