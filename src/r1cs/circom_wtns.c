#include "r1cs/circom_wtns.h"

#include <inttypes.h>

#include "base/mem.h"
#include "r1cs/circom_file.h"

enum { HEADER = 1, VALUES = 2 };

enum cuzk_status cuzk_circom_wtns_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                         const struct cuzk_witness_layout *layout, struct cuzk_witness *out,
                                         struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const uint64_t wires = (uint64_t)layout->inputs + layout->aux;
    struct cuzk_fr *values = NULL;
    struct cuzk_circom_file file;
    struct cuzk_bytes header, content;
    uint32_t count;

    CUZK_TRY_OUT(cuzk_circom_file_open(name, "wtns", 2, bytes, length, &file, err));
    CUZK_TRY_OUT(cuzk_circom_file_section(&file, HEADER, "header", &header, err));
    CUZK_TRY_OUT(cuzk_circom_read_prime(&header, err));
    const uint64_t at = header.position;
    CUZK_TRY_OUT(cuzk_bytes_u32le(&header, "number of wires", &count, err));
    CUZK_TRY_OUT(cuzk_bytes_end(&header, err));
    if (count != wires) {
        status =
            cuzk_bytes_fail(&header, "number of wires", at, err, "expected %llu as in the circuit, found %u",
                            (unsigned long long)wires, count);
        goto out;
    }
    CUZK_TRY_OUT(cuzk_circom_file_section(&file, VALUES, "values", &content, err));
    const uint64_t size = wires * CUZK_FR_BYTES;
    if (cuzk_bytes_left(&content) != size) {
        status =
            cuzk_bytes_fail(&content, "values", content.position, err,
                            "expected %" PRIu64 " bytes, found %" PRIu64, size, cuzk_bytes_left(&content));
        goto out;
    }
    CUZK_TRY_OUT(CUZK_NEW(&values, wires, "values of wires", err));
    for (uint64_t k = 0; k < wires; k++)
        CUZK_TRY_OUT(cuzk_circom_read_scalar(&content, "value of a wire", &values[k], err));
    status = cuzk_witness_compact(layout, values, values + layout->inputs, out, err);
    if (status != CUZK_OK)
        cuzk_error_prefix(err, status, "%s", name);
out:
    cuzk_mem_free_wiped(values);
    return status;
}

enum cuzk_status cuzk_circom_wtns_encode(const struct cuzk_witness_layout *layout,
                                         const struct cuzk_witness *witness, struct cuzk_sink sink,
                                         struct cuzk_error *err)
{
    const uint32_t wires = layout->inputs + layout->aux;

    CUZK_TRY(cuzk_circom_write_file_head(sink, "wtns", 2, 2, err));
    CUZK_TRY(cuzk_circom_write_section_head(sink, HEADER, 4 + CUZK_FR_BYTES + 4, err));
    CUZK_TRY(cuzk_circom_write_prime(sink, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, wires, err));
    CUZK_TRY(cuzk_circom_write_section_head(sink, VALUES, (uint64_t)wires * CUZK_FR_BYTES, err));
    for (uint32_t k = 0; k < layout->inputs; k++)
        CUZK_TRY(cuzk_circom_write_scalar(sink, &witness->inputs[k], err));
    for (uint32_t k = 0; k < layout->aux; k++) {
        struct cuzk_fr value;
        cuzk_witness_value(layout, witness, cuzk_variable_aux(k), &value);
        CUZK_TRY(cuzk_circom_write_scalar(sink, &value, err));
    }
    return CUZK_OK;
}
