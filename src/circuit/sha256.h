/*
 * SHA-256 in a circuit, as bellperson 0.26 gadgets/sha256.rs writes it: constants fold, additions gather in
 * one running equation a block.
 *
 * In witness mode the direct routine (sha256_direct.c) computes the same values from real 32-bit operations
 * and writes them as packed bits.
 */
#ifndef CUZK_CIRCUIT_SHA256_H
#define CUZK_CIRCUIT_SHA256_H

#include <stddef.h>

#include "circuit/boolean.h"
#include "circuit/num.h"

enum { CUZK_SHA256_GADGET_BITS = 256 };

/* Hashes n bits (a multiple of 8), each byte's most significant bit first. digest gets 256 booleans in the
 * same order. */
void cuzk_sha256_gadget(struct cuzk_cs *cs, const struct cuzk_boolean *message, size_t n,
                        struct cuzk_boolean digest[CUZK_SHA256_GADGET_BITS]);

/* 256 booleans of the 255 little-endian bits of a field element: a constant zero is appended, then the bits
 * of each byte are turned most significant first. Works both ways. */
void cuzk_sha256_reverse_bytes(const struct cuzk_boolean *in, size_t n, struct cuzk_boolean *out);

/* What the parts of a node are called; circuits differ in that. */
struct cuzk_sha256_node_names {
    const char *left, *right, *hash, *pack;
};

/* The node of a binary tree: bits of left, bits of right, SHA-256 of the 64 bytes, the digest without its
 * top two bits packed into a new variable. */
struct cuzk_num cuzk_sha256_node_gadget(struct cuzk_cs *cs, const struct cuzk_sha256_node_names *names,
                                        const struct cuzk_num *left, const struct cuzk_num *right);

#endif
