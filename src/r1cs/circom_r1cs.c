#include "r1cs/circom_r1cs.h"

#include <stdlib.h>

#include "base/mem.h"
#include "r1cs/circom_file.h"

enum { HEADER = 1, CONSTRAINTS = 2, LABELS = 3, GATES = 4, GATE_USES = 5 };
enum { TERM_BYTES = 4 + CUZK_FR_BYTES };

static int by_variable(const void *a, const void *b)
{
    const cuzk_variable x = ((const struct cuzk_term *)a)->variable,
                        y = ((const struct cuzk_term *)b)->variable;

    return (x > y) - (x < y);
}

size_t cuzk_circom_normalise(struct cuzk_term *terms, size_t count)
{
    size_t left = 0;

    for (size_t k = 1; k < count; k++) {
        if (terms[k].variable <= terms[k - 1].variable) {
            qsort(terms, count, sizeof *terms, by_variable);
            break;
        }
    }
    for (size_t k = 0; k < count;) {
        struct cuzk_term sum = terms[k++];
        for (; k < count && terms[k].variable == sum.variable; k++)
            cuzk_fr_add(&sum.coefficient, &terms[k].coefficient, &sum.coefficient);
        if (!cuzk_fr_is_zero(&sum.coefficient))
            terms[left++] = sum;
    }
    return left;
}

static enum cuzk_status read_header(const struct cuzk_circom_file *file, struct cuzk_circom_header *header,
                                    struct cuzk_error *err)
{
    struct cuzk_bytes bytes;

    CUZK_TRY(cuzk_circom_file_section(file, HEADER, "header", &bytes, err));
    CUZK_TRY(cuzk_circom_read_prime(&bytes, err));
    const uint64_t at = bytes.position;
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of wires", &header->wires, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of public outputs", &header->outputs, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of public inputs", &header->public_inputs, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of private inputs", &header->private_inputs, err));
    CUZK_TRY(cuzk_bytes_u64le(&bytes, "number of labels", &header->labels, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of constraints", &header->constraints, err));
    CUZK_TRY(cuzk_bytes_end(&bytes, err));
    const uint64_t needed = UINT64_C(1) + header->outputs + header->public_inputs + header->private_inputs;
    if (header->wires < needed)
        return cuzk_bytes_fail(&bytes, "number of wires", at, err,
                               "expected at least %llu (one, outputs, inputs), found %u",
                               (unsigned long long)needed, header->wires);
    if (header->wires >= CUZK_VARIABLE_AUX)
        return cuzk_bytes_fail(&bytes, "number of wires", at, err, "expected below 2^31, found %u",
                               header->wires);
    /* The label of every wire follows, eight bytes each: a count beyond them would only ask for memory. */
    const uint8_t *labels;

    CUZK_TRY(cuzk_circom_file_section(file, LABELS, "labels", &bytes, err));
    CUZK_TRY(cuzk_bytes_take_array(&bytes, "labels of wires", header->wires, 8, &labels, err));
    return cuzk_bytes_end(&bytes, err);
}

struct scratch {
    struct cuzk_term *terms;
    size_t capacity;
};

static enum cuzk_status read_combination(struct cuzk_bytes *bytes, const struct cuzk_circom_header *header,
                                         uint32_t constraint, struct scratch *scratch,
                                         struct cuzk_combination *out, struct cuzk_error *err)
{
    const uint32_t inputs = 1 + header->outputs + header->public_inputs;
    const uint8_t *terms;
    uint32_t count;

    CUZK_TRY(cuzk_bytes_u32le(bytes, "number of terms", &count, err));
    CUZK_TRY(cuzk_bytes_take_array(bytes, "terms of a constraint", count, TERM_BYTES, &terms, err));
    const uint64_t begin = bytes->position - (uint64_t)count * TERM_BYTES;
    CUZK_TRY(CUZK_GROW(&scratch->terms, count, 0, &scratch->capacity, "constraint terms", err));
    for (uint32_t k = 0; k < count; k++) {
        const uint8_t *term = terms + (size_t)k * TERM_BYTES;
        const uint32_t wire = cuzk_load_u32le(term);
        if (wire >= header->wires)
            return cuzk_bytes_fail(bytes, "wire", begin + (uint64_t)k * TERM_BYTES, err,
                                   "constraint %u: expected below %u, found %u", constraint, header->wires,
                                   wire);
        scratch->terms[k].variable = cuzk_circom_variable(wire, inputs);
        if (!cuzk_fr_from_bytes(term + 4, &scratch->terms[k].coefficient))
            return cuzk_bytes_fail(bytes, "coefficient", begin + (uint64_t)k * TERM_BYTES + 4, err,
                                   "constraint %u: expected a number below r", constraint);
    }
    *out = (struct cuzk_combination){scratch->terms, cuzk_circom_normalise(scratch->terms, count)};
    return CUZK_OK;
}

static enum cuzk_status read_constraints(const struct cuzk_circom_file *file,
                                         const struct cuzk_circom_header *header,
                                         struct cuzk_r1cs_builder *builder, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    struct scratch scratch[CUZK_MATRICES] = {0};
    struct cuzk_bytes bytes;

    CUZK_TRY_OUT(cuzk_circom_file_section(file, CONSTRAINTS, "constraints", &bytes, err));
    for (uint32_t k = 0; k < header->constraints; k++) {
        struct cuzk_combination part[CUZK_MATRICES] = {0};
        for (int m = 0; m < CUZK_MATRICES; m++)
            CUZK_TRY_OUT(read_combination(&bytes, header, k, &scratch[m], &part[m], err));
        CUZK_TRY_OUT(sink.constraint(sink.context, part[0], part[1], part[2], err));
    }
    status = cuzk_bytes_end(&bytes, err);
out:
    for (int m = 0; m < CUZK_MATRICES; m++)
        cuzk_mem_free(scratch[m].terms);
    return status;
}

enum cuzk_status cuzk_circom_r1cs_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                         struct cuzk_r1cs **out, struct cuzk_circom_header *header,
                                         struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_r1cs_builder *builder = NULL;
    struct cuzk_circom_header own;
    struct cuzk_circom_file file;

    *out = NULL;
    if (header == NULL)
        header = &own;
    CUZK_TRY_OUT(cuzk_circom_file_open(name, "r1cs", 1, bytes, length, &file, err));
    if (cuzk_circom_file_has(&file, GATES) || cuzk_circom_file_has(&file, GATE_USES)) {
        status = cuzk_error_set(err, CUZK_UNSUPPORTED,
                                "%s: the circuit uses custom gates, which Groth16 cannot prove", name);
        goto out;
    }
    CUZK_TRY_OUT(read_header(&file, header, err));
    CUZK_TRY_OUT(cuzk_r1cs_builder_create(&builder, err));
    CUZK_TRY_OUT(read_constraints(&file, header, builder, err));
    const uint32_t inputs = 1 + header->outputs + header->public_inputs;
    CUZK_TRY_OUT(cuzk_r1cs_builder_finish(builder, inputs, header->wires - inputs, out, err));
out:
    cuzk_r1cs_builder_destroy(builder);
    return status;
}

