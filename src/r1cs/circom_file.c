#include "r1cs/circom_file.h"

#include <string.h>

enum cuzk_status cuzk_circom_file_open(const char *name, const char magic[5], uint32_t version,
                                       const uint8_t *bytes, uint64_t length, struct cuzk_circom_file *out,
                                       struct cuzk_error *err)
{
    struct cuzk_bytes cursor;
    uint32_t found;

    *out = (struct cuzk_circom_file){.name = name, .bytes = bytes};
    cuzk_bytes_init(&cursor, name, bytes, length);
    CUZK_TRY(cuzk_bytes_expect(&cursor, "magic", magic, 4, err));
    CUZK_TRY(cuzk_bytes_u32le(&cursor, "version", &found, err));
    if (found == 0 || found > version)
        return cuzk_bytes_fail(&cursor, "version", 4, err, "expected 1 to %u, found %u", version, found);
    CUZK_TRY(cuzk_bytes_u32le(&cursor, "number of sections", &out->count, err));
    if (out->count > CUZK_CIRCOM_SECTIONS)
        return cuzk_bytes_fail(&cursor, "number of sections", 8, err, "expected at most %d, found %u",
                               CUZK_CIRCOM_SECTIONS, out->count);
    for (uint32_t k = 0; k < out->count; k++) {
        const uint8_t *content;
        uint64_t size;
        CUZK_TRY(cuzk_bytes_u32le(&cursor, "section type", &out->section[k].type, err));
        CUZK_TRY(cuzk_bytes_u64le(&cursor, "section size", &size, err));
        out->section[k].begin = cursor.position;
        CUZK_TRY(cuzk_bytes_take(&cursor, "section", size, &content, err));
        out->section[k].end = cursor.position;
    }
    return cuzk_bytes_end(&cursor, err);
}

bool cuzk_circom_file_has(const struct cuzk_circom_file *file, uint32_t type)
{
    for (uint32_t k = 0; k < file->count; k++) {
        if (file->section[k].type == type)
            return true;
    }
    return false;
}

enum cuzk_status cuzk_circom_file_section(const struct cuzk_circom_file *file, uint32_t type,
                                          const char *what, struct cuzk_bytes *out, struct cuzk_error *err)
{
    uint32_t seen = 0;

    for (uint32_t k = 0; k < file->count; k++) {
        if (file->section[k].type != type)
            continue;
        cuzk_bytes_init(out, file->name, file->bytes, file->section[k].end);
        out->position = file->section[k].begin;
        seen++;
    }
    if (seen != 1)
        return cuzk_error_set(err, CUZK_INPUT, "%s: %s: expected one section of type %u, found %u",
                              file->name, what, type, seen);
    return CUZK_OK;
}

static void modulus_bytes(uint8_t bytes[CUZK_FR_BYTES])
{
    const uint64_t modulus[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;

    for (int k = 0; k < CUZK_FR_LIMBS; k++)
        cuzk_store_u64le(modulus[k], bytes + 8 * k);
}

enum cuzk_status cuzk_circom_read_prime(struct cuzk_bytes *bytes, struct cuzk_error *err)
{
    uint8_t prime[CUZK_FR_BYTES];
    const uint8_t *found;
    uint32_t size;
    const uint64_t at = bytes->position;

    modulus_bytes(prime);
    CUZK_TRY(cuzk_bytes_u32le(bytes, "size of the prime", &size, err));
    if (size != CUZK_FR_BYTES)
        return cuzk_bytes_fail(bytes, "size of the prime", at, err, "expected %d, found %u", CUZK_FR_BYTES,
                               size);
    CUZK_TRY(cuzk_bytes_take(bytes, "prime", CUZK_FR_BYTES, &found, err));
    if (memcmp(found, prime, sizeof prime) != 0)
        return cuzk_bytes_fail(bytes, "prime", at + 4, err,
                               "not the scalar field of BLS12-381 (compile with --prime bls12381)");
    return CUZK_OK;
}

enum cuzk_status cuzk_circom_read_scalar(struct cuzk_bytes *bytes, const char *field, struct cuzk_fr *out,
                                         struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    const uint8_t *value;

    CUZK_TRY(cuzk_bytes_take(bytes, field, CUZK_FR_BYTES, &value, err));
    if (!cuzk_fr_from_bytes(value, out))
        return cuzk_bytes_fail(bytes, field, at, err, "expected a number below r");
    return CUZK_OK;
}

enum cuzk_status cuzk_circom_write_u32(struct cuzk_sink sink, uint32_t value, struct cuzk_error *err)
{
    uint8_t bytes[4];

    cuzk_store_u32le(value, bytes);
    return sink.write(sink.context, bytes, sizeof bytes, err);
}

enum cuzk_status cuzk_circom_write_u64(struct cuzk_sink sink, uint64_t value, struct cuzk_error *err)
{
    uint8_t bytes[8];

    cuzk_store_u64le(value, bytes);
    return sink.write(sink.context, bytes, sizeof bytes, err);
}

enum cuzk_status cuzk_circom_write_scalar(struct cuzk_sink sink, const struct cuzk_fr *value,
                                          struct cuzk_error *err)
{
    uint8_t bytes[CUZK_FR_BYTES];

    cuzk_fr_to_bytes(value, bytes);
    return sink.write(sink.context, bytes, sizeof bytes, err);
}

enum cuzk_status cuzk_circom_write_file_head(struct cuzk_sink sink, const char magic[5], uint32_t version,
                                             uint32_t sections, struct cuzk_error *err)
{
    CUZK_TRY(sink.write(sink.context, magic, 4, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, version, err));
    return cuzk_circom_write_u32(sink, sections, err);
}

enum cuzk_status cuzk_circom_write_section_head(struct cuzk_sink sink, uint32_t type, uint64_t size,
                                                struct cuzk_error *err)
{
    CUZK_TRY(cuzk_circom_write_u32(sink, type, err));
    return cuzk_circom_write_u64(sink, size, err);
}

enum cuzk_status cuzk_circom_write_prime(struct cuzk_sink sink, struct cuzk_error *err)
{
    uint8_t bytes[CUZK_FR_BYTES];

    modulus_bytes(bytes);
    CUZK_TRY(cuzk_circom_write_u32(sink, CUZK_FR_BYTES, err));
    return sink.write(sink.context, bytes, sizeof bytes, err);
}
