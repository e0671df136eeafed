// SPDX-License-Identifier: Apache-2.0
// Pipelined broadcasts on a ring of four routers with links across, wired by hand: broadcast units, and the side wires
// by which they show each other what they have.
//
//     terminal 0 -- router 0 ------ router 1 -- terminal 1
//                       |   \    /   |
//                       |    \  /    |        the other two links cross in the middle:
//                       |    /  \    |        0 to 2 and 1 to 3
//                       |   /    \   |
//     terminal 3 -- router 3 ------ router 2 -- terminal 2
//
// Terminal 0 broadcasts a message of eight packets, then terminal 2 another. A checker watches what router 0 sends to
// router 1.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/fabric/fabric_config.h"
#include "hw/format/header.h"
#include "tlm/modules/broadcast_router_module.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/protocol/link_checker.h"

namespace hw = polycast::hw;
namespace modules = polycast::tlm::modules;
namespace protocol = polycast::tlm::protocol;

namespace {

constexpr unsigned nodes = 4;
constexpr unsigned packets = 8;  // of a message
constexpr unsigned flits = 4;    // of a packet
constexpr hw::chips::broadcast_params router_shape{
    .router = {.ports = 4, .vcs = 2, .vc_flits = 8, .flit_bytes = 16, .dimensions = 1, .radix = nodes},
    .slots = packets,
    .slot_flits = flits,
    .inject_flits = 4};
constexpr unsigned up = 0, down = 1, host = 2, across = 3;  // ports
constexpr unsigned host_flits = 8;                          // of a terminal's buffer
constexpr unsigned channels = 3;                            // the router's two, and that of broadcasts

/// All bytes of a packet: the header, then what its receiver can work out again.
std::vector<std::uint8_t> bytes_of(unsigned source, unsigned number, unsigned round) {
    std::vector<std::uint8_t> bytes(std::size_t{flits} * router_shape.router.flit_bytes);
    for (std::size_t index = 0; index < bytes.size(); ++index)
        bytes[index] = static_cast<std::uint8_t>(37 * source + 11 * number + index);
    hw::format::write_common({.kind = hw::format::packet_kind::pipelined, .source = source, .sequence = number},
                             bytes.data());
    hw::format::write_pipelined({static_cast<std::uint8_t>(number), packets - 1, 0, static_cast<std::uint8_t>(round)},
                                bytes.data());
    return bytes;
}

/// Broadcasts a message, if it has one, and checks every byte of the others'.
class terminal final : public hw::engine::chip {
public:
    /// A round for each broadcast, in an order that all terminals know.
    void broadcast(unsigned source, unsigned round) {
        for (unsigned number = 0; number < packets; ++number) {
            const std::vector<std::uint8_t> bytes = bytes_of(source, number, round);
            to_send_.insert(to_send_.end(), bytes.begin(), bytes.end());
        }
    }

    unsigned delivered() const { return delivered_; }
    unsigned faults() const { return faults_; }
    hw::engine::cycle last() const { return last_; }

    const hw::engine::pin_shape& shape() const override { return pins_; }
    void reset() override {}
    bool idle() const override { return sent_ == to_send_.size(); }

    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (in.valid != 0) take(now, in, out);
        if (!idle() && credits_ != 0) put(out);
        if (in.credit != 0) ++credits_;
        return !idle() && credits_ != 0 ? now + 1 : hw::engine::never;
    }

private:
    void put(hw::engine::pins& out) {
        const std::size_t flit = sent_ / pins_.flit_bytes % flits;
        --credits_;
        out.valid = 1;
        out.head = flit == 0 ? 1 : 0;
        out.tail = flit + 1 == flits ? 1 : 0;
        out.vc[0] = static_cast<std::uint8_t>(router_shape.unit_vc());
        std::copy_n(&to_send_[sent_], pins_.flit_bytes, out.data.begin());
        sent_ += pins_.flit_bytes;
    }

    void take(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
        coming_.insert(coming_.end(), in.data.begin(), in.data.end());
        out.credit = 1;
        out.credit_vc[0] = in.vc[0];
        if (in.tail == 0) return;
        const auto header = hw::format::read_common(coming_.data());
        const auto fields = hw::format::read_pipelined(coming_.data());
        if (coming_ != bytes_of(header.source, fields.packet, fields.round)) ++faults_;
        ++delivered_;
        coming_.clear();
        last_ = now;
    }

    hw::engine::pin_shape pins_{1, router_shape.router.flit_bytes, 0, channels};
    std::vector<std::uint8_t> to_send_;
    std::size_t sent_ = 0;  ///< bytes
    unsigned credits_ = router_shape.inject_flits;
    std::vector<std::uint8_t> coming_;  ///< of the packet that comes in
    unsigned delivered_ = 0;
    unsigned faults_ = 0;
    hw::engine::cycle last_ = 0;
};

