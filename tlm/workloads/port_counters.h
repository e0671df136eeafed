// SPDX-License-Identifier: Apache-2.0
/// \file Counters of ports by InfiniBand's names: of VL switches, and of the interfaces at them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

struct port_counters {
    std::string port;  ///< "switch0:3", or the name of a host

    std::uint64_t xmit_bytes = 0, rcv_bytes = 0;  ///< of flits; InfiniBand counts words of 4
    std::uint64_t xmit_packets = 0, rcv_packets = 0;
    std::uint64_t multicast_xmit_packets = 0, multicast_rcv_packets = 0;
    std::uint64_t xmit_wait = 0;  ///< cycles
    std::uint64_t hoq_discards = 0;
    std::uint64_t mapping_errors = 0, looping_errors = 0, vl_errors = 0;  ///< of packets that came in
    std::uint64_t rcv_errors = 0, overruns = 0;
    std::vector<std::uint64_t> vl_xmit_bytes, vl_xmit_packets;

    /// Of another network of the same run.
    port_counters& operator+=(const port_counters& more);
    bool operator==(const port_counters&) const = default;
};

}  // namespace polycast::tlm::sim
