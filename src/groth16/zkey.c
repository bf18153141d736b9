#include "groth16/zkey.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "groth16/qap.h"
#include "groth16/zkey_point.h"
#include "groth16/zkey_section.h"
#include "r1cs/circom_file.h"
#include "r1cs/circom_r1cs.h"

struct reader {
    struct cuzk_circom_file file;
    struct cuzk_zkey *out;
    uint32_t variables, inputs, domain; /* inputs: the one included */
    struct cuzk_vk vk;
};

uint64_t cuzk_zkey_row_step(void)
{
    /* (r - 1) / 2^32, least significant word first */
    static const uint64_t odd_part[CUZK_FR_LIMBS] = {UINT64_C(0xfffe5bfeffffffff),
                                                     UINT64_C(0x09a1d80553bda402),
                                                     UINT64_C(0x299d7d483339d808), UINT64_C(0x73eda753)};
    struct cuzk_fr theirs, inverse, power, one;
    uint64_t step = 0;

    cuzk_fr_one(&one);
    cuzk_fr_from_u64(5, &theirs);
    cuzk_fr_pow(&theirs, odd_part, CUZK_FR_LIMBS, &theirs);
    cuzk_fr_inverse(&cuzk_fr_root_2_32, &inverse);
    /* the discrete logarithm bit by bit, lowest first (Pohlig and Hellman): the 2^(31-k)th power tells bit k
     */
    for (unsigned bit = 0; bit < 32; bit++) {
        power = theirs;
        for (unsigned k = bit; k < 31; k++)
            cuzk_fr_sqr(&power, &power);
        if (!cuzk_fr_equal(&power, &one)) {
            step |= UINT64_C(1) << bit;
            cuzk_fr_mul(&theirs, &inverse, &theirs);
        }
        cuzk_fr_sqr(&inverse, &inverse);
    }
    return step;
}

/* ---- points ---- */

static enum cuzk_status take_g1(struct cuzk_bytes *bytes, const char *field, struct cuzk_g1_affine *out,
                                struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    const uint8_t *point;

    CUZK_TRY(cuzk_bytes_take(bytes, field, CUZK_ZKEY_G1_BYTES, &point, err));
    if (!cuzk_zkey_g1_decode(point, out))
        return cuzk_bytes_fail(bytes, field, at, err, "expected coordinates below p");
    return CUZK_OK;
}

static enum cuzk_status take_g2(struct cuzk_bytes *bytes, const char *field, struct cuzk_g2_affine *out,
                                struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    const uint8_t *point;

    CUZK_TRY(cuzk_bytes_take(bytes, field, CUZK_ZKEY_G2_BYTES, &point, err));
    if (!cuzk_zkey_g2_decode(point, out))
        return cuzk_bytes_fail(bytes, field, at, err, "expected coordinates below p");
    return CUZK_OK;
}

/* A section of exactly count points. */
static enum cuzk_status point_section(const struct reader *reader, uint32_t type, const char *what,
                                      uint64_t count, size_t size, struct cuzk_bytes *out,
                                      struct cuzk_error *err)
{
    CUZK_TRY(cuzk_circom_file_section(&reader->file, type, what, out, err));
    if (cuzk_bytes_left(out) != count * size)
        return cuzk_bytes_fail(out, what, out->position, err,
                               "expected %llu points of %zu bytes, found %llu bytes",
                               (unsigned long long)count, size, (unsigned long long)cuzk_bytes_left(out));
    return CUZK_OK;
}

/* ---- header ---- */

static enum cuzk_status read_fp_prime(struct cuzk_bytes *bytes, struct cuzk_error *err)
{
    const uint64_t modulus[CUZK_FP_LIMBS] = CUZK_FP_MODULUS, at = bytes->position;
    uint8_t prime[CUZK_FP_BYTES];
    const uint8_t *found;
    uint32_t size;

    for (int k = 0; k < CUZK_FP_LIMBS; k++)
        cuzk_store_u64le(modulus[k], prime + 8 * k);
    CUZK_TRY(cuzk_bytes_u32le(bytes, "size of q", &size, err));
    if (size != CUZK_FP_BYTES)
        return cuzk_bytes_fail(bytes, "size of q", at, err, "expected %d, found %u", CUZK_FP_BYTES, size);
    CUZK_TRY(cuzk_bytes_take(bytes, "q", CUZK_FP_BYTES, &found, err));
    if (memcmp(found, prime, sizeof prime) != 0)
        return cuzk_bytes_fail(bytes, "q", at + 4, err, "not the base field of BLS12-381");
    return CUZK_OK;
}

