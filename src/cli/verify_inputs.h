/* Verifies proofs against public inputs, however a command came to them: finds the key, holds counts against
 * it, verifies every partition and says how it went. */
#ifndef CUZK_CLI_VERIFY_INPUTS_H
#define CUZK_CLI_VERIFY_INPUTS_H

#include "cli/command.h"
#include "groth16/verify.h"
#include "srs/circuit_id.h"

struct cli_verify_target {
    const char *source;                      /* where the inputs come from, for errors */
    const char *proof, *vk, *params_dir;     /* as the options were given; NULL where not */
    const struct cuzk_circuit_id *circuit;   /* NULL: not known, then vk is needed */
    const struct cuzk_public_inputs *inputs; /* [partitions] */
    size_t partitions;
};

/* Errors: INVALID (the answer is out then), INPUT (counts, encodings), NOT_FOUND, MEMORY. */
enum cuzk_status cli_verify_inputs(struct cli_session *session, const struct cli_verify_target *given,
                                   struct cuzk_error *err);

/* The key of a circuit in the parameter directory (--params-dir, or NULL): its .vk file, else the head of its
 * .params file. Errors: NOT_FOUND (the session's hint says what to do), INPUT, MEMORY. */
enum cuzk_status cli_vk_find(struct cli_session *session, const char *params_dir,
                             const struct cuzk_circuit_id *id, struct cuzk_vk *vk, struct cuzk_error *err);

/* Inputs as JSON lines (engine/public_file.h). *inputs is the caller's to free, file to destroy. */
struct cuzk_public_file;
enum cuzk_status cli_public_inputs_read(const char *path, struct cuzk_public_file *file,
                                        struct cuzk_public_inputs **inputs, struct cuzk_error *err);

#endif
