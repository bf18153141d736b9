/* `bench msm|ntt --backend cuda`: the device's operations and the published figures beside them. */
#ifndef CUZK_CLI_BENCH_DEVICE_H
#define CUZK_CLI_BENCH_DEVICE_H

#include "bench/device.h"
#include "cli/session.h"

/* choice: as of cuzk_backend_open; a CPU is refused with ARGUMENT. */
enum cuzk_status cli_bench_device(struct cli_session *session, const char *choice,
                                  enum cuzk_bench_device what, unsigned log_n, struct cuzk_error *err);

#endif
