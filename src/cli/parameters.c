#include "cli/parameters.h"

#include <string.h>

enum cuzk_status cli_parameters_find(struct cli_session *session, const char *given,
                                     const struct cuzk_circuit_id *id, const char *suffix,
                                     char path[CUZK_PARAMETER_PATH], struct cuzk_error *err)
{
    const char *directory = cuzk_parameter_directory(given);
    const enum cuzk_status status = cuzk_parameter_find(directory, id, suffix, path, err);

    if (status == CUZK_NOT_FOUND) {
        char advice[900];

        cuzk_parameter_advice(directory, id, advice, sizeof advice);
        cli_session_hint(session, "%s", advice);
    }
    return status;
}

enum cuzk_status cli_parameters_judge(struct cli_session *session, const char *given,
                                      const struct cuzk_circuit_id *id, enum cuzk_parameter_origin *origin,
                                      struct cuzk_error *err)
{
    CUZK_TRY(cuzk_parameter_origin(cuzk_parameter_directory(given), id, &session->progress, origin, err));
    if (*origin == CUZK_PARAMETERS_TEST)
        cuzk_log_line(&session->log, CUZK_LOG_WARNING,
                      "TEST PARAMETERS: the chain will not accept this proof");
    else if (*origin == CUZK_PARAMETERS_OTHER)
        cuzk_log_line(
            &session->log, CUZK_LOG_WARNING,
            "TEST PARAMETERS: the file is not the published one; the chain will not accept this proof");
    return CUZK_OK;
}

const char *cli_parameters_origin_name(enum cuzk_parameter_origin origin)
{
    switch (origin) {
    case CUZK_PARAMETERS_PUBLISHED:
        return "published";
    case CUZK_PARAMETERS_TEST:
        return "test";
    case CUZK_PARAMETERS_OTHER:
        return "unknown";
    }
    return "unknown";
}
