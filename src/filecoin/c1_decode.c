#include <string.h>

#include "base/mem.h"
#include "filecoin/base64_source.h"
#include "filecoin/c1.h"
#include "filecoin/vanilla_proof.h"

struct context {
    struct cuzk_json_stream *reader;
    struct cuzk_c1 *c1;
    bool shape_known;
};

static enum cuzk_status read_partition(struct context *c, struct cuzk_c1_partition *partition,
                                       struct cuzk_error *err)
{
    bool first = true, more = false;
    unsigned n;

    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (n = 0;; n++) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            break;
        if (n == (c->shape_known ? c->c1->shape.challenges : CUZK_POREP_MAX_CHALLENGES))
            return cuzk_json_stream_fail(c->reader, err, "more than %u challenges", n);
        const enum cuzk_status status =
            cuzk_vanilla_proof_decode(c->reader, &c->c1->shape, &c->shape_known, &c->c1->values,
                                      &partition->challenges[n], &partition->claims[n], err);
        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "challenge %u", n);
    }
    if (!c->shape_known || n != c->c1->shape.challenges)
        return cuzk_json_stream_fail(c->reader, err, "%u challenges where a partition has %u", n,
                                     c->shape_known ? c->c1->shape.challenges : 2);
    return CUZK_OK;
}

static enum cuzk_status read_partitions(struct context *c, struct cuzk_error *err)
{
    struct cuzk_c1 *c1 = c->c1;
    bool first = true, more = false;

    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            break;
        if (c1->partitions == CUZK_POREP_MAX_PARTITIONS)
            return cuzk_json_stream_fail(c->reader, err, "more than %d partitions",
                                         CUZK_POREP_MAX_PARTITIONS);
        CUZK_TRY(CUZK_NEW(&c1->partition[c1->partitions], 1, "a partition's vanilla proofs", err));
        const enum cuzk_status status = read_partition(c, c1->partition[c1->partitions++], err);
        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "partition %u", c1->partitions - 1);
    }
    c1->sector_size = c->shape_known ? (uint64_t)CUZK_NODE_BYTES << c1->shape.log2_nodes : 0;
    return CUZK_OK;
}

/* {"StackedDrg2KiBV1":[[proof, ...], ...]}, or the inner array alone */
static enum cuzk_status read_vanilla_proofs(struct context *c, struct cuzk_error *err)
{
    uint8_t byte;

    CUZK_TRY(cuzk_json_stream_peek(c->reader, &byte, err));
    if (byte == '[')
        return read_partitions(c, err);
    CUZK_TRY(cuzk_json_stream_variant_begin(c->reader, err));
    for (unsigned number = 0; number < CUZK_SEAL_PROOFS && !c->shape_known; number++) {
        char tag[CUZK_SEAL_PROOF_NAME];
        cuzk_seal_proof_tag(number, tag);
        if (cuzk_json_stream_name_is(c->reader, tag))
            c->shape_known = cuzk_porep_shape_of(cuzk_seal_proof_sector_size(number), &c->c1->shape);
    }
    if (!c->shape_known)
        return cuzk_json_stream_fail(c->reader, err, "an unknown size tag");
    CUZK_TRY(read_partitions(c, err));
    return cuzk_json_stream_variant_end(c->reader, err);
}

static enum cuzk_status read_registered_proof(struct context *c, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_json_stream_string(c->reader, err));
    if (c->reader->name_length <= CUZK_JSON_STREAM_NAME)
        c->c1->registered_proof = cuzk_seal_proof_number(c->reader->name, c->reader->name_length);
    if (c->c1->registered_proof < 0)
        return cuzk_json_stream_fail(c->reader, err, "not the name of a registered seal proof");
    return CUZK_OK;
}

/* A 32-byte value that must be a field element other than zero. */
static enum cuzk_status read_commitment(struct context *c, bool zero_allowed, uint8_t bytes[32],
                                        struct cuzk_error *err)
{
    static const uint8_t zero[32];
    struct cuzk_fr element;

