// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/document.h"

#include <gtest/gtest.h>

#include "testbench/unit/refusal.h"

namespace polycast::tlm::scenario {
namespace {

std::string refusal(const std::string& text) {
    return testbench::unit::refusal([&] { parse_document(text, "a.yaml"); });
}

TEST(document, knows_where_everything_stands) {
    const node root = parse_document("a: 1\nb:\n  - x\n  - 'y'\n", "a.yaml");
    ASSERT_TRUE(root.is_map());
    EXPECT_EQ(root.entries[1].at.line, 2u);
    const node& list = *root.find("b");
    ASSERT_EQ(list.items.size(), 2u);
    EXPECT_EQ(list.items[1].text, "y");
    EXPECT_EQ(list.items[1].at.line, 4u);
    EXPECT_EQ(list.items[1].at.column, 5u);
    EXPECT_TRUE(list.items[1].quoted);
    EXPECT_FALSE(list.items[0].quoted);
    EXPECT_EQ(root.find("c"), nullptr);
}

TEST(document, aliases_are_copies) {
    const node root = parse_document("a: &x {k: 1}\nb: *x\n", "a.yaml");
    EXPECT_EQ(root.find("b")->find("k")->text, "1");
    EXPECT_EQ(root.find("b")->at.line, 2u);
}

TEST(document, an_empty_text_is_nothing) {
    EXPECT_EQ(parse_document("# only a comment\n", "a.yaml").form, node::shape::null);
}

TEST(document, refusals) {
    EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "a.yaml:3:1: duplicate key 'a'; it is first given in line 1");
    EXPECT_EQ(refusal("a: {b: 1, b: 2}"), "a.yaml:1:11: duplicate key 'b'; it is first given in line 1");
    EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "a.yaml:3:1: a second YAML document; a scenario is one document");
    EXPECT_EQ(refusal("a: [1, 2\nb: 3\n"), "a.yaml:2:2: broken YAML: end of sequence flow not found");
    EXPECT_EQ(refusal("a: b: c\n"), "a.yaml:1:5: broken YAML: illegal map value");
    EXPECT_EQ(refusal("a: *nowhere\n"), "a.yaml:1:4: broken YAML: the referenced anchor is not defined");
    EXPECT_EQ(refusal("a: &x [1, *x]\n"), "a.yaml:1:11: an alias refers to the part that it stands in");
    EXPECT_EQ(refusal("a: !!binary abc\n"),
              "a.yaml:1:4: the YAML tag 'tag:yaml.org,2002:binary' has no meaning here; leave it out");
    EXPECT_EQ(refusal("[a]: 1\n"), "a.yaml:1:1: a key must be a plain name");
    EXPECT_EQ(refusal("a: \xff\n"), "a.yaml:1:4: a byte that is not text (UTF-8)");
    EXPECT_EQ(refusal(std::string("a: 1\nb: \0", 9)), "a.yaml:2:4: a byte that is not text (UTF-8)");
    EXPECT_EQ(refusal(std::string(most_bytes + 1, ' ')), "a.yaml: larger than 1 MiB: this is no scenario");
}

TEST(document, deep_nesting_is_refused_not_followed) {
    EXPECT_NE(refusal("a: " + std::string(40, '[')).find("nested deeper than 32 levels"), std::string::npos);
    EXPECT_NE(refusal("a: " + std::string(500000, '[')).find("nested deeper"), std::string::npos);
    // Each alias adds a level to the one before.
    std::string tower = "a0: &a0 [x]\n";
    for (int i = 1; i < 60; ++i)
        tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    EXPECT_NE(refusal(tower).find("nested deeper"), std::string::npos);
}

TEST(document, a_bomb_of_aliases_is_refused) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string last = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "" : ", ") + last;
        bomb += "]\n";
    }
    EXPECT_NE(refusal(bomb).find("more than 100000 values, aliases included"), std::string::npos);
}

}  // namespace
}  // namespace polycast::tlm::scenario
