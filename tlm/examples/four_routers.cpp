// SPDX-License-Identifier: Apache-2.0
// A mesh of four routers with a terminal each, wired by hand: virtual channels and replication inside of routers.
//
//     terminal 2 -- router 2 ------ router 3 -- terminal 3
//                       |               |
//     terminal 0 -- router 0 ------ router 1 -- terminal 1
//
// Every terminal sends a packet to each of the others, all at once; then terminal 0 broadcasts one, which the routers
// copy. A checker watches what router 0 sends to router 1.
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <set>
#include <vector>

#include "hw/chips/router/router_config.h"
#include "hw/format/header.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/router_module.h"
#include "tlm/protocol/link_checker.h"

namespace hw = polycast::hw;
namespace modules = polycast::tlm::modules;
namespace protocol = polycast::tlm::protocol;

namespace {

constexpr unsigned nodes = 4;
constexpr unsigned packet_flits = 4;
constexpr hw::chips::router_params router_shape{
    .ports = 5, .vcs = 4, .vc_flits = 8, .flit_bytes = 16, .dimensions = 2, .radix = 2};
constexpr unsigned host_port = 4;  // behind the four that lead up and down both dimensions

struct packet {
    hw::format::packet_kind kind;
    unsigned source;
    unsigned destination;  ///< of a broadcast the host port that gets the copies
    unsigned sequence;     ///< number of the packet at its source
    hw::engine::cycle from = 0;
};

/// All bytes of a packet: the header, then what its receiver can work out again.
std::vector<std::uint8_t> bytes_of(const packet& what) {
    std::vector<std::uint8_t> bytes(std::size_t{packet_flits} * router_shape.flit_bytes);
    for (std::size_t index = 0; index < bytes.size(); ++index)
        bytes[index] = static_cast<std::uint8_t>(37 * what.source + 11 * what.sequence + index);
    hw::format::write_common({what.kind, true, what.source, what.sequence, packet_flits, 0}, bytes.data());
    if (what.kind == hw::format::packet_kind::broadcast) {
        hw::format::write_field<hw::format::broadcast_port_field>(bytes.data(), what.destination);
    } else {
        hw::format::write_field<hw::format::destination_field>(bytes.data(), what.destination);
    }
    return bytes;
}

/// Sends its packets one after the other, each in the next virtual channel, and checks every byte that comes.
class terminal final : public hw::engine::chip {
public:
    explicit terminal(unsigned number)
        : number_(number), credits_(router_shape.vcs, router_shape.vc_flits), coming_(router_shape.vcs) {}

    void send(const packet& what) { queue_.push_back(what); }

    unsigned delivered() const { return static_cast<unsigned>(seen_.size()); }
    unsigned faults() const { return faults_; }
    hw::engine::cycle last() const { return last_; }

    const hw::engine::pin_shape& shape() const override { return pins_; }
    void reset() override {}
    bool idle() const override { return queue_.empty(); }

    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (in.valid != 0) take(now, in, out);
        const unsigned vc = sent_ % router_shape.vcs;
        if (!queue_.empty() && queue_.front().from <= now && credits_[vc] != 0) put(vc, out);
        if (in.credit != 0) ++credits_[in.credit_vc[0]];
        return queue_.empty() ? hw::engine::never : std::max(now + 1, queue_.front().from);
    }

private:
    void put(unsigned vc, hw::engine::pins& out) {
        if (flit_ == 0) bytes_ = bytes_of(queue_.front());
        --credits_[vc];
        out.valid = 1;
        out.head = flit_ == 0 ? 1 : 0;
        out.tail = flit_ + 1 == packet_flits ? 1 : 0;
        out.vc[0] = static_cast<std::uint8_t>(vc);
        std::copy_n(&bytes_[std::size_t{flit_} * pins_.flit_bytes], pins_.flit_bytes, out.data.begin());
        if (++flit_ < packet_flits) return;
        flit_ = 0;
        ++sent_;
        queue_.pop_front();
    }

    /// Flits of packets in other virtual channels may come in between. The buffer is free at once.
    void take(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) {
        std::vector<std::uint8_t>& bytes = coming_[in.vc[0]];
        bytes.insert(bytes.end(), in.data.begin(), in.data.end());
        out.credit = 1;
        out.credit_vc[0] = in.vc[0];
        if (in.tail == 0) return;
        const auto header = hw::format::read_common(bytes.data());
        const bool copy = header.kind == hw::format::packet_kind::broadcast;
        const bool whole = bytes == bytes_of({header.kind, header.source, copy ? 0 : number_, header.sequence});
        if (!whole || !seen_.insert({header.source, header.sequence}).second) ++faults_;
        bytes.clear();
        last_ = now;
    }

