#include "filecoin/fr_arena.h"

#include "base/mem.h"

struct cuzk_fr_arena_chunk {
    struct cuzk_fr_arena_chunk *next;
    size_t used;
    struct cuzk_fr elements[CUZK_FR_ARENA_CHUNK];
};

enum cuzk_status cuzk_fr_arena_take(struct cuzk_fr_arena *arena, size_t n, struct cuzk_fr **out,
                                    struct cuzk_error *err)
{
    struct cuzk_fr_arena_chunk *chunk = arena->chunks;

    if (chunk == NULL || chunk->used + n > CUZK_FR_ARENA_CHUNK) {
        CUZK_TRY(CUZK_NEW(&chunk, 1, "values of a vanilla proof", err));
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    *out = chunk->elements + chunk->used;
    chunk->used += n;
    return CUZK_OK;
}

void cuzk_fr_arena_destroy(struct cuzk_fr_arena *arena)
{
    while (arena->chunks != NULL) {
        struct cuzk_fr_arena_chunk *next = arena->chunks->next;
        cuzk_mem_free(arena->chunks);
        arena->chunks = next;
    }
}
