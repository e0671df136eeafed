// SPDX-License-Identifier: Apache-2.0
// What waves show of a cable with a link layer.
#include "tlm/trace/link_signals.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "hw/chips/link/cable.h"
#include "hw/faults/faulty_cable.h"
#include "testbench/unit/tlm/trace/wave_reader.h"
#include "tlm/trace/wave_recorder.h"

namespace polycast::tlm::trace {
namespace {

namespace chips = hw::chips;
namespace engine = hw::engine;
namespace faults = hw::faults;
using engine::cycle;

/// K = T = 1, so both ends are up in cycle 2 (K + d) + 2 = 6.
chips::link_config short_link(unsigned flit_bytes = 16, unsigned vcs = 1) {
    chips::link_config config;
    config.flit_bytes = flit_bytes;
    config.vcs = vcs;
    config.frame = 4;
    config.delay = 1;
    config.far.credits.fill(8);
    config.own.credits.fill(8);
    return chips::checked(config);
}

/// One cable, whose chips give every credit back at once.
class cable_waves {
public:
    cable_waves(const chips::link_config& config, faults::fault_plan plan)
        : cable_(std::make_unique<chips::cable_core>(config), std::move(plan), 0), in_(cable_.shape()) {}

    /// A packet of `flits` at port 0 from cycle `first` on.
    void send(cycle first, unsigned flits, std::uint8_t vc = 0) { packets_.push_back({first, flits, vc}); }

    /// `sleeps`: the cable is stepped only when it asks for it. \returns the waves
    test::wave_file run(cycle end, bool sleeps, trace_config traced = {}) {
        traced.file = folder_ / "w.fst";
        wave_recorder recorder(traced, "net", {}, {{"a:1", &cable_, {"a port1", "b"}}});
        engine::pins out(cable_.shape());
        cycle wake = 0;
        std::uint64_t credits = 0;
        for (cycle now = 0; now < end; ++now) {
            drive(now, credits);
            credits = 0;
            if (sleeps && in_.quiet() && now < wake) continue;
            out.clear();
            wake = cable_.step(now, in_, out);
            recorder.stepped(0, now, in_, out, cable_);
            credits = out.valid;
        }
        save = recorder.finish(end).save_file;
        std::ifstream file(folder_ / "w.fst", std::ios::binary);
        bytes = {std::istreambuf_iterator<char>(file), {}};
        return test::read_waves(folder_ / "w.fst");
    }

    std::string bytes;
    std::filesystem::path save;

private:
    struct packet {
        cycle first;
        unsigned flits;
        std::uint8_t vc;
    };

    void drive(cycle now, std::uint64_t credits) {
        in_.clear();
        in_.credit = credits;
        for (const packet& each : packets_) {
            if (now < each.first || now >= each.first + each.flits) continue;
            in_.valid = 1;
            in_.head = now == each.first ? 1 : 0;
            in_.tail = now + 1 == each.first + each.flits ? 1 : 0;
            if (!in_.vc.empty()) in_.vc[0] = each.vc;
        }
    }

