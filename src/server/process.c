#include "server/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STAT_ROOM = 1024, NAME_FIELD = 2 };

/* Fields of /proc/self/stat, counted from 1 as in proc(5). */
enum {
    FIELD_UTIME = 14,
    FIELD_STIME = 15,
    FIELD_THREADS = 20,
    FIELD_START = 22,
    FIELD_VSIZE = 23,
    FIELD_RSS = 24
};

static double boot_seconds(void)
{
    struct timespec real, boot;

    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    return (double)(real.tv_sec - boot.tv_sec) + (double)(real.tv_nsec - boot.tv_nsec) / 1e9;
}

static void read_stat(struct cuzk_process_usage *out)
{
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    char text[STAT_ROOM];
    unsigned field = NAME_FIELD;
    FILE *file = fopen("/proc/self/stat", "re");

    if (file == NULL)
        return;
    const size_t n = fread(text, 1, sizeof text - 1, file);

    fclose(file);
    text[n] = '\0';
    /* The name, in parentheses, may hold anything. */
    for (char *at = strrchr(text, ')'); at != NULL && (at = strchr(at, ' ')) != NULL;) {
        const double value = strtod(++at, NULL);

        switch (++field) {
        case FIELD_UTIME:
        case FIELD_STIME:
            out->cpu_seconds += value / ticks;
            break;
        case FIELD_THREADS:
            out->threads = (uint64_t)value;
            break;
        case FIELD_START:
            out->start_seconds = boot_seconds() + value / ticks;
            break;
        case FIELD_VSIZE:
            out->virtual_size = (uint64_t)value;
            break;
        case FIELD_RSS:
            out->resident = (uint64_t)value * (uint64_t)sysconf(_SC_PAGESIZE);
            break;
        default:
            break;
        }
    }
}

static uint64_t count_fds(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");

    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count > 0 ? count - 1 : 0; /* the folder's own */
}

void cuzk_process_usage(struct cuzk_process_usage *out)
{
    struct rlimit limit;

    *out = (struct cuzk_process_usage){0};
    read_stat(out);
    out->open_fds = count_fds();
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        out->most_fds = limit.rlim_cur;
}
