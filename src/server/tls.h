/* Certificates as libgrpc's credentials: both sides show one and check the other's. */
#ifndef CUZK_SERVER_TLS_H
#define CUZK_SERVER_TLS_H

#include <grpc/grpc_security.h>

#include "base/error.h"
#include "server/listener.h"

/* What new connections to a server are greeted with: it may change while the server runs. Thread-safe. */
struct cuzk_tls_source;

/* Errors: ARGUMENT (one of three is missing), NOT_FOUND, INPUT, MEMORY. */
enum cuzk_status cuzk_tls_source_create(const struct cuzk_tls_files *files, struct cuzk_tls_source **out,
                                        struct cuzk_error *err);
/* After the server's end. NULL is fine. */
void cuzk_tls_source_destroy(struct cuzk_tls_source *source);

/* Reads the files anew; connections from now on get what they hold, those that there are keep theirs. Errors:
 * as create (INPUT: also a key that is not the certificate's); nothing has changed then. */
enum cuzk_status cuzk_tls_source_reload(struct cuzk_tls_source *source, const struct cuzk_tls_files *files,
                                        struct cuzk_error *err);

/* The source must outlive them. Errors: INPUT. */
enum cuzk_status cuzk_tls_server_credentials(struct cuzk_tls_source *source, grpc_server_credentials **out,
                                             struct cuzk_error *err);

/* Errors: ARGUMENT (one of three is missing), NOT_FOUND, INPUT, MEMORY. */
enum cuzk_status cuzk_tls_client_credentials(const struct cuzk_tls_files *files,
                                             grpc_channel_credentials **out, struct cuzk_error *err);

#endif
