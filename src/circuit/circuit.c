#include "circuit/circuit.h"

#include <string.h>

#include "base/mem.h"
#include "circuit/porep.h"
#include "circuit/post.h"
#include "circuit/update.h"
#include "r1cs/bitmap.h"

/* What a kind of circuit is made of. `head` fills head_size bytes for the parts to read; assignment NULL:
 * blank values. */
struct row {
    const char *name;
    const char *outer; /* a namespace around the whole circuit, or NULL */
    size_t head_size;
    bool (*shape)(struct cuzk_circuit *circuit); /* from circuit->id; false: no such circuit */
    void (*head)(struct cuzk_cs *cs, const struct cuzk_circuit *circuit, const void *assignment, void *head);
    /* parts first to first + n - 1, each in a builder of its own; n is at most `lanes` */
    void (*parts)(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_circuit *circuit,
                  const void *assignment, const void *head, unsigned first);
    unsigned lanes; /* how many parts a witness makes side by side */
    /* circuit.h; NULL: no part has any */
    struct cuzk_circuit_window (*window)(const struct cuzk_circuit *circuit, const void *head,
                                         unsigned index);
};

/* ---- PoRep: a part is a challenge ---- */

static bool porep_shape(struct cuzk_circuit *circuit)
{
    if (!cuzk_porep_shape_of(circuit->id.sector_size, &circuit->shape.porep))
        return false;
    circuit->parts = circuit->shape.porep.challenges;
    return true;
}

static void porep_head(struct cuzk_cs *cs, const struct cuzk_circuit *circuit, const void *assignment,
                       void *head)
{
    (void)circuit;
    cuzk_porep_synthesise_head(cs, assignment, head);
}

static void porep_parts(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_circuit *circuit,
                        const void *assignment, const void *head, unsigned first)
{
    for (unsigned k = 0; k < n; k++)
        cuzk_porep_synthesise_challenge(cs[k], &circuit->shape.porep, assignment, head, first + k);
}

/* ---- empty sector update: a part is a challenge ---- */

static bool update_shape(struct cuzk_circuit *circuit)
{
    if (!cuzk_update_shape_of(circuit->id.sector_size, circuit->id.kind == CUZK_CIRCUIT_SNAPP,
                              &circuit->shape.update))
        return false;
    circuit->parts = circuit->shape.update.challenges;
    return true;
}

static void update_head(struct cuzk_cs *cs, const struct cuzk_circuit *circuit, const void *assignment,
                        void *head)
{
    cuzk_update_synthesise_head(cs, &circuit->shape.update, assignment, head);
}

static void update_parts(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_circuit *circuit,
                         const void *assignment, const void *head, unsigned first)
{
    for (unsigned k = 0; k < n; k++)
        cuzk_update_synthesise_challenge(cs[k], &circuit->shape.update, assignment, head, first + k);
}

static struct cuzk_circuit_window update_window(const struct cuzk_circuit *circuit, const void *head,
                                                unsigned index)
{
    const unsigned count = cuzk_update_random_bits(&circuit->shape.update);

    return (struct cuzk_circuit_window){cuzk_update_challenge_bits(&circuit->shape.update, head, index),
                                        count};
}

/* ---- PoSt: a part is a sector ---- */

static bool post_shape(struct cuzk_circuit *circuit)
{
    if (!cuzk_post_shape_of(circuit->id.sector_size, circuit->id.kind == CUZK_CIRCUIT_WINNING,
                            &circuit->shape.post))
        return false;
    circuit->parts = circuit->shape.post.sectors;
    return true;
}

static void post_head(struct cuzk_cs *cs, const struct cuzk_circuit *circuit, const void *assignment,
                      void *head)
{
    (void)cs;
    (void)circuit;
    (void)assignment;
    (void)head;
}

static void post_parts(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_circuit *circuit,
                       const void *assignment, const void *head, unsigned first)
{
    (void)head;
    cuzk_post_synthesise_sectors(cs, n, &circuit->shape.post, assignment, first);
}

/* ---- the table ---- */

static const struct row rows[CUZK_CIRCUIT_KINDS] = {
    [CUZK_CIRCUIT_POREP] = {"porep", NULL, sizeof(struct cuzk_porep_head), porep_shape, porep_head,
                            porep_parts, 1, NULL},
    [CUZK_CIRCUIT_WINNING] = {"winning", "outer namespace", 0, post_shape, post_head, post_parts,
                              CUZK_CS_LANES, NULL},
    [CUZK_CIRCUIT_WPOST] = {"wpost", "outer namespace", 0, post_shape, post_head, post_parts, CUZK_CS_LANES,
                            NULL},
    [CUZK_CIRCUIT_SNAP] = {"snap", NULL, sizeof(struct cuzk_update_head), update_shape, update_head,
                           update_parts, 1, update_window},
    [CUZK_CIRCUIT_SNAPP] = {"snapp", NULL, sizeof(struct cuzk_update_head), update_shape, update_head,
                            update_parts, 1, update_window},
};

