#include "base/thread.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the kernel has it; glibc before 2.41 does not. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

enum {
    RESET_ON_FORK = 1, /* SCHED_FLAG_RESET_ON_FORK */
    SLICE_NS = 100000, /* the shortest that there is */
    LATE_NICE = 10,    /* a tenth of the share of an ordinary thread that wants the same processor */
};

static bool set(const struct attributes *attributes)
{
    return syscall(SYS_sched_setattr, 0, attributes, 0) == 0;
}

void cuzk_thread_prefer_soon(bool realtime)
{
    struct attributes now = {.size = sizeof now};

    if (realtime &&
        set(&(struct attributes){
            .size = sizeof(struct attributes), .policy = SCHED_FIFO, .flags = RESET_ON_FORK, .priority = 1}))
        return;
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER)
        return;
    now.size = sizeof now;
    now.flags = RESET_ON_FORK;
    now.runtime = SLICE_NS;
    (void)set(&now);
}

void cuzk_thread_prefer_late(void)
{
    if (getpriority(PRIO_PROCESS, (id_t)gettid()) < LATE_NICE)
        (void)setpriority(PRIO_PROCESS, (id_t)gettid(), LATE_NICE);
}
