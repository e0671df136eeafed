// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/allgather.h"

#include <algorithm>
#include <optional>

#include "hw/chips/coding/coding_config.h"
#include "hw/fabric/allgather_run.h"
#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::fabric {

using collectives::coding_method;
using collectives::network_coding;

namespace {

constexpr unsigned longest_message_packet = 64;
constexpr std::uint32_t most_nodes = 4096;
constexpr std::uint64_t most_slots = 4096;  // of chips::coding_params

bool replicates(const allgather_options& options) {
    return options.method == allgather_method::replication;
}

bool is_coded(const allgather_options& options) {
    return !replicates(options) &&
           (options.plan.method == coding_method::coded || options.plan.method == coding_method::every_node);
}

}  // namespace

network_coding plan_of(const allgather_options& options) {
    if (!replicates(options)) return network_coding(options.plan);
    collectives::coding_options plan;
    plan.radix = options.plan.radix;
    plan.dimensions = options.plan.dimensions;
    plan.torus = options.plan.torus;
    plan.sources = options.plan.sources;
    plan.base = collectives::coding_base::all_at_once;
    plan.group = 1;
    for (unsigned d = 0; d < plan.dimensions && plan.group < most_nodes; ++d) plan.group *= plan.radix;
    return network_coding(plan);
}

namespace {

/// Steps of more than one kind send something.
bool has_classes(const allgather_options& options) {
    if (replicates(options)) return false;
    unsigned sending = 0;
    for (const collectives::coding_step& step : plan_of(options).steps())
        if (step.rounds != 0) ++sending;
    return sending > 1;
}

/// Operands of the unit that has most.
std::uint64_t most_operands(const allgather_options& options, const network_coding& plan) {
    if (!is_coded(options) || options.coder != allgather_coder::unit) return 0;
    std::uint64_t all = 0;
    for (const collectives::coding_level& level : plan.levels()) {
        if (level.group_count < 2) continue;
        std::size_t most = 0;
        for (const auto& sources : level.sources) most = std::max(most, sources.size());
        all += most;
    }
    return all;
}

void check_fabric(const allgather_options& options, const network_coding& plan) {
    const fabric_params& fabric = options.fabric;
    check(fabric);
    if (fabric.router.radix != options.plan.radix || fabric.router.dimensions != options.plan.dimensions ||
        fabric.tables.wrap != (options.plan.torus ? (1u << options.plan.dimensions) - 1 : 0u)) {
        throw input_error("allgather: the network is not the one of the plan",
                          "give both the same radix, dimensions and rings");
    }
    const unsigned longest = longest_packet(options);
    if (fabric.tables.packet_limit < longest) {
        throw input_error("allgather: packets of " + std::to_string(longest) + " flits, and a limit of " +
                              std::to_string(fabric.tables.packet_limit),
                          "raise packet_limit");
    }
    if (fabric.tables.reserve > fabric.router.vc_flits) {
        throw input_error("allgather: a reserve of " + std::to_string(fabric.tables.reserve) +
                              " flits, and buffers of " + std::to_string(fabric.router.vc_flits),
                          "longer buffers");
    }
    if (datum_bytes(options) == 0)
        throw input_error("allgather: packets of " + std::to_string(options.flits) + " flits have no room for a datum",
                          "longer packets or flits, or free headers");
    if (replicates(options)) {
        if (!fabric.broadcasts) throw input_error("allgather: replication needs a network with broadcasts");
        if (fabric.tables.reserve < longest)
            throw input_error("allgather: broadcasts need buffers that take a packet whole, a reserve of " +
                                  std::to_string(longest) + " flits",
                              "cut-through");
    }
    const std::uint64_t operands = most_operands(options, plan);
    if (operands == 0) return;
    if (fabric.host_ports() < 2)
        throw input_error("allgather: coding units need a second host port", "one more port for each router");
    const std::uint64_t slots = options.unit_flits == 0 ? operands : options.unit_flits / options.flits;
    if (slots > most_slots)
        throw input_error(
            "allgather: operand stores of " + std::to_string(slots) + " packets, and coding units have " +
                std::to_string(most_slots) + " slots at most",
            "smaller groups, or stores of up to " + std::to_string(most_slots * options.flits) + " flits");
    if (options.unit_flits != 0 && options.unit_flits < operands * options.flits) {
        throw input_error("allgather: operand stores of " + std::to_string(options.unit_flits) +
                              " flits, and a group's data take " + std::to_string(operands * options.flits),
                          "longer stores or smaller groups: operands whose partners have no room wait for ever");
    }
}

}  // namespace

