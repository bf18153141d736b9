# Writes OUT, a C file with the bytes of the files of web/ (FOLDER) as server/web.h declares them.
function(bytes_of name path)
    file(READ ${path} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR length "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],){20})" "\\1\n    " hex "${hex}")
    set(${name}_text "static const unsigned char ${name}[] = {\n    ${hex}\n};\n" PARENT_SCOPE)
    set(${name}_length ${length} PARENT_SCOPE)
endfunction()

bytes_of(page ${FOLDER}/index.html)
bytes_of(script ${FOLDER}/app.js)
bytes_of(style ${FOLDER}/style.css)
file(WRITE ${OUT} "/* Made from web/ by cmake/embed.cmake. */
#include \"server/web.h\"

${page_text}
${script_text}
${style_text}
const struct cuzk_web_file cuzk_web_page = {\"/\", \"text/html; charset=utf-8\", page, ${page_length}};

const struct cuzk_web_file cuzk_web_files[] = {
    {\"/app.js\", \"text/javascript; charset=utf-8\", script, ${script_length}},
    {\"/style.css\", \"text/css; charset=utf-8\", style, ${style_length}},
    {NULL, NULL, NULL, 0},
};
")
