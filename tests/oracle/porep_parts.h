/* A PoRep circuit and one sector's witness for it, for the oracle and its tests. */
#ifndef CUZK_TESTS_ORACLE_POREP_PARTS_H
#define CUZK_TESTS_ORACLE_POREP_PARTS_H

#include "base/pool.h"
#include "circuit/circuit.h"
#include "engine/porep_case.h"
#include "groth16/toxic.h"
#include "r1cs/r1cs.h"
#include "srs/circuit_id.h"

struct porep_circuit {
    struct cuzk_circuit_id id;
    struct cuzk_circuit circuit;
    struct cuzk_witness_layout layout;
    struct cuzk_r1cs *r1cs;
};

enum cuzk_status porep_circuit_open(const char *name, struct porep_circuit *out, struct cuzk_error *err);
void porep_circuit_close(struct porep_circuit *circuit);

/* The witness of a partition of a C1 output; name is for errors. */
enum cuzk_status porep_witness(const struct porep_circuit *circuit, const char *name, const uint8_t *c1,
                               size_t length, unsigned partition, struct cuzk_pool *pool,
                               struct cuzk_witness *out, struct cuzk_error *err);

/* The member "toxic" of a JSON object in a file, or the object itself: alpha, beta, gamma, delta, tau as
 * little-endian hex. */
enum cuzk_status toxic_read(const char *path, struct cuzk_toxic *out, struct cuzk_error *err);

#endif
