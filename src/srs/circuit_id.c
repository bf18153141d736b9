#include "srs/circuit_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "filecoin/seal_proof.h"
#include "hash/sha256.h"

#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)
#define GIB(n) (UINT64_C(n) << 30)

static const struct {
    const char *suffix;
    uint64_t sector_size;
} sizes[] = {
    {"2k", KIB(2)}, {"4k", KIB(4)},     {"16k", KIB(16)}, {"32k", KIB(32)},
    {"8m", MIB(8)}, {"512m", MIB(512)}, {"32g", GIB(32)}, {"64g", GIB(64)},
};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

size_t cuzk_circuit_id_count(void)
{
    return (size_t)CUZK_CIRCUIT_KINDS * SIZES;
}

void cuzk_circuit_id_at(size_t index, struct cuzk_circuit_id *out)
{
    out->kind = (enum cuzk_circuit_kind)(index / SIZES);
    out->sector_size = sizes[index % SIZES].sector_size;
}

enum cuzk_status cuzk_circuit_id_parse(const char *text, struct cuzk_circuit_id *out, struct cuzk_error *err)
{
    char name[CUZK_CIRCUIT_KINDS * CUZK_CIRCUIT_NAME];

    for (size_t i = 0; i < cuzk_circuit_id_count(); i++) {
        cuzk_circuit_id_at(i, out);
        cuzk_circuit_id_format(out, name);
        if (strcmp(name, text) == 0)
            return CUZK_OK;
    }
    size_t length = 0;

    for (unsigned kind = 0; kind < CUZK_CIRCUIT_KINDS; kind++)
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%s-S", kind == 0 ? "" : ", ",
                                   cuzk_circuit_kind_name((enum cuzk_circuit_kind)kind));
    return cuzk_error_set(
        err, CUZK_ARGUMENT,
        "circuit: expected one of %s with S one of 2k, 4k, 16k, 32k, 8m, 512m, 32g, 64g, found '%s'", name,
        text);
}

void cuzk_circuit_id_format(const struct cuzk_circuit_id *id, char text[CUZK_CIRCUIT_NAME])
{
    const char *suffix = "?";

    for (size_t i = 0; i < SIZES; i++)
        if (sizes[i].sector_size == id->sector_size)
            suffix = sizes[i].suffix;
    snprintf(text, CUZK_CIRCUIT_NAME, "%s-%s", cuzk_circuit_kind_name(id->kind), suffix);
}

static enum cuzk_status shape_of(const struct cuzk_circuit_id *id, struct cuzk_porep_shape *shape,
                                 struct cuzk_error *err)
{
    if (!cuzk_porep_shape_of(id->sector_size, shape))
        return cuzk_error_set(err, CUZK_ARGUMENT, "circuit: no circuit for sectors of %" PRIu64 " bytes",
                              id->sector_size);
    return CUZK_OK;
}

/* "merkletree-poseidon_hasher-8-8-0". */
static void tree_name(const struct cuzk_tree_shape *tree, char *text, size_t room)
{
    snprintf(text, room, "merkletree-poseidon_hasher-8-%u-%u", tree->sub_arity, tree->top_arity);
}

static void porep_identifier(const struct cuzk_circuit_id *id, const struct cuzk_porep_shape *shape,
                             char text[512])
{
    char tree[64];

    tree_name(&shape->tree, tree, sizeof tree);
    snprintf(
        text, 512,
        "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: %d base_graph: "
        "drgraph::BucketGraph{size: %" PRIu64 "; degree: %d; hasher: poseidon_hasher} }, challenges: "
        "LayerChallenges { layers: %u, max_count: %u }, tree: %s }",
        CUZK_POREP_EXP_PARENTS, id->sector_size / CUZK_NODE_BYTES, CUZK_POREP_DRG_PARENTS, shape->layers,
        shape->challenges, tree);
}

static void update_identifier(const struct cuzk_circuit_id *id, const struct cuzk_porep_shape *shape,
                              char text[512])
{
    (void)shape;
    snprintf(text, 512, "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }",
             id->sector_size / CUZK_NODE_BYTES);
}

static void post_identifier(const struct cuzk_circuit_id *id, const struct cuzk_porep_shape *shape,
                            char text[512])
{
    struct cuzk_post_shape post = {0};

    (void)shape;
    (void)cuzk_post_shape_of(id->sector_size, id->kind == CUZK_CIRCUIT_WINNING, &post);
    snprintf(text, 512,
             "FallbackPoSt::PublicParams{sector_size: %" PRIu64 ", challenge_count: %u, sector_count: %u}",
             id->sector_size, post.challenges, post.sectors);
}

