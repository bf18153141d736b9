/*
 * The container of circom's and snarkjs' binary files (.r1cs, .wtns, .zkey).
 *
 * Four characters that say what it is, u32 version, u32 number of sections; of each section u32 type, u64
 * size, then its bytes. Sections come in any order. All integers little-endian. Source: iden3's r1csfile and
 * binfileutils.
 */
#ifndef CUZK_R1CS_CIRCOM_FILE_H
#define CUZK_R1CS_CIRCOM_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/sink.h"
#include "field/fr.h"

enum { CUZK_CIRCOM_SECTIONS = 16 };

struct cuzk_circom_file {
    const char *name; /* borrowed, for errors */
    const uint8_t *bytes;
    uint32_t count;
    struct {
        uint32_t type;
        uint64_t begin, end; /* offsets of its bytes */
    } section[CUZK_CIRCOM_SECTIONS];
};

/* Reads the directory. Errors: INPUT (another kind of file, a version above `version`, more than 16 sections,
 * a section that reaches beyond the end, bytes after the last). */
enum cuzk_status cuzk_circom_file_open(const char *name, const char magic[5], uint32_t version,
                                       const uint8_t *bytes, uint64_t length, struct cuzk_circom_file *out,
                                       struct cuzk_error *err);

/* A cursor over a section; offsets in its errors count from the start of the file. Errors: INPUT (there is no
 * such section, or several). */
enum cuzk_status cuzk_circom_file_section(const struct cuzk_circom_file *file, uint32_t type,
                                          const char *what, struct cuzk_bytes *out, struct cuzk_error *err);

bool cuzk_circom_file_has(const struct cuzk_circom_file *file, uint32_t type);

/* Reads a prime's byte length and the prime, which must be r. */
enum cuzk_status cuzk_circom_read_prime(struct cuzk_bytes *bytes, struct cuzk_error *err);

/* Reads a scalar below r, plain little-endian. */
enum cuzk_status cuzk_circom_read_scalar(struct cuzk_bytes *bytes, const char *field, struct cuzk_fr *out,
                                         struct cuzk_error *err);

/* ---- writing ---- */

enum cuzk_status cuzk_circom_write_u32(struct cuzk_sink sink, uint32_t value, struct cuzk_error *err);
enum cuzk_status cuzk_circom_write_u64(struct cuzk_sink sink, uint64_t value, struct cuzk_error *err);
enum cuzk_status cuzk_circom_write_scalar(struct cuzk_sink sink, const struct cuzk_fr *value,
                                          struct cuzk_error *err);
enum cuzk_status cuzk_circom_write_file_head(struct cuzk_sink sink, const char magic[5], uint32_t version,
                                             uint32_t sections, struct cuzk_error *err);
enum cuzk_status cuzk_circom_write_section_head(struct cuzk_sink sink, uint32_t type, uint64_t size,
                                                struct cuzk_error *err);
/* u32 32, then r: 36 bytes. */
enum cuzk_status cuzk_circom_write_prime(struct cuzk_sink sink, struct cuzk_error *err);

#endif
