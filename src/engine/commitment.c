#include "engine/commitment.h"

#include <string.h>

enum { PREFIX_MOST = 8 };

static const struct {
    const char *name;
    size_t length;
    uint8_t bytes[PREFIX_MOST];
} prefixes[] = {
    [CUZK_COMMITMENT_SEALED] = {"sealed", 8, {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20}},
    [CUZK_COMMITMENT_UNSEALED] = {"unsealed", 7, {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20}},
};

size_t cuzk_commitment_cid_bytes(enum cuzk_commitment kind)
{
    return prefixes[kind].length + CUZK_FR_BYTES;
}

const char *cuzk_commitment_name(enum cuzk_commitment kind)
{
    return prefixes[kind].name;
}

enum cuzk_commitment_form cuzk_commitment_take(const struct cuzk_request_blob *blob,
                                               enum cuzk_commitment kind, uint8_t bytes[CUZK_FR_BYTES])
{
    uint8_t whole[PREFIX_MOST + CUZK_FR_BYTES];
    size_t n = 0;

    if (blob->length != CUZK_FR_BYTES && blob->length != cuzk_commitment_cid_bytes(kind))
        return CUZK_COMMITMENT_LENGTH;
    for (size_t i = 0; i < blob->count; i++) {
        memcpy(whole + n, blob->parts[i].data, blob->parts[i].length);
        n += blob->parts[i].length;
    }
    if (n > CUZK_FR_BYTES && memcmp(whole, prefixes[kind].bytes, prefixes[kind].length) != 0)
        return CUZK_COMMITMENT_PREFIX;
    memcpy(bytes, whole + n - CUZK_FR_BYTES, CUZK_FR_BYTES);
    return CUZK_COMMITMENT_OK;
}

enum cuzk_status cuzk_commitment_read(const struct cuzk_request_blob *blob, const char *field,
                                      enum cuzk_commitment kind, struct cuzk_fr *out, struct cuzk_error *err)
{
    uint8_t bytes[CUZK_FR_BYTES];

    switch (cuzk_commitment_take(blob, kind, bytes)) {
    case CUZK_COMMITMENT_OK:
        break;
    case CUZK_COMMITMENT_LENGTH:
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: expected %d bytes, or the %zu of a CID of a %s commitment, found %llu",
                              field, CUZK_FR_BYTES, cuzk_commitment_cid_bytes(kind), prefixes[kind].name,
                              (unsigned long long)blob->length);
    case CUZK_COMMITMENT_PREFIX:
        return cuzk_error_set(err, CUZK_INPUT, "%s: expected the CID of a %s commitment", field,
                              prefixes[kind].name);
    }
    if (!cuzk_fr_from_bytes(bytes, out))
        return cuzk_error_set(err, CUZK_INPUT, "%s: expected a field element below the modulus", field);
    return CUZK_OK;
}
