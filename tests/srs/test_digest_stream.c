#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "srs/digest_stream.h"
#include "support/random.h"

/* In pieces of any size, some larger than all of the stream's buffers together: the digest of the file. */
static void test_digest_stream__is_the_digest_of_the_file(void **state)
{
    enum { BYTES = 50000000 };
    char path[] = "/tmp/cuzk-test-digest-XXXXXX", expected[CUZK_DIGEST_TEXT], hex[CUZK_DIGEST_TEXT];
    struct test_random random;
    uint8_t *bytes;

    (void)state;
    test_random_init(&random);
    close(mkstemp(path));
    assert_int_equal(CUZK_NEW(&bytes, BYTES, "bytes", NULL), CUZK_OK);
    for (int round = 0; round < 3; round++) {
        const size_t most = round == 0 ? 40000000 : round == 1 ? 1000000 : 100000;
        struct cuzk_digest_stream *stream;
        size_t at = 0;

        test_random_bytes(&random, bytes, BYTES);
        assert_int_equal(cuzk_file_write(path, true, bytes, BYTES, NULL), CUZK_OK);
        assert_int_equal(cuzk_parameter_digest(path, NULL, expected, NULL), CUZK_OK);
        assert_int_equal(cuzk_digest_stream_create(&stream, NULL), CUZK_OK);
        const struct cuzk_sink sink = cuzk_digest_stream_sink(stream);

        while (at < BYTES) {
            const uint64_t drawn = test_random_below(&random, most) + (at > 0); /* an empty piece once */
            const size_t n = drawn < BYTES - at ? (size_t)drawn : BYTES - at;

            assert_int_equal(sink.write(sink.context, bytes + at, n, NULL), CUZK_OK);
            at += n;
        }
        cuzk_digest_stream_finish(stream, hex);
        cuzk_digest_stream_destroy(stream);
        assert_string_equal(hex, expected);
    }
    unlink(path);
    cuzk_mem_free(bytes);
}

/* A stream that nobody finishes, empty or not, goes away with its thread. */
static void test_digest_stream__can_be_given_up(void **state)
{
    struct cuzk_digest_stream *stream;

    (void)state;
    cuzk_digest_stream_destroy(NULL);
    assert_int_equal(cuzk_digest_stream_create(&stream, NULL), CUZK_OK);
    cuzk_digest_stream_destroy(stream);
    assert_int_equal(cuzk_digest_stream_create(&stream, NULL), CUZK_OK);
    const struct cuzk_sink sink = cuzk_digest_stream_sink(stream);
    assert_int_equal(sink.write(sink.context, "key", 3, NULL), CUZK_OK);
    cuzk_digest_stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest_stream__is_the_digest_of_the_file),
        cmocka_unit_test(test_digest_stream__can_be_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
