#include "engine/knobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ANY UINT32_MAX

static const struct cuzk_knob_row rows[CUZK_KNOBS] = {
    [CUZK_KNOB_SRS] = {"srs", "per-proof|resident-pinned|resident-device", 0, 0, NULL,
                       "where the proving key waits between proofs: nowhere, in pinned host memory, or on "
                       "the device",
                       "phase-0"},
    [CUZK_KNOB_OVERLAP] = {"overlap", "none|proof|partition|sectors", 0, 0, NULL,
                           "what may be synthesised while the device works: nothing, the next proof, other "
                           "partitions of this proof, or partitions of any proof",
                           "phase-2"},
    [CUZK_KNOB_CHANNEL_CAPACITY] = {"channel_capacity", NULL, 0, 1024, "auto",
                                    "synthesised partitions that may wait for a device; auto: as many as "
                                    "partition workers",
                                    "phase-6"},
    [CUZK_KNOB_SYNTHESIS_CONCURRENCY] = {"synthesis_concurrency", NULL, 1, 64, NULL,
                                         "proofs or batches synthesised at once where whole proofs go to "
                                         "the device",
                                         "phase-6"},
    [CUZK_KNOB_BATCH_MAX] = {"batch.max", NULL, 1, 8, NULL, "proofs of one circuit joined in a device call",
                             "phase-3"},
    [CUZK_KNOB_BATCH_WAIT] = {"batch.wait", NULL, 0, 600000, NULL,
                              "milliseconds that an unfilled batch waits for more proofs", "phase-3"},
    [CUZK_KNOB_SYNTHESIS] = {"synthesis", "enforce|pce-cpu|compact-device", 0, 0, NULL,
                             "how constraints are evaluated: by walking the circuit, by recorded matrices on "
                             "the host, or on the device from the compact witness",
                             "phase-5"},
    [CUZK_KNOB_PARTITION_WORKERS] = {"partition_workers", NULL, 0, 1024, "auto",
                                     "partitions synthesised at once; auto: what the host budget holds",
                                     "phase-7"},
    [CUZK_KNOB_WORKERS_PER_DEVICE] = {"workers_per_device", NULL, 1, 8, NULL,
                                      "calls in flight per device: host work of one under the kernels of "
                                      "another",
                                      "phase-8"},
    [CUZK_KNOB_STAGING] = {"staging", "pageable|pinned|device-resident", 0, 0, NULL,
                           "how a partition reaches the device: pageable copies under the lock, pages "
                           "registered before it, or buffers that stay on the device",
                           "phase-9"},
    [CUZK_KNOB_MSM_SYNC] = {"msm.sync", "immediate|deferred", 0, 0, NULL,
                            "when the host waits for the result of an MSM: after each, or once", "phase-9"},
    [CUZK_KNOB_DEVICE_LOCK] = {"device_lock", "single|split", 0, 0, NULL,
                               "one lock a device, or one for its memory and one for its kernels",
                               "phase-10"},
    [CUZK_KNOB_DEALLOC] = {"dealloc", "inline|unbounded|bounded", 0, 0, NULL,
                           "who frees a partition's memory: the device worker, a thread each, or one thread "
                           "at a time",
                           "phase-4"},
    [CUZK_KNOB_DEVICE_THREADS] = {"device_threads", NULL, 0, 1024, "all",
                                  "host threads that work for a device (its G2 MSM; all of the CPU's)",
                                  "phase-11"},
    [CUZK_KNOB_MEMBW_THROTTLE] = {"membw_throttle", "off|on", 0, 0, NULL,
                                  "whether synthesis yields memory bandwidth to a device's G2 MSM on the "
                                  "host",
                                  "phase-11"},
    [CUZK_KNOB_FINALIZE] = {"finalize", "inline|async", 0, 0, NULL,
                            "whether the device worker assembles the proof itself or hands it over",
                            "phase-12"},
    [CUZK_KNOB_BACKPRESSURE] = {"backpressure", "permit-until-synth|permit-through-send", 0, 0, NULL,
                                "whether a partition worker may go on before its partition is in the channel",
                                "phase-12"},
};

/* A preset is the one before it and these changes; the last one's own name is "auto". */
struct change {
    uint8_t preset;
    uint8_t knob;
    uint32_t value;
};

enum { PRESET_AUTO = 13, PRESETS };

static const char *const preset_names[PRESETS] = {
    "phase-0", "phase-1", "phase-2", "phase-3",  "phase-4",  "phase-5",  "phase-6",
    "phase-7", "phase-8", "phase-9", "phase-10", "phase-11", "phase-12", "auto",
};