/// The router of a node.
hw::chips::broadcast_registers registers_of(unsigned node) {
    hw::chips::broadcast_registers registers;
    registers.router.node = node;
    registers.router.wrap = 1;
    registers.router.vc_sets = hw::fabric::dateline_sets(router_shape.router.vcs, registers.router.wrap);
    const unsigned full = router_shape.router.vc_flits;
    registers.router.credits = {full, full, full, 0};  // only broadcasts go across
    registers.open = 1u << up | 1u << down | 1u << across;
    registers.dimension = {0, 0, 0, 0};
    registers.there = {(node + 1) % nodes, (node + nodes - 1) % nodes, 0, (node + nodes / 2) % nodes};
    registers.host_credits = host_flits;
    return registers;
}

}  // namespace

int sc_main(int, char**) {
    std::vector<std::unique_ptr<terminal>> ends;
    std::vector<const terminal*> watched;
    for (unsigned node = 0; node < nodes; ++node) {
        ends.push_back(std::make_unique<terminal>());
        watched.push_back(ends.back().get());
    }
    ends[0]->broadcast(0, 0);
    ends[2]->broadcast(2, 1);

    // The modules. A credit of a link with virtual channels is one flit.
    modules::run_state state("state");
    const modules::module_params clock{.period = sc_core::sc_time(1, sc_core::SC_NS), .number = {}};
    modules::broadcast_router_module router0("router0", router_shape, registers_of(0), clock, state);
    modules::broadcast_router_module router1("router1", router_shape, registers_of(1), clock, state);
    modules::broadcast_router_module router2("router2", router_shape, registers_of(2), clock, state);
    modules::broadcast_router_module router3("router3", router_shape, registers_of(3), clock, state);
    modules::chip_module terminal0("terminal0", std::move(ends[0]), clock, state);
    modules::chip_module terminal1("terminal1", std::move(ends[1]), clock, state);
    modules::chip_module terminal2("terminal2", std::move(ends[2]), clock, state);
    modules::chip_module terminal3("terminal3", std::move(ends[3]), clock, state);

    // Side wires go with the flits: join() refuses a port without them at the other end.
    const hw::engine::link_params cable{.delay = 1, .chunk_flits = 1};
    modules::link_module top("top", cable, clock.period, state);
    modules::link_module right("right", cable, clock.period, state);
    modules::link_module bottom("bottom", cable, clock.period, state);
    modules::link_module left("left", cable, clock.period, state);
    modules::link_module from0to2("from0to2", cable, clock.period, state);
    modules::link_module from1to3("from1to3", cable, clock.period, state);
    modules::link_module link0("link0", cable, clock.period, state);
    modules::link_module link1("link1", cable, clock.period, state);
    modules::link_module link2("link2", cable, clock.period, state);
    modules::link_module link3("link3", cable, clock.period, state);
    // What router 0 sends up: credits are for the router's own channels, broadcasts need none.
    protocol::link_checker checker("checker", {.period = clock.period,
                                               .flit_bytes = router_shape.router.flit_bytes,
                                               .header_bytes = 0,
                                               .chunk_flits = 1,
                                               .credits = router_shape.router.vc_flits,
                                               .vcs = channels,
                                               .side_vc = router_shape.unit_vc()});
    top.join(router0, up, router1, down, &checker);
    right.join(router1, up, router2, down);
    bottom.join(router2, up, router3, down);
    left.join(router3, up, router0, down);
    from0to2.join(router0, across, router2, across);
    from1to3.join(router1, across, router3, across);
    link0.join(router0, host, terminal0, 0);
    link1.join(router1, host, terminal1, 0);
    link2.join(router2, host, terminal2, 0);
    link3.join(router3, host, terminal3, 0);

    sc_core::sc_start();  // ends when no module has anything left to do

    state.rethrow_failure();
    unsigned delivered = 0;
    unsigned faults = 0;
    for (unsigned node = 0; node < nodes; ++node) {
        const terminal& end = *watched[node];
        std::cout << "terminal " << node << ": " << end.delivered() << " packets, the last in cycle " << end.last()
                  << "\n";
        delivered += end.delivered();
        faults += end.faults();
    }
    constexpr unsigned expected = 2 * packets * (nodes - 1);
    for (const auto& violation : checker.violations()) std::cout << violation.message << "\n";
    std::cout << delivered << " of " << expected << " packets delivered, every byte checked; "
              << top.statistics(1, state.now()).packets << " packets and " << checker.sides()
              << " changes of side wires from router 0 to 1; " << state.event_count() << " duplicates dropped; "
              << checker.violation_count() << " violations; " << state.chip_steps() << " chip steps in " << state.now()
              << " cycles\n";
    return delivered == expected && faults == 0 && checker.violation_count() == 0 && checker.at_rest() ? EXIT_SUCCESS
                                                                                                       : EXIT_FAILURE;
}
