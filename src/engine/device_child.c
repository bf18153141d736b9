#include "engine/device_child.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "circuit/circuit.h"
#include "engine/device_wire.h"
#include "engine/null_spec.h"

struct child;

/* A socket and the thread that serves it. */
struct channel {
    struct child *child;
    int fd;
    unsigned slot;
    struct cuzk_circuit_id circuit;
    struct cuzk_device_unit unit; /* of a slot */
    struct cuzk_wire_message message;
};

struct child {
    struct cuzk_device *device;
    int control;
    atomic_bool stop_loading;
    struct channel loading, slots[CUZK_WIRE_SLOTS_MOST];
    struct cuzk_wire_message message;
};

enum cuzk_status cuzk_device_make(const char *choice, unsigned threads, unsigned slots,
                                  struct cuzk_device **out, struct cuzk_error *err)
{
    struct cuzk_device_null behaviour;

    *out = NULL;
    if (!cuzk_null_spec_is(choice))
        return cuzk_device_local_create(choice, threads, slots, out, err);
    CUZK_TRY(cuzk_null_spec_parse("device", choice, &behaviour, err));
    return cuzk_device_null_create(&behaviour, slots, out, err);
}

/* The parent is gone or talks nonsense: nobody wants what runs. Threads are not waited for. */
static void leave(void)
{
    _exit(0);
}

/* Turns a message into its answer. */
static void answer(int fd, struct cuzk_wire_message *message, enum cuzk_status status,
                   const struct cuzk_error *error)
{
    message->kind = CUZK_WIRE_DONE;
    message->status = status;
    message->text[0] = '\0';
    if (status != CUZK_OK)
        snprintf(message->text, sizeof message->text, "%s", error->message);
    if (cuzk_wire_send(fd, message, NULL, 0, NULL) != CUZK_OK)
        leave();
}

/* The parent says the same each time, by either socket. */
static void set_limit(struct child *child, uint64_t bytes)
{
    __atomic_store_n(&child->device->memory_limit, bytes, __ATOMIC_RELAXED);
}

/* ---- keys ---- */

static void report(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const struct channel *channel = context;
    struct cuzk_wire_message message;

    cuzk_wire_init(&message, CUZK_WIRE_PROGRESS);
    snprintf(message.text, sizeof message.text, "%s", stage);
    message.done = done;
    message.total = total;
    if (cuzk_wire_send(channel->fd, &message, NULL, 0, NULL) != CUZK_OK)
        leave();
}

static bool is_stopped(void *context)
{
    return atomic_load(&((struct channel *)context)->child->stop_loading);
}

static void *serve_loading(void *context)
{
    struct channel *channel = context;
    struct cuzk_device *device = channel->child->device;
    struct cuzk_wire_message *message = &channel->message;
    const struct cuzk_progress progress = {report, is_stopped, channel};

    while (cuzk_wire_receive(channel->fd, message, NULL, 0, NULL, NULL) == CUZK_OK) {
        struct cuzk_error error = {0};
        enum cuzk_status status;
        if (message->kind == CUZK_WIRE_LOAD)
            set_limit(channel->child, message->memory_limit);
        if (message->kind == CUZK_WIRE_LOAD)
            status = device->ops->load(device, &message->circuit, message->text, &progress, &error);
        else if (message->kind == CUZK_WIRE_UNLOAD)
            status = device->ops->unload(device, &message->circuit, &error);
        else
            break;
        atomic_store(&channel->child->stop_loading, false);
        answer(channel->fd, message, status, &error);
    }
    leave();
    return NULL;
}

/* ---- units ---- */

static enum cuzk_status begin_unit(struct channel *channel, int witness, struct cuzk_error *err)
{
    struct cuzk_circuit circuit;

    cuzk_shared_witness_destroy(channel->unit.witness);
    channel->unit = (struct cuzk_device_unit){.circuit = &channel->circuit};
    channel->circuit = channel->message.circuit;
    if (witness < 0)
        return CUZK_OK;
    const enum cuzk_status status = cuzk_circuit_open(&channel->circuit, &circuit, err);

    if (status != CUZK_OK) {
        close(witness);
        return status;
    }
    const struct cuzk_witness_layout layout = {
        .inputs = circuit.total.inputs, .aux = circuit.total.aux, .bits = circuit.total.bits};

    return cuzk_shared_witness_map(witness, &layout, &channel->unit.witness, err);
}

