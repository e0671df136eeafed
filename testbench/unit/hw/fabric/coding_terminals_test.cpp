// SPDX-License-Identifier: Apache-2.0
// Coding units at a fabric's terminals do what coding_core chips do at routers on the engine: the same packets, in the
// same cycles, under traffic that stands in their way.
#include "hw/fabric/coding_terminals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hw/chips/coding/coding_core.h"
#include "hw/format/check_word.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "testbench/unit/hw/fabric/chip_network.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::chips;
using namespace hw::fabric;
using hw::engine::cycle;
using hw::engine::never;
namespace format = hw::format;

/// What one run is made of. The unit is at `node`; an order to it is its next operand.
struct setting {
    fabric_params fabric;
    coding_params unit;
    coding_registers registers;
    std::uint32_t node = 0;
    std::vector<send_order> orders;      ///< by birth
    std::vector<unit_operand> operands;  ///< [order] of those to the unit
    unsigned flits = 1;

    std::uint32_t unit_terminal() const { return fabric.router.nodes() + node; }
    std::vector<std::uint8_t> datum(unsigned context, unsigned index) const {
        std::vector<std::uint8_t> bytes(std::size_t{flits} * fabric.router.flit_bytes);
        hw::traffic::fill_payload(context, index, bytes);
        return bytes;
    }
};

/// (source, number there, destination) cycle and last byte of the packet's last flit, of a unit's packets the XOR's.
struct arrival {
    cycle when;
    std::uint8_t last;
    bool operator==(const arrival&) const = default;
};
using arrivals = std::map<std::array<std::uint32_t, 3>, arrival>;

/// A host on the engine that sends operands with all that they need.
class operand_host final : public hw::engine::chip {
public:
    operand_host(const setting& what, std::uint32_t number, arrivals& log)
        : what_(&what),
          number_(number),
          shape_(what.fabric.router.pin_shape()),
          credits_(what.fabric.router.vcs, what.fabric.router.vc_flits),
          log_(&log) {
        shape_.ports = 1;
        for (std::size_t i = 0; i < what.orders.size(); ++i)
            if (what.orders[i].source == number) queue_.push_back(i);
    }

    const hw::engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return next_ == queue_.size(); }

    cycle step(cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        if (in.valid != 0) {
            out.credit = 1;
            out.credit_vc[0] = in.vc[0];
            if (in.head != 0) {
                const auto header = format::read_common(in.header.data());
                coming_[in.vc[0]] = {header.source, header.sequence, number_};
            }
            if (in.tail != 0) (*log_)[coming_[in.vc[0]]] = {now, in.data.back()};
        }
        if (next_ < queue_.size() && what_->orders[queue_[next_]].birth <= now) put(out);
        if (in.credit != 0) ++credits_[in.credit_vc[0]];
        return next_ < queue_.size() ? now + 1 : never;
    }

