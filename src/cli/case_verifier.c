#include "cli/case_verifier.h"

#include "base/mem.h"
#include "cli/verify_inputs.h"
#include "engine/public_file.h"

static enum cuzk_status inputs_of_case(const struct cuzk_case *that, struct cuzk_public_inputs **out,
                                       struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, that->partitions, "public inputs", err));
    for (unsigned k = 0; k < that->partitions; k++)
        (*out)[k] = (struct cuzk_public_inputs){that->ops->inputs(that, k), that->inputs};
    return CUZK_OK;
}

enum cuzk_status cli_case_verify(struct cli_session *session, const struct cli_verify_options *given,
                                 const struct cli_case_source *source, const char *option,
                                 struct cuzk_error *err)
{
    struct cli_verify_target target = {.source = given->public_inputs,
                                       .proof = given->proof,
                                       .vk = given->vk,
                                       .params_dir = given->params_dir};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_public_inputs *inputs = NULL;
    struct cuzk_public_file file = {0};
    struct cuzk_case *that = NULL;

    if ((source != NULL) == (given->public_inputs != NULL))
        return cuzk_error_set(err, CUZK_ARGUMENT, "verify: expected one of %s and --public", option);
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    if (source != NULL) {
        CUZK_TRY_OUT(source->open(session, source->given, NULL, &that, err));
        CUZK_TRY_OUT(inputs_of_case(that, &inputs, err));
        target.source = source->name;
        target.circuit = &that->circuit;
        target.partitions = that->partitions;
    } else {
        CUZK_TRY_OUT(cli_public_inputs_read(given->public_inputs, &file, &inputs, err));
        target.partitions = file.partitions;
    }
    target.inputs = inputs;
    status = cli_verify_inputs(session, &target, err);
out:
    cuzk_case_close(that);
    cuzk_public_file_destroy(&file);
    cuzk_mem_free(inputs);
    return status;
}
