#include "server/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/address.h"

/* The folder of a socket, where it alone is missing: the default's, /run/cuzk, is not there before a first
 * start by hand. The socket's own mode says who may connect. */
static enum cuzk_status make_folder(const char *path, struct cuzk_error *err)
{
    char folder[CUZK_LISTENER_TEXT];
    char *end;

    snprintf(folder, sizeof folder, "%s", path);
    end = strrchr(folder, '/');
    if (end == NULL || end == folder)
        return CUZK_OK;
    *end = '\0';
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return cuzk_error_set(err, CUZK_IO, "%s: cannot be made, for the socket (--listen): %s", folder,
                              strerror(errno));
    return CUZK_OK;
}

static enum cuzk_status lock_socket(struct cuzk_listener *out, struct cuzk_error *err)
{
    char path[CUZK_LISTENER_TEXT + 8];
    struct stat there;

    if (lstat(out->path, &there) == 0 && !S_ISSOCK(there.st_mode))
        return cuzk_error_set(err, CUZK_EXISTS, "%s: is there and is no socket", out->path);
    CUZK_TRY(make_folder(out->path, err));
    snprintf(path, sizeof path, "%s.lock", out->path);
    out->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out->lock < 0)
        return cuzk_error_set(err, CUZK_IO, "%s: opening: %s", path, strerror(errno));
    if (flock(out->lock, LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;

        cuzk_listener_close(out);
        if (reason == EWOULDBLOCK)
            return cuzk_error_set(err, CUZK_EXISTS, "%s: another daemon listens there", out->path);
        return cuzk_error_set(err, CUZK_IO, "%s: locking: %s", path, strerror(reason));
    }
    return CUZK_OK;
}

static bool is_loopback(const struct sockaddr *address)
{
    const void *any = address;

    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = any;

        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *six = any;

    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* The number that was looked at is the one that is bound, whatever the name may mean a moment later. */
static enum cuzk_status open_tcp(const char *text, const struct cuzk_address *address, bool tls,
                                 struct cuzk_listener *out, struct cuzk_error *err)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    char number[INET6_ADDRSTRLEN + 16];
    const int failed = getaddrinfo(address->host, NULL, &hints, &found);

    if (failed != 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: %s", text, gai_strerror(failed));
    if (!tls && !is_loopback(found->ai_addr)) {
        freeaddrinfo(found);
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "%s: lies off the loopback, and no certificates are configured: without mutual TLS "
            "anyone could submit",
            text);
    }
    getnameinfo(found->ai_addr, found->ai_addrlen, number, sizeof number, NULL, 0, NI_NUMERICHOST);
    snprintf(out->target, sizeof out->target, found->ai_family == AF_INET6 ? "[%s]:%u" : "%s:%u", number,
             (unsigned)address->port);
    freeaddrinfo(found);
    return CUZK_OK;
}

enum cuzk_status cuzk_listener_open(const char *address, bool tls, struct cuzk_listener *out,
                                    struct cuzk_error *err)
{
    struct cuzk_address parsed;

    *out = (struct cuzk_listener){.lock = -1};
    CUZK_TRY(cuzk_address_parse("gRPC address", address, &parsed, err));
    if (!parsed.local)
        return open_tcp(address, &parsed, tls, out, err);
    snprintf(out->path, sizeof out->path, "%s", parsed.path);
    snprintf(out->target, sizeof out->target, "unix:%s", parsed.path);
    return lock_socket(out, err);
}

void cuzk_listener_close(struct cuzk_listener *listener)
{
    if (listener->lock >= 0)
        close(listener->lock);
    listener->lock = -1;
}
