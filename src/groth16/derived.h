/*
 * Derived keys: a circuit's h and l in another basis, so that a proof takes four transforms instead of six
 * and neither C nor coefficients of H.
 *
 * On the coset of g = 7 Z is a constant z, so H = A B / z - C / z there. The first part wants h in the
 * Lagrange basis of the coset; the second is linear in the assignment and goes into l once and for all. With
 * phi the map from polynomials of degree below n, the domain's size, to points that takes X^i to tau^i Z(tau)
 * / delta:
 *
 *   h[j] = phi(M_j), j < n, where M_j is 1 at g w^j and 0 at the other points of the coset
 *   l[i] = the parameters' l[i] - phi(C_i) / z for every aux variable i, C_i being its column of C
 *   and for each public input i in C, before those: -phi(C_i) / z
 *
 * A parameter file has no point for X^(n-1): phi takes it to infinity. The parts of the sum that this leaves
 * out cancel, because H has no such term. Proofs are the same bytes as with the parameters' own h and l.
 *
 * The file (docs/formats.md) is a cache: it says which parameters and which circuit it belongs to, and every
 * MiB of it has a checksum, which opening looks at. Read-only once open: any number of threads.
 */
#ifndef CUZK_GROTH16_DERIVED_H
#define CUZK_GROTH16_DERIVED_H

#include "backend/backend.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/progress.h"

#define CUZK_DERIVED_MAGIC "cuzk-drv"

enum {
    CUZK_DERIVED_VERSION = 1,
    CUZK_DERIVED_PARAMS_BYTES = 16,   /* digest of a parameter file (srs/digest.h) */
    CUZK_DERIVED_CIRCUIT_BYTES = 32,  /* fingerprint of a circuit (r1cs/fingerprint.h) */
    CUZK_DERIVED_CHUNK = 1 << 20,     /* bytes under one checksum */
    CUZK_DERIVED_CHECKSUM_BYTES = 32, /* BLAKE2b */
};

/* What a derived key belongs to. */
struct cuzk_derived_identity {
    uint8_t params[CUZK_DERIVED_PARAMS_BYTES];
    uint8_t circuit[CUZK_DERIVED_CIRCUIT_BYTES];
};

/* Its numbers, and where its parts lie in the file. */
struct cuzk_derived_shape {
    struct cuzk_derived_identity identity;
    unsigned log_domain;
    uint32_t inputs, aux;   /* of the circuit */
    uint32_t c_input_count; /* inputs in C */
    uint64_t bitmap_offset; /* of the inputs in C: (inputs + 63) / 64 words */
    uint64_t h_offset, l_offset, table_offset;
    uint64_t bytes; /* of the whole file */
};

struct cuzk_derived {
    struct cuzk_file_map map; /* empty where the bytes are not a file */
    const char *name;         /* for errors; borrowed from map or from the caller */
    const uint8_t *bytes;
    struct cuzk_derived_shape shape;
    uint64_t *c_inputs; /* bitmap of the inputs in C */
};

/* Fills offsets and size from the numbers. */
void cuzk_derived_shape_place(struct cuzk_derived_shape *shape);

/* Reads the beginning and holds it against the length; no checksum is looked at. Errors: INPUT with field,
 * offset, expected and found. */
enum cuzk_status cuzk_derived_read_shape(const char *name, const uint8_t *bytes, uint64_t length,
                                         struct cuzk_derived_shape *out, struct cuzk_error *err);

/* Maps a file and checks every checksum. wanted: what it must belong to; NULL: anything. Errors: NOT_FOUND,
 * INPUT (malformed, damaged, or of other parameters or another circuit; says which), IO, MEMORY, CANCELLED.
 */
enum cuzk_status cuzk_derived_open(const char *path, const struct cuzk_derived_identity *wanted,
                                   struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                   struct cuzk_derived *out, struct cuzk_error *err);

/* The same over bytes in memory, which must outlive it; name is for errors. */
enum cuzk_status cuzk_derived_from_bytes(const char *name, const uint8_t *bytes, uint64_t length,
                                         const struct cuzk_derived_identity *wanted, struct cuzk_pool *pool,
                                         const struct cuzk_progress *progress, struct cuzk_derived *out,
                                         struct cuzk_error *err);

void cuzk_derived_close(struct cuzk_derived *derived);

/* Puts h and l, and the inputs that l has, in the place of the parameters' in a plan's queries; its h_basis
 * is then CUZK_H_COSET. */
void cuzk_derived_plan(const struct cuzk_derived *derived, struct cuzk_backend_query query[CUZK_QUERIES]);

#endif
