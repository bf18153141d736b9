/*
 * How soon a thread runs once what it waits for is there, while others keep the processors busy. On a kernel
 * that lets a running thread finish its slice that is a tick of the clock otherwise: 4 ms where a disk's sync
 * takes 0.1.
 */
#ifndef CUZK_BASE_THREAD_H
#define CUZK_BASE_THREAD_H

#include <stdbool.h>

/* For a thread that mostly waits and then has little to do. With `realtime` it goes before all threads of the
 * normal class (SCHED_FIFO, lowest priority) where the process may do so (RLIMIT_RTPRIO); else it asks for
 * short slices (Linux 6.12 and later; nothing before), which give it no more of the processor, but that
 * sooner. Threads that it starts are ordinary ones. The calling thread; cannot fail. */
void cuzk_thread_prefer_soon(bool realtime);

/* For work that nobody waits for: lets threads of ordinary niceness go first, and so do the threads that it
 * starts from then on. It cannot be taken back. The calling thread; cannot fail. */
void cuzk_thread_prefer_late(void);

#endif
