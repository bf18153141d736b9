#include "server/tls.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { PEM_BYTES_MOST = 1 << 20 };

struct pem {
    char *certificate, *key, *ca;
};

static enum cuzk_status read_pem(const char *path, const char *what, const char *mark, char **out,
                                 struct cuzk_error *err)
{
    struct cuzk_file_map map;

    if (path == NULL)
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "%s: not given: mutual TLS needs a certificate, its key and the other side's CA", what);
    CUZK_TRY(cuzk_file_map_open(path, what, PEM_BYTES_MOST, &map, err));
    enum cuzk_status status = CUZK_NEW(out, (size_t)map.length + 1, what, err);

    if (status == CUZK_OK) {
        memcpy(*out, map.bytes, (size_t)map.length);
        if (strstr(*out, mark) == NULL)
            status = cuzk_error_set(err, CUZK_INPUT, "%s: no PEM file with a %s in it", path, what);
    }
    cuzk_file_map_close(&map);
    return status;
}

static enum cuzk_status read_all(const struct cuzk_tls_files *files, struct pem *pem, struct cuzk_error *err)
{
    CUZK_TRY(
        read_pem(files->certificate, "certificate", "-----BEGIN CERTIFICATE-----", &pem->certificate, err));
    CUZK_TRY(read_pem(files->key, "private key", "PRIVATE KEY-----", &pem->key, err));
    return read_pem(files->ca, "CA certificate", "-----BEGIN CERTIFICATE-----", &pem->ca, err);
}

static void forget(struct pem *pem)
{
    cuzk_mem_free(pem->certificate);
    cuzk_mem_free_wiped(pem->key);
    cuzk_mem_free(pem->ca);
}

enum cuzk_status cuzk_tls_server_credentials(const struct cuzk_tls_files *files,
                                             grpc_server_credentials **out, struct cuzk_error *err)
{
    struct pem pem = {NULL, NULL, NULL};
    enum cuzk_status status = read_all(files, &pem, err);

    *out = NULL;
    if (status == CUZK_OK) {
        grpc_ssl_pem_key_cert_pair pair = {pem.key, pem.certificate};

        *out = grpc_ssl_server_credentials_create_ex(
            pem.ca, &pair, 1, GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY, NULL);
        if (*out == NULL)
            status = cuzk_error_set(err, CUZK_INPUT, "%s: the certificate and its key cannot be used",
                                    files->certificate);
    }
    forget(&pem);
    return status;
}

enum cuzk_status cuzk_tls_client_credentials(const struct cuzk_tls_files *files,
                                             grpc_channel_credentials **out, struct cuzk_error *err)
{
    struct pem pem = {NULL, NULL, NULL};
    enum cuzk_status status = read_all(files, &pem, err);

    *out = NULL;
    if (status == CUZK_OK) {
        grpc_ssl_pem_key_cert_pair pair = {pem.key, pem.certificate};

        *out = grpc_ssl_credentials_create(pem.ca, &pair, NULL, NULL);
        if (*out == NULL)
            status = cuzk_error_set(err, CUZK_INPUT, "%s: the certificate and its key cannot be used",
                                    files->certificate);
    }
    forget(&pem);
    return status;
}
