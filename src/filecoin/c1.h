/*
 * The output of commit phase 1: a sector's commitments and the vanilla proofs of every partition, in memory
 * and as JSON.
 *
 * JSON forms: the API type (SealCommitPhase1Output, with registered_proof and a size tag around the proofs),
 * the inner type of sizes without a registered proof (neither), and either wrapped as lotus-bench and Curio
 * exchange it
 * ({"SectorNum":n,"Phase1Out":"base64","SectorSize":n}). docs/c1.md has the members.
 *
 * Decoding is strict: members in any order but each once and none missing; unknown ones skipped with a
 * warning; counts, lengths, ranges and shapes must be those of the sector size; every field element below the
 * modulus. It does not check that the proofs hold: filecoin/porep_verify.h does. Memory is that of the
 * result. Errors carry the byte offset.
 */
#ifndef CUZK_FILECOIN_C1_H
#define CUZK_FILECOIN_C1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sink.h"
#include "circuit/porep_assignment.h"
#include "filecoin/fr_arena.h"
#include "filecoin/json_stream.h"
#include "filecoin/seal_proof.h"

/* The part of a challenge's proof that the circuit does not read. */
struct cuzk_c1_labeling {
    uint32_t layer;                /* from 1 */
    uint64_t node;                 /* the challenged node, by its own say */
    const struct cuzk_fr *parents; /* [37]: the labels hashed, repeated */
};

struct cuzk_c1_claims {
    uint64_t column_node;                     /* the challenged column's node, by its own say */
    uint64_t parent_node[CUZK_POREP_PARENTS]; /* likewise its parents' */
    struct cuzk_c1_labeling labeling[CUZK_POREP_MAX_LAYERS]; /* [layers] */
    struct cuzk_c1_labeling encoding;
};

struct cuzk_c1_partition {
    struct cuzk_porep_challenge challenges[CUZK_POREP_MAX_CHALLENGES]; /* [shape.challenges] */
    struct cuzk_c1_claims claims[CUZK_POREP_MAX_CHALLENGES];
};

struct cuzk_c1 {
    int registered_proof; /* 0..19, or -1 for the inner form */
    uint64_t sector_size; /* bytes */
    struct cuzk_porep_shape shape;
    uint8_t comm_r[32], comm_d[32], replica_id[32]; /* field elements, little-endian */
    uint8_t seed[32], ticket[32];
    bool wrapped;           /* it came in the Curio form */
    uint64_t sector_number; /* of the wrapper */
    unsigned partitions;
    struct cuzk_c1_partition *partition[CUZK_POREP_MAX_PARTITIONS]; /* [partitions] */
    struct cuzk_fr_arena values;                                    /* siblings, labels, parents */
};

/* Decodes a whole document, wrapped or not. warnings may be NULL. *out is NULL on failure; cuzk_c1_destroy
 * it. Errors: INPUT, MEMORY. */
enum cuzk_status cuzk_c1_decode(const uint8_t *bytes, size_t length,
                                const struct cuzk_json_warnings *warnings, struct cuzk_c1 **out,
                                struct cuzk_error *err);

/* An empty result to fill: partitions with no proofs in them yet. For the sealer and the synthetic maker.
 * registered_proof is -1 where there is none. Errors: MEMORY. */
enum cuzk_status cuzk_c1_create(int registered_proof, const struct cuzk_porep_config *config,
                                struct cuzk_c1 **out, struct cuzk_error *err);

void cuzk_c1_destroy(struct cuzk_c1 *c1);

/* The configuration that registered_proof stands for. Errors: ARGUMENT (the inner form has none). */
enum cuzk_status cuzk_c1_config(const struct cuzk_c1 *c1, struct cuzk_porep_config *config,
                                struct cuzk_error *err);

/* The configuration of an output of the inner form, given what it does not say. How challenges were drawn
 * follows from the number of partitions and, between interactive and synthetic, from which of both gives the
 * proofs' nodes (interactive where neither does). */
void cuzk_c1_config_given(const struct cuzk_c1 *c1, enum cuzk_api_version api_version,
                          const uint8_t porep_id[32], struct cuzk_porep_config *config);

/* What a partition's circuit takes; points into c1. comm_c and comm_r_last are the roots of the first
 * challenge's paths. partition is below c1->partitions. */
void cuzk_c1_assignment(const struct cuzk_c1 *c1, unsigned partition,
                        struct cuzk_porep_assignment *assignment);

/* Writes the JSON text, byte for byte as the reference does (unwrapped). Errors: the sink's. */
enum cuzk_status cuzk_c1_encode(const struct cuzk_c1 *c1, const struct cuzk_sink *sink,
                                struct cuzk_error *err);

/* Writes the wrapped form around the same text. Errors: the sink's, MEMORY. */
enum cuzk_status cuzk_c1_encode_wrapped(const struct cuzk_c1 *c1, uint64_t sector_number,
                                        const struct cuzk_sink *sink, struct cuzk_error *err);

#endif