const char *cuzk_circuit_kind_name(enum cuzk_circuit_kind kind)
{
    return rows[kind].name;
}

static struct cuzk_cs_counts sum(const struct cuzk_cs_counts *a, const struct cuzk_cs_counts *b, uint32_t n)
{
    return (struct cuzk_cs_counts){
        .inputs = a->inputs + n * b->inputs, .aux = a->aux + n * b->aux, .bits = a->bits + n * b->bits};
}

static struct cuzk_cs_counts at_part(const struct cuzk_circuit *circuit, unsigned index)
{
    return sum(&circuit->head, &circuit->part, index);
}

static enum cuzk_status new_head(const struct cuzk_circuit *circuit, void **head, struct cuzk_error *err)
{
    return cuzk_mem_alloc(1, rows[circuit->id.kind].head_size, "head of a circuit", head, err);
}

/* Head and first part in a dry run: their sizes, and the layout if it is kept. */
static enum cuzk_status dry_run(struct cuzk_circuit *circuit, struct cuzk_cs *cs, bool keep_layout,
                                struct cuzk_error *err)
{
    const struct row *row = &rows[circuit->id.kind];
    void *head;

    cuzk_cs_witness(cs, NULL, (struct cuzk_cs_counts){.inputs = 1});
    cs->keep_layout = keep_layout;
    CUZK_TRY(new_head(circuit, &head, err));
    row->head(cs, circuit, NULL, head);
    circuit->head = cs->at;
    row->parts(&cs, 1, circuit, NULL, head, 0);
    cuzk_mem_free(head);
    circuit->part = (struct cuzk_cs_counts){.inputs = cs->at.inputs - circuit->head.inputs,
                                            .aux = cs->at.aux - circuit->head.aux,
                                            .bits = cs->at.bits - circuit->head.bits};
    circuit->total = at_part(circuit, circuit->parts);
    return cuzk_cs_finish(cs, err);
}

enum cuzk_status cuzk_circuit_open(const struct cuzk_circuit_id *id, struct cuzk_circuit *out,
                                   struct cuzk_error *err)
{
    struct cuzk_cs cs = {0};

    *out = (struct cuzk_circuit){.id = *id};
    if ((unsigned)id->kind >= CUZK_CIRCUIT_KINDS || !rows[id->kind].shape(out))
        return cuzk_error_set(err, CUZK_ARGUMENT, "circuit: there is none for sectors of %llu bytes",
                              (unsigned long long)id->sector_size);
    const enum cuzk_status status = dry_run(out, &cs, false, err);

    cuzk_cs_destroy(&cs);
    return status;
}

void cuzk_circuit_synthesise(const struct cuzk_circuit *circuit, struct cuzk_cs *cs, const void *assignment)
{
    const struct row *row = &rows[circuit->id.kind];
    struct cuzk_error err;
    void *head;

    if (new_head(circuit, &head, &err) != CUZK_OK) {
        cuzk_cs_fail(cs, err.status, "%s", err.message);
        return;
    }
    if (row->outer != NULL)
        cuzk_cs_enter(cs, row->outer);
    row->head(cs, circuit, assignment, head);
    for (unsigned i = 0; i < circuit->parts && !cuzk_cs_stops(cs); i++)
        row->parts(&cs, 1, circuit, assignment, head, i);
    if (row->outer != NULL)
        cuzk_cs_leave(cs);
    cuzk_mem_free(head);
}

enum cuzk_status cuzk_circuit_check(const struct cuzk_circuit *circuit,
                                    const struct cuzk_witness_layout *layout,
                                    const struct cuzk_witness *witness, const struct cuzk_progress *progress,
                                    struct cuzk_error *err)
{
    struct cuzk_cs cs;

    cuzk_cs_check(&cs, layout, witness, NULL);
    cs.progress = progress;
    cuzk_circuit_synthesise(circuit, &cs, NULL);
    const enum cuzk_status status = cuzk_cs_finish(&cs, err);

    cuzk_cs_destroy(&cs);
    return status;
}

/* ---- piece by piece ---- */

struct cuzk_circuit_head {
    max_align_t first; /* of the kind's own head_size bytes */
};

enum cuzk_status cuzk_circuit_record_head(const struct cuzk_circuit *circuit, struct cuzk_cs *cs,
                                          struct cuzk_circuit_head **out, struct cuzk_error *err)
{
    void *head;

