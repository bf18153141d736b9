/*
 * The inner transform: eight interleaved transforms of one level, in a local buffer. Private to src/poly.
 *
 * Element i of lane l lies at data[l * lane_stride + i * step_stride]; one of the strides is 1. Natural order
 * in and out. Optional factors base[l] * ratio[l]^i on loading and on storing.
 */
#ifndef CUZK_POLY_NTT_STRIP_H
#define CUZK_POLY_NTT_STRIP_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

enum { CUZK_STRIP_LANES_LOG = 3, CUZK_STRIP_LANES = 1 << CUZK_STRIP_LANES_LOG, CUZK_STRIP_MAX_LOG = 11 };

struct cuzk_strip_factors {
    struct cuzk_fr base[CUZK_STRIP_LANES], ratio[CUZK_STRIP_LANES];
};

struct cuzk_strip {
    struct cuzk_fr *data;
    size_t lane_stride, step_stride;
    unsigned log_n;       /* 3 to CUZK_STRIP_MAX_LOG */
    const void *twiddles; /* prepared by the kernel: entry b is w^(bits of b reversed) */
    const struct cuzk_strip_factors *load, *store; /* NULL: none */
};

struct cuzk_strip_kernel {
    size_t twiddle_bytes; /* of one entry */
    size_t element_bytes; /* of one buffer element of all lanes */
    void (*prepare_twiddle)(const struct cuzk_fr *twiddle, void *entry);
    void (*transform)(const struct cuzk_strip *strip, void *buffer);
    /* out[i] = a[i] * b[i] */
    void (*multiply)(const struct cuzk_fr *a, const struct cuzk_fr *b, size_t n, struct cuzk_fr *out);
};

extern const struct cuzk_strip_kernel cuzk_strip_portable;
#if defined(__x86_64__)
extern const struct cuzk_strip_kernel cuzk_strip_ifma;
#endif

/* The kernel for the arithmetic level in force. */
const struct cuzk_strip_kernel *cuzk_strip_kernel_now(void);

/* The lowest `bits` bits of i in reverse order. */
static inline size_t cuzk_strip_reverse(size_t i, unsigned bits)
{
    size_t out = 0;
    for (unsigned k = 0; k < bits; k++)
        out |= (i >> k & 1) << (bits - 1 - k);
    return out;
}

#endif
