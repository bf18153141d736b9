#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/timeline.h"
#include "server/engine_facts.h"
#include "server/http.h"
#include "server/http_client.h"
#include "server/prometheus.h"

enum { ROOM = 512, IDLE_MS = 700, ANSWER_MS = 2000, HEARTBEAT_MS = 1000, CONNECTIONS = 32, STREAMS = 6 };

struct world {
    struct cuzk_event_log *log;
    struct cuzk_http_server *server;
    uint16_t port;
    atomic_bool draining;
};

static struct world world;

static void fake_status(void *context, struct cuzk_engine_status *out)
{
    const struct world *w = context;

    engine_facts_status(3, out);
    out->draining = w->draining;
}

static bool fake_failure(void *context, uint64_t job, char *text, size_t room)
{
    (void)context;
    snprintf(text, room, "job %d: <no> memory & no luck", (int)job);
    return true;
}

static int set_up(void **state)
{
    struct cuzk_http_options options = {
        .host = "127.0.0.1",
        .source = {.status = fake_status, .failure = fake_failure, .context = &world},
        .connections_most = CONNECTIONS,
        .streams_most = STREAMS,
        .idle_ms = IDLE_MS,
        .answer_ms = ANSWER_MS,
        .heartbeat_ms = HEARTBEAT_MS,
    };

    (void)state;
    assert_int_equal(cuzk_event_log_create(ROOM, &world.log, NULL), CUZK_OK);
    options.source.events = world.log;
    assert_int_equal(cuzk_http_start(&options, &world.server, NULL), CUZK_OK);
    world.port = cuzk_http_port(world.server);
    world.draining = false;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    cuzk_http_stop(world.server);
    cuzk_event_log_destroy(world.log);
    return 0;
}

static void add_stage(uint64_t job, int32_t partition)
{
    const uint64_t now = cuzk_clock_ns();

    cuzk_event_log_add(world.log, &(struct cuzk_engine_event){.type = CUZK_EVENT_TYPE_STAGE,
                                                              .begin_ns = now - 5000000,
                                                              .end_ns = now,
                                                              .job = job,
                                                              .partition = partition,
                                                              .kind = CUZK_PROOF_KIND_POREP,
                                                              .stage = CUZK_STAGE_MSM,
                                                              .lane = "gpu0",
                                                              .kernels_ns = 4000000});
}

static void add_end(uint64_t job, enum cuzk_event_type type)
{
    const uint64_t now = cuzk_clock_ns();

    cuzk_event_log_add(world.log, &(struct cuzk_engine_event){.type = type,
                                                              .begin_ns = now - 9000000,
                                                              .end_ns = now,
                                                              .job = job,
                                                              .partition = CUZK_TIMELINE_NO_PARTITION,
                                                              .kind = CUZK_PROOF_KIND_POREP});
}

static void assert_status(const char *answer, int code)
{
    char wanted[32];

    snprintf(wanted, sizeof wanted, "HTTP/1.1 %d ", code);
    if (strncmp(answer, wanted, strlen(wanted)) != 0)
        fail_msg("expected %d, found: %.200s", code, answer);
}

static const char *body(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");

    assert_non_null(end);
    return end + 4;
}

static void expect(const char *method, const char *path, const char *headers, int code, const char *text)
{
    char *answer = http_client_get(world.port, method, path, headers);

    assert_status(answer, code);
    if (strstr(answer, text) == NULL)
        fail_msg("%s %s: no '%s' in: %.400s", method, path, text, answer);
    free(answer);
}

static void test_get__answers_every_path(void **state)
{
    char why[512];

    (void)state;
    expect("GET", "/health", "", 200, "ok");
    expect("GET", "/ready", "", 200, "ready");
    expect("GET", "/app.js", "", 200, "EventSource");
    expect("GET", "/style.css", "", 200, "prefers-color-scheme");
    expect("GET", "/status", "", 200, "\"preset\": \"phase-12\"");
    expect("GET", "/nothing", "", 404, "/metrics");
    expect("GET", "/../../etc/passwd", "", 404, "nothing here");
    expect("GET", "/%2e%2e/etc/passwd", "", 404, "nothing here");
    expect("GET", "/status%00x", "", 404, "nothing here");
    expect("GET", "/%73tatus", "", 404, "nothing here");
    char *answer = http_client_get(world.port, "GET", "/metrics", "");

    assert_status(answer, 200);
    assert_non_null(strstr(answer, "Content-Type: text/plain; version=0.0.4"));
    if (!prometheus_check(body(answer), why, sizeof why))
        fail_msg("%s", why);
    free(answer);
    world.draining = true;
    expect("GET", "/ready", "", 503, "Retry-After: 5");
    expect("GET", "/health", "", 200, "ok");
}

