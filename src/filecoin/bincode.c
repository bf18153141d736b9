#include "filecoin/bincode.h"

#include <inttypes.h>

enum { PARTS = 3, TAG_SINGLE = 0 };

/* A run of levels of one arity: base, sub or top part of a proof. */
struct part {
    unsigned levels, arity;
};

/* The parts of a tree, base first; returns how many. One part is tag 0, two are tag 1, three tag 2. */
static unsigned oct_parts(struct cuzk_tree_shape shape, struct part parts[PARTS])
{
    unsigned n = 0;

    parts[n++] = (struct part){shape.base_levels, CUZK_TREE_BASE_ARITY};
    if (shape.sub_arity != 0)
        parts[n++] = (struct part){1, shape.sub_arity};
    if (shape.top_arity != 0)
        parts[n++] = (struct part){1, shape.top_arity};
    return n;
}

static unsigned sibling_count(const struct part *parts, unsigned count)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += parts[i].levels * (parts[i].arity - 1);
    return n;
}

/* ---- reading ---- */

enum cuzk_status cuzk_bincode_element(struct cuzk_bytes *bytes, const char *field, struct cuzk_fr *out,
                                      struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    const uint8_t *value;

    CUZK_TRY(cuzk_bytes_take(bytes, field, CUZK_FR_BYTES, &value, err));
    if (!cuzk_fr_from_bytes(value, out))
        return cuzk_bytes_fail(bytes, field, at, err, "expected a field element below the modulus");
    return CUZK_OK;
}

enum cuzk_status cuzk_bincode_count(struct cuzk_bytes *bytes, const char *field, uint64_t expected,
                                    struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    uint64_t found;

    CUZK_TRY(cuzk_bytes_u64le(bytes, field, &found, err));
    if (found != expected)
        return cuzk_bytes_fail(bytes, field, at, err, "expected %" PRIu64 ", found %" PRIu64, expected,
                               found);
    return CUZK_OK;
}

/* One path: its siblings go behind *siblings, its indexes above *shift of the leaf's. */
static enum cuzk_status read_path(struct cuzk_bytes *bytes, const char *field, const struct part *part,
                                  struct cuzk_fr **siblings, unsigned *shift, uint64_t *index,
                                  struct cuzk_error *err)
{
    CUZK_TRY(cuzk_bincode_count(bytes, field, part->levels, err));
    for (unsigned level = 0; level < part->levels; level++) {
        uint64_t at, own;

        CUZK_TRY(cuzk_bincode_count(bytes, field, part->arity - 1, err));
        for (unsigned i = 0; i + 1 < part->arity; i++)
            CUZK_TRY(cuzk_bincode_element(bytes, field, (*siblings)++, err));
        at = bytes->position;
        CUZK_TRY(cuzk_bytes_u64le(bytes, field, &own, err));
        if (own >= part->arity)
            return cuzk_bytes_fail(bytes, field, at, err, "expected an index below %u, found %" PRIu64,
                                   part->arity, own);
        *index |= own << *shift;
        *shift += (unsigned)__builtin_ctz(part->arity);
    }
    return CUZK_OK;
}

static enum cuzk_status read_proof(struct cuzk_bytes *bytes, const char *field, const struct part *parts,
                                   unsigned count, struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                   struct cuzk_error *err)
{
    const uint64_t at = bytes->position;
    struct cuzk_fr *siblings;
    unsigned shift = 0;
    uint32_t tag;

    *out = (struct cuzk_merkle_path){0};
    CUZK_TRY(cuzk_bytes_u32le(bytes, field, &tag, err));
    if (tag != count - 1)
        return cuzk_bytes_fail(bytes, field, at, err, "expected a proof with tag %u, found %u", count - 1,
                               tag);
    CUZK_TRY(cuzk_fr_arena_take(values, sibling_count(parts, count), &siblings, err));
    out->siblings = siblings;
    if (tag == TAG_SINGLE) {
        CUZK_TRY(cuzk_bincode_element(bytes, field, &out->root, err));
        CUZK_TRY(cuzk_bincode_element(bytes, field, &out->leaf, err));
    }
    for (unsigned i = 0; i < count; i++)
        CUZK_TRY(read_path(bytes, field, &parts[i], &siblings, &shift, &out->index, err));
    if (tag == TAG_SINGLE)
        return CUZK_OK;
    CUZK_TRY(cuzk_bincode_element(bytes, field, &out->root, err));
    return cuzk_bincode_element(bytes, field, &out->leaf, err);
}

