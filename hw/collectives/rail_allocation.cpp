// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/rail_allocation.h"

#include <algorithm>
#include <bit>

#include "hw/topology/text_cursor.h"
#include "hw/topology/text_file.h"

namespace polycast::hw::collectives {

namespace {

std::string counted(std::uint64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// C(r, floor(r/2)).
std::uint64_t central_binomial(unsigned rails) {
    std::uint64_t ways = 1;
    for (unsigned r = 0; r < rails; ++r) {
        const std::uint64_t half = r / 2;
        // C(2k + 1, k) = C(2k, k) + k C(2k, k) / (k + 1), where the division leaves nothing over and nothing overflows.
        ways += r % 2 == 0 ? ways / (half + 1) * half : ways;
    }
    return ways;
}

/// Whether sets of one size, all different: then none is part of another.
bool is_plain_antichain(const rail_matrix& matrix) {
    std::vector<rail_set> sets;
    for (std::uint32_t node = 0; node < matrix.nodes(); ++node) sets.push_back(matrix.transmitting(node));
    const auto size_differs = [&](rail_set set) { return std::popcount(set) != std::popcount(sets.front()); };
    if (std::ranges::any_of(sets, size_differs)) return false;
    std::ranges::sort(sets);
    return std::ranges::adjacent_find(sets) == sets.end();
}

std::vector<rail_set> paired_columns(std::uint32_t nodes) {
    const unsigned bits = rails_needed(rail_algorithm::paired, nodes) / 2;
    const rail_set low = (rail_set{1} << bits) - 1;
    std::vector<rail_set> columns(nodes);
    // Rail i transmits where bit i of the node's number is 0, rail bits + i where it is 1.
    for (std::uint32_t node = 0; node < nodes; ++node) columns[node] = (~rail_set{node} & low) | rail_set{node} << bits;
    return columns;
}

std::vector<rail_set> recursive_columns(std::uint32_t nodes, unsigned rails) {
    std::vector<bool> vector(rails, false);
    std::fill_n(vector.begin(), rails / 2, true);
    std::vector<rail_set> columns(nodes);
    for (rail_set& column : columns) {
        for (unsigned rail = 0; rail < rails; ++rail) column |= rail_set{vector[rail]} << rail;
        std::prev_permutation(vector.begin(), vector.end());  // a one before a zero: the descending order
    }
    return columns;
}

}  // namespace

rail_matrix::rail_matrix(unsigned rails, std::vector<rail_set> transmits)
    : rails_(rails), transmits_(std::move(transmits)) {
    if (rails < 1 || rails > most_rails) {
        throw input_error("an allocation has 1 to " + std::to_string(most_rails) + " rails, not " +
                          std::to_string(rails));
    }
    if (transmits_.size() < 2 || transmits_.size() > most_rail_nodes) {
        throw input_error("an allocation of rails is for 2 to " + std::to_string(most_rail_nodes) + " nodes, not " +
                          std::to_string(transmits_.size()));
    }
}

unsigned rails_needed(rail_algorithm how, std::uint32_t nodes) {
    if (how == rail_algorithm::paired) return 2 * static_cast<unsigned>(std::bit_width(nodes - 1));
    unsigned rails = 1;
    while (central_binomial(rails) < nodes) ++rails;
    return rails;
}

std::uint64_t most_nodes(rail_algorithm how, unsigned rails) {
    return how == rail_algorithm::paired ? std::uint64_t{1} << rails / 2 : central_binomial(rails);
}

rail_matrix allocate_rails(rail_algorithm how, std::uint32_t nodes, unsigned rails) {
    if (nodes < 2 || nodes > most_rail_nodes) {
        throw input_error("an allocation of rails is for 2 to " + std::to_string(most_rail_nodes) + " nodes, not " +
                          std::to_string(nodes));
    }
    const unsigned needed = rails_needed(how, nodes);
    if (rails == 0) rails = needed;
    if (rails > most_rails) {
        throw input_error("an allocation has at most " + std::to_string(most_rails) + " rails, not " +
                          std::to_string(rails));
    }
    if (rails < needed) {
        const std::uint64_t most = most_nodes(how, rails);
        const std::string why = most < 2 ? "no pair of nodes" : "at most " + counted(most, "node");
        throw input_error(
            counted(rails, "rail") + " connect" + (rails == 1 ? "s " : " ") + why + ", not " + std::to_string(nodes),
            std::to_string(nodes) + " nodes need " + counted(needed, "rail"));
    }
    if (how == rail_algorithm::recursive) return {rails, recursive_columns(nodes, rails)};
    if (rails != needed) {
        throw input_error("algorithm 1 gives " + std::to_string(nodes) + " nodes " + counted(needed, "rail") +
                              ", not " + std::to_string(rails),
                          "algorithm 2 takes any number that is enough");
    }
    return {rails, paired_columns(nodes)};
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> find_unreachable(const rail_matrix& matrix) {
    if (is_plain_antichain(matrix)) return std::nullopt;
    for (std::uint32_t source = 0; source < matrix.nodes(); ++source) {
        for (std::uint32_t destination = 0; destination < matrix.nodes(); ++destination)
            if (source != destination && matrix.usable(source, destination) == 0) return {{source, destination}};
    }
    return std::nullopt;
}

void require_connected(const rail_matrix& matrix, const std::string& file) {
    const auto pair = find_unreachable(matrix);
    if (!pair) return;
    const std::string from = std::to_string(pair->first), to = std::to_string(pair->second);
    const std::string why = matrix.transmitting(pair->first) == 0
                                ? "node " + from + " transmits on none"
                                : "node " + to + " transmits wherever node " + from + " does";
    const unsigned needed = rails_needed(rail_algorithm::recursive, matrix.nodes());
    const std::string proposal =
        needed <= matrix.rails()
            ? "algorithm 2 has an allocation of so many rails that connects all"
            : std::to_string(matrix.nodes()) + " nodes need " + counted(needed, "rail") + " at least";
    throw input_error(file, {}, "no rail takes messages from node " + from + " to node " + to + ": " + why, proposal);
}

rail_matrix read_rail_matrix(const std::string& file, std::string_view text) {
    topology::text_cursor cursor(file, text);
    std::vector<rail_set> columns;
    unsigned rails = 0;
    while (cursor.next_line()) {
        std::uint32_t node = 0;
        for (cursor.skip_blanks(); !cursor.at_end() && cursor.peek() != '#'; cursor.skip_blanks()) {
            const char digit = cursor.peek();
            if (digit != '0' && digit != '1') {
                cursor.fail("expected 0 (receives) or 1 (transmits), found " + topology::excerpt(cursor.left()),
                            "a line of such digits for each rail, one digit for each node");
            }
            if (rails == most_rails) {
                cursor.fail("more than " + std::to_string(most_rails) + " rails");
            } else if (rails == 0 && node == most_rail_nodes) {
                cursor.fail("more than " + std::to_string(most_rail_nodes) + " nodes");
            } else if (rails == 0) {
                columns.push_back(0);
            } else if (node == columns.size()) {
                cursor.fail("this rail has more nodes than the first one, which has " + std::to_string(columns.size()),
                            "one digit for each node");
            }
            columns[node++] |= rail_set{digit == '1'} << rails;
            cursor.advance(1);
        }
        if (node == 0) continue;
        if (node < columns.size()) {
            cursor.fail("this rail ends after " + counted(node, "node") + ", the first one has " +
                            std::to_string(columns.size()),
                        "one digit for each node");
        }
        if (node == 1) cursor.fail("one node alone has nobody to send to", "one digit for each node, 2 or more");
        ++rails;
    }
    if (rails == 0)
        throw input_error(file, {}, "it has no rails", "a line of 0 and 1 for each rail, one digit for each node");
    return {rails, std::move(columns)};
}

rail_matrix load_rail_matrix(const std::string& path) {
    return read_rail_matrix(path, topology::read_text_file(path, "matrix of rails"));
}

std::string write_rail_matrix(const rail_matrix& matrix) {
    std::string text;
    for (unsigned rail = 0; rail < matrix.rails(); ++rail) {
        for (std::uint32_t node = 0; node < matrix.nodes(); ++node) text += matrix.transmits(rail, node) ? '1' : '0';
        text += '\n';
    }
    return text;
}

std::vector<unsigned> rails_in(rail_set rails) {
    std::vector<unsigned> numbers;
    for (; rails != 0; rails &= rails - 1) numbers.push_back(static_cast<unsigned>(std::countr_zero(rails)));
    return numbers;
}

}  // namespace polycast::hw::collectives
