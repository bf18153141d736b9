#include "engine/made_parameters.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int made_parameters(const char *circuit, const char *folder)
{
    char *const program = getenv("CUZK_PROGRAM");
    char command[] = "setup", out[] = "--out", name[32], where[256];
    char *const arguments[] = {program, command, name, out, where, NULL};
    int ended = -1;
    pid_t child;

    snprintf(name, sizeof name, "%s", circuit);
    snprintf(where, sizeof where, "%s", folder);
    if (program == NULL || posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0)
        return -1;
    return waitpid(child, &ended, 0) == child && ended == 0 ? 0 : -1;
}
