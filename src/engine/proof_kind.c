#include "engine/proof_kind.h"

#include "engine/porep_case.h"
#include "engine/post_case.h"
#include "engine/update_case.h"
#include "filecoin/seal_proof.h"

enum { SIZES = CUZK_REGISTERED_SIZES };

/* Kinds that cannot be proved have no name. */
static const struct cuzk_proof_kind_row rows[CUZK_PROOF_KINDS] = {
    [CUZK_PROOF_KIND_POREP] = {CUZK_PROOF_KIND_POREP, "porep-c2", CUZK_PRIORITY_NORMAL, true, 0,
                               CUZK_SEAL_PROOFS, cuzk_porep_look, cuzk_porep_open},
    [CUZK_PROOF_KIND_WINDOW_POST] = {CUZK_PROOF_KIND_WINDOW_POST, "window-post", CUZK_PRIORITY_HIGH, false,
                                     SIZES, CUZK_POST_PROOFS, cuzk_window_look, cuzk_window_open},
    [CUZK_PROOF_KIND_WINNING_POST] = {CUZK_PROOF_KIND_WINNING_POST, "winning-post", CUZK_PRIORITY_CRITICAL,
                                      false, 0, SIZES, cuzk_winning_look, cuzk_winning_open},
    [CUZK_PROOF_KIND_SNAP] = {CUZK_PROOF_KIND_SNAP, "snap-update", CUZK_PRIORITY_NORMAL, false, 0, SIZES,
                              cuzk_update_look, cuzk_update_open},
};

const struct cuzk_proof_kind_row *cuzk_proof_kind_row(enum cuzk_proof_kind kind)
{
    if ((unsigned)kind >= CUZK_PROOF_KINDS || rows[kind].name == NULL)
        return NULL;
    return &rows[kind];
}

void cuzk_case_close(struct cuzk_case *that)
{
    if (that != NULL)
        that->ops->close(that);
}

enum cuzk_status cuzk_case_compare_inputs(const struct cuzk_case *that, unsigned partition,
                                          const struct cuzk_witness *witness, struct cuzk_pool *pool,
                                          struct cuzk_error *err)
{
    const struct cuzk_fr *expected = that->ops->inputs(that, partition);
    unsigned i = 0;

    while (i < that->inputs && cuzk_fr_equal(&expected[i], &witness->inputs[i + 1]))
        i++;
    if (i == that->inputs)
        return CUZK_OK;
    const enum cuzk_status status = that->ops->check(that, pool, err);

    if (status != CUZK_OK)
        return status;
    return cuzk_error_set(err, CUZK_INVALID,
                          "partition %u: public input %u of the vanilla proof is not the one that a verifier "
                          "derives",
                          partition, i);
}
