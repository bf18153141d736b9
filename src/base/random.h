/*
 * Random bytes: from the kernel, or reproducible from a 32-byte seed for tests and test parameters.
 *
 * The seeded source is the IETF ChaCha20 key stream (RFC 8439) under the seed as key and a zero nonce: openly
 * insecure, since who knows the seed knows everything. One source serves one thread at a time.
 */
#ifndef CUZK_BASE_RANDOM_H
#define CUZK_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_random {
    bool seeded;
    uint8_t seed[32];
    uint32_t block;    /* next 64-byte block of the key stream */
    uint32_t used;     /* bytes of `ready` that were given out */
    uint8_t ready[64]; /* current block */
};

/* The kernel's generator (getrandom). */
void cuzk_random_init_system(struct cuzk_random *random);

/* The key stream of a seed. */
void cuzk_random_init_seeded(struct cuzk_random *random, const uint8_t seed[32]);

/* Fills n bytes. Errors: IO (the kernel gave none), ARGUMENT (more than 256 GiB from one seed). */
enum cuzk_status cuzk_random_bytes(struct cuzk_random *random, void *bytes, size_t n, struct cuzk_error *err);

/* Wipes the seed and what is left of the key stream. */
void cuzk_random_wipe(struct cuzk_random *random);

#endif
