/*
 * A PoRep to prove or to verify: a decoded C1 output, and what is known about whose sector it is.
 *
 * What the file says is completed by what the caller says (porep_facts). For a registered proof the porep id
 * and api version are the proof's own unless given. Without a registered proof and without facts nobody knows
 * the graph: the parents that the proofs name are then used, and `config_known` is false.
 */
#ifndef CUZK_ENGINE_POREP_CASE_H
#define CUZK_ENGINE_POREP_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/pool.h"
#include "engine/proof_kind.h"
#include "filecoin/c1.h"
#include "filecoin/porep_verify.h"
#include "filecoin/seal_proof.h"

/* What the caller knows besides the file; all false: nothing. */
struct cuzk_porep_facts {
    bool has_prover, has_sector_number, has_porep_id, has_api_version;
    uint8_t prover_id[32];
    uint64_t sector_number;
    uint8_t porep_id[32];
    enum cuzk_api_version api_version;
};

struct cuzk_porep_case {
    struct cuzk_case common;
    struct cuzk_c1 *c1;
    bool config_known;
    struct cuzk_porep_config config;
    bool owner_known;
    struct cuzk_porep_owner owner;
    struct cuzk_fr *public_inputs; /* [common.partitions][common.inputs] */
};

enum { CUZK_C1_BYTES_MOST = 1 << 30 }; /* no registered proof comes near */

/* Decodes C1 bytes (name is for errors) and derives everything else; the bytes may go afterwards. Values of
 * the proofs that contradict the derived public inputs are not looked at here: cuzk_porep_case_check does.
 * Errors: INPUT, ARGUMENT (facts that do not fit), MEMORY. *out is zero on failure. */
enum cuzk_status cuzk_porep_case_open(const char *name, const void *bytes, size_t length,
                                      const struct cuzk_porep_facts *facts, const struct cuzk_log *log,
                                      struct cuzk_porep_case *out, struct cuzk_error *err);

/* Checks every vanilla proof outright (filecoin/porep_verify.h). Errors: INVALID with partition, challenge
 * and step. */
enum cuzk_status cuzk_porep_case_check(const struct cuzk_porep_case *porep, const char *name,
                                       struct cuzk_pool *pool, struct cuzk_error *err);

/* Where the owner is known: whether the replica id is that of the owner's sector. Errors: INVALID. */
enum cuzk_status cuzk_porep_case_check_owner(const struct cuzk_porep_case *porep, const char *name,
                                             struct cuzk_error *err);

/* The public inputs of a partition. */
const struct cuzk_fr *cuzk_porep_case_inputs(const struct cuzk_porep_case *porep, unsigned partition);

/* Fine on a zeroed one. For cases of cuzk_porep_case_open only. */
void cuzk_porep_case_close(struct cuzk_porep_case *porep);

/* A request as a case: see engine/proof_kind.h. */
enum cuzk_status cuzk_porep_look(const struct cuzk_request *request, struct cuzk_circuit_id *circuit,
                                 unsigned *partitions, struct cuzk_error *err);
enum cuzk_status cuzk_porep_open(const struct cuzk_request *request, const struct cuzk_log *log,
                                 struct cuzk_case **out, struct cuzk_error *err);

#endif
