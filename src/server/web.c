#include "server/web.h"

#include <stddef.h>

/* Made from web/ when this is built. */
extern const unsigned char cuzk_web_index_html[], cuzk_web_app_js[], cuzk_web_style_css[];
extern const unsigned long cuzk_web_index_html_length, cuzk_web_app_js_length, cuzk_web_style_css_length;

const struct cuzk_web_file cuzk_web_page = {"/", "text/html; charset=utf-8", cuzk_web_index_html,
                                            &cuzk_web_index_html_length};

const struct cuzk_web_file cuzk_web_files[] = {
    {"/app.js", "text/javascript; charset=utf-8", cuzk_web_app_js, &cuzk_web_app_js_length},
    {"/style.css", "text/css; charset=utf-8", cuzk_web_style_css, &cuzk_web_style_css_length},
    {NULL, NULL, NULL, NULL},
};