static enum cuzk_status read_header(struct reader *reader, struct cuzk_error *err)
{
    struct cuzk_bytes bytes;
    uint32_t protocol, public_inputs;

    CUZK_TRY(cuzk_circom_file_section(&reader->file, CUZK_ZKEY_PROTOCOL, "protocol", &bytes, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "protocol", &protocol, err));
    if (protocol != 1)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "%s: protocol %u; only Groth16 (1) is supported",
                              reader->file.name, protocol);
    CUZK_TRY(cuzk_circom_file_section(&reader->file, CUZK_ZKEY_HEADER, "header", &bytes, err));
    CUZK_TRY(read_fp_prime(&bytes, err));
    CUZK_TRY(cuzk_circom_read_prime(&bytes, err));
    const uint64_t at = bytes.position;
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of variables", &reader->variables, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of public inputs", &public_inputs, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "domain", &reader->domain, err));
    if (reader->variables >= CUZK_VARIABLE_AUX || public_inputs >= reader->variables)
        return cuzk_bytes_fail(&bytes, "number of public inputs", at + 4, err,
                               "expected below the %u variables, found %u", reader->variables, public_inputs);
    if (reader->domain == 0 || (reader->domain & (reader->domain - 1)) != 0)
        return cuzk_bytes_fail(&bytes, "domain", at + 8, err, "expected a power of two, found %u",
                               reader->domain);
    reader->inputs = public_inputs + 1;
    CUZK_TRY(take_g1(&bytes, "alpha_g1", &reader->vk.alpha_g1, err));
    CUZK_TRY(take_g1(&bytes, "beta_g1", &reader->vk.beta_g1, err));
    CUZK_TRY(take_g2(&bytes, "beta_g2", &reader->vk.beta_g2, err));
    CUZK_TRY(take_g2(&bytes, "gamma_g2", &reader->vk.gamma_g2, err));
    CUZK_TRY(take_g1(&bytes, "delta_g1", &reader->vk.delta_g1, err));
    CUZK_TRY(take_g2(&bytes, "delta_g2", &reader->vk.delta_g2, err));
    CUZK_TRY(cuzk_bytes_end(&bytes, err));
    CUZK_TRY(point_section(reader, CUZK_ZKEY_IC, "IC", reader->inputs, CUZK_ZKEY_G1_BYTES, &bytes, err));
    CUZK_TRY(CUZK_NEW(&reader->vk.ic, reader->inputs, "input points of the verifying key", err));
    reader->vk.ic_count = reader->inputs;
    for (uint32_t k = 0; k < reader->inputs; k++)
        CUZK_TRY(take_g1(&bytes, "IC", &reader->vk.ic[k], err));
    return CUZK_OK;
}

/* ---- matrices ---- */

/* Entries sorted by row: those of row k of matrix m are order[start[2 k + m] .. start[2 k + m + 1]). */
struct entries {
    const uint8_t *bytes;
    uint64_t offset; /* of the first, in the file */
    uint32_t count, rows;
    uint32_t *start, *order;
    struct cuzk_term *terms[2]; /* scratch for the longest row */
};

static enum cuzk_status sort_entries(const struct reader *reader, struct entries *entries,
                                     struct cuzk_error *err)
{
    struct cuzk_bytes bytes;

