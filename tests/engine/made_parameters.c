#include "engine/made_parameters.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int made_parameters(const char *circuit, const char *folder)
{
    char *const program = getenv("CUZK_PROGRAM");
    const char *const arguments[] = {program, "setup", circuit, "--out", folder, NULL};
    int ended = -1;
    pid_t child;

    if (posix_spawn(&child, program, NULL, NULL, (char *const *)(void *)(size_t)arguments, environ) != 0)
        return -1;
    return waitpid(child, &ended, 0) == child && ended == 0 ? 0 : -1;
}
