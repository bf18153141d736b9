#include "server/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdbool.h>
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

/* A key that wants a passphrase has nobody to ask. */
static int no_passphrase(char *text, int room, int writing, void *context)
{
    (void)text, (void)room, (void)writing, (void)context;
    return -1;
}

static X509 *parse_certificate(const char *text)
{
    BIO *bio = BIO_new_mem_buf(text, -1);
    X509 *certificate = bio != NULL ? PEM_read_bio_X509(bio, NULL, no_passphrase, NULL) : NULL;

    BIO_free(bio);
    return certificate;
}

static EVP_PKEY *parse_key(const char *text)
{
    BIO *bio = BIO_new_mem_buf(text, -1);
    EVP_PKEY *key = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;

    BIO_free(bio);
    return key;
}

/* What libgrpc would find out at the next handshake only, and then keep to itself. */
static enum cuzk_status check_all(const struct cuzk_tls_files *files, const struct pem *pem,
                                  struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    X509 *const certificate = parse_certificate(pem->certificate), *const ca = parse_certificate(pem->ca);
    EVP_PKEY *const key = parse_key(pem->key);

    if (certificate == NULL)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: the certificate cannot be read", files->certificate);
    else if (key == NULL)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: the private key cannot be read, or has a passphrase",
                                files->key);
    else if (ca == NULL)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: the CA certificate cannot be read", files->ca);
    else if (X509_check_private_key(certificate, key) != 1)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: is not the private key of the certificate %s",
                                files->key, files->certificate);
    ERR_clear_error();
    EVP_PKEY_free(key);
    X509_free(ca);
    X509_free(certificate);
    return status;
}

static enum cuzk_status read_all(const struct cuzk_tls_files *files, struct pem *pem, struct cuzk_error *err)
{
    CUZK_TRY(
        read_pem(files->certificate, "certificate", "-----BEGIN CERTIFICATE-----", &pem->certificate, err));
    CUZK_TRY(read_pem(files->key, "private key", "PRIVATE KEY-----", &pem->key, err));
    CUZK_TRY(read_pem(files->ca, "CA certificate", "-----BEGIN CERTIFICATE-----", &pem->ca, err));
    return check_all(files, pem, err);
}

static void forget(struct pem *pem)
{
    cuzk_mem_free(pem->certificate);
    cuzk_mem_free_wiped(pem->key);
    cuzk_mem_free(pem->ca);
}

/* ---- a server's ---- */

struct cuzk_tls_source {
    pthread_mutex_t lock; /* guards what follows */
    struct pem pem;
    bool fresh; /* not fetched yet */
};

enum cuzk_status cuzk_tls_source_reload(struct cuzk_tls_source *source, const struct cuzk_tls_files *files,
                                        struct cuzk_error *err)
{
    struct pem pem = {NULL, NULL, NULL};
    enum cuzk_status status = read_all(files, &pem, err);

    if (status == CUZK_OK) {
        pthread_mutex_lock(&source->lock);
        const struct pem before = source->pem;

        source->pem = pem;
        source->fresh = true;
        pthread_mutex_unlock(&source->lock);
        pem = before;
    }
    forget(&pem);
    return status;
}

enum cuzk_status cuzk_tls_source_create(const struct cuzk_tls_files *files, struct cuzk_tls_source **out,
                                        struct cuzk_error *err)
{
    struct cuzk_tls_source *source;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&source, 1, "certificates", err));
    pthread_mutex_init(&source->lock, NULL);
    const enum cuzk_status status = cuzk_tls_source_reload(source, files, err);

    if (status == CUZK_OK)
        *out = source;
    else
        cuzk_tls_source_destroy(source);
    return status;
}

void cuzk_tls_source_destroy(struct cuzk_tls_source *source)
{
    if (source == NULL)
        return;
    forget(&source->pem);
    pthread_mutex_destroy(&source->lock);
    cuzk_mem_free(source);
}

/* Asked by libgrpc before each handshake. */
static grpc_ssl_certificate_config_reload_status fetch(void *context,
                                                       grpc_ssl_server_certificate_config **config)
{
    struct cuzk_tls_source *source = context;
    grpc_ssl_certificate_config_reload_status result = GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;

    pthread_mutex_lock(&source->lock);
    if (source->fresh) {
        const grpc_ssl_pem_key_cert_pair pair = {source->pem.key, source->pem.certificate};

        *config = grpc_ssl_server_certificate_config_create(source->pem.ca, &pair, 1);
        source->fresh = false;
        result = *config != NULL ? GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW
                                 : GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_FAIL;
    }
    pthread_mutex_unlock(&source->lock);
    return result;
}

enum cuzk_status cuzk_tls_server_credentials(struct cuzk_tls_source *source, grpc_server_credentials **out,
                                             struct cuzk_error *err)
{
    *out = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(
            GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY, fetch, source));
    return *out != NULL ? CUZK_OK
                        : cuzk_error_set(err, CUZK_INPUT, "the certificate and its key cannot be used");
}

/* ---- a client's ---- */

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
