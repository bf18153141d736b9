#include "cli/proof_file.h"

#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"

/* Digits in the file if it is nothing but hex digits and white space at the end, else 0. */
static size_t hex_digits(const uint8_t *text, size_t length)
{
    size_t n = length;

    while (n > 0 && strchr(" \n\r\t", text[n - 1]) != NULL && text[n - 1] != '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0' || strchr("0123456789abcdefABCDEF", text[i]) == NULL)
            return 0;
    return n % 2 == 0 ? n : 0;
}

enum cuzk_status cli_proof_read(const char *path, uint8_t **bytes, size_t *length, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_file_map map;

    *bytes = NULL;
    CUZK_TRY(cuzk_file_map_open(path, "proof", CLI_PROOF_BYTES_MOST, &map, err));
    const size_t digits = hex_digits(map.bytes, (size_t)map.length);

    *length = digits > 0 ? digits / 2 : (size_t)map.length;
    CUZK_TRY_OUT(CUZK_NEW(bytes, *length, "proof", err));
    if (digits > 0)
        CUZK_TRY_OUT(cuzk_hex_decode(path, (const char *)map.bytes, digits, *bytes, *length, err));
    else
        memcpy(*bytes, map.bytes, *length);
out:
    cuzk_file_map_close(&map);
    if (status != CUZK_OK) {
        cuzk_mem_free(*bytes);
        *bytes = NULL;
    }
    return status;
}

enum cuzk_status cli_proof_say(struct cli_session *session, const uint8_t *proof, size_t length,
                               struct cuzk_error *err)
{
    char *hex;

    CUZK_TRY(CUZK_NEW(&hex, 2 * length + 1, "proof as text", err));
    cuzk_hex_encode(proof, length, hex);
    cli_session_say(session, "%s", hex);
    cuzk_mem_free(hex);
    return CUZK_OK;
}
