// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/vl_switch_watch.h"

#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

#include "hw/format/header.h"

namespace polycast::testbench::equivalence {

using hw::chips::vl_policy;
using hw::engine::chip_probe;
using hw::engine::pins;
using hw::format::chip_error;
using hw::format::first_multicast_lid;

namespace {

constexpr unsigned dropped = 3;

// What happens to a packet; what about it; and what happens in allocation.
constexpr std::array all_cases{
    "other kind",
    "header of several flits",
    "free header",
    "routed at the front",
    "routed behind another",
    "short header",
    "unicast forwarded",
    "unicast to LID 0",
    "unicast beyond the table",
    "unicast to the switch itself",
    "unicast to none",
    "unicast to a port that does not exist",
    "unicast to an open port",
    "unicast back to its port",
    "unicast without lane",
    "multicast forwarded",
    "multicast copied",
    "multicast beyond the table",
    "multicast to nobody",
    "multicast to its own port alone",
    "multicast to its own port, too",
    "multicast to ports that do not exist",
    "multicast to open ports, too",
    "multicast to open ports alone",
    "multicast without any lane",
    "multicast without some lanes",
    "VL 15",
    "VL beyond those of the switch",
    "VL that the output does not have",
    "another VL behind the switch",
    "round robin of VLs: grant",
    "round robin of VLs: grant of several",
    "weighted: grant",
    "weighted: grant of several, limit 0",
    "weighted: grant of several, limit 255",
    "weighted: grant of several, other limit",
    "round robin of inputs: grant",
    "fixed: grant",
    "waiting for the room of the longest packet",
    "passing a VL that waits for room",
    "some branches granted, some not",
    "two lanes of an input active",
    "more outputs than read ports",
    "drain",
    "packets mixed on an input link",
    "head of queue: none granted",
    "head of queue: some granted",
    "head of queue: the rest has read all",
    "credit later than its chunk",
    "credits owed to two lanes",
    "several chunks freed at once",
    "flit through several crossbar stages",
};

bool is(std::uint64_t mask, unsigned bit) {
    return (mask >> bit & 1) != 0;
}

bool raised(const pins& out, unsigned port, chip_error error) {
    return is(out.error, port) && (out.errors[port] & static_cast<unsigned>(error)) != 0;
}

unsigned dlid_of(const std::vector<std::uint8_t>& header) {
    return hw::format::read_field<hw::format::dlid_field>(header.data());
}

unsigned sl_of(const std::vector<std::uint8_t>& header) {
    return header[hw::format::sl_field.offset / 8] & 0xfu;
}

}  // namespace

vl_switch_watch::vl_switch_watch(const hw::chips::vl_switch_params& params, hw::chips::vl_switch_tables tables)
    : params_(params), tables_(std::move(tables)), packets_(params.pin_shape(), hw::format::lid_header_bytes) {
    for (const char* what : all_cases) counts_[what] = 0;
    reset();
}

void vl_switch_watch::reset() {
    packets_.reset();
    taken_.assign(std::size_t{params_.ports} * params_.vls, 0);
    owed_.assign(taken_.size(), 0);
    begun_.assign(params_.ports, 0);
}

void vl_switch_watch::see(const pins& in, const pins& out, const chip_probe& before, const chip_probe& after) {
    taken_.assign(taken_.size(), 0);
    lost(out, before, after);
    for (unsigned port = 0; port < params_.ports; ++port) {
        arrive(port, in, out);
        std::vector<unsigned> freed(params_.vls);
        unsigned active = 0;
        std::uint64_t reading = 0;
        for (unsigned vl = 0; vl < params_.vls; ++vl) {
            const unsigned lane = port * params_.vls + vl;
            freed[vl] = free(lane, before, after);
            const chip_probe::input& now = after.inputs[lane];
            if (now.state == 2) ++active;
            reading |= now.reading;
            if (now.reading != 0 && now.waiting != 0) met("some branches granted, some not");
            if (now.state == dropped && freed[vl] != 0) met("drain");
            if (now.state < 2) continue;
            if (packets_.waiting(port, vl).empty()) throw std::logic_error("a packet is routed that never came");
            held_packets::packet& front = packets_.waiting(port, vl).front();
            if (std::exchange(front.decided, true)) continue;
            met(before.inputs[lane].state >= 2 ? "routed behind another" : "routed at the front");
            decided(port, front, now.state == dropped ? 0 : now.waiting);
        }
        credits(port, freed, out);
        if (active > 1) met("two lanes of an input active");
        if (static_cast<unsigned>(std::popcount(reading)) > params_.read_ports) met("more outputs than read ports");
    }
    grants(before, after);
    if (out.valid != 0 && params_.xbar_stages > 1) met("flit through several crossbar stages");
}

void vl_switch_watch::arrive(unsigned port, const pins& in, const pins& out) {
    const unsigned vl = in.vc.empty() ? 0 : in.vc[port];
    if (!is(in.valid, port) || vl >= params_.vls) return;
    const auto stored = [&] {
        const auto& waiting = packets_.waiting(port, vl);
        return waiting.empty() ? std::pair(std::size_t{0}, 0u) : std::pair(waiting.size(), waiting.back().stored);
    };
    const auto was = stored();
    packets_.arrive(port, in, out);
    const auto now = stored();
    if (now == was) return;
    if ((now.second - 1) % params_.chunk_flits == 0) taken_[port * params_.vls + vl] = 1;
    const unsigned mask = 1u << vl;
    if ((begun_[port] & ~mask) != 0) met("packets mixed on an input link");
    begun_[port] = packets_.waiting(port, vl).back().closed ? begun_[port] & ~mask : begun_[port] | mask;
}

/// Chunks are free: so much of the packet at the front is gone. \returns how many
unsigned vl_switch_watch::free(unsigned lane, const chip_probe& before, const chip_probe& after) {
    const unsigned freed = before.inputs[lane].occupied + taken_[lane] - after.inputs[lane].occupied;
    if (freed > 1) met("several chunks freed at once");
    if (freed == 0) return 0;
    auto& waiting = packets_.waiting(lane / params_.vls, lane % params_.vls);
    if (waiting.empty()) throw std::logic_error("a chunk is free that was never taken");
    held_packets::packet& front = waiting.front();
    front.gone += freed;
    if (front.closed && front.gone == (front.stored + params_.chunk_flits - 1) / params_.chunk_flits)
        waiting.pop_front();
    return freed;
}

void vl_switch_watch::credits(unsigned port, const std::vector<unsigned>& freed, const pins& out) {
    unsigned lanes = 0;
    for (unsigned vl = 0; vl < params_.vls; ++vl) {
        unsigned& owed = owed_[port * params_.vls + vl];
        owed += freed[vl];
        if (owed != 0) ++lanes;
    }
    if (lanes > 1) met("credits owed to two lanes");
    if (!is(out.credit, port)) return;
    const unsigned vl = out.credit_vc.empty() ? 0 : out.credit_vc[port];
    if (owed_[port * params_.vls + vl]-- == 0) throw std::logic_error("a credit for a chunk that is not free");
    if (freed[vl] == 0) met("credit later than its chunk");
}

bool vl_switch_watch::open(unsigned port) const {
    for (unsigned vl = 0; vl < params_.vls; ++vl) {
        if (tables_.credits[port * params_.vls + vl] != 0) return false;
    }
    return true;
}

void vl_switch_watch::decided(unsigned port, const held_packets::packet& front, std::uint64_t branches) {
    constexpr auto lid_kind = static_cast<unsigned>(hw::format::packet_kind::lid);
    if ((front.header[0] & 0xfu) != lid_kind) return met("other kind");
    if (front.bad) return met("short header");
    if (params_.header_free) {
        met("free header");
    } else if (params_.flit_bytes < hw::format::lid_header_bytes) {
        met("header of several flits");
    }
    const unsigned dlid = dlid_of(front.header);
    const bool group = dlid >= first_multicast_lid;
    const std::uint64_t outputs = group ? multicast(port, dlid) : unicast(port, dlid);
    if ((branches & ~outputs) != 0) throw std::logic_error("a packet goes where its table does not send it");
    for (std::uint64_t set = outputs; set != 0; set &= set - 1) {
        const auto output = static_cast<unsigned>(std::countr_zero(set));
        const auto vl =
            static_cast<unsigned>((*tables_.sl2vl)[port * params_.ports + output] >> 4 * sl_of(front.header) & 15);
        if (vl == 15) {
            met("VL 15");
        } else if (vl >= params_.vls) {
            met("VL beyond those of the switch");
        } else if (tables_.credits[output * params_.vls + vl] == 0) {
            met("VL that the output does not have");
        }
    }
    const std::string name = group ? "multicast " : "unicast ";
    if (branches != 0) {
        met(name + (std::popcount(branches) == 1 ? "forwarded" : "copied"));
        if (branches != outputs) met("multicast without some lanes");
    } else if (outputs != 0) {
        met(name + (group ? "without any lane" : "without lane"));
    }
}

/// \returns outputs before lanes are looked at
std::uint64_t vl_switch_watch::unicast(unsigned port, unsigned dlid) {
    if (dlid == 0) return met("unicast to LID 0"), 0;
    if (dlid >= tables_.lft.size()) return met("unicast beyond the table"), 0;
    const unsigned number = tables_.lft[dlid];
    if (number == 0) return met("unicast to the switch itself"), 0;
    if (number == 255) return met("unicast to none"), 0;
    if (number > params_.ports) return met("unicast to a port that does not exist"), 0;
    if (open(number - 1)) return met("unicast to an open port"), 0;
    if (number - 1 == port) return met("unicast back to its port"), 0;
    return std::uint64_t{1} << (number - 1);
}

std::uint64_t vl_switch_watch::multicast(unsigned port, unsigned dlid) {
    const unsigned group = dlid - first_multicast_lid;
    if (group >= tables_.mft.size()) return met("multicast beyond the table"), 0;
    const std::uint64_t all = params_.ports == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << params_.ports) - 1;
    if ((tables_.mft[group] & ~all) != 0) met("multicast to ports that do not exist");
    std::uint64_t mask = tables_.mft[group] & all;
    if (mask == 0) return met("multicast to nobody"), 0;
    if (mask == std::uint64_t{1} << port) return met("multicast to its own port alone"), 0;
    if (is(mask, port)) met("multicast to its own port, too");
    mask &= ~(std::uint64_t{1} << port);
    std::uint64_t closed = mask;
    for (unsigned output = 0; output < params_.ports; ++output) {
        if (open(output)) closed &= ~(std::uint64_t{1} << output);
    }
    if (closed != mask) met(closed == 0 ? "multicast to open ports alone" : "multicast to open ports, too");
    return closed;
}

