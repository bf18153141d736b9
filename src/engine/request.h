/*
 * A request for a proof, as it comes over the wire, before anything inside it is decoded.
 *
 * Large members are given as parts (the network layer's own pieces, borrowed), so that a 60 MB request is
 * hashed and written down without a copy. Field numbers and meanings: proto/cuzk/v1/proving.proto.
 */
#ifndef CUZK_ENGINE_REQUEST_H
#define CUZK_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sched.h"

/* Numbers of the protocol. */
enum cuzk_proof_kind {
    CUZK_PROOF_KIND_NONE,
    CUZK_PROOF_KIND_POREP,
    CUZK_PROOF_KIND_SNAP,
    CUZK_PROOF_KIND_WINDOW_POST,
    CUZK_PROOF_KIND_WINNING_POST,
    CUZK_PROOF_KINDS,
};

struct cuzk_request_part {
    const uint8_t *data;
    size_t length;
};

/* A byte string in parts; parts may be empty. */
struct cuzk_request_blob {
    const struct cuzk_request_part *parts;
    size_t count;
    uint64_t length; /* of all parts */
};

enum { CUZK_REQUEST_ID_MOST = 256, CUZK_REQUEST_VANILLA_MOST = 4096 }; /* bytes; vanilla_proofs */

/* Everything is borrowed. An absent number is 0, an absent string or blob is empty, as in proto3. */
struct cuzk_request {
    const char *request_id; /* UTF-8, at most CUZK_REQUEST_ID_MOST bytes, terminated */
    enum cuzk_proof_kind kind;
    uint64_t sector_size;
    uint64_t registered_proof;
    bool has_priority; /* false: the kind's own */
    enum cuzk_priority priority;
    struct cuzk_request_blob vanilla_proof;
    const struct cuzk_request_blob *vanilla_proofs;
    size_t vanilla_proof_count;
    uint64_t sector_number, miner_id;
    struct cuzk_request_blob randomness;
    uint32_t partition_index;
    struct cuzk_request_blob comm_r_old, comm_r_new, comm_d_new;
};

/* SHA-256 of every field but request_id, in the form of engine/request_file.h: one content, one digest,
 * however it was cut into parts. */
void cuzk_request_digest(const struct cuzk_request *request, uint8_t digest[32]);

/* What jobs are told apart by: SHA-256 of request id and content digest. */
void cuzk_request_key(const char *request_id, const uint8_t digest[32], uint8_t key[32]);

#endif
