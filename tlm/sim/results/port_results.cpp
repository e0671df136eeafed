// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/port_results.h"

#include <nlohmann/json.hpp>

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

}  // namespace

json ports_json(const run_result& result) {
    json all = json::array();
    for (const port_counters& each : result.ports) all.push_back(port_json(each));
    return all;
}

}  // namespace polycast::tlm::sim