/// Head of queue.
void vl_switch_watch::lost(const pins& out, const chip_probe& before, const chip_probe& after) {
    bool any = false;
    for (unsigned port = 0; port < params_.ports; ++port) any = any || raised(out, port, chip_error::hoq_dropped);
    if (!any) return;
    for (std::size_t lane = 0; lane < after.inputs.size(); ++lane) {
        const chip_probe::input& was = before.inputs[lane];
        const chip_probe::input& now = after.inputs[lane];
        if (was.state != 2 || was.waiting == 0) continue;
        if (now.state == dropped && was.reading == 0) met("head of queue: none granted");
        if (now.state == 2 && now.waiting == 0 && (was.waiting & ~now.reading) != 0) met("head of queue: some granted");
        if (now.state < 2) met("head of queue: the rest has read all");
    }
}

/// Lane on which the packet at the front of an input lane leaves.
unsigned vl_switch_watch::vl_of(unsigned lane, unsigned output) {
    const unsigned port = lane / params_.vls;
    const held_packets::packet& front = packets_.waiting(port, lane % params_.vls).front();
    return (*tables_.sl2vl)[port * params_.ports + output] >> 4 * sl_of(front.header) & 15;
}

void vl_switch_watch::grants(const chip_probe& before, const chip_probe& after) {
    const unsigned reserve = tables_.reserve(params_);
    std::vector<unsigned> poor(params_.ports, 0);  // lanes of an output without room for a packet that waits
    std::vector<unsigned> wanted(params_.ports, 0);
    for (unsigned lane = 0; lane < after.inputs.size(); ++lane) {
        for (std::uint64_t set = after.inputs[lane].waiting; set != 0; set &= set - 1) {
            const auto output = static_cast<unsigned>(std::countr_zero(set));
            const unsigned vl = vl_of(lane, output);
            wanted[output] |= 1u << vl;
            const unsigned credits = after.outputs[output * params_.vls + vl].credits;
            if (credits < reserve) poor[output] |= 1u << vl;
            if (credits != 0 && credits < reserve) met("waiting for the room of the longest packet");
        }
    }
    for (unsigned entry = 0; entry < after.outputs.size(); ++entry) {
        const chip_probe::output& now = after.outputs[entry];
        if (before.outputs[entry].held || !now.held) continue;
        const unsigned output = entry / params_.vls;
        const unsigned vl = entry % params_.vls;
        granted(output, vl, wanted[output]);
        if ((poor[output] & ~(1u << vl)) != 0) met("passing a VL that waits for room");
        for (unsigned from = 0; from < params_.vls; ++from) {
            if (from != vl && is(after.inputs[now.holder * params_.vls + from].reading, output))
                met("another VL behind the switch");
        }
    }
}

/// `wanted`: lanes that others wait for.
void vl_switch_watch::granted(unsigned port, unsigned vl, unsigned wanted) {
    const bool several = (wanted & ~(1u << vl)) != 0;
    met(tables_.arbitration == hw::format::arbitration::fixed ? "fixed: grant" : "round robin of inputs: grant");
    if (tables_.policy == vl_policy::round_robin) {
        met("round robin of VLs: grant");
        if (several) met("round robin of VLs: grant of several");
        return;
    }
    met("weighted: grant");
    if (!several) return;
    const unsigned limit = tables_.weights[port].high_limit;
    met(std::string("weighted: grant of several, ") + (limit == 0     ? "limit 0"
                                                       : limit == 255 ? "limit 255"
                                                                      : "other limit"));
}

}  // namespace polycast::testbench::equivalence
