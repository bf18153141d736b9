#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "filecoin/fr32.h"
#include "filecoin/oct_tree.h"
#include "filecoin/public_inputs.h"
#include "filecoin/seal.h"
#include "filecoin/sector_file.h"
#include "hash/sha256.h"

/* What goes into the file, counted and hashed on the way. */
struct hashed {
    struct cuzk_sink sink;
    struct cuzk_sha256 hash;
    uint64_t length;
};

static enum cuzk_status write_hashed(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct hashed *hashed = context;

    cuzk_sha256_update(&hashed->hash, bytes, n);
    hashed->length += n;
    return hashed->sink.write(hashed->sink.context, bytes, n, err);
}

static enum cuzk_status write_c1(const struct cuzk_sector_directory *directory, const struct cuzk_c1 *c1,
                                 uint64_t *length, uint8_t digest[32], struct cuzk_error *err)
{
    struct cuzk_file_out *out;
    struct hashed hashed = {.length = 0};
    const struct cuzk_sink sink = {write_hashed, &hashed};

    CUZK_TRY(cuzk_sector_file_open(directory, "c1.json", &out, err));
    hashed.sink = cuzk_file_out_sink(out);
    cuzk_sha256_init(&hashed.hash);
    CUZK_TRY(cuzk_file_out_close(cuzk_c1_encode(c1, &sink, err), out, err));
    cuzk_sha256_final(&hashed.hash, digest);
    *length = hashed.length;
    return CUZK_OK;
}

static enum cuzk_status put_inputs(const struct cuzk_sealed_sector *s, struct cuzk_file_out *out,
                                   struct cuzk_error *err)
{
    const unsigned count = cuzk_porep_input_count(&s->config.shape);
    struct cuzk_fr *inputs;
    enum cuzk_status status = CUZK_OK;

    CUZK_TRY(CUZK_NEW(&inputs, count, "public inputs", err));
    for (unsigned partition = 0; partition < s->config.partitions; partition++) {
        struct cuzk_porep_assignment assignment;
        struct cuzk_json_writer json;
        cuzk_c1_assignment(s->c1, partition, &assignment);
        cuzk_porep_assigned_inputs(&s->config.shape, &assignment, inputs);
        cuzk_json_write_init(&json, cuzk_file_out_sink(out), false, err);
        cuzk_json_write_object_begin(&json);
        cuzk_json_write_key(&json, "inputs");
        cuzk_json_write_array_begin(&json);
        for (unsigned i = 0; i < count; i++) {
            uint8_t bytes[32];
            cuzk_fr_to_bytes(&inputs[i], bytes);
            cuzk_json_write_hex(&json, bytes, sizeof bytes);
        }
        cuzk_json_write_array_end(&json);
        cuzk_json_write_member_u64(&json, "partition", partition);
        cuzk_json_write_object_end(&json);
        CUZK_TRY_OUT(cuzk_json_write_finish(&json));
        CUZK_TRY_OUT(cuzk_file_out_write(out, "\n", 1, err));
    }
out:
    cuzk_mem_free(inputs);
    return status;
}

static void put_challenge(struct cuzk_json_writer *json, const struct cuzk_porep_challenge *challenge)
{
    cuzk_json_write_object_begin(json);
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++) {
        if (i == 0 || i == CUZK_POREP_DRG_PARENTS) {
            if (i > 0)
                cuzk_json_write_array_end(json);
            cuzk_json_write_key(json, i == 0 ? "drg_parents" : "exp_parents");
            cuzk_json_write_array_begin(json);
        }
        cuzk_json_write_u64(json, challenge->parents[i].path.index);
    }
    cuzk_json_write_array_end(json);
    cuzk_json_write_member_u64(json, "node", challenge->node);
    cuzk_json_write_object_end(json);
}

static void put_challenges(struct cuzk_json_writer *json, const struct cuzk_c1 *c1)
{
    cuzk_json_write_key(json, "challenges");
    cuzk_json_write_array_begin(json);
    for (unsigned i = 0; i < c1->partitions; i++) {
        cuzk_json_write_array_begin(json);
        for (unsigned j = 0; j < c1->shape.challenges; j++)
            put_challenge(json, &c1->partition[i]->challenges[j]);
        cuzk_json_write_array_end(json);
    }
    cuzk_json_write_array_end(json);
}

/* Of the data without their bit padding. */
static void digest_data(const struct cuzk_sealed_sector *s, uint8_t digest[32])
{
    enum { PADDED = 2048, UNPADDED = PADDED / 128 * 127 };
    struct cuzk_sha256 hash;
    uint8_t plain[UNPADDED];

    cuzk_sha256_init(&hash);
    for (uint64_t at = 0; at < s->config.sector_size; at += PADDED) {
        cuzk_fr32_unpad(s->tree_d + at, UNPADDED, plain);
        cuzk_sha256_update(&hash, plain, UNPADDED);
    }
    cuzk_sha256_final(&hash, digest);
}

/* Members in alphabetical order. */
static enum cuzk_status put_sector(const struct cuzk_sealed_sector *s, uint64_t c1_length,
                                   const uint8_t c1_digest[32], struct cuzk_file_out *out,
                                   struct cuzk_error *err)
{
    static const char *const features[] = {NULL, "synthetic-porep", "non-interactive-porep"};
    const struct cuzk_c1 *c1 = s->c1;
    struct cuzk_json_writer json;
    char name[CUZK_SEAL_PROOF_NAME];
    uint8_t digest[32];