static const struct change changes[] = {
    {0, CUZK_KNOB_SRS, CUZK_SRS_RESIDENT_PINNED},
    {0, CUZK_KNOB_OVERLAP, CUZK_OVERLAP_NONE},
    {0, CUZK_KNOB_CHANNEL_CAPACITY, 1},
    {0, CUZK_KNOB_SYNTHESIS_CONCURRENCY, 1},
    {0, CUZK_KNOB_BATCH_MAX, 1},
    {0, CUZK_KNOB_BATCH_WAIT, 30000},
    {0, CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_ENFORCE},
    {0, CUZK_KNOB_PARTITION_WORKERS, 10},
    {0, CUZK_KNOB_WORKERS_PER_DEVICE, 1},
    {0, CUZK_KNOB_STAGING, CUZK_STAGING_PAGEABLE},
    {0, CUZK_KNOB_MSM_SYNC, CUZK_MSM_SYNC_IMMEDIATE},
    {0, CUZK_KNOB_DEVICE_LOCK, CUZK_DEVICE_LOCK_SINGLE},
    {0, CUZK_KNOB_DEALLOC, CUZK_DEALLOC_INLINE},
    {0, CUZK_KNOB_DEVICE_THREADS, 0},
    {0, CUZK_KNOB_MEMBW_THROTTLE, CUZK_THROTTLE_OFF},
    {0, CUZK_KNOB_FINALIZE, CUZK_FINALIZE_INLINE},
    {0, CUZK_KNOB_BACKPRESSURE, CUZK_BACKPRESSURE_UNTIL_SYNTH},
    /* 1 brought all proof kinds and priorities, which are no knobs */
    {2, CUZK_KNOB_OVERLAP, CUZK_OVERLAP_PROOF},
    {3, CUZK_KNOB_BATCH_MAX, 2},
    {4, CUZK_KNOB_DEALLOC, CUZK_DEALLOC_UNBOUNDED},
    {5, CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_PCE_CPU},
    {6, CUZK_KNOB_BATCH_MAX, 1},
    {6, CUZK_KNOB_OVERLAP, CUZK_OVERLAP_PARTITION},
    {7, CUZK_KNOB_OVERLAP, CUZK_OVERLAP_SECTORS},
    {7, CUZK_KNOB_PARTITION_WORKERS, 20},
    {8, CUZK_KNOB_WORKERS_PER_DEVICE, 2},
    {8, CUZK_KNOB_PARTITION_WORKERS, 10},
    {9, CUZK_KNOB_STAGING, CUZK_STAGING_PINNED},
    {9, CUZK_KNOB_MSM_SYNC, CUZK_MSM_SYNC_DEFERRED},
    {10, CUZK_KNOB_DEVICE_LOCK, CUZK_DEVICE_LOCK_SPLIT},
    {10, CUZK_KNOB_WORKERS_PER_DEVICE, 3},
    {11, CUZK_KNOB_DEVICE_LOCK, CUZK_DEVICE_LOCK_SINGLE},
    {11, CUZK_KNOB_WORKERS_PER_DEVICE, 2},
    {11, CUZK_KNOB_DEALLOC, CUZK_DEALLOC_BOUNDED},
    {11, CUZK_KNOB_DEVICE_THREADS, 32},
    {11, CUZK_KNOB_MEMBW_THROTTLE, CUZK_THROTTLE_ON},
    {12, CUZK_KNOB_FINALIZE, CUZK_FINALIZE_ASYNC},
    {12, CUZK_KNOB_BACKPRESSURE, CUZK_BACKPRESSURE_THROUGH_SEND},
    {12, CUZK_KNOB_CHANNEL_CAPACITY, 0},
    {PRESET_AUTO, CUZK_KNOB_SRS, CUZK_SRS_RESIDENT_DEVICE},
    {PRESET_AUTO, CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_COMPACT_DEVICE},
    {PRESET_AUTO, CUZK_KNOB_STAGING, CUZK_STAGING_DEVICE_RESIDENT},
    {PRESET_AUTO, CUZK_KNOB_PARTITION_WORKERS, 0},
    {PRESET_AUTO, CUZK_KNOB_DEVICE_THREADS, 0},
    {PRESET_AUTO, CUZK_KNOB_MEMBW_THROTTLE, CUZK_THROTTLE_OFF},
};

