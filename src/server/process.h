/* What this process uses of the machine, from /proc and the kernel. Thread-safe. */
#ifndef CUZK_SERVER_PROCESS_H
#define CUZK_SERVER_PROCESS_H

#include <stdint.h>

struct cuzk_process_usage {
    double cpu_seconds;    /* user and system, all threads, since the start */
    double start_seconds;  /* since 1970-01-01 UTC */
    uint64_t resident;     /* bytes */
    uint64_t virtual_size; /* bytes */
    uint64_t threads;
    uint64_t open_fds, most_fds; /* descriptors: open now, and the limit */
};

/* What cannot be read is 0. */
void cuzk_process_usage(struct cuzk_process_usage *out);

#endif