unsigned datum_bytes(const allgather_options& options) {
    const chips::router_params& router = options.fabric.router;
    if (router.header_free) return options.flits * router.flit_bytes;
    const unsigned header = format::header_flits(format::unicast_header_bytes, router.flit_bytes);
    const unsigned behind = options.flits > header ? (options.flits - header) * router.flit_bytes : 0;
    const unsigned other = format::transport_bytes + format::check_bytes;
    return behind > other ? behind - other : 0;
}

unsigned longest_packet(const allgather_options& options) {
    if (replicates(options) || options.plan.method != coding_method::combining) return options.flits;
    const network_coding plan = plan_of(options);
    std::size_t most = 1;
    for (const collectives::coding_level& level : plan.levels())
        for (const auto& sources : level.sources) most = std::max(most, sources.size());
    const std::size_t data = std::max(1u, longest_message_packet / options.flits);
    return options.flits * static_cast<unsigned>(std::min(most, data));
}

fabric_params allgather_fabric(const allgather_options& options) {
    fabric_params fabric;
    const unsigned longest = longest_packet(options);
    fabric.router.dimensions = options.plan.dimensions;
    fabric.router.radix = options.plan.radix;
    fabric.router.header_free = true;
    fabric.router.vcs = options.plan.torus ? 8 : 4;
    fabric.router.vc_flits = std::max(8u, longest);
    const bool units = most_operands(options, plan_of(options)) != 0;
    fabric.router.ports = 2 * options.plan.dimensions + (units ? 2 : 1);
    fabric.tables.wrap = options.plan.torus ? (1u << options.plan.dimensions) - 1 : 0;
    fabric.tables.reserve = longest;
    fabric.tables.packet_limit = longest;
    fabric.tables.vc_sets = class_sets(fabric.router.vcs, has_classes(options) ? 4 : 1, fabric.tables.wrap, true);
    if (replicates(options)) {
        fabric.broadcasts = true;
        fabric.router.vc_flits = std::max(16u, 8 * longest);
    }
    return fabric;
}

void check(const allgather_options& options) {
    if (options.flits < 1 || options.flits > longest_message_packet)
        throw input_error("allgather: packets of " + std::to_string(options.flits) + " flits", "1 to 64");
    const network_coding plan = plan_of(options);
    if (plan.nodes() > most_nodes)
        throw input_error("allgather: " + std::to_string(plan.nodes()) + " nodes",
                          "at most " + std::to_string(most_nodes) + ": every node's data are kept apart");
    check_fabric(options, plan);
    if (options.xor_latency > 64)
        throw input_error("allgather: an XOR latency of " + std::to_string(options.xor_latency), "0 to 64 cycles");
    if (!options.shorten.empty() && options.flits < 2)
        throw input_error("allgather: packets of one flit cannot be shortened", "longer packets");
    if (replicates(options) && !(options.drop.empty() && options.shorten.empty()))
        throw input_error("allgather: faults are injected into unicasts only");
}

std::optional<std::string> hop_difference(const allgather_options& options, const allgather_result& result) {
    std::uint64_t hops = 0;
    for (const allgather_step& step : result.steps) hops += step.hops;
    if (hops * options.flits == result.flit_hops) return {};
    return "routers passed " + std::to_string(result.flit_hops) + " flits to routers, and the steps have " +
           std::to_string(hops) + " hops of " + std::to_string(options.flits) + " flits";
}

allgather_result run_allgather(const allgather_options& options) {
    check(options);
    const network_coding plan = plan_of(options);
    return allgather_run(options, plan).run();
}

}  // namespace polycast::hw::fabric
