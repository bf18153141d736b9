/* What a figure was measured on: no figure goes anywhere without it. */
#ifndef CUZK_BENCH_MACHINE_H
#define CUZK_BENCH_MACHINE_H

#include <stdint.h>

#include "base/json_writer.h"

struct cuzk_machine {
    const char *cpu;   /* static storage */
    const char *level; /* arithmetic in force: "portable", "adx", "ifma" */
    unsigned processors;
    uint64_t memory_bytes, memory_available_bytes;
    char kernel[80];
    const char *compiler; /* that built this program */
};

void cuzk_machine_read(struct cuzk_machine *out);

/* Member "machine" (an object) and members "version" and "commit" of the object that is open. */
void cuzk_machine_write(struct cuzk_json_writer *json);

/* Peak resident memory of this process (VmHWM) and its anonymous part now (RssAnon), in bytes; 0 where the
 * kernel does not say. */
uint64_t cuzk_machine_peak_resident(void);
uint64_t cuzk_machine_anonymous(void);

#endif
