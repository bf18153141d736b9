#include "porep_parts.h"

#include <string.h>

#include "base/file.h"
#include "base/json_reader.h"
#include "circuit/record.h"

enum cuzk_status porep_circuit_open(const char *name, struct porep_circuit *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    *out = (struct porep_circuit){0};
    CUZK_TRY(cuzk_circuit_id_parse(name, &out->id, err));
    CUZK_TRY_OUT(cuzk_circuit_open(&out->id, &out->circuit, err));
    CUZK_TRY_OUT(cuzk_circuit_record(&out->circuit, NULL, NULL, &out->r1cs, &out->layout, err));
out:
    if (status != CUZK_OK)
        porep_circuit_close(out);
    return status;
}

void porep_circuit_close(struct porep_circuit *circuit)
{
    cuzk_r1cs_destroy(circuit->r1cs);
    cuzk_witness_layout_destroy(&circuit->layout);
    *circuit = (struct porep_circuit){0};
}

enum cuzk_status porep_witness(const struct porep_circuit *circuit, const char *name, const uint8_t *c1,
                               size_t length, unsigned partition, struct cuzk_pool *pool,
                               struct cuzk_witness *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const struct cuzk_porep_facts facts = {0};
    struct cuzk_porep_assignment assignment;
    struct cuzk_porep_case porep = {0};
    const struct cuzk_log log = {0};

    *out = (struct cuzk_witness){0};
    CUZK_TRY_OUT(cuzk_porep_case_open(name, c1, length, &facts, &log, &porep, err));
    if (partition >= porep.common.partitions || porep.c1->sector_size != circuit->id.sector_size) {
        status = cuzk_error_set(err, CUZK_ARGUMENT, "%s: has %u partitions of %llu bytes", name,
                                porep.common.partitions, (unsigned long long)porep.c1->sector_size);
        goto out;
    }
    cuzk_c1_assignment(porep.c1, partition, &assignment);
    CUZK_TRY_OUT(cuzk_witness_create(&circuit->layout, out, err));
    CUZK_TRY_OUT(cuzk_circuit_witness(&circuit->circuit, &assignment, pool, NULL, out, err));
out:
    cuzk_porep_case_close(&porep);
    if (status != CUZK_OK)
        cuzk_witness_destroy(out);
    return status;
}

static enum cuzk_status read_object(struct cuzk_json_document *json, struct cuzk_toxic *out, unsigned *seen,
                                    struct cuzk_error *err)
{
    static const char *const names[] = {"alpha", "beta", "gamma", "delta", "tau"};
    struct cuzk_fr *const values[] = {&out->alpha, &out->beta, &out->gamma, &out->delta, &out->tau};
    bool more;

    CUZK_TRY(cuzk_json_read_object(json, "toxic waste", err));
    for (;;) {
        struct cuzk_json_slice key;
        CUZK_TRY(cuzk_json_read_member(json, &key, &more, err));
        if (!more)
            return CUZK_OK;
        if (cuzk_json_slice_is(key, "toxic")) {
            CUZK_TRY(read_object(json, out, seen, err));
            continue;
        }
        size_t k = 0;
        while (k < 5 && !cuzk_json_slice_is(key, names[k]))
            k++;
        if (k == 5) {
            CUZK_TRY(cuzk_json_read_skip(json, err));
            continue;
        }
        uint8_t bytes[CUZK_FR_BYTES];
        CUZK_TRY(cuzk_json_read_hex(json, names[k], bytes, sizeof bytes, err));
        if (!cuzk_fr_from_bytes(bytes, values[k]))
            return cuzk_json_read_fail(json, names[k], err, "expected a number below r");
        *seen |= 1u << k;
    }
}

enum cuzk_status toxic_read(const char *path, struct cuzk_toxic *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_file_map file = {0};
    struct cuzk_json_document json;
    unsigned seen = 0;

    CUZK_TRY_OUT(cuzk_file_map_open(path, "toxic waste", 1 << 24, &file, err));
    cuzk_json_read_init(&json, path, file.bytes, (size_t)file.length);
    CUZK_TRY_OUT(read_object(&json, out, &seen, err));
    if (seen != 31)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: expected alpha, beta, gamma, delta and tau", path);
out:
    cuzk_file_map_close(&file);
    return status;
}