private:
    void put(hw::engine::pins& out) {
        const send_order& order = what_->orders[queue_[next_]];
        const unit_operand& operand = what_->operands[queue_[next_]];
        const unsigned bytes = what_->fabric.router.flit_bytes;
        std::vector<std::uint8_t> payload(std::size_t{order.flits} * bytes);
        if (order.destination == what_->unit_terminal()) payload = what_->datum(operand.context, operand.index);
        if (flit_ == 0) {
            const auto& sides = what_->fabric.tables.vc_sets[order.service_class];
            unsigned able = 0;
            for (unsigned vc = 0; vc < shape_.vcs; ++vc)
                if (((sides[0] | sides[1]) >> vc & 1) != 0 && credits_[vc] >= what_->fabric.tables.reserve)
                    able |= 1u << vc;
            if (able == 0) return;
            vc_ = first_from(able, pointer_);
            pointer_ = vc_ + 1 == shape_.vcs ? 0 : vc_ + 1;
            std::ranges::fill(out.header, std::uint8_t{0});
            std::uint8_t* pins = out.header.data();
            std::uint8_t* transport = pins + format::free_transport_offset(shape_.header_bytes);
            format::write_common({format::packet_kind::unicast, true, number_, sent_++,
                                  static_cast<std::uint16_t>(payload.size()), order.service_class},
                                 pins);
            format::write_field<format::destination_field>(pins, order.destination);
            format::write_transport(
                {.op = format::transport_op::operand, .group = operand.context, .tag = operand.index}, transport);
            format::write_check(pins + format::free_check_offset(shape_.header_bytes),
                                format::check_word(pins, transport, payload));
        }
        if (credits_[vc_] == 0) return;
        --credits_[vc_];
        out.valid = 1;
        out.head = flit_ == 0 ? 1 : 0;
        out.vc[0] = static_cast<std::uint8_t>(vc_);
        std::copy_n(payload.begin() + static_cast<std::ptrdiff_t>(flit_ * bytes), bytes, out.data.begin());
        if (++flit_ < order.flits) return;
        out.tail = 1;
        flit_ = 0;
        ++next_;
    }

    const setting* what_;
    std::uint32_t number_;
    hw::engine::pin_shape shape_;
    std::vector<unsigned> credits_;
    arrivals* log_;
    std::map<unsigned, std::array<std::uint32_t, 3>> coming_;
    std::vector<std::size_t> queue_;
    std::size_t next_ = 0;
    unsigned flit_ = 0, vc_ = 0, pointer_ = 0;
    std::uint32_t sent_ = 0;
};

arrivals run_chips(const setting& what) {
    arrivals log;
    hw::engine::network network;
    for (std::uint32_t node = 0; node < what.fabric.router.nodes(); ++node)
        network.add(make_router(what.fabric, node), "router");
    for (std::uint32_t number = 0; number < what.fabric.terminals(); ++number) {
        if (number == what.unit_terminal()) {
            network.add(std::make_unique<coding_core>(what.unit, what.registers), "unit");
        } else {
            network.add(std::make_unique<operand_host>(what, number, log), "host");
        }
    }
    for (const wire& each : wires_of(what.fabric)) network.connect(each.a, each.b, {what.fabric.link_delay, 1});
    network.run(100000);
    EXPECT_EQ(network.error_count(), 0u);
    return log;
}

/// The same on a fabric.
class unit_traffic final : public unit_owner {
public:
    explicit unit_traffic(const setting& what)
        : what_(&what),
          fabric_(what.fabric),
          ends_(fabric_, 0, never),
          payloads_(std::size_t{what.flits} * what.fabric.router.flit_bytes),
          units_(what.fabric.router.nodes(), payloads_, *this) {
        units_.add(what.node, what.unit, what.registers);
    }

    arrivals run() {
        fabric_.run(never, *this);
        EXPECT_EQ(ends_.missing(), 0u);
        EXPECT_THAT(ends_.faults(), testing::IsEmpty());
        EXPECT_EQ(given_, taken_) << "payloads were kept";
        return log_;
    }
    std::uint64_t xors() const { return units_.xors(what_->node); }
    std::uint64_t most_operand_flits() const { return units_.most_operand_flits(); }

