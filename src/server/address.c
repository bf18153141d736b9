#include "server/address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static bool is_loopback(const char *host)
{
    struct in6_addr six;
    struct in_addr four;

    if (inet_pton(AF_INET, host, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, host, &six) == 1)
        return IN6_IS_ADDR_LOOPBACK(&six);
    return strcmp(host, "localhost") == 0;
}

static enum cuzk_status parse_local(const char *where, const char *path, struct cuzk_address *out,
                                    struct cuzk_error *err)
{
    const size_t length = strlen(path);

    if (length == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: unix: names no file", where);
    if (length >= sizeof out->path)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: a socket's path has at most %zu bytes, found %zu",
                              where, sizeof out->path - 1, length);
    out->local = true;
    memcpy(out->path, path, length + 1);
    return CUZK_OK;
}

enum cuzk_status cuzk_address_parse(const char *where, const char *text, struct cuzk_address *out,
                                    struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    if (strncmp(text, "unix:", 5) == 0) {
        const char *path = text + 5;

        while (path[0] == '/' && path[1] == '/') /* unix:///run/... */
            path++;
        return parse_local(where, path, out, err);
    }
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    const char *host = text, *digits = colon != NULL ? colon + 1 : "";
    const size_t count = strspn(digits, "0123456789");

    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    } else if (memchr(host, ':', length) != NULL) {
        length = 0; /* an IPv6 address without brackets */
    }
    const unsigned long port = count > 0 && count <= 5 ? strtoul(digits, NULL, 10) : 0;

    if (length == 0 || length >= sizeof out->host || digits[count] != '\0' || port == 0 || port > UINT16_MAX)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "%s: expected unix:PATH, HOST:PORT or [IPv6]:PORT, found '%s'", where, text);
    memcpy(out->host, host, length);
    out->port = (uint16_t)port;
    out->loopback = is_loopback(out->host);
    return CUZK_OK;
}
