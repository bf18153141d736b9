/*
 * The pipeline's knobs: one table says what each is called, which values it takes, what it does and where it
 * means nothing; named presets set all of them as the phases of the engine's history did.
 *
 * A setting is a whole number per knob: an index into the row's choices, or the number itself. Nothing here
 * allocates; everything is thread-safe.
 */
#ifndef CUZK_ENGINE_KNOBS_H
#define CUZK_ENGINE_KNOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum cuzk_knob {
    CUZK_KNOB_SRS,
    CUZK_KNOB_OVERLAP,
    CUZK_KNOB_CHANNEL_CAPACITY, /* 0: as many as partition workers */
    CUZK_KNOB_SYNTHESIS_CONCURRENCY,
    CUZK_KNOB_BATCH_MAX,
    CUZK_KNOB_BATCH_WAIT, /* milliseconds */
    CUZK_KNOB_SYNTHESIS,
    CUZK_KNOB_PARTITION_WORKERS, /* 0: computed from the host budget */
    CUZK_KNOB_WORKERS_PER_DEVICE,
    CUZK_KNOB_STAGING,
    CUZK_KNOB_MSM_SYNC,
    CUZK_KNOB_DEVICE_LOCK,
    CUZK_KNOB_DEALLOC,
    CUZK_KNOB_DEVICE_THREADS, /* 0: every processor */
    CUZK_KNOB_MEMBW_THROTTLE,
    CUZK_KNOB_FINALIZE,
    CUZK_KNOB_BACKPRESSURE,
    CUZK_KNOBS,
};

/* Indices into the choices of the rows, in their order. */
enum cuzk_knob_srs { CUZK_SRS_PER_PROOF, CUZK_SRS_RESIDENT_PINNED, CUZK_SRS_RESIDENT_DEVICE };
enum cuzk_knob_overlap {
    CUZK_OVERLAP_NONE,      /* one proof at a time, synthesis then device */
    CUZK_OVERLAP_PROOF,     /* synthesis of the next proof under the device work of this one */
    CUZK_OVERLAP_PARTITION, /* partitions of one proof follow each other; proofs do not overlap */
    CUZK_OVERLAP_SECTORS,   /* partitions of all proofs share the workers */
};
enum cuzk_knob_synthesis {
    CUZK_SYNTHESIS_ENFORCE,
    CUZK_SYNTHESIS_PCE_CPU,
    CUZK_SYNTHESIS_COMPACT_DEVICE,
};
enum cuzk_knob_staging { CUZK_STAGING_PAGEABLE, CUZK_STAGING_PINNED, CUZK_STAGING_DEVICE_RESIDENT };
enum cuzk_knob_msm_sync { CUZK_MSM_SYNC_IMMEDIATE, CUZK_MSM_SYNC_DEFERRED };
enum cuzk_knob_device_lock { CUZK_DEVICE_LOCK_SINGLE, CUZK_DEVICE_LOCK_SPLIT };
enum cuzk_knob_dealloc { CUZK_DEALLOC_INLINE, CUZK_DEALLOC_UNBOUNDED, CUZK_DEALLOC_BOUNDED };
enum cuzk_knob_throttle { CUZK_THROTTLE_OFF, CUZK_THROTTLE_ON };
enum cuzk_knob_finalize { CUZK_FINALIZE_INLINE, CUZK_FINALIZE_ASYNC };
enum cuzk_knob_backpressure { CUZK_BACKPRESSURE_UNTIL_SYNTH, CUZK_BACKPRESSURE_THROUGH_SEND };

struct cuzk_knob_row {
    const char *name;
    const char *choices; /* "single|split", or NULL for a number */
    uint32_t min, max;   /* of a number */
    const char *zero;    /* what the number 0 is written as ("auto"), or NULL where 0 is only a number */
    const char *meaning; /* one sentence */
    const char *since;   /* the phase that first set it */
};

struct cuzk_knobs {
    uint32_t value[CUZK_KNOBS];
};

/* What a setting is checked against; bytes. Zero in host_budget, devices or device_memory: not known, not
 * checked. */
struct cuzk_knob_machine {
    uint32_t processors;
    uint32_t devices;
    uint64_t host_budget;      /* what the engine may use */
    uint64_t host_base;        /* keys and recorded matrices that stay */
    uint64_t partition_peak;   /* most that one partition holds while it is synthesised */
    uint64_t partition_held;   /* what it holds from then until it is released */
    uint64_t device_memory;    /* of the smallest device */
    uint64_t device_base;      /* resident there */
    uint64_t device_partition; /* buffers of one partition */
};

const struct cuzk_knob_row *cuzk_knob_row(enum cuzk_knob knob);

/* How many values a knob has that are words; 0: they are numbers. */
uint32_t cuzk_knob_choices(enum cuzk_knob knob);

/* Presets in order: "phase-0" ... "phase-12", "auto". NULL past the end. */
const char *cuzk_knobs_preset_name(size_t index);

/* Sets all knobs. Errors: ARGUMENT, listing the presets. */
enum cuzk_status cuzk_knobs_preset(const char *name, struct cuzk_knobs *out, struct cuzk_error *err);

/* Applies "knob=value". Errors: ARGUMENT, listing the knobs, or the values that this one takes. */
enum cuzk_status cuzk_knobs_set(struct cuzk_knobs *knobs, const char *assignment, struct cuzk_error *err);

/* A value as text; room of 32 is enough. */
void cuzk_knob_format(enum cuzk_knob knob, uint32_t value, char *text, size_t room);

/* Why a knob means nothing on a backend ("cpu", "cuda", "null", "model"); NULL where it means something. An
 * unknown backend is taken for one where everything has a meaning. */
const char *cuzk_knob_meaningless(enum cuzk_knob knob, const char *backend);

/* The value that a backend takes a value for, and why; NULL (*as is the value itself) where it is something
 * of its own there. */
const char *cuzk_knob_taken_for(enum cuzk_knob knob, uint32_t value, const char *backend, uint32_t *as);

/* Whether a backend cannot tell two settings apart. */
bool cuzk_knobs_are_same(const struct cuzk_knobs *one, const struct cuzk_knobs *other, const char *backend);

/* Of so many threads (0: every processor) those that may work for a device. */
unsigned cuzk_knobs_device_threads(const struct cuzk_knobs *knobs, unsigned threads);

/* Slots that a device is made with: twice its workers, since a unit that is being finished keeps its slot
 * while the next one is at work (finalize = async). */
unsigned cuzk_knobs_device_slots(const struct cuzk_knobs *knobs);

/* Puts numbers in place of the zeros that stand for "computed", and checks what the machine cannot do.
 * Errors: ARGUMENT (values that contradict each other), MEMORY (the budget does not hold one partition, or
 * the devices do not hold two under a split lock): with the sum in the message. */
enum cuzk_status cuzk_knobs_resolve(struct cuzk_knobs *knobs, const struct cuzk_knob_machine *machine,
                                    struct cuzk_error *err);

#endif
