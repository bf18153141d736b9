/* The files of web/, built in: all but the page itself, which server/page.h fills with numbers. */
#ifndef CUZK_SERVER_WEB_H
#define CUZK_SERVER_WEB_H

#include <stddef.h>

struct cuzk_web_file {
    const char *path; /* "/app.js"; NULL ends the table */
    const char *type;
    const unsigned char *bytes;
    size_t length;
};

extern const struct cuzk_web_file cuzk_web_files[];

/* web/index.html, whose places {{name}} are to be filled; not terminated. */
extern const struct cuzk_web_file cuzk_web_page;

#endif