static void test_get__carries_the_headers_that_keep_pages_out(void **state)
{
    (void)state;
    expect("GET", "/", "", 200, "Content-Security-Policy: default-src 'none'; script-src 'self'");
    expect("GET", "/", "", 200, "X-Content-Type-Options: nosniff");
    expect("GET", "/status", "", 200, "Cross-Origin-Resource-Policy: same-origin");
    expect("GET", "/nothing", "", 404, "X-Frame-Options: DENY");
    char *answer = http_client_get(world.port, "GET", "/", "");

    assert_null(strstr(answer, "Access-Control-Allow"));
    assert_null(strstr(answer, "{{"));
    assert_null(strstr(answer, " style=")); /* the policy would refuse it */
    assert_non_null(strstr(answer, "Card &quot;0&quot; &lt;b&gt;"));
    assert_null(strstr(answer, "<b>\\"));
    free(answer);
}

static void test_get__refuses_foreign_hosts_and_origins(void **state)
{
    static const struct {
        const char *request;
        int code;
    } cases[] = {
        {"GET /status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403},
        {"GET /status HTTP/1.1\r\nHost: 127.0.0.1.evil.example:80\r\nConnection: close\r\n\r\n", 403},
        {"GET /status HTTP/1.1\r\nHost: localhost:80x\r\nConnection: close\r\n\r\n", 403},
        {"GET /status HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n", 403},
        {"GET /status HTTP/1.1\r\nHost: localhost:9821\r\nConnection: close\r\n\r\n", 200},
        {"GET /status HTTP/1.1\r\nHost: [::1]:9821\r\nConnection: close\r\n\r\n", 200},
        {"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nConnection: "
         "close\r\n\r\n",
         403},
        {"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null\r\nConnection: close\r\n\r\n", 403},
        {"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nConnection: close\r\n\r\n",
         200},
        {"GET /status HTTP/1.1\r\nConnection: close\r\n\r\n", 400},
        {"GET /health HTTP/1.0\r\n\r\n", 200},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char answer[65536], wanted[16];
        const int fd = http_client_connect(world.port);

        assert_true(http_client_send(fd, cases[i].request));
        http_client_read(fd, answer, sizeof answer, NULL, 5000);
        close(fd);
        snprintf(wanted, sizeof wanted, " %d ", cases[i].code);
        if (strncmp(answer, "HTTP/1.", 7) != 0 || strncmp(answer + 8, wanted, strlen(wanted)) != 0)
            fail_msg("case %zu: expected %d, found %.120s", i, cases[i].code, answer);
    }
}

static void test_get__takes_no_other_method_and_no_body(void **state)
{
    (void)state;
    expect("POST", "/status", "Content-Length: 3\r\n", 405, "Allow: GET, HEAD");
    expect("DELETE", "/", "", 405, "only GET and HEAD");
    expect("TRACE", "/", "", 405, "only GET and HEAD");
    expect("GET", "/", "Content-Length: 1000000000\r\n", 400, "no body");
    expect("GET", "/", "Transfer-Encoding: chunked\r\n", 400, "no body");
    char *answer = http_client_get(world.port, "HEAD", "/status", "");

    assert_status(answer, 200);
    assert_string_equal(body(answer), "");
    free(answer);
}

/* Whatever comes, the connection ends or is answered, and the next client is served. */
static void test_get__survives_malformed_requests(void **state)
{
    static const char *const bad[] = {
        "\r\n\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
        "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03 a TLS hello",
        "GET /%00%ff%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        "GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\nConnection: close\r\n\r\n",
        "GET /events?after=99999999999999999999999999 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };
    char *huge = malloc(100000);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const int fd = http_client_connect(world.port);

        http_client_send(fd, bad[i]);
        assert_true(http_client_closed(fd, 2 * IDLE_MS + 2000));
        close(fd);
    }
    snprintf(huge, 100000, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: %090000d\r\n\r\n", 0);
    const int fd = http_client_connect(world.port);

    http_client_send(fd, huge);
    assert_true(http_client_closed(fd, 2 * IDLE_MS + 2000));
    close(fd);
    free(huge);
    expect("GET", "/health", "", 200, "ok");
}

static void test_connections__that_dribble_or_idle_end_and_leave_room(void **state)
{
    int idle[3 * CONNECTIONS];
    const int slow = http_client_connect(world.port);
    unsigned drops = 0;

    (void)state;
    for (unsigned i = 0; i < 60 && http_client_send(slow, "G"); i++) {
        usleep(50000);
        drops = i;
    }
    assert_true(drops < 59); /* a byte in a while does not keep it alive */
    close(slow);
    for (int i = 0; i < 3 * CONNECTIONS; i++)
        idle[i] = http_client_connect(world.port);
    for (int i = 0; i < 5; i++)
        expect("GET", "/health", "", 200, "ok");
    assert_true(http_client_closed(idle[0], 2 * IDLE_MS + 2000));
    assert_true(http_client_closed(idle[3 * CONNECTIONS - 1], 2 * IDLE_MS + 2000));
    for (int i = 0; i < 3 * CONNECTIONS; i++)
        close(idle[i]);
}

static int open_stream(const char *headers)
{
    char request[512];
    const int fd = http_client_connect(world.port);

    snprintf(request, sizeof request, "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", headers);
    assert_true(http_client_send(fd, request));
    return fd;
}

/* The place of a stream that was closed is free soon, not with the next heartbeat. */
static void test_events__readers_that_go_leave_their_place(void **state)
{
    char text[4096];

    (void)state;
    for (int round = 0; round < 3; round++) {
        int streams[STREAMS];

        for (int i = 0; i < STREAMS; i++) {
            streams[i] = open_stream("");
            http_client_read(streams[i], text, sizeof text, "event: clock", 5000);
            assert_status(text, 200);
        }
        for (int i = 0; i < STREAMS; i++)
            close(streams[i]);
        usleep(HEARTBEAT_MS * 1000 * 3 / 4);
    }
}

static void test_events__come_as_they_happen_and_resume(void **state)
{
    static char text[1 << 19];

    (void)state;
    add_stage(1, 0);
    int fd = open_stream("");

    http_client_read(fd, text, sizeof text, "\"kernels_us\":4000}", 5000);
    assert_non_null(strstr(text, "Content-Type: text/event-stream"));
    assert_non_null(strstr(text, "event: clock\ndata: {\"now_us\":"));
    assert_non_null(strstr(text, "id: 1\ndata: {\"number\":1,\"type\":\"stage\","));
    assert_non_null(strstr(
        text, "\"job\":\"0000000000000001\",\"kind\":\"porep-c2\",\"partition\":0,\"kernels_us\":4000}"));
    add_stage(1, 7);
    http_client_read(fd, text, sizeof text, "\"partition\":7", 5000);
    assert_non_null(strstr(text, "id: 2\n"));
    http_client_read(fd, text, sizeof text, "event: clock", 5 * HEARTBEAT_MS);
    assert_non_null(strstr(text, "event: clock")); /* a heartbeat */
    close(fd);
    for (int32_t i = 3; i <= 9; i++)
        add_stage(2, 100 + i);
    fd = open_stream("Last-Event-ID: 6\r\n");
    http_client_read(fd, text, sizeof text, "\"partition\":109", 5000);
    assert_null(strstr(text, "id: 6\n"));
    assert_non_null(strstr(text, "id: 7\n"));
    assert_non_null(strstr(text, "\"missed\":0"));
    close(fd);
    for (int32_t i = 0; i < 2 * ROOM; i++)
        add_stage(3, i % 200);
    fd = open_stream("Last-Event-ID: 9\r\n");
    http_client_read(fd, text, sizeof text, "\"missed\":512}", 5000);
    assert_non_null(strstr(text, "\"missed\":512}")); /* 10 to 521 are gone from the ring */
    close(fd);
    fd = open_stream("Last-Event-ID: 88888888\r\n"); /* of another life of the daemon */
    add_stage(4, 42);
    http_client_read(fd, text, sizeof text, "\"job\":\"0000000000000004\"", 5000);
    assert_non_null(strstr(text, "\"job\":\"0000000000000003\"")); /* all that is there, and what comes */
    assert_non_null(strstr(text, "\"job\":\"0000000000000004\""));
    close(fd);
}

static void test_events__serve_so_many_and_drop_who_does_not_read(void **state)
{
    const struct timeval soon = {5, 0};
    int streams[STREAMS];
    char text[65536];
    int small = 2048;

    (void)state;
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = open_stream("");
        http_client_read(streams[i], text, sizeof text, "event: clock", 5000);
    }
    expect("GET", "/events", "", 503, "Retry-After");
    setsockopt(streams[0], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    setsockopt(streams[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    const uint64_t begin = cuzk_clock_ns();

    /* Nobody reads streams[0]: it is given up, while the others get every event. */
    bool free_place = false;

    for (int32_t i = 0; !free_place && cuzk_clock_ns() - begin < UINT64_C(15000000000); i++) {
        for (int32_t k = 0; k < 300; k++)
            add_stage(5, k);
        usleep(20000);
        for (int k = 1; k < STREAMS; k++)
            http_client_read(streams[k], text, sizeof text, NULL, 1);
        if (i % 10 == 9) {
            const int fd = open_stream("");

            http_client_read(fd, text, sizeof text, "HTTP/1.1 200", 500);
            free_place = strstr(text, "HTTP/1.1 200") != NULL;
            close(fd);
        }
    }
    assert_true(free_place);
    for (int i = 0; i < STREAMS; i++)
        close(streams[i]);
    expect("GET", "/health", "", 200, "ok");
}

/* Takes the chunk sizes out of a chunked answer. */
static char *unchunk(char *answer)
{
    char *in = strstr(answer, "\r\n\r\n") + 4, *out = in, *start = in;

    for (;;) {
        char *data;
        const size_t n = strtoul(in, &data, 16);

        if (n == 0)
            break;
        data += 2;
        memmove(out, data, n);
        out += n;
        in = data + n + 2;
    }
    *out = '\0';
    return start;
}

static void test_timeline__is_one_that_trace_reads(void **state)
{
    struct cuzk_timeline *timeline;
    char title[32];
    size_t count;

    (void)state;
    for (int32_t i = 0; i < 300; i++)
        add_stage(6, i % 200);
    add_end(6, CUZK_EVENT_TYPE_DONE);
    char *answer = http_client_get(world.port, "GET", "/timeline", "");

    assert_status(answer, 200);
    const char *text = strstr(answer, "chunked") != NULL ? unchunk(answer) : body(answer);

    assert_int_equal(cuzk_timeline_read("t", text, strlen(text), &timeline, title, sizeof title, NULL),
                     CUZK_OK);
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);

    assert_int_equal(count, 301);
    assert_string_equal(events[0].stage, "msm");
    assert_string_equal(events[0].lane, "gpu0");
    assert_true(events[0].job == 6 && events[0].kernels_ns == 4000000 && !events[0].mark);
    assert_true(events[0].begin_ns == 0 && events[0].end_ns == 5000000);
    assert_true(events[300].mark);
    assert_string_equal(events[300].stage, "done");
    cuzk_timeline_destroy(timeline);
    free(answer);
}

static void test_page__lists_jobs_and_why_they_failed(void **state)
{
    char *answer = NULL;

    (void)state;
    add_stage(7, 0);
    add_end(7, CUZK_EVENT_TYPE_DONE);
    add_end(8, CUZK_EVENT_TYPE_FAILED);
    for (int i = 0; i < 100; i++) {
        free(answer);
        answer = http_client_get(world.port, "GET", "/", "");
        if (strstr(answer, "0000000000000008") != NULL)
            break;
        usleep(50000);
    }
    assert_non_null(strstr(answer, "job 8: &lt;no&gt; memory &amp; no luck"));
    assert_non_null(strstr(answer, "0000000000000007"));
    assert_non_null(strstr(answer, "porep-32g"));
    assert_non_null(strstr(answer, "http-equiv=\"refresh\""));
    free(answer);
}

/* Every allocation of an answer fails once: it is an error to the client, and the next one is served. */
static void test_get__survives_want_of_memory(void **state)
{
    static const char *const paths[] = {"/", "/metrics", "/status", "/timeline", "/events"};

    (void)state;
    add_stage(1, 0);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[4096] = "", request[128];
        const int fd = http_client_connect(world.port);

        cuzk_mem_fail_after(0, 1);
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
                 paths[i]);
        http_client_send(fd, request);
        http_client_read(fd, text, sizeof text, "\r\n\r\n", 5000);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        close(fd);
        assert_status(text, 503);
        expect("GET", "/health", "", 200, "ok");
    }
}

static void test_start__refuses_other_machines_and_taken_ports(void **state)
{
    struct cuzk_http_options options = {
        .source = {.status = fake_status, .events = world.log, .context = &world}};
    static const char *const hosts[] = {"0.0.0.0", "192.168.1.1", "::", "example.org", ""};
    struct cuzk_http_server *server;

    (void)state;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        options.host = hosts[i];
        assert_int_equal(cuzk_http_start(&options, &server, NULL), CUZK_ARGUMENT);
        assert_null(server);
    }
    options.host = "localhost";
    options.port = world.port;
    assert_int_equal(cuzk_http_start(&options, &server, NULL), CUZK_IO);
    assert_null(server);
    cuzk_http_stop(NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_get__answers_every_path),
        TEST(test_get__carries_the_headers_that_keep_pages_out),
        TEST(test_get__refuses_foreign_hosts_and_origins),
        TEST(test_get__takes_no_other_method_and_no_body),
        TEST(test_get__survives_malformed_requests),
        TEST(test_connections__that_dribble_or_idle_end_and_leave_room),
        TEST(test_events__readers_that_go_leave_their_place),
        TEST(test_events__come_as_they_happen_and_resume),
        TEST(test_events__serve_so_many_and_drop_who_does_not_read),
        TEST(test_timeline__is_one_that_trace_reads),
        TEST(test_page__lists_jobs_and_why_they_failed),
        TEST(test_get__survives_want_of_memory),
        TEST(test_start__refuses_other_machines_and_taken_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
