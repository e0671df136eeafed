// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tlm/scenario/keys.h"

namespace polycast::tlm::scenario {
namespace {

using json = nlohmann::ordered_json;

const json* schema_of(const json& schema, std::string_view path) {
    const json* at = &schema;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('.'), path.size());
        std::string step(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
        const bool list = step.ends_with("[]"), named = step.ends_with("{}");
        if (list || named) step.resize(step.size() - 2);
        if (!at->contains("properties") || !(*at)["properties"].contains(step)) return nullptr;
        at = &(*at)["properties"][step];
        if (list) at = &(*at)["items"];
        if (named) at = &(*at)["additionalProperties"];
    }
    return at;
}

TEST(schema, holds_every_key_with_its_words) {
    const json schema = json_schema();
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for (const key& k : keys()) {
        const json* found = schema_of(schema, k.path);
        ASSERT_NE(found, nullptr) << k.path;
        EXPECT_TRUE(found->contains("description")) << k.path;
        EXPECT_NE((*found)["description"].get<std::string>().find(k.doc), std::string::npos) << k.path;
        if (k.type == value_type::section) {
            EXPECT_EQ((*found)["additionalProperties"], false) << k.path;
        }
    }
}

TEST(schema, every_key_of_the_table_is_sound) {
    for (const key& k : keys()) {
        EXPECT_FALSE(k.doc.empty()) << k.path;
        EXPECT_TRUE(k.doc.ends_with('.')) << k.path;
        for (const key& other : keys()) {
            if (&other == &k || other.path != k.path) continue;
            // Two keys of one name: each belongs to kinds of its own.
            ASSERT_FALSE(k.only.empty() || other.only.empty()) << "twice: " << k.path;
            ASSERT_EQ(k.only.front().key, other.only.front().key) << k.path;
            for (const std::string_view kind : k.only.front().values)
                EXPECT_EQ(std::ranges::count(other.only.front().values, kind), 0)
                    << "twice: " << k.path << ", " << kind;
        }
        if (k.type != value_type::section && k.type != value_type::sweep) {
            EXPECT_NE(k.store, nullptr) << k.path;
        }
        for (const condition& c : k.only) EXPECT_EQ(chooser_of(k, c).type, value_type::choice) << k.path;
        if (!k.parent().empty() && !k.parent().ends_with("[]") && !k.parent().ends_with("{}")) {
            EXPECT_NE(find_key(k.parent()), nullptr) << k.path;
        }
    }
}

TEST(schema, the_reference_page_names_every_key) {
    const std::string page = markdown_reference();
    for (const key& k : keys()) EXPECT_NE(page.find("| `" + std::string(k.path) + "` |"), std::string::npos) << k.path;
}

/// `polycast-sim schema --markdown > tlm/scenario/keys.md` refreshes it.
TEST(schema, the_committed_reference_page_is_fresh) {
    std::ifstream in(POLYCAST_KEYS_PAGE);
    const std::string committed((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_EQ(committed, markdown_reference());
}

}  // namespace
}  // namespace polycast::tlm::scenario