    CUZK_TRY(cuzk_circom_file_section(&reader->file, CUZK_ZKEY_COEFFICIENTS, "coefficients", &bytes, err));
    CUZK_TRY(cuzk_bytes_u32le(&bytes, "number of coefficients", &entries->count, err));
    entries->offset = bytes.position;
    CUZK_TRY(cuzk_bytes_take_array(&bytes, "coefficients", entries->count, CUZK_ZKEY_ENTRY_BYTES,
                                   &entries->bytes, err));
    CUZK_TRY(cuzk_bytes_end(&bytes, err));
    CUZK_TRY(CUZK_NEW(&entries->start, 2 * (size_t)reader->domain + 1, "rows of a .zkey", err));
    CUZK_TRY(CUZK_NEW(&entries->order, entries->count, "order of coefficients", err));
    for (uint32_t k = 0; k < entries->count; k++) {
        const uint8_t *entry = entries->bytes + (size_t)k * CUZK_ZKEY_ENTRY_BYTES;
        const uint64_t at = entries->offset + (uint64_t)k * CUZK_ZKEY_ENTRY_BYTES;
        const uint32_t matrix = cuzk_load_u32le(entry), row = cuzk_load_u32le(entry + 4);
        const uint32_t signal = cuzk_load_u32le(entry + 8);
        if (matrix > 1)
            return cuzk_bytes_fail(&bytes, "matrix", at, err, "expected 0 or 1, found %u", matrix);
        if (row >= reader->domain)
            return cuzk_bytes_fail(&bytes, "constraint", at + 4, err,
                                   "expected below the domain %u, found %u", reader->domain, row);
        if (signal >= reader->variables)
            return cuzk_bytes_fail(&bytes, "signal", at + 8, err, "expected below %u, found %u",
                                   reader->variables, signal);
        if (row >= entries->rows)
            entries->rows = row + 1;
        entries->start[2 * (size_t)row + matrix + 1]++;
    }
    uint32_t longest = 0;
    for (size_t k = 0; k < 2 * (size_t)reader->domain; k++) {
        if (entries->start[k + 1] > longest)
            longest = entries->start[k + 1];
        entries->start[k + 1] += entries->start[k];
    }
    for (int m = 0; m < 2; m++)
        CUZK_TRY(CUZK_NEW(&entries->terms[m], longest, "constraint terms", err));
    /* filling moves each start to its end; walking backwards then restores it */
    for (uint32_t k = entries->count; k-- > 0;) {
        const uint8_t *entry = entries->bytes + (size_t)k * CUZK_ZKEY_ENTRY_BYTES;
        const size_t list = 2 * (size_t)cuzk_load_u32le(entry + 4) + cuzk_load_u32le(entry);
        entries->order[--entries->start[list + 1]] = k;
    }
    /* start[list + 1] is now where list begins: shift by one */
    memmove(entries->start, entries->start + 1, 2 * (size_t)reader->domain * sizeof *entries->start);
    entries->start[2 * (size_t)reader->domain] = entries->count;
    return CUZK_OK;
}

static enum cuzk_status load_row(const struct reader *reader, const struct entries *entries, uint32_t row,
                                 int m, struct cuzk_combination *out, struct cuzk_error *err)
{
    const struct cuzk_fr unit = {{1, 0, 0, 0}};
    const size_t list = 2 * (size_t)row + (size_t)m;
    struct cuzk_term *terms = entries->terms[m];
    size_t n = 0;

    for (uint32_t k = entries->start[list]; k < entries->start[list + 1]; k++, n++) {
        const size_t place = (size_t)entries->order[k] * CUZK_ZKEY_ENTRY_BYTES;
        const uint8_t *entry = entries->bytes + place;
        struct cuzk_fr value;
        for (int l = 0; l < CUZK_FR_LIMBS; l++)
            value.l[l] = cuzk_load_u64le(entry + 12 + 8 * l);
        if (!cuzk_fr_words_are_reduced(value.l)) {
            const uint64_t offset = entries->offset + place + 12;
            return cuzk_error_set(err, CUZK_INPUT,
                                  "%s: coefficient: expected a number below r (offset %" PRIu64 ")",
                                  reader->file.name, offset);
        }
        cuzk_fr_mul(&value, &unit, &terms[n].coefficient); /* from v R^2 to v R, our form */
        terms[n].variable = cuzk_circom_variable(cuzk_load_u32le(entry + 8), reader->inputs);
    }
    *out = (struct cuzk_combination){terms, cuzk_circom_normalise(terms, n)};
    return CUZK_OK;
}

/* The last rows must be those that Groth16 appends: (input, 0). */
static enum cuzk_status check_input_row(const struct reader *reader, uint32_t row, uint32_t input,
                                        const struct cuzk_combination part[2], struct cuzk_error *err)
{
    struct cuzk_fr one;

    cuzk_fr_one(&one);
    if (part[0].count != 1 || part[1].count != 0 || part[0].terms[0].variable != cuzk_variable_input(input) ||
        !cuzk_fr_equal(&part[0].terms[0].coefficient, &one))
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: coefficients: row %u should be the one of public input %u",
                              reader->file.name, row, input);
    return CUZK_OK;
}

