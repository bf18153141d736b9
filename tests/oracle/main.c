/*
 * cuzk-oracle: what the installed program must not do. It proves with given r and s, makes keys from given
 * toxic waste, and writes whole R1CS and witness streams. For tests; never installed.
 */
#include <stdio.h>
#include <string.h>

#include "backend/choice.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/option.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "groth16/setup.h"
#include "porep_parts.h"
#include "r1cs/stream.h"
#include "srs/directory.h"

struct options {
    struct cuzk_option_number threads, partition;
    const char *c1, *params, *rs, *toxic, *out, *backend;
};

static const struct cuzk_option table[] = {
    {.name = "threads",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct options, threads),
     .placeholder = "N",
     .help = "threads (default: one for each processor)",
     .min = 1,
     .max = 1024},
    {.name = "partition",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct options, partition),
     .placeholder = "N",
     .help = "partition of the C1 output (default: 0)"},
    {.name = "c1",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct options, c1),
     .placeholder = "FILE",
     .help = "C1 output"},
    {.name = "params",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct options, params),
     .placeholder = "FILE",
     .help = "parameters"},
    {.name = "rs",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct options, rs),
     .placeholder = "HEX64:HEX64",
     .help = "r and s, little-endian"},
    {.name = "toxic",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct options, toxic),
     .placeholder = "FILE",
     .help = "JSON object with alpha, beta, gamma, delta, tau, or with such a member toxic"},
    {.name = "backend",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct options, backend),
     .placeholder = "NAME",
     .fallback = "cpu",
     .help = "auto, cpu, cuda, cuda:ORDINAL or cuda:UUID (default: cpu)"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct options, out),
     .placeholder = "DIR",
     .help = "directory for a key"},
};
enum { OPTIONS = sizeof table / sizeof *table };

static enum cuzk_status need(const char *value, const char *name, struct cuzk_error *err)
{
    if (value == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--%s is needed", name);
    return CUZK_OK;
}

/* ---- setup CIRCUIT --toxic FILE --out DIR ---- */

static enum cuzk_status setup(const struct options *given, const char *circuit_name, struct cuzk_pool *pool,
                              struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    char params[CUZK_PARAMETER_PATH], vk[CUZK_PARAMETER_PATH];
    struct cuzk_backend *backend = NULL;
    struct porep_circuit circuit = {0};
    struct cuzk_toxic toxic;

    CUZK_TRY_OUT(need(given->toxic, "toxic", err));
    CUZK_TRY_OUT(need(given->out, "out", err));
    CUZK_TRY_OUT(toxic_read(given->toxic, &toxic, err));
    CUZK_TRY_OUT(cuzk_file_make_directory(given->out, err));
    CUZK_TRY_OUT(cuzk_backend_open(given->backend, pool, &backend, err));
    CUZK_TRY_OUT(porep_circuit_open(circuit_name, &circuit, err));
    CUZK_TRY_OUT(cuzk_parameter_path(given->out, &circuit.id, ".params", params, err));
    CUZK_TRY_OUT(cuzk_parameter_path(given->out, &circuit.id, ".vk", vk, err));
    CUZK_TRY_OUT(cuzk_setup_files(backend, pool, circuit.r1cs, &toxic, params, vk, false,
                                  (struct cuzk_sink){0}, NULL, err));
    CUZK_TRY_OUT(cuzk_parameter_manifest_write(given->out, &circuit.id, NULL, NULL, err));
    printf("%s\n%s\n", params, vk);
out:
    porep_circuit_close(&circuit);
    cuzk_backend_destroy(backend);
    return status;
}

/* ---- prove porep --c1 FILE --params FILE --rs R:S ---- */

static enum cuzk_status scalar(const char *field, const char *text, size_t length, struct cuzk_fr *out,
                               struct cuzk_error *err)
{
    uint8_t bytes[CUZK_FR_BYTES];

