/* Job numbers as text. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/engine.h"

enum { DIGITS = 16 };

void cuzk_job_id_format(uint64_t job, char text[CUZK_JOB_ID_TEXT])
{
    snprintf(text, CUZK_JOB_ID_TEXT, "%016" PRIx64, job);
}

uint64_t cuzk_job_id_parse(const char *text)
{
    uint64_t job = 0;

    for (int i = 0; i < DIGITS; i++) {
        const char c = text[i];

        if (c >= '0' && c <= '9')
            job = job << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            job = job << 4 | (uint64_t)(c - 'a' + 10);
        else
            return 0;
    }
    return text[DIGITS] == '\0' ? job : 0;
}
