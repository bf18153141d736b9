/* The parent's side of a device in a process of its own. The child may do whatever it likes, die included:
 * what it says is checked (engine/device_wire.h), and where it is gone or talks nonsense the device is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/device_child.h"
#include "engine/device_wire.h"

extern char **environ;

enum {
    ASK_MS = 100,          /* how often whoever waits for an answer looks whether it is still wanted */
    PATIENCE_MS = 300000,  /* with the control socket, which is answered beside all work */
    END_PATIENCE_MS = 2000 /* with every call, once the device is to end */
};

/* A socket and whose turn on it is. */
struct channel {
    pthread_mutex_t turn;
    int fd;
    struct cuzk_wire_message message;
};

struct process_slot {
    struct channel channel;
    bool occupied; /* the child knows the unit and has its witness */
};

struct process_device {
    struct cuzk_device base;
    char *program;
    char choice[128];
    unsigned threads;
    pthread_mutex_t lock;
    bool lost, silent; /* silent: it was killed because it said nothing */
    uint64_t end_ns;   /* calls that have no answer by then are given up; 0: no such time */
    pid_t child;       /* 0: none */
    char reason[160];
    struct channel control, loading;
    struct process_slot *slots;
};

static struct process_device *self(struct cuzk_device *device)
{
    return (struct process_device *)device;
}

/* ---- the end of a child ---- */

/* Kills and reaps; says how it ended. Under the lock. */
static void reap(struct process_device *device)
{
    int how = 0;

    if (device->child == 0)
        return;
    /* one that ended by itself keeps its own reason: its end of the sockets goes before it can be reaped */
    for (int i = 0; i < 20 && waitpid(device->child, &how, WNOHANG) == 0; i++) {
        if (i == 19) {
            kill(device->child, SIGKILL);
            while (waitpid(device->child, &how, 0) < 0 && errno == EINTR)
                ;
            break;
        }
        poll(NULL, 0, 5);
    }
    device->child = 0;
    if (device->silent)
        snprintf(device->reason, sizeof device->reason, "its process gave no answer and was killed");
    else if (WIFSIGNALED(how))
        snprintf(device->reason, sizeof device->reason, "its process was ended by signal %d (%s)",
                 WTERMSIG(how), strsignal(WTERMSIG(how)));
    else
        snprintf(device->reason, sizeof device->reason, "its process ended with code %d", WEXITSTATUS(how));
}

/* Every call in flight learns of it: their sockets are at their end once the child is gone. */
static enum cuzk_status lose(struct process_device *device, struct cuzk_error *err)
{
    pthread_mutex_lock(&device->lock);
    device->lost = true;
    reap(device);
    const enum cuzk_status status =
        cuzk_error_set(err, CUZK_DEVICE_LOST, "device %s: %s", device->choice, device->reason);

    pthread_mutex_unlock(&device->lock);
    return status;
}

static enum cuzk_status check_there(struct process_device *device, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&device->lock);
    if (device->lost)
        status = cuzk_error_set(err, CUZK_DEVICE_LOST, "device %s: %s", device->choice, device->reason);
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void channel_close(struct channel *channel)
{
    if (channel->fd >= 0)
        close(channel->fd);
    channel->fd = -1;
}

/* No call is in flight. */
static void close_all(struct process_device *device)
{
    channel_close(&device->control); /* the child ends by this */
    channel_close(&device->loading);
    for (unsigned i = 0; device->slots != NULL && i < device->base.slots; i++) {
        channel_close(&device->slots[i].channel);
        device->slots[i].occupied = false;
    }
    pthread_mutex_lock(&device->lock);
    reap(device);
    pthread_mutex_unlock(&device->lock);
}

/* ---- calls ---- */

/* Stops a load that nobody wants; its answer comes over its own socket. */
static void stop_loading(struct process_device *device);

/* Whether an answer that was asked for at `since` has been waited for long enough: a child may be stopped, or
 * hang in its driver, and then says nothing for ever. */
static bool is_overdue(struct process_device *device, const struct channel *channel, uint64_t since)
{
    const uint64_t now = cuzk_clock_ns(),
                   patience = device->base.patience_ms != 0 ? device->base.patience_ms : PATIENCE_MS;

    pthread_mutex_lock(&device->lock);
    const bool ended = device->end_ns != 0 && now >= device->end_ns;
    const bool silent = channel == &device->control && now - since >= patience * CUZK_NS_PER_MS;

    if ((ended || silent) && device->child != 0) {
        kill(device->child, SIGKILL);
        device->silent = true;
    }
    pthread_mutex_unlock(&device->lock);
    return ended || silent;
}

