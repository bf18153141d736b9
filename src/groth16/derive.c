#include "groth16/derive.h"

#include <string.h>

#include "base/mem.h"
#include "curve/encoding.h"
#include "groth16/derived_write.h"
#include "groth16/qap.h"
#include "poly/quotient.h"
#include "r1cs/fingerprint.h"

/* Points of l made and written at once, and by one worker at once. */
enum { CHUNK = 1 << 18, PIECE = 1 << 8 };

struct derive {
    struct cuzk_backend *backend;
    struct cuzk_pool *pool;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_params *params;
    const struct cuzk_progress *progress;
    struct cuzk_derived_shape shape;
    struct cuzk_derived_writer *writer;
    struct cuzk_density c_density;
    struct cuzk_fr size_inverse, z_inverse;
    uint8_t *transformed; /* [domain] uncompressed points */
    /* C by columns: entries [start[i], start[i + 1]) of variable i, inputs first, by ascending row */
    uint64_t *start;
    struct entry {
        uint32_t row, coefficient;
    } *entries;
};

/* ---- C by columns ---- */

static size_t place_of(const struct cuzk_r1cs *r1cs, cuzk_variable variable)
{
    const size_t index = cuzk_variable_index(variable);

    return cuzk_variable_is_aux(variable) ? r1cs->inputs + index : index;
}

/* Calls for every term of C, by rows; fill 0 counts, 1 places the entries. */
static void walk(const struct derive *derive, bool fill)
{
    const struct cuzk_r1cs *r1cs = derive->r1cs;
    const struct cuzk_matrix *c = &r1cs->matrix[CUZK_MATRIX_C];
    struct cuzk_r1cs_place at = {0};

    for (uint32_t row = 0; row < r1cs->constraints; row++, cuzk_r1cs_advance(r1cs, &at)) {
        for (uint32_t k = c->row_start[at.stored]; k < c->row_start[at.stored + 1]; k++) {
            const size_t i = place_of(r1cs, cuzk_r1cs_variable(r1cs, c->variables[k], at.part));
            if (fill)
                derive->entries[derive->start[i]++] = (struct entry){row, c->coefficients[k]};
            else
                derive->start[i + 2]++;
        }
    }
}

/* start has two more places than there are variables: while counting, entry i + 2 counts variable i; while
 * filling, entry i + 1 is where variable i's next entry goes, so that in the end it is where variable i + 1
 * begins. */
static enum cuzk_status make_columns(struct derive *derive, struct cuzk_error *err)
{
    const size_t variables = (size_t)derive->r1cs->inputs + derive->r1cs->aux;
    uint64_t *const block = derive->start;

    walk(derive, false);
    for (size_t i = 2; i < variables + 2; i++)
        block[i] += block[i - 1];
    CUZK_TRY(CUZK_NEW(&derive->entries, block[variables + 1], "columns of C", err));
    derive->start = block + 1;
    walk(derive, true);
    derive->start = block;
    return CUZK_OK;
}

/* ---- sums over a column ---- */

/* Twice the magnitude of a plain number is compared with r: whether r - x is the smaller one. */
static bool is_high(const struct cuzk_fr *x)
{
    struct cuzk_fr minus;
    uint64_t a[4], b[4];

    cuzk_fr_neg(x, &minus);
    cuzk_fr_to_words(x, a);
    cuzk_fr_to_words(&minus, b);
    for (int k = 3; k > 0; k--)
        if (a[k] != b[k])
            return a[k] > b[k];
    return a[0] > b[0];
}

static void add_multiple(const struct cuzk_g1_affine *point, const struct cuzk_fr *coefficient,
                         struct cuzk_g1 *sum)
{
    const bool negative = is_high(coefficient);
    struct cuzk_fr size = *coefficient;
    struct cuzk_g1 product;
    uint64_t words[4];

    if (negative)
        cuzk_fr_neg(&size, &size);
    cuzk_fr_to_words(&size, words);
    cuzk_g1_from_affine(point, &product);
    cuzk_g1_mul(&product, words, &product);
    if (negative)
        cuzk_g1_neg(&product, &product);
    cuzk_g1_add(sum, &product, sum);
}

/* The sum over column i; the points carry the factor -1 / z. */
static enum cuzk_status column_sum(const struct derive *derive, size_t i, struct cuzk_g1 *out,
                                   struct cuzk_error *err)
{
    cuzk_g1_identity(out);
    for (uint64_t k = derive->start[i]; k < derive->start[i + 1]; k++) {
        const struct entry *entry = &derive->entries[k];
        struct cuzk_g1_affine point;
        CUZK_TRY(cuzk_g1_decode_raw_unchecked(derive->transformed + (size_t)entry->row * CUZK_G1_RAW_BYTES,
                                              &point, err));
        if (entry->coefficient == CUZK_COEFFICIENT_ONE) {
            cuzk_g1_add_mixed(out, &point, out);
        } else if (entry->coefficient == CUZK_COEFFICIENT_MINUS_ONE) {
            cuzk_g1_affine_neg(&point, &point);
            cuzk_g1_add_mixed(out, &point, out);
        } else {
            add_multiple(&point, &derive->r1cs->pool[entry->coefficient], out);
        }
    }
    return CUZK_OK;
}

