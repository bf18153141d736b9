#include "filecoin/claims.h"

#include "filecoin/label.h"

enum cuzk_status cuzk_c1_fill_claims(struct cuzk_c1 *c1, const struct cuzk_porep_challenge *challenge,
                                     struct cuzk_c1_claims *claims, struct cuzk_error *err)
{
    claims->column_node = challenge->node;
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++)
        claims->parent_node[i] = challenge->parents[i].path.index;
    for (unsigned layer = 1; layer <= c1->shape.layers; layer++) {
        struct cuzk_c1_labeling *labeling = &claims->labeling[layer - 1];
        const unsigned count = cuzk_label_parents(layer);
        struct cuzk_fr *list;

        CUZK_TRY(cuzk_fr_arena_take(&c1->values, CUZK_POREP_LABEL_PARENTS, &list, err));
        for (unsigned i = 0; i < CUZK_POREP_LABEL_PARENTS; i++) {
            const unsigned parent = i % count;
            list[i] =
                challenge->parents[parent].labels[parent < CUZK_POREP_DRG_PARENTS ? layer - 1 : layer - 2];
        }
        labeling->parents = list;
        labeling->layer = layer;
        labeling->node = challenge->node;
    }
    claims->encoding = claims->labeling[c1->shape.layers - 1];
    return CUZK_OK;
}
