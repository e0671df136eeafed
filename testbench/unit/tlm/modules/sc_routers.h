// SPDX-License-Identifier: Apache-2.0
/// \file A mesh or torus of router modules and hosts, wired in SystemC.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hw/traffic/random.h"
#include "testbench/unit/hw/fabric/chip_network.h"
#include "tlm/modules/engine_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/router_module.h"
#include "tlm/protocol/link_checker.h"

namespace polycast::tlm::modules {

using hw::fabric::fabric_params;
using hw::fabric::send_order;

/// All pins of all chips, as a number for each cycle in which any of them says something.
class pin_log final : public hw::engine::observer {
public:
    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override {
        if (in.quiet() && out.quiet()) return;
        std::uint64_t sum = now;
        for (const hw::engine::pins* pins : {&in, &out}) add_pins(*pins, chip.shape(), sum);
        steps[id].push_back(sum);
    }

    std::map<hw::engine::chip_id, std::vector<std::uint64_t>> steps;

private:
    static void add(std::uint64_t& sum, std::uint64_t value) { sum = hw::traffic::random_stream::mix(sum ^ value); }
    static void add_pins(const hw::engine::pins& pins, const hw::engine::pin_shape& shape, std::uint64_t& sum) {
        for (const std::uint64_t mask : {pins.valid, pins.head, pins.tail, pins.credit, pins.error}) add(sum, mask);
        for (unsigned port = 0; port < shape.ports; ++port) {
            if ((pins.valid >> port & 1) != 0) {
                if (shape.vcs > 1) add(sum, pins.vc[port]);
                for (unsigned byte = 0; byte < shape.flit_bytes; ++byte)
                    add(sum, pins.data[port * shape.flit_bytes + byte]);
            }
            if ((pins.credit >> port & 1) != 0 && shape.vcs > 1) add(sum, pins.credit_vc[port]);
            if ((pins.head >> port & 1) == 0) continue;
            for (unsigned byte = 0; byte < shape.header_bytes; ++byte)
                add(sum, pins.header[port * shape.header_bytes + byte]);
        }
    }
};

/// Packets at random times to random terminals, with a crowded one.
inline std::vector<send_order> random_orders(const fabric_params& params, unsigned longest, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
    std::vector<send_order> orders(std::size_t{params.terminals()} * 20);
    for (send_order& order : orders) {
        order.source = below(params.terminals());
        order.destination = below(3) == 0 ? 0 : below(params.terminals());
        order.birth = below(4) * 300 + below(50);
        order.flits = static_cast<std::uint16_t>(1 + below(longest));
        order.service_class = static_cast<std::uint8_t>(below(2));
    }
    std::ranges::stable_sort(orders, {}, &send_order::birth);
    return orders;
}

/// Makes the model of the router of a node.
using router_maker = std::function<std::unique_ptr<hw::engine::chip>(const fabric_params& params, std::uint32_t node)>;

/// A router whose `in_engine` is true lives in one engine_module with the hosts at it, all others in modules. Chips are
/// numbered as on the bare engine. Unless told not to, a checker at both ends of every link that is not the engine's.
class sc_routers final : public sc_core::sc_module {
public:
    sc_routers(const sc_core::sc_module_name& name, const fabric_params& params, const std::vector<send_order>& orders,
               const std::function<bool(std::uint32_t node)>& in_engine,
               const router_maker& make = testbench::unit::make_router<hw::chips::router_core>, bool checked = true)
        : sc_module(name), params_(params), checked_(checked), wires_(testbench::unit::wires_of(params)) {
        const std::uint32_t nodes = params.router.nodes();
        for (std::uint32_t node = 0; node < nodes; ++node) put(make(params, node), in_engine(node));
        for (auto& host : testbench::unit::make_hosts(params, orders, arrivals))
            put(std::move(host), in_engine(static_cast<std::uint32_t>(places_.size() % nodes)));
        for (const testbench::unit::wire& each : wires_) {
            const bool a = inside(each.a), b = inside(each.b);
            if (a && b) island_->connect(local(each.a), local(each.b), {params.link_delay, 1});
            if (a != b) exits_.push_back(a ? each.a : each.b);
        }
        if (island_->size() != 0) make_engine();
        for (const testbench::unit::wire& each : wires_)
            if (!inside(each.a) || !inside(each.b)) join(each);
    }

    /// What all checkers found, in the order of time within each.
    std::vector<protocol::link_violation> violations() const {
        std::vector<protocol::link_violation> all;
        for (const auto& checker : checkers_)
            all.insert(all.end(), checker->violations().begin(), checker->violations().end());
        return all;
    }

    /// Flits that passed checkers.
    std::uint64_t checked_flits() const {
        std::uint64_t flits = 0;
        for (const auto& checker : checkers_) flits += checker->flits();
        return flits;
    }

