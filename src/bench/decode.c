#include "bench/decode.h"

#include "base/buffer.h"
#include "filecoin/c1.h"
#include "filecoin/porep_verify.h"
#include "filecoin/synth.h"

enum { SEED = 1 };

struct work {
    struct cuzk_pool *pool;
    struct cuzk_c1 *c1;
    struct cuzk_porep_config config;
    struct cuzk_buffer plain, wrapped;
};

static enum cuzk_status make_text(const struct cuzk_c1 *c1, bool wrapped, struct cuzk_buffer *text,
                                  struct cuzk_error *err)
{
    const struct cuzk_sink sink = cuzk_buffer_sink(text);

    return wrapped ? cuzk_c1_encode_wrapped(c1, SEED, &sink, err) : cuzk_c1_encode(c1, &sink, err);
}

static enum cuzk_status decode(const struct cuzk_buffer *text, struct cuzk_error *err)
{
    struct cuzk_c1 *c1;

    CUZK_TRY(cuzk_c1_decode(text->bytes, text->length, NULL, &c1, err));
    cuzk_c1_destroy(c1);
    return CUZK_OK;
}

static enum cuzk_status run_plain(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    return decode(&work->plain, err);
}

static enum cuzk_status run_wrapped(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    return decode(&work->wrapped, err);
}

/* Writing the text is measured, not keeping it. */
static enum cuzk_status drop(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    (void)context;
    (void)bytes;
    (void)n;
    (void)err;
    return CUZK_OK;
}

static enum cuzk_status run_encode(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    const struct cuzk_sink sink = {drop, NULL};

    return cuzk_c1_encode(work->c1, &sink, err);
}

static enum cuzk_status run_check(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    return cuzk_porep_verify_vanilla(work->pool, work->c1, &work->config, NULL, err);
}

enum cuzk_status cuzk_bench_decode(struct cuzk_pool *pool, uint64_t sector_size,
                                   const struct cuzk_progress *progress,
                                   struct cuzk_bench_result results[CUZK_BENCH_DECODE_CASES],
                                   struct cuzk_error *err)
{
    const struct cuzk_synth_request request = {
        .sector_size = sector_size, .seed = SEED, .data = CUZK_SYNTH_MIX};
    struct work work = {.pool = pool};
    uint8_t prover_id[32];
    int registered_proof;
    enum cuzk_status status;

    CUZK_TRY_OUT(cuzk_synth_config(&request, &work.config, &registered_proof, prover_id, err));
    CUZK_TRY_OUT(cuzk_synth_porep(pool, &request, NULL, &work.c1, err));
    CUZK_TRY_OUT(make_text(work.c1, false, &work.plain, err));
    CUZK_TRY_OUT(make_text(work.c1, true, &work.wrapped, err));
    const struct cuzk_bench_case cases[CUZK_BENCH_DECODE_CASES] = {
        {"C1 decode", "byte", work.plain.length, run_plain, &work},
        {"C1 decode, wrapped", "byte", work.wrapped.length, run_wrapped, &work},
        {"C1 encode", "byte", work.plain.length, run_encode, &work},
        {"vanilla check", "challenge", work.config.partitions * work.config.shape.challenges, run_check,
         &work},
    };
    for (size_t i = 0; i < CUZK_BENCH_DECODE_CASES; i++)
        CUZK_TRY_OUT(cuzk_bench_measure(&cases[i], &cuzk_bench_default, progress, &results[i], err));
out:
    cuzk_buffer_clear(&work.plain);
    cuzk_buffer_clear(&work.wrapped);
    cuzk_c1_destroy(work.c1);
    return status;
}
