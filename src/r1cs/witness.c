#include "r1cs/witness.h"

#include "base/mem.h"

static size_t words(uint32_t bits)
{
    return ((size_t)bits + 63) / 64;
}

enum cuzk_status cuzk_witness_layout_create(uint32_t inputs, uint32_t aux, const uint64_t *is_bit,
                                            struct cuzk_witness_layout *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const size_t n = words(aux);

    *out = (struct cuzk_witness_layout){.inputs = inputs, .aux = aux};
    CUZK_TRY_OUT(CUZK_NEW(&out->is_bit, n, "map of boolean variables", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->rank, n + 1, "ranks of boolean variables", err));
    for (size_t w = 0; w < n; w++) {
        uint64_t word = is_bit != NULL ? is_bit[w] : 0;
        if (w == n - 1 && aux % 64 != 0)
            word &= (UINT64_C(1) << (aux % 64)) - 1;
        out->is_bit[w] = word;
        out->rank[w + 1] = out->rank[w] + (uint32_t)__builtin_popcountll(word);
    }
    out->bits = out->rank[n];
out:
    if (status != CUZK_OK)
        cuzk_witness_layout_destroy(out);
    return status;
}

void cuzk_witness_layout_destroy(struct cuzk_witness_layout *layout)
{
    if (layout == NULL)
        return;
    cuzk_mem_free(layout->is_bit);
    cuzk_mem_free(layout->rank);
    *layout = (struct cuzk_witness_layout){0};
}

enum cuzk_status cuzk_witness_create(const struct cuzk_witness_layout *layout, struct cuzk_witness *out,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    *out = (struct cuzk_witness){0};
    CUZK_TRY_OUT(CUZK_NEW(&out->inputs, layout->inputs, "public inputs", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->bits, words(layout->bits), "boolean part of a witness", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->wide, layout->aux - layout->bits, "wide part of a witness", err));
    if (layout->inputs > 0)
        cuzk_fr_one(&out->inputs[0]);
out:
    if (status != CUZK_OK)
        cuzk_witness_destroy(out);
    return status;
}

void cuzk_witness_destroy_by(struct cuzk_pool *pool, struct cuzk_witness *witness)
{
    if (witness == NULL)
        return;
    cuzk_mem_free_wiped(witness->inputs);
    cuzk_mem_free_wiped(witness->bits);
    cuzk_mem_free_wiped_by(pool, witness->wide);
    *witness = (struct cuzk_witness){0};
}

void cuzk_witness_destroy(struct cuzk_witness *witness)
{
    cuzk_witness_destroy_by(NULL, witness);
}

void cuzk_witness_value(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                        cuzk_variable variable, struct cuzk_fr *out)
{
    const uint32_t index = cuzk_variable_index(variable);

    if (!cuzk_variable_is_aux(variable))
        *out = witness->inputs[index];
    else if (!cuzk_witness_is_bit(layout, index))
        *out = witness->wide[cuzk_witness_wide_rank(layout, index)];
    else if (cuzk_witness_bit(layout, witness, index))
        cuzk_fr_one(out);
    else
        cuzk_fr_zero(out);
}

void cuzk_witness_expand(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                         uint32_t begin, uint32_t end, struct cuzk_fr *out)
{
    for (uint32_t k = begin; k < end; k++)
        cuzk_witness_value(layout, witness, cuzk_variable_aux(k), &out[k - begin]);
}

enum cuzk_status cuzk_witness_compact(const struct cuzk_witness_layout *layout, const struct cuzk_fr *inputs,
                                      const struct cuzk_fr *aux, struct cuzk_witness *out,
                                      struct cuzk_error *err)
{
    struct cuzk_fr one;
    uint32_t bit = 0, wide = 0;

    cuzk_fr_one(&one);
    if (layout->inputs == 0 || !cuzk_fr_equal(&inputs[0], &one))
        return cuzk_error_set(err, CUZK_UNSATISFIED, "public input 0 is not the constant one");
    for (uint32_t k = 0; k < layout->inputs; k++)
        out->inputs[k] = inputs[k];
    for (size_t w = 0; w < words(layout->bits); w++)
        out->bits[w] = 0;
    for (uint32_t k = 0; k < layout->aux; k++) {
        if (!cuzk_witness_is_bit(layout, k)) {
            out->wide[wide++] = aux[k];
            continue;
        }
        if (cuzk_fr_equal(&aux[k], &one))
            out->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
        else if (!cuzk_fr_is_zero(&aux[k]))
            return cuzk_error_set(err, CUZK_UNSATISFIED,
                                  "aux variable %u should be a bit and is neither 0 nor 1", k);
        bit++;
    }
    return CUZK_OK;
}