const struct cuzk_knob_row *cuzk_knob_row(enum cuzk_knob knob)
{
    return &rows[knob];
}

uint32_t cuzk_knob_choices(enum cuzk_knob knob)
{
    uint32_t count = rows[knob].choices != NULL;

    for (const char *at = rows[knob].choices; at != NULL && (at = strchr(at, '|')) != NULL; at++)
        count++;
    return count;
}

const char *cuzk_knobs_preset_name(size_t index)
{
    return index < PRESETS ? preset_names[index] : NULL;
}

/* Appends to a text that is cut where it is full. */
static void append(char *text, size_t room, const char *more)
{
    const size_t length = strlen(text);

    snprintf(text + length, room - length, "%s", more);
}

enum cuzk_status cuzk_knobs_preset(const char *name, struct cuzk_knobs *out, struct cuzk_error *err)
{
    char list[256] = "";

    for (size_t preset = 0; preset < PRESETS; preset++) {
        if (strcmp(preset_names[preset], name) == 0) {
            for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
                if (changes[i].preset <= preset)
                    out->value[changes[i].knob] = changes[i].value;
            return CUZK_OK;
        }
        append(list, sizeof list, preset == 0 ? "" : ", ");
        append(list, sizeof list, preset_names[preset]);
    }
    return cuzk_error_set(err, CUZK_ARGUMENT, "preset: expected one of %s, found '%s'", list, name);
}

/* The index of a word in "one|two|three", or -1. */
static int choice_index(const char *choices, const char *word)
{
    const size_t n = strlen(word);

    for (int index = 0;; index++) {
        const size_t length = strcspn(choices, "|");

        if (length == n && memcmp(choices, word, n) == 0)
            return index;
        if (choices[length] == '\0')
            return -1;
        choices += length + 1;
    }
}

static enum cuzk_status parse_value(const struct cuzk_knob_row *row, const char *text, uint32_t *out,
                                    struct cuzk_error *err)
{
    uint64_t value = 0;

    if (row->choices != NULL) {
        const int index = choice_index(row->choices, text);

        if (index < 0)
            return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected one of %s, found '%s'", row->name,
                                  row->choices, text);
        *out = (uint32_t)index;
        return CUZK_OK;
    }
    if (row->zero != NULL && strcmp(text, row->zero) == 0) {
        *out = 0;
        return CUZK_OK;
    }
    const size_t digits = strspn(text, "0123456789");

    for (size_t i = 0; i < digits && i < 10; i++)
        value = 10 * value + (uint64_t)(text[i] - '0');
    if (digits == 0 || digits > 9 || text[digits] != '\0' || value < row->min || value > row->max)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected %s%s%" PRIu32 " to %" PRIu32 ", found '%s'",
                              row->name, row->zero != NULL ? row->zero : "", row->zero != NULL ? " or " : "",
                              row->zero != NULL && row->min == 0 ? 1 : row->min, row->max, text);
    *out = (uint32_t)value;
    return CUZK_OK;
}

enum cuzk_status cuzk_knobs_set(struct cuzk_knobs *knobs, const char *assignment, struct cuzk_error *err)
{
    const size_t length = strcspn(assignment, "=");
    char list[384] = "";

    for (size_t knob = 0; knob < CUZK_KNOBS; knob++) {
        if (strlen(rows[knob].name) == length && memcmp(rows[knob].name, assignment, length) == 0) {
            if (assignment[length] == '\0')
                return cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected %s=VALUE with %s", assignment,
                                      assignment,
                                      rows[knob].choices != NULL ? rows[knob].choices : "a whole number");
            return parse_value(&rows[knob], assignment + length + 1, &knobs->value[knob], err);
        }
        append(list, sizeof list, knob == 0 ? "" : ", ");
        append(list, sizeof list, rows[knob].name);
    }
    return cuzk_error_set(err, CUZK_ARGUMENT, "knob: expected one of %s; found '%.*s'", list, (int)length,
                          assignment);
}

void cuzk_knob_format(enum cuzk_knob knob, uint32_t value, char *text, size_t room)
{
    const struct cuzk_knob_row *row = &rows[knob];
    const char *choice = row->choices;

    if (choice == NULL) {
        if (value == 0 && row->zero != NULL)
            snprintf(text, room, "%s", row->zero);
        else
            snprintf(text, room, "%" PRIu32, value);
        return;
    }
    for (uint32_t i = 0; i < value && strchr(choice, '|') != NULL; i++)
        choice = strchr(choice, '|') + 1;
    snprintf(text, room, "%.*s", (int)strcspn(choice, "|"), choice);
}