/* The answer to what was sent, reports of progress on the way. The message's own status is returned. */
static enum cuzk_status await(struct process_device *device, struct channel *channel,
                              const struct cuzk_progress *progress, struct cuzk_error *err)
{
    const uint64_t since = cuzk_clock_ns();
    bool stopped = false;

    for (;;) {
        struct pollfd ready = {.fd = channel->fd, .events = POLLIN};
        if (poll(&ready, 1, ASK_MS) == 0) {
            if (is_overdue(device, channel, since))
                return lose(device, err);
            if (progress != NULL && !stopped && cuzk_progress_check(progress, NULL) != CUZK_OK) {
                stop_loading(device);
                stopped = true;
            }
            continue;
        }
        if (cuzk_wire_receive(channel->fd, &channel->message, NULL, 0, NULL, NULL) != CUZK_OK)
            return lose(device, err);
        if (channel->message.kind == CUZK_WIRE_PROGRESS && progress != NULL) {
            cuzk_progress_report(progress, channel->message.text, channel->message.done,
                                 channel->message.total);
            continue;
        }
        if (channel->message.kind == CUZK_WIRE_PROGRESS && channel == &device->loading)
            continue;
        break;
    }
    if (channel->message.kind != CUZK_WIRE_DONE)
        return lose(device, err);
    if (channel->message.status == CUZK_OK)
        return CUZK_OK;
    if (channel->message.status == CUZK_DEVICE_LOST) { /* only a new process has it back */
        pthread_mutex_lock(&device->lock);
        device->lost = true;
        snprintf(device->reason, sizeof device->reason, "%.150s", channel->message.text);
        if (device->child != 0)
            kill(device->child, SIGKILL);
        pthread_mutex_unlock(&device->lock);
    }
    return cuzk_error_set(err, (enum cuzk_status)channel->message.status, "%s", channel->message.text);
}

/* Sends the channel's message, waits for the answer there. The turn is the caller's. */
static enum cuzk_status call(struct process_device *device, struct channel *channel, const int *fd,
                             const struct cuzk_progress *progress, struct cuzk_error *err)
{
    CUZK_TRY(check_there(device, err));
    if (cuzk_wire_send(channel->fd, &channel->message, fd, fd != NULL ? 1 : 0, NULL) != CUZK_OK)
        return lose(device, err);
    return await(device, channel, progress, err);
}

static void stop_loading(struct process_device *device)
{
    struct channel *control = &device->control;

    pthread_mutex_lock(&control->turn);
    cuzk_wire_init(&control->message, CUZK_WIRE_STOP);
    (void)call(device, control, NULL, NULL, NULL);
    pthread_mutex_unlock(&control->turn);
}

static enum cuzk_status facts(struct cuzk_device *base, struct cuzk_device_facts *out, struct cuzk_error *err)
{
    struct process_device *device = self(base);
    struct channel *control = &device->control;

    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&control->turn);
    cuzk_wire_init(&control->message, CUZK_WIRE_FACTS);
    const enum cuzk_status status = call(device, control, NULL, NULL, err);

    if (status == CUZK_OK) {
        *out = control->message.facts;
        pthread_mutex_lock(&device->lock);
        out->process = device->child;
        pthread_mutex_unlock(&device->lock);
    }
    pthread_mutex_unlock(&control->turn);
    return status;
}

static enum cuzk_status need(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                             struct cuzk_device_need *out, struct cuzk_error *err)
{
    struct process_device *device = self(base);
    struct channel *control = &device->control;

    pthread_mutex_lock(&control->turn);
    cuzk_wire_init(&control->message, CUZK_WIRE_NEED);
    control->message.circuit = *circuit;
    control->message.memory_limit = base->memory_limit;
    const enum cuzk_status status = call(device, control, NULL, NULL, err);

    if (status == CUZK_OK)
        *out = control->message.need;
    pthread_mutex_unlock(&control->turn);
    return status;
}

static enum cuzk_status load(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                             const char *params_path, const struct cuzk_progress *progress,
                             struct cuzk_error *err)
{
    struct process_device *device = self(base);
    struct channel *loading = &device->loading;
    enum cuzk_status status;

