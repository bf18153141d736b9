# What the daemon and its clients need; CUZK_HAVE_SERVER says whether it is all there. A build without it has every other
# command.
set(CUZK_SERVER AUTO CACHE STRING "build the daemon and its clients: AUTO (where the libraries are found), ON or OFF")
set_property(CACHE CUZK_SERVER PROPERTY STRINGS AUTO ON OFF)
set(CUZK_HAVE_SERVER OFF)

if(CUZK_SERVER)
    find_library(CUZK_GRPC grpc)
    find_library(CUZK_GPR gpr)
    find_library(CUZK_CRYPTO crypto)
    find_path(CUZK_CRYPTO_INCLUDE openssl/x509.h)
    find_library(CUZK_PROTOBUF_C protobuf-c)
    find_library(CUZK_MICROHTTPD microhttpd)
    find_path(CUZK_MICROHTTPD_INCLUDE microhttpd.h)
    find_path(CUZK_GRPC_INCLUDE grpc/grpc_security.h)
    find_path(CUZK_PROTOBUF_C_INCLUDE protobuf-c/protobuf-c.h)
    find_program(CUZK_PROTOC protoc)
    find_program(CUZK_PROTOC_GEN_C protoc-gen-c)
    set(missing "")
    foreach(wanted CUZK_GRPC CUZK_GPR CUZK_CRYPTO CUZK_CRYPTO_INCLUDE CUZK_GRPC_INCLUDE CUZK_PROTOBUF_C CUZK_PROTOBUF_C_INCLUDE CUZK_PROTOC
            CUZK_PROTOC_GEN_C CUZK_MICROHTTPD CUZK_MICROHTTPD_INCLUDE)
        if(NOT ${wanted})
            list(APPEND missing ${wanted})
        endif()
    endforeach()
    if(NOT missing)
        set(CUZK_HAVE_SERVER ON)
    elseif(CUZK_SERVER STREQUAL AUTO)
        message(STATUS "no daemon in this build: ${missing} not found (packages.txt)")
    else()
        message(FATAL_ERROR "CUZK_SERVER=ON, but ${missing} not found (packages.txt)")
    endif()
endif()

# cuzk_proto(TARGET FILE.proto... [DESCRIBED FILE.proto...]): a library of protobuf-c messages, and cuzk_descriptors: all
# files and those that are only described, as protoc sees them, for the reflection service. Files are named below proto/ or
# ${CMAKE_BINARY_DIR}/proto, where those lie that are made.
function(cuzk_proto target)
    cmake_parse_arguments(ARG "" "" "DESCRIBED" ${ARGN})
    set(generated ${CMAKE_BINARY_DIR}/proto)
    set(outputs "")
    set(inputs "")
    foreach(file ${ARG_UNPARSED_ARGUMENTS})
        string(REGEX REPLACE "\\.proto$" "" stem ${file})
        list(APPEND outputs ${generated}/${stem}.pb-c.c ${generated}/${stem}.pb-c.h)
        list(APPEND inputs ${CMAKE_SOURCE_DIR}/proto/${file})
    endforeach()
    set(embed ${CMAKE_SOURCE_DIR}/tools/embed.py)
    set(protoc ${CUZK_PROTOC} -I${CMAKE_SOURCE_DIR}/proto -I${generated})
    file(MAKE_DIRECTORY ${generated})
    add_custom_command(OUTPUT ${outputs} ${generated}/descriptors.c
        COMMAND ${protoc} --plugin=protoc-gen-c=${CUZK_PROTOC_GEN_C} --c_out=${generated} ${ARG_UNPARSED_ARGUMENTS}
        COMMAND ${protoc} --include_imports --descriptor_set_out=${generated}/descriptors.bin ${ARG_UNPARSED_ARGUMENTS}
            ${ARG_DESCRIBED}
        COMMAND ${Python3_EXECUTABLE} ${embed} ${generated}/descriptors.bin cuzk_descriptors ${generated}/descriptors.c
        DEPENDS ${inputs} ${embed} VERBATIM)
    add_library(${target} STATIC ${outputs} ${generated}/descriptors.c)
    target_include_directories(${target} SYSTEM PUBLIC ${generated} ${CUZK_PROTOBUF_C_INCLUDE})
    target_link_libraries(${target} PUBLIC ${CUZK_PROTOBUF_C})
endfunction()
