/*
 * The circuit of one PoRep partition (StackedDRG proof of replication), for every sector size.
 *
 * The shape (porep_assignment.h) follows from the sector size alone: neither the API version nor the porep id
 * nor the synthetic and non-interactive features change the circuit.
 *
 * Source: storage-proofs-porep 19.1, stacked/circuit/{proof,params,create_label,column}.rs.
 */
#ifndef CUZK_CIRCUIT_POREP_H
#define CUZK_CIRCUIT_POREP_H

#include "base/error.h"
#include "base/pool.h"
#include "circuit/cs.h"
#include "circuit/porep_assignment.h"
#include "r1cs/witness.h"

/* The whole circuit: head, then each challenge. assignment NULL: blank values, for record mode and dry
 * runs. */
void cuzk_porep_synthesise(struct cuzk_cs *cs, const struct cuzk_porep_shape *shape,
                           const struct cuzk_porep_assignment *assignment);

/* Where the parts of a witness lie: the challenges are alike, one behind the other after the head. */
struct cuzk_porep_plan {
    struct cuzk_porep_shape shape;
    struct cuzk_cs_counts head, challenge, total; /* constraints are not counted */
};

/* Errors: MEMORY. */
enum cuzk_status cuzk_porep_plan(const struct cuzk_porep_shape *shape, struct cuzk_porep_plan *out,
                                 struct cuzk_error *err);

/* Which aux variables are bits; without recording a constraint. Errors: MEMORY. */
enum cuzk_status cuzk_porep_layout(const struct cuzk_porep_plan *plan, struct cuzk_witness_layout *out,
                                   struct cuzk_error *err);

/* The witness of an assignment into a fresh one of the layout, challenges spread over the pool. An assignment
 * that does not hold gives a witness that does not satisfy the circuit. Errors: MEMORY. */
enum cuzk_status cuzk_porep_witness(const struct cuzk_porep_plan *plan,
                                    const struct cuzk_porep_assignment *assignment, struct cuzk_pool *pool,
                                    const struct cuzk_witness *witness, struct cuzk_error *err);

/* Number of public inputs, the constant one included. */
unsigned cuzk_porep_inputs(const struct cuzk_porep_shape *shape);

#endif
