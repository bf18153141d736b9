/*
 * Witnesses as snarkjs and circom's calculators write them (.wtns): the values of all wires, the one first,
 * plain little-endian numbers, for the scalar field of BLS12-381.
 */
#ifndef CUZK_R1CS_CIRCOM_WTNS_H
#define CUZK_R1CS_CIRCOM_WTNS_H

#include "base/sink.h"
#include "r1cs/witness.h"

/* Decodes a file into a created witness of a layout whose inputs + aux must be the file's number of wires.
 * Errors: INPUT with field, offset, expected and found; UNSATISFIED (wire 0 is not one, or a value is not the
 * bit that the layout wants); MEMORY. */
enum cuzk_status cuzk_circom_wtns_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                         const struct cuzk_witness_layout *layout, struct cuzk_witness *out,
                                         struct cuzk_error *err);

enum cuzk_status cuzk_circom_wtns_encode(const struct cuzk_witness_layout *layout,
                                         const struct cuzk_witness *witness, struct cuzk_sink sink,
                                         struct cuzk_error *err);

#endif
