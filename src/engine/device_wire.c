#include "engine/device_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void cuzk_wire_init(struct cuzk_wire_message *message, enum cuzk_wire_kind kind)
{
    memset(message, 0, sizeof *message);
    message->mark = CUZK_WIRE_MARK;
    message->kind = kind;
}

/* ---- checks ---- */

static enum cuzk_status within(const char *field, uint64_t value, uint64_t end, struct cuzk_error *err)
{
    if (value < end)
        return CUZK_OK;
    return cuzk_error_set(err, CUZK_INPUT, "message of a device: %s: expected less than %llu, found %llu",
                          field, (unsigned long long)end, (unsigned long long)value);
}

static enum cuzk_status terminated(const char *field, const char *text, size_t room, struct cuzk_error *err)
{
    if (memchr(text, '\0', room) != NULL)
        return CUZK_OK;
    return cuzk_error_set(err, CUZK_INPUT,
                          "message of a device: %s: expected a text of less than %zu bytes, found no end",
                          field, room);
}

enum cuzk_status cuzk_wire_check(const void *bytes, size_t n, struct cuzk_wire_message *out,
                                 struct cuzk_error *err)
{
    if (n != sizeof *out)
        return cuzk_error_set(err, CUZK_INPUT, "message of a device: expected %zu bytes, found %zu",
                              sizeof *out, n);
    if (bytes != out)
        memcpy(out, bytes, sizeof *out);
    if (out->mark != CUZK_WIRE_MARK)
        return cuzk_error_set(err, CUZK_INPUT, "message of a device: mark: expected %08x, found %08x",
                              CUZK_WIRE_MARK, out->mark);
    CUZK_TRY(within("kind", out->kind, CUZK_WIRE_KINDS, err));
    CUZK_TRY(within("status", out->status, (uint64_t)CUZK_INTERNAL + 1, err));
    CUZK_TRY(within("stage", out->stage, CUZK_STAGES, err));
    CUZK_TRY(within("stages", out->stages, CUZK_STAGE_BIT(CUZK_STAGES), err));
    CUZK_TRY(within("slot", out->slot, CUZK_WIRE_SLOTS_MOST, err));
    CUZK_TRY(within("slots", out->slots, CUZK_WIRE_SLOTS_MOST + 1, err));
    CUZK_TRY(within("first", out->first, 2, err));
    CUZK_TRY(within("circuit", (uint64_t)out->circuit.kind, CUZK_CIRCUIT_KINDS, err));
    CUZK_TRY(terminated("backend", out->facts.backend, sizeof out->facts.backend, err));
    CUZK_TRY(terminated("name", out->facts.name, sizeof out->facts.name, err));
    CUZK_TRY(terminated("id", out->facts.id, sizeof out->facts.id, err));
    return terminated("text", out->text, sizeof out->text, err);
}

/* ---- sockets ---- */

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * (CUZK_WIRE_SLOTS_MOST + 1))];
};

static enum cuzk_status gone(const char *what, int error, struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_DEVICE_LOST, "%s the other end of a device: %s", what,
                          error == 0 ? "it is closed" : strerror(error));
}

enum cuzk_status cuzk_wire_send(int fd, const struct cuzk_wire_message *message, const int *fds,
                                unsigned count, struct cuzk_error *err)
{
    struct iovec part = {.iov_base = (void *)(uintptr_t)message, .iov_len = sizeof *message};
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
    union control control = {0};
    ssize_t sent;

    if (count > 0) {
        packet.msg_control = control.bytes;
        packet.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
    }
    do
        sent = sendmsg(fd, &packet, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent != (ssize_t)sizeof *message)
        return gone("writing to", sent < 0 ? errno : 0, err);
    return CUZK_OK;
}

/* Takes what came along: into fds as far as there is room; the rest is closed. False: there was a rest. */
static bool take_descriptors(struct msghdr *packet, int *fds, unsigned room, unsigned *count)
{
    bool all = (packet->msg_flags & MSG_CTRUNC) == 0;

    for (struct cmsghdr *h = CMSG_FIRSTHDR(packet); h != NULL; h = CMSG_NXTHDR(packet, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(h) + i * sizeof fd, sizeof fd);
            if (*count < room) {
                fds[(*count)++] = fd;
            } else {
                close(fd);
                all = false;
            }
        }
    }
    return all;
}

enum cuzk_status cuzk_wire_receive(int fd, struct cuzk_wire_message *out, int *fds, unsigned room,
                                   unsigned *count, struct cuzk_error *err)
{
    struct iovec part = {.iov_base = out, .iov_len = sizeof *out};
    union control control = {0};
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    enum cuzk_status status = CUZK_OK;
    unsigned taken = 0;
    ssize_t got;

    do
        got = recvmsg(fd, &packet, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return gone("reading from", got < 0 ? errno : 0, err);
    const bool all = take_descriptors(&packet, fds, room, &taken);

    if ((packet.msg_flags & MSG_TRUNC) != 0)
        status = cuzk_error_set(err, CUZK_INPUT, "message of a device: expected %zu bytes, found more",
                                sizeof *out);
    else if (!all)
        status =
            cuzk_error_set(err, CUZK_INPUT, "message of a device: expected at most %u descriptors", room);
    else
        status = cuzk_wire_check(out, (size_t)got, out, err);
    if (status != CUZK_OK)
        for (; taken > 0; taken--)
            close(fds[taken - 1]);
    if (count != NULL)
        *count = taken;
    return status;
}
