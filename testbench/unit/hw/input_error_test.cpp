// SPDX-License-Identifier: Apache-2.0
#include "hw/input_error.h"

#include <gtest/gtest.h>

namespace polycast::hw {
namespace {

TEST(input_error, says_where_and_what_to_do) {
    EXPECT_STREQ(input_error("a.yaml", {3, 7}, "wrong", "write right").what(), "a.yaml:3:7: wrong; write right");
    EXPECT_STREQ(input_error("", {3, 0}, "wrong").what(), "line 3: wrong");
    EXPECT_STREQ(input_error("wrong").what(), "wrong");
}

TEST(input_error, is_harmless_to_terminals) {
    EXPECT_STREQ(input_error("a\x1b]0;.yaml", {}, "no key 'x\x1b[31m'").what(), "a\\x1b]0;.yaml: no key 'x\\x1b[31m'");
    EXPECT_EQ(printable(std::string_view("a\0b\n\x7f", 5)), "a\\x00b\\x0a\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of Latin-1";
    EXPECT_EQ(printable("Zürich, 東京, 🙂"), "Zürich, 東京, 🙂");
    EXPECT_EQ(printable("\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82"),
              "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82")
        << "no UTF-8, an overlong form, half a pair, too high, cut off";
}

TEST(input_error, cuts_what_nobody_reads) {
    const std::string word(10000, 'a');
    EXPECT_EQ(printable("no key '" + word + "'; write another"),
              "no key '" + word.substr(0, 79) + "...' write another");
    const std::string path = "/" + std::string(200, 'p');
    EXPECT_EQ(printable(path + ": no file '" + path + "'"), path + ": no file '" + path + "'");
}

}  // namespace
}  // namespace polycast::hw
