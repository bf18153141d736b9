/* Certificates as libgrpc's credentials: both sides show one and check the other's. */
#ifndef CUZK_SERVER_TLS_H
#define CUZK_SERVER_TLS_H

#include <grpc/grpc_security.h>

#include "base/error.h"
#include "server/listener.h"

/* Errors: ARGUMENT (one of three is missing), NOT_FOUND, INPUT, MEMORY. */
enum cuzk_status cuzk_tls_server_credentials(const struct cuzk_tls_files *files,
                                             grpc_server_credentials **out, struct cuzk_error *err);
enum cuzk_status cuzk_tls_client_credentials(const struct cuzk_tls_files *files,
                                             grpc_channel_credentials **out, struct cuzk_error *err);

#endif
