#include "server/reload.h"

#include "server/notify.h"

struct changes {
    const struct cuzk_log *log;
    unsigned taken, waiting;
};

static void name_change(void *context, const char *key, const char *before, const char *after, bool reload)
{
    struct changes *changes = context;

    if (reload) {
        changes->taken++;
        cuzk_log_line(changes->log, CUZK_LOG_INFO, "reload: %s is %s, was %s", key,
                      after[0] != '\0' ? after : "not set", before[0] != '\0' ? before : "not set");
    } else {
        changes->waiting++;
        cuzk_log_line(changes->log, CUZK_LOG_WARNING, "reload: %s = %s needs a restart; %s stays in force",
                      key, after[0] != '\0' ? after : "not set", before[0] != '\0' ? before : "not set");
    }
}

enum cuzk_status cuzk_reload(const char *path, const struct cuzk_option_given *flags,
                             const struct cuzk_config *running, struct cuzk_daemon *daemon,
                             struct cuzk_log_output *output, struct cuzk_error *err)
{
    struct changes changes = {cuzk_log_output_log(output), 0, 0};
    struct cuzk_log_output_options options;
    struct cuzk_config *fresh;

    cuzk_notify_reloading();
    enum cuzk_status status = cuzk_config_read(path, flags, &fresh, err);

    if (status == CUZK_OK) {
        status = cuzk_config_check(fresh, err);
        if (status == CUZK_OK && daemon != NULL)
            status = cuzk_daemon_reload(daemon, fresh, err);
        if (status == CUZK_OK) {
            cuzk_log_output_of_config(&fresh->values, &options);
            cuzk_log_output_change(output, &options);
            cuzk_config_compare(running, fresh, name_change, &changes);
            cuzk_log_line(changes.log, CUZK_LOG_INFO,
                          "reload: %u differ from the start, %u of them wait for a restart",
                          changes.taken + changes.waiting, changes.waiting);
        }
        cuzk_config_destroy(fresh);
    }
    cuzk_notify_reloaded();
    return status;
}
