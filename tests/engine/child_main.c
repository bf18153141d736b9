/* A device's child for tests: as the program's own, but it misbehaves as CUZK_TEST_CHILD says. The first word
 * is what it does, the second the stage at which. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/device_child.h"
#ifdef CUZK_HAVE_CUDA
#include "support/illegal_access.h"
#endif

static struct cuzk_device *device;
static const struct cuzk_device_ops *inner;
static struct cuzk_device_ops ops;
static const char *deed;

static enum cuzk_status stage(struct cuzk_device *base, unsigned slot, enum cuzk_sched_stage which,
                              struct cuzk_device_unit *unit, struct cuzk_error *err)
{
    const char *at = strchr(deed, ' ');

    if (at == NULL || strcmp(at + 1, cuzk_sched_stage_name(which)) != 0)
        return inner->stage(base, slot, which, unit, err);
    if (strncmp(deed, "kill", 4) == 0)
        raise(SIGKILL);
    if (strncmp(deed, "segv", 4) == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (strncmp(deed, "exit", 4) == 0)
        _exit(7);
    if (strncmp(deed, "nonsense", 8) == 0) { /* past the protocol, on every socket there is */
        for (int fd = 3; fd < 64; fd++)
            (void)!write(fd, "nonsense", 8);
        pause();
    }
#ifdef CUZK_HAVE_CUDA
    if (strncmp(deed, "illegal", 7) == 0) { /* whatever comes next on the device finds out */
        illegal_access();
        return inner->stage(base, slot, which, unit, err);
    }
#endif
    return cuzk_error_set(err, CUZK_DEVICE_LOST, "an illegal access (simulated)");
}

static enum cuzk_status make(const char *choice, unsigned threads, unsigned slots, struct cuzk_device **out,
                             struct cuzk_error *err)
{
    if (strcmp(deed, "refuse") == 0)
        return cuzk_error_set(err, CUZK_NOT_FOUND, "no such device here");
    CUZK_TRY(cuzk_device_make(choice, threads, slots, out, err));
    device = *out;
    inner = device->ops;
    ops = *inner;
    ops.stage = stage;
    device->ops = &ops;
    return CUZK_OK;
}

int main(void)
{
    struct cuzk_error err = {0};

    deed = getenv("CUZK_TEST_CHILD") != NULL ? getenv("CUZK_TEST_CHILD") : "";
    if (strcmp(deed, "gone") == 0)
        return 3;
    return cuzk_device_child_run(CUZK_DEVICE_CHILD_SOCKET, make, &err) == CUZK_OK ? 0 : 4;
}
