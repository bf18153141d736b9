/*
 * What this processor can do, asked once. CUZK_CPU in the environment (portable, adx, ifma) lowers the level;
 * what cannot be had is ignored, and cuzk_cpu_refused tells. Thread-safe.
 */
#ifndef CUZK_BASE_CPU_H
#define CUZK_BASE_CPU_H

#include <stdbool.h>

enum cuzk_cpu_level {
    CUZK_CPU_PORTABLE, /* plain C */
    CUZK_CPU_ADX,      /* BMI2 and ADX */
    CUZK_CPU_IFMA,     /* AVX-512 F, DQ, BW, VL and IFMA, besides BMI2 and ADX */
};

/* The arithmetic level in force. */
enum cuzk_cpu_level cuzk_cpu_level(void);

/* The value of CUZK_CPU where it names no level, or one that this processor does not have; else NULL. */
const char *cuzk_cpu_refused(void);

/* Tests: sets the level for the whole process, never above what the processor has; returns the level set. */
enum cuzk_cpu_level cuzk_cpu_set_level(enum cuzk_cpu_level level);

/* "portable", "adx", "ifma". */
const char *cuzk_cpu_level_name(enum cuzk_cpu_level level);

/* SHA-256 instructions, unless the level was forced to portable. */
bool cuzk_cpu_has_sha(void);

/* Logical processors this process may use (sched_getaffinity), at least 1. */
unsigned cuzk_cpu_count(void);

/* The processor's own name ("AMD EPYC ..."), or "unknown"; static storage. */
const char *cuzk_cpu_name(void);

#endif
