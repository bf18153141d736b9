/* What a bincode vanilla proof is, by its own counts: nothing else says it. */
#ifndef CUZK_FILECOIN_VANILLA_FILE_H
#define CUZK_FILECOIN_VANILLA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cuzk_vanilla_kind { CUZK_VANILLA_NONE, CUZK_VANILLA_WINNING, CUZK_VANILLA_WINDOW, CUZK_VANILLA_UPDATE };

struct cuzk_vanilla_look {
    enum cuzk_vanilla_kind kind; /* NONE: it is no such proof */
    uint64_t sector_size;        /* bytes; of an update the partition is not looked at */
};

/* Reads the counts before the first Merkle proof and the shape of that proof's tree. The rest may be
 * anything; decoding it says. Thread-safe. */
struct cuzk_vanilla_look cuzk_vanilla_look(const uint8_t *bytes, size_t n);

#endif