    CUZK_TRY(cuzk_json_stream_bytes32(c->reader, bytes, err));
    if (!cuzk_fr_from_bytes(bytes, &element))
        return cuzk_json_stream_fail(c->reader, err, "a value that is not below the field's modulus");
    if (!zero_allowed && memcmp(bytes, zero, sizeof zero) == 0)
        return cuzk_json_stream_fail(c->reader, err, "a commitment of all zeros");
    return CUZK_OK;
}

enum member {
    REGISTERED_PROOF,
    VANILLA_PROOFS,
    COMM_R,
    COMM_D,
    REPLICA_ID,
    SEED,
    TICKET,
    SECTOR_NUM,
    PHASE1_OUT,
    SECTOR_SIZE,
    MEMBERS,
};

static const char *const names[MEMBERS] = {"registered_proof", "vanilla_proofs", "comm_r", "comm_d",
                                           "replica_id",       "seed",           "ticket", "SectorNum",
                                           "Phase1Out",        "SectorSize"};

enum {
    OF_C1 = (1 << SECTOR_NUM) - 1,
    OF_WRAPPER = (1 << MEMBERS) - 1 - OF_C1,
};

/* The base64 string of a wrapper, taken as it stands. */
struct wrapped {
    const uint8_t *text;
    size_t length;
    uint64_t offset;
    uint64_t sector_size;
};

static enum cuzk_status read_phase1_out(struct context *c, struct wrapped *wrapped, struct cuzk_error *err)
{
    uint8_t byte;

    CUZK_TRY(cuzk_json_stream_peek(c->reader, &byte, err));
    if (byte != '"')
        return cuzk_json_stream_fail(c->reader, err, "expected a base64 string");
    const uint8_t *begin = c->reader->at + 1;
    wrapped->offset = cuzk_json_stream_offset(c->reader) + 1;
    CUZK_TRY(cuzk_json_stream_string(c->reader, err));
    wrapped->text = begin;
    wrapped->length = (size_t)(c->reader->at - 1 - begin);
    return CUZK_OK;
}

static enum cuzk_status read_member(struct context *c, int member, struct wrapped *wrapped,
                                    struct cuzk_error *err)
{
    struct cuzk_c1 *c1 = c->c1;

    switch ((enum member)member) {
    case REGISTERED_PROOF:
        return read_registered_proof(c, err);
    case VANILLA_PROOFS:
        return read_vanilla_proofs(c, err);
    case COMM_R:
        return read_commitment(c, false, c1->comm_r, err);
    case COMM_D:
        return read_commitment(c, false, c1->comm_d, err);
    case REPLICA_ID:
        return read_commitment(c, true, c1->replica_id, err);
    case SEED:
        return cuzk_json_stream_bytes32(c->reader, c1->seed, err);
    case TICKET:
        return cuzk_json_stream_bytes32(c->reader, c1->ticket, err);
    case SECTOR_NUM:
        return cuzk_json_stream_u64(c->reader, INT64_MAX, &c1->sector_number, err);
    case PHASE1_OUT:
        return read_phase1_out(c, wrapped, err);
    case SECTOR_SIZE:
        return cuzk_json_stream_u64(c->reader, UINT64_MAX, &wrapped->sector_size, err);
    case MEMBERS:
        break;
    }
    return cuzk_error_set(err, CUZK_INTERNAL, "member %d of a C1 output", member);
}

/* Counts that only the whole document can tell. */
static enum cuzk_status check_whole(const struct context *c, struct cuzk_error *err)
{
    const struct cuzk_c1 *c1 = c->c1;
    struct cuzk_porep_config config;
    const uint8_t none[32] = {0};
    unsigned more;