    if (params_path == NULL)
        params_path = "";
    if (strlen(params_path) >= CUZK_WIRE_TEXT)
        return cuzk_error_set(err, CUZK_ARGUMENT, "device %s: the path of the parameters is too long",
                              device->choice);
    pthread_mutex_lock(&loading->turn);
    cuzk_wire_init(&loading->message, CUZK_WIRE_LOAD);
    loading->message.circuit = *circuit;
    loading->message.memory_limit = base->memory_limit;
    snprintf(loading->message.text, sizeof loading->message.text, "%s", params_path);
    status = call(device, loading, NULL, progress, err);
    pthread_mutex_unlock(&loading->turn);
    return status;
}

static enum cuzk_status unload(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                               struct cuzk_error *err)
{
    struct process_device *device = self(base);
    struct channel *loading = &device->loading;

    pthread_mutex_lock(&loading->turn);
    cuzk_wire_init(&loading->message, CUZK_WIRE_UNLOAD);
    loading->message.circuit = *circuit;
    const enum cuzk_status status = call(device, loading, NULL, NULL, err);

    pthread_mutex_unlock(&loading->turn);
    return status;
}

/* ---- units ---- */

static enum cuzk_status stage(struct cuzk_device *base, unsigned number, enum cuzk_sched_stage which,
                              struct cuzk_device_unit *unit, struct cuzk_error *err)
{
    struct process_device *device = self(base);

    CUZK_TRY(cuzk_device_check_stage(base, device->choice, number, which, err));
    struct process_slot *slot = &device->slots[number];
    struct channel *channel = &slot->channel;

    pthread_mutex_lock(&channel->turn);
    const bool first = !slot->occupied;
    const bool witness = first && unit->witness != NULL && unit->witness->fd >= 0;

    cuzk_wire_init(&channel->message, CUZK_WIRE_STAGE);
    channel->message.stage = which;
    channel->message.slot = number;
    channel->message.first = first;
    channel->message.circuit = *unit->circuit;
    const enum cuzk_status status = call(device, channel, witness ? &unit->witness->fd : NULL, NULL, err);

    if (status == CUZK_OK) {
        unit->kernels_ns = channel->message.kernels_ns;
        unit->transfer_ns = channel->message.transfer_ns;
        unit->times = channel->message.times;
        if (which == CUZK_STAGE_FINISH)
            memcpy(unit->proof, channel->message.proof, sizeof unit->proof);
    }
    slot->occupied = status == CUZK_OK && which != CUZK_STAGE_FINISH;
    pthread_mutex_unlock(&channel->turn);
    return status;
}

static void abandon(struct cuzk_device *base, unsigned number)
{
    struct process_device *device = self(base);
    struct channel *control = &device->control;

    if (number >= base->slots)
        return;
    /* a stage that runs holds the slot's turn and ends with CANCELLED; else the slot is free after this */
    pthread_mutex_lock(&control->turn);
    cuzk_wire_init(&control->message, CUZK_WIRE_ABANDON);
    control->message.slot = number;
    (void)call(device, control, NULL, NULL, NULL);
    pthread_mutex_unlock(&control->turn);
    if (pthread_mutex_trylock(&device->slots[number].channel.turn) == 0) {
        device->slots[number].occupied = false;
        pthread_mutex_unlock(&device->slots[number].channel.turn);
    }
}

/* ---- life ---- */

/* Runs the program with its end of the control socket. */
static enum cuzk_status spawn(struct process_device *device, int theirs, struct cuzk_error *err)
{
    char command[] = "device-child";
    char *const arguments[] = {device->program, command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, CUZK_DEVICE_CHILD_SOCKET);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error = posix_spawn(&child, device->program, &actions, &attributes, arguments, environ);

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return cuzk_error_set(err, CUZK_IO, "device %s: %s: %s", device->choice, device->program,
                              strerror(error));
    pthread_mutex_lock(&device->lock);
    device->child = child;
    pthread_mutex_unlock(&device->lock);
    return CUZK_OK;
}

static enum cuzk_status pair(struct process_device *device, struct channel *channel, int *theirs,
                             struct cuzk_error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return cuzk_error_set(err, CUZK_IO, "device %s: a socket: %s", device->choice, strerror(errno));
    channel->fd = ends[0];
    *theirs = ends[1];
    return CUZK_OK;
}

