/*
 * What a device in a child process and its parent say to each other: messages of one fixed size over sockets
 * that keep message boundaries (SOCK_SEQPACKET), each with at most some descriptors.
 *
 * Both ends are the same program, so numbers are in the machine's own form; nothing that is received is
 * believed all the same: size, mark, ranges and the ends of texts are checked before anything is looked at.
 */
#ifndef CUZK_ENGINE_DEVICE_WIRE_H
#define CUZK_ENGINE_DEVICE_WIRE_H

#include <stdint.h>

#include "engine/device.h"

/* CUZK_WIRE_TEXT holds a path. */
enum { CUZK_WIRE_SLOTS_MOST = 64, CUZK_WIRE_TEXT = 4096, CUZK_WIRE_MARK = 0x6b7a7563 };

enum cuzk_wire_kind {
    CUZK_WIRE_HELLO,   /* control; text: the choice; threads, slots; with the other sockets: loading, slots */
    CUZK_WIRE_FACTS,   /* control */
    CUZK_WIRE_NEED,    /* control; circuit, memory_limit */
    CUZK_WIRE_ABANDON, /* control; slot */
    CUZK_WIRE_STOP,    /* control: the load that runs */
    CUZK_WIRE_LOAD,    /* loading; circuit, memory_limit; text: the parameters' path */
    CUZK_WIRE_UNLOAD,  /* loading; circuit */
    CUZK_WIRE_STAGE,   /* a slot; circuit, stage, first; with the witness where first has one */
    CUZK_WIRE_DONE,    /* answer to each of these: status, its text, and what was asked for */
    CUZK_WIRE_PROGRESS, /* before DONE of LOAD: text, done, total */
    CUZK_WIRE_KINDS,
};

struct cuzk_wire_message {
    uint32_t mark, kind;
    uint32_t status;
    uint32_t stage, stages;
    uint32_t slot, slots, threads;
    uint32_t first; /* a new unit begins in this slot */
    uint32_t unused;
    struct cuzk_circuit_id circuit;
    uint64_t memory_limit; /* NEED, LOAD */
    uint64_t done, total;
    uint64_t kernels_ns, transfer_ns;
    struct cuzk_backend_times times;
    struct cuzk_device_facts facts;
    struct cuzk_device_need need;
    uint8_t proof[CUZK_PROOF_BYTES];
    char text[CUZK_WIRE_TEXT];
};

/* A zeroed message of a kind. */
void cuzk_wire_init(struct cuzk_wire_message *message, enum cuzk_wire_kind kind);

/* Checks n bytes that were received. Errors: INPUT, with field, expected and found. */
enum cuzk_status cuzk_wire_check(const void *bytes, size_t n, struct cuzk_wire_message *out,
                                 struct cuzk_error *err);

/* Sends a message and descriptors, which stay the caller's. Errors: DEVICE_LOST (nobody is there any more).
 */
enum cuzk_status cuzk_wire_send(int fd, const struct cuzk_wire_message *message, const int *fds,
                                unsigned count, struct cuzk_error *err);

/* Waits for a message. fds receives at most `room` descriptors, *count how many; more are closed and refused.
 * Errors: DEVICE_LOST (the other end is closed), INPUT (cuzk_wire_check). Descriptors are closed then. */
enum cuzk_status cuzk_wire_receive(int fd, struct cuzk_wire_message *out, int *fds, unsigned room,
                                   unsigned *count, struct cuzk_error *err);

#endif
