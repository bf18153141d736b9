/*
 * The short names of circuits ("porep-32g") and the names that follow from them: the identifier that the
 * reference hashes, the cache id, the parameter files' names.
 *
 * Source: CacheableParameters and parameter_identifier of storage-proofs 19.1; VERSION 28 of its parameter
 * cache.
 */
#ifndef CUZK_SRS_CIRCUIT_ID_H
#define CUZK_SRS_CIRCUIT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "circuit/circuit.h"

enum { CUZK_CIRCUIT_NAME = 32, CUZK_PARAMETER_NAME = 256 };

/* Every circuit that parameters exist for, smallest sector first. */
size_t cuzk_circuit_id_count(void);
void cuzk_circuit_id_at(size_t index, struct cuzk_circuit_id *out);

/* "porep-2k", "porep-8m", "porep-64g". Errors: ARGUMENT, with the names that exist. */
enum cuzk_status cuzk_circuit_id_parse(const char *text, struct cuzk_circuit_id *out, struct cuzk_error *err);
void cuzk_circuit_id_format(const struct cuzk_circuit_id *id, char text[CUZK_CIRCUIT_NAME]);

/* The string whose SHA-256 ends the cache id; at most 511 characters. */
enum cuzk_status cuzk_circuit_id_identifier(const struct cuzk_circuit_id *id, char text[512],
                                            struct cuzk_error *err);

/* "v28-" + cache id, without the suffix ".params" or ".vk". Errors: ARGUMENT (no circuit of that size). */
enum cuzk_status cuzk_circuit_id_parameter_name(const struct cuzk_circuit_id *id,
                                                char text[CUZK_PARAMETER_NAME], struct cuzk_error *err);

/* What the public manifest of trusted parameters says of a circuit's .params file. */
struct cuzk_published {
    const char *cid;    /* content id under which it is distributed */
    const char *digest; /* first 16 bytes of BLAKE2b-512 of the file, 32 hex digits */
};

/* NULL where no parameters were published (test sizes). */
const struct cuzk_published *cuzk_circuit_id_published(const struct cuzk_circuit_id *id);

#endif
