#include "cli/command.h"
#include "cli/version.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv, version_text());
}