/* How a kind's parameters are named: what is hashed, and what the tree's name stands between. */
static const struct {
    void (*identifier)(const struct cuzk_circuit_id *id, const struct cuzk_porep_shape *shape,
                       char text[512]);
    const char *before, *after;
} namings[CUZK_CIRCUIT_KINDS] = {
    [CUZK_CIRCUIT_POREP] = {porep_identifier, "stacked-proof-of-replication", "-sha256_hasher"},
    [CUZK_CIRCUIT_WINNING] = {post_identifier, "proof-of-spacetime-fallback", ""},
    [CUZK_CIRCUIT_WPOST] = {post_identifier, "proof-of-spacetime-fallback", ""},
    [CUZK_CIRCUIT_SNAP] = {update_identifier, "empty-sector-update", ""},
    [CUZK_CIRCUIT_SNAPP] = {update_identifier, "empty-sector-update-poseidon", ""},
};

enum cuzk_status cuzk_circuit_id_identifier(const struct cuzk_circuit_id *id, char text[512],
                                            struct cuzk_error *err)
{
    struct cuzk_porep_shape shape;

    CUZK_TRY(shape_of(id, &shape, err));
    namings[id->kind].identifier(id, &shape, text);
    return CUZK_OK;
}

enum cuzk_status cuzk_circuit_id_parameter_name(const struct cuzk_circuit_id *id,
                                                char text[CUZK_PARAMETER_NAME], struct cuzk_error *err)
{
    struct cuzk_porep_shape shape;
    uint8_t digest[CUZK_SHA256_BYTES];
    char identifier[512], tree[64], hex[2 * CUZK_SHA256_BYTES + 1];

    CUZK_TRY(shape_of(id, &shape, err));
    CUZK_TRY(cuzk_circuit_id_identifier(id, identifier, err));
    cuzk_sha256_digest(identifier, strlen(identifier), digest);
    cuzk_hex_encode(digest, sizeof digest, hex);
    tree_name(&shape.tree, tree, sizeof tree);
    snprintf(text, CUZK_PARAMETER_NAME, "v28-%s-%s%s-%s", namings[id->kind].before, tree,
             namings[id->kind].after, hex);
    return CUZK_OK;
}