    if (c1->registered_proof >= 0) {
        cuzk_porep_config_registered((unsigned)c1->registered_proof, &config);
        if (config.sector_size != c1->sector_size)
            return cuzk_json_stream_fail(
                c->reader, err, "registered_proof is of sectors of %llu bytes, the vanilla proofs of %llu",
                (unsigned long long)config.sector_size, (unsigned long long)c1->sector_size);
        if (config.partitions != c1->partitions)
            return cuzk_json_stream_fail(c->reader, err, "%u partitions where registered_proof has %u",
                                         c1->partitions, config.partitions);
        return CUZK_OK;
    }
    if (!c->shape_known)
        return cuzk_json_stream_fail(c->reader, err, "no partitions");
    CUZK_TRY(cuzk_porep_config_make(c1->sector_size, CUZK_POREP_NON_INTERACTIVE, CUZK_API_1_2_0, none,
                                    &config, err));
    more = config.partitions;
    CUZK_TRY(
        cuzk_porep_config_make(c1->sector_size, CUZK_POREP_INTERACTIVE, CUZK_API_1_2_0, none, &config, err));
    if (c1->partitions != config.partitions && c1->partitions != more)
        return cuzk_json_stream_fail(c->reader, err, "%u partitions where the sector size has %u or %u",
                                     c1->partitions, config.partitions, more);
    return CUZK_OK;
}

/* Reads the one object of a document. A document is a wrapper or not by the first of its known members. */
static enum cuzk_status read_document(struct context *c, bool wrapper_allowed, struct wrapped *wrapped,
                                      struct cuzk_error *err)
{
    const unsigned members = wrapper_allowed ? MEMBERS : SECTOR_NUM;
    struct cuzk_json_stream_object object;
    bool is_wrapper = false, known = false;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, members, 0, &object, err));
    object.optional = 1 << REGISTERED_PROOF;
    for (;;) {
        if (!known) /* an empty object misses the members of a C1 output */
            object.optional |= OF_WRAPPER;
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0 || member >= MEMBERS)
            break;
        const bool of_wrapper = member >= SECTOR_NUM;
        if (!known) {
            known = true;
            is_wrapper = of_wrapper;
            object.optional = is_wrapper ? OF_C1 : OF_WRAPPER | 1 << REGISTERED_PROOF;
        }
        if (is_wrapper != of_wrapper)
            return cuzk_json_stream_fail(c->reader, err, "member \"%s\" does not belong here", names[member]);
        const enum cuzk_status status = read_member(c, member, wrapped, err);
        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "%s", names[member]);
    }
    c->c1->wrapped |= is_wrapper;
    CUZK_TRY(cuzk_json_stream_end(c->reader, err));
    return is_wrapper ? CUZK_OK : check_whole(c, err);
}

static enum cuzk_status read_wrapped(struct context *c, const struct wrapped *wrapped,
                                     const struct cuzk_json_warnings *warnings, struct cuzk_error *err)
{
    struct cuzk_base64_source *source;
    struct cuzk_json_stream reader;
    struct cuzk_json_stream *outer = c->reader;
    struct wrapped none = {0};
    enum cuzk_status status;

    CUZK_TRY(CUZK_NEW(&source, 1, "base64 window", err));
    CUZK_TRY_OUT(cuzk_base64_open(source, "C1", wrapped->offset, wrapped->text, wrapped->length, &reader,
                                  warnings, err));
    c->reader = &reader;
    CUZK_TRY_OUT(read_document(c, false, &none, err));
    if (wrapped->sector_size != c->c1->sector_size)
        status =
            cuzk_error_set(err, CUZK_INPUT, "SectorSize: expected %llu as Phase1Out has it, found %llu",
                           (unsigned long long)c->c1->sector_size, (unsigned long long)wrapped->sector_size);
out:
    c->reader = outer;
    cuzk_mem_free(source);
    return status;
}

enum cuzk_status cuzk_c1_decode(const uint8_t *bytes, size_t length,
                                const struct cuzk_json_warnings *warnings, struct cuzk_c1 **out,
                                struct cuzk_error *err)
{
    struct cuzk_json_stream reader;
    struct wrapped wrapped = {0};
    struct cuzk_c1 *c1;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&c1, 1, "C1 output", err));
    c1->registered_proof = -1;
    cuzk_json_stream_open(&reader, "C1", bytes, length, warnings);
    struct context c = {&reader, c1, false};
    CUZK_TRY_OUT(read_document(&c, true, &wrapped, err));
    if (c1->wrapped)
        CUZK_TRY_OUT(read_wrapped(&c, &wrapped, warnings, err));
    *out = c1;
    return CUZK_OK;
out:
    cuzk_c1_destroy(c1);
    return status;
}
