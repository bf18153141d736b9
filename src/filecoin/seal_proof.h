/*
 * The registered seal proofs and the parameters of a PoRep that follow from them.
 *
 * Registered seal proofs are numbered 0..19: four variants (V1, V1_1, synthetic, non-interactive) of five
 * sector sizes (2 KiB, 8 MiB, 512 MiB, 32 GiB, 64 GiB). Other sizes (4, 16, 32 KiB, 16 MiB, 1 GiB) exist for
 * tests and have no registered proof; their porep_id and api version are the caller's. Source:
 * RegisteredSealProof of filecoin-proofs-api; go-state-types abi.RegisteredSealProof.
 */
#ifndef CUZK_FILECOIN_SEAL_PROOF_H
#define CUZK_FILECOIN_SEAL_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "circuit/porep_assignment.h"

enum { CUZK_SEAL_PROOFS = 20, CUZK_REGISTERED_SIZES = 5, CUZK_SEAL_PROOF_NAME = 64, CUZK_NODE_BYTES = 32 };

/* Largest sizes of any registered proof. */
enum { CUZK_POREP_MAX_PARTITIONS = 126, CUZK_POREP_MAX_LOG2_NODES = 31 };

enum cuzk_api_version { CUZK_API_1_0_0, CUZK_API_1_1_0, CUZK_API_1_2_0 };

/* How challenges are drawn. */
enum cuzk_porep_feature { CUZK_POREP_INTERACTIVE, CUZK_POREP_SYNTHETIC, CUZK_POREP_NON_INTERACTIVE };

/* All that a PoRep depends on besides the sector's own data. */
struct cuzk_porep_config {
    uint64_t sector_size; /* bytes */
    struct cuzk_porep_shape shape;
    unsigned partitions;
    enum cuzk_porep_feature feature;
    enum cuzk_api_version api_version; /* 1.0.0 has another graph; the others are alike */
    uint8_t porep_id[32];
};

/* The configuration of a registered proof, number below CUZK_SEAL_PROOFS. */
void cuzk_porep_config_registered(unsigned number, struct cuzk_porep_config *config);

/* The configuration of any size. Errors: ARGUMENT (no such sector size). */
enum cuzk_status cuzk_porep_config_make(uint64_t sector_size, enum cuzk_porep_feature feature,
                                        enum cuzk_api_version api_version, const uint8_t porep_id[32],
                                        struct cuzk_porep_config *config, struct cuzk_error *err);

/* "StackedDrg32GiBV1_1"; number below CUZK_SEAL_PROOFS. */
void cuzk_seal_proof_name(unsigned number, char name[CUZK_SEAL_PROOF_NAME]);

/* The number of a name of n characters, or -1. */
int cuzk_seal_proof_number(const char *name, size_t n);

/* The tag that vanilla proofs of a registered proof's size carry in C1 JSON ("StackedDrg32GiBV1"): the name
 * of the V1 proof of the same size. */
void cuzk_seal_proof_tag(unsigned number, char tag[CUZK_SEAL_PROOF_NAME]);

/* Sector size of a registered proof, bytes. Registered PoSt and update proofs go through the same
 * CUZK_REGISTERED_SIZES sizes in the same order. */
uint64_t cuzk_seal_proof_sector_size(unsigned number);

/* "1.1.0" and so on; -1 (as enum) never occurs: false for an unknown text. */
const char *cuzk_api_version_name(enum cuzk_api_version version);
bool cuzk_api_version_parse(const char *text, enum cuzk_api_version *version);

#endif
