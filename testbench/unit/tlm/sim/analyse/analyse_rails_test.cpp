// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "testbench/unit/tlm/sim/analyse/printed.h"
#include "tlm/sim/analyse/analyse.h"

namespace polycast::tlm::sim {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string printed(const rails_options& options) {
    try {
        return test::printed([&] { return analyse_rails(options); });
    } catch (const hw::input_error& error) {
        return error.what();
    }
}

rails_options allocation(std::uint32_t nodes, unsigned algorithm) {
    rails_options options;
    options.nodes = nodes;
    options.algorithm = algorithm;
    return options;
}

json analysed(rails_options options) {
    options.json = true;
    return json::parse(printed(options));
}

/// A file with a matrix, for the time of a test.
class matrix_file {
public:
    explicit matrix_file(const std::string& text) : path_(testing::TempDir() + "rails_test_matrix.txt") {
        std::ofstream(path_) << text;
    }
    matrix_file(const matrix_file&) = delete;
    matrix_file& operator=(const matrix_file&) = delete;
    ~matrix_file() { std::filesystem::remove(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

TEST(analyse_rails, the_optimal_allocation_of_32_nodes) {
    const json got = analysed(allocation(32, 2));
    EXPECT_EQ(got["rails"], 7);
    EXPECT_EQ(got["matrix"].size(), 7u);
    EXPECT_EQ(got["algorithm"], 2);
    EXPECT_EQ(got["required_rails"], json::parse(R"({"algorithm_1": 10, "algorithm_2": 7})"));
    std::size_t usable = 0;
    for (std::size_t x = 0; x < 32; ++x) {
        for (std::size_t y = 0; y < 32; ++y) {
            json expected = json::array();
            for (unsigned rail = 0; rail < 7; ++rail)
                if (got["matrix"][rail][x] == 1 && got["matrix"][rail][y] == 0) expected.push_back(rail);
            EXPECT_EQ(got["usable_rails"][x][y], expected);
            EXPECT_EQ(expected.empty(), x == y);
            usable += expected.size();
        }
    }
    EXPECT_EQ(usable, 1746u);
    EXPECT_EQ(got["rails_of_a_pair"]["least"], 1);
    EXPECT_EQ(got["rails_of_a_pair"]["most"], 3);
    EXPECT_DOUBLE_EQ(got["rails_of_a_pair"]["mean"], 1746.0 / (32 * 31));
}

TEST(analyse_rails, algorithm_1_and_what_both_need) {
    const json got = analysed(allocation(8, 1));
    EXPECT_EQ(got["matrix"][1], json::parse("[1, 1, 0, 0, 1, 1, 0, 0]"));
    EXPECT_EQ(got["required"], json::parse(R"([
        {"least_nodes": 2, "most_nodes": 2, "algorithm_1": 2, "algorithm_2": 2},
        {"least_nodes": 3, "most_nodes": 3, "algorithm_1": 4, "algorithm_2": 3},
        {"least_nodes": 4, "most_nodes": 4, "algorithm_1": 4, "algorithm_2": 4},
        {"least_nodes": 5, "most_nodes": 6, "algorithm_1": 6, "algorithm_2": 4},
        {"least_nodes": 7, "most_nodes": 8, "algorithm_1": 6, "algorithm_2": 5}])"));
    EXPECT_THAT(printed(allocation(8, 1)), HasSubstr("   1  11001100\n"));
    EXPECT_THAT(printed(allocation(8, 1)), HasSubstr("5 to 6            6            4\n"));
}

TEST(analyse_rails, large_ones) {
    const json got = analysed(allocation(2000, 2));
    EXPECT_EQ(got["rails"], 14);
    EXPECT_FALSE(got.contains("usable_rails"));
    EXPECT_FALSE(got["rails_of_a_pair"].contains("least"));
    EXPECT_THAT(printed(allocation(2000, 2)), HasSubstr("rails of an ordered pair: mean 3."));
    EXPECT_THAT(printed(allocation(2000, 2)), HasSubstr(" ...\n"));
    rails_options options = allocation(2000, 2);
    options.dot = true;
    EXPECT_EQ(printed(options), "2000 nodes are too many to draw (at most 256); --json has all of it");
}

TEST(analyse_rails, matrices_of_users) {
    rails_options options;
    const matrix_file good("110\n101\n011\n");
    options.file = good.path();
    EXPECT_EQ(analysed(options)["nodes"], 3);
    EXPECT_EQ(analysed(options)["algorithm"], nullptr);
    options.nodes = 4;
    EXPECT_EQ(printed(options), "--nodes 4: the matrix of " + good.path() + " has 3 nodes; leave out --nodes");
    options.nodes = 0;
    options.rails = 2;
    EXPECT_EQ(printed(options), "--rails 2: the matrix of " + good.path() + " has 3 rails; leave out --rails");

    const matrix_file wrong("110\n010\n011\n");
    options.rails = 0;
    EXPECT_THAT(printed(options), HasSubstr("txt: no rail takes messages from node 0 to node 1: node 1 transmits "
                                            "wherever node 0 does"));
    options.file = "/nowhere/rails.txt";
    EXPECT_EQ(printed(options), "/nowhere/rails.txt: cannot be read: No such file or directory");
    options.file = testing::TempDir();
    EXPECT_THAT(printed(options), HasSubstr("this is a directory, not a matrix of rails"));
}

TEST(analyse_rails, picture) {
    rails_options options = allocation(6, 2);
    options.dot = true;
    const std::string text = printed(options);
    EXPECT_THAT(text, HasSubstr("rail 3</TD><TD></TD><TD></TD><TD BGCOLOR=\"#0072b2\"></TD><TD></TD>"));
}

TEST(analyse_rails, refusals) {
    EXPECT_EQ(printed({}), "an allocation for how many nodes?; --nodes NUMBER, or --matrix FILE");
    EXPECT_EQ(printed(allocation(8, 3)), "--algorithm 3: there is no such algorithm; 1 or 2");
    rails_options few = allocation(40, 2);
    few.rails = 7;
    EXPECT_EQ(printed(few), "7 rails connect at most 35 nodes, not 40; 40 nodes need 8 rails");
}

}  // namespace
}  // namespace polycast::tlm::sim
