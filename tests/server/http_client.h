/* Raw HTTP over a socket, for tests: what is sent is exactly what is given. */
#ifndef CUZK_TESTS_SERVER_HTTP_CLIENT_H
#define CUZK_TESTS_SERVER_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A connection to 127.0.0.1; -1 where it is refused. */
int http_client_connect(uint16_t port);

/* Sends all of it; false where the other side has closed. */
bool http_client_send(int socket, const char *text);

/* Reads until `until` has been seen (NULL: until the end), at most timeout_ms; the text so far, terminated.
 */
size_t http_client_read(int socket, char *out, size_t room, const char *until, unsigned timeout_ms);

/* Whether the other side closes within timeout_ms. */
bool http_client_closed(int socket, unsigned timeout_ms);

/* One request with "Host: 127.0.0.1" and "Connection: close"; more header lines may be given. free() it. */
char *http_client_get(uint16_t port, const char *method, const char *path, const char *headers);

#endif