    void send(cycle now, router_fabric& fabric) {
        for (; next_ < what_->orders.size() && what_->orders[next_].birth <= now; ++next_) {
            const packet_id id = ends_.queue(what_->orders[next_]);
            if (operand_.size() <= id) operand_.resize(id + 1);
            operand_[id] = what_->operands[next_];
            if (what_->orders[next_].destination != what_->unit_terminal()) continue;
            operand_[id].payload = payloads_.take();
            ++taken_;
            std::ranges::copy(what_->datum(operand_[id].context, operand_[id].index),
                              payloads_[operand_[id].payload].begin());
        }
        units_.step(now);
        ends_.send_flits(fabric, [](std::uint32_t) {});
    }
    bool holds_credit(std::uint32_t terminal, packet_id) const { return terminal == what_->unit_terminal(); }
    void arrive(cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        const bool tail = (info & flit_info::tail) != 0;
        const packet packet = fabric_.packets()[id];
        if (terminal == what_->unit_terminal()) {
            units_.arrive(when, what_->node, vc, (info & flit_info::head) != 0, tail, operand_[id]);
        } else if (tail) {
            const bool coded = packet.source == what_->unit_terminal();
            const std::uint8_t last = coded ? payloads_[operand_[id].payload].back() : std::uint8_t{0};
            log_[{packet.source, packet.number, terminal}] = {when, last};
            if (coded) payloads_.give_back(operand_[id].payload);
        }
        ends_.arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) {
        if (terminal == what_->unit_terminal()) return units_.credit(fabric_.now(), what_->node, vc);
        ends_.credit(terminal, vc);
    }
    cycle next(cycle now) const {
        if (!ends_.blocked()) return now;
        const cycle birth = next_ < what_->orders.size() ? std::max(now, what_->orders[next_].birth) : never;
        return std::min(birth, units_.next(now));
    }

private:
    packet_id begin(std::uint32_t node, const coding_packet& packet, payload_id payload) override {
        EXPECT_EQ(node, what_->node);
        const packet_id id = ends_.create({what_->unit_terminal(), packet.destination, fabric_.now(), packet.flits,
                                           what_->registers.contexts[packet.context].vc_class, false});
        if (operand_.size() <= id) operand_.resize(id + 1);
        operand_[id].payload = payload;
        return id;
    }
    void leave(std::uint32_t, packet_id id, unsigned vc, std::uint16_t ends) override {
        if ((ends & flit_info::head) != 0) fabric_.packets()[id].entry_vc = static_cast<std::uint8_t>(vc);
        fabric_.inject(what_->unit_terminal(), vc, id, ends);
    }
    void give_credit(std::uint32_t, unsigned vc) override { fabric_.give_credit(what_->unit_terminal(), vc); }
    void release(const unit_operand& operand) override {
        payloads_.give_back(operand.payload);
        ++given_;
    }
    void event(std::uint32_t, const hw::engine::chip_event& what) override { ADD_FAILURE() << "event " << +what.code; }

    const setting* what_;
    router_fabric fabric_;
    terminals ends_;
    payload_store payloads_;
    coding_terminals units_;
    std::vector<unit_operand> operand_;  ///< [packet]
    arrivals log_;
    std::size_t next_ = 0;
    unsigned taken_ = 0, given_ = 0;
};