    CUZK_TRY(cuzk_hex_decode(field, text, length, bytes, sizeof bytes, err));
    if (!cuzk_fr_from_bytes(bytes, out))
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s is not below r", field);
    return CUZK_OK;
}

static void print_hex(const char *name, const uint8_t *bytes, size_t n, const char *end)
{
    printf("\"%s\":\"", name);
    for (size_t k = 0; k < n; k++)
        printf("%02x", bytes[k]);
    printf("\"%s", end);
}

static void print_g1(const char *name, const struct cuzk_g1 *point)
{
    struct cuzk_g1_affine affine;
    uint8_t bytes[CUZK_G1_BYTES];

    cuzk_g1_to_affine(point, &affine);
    cuzk_g1_encode(&affine, bytes);
    print_hex(name, bytes, sizeof bytes, ",");
}

static void print_g2(const char *name, const struct cuzk_g2 *point)
{
    struct cuzk_g2_affine affine;
    uint8_t bytes[CUZK_G2_BYTES];

    cuzk_g2_to_affine(point, &affine);
    cuzk_g2_encode(&affine, bytes);
    print_hex(name, bytes, sizeof bytes, ",");
}

/* The circuit that a C1 output is for, and the witness of the partition asked for. */
static enum cuzk_status load_c1(const struct options *given, struct cuzk_pool *pool,
                                struct porep_circuit *circuit, struct cuzk_witness *witness,
                                struct cuzk_error *err)
{
    const struct cuzk_porep_facts facts = {0};
    char name[CUZK_CIRCUIT_NAME];
    struct cuzk_porep_case porep = {0};
    struct cuzk_file_map file = {0};
    const struct cuzk_log log = {0};
    enum cuzk_status status = CUZK_OK;

