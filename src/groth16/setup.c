#include "groth16/setup.h"

#include "base/file.h"
#include "base/mem.h"
#include "groth16/qap.h"
#include "groth16/vk_setup.h"

/* Points made and written at once: 24 MiB in G1, 48 in G2; and scalars that one worker makes at once. */
enum { CHUNK = 1 << 18, PIECE = 1 << 12 };

struct setup {
    struct cuzk_backend *backend;
    struct cuzk_pool *pool;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_toxic *toxic;
    struct cuzk_qap qap;
    struct cuzk_backend_table *g1, *g2;
    struct cuzk_sink sink;
    const struct cuzk_progress *progress;
    uint64_t done, total; /* points of the whole key */
    uint64_t (*scalars)[4];
    uint32_t *places; /* in a column, of these scalars */
    uint8_t *points;
    struct cuzk_fr delta_inverse, gamma_inverse;
};

/* ---- queries ---- */

static enum cuzk_status write_count(const struct setup *setup, uint64_t count, struct cuzk_error *err)
{
    uint8_t bytes[4];

    cuzk_store_u32be((uint32_t)count, bytes);
    return setup->sink.write(setup->sink.context, bytes, sizeof bytes, err);
}

/* Writes the points of the first n scalars gathered. */
static enum cuzk_status flush(struct setup *setup, enum cuzk_query query, size_t n, struct cuzk_error *err)
{
    static const char *const stage[CUZK_QUERIES] = {"points of h", "points of l", "points of a",
                                                    "points of b_g1", "points of b_g2"};
    const bool g2 = cuzk_query_is_g2(query);

    if (n == 0)
        return CUZK_OK;
    CUZK_TRY(cuzk_progress_check(setup->progress, err));
    CUZK_TRY(setup->backend->ops->setup_points(g2 ? setup->g2 : setup->g1,
                                               (const uint64_t(*)[4])setup->scalars, n, setup->points, err));
    CUZK_TRY(setup->sink.write(setup->sink.context, setup->points,
                               n * (g2 ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES), err));
    setup->done += n;
    cuzk_progress_report(setup->progress, stage[query], setup->done, setup->total);
    return CUZK_OK;
}

/* Scalars [begin, begin + count) of a query by the pool's workers: `piece` makes n of them, the first of all
 * being number `first` and of this chunk number `at`. */
struct pieces {
    const struct setup *setup;
    void (*make)(struct pieces *pieces, size_t first, size_t at, size_t n);
    const struct cuzk_fr *column; /* that write_column is at, or NULL */
    size_t begin, count;
    uint32_t vanished; /* 1 + a number whose scalar is zero, or 0 */
};

static void run_piece(void *context, size_t index, unsigned worker)
{
    struct pieces *pieces = context;
    const size_t at = index * PIECE, n = pieces->count - at < PIECE ? pieces->count - at : PIECE;

    (void)worker;
    pieces->make(pieces, pieces->begin + at, at, n);
}

static void make_chunk(struct pieces *pieces, size_t begin, size_t count)
{
    pieces->begin = begin;
    pieces->count = count;
    cuzk_pool_run(pieces->setup->pool, (count + PIECE - 1) / PIECE, run_piece, pieces);
}

static void make_h(struct pieces *pieces, size_t first, size_t at, size_t n)
{
    const struct setup *setup = pieces->setup;
    struct cuzk_fr scalar; /* two in a row give tau away */

    cuzk_fr_pow_u64(&setup->toxic->tau, first, &scalar);
    cuzk_fr_mul(&scalar, &setup->qap.vanishing, &scalar);
    cuzk_fr_mul(&scalar, &setup->delta_inverse, &scalar);
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_to_words(&scalar, setup->scalars[at + k]);
        cuzk_fr_mul(&scalar, &setup->toxic->tau, &scalar);
    }
    cuzk_mem_wipe(&scalar, sizeof scalar);
}

static enum cuzk_status write_h(struct setup *setup, struct cuzk_error *err)
{
    const size_t n = ((size_t)1 << setup->qap.log_domain) - 1;
    struct pieces pieces = {.setup = setup, .make = make_h};