    hw::engine::pin_shape pins_{1, router_shape.flit_bytes, 0, router_shape.vcs};
    unsigned number_;
    std::deque<packet> queue_;
    std::vector<unsigned> credits_;                  ///< [VC]
    std::vector<std::vector<std::uint8_t>> coming_;  ///< [VC] of the packet that comes in
    std::vector<std::uint8_t> bytes_;                ///< of the packet being sent
    unsigned flit_ = 0;                              ///< of it, to be sent next
    unsigned sent_ = 0;                              ///< packets
    std::set<std::pair<unsigned, unsigned>> seen_;   ///< source and sequence number
    unsigned faults_ = 0;
    hw::engine::cycle last_ = 0;
};

/// The router of a node; ports over the edge of the mesh have no credits.
hw::chips::router_tables tables_of(unsigned node) {
    hw::chips::router_tables tables;
    tables.node = node;
    tables.reserve = tables.packet_limit = packet_flits;  // packets that are copied fit the buffers whole
    tables.vc_sets.fill({0xf, 0xf});
    const unsigned full = router_shape.vc_flits;
    const bool right = node % 2 == 1;
    const bool upper = node / 2 == 1;
    tables.credits = {right ? 0 : full, right ? full : 0, upper ? 0 : full, upper ? full : 0, full};
    return tables;
}

}  // namespace

int sc_main(int, char**) {
    using hw::format::packet_kind;
    std::vector<std::unique_ptr<terminal>> ends;
    for (unsigned number = 0; number < nodes; ++number) {
        ends.push_back(std::make_unique<terminal>(number));
        for (unsigned turn = 1; turn < nodes; ++turn)
            ends[number]->send({packet_kind::unicast, number, (number + turn) % nodes, turn - 1});
    }
    ends[0]->send({packet_kind::broadcast, 0, 0, nodes - 1, 100});
    std::vector<const terminal*> watched;
    for (const auto& end : ends) watched.push_back(end.get());

    // The modules. A credit of a link with virtual channels is one flit.
    modules::run_state state("state");
    const modules::module_params clock{.period = sc_core::sc_time(1, sc_core::SC_NS), .number = {}};
    modules::router_module router0("router0", router_shape, tables_of(0), clock, state);
    modules::router_module router1("router1", router_shape, tables_of(1), clock, state);
    modules::router_module router2("router2", router_shape, tables_of(2), clock, state);
    modules::router_module router3("router3", router_shape, tables_of(3), clock, state);
    modules::chip_module terminal0("terminal0", std::move(ends[0]), clock, state);
    modules::chip_module terminal1("terminal1", std::move(ends[1]), clock, state);
    modules::chip_module terminal2("terminal2", std::move(ends[2]), clock, state);
    modules::chip_module terminal3("terminal3", std::move(ends[3]), clock, state);

    const hw::engine::link_params cable{.delay = 1, .chunk_flits = 1};
    modules::link_module bottom("bottom", cable, clock.period, state);
    modules::link_module top("top", cable, clock.period, state);
    modules::link_module left("left", cable, clock.period, state);
    modules::link_module right("right", cable, clock.period, state);
    modules::link_module link0("link0", cable, clock.period, state);
    modules::link_module link1("link1", cable, clock.period, state);
    modules::link_module link2("link2", cable, clock.period, state);
    modules::link_module link3("link3", cable, clock.period, state);
    top.join(router2, 0, router3, 1);
    left.join(router0, 2, router2, 3);
    right.join(router1, 2, router3, 3);
    link0.join(router0, host_port, terminal0, 0);
    link1.join(router1, host_port, terminal1, 0);
    link2.join(router2, host_port, terminal2, 0);
    link3.join(router3, host_port, terminal3, 0);
    protocol::link_checker checker("checker", {.period = clock.period,
                                               .flit_bytes = router_shape.flit_bytes,
                                               .header_bytes = 0,
                                               .chunk_flits = 1,
                                               .credits = router_shape.vc_flits,
                                               .vcs = router_shape.vcs});
    bottom.join(router0, 0, router1, 1, &checker);

    sc_core::sc_start();  // ends when no module has anything left to do

    state.rethrow_failure();
    unsigned delivered = 0;
    unsigned faults = 0;
    for (unsigned number = 0; number < nodes; ++number) {
        const terminal& end = *watched[number];
        std::cout << "terminal " << number << ": " << end.delivered() << " packets, the last in cycle " << end.last()
                  << "\n";
        delivered += end.delivered();
        faults += end.faults();
    }
    constexpr unsigned expected = nodes * (nodes - 1) + (nodes - 1);
    for (const auto& violation : checker.violations()) std::cout << violation.message << "\n";
    std::cout << delivered << " of " << expected << " packets delivered, every byte checked; "
              << bottom.statistics(1, state.now()).flits << " flits from router 0 to 1, "
              << left.statistics(1, state.now()).flits << " from 0 to 2; " << checker.violation_count()
              << " violations; " << state.chip_steps() << " chip steps in " << state.now() << " cycles\n";
    return delivered == expected && faults == 0 && checker.violation_count() == 0 && checker.at_rest() ? EXIT_SUCCESS
                                                                                                       : EXIT_FAILURE;
}
