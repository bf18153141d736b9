#include "circuit/digest.h"

#include <string.h>

#include "base/mem.h"

enum { BUFFER_BYTES = 1 << 16, TERM_BYTES = 1 + 4 + CUZK_FR_BYTES };

enum cuzk_status cuzk_digest_create(uint32_t checkpoint_every, struct cuzk_digest *out,
                                    struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    out->checkpoint_every = checkpoint_every;
    cuzk_sha256_init(&out->hash);
    return CUZK_NEW(&out->buffer, BUFFER_BYTES, "digest buffer", err);
}

static void drain(struct cuzk_digest *digest)
{
    cuzk_sha256_update(&digest->hash, digest->buffer, digest->buffered);
    digest->buffered = 0;
}

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

/* Most coefficients are 1 or -1: their bytes are known. */
static void put_coefficient(const struct cuzk_fr *coefficient, uint8_t out[CUZK_FR_BYTES])
{
    static const struct cuzk_fr one = {CUZK_FR_R};
    static const uint64_t modulus[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    struct cuzk_fr negative;
    uint64_t words[CUZK_FR_LIMBS] = {1};

    cuzk_fr_neg(&one, &negative);
    if (cuzk_fr_equal(coefficient, &negative)) {
        memcpy(words, modulus, sizeof words);
        words[0]--;
    } else if (!cuzk_fr_equal(coefficient, &one)) {
        cuzk_fr_to_words(coefficient, words);
    }
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        for (int byte = 0; byte < 8; byte++)
            out[8 * i + byte] = (uint8_t)(words[i] >> 8 * byte);
}

/* All words are used: new ones are zero. */
static enum cuzk_status grow(uint64_t **bitmap, size_t *words, size_t needed, struct cuzk_error *err)
{
    return CUZK_GROW(bitmap, needed, *words, words, "density bitmap", err);
}

static inline enum cuzk_status mark(struct cuzk_digest_matrix *matrix, cuzk_variable variable,
                                    struct cuzk_error *err)
{
    const uint32_t index = cuzk_variable_index(variable);

    if (cuzk_variable_is_aux(variable)) {
        if (index / 64 >= matrix->aux_words)
            CUZK_TRY(grow(&matrix->aux, &matrix->aux_words, (size_t)index / 64 + 1, err));
        matrix->aux[index / 64] |= UINT64_C(1) << index % 64;
    } else {
        if (index / 64 >= matrix->input_words)
            CUZK_TRY(grow(&matrix->inputs, &matrix->input_words, (size_t)index / 64 + 1, err));
        matrix->inputs[index / 64] |= UINT64_C(1) << index % 64;
    }
    return CUZK_OK;
}

static enum cuzk_status checkpoint(struct cuzk_digest *digest, struct cuzk_error *err)
{
    struct cuzk_sha256 copy;

    CUZK_TRY(CUZK_GROW(&digest->checkpoints, digest->checkpoint_count + 1, digest->checkpoint_count,
                       &digest->checkpoint_capacity, "checkpoints", err));
    drain(digest);
    copy = digest->hash;
    cuzk_sha256_final(&copy, digest->checkpoints[digest->checkpoint_count++]);
    if (digest->checkpoint_limit > 0 && digest->checkpoint_count == digest->checkpoint_limit)
        return cuzk_error_set(err, CUZK_CANCELLED, "stopped after checkpoint %zu", digest->checkpoint_limit);
    return CUZK_OK;
}

static enum cuzk_status take(void *context, struct cuzk_combination a, struct cuzk_combination b,
                             struct cuzk_combination c, struct cuzk_error *err)
{
    struct cuzk_digest *digest = context;
    const struct cuzk_combination combinations[3] = {a, b, c};

    for (int m = 0; m < 3; m++) {
        const struct cuzk_combination *const combination = &combinations[m];
        struct cuzk_digest_matrix *const matrix = &digest->matrix[m];
        matrix->terms += combination->count;
        if (digest->buffered + 4 > BUFFER_BYTES)
            drain(digest);
        put_u32(digest->buffer + digest->buffered, (uint32_t)combination->count);
        digest->buffered += 4;
        for (size_t i = 0; i < combination->count; i++) {
            const struct cuzk_term *term = &combination->terms[i];
            CUZK_TRY(mark(matrix, term->variable, err));
            if (digest->buffered + TERM_BYTES > BUFFER_BYTES)
                drain(digest);
            uint8_t *out = digest->buffer + digest->buffered;
            out[0] = cuzk_variable_is_aux(term->variable);
            put_u32(out + 1, cuzk_variable_index(term->variable));
            put_coefficient(&term->coefficient, out + 5);
            digest->buffered += TERM_BYTES;
        }
    }
    digest->constraints++;
    if (digest->checkpoint_every > 0 && digest->constraints % digest->checkpoint_every == 0)
        return checkpoint(digest, err);
    return CUZK_OK;
}

struct cuzk_constraint_sink cuzk_digest_sink(struct cuzk_digest *digest)
{
    return (struct cuzk_constraint_sink){.constraint = take, .context = digest};
}

static uint32_t count_bits(const uint64_t *bitmap, size_t words)
{
    uint32_t count = 0;

    for (size_t i = 0; i < words; i++)
        count += (uint32_t)__builtin_popcountll(bitmap[i]);
    return count;
}

void cuzk_digest_finish(struct cuzk_digest *digest)
{
    drain(digest);
    cuzk_sha256_final(&digest->hash, digest->sha256);
    for (int m = 0; m < 3; m++) {
        struct cuzk_digest_matrix *matrix = &digest->matrix[m];
        matrix->input_density = count_bits(matrix->inputs, matrix->input_words);
        matrix->aux_density = count_bits(matrix->aux, matrix->aux_words);
    }
}

void cuzk_digest_destroy(struct cuzk_digest *digest)
{
    for (int m = 0; m < 3; m++) {
        cuzk_mem_free(digest->matrix[m].inputs);
        cuzk_mem_free(digest->matrix[m].aux);
    }
    cuzk_mem_free(digest->checkpoints);
    cuzk_mem_free(digest->buffer);
    memset(digest, 0, sizeof *digest);
}