    CUZK_TRY(write_count(setup, n, err));
    for (size_t begin = 0; begin < n; begin += CHUNK) {
        const size_t count = n - begin < CHUNK ? n - begin : CHUNK;
        make_chunk(&pieces, begin, count);
        CUZK_TRY(flush(setup, CUZK_QUERY_H, count, err));
    }
    return CUZK_OK;
}

static void make_l(struct pieces *pieces, size_t first, size_t at, size_t n)
{
    const struct setup *setup = pieces->setup;
    struct cuzk_fr scalar;

    for (size_t k = 0; k < n; k++) {
        cuzk_qap_combine(&setup->qap, &setup->toxic->alpha, &setup->toxic->beta,
                         (size_t)setup->r1cs->inputs + first + k, &setup->delta_inverse, &scalar);
        if (cuzk_fr_is_zero(&scalar))
            __atomic_store_n(&pieces->vanished, (uint32_t)(first + k + 1), __ATOMIC_RELAXED);
        cuzk_fr_to_words(&scalar, setup->scalars[at + k]);
    }
    cuzk_mem_wipe(&scalar, sizeof scalar);
}

static enum cuzk_status write_l(struct setup *setup, struct cuzk_error *err)
{
    const uint32_t n = setup->r1cs->aux;
    struct pieces pieces = {.setup = setup, .make = make_l};

    CUZK_TRY(write_count(setup, n, err));
    for (size_t begin = 0; begin < n; begin += CHUNK) {
        const size_t count = n - begin < CHUNK ? n - begin : CHUNK;
        make_chunk(&pieces, begin, count);
        if (pieces.vanished != 0)
            return cuzk_error_set(err, CUZK_INPUT, "aux variable %u is in no constraint: no key can be made",
                                  pieces.vanished - 1);
        CUZK_TRY(flush(setup, CUZK_QUERY_L, count, err));
    }
    return CUZK_OK;
}

static size_t count_nonzero(const struct cuzk_fr *column, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += !cuzk_fr_is_zero(&column[i]);
    return count;
}

static void make_column(struct pieces *pieces, size_t first, size_t at, size_t n)
{
    const struct setup *setup = pieces->setup;

    (void)first;
    for (size_t k = at; k < at + n; k++)
        cuzk_fr_to_words(&pieces->column[setup->places[k]], setup->scalars[k]);
}

/* The entries of a column that are not zero. */
static enum cuzk_status write_column(struct setup *setup, enum cuzk_query query, const struct cuzk_fr *column,
                                     struct cuzk_error *err)
{
    const size_t n = (size_t)setup->r1cs->inputs + setup->r1cs->aux;
    struct pieces pieces = {.setup = setup, .make = make_column, .column = column};
    size_t count = 0;

    CUZK_TRY(write_count(setup, count_nonzero(column, n), err));
    for (size_t i = 0; i < n; i++) {
        if (cuzk_fr_is_zero(&column[i]))
            continue;
        setup->places[count++] = (uint32_t)i;
        if (count == CHUNK) {
            make_chunk(&pieces, 0, count);
            CUZK_TRY(flush(setup, query, count, err));
            count = 0;
        }
    }
    make_chunk(&pieces, 0, count);
    return flush(setup, query, count, err);
}

/* ---- the whole ---- */

static enum cuzk_status prepare(struct setup *setup, struct cuzk_pool *pool, struct cuzk_error *err)
{
    const size_t variables = (size_t)setup->r1cs->inputs + setup->r1cs->aux;
    union cuzk_backend_affine base;

