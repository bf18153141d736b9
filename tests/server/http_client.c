#include "server/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { ANSWER_ROOM = 1 << 20, ANSWER_MS = 10000 };

int http_client_connect(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

bool http_client_send(int socket, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        const ssize_t n = send(socket, text, left, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        text += n;
        left -= (size_t)n;
    }
    return true;
}

size_t http_client_read(int socket, char *out, size_t room, const char *until, unsigned timeout_ms)
{
    const uint64_t end = cuzk_clock_ns() + timeout_ms * UINT64_C(1000000);
    size_t used = 0;

    out[0] = '\0';
    while (used + 1 < room && (until == NULL || strstr(out, until) == NULL)) {
        struct pollfd wait = {.fd = socket, .events = POLLIN};
        const uint64_t now = cuzk_clock_ns();

        if (now >= end || poll(&wait, 1, (int)((end - now) / 1000000) + 1) <= 0)
            break;
        const ssize_t n = recv(socket, out + used, room - 1 - used, 0);

        if (n <= 0)
            break;
        used += (size_t)n;
        out[used] = '\0';
    }
    return used;
}

bool http_client_closed(int socket, unsigned timeout_ms)
{
    const uint64_t end = cuzk_clock_ns() + timeout_ms * UINT64_C(1000000);
    char text[4096];

    for (uint64_t now; (now = cuzk_clock_ns()) < end;) {
        struct pollfd wait = {.fd = socket, .events = POLLIN};

        if (poll(&wait, 1, (int)((end - now) / 1000000) + 1) > 0 && recv(socket, text, sizeof text, 0) <= 0)
            return true;
    }
    return false;
}

char *http_client_get(uint16_t port, const char *method, const char *path, const char *headers)
{
    char *answer = malloc(ANSWER_ROOM);
    char request[4096];
    const int fd = http_client_connect(port);

    answer[0] = '\0';
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n%s\r\n",
             method, path, headers);
    if (fd >= 0 && http_client_send(fd, request))
        http_client_read(fd, answer, ANSWER_ROOM, NULL, ANSWER_MS);
    if (fd >= 0)
        close(fd);
    return answer;
}