struct pieces {
    const struct derive *derive;
    size_t begin, count; /* aux variables of this chunk */
    uint8_t *out;
    enum cuzk_status status; /* the first failure; changed atomically, its message being the same for all */
};

static enum cuzk_status make_piece(const struct pieces *pieces, size_t at, size_t n)
{
    const struct derive *derive = pieces->derive;
    const uint8_t *l = derive->params->bytes + derive->params->query[CUZK_QUERY_L].offset;
    struct cuzk_g1 sums[PIECE];
    struct cuzk_g1_affine affine[PIECE];

    for (size_t k = 0; k < n; k++) {
        const size_t aux = pieces->begin + at + k;
        struct cuzk_g1_affine own;
        CUZK_TRY(column_sum(derive, derive->r1cs->inputs + aux, &sums[k], NULL));
        CUZK_TRY(cuzk_g1_decode_raw_unchecked(l + aux * CUZK_G1_RAW_BYTES, &own, NULL));
        if (!cuzk_g1_is_on_curve(&own))
            return CUZK_INPUT;
        cuzk_g1_add_mixed(&sums[k], &own, &sums[k]);
    }
    cuzk_g1_batch_to_affine(sums, n, affine);
    for (size_t k = 0; k < n; k++)
        cuzk_g1_encode_raw(&affine[k], pieces->out + (at + k) * CUZK_G1_RAW_BYTES);
    return CUZK_OK;
}

static void run_piece(void *context, size_t index, unsigned worker)
{
    struct pieces *pieces = context;
    const size_t at = index * PIECE;
    const enum cuzk_status status =
        make_piece(pieces, at, pieces->count - at < PIECE ? pieces->count - at : PIECE);

    (void)worker;
    if (status != CUZK_OK)
        __atomic_store_n(&pieces->status, status, __ATOMIC_RELAXED);
}

/* ---- the parts of the file ---- */

/* The points of h, transformed under the twist. */
static enum cuzk_status transform(const struct derive *derive, const struct cuzk_fr *first,
                                  const struct cuzk_fr *ratio, struct cuzk_error *err)
{
    const struct cuzk_params *params = derive->params;
    const struct cuzk_params_query *h = &params->query[CUZK_QUERY_H];
    const enum cuzk_status status = derive->backend->ops->transform_points(
        derive->backend, derive->shape.log_domain, first, ratio, params->bytes + h->offset, h->count,
        derive->transformed, derive->progress, err);

    return status == CUZK_INPUT ? cuzk_error_prefix(err, status, "%s: h", params->name) : status;
}

static enum cuzk_status write_h(struct derive *derive, struct cuzk_error *err)
{
    struct cuzk_fr ratio;

    cuzk_fr_inverse(&cuzk_fr_generator, &ratio);
    CUZK_TRY(transform(derive, &derive->size_inverse, &ratio, err));
    return cuzk_derived_write_points(derive->writer, derive->transformed,
                                     (size_t)1 << derive->shape.log_domain, err);
}

static enum cuzk_status write_inputs(struct derive *derive, struct cuzk_error *err)
{
    for (uint32_t i = 0; i < derive->r1cs->inputs; i++) {
        uint8_t bytes[CUZK_G1_RAW_BYTES];
        struct cuzk_g1_affine affine;
        struct cuzk_g1 sum;
        if (!(derive->c_density.inputs[i / 64] >> (i % 64) & 1))
            continue;
        CUZK_TRY(column_sum(derive, i, &sum, err));
        cuzk_g1_to_affine(&sum, &affine);
        cuzk_g1_encode_raw(&affine, bytes);
        CUZK_TRY(cuzk_derived_write_points(derive->writer, bytes, 1, err));
    }
    return CUZK_OK;
}

static enum cuzk_status write_aux(struct derive *derive, uint8_t *chunk, struct cuzk_error *err)
{
    const uint32_t aux = derive->r1cs->aux;
    struct pieces pieces = {.derive = derive, .out = chunk};

