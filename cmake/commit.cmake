# Writes OUT (a header with CUZK_COMMIT) from the state of the checkout SOURCE, and only where it changed.
set(commit "unknown")
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE head
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(NOT failed)
    set(commit ${head})
    execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY ${SOURCE}
        OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
        string(APPEND commit "-dirty")
    endif()
endif()
set(text "#define CUZK_COMMIT \"${commit}\"\n")
if(EXISTS ${OUT})
    file(READ ${OUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
    file(WRITE ${OUT} "${text}")
endif()