enum cuzk_status cuzk_circom_r1cs_encode(const struct cuzk_r1cs *r1cs, struct cuzk_sink sink,
                                         struct cuzk_error *err)
{
    const uint32_t wires = r1cs->inputs + r1cs->aux;
    uint64_t size = 0;

    for (int m = 0; m < CUZK_MATRICES; m++)
        size += UINT64_C(4) * r1cs->constraints +
                (uint64_t)TERM_BYTES * r1cs->matrix[m].row_start[r1cs->constraints];
    CUZK_TRY(cuzk_circom_write_file_head(sink, "r1cs", 1, 3, err));
    CUZK_TRY(cuzk_circom_write_section_head(sink, HEADER, 4 + CUZK_FR_BYTES + 4 * 4 + 8 + 4, err));
    CUZK_TRY(cuzk_circom_write_prime(sink, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, wires, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, 0, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, r1cs->inputs - 1, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, 0, err));
    CUZK_TRY(cuzk_circom_write_u64(sink, wires, err));
    CUZK_TRY(cuzk_circom_write_u32(sink, r1cs->constraints, err));
    CUZK_TRY(cuzk_circom_write_section_head(sink, CONSTRAINTS, size, err));
    for (uint32_t row = 0; row < r1cs->constraints; row++) {
        for (int m = 0; m < CUZK_MATRICES; m++) {
            const struct cuzk_matrix *matrix = &r1cs->matrix[m];
            CUZK_TRY(cuzk_circom_write_u32(sink, matrix->row_start[row + 1] - matrix->row_start[row], err));
            for (uint32_t k = matrix->row_start[row]; k < matrix->row_start[row + 1]; k++) {
                CUZK_TRY(
                    cuzk_circom_write_u32(sink, cuzk_circom_wire(matrix->variables[k], r1cs->inputs), err));
                CUZK_TRY(cuzk_circom_write_scalar(sink, &r1cs->pool[matrix->coefficients[k]], err));
            }
        }
    }
    CUZK_TRY(cuzk_circom_write_section_head(sink, LABELS, UINT64_C(8) * wires, err));
    for (uint32_t k = 0; k < wires; k++)
        CUZK_TRY(cuzk_circom_write_u64(sink, k, err));
    return CUZK_OK;
}
