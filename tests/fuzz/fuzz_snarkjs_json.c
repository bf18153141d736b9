/* snarkjs' JSON: the same bytes as key, proof and public signals; what is read is written and read back the
 * same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "groth16/snarkjs_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct buffer {
    char bytes[1 << 16];
    size_t length;
};

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct buffer *buffer = context;

    if (n > sizeof buffer->bytes - buffer->length)
        return cuzk_error_set(err, CUZK_IO, "full");
    memcpy(buffer->bytes + buffer->length, bytes, n);
    buffer->length += n;
    return CUZK_OK;
}

static void check_proof(const uint8_t *data, size_t size)
{
    uint8_t proof[CUZK_PROOF_BYTES], again[CUZK_PROOF_BYTES];
    static struct buffer out;

    if (cuzk_snarkjs_proof_read("fuzz", data, size, proof, NULL) != CUZK_OK)
        return;
    out.length = 0;
    if (cuzk_snarkjs_proof_write(proof, (struct cuzk_sink){append, &out}, NULL) != CUZK_OK ||
        cuzk_snarkjs_proof_read("again", out.bytes, out.length, again, NULL) != CUZK_OK ||
        memcmp(proof, again, sizeof proof) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_vk vk;
    struct cuzk_fr *inputs;
    size_t count;

    if (cuzk_snarkjs_vkey_read("fuzz", data, size, &vk, NULL) == CUZK_OK)
        cuzk_vk_destroy(&vk);
    if (cuzk_snarkjs_public_read("fuzz", data, size, &inputs, &count, NULL) == CUZK_OK)
        cuzk_mem_free(inputs);
    check_proof(data, size);
    return 0;
}
