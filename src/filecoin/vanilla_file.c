#include "filecoin/vanilla_file.h"

#include "base/bytes.h"
#include "circuit/porep_assignment.h"
#include "filecoin/bincode.h"
#include "filecoin/post.h"
#include "filecoin/update_proof.h"

/* bytes before the Merkle proofs: of a PoSt sector id, comm_r and two counts, of an update comm_c, the apex
 * leaves and two counts */
enum { POST_SECTORS = 40, POST_PATHS = 48, POST_PROOFS = 56, APEX = 32, APEX_LEAVES = 40 };

static const uint64_t sizes[] = {
    UINT64_C(2) << 10,  UINT64_C(4) << 10,   UINT64_C(16) << 10, UINT64_C(32) << 10, UINT64_C(8) << 20,
    UINT64_C(16) << 20, UINT64_C(512) << 20, UINT64_C(1) << 30,  UINT64_C(32) << 30, UINT64_C(64) << 30};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static bool number_is(const uint8_t *bytes, size_t n, size_t at, uint64_t wanted)
{
    return n >= at + 8 && cuzk_load_u64le(bytes + at) == wanted;
}

static struct cuzk_vanilla_look look_at_post(const uint8_t *bytes, size_t n, bool winning)
{
    struct cuzk_post_config config;

    for (size_t i = 0; i < SIZES; i++)
        if (cuzk_post_config_make(sizes[i], winning, CUZK_API_1_2_0, &config, NULL) == CUZK_OK &&
            number_is(bytes, n, POST_SECTORS, 1) && number_is(bytes, n, POST_PATHS, config.challenges) &&
            cuzk_bincode_oct_proof_begins(bytes + POST_PROOFS, n - POST_PROOFS, config.shape.tree))
            return (struct cuzk_vanilla_look){winning ? CUZK_VANILLA_WINNING : CUZK_VANILLA_WINDOW, sizes[i]};
    return (struct cuzk_vanilla_look){CUZK_VANILLA_NONE, 0};
}

static struct cuzk_vanilla_look look_at_update(const uint8_t *bytes, size_t n)
{
    struct cuzk_update_shape shape;

    for (size_t i = 0; i < SIZES; i++) {
        if (!cuzk_update_shape_of(sizes[i], false, &shape))
            continue;
        const size_t leaves = (size_t)1 << shape.apex_bits,
                     proofs = APEX_LEAVES + CUZK_FR_BYTES * leaves + sizeof(uint64_t);

        if (number_is(bytes, n, APEX, leaves) &&
            number_is(bytes, n, proofs - sizeof(uint64_t), shape.challenges) &&
            cuzk_bincode_oct_proof_begins(bytes + proofs, n - proofs, shape.tree))
            return (struct cuzk_vanilla_look){CUZK_VANILLA_UPDATE, sizes[i]};
    }
    return (struct cuzk_vanilla_look){CUZK_VANILLA_NONE, 0};
}

struct cuzk_vanilla_look cuzk_vanilla_look(const uint8_t *bytes, size_t n)
{
    struct cuzk_vanilla_look look = look_at_post(bytes, n, true);

    if (look.kind == CUZK_VANILLA_NONE)
        look = look_at_post(bytes, n, false);
    return look.kind == CUZK_VANILLA_NONE ? look_at_update(bytes, n) : look;
}
