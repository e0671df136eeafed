// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/bypass_torus.h"

#include <algorithm>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::topology {

namespace {

using std::to_string;

/// "8 or 12": the multiples of a number next to one that is none.
std::string nearest_multiples(std::uint64_t of, std::uint64_t value) {
    const std::uint64_t below = value / of * of;
    return (below == 0 ? "" : to_string(below) + " or ") + to_string(below + of);
}

void check(const bypass_torus_params& params) {
    const std::string name = name_of(params);
    if (params.dimensions < 1 || params.dimensions > bypass_torus::most_dimensions)
        throw input_error(name + ": d = " + to_string(params.dimensions) + " dimensions", "1 to 4 are possible");
    if (params.radix < 2 || params.radix > bypass_torus::most_radix) {
        throw input_error(name + ": n = " + to_string(params.radix) + " nodes along a dimension",
                          "2 to " + to_string(bypass_torus::most_radix) + " are possible");
    }
    std::uint64_t nodes = 1;
    for (unsigned j = 0; j < params.dimensions; ++j) nodes *= params.radix;
    if (nodes > bypass_torus::most_nodes) {
        throw input_error(
            name + " has " + to_string(nodes) + " nodes, more than " + to_string(bypass_torus::most_nodes),
            "lower n or d");
    }
    for (const std::uint32_t length : params.bypass) {
        if (length >= 2 && length + 2 <= params.radix) continue;
        const std::string what = name + ": a bypass of length " + to_string(length);
        if (length == 1 || length + 1 == params.radix) throw input_error(what + " leads where a torus link leads");
        throw input_error(what + " leads round the ring of n = " + to_string(params.radix) + " nodes",
                          "lengths are 2 to n - 2");
    }
    const std::uint64_t classes = std::uint64_t{params.dimensions} * params.bypass.size();
    if (classes == 0) return;
    const std::string rule = name + " is not symmetric: d k = " + to_string(params.dimensions) + " x " +
                             to_string(params.bypass.size()) + " = " + to_string(classes) + " has to divide ";
    if (params.radix % classes != 0) {
        throw input_error(rule + "n = " + to_string(params.radix),
                          "n = " + nearest_multiples(classes, params.radix) + " does");
    }
    for (const std::uint32_t length : params.bypass) {
        if (length % classes == 0) continue;
        throw input_error(rule + "every bypass length, and not " + to_string(length),
                          "a length of " + nearest_multiples(classes, length) + " does");
    }
}

}  // namespace

std::string name_of(const bypass_torus_params& params) {
    std::string name = params.bypass.empty() ? "Torus(" : "iBT(";
    name += to_string(params.radix) + "^" + to_string(params.dimensions);
    for (std::size_t index = 0; index < params.bypass.size(); ++index)
        name += (index == 0 ? "; <" : ",") + to_string(params.bypass[index]);
    return name + (params.bypass.empty() ? ")" : ">)");
}

bypass_torus::bypass_torus(bypass_torus_params params) : params_(std::move(params)) {
    check(params_);
    for (unsigned j = 0; j < params_.dimensions; ++j) {
        strides_[j] = nodes_;
        nodes_ *= params_.radix;
    }
    if (has_bypasses()) classes_ = params_.dimensions * static_cast<std::uint32_t>(params_.bypass.size());
}

unsigned bypass_torus::degree() const {
    const auto once = [this](std::uint32_t length) { return 2 * length == params_.radix; };
    return ports() - (has_bypasses() && std::ranges::all_of(params_.bypass, once) ? 1 : 0);
}

std::uint64_t bypass_torus::links() const {
    std::uint64_t count = std::uint64_t{params_.dimensions} * nodes_;
    if (!has_bypasses()) return count;
    for (std::uint32_t t = 0; t < classes_; ++t) count += nodes_ / classes_ / (halves_ring(t) ? 2 : 1);
    return count;
}

bypass_torus::coordinates bypass_torus::coordinates_of(std::uint32_t node) const {
    coordinates place{};
    for (unsigned j = 0; j < params_.dimensions; ++j) {
        place[j] = node % params_.radix;
        node /= params_.radix;
    }
    return place;
}

