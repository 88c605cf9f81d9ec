#include "trial/run/verdict.h"

const char *verdict_name(enum verdict verdict)
{
    return verdict == VERDICT_VALID ? "valid" : verdict == VERDICT_INVALID ? "invalid" : "unknown";
}
