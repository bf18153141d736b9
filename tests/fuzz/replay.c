/* Stands in for libFuzzer: gives every file of a folder to the target, whole, truncated and with single bits
 * flipped. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MUTATIONS = 64, MUTATED_AT_MOST = 1 << 16 };

/* A copy of exactly the right size, so that a sanitizer sees the first byte read past the end. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay(uint8_t *data, size_t size)
{
    give(data, size);
    if (size > MUTATED_AT_MOST)
        return;
    uint32_t state = 1;

    for (int i = 0; i < MUTATIONS && size > 0; i++) {
        state = state * 1664525u + 1013904223u;
        const size_t at = (size_t)(state >> 8) % size;
        const uint8_t bit = (uint8_t)(1u << (state >> 5 & 7));

        give(data, at);
        data[at] ^= bit;
        give(data, size);
        data[at] ^= bit;
    }
}

int main(int argc, char **argv)
{
    size_t files = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;

    if (folder == NULL) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        FILE *file = fopen(path, "rb");

        if (file == NULL || fseek(file, 0, SEEK_END) != 0)
            return 1;
        const size_t size = (size_t)ftell(file);
        uint8_t *data = malloc(size + 1);

        rewind(file);
        if (data == NULL || fread(data, 1, size, file) != size)
            return 1;
        fclose(file);
        replay(data, size);
        free(data);
        files++;
    }
    closedir(folder);
    printf("%zu seeds replayed\n", files);
    return files > 0 ? 0 : 1;
}
