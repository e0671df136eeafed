// SPDX-License-Identifier: Apache-2.0
// Event pins of coding units behind routers: what comes for contexts that do not exist is told as on the bare engine,
// wherever routers and units live.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/chips/coding/coding_core.h"
#include "hw/format/check_word.h"
#include "tlm/modules/engine_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/router_module.h"

namespace polycast::tlm::modules {
namespace {

namespace format = hw::format;
using hw::engine::chip_id;
using hw::engine::event_record;

constexpr unsigned nodes = 2;
constexpr unsigned buffer_flits = 8;
constexpr unsigned packets = 700;  // of each host

hw::chips::router_params router_params() {
    hw::chips::router_params params;
    params.dimensions = 1;
    params.radix = nodes;
    params.ports = 4;
    params.header_free = true;
    return params;
}

/// Sends operands, of one flit each, to both units in turn, each for another context.
class operand_source final : public hw::engine::chip {
public:
    explicit operand_source(std::uint32_t node) : node_(node) {}

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return sent_ == packets; }

    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (sent_ != packets && credits_ != 0) send(out);
        if (in.credit != 0) ++credits_;
        return sent_ != packets && credits_ != 0 ? now + 1 : hw::engine::never;
    }

private:
    void send(hw::engine::pins& out) {
        --credits_;
        out.valid = out.head = out.tail = 1;
        out.vc[0] = 0;
        std::ranges::fill(out.data, std::uint8_t{9});
        std::ranges::fill(out.header, std::uint8_t{0});
        format::common_header common;
        common.source = node_;
        common.length = static_cast<std::uint16_t>(shape_.flit_bytes);
        format::write_common(common, out.header.data());
        format::write_field<format::destination_field>(out.header.data(), nodes + sent_ % nodes);
        format::transport_header transport;
        transport.op = format::transport_op::operand;
        transport.group = static_cast<std::uint16_t>(1 + sent_ % 5);
        transport.tag = sent_;
        std::uint8_t* const at = &out.header[format::free_transport_offset(shape_.header_bytes)];
        format::write_transport(transport, at);
        format::write_check(&out.header[format::free_check_offset(shape_.header_bytes)],
                            format::check_word(out.header.data(), at, out.data));
        ++sent_;
    }

    hw::engine::pin_shape shape_{1, router_params().flit_bytes, router_params().pin_shape().header_bytes,
                                 router_params().vcs};
    std::uint32_t node_;
    unsigned credits_ = buffer_flits;  ///< of virtual channel 0
    unsigned sent_ = 0;
};

/// Routers, then hosts, then units.
std::vector<std::unique_ptr<hw::engine::chip>> make_chips() {
    std::vector<std::unique_ptr<hw::engine::chip>> chips;
    for (unsigned node = 0; node < nodes; ++node) {
        hw::chips::router_tables tables;
        tables.node = node;
        tables.credits.assign(router_params().ports, buffer_flits);
        tables.credits[node == 0 ? 1 : 0] = 0;
        tables.vc_sets.fill({1, 1});
        chips.push_back(std::make_unique<hw::chips::router_core>(router_params(), tables));
    }
    for (unsigned node = 0; node < nodes; ++node) chips.push_back(std::make_unique<operand_source>(node));
    for (unsigned node = 0; node < nodes; ++node) {
        hw::chips::coding_params params;
        params.header_free = true;
        params.contexts = 1;
        hw::chips::coding_registers registers;
        registers.number = nodes + node;
        chips.push_back(std::make_unique<hw::chips::coding_core>(params, registers));
    }
    return chips;
}

struct wire {
    hw::engine::port_id a, b;
};
const std::vector<wire> wires{{{0, 0}, {1, 1}}, {{0, 2}, {2, 0}}, {{1, 2}, {3, 0}}, {{0, 3}, {4, 0}}, {{1, 3}, {5, 0}}};

