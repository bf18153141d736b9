/*
 * Constraint systems as circom writes them (.r1cs), for the scalar field of BLS12-381.
 *
 * Wires are numbered: the one, public outputs, public inputs, private inputs, the rest; so wires up to
 * outputs + public inputs are our public inputs and all others are aux. Terms of a constraint are sorted,
 * like terms merged and zeros dropped on reading. Custom gates are refused.
 */
#ifndef CUZK_R1CS_CIRCOM_R1CS_H
#define CUZK_R1CS_CIRCOM_R1CS_H

#include "base/sink.h"
#include "r1cs/r1cs.h"

/* What a .r1cs file says beside the constraints. */
struct cuzk_circom_header {
    uint32_t wires, outputs, public_inputs, private_inputs, constraints;
    uint64_t labels;
};

/* Decodes a whole file; header may be NULL. Errors: INPUT with section, offset, expected and found; MEMORY.
 */
enum cuzk_status cuzk_circom_r1cs_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                         struct cuzk_r1cs **out, struct cuzk_circom_header *header,
                                         struct cuzk_error *err);

/* Writes a system as a .r1cs file; all inputs count as public inputs, wires are their own labels. */
enum cuzk_status cuzk_circom_r1cs_encode(const struct cuzk_r1cs *r1cs, struct cuzk_sink sink,
                                         struct cuzk_error *err);

/* The variable of a wire and back, where `inputs` public inputs (the one included) come first. */
static inline cuzk_variable cuzk_circom_variable(uint32_t wire, uint32_t inputs)
{
    return wire < inputs ? cuzk_variable_input(wire) : cuzk_variable_aux(wire - inputs);
}

static inline uint32_t cuzk_circom_wire(cuzk_variable variable, uint32_t inputs)
{
    const uint32_t index = cuzk_variable_index(variable);
    return cuzk_variable_is_aux(variable) ? inputs + index : index;
}

/* Sorts terms, merges like ones and drops zeros, in place; returns how many are left. */
size_t cuzk_circom_normalise(struct cuzk_term *terms, size_t count);

#endif
