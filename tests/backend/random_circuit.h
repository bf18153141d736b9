/*
 * Random circuits, keys and witnesses for the tests of backends: small, with rows of all lengths, queries
 * that leave variables out, and points that are known multiples of the generator, so that a sum is known from
 * logarithms.
 */
#ifndef CUZK_TESTS_RANDOM_CIRCUIT_H
#define CUZK_TESTS_RANDOM_CIRCUIT_H

#include "backend/backend.h"
#include "support/random.h"

enum { INPUTS = 5, AUX = 333, CONSTRAINTS = 200, LOG_DOMAIN = 8, DOMAIN = 1 << LOG_DOMAIN };

struct test_circuit {
    struct cuzk_r1cs *r1cs;    /* every row written out */
    struct cuzk_r1cs *compact; /* NULL, or the same as head and copies */
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
    struct cuzk_backend_plan plan;
    uint64_t inputs_map[CUZK_QUERIES], aux_map[CUZK_QUERIES][(AUX + 63) / 64];
    uint8_t *bytes[CUZK_QUERIES];
    struct cuzk_fr *logarithms[CUZK_QUERIES];
};

extern struct test_random test_circuit_rng; /* initialised by the program */

/* A circuit written out; its bits: 0 none, 1 some, 2 all aux variables. test_circuit_free it. */
void test_circuit_make(struct test_circuit *circuit, int bits);
/* The same sizes as head and copies. */
void test_circuit_make_compact(struct test_circuit *circuit);
void test_circuit_free(struct test_circuit *circuit);

/* Not zero: it may be a coefficient, or the logarithm of a point of a key. */
void test_circuit_draw(struct cuzk_fr *out);

/* count points with random logarithms, as bytes of a parameter file; the caller frees them. */
uint8_t *test_circuit_points(bool g2, size_t count, struct cuzk_fr *logarithms);

/* Whether a point is that multiple of the generator. */
bool test_circuit_point_equals(bool g2, const union cuzk_backend_point *point,
                               const struct cuzk_fr *logarithm);

#endif
