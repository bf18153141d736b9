#include "groth16/derived_setup.h"

#include <string.h>

#include "base/mem.h"
#include "curve/encoding.h"
#include "groth16/derived_write.h"
#include "groth16/qap.h"
#include "poly/quotient.h"
#include "r1cs/fingerprint.h"

/* Points made and written at once, and scalars that one worker makes at once. */
enum { CHUNK = 1 << 19, PIECE = 1 << 12 };

struct derived_setup {
    struct cuzk_backend *backend;
    struct cuzk_pool *pool;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_toxic *toxic;
    const struct cuzk_progress *progress;
    struct cuzk_qap qap;
    struct cuzk_fr *basis; /* M_j at tau, cut, [domain] */
    struct cuzk_fr *c;     /* columns of C, cut, [inputs + aux] */
    struct cuzk_density c_density;
    struct cuzk_fr delta_inverse;
    struct cuzk_fr h_factor; /* Z / delta */
    struct cuzk_fr c_factor; /* -Z / (z delta) */
    struct cuzk_backend_table *table;
    struct cuzk_derived_shape shape;
    struct cuzk_derived_writer *writer;
    uint64_t (*scalars)[4];
    uint8_t *points;
    uint64_t done, total;
};

/* ---- scalars ---- */

struct pieces {
    const struct derived_setup *setup;
    void (*make)(const struct derived_setup *setup, size_t i, struct cuzk_fr *out);
    size_t begin, count;
};

static void make_h(const struct derived_setup *setup, size_t j, struct cuzk_fr *out)
{
    cuzk_fr_mul(&setup->basis[j], &setup->h_factor, out);
}

/* of variable i, inputs first */
static void make_fold(const struct derived_setup *setup, size_t i, struct cuzk_fr *out)
{
    cuzk_fr_mul(&setup->c[i], &setup->c_factor, out);
}

static void make_l(const struct derived_setup *setup, size_t aux, struct cuzk_fr *out)
{
    const size_t i = setup->r1cs->inputs + aux;
    struct cuzk_fr own;

    make_fold(setup, i, out);
    cuzk_qap_combine(&setup->qap, &setup->toxic->alpha, &setup->toxic->beta, i, &setup->delta_inverse, &own);
    cuzk_fr_add(out, &own, out);
}

static void run_piece(void *context, size_t index, unsigned worker)
{
    const struct pieces *pieces = context;
    const size_t begin = index * PIECE, end = pieces->count - begin < PIECE ? pieces->count : begin + PIECE;
    struct cuzk_fr scalar;

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        pieces->make(pieces->setup, pieces->begin + k, &scalar);
        cuzk_fr_to_words(&scalar, pieces->setup->scalars[k]);
    }
    cuzk_mem_wipe(&scalar, sizeof scalar);
}

/* ---- points ---- */

static const char *const stage_name[] = {
    [CUZK_DERIVED_H] = "points of the derived h", [CUZK_DERIVED_L] = "points of the derived l"};

/* Points of the first n scalars. */
static enum cuzk_status flush(struct derived_setup *setup, enum cuzk_derived_part part, size_t n,
                              struct cuzk_error *err)
{
    CUZK_TRY(cuzk_progress_check(setup->progress, err));
    CUZK_TRY(setup->backend->ops->setup_points(setup->table, (const uint64_t(*)[4])setup->scalars, n,
                                               setup->points, err));
    CUZK_TRY(cuzk_derived_write_points(setup->writer, part, setup->points, n, err));
    setup->done += n;
    cuzk_progress_report(setup->progress, stage_name[part], setup->done, setup->total);
    return CUZK_OK;
}

static enum cuzk_status write_all(struct derived_setup *setup, enum cuzk_derived_part part,
                                  void (*make)(const struct derived_setup *setup, size_t i,
                                               struct cuzk_fr *out),
                                  size_t n, struct cuzk_error *err)
{
    struct pieces pieces = {.setup = setup, .make = make};

    for (; pieces.begin < n; pieces.begin += pieces.count) {
        pieces.count = n - pieces.begin < CHUNK ? n - pieces.begin : CHUNK;
        cuzk_pool_run(setup->pool, (pieces.count + PIECE - 1) / PIECE, run_piece, &pieces);
        CUZK_TRY(flush(setup, part, pieces.count, err));
    }
    return CUZK_OK;
}

static enum cuzk_status write_inputs(struct derived_setup *setup, struct cuzk_error *err)
{
    size_t n = 0;

    for (uint32_t i = 0; i < setup->r1cs->inputs; i++) {
        struct cuzk_fr scalar;
        if (!(setup->c_density.inputs[i / 64] >> (i % 64) & 1))
            continue;
        make_fold(setup, i, &scalar);
        cuzk_fr_to_words(&scalar, setup->scalars[n++]);
        if (n == CHUNK) {
            CUZK_TRY(flush(setup, CUZK_DERIVED_L, n, err));
            n = 0;
        }
    }
    return n == 0 ? CUZK_OK : flush(setup, CUZK_DERIVED_L, n, err);
}

