// SPDX-License-Identifier: Apache-2.0
/// \file The samples with damage of every kind: a reader takes them or refuses them with file and line, and what is
/// taken can be checked. testbench/fuzz/fabric_fuzz.cpp does this for hours.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "hw/subnet/repair.h"
#include "testbench/unit/hw/subnet/small_fabric.h"

namespace polycast::hw::subnet {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

using texts = std::vector<std::pair<std::string, std::string>>;

texts sample(const std::string& name) {
    texts found;
    for (const auto& one : std::filesystem::directory_iterator(std::string(POLYCAST_DATA_DIR) + "/fabric/" + name)) {
        std::ifstream file(one.path());
        std::string text{std::istreambuf_iterator<char>(file), {}};
        if (recognise(text) == file_kind::unknown) continue;
        found.emplace_back(one.path().filename().string(), std::move(text));
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        lines.push_back(text.substr(at, end + 1 - at));
        at = end + 1;
    }
    return lines;
}

/// Damages a text in one way.
void damage(std::string& text, std::mt19937_64& draw) {
    if (text.empty()) return;
    const std::size_t at = draw() % text.size();
    const auto in_lines = [&](const auto& change) {
        std::vector<std::string> lines = lines_of(text);
        change(lines);
        text.clear();
        for (const std::string& one : lines) text += one;
    };
    switch (draw() % 8) {
        case 0: text.resize(at); break;
        case 1: text[at] = static_cast<char>(draw()); break;
        case 2: text.erase(at, draw() % 8); break;
        case 3: text.insert(at, text.substr(draw() % text.size(), draw() % 40)); break;
        case 4: text[at] = "0123456789abcdefx :-{}|,\n\r\t"[draw() % 28]; break;
        case 5:
            in_lines([&](auto& lines) { std::swap(lines[draw() % lines.size()], lines[draw() % lines.size()]); });
            break;
        case 6: in_lines([&](auto& lines) { lines.erase(lines.begin() + draw() % lines.size()); }); break;
        default:
            in_lines([&](auto& lines) {
                const std::string one = lines[draw() % lines.size()];
                lines.insert(lines.begin() + draw() % lines.size(), one);
            });
    }
}

class damaged_files : public testing::TestWithParam<const char*> {};

TEST_P(damaged_files, are_refused_or_can_be_checked) {
    const texts whole = sample(GetParam());
    unsigned refused = 0, taken = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 draw(seed);
        texts files = whole;
        // The unicast tables in one form at a time, else nearly all is refused because the two differ.
        std::erase_if(files, [&](const auto& one) {
            return one.first == (seed % 2 == 0 ? "opensm.fdbs" : "opensm-lfts.dump") || one.first == "dump_lfts.txt";
        });
        for (std::size_t count = 1 + draw() % 2; count > 0; --count) damage(files[draw() % files.size()].second, draw);
        std::vector<std::pair<std::string, std::string_view>> views(files.begin(), files.end());
        join_options options;
        options.partial = seed % 5 == 0;
        try {
            const fabric of = read_fabric_texts(views, options);
            ++taken;
            const check_result found = check(of, {});
            EXPECT_LE(found.reached, found.pairs);
            const repair_result repaired = repair(of, {});
            EXPECT_TRUE(repaired.kind == repair_kind::none || repaired.after.all.components.empty());
        } catch (const input_error& error) {
            ++refused;
            // A message about several files, or with the name of one.
            const std::string what = error.what();
            EXPECT_TRUE(what.starts_with("there ") || what.starts_with("opensm") || what.starts_with("dump_") ||
                        what.starts_with("net.") || what.starts_with("psl") || what.starts_with("slvl"))
                << what;
        }
    }
    EXPECT_GT(refused, 100U);
    EXPECT_GT(taken, 20U);
}

INSTANTIATE_TEST_SUITE_P(samples, damaged_files,
                         testing::Values("ring6.dfsssp", "ring6.minhop", "irr8s3.updn.mcast", "parallel.lmc1"),
                         [](const auto& one) {
                             std::string name = one.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

}  // namespace
}  // namespace polycast::hw::subnet