    for (; pieces.begin < aux; pieces.begin += pieces.count) {
        pieces.count = aux - pieces.begin < CHUNK ? aux - pieces.begin : CHUNK;
        CUZK_TRY(cuzk_progress_check(derive->progress, err));
        cuzk_progress_report(derive->progress, "folding C into l", pieces.begin, aux);
        cuzk_pool_run(derive->pool, (pieces.count + PIECE - 1) / PIECE, run_piece, &pieces);
        if (pieces.status != CUZK_OK)
            return cuzk_error_set(err, pieces.status,
                                  "%s: l: a point is not on the curve or not encoded as one",
                                  derive->params->name);
        CUZK_TRY(cuzk_derived_write_points(derive->writer, chunk, pieces.count, err));
    }
    return CUZK_OK;
}

static enum cuzk_status write_l(struct derive *derive, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    uint8_t *chunk = NULL;
    struct cuzk_fr first, one;

    cuzk_fr_one(&one);
    cuzk_fr_mul(&derive->size_inverse, &derive->z_inverse, &first);
    cuzk_fr_neg(&first, &first);
    CUZK_TRY_OUT(transform(derive, &first, &one, err));
    CUZK_TRY_OUT(CUZK_NEW(&chunk, (size_t)CHUNK * CUZK_G1_RAW_BYTES, "points of a key", err));
    CUZK_TRY_OUT(make_columns(derive, err));
    CUZK_TRY_OUT(write_inputs(derive, err));
    CUZK_TRY_OUT(write_aux(derive, chunk, err));
out:
    cuzk_mem_free(chunk);
    return status;
}

/* ---- the whole ---- */

static enum cuzk_status check_counts(const struct derive *derive, struct cuzk_error *err)
{
    const struct cuzk_params *params = derive->params;
    const uint64_t h = (UINT64_C(1) << derive->shape.log_domain) - 1;

    if (params->vk.ic_count == derive->r1cs->inputs && params->query[CUZK_QUERY_H].count == h &&
        params->query[CUZK_QUERY_L].count == derive->r1cs->aux)
        return CUZK_OK;
    return cuzk_error_set(
        err, CUZK_INPUT,
        "%s: expected %u, %llu and %u points of ic, h and l for this circuit, found %u, %u and %u",
        params->name, derive->r1cs->inputs, (unsigned long long)h, derive->r1cs->aux, params->vk.ic_count,
        params->query[CUZK_QUERY_H].count, params->query[CUZK_QUERY_L].count);
}

enum cuzk_status cuzk_derive(struct cuzk_backend *backend, struct cuzk_pool *pool,
                             const struct cuzk_r1cs *r1cs, const struct cuzk_params *params,
                             const uint8_t digest[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_sink sink,
                             const struct cuzk_progress *progress, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct derive derive = {
        .backend = backend, .pool = pool, .r1cs = r1cs, .params = params, .progress = progress};
    const size_t variables = (size_t)r1cs->inputs + r1cs->aux;

    if (backend->ops->transform_points == NULL)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "a key cannot be derived on %s", backend->ops->name);
    derive.shape = (struct cuzk_derived_shape){.inputs = r1cs->inputs, .aux = r1cs->aux};
    CUZK_TRY_OUT(cuzk_qap_log_domain(r1cs, &derive.shape.log_domain, err));
    CUZK_TRY_OUT(check_counts(&derive, err));
    memcpy(derive.shape.identity.params, digest, CUZK_DERIVED_PARAMS_BYTES);
    cuzk_r1cs_fingerprint(r1cs, derive.shape.identity.circuit);
    cuzk_fr_from_u64(UINT64_C(1) << derive.shape.log_domain, &derive.size_inverse);
    cuzk_fr_inverse(&derive.size_inverse, &derive.size_inverse);
    cuzk_coset_vanishing(derive.shape.log_domain, &derive.z_inverse);
    cuzk_fr_inverse(&derive.z_inverse, &derive.z_inverse);
    CUZK_TRY_OUT(cuzk_r1cs_density(r1cs, CUZK_MATRIX_C, &derive.c_density, err));
    CUZK_TRY_OUT(CUZK_NEW(&derive.transformed, (size_t)CUZK_G1_RAW_BYTES << derive.shape.log_domain,
                          "derived h", err));
    CUZK_TRY_OUT(CUZK_NEW(&derive.start, variables + 2, "columns of C", err));
    CUZK_TRY_OUT(
        cuzk_derived_writer_create(sink, pool, &derive.shape, derive.c_density.inputs, &derive.writer, err));
    CUZK_TRY_OUT(write_h(&derive, err));
    CUZK_TRY_OUT(write_l(&derive, err));
    CUZK_TRY_OUT(cuzk_derived_writer_finish(derive.writer, err));
out:
    cuzk_derived_writer_destroy(derive.writer);
    cuzk_density_destroy(&derive.c_density);
    cuzk_mem_free(derive.transformed);
    cuzk_mem_free(derive.start);
    cuzk_mem_free(derive.entries);
    return status;
}
