#include "circuit/pce.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/version.h"
#include "circuit/record.h"

enum { MAGIC_BYTES = 8, HEADER_BYTES = MAGIC_BYTES + 4 + 4 + 8 + CUZK_PCE_PROGRAM_BYTES + 12 * 4 };
enum { COPY_WORDS = 1 << 14 };

/* ---- sizes ---- */

static uint64_t stored_rows(const struct cuzk_pce_header *header)
{
    return (uint64_t)header->head.constraints + header->part.constraints;
}

static uint64_t file_bytes(const struct cuzk_pce_header *header)
{
    uint64_t words = header->window_count > 0 ? header->parts : 0;

    for (int m = 0; m < 2; m++)
        words += stored_rows(header) + 1 + 2 * (uint64_t)header->terms[m];
    return HEADER_BYTES + words * 4 + (uint64_t)header->pool_count * CUZK_FR_BYTES + CUZK_PCE_CHECKSUM_BYTES;
}

/* Any other build may have other circuits. */
static void own_program(char out[CUZK_PCE_PROGRAM_BYTES + 1])
{
    memset(out, 0, CUZK_PCE_PROGRAM_BYTES + 1);
    (void)snprintf(out, CUZK_PCE_PROGRAM_BYTES + 1, "%s %s", cuzk_version(), cuzk_commit());
}

/* ---- reading ---- */

static enum cuzk_status read_extent(struct cuzk_bytes *bytes, struct cuzk_r1cs_extent *out,
                                    struct cuzk_error *err)
{
    CUZK_TRY(cuzk_bytes_u32le(bytes, "inputs", &out->inputs, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "aux variables", &out->aux, err));
    return cuzk_bytes_u32le(bytes, "constraints", &out->constraints, err);
}

static enum cuzk_status read_fields(struct cuzk_bytes *bytes, struct cuzk_pce_header *out,
                                    struct cuzk_error *err)
{
    uint32_t version, kind;

    CUZK_TRY(cuzk_bytes_expect(bytes, "magic", CUZK_PCE_MAGIC, MAGIC_BYTES, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "version", &version, err));
    if (version != CUZK_PCE_VERSION)
        return cuzk_bytes_fail(bytes, "version", MAGIC_BYTES, err, "expected %d, found %u", CUZK_PCE_VERSION,
                               version);
    CUZK_TRY(cuzk_bytes_u32le(bytes, "kind of circuit", &kind, err));
    if (kind >= CUZK_CIRCUIT_KINDS)
        return cuzk_bytes_fail(bytes, "kind of circuit", MAGIC_BYTES + 4, err, "expected below %d, found %u",
                               CUZK_CIRCUIT_KINDS, kind);
    out->circuit.kind = (enum cuzk_circuit_kind)kind;
    CUZK_TRY(cuzk_bytes_u64le(bytes, "sector size", &out->circuit.sector_size, err));
    CUZK_TRY(cuzk_bytes_copy(bytes, "program", out->program, CUZK_PCE_PROGRAM_BYTES, err));
    CUZK_TRY(read_extent(bytes, &out->head, err));
    CUZK_TRY(read_extent(bytes, &out->part, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "parts", &out->parts, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "first of the window", &out->window_first, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "size of the window", &out->window_count, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "coefficients", &out->pool_count, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "terms of A", &out->terms[0], err));
    return cuzk_bytes_u32le(bytes, "terms of B", &out->terms[1], err);
}

enum cuzk_status cuzk_pce_read_header(const char *name, const uint8_t *bytes, uint64_t length,
                                      struct cuzk_pce_header *out, struct cuzk_error *err)
{
    struct cuzk_bytes cursor;

