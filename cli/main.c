#include "base/version.h"
#include "cli/command.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv, version_text());
}
