#include <stdio.h>
#include <string.h>

#include "cli/command.h"

const struct cli_command *const cli_commands[] = {
    /* clang-format off */
    &cli_setup,
    &cli_derive,
    &cli_seal,
    &cli_synth_porep,
    &cli_synth_winning,
    &cli_synth_wpost,
    &cli_synth_snap,
    &cli_vanilla_winning,
    &cli_vanilla_wpost,
    &cli_vanilla_snap,
    &cli_prove_porep,
    &cli_prove_winning,
    &cli_prove_wpost,
    &cli_prove_snap,
    &cli_verify_porep,
    &cli_verify_winning,
    &cli_verify_wpost,
    &cli_verify_snap,
    &cli_r1cs_setup,
    &cli_r1cs_prove,
    &cli_r1cs_verify,
#ifdef CUZK_HAVE_SERVER
    &cli_serve,
    &cli_submit,
    &cli_await,
    &cli_cancel,
    &cli_status,
    &cli_metrics,
    &cli_preload,
    &cli_evict,
#endif
    &cli_circuit_list,
    &cli_circuit_show,
    &cli_circuit_digest,
    &cli_circuit_tree,
    &cli_inspect_command,
    &cli_doctor,
#ifdef CUZK_HAVE_SERVER
    &cli_config_show,
    &cli_config_check,
    &cli_config_sample,
    &cli_config_docs,
#endif
    &cli_trace,
    &cli_bench_load,
    &cli_bench_phases,
    &cli_bench_prove,
    &cli_bench_witness,
    &cli_bench_ntt,
    &cli_bench_fold,
    &cli_bench_msm,
    &cli_bench_field,
    &cli_bench_verify,
    &cli_bench_decode,
    &cli_device_child,
    /* clang-format on */
};

const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

size_t cli_command_options(const struct cli_command *command, struct cuzk_option options[CLI_OPTIONS_MOST])
{
    size_t count = 0, rows = 0;
    const struct cuzk_option *config = command->config != NULL ? command->config(&rows) : NULL;

    for (size_t i = 0; i < command->option_count && count < CLI_OPTIONS_MOST; i++)
        options[count++] = command->options[i];
    for (size_t i = 0; i < rows && count < CLI_OPTIONS_MOST; i++) {
        options[count] = config[i];
        options[count].deferred = true;
        options[count++].offset = command->config_offset;
    }
    return count;
}

const struct cli_command *cli_command_find(int argc, const char *const *argv, int *words)
{
    char two[128] = "";

    if (argc >= 2)
        snprintf(two, sizeof two, "%s %s", argv[0], argv[1]);
    for (size_t i = 0; i < cli_command_count; i++) {
        const char *name = cli_commands[i]->name;

        if (strcmp(name, two) == 0 || (argc >= 1 && strcmp(name, argv[0]) == 0)) {
            *words = strchr(name, ' ') != NULL ? 2 : 1;
            return cli_commands[i];
        }
    }
    return NULL;
}
