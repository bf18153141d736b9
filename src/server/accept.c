#include "server/accept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEPT = 64 }; /* descriptors that no connection gets: the journal, spooled requests, children, /proc */

static _Atomic(const struct cuzk_log *) watcher;
static atomic_uint_fast64_t refused;

/* Where every descriptor is in use (by the whole machine, or connections that were there before a limit was
 * lowered), this one is lent to the connection that is to be closed. */
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static int spare = -1;

static int descriptors_most(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return (int)limit.rlim_cur;
}

enum cuzk_status cuzk_accept_watch(const struct cuzk_log *log, struct cuzk_error *err)
{
    const int most = descriptors_most();

    if (log != NULL && most < CUZK_ACCEPT_DESCRIPTORS_LEAST)
        return cuzk_error_set(err, CUZK_IO,
                              "this process may open %d descriptors; the daemon needs %d (ulimit -n, "
                              "LimitNOFILE=)",
                              most, CUZK_ACCEPT_DESCRIPTORS_LEAST);
    atomic_store(&watcher, log);
    pthread_mutex_lock(&spare_lock);
    if (spare < 0 && log != NULL)
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (spare >= 0 && log == NULL) {
        close(spare);
        spare = -1;
    }
    pthread_mutex_unlock(&spare_lock);
    return CUZK_OK;
}

uint64_t cuzk_accept_refused(void)
{
    return atomic_load(&refused);
}

static void say_refused(int most)
{
    const uint64_t count = atomic_fetch_add(&refused, 1) + 1;

    cuzk_log_line(atomic_load(&watcher), CUZK_LOG_WARNING,
                  "connections are refused: nearly all of %d descriptors are in use (%" PRIu64 " so far)",
                  most, count);
}

/* Takes a connection with the spare descriptor and closes it. False: there was none to take. */
static bool take_and_close(int socket)
{
    pthread_mutex_lock(&spare_lock);
    if (spare >= 0)
        close(spare);
    const int got = (int)syscall(SYS_accept4, socket, NULL, NULL, SOCK_CLOEXEC);

    if (got >= 0)
        close(got);
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pthread_mutex_unlock(&spare_lock);
    return got >= 0;
}

/* The connection that was waiting is gone, or the network said so (accept(2)): the next, please. */
static bool concerns_one_connection(int error)
{
    switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return true;
    default:
        return false;
    }
}

/* accept4 of the whole process, libraries included. The name is ours: libc's prototype takes a union for the
 * address, which gcc lets nobody else define. */
int cuzk_accept_connection(int socket, struct sockaddr *address, socklen_t *length,
                           int flags) __asm__("accept4") __attribute__((visibility("default")));

int cuzk_accept_connection(int socket, struct sockaddr *address, socklen_t *length, int flags)
{
    const int most = descriptors_most(), room = most >= 2 * KEPT ? most - KEPT : most;
    const socklen_t length_given = length != NULL ? *length : 0;

    for (;;) {
        if (length != NULL)
            *length = length_given;
        const int got = (int)syscall(SYS_accept4, socket, address, length, flags);

        if (got >= 0 && got < room)
            return got;
        if (got >= 0) {
            close(got);
            say_refused(most);
        } else if (errno == EMFILE || errno == ENFILE) {
            say_refused(most);
            if (!take_and_close(socket)) {
                errno = EAGAIN;
                return -1;
            }
        } else if (!concerns_one_connection(errno)) {
            if (errno == ENOMEM || errno == ENOBUFS)
                errno = EAGAIN;
            return -1;
        }
    }
}
