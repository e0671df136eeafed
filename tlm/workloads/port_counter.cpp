// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/port_counter.h"

#include <algorithm>
#include <bit>

#include "hw/engine/waiting_ports.h"
#include "hw/format/packet_format.h"

namespace polycast::tlm::sim {

using hw::engine::chip_id;
using hw::engine::cycle;
using hw::format::chip_error;

namespace {

void add(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& more) {
    to.resize(std::max(to.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

constexpr std::uint16_t bits(std::initializer_list<chip_error> errors) {
    std::uint16_t all = 0;
    for (const chip_error each : errors) all |= static_cast<std::uint16_t>(each);
    return all;
}

constexpr std::uint16_t of_mapping = bits({chip_error::no_route, chip_error::partial_route});
constexpr std::uint16_t of_framing =
    bits({chip_error::missing_head, chip_error::missing_tail, chip_error::too_long, chip_error::short_header});

}  // namespace

port_counters& port_counters::operator+=(const port_counters& more) {
    xmit_bytes += more.xmit_bytes;
    rcv_bytes += more.rcv_bytes;
    xmit_packets += more.xmit_packets;
    rcv_packets += more.rcv_packets;
    multicast_xmit_packets += more.multicast_xmit_packets;
    multicast_rcv_packets += more.multicast_rcv_packets;
    xmit_wait += more.xmit_wait;
    hoq_discards += more.hoq_discards;
    mapping_errors += more.mapping_errors;
    looping_errors += more.looping_errors;
    vl_errors += more.vl_errors;
    rcv_errors += more.rcv_errors;
    overruns += more.overruns;
    add(vl_xmit_bytes, more.vl_xmit_bytes);
    add(vl_xmit_packets, more.vl_xmit_packets);
    return *this;
}

port_counter::port_counter(const hw::system::system_plan& plan) : vcs_(plan.vcs()) {
    chips_.resize(plan.chips.size());
    for (chip_id id = 0; id < plan.chips.size(); ++id) {
        const bool host = plan.is_host(id);
        if (!host && !plan.forwards(id)) continue;
        counted_chip& chip = chips_[id];
        chip.waits = !host;
        const std::size_t ports = host ? 1 : plan.network.switches[id].ports.size();
        for (unsigned port = 0; port < ports; ++port) {
            port_counters& made = chip.ports.emplace_back();
            made.port = host ? plan.chips[id].name : plan.port_text({id, port});
            made.vl_xmit_bytes.resize(vcs_);
            made.vl_xmit_packets.resize(vcs_);
        }
        chip.sent = chip.received = hw::system::lane_headers(ports, vcs_);
    }
}

void port_counter::stepped(chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                           const hw::engine::chip& chip) {
    if (id >= chips_.size() || chips_[id].ports.empty()) return;
    counted_chip& counted = chips_[id];
    const hw::engine::pin_shape& shape = chip.shape();
    using header = hw::system::lane_headers::header;
    counted.received.see(in, shape, [&](unsigned entry, const header& of, bool, bool ends) {
        port_counters& to = counted.ports[entry / vcs_];
        to.rcv_bytes += shape.flit_bytes;
        if (!ends) return;
        ++to.rcv_packets;
        to.multicast_rcv_packets += of.is_multicast() ? 1 : 0;
    });
    counted.sent.see(out, shape, [&](unsigned entry, const header& of, bool, bool ends) {
        port_counters& to = counted.ports[entry / vcs_];
        to.xmit_bytes += shape.flit_bytes;
        to.vl_xmit_bytes[entry % vcs_] += shape.flit_bytes;
        if (!ends) return;
        ++to.xmit_packets;
        ++to.vl_xmit_packets[entry % vcs_];
        to.multicast_xmit_packets += of.is_multicast() ? 1 : 0;
    });
    for (std::uint64_t set = out.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        port_counters& to = counted.ports[port];
        const std::uint16_t raised = out.errors[port];
        const auto has = [raised](std::uint16_t which) { return (raised & which) != 0 ? 1u : 0u; };
        to.mapping_errors += has(of_mapping);
        to.looping_errors += has(bits({chip_error::looping}));
        to.vl_errors += has(bits({chip_error::vl_dropped}));
        to.hoq_discards += has(bits({chip_error::hoq_dropped}));
        to.rcv_errors += has(of_framing);
        to.overruns += has(bits({chip_error::overflow}));
    }
    if (!counted.waits) return;
    count_waits(counted, now + 1);
    counted.waiting = hw::engine::xmit_wait_of(chip);
}

/// The pins stay as they are until the next step.
void port_counter::count_waits(counted_chip& chip, cycle until) {
    for (std::uint64_t set = chip.waiting; set != 0; set &= set - 1)
        chip.ports[static_cast<unsigned>(std::countr_zero(set))].xmit_wait += until - chip.since;
    chip.since = until;
}

std::vector<port_counters> port_counter::finish(cycle end) {
    std::vector<port_counters> all;
    for (counted_chip& chip : chips_) {
        if (chip.since < end) count_waits(chip, end);
        for (port_counters& each : chip.ports) all.push_back(std::move(each));
    }
    return all;
}

}  // namespace polycast::tlm::sim