    memset(out, 0, sizeof *out);
    cuzk_bytes_init(&cursor, name, bytes, length);
    CUZK_TRY(read_fields(&cursor, out, err));
    if (stored_rows(out) >= UINT32_MAX)
        return cuzk_bytes_fail(&cursor, "constraints", MAGIC_BYTES, err, "expected below 2^32, found %llu",
                               (unsigned long long)stored_rows(out));
    if (out->parts == 0 || out->head.inputs == 0 || out->part.constraints == 0)
        return cuzk_bytes_fail(&cursor, "head and parts", MAGIC_BYTES, err,
                               "expected some of each, found %u inputs, %u parts of %u constraints",
                               out->head.inputs, out->parts, out->part.constraints);
    out->bytes = file_bytes(out);
    if (length != out->bytes)
        return cuzk_error_set(err, CUZK_INPUT, "%s: length: expected %llu bytes, found %llu", name,
                              (unsigned long long)out->bytes, (unsigned long long)length);
    return CUZK_OK;
}

static enum cuzk_status check_circuit(const char *name, const struct cuzk_pce_header *header,
                                      const struct cuzk_circuit *circuit, struct cuzk_error *err)
{
    char own[CUZK_PCE_PROGRAM_BYTES + 1];

    own_program(own);
    if (memcmp(own, header->program, sizeof own) != 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: program: expected version %s, found %s", name, own,
                              header->program);
    if (!cuzk_circuit_id_equal(&header->circuit, &circuit->id))
        return cuzk_error_set(
            err, CUZK_INPUT, "%s: circuit: expected %s of %llu bytes, found %s of %llu bytes", name,
            cuzk_circuit_kind_name(circuit->id.kind), (unsigned long long)circuit->id.sector_size,
            cuzk_circuit_kind_name(header->circuit.kind), (unsigned long long)header->circuit.sector_size);
    if (header->head.inputs != circuit->head.inputs || header->head.aux != circuit->head.aux ||
        header->part.inputs != circuit->part.inputs || header->part.aux != circuit->part.aux ||
        header->parts != circuit->parts)
        return cuzk_error_set(err, CUZK_INPUT, "%s: sizes: not those of the circuit", name);
    return CUZK_OK;
}

static enum cuzk_status check_sum(const char *name, const uint8_t *bytes, uint64_t length,
                                  struct cuzk_error *err)
{
    const uint64_t n = length - CUZK_PCE_CHECKSUM_BYTES;
    uint8_t sum[CUZK_PCE_CHECKSUM_BYTES];

    crypto_generichash(sum, sizeof sum, bytes, n, NULL, 0);
    if (memcmp(sum, bytes + n, sizeof sum) != 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: checksum: the file is damaged", name);
    return CUZK_OK;
}

static enum cuzk_status take_words(struct cuzk_bytes *bytes, const char *field, size_t n, uint32_t **out,
                                   struct cuzk_error *err)
{
    const uint8_t *from;

