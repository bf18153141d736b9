/* A store of field elements that grows in pieces and is freed at once; what it hands out never moves. */
#ifndef CUZK_FILECOIN_FR_ARENA_H
#define CUZK_FILECOIN_FR_ARENA_H

#include <stddef.h>

#include "base/error.h"
#include "field/fr.h"

enum { CUZK_FR_ARENA_CHUNK = 4096 }; /* elements */

struct cuzk_fr_arena_chunk;

struct cuzk_fr_arena {
    struct cuzk_fr_arena_chunk *chunks; /* newest first; NULL: empty. Zero-initialise. */
};

/* n elements in a row (n at most CUZK_FR_ARENA_CHUNK). Errors: MEMORY. */
enum cuzk_status cuzk_fr_arena_take(struct cuzk_fr_arena *arena, size_t n, struct cuzk_fr **out,
                                    struct cuzk_error *err);

void cuzk_fr_arena_destroy(struct cuzk_fr_arena *arena);

#endif
