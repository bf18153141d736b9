/*
 * The model of a machine: how long each stage of a partition takes alone, how stages slow each other down,
 * and what they hold in memory. One set of numbers for every phase. Read from JSON, strictly: every field
 * once, no other. Times are seconds, memory is GiB.
 */
#ifndef CUZK_ENGINE_MACHINE_H
#define CUZK_ENGINE_MACHINE_H

#include <stddef.h>

#include "base/error.h"

/* X(name, least, most, meaning) */
#define CUZK_MACHINE_MAP(X)                                                                                  \
    X(processors, 1, 4096, "hardware threads")                                                               \
    X(devices, 1, 16, "devices of the same kind")                                                            \
    X(host_memory, 1, 1e6, "memory of the host")                                                             \
    X(device_memory, 0.1, 1e6, "memory of a device")                                                         \
    X(partitions, 1, 256, "partitions of a proof")                                                           \
    X(parse, 0, 1e4, "decoding a request")                                                                   \
    X(witness, 0, 1e5, "assignment of one partition, one thread")                                            \
    X(product, 0, 1e5, "constraint values of one partition by recorded matrices")                            \
    X(product_streams, 0.1, 4096, "products that run at full speed together")                                \
    X(enforce, 0, 1e5, "a group of partitions synthesised by walking the circuit, each on a thread")         \
    X(enforce_per_partition, 0, 1e4, "what each partition of the group adds to that")                        \
    X(compact_witness, 0, 1e5, "compact witness of one partition, one thread")                               \
    X(call_switch, 0, 1e4, "between two calls of a worker: change of hands, heap trimmed")                   \
    X(call_setup, 0, 1e4, "entry of a device call")                                                          \
    X(key_load, 0, 1e5, "reading the proving key where it is not kept between proofs")                       \
    X(prepare, 0, 1e4, "host: scalars sorted for one partition")                                             \
    X(host_msm_serial, 0, 1e4, "host: G2 MSM of one partition, the part that threads do not share")          \
    X(host_msm_shared, 0, 1e6, "the part that they share, thread-seconds")                                   \
    X(pin, 0, 1e4, "registering a partition's host pages")                                                   \
    X(unpin, 0, 1e4, "unregistering them")                                                                   \
    X(pin_exclusive, 0, 1, "1: registration excludes the device's section")                                  \
    X(upload_pageable, 0, 1e4, "copy of a partition from pageable memory")                                   \
    X(upload_pinned, 0, 1e4, "staging of it from pinned memory, the rest under the kernels")                 \
    X(upload_compact, 0, 1e4, "copy of a compact witness")                                                   \
    X(quotient, 0, 1e4, "transforms and MSM of h, its points streamed from the host")                        \
    X(quotient_resident, 0, 1e4, "the same, its points on the device")                                       \
    X(batch_add, 0, 1e4, "sums of l, a, b over bits, points streamed")                                       \
    X(batch_add_resident, 0, 1e4, "the same, points on the device; b in G2 included")                        \
    X(tails_immediate, 0, 1e4, "MSMs over values that are no bits, waited for one by one")                   \
    X(tails_deferred, 0, 1e4, "the same, waited for once")                                                   \
    X(finish, 0, 1e4, "assembling a proof")                                                                  \
    X(hand_over, 0, 1e4, "finalize inline: what else the worker does before its call returns")               \
    X(drop, 0, 1e4, "freeing what the device no longer needs, by the worker")                                \
    X(release, 0, 1e4, "freeing the rest of a partition")                                                    \
    X(verify, 0, 1e4, "verification; 0: proofs are not verified")                                            \
    X(group_kernels, 0, 1e4, "device, per partition of a call with all of a proof's")                        \
    X(group_host_msm, 0, 1e5, "host: its G2 MSMs, one thread a partition")                                   \
    X(group_release, 0, 1e4, "freeing one partition of such a call")                                         \
    X(slow_synthesis_square, 0, 10, "synthesis slowed by synthesis: per (partitions / 10)^2")                \
    X(slow_synthesis_host, 0, 10, "synthesis slowed by one unit of host work for the device")                \
    X(slow_host_synthesis, 0, 10, "host work slowed by synthesis: per partitions / 10")                      \
    X(slow_host_square, 0, 10, "and per (partitions / 10)^2")                                                \
    X(slow_host_host, 0, 10, "host work slowed by each unit of it beyond the first")                         \
    X(pageable_share, 0, 1, "share of the host's slowdown that a pageable copy takes")                       \
    X(throttle_yield, 0, 1, "share of its speed that a product yields to a G2 MSM under membw_throttle")     \
    X(jitter_synthesis, 0, 0.3, "standard deviation of synthesis, relative")                                 \
    X(jitter_host, 0, 0.3, "the same of host work for the device")                                           \
    X(gib_key, 0, 1e6, "proving key on the host")                                                            \
    X(gib_matrices, 0, 1e6, "recorded matrices on the host")                                                 \
    X(gib_witness, 0, 1e6, "a partition while its assignment is made")                                       \
    X(gib_peak, 0, 1e6, "while its constraint values are made")                                              \
    X(gib_held, 0, 1e6, "from then on")                                                                      \
    X(gib_dropped, 0, 1e6, "after the device has taken what it needs")                                       \
    X(gib_call, 0, 1e6, "what a device call adds on the host")                                               \
    X(gib_compact, 0, 1e6, "a partition as a compact witness")                                               \
    X(gib_device, 0, 1e6, "buffers of a partition on the device")                                            \
    X(gib_device_base, 0, 1e6, "resident on the device beside the key")

struct cuzk_machine_model {
    char name[64];
    char note[512]; /* where the numbers come from */
#define X(field, least, most, meaning) double field;
    CUZK_MACHINE_MAP(X)
#undef X
};

/* Reads a model; `what` names the source in errors. Errors: INPUT (names field and offset). */
enum cuzk_status cuzk_machine_model_read(const char *what, const void *text, size_t length,
                                         struct cuzk_machine_model *out, struct cuzk_error *err);

/* Sets one number by its name ("device_memory=24"). Errors: ARGUMENT, listing the names. */
enum cuzk_status cuzk_machine_model_set(struct cuzk_machine_model *model, const char *assignment,
                                        struct cuzk_error *err);

#endif