/* From the public manifest of trusted parameters, version 28. */
static const struct {
    struct cuzk_circuit_id id;
    struct cuzk_published published;
} manifest[] = {
    {{CUZK_CIRCUIT_POREP, KIB(2)},
     {"QmWceMgnWYLopMuM4AoGMvGEau7tNe5UK83XFjH5V9B17h", "434fb1338ecfaf0f59256f30dde4968f"}},
    {{CUZK_CIRCUIT_POREP, MIB(8)},
     {"QmPXAPPuQtuQz7Zz3MHMAMEtsYwqM1o9H1csPLeiMUQwZH", "09e612e4eeb7a0eb95679a88404f960c"}},
    {{CUZK_CIRCUIT_POREP, MIB(512)},
     {"QmYBpTt7LWNAWr1JXThV5VxX7wsQFLd1PHrGYVbrU1EZjC", "6c77597eb91ab936c1cef4cf19eba1b3"}},
    {{CUZK_CIRCUIT_POREP, GIB(32)},
     {"QmengpM684XLQfG8754ToonszgEg2bQeAGUan5uXTHUQzJ", "6a388072a518cf46ebd661f5cc46900a"}},
    {{CUZK_CIRCUIT_POREP, GIB(64)},
     {"QmS7ye6Ri2MfFzCkcUJ7FQ6zxDKuJ6J6B8k5PN7wzSR9sX", "1801f8a6e1b00bceb00cc27314bb5ce3"}},
    {{CUZK_CIRCUIT_WINNING, KIB(2)},
     {"QmcSTqDcFVLGGVYz1njhUZ7B6fkKtBumsLUwx4nkh22TzS", "82c88066be968bb550a05e30ff6c2413"}},
    {{CUZK_CIRCUIT_WINNING, MIB(8)},
     {"QmU9SBzJNrcjRFDiFc4GcApqdApN6z9X7MpUr66mJ2kAJP", "700171ecf7334e3199437c930676af82"}},
    {{CUZK_CIRCUIT_WINNING, MIB(512)},
     {"QmVgCsJFRXKLuuUhT3aMYwKVGNA9rDeR6DCrs7cAe8riBT", "827359440349fe8f5a016e7598993b79"}},
    {{CUZK_CIRCUIT_WINNING, GIB(32)},
     {"Qmdtczp7p4wrbDofmHdGhiixn9irAcN77mV9AEHZBaTt1i", "d84f79a16fe40e9e25a36e2107bb1ba0"}},
    {{CUZK_CIRCUIT_WINNING, GIB(64)},
     {"QmVkrXc1SLcpgcudK5J25HH93QvR9tNsVhVTYHm5UymXAz", "2170a91ad5bae22ea61f2ea766630322"}},
    {{CUZK_CIRCUIT_WPOST, KIB(2)},
     {"QmVxjFRyhmyQaZEtCh7nk2abc7LhFkzhnRX4rcHqCCpikR", "7610b9f82bfc88405b7a832b651ce2f6"}},
    {{CUZK_CIRCUIT_WPOST, MIB(8)},
     {"QmdNEL2RtqL52GQNuj8uz6mVj5Z34NVnbaJ1yMyh1oXtBx", "c49499bb76a0762884896f9683403f55"}},
    {{CUZK_CIRCUIT_WPOST, MIB(512)},
     {"QmUiRx71uxfmUE8V3H9sWAsAXoM88KR4eo1ByvvcFNeTLR", "1a7d4a9c8a502a497ed92a54366af33f"}},
    {{CUZK_CIRCUIT_WPOST, GIB(32)},
     {"QmaUmfcJt6pozn8ndq1JVBzLRjRJdHMTPd4foa8iw5sjBZ", "2cf49eb26f1fee94c85781a390ddb4c8"}},
    {{CUZK_CIRCUIT_WPOST, GIB(64)},
     {"QmeAN4vuANhXsF8xP2Lx5j2L6yMSdogLzpcvqCJThRGK1V", "3810b7780ac0e299b22ae70f1f94c9bc"}},
    {{CUZK_CIRCUIT_SNAP, KIB(2)},
     {"QmYM6Hg7mjmvA3ZHTsqkss1fkdyDju5dDmLiBZGJ5pz9y9", "311f92a3e75036ced01b1c0025f1fa0c"}},
    {{CUZK_CIRCUIT_SNAP, MIB(8)},
     {"QmQiT4qBGodrVNEgVTDXxBNDdPbaD8Ag7Sx3ZTq1zHX79S", "5aedd2cf3e5c0a15623d56a1b43110ad"}},
    {{CUZK_CIRCUIT_SNAP, MIB(512)},
     {"Qma5WL6abSqYg9uUQAZ3EHS286bsNsha7oAGsJBD48Bq2q", "c3ad7bb549470b82ad52ed070aebb4f4"}},
    {{CUZK_CIRCUIT_SNAP, GIB(32)},
     {"QmNPc75iEfcahCwNKdqnWLtxnjspUGGR4iscjiz3wP3RtS", "1b3cfd761a961543f9eb273e435a06a2"}},
    {{CUZK_CIRCUIT_SNAP, GIB(64)},
     {"QmUB6xTVjzBQGuDNeyJMrrJ1byk58vhPm8eY2Lv9pgwanp", "1a392e7b759fb18e036c7559b5ece816"}},
    {{CUZK_CIRCUIT_SNAPP, GIB(32)},
     {"QmfK4tonETepL6F4kDFdJ3fr72fzRWoRPf3XGMhV3RLX1S", "b69983b5d7a97a20f43b3d5ff2a4ed04"}},
    {{CUZK_CIRCUIT_SNAPP, GIB(64)},
     {"QmNaaQXfm2NveN2Hf7bJ3udnQB2Qa4moMcUoJYJS6oWL6w", "a6d4f96e2b641a6d7a1a8e6dc1155c8a"}},
};

const struct cuzk_published *cuzk_circuit_id_published(const struct cuzk_circuit_id *id)
{
    for (size_t i = 0; i < sizeof manifest / sizeof manifest[0]; i++)
        if (manifest[i].id.kind == id->kind && manifest[i].id.sector_size == id->sector_size)
            return &manifest[i].published;
    return NULL;
}
