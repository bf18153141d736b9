/* The files of web/ that the dashboard is made of, built in. */
#ifndef CUZK_SERVER_WEB_H
#define CUZK_SERVER_WEB_H

struct cuzk_web_file {
    const char *path; /* "/app.js" */
    const char *type;
    const unsigned char *bytes; /* not terminated */
    const unsigned long *length;
};

/* web/index.html, whose places {{name}} server/page.h fills. */
extern const struct cuzk_web_file cuzk_web_page;

/* The others, served as they are; a path of NULL ends the table. */
extern const struct cuzk_web_file cuzk_web_files[];

#endif
