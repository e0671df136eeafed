// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/port_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/rational.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tlm/sim/results/csv_field.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t word_bytes = 4;

std::vector<std::uint64_t> words_of(const std::vector<std::uint64_t>& bytes) {
    std::vector<std::uint64_t> words;
    for (const std::uint64_t count : bytes) words.push_back(count / word_bytes);
    return words;
}

json port_json(const port_counters& p) {
    return {{"port", p.port},
            {"PortXmitData", p.xmit_bytes / word_bytes},
            {"PortRcvData", p.rcv_bytes / word_bytes},
            {"PortXmitPkts", p.xmit_packets},
            {"PortRcvPkts", p.rcv_packets},
            {"PortUnicastXmitPkts", p.xmit_packets - p.multicast_xmit_packets},
            {"PortUnicastRcvPkts", p.rcv_packets - p.multicast_rcv_packets},
            {"PortMulticastXmitPkts", p.multicast_xmit_packets},
            {"PortMulticastRcvPkts", p.multicast_rcv_packets},
            {"PortXmitWait", p.xmit_wait},
            {"PortXmitDiscards", p.hoq_discards},
            {"PortSwitchHOQLifetimeLimitDiscards", p.hoq_discards},
            {"PortRcvSwitchRelayErrors", p.mapping_errors + p.looping_errors + p.vl_errors},
            {"PortDLIDMappingErrors", p.mapping_errors},
            {"PortLoopingErrors", p.looping_errors},
            {"PortVLMappingErrors", p.vl_errors},
            {"PortRcvErrors", p.rcv_errors},
            {"PortBufferOverrunErrors", p.overruns},
            {"PortVLXmitData", words_of(p.vl_xmit_bytes)},
            {"PortVLXmitPkts", p.vl_xmit_packets}};
}

/// A column of tables/ports.csv that VL switches and the interfaces at them alone count.
struct lane_counter {
    std::string_view name;
    std::uint64_t (*of)(const port_counters& port);
};

constexpr lane_counter lane_counters[] = {
    {"PortMulticastXmitPkts", [](const port_counters& p) { return p.multicast_xmit_packets; }},
    {"PortMulticastRcvPkts", [](const port_counters& p) { return p.multicast_rcv_packets; }},
    {"PortXmitWait", [](const port_counters& p) { return p.xmit_wait; }},
    {"PortXmitDiscards", [](const port_counters& p) { return p.hoq_discards; }},
    {"PortRcvSwitchRelayErrors",
     [](const port_counters& p) { return p.mapping_errors + p.looping_errors + p.vl_errors; }},
    {"PortRcvErrors", [](const port_counters& p) { return p.rcv_errors; }},
    {"PortBufferOverrunErrors", [](const port_counters& p) { return p.overruns; }},
};

/// What went out at a port and what came in there.
struct port_load {
    const link_load* out = nullptr;
    const link_load* in = nullptr;
};

/// Of every port with a cable, in the order of the plan's chips.
std::vector<port_load> ports_of(const run_result& result) {
    std::vector<const link_load*> in;
    for (const link_load& each : result.links) in.push_back(&each);
    std::vector<const link_load*> out = in;
    const auto place = [](hw::engine::port_id port) { return std::pair(port.chip, port.port); };
    std::ranges::sort(out, {}, [&](const link_load* l) { return place(l->from); });
    std::ranges::sort(in, {}, [&](const link_load* l) { return place(l->to); });
    std::vector<port_load> ports;
    for (std::size_t i = 0; i < out.size(); ++i) ports.push_back({out[i], in[i]});
    return ports;
}

/// Of bytes in a time in nanoseconds.
double gigabits_per_second(std::uint64_t bytes, double nanoseconds) {
    return nanoseconds == 0 ? 0 : static_cast<double>(8 * bytes) / nanoseconds;
}

}  // namespace

void ports_csv(const scenario::loaded& scenario, const std::vector<finished_run>& points, const text_sink& put) {
    const std::uint64_t flit_bytes = flit_bytes_of(scenario.values);
    const double cycle_ns = boost::rational_cast<double>(scenario.values.host.cycle_ns);
    text_pieces table(put);
    std::string head = "point,port,PortXmitData,PortRcvData,PortXmitPkts,PortRcvPkts,xmit_gbit_s,rcv_gbit_s";
    for (const lane_counter& each : lane_counters) head += "," + std::string(each.name);
    table.add("{}\n", head);
    for (const finished_run& point : points) {
        const run_result& r = point.result;
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        const double nanoseconds = static_cast<double>(r.cycles) * cycle_ns;
        std::unordered_map<std::string_view, const port_counters*> counted;
        for (const port_counters& each : r.ports) counted.emplace(each.port, &each);
        for (const auto& [out, in] : ports_of(r)) {
            const std::string name = point.on->plan.port_text(out->from);
            const auto found = counted.find(name);
            const port_counters* const lanes = found == counted.end() ? nullptr : found->second;
            const std::uint64_t xmit = lanes != nullptr ? lanes->xmit_bytes : out->flits * flit_bytes;
            const std::uint64_t rcv = lanes != nullptr ? lanes->rcv_bytes : in->flits * flit_bytes;
            std::string row =
                fmt::format("{},{},{},{},{},{},{},{}", id, field(name), xmit / word_bytes, rcv / word_bytes,
                            lanes != nullptr ? lanes->xmit_packets : out->packets,
                            lanes != nullptr ? lanes->rcv_packets : in->packets, gigabits_per_second(xmit, nanoseconds),
                            gigabits_per_second(rcv, nanoseconds));
            for (const lane_counter& each : lane_counters)
                row += lanes != nullptr ? fmt::format(",{}", each.of(*lanes)) : ",";
            table.add("{}\n", row);
        }
    }
    table.end();
}

json ports_json(const run_result& result) {
    json all = json::array();
    for (const port_counters& each : result.ports) all.push_back(port_json(each));
    return all;
}

}  // namespace polycast::tlm::sim
