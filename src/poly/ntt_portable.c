/* The inner transform in plain C: radix 2, one lane after another within a butterfly. */
#include "base/cpu.h"
#include "poly/ntt_strip.h"

static void prepare_twiddle(const struct cuzk_fr *twiddle, void *entry)
{
    *(struct cuzk_fr *)entry = *twiddle;
}

static void load(const struct cuzk_strip *strip, struct cuzk_fr *x)
{
    const size_t n = (size_t)1 << strip->log_n;

    for (int lane = 0; lane < CUZK_STRIP_LANES; lane++) {
        const struct cuzk_fr *from = strip->data + (size_t)lane * strip->lane_stride;
        if (strip->load == NULL) {
            for (size_t i = 0; i < n; i++)
                x[i * CUZK_STRIP_LANES + (size_t)lane] = from[i * strip->step_stride];
            continue;
        }
        struct cuzk_fr factor = strip->load->base[lane];
        for (size_t i = 0; i < n; i++) {
            cuzk_fr_mul(&from[i * strip->step_stride], &factor, &x[i * CUZK_STRIP_LANES + (size_t)lane]);
            cuzk_fr_mul(&factor, &strip->load->ratio[lane], &factor);
        }
    }
}

static void store(const struct cuzk_strip *strip, const struct cuzk_fr *x)
{
    const size_t n = (size_t)1 << strip->log_n;

    for (int lane = 0; lane < CUZK_STRIP_LANES; lane++) {
        struct cuzk_fr *to = strip->data + (size_t)lane * strip->lane_stride;
        struct cuzk_fr factor;
        if (strip->store != NULL)
            factor = strip->store->base[lane];
        for (size_t i = 0; i < n; i++) {
            const struct cuzk_fr *value =
                &x[cuzk_strip_reverse(i, strip->log_n) * CUZK_STRIP_LANES + (size_t)lane];
            if (strip->store == NULL) {
                to[i * strip->step_stride] = *value;
                continue;
            }
            cuzk_fr_mul(value, &factor, &to[i * strip->step_stride]);
            cuzk_fr_mul(&factor, &strip->store->ratio[lane], &factor);
        }
    }
}

static void transform(const struct cuzk_strip *strip, void *buffer)
{
    const struct cuzk_fr *twiddles = strip->twiddles;
    struct cuzk_fr *x = buffer;
    const size_t n = (size_t)1 << strip->log_n;

    load(strip, x);
    for (size_t blocks = 1; blocks < n; blocks *= 2) {
        const size_t half = n / blocks / 2 * CUZK_STRIP_LANES;
        for (size_t b = 0; b < blocks; b++) {
            struct cuzk_fr *low = x + b * 2 * half, *high = low + half;
            for (size_t i = 0; i < half; i++) {
                struct cuzk_fr t;
                if (b == 0)
                    t = high[i];
                else
                    cuzk_fr_mul(&high[i], &twiddles[b], &t);
                cuzk_fr_sub(&low[i], &t, &high[i]);
                cuzk_fr_add(&low[i], &t, &low[i]);
            }
        }
    }
    store(strip, x);
}

static void multiply(const struct cuzk_fr *a, const struct cuzk_fr *b, size_t n, struct cuzk_fr *out)
{
    for (size_t i = 0; i < n; i++)
        cuzk_fr_mul(&a[i], &b[i], &out[i]);
}

const struct cuzk_strip_kernel cuzk_strip_portable = {
    .twiddle_bytes = sizeof(struct cuzk_fr),
    .element_bytes = CUZK_STRIP_LANES * sizeof(struct cuzk_fr),
    .prepare_twiddle = prepare_twiddle,
    .transform = transform,
    .multiply = multiply,
};

const struct cuzk_strip_kernel *cuzk_strip_kernel_now(void)
{
#if defined(__x86_64__)
    if (cuzk_cpu_level() == CUZK_CPU_IFMA)
        return &cuzk_strip_ifma;
#endif
    return &cuzk_strip_portable;
}