    *out = NULL;
    CUZK_TRY(new_head(circuit, &head, err));
    *out = head;
    rows[circuit->id.kind].head(cs, circuit, NULL, head);
    return CUZK_OK;
}

void cuzk_circuit_head_destroy(struct cuzk_circuit_head *head)
{
    cuzk_mem_free(head);
}

void cuzk_circuit_record_part(const struct cuzk_circuit *circuit, struct cuzk_cs *cs,
                              const struct cuzk_circuit_head *head, unsigned index)
{
    rows[circuit->id.kind].parts(&cs, 1, circuit, NULL, head, index);
}

struct cuzk_circuit_window cuzk_circuit_window_of(const struct cuzk_circuit *circuit,
                                                  const struct cuzk_circuit_head *head, unsigned index)
{
    if (rows[circuit->id.kind].window == NULL)
        return (struct cuzk_circuit_window){0};
    return rows[circuit->id.kind].window(circuit, head, index);
}

/* ---- the layout: the parts' bitmaps are one, repeated ---- */

enum cuzk_status cuzk_circuit_layout(const struct cuzk_circuit *circuit, struct cuzk_witness_layout *out,
                                     struct cuzk_error *err)
{
    struct cuzk_circuit begin = *circuit;
    struct cuzk_witness_layout first = {0};
    enum cuzk_status status;
    uint64_t *map = NULL;
    struct cuzk_cs cs = {0};

    memset(out, 0, sizeof *out);
    CUZK_TRY_OUT(dry_run(&begin, &cs, true, err));
    CUZK_TRY_OUT(cuzk_cs_layout(&cs, &first, err));
    CUZK_TRY_OUT(CUZK_NEW(&map, (size_t)circuit->total.aux / 64 + 1, "layout", err));
    cuzk_bitmap_join(first.is_bit, 0, map, 0, circuit->head.aux);
    for (unsigned i = 0; i < circuit->parts; i++)
        cuzk_bitmap_join(first.is_bit, circuit->head.aux, map, at_part(circuit, i).aux, circuit->part.aux);
    CUZK_TRY_OUT(cuzk_witness_layout_create(circuit->total.inputs, circuit->total.aux, map, out, err));
out:
    cuzk_cs_destroy(&cs);
    cuzk_witness_layout_destroy(&first);
    cuzk_mem_free(map);
    return status;
}

/* ---- the witness in parallel ---- */

struct job {
    const struct cuzk_circuit *circuit;
    const void *assignment;
    const struct cuzk_progress *progress;
    const struct cuzk_witness *witness;
    const void *head;
    unsigned lanes; /* parts that are walked together */
};

static enum cuzk_status witness_group(void *context, size_t index, struct cuzk_error *err)
{
    const struct job *job = context;
    const unsigned first = (unsigned)index * job->lanes, left = job->circuit->parts - first;
    const unsigned n = left < job->lanes ? left : job->lanes;
    struct cuzk_cs cs[CUZK_CS_LANES], *places[CUZK_CS_LANES];
    enum cuzk_status status = CUZK_OK;

    CUZK_TRY(cuzk_progress_check(job->progress, err));
    for (unsigned k = 0; k < n; k++) {
        cuzk_cs_witness(&cs[k], job->witness, at_part(job->circuit, first + k));
        cs[k].progress = job->progress;
        places[k] = &cs[k];
    }
    rows[job->circuit->id.kind].parts(places, n, job->circuit, job->assignment, job->head, first);
    for (unsigned k = 0; k < n; k++) {
        if (status == CUZK_OK) {
            status = cuzk_cs_finish(&cs[k], err);
            if (status != CUZK_OK)
                (void)cuzk_error_prefix(err, status, "witness of part %u", first + k);
        }
        cuzk_cs_destroy(&cs[k]);
    }
    return status;
}

enum cuzk_status cuzk_circuit_witness(const struct cuzk_circuit *circuit, const void *assignment,
                                      struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                      const struct cuzk_witness *witness, struct cuzk_error *err)
{
    const unsigned lanes = rows[circuit->id.kind].lanes, groups = (circuit->parts + lanes - 1) / lanes;
    enum cuzk_status status;
    void *head = NULL;
    struct cuzk_cs cs;

    cuzk_cs_witness(&cs, witness, (struct cuzk_cs_counts){.inputs = 1});
    cs.progress = progress;
    CUZK_TRY_OUT(new_head(circuit, &head, err));
    rows[circuit->id.kind].head(&cs, circuit, assignment, head);
    CUZK_TRY_OUT(cuzk_cs_finish(&cs, err));
    struct job job = {circuit, assignment, progress, witness, head, lanes};
    status = cuzk_pool_try(pool, groups, witness_group, &job, NULL, err);
out:
    cuzk_cs_destroy(&cs);
    cuzk_mem_free(head);
    return status;
}