    CUZK_TRY(cuzk_toxic_check(setup->toxic, err));
    cuzk_fr_inverse(&setup->toxic->delta, &setup->delta_inverse);
    cuzk_fr_inverse(&setup->toxic->gamma, &setup->gamma_inverse);
    cuzk_progress_report(setup->progress, "columns at tau", 0, 0);
    CUZK_TRY(cuzk_qap_evaluate(setup->r1cs, &setup->toxic->tau, 1, pool, &setup->qap, err));
    CUZK_TRY(cuzk_progress_check(setup->progress, err));
    const size_t a = count_nonzero(setup->qap.u, variables), b = count_nonzero(setup->qap.v, variables);
    const size_t g1 = ((size_t)1 << setup->qap.log_domain) - 1 + setup->r1cs->aux + a + b;
    setup->total = g1 + b;
    base.g1 = cuzk_g1_generator;
    CUZK_TRY(setup->backend->ops->table_create(setup->backend, CUZK_GROUP_G1, &base, g1, &setup->g1, err));
    base.g2 = cuzk_g2_generator;
    CUZK_TRY(setup->backend->ops->table_create(setup->backend, CUZK_GROUP_G2, &base, b, &setup->g2, err));
    CUZK_TRY(CUZK_NEW(&setup->scalars, CHUNK, "scalars of a key", err));
    CUZK_TRY(CUZK_NEW(&setup->places, CHUNK, "places of scalars", err));
    return CUZK_NEW(&setup->points, (size_t)CHUNK * CUZK_G2_RAW_BYTES, "points of a key", err);
}

enum cuzk_status cuzk_setup(struct cuzk_backend *backend, struct cuzk_pool *pool,
                            const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                            struct cuzk_sink params, const struct cuzk_progress *progress, struct cuzk_vk *vk,
                            struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct setup setup = {
        .backend = backend, .pool = pool, .r1cs = r1cs, .toxic = toxic, .sink = params, .progress = progress};

    *vk = (struct cuzk_vk){0};
    CUZK_TRY_OUT(prepare(&setup, pool, err));
    CUZK_TRY_OUT(
        cuzk_vk_setup(backend, setup.g1, &setup.qap, toxic, &setup.gamma_inverse, r1cs->inputs, vk, err));
    CUZK_TRY_OUT(cuzk_vk_write(vk, params, err));
    CUZK_TRY_OUT(write_h(&setup, err));
    CUZK_TRY_OUT(write_l(&setup, err));
    CUZK_TRY_OUT(write_column(&setup, CUZK_QUERY_A, setup.qap.u, err));
    CUZK_TRY_OUT(write_column(&setup, CUZK_QUERY_B_G1, setup.qap.v, err));
    CUZK_TRY_OUT(write_column(&setup, CUZK_QUERY_B_G2, setup.qap.v, err));
out:
    cuzk_qap_destroy(&setup.qap);
    cuzk_backend_table_destroy(setup.g1);
    cuzk_backend_table_destroy(setup.g2);
    cuzk_mem_free_wiped(setup.scalars);
    cuzk_mem_free(setup.places);
    cuzk_mem_free(setup.points);
    cuzk_mem_wipe(&setup, sizeof setup);
    if (status != CUZK_OK)
        cuzk_vk_destroy(vk);
    return status;
}

struct both {
    struct cuzk_sink file, copy;
};

static enum cuzk_status write_both(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    const struct both *both = context;

    if (both->copy.write != NULL)
        CUZK_TRY(both->copy.write(both->copy.context, bytes, n, err));
    return both->file.write(both->file.context, bytes, n, err);
}

enum cuzk_status cuzk_setup_files(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                  const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                  const char *params_path, const char *vk_path, bool replace,
                                  struct cuzk_sink copy, const struct cuzk_progress *progress,
                                  struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_file_out *params_file = NULL, *vk_file = NULL;
    struct cuzk_vk vk = {0};

    CUZK_TRY_OUT(cuzk_file_out_open(params_path, replace, &params_file, err));
    CUZK_TRY_OUT(cuzk_file_out_open(vk_path, replace, &vk_file, err));
    struct both both = {.file = cuzk_file_out_sink(params_file), .copy = copy};
    const struct cuzk_sink sink = {.write = write_both, .context = &both};
    CUZK_TRY_OUT(cuzk_setup(backend, pool, r1cs, toxic, sink, progress, &vk, err));
    CUZK_TRY_OUT(cuzk_vk_write(&vk, cuzk_file_out_sink(vk_file), err));
    struct cuzk_file_out *done = vk_file;
    vk_file = NULL;
    CUZK_TRY_OUT(cuzk_file_out_commit(done, err));
    done = params_file;
    params_file = NULL;
    CUZK_TRY_OUT(cuzk_file_out_commit(done, err));
out:
    cuzk_file_out_abandon(params_file);
    cuzk_file_out_abandon(vk_file);
    cuzk_vk_destroy(&vk);
    return status;
}
