/* Time: a monotonic clock for durations, the calendar for file headers. Thread-safe. */
#ifndef CUZK_BASE_CLOCK_H
#define CUZK_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_NS_PER_MS UINT64_C(1000000)

/* Nanoseconds since an arbitrary start (CLOCK_MONOTONIC). */
uint64_t cuzk_clock_ns(void);

/* Nanoseconds of processor time that this process has used, all threads together. */
uint64_t cuzk_clock_cpu_ns(void);

/* Nanoseconds of a clock, or a length of time, as POSIX wants them. */
struct timespec cuzk_clock_timespec(uint64_t ns);

/* Waits so many milliseconds, less where a signal comes. */
void cuzk_clock_pause_ms(uint64_t ms);

/* Seconds since 1970-01-01 UTC. */
uint64_t cuzk_clock_unix_seconds(void);

#ifdef __cplusplus
}
#endif

#endif