static void *serve_slot(void *context)
{
    struct channel *channel = context;
    struct cuzk_device *device = channel->child->device;
    struct cuzk_wire_message *message = &channel->message;
    int witness;
    unsigned count;

    while (cuzk_wire_receive(channel->fd, message, &witness, 1, &count, NULL) == CUZK_OK &&
           message->kind == CUZK_WIRE_STAGE) {
        struct cuzk_error error = {0};
        enum cuzk_status status = CUZK_OK;
        if (message->first != 0)
            status = begin_unit(channel, count == 1 ? witness : -1, &error);
        else if (count == 1)
            close(witness);
        if (status == CUZK_OK)
            status = device->ops->stage(device, channel->slot, (enum cuzk_sched_stage)message->stage,
                                        &channel->unit, &error);
        message->kernels_ns = channel->unit.kernels_ns;
        message->transfer_ns = channel->unit.transfer_ns;
        message->times = channel->unit.times;
        memcpy(message->proof, channel->unit.proof, sizeof message->proof);
        answer(channel->fd, message, status, &error);
    }
    leave();
    return NULL;
}

/* ---- control ---- */

static void serve_control(struct child *child)
{
    struct cuzk_device *device = child->device;
    struct cuzk_wire_message *message = &child->message;

    while (cuzk_wire_receive(child->control, message, NULL, 0, NULL, NULL) == CUZK_OK) {
        struct cuzk_error error = {0};
        enum cuzk_status status = CUZK_OK;
        switch (message->kind) {
        case CUZK_WIRE_FACTS:
            status = device->ops->facts(device, &message->facts, &error);
            message->facts.process = getpid();
            break;
        case CUZK_WIRE_NEED:
            set_limit(child, message->memory_limit);
            status = device->ops->need(device, &message->circuit, &message->need, &error);
            break;
        case CUZK_WIRE_ABANDON:
            device->ops->abandon(device, message->slot);
            break;
        case CUZK_WIRE_STOP:
            atomic_store(&child->stop_loading, true);
            break;
        default:
            leave();
        }
        answer(child->control, message, status, &error);
    }
    leave();
}

static enum cuzk_status start(struct channel *channel, void *(*serve)(void *), struct cuzk_error *err)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, serve, channel) != 0)
        return cuzk_error_set(err, CUZK_IO, "device: a thread could not be started");
    pthread_detach(thread);
    return CUZK_OK;
}

static enum cuzk_status begin(struct child *child, cuzk_device_maker maker, const int *fds, unsigned count,
                              struct cuzk_error *err)
{
    struct cuzk_wire_message *message = &child->message;

    if (message->kind != CUZK_WIRE_HELLO || message->slots == 0 || count != message->slots + 1)
        return cuzk_error_set(err, CUZK_INPUT, "device: expected a greeting with %u sockets, found %u",
                              message->slots + 1, count);
    CUZK_TRY(maker(message->text, message->threads, message->slots, &child->device, err));
    child->loading = (struct channel){.child = child, .fd = fds[0]};
    CUZK_TRY(start(&child->loading, serve_loading, err));
    for (unsigned i = 0; i < message->slots; i++) {
        child->slots[i] = (struct channel){.child = child, .fd = fds[i + 1], .slot = i};
        CUZK_TRY(start(&child->slots[i], serve_slot, err));
    }
    message->stages = child->device->stages;
    return CUZK_OK;
}

enum cuzk_status cuzk_device_child_run(int control, cuzk_device_maker maker, struct cuzk_error *err)
{
    int fds[CUZK_WIRE_SLOTS_MOST + 1];
    struct child *child;
    unsigned count = 0;
    struct cuzk_error error = {0};

    /* An interrupt at the terminal is the parent's business; it may want to finish what runs. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    CUZK_TRY(CUZK_NEW(&child, 1, "device process", err));
    child->control = control;
    enum cuzk_status status =
        cuzk_wire_receive(control, &child->message, fds, CUZK_WIRE_SLOTS_MOST + 1, &count, err);

    if (status != CUZK_OK) {
        cuzk_mem_free(child);
        return status == CUZK_DEVICE_LOST
                   ? cuzk_error_set(err, CUZK_INPUT, "device: no parent on descriptor %d", control)
                   : status;
    }
    status = begin(child, maker, fds, count, &error);
    answer(control, &child->message, status, &error);
    if (status == CUZK_OK)
        serve_control(child);
    return CUZK_OK; /* threads of a half-made child go with the process */
}