static enum cuzk_status begin(struct process_device *device, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const unsigned count = device->base.slots + 1;
    int theirs[CUZK_WIRE_SLOTS_MOST + 2];
    struct channel *control = &device->control;

    for (unsigned i = 0; i < CUZK_WIRE_SLOTS_MOST + 2; i++)
        theirs[i] = -1;
    CUZK_TRY_OUT(pair(device, control, &theirs[count], err));
    CUZK_TRY_OUT(pair(device, &device->loading, &theirs[0], err));
    for (unsigned i = 0; i < device->base.slots; i++)
        CUZK_TRY_OUT(pair(device, &device->slots[i].channel, &theirs[i + 1], err));
    CUZK_TRY_OUT(spawn(device, theirs[count], err));
    close(theirs[count]);
    theirs[count] = -1;
    cuzk_wire_init(&control->message, CUZK_WIRE_HELLO);
    snprintf(control->message.text, sizeof control->message.text, "%s", device->choice);
    control->message.threads = device->threads;
    control->message.slots = device->base.slots;
    status = cuzk_wire_send(control->fd, &control->message, theirs, count, NULL);
    for (unsigned i = 0; i < count; i++) { /* else they would never be at their end */
        close(theirs[i]);
        theirs[i] = -1;
    }
    if (status != CUZK_OK) {
        status = lose(device, err);
        goto out;
    }
    CUZK_TRY_OUT(await(device, control, NULL, err));
    pthread_mutex_lock(&device->lock);
    device->lost = device->silent = false;
    pthread_mutex_unlock(&device->lock);
    device->base.stages = control->message.stages;
out:
    for (unsigned i = 0; i < CUZK_WIRE_SLOTS_MOST + 2; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    if (status != CUZK_OK)
        close_all(device);
    return status;
}

static enum cuzk_status restart(struct cuzk_device *base, struct cuzk_error *err)
{
    struct process_device *device = self(base);
    enum cuzk_status status;

    pthread_mutex_lock(&device->lock);
    device->lost = true; /* until the new one answers */
    if (device->child != 0)
        kill(device->child, SIGKILL);
    pthread_mutex_unlock(&device->lock);
    pthread_mutex_lock(&device->control.turn); /* facts and need may be asked at any time */
    close_all(device);
    status = begin(device, err);
    pthread_mutex_unlock(&device->control.turn);
    return status;
}

static void destroy(struct cuzk_device *base)
{
    struct process_device *device = self(base);

    close_all(device);
    for (unsigned i = 0; device->slots != NULL && i < base->slots; i++)
        pthread_mutex_destroy(&device->slots[i].channel.turn);
    pthread_mutex_destroy(&device->control.turn);
    pthread_mutex_destroy(&device->loading.turn);
    pthread_mutex_destroy(&device->lock);
    cuzk_mem_free(device->slots);
    cuzk_mem_free(device->program);
    cuzk_mem_free(device);
}

static void end(struct cuzk_device *base)
{
    struct process_device *device = self(base);

    pthread_mutex_lock(&device->lock);
    device->end_ns = cuzk_clock_ns() + END_PATIENCE_MS * CUZK_NS_PER_MS;
    pthread_mutex_unlock(&device->lock);
}

static const struct cuzk_device_ops ops = {
    .destroy = destroy,
    .facts = facts,
    .need = need,
    .load = load,
    .unload = unload,
    .stage = stage,
    .abandon = abandon,
    .restart = restart,
    .end = end,
};

static void channel_init(struct channel *channel)
{
    pthread_mutex_init(&channel->turn, NULL);
    channel->fd = -1;
}

enum cuzk_status cuzk_device_process_create(const char *program, const char *choice, unsigned threads,
                                            unsigned slots, struct cuzk_device **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct process_device *device;

    *out = NULL;
    if (slots == 0 || slots > CUZK_WIRE_SLOTS_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "device: 1 to %d slots, found %u", CUZK_WIRE_SLOTS_MOST,
                              slots);
    CUZK_TRY(CUZK_NEW(&device, 1, "device", err));
    device->base.ops = &ops;
    device->threads = threads;
    snprintf(device->choice, sizeof device->choice, "%s", choice != NULL ? choice : "auto");
    snprintf(device->reason, sizeof device->reason, "its process is not there");
    pthread_mutex_init(&device->lock, NULL);
    channel_init(&device->control);
    channel_init(&device->loading);
    CUZK_TRY_OUT(CUZK_NEW(&device->slots, slots, "slots of a device", err));
    device->base.slots = slots;
    for (unsigned i = 0; i < slots; i++)
        channel_init(&device->slots[i].channel);
    CUZK_TRY_OUT(CUZK_NEW(&device->program, strlen(program) + 1, "name of a program", err));
    memcpy(device->program, program, strlen(program) + 1);
    CUZK_TRY_OUT(begin(device, err));
    *out = &device->base;
    device = NULL;
out:
    if (device != NULL)
        destroy(&device->base);
    return status;
}