    CUZK_TRY(cuzk_bytes_take_array(bytes, field, n, 4, &from, err));
    CUZK_TRY(CUZK_NEW(out, n, field, err));
    for (size_t k = 0; k < n; k++)
        (*out)[k] = cuzk_load_u32le(from + 4 * k);
    return CUZK_OK;
}

/* Rows one behind the other, and nothing named that does not exist. */
static enum cuzk_status check_matrix(const char *name, const struct cuzk_pce_header *header, int m,
                                     const struct cuzk_matrix *matrix, struct cuzk_error *err)
{
    const uint32_t rows = (uint32_t)stored_rows(header), terms = header->terms[m];
    const char letter = (char)('A' + m);

    for (uint32_t k = 0; k < rows; k++)
        if (matrix->row_start[k] > matrix->row_start[k + 1])
            return cuzk_error_set(err, CUZK_INPUT, "%s: %c: row %u ends before it begins", name, letter, k);
    if (matrix->row_start[0] != 0 || matrix->row_start[rows] != terms)
        return cuzk_error_set(err, CUZK_INPUT, "%s: %c: rows do not hold the %u terms", name, letter, terms);
    for (uint32_t row = 0, k = 0; row < rows; row++) {
        const bool first = row < header->head.constraints; /* the head knows nothing of parts */
        const uint64_t inputs = header->head.inputs + (uint64_t)(first ? 0 : header->part.inputs);
        const uint64_t aux = header->head.aux + (uint64_t)(first ? 0 : header->part.aux);
        for (; k < matrix->row_start[row + 1]; k++) {
            const cuzk_variable variable = matrix->variables[k];
            if (cuzk_variable_index(variable) >= (cuzk_variable_is_aux(variable) ? aux : inputs))
                return cuzk_error_set(err, CUZK_INPUT, "%s: %c: row %u names a variable that does not exist",
                                      name, letter, row);
            if (matrix->coefficients[k] >= header->pool_count)
                return cuzk_error_set(err, CUZK_INPUT, "%s: %c: row %u: coefficient %u of %u", name, letter,
                                      row, matrix->coefficients[k], header->pool_count);
        }
    }
    return CUZK_OK;
}

static enum cuzk_status take_pool(struct cuzk_bytes *bytes, uint32_t count, struct cuzk_fr **out,
                                  struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    const uint8_t *from;

    CUZK_TRY(cuzk_bytes_take_array(bytes, "coefficients", count, CUZK_FR_BYTES, &from, err));
    CUZK_TRY(CUZK_NEW(out, count, "coefficient pool", err));
    for (uint32_t k = 0; k < count; k++)
        if (!cuzk_fr_from_bytes(from + (size_t)k * CUZK_FR_BYTES, &(*out)[k]))
            return cuzk_bytes_fail(bytes, "coefficients", at + (uint64_t)k * CUZK_FR_BYTES, err,
                                   "number %u is not below the field's order", k);
    return CUZK_OK;
}

/* The places that matrices count on. */
static enum cuzk_status check_pool(const char *name, const struct cuzk_r1cs *r1cs, struct cuzk_error *err)
{
    struct cuzk_fr one, minus_one;

    cuzk_fr_one(&one);
    cuzk_fr_neg(&one, &minus_one);
    if (r1cs->pool_count < 2 || !cuzk_fr_equal(&r1cs->pool[CUZK_COEFFICIENT_ONE], &one) ||
        !cuzk_fr_equal(&r1cs->pool[CUZK_COEFFICIENT_MINUS_ONE], &minus_one))
        return cuzk_error_set(err, CUZK_INPUT, "%s: coefficients: they do not begin with 1 and -1", name);
    return CUZK_OK;
}

/* Everything behind the header. */
static enum cuzk_status decode_body(struct cuzk_bytes *bytes, const struct cuzk_pce_header *header,
                                    struct cuzk_r1cs *r1cs, struct cuzk_error *err)
{
    struct cuzk_r1cs_window window = {header->window_first, header->window_count, NULL};
    const size_t rows = (size_t)stored_rows(header);
    enum cuzk_status status = CUZK_OK;

    r1cs->inputs = header->head.inputs + header->part.inputs;
    r1cs->aux = header->head.aux + header->part.aux;
    r1cs->constraints = r1cs->stored = (uint32_t)rows;
    r1cs->head = header->head;
    r1cs->pool_count = header->pool_count;
    CUZK_TRY_OUT(take_pool(bytes, header->pool_count, &r1cs->pool, err));
    CUZK_TRY_OUT(check_pool(bytes->what, r1cs, err));
    for (int m = 0; m < 2; m++) {
        struct cuzk_matrix *matrix = &r1cs->matrix[m];
        CUZK_TRY_OUT(take_words(bytes, "rows", rows + 1, &matrix->row_start, err));
        CUZK_TRY_OUT(take_words(bytes, "variables", header->terms[m], &matrix->variables, err));
        CUZK_TRY_OUT(
            take_words(bytes, "coefficients of terms", header->terms[m], &matrix->coefficients, err));
        CUZK_TRY_OUT(check_matrix(bytes->what, header, m, matrix, err));
    }
    if (window.count > 0)
        CUZK_TRY_OUT(take_words(bytes, "window", header->parts, &window.shift, err));
    status = cuzk_r1cs_repeat(r1cs, &header->head, header->parts, &window, err);
    if (status == CUZK_ARGUMENT || status == CUZK_UNSUPPORTED) /* the numbers come from the file */
        status = cuzk_error_prefix(err, CUZK_INPUT, "%s", bytes->what);
out:
    cuzk_mem_free(window.shift);
    return status;
}

enum cuzk_status cuzk_pce_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                 const struct cuzk_circuit *circuit, struct cuzk_r1cs **out,
                                 struct cuzk_error *err)
{
    struct cuzk_pce_header header;
    struct cuzk_bytes cursor;

