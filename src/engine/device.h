/*
 * A device of the engine: keeps keys resident and runs the stages of units, in this process, in a child
 * process of its own, or not at all (the null device: fixed stage times, for tests and benchmarks).
 *
 * Each call blocks until its work is done. Slots may be used at the same time by different threads; one slot
 * serves one thread, but for `abandon`. facts, need, load and unload may be called by any thread at any time.
 * After DEVICE_LOST every call but `need` and `facts` answers DEVICE_LOST until `restart` succeeded; units in
 * flight are gone then, so are keys.
 */
#ifndef CUZK_ENGINE_DEVICE_H
#define CUZK_ENGINE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/error.h"
#include "base/progress.h"
#include "engine/sched.h"
#include "engine/shared_witness.h"
#include "groth16/proof.h"
#include "srs/circuit_id.h"

struct cuzk_device;

/* What a device says of itself. */
struct cuzk_device_facts {
    char backend[16]; /* "cpu", "cuda", "null" */
    char name[256];
    char id[64];                                     /* its UUID, "cpu", "null" */
    uint64_t memory_total, memory_free, memory_peak; /* bytes; 0 where the device works in host memory */
    int64_t process;                                 /* of the child; 0: this process */
};

/* What the lanes of a device are called before its number: "cpu" where processors prove, else "gpu", null
 * devices too, which stand for one. */
const char *cuzk_device_lane_prefix(const char *backend);

/* What a key and a unit hold at most, bytes, known before either is made. */
struct cuzk_device_need {
    uint64_t key_device, key_host;
    uint64_t unit_device, unit_host; /* from UPLOAD to MSM; host: beside the witness */
};

/* One partition on its way through a device: witness in, proof out. */
struct cuzk_device_unit {
    const struct cuzk_circuit_id *circuit;
    struct cuzk_shared_witness *witness;
    uint8_t proof[CUZK_PROOF_BYTES];  /* after FINISH; not verified yet */
    uint64_t kernels_ns, transfer_ns; /* summed over the stages so far: the device working, and copying */
    struct cuzk_backend_times times;  /* the same by operation; 0 where a device does not know */
};

struct cuzk_device_ops {
    void (*destroy)(struct cuzk_device *device);
    enum cuzk_status (*facts)(struct cuzk_device *device, struct cuzk_device_facts *out,
                              struct cuzk_error *err);
    enum cuzk_status (*need)(struct cuzk_device *device, const struct cuzk_circuit_id *circuit,
                             struct cuzk_device_need *out, struct cuzk_error *err);

    /* Makes a key resident from a parameter file; it being there is fine. */
    enum cuzk_status (*load)(struct cuzk_device *device, const struct cuzk_circuit_id *circuit,
                             const char *params_path, const struct cuzk_progress *progress,
                             struct cuzk_error *err);
    /* Drops it; no unit uses it. */
    enum cuzk_status (*unload)(struct cuzk_device *device, const struct cuzk_circuit_id *circuit,
                               struct cuzk_error *err);

    /* One stage, from SETUP to FINISH, of the unit in a slot (0 to slots - 1), in the order of
     * engine/sched.h (those that a configuration leaves out are left out here too); the key must be loaded.
     * UPLOAD, or the first stage after it, takes the witness, which must stay until the unit is finished or
     * abandoned. FINISH fills unit->proof and frees the device's buffers; a failed stage frees them too.
     * Errors: DEVICE, DEVICE_LOST, MEMORY, INPUT (a point of the key), CANCELLED, ARGUMENT (no such key). */
    enum cuzk_status (*stage)(struct cuzk_device *device, unsigned slot, enum cuzk_sched_stage stage,
                              struct cuzk_device_unit *unit, struct cuzk_error *err);

    /* Gives up the unit in a slot, whatever it had reached. From another thread while a stage of it runs: the
     * stage ends early with CANCELLED where the device can stop, and the slot is free once it returned. */
    void (*abandon)(struct cuzk_device *device, unsigned slot);

    /* After DEVICE_LOST, once every call in flight has returned: begins anew, with no keys. */
    enum cuzk_status (*restart)(struct cuzk_device *device, struct cuzk_error *err);

    /* Only destroy is to follow: calls in flight, and those to come, end within seconds, whatever it takes.
     * NULL where a device has no such means. */
    void (*end)(struct cuzk_device *device);
};

struct cuzk_device {
    const struct cuzk_device_ops *ops;
    unsigned slots;
    uint64_t memory_limit; /* bytes of device memory for keys and units; 0: all there is. Set by who made the
                              device, before the first need and load */
    /* Asked by local devices while a stage runs: whether all work is to end early, with CANCELLED. NULL:
     * never. Set by who made the device, before the first stage; any thread may ask. */
    bool (*stop)(void *context);
    void *stop_context;
    uint64_t
        patience_ms; /* with a child that does not answer its control socket: then it is lost. 0: 5 minutes */
    uint32_t stages; /* bits of the stages that do something here, beside those that all devices have: SETUP,
                        UPLOAD, QUOTIENT, MSM, FINISH. PREPARE and HOST_MSM are called from another thread
                        while the unit's other stages run. */
};

/* NULL is fine. */
void cuzk_device_destroy(struct cuzk_device *device);

/* For `stage` of every device: whether it has the slot, and the stage is one of a device. `name` names the
 * device in the error. Errors: ARGUMENT. */
enum cuzk_status cuzk_device_check_stage(const struct cuzk_device *device, const char *name, unsigned slot,
                                         enum cuzk_sched_stage stage, struct cuzk_error *err);

/* In this process, over a backend that `choice` names (backend/choice.h); threads: of its pool. */
enum cuzk_status cuzk_device_local_create(const char *choice, unsigned threads, unsigned slots,
                                          struct cuzk_device **out, struct cuzk_error *err);

/* The same in a child process: `program` is executed as `program device-child` with a socket on descriptor 3
 * (engine/device_child.h is what it runs). */
enum cuzk_status cuzk_device_process_create(const char *program, const char *choice, unsigned threads,
                                            unsigned slots, struct cuzk_device **out, struct cuzk_error *err);

/* How a null device behaves: nanoseconds of each stage, and faults. Witnesses are not looked at and may be
 * NULL. What it counts in memory is held against `memory`: beyond it a call ends in MEMORY. */
struct cuzk_device_null {
    uint64_t stage_ns[CUZK_STAGES];
    uint64_t load_ns;
    uint64_t memory; /* bytes; 0: no limit */
    struct cuzk_device_need need;
    uint32_t fail_every;  /* every n-th unit ends in DEVICE, at a stage drawn from the seed; 0: none */
    uint32_t lost_every;  /* every n-th in DEVICE_LOST */
    uint32_t wrong_every; /* every n-th gives a proof marked wrong */
    uint64_t seed;
};
enum cuzk_status cuzk_device_null_create(const struct cuzk_device_null *behaviour, unsigned slots,
                                         struct cuzk_device **out, struct cuzk_error *err);

/* Whether a null device made this proof and did not mark it wrong. No proof that verifies is one. */
bool cuzk_device_null_proof_right(const uint8_t proof[CUZK_PROOF_BYTES]);

#endif
