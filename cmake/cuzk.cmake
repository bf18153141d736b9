# Functions that every layer's CMakeLists.txt uses, and the flags that every target gets.

find_package(Threads REQUIRED)

add_library(cuzk_flags INTERFACE)
target_compile_definitions(cuzk_flags INTERFACE _GNU_SOURCE)
target_include_directories(cuzk_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
# __int128, an extension that -Wpedantic would refuse, is used through __extension__ typedefs only.
target_compile_options(cuzk_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic -Werror -Wshadow
    -Wstrict-prototypes -Wmissing-prototypes -Wvla -fno-strict-aliasing>)
# gcc 12 takes arrays that loops fill, and out-parameters of calls that returned OK, for uninitialised; clang's
# analyser (make lint) watches over those.
target_compile_options(cuzk_flags INTERFACE $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-maybe-uninitialized>)
target_link_libraries(cuzk_flags INTERFACE Threads::Threads)
if(CUZK_SANITIZE)
    target_compile_options(cuzk_flags INTERFACE -fsanitize=${CUZK_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(cuzk_flags INTERFACE -fsanitize=${CUZK_SANITIZE})
endif()
if(CUZK_FUZZ)
    target_compile_options(cuzk_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# nvcc, where there is one: CUZK_HAVE_CUDA says so. Sanitizer builds leave the device out.
set(CUZK_HAVE_CUDA OFF)
if(CUZK_CUDA AND NOT CUZK_SANITIZE AND NOT CUZK_FUZZ)
    find_program(CUZK_NVCC nvcc HINTS /usr/local/cuda/bin)
    if(CUZK_NVCC)
        set(CMAKE_CUDA_COMPILER ${CUZK_NVCC})
        set(CMAKE_CUDA_ARCHITECTURES ${CUZK_CUDA_ARCHITECTURES})
        set(CMAKE_CUDA_STANDARD 20)
        enable_language(CUDA)
        set(CUZK_HAVE_CUDA ON)
        # 1675: host pragmas; 20012, 20011: annotations that the shared headers give to defaulted functions
        set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -diag-suppress 1675 -Werror all-warnings")
    else()
        message(STATUS "no nvcc: cuzk is built for the CPU only")
    endif()
endif()

# cuzk_layer(NAME SOURCES file... [DEPS layer...] [LIBS lib...])
# Adds the static library cuzk_NAME from src/NAME. DEPS are layers below it.
function(cuzk_layer name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
    add_library(cuzk_${name} STATIC ${ARG_SOURCES})
    list(TRANSFORM ARG_DEPS PREPEND cuzk_)
    target_link_libraries(cuzk_${name} PUBLIC cuzk_flags ${ARG_DEPS} ${ARG_LIBS})
endfunction()

# Flags for the files of one instruction set, which may only be called after a run-time check (base/cpu.h).
set(CUZK_IFMA_FLAGS -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mbmi2 -madx)
set(CUZK_ADX_FLAGS -mbmi2 -madx)
set(CUZK_SHANI_FLAGS -msha -msse4.1 -mssse3)

# cuzk_test(NAME LAYERS layer... [SOURCES file...] [LABELS label...] [TIMEOUT seconds])
# Adds the cmocka program NAME from NAME.c; LABELS 'long' keeps it out of `make check`. Each is labelled with its
# folder too (layer:engine), so that a run with other arithmetic can leave out what does none.
function(cuzk_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "LAYERS;SOURCES;LABELS;LIBS" ${ARGN})
    if(NOT ARG_SOURCES)
        set(ARG_SOURCES ${name}.c)
    endif()
    add_executable(${name} ${ARG_SOURCES})
    list(TRANSFORM ARG_LAYERS PREPEND cuzk_)
    target_link_libraries(${name} PRIVATE cuzk_flags cuzk_test_support ${ARG_LAYERS} ${ARG_LIBS})
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    get_filename_component(layer ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "layer:${layer};${ARG_LABELS}" SKIP_RETURN_CODE 77
        ENVIRONMENT "CUZK_FIXTURES=${CMAKE_SOURCE_DIR}/tests/fixtures")
endfunction()
