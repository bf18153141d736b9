#include "base/file_guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A place is free while its length is 0. The handler reads it, so there is no lock: a place is taken by its
 * begin, then published by its length. */
struct place {
    atomic_uintptr_t begin;
    atomic_size_t length;
};

static struct place places[CUZK_FILE_GUARDED_MOST];
static atomic_bool started;
static atomic_uint_fast64_t cuts;
static uintptr_t page;

void cuzk_file_guard_add(const void *begin, size_t length)
{
    if (!atomic_load(&started))
        return;
    for (size_t i = 0; i < CUZK_FILE_GUARDED_MOST; i++) {
        uintptr_t none = 0;

        if (atomic_load(&places[i].begin) == 0 &&
            atomic_compare_exchange_strong(&places[i].begin, &none, (uintptr_t)begin)) {
            atomic_store(&places[i].length, length);
            return;
        }
    }
}

void cuzk_file_guard_remove(const void *begin)
{
    if (!atomic_load(&started))
        return;
    for (size_t i = 0; i < CUZK_FILE_GUARDED_MOST; i++)
        if (atomic_load(&places[i].begin) == (uintptr_t)begin) {
            atomic_store(&places[i].length, 0);
            atomic_store(&places[i].begin, 0);
            return;
        }
}

uint64_t cuzk_file_guard_cut(void)
{
    return atomic_load(&cuts);
}

/* Only what a handler may do: atomics and a system call. The read that came here is made again. */
static void cut(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = (uintptr_t)info->si_addr & ~(page - 1);

    (void)context;
    for (size_t i = 0; i < CUZK_FILE_GUARDED_MOST; i++) {
        const uintptr_t begin = atomic_load(&places[i].begin);
        const size_t length = atomic_load(&places[i].length);

        if (at < begin || at >= begin + length)
            continue;
        if (mmap((void *)at, (begin + length - at + page - 1) & ~(page - 1), PROT_READ,
                 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            break;
        atomic_fetch_add(&cuts, 1);
        return;
    }
    signal(number, SIG_DFL); /* not one of ours: it comes again, and ends the process */
    if (info->si_code <= 0)  /* but where somebody sent it */
        raise(number);
}

void cuzk_file_guard_start(void)
{
    struct sigaction action = {.sa_sigaction = cut, .sa_flags = SA_SIGINFO};

    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&action.sa_mask);
    atomic_store(&started, true);
    sigaction(SIGBUS, &action, NULL);
}
