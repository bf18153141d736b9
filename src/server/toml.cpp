#include "server/toml.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS  0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

struct entry {
    std::string key, text;
    enum cuzk_toml_type type;
    size_t elements;
    unsigned line, column;
};

struct cuzk_toml {
    std::vector<entry> entries;
    std::vector<cuzk_toml_value> values;
};

static cuzk_toml_type type_of(const toml::node &node)
{
    switch (node.type()) {
    case toml::node_type::string:
        return CUZK_TOML_STRING;
    case toml::node_type::integer:
        return CUZK_TOML_INTEGER;
    case toml::node_type::floating_point:
        return CUZK_TOML_FLOAT;
    case toml::node_type::boolean:
        return CUZK_TOML_BOOLEAN;
    case toml::node_type::array:
        return CUZK_TOML_ARRAY;
    case toml::node_type::table:
        return CUZK_TOML_TABLE;
    default:
        return CUZK_TOML_TIME;
    }
}

static std::string text_of(const toml::node &node)
{
    if (const auto *text = node.as_string())
        return text->get();
    if (const auto *number = node.as_integer())
        return std::to_string(number->get());
    if (const auto *flag = node.as_boolean())
        return flag->get() ? "true" : "false";
    return "";
}

/* toml++ bounds how deep values nest (TOML_MAX_NESTED_VALUES), not tables by dotted names ("[a.a.a"), which
 * it walks by recursion as `collect` does. A configuration has a few dots, those in comments and strings
 * included. */
static constexpr std::ptrdiff_t DOTS_MOST = 4096;

static void collect(const toml::node &node, const std::string &key, bool in_array, std::vector<entry> &out)
{
    if (const auto *table = node.as_table(); table != nullptr && !in_array) {
        if (!key.empty())
            out.push_back(
                {key, "", CUZK_TOML_TABLE, 0, node.source().begin.line, node.source().begin.column});
        for (const auto &[name, value] : *table)
            collect(value, key.empty() ? std::string(name.str()) : key + "." + std::string(name.str()), false,
                    out);
        return;
    }
    const auto *array = node.as_array();

    out.push_back({key, text_of(node), type_of(node), array != nullptr ? array->size() : 0,
                   node.source().begin.line, node.source().begin.column});
    if (array != nullptr && !in_array)
        for (const auto &element : *array)
            collect(element, key, true, out);
}

static enum cuzk_status read_document(const char *what, const char *text, size_t length, cuzk_toml *out,
                                      struct cuzk_error *err)
{
    const toml::parse_result result = toml::parse(std::string_view(text, length));

    if (!result) {
        const auto place = result.error().source().begin;
        const std::string reason(result.error().description());

        return cuzk_error_set(err, CUZK_INPUT, "%s:%u:%u: %s", what, place.line, place.column,
                              reason.c_str());
    }
    collect(result.table(), "", false, out->entries);
    std::sort(out->entries.begin(), out->entries.end(), [](const entry &one, const entry &other) {
        return one.line != other.line ? one.line < other.line : one.column < other.column;
    });
    for (const auto &entry : out->entries)
        out->values.push_back({entry.key.c_str(), entry.type, entry.text.c_str(), entry.text.size(),
                               entry.elements, entry.line, entry.column});
    return CUZK_OK;
}

enum cuzk_status cuzk_toml_read(const char *what, const char *text, size_t length, struct cuzk_toml **out,
                                struct cuzk_error *err)
{
    enum cuzk_status status;

    *out = nullptr;
    if (const auto dots = std::count(text, text + length, '.'); dots > DOTS_MOST)
        return cuzk_error_set(err, CUZK_INPUT, "%s: expected at most %td dots in all, found %td", what,
                              DOTS_MOST, dots);
    auto *toml = new (std::nothrow) cuzk_toml;

    if (toml == nullptr)
        return cuzk_error_set(err, CUZK_MEMORY, "%s: no memory to read it", what);
    try {
        status = read_document(what, text, length, toml, err);
    } catch (const std::exception &) { /* only allocation throws */
        status = cuzk_error_set(err, CUZK_MEMORY, "%s: no memory to read it", what);
    }
    if (status == CUZK_OK)
        *out = toml;
    else
        delete toml;
    return status;
}

size_t cuzk_toml_count(const struct cuzk_toml *toml)
{
    return toml->values.size();
}

const struct cuzk_toml_value *cuzk_toml_at(const struct cuzk_toml *toml, size_t index)
{
    return &toml->values[index];
}

void cuzk_toml_destroy(struct cuzk_toml *toml)
{
    delete toml;
}

const char *cuzk_toml_type_name(enum cuzk_toml_type type)
{
    static const char *const names[] = {"a string",      "a whole number", "a number with a fraction",
                                        "true or false", "a time",         "a list",
                                        "a table"};

    return names[type];
}
