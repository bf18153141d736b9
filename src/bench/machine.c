#include "bench/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cpu.h"
#include "base/version.h"

/* The number behind `name` in a file of "Name:   12345 kB" lines, in bytes; 0 where it is not there. */
static uint64_t proc_value(const char *path, const char *name)
{
    char line[256];
    uint64_t kilobytes = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return 0;
    const size_t n = strlen(name);

    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, n) == 0 && line[n] == ':') {
            /* NOLINTNEXTLINE(cert-err34-c): the kernel's text */
            if (sscanf(line + n + 1, "%" SCNu64, &kilobytes) != 1)
                kilobytes = 0;
            break;
        }
    fclose(file);
    return kilobytes * 1024;
}

void cuzk_machine_read(struct cuzk_machine *out)
{
    struct utsname names;

    memset(out, 0, sizeof *out);
    out->cpu = cuzk_cpu_name();
    out->level = cuzk_cpu_level_name(cuzk_cpu_level());
    out->processors = cuzk_cpu_count();
    out->memory_bytes = proc_value("/proc/meminfo", "MemTotal");
    out->memory_available_bytes = proc_value("/proc/meminfo", "MemAvailable");
    if (uname(&names) == 0)
        snprintf(out->kernel, sizeof out->kernel, "%.30s %.40s", names.sysname, names.release);
    out->compiler = __VERSION__;
}

void cuzk_machine_write(struct cuzk_json_writer *json)
{
    struct cuzk_machine machine;

    cuzk_machine_read(&machine);
    cuzk_json_write_member_string(json, "version", cuzk_version());
    cuzk_json_write_member_string(json, "commit", cuzk_commit());
    cuzk_json_write_key(json, "machine");
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "cpu", machine.cpu);
    cuzk_json_write_member_string(json, "level", machine.level);
    cuzk_json_write_member_bool(json, "sha", cuzk_cpu_has_sha());
    cuzk_json_write_member_u64(json, "processors", machine.processors);
    cuzk_json_write_member_u64(json, "memory_bytes", machine.memory_bytes);
    cuzk_json_write_member_string(json, "kernel", machine.kernel);
    cuzk_json_write_member_string(json, "compiler", machine.compiler);
    cuzk_json_write_object_end(json);
}

uint64_t cuzk_machine_peak_resident(void)
{
    return proc_value("/proc/self/status", "VmHWM");
}

uint64_t cuzk_machine_anonymous(void)
{
    return proc_value("/proc/self/status", "RssAnon");
}
