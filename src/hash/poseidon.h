/*
 * Poseidon over Fr in the instances of Filecoin: S-box x^5, 8 full rounds, 55 to 57 partial ones, width arity
 * +
 * 1. Element 0 of the state is the domain tag, the hash is element 1 after the permutation.
 *
 * The permutation is computed in neptune's optimised form (https://eprint.iacr.org/2019/458, appendix B, and
 * https://github.com/argumentcomputer/neptune): round constants are moved behind the S-box of the round
 * before and compressed to one a partial round; the matrices of partial rounds are factored into sparse ones.
 * Matrices act on row vectors: out[j] = sum over i of state[i] * m[i][j].
 *
 * Constants are computed at first use (Grain LFSR) into static storage. Thread-safe; nothing here fails.
 */
#ifndef CUZK_HASH_POSEIDON_H
#define CUZK_HASH_POSEIDON_H

#include <stddef.h>

#include "field/fr.h"

enum {
    CUZK_POSEIDON_MAX_ARITY = 11,
    CUZK_POSEIDON_MAX_WIDTH = CUZK_POSEIDON_MAX_ARITY + 1,
    CUZK_POSEIDON_FULL_ROUNDS = 8,
    CUZK_POSEIDON_HALF_FULL_ROUNDS = CUZK_POSEIDON_FULL_ROUNDS / 2,
    CUZK_POSEIDON_MAX_PARTIAL_ROUNDS = 57,
    CUZK_POSEIDON_MAX_ROUNDS = CUZK_POSEIDON_FULL_ROUNDS + CUZK_POSEIDON_MAX_PARTIAL_ROUNDS,
};

/* Which domain tag goes into element 0. */
enum cuzk_poseidon_tag {
    CUZK_POSEIDON_MERKLE,     /* 2^arity - 1: tree nodes, columns, comm_r */
    CUZK_POSEIDON_RANDOMNESS, /* 2^40, arity 2 only: phi, rho and update challenges */
};

/* A sparse matrix: identity but for its first row and column. */
struct cuzk_poseidon_sparse {
    struct cuzk_fr column[CUZK_POSEIDON_MAX_WIDTH]; /* m[i][0], i < width */
    struct cuzk_fr row[CUZK_POSEIDON_MAX_ARITY];    /* m[0][j + 1], j < arity */
};

/* One instance. All values in Montgomery form; arrays are filled to the instance's width and rounds. */
struct cuzk_poseidon {
    unsigned arity, width, partial_rounds;
    struct cuzk_fr tag; /* of CUZK_POSEIDON_MERKLE */
    /* as defined: width * (full + partial) constants by round, then by element */
    struct cuzk_fr round_constants[CUZK_POSEIDON_MAX_ROUNDS * CUZK_POSEIDON_MAX_WIDTH];
    struct cuzk_fr mds[CUZK_POSEIDON_MAX_WIDTH][CUZK_POSEIDON_MAX_WIDTH];
    /* optimised form, in order of use: width added before the first S-box; width after the S-boxes of each of
     * the first four full rounds; one after each partial round's S-box; width after each of the last four
     * full rounds but the very last. In all 8 * width + partial_rounds (compressed_count). */
    struct cuzk_fr
        compressed[CUZK_POSEIDON_FULL_ROUNDS * CUZK_POSEIDON_MAX_WIDTH + CUZK_POSEIDON_MAX_PARTIAL_ROUNDS];
    size_t compressed_count;
    /* used instead of mds in the fourth full round */
    struct cuzk_fr pre_sparse[CUZK_POSEIDON_MAX_WIDTH][CUZK_POSEIDON_MAX_WIDTH];
    struct cuzk_poseidon_sparse sparse[CUZK_POSEIDON_MAX_PARTIAL_ROUNDS]; /* one a partial round, in order */
};

/* The instance of an arity, which must be 2, 4, 8 or 11 (NULL otherwise). Static storage. */
const struct cuzk_poseidon *cuzk_poseidon_instance(unsigned arity);

/* The value of a tag for an instance. */
void cuzk_poseidon_tag(const struct cuzk_poseidon *poseidon, enum cuzk_poseidon_tag tag, struct cuzk_fr *out);

/* The permutation, in place over width elements. */
void cuzk_poseidon_permute(const struct cuzk_poseidon *poseidon, struct cuzk_fr *state);

/* The same by the definition: round constants, S-boxes and the dense matrix in every round. Slow; the measure
 * that the optimised form is held to. */
void cuzk_poseidon_permute_plain(const struct cuzk_poseidon *poseidon, struct cuzk_fr *state);

/* The linear layers, in place: the row vector of `width` elements times a dense or a sparse matrix. */
void cuzk_poseidon_multiply_dense(struct cuzk_fr *state, const struct cuzk_fr m[][CUZK_POSEIDON_MAX_WIDTH],
                                  unsigned width);
void cuzk_poseidon_multiply_sparse(struct cuzk_fr *state, const struct cuzk_poseidon_sparse *m,
                                   unsigned width);

/* Hash of `arity` elements with the merkle tag. */
void cuzk_poseidon_hash(const struct cuzk_poseidon *poseidon, const struct cuzk_fr *inputs,
                        struct cuzk_fr *out);

/* n hashes: out[i] of inputs[i * arity ...]. Uses the widest arithmetic that the processor has. out may not
 * overlap inputs. */
void cuzk_poseidon_hash_many(const struct cuzk_poseidon *poseidon, const struct cuzk_fr *inputs, size_t n,
                             struct cuzk_fr *out);

/* How many values a circuit has of one hash (circuit/poseidon.h), in the order in which it allocates them: of
 * each S-box x, x^2, x^4 and x^5 + key, but no x in the first round, and nothing of the tag's S-box there,
 * which is a constant; the hash comes last. 311, 377, 505 or 598 for an arity of 2, 4, 8 or 11. */
size_t cuzk_poseidon_trace_count(const struct cuzk_poseidon *poseidon);

/* These values of n hashes with a tag: of inputs[i * arity ...] to out[i], which do not overlap. Uses the
 * widest arithmetic that the processor has: eight at once are best. */
void cuzk_poseidon_trace_many(const struct cuzk_poseidon *poseidon, enum cuzk_poseidon_tag tag,
                              const struct cuzk_fr *inputs, size_t n, struct cuzk_fr *const *out);

/* Hash of two elements with the randomness tag. */
void cuzk_poseidon_randomness(const struct cuzk_fr inputs[2], struct cuzk_fr *out);

#endif
