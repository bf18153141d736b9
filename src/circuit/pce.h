/*
 * The pre-compiled constraint evaluator on disk: A and B of a circuit as recorded (circuit/record.h), so that
 * a prover need not record it again.
 *
 * A .pce file (docs/formats.md) belongs to one circuit and one build of this program and ends in its own
 * BLAKE2b. Whatever is wrong with it (another circuit or version, a length that does not fit, a flipped bit)
 * is an INPUT error that names the place; cuzk_pce_obtain then records the circuit and writes the file anew.
 * The checksum guards against damage, not against malice: a file whose checksum is right is still held to the
 * circuit's sizes before anything is indexed with it, and a proof made with wrong matrices does not verify
 * and is not given out.
 */
#ifndef CUZK_CIRCUIT_PCE_H
#define CUZK_CIRCUIT_PCE_H

#include "base/progress.h"
#include "base/sink.h"
#include "circuit/circuit.h"
#include "r1cs/r1cs.h"

#define CUZK_PCE_MAGIC  "cuzk-pce"
#define CUZK_PCE_SUFFIX ".pce"

enum { CUZK_PCE_VERSION = 1, CUZK_PCE_CHECKSUM_BYTES = 32, CUZK_PCE_PROGRAM_BYTES = 32 };

/* What a file says of itself at its beginning. */
struct cuzk_pce_header {
    struct cuzk_circuit_id circuit;
    char program[CUZK_PCE_PROGRAM_BYTES + 1]; /* version and commit of what wrote it */
    struct cuzk_r1cs_extent head, part;
    uint32_t parts, window_first, window_count, pool_count;
    uint32_t terms[2]; /* of A and B, as stored */
    uint64_t bytes;    /* of the whole file, which follows from the rest */
};

/* Reads the beginning and holds it against the length; the checksum is not looked at. Errors: INPUT with
 * field, offset, expected and found. */
enum cuzk_status cuzk_pce_read_header(const char *name, const uint8_t *bytes, uint64_t length,
                                      struct cuzk_pce_header *out, struct cuzk_error *err);

/* The system of a whole file, without C. circuit: which one it must be of, by this build of the program;
 * NULL: any. Errors: INPUT, MEMORY. */
enum cuzk_status cuzk_pce_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                 const struct cuzk_circuit *circuit, struct cuzk_r1cs **out,
                                 struct cuzk_error *err);

/* Writes A and B of a recorded circuit. Errors: those of the sink. */
enum cuzk_status cuzk_pce_encode(const struct cuzk_circuit_id *id, const struct cuzk_r1cs *r1cs,
                                 struct cuzk_sink sink, struct cuzk_error *err);

/* How a system was come by. */
enum cuzk_pce_origin {
    CUZK_PCE_RECORDED, /* there was no file, or none was asked for */
    CUZK_PCE_READ,
    CUZK_PCE_REBUILT, /* the file was damaged or of another version, and was replaced */
};

/* A, B and the layout of a circuit: from the file at `path` if it is good, else recorded, and the file
 * written (temporary file, fsync, rename). path NULL: no file. A file that cannot be written is no error:
 * *out_note, which may be NULL, then says why, as it says what was wrong with a file that was replaced; it is
 * empty otherwise. Errors: those of cuzk_circuit_record. */
enum cuzk_status cuzk_pce_obtain(const struct cuzk_circuit *circuit, const char *path, struct cuzk_pool *pool,
                                 const struct cuzk_progress *progress, struct cuzk_r1cs **r1cs,
                                 struct cuzk_witness_layout *layout, enum cuzk_pce_origin *origin,
                                 struct cuzk_error *out_note, struct cuzk_error *err);

#endif
