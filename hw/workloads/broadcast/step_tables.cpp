// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/step_tables.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "hw/input_error.h"
#include "hw/workloads/broadcast/broadcast_rule.h"

namespace polycast::hw::broadcast {

namespace {

using std::to_string;
using topology::bypass_torus;

void check(const bypass_torus& network, const broadcast_params& params) {
    const std::vector<unsigned>& dimensions = params.dimensions;
    const bool ascending = std::ranges::adjacent_find(dimensions, std::greater_equal<>()) == dimensions.end();
    if (dimensions.empty() || !ascending || dimensions.back() >= network.dimensions()) {
        throw input_error("a broadcast uses some of the dimensions 0 to " + to_string(network.dimensions() - 1) +
                          ", each once and in ascending order");
    }
    if (params.source >= network.nodes()) {
        throw input_error("source " + to_string(params.source) + ": there is no such node",
                          "nodes are 0 to " + to_string(network.nodes() - 1));
    }
    const bool trees = params.how == algorithm::trees;
    if (trees && network.has_bypasses()) {
        throw input_error("the link-disjoint trees are those of a torus, and " + name_of(network.params()) +
                          " has bypass links");
    }
    const std::size_t parts = dimensions.size() * (trees ? 2 : 1);
    if (params.split.size() != parts) {
        throw input_error("the packets are split into " + to_string(params.split.size()) + " parts",
                          to_string(parts) + (trees ? " are the trees" : " are the colours, one for each dimension"));
    }
    const unsigned packets = std::accumulate(params.split.begin(), params.split.end(), 0u);
    if (packets < 1 || packets > most_packets || std::ranges::max(params.split) > most_packets) {
        throw input_error(to_string(packets) + " packets", "1 to " + to_string(most_packets) + " are possible");
    }
    if (!trees && params.patterns.size() != parts)
        throw input_error(to_string(params.patterns.size()) + " packet-sending patterns", "each colour has one");
    for (const unsigned pattern : params.patterns)
        if (pattern > 15) throw input_error("packet-sending pattern " + to_string(pattern), "0 to 15 are possible");
    if (params.bytes > 65'536)
        throw input_error("packets of " + to_string(params.bytes) + " bytes", "at most 65536 are possible");
    if (params.threads < 1) throw input_error("0 threads", "1 or more");
}

}  // namespace

step_tables::step_tables(const bypass_torus& network, const broadcast_params& params) {
    check(network, params);
    dimensions = static_cast<unsigned>(params.dimensions.size());
    radix = network.radix();
    packets = std::accumulate(params.split.begin(), params.split.end(), 0u);
    ports = 2 * dimensions + (network.has_bypasses() ? 2 : 0);
    variants = static_cast<unsigned>(network.params().bypass.size()) + 1;
    const bypass_torus::coordinates place = network.coordinates_of(params.source);
    nodes = 1;
    source = 0;
    for (unsigned i = 0; i < dimensions; ++i, nodes *= radix) {
        source_place[i] = place[params.dimensions[i]];
        source += source_place[i] * nodes;
    }
    make_lines(network);
    make_bypasses(network, params);
    make_rules(params);
    make_patterns(network, params);
}

void step_tables::make_lines(const bypass_torus& network) {
    lines.resize(std::size_t{dimensions} * variants * radix);
    std::int64_t stride = 1;
    for (unsigned i = 0; i < dimensions; ++i, stride *= radix) {
        for (unsigned variant = 0; variant < variants; ++variant) {
            const std::uint32_t length = variant == 0 ? 0 : network.params().bypass[variant - 1];
            for (std::uint32_t at = 0; at < radix; ++at) {
                struct candidate {
                    std::uint32_t from;
                    unsigned port, kind;
                };
                std::vector<candidate> found{{(at + 1) % radix, 2 * i, 2 * i},
                                             {(at + radix - 1) % radix, 2 * i + 1, 2 * i + 1}};
                const unsigned port = 2 * dimensions;
                if (length != 0) found.push_back({(at + length) % radix, port, port + i});
                if (length != 0 && 2 * length != radix)
                    found.push_back({(at + radix - length) % radix, port + 1, port + i});
                std::ranges::sort(found, {}, [](const candidate& one) { return std::pair(one.from, one.port); });
                line_links& line = lines[(std::size_t{i} * variants + variant) * radix + at];
                for (const candidate& one : found) {
                    const std::int64_t offset = (std::int64_t{one.from} - at) * stride;
                    const unsigned rule = 2 * one.kind + (one.from == source_place[i] ? 1 : 0);
                    line.links[line.count++] = {static_cast<std::int32_t>(offset), static_cast<std::uint8_t>(one.port),
                                                static_cast<std::uint8_t>(rule)};
                    if (one.from < at) ++line.below;
                }
            }
        }
    }
}

void step_tables::make_bypasses(const bypass_torus& network, const broadcast_params& params) {
    const std::uint32_t classes = network.classes();
    for (std::uint32_t at = 0; at < radix; ++at) residues.push_back(static_cast<std::uint16_t>(at % classes));
    links = std::uint64_t{2} * dimensions * nodes;
    for (std::uint32_t t = 0; network.has_bypasses() && t < classes; ++t) {
        const auto [dimension, length] = network.bypass_of(t);
        if (std::ranges::find(params.dimensions, dimension) == params.dimensions.end()) continue;
        links += nodes / classes * (2 * length == radix ? 1 : 2);
    }
    // What the dimensions that are not used add to the class.
    bypass_torus::coordinates rest = network.coordinates_of(params.source);
    for (const unsigned j : params.dimensions) rest[j] = 0;
    for (std::uint32_t sum = 0; sum <= dimensions * (classes - 1); ++sum) {
        bypass own{static_cast<std::uint8_t>(dimensions), 0};
        if (network.has_bypasses()) {
            const std::uint32_t t = (network.class_of(rest) + sum) % classes;
            const auto used = std::ranges::find(params.dimensions, network.bypass_of(t).dimension);
            if (used != params.dimensions.end()) {
                own = {static_cast<std::uint8_t>(used - params.dimensions.begin()),
                       static_cast<std::uint8_t>(t / network.dimensions() + 1)};
            }
        }
        bypasses.push_back(own);
    }
}

void step_tables::make_rules(const broadcast_params& params) {
    std::vector<packet_set> parts;
    for (unsigned first = 0; const unsigned count : params.split) {
        const packet_set all = count == 64 ? ~packet_set{0} : (packet_set{1} << count) - 1;
        parts.push_back(first == 64 ? 0 : all << first);
        first += count;
    }
    for (unsigned differing = 1; differing < 1u << dimensions; ++differing) {
        for (unsigned rule = 0; rule < 6 * dimensions; ++rule) {
            const unsigned kind = rule / 2;
            const bool around = kind >= 2 * dimensions;
            const unsigned i = around ? kind - 2 * dimensions : kind / 2;
            const unsigned bit = 1u << i;
            const unsigned of_sender = rule % 2 == 1 ? differing & ~bit : differing | bit;
            packet_set& set = allowed[differing][rule];
            for (unsigned part = 0; part < parts.size(); ++part) {
                const bool sent =
                    params.how == algorithm::colours
                        ? sends_colour(dimensions, of_sender, part, i, (differing & bit) == 0)
                        : !around && tree_arrival(dimensions, differing, part) == direction{i, kind % 2 == 1};
                if (sent) set |= parts[part];
            }
        }
    }
}

void step_tables::make_patterns(const bypass_torus& network, const broadcast_params& params) {
    if (params.how == algorithm::trees) return;
    for (unsigned i = 0; i < dimensions; ++i) {
        reversed[2 * i] = sends_in_reverse(params.patterns[i], false, false);
        reversed[2 * i + 1] = sends_in_reverse(params.patterns[i], false, true);
    }
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < dimensions; ++i) sum += residues[source_place[i]];
    const auto [dimension, variant] = bypasses[sum];
    if (dimension == dimensions) return;
    const bool alone = 2 * network.params().bypass[variant - 1] == radix;
    reversed[2 * dimensions] = sends_in_reverse(params.patterns[dimension], true, alone);
    reversed[2 * dimensions + 1] = sends_in_reverse(params.patterns[dimension], true, true);
}

}  // namespace polycast::hw::broadcast
