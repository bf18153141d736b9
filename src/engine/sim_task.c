#include "engine/sim_state.h"

/* What each kind of host work does to others. */
static const double host_weight[HOST_KINDS] = {0, 1, 1, 0.5, 0.5};

/* ---- numbers ---- */

static uint64_t next_random(struct sim *sim)
{
    uint64_t *s = sim->random; /* xoshiro256**, Blackman and Vigna */
    const uint64_t x = s[1] * 5, result = (x << 7 | x >> 57) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

void sim_seed_random(struct sim *sim, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;

        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        sim->random[i] = z ^ z >> 31;
    }
}

/* About 1, normally distributed, within 6 deviations: the sum of twelve uniform numbers. */
double sim_jitter(struct sim *sim, double deviation)
{
    double sum = 0;

    if (deviation == 0)
        return 1;
    for (unsigned i = 0; i < 12; i++)
        sum += (double)(next_random(sim) >> 11) * 0x1p-53;
    const double factor = 1 + deviation * (sum - 6);

    return factor > 0.1 ? factor : 0.1;
}

/* ---- tasks ---- */

static bool before(const struct task *a, const struct task *b)
{
    return a->end != b->end ? a->end < b->end : a->order < b->order;
}

static void heap_push(struct heap *heap, struct task task)
{
    size_t i = heap->count++;

    while (i > 0 && before(&task, &heap->tasks[(i - 1) / 2])) {
        heap->tasks[i] = heap->tasks[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->tasks[i] = task;
}

struct task sim_pop_task(struct heap *heap)
{
    const struct task top = heap->tasks[0], last = heap->tasks[--heap->count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && before(&heap->tasks[child + 1], &heap->tasks[child]))
            child++;
        if (!before(&heap->tasks[child], &last))
            break;
        heap->tasks[i] = heap->tasks[child];
        i = child;
    }
    heap->tasks[i] = last;
    return top;
}

enum cuzk_status sim_add_task(struct sim *sim, enum task_class class, double seconds, struct task task)
{
    struct heap *heap = &sim->heaps[class];

    if (heap->count == TASKS_MOST)
        return cuzk_error_set(sim->err, CUZK_INTERNAL, "simulation: more than %d tasks at once", TASKS_MOST);
    task.end = heap->clock + seconds;
    task.order = ++sim->order;
    if (class == CLASS_HOST || class == CLASS_PAGEABLE)
        sim->host[task.kind]++;
    if (class != CLASS_FIXED)
        sim->rates_stale = true;
    heap_push(heap, task);
    return CUZK_OK;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Speeds of the moment (machine.h: slow_*). */
void sim_set_rates(struct sim *sim)
{
    const struct cuzk_machine_model *m = sim->model;
    const double witnesses = (double)sim->heaps[CLASS_WITNESS].count + (double)sim->enforcing;
    const double products = (double)sim->heaps[CLASS_PRODUCT].count;
    const bool throttled =
        sim->knobs.value[CUZK_KNOB_MEMBW_THROTTLE] == CUZK_THROTTLE_ON && sim->host[HOST_MSM] > 0;
    const double load = (witnesses + 0.5 * products) / 10;
    double work = 0;

    for (unsigned kind = 0; kind < HOST_KINDS; kind++)
        work += host_weight[kind] * smaller((double)sim->host[kind], HOST_KIND_MOST);
    const double beyond = work > 1 ? work - 1 : 0;

    sim->slow_synthesis = 1 + m->slow_synthesis_square * load * load + m->slow_synthesis_host * work;
    sim->slow_host =
        1 + m->slow_host_synthesis * load + m->slow_host_square * load * load + m->slow_host_host * beyond;
    const double threads = witnesses > m->processors ? m->processors / witnesses : 1;

    sim->heaps[CLASS_FIXED].rate = 1;
    sim->heaps[CLASS_WITNESS].rate = threads / sim->slow_synthesis;
    sim->heaps[CLASS_PRODUCT].rate = smaller(1, products > 0 ? m->product_streams / products : 1) *
                                     (throttled ? 1 - m->throttle_yield : 1) / sim->slow_synthesis;
    /* a group's length was measured with its own partitions at work: only work for the device slows it */
    sim->heaps[CLASS_ENFORCE].rate = threads / (1 + m->slow_synthesis_host * work);
    sim->heaps[CLASS_HOST].rate = 1 / sim->slow_host;
    sim->heaps[CLASS_PAGEABLE].rate = 1 / (1 + m->pageable_share * (sim->slow_host - 1));
    sim->rates_stale = false;
}