/* ---- the whole ---- */

static enum cuzk_status prepare(struct derived_setup *setup, struct cuzk_error *err)
{
    const struct cuzk_toxic *toxic = setup->toxic;
    const struct cuzk_r1cs *r1cs = setup->r1cs;
    struct cuzk_fr z, x;

    CUZK_TRY(cuzk_toxic_check(toxic, err));
    cuzk_progress_report(setup->progress, "columns at tau", 0, 0);
    CUZK_TRY(cuzk_qap_evaluate(r1cs, &toxic->tau, 1, setup->pool, &setup->qap, err));
    CUZK_TRY(cuzk_progress_check(setup->progress, err));
    CUZK_TRY(cuzk_qap_cut_c(r1cs, &toxic->tau, setup->pool, &setup->c, err));
    CUZK_TRY(cuzk_progress_check(setup->progress, err));
    CUZK_TRY(CUZK_NEW(&setup->basis, (size_t)1 << setup->qap.log_domain, "Lagrange basis of the coset", err));
    cuzk_fr_inverse(&cuzk_fr_generator, &x);
    cuzk_fr_mul(&x, &toxic->tau, &x);
    CUZK_TRY(cuzk_qap_cut_basis(setup->qap.log_domain, &x, setup->pool, setup->basis, err));
    CUZK_TRY(cuzk_r1cs_density(r1cs, CUZK_MATRIX_C, &setup->c_density, err));

    cuzk_fr_inverse(&toxic->delta, &setup->delta_inverse);
    cuzk_fr_mul(&setup->qap.vanishing, &setup->delta_inverse, &setup->h_factor);
    cuzk_coset_vanishing(setup->qap.log_domain, &z);
    cuzk_fr_inverse(&z, &z);
    cuzk_fr_mul(&setup->h_factor, &z, &setup->c_factor);
    cuzk_fr_neg(&setup->c_factor, &setup->c_factor);
    cuzk_mem_wipe(&x, sizeof x);
    return CUZK_OK;
}

static enum cuzk_status write_key(struct derived_setup *setup,
                                  const uint8_t params[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_error *err)
{
    CUZK_TRY(write_all(setup, CUZK_DERIVED_H, make_h, (size_t)1 << setup->shape.log_domain, err));
    CUZK_TRY(write_inputs(setup, err));
    CUZK_TRY(write_all(setup, CUZK_DERIVED_L, make_l, setup->r1cs->aux, err));
    return cuzk_derived_writer_finish(setup->writer, params, err);
}

enum cuzk_status cuzk_derived_setup(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                    const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                    const uint8_t params[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_store store,
                                    const struct cuzk_progress *progress, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct derived_setup setup = {
        .backend = backend, .pool = pool, .r1cs = r1cs, .toxic = toxic, .progress = progress};
    union cuzk_backend_affine base = {.g1 = cuzk_g1_generator};

    CUZK_TRY_OUT(prepare(&setup, err));
    setup.shape = (struct cuzk_derived_shape){
        .log_domain = setup.qap.log_domain, .inputs = r1cs->inputs, .aux = r1cs->aux};
    cuzk_r1cs_fingerprint(r1cs, setup.shape.identity.circuit);
    setup.total = (UINT64_C(1) << setup.shape.log_domain) + setup.c_density.input_count + r1cs->aux;
    CUZK_TRY_OUT(backend->ops->table_create(backend, CUZK_GROUP_G1, &base, setup.total, &setup.table, err));
    CUZK_TRY_OUT(CUZK_NEW(&setup.scalars, CHUNK, "scalars of a key", err));
    CUZK_TRY_OUT(CUZK_NEW(&setup.points, (size_t)CHUNK * CUZK_G1_RAW_BYTES, "points of a key", err));
    CUZK_TRY_OUT(
        cuzk_derived_writer_create(store, pool, &setup.shape, setup.c_density.inputs, &setup.writer, err));
    CUZK_TRY_OUT(write_key(&setup, params, err));
out:
    cuzk_derived_writer_destroy(setup.writer);
    cuzk_backend_table_destroy(setup.table);
    cuzk_density_destroy(&setup.c_density);
    cuzk_qap_destroy(&setup.qap);
    cuzk_mem_free_wiped(setup.basis);
    cuzk_mem_free_wiped(setup.c);
    cuzk_mem_free_wiped(setup.scalars);
    cuzk_mem_free(setup.points);
    cuzk_mem_wipe(&setup, sizeof setup);
    return status;
}