setting draw(unsigned seed) {
    std::mt19937 random(seed);
    const auto from_to = [&](unsigned least, unsigned most) {
        return least + static_cast<unsigned>(random()) % (most - least + 1);
    };
    setting drawn;
    drawn.flits = from_to(1, 5);
    fabric_params& fabric = drawn.fabric;
    fabric.router.radix = from_to(2, 4);
    fabric.router.ports = 6;
    fabric.router.header_free = true;
    fabric.router.vcs = 2 * from_to(1, 3);
    fabric.router.vc_flits = from_to(drawn.flits, 9);
    fabric.router.xbar_stages = from_to(0, 2);
    fabric.tables.wrap = from_to(0, 3);
    fabric.tables.route_delay = from_to(1, 3);
    fabric.tables.reserve = from_to(0, 1) == 0 ? 1 : drawn.flits;
    fabric.tables.packet_limit = drawn.flits;
    fabric.tables.vc_sets = dateline_sets(fabric.router.vcs, fabric.tables.wrap);
    fabric.link_delay = from_to(1, 3);
    drawn.node = from_to(0, fabric.router.nodes() - 1);
    drawn.unit = {.vcs = fabric.router.vcs,
                  .vc_flits = fabric.router.vc_flits,
                  .header_free = true,
                  .contexts = 2,
                  .slots = 64,
                  .slot_flits = drawn.flits};
    coding_registers& registers = drawn.registers;
    registers.number = drawn.unit_terminal();
    registers.latency = from_to(0, 1) == 0 ? from_to(0, 2) : from_to(3, 64);
    registers.credits = fabric.router.vc_flits;
    registers.reserve = fabric.tables.reserve;
    registers.packet_limit = drawn.flits;
    for (std::size_t c = 0; c < 8; ++c)
        registers.vc_sets[c] = static_cast<vc_set>(fabric.tables.vc_sets[c][0] | fabric.tables.vc_sets[c][1]);
    registers.contexts.resize(2);
    const auto host = [&] { return from_to(0, fabric.router.nodes() - 1); };
    for (unsigned context = 0; context < 2; ++context) {
        coding_context& each = registers.contexts[context];
        each.mode = coding_mode::encode;
        each.count = static_cast<std::uint16_t>(from_to(2, 20));
        each.first_destination = static_cast<std::uint16_t>(registers.destinations.size());
        each.destination_count = static_cast<std::uint16_t>(from_to(1, 5));
        each.vc_class = static_cast<std::uint8_t>(context);
        for (unsigned i = 0; i < each.destination_count; ++i) registers.destinations.push_back(host());
    }
    std::vector<std::pair<send_order, unit_operand>> all;
    const auto add = [&](std::uint32_t to, unit_operand operand) {
        const std::uint32_t source = host();
        all.push_back({{.source = source,
                        .destination = to,
                        .birth = from_to(0, 60),
                        .flits = static_cast<std::uint16_t>(drawn.flits)},
                       operand});
        all.back().second.source = source;
        all.back().second.flits = static_cast<std::uint16_t>(drawn.flits);
        all.back().second.bytes = static_cast<std::uint16_t>(drawn.flits * fabric.router.flit_bytes);
    };
    for (unsigned context = 0; context < 2; ++context) {
        for (unsigned index = 0; index < registers.contexts[context].count; ++index) {
            unit_operand operand;
            operand.context = static_cast<std::uint16_t>(context);
            operand.index = static_cast<std::uint16_t>(index);
            add(drawn.unit_terminal(), operand);
        }
    }
    for (unsigned i = 0; i < 60; ++i) add(host(), {});
    std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first.birth; });
    for (const auto& [order, operand] : all) {
        drawn.orders.push_back(order);
        drawn.operands.push_back(operand);
    }
    return drawn;
}

TEST(coding_terminals, do_what_chips_do) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const setting drawn = draw(seed);
        const arrivals chips = run_chips(drawn);
        const unsigned pairs = drawn.registers.contexts[0].count + drawn.registers.contexts[1].count - 2u;
        unit_traffic traffic(drawn);
        EXPECT_EQ(traffic.run(), chips);
        EXPECT_EQ(traffic.xors(), pairs);
        EXPECT_GE(traffic.most_operand_flits(), 2 * drawn.flits);
        if (testing::Test::HasFailure()) return;
    }
}

TEST(coding_terminals, refuse_to_decode) {
    setting drawn = draw(0);
    drawn.registers.contexts[1].mode = coding_mode::decode;
    try {
        const unit_traffic traffic(drawn);
        FAIL() << "accepted";
    } catch (const hw::input_error& refused) {
        EXPECT_THAT(refused.what(), testing::HasSubstr("a context that decodes"));
    }
}

TEST(coding_terminals, refuse_units_that_could_wait_for_ever) {
    setting drawn = draw(0);
    EXPECT_NO_THROW(unit_traffic{drawn});
    drawn.registers.reserve = drawn.registers.credits + 1;
    EXPECT_THROW(unit_traffic{drawn}, hw::input_error);
    drawn.registers.reserve = 1;
    drawn.unit.slots = drawn.registers.contexts[0].count + drawn.registers.contexts[1].count - 1u;
    EXPECT_THROW(unit_traffic{drawn}, hw::input_error);
}

}  // namespace
}  // namespace polycast::testbench::unit
