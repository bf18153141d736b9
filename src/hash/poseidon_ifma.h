/* Eight Poseidon hashes at once with AVX-512 IFMA. Call only where cuzk_cpu_level() is CUZK_CPU_IFMA.
 * Internal to the hash layer. */
#ifndef CUZK_HASH_POSEIDON_IFMA_H
#define CUZK_HASH_POSEIDON_IFMA_H

#include "hash/poseidon.h"

/* Constants of an instance in limbs of 52 bits, times 2^260: made from it once. */
struct cuzk_poseidon_ifma {
    uint64_t
        compressed[CUZK_POSEIDON_FULL_ROUNDS * CUZK_POSEIDON_MAX_WIDTH + CUZK_POSEIDON_MAX_PARTIAL_ROUNDS][5];
    uint64_t mds[CUZK_POSEIDON_MAX_WIDTH][CUZK_POSEIDON_MAX_WIDTH][5];
    uint64_t pre_sparse[CUZK_POSEIDON_MAX_WIDTH][CUZK_POSEIDON_MAX_WIDTH][5];
    struct {
        uint64_t column[CUZK_POSEIDON_MAX_WIDTH][5];
        uint64_t row[CUZK_POSEIDON_MAX_ARITY][5];
    } sparse[CUZK_POSEIDON_MAX_PARTIAL_ROUNDS];
};

void cuzk_poseidon_ifma_make(const struct cuzk_poseidon *poseidon, struct cuzk_poseidon_ifma *out);

/* Those of an instance of cuzk_poseidon_instance, made at their first use. Thread-safe. */
const struct cuzk_poseidon_ifma *cuzk_poseidon_ifma_of(const struct cuzk_poseidon *poseidon);

/* out[i] = hash of inputs[i * arity ...], merkle tag, for i < 8. */
void cuzk_poseidon_ifma_hash8(const struct cuzk_poseidon *poseidon,
                              const struct cuzk_poseidon_ifma *constants, const struct cuzk_fr *inputs,
                              struct cuzk_fr out[8]);

/* As cuzk_poseidon_trace_many for exactly eight hashes; out[] may repeat. */
void cuzk_poseidon_ifma_trace8(const struct cuzk_poseidon *poseidon,
                               const struct cuzk_poseidon_ifma *constants, const struct cuzk_fr *tag,
                               const struct cuzk_fr *inputs, struct cuzk_fr *const out[8]);

#endif
