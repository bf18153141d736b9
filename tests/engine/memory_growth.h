/*
 * How much memory a piece of work takes at most beyond what was held when it began: through base/mem.h to the
 * byte, and of the whole heap (libraries included) wherever it was looked at. One at a time.
 */
#ifndef CUZK_TESTS_ENGINE_MEMORY_GROWTH_H
#define CUZK_TESTS_ENGINE_MEMORY_GROWTH_H

#include <stddef.h>

#include "engine/engine.h"

struct memory_growth {
    void *ballast; /* lifts what is held to the peak so far, so that whatever is more shows */
    size_t held, heap, heap_most;
};

void memory_growth_begin(struct memory_growth *growth, struct cuzk_engine *engine);
/* The heap was looked at after each stage, and now. */
void memory_growth_end(struct memory_growth *growth, struct cuzk_engine *engine, size_t *accounted,
                       size_t *heap);

#endif