    test::scratch_folder folder_;
    faults::faulty_cable cable_;
    engine::pins in_;
    std::vector<packet> packets_;
};

faults::fault_plan one(faults::fault_event event) {
    faults::fault_plan plan;
    plan.events.push_back(std::move(event));
    return plan;
}

enum tx : unsigned { tx_init = 1, tx_advance, tx_replay };
enum rx : unsigned { rx_send_acks = 1, rx_send_nack, rx_nack_sent };

TEST(link_signals, show_the_handshake_a_frame_and_its_ack) {
    const chips::link_config config = short_link();
    cable_waves cable(config, {});
    cable.send(10, 3);
    const test::wave_file waves = cable.run(60, true);
    const auto text = [&](const std::string& name, cycle when) { return waves.text("net.a_1." + name, when); };
    const auto number = [&](const std::string& name, cycle when) { return waves.number("net.a_1." + name, when); };
    const std::string label = "label[191:0]";
    EXPECT_EQ(text("end0.out." + label, 0), "");
    EXPECT_EQ(text("end0.out." + label, 1), "init 0") << "chosen in cycle 0";
    EXPECT_EQ(text("end1.in." + label, 1), "");
    EXPECT_EQ(text("end1.in." + label, 2), "init 0");
    EXPECT_EQ(text("end1.out." + label, 4), "init_echo 0");
    EXPECT_EQ(number("end0.tx[2:0]", 5), tx_init);
    EXPECT_EQ(number("end0.tx[2:0]", 6), tx_advance);
    EXPECT_EQ(number("end1.rx[1:0]", 6), rx_send_acks);

    EXPECT_EQ(number("end0.ring[31:0]", 11), 1u) << "state behind the step of cycle 10";
    const auto kind = [&](const std::string& end, cycle when) { return number(end + ".kind[2:0]", when); };
    EXPECT_EQ(kind("end0.out", 11), 0u);
    for (const cycle when : {12u, 13u, 14u}) EXPECT_EQ(kind("end0.out", when), 0b011u);
    EXPECT_EQ(kind("end0.out", 15), 0b101u) << "the trailer";
    EXPECT_EQ(kind("end0.out", 16), 0u);
    EXPECT_EQ(text("end0.out." + label, 15), "frame 0");
    EXPECT_EQ(text("end0.out." + label, 30), "frame 0") << "until something else ends";
    EXPECT_EQ(text("end1.in." + label, 16), "frame 0");
    EXPECT_EQ(number("end0.next[19:0]", 14), 0u);
    EXPECT_EQ(number("end0.next[19:0]", 15), 1u);
    EXPECT_EQ(number("end1.expected[19:0]", 17), 1u);
    EXPECT_EQ(text("end1.out." + label, 18), "ack 0");
    EXPECT_EQ(number("end1.out.type[3:0]", 18), static_cast<unsigned>(link_item::ack));
    EXPECT_EQ(number("end0.timer[63:0]", 14), 0u) << "it does not count";
    EXPECT_EQ(number("end0.timer[63:0]", 15), config.replay_timer);
    EXPECT_EQ(number("end0.timer[63:0]", 19), config.replay_timer - 4);
    EXPECT_EQ(number("end0.outstanding[19:0]", 19), 1u);
    EXPECT_EQ(number("end0.outstanding[19:0]", 20), 0u);
    EXPECT_EQ(number("end0.timer[63:0]", 20), 0u);
    // Three units, of a flit each, and back.
    EXPECT_EQ(number("end0.s_cc[19:0]", 12), 1u);
    EXPECT_EQ(number("end0.s_cc[19:0]", 14), 3u);
    EXPECT_EQ(number("end1.r_cc[19:0]", 25), 3u);
    EXPECT_EQ(number("end1.r_cf[19:0]", 25), 3u);
    EXPECT_EQ(number("end0.s_cf[19:0]", 40), 3u);
    EXPECT_EQ(text("end1.out." + label, 40), "cf_update vc0 3");
    EXPECT_EQ(number("end0.in.signal", 30), 1u);
}

TEST(link_signals, show_a_fault_its_nack_and_the_replay) {
    cable_waves cable(short_link(), one({.what = faults::fault_kind::flip, .from_end = 0, .at = 14, .wires = {5}}));
    cable.send(10, 3);
    const test::wave_file waves = cable.run(60, true);
    const auto text = [&](const std::string& name, cycle when) { return waves.text("net.a_1." + name, when); };
    const auto number = [&](const std::string& name, cycle when) { return waves.number("net.a_1." + name, when); };
    for (const cycle when : {13u, 15u}) EXPECT_EQ(number("end1.in.fault[3:0]", when), 0u);
    EXPECT_EQ(number("end1.in.fault[3:0]", 14), 1u) << "a flip";
    EXPECT_EQ(number("end1.in.faults[" + std::to_string(hw::faults::fault_names.size() - 1) + ":0]", 14), 1u);
    EXPECT_EQ(number("end0.in.fault[3:0]", 14), 0u) << "of the other wire";
    EXPECT_EQ(number("end1.bad[31:0]", 16), 0u);
    EXPECT_EQ(number("end1.bad[31:0]", 17), 1u);
    EXPECT_EQ(number("end1.rx[1:0]", 17), rx_send_nack);
    EXPECT_EQ(number("end1.rx[1:0]", 18), rx_nack_sent);
    EXPECT_EQ(text("end1.out.label[191:0]", 18), "nack 1048575");
    EXPECT_EQ(number("end0.tx[2:0]", 20), tx_advance);
    EXPECT_EQ(number("end0.tx[2:0]", 21), tx_replay);
    EXPECT_EQ(number("end0.replays[7:0]", 21), 1u);
    const std::string save = [&] {
        std::ifstream file(cable.save);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    EXPECT_NE(save.find("-a:1 end1 (b)"), std::string::npos) << save;
}

TEST(link_signals, show_how_long_a_wire_is_dead) {
    cable_waves cable(short_link(),
                      one({.what = faults::fault_kind::dead, .from_end = 1, .at = 20, .until = 25, .one_way = true}));
    const test::wave_file waves = cable.run(60, true);
    const auto number = [&](const std::string& name, cycle when) { return waves.number("net.a_1." + name, when); };
    for (cycle when = 15; when < 30; ++when) {
        const bool dead = when >= 20 && when < 25;
        EXPECT_EQ(number("end0.in.fault[3:0]", when), dead ? 7u : 0u) << when;
        EXPECT_EQ(number("end0.in.signal", when), dead ? 0u : 1u) << when;
        EXPECT_EQ(number("end1.in.signal", when), 1u) << when;
    }
}

/// Narrow flits: trailers and sets take several symbols; and wide ones with both beside.
TEST(link_signals, are_the_same_of_a_cable_that_sleeps) {
    for (const unsigned flit_bytes : {1u, 4u, 16u, 32u}) {
        chips::link_config config = short_link(flit_bytes, 3);
        if (flit_bytes == 32) {
            config.beside = true;
            config.frame = 1;
        }
        std::string files[2];
        for (const bool sleeps : {false, true}) {
            faults::fault_plan plan;
            plan.rates.push_back({.rate = 1e-3, .burst = 2});
            cable_waves cable(config, plan);
            for (unsigned packet = 0; packet < 40; ++packet)
                cable.send(30 + 50 * packet, 2 + packet % 3, static_cast<std::uint8_t>(packet % 3));
            const test::wave_file waves = cable.run(4000, sleeps);
            EXPECT_NE(waves.number("net.a_1.end1.vc2.r_cc[19:0]", 3999), 0u);
            EXPECT_NE(waves.number("net.a_1.end1.bad[31:0]", 3999), 0u);
            files[sleeps ? 1 : 0] = cable.bytes;
        }
        EXPECT_EQ(files[0], files[1]) << flit_bytes;
    }
}

TEST(link_signals, of_a_window_are_those_of_the_whole) {
    const faults::fault_plan plan = one({.what = faults::fault_kind::dead, .at = 20, .until = 500});
    cable_waves whole(short_link(), plan), part(short_link(), plan);
    for (cable_waves* cable : {&whole, &part}) cable->send(16, 3);
    const test::wave_file all = whole.run(400, true);
    trace_config window;
    window.from = 60;
    const test::wave_file seen = part.run(400, true, window);
    for (const char* name : {"end0.timer[63:0]", "end0.tx[2:0]", "end0.outstanding[19:0]", "end1.in.fault[3:0]",
                             "end1.in.signal", "end0.out.kind[2:0]"})
        for (const cycle when : {60u, 61u, 75u, 390u}) {
            const std::string signal = std::string("net.a_1.") + name;
            EXPECT_EQ(seen.number(signal, when), all.number(signal, when)) << signal << " in " << when;
        }
    EXPECT_NE(all.number("net.a_1.end0.timer[63:0]", 75), 0u);
}

TEST(link_tracker, reads_trailers_and_sets_of_several_symbols) {
    link_tracker wire(4, false);
    const std::uint64_t word = chips::pack({chips::set_type::cf_update, 2, 40, 17});
    const auto set = static_cast<std::uint8_t>(chips::symbol_kind::set);
    const auto check = static_cast<std::uint8_t>(chips::symbol_kind::check);
    wire.see({set, word & 0xffffffff});
    EXPECT_EQ(wire.item(), link_item::none);
    wire.see({});
    wire.see({set, word & 0xffffffff});
    wire.see({set, word >> 32});
    EXPECT_EQ(wire.label(), "cf_update vc2 40");
    wire.see({set, word & 0xffffffff});
    wire.see({set, word >> 32 ^ 1});
    EXPECT_EQ(wire.label(), "bad_set");
    chips::frame_check sum;
    const std::uint64_t trailer = sum.seal({99, 3, static_cast<unsigned>(chips::frame_type::cc_update)});
    wire.see({check, trailer & 0xffffffff});
    wire.see({check, trailer >> 32});
    EXPECT_EQ(wire.label(), "cc_update 99");
    wire.see({check, (trailer & 0xffffffff) | 0xf0000000});
    wire.see({check, trailer >> 32});
    EXPECT_EQ(wire.label(), "bad_frame 99");
}

}  // namespace
}  // namespace polycast::tlm::trace