    CUZK_TRY_OUT(need(given->c1, "c1", err));
    CUZK_TRY_OUT(cuzk_file_map_open(given->c1, "C1 output", CUZK_C1_BYTES_MOST, &file, err));
    CUZK_TRY_OUT(cuzk_porep_case_open(file.path, file.bytes, (size_t)file.length, &facts, &log, &porep, err));
    const struct cuzk_circuit_id id = porep.common.circuit;
    cuzk_circuit_id_format(&id, name);
    CUZK_TRY_OUT(porep_circuit_open(name, circuit, err));
    status = porep_witness(circuit, file.path, file.bytes, (size_t)file.length,
                           (unsigned)given->partition.value, pool, witness, err);
out:
    cuzk_porep_case_close(&porep);
    cuzk_file_map_close(&file);
    return status;
}

static enum cuzk_status prove(const struct options *given, struct cuzk_pool *pool, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_backend *backend = NULL;
    struct porep_circuit circuit = {0};
    struct cuzk_witness witness = {0};
    struct cuzk_params params = {0};
    struct cuzk_prover *prover = NULL;
    struct cuzk_proof_sums sums;
    uint8_t proof[CUZK_PROOF_BYTES];
    struct cuzk_fr r, s;

    CUZK_TRY_OUT(need(given->params, "params", err));
    CUZK_TRY_OUT(need(given->rs, "rs", err));
    const char *colon = strchr(given->rs, ':');
    if (colon == NULL) {
        status = cuzk_error_set(err, CUZK_ARGUMENT, "--rs: expected HEX64:HEX64");
        goto out;
    }
    CUZK_TRY_OUT(scalar("r", given->rs, (size_t)(colon - given->rs), &r, err));
    CUZK_TRY_OUT(scalar("s", colon + 1, strlen(colon + 1), &s, err));
    CUZK_TRY_OUT(load_c1(given, pool, &circuit, &witness, err));
    CUZK_TRY_OUT(cuzk_params_open(given->params, &params, err));
    CUZK_TRY_OUT(cuzk_backend_open(given->backend, pool, &backend, err));
    CUZK_TRY_OUT(cuzk_prover_create(backend, circuit.r1cs, &circuit.layout, &params, NULL, &prover, err));
    CUZK_TRY_OUT(cuzk_prover_prove_fixed(prover, &witness, &r, &s, &sums, proof, err));
    printf("{");
    print_g1("h", &sums.h);
    print_g1("l", &sums.l);
    print_g1("a_inputs", &sums.a_inputs);
    print_g1("a_aux", &sums.a_aux);
    print_g1("b_g1_inputs", &sums.b_g1_inputs);
    print_g1("b_g1_aux", &sums.b_g1_aux);
    print_g2("b_g2_inputs", &sums.b_g2_inputs);
    print_g2("b_g2_aux", &sums.b_g2_aux);
    print_hex("proof", proof, sizeof proof, "}\n");
out:
    cuzk_prover_destroy(prover);
    cuzk_backend_destroy(backend);
    cuzk_params_close(&params);
    cuzk_witness_destroy(&witness);
    porep_circuit_close(&circuit);
    return status;
}

/* ---- streams ---- */

static enum cuzk_status to_stdout(void *context, const uint8_t *bytes, size_t n, struct cuzk_error *err)
{
    (void)context;
    if (fwrite(bytes, 1, n, stdout) != n)
        return cuzk_error_set(err, CUZK_IO, "standard output cannot be written");
    return CUZK_OK;
}

/* stream CIRCUIT: the canonical R1CS stream */
static enum cuzk_status stream(const char *name, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_stream_writer *writer = NULL;
    struct porep_circuit circuit = {0};

    CUZK_TRY_OUT(porep_circuit_open(name, &circuit, err));
    CUZK_TRY_OUT(cuzk_stream_writer_create((struct cuzk_stream_target){to_stdout, NULL}, &writer, err));
    const struct cuzk_constraint_sink sink = cuzk_stream_writer_sink(writer);
    CUZK_TRY_OUT(cuzk_r1cs_replay(circuit.r1cs, &sink, err));
out:
    cuzk_stream_writer_destroy(writer);
    porep_circuit_close(&circuit);
    return status;
}

/* witness porep --c1 FILE: the aux values, 32 bytes each */
static enum cuzk_status dump_witness(const struct options *given, struct cuzk_pool *pool,
                                     struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct porep_circuit circuit = {0};
    struct cuzk_witness witness = {0};

    CUZK_TRY_OUT(load_c1(given, pool, &circuit, &witness, err));
    for (uint32_t k = 0; k < circuit.layout.aux; k++) {
        uint8_t bytes[CUZK_FR_BYTES];
        struct cuzk_fr value;
        cuzk_witness_value(&circuit.layout, &witness, cuzk_variable_aux(k), &value);
        cuzk_fr_to_bytes(&value, bytes);
        CUZK_TRY_OUT(to_stdout(NULL, bytes, sizeof bytes, err));
    }
out:
    cuzk_witness_destroy(&witness);
    porep_circuit_close(&circuit);
    return status;
}

static enum cuzk_status run(const struct options *given, const char *const *words, size_t count,
                            struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_pool *pool;

    CUZK_TRY(cuzk_pool_create((unsigned)given->threads.value, &pool, err));
    if (count == 2 && strcmp(words[0], "setup") == 0)
        status = setup(given, words[1], pool, err);
    else if (count == 2 && strcmp(words[0], "prove") == 0 && strcmp(words[1], "porep") == 0)
        status = prove(given, pool, err);
    else if (count == 2 && strcmp(words[0], "witness") == 0 && strcmp(words[1], "porep") == 0)
        status = dump_witness(given, pool, err);
    else if (count == 2 && strcmp(words[0], "stream") == 0)
        status = stream(words[1], err);
    else
        status = cuzk_error_set(
            err, CUZK_ARGUMENT,
            "usage: setup CIRCUIT --toxic FILE --out DIR | prove porep --c1 FILE --params FILE "
            "--rs R:S [--partition N] | witness porep --c1 FILE | stream CIRCUIT");
    cuzk_pool_destroy(pool);
    return status;
}

int main(int argc, char **argv)
{
    struct options given = {0};
    struct cuzk_error err = {0};
    const char *words[2];
    size_t count = 0;
    enum cuzk_status status = cuzk_option_parse(table, OPTIONS, argc - 1, (const char *const *)argv + 1,
                                                &given, words, 2, &count, &err);

    if (status == CUZK_OK)
        status = run(&given, words, count, &err);
    if (status != CUZK_OK)
        fprintf(stderr, "cuzk-oracle: %s\n", err.message);
    return cuzk_status_exit_code(status);
}
