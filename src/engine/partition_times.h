/* Where the time of one partition went: the same figures whether this process proved it or a daemon did. */
#ifndef CUZK_ENGINE_PARTITION_TIMES_H
#define CUZK_ENGINE_PARTITION_TIMES_H

#include <stdint.h>

#include "groth16/prove.h"

struct cuzk_partition_times {
    uint64_t witness_ns;
    uint64_t queue_ns; /* waiting for other proofs on the device, after the witness */
    struct cuzk_prove_times prove;
};

#endif
