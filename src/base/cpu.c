#include "base/cpu.h"

#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum cuzk_cpu_level best;
static _Atomic enum cuzk_cpu_level current;
static bool sha;
static const char *refused;
static char name[49];

static unsigned long long read_xcr0(void)
{
    unsigned lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return ((unsigned long long)hi << 32) | lo;
}

static void read_name(void)
{
    unsigned r[12];

    strcpy(name, "unknown");
    if (__get_cpuid_max(0x80000000u, NULL) < 0x80000004u)
        return;
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3]);
    memcpy(name, r, 48);
    name[48] = '\0';
    for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
        name[n - 1] = '\0';
}

static void detect(void)
{
    unsigned a, b = 0, c, d;
    unsigned long long xcr0 = 0;

    read_name();
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE))
        xcr0 = read_xcr0();
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        b = 0;
    const bool adx = (b & bit_BMI2) && (b & bit_ADX);
    const bool zmm = (xcr0 & 0xe6) == 0xe6;
    const unsigned want = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL | bit_AVX512IFMA;
    sha = (b & bit_SHA) != 0;
    best = CUZK_CPU_PORTABLE;
    if (adx)
        best = CUZK_CPU_ADX;
    if (adx && zmm && (b & want) == want)
        best = CUZK_CPU_IFMA;
    enum cuzk_cpu_level level = best;
    const char *forced = getenv("CUZK_CPU");
    refused = forced;
    if (forced != NULL)
        for (enum cuzk_cpu_level i = CUZK_CPU_PORTABLE; i <= best; i++)
            if (strcmp(forced, cuzk_cpu_level_name(i)) == 0) {
                level = i;
                refused = NULL;
            }
    atomic_store(&current, level);
}

enum cuzk_cpu_level cuzk_cpu_level(void)
{
    pthread_once(&once, detect);
    return atomic_load_explicit(&current, memory_order_relaxed);
}

const char *cuzk_cpu_refused(void)
{
    pthread_once(&once, detect);
    return refused;
}

enum cuzk_cpu_level cuzk_cpu_set_level(enum cuzk_cpu_level level)
{
    pthread_once(&once, detect);
    if (level > best)
        level = best;
    atomic_store(&current, level);
    return level;
}

const char *cuzk_cpu_level_name(enum cuzk_cpu_level level)
{
    switch (level) {
    case CUZK_CPU_PORTABLE:
        return "portable";
    case CUZK_CPU_ADX:
        return "adx";
    case CUZK_CPU_IFMA:
        return "ifma";
    }
    return "unknown";
}

bool cuzk_cpu_has_sha(void)
{
    return cuzk_cpu_level() != CUZK_CPU_PORTABLE && sha;
}

unsigned cuzk_cpu_count(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    const int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

const char *cuzk_cpu_name(void)
{
    pthread_once(&once, detect);
    return name;
}