    /// Nothing is under way at any checker.
    bool at_rest() const {
        return std::ranges::all_of(checkers_, [](const auto& checker) { return checker->at_rest(); });
    }

    /// What hosts found wrong.
    unsigned faults() const {
        unsigned faults = 0;
        for (std::size_t id = params_.router.nodes(); id < places_.size(); ++id) {
            const place& at = places_[id];
            const hw::engine::chip& chip =
                at.module == nullptr ? engine_->network().at(at.in_engine) : at.module->chip();
            faults += static_cast<const testbench::unit::host_chip&>(chip).faults();
        }
        return faults;
    }

    /// A link that is not the engine's.
    struct outer_link {
        std::unique_ptr<link_module> module;
        testbench::unit::wire wire;  ///< side 0 is at `a`
    };
    const std::vector<outer_link>& links() const { return links_; }
    const fabric_params& params() const { return params_; }

    run_state state{"state"};
    testbench::unit::arrival_map arrivals;
    pin_log log;  ///< if the state observes it

private:
    /// A chip and where it is.
    struct place {
        chip_module* module = nullptr;  ///< null: in the engine
        hw::engine::chip_id in_engine = 0;
    };

    void put(std::unique_ptr<hw::engine::chip> chip, bool in_engine) {
        const auto number = static_cast<hw::engine::chip_id>(places_.size());
        place& at = places_.emplace_back();
        const std::string label = "chip" + std::to_string(number);
        if (in_engine) {
            at.in_engine = island_->add(std::move(chip), label);
            numbers_.push_back(number);
            return;
        }
        const module_params module{{1, sc_core::SC_NS}, number};
        if (number < params_.router.nodes()) {
            chips_.push_back(std::make_unique<router_module>(label.c_str(), std::move(chip), module, state));
        } else {
            chips_.push_back(std::make_unique<chip_module>(label.c_str(), std::move(chip), module, state));
        }
        at.module = chips_.back().get();
    }

    bool inside(hw::engine::port_id port) const { return places_[port.chip].module == nullptr; }
    hw::engine::port_id local(hw::engine::port_id port) const { return {places_[port.chip].in_engine, port.port}; }

    void make_engine() {
        engine_module_params engine;
        engine.numbers = numbers_;
        for (const hw::engine::port_id& port : exits_) engine.ports.push_back(local(port));
        engine.shortest_delay = engine.longest_delay = params_.link_delay;
        engine.only_members_outside = true;
        engine_ = std::make_unique<engine_module>("engine", std::move(island_), std::move(engine), state);
    }

    void join(const testbench::unit::wire& wire) {
        const hw::engine::link_params cable{params_.link_delay, 1};
        const std::string number = std::to_string(links_.size());
        auto link =
            std::make_unique<link_module>(("link" + number).c_str(), cable, sc_core::sc_time(1, sc_core::SC_NS), state);
        join_end(wire.a, *link, 0, "checker" + number + "a");
        join_end(wire.b, *link, 1, "checker" + number + "b");
        links_.push_back({std::move(link), wire});
    }

    void join_end(hw::engine::port_id from, link_module& link, unsigned side, const std::string& label) {
        link_node* node = places_[from.chip].module;
        unsigned port = from.port;
        if (node == nullptr) {
            node = engine_.get();
            port = static_cast<unsigned>(std::ranges::find(exits_, from) - exits_.begin());
        }
        link.out[side].bind(node->in[port]);
        if (!checked_) return node->out[port].bind(link.in[side]);
        const hw::engine::pin_shape& shape = node->shape();
        const protocol::link_shape checked{{1, sc_core::SC_NS},     shape.flit_bytes, shape.header_bytes, 1,
                                           params_.router.vc_flits, shape.vcs};
        checkers_.push_back(std::make_unique<protocol::link_checker>(label.c_str(), checked));
        node->out[port].bind(checkers_.back()->in);
        checkers_.back()->out.bind(link.in[side]);
    }

    fabric_params params_;
    bool checked_;
    std::vector<testbench::unit::wire> wires_;
    std::vector<place> places_;  ///< [chip]
    std::vector<std::unique_ptr<chip_module>> chips_;
    std::unique_ptr<hw::engine::network> island_ = std::make_unique<hw::engine::network>();  ///< until engine_ has it
    std::vector<hw::engine::chip_id> numbers_;                                               ///< of the chips in it
    std::vector<hw::engine::port_id> exits_;
    std::unique_ptr<engine_module> engine_;
    std::vector<outer_link> links_;
    std::vector<std::unique_ptr<protocol::link_checker>> checkers_;
};

}  // namespace polycast::tlm::modules
