/* Section numbers of a Groth16 .zkey and the form of its matrix entries. Private to src/groth16. */
#ifndef CUZK_GROTH16_ZKEY_SECTION_H
#define CUZK_GROTH16_ZKEY_SECTION_H

enum {
    CUZK_ZKEY_PROTOCOL = 1,
    CUZK_ZKEY_HEADER = 2,
    CUZK_ZKEY_IC = 3,
    CUZK_ZKEY_COEFFICIENTS = 4,
    CUZK_ZKEY_A = 5,
    CUZK_ZKEY_B1 = 6,
    CUZK_ZKEY_B2 = 7,
    CUZK_ZKEY_L = 8, /* "C" there */
    CUZK_ZKEY_H = 9,
    CUZK_ZKEY_CONTRIBUTIONS = 10,
    CUZK_ZKEY_SECTIONS = 10, /* how many there are */
};

/* u32 matrix (0 A, 1 B), u32 constraint, u32 signal, 32 bytes value */
enum { CUZK_ZKEY_ENTRY_BYTES = 44 };

#endif