    *out = NULL;
    CUZK_TRY(cuzk_pce_read_header(name, bytes, length, &header, err));
    if (circuit != NULL)
        CUZK_TRY(check_circuit(name, &header, circuit, err));
    if ((uint64_t)header.head.inputs + header.part.inputs >= CUZK_VARIABLE_AUX ||
        (uint64_t)header.head.aux + header.part.aux >= CUZK_VARIABLE_AUX)
        return cuzk_error_set(err, CUZK_INPUT, "%s: sizes: 2^31 variables or more", name);
    CUZK_TRY(check_sum(name, bytes, length, err));
    CUZK_TRY(CUZK_NEW(out, 1, "constraint system", err));
    cuzk_bytes_init(&cursor, name, bytes, length - CUZK_PCE_CHECKSUM_BYTES);
    cursor.position = HEADER_BYTES;
    const enum cuzk_status status = decode_body(&cursor, &header, *out, err);
    if (status != CUZK_OK) {
        cuzk_r1cs_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- writing ---- */

/* Passes bytes on and sums them up. */
struct writer {
    struct cuzk_sink sink;
    crypto_generichash_state hash;
};

static enum cuzk_status put(struct writer *writer, const void *bytes, size_t n, struct cuzk_error *err)
{
    crypto_generichash_update(&writer->hash, bytes, n);
    return writer->sink.write(writer->sink.context, bytes, n, err);
}

static enum cuzk_status put_words(struct writer *writer, const uint32_t *words, size_t n,
                                  struct cuzk_error *err)
{
    uint8_t block[4 * COPY_WORDS];

    for (size_t k = 0; k < n; k += COPY_WORDS) {
        const size_t count = n - k < COPY_WORDS ? n - k : COPY_WORDS;
        for (size_t i = 0; i < count; i++)
            cuzk_store_u32le(words[k + i], block + 4 * i);
        CUZK_TRY(put(writer, block, 4 * count, err));
    }
    return CUZK_OK;
}

static enum cuzk_status put_header(struct writer *writer, const struct cuzk_circuit_id *id,
                                   const struct cuzk_r1cs *r1cs, struct cuzk_error *err)
{
    const uint32_t numbers[12] = {r1cs->head.inputs,
                                  r1cs->head.aux,
                                  r1cs->head.constraints,
                                  r1cs->part.inputs,
                                  r1cs->part.aux,
                                  r1cs->part.constraints,
                                  r1cs->parts,
                                  r1cs->window.first,
                                  r1cs->window.count,
                                  r1cs->pool_count,
                                  r1cs->matrix[CUZK_MATRIX_A].row_start[r1cs->stored],
                                  r1cs->matrix[CUZK_MATRIX_B].row_start[r1cs->stored]};
    char program[CUZK_PCE_PROGRAM_BYTES + 1];
    uint8_t start[MAGIC_BYTES + 16];

    memcpy(start, CUZK_PCE_MAGIC, MAGIC_BYTES);
    cuzk_store_u32le(CUZK_PCE_VERSION, start + MAGIC_BYTES);
    cuzk_store_u32le((uint32_t)id->kind, start + MAGIC_BYTES + 4);
    cuzk_store_u64le(id->sector_size, start + MAGIC_BYTES + 8);
    own_program(program);
    CUZK_TRY(put(writer, start, sizeof start, err));
    CUZK_TRY(put(writer, program, CUZK_PCE_PROGRAM_BYTES, err));
    return put_words(writer, numbers, sizeof numbers / sizeof *numbers, err);
}

enum cuzk_status cuzk_pce_encode(const struct cuzk_circuit_id *id, const struct cuzk_r1cs *r1cs,
                                 struct cuzk_sink sink, struct cuzk_error *err)
{
    struct writer writer = {.sink = sink};
    uint8_t sum[CUZK_PCE_CHECKSUM_BYTES];

    crypto_generichash_init(&writer.hash, NULL, 0, sizeof sum);
    CUZK_TRY(put_header(&writer, id, r1cs, err));
    for (uint32_t k = 0; k < r1cs->pool_count; k++) {
        uint8_t bytes[CUZK_FR_BYTES];
        cuzk_fr_to_bytes(&r1cs->pool[k], bytes);
        CUZK_TRY(put(&writer, bytes, sizeof bytes, err));
    }
    for (int m = 0; m < 2; m++) {
        const struct cuzk_matrix *matrix = &r1cs->matrix[m];
        const uint32_t terms = matrix->row_start[r1cs->stored];
        CUZK_TRY(put_words(&writer, matrix->row_start, (size_t)r1cs->stored + 1, err));
        CUZK_TRY(put_words(&writer, matrix->variables, terms, err));
        CUZK_TRY(put_words(&writer, matrix->coefficients, terms, err));
    }
    if (r1cs->window.count > 0)
        CUZK_TRY(put_words(&writer, r1cs->window.shift, r1cs->parts, err));
    crypto_generichash_final(&writer.hash, sum, sizeof sum);
    return sink.write(sink.context, sum, sizeof sum, err);
}

/* ---- file or recording ---- */

static enum cuzk_status read_file(const char *path, const struct cuzk_circuit *circuit,
                                  struct cuzk_r1cs **out, struct cuzk_error *err)
{
    struct cuzk_file_map map = {0};

    *out = NULL;
    CUZK_TRY(cuzk_file_map_open(path, "compact circuit", 0, &map, err));
    const enum cuzk_status status = cuzk_pce_decode(path, map.bytes, map.length, circuit, out, err);

    cuzk_file_map_close(&map);
    return status;
}

static enum cuzk_status write_file(const char *path, const struct cuzk_circuit_id *id,
                                   const struct cuzk_r1cs *r1cs, struct cuzk_error *err)
{
    struct cuzk_file_out *file;

    CUZK_TRY(cuzk_file_out_open(path, true, &file, err));
    return cuzk_file_out_close(cuzk_pce_encode(id, r1cs, cuzk_file_out_sink(file), err), file, err);
}

enum cuzk_status cuzk_pce_obtain(const struct cuzk_circuit *circuit, const char *path, struct cuzk_pool *pool,
                                 const struct cuzk_progress *progress, struct cuzk_r1cs **r1cs,
                                 struct cuzk_witness_layout *layout, enum cuzk_pce_origin *origin,
                                 struct cuzk_error *out_note, struct cuzk_error *err)
{
    struct cuzk_error own, *note = out_note != NULL ? out_note : &own;
    enum cuzk_status status = CUZK_NOT_FOUND;

    memset(note, 0, sizeof *note);
    *origin = CUZK_PCE_RECORDED;
    *layout = (struct cuzk_witness_layout){0};
    if (path != NULL) {
        cuzk_progress_report(progress, "reading the compact circuit", 0, 0);
        status = read_file(path, circuit, r1cs, note);
    }
    if (status == CUZK_OK) {
        *origin = CUZK_PCE_READ;
        status = cuzk_circuit_layout(circuit, layout, err);
        if (status != CUZK_OK) {
            cuzk_r1cs_destroy(*r1cs);
            *r1cs = NULL;
        }
        return status;
    }
    if (status == CUZK_NOT_FOUND)
        memset(note, 0, sizeof *note);
    else if (status == CUZK_INPUT)
        *origin = CUZK_PCE_REBUILT;
    CUZK_TRY(cuzk_circuit_record(circuit, pool, progress, r1cs, layout, err));
    if (path != NULL) {
        struct cuzk_error failure = {0};
        if (write_file(path, &circuit->id, *r1cs, &failure) != CUZK_OK)
            *note = failure;
    }
    return CUZK_OK;
}