struct placed {
    placed(const std::string& name, const std::function<bool(chip_id)>& in_engine) : state((name + "_state").c_str()) {
        auto island = std::make_unique<hw::engine::network>();
        engine_module_params params;
        params.only_members_outside = true;
        std::vector<chip_module*> module_of;
        std::vector<chip_id> in_island;
        for (auto& chip : make_chips()) {
            const auto number = static_cast<chip_id>(module_of.size());
            const std::string label = name + "_chip" + std::to_string(number);
            const module_params own{{1, sc_core::SC_NS}, number};
            module_of.push_back(nullptr);
            in_island.push_back(0);
            if (in_engine(number)) {
                in_island.back() = island->add(std::move(chip), label);
                params.numbers.push_back(number);
                continue;
            }
            if (number < nodes) {
                modules.push_back(std::make_unique<router_module>(label.c_str(), std::move(chip), own, state));
            } else {
                modules.push_back(std::make_unique<chip_module>(label.c_str(), std::move(chip), own, state));
            }
            module_of.back() = modules.back().get();
        }
        const auto inside = [&](hw::engine::port_id port) { return module_of[port.chip] == nullptr; };
        const auto local = [&](hw::engine::port_id port) {
            return hw::engine::port_id{in_island[port.chip], port.port};
        };
        for (const auto& [a, b] : wires) {
            if (inside(a) && inside(b)) island->connect(local(a), local(b), {});
            if (inside(a) != inside(b)) params.ports.push_back(local(inside(a) ? a : b));
        }
        const std::vector<hw::engine::port_id> exits = params.ports;
        if (island->size() != 0)
            engine = std::make_unique<engine_module>((name + "_engine").c_str(), std::move(island), params, state);
        const auto end = [&](hw::engine::port_id port) -> std::pair<link_node*, unsigned> {
            if (!inside(port)) return {module_of[port.chip], port.port};
            const auto exit = std::ranges::find(exits, local(port)) - exits.begin();
            return {engine.get(), static_cast<unsigned>(exit)};
        };
        for (const auto& [a, b] : wires) {
            if (inside(a) && inside(b)) continue;
            const auto [node_a, port_a] = end(a);
            const auto [node_b, port_b] = end(b);
            links.push_back(std::make_unique<link_module>((name + "_link" + std::to_string(links.size())).c_str(),
                                                          hw::engine::link_params{},
                                                          sc_core::sc_time(1, sc_core::SC_NS), state));
            links.back()->join(*node_a, port_a, *node_b, port_b);
        }
    }

    run_state state;
    std::vector<std::unique_ptr<chip_module>> modules;
    std::unique_ptr<engine_module> engine;
    std::vector<std::unique_ptr<link_module>> links;
};

/// Comparable, and readable where they differ.
std::vector<std::string> text_of(const std::vector<event_record>& events) {
    std::vector<std::string> lines;
    for (const event_record& record : events) {
        const hw::engine::chip_event& event = record.event;
        std::string line = std::to_string(record.when);
        for (const std::uint32_t number : {record.chip, std::uint32_t{event.pin}, std::uint32_t{event.code},
                                           std::uint32_t{event.context}, event.index, event.source})
            line += " " + std::to_string(number);
        lines.push_back(line);
    }
    return lines;
}

TEST(run_state, events_of_chips_are_those_of_the_bare_engine) {
    hw::engine::network bare;
    for (auto& chip : make_chips()) bare.add(std::move(chip), "chip");
    for (const auto& [a, b] : wires) bare.connect(a, b, {});
    bare.run(hw::engine::never);
    EXPECT_EQ(bare.event_count(), nodes * packets);
    ASSERT_EQ(bare.events().size(), 1000u);
    for (const event_record& record : bare.events()) {
        EXPECT_GE(record.chip, 2 * nodes);
        EXPECT_EQ(record.event.code, static_cast<unsigned>(format::coding_event::unknown_context));
    }

    placed modules("modules", [](chip_id) { return false; });
    placed units_in_engine("units_in_engine", [](chip_id chip) { return chip >= nodes; });
    placed routers_in_engine("routers_in_engine", [](chip_id chip) { return chip < 2 * nodes; });
    placed half("half", [](chip_id chip) { return chip % nodes == 1; });
    placed engine("engine", [](chip_id) { return true; });
    sc_core::sc_start();
    for (const placed* network : {&modules, &units_in_engine, &routers_in_engine, &half, &engine}) {
        SCOPED_TRACE(network->state.name());
        EXPECT_NO_THROW(network->state.rethrow_failure());
        EXPECT_EQ(network->state.flit_hops(), bare.flit_hops());
        EXPECT_EQ(network->state.event_count(), bare.event_count());
        EXPECT_EQ(text_of(network->state.events()), text_of(bare.events()));
        EXPECT_EQ(network->state.error_count(), 0u);
    }
}

}  // namespace
}  // namespace polycast::tlm::modules
