// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_trigger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hw/format/packet_format.h"

namespace polycast::tlm::trace {
namespace {

namespace engine = hw::engine;
namespace format = hw::format;
using format::chip_error;
using testing::ElementsAre;
using testing::IsEmpty;

/// Pins and input buffers are set by the test.
class buffers_only final : public engine::chip {
public:
    explicit buffers_only(const engine::pin_shape& shape) : shape_(shape) { state.inputs.resize(shape.ports); }
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle, const engine::pins&, engine::pins&) override { return engine::never; }
    bool idle() const override { return true; }
    void probe(engine::chip_probe& probe) const override { probe = state; }

    engine::chip_probe state;

private:
    engine::pin_shape shape_;
};

constexpr engine::pin_shape host_shape{1, 16, 0};
constexpr engine::pin_shape switch_shape{2, 16, 0};
constexpr engine::chip_id host0 = 0, host1 = 1, the_switch = 2;

/// host0 - port 0 of a switch - port 1 - host1, links of 3 cycles, packets of flits of 16 bytes, buffers of 8.
class trigger_bench {
public:
    explicit trigger_bench(const trigger_config& config, const log_window& window = {})
        : trigger(config,
                  {{"net",
                    "work",
                    {{"host0", "host", 0, {{0, the_switch, 0, 3, 8, 2}}},
                     {"host1", "host", 0, {{0, the_switch, 1, 3, 8, 2}}},
                     {"switch0", "switch", 2, {{0, host0, 0, 3, 8, 2}, {1, host1, 0, 3, 8, 2}}}}},
                   {host_shape, host_shape, switch_shape},
                   {},
                   2},
                  window, [this](engine::cycle when) { fired.push_back(when); }) {}

    /// A packet of `flits` from `source` on the output pins of a port from cycle `when` on.
    void pass(engine::chip_id chip, unsigned port, std::uint32_t source, std::uint32_t sequence, unsigned flits,
              engine::cycle when) {
        std::vector<std::uint8_t> header(16);
        format::common_header fields;
        fields.source = source;
        fields.sequence = sequence;
        format::write_common(fields, header.data());
        for (unsigned flit = 0; flit < flits; ++flit) {
            engine::pins out(shape_of(chip));
            const std::uint64_t bit = std::uint64_t{1} << port;
            out.valid = bit;
            if (flit == 0) out.head = bit;
            if (flit + 1 == flits) out.tail = bit;
            std::ranges::copy(header, out.data.begin() + port * 16);
            step(chip, out, when + flit);
        }
    }
    void raise(unsigned port, chip_error error, engine::cycle when) {
        engine::pins out(switch_shape);
        out.error = std::uint64_t{1} << port;
        out.errors[port] = static_cast<std::uint16_t>(error);
        step(the_switch, out, when);
    }
    void fill(unsigned port, std::uint16_t chunks, engine::cycle when) {
        switch_.state.inputs[port].occupied = chunks;
        step(the_switch, engine::pins(switch_shape), when);
    }
    /// A chip has quiet pins in cycle `when`.
    void rest(engine::cycle when) { step(host0, engine::pins(host_shape), when); }

    std::vector<engine::cycle> fired;
    wave_trigger trigger;

private:
    static const engine::pin_shape& shape_of(engine::chip_id chip) {
        return chip == the_switch ? switch_shape : host_shape;
    }
    void step(engine::chip_id chip, const engine::pins& out, engine::cycle when) {
        trigger.stepped(chip, when - 1, engine::pins(shape_of(chip)), out, chip == the_switch ? switch_ : host_);
    }