std::uint32_t bypass_torus::node_at(const coordinates& place) const {
    std::uint32_t node = 0;
    for (unsigned j = 0; j < params_.dimensions; ++j) node += place[j] * strides_[j];
    return node;
}

std::uint32_t bypass_torus::class_of(const coordinates& place) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t coordinate : place) sum += coordinate;
    return sum % classes_;
}

bypass_torus::bypass bypass_torus::bypass_of(std::uint32_t class_number) const {
    return {class_number % params_.dimensions, params_.bypass[class_number / params_.dimensions]};
}

std::uint32_t bypass_torus::moved(std::uint32_t node, const coordinates& place, unsigned dimension,
                                  std::int64_t length) const {
    const std::int64_t n = params_.radix;
    const std::int64_t to = (place[dimension] + length + n) % n;
    return static_cast<std::uint32_t>(node + (to - place[dimension]) * strides_[dimension]);
}

std::optional<std::uint32_t> bypass_torus::neighbour(std::uint32_t node, unsigned port) const {
    const coordinates place = coordinates_of(node);
    const bool down = port % 2 == 1;
    if (port < 2 * params_.dimensions) return moved(node, place, port / 2, down ? -1 : 1);
    const std::uint32_t class_number = class_of(place);
    if (port >= ports() || (down && halves_ring(class_number))) return std::nullopt;
    const auto [dimension, length] = bypass_of(class_number);
    return moved(node, place, dimension, down ? -std::int64_t{length} : length);
}

unsigned bypass_torus::opposite(std::uint32_t node, unsigned port) const {
    const bool alone = port >= 2 * params_.dimensions && halves_ring(class_of(coordinates_of(node)));
    return alone ? port : port ^ 1u;
}

std::vector<std::uint32_t> distances_from(const bypass_torus& network, std::uint32_t source, unsigned dimensions) {
    std::vector<std::uint32_t> found(network.nodes(), no_distance);
    std::vector<std::uint32_t> reached{source};
    reached.reserve(network.nodes());
    found[source] = 0;
    const std::int64_t n = network.radix();
    for (std::size_t index = 0; index < reached.size(); ++index) {
        const std::uint32_t node = reached[index];
        const bypass_torus::coordinates place = network.coordinates_of(node);
        const auto visit = [&](unsigned dimension, std::int64_t stride, std::int64_t length) {
            if ((dimensions >> dimension & 1) == 0) return;
            const std::int64_t at = place[dimension];
            for (const std::int64_t to :
                 {at + length < n ? at + length : at + length - n, at >= length ? at - length : at - length + n}) {
                const auto next = static_cast<std::uint32_t>(node + (to - at) * stride);
                if (found[next] != no_distance) continue;
                found[next] = found[node] + 1;
                reached.push_back(next);
            }
        };
        std::int64_t bypass_stride = 1;
        std::int64_t stride = 1;
        const auto bypass = network.has_bypasses() ? network.bypass_of(network.class_of(place))
                                                   : bypass_torus::bypass{bypass_torus::most_dimensions, 0};
        for (unsigned j = 0; j < network.dimensions(); ++j, stride *= n) {
            visit(j, stride, 1);
            if (j == bypass.dimension) bypass_stride = stride;
        }
        if (network.has_bypasses()) visit(bypass.dimension, bypass_stride, bypass.length);
    }
    return found;
}

distance_summary torus_distances(std::uint32_t radix, unsigned dimensions) {
    const double n = radix;
    const double mean = radix % 2 == 0 ? n / 4 : (n - 1 / n) / 4;
    return {radix / 2 * dimensions, mean * dimensions};
}

distance_summary distances(const bypass_torus& network) {
    if (!network.has_bypasses()) return torus_distances(network.radix(), network.dimensions());
    distance_summary all;
    std::uint64_t sum = 0;
    // Class t has a node with x1 = t.
    for (std::uint32_t source = 0; source < network.classes(); ++source) {
        for (const std::uint32_t distance : distances_from(network, source, (1u << network.dimensions()) - 1)) {
            all.diameter = std::max(all.diameter, distance);
            sum += distance;
        }
    }
    all.mean = static_cast<double>(sum) / network.nodes() / network.classes();
    return all;
}

}  // namespace polycast::hw::topology
