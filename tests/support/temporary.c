#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void temporary_make(char path[TEMPORARY_BYTES])
{
    const char *const root = getenv("TMPDIR");

    snprintf(path, TEMPORARY_BYTES, "%s/cuzk-test-XXXXXX", root != NULL && root[0] != '\0' ? root : "/tmp");
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

void temporary_remove(const char *path)
{
    assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

size_t temporary_count(const char *path)
{
    DIR *const folder = opendir(path);
    size_t count = 0;

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

bool temporary_mount_small(char path[TEMPORARY_BYTES], size_t bytes)
{
    char options[64];

    temporary_make(path);
    snprintf(options, sizeof options, "size=%zu,mode=0700", bytes);
    if (mount("tmpfs", path, "tmpfs", 0, options) == 0)
        return true;
    temporary_remove(path);
    return false;
}

void temporary_make_read_only(const char *path)
{
    assert_int_equal(mount("tmpfs", path, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
}

void temporary_unmount(const char *path)
{
    assert_int_equal(umount(path), 0);
    assert_int_equal(rmdir(path), 0);
}

static void copy_file(const char *from, const char *to)
{
    uint8_t buffer[65536];
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");

    assert_non_null(in);
    assert_non_null(out);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

void temporary_copy(const char *from, const char *to)
{
    DIR *const folder = opendir(from);
    char source[1024], target[1024];

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat facts;

        snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        if (stat(source, &facts) == 0 && S_ISREG(facts.st_mode))
            copy_file(source, target);
    }
    closedir(folder);
}