    buffers_only host_{host_shape};
    buffers_only switch_{switch_shape};
};

trigger_config on(trigger_event event, const std::string& packet = "") {
    trigger_config config;
    config.event = event;
    if (!packet.empty()) config.packet = packet_choice::from(packet);
    return config;
}

/// Two packets of three flits, from host0 to host1.
std::vector<engine::cycle> fired_by(const trigger_config& config, const log_window& window = {}) {
    trigger_bench bench(config, window);
    bench.pass(host0, 0, 0, 7, 3, 10);
    bench.pass(host0, 0, 0, 8, 3, 13);
    bench.pass(the_switch, 1, 0, 7, 3, 20);
    bench.pass(the_switch, 1, 0, 8, 3, 30);
    bench.trigger.finish(40);
    return bench.fired;
}

TEST(wave_trigger, fires_in_the_cycle_of_the_event) {
    using enum trigger_event;
    EXPECT_THAT(fired_by(on(injected)), ElementsAre(10));
    EXPECT_THAT(fired_by(on(injected, "1")), ElementsAre(13));
    EXPECT_THAT(fired_by(on(passes, "1")), ElementsAre(13));
    EXPECT_THAT(fired_by(on(delivered, "0")), ElementsAre(25)) << "the tail leaves in 22, the link takes 3";
    EXPECT_THAT(fired_by(on(delivered, "0#8")), ElementsAre(35));
    EXPECT_THAT(fired_by(on(injected, "2")), IsEmpty());
    EXPECT_THAT(fired_by(on(delivered, "1#8")), IsEmpty()) << "host 1 sends nothing";
    EXPECT_THAT(fired_by(on(dropped)), IsEmpty());
}

TEST(wave_trigger, looks_at_one_chip_and_one_occurrence) {
    trigger_config config = on(trigger_event::passes);
    config.chip = the_switch;
    EXPECT_THAT(fired_by(config), ElementsAre(20));
    config.occurrence = 2;
    EXPECT_THAT(fired_by(config), ElementsAre(30));
    config.occurrence = 3;
    EXPECT_THAT(fired_by(config), IsEmpty());
    config = on(trigger_event::delivered);
    config.chip = host0;
    EXPECT_THAT(fired_by(config), IsEmpty());
    EXPECT_THAT(fired_by(on(trigger_event::passes), {20}), ElementsAre(20)) << "what was before does not count";
    EXPECT_THAT(fired_by(on(trigger_event::passes, "1"), {0, 13}), IsEmpty()) << "nor what is after";
}

TEST(wave_trigger, latency_is_from_the_first_head_to_the_tail) {
    trigger_config config = on(trigger_event::latency);
    config.cycles = 15;
    EXPECT_THAT(fired_by(config), ElementsAre(25));
    config.cycles = 16;
    EXPECT_THAT(fired_by(config), ElementsAre(35)) << "13 to 35";
    config.cycles = 23;
    EXPECT_THAT(fired_by(config), IsEmpty());
}

TEST(wave_trigger, an_error_of_the_input_drops_the_packet_in_front) {
    for (const auto& [packet, fires] : {std::pair{"1", true}, {"0", false}, {"2", false}}) {
        trigger_bench bench(on(trigger_event::dropped, packet));
        for (std::uint32_t sequence = 0; sequence < 3; ++sequence) bench.pass(host0, 0, 0, sequence, 1, 10 + sequence);
        bench.pass(the_switch, 1, 0, 0, 1, 18);
        bench.raise(0, chip_error::no_route, 22);
        bench.pass(the_switch, 1, 0, 2, 1, 25);
        bench.trigger.finish(40);
        EXPECT_EQ(bench.fired, fires ? std::vector<engine::cycle>{22} : std::vector<engine::cycle>{}) << packet;
    }
}

TEST(wave_trigger, an_overflow_drops_the_packet_that_comes_in) {
    trigger_bench bench(on(trigger_event::dropped, "1"));
    bench.pass(host0, 0, 0, 0, 1, 10);
    bench.pass(host0, 0, 0, 1, 1, 11);
    bench.pass(host0, 0, 0, 2, 1, 12);  // on the link still
    bench.raise(0, chip_error::overflow, 15);
    EXPECT_THAT(bench.fired, IsEmpty()) << "the cycle is not over";
    bench.rest(16);
    EXPECT_THAT(bench.fired, ElementsAre(15));
}

TEST(wave_trigger, a_packet_that_is_overtaken_in_its_buffer_was_dropped) {
    trigger_bench bench(on(trigger_event::dropped));
    bench.pass(host0, 0, 0, 0, 1, 10);
    bench.pass(host1, 0, 1, 0, 1, 11);
    bench.pass(host0, 0, 0, 1, 1, 12);
    bench.pass(the_switch, 0, 1, 0, 1, 18);
    bench.rest(20);
    EXPECT_THAT(bench.fired, IsEmpty()) << "another input";
    bench.pass(the_switch, 1, 0, 1, 1, 21);
    bench.rest(22);
    EXPECT_THAT(bench.fired, ElementsAre(21));
}

TEST(wave_trigger, errors_of_a_chip_or_of_any) {
    trigger_config config = on(trigger_event::error);
    config.occurrence = 2;
    trigger_bench any(config);
    config.chip = host0;
    trigger_bench other(config);
    for (trigger_bench* bench : {&any, &other}) {
        bench->raise(0, chip_error::missing_tail, 10);
        bench->raise(1, chip_error::credit_overflow, 10 + 5);
        bench->trigger.finish(40);
    }
    EXPECT_THAT(any.fired, ElementsAre(15));
    EXPECT_EQ(any.trigger.count(), 2u);
    EXPECT_THAT(other.fired, IsEmpty());
}

TEST(wave_trigger, a_buffer_without_room_for_a_packet_counts_its_cycles) {
    trigger_config config = on(trigger_event::full);
    config.cycles = 10;
    {
        trigger_bench bench(config);
        bench.fill(0, 4, 20);  // of 4 chunks, of which one must be free for a packet
        bench.fill(0, 3, 29);
        bench.fill(0, 4, 30);
        bench.rest(39);
        EXPECT_THAT(bench.fired, IsEmpty());
        bench.rest(40);
        EXPECT_THAT(bench.fired, ElementsAre(39)) << "the tenth cycle";
    }
    trigger_bench silent(config);
    silent.fill(1, 4, 20);
    silent.trigger.finish(29);
    EXPECT_THAT(silent.fired, IsEmpty());
    trigger_bench over(config);
    over.fill(1, 4, 20);
    over.trigger.finish(30);
    EXPECT_THAT(over.fired, ElementsAre(29)) << "nothing was stepped any more";
}

/// Faults begin at both ends of a cable, one end or none, cycle by cycle.
std::vector<engine::cycle> fired_by_faults(const trigger_config& config, bool cable = true) {
    buffers_only chip(switch_shape);
    chip.state.ends.resize(2);
    std::vector<engine::cycle> fired;
    wave_trigger trigger(config, {{"net", "work", {{"a:1", cable ? "cable" : "switch", 0, {}}}}, {switch_shape}, {}, 1},
                         {}, [&](engine::cycle when) { fired.push_back(when); });
    const engine::pins quiet(switch_shape);
    const auto step = [&](engine::cycle now, std::uint16_t at_end0, std::uint16_t at_end1) {
        chip.state.ends[0].struck = at_end0;
        chip.state.ends[1].struck = at_end1;
        chip.state.ends[1].lasting = 1u << 6;  // goes on, and does not begin
        trigger.stepped(0, now, quiet, quiet, chip);
    };
    step(10, 0, 0);
    step(11, 1, 0);
    step(12, 0, 0);
    step(13, 4, 5);
    step(14, 0, 1);
    trigger.finish(15);
    return fired;
}

TEST(wave_trigger, a_fault_of_a_wire_that_leads_away_from_an_end) {
    trigger_config config = on(trigger_event::fault);
    EXPECT_THAT(fired_by_faults(config), ElementsAre(11));
    EXPECT_THAT(fired_by_faults(config, false), IsEmpty());
    config.chip = 1;
    EXPECT_THAT(fired_by_faults(config), IsEmpty());
    config.chip = 0;
    config.end = 0;  // what it sends comes to end 1
    EXPECT_THAT(fired_by_faults(config), ElementsAre(13));
    config.occurrence = 2;
    EXPECT_THAT(fired_by_faults(config), ElementsAre(14));
    config.end = 1;
    EXPECT_THAT(fired_by_faults(config), ElementsAre(13));
    config.end.reset();
    config.occurrence = 3;
    EXPECT_THAT(fired_by_faults(config), ElementsAre(13)) << "two wires in one cycle";
}

TEST(wave_trigger, a_fault_of_a_processor_begins_in_the_cycle_behind_the_step) {
    buffers_only host(switch_shape);
    host.state.interfaces.resize(2);
    const auto fired_by = [&](const trigger_config& config) {
        std::vector<engine::cycle> fired;
        wave_trigger trigger(config, {{"net", "work", {{"host0", "host", 0, {}}}}, {switch_shape}, {}, 1}, {},
                             [&](engine::cycle when) { fired.push_back(when); });
        const engine::pins quiet(switch_shape);
        for (const auto& [now, hung] : {std::pair{10u, false}, {11u, true}, {12u, true}, {13u, false}, {20u, true}}) {
            host.state.interfaces[1].hung = hung;
            trigger.stepped(0, now, quiet, quiet, host);
        }
        trigger.finish(30);
        return fired;
    };
    trigger_config config = on(trigger_event::fault);
    EXPECT_THAT(fired_by(config), ElementsAre(12));
    config.occurrence = 2;
    EXPECT_THAT(fired_by(config), ElementsAre(21));
    config.chip = 0;
    config.end = 0;
    EXPECT_THAT(fired_by(config), IsEmpty()) << "a wire is waited for";
}

TEST(packet_choice, is_a_number_or_source_and_sequence) {
    EXPECT_EQ(packet_choice::from("4711")->number, 4711u);
    EXPECT_EQ(packet_choice::from("host3#17")->source_and_sequence, std::pair(3u, 17u));
    EXPECT_EQ(packet_choice::from("3#17")->number, std::nullopt);
    for (const char* const text : {"", "x", "-1", "3#", "#3", "host#3", "3#4#5", "4711 ", "99999999999"})
        EXPECT_FALSE(packet_choice::from(text)) << text;
}

}  // namespace
}  // namespace polycast::tlm::trace
