/*
 * libcuzk: Groth16 proofs for Filecoin sectors, from the output of commit phase 1 to a verified proof.
 *
 * An engine holds a pool of threads, a parameter directory and the circuits it has made ready. Nothing is
 * global: engines are independent. Every function says whether it may be called from several threads at once.
 *
 * Functions return an enum cuzk_result. On anything but CUZK_RESULT_OK, *failure (which may be NULL) has a
 * one-line message with the place of what is wrong, and out-parameters are untouched, or NULL where a
 * function says so. No function prints, exits or aborts.
 *
 * ABI: symbols are versioned (CUZK_0). Structs that the caller fills begin with their own size, so members
 * may be added behind.
 *
 *     struct cuzk_engine_options options = {.size = sizeof options, .parameter_directory = "params"};
 *     struct cuzk_engine *engine;
 *     enum cuzk_result result = cuzk_engine_open(&options, &engine, &failure);
 *     if (result == CUZK_RESULT_OK) {
 *         uint8_t *proof;
 *         size_t length;
 *         result = cuzk_engine_prove_porep(engine, c1, c1_length, NULL, &proof, &length, &failure);
 *         if (result == CUZK_RESULT_OK)
 *             cuzk_release(proof);
 *         cuzk_engine_close(engine);
 *     }
 */
#ifndef CUZK_H
#define CUZK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_API __attribute__((visibility("default")))

/* The same numbers as the exit codes of the command line. */
enum cuzk_result {
    CUZK_RESULT_OK = 0,
    CUZK_RESULT_INVALID = 1,  /* a true answer: the proof or the data does not hold */
    CUZK_RESULT_USAGE = 2,    /* arguments that cannot be used */
    CUZK_RESULT_INPUT = 3,    /* malformed bytes; the message has the position */
    CUZK_RESULT_RESOURCE = 4, /* memory, files, device, or stopped on request */
    CUZK_RESULT_INTERNAL = 5, /* a bug in this library */
};

struct cuzk_failure {
    enum cuzk_result result;
    char message[512]; /* terminated, no newline */
};

/* Both callbacks may be called from several threads at once, and must not call back into the engine. */
struct cuzk_engine_options {
    size_t size; /* sizeof(struct cuzk_engine_options) */
    const char
        *parameter_directory; /* NULL: $FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters */
    unsigned threads;         /* 0: one for each processor */
    /* `done` of `total` units of a stage are finished (total 0: unknown). May be NULL. */
    void (*progress)(void *context, const char *stage, uint64_t done, uint64_t total);
    /* Not zero where the work in hand should stop (it then ends with RESOURCE). May be NULL. */
    int (*cancelled)(void *context);
    void *context; /* given to both */
};

/* What is known of a sector besides its C1 output; members count where their flag is not zero. With prover
 * and sector number the replica id is recomputed and must match. */
struct cuzk_sector_facts {
    size_t size; /* sizeof(struct cuzk_sector_facts) */
    int has_miner_id, has_sector_number, has_porep_id;
    uint64_t miner_id, sector_number;
    uint8_t porep_id[32];
};

struct cuzk_engine;

/* The version of the library ("0.1.0"). Any thread. */
CUZK_API const char *cuzk_version(void);

/* Opens an engine; *engine is NULL on failure. Any thread. */
CUZK_API enum cuzk_result cuzk_engine_open(const struct cuzk_engine_options *options,
                                           struct cuzk_engine **engine, struct cuzk_failure *failure);

/* Frees an engine and what it has loaded; NULL is fine. No call on it may be running. */
CUZK_API void cuzk_engine_close(struct cuzk_engine *engine);

/* Makes a circuit ready ("porep-2k" to "porep-64g"): records its constraints and maps its parameters. Proving
 * does it on demand; the circuit stays ready until another is wanted. One thread at a time on an engine. */
CUZK_API enum cuzk_result cuzk_engine_load(struct cuzk_engine *engine, const char *circuit,
                                           struct cuzk_failure *failure);

/* Proves a sector: c1 is the output of commit phase 1 (JSON, raw or wrapped as Curio does). Every vanilla
 * proof is checked, every Groth16 proof verified before it is returned. *proof is 192 bytes for each
 * partition; give it to cuzk_release. facts may be NULL. One thread at a time on an engine. */
CUZK_API enum cuzk_result cuzk_engine_prove_porep(struct cuzk_engine *engine, const void *c1,
                                                  size_t c1_length, const struct cuzk_sector_facts *facts,
                                                  uint8_t **proof, size_t *proof_length,
                                                  struct cuzk_failure *failure);

/* Verifies the proof of a sector against its C1 output, with the key in the engine's parameter directory.
 * INVALID where it does not hold. One thread at a time on an engine. */
CUZK_API enum cuzk_result cuzk_engine_verify_porep(struct cuzk_engine *engine, const void *c1,
                                                   size_t c1_length, const struct cuzk_sector_facts *facts,
                                                   const uint8_t *proof, size_t proof_length,
                                                   struct cuzk_failure *failure);

/* Verifies proofs under a key given as bytes (a .vk file). inputs: for each of `partitions` proofs
 * inputs_each public inputs of 32 bytes, little-endian, without the constant one. Any thread. */
CUZK_API enum cuzk_result cuzk_verify_bytes(const void *vk, size_t vk_length, const uint8_t *inputs,
                                            size_t inputs_each, size_t partitions, const uint8_t *proof,
                                            size_t proof_length, struct cuzk_failure *failure);

/* Makes *test* parameters of a circuit in a directory, from the kernel's randomness or (openly insecure) from
 * a seed of 32 bytes. Proofs made with them prove nothing to the chain. Files that are there are never
 * replaced. One thread at a time on an engine. */
CUZK_API enum cuzk_result cuzk_engine_make_test_parameters(struct cuzk_engine *engine, const char *circuit,
                                                           const char *directory, const uint8_t seed[32],
                                                           struct cuzk_failure *failure);

/* Frees what a function of this library returned; NULL is fine. Any thread. */
CUZK_API void cuzk_release(void *bytes);

#ifdef __cplusplus
}
#endif

#endif
