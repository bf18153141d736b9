#include "engine/memory_growth.h"

#include <malloc.h>

#include "base/mem.h"

static size_t heap_now(void)
{
    const struct mallinfo2 facts = mallinfo2();

    return facts.uordblks + facts.hblkhd;
}

static void look(struct memory_growth *growth)
{
    const size_t now = heap_now(); /* walks what is free */

    if (now > growth->heap_most)
        growth->heap_most = now;
}

/* Under the event log's lock. */
static void on_event(void *context, const struct cuzk_engine_event *event)
{
    if (event->type == CUZK_EVENT_TYPE_STAGE)
        look(context);
}

void memory_growth_begin(struct memory_growth *growth, struct cuzk_engine *engine)
{
    const size_t below = cuzk_mem_peak() - cuzk_mem_in_use();

    growth->ballast = NULL;
    (void)cuzk_mem_alloc(1, below, "ballast", &growth->ballast, NULL);
    growth->held = cuzk_mem_in_use();
    growth->heap = growth->heap_most = heap_now();
    cuzk_event_log_listen(cuzk_engine_events(engine), on_event, growth);
}

void memory_growth_end(struct memory_growth *growth, struct cuzk_engine *engine, size_t *accounted,
                       size_t *heap)
{
    cuzk_event_log_listen(cuzk_engine_events(engine), NULL, NULL);
    look(growth);
    *accounted = cuzk_mem_peak() - growth->held;
    *heap = growth->heap_most - growth->heap;
    cuzk_mem_free(growth->ballast);
    growth->ballast = NULL;
}