/* Of a knob, or of one of its values. */
static const struct same {
    const char *backend;
    enum cuzk_knob knob;
    uint32_t value, as; /* ANY, ANY: whatever its value is */
    const char *reason;
} sames[] = {
    {"cpu", CUZK_KNOB_SRS, CUZK_SRS_RESIDENT_DEVICE, CUZK_SRS_RESIDENT_PINNED,
     "the device's memory is the host's"},
    {"cpu", CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_COMPACT_DEVICE, CUZK_SYNTHESIS_PCE_CPU,
     "the device is the host: its threads evaluate, by recorded matrices"},
    {"cpu", CUZK_KNOB_STAGING, ANY, ANY, "the device's memory is the host's: nothing is copied to it"},
    {"cpu", CUZK_KNOB_MSM_SYNC, ANY, ANY, "operations are done when their call returns"},
    {"cpu", CUZK_KNOB_DEVICE_LOCK, ANY, ANY, "there is no device memory to lock apart from the processors"},
    {"cpu", CUZK_KNOB_MEMBW_THROTTLE, ANY, ANY,
     "no operation of the device runs beside synthesis on other processors"},
    {"cuda", CUZK_KNOB_SRS, CUZK_SRS_RESIDENT_PINNED, CUZK_SRS_RESIDENT_DEVICE,
     "a key that fits stays on the device, one that does not passes through it from page-locked memory "
     "(memory.device)"},
    {"cuda", CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_PCE_CPU, CUZK_SYNTHESIS_COMPACT_DEVICE,
     "the device evaluates, from the compact witness"},
    {"cuda", CUZK_KNOB_STAGING, ANY, ANY,
     "the compact witness goes into a buffer that stays on the device, through page-locked memory that stays "
     "too"},
    {"cuda", CUZK_KNOB_MSM_SYNC, ANY, ANY, "a stage's sums are waited for once"},
    {"cuda", CUZK_KNOB_DEVICE_THREADS, ANY, ANY, "the G2 MSM runs on the device"},
    {"cuda", CUZK_KNOB_MEMBW_THROTTLE, ANY, ANY, "the G2 MSM runs on the device"},
    {"null", CUZK_KNOB_SRS, ANY, ANY, "there is no proving key"},
    {"null", CUZK_KNOB_SYNTHESIS, ANY, ANY, "there is no circuit"},
    {"null", CUZK_KNOB_STAGING, ANY, ANY, "nothing is copied"},
    {"null", CUZK_KNOB_MSM_SYNC, ANY, ANY, "stages are waits"},
    {"null", CUZK_KNOB_DEVICE_THREADS, ANY, ANY, "stages are waits"},
    {"null", CUZK_KNOB_MEMBW_THROTTLE, ANY, ANY, "stages are waits"},
};

static const struct same *find_same(enum cuzk_knob knob, uint32_t value, const char *backend)
{
    for (size_t i = 0; i < sizeof sames / sizeof sames[0]; i++)
        if (sames[i].knob == knob && sames[i].value == value && strcmp(sames[i].backend, backend) == 0)
            return &sames[i];
    return NULL;
}

const char *cuzk_knob_meaningless(enum cuzk_knob knob, const char *backend)
{
    const struct same *same = find_same(knob, ANY, backend);

    return same != NULL ? same->reason : NULL;
}

const char *cuzk_knob_taken_for(enum cuzk_knob knob, uint32_t value, const char *backend, uint32_t *as)
{
    const struct same *same = find_same(knob, value, backend);

    *as = same != NULL ? same->as : value;
    return same != NULL ? same->reason : NULL;
}

bool cuzk_knobs_are_same(const struct cuzk_knobs *one, const struct cuzk_knobs *other, const char *backend)
{
    for (unsigned knob = 0; knob < CUZK_KNOBS; knob++) {
        uint32_t a, b;

        (void)cuzk_knob_taken_for((enum cuzk_knob)knob, one->value[knob], backend, &a);
        (void)cuzk_knob_taken_for((enum cuzk_knob)knob, other->value[knob], backend, &b);
        if (a != b && cuzk_knob_meaningless((enum cuzk_knob)knob, backend) == NULL)
            return false;
    }
    return true;
}

unsigned cuzk_knobs_device_threads(const struct cuzk_knobs *knobs, unsigned threads)
{
    const uint32_t most = knobs->value[CUZK_KNOB_DEVICE_THREADS];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (most == 0)
        return threads;
    if (threads == 0)
        threads = processors > 0 ? (unsigned)processors : 1;
    return most < threads ? most : threads;
}

