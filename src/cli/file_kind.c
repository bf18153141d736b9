#include <string.h>

#include "base/bytes.h"
#include "circuit/pce.h"
#include "cli/inspect.h"
#include "filecoin/vanilla_file.h"
#include "groth16/derived.h"
#include "groth16/proof.h"
#include "groth16/vk.h"

static const char *const names[CLI_FILE_KINDS] = {
    [CLI_FILE_UNKNOWN] = "unknown",
    [CLI_FILE_C1] = "C1 output",
    [CLI_FILE_VK] = "verifying key",
    [CLI_FILE_PARAMS] = "parameters",
    [CLI_FILE_PROOF] = "proof",
    [CLI_FILE_R1CS] = "r1cs",
    [CLI_FILE_WTNS] = "wtns",
    [CLI_FILE_ZKEY] = "zkey",
    [CLI_FILE_TIMELINE] = "timeline",
    [CLI_FILE_VKEY_JSON] = "snarkjs verification key",
    [CLI_FILE_PROOF_JSON] = "snarkjs proof",
    [CLI_FILE_PUBLIC_INPUTS] = "public inputs",
    [CLI_FILE_VANILLA_POST] = "PoSt vanilla proof",
    [CLI_FILE_VANILLA_UPDATE] = "update vanilla proof",
    [CLI_FILE_POST_REQUEST] = "PoSt request",
    [CLI_FILE_UPDATE_REQUEST] = "update request",
    [CLI_FILE_PCE] = "compact circuit",
    [CLI_FILE_DERIVED] = "derived key",
};

const char *cli_file_kind_name(enum cli_file_kind kind)
{
    return names[kind];
}

static bool mentions(const struct cuzk_file_map *map, const char *member)
{
    return memmem(map->bytes, (size_t)map->length, member, strlen(member)) != NULL;
}

/* JSON is told apart by the members that only one kind has. */
static enum cli_file_kind json_kind(const struct cuzk_file_map *map)
{
    static const struct {
        const char *member;
        enum cli_file_kind kind;
    } marks[] = {
        {"\"cuzk_timeline\"", CLI_FILE_TIMELINE},
        {"\"vanilla_proofs\"", CLI_FILE_C1},
        {"\"Phase1Out\"", CLI_FILE_C1},
        {"\"comm_r_new\"", CLI_FILE_UPDATE_REQUEST},
        {"\"randomness\"", CLI_FILE_POST_REQUEST},
        {"\"registered_proof\"", CLI_FILE_C1},
        {"\"vk_gamma_2\"", CLI_FILE_VKEY_JSON},
        {"\"pi_b\"", CLI_FILE_PROOF_JSON},
        {"\"inputs\"", CLI_FILE_PUBLIC_INPUTS},
    };

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (mentions(map, marks[i].member))
            return marks[i].kind;
    return CLI_FILE_UNKNOWN;
}

static bool is_hex(const struct cuzk_file_map *map)
{
    for (uint64_t i = 0; i < map->length; i++)
        if (map->bytes[i] == '\0' || strchr("0123456789abcdefABCDEF\r\n", map->bytes[i]) == NULL)
            return false;
    return map->length > 0;
}

enum cli_file_kind cli_file_kind(const struct cuzk_file_map *map)
{
    static const struct {
        const char magic[5];
        enum cli_file_kind kind;
    } magics[] = {{"r1cs", CLI_FILE_R1CS}, {"wtns", CLI_FILE_WTNS}, {"zkey", CLI_FILE_ZKEY}};
    uint64_t at = 0;

    if (map->length >= sizeof CUZK_PCE_MAGIC - 1 &&
        memcmp(map->bytes, CUZK_PCE_MAGIC, sizeof CUZK_PCE_MAGIC - 1) == 0)
        return CLI_FILE_PCE;
    if (map->length >= sizeof CUZK_DERIVED_MAGIC - 1 &&
        memcmp(map->bytes, CUZK_DERIVED_MAGIC, sizeof CUZK_DERIVED_MAGIC - 1) == 0)
        return CLI_FILE_DERIVED;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (map->length >= 4 && memcmp(map->bytes, magics[i].magic, 4) == 0)
            return magics[i].kind;
    while (at < map->length && map->bytes[at] != '\0' && strchr(" \n\r\t", map->bytes[at]) != NULL)
        at++;
    if (at < map->length && (map->bytes[at] == '{' || map->bytes[at] == '['))
        return json_kind(map);
    const struct cuzk_vanilla_look vanilla = cuzk_vanilla_look(map->bytes, (size_t)map->length);

    if (vanilla.kind != CUZK_VANILLA_NONE)
        return vanilla.kind == CUZK_VANILLA_UPDATE ? CLI_FILE_VANILLA_UPDATE : CLI_FILE_VANILLA_POST;
    if (map->length > 0 && map->length <= 192 * 1024 &&
        (map->length % CUZK_PROOF_BYTES == 0 || is_hex(map)) && (is_hex(map) || (map->bytes[0] & 0x80) != 0))
        return CLI_FILE_PROOF;
    if (map->length < CUZK_VK_HEAD_BYTES || map->bytes[0] > 0x1a) /* no coordinate begins higher */
        return CLI_FILE_UNKNOWN;
    const uint64_t vk_bytes =
        CUZK_VK_HEAD_BYTES + UINT64_C(96) * cuzk_load_u32be(map->bytes + CUZK_VK_HEAD_BYTES - 4);

    return map->length <= vk_bytes ? CLI_FILE_VK : CLI_FILE_PARAMS;
}
