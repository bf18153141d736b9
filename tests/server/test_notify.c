#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "server/notify.h"
#include "server/reload.h"

/* A service manager: a datagram socket that notices come to. */
struct manager {
    int socket;
    char path[64];
    char all[8192]; /* everything that came */
};

static void manager_open(struct manager *manager)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {10, 0};

    memset(manager, 0, sizeof *manager);
    snprintf(manager->path, sizeof manager->path, "/tmp/cuzk-test-notify-%d", (int)getpid());
    unlink(manager->path);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", manager->path);
    manager->socket = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(manager->socket, (struct sockaddr *)&address, sizeof address), 0);
    setsockopt(manager->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setenv("NOTIFY_SOCKET", manager->path, 1);
}

static void manager_close(struct manager *manager)
{
    close(manager->socket);
    unlink(manager->path);
    unsetenv("NOTIFY_SOCKET");
}

/* Until a notice with this text has come. */
static void manager_expect(struct manager *manager, const char *text)
{
    char notice[1024];

    for (;;) {
        const ssize_t n = recv(manager->socket, notice, sizeof notice - 1, 0);

        if (n <= 0)
            fail_msg("no notice with %s came; there were: %s", text, manager->all);
        notice[n] = '\0';
        snprintf(manager->all + strlen(manager->all), sizeof manager->all - strlen(manager->all), "%s\n",
                 notice);
        if (strstr(notice, text) != NULL)
            return;
    }
}

static struct cuzk_engine *null_engine(void)
{
    static struct cuzk_device *device;
    const struct cuzk_device_null behaviour = {.load_ns = 1000000};
    struct cuzk_engine_options options = {.devices = &device,
                                          .device_count = 1,
                                          .threads = 1,
                                          .jobs_most = 10,
                                          .failures_most = 1,
                                          .aging_ms = 1000,
                                          .result_keep_ms = 1000};
    struct cuzk_engine *engine;
    struct cuzk_error err;

    assert_int_equal(cuzk_knobs_preset("auto", &options.knobs, &err), CUZK_OK);
    assert_int_equal(cuzk_device_null_create(&behaviour, 8, &device, &err), CUZK_OK);
    if (cuzk_engine_create(&options, &engine, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return engine;
}

static void test_notify__ready_status_watchdog_stopping(void **state)
{
    struct manager manager;
    struct cuzk_notify *notify;
    struct cuzk_error err;
    char pid[16];

    (void)state;
    manager_open(&manager);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("WATCHDOG_USEC", "100000", 1);
    setenv("WATCHDOG_PID", pid, 1);
    struct cuzk_engine *engine = null_engine();

    assert_int_equal(cuzk_notify_create(engine, &notify, &err), CUZK_OK);
    manager_expect(&manager, "READY=1");
    assert_non_null(strstr(manager.all, "STATUS=0 waiting, 0 running, 0 done, 0 failed"));
    for (unsigned i = 0; i < 3; i++)
        manager_expect(&manager, "WATCHDOG=1");
    cuzk_notify_destroy(notify);
    manager_expect(&manager, "STOPPING=1");
    assert_null(strstr(strstr(manager.all, "READY=1") + 1, "READY=1")); /* once */
    cuzk_engine_destroy(engine);
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    manager_close(&manager);
}

static void test_notify__without_a_manager_nothing_happens(void **state)
{
    struct cuzk_notify *notify;
    struct cuzk_engine *engine = null_engine();

    (void)state;
    assert_int_equal(cuzk_notify_create(engine, &notify, NULL), CUZK_OK);
    cuzk_notify_reloading();
    cuzk_notify_reloaded();
    cuzk_notify_destroy(notify);
    cuzk_notify_destroy(NULL);
    cuzk_engine_destroy(engine);
}

static void test_reload__takes_what_it_can_and_names_the_rest(void **state)
{
    struct cuzk_log_output_options options;
    struct cuzk_log_output *output;
    struct cuzk_config *config;
    struct manager manager;
    struct cuzk_error err;
    char path[64], text[4096];
    int ends[2];

    (void)state;
    manager_open(&manager);
    snprintf(path, sizeof path, "/tmp/cuzk-test-reload-%d.toml", (int)getpid());
    assert_int_equal(cuzk_file_write(path, true, "", 0, &err), CUZK_OK);
    assert_int_equal(cuzk_config_read(path, NULL, &config, &err), CUZK_OK);
    assert_int_equal(pipe(ends), 0);
    cuzk_log_output_of_config(&config->values, &options);
    assert_int_equal(options.level, CUZK_LOG_INFO);
    options.descriptor = ends[1];
    options.journal = true;
    assert_int_equal(cuzk_log_output_create(&options, &output, &err), CUZK_OK);
    static const char changed[] = "[log]\nformat = \"json\"\n[memory]\nhost = \"2GiB\"\n";

    assert_int_equal(cuzk_file_write(path, true, changed, sizeof changed - 1, &err), CUZK_OK);
    assert_int_equal(cuzk_reload(path, NULL, config, NULL, output, &err), CUZK_OK);
    manager_expect(&manager, "RELOADING=1\nMONOTONIC_USEC=");
    manager_expect(&manager, "READY=1");
    assert_int_equal(cuzk_file_write(path, true, "[log]\nformat = 1\n", 17, &err), CUZK_OK);
    assert_int_equal(cuzk_reload(path, NULL, config, NULL, output, &err), CUZK_INPUT);
    cuzk_log_output_destroy(output);
    close(ends[1]);
    const ssize_t n = read(ends[0], text, sizeof text - 1);

    assert_true(n > 0);
    text[n] = '\0';
    close(ends[0]);
    assert_string_equal(
        text,
        "<4>{\"level\":\"warning\",\"message\":\"reload: memory.host = \\\"2GiB\\\" needs a restart; not set "
        "stays in force\"}\n"
        "<6>{\"level\":\"info\",\"message\":\"reload: log.format is \\\"json\\\", was \\\"logfmt\\\"\"}\n"
        "<6>{\"level\":\"info\",\"message\":\"reload: 2 differ from the start, 1 of them wait for a "
        "restart\"}\n");
    cuzk_config_destroy(config);
    unlink(path);
    manager_close(&manager);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notify__ready_status_watchdog_stopping),
        cmocka_unit_test(test_notify__without_a_manager_nothing_happens),
        cmocka_unit_test(test_reload__takes_what_it_can_and_names_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
