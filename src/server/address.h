/* Where the daemon listens and clients call: "unix:PATH" or "HOST:PORT" ("[::1]:9820" for IPv6). */
#ifndef CUZK_SERVER_ADDRESS_H
#define CUZK_SERVER_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { CUZK_ADDRESS_HOST = 256, CUZK_ADDRESS_PATH = 108 };

struct cuzk_address {
    bool local;                   /* a unix socket */
    char path[CUZK_ADDRESS_PATH]; /* of it, as the kernel takes it */
    char host[CUZK_ADDRESS_HOST]; /* without brackets */
    uint16_t port;
    bool loopback; /* "localhost", 127.x.y.z or ::1 */
};

/* `where` names the source in errors. Errors: ARGUMENT. */
enum cuzk_status cuzk_address_parse(const char *where, const char *text, struct cuzk_address *out,
                                    struct cuzk_error *err);

#endif
