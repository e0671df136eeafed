// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/broadcast_watch.h"

#include <array>
#include <bit>
#include <stdexcept>

namespace polycast::testbench::equivalence {

using hw::chips::broadcast_algorithm;
using hw::chips::broadcast_event;
using hw::engine::chip_probe;
using hw::engine::pins;

namespace {

constexpr std::array all_cases{
    "duplicate from the network",
    "duplicate from the host",
    "duplicate of the same cycle",
    "stale",
    "bad_packet",
    "early",
    "conflict",
    "conflict in a round that has begun",
    "events on several pins",
    "discarded packet goes on in the next round",
    "two packets come in at once",
    "two packets complete at once",
    "flit at another host port",
    "packet to a neighbour, colours",
    "packet to a neighbour, trees",
    "packet to a neighbour over a bypass",
    "packet to the host",
    "packet sent on from the source",
    "packet sent in reverse",
    "packet sent on in reverse",
    "packet of one flit",
    "packet of several flits",
    "message of one packet",
    "message of 64 packets",
    "packets in all directions at once",
    "packets without a gap",
    "free header",
    "router takes the port from a packet that leaves",
    "router takes the port from a packet that is due",
    "due packet waits for the neighbour's round",
    "not sent: the neighbour has it",
    "not sent: the neighbour is in the next round",
    "sent to a neighbour that has it",
    "packet for the host without credit",
    "host gets nothing",
    "injected packet waits for its round",
    "injection buffer full",
    "credit of the injection buffer waits",
    "round ends",
    "round ends before a neighbour's",
    "round ends behind a neighbour's",
    "sixteenth round ends",
};

}  // namespace

broadcast_watch::broadcast_watch(const hw::chips::broadcast_params& params,
                                 const hw::chips::broadcast_registers& registers)
    : params_(params), registers_(registers), host_(params.host_port()) {
    for (const char* name : all_cases) counts_[name] = 0;
    reset();
}

void broadcast_watch::met(const std::string& what) {
    const auto found = counts_.find(what);
    if (found == counts_.end()) throw std::logic_error("the watch does not know the case \"" + what + "\"");
    ++found->second;
}

void broadcast_watch::reset() {
    shown_ = {};
    rounds_ = 0;
    neighbours_.assign(params_.router.ports, {});
    left_.assign(params_.router.ports, 0);
    owed_ = 0;
}

bool broadcast_watch::of_unit(unsigned port, std::uint64_t set, const std::vector<std::uint8_t>& vcs) const {
    return (set >> port & 1) != 0 && vcs[port] == params_.unit_vc();
}

bool broadcast_watch::is_ours(unsigned port) const {
    return (registers_.open >> port & 1) != 0 && (registers_.dims >> registers_.dimension[port] & 1) != 0;
}

/// Of the unit's VC in a probe.
unsigned broadcast_watch::entry(unsigned port) const {
    return port * (params_.router.vcs + 1) + params_.router.vcs;
}

void broadcast_watch::events(const pins& out, const chip_probe& before) {
    for (const hw::engine::chip_event& each : out.events) {
        const auto code = static_cast<broadcast_event>(each.code);
        if (code == broadcast_event::duplicate) {
            met(each.pin == host_ ? "duplicate from the host" : "duplicate from the network");
            met_if((shown_.have >> each.index & 1) == 0, "duplicate of the same cycle");
        } else {
            met(std::string(hw::format::name_of(code)));
            met_if(code == broadcast_event::conflict && shown_.have != 0, "conflict in a round that has begun");
        }
        if (before.inputs[entry(each.pin)].state != 0)
            throw std::logic_error("an event of pin " + std::to_string(each.pin) + " inside a packet");
    }
    met_if(out.events.size() > 1, "events on several pins");
}

void broadcast_watch::came_in(const pins& in, const chip_probe& before) {
    unsigned coming = 0;
    unsigned complete = 0;
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (!of_unit(port, in.valid, in.vc)) continue;
        met_if(port > host_ && (registers_.open >> port & 1) == 0, "flit at another host port");
        if (port == host_ || before.inputs[entry(port)].state != 1) continue;
        ++coming;
        if ((in.tail >> port & 1) != 0) ++complete;
    }
    met_if(coming > 1, "two packets come in at once");
    met_if(complete > 1, "two packets complete at once");
}