    cuzk_json_write_init(&json, cuzk_file_out_sink(out), true, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_key(&json, "api_features");
    cuzk_json_write_array_begin(&json);
    if (features[s->config.feature] != NULL)
        cuzk_json_write_string(&json, features[s->config.feature]);
    cuzk_json_write_array_end(&json);
    cuzk_json_write_member_string(&json, "api_version", cuzk_api_version_name(s->config.api_version));
    cuzk_json_write_member_u64(&json, "c1_len", c1_length);
    cuzk_json_write_member_hex(&json, "c1_sha256", c1_digest, 32);
    put_challenges(&json, c1);
    cuzk_json_write_member_u64(&json, "challenges_per_partition", s->config.shape.challenges);
    cuzk_json_write_member_hex(&json, "comm_c", s->comm_c, 32);
    cuzk_json_write_member_hex(&json, "comm_d", c1->comm_d, 32);
    cuzk_json_write_member_hex(&json, "comm_r", c1->comm_r, 32);
    cuzk_json_write_member_hex(&json, "comm_r_last", s->comm_r_last, 32);
    digest_data(s, digest);
    cuzk_json_write_member_hex(&json, "data_sha256", digest, 32);
    cuzk_json_write_member_u64(&json, "layers", s->config.shape.layers);
    cuzk_json_write_member_u64(&json, "nodes", s->nodes);
    cuzk_json_write_member_u64(&json, "partitions", s->config.partitions);
    cuzk_json_write_key(&json, "pieces");
    cuzk_json_write_array_begin(&json);
    for (size_t i = 0; i < s->piece_count; i++) {
        cuzk_json_write_object_begin(&json);
        cuzk_json_write_member_hex(&json, "comm_p", s->pieces[i].comm_p, 32);
        cuzk_json_write_member_u64(&json, "unpadded_size", s->pieces[i].unpadded_size);
        cuzk_json_write_object_end(&json);
    }
    cuzk_json_write_array_end(&json);
    cuzk_json_write_member_hex(&json, "porep_id", s->config.porep_id, 32);
    cuzk_json_write_member_hex(&json, "prover_id", s->prover_id, 32);
    if (c1->registered_proof >= 0)
        cuzk_seal_proof_name((unsigned)c1->registered_proof, name);
    cuzk_json_write_member_string(&json, "registered_proof", c1->registered_proof >= 0 ? name : NULL);
    cuzk_json_write_member_hex(&json, "replica_id", c1->replica_id, 32);
    cuzk_sha256_digest(s->sealed, s->nodes * CUZK_NODE_BYTES, digest);
    cuzk_json_write_member_hex(&json, "sealed_sha256", digest, 32);
    cuzk_json_write_member_u64(&json, "sector_id", s->sector_number);
    cuzk_json_write_member_u64(&json, "sector_size", s->config.sector_size);
    cuzk_json_write_member_hex(&json, "seed", c1->seed, 32);
    cuzk_json_write_member_hex(&json, "ticket", c1->ticket, 32);
    cuzk_json_write_object_end(&json);
    CUZK_TRY(cuzk_json_write_finish(&json));
    return cuzk_file_out_write(out, "\n", 1, err);
}

enum cuzk_status cuzk_sealed_sector_write(const struct cuzk_sealed_sector *s, const char *directory,
                                          bool replace, struct cuzk_error *err)
{
    const struct cuzk_sector_directory to = {directory, replace};
    const size_t bytes = s->nodes * CUZK_NODE_BYTES;
    struct cuzk_file_out *out;
    uint8_t digest[32], p_aux[64];
    uint64_t length;
    char name[32];

    CUZK_TRY(cuzk_file_make_directory(directory, err));
    CUZK_TRY(cuzk_sector_file_bytes(&to, "data.bin", s->tree_d, bytes, err));
    CUZK_TRY(cuzk_sector_file_bytes(&to, "tree_d.bin", s->tree_d, 2 * bytes - CUZK_NODE_BYTES, err));
    CUZK_TRY(cuzk_sector_file_bytes(&to, "sealed.bin", s->sealed, bytes, err));
    for (unsigned layer = 1; layer <= s->config.shape.layers; layer++) {
        snprintf(name, sizeof name, "layer%u.bin", layer);
        CUZK_TRY(cuzk_sector_file_bytes(&to, name, s->layers + (layer - 1) * bytes, bytes, err));
    }
    CUZK_TRY(cuzk_sector_file_elements(&to, "tree_c.bin", s->tree_c,
                                       cuzk_oct_tree_nodes(s->config.shape.tree), err));
    memcpy(p_aux, s->comm_c, 32);
    memcpy(p_aux + 32, s->comm_r_last, 32);
    CUZK_TRY(cuzk_sector_file_bytes(&to, "p_aux.bin", p_aux, sizeof p_aux, err));
    CUZK_TRY(write_c1(&to, s->c1, &length, digest, err));
    CUZK_TRY(cuzk_sector_file_open(&to, "public_inputs.json", &out, err));
    CUZK_TRY(cuzk_file_out_close(put_inputs(s, out, err), out, err));
    CUZK_TRY(cuzk_sector_file_open(&to, "sector.json", &out,
                                   err)); /* last: its presence says that the rest is there */
    return cuzk_file_out_close(put_sector(s, length, digest, out, err), out, err);
}
