#include "groth16/toxic.h"

#include "base/mem.h"

static enum cuzk_status draw(struct cuzk_random *random, struct cuzk_fr *out, struct cuzk_error *err)
{
    uint8_t bytes[2 * CUZK_FR_BYTES];
    enum cuzk_status status = CUZK_OK;

    do {
        CUZK_TRY_OUT(cuzk_random_bytes(random, bytes, sizeof bytes, err));
        cuzk_fr_from_wide_bytes(bytes, out);
    } while (cuzk_fr_is_zero(out));
out:
    cuzk_mem_wipe(bytes, sizeof bytes);
    return status;
}

enum cuzk_status cuzk_toxic_draw(struct cuzk_random *random, struct cuzk_toxic *out, struct cuzk_error *err)
{
    struct cuzk_fr *const values[] = {&out->alpha, &out->beta, &out->gamma, &out->delta, &out->tau};

    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const enum cuzk_status status = draw(random, values[k], err);
        if (status != CUZK_OK) {
            cuzk_toxic_wipe(out);
            return status;
        }
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_toxic_check(const struct cuzk_toxic *toxic, struct cuzk_error *err)
{
    if (cuzk_fr_is_zero(&toxic->alpha) || cuzk_fr_is_zero(&toxic->beta) || cuzk_fr_is_zero(&toxic->gamma) ||
        cuzk_fr_is_zero(&toxic->delta) || cuzk_fr_is_zero(&toxic->tau))
        return cuzk_error_set(err, CUZK_ARGUMENT, "a value of the toxic waste is zero");
    return CUZK_OK;
}

void cuzk_toxic_wipe(struct cuzk_toxic *toxic)
{
    cuzk_mem_wipe(toxic, sizeof *toxic);
}