static enum cuzk_status read_matrices(const struct reader *reader, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_r1cs_builder *builder = NULL;
    struct entries entries = {0};
    unsigned log_domain;

    CUZK_TRY_OUT(cuzk_r1cs_builder_create(&builder, err));
    CUZK_TRY_OUT(sort_entries(reader, &entries, err));
    if (entries.rows < reader->inputs) {
        status = cuzk_error_set(err, CUZK_INPUT, "%s: coefficients: %u rows, fewer than the %u inputs",
                                reader->file.name, entries.rows, reader->inputs);
        goto out;
    }
    const uint32_t constraints = entries.rows - reader->inputs;
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    for (uint32_t row = 0; row < entries.rows; row++) {
        struct cuzk_combination part[2];
        for (int m = 0; m < 2; m++)
            CUZK_TRY_OUT(load_row(reader, &entries, row, m, &part[m], err));
        if (row >= constraints)
            CUZK_TRY_OUT(check_input_row(reader, row, row - constraints, part, err));
        else
            CUZK_TRY_OUT(sink.constraint(sink.context, part[0], part[1], (struct cuzk_combination){0}, err));
    }
    CUZK_TRY_OUT(cuzk_r1cs_builder_finish(builder, reader->inputs, reader->variables - reader->inputs,
                                          &reader->out->r1cs, err));
    cuzk_r1cs_drop_matrix(reader->out->r1cs, CUZK_MATRIX_C);
    CUZK_TRY_OUT(cuzk_qap_log_domain(reader->out->r1cs, &log_domain, err));
    if (UINT64_C(1) << log_domain != reader->domain)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: domain: expected %llu for %u rows, found %u",
                                reader->file.name, 1ULL << log_domain, entries.rows, reader->domain);
out:
    cuzk_r1cs_builder_destroy(builder);
    cuzk_mem_free(entries.start);
    cuzk_mem_free(entries.order);
    cuzk_mem_free(entries.terms[0]);
    cuzk_mem_free(entries.terms[1]);
    return status;
}

/* ---- queries, rewritten as a .params file has them ---- */

struct query {
    const char *name;
    const uint64_t *inputs, *aux; /* which variables must have a point; NULL: l and h, where it is open */
    uint32_t type, first, count;  /* section, and the variables that it has points of */
    bool g2;
};

static bool bit_of(const uint64_t *map, uint32_t k)
{
    return map[k / 64] >> (k % 64) & 1;
}

static bool is_selected(const struct reader *reader, const struct query *query, uint32_t variable)
{
    return variable < reader->inputs ? bit_of(query->inputs, variable)
                                     : bit_of(query->aux, variable - reader->inputs);
}

/* Copies the points of a section that are not infinity; `present` (may be NULL) gets their places. */
static enum cuzk_status copy_query(const struct reader *reader, const struct query *query, uint8_t **to,
                                   uint64_t *present, struct cuzk_error *err)
{
    const size_t size = query->g2 ? CUZK_ZKEY_G2_BYTES : CUZK_ZKEY_G1_BYTES;
    uint8_t *count_at = *to;
    struct cuzk_bytes bytes;
    uint32_t count = 0;

    *to += 4;
    CUZK_TRY(point_section(reader, query->type, query->name, query->count, size, &bytes, err));
    for (uint32_t k = 0; k < query->count; k++) {
        const uint64_t at = bytes.position;
        struct cuzk_g1_affine p1;
        struct cuzk_g2_affine p2;
        bool infinity;
        if (query->g2) {
            CUZK_TRY(take_g2(&bytes, query->name, &p2, err));
            infinity = cuzk_g2_affine_is_identity(&p2);
        } else {
            CUZK_TRY(take_g1(&bytes, query->name, &p1, err));
            infinity = cuzk_g1_affine_is_identity(&p1);
        }
        if (query->inputs != NULL && infinity == is_selected(reader, query, query->first + k))
            return cuzk_bytes_fail(&bytes, query->name, at, err,
                                   "point %u is %s, unlike its column of coefficients", k,
                                   infinity ? "infinity" : "not infinity");
        if (infinity)
            continue;
        if (present != NULL)
            present[k / 64] |= UINT64_C(1) << (k % 64);
        if (query->g2)
            cuzk_g2_encode_raw(&p2, *to);
        else
            cuzk_g1_encode_raw(&p1, *to);
        *to += size;
        count++;
    }
    cuzk_store_u32be(count, count_at);
    return CUZK_OK;
}