unsigned cuzk_knobs_device_slots(const struct cuzk_knobs *knobs)
{
    return 2 * knobs->value[CUZK_KNOB_WORKERS_PER_DEVICE];
}

static double gib(uint64_t bytes)
{
    return (double)bytes / (double)(UINT64_C(1) << 30);
}

/* Beside one partition worker a second partition is held: waiting for the device, or on it. */
static enum cuzk_status partition_workers(const struct cuzk_knob_machine *machine, uint32_t *workers,
                                          struct cuzk_error *err)
{
    const uint64_t needed = machine->partition_peak;
    const uint64_t left =
        machine->host_budget > machine->host_base ? machine->host_budget - machine->host_base : 0;

    if (machine->host_budget != 0 && left < needed)
        return cuzk_error_set(err, CUZK_MEMORY,
                              "host budget: %.1f GiB resident + %.1f GiB for one partition = %.1f GiB, the "
                              "budget is %.1f GiB",
                              gib(machine->host_base), gib(needed), gib(machine->host_base + needed),
                              gib(machine->host_budget));
    if (*workers != 0)
        return CUZK_OK;
    *workers = machine->processors > 0 ? machine->processors : 1;
    if (machine->host_budget != 0 && machine->partition_peak + machine->partition_held != 0) {
        const uint64_t held = left / (machine->partition_peak + machine->partition_held);

        if (held < *workers)
            *workers = held > 0 ? (uint32_t)held : 1;
    }
    if (*workers > rows[CUZK_KNOB_PARTITION_WORKERS].max)
        *workers = rows[CUZK_KNOB_PARTITION_WORKERS].max;
    return CUZK_OK;
}

static enum cuzk_status check_device(const struct cuzk_knobs *knobs, const struct cuzk_knob_machine *machine,
                                     struct cuzk_error *err)
{
    const bool split = knobs->value[CUZK_KNOB_DEVICE_LOCK] == CUZK_DEVICE_LOCK_SPLIT;
    const uint64_t count = split ? 2 : 1;
    const uint64_t needed = machine->device_base + count * machine->device_partition;

    if (split && knobs->value[CUZK_KNOB_WORKERS_PER_DEVICE] < 2)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "device_lock: split needs workers_per_device of at least 2, found %" PRIu32,
                              knobs->value[CUZK_KNOB_WORKERS_PER_DEVICE]);
    if (machine->device_memory != 0 && needed > machine->device_memory)
        return cuzk_error_set(
            err, CUZK_MEMORY,
            "device_lock: %s holds %" PRIu64 " partition%s of %.1f GiB beside %.1f GiB resident = %.1f GiB; "
            "the device has %.1f GiB",
            split ? "split" : "single", count, split ? "s" : "", gib(machine->device_partition),
            gib(machine->device_base), gib(needed), gib(machine->device_memory));
    return CUZK_OK;
}

enum cuzk_status cuzk_knobs_resolve(struct cuzk_knobs *knobs, const struct cuzk_knob_machine *machine,
                                    struct cuzk_error *err)
{
    struct cuzk_knobs out = *knobs;

    if (out.value[CUZK_KNOB_BATCH_MAX] > 1 && out.value[CUZK_KNOB_OVERLAP] > CUZK_OVERLAP_PROOF)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "batch.max: %" PRIu32 " proofs can only be joined with overlap none or proof",
                              out.value[CUZK_KNOB_BATCH_MAX]);
    CUZK_TRY(partition_workers(machine, &out.value[CUZK_KNOB_PARTITION_WORKERS], err));
    CUZK_TRY(check_device(&out, machine, err));
    if (out.value[CUZK_KNOB_CHANNEL_CAPACITY] == 0)
        out.value[CUZK_KNOB_CHANNEL_CAPACITY] = out.value[CUZK_KNOB_PARTITION_WORKERS];
    if (out.value[CUZK_KNOB_DEVICE_THREADS] == 0)
        out.value[CUZK_KNOB_DEVICE_THREADS] = machine->processors > 0 ? machine->processors : 1;
    if (out.value[CUZK_KNOB_DEVICE_THREADS] > rows[CUZK_KNOB_DEVICE_THREADS].max)
        out.value[CUZK_KNOB_DEVICE_THREADS] = rows[CUZK_KNOB_DEVICE_THREADS].max;
    *knobs = out;
    return CUZK_OK;
}