void broadcast_watch::head_left(unsigned port, const pins& out) {
    const std::uint8_t* header = params_.router.header_free
                                     ? &out.header[port * (out.header.size() / params_.router.ports)]
                                     : &out.data[std::size_t{port} * params_.router.flit_bytes];
    if (port == host_) {
        met("packet to the host");
    } else {
        met(registers_.algorithm == broadcast_algorithm::trees ? "packet to a neighbour, trees"
                                                               : "packet to a neighbour, colours");
        met_if(port > host_, "packet to a neighbour over a bypass");
        met_if((neighbours_[port].have >> header[10] & 1) != 0, "sent to a neighbour that has it");
        const bool source = (header[1] | header[2] << 8 | header[3] << 16) == static_cast<int>(registers_.router.node);
        met_if(source, "packet sent on from the source");
        // The first one of several.
        met_if(source && (registers_.reverse >> port & 1) != 0 && header[11] != 0 && left_[port] == 0,
               "packet sent in reverse");
        met_if(!source && (registers_.relay_reverse >> port & 1) != 0 && header[11] != 0 && left_[port] == 0,
               "packet sent on in reverse");
    }
    ++left_[port];
    met((out.tail >> port & 1) != 0 ? "packet of one flit" : "packet of several flits");
    met_if(header[11] == 0, "message of one packet");
    met_if(header[11] == 63, "message of 64 packets");
    met_if(params_.router.header_free, "free header");
}

void broadcast_watch::sent(const pins& out, const chip_probe& before, const chip_probe& after) {
    unsigned leaving = 0;
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        const chip_probe::output& was = before.outputs[entry(port)];
        const chip_probe::output& is = after.outputs[entry(port)];
        const bool ours = of_unit(port, out.valid, out.vc);
        const bool taken = !ours && (out.valid >> port & 1) != 0;
        met_if(taken && was.held, "router takes the port from a packet that leaves");
        met_if(taken && !was.held && was.credits != 0, "router takes the port from a packet that is due");
        const bool begins = ours && (out.head >> port & 1) != 0;
        if (begins) head_left(port, out);
        if (ours) ++leaving;
        if (port == host_ || !is_ours(port) || was.credits == 0) continue;
        const unsigned ahead = (neighbours_[port].round + 4u - shown_.round) % 4;
        met_if(ahead == 3, "due packet waits for the neighbour's round");
        if (is.credits + (begins ? 1 : 0) >= was.credits) continue;
        met_if(ahead == 1, "not sent: the neighbour is in the next round");
        met_if(ahead == 0 && registers_.maps, "not sent: the neighbour has it");
    }
    std::uint64_t closing = 0;
    for (unsigned port = 0; port < params_.router.ports; ++port)
        if (of_unit(port, out.tail, out.vc) && after.outputs[entry(port)].credits != 0)
            closing |= std::uint64_t{1} << port;
    met_if(closing != 0, "packets without a gap");
    met_if(leaving >= 4, "packets in all directions at once");
}

void broadcast_watch::host(const pins& in, const pins& out, const chip_probe& before, const chip_probe& after) {
    const chip_probe::output& was = before.outputs[entry(host_)];
    const bool silent = (out.valid >> host_ & 1) == 0;
    met_if(silent && (was.held || was.credits != 0), "packet for the host without credit");
    met_if(registers_.host_credits == 0 && (in.valid & in.tail) != 0 && shown_.have != 0, "host gets nothing");
    const unsigned buffered = before.inputs[entry(host_)].occupied;
    const unsigned left = after.inputs[entry(host_)].occupied;
    const bool stays = buffered != 0 && left >= buffered && !of_unit(host_, in.valid, in.vc);
    met_if(stays && before.inputs[entry(host_)].state == 0, "injected packet waits for its round");
    met_if(left == params_.inject_flits, "injection buffer full");
    // A flit leaves the buffer unless it waits; what comes in is only known where the buffer was empty.
    if (left < buffered) ++owed_;
    if (of_unit(host_, out.credit, out.credit_vc)) {
        owed_ -= owed_ != 0 ? 1 : 0;
    } else {
        met_if(owed_ != 0, "credit of the injection buffer waits");
    }
}

void broadcast_watch::sides(const pins& in, const pins& out) {
    if (out.side != 0) {
        const hw::engine::side_state now = out.sides[static_cast<unsigned>(std::countr_zero(out.side))];
        if (now.round != shown_.round) {
            met("round ends");
            met_if(++rounds_ == 16, "sixteenth round ends");
            left_.assign(left_.size(), 0);
            bool before = false;
            bool behind = false;
            for (unsigned port = 0; port < params_.router.ports; ++port) {
                if (port == host_ || !is_ours(port)) continue;
                (neighbours_[port].round == shown_.round ? before : behind) = true;
            }
            met_if(before, "round ends before a neighbour's");
            met_if(behind, "round ends behind a neighbour's");
        }
        shown_ = now;
    }
    for (unsigned port = 0; port < params_.router.ports; ++port)
        if ((in.side >> port & 1) != 0) neighbours_[port] = in.sides[port];
}

void broadcast_watch::see(const pins& in, const pins& out, const chip_probe& before, const chip_probe& after) {
    events(out, before);
    came_in(in, before);
    sent(out, before, after);
    host(in, out, before, after);
    const unsigned round = shown_.round;
    sides(in, out);
    if (round == shown_.round) return;
    for (unsigned port = 0; port < params_.router.ports; ++port)
        met_if(after.inputs[entry(port)].state == 2, "discarded packet goes on in the next round");
}

}  // namespace polycast::testbench::equivalence
