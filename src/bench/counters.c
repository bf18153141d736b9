#include "bench/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODE(result) (PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 | (result) << 16)

static const struct {
    uint32_t type;
    uint64_t config;
} events[CUZK_COUNTERS] = {
    [CUZK_COUNTER_WORK] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    [CUZK_COUNTER_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [CUZK_COUNTER_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [CUZK_COUNTER_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [CUZK_COUNTER_NODE_READS] = {PERF_TYPE_HW_CACHE, NODE(PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    [CUZK_COUNTER_NODE_MISSES] = {PERF_TYPE_HW_CACHE, NODE(PERF_COUNT_HW_CACHE_RESULT_MISS)},
};

static int open_one(enum cuzk_counter counter)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = events[counter].type,
        .config = events[counter].config,
        .inherit = 1,        /* threads and children that are made from here on */
        .exclude_kernel = 1, /* what anybody may count of his own processes */
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void cuzk_counters_begin(struct cuzk_counters *counters)
{
    memset(counters, 0, sizeof *counters);
    for (int c = 0; c < CUZK_COUNTERS; c++) {
        counters->fd[c] = open_one((enum cuzk_counter)c);
        if (counters->fd[c] >= 0 || c != CUZK_COUNTER_CYCLES)
            continue;
        snprintf(counters->why, sizeof counters->why, "%s",
                 errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP ? "this machine shows no counters"
                 : errno == EACCES || errno == EPERM ? "kernel.perf_event_paranoid does not allow it"
                                                     : strerror(errno));
    }
}

void cuzk_counters_read(const struct cuzk_counters *counters, double out[CUZK_COUNTERS])
{
    for (int c = 0; c < CUZK_COUNTERS; c++) {
        uint64_t read_out[3]; /* count, time enabled, time running */

        out[c] = 0;
        if (counters->fd[c] < 0 || read(counters->fd[c], read_out, sizeof read_out) != sizeof read_out ||
            read_out[2] == 0)
            continue;
        out[c] = (double)read_out[0] * ((double)read_out[1] / (double)read_out[2]);
    }
}

void cuzk_counters_end(struct cuzk_counters *counters)
{
    for (int c = 0; c < CUZK_COUNTERS; c++) {
        if (counters->fd[c] >= 0)
            close(counters->fd[c]);
        counters->fd[c] = -1;
    }
}
