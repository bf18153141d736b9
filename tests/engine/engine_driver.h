/* Engines for tests: on null devices unless the caller brings others; requests that nobody decodes. */
#ifndef CUZK_TESTS_ENGINE_DRIVER_H
#define CUZK_TESTS_ENGINE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

enum { DRIVER_ENGINE_DEVICES = 4 };

struct engine_driver {
    struct cuzk_engine_options options;
    struct cuzk_device_null behaviour[DRIVER_ENGINE_DEVICES];
    struct cuzk_device *device[DRIVER_ENGINE_DEVICES]; /* set: instead of null devices */
    unsigned device_count, slots;
    struct cuzk_engine *engine;
    uint64_t submitted;
};

/* Options for null devices of no stage times; the caller changes what it wants, then opens. */
void engine_driver_init(struct engine_driver *driver, const char *preset);
void engine_driver_set(struct engine_driver *driver, const char *assignment);
void engine_driver_open(struct engine_driver *driver);
enum cuzk_status engine_driver_try(struct engine_driver *driver, struct cuzk_error *err);
void engine_driver_close(struct engine_driver *driver);

/* A request of its own content for a registered seal proof (8: 10 partitions, 5: 1). */
enum cuzk_status engine_driver_request(struct engine_driver *driver, unsigned proof,
                                       enum cuzk_priority priority, struct cuzk_submission *out,
                                       struct cuzk_error *err);
/* The same, which must be accepted; the job's id. */
void engine_driver_submit(struct engine_driver *driver, unsigned proof, enum cuzk_priority priority,
                          char job[CUZK_JOB_ID_TEXT]);

/* What is kept of a result. */
struct engine_result {
    enum cuzk_job_state state;
    size_t proof_length;
    uint8_t proof[4096];
    char error[CUZK_ENGINE_ERROR_TEXT];
    uint64_t total_ms;
    struct cuzk_partition_times times; /* of partition 0 */
};

/* Waits for a job; fails the test after 60 s. */
struct engine_result engine_driver_await(struct engine_driver *driver, const char *job);
void engine_driver_drain(struct engine_driver *driver);

/* Waits until `holds` does, at most 60 s. */
void engine_driver_until(bool (*holds)(void *context), void *context);

#endif
