#include "programs/engine.h"

#include <string.h>

#include "tests/fixture.h"
#include "tests/programs/engine_answer.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--answer") == 0)
        return engine_answer_all(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "--script") == 0)
        return engine_answer_script(arguments[2]);
    UNITY_BEGIN();
    return UNITY_END();
}
