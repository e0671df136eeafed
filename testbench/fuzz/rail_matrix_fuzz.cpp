// SPDX-License-Identifier: Apache-2.0
/// \file Fuzzes the reader of matrices of rails: refused with place and reason, or read, written, and read the same.
#include "hw/collectives/rail_allocation.h"
#include "hw/input_error.h"
#include "testbench/fuzz/require.h"

namespace {

using namespace polycast;
using namespace hw::collectives;
using testbench::fuzz::require;

/// Pairs are as many as nodes squared.
constexpr std::uint32_t most_nodes_of_pairs = 512;

void check(const rail_matrix& matrix) {
    require(matrix.rails() >= 1 && matrix.rails() <= most_rails, "rails are 1 to 64");
    require(matrix.nodes() >= 2 && matrix.nodes() <= most_rail_nodes, "nodes are 2 to 65,536");
    require(read_rail_matrix("again", write_rail_matrix(matrix)) == matrix, "the same again");
    if (matrix.nodes() > most_nodes_of_pairs) return;
    const auto pair = find_unreachable(matrix);
    for (std::uint32_t x = 0; x < matrix.nodes(); ++x)
        for (std::uint32_t y = 0; y < matrix.nodes(); ++y)
            if (x != y && matrix.usable(x, y) == 0) {
                require(pair && *pair == std::pair{x, y}, "the first pair without a rail is found");
                return;
            }
    require(!pair, "all pairs have a rail");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        check(read_rail_matrix("fuzz", {reinterpret_cast<const char*>(data), size}));
    } catch (const hw::input_error& refused) {
        require(std::string(refused.what()).starts_with("fuzz:"), std::string("it names the file: ") + refused.what());
    }
    return 0;
}