static enum cuzk_status read_queries(const struct reader *reader, const char *name, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_zkey *out = reader->out;
    const uint32_t aux = reader->variables - reader->inputs;
    struct cuzk_density a = {0}, b = {0};

    CUZK_TRY_OUT(cuzk_r1cs_density(out->r1cs, CUZK_MATRIX_A, &a, err));
    CUZK_TRY_OUT(cuzk_r1cs_density(out->r1cs, CUZK_MATRIX_B, &b, err));
    for (uint32_t k = 0; k < reader->inputs; k++)
        a.inputs[k / 64] |= UINT64_C(1) << (k % 64); /* the appended rows */
    CUZK_TRY_OUT(CUZK_NEW(&out->l_aux, (size_t)aux / 64 + 1, "map of l", err));

    const struct query queries[CUZK_QUERIES] = {
        {"H", NULL, NULL, CUZK_ZKEY_H, 0, reader->domain, false},
        {"C", NULL, NULL, CUZK_ZKEY_L, reader->inputs, aux, false},
        {"A", a.inputs, a.aux, CUZK_ZKEY_A, 0, reader->variables, false},
        {"B1", b.inputs, b.aux, CUZK_ZKEY_B1, 0, reader->variables, false},
        {"B2", b.inputs, b.aux, CUZK_ZKEY_B2, 0, reader->variables, true},
    };
    size_t room = cuzk_vk_encoded_size(&reader->vk);
    for (int q = 0; q < CUZK_QUERIES; q++) {
        struct cuzk_bytes bytes; /* before anything is allocated after these counts */
        CUZK_TRY_OUT(point_section(reader, queries[q].type, queries[q].name, queries[q].count,
                                   queries[q].g2 ? CUZK_ZKEY_G2_BYTES : CUZK_ZKEY_G1_BYTES, &bytes, err));
        room += 4 + cuzk_bytes_left(&bytes);
    }
    CUZK_TRY_OUT(CUZK_NEW(&out->bytes, room, "points of a .zkey", err));
    cuzk_vk_encode(&reader->vk, out->bytes);
    uint8_t *to = out->bytes + cuzk_vk_encoded_size(&reader->vk);
    for (int q = 0; q < CUZK_QUERIES; q++)
        CUZK_TRY_OUT(copy_query(reader, &queries[q], &to, q == CUZK_QUERY_L ? out->l_aux : NULL, err));
    CUZK_TRY_OUT(cuzk_params_from_bytes(name, out->bytes, (uint64_t)(to - out->bytes), &out->params, err));
    if (out->params.query[CUZK_QUERY_H].count != reader->domain)
        status = cuzk_error_set(err, CUZK_INPUT, "%s: H: infinity is not allowed here", name);
out:
    cuzk_density_destroy(&a);
    cuzk_density_destroy(&b);
    return status;
}

enum cuzk_status cuzk_zkey_decode(const char *name, const uint8_t *bytes, uint64_t length,
                                  struct cuzk_zkey *out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct reader reader = {.out = out};
    struct cuzk_bytes h;

    *out = (struct cuzk_zkey){0};
    CUZK_TRY_OUT(cuzk_circom_file_open(name, "zkey", 2, bytes, length, &reader.file, err));
    CUZK_TRY_OUT(read_header(&reader, err));
    CUZK_TRY_OUT(point_section(&reader, CUZK_ZKEY_H, "H", reader.domain, CUZK_ZKEY_G1_BYTES, &h, err));
    CUZK_TRY_OUT(point_section(&reader, CUZK_ZKEY_A, "A", reader.variables, CUZK_ZKEY_G1_BYTES, &h, err));
    CUZK_TRY_OUT(read_matrices(&reader, err));
    CUZK_TRY_OUT(
        cuzk_witness_layout_create(reader.inputs, reader.variables - reader.inputs, NULL, &out->layout, err));
    CUZK_TRY_OUT(read_queries(&reader, name, err));
    out->form = (struct cuzk_key_form){cuzk_zkey_row_step(), CUZK_H_ODD_COSET, out->l_aux, NULL};
out:
    cuzk_vk_destroy(&reader.vk);
    if (status != CUZK_OK)
        cuzk_zkey_destroy(out);
    return status;
}

void cuzk_zkey_destroy(struct cuzk_zkey *zkey)
{
    if (zkey == NULL)
        return;
    cuzk_params_close(&zkey->params);
    cuzk_mem_free(zkey->bytes);
    cuzk_mem_free(zkey->l_aux);
    cuzk_witness_layout_destroy(&zkey->layout);
    cuzk_r1cs_destroy(zkey->r1cs);
    *zkey = (struct cuzk_zkey){0};
}
