/* The patch operations of fixtures/sectors/malformed on JSON text. All results are malloc'd. */
#ifndef CUZK_TESTS_FILECOIN_JSON_PATCH_H
#define CUZK_TESTS_FILECOIN_JSON_PATCH_H

#include <stddef.h>
#include <stdint.h>

#include "support/fixture.h"

/* Applies the operation of one line of malformed.jsonl to a text (zero-terminated, length without the zero).
 */
uint8_t *json_patch(const uint8_t *text, size_t length, struct fixture_json op, size_t *patched);

#endif
