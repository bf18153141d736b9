#include "base/clock.h"

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;

    if (clock_gettime(id, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t cuzk_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t cuzk_clock_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t cuzk_clock_unix_seconds(void)
{
    return read_clock(CLOCK_REALTIME) / UINT64_C(1000000000);
}

struct timespec cuzk_clock_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / UINT64_C(1000000000)), (long)(ns % UINT64_C(1000000000))};
}

void cuzk_clock_pause_ms(uint64_t ms)
{
    const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

    nanosleep(&time, NULL);
}
