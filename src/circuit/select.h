/*
 * Choosing and placing field elements by bits. Source: storage-proofs-core gadgets/{constraint,insertion}.rs,
 * storage-proofs-update gadgets (select).
 */
#ifndef CUZK_CIRCUIT_SELECT_H
#define CUZK_CIRCUIT_SELECT_H

#include "circuit/boolean.h"
#include "circuit/num.h"

/* condition ? a : b. The result is allocated first; (b - a) * condition = b - result. */
struct cuzk_num cuzk_select_pick(struct cuzk_cs *cs, struct cuzk_boolean condition, const struct cuzk_num *a,
                                 const struct cuzk_num *b);

/* Places `element` among arity - 1 siblings at the position that the bits spell (lowest first): out gets
 * arity elements. arity is 2, 4 or 8, with 1, 2 or 3 bits. */
void cuzk_select_insert(struct cuzk_cs *cs, unsigned arity, const struct cuzk_num *element,
                        const struct cuzk_boolean *bits, const struct cuzk_num *siblings,
                        struct cuzk_num *out);

/* elements[index] for an index of `bits` bits, lowest first; elements holds 2^bits and is overwritten. */
struct cuzk_num cuzk_select_element(struct cuzk_cs *cs, struct cuzk_num *elements,
                                    const struct cuzk_boolean *index, unsigned bits);

#endif