enum cuzk_status cuzk_bincode_oct_proof(struct cuzk_bytes *bytes, const char *field,
                                        struct cuzk_tree_shape shape, struct cuzk_fr_arena *values,
                                        struct cuzk_merkle_path *out, struct cuzk_error *err)
{
    struct part parts[PARTS];
    const unsigned count = oct_parts(shape, parts);

    return read_proof(bytes, field, parts, count, values, out, err);
}

enum cuzk_status cuzk_bincode_binary_proof(struct cuzk_bytes *bytes, const char *field, unsigned levels,
                                           struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                           struct cuzk_error *err)
{
    const struct part part = {levels, 2};

    return read_proof(bytes, field, &part, 1, values, out, err);
}

bool cuzk_bincode_oct_proof_begins(const uint8_t *bytes, size_t n, struct cuzk_tree_shape shape)
{
    struct part parts[PARTS];
    const unsigned count = oct_parts(shape, parts);
    size_t at = sizeof(uint32_t) + (count == 1 ? 2 * CUZK_FR_BYTES : 0);

    if (n < sizeof(uint32_t) || cuzk_load_u32le(bytes) != count - 1)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const size_t level_bytes =
            2 * sizeof(uint64_t) + CUZK_FR_BYTES * (size_t)(parts[i].arity - 1); /* count, siblings, index */

        if (n < at + sizeof(uint64_t))
            return true;
        if (cuzk_load_u64le(bytes + at) != parts[i].levels)
            return false;
        at += sizeof(uint64_t);
        for (unsigned level = 0; level < parts[i].levels; level++, at += level_bytes)
            if (n >= at + sizeof(uint64_t) && cuzk_load_u64le(bytes + at) != parts[i].arity - 1)
                return false;
    }
    return true;
}

/* ---- writing ---- */

enum cuzk_status cuzk_bincode_write_u64(struct cuzk_sink sink, uint64_t value, struct cuzk_error *err)
{
    uint8_t bytes[8];

    cuzk_store_u64le(value, bytes);
    return sink.write(sink.context, bytes, sizeof bytes, err);
}

enum cuzk_status cuzk_bincode_write_element(struct cuzk_sink sink, const struct cuzk_fr *value,
                                            struct cuzk_error *err)
{
    uint8_t bytes[CUZK_FR_BYTES];

    cuzk_fr_to_bytes(value, bytes);
    return sink.write(sink.context, bytes, sizeof bytes, err);
}

static enum cuzk_status write_ends(struct cuzk_sink sink, const struct cuzk_merkle_path *path,
                                   struct cuzk_error *err)
{
    CUZK_TRY(cuzk_bincode_write_element(sink, &path->root, err));
    return cuzk_bincode_write_element(sink, &path->leaf, err);
}

static enum cuzk_status write_proof(struct cuzk_sink sink, const struct part *parts, unsigned count,
                                    const struct cuzk_merkle_path *path, struct cuzk_error *err)
{
    const struct cuzk_fr *sibling = path->siblings;
    uint64_t index = path->index;
    uint8_t tag[4];

    cuzk_store_u32le(count - 1, tag);
    CUZK_TRY(sink.write(sink.context, tag, sizeof tag, err));
    if (count == 1)
        CUZK_TRY(write_ends(sink, path, err));
    for (unsigned i = 0; i < count; i++) {
        CUZK_TRY(cuzk_bincode_write_u64(sink, parts[i].levels, err));
        for (unsigned level = 0; level < parts[i].levels; level++) {
            CUZK_TRY(cuzk_bincode_write_u64(sink, parts[i].arity - 1, err));
            for (unsigned k = 0; k + 1 < parts[i].arity; k++)
                CUZK_TRY(cuzk_bincode_write_element(sink, sibling++, err));
            CUZK_TRY(cuzk_bincode_write_u64(sink, index % parts[i].arity, err));
            index /= parts[i].arity;
        }
    }
    return count == 1 ? CUZK_OK : write_ends(sink, path, err);
}

enum cuzk_status cuzk_bincode_write_oct_proof(struct cuzk_sink sink, struct cuzk_tree_shape shape,
                                              const struct cuzk_merkle_path *path, struct cuzk_error *err)
{
    struct part parts[PARTS];
    const unsigned count = oct_parts(shape, parts);

    return write_proof(sink, parts, count, path, err);
}

enum cuzk_status cuzk_bincode_write_binary_proof(struct cuzk_sink sink, unsigned levels,
                                                 const struct cuzk_merkle_path *path, struct cuzk_error *err)
{
    const struct part part = {levels, 2};

    return write_proof(sink, &part, 1, path, err);
}
