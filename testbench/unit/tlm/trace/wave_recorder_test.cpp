// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>

#include "hw/input_error.h"
#include "testbench/unit/refusal.h"
#include "testbench/unit/tlm/trace/fake_chip.h"
#include "testbench/unit/tlm/trace/wave_reader.h"

namespace polycast::tlm::trace {
namespace {

constexpr engine::pin_shape shapes[] = {{3, 1, 0},    {8, 4, 0},     {4, 9, 17},        {2, 1, 30},
                                        {3, 2, 0, 3}, {2, 1, 64, 2}, {3, 1, 0, 2, 5, 1}};
constexpr hw::format::header_shape headers{70, 16, 3};

/// Chips under random stimulus, with a record of what every wire was in every cycle.
class bench {
public:
    bench(unsigned seed, unsigned cycles) : random_(seed), cycles_(cycles) {
        for (const engine::pin_shape& shape : shapes) chips_.push_back(std::make_unique<fake_chip>(shape));
        for (const auto& chip : chips_) {
            scramble(*chip);
            in_.emplace_back(cycles + 1, engine::pins(chip->shape()));
            out_.emplace_back(cycles + 1, engine::pins(chip->shape()));
            state_.emplace_back(cycles + 1, chip->state);
        }
    }

    std::vector<traced_chip> chips() const {
        std::vector<traced_chip> list;
        for (std::size_t index = 0; index < chips_.size(); ++index)
            list.push_back({"sw" + std::to_string(index), chips_[index].get(), {}});
        return list;
    }

    /// Steps chips now and then, in random order. Stretches without any step are among them.
    void run(const std::vector<engine::observer*>& observers) {
        for (engine::cycle now = 0; now < cycles_; ++now) {
            std::vector<engine::chip_id> order(chips_.size());
            std::iota(order.begin(), order.end(), engine::chip_id{0});
            std::shuffle(order.begin(), order.end(), random_);
            const bool asleep = now / 40 % 3 == 1;
            for (std::size_t index = 0; index < chips_.size(); ++index) state_[index][now + 1] = state_[index][now];
            for (const engine::chip_id id : order) {
                if (asleep || random_() % 3 == 0) continue;
                fake_chip& chip = *chips_[id];
                const engine::pins in = random_pins(chip.shape(), false);
                const engine::pins out = random_pins(chip.shape(), true);
                if (random_() % 2 == 0) scramble(chip);
                for (engine::observer* observer : observers) observer->stepped(id, now, in, out, chip);
                set(in_[id], now, in);
                set(out_[id], now + 1, out);
                state_[id][now + 1] = chip.state;
            }
        }
    }

    /// Compares pins and state in a file with what they were, in cycles [from, to).
    void check(const test::wave_file& file, engine::cycle from, engine::cycle to, std::uint64_t units = 1) const {
        for (engine::cycle now = from; now < to && !::testing::Test::HasFailure(); ++now) {
            for (std::size_t index = 0; index < chips_.size(); ++index) check_chip(file, index, now, now * units);
        }
    }

private:
    using random_generator = std::mt19937_64;

    void scramble(fake_chip& chip) {
        for (auto& input : chip.state.inputs) {
            const std::uint64_t mask = (std::uint64_t{1} << chip.shape().ports) - 1;
            input = {static_cast<std::uint16_t>(random_()), static_cast<std::uint8_t>(random_() % 4), random_() & mask,
                     random_() & mask};
        }
        for (auto& output : chip.state.outputs) {
            output = {random_() % 2 == 0, static_cast<std::uint8_t>(random_() % 64),
                      static_cast<std::uint16_t>(random_())};
        }
    }

    /// Data of silent ports is left as garbage, as a chip may leave it.
    engine::pins random_pins(const engine::pin_shape& shape, bool output) {
        engine::pins all(shape);
        const std::uint64_t mask = (std::uint64_t{1} << shape.ports) - 1;
        all.valid = random_() & random_() & mask;
        all.head = all.valid & random_();
        all.tail = all.valid & random_();
        all.credit = random_() & mask;
        for (auto& byte : all.data) byte = static_cast<std::uint8_t>(random_());
        for (auto& byte : all.header) byte = static_cast<std::uint8_t>(random_());
        for (auto& vc : all.vc) vc = static_cast<std::uint8_t>(random_() % 16);  // also of channels that do not exist
        for (auto& vc : all.credit_vc) vc = static_cast<std::uint8_t>(random_() % 16);
        all.side = random_() & random_() & random_() & shape.side_ports;
        for (auto& side : all.sides) side = {random_(), static_cast<std::uint8_t>(random_() % 4)};
        for (unsigned port = 0; output && port < shape.ports; ++port) {
            if (random_() % 8 != 0) continue;
            all.error |= std::uint64_t{1} << port;
            all.errors[port] = static_cast<std::uint16_t>(1 + random_() % 511);
        }
        return all;
    }

    /// Pins of a cycle; side wires of all cycles from then on.
    static void set(std::vector<engine::pins>& cycles, engine::cycle now, const engine::pins& pins) {
        const std::vector<engine::side_state> before = cycles[now].sides;
        cycles[now] = pins;
        for (std::size_t port = 0; port < before.size(); ++port)
            if ((pins.side >> port & 1) == 0) cycles[now].sides[port] = before[port];
        for (engine::cycle later = now + 1; later < cycles.size(); ++later) cycles[later].sides = cycles[now].sides;
    }

    static std::string bits_of(const std::vector<std::uint8_t>& bytes, unsigned port, unsigned width, bool shown) {
        std::string bits;
        for (unsigned byte = 0; byte < width; ++byte) {
            for (unsigned bit = 0; bit < 8; ++bit)
                bits.insert(bits.begin(), shown && (bytes[port * width + byte] >> bit & 1) != 0 ? '1' : '0');
        }
        return bits;
    }

    static void check_side(const test::wave_file& file, const std::string& scope, const engine::pin_shape& shape,
                           unsigned port, const engine::pins& pins, std::uint64_t time) {
        const auto bit = [port](std::uint64_t mask) { return mask >> port & 1; };
        ASSERT_EQ(file.number(scope + ".valid", time), bit(pins.valid)) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".head", time), bit(pins.head)) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".tail", time), bit(pins.tail)) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".credit", time), bit(pins.credit)) << scope << " at " << time;
        const std::string data = scope + ".data[" + std::to_string(8 * shape.flit_bytes - 1) + ":0]";
        ASSERT_EQ(file.at(data, time), bits_of(pins.data, port, shape.flit_bytes, bit(pins.valid) != 0))
            << scope << " at " << time;
        if (shape.vcs > 1) {
            ASSERT_EQ(file.number(scope + ".vc[3:0]", time), bit(pins.valid) != 0 ? pins.vc[port] : 0)
                << scope << " at " << time;
            ASSERT_EQ(file.number(scope + ".credit_vc[3:0]", time), bit(pins.credit) != 0 ? pins.credit_vc[port] : 0)
                << scope << " at " << time;
        }
        ASSERT_EQ(file.signals.contains(scope + ".side_have[63:0]"), bit(shape.side_ports) != 0);
        if (bit(shape.side_ports) != 0) {
            ASSERT_EQ(file.number(scope + ".side_have[63:0]", time), pins.sides[port].have) << scope << " at " << time;
            ASSERT_EQ(file.number(scope + ".side_round[1:0]", time), pins.sides[port].round) << scope << " at " << time;
        }
        if (shape.header_bytes == 0) return;
        const std::string header = scope + ".header[" + std::to_string(8 * shape.header_bytes - 1) + ":0]";
        ASSERT_EQ(file.at(header, time), bits_of(pins.header, port, shape.header_bytes, bit(pins.head) != 0))
            << scope << " at " << time;
    }

    void check_chip(const test::wave_file& file, std::size_t index, engine::cycle now, std::uint64_t time) const {
        const engine::pin_shape& shape = chips_[index]->shape();
        for (unsigned port = 0; port < shape.ports; ++port) {
            const std::string scope = "net.sw" + std::to_string(index) + ".port" + std::to_string(port);
            const std::string mask = shape.ports > 1 ? "[" + std::to_string(shape.ports - 1) + ":0]" : "";
            const engine::pins& out = out_[index][now];
            check_side(file, scope + ".in", shape, port, in_[index][now], time);
            check_side(file, scope + ".out", shape, port, out, time);
            ASSERT_EQ(file.number(scope + ".error[14:0]", time), (out.error >> port & 1) != 0 ? out.errors[port] : 0)
                << scope << " at " << time;
            const engine::chip_probe& state = state_[index][now];
            for (unsigned vc = 0; vc < shape.vcs; ++vc) {
                const std::string channel = shape.vcs == 1 ? scope : scope + ".vc" + std::to_string(vc);
                check_state(file, channel, mask, state.inputs[port * shape.vcs + vc],
                            state.outputs[port * shape.vcs + vc], time);
            }
        }
    }

    static void check_state(const test::wave_file& file, const std::string& scope, const std::string& mask,
                            const engine::chip_probe::input& input, const engine::chip_probe::output& output,
                            std::uint64_t time) {
        ASSERT_EQ(file.number(scope + ".buffer.occupied[15:0]", time), input.occupied) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".buffer.state[1:0]", time), input.state) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".buffer.waiting" + mask, time), input.waiting) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".buffer.reading" + mask, time), input.reading) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".output.held", time), output.held) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".output.holder[5:0]", time), output.holder) << scope << " at " << time;
        ASSERT_EQ(file.number(scope + ".output.credits[15:0]", time), output.credits) << scope << " at " << time;
    }

    random_generator random_;
    unsigned cycles_;
    std::vector<std::unique_ptr<fake_chip>> chips_;
    std::vector<std::vector<engine::pins>> in_;   ///< [chip][cycle]
    std::vector<std::vector<engine::pins>> out_;  ///< [chip][cycle]
    std::vector<std::vector<engine::chip_probe>> state_;
};

trace_config to(const std::filesystem::path& file) {
    trace_config config;
    config.file = file;
    config.format = file.extension() == ".vcd" ? wave_format::vcd : wave_format::fst;
    return config;
}

TEST(wave_recorder, shows_every_wire_of_every_cycle_in_both_formats) {
    for (const unsigned seed : {0u, 1u, 2u}) {
        const test::scratch_folder folder;
        bench bench(seed, 400);
        wave_recorder fst(to(folder / "w.fst"), "net", headers, bench.chips());
        wave_recorder vcd(to(folder / "w.vcd"), "net", headers, bench.chips());
        bench.run({&fst, &vcd});
        const recording done = fst.finish(400);
        vcd.finish(400);
        const test::wave_file in_fst = test::read_waves(done.wave_file);
        const test::wave_file in_vcd = test::read_waves(folder / "w.vcd");
        EXPECT_EQ(in_fst.signals, in_vcd.signals);
        EXPECT_EQ(in_fst.begin, 0u);
        EXPECT_EQ(in_fst.end, 400u);
        EXPECT_EQ(in_vcd.end, 400u);
        EXPECT_EQ(done.changes, in_vcd.emitted);
        bench.check(in_fst, 0, 400);
    }
}

TEST(wave_recorder, emits_changes_only) {
    const test::scratch_folder folder;
    bench bench(5, 300);
    wave_recorder recorder(to(folder / "w.vcd"), "net", headers, bench.chips());
    bench.run({&recorder});
    recorder.finish(300);
    const test::wave_file file = test::read_waves(folder / "w.vcd");
    std::size_t changes = 0;
    for (const auto& [name, wave] : file.signals) changes += wave.size();
    EXPECT_EQ(file.emitted, changes);
}

/// Windows that open and close in busy stretches, in sleep (cycles 40..79, 160..199, ...), at their edges, and past the
/// end.
TEST(wave_recorder, window_is_a_cut_out_of_the_whole_recording) {
    for (const auto& [from, to_cycle] : std::vector<std::pair<engine::cycle, engine::cycle>>{{0, 1},
                                                                                             {1, 2},
                                                                                             {30, 35},
                                                                                             {39, 41},
                                                                                             {40, 41},
                                                                                             {41, 60},
                                                                                             {50, 90},
                                                                                             {79, 81},
                                                                                             {100, 170},
                                                                                             {165, 190},
                                                                                             {120, 1000},
                                                                                             {399, 400}}) {
        SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to_cycle));
        const test::scratch_folder folder;
        bench bench(9, 400);
        wave_recorder whole(to(folder / "whole.fst"), "net", headers, bench.chips());
        trace_config config = to(folder / "window.fst");
        config.from = from;
        config.to = to_cycle;
        wave_recorder window(config, "net", headers, bench.chips());
        config.file = folder / "last.fst";
        config.from = 0;
        config.last = std::min<engine::cycle>(to_cycle, 400) - from;
        wave_recorder last(config, "net", headers, bench.chips());
        bench.run({&whole, &window, &last});
        whole.finish(400);
        const recording done = window.finish(400);
        const engine::cycle end = std::min<engine::cycle>(to_cycle, 400);
        EXPECT_EQ(done.from, from);
        EXPECT_EQ(done.to, end);
        EXPECT_EQ(last.finish(400).from, from);
        const test::wave_file all = test::read_waves(folder / "whole.fst");
        const test::wave_file cut = test::read_waves(folder / "window.fst");
        EXPECT_EQ(cut.begin, from);
        EXPECT_EQ(cut.end, end);
        bench.check(cut, from, end);
        for (const auto& [name, wave] : all.signals) {  // decoded packets, too, which began before the window
            for (engine::cycle now = from; now < end; ++now)
                ASSERT_EQ(cut.at(name, now), all.at(name, now)) << name << " at " << now;
        }
        EXPECT_EQ(test::read_waves(folder / "last.fst").signals, cut.signals);
    }
}

TEST(wave_recorder, window_after_the_end_leaves_no_file) {
    const test::scratch_folder folder;
    bench bench(1, 50);
    trace_config config = to(folder / "w.fst");
    config.from = 50;
    wave_recorder recorder(config, "net", headers, bench.chips());
    bench.run({&recorder});
    EXPECT_FALSE(recorder.finish(50).written);
    EXPECT_THAT(folder.files(), ::testing::IsEmpty());
}

TEST(wave_recorder, cycles_around_a_trigger_are_kept) {
    for (const auto& [before, after, first, end] :
         {std::tuple{20, 10, 130, 161}, {200, 10, 0, 161}, {0, 0, 150, 151}, {20, 300, 130, 200}}) {
        const test::scratch_folder folder;
        bench bench(5, 200);
        trace_config config = to(folder / "w.fst");
        config.trigger = {static_cast<engine::cycle>(before), static_cast<engine::cycle>(after)};
        wave_recorder recorder(config, "net", headers, bench.chips());
        struct : engine::observer {
            void stepped(engine::chip_id, engine::cycle now, const engine::pins&, const engine::pins&,
                         const engine::chip&) override {
                if (now >= 149) recorder->trigger(150);
            }
            wave_recorder* recorder = nullptr;
        } trigger;
        trigger.recorder = &recorder;
        bench.run({&trigger, &recorder});
        const recording done = recorder.finish(200);
        ASSERT_TRUE(done.written);
        EXPECT_EQ(done.trigger, 150u);
        EXPECT_EQ(done.from, static_cast<engine::cycle>(first));
        EXPECT_EQ(done.to, static_cast<engine::cycle>(end));
        const test::wave_file file = test::read_waves(folder / "w.fst");
        EXPECT_EQ(file.begin, done.from);
        EXPECT_EQ(file.end, done.to);
        bench.check(file, done.from, done.to);
    }
}

TEST(wave_recorder, a_trigger_that_never_fires_leaves_no_file) {
    const test::scratch_folder folder;
    bench bench(5, 200);
    trace_config config = to(folder / "w.fst");
    config.trigger.emplace();
    wave_recorder recorder(config, "net", headers, bench.chips());
    bench.run({&recorder});
    const recording done = recorder.finish(200);
    EXPECT_FALSE(done.written);
    EXPECT_EQ(done.trigger, std::nullopt);
    EXPECT_THAT(folder.files(), ::testing::IsEmpty());
}

TEST(wave_recorder, pins_of_a_reference_are_beside_those_of_the_chip) {
    const test::scratch_folder folder;
    fake_chip chip({2, 1, 0});
    engine::pins core(chip.shape());
    chip.core = &core;
    wave_recorder recorder(to(folder / "w.fst"), "net", headers, {{"sw", &chip, {}}});
    const engine::pins in(chip.shape());
    engine::pins out(chip.shape());
    out.valid = core.valid = 2;
    out.data[1] = core.data[1] = 0x42;
    recorder.stepped(0, 9, in, out, chip);  // the same
    core.data[1] = 0x43;
    recorder.stepped(0, 10, in, out, chip);
    core.valid = 0;
    core.credit = 1;
    recorder.stepped(0, 11, in, out, chip);
    const recording done = recorder.finish(20);
    const test::wave_file file = test::read_waves(folder / "w.fst");
    const auto number = [&](const std::string& name, std::uint64_t time) {
        return file.number("net.sw." + name, time);
    };
    EXPECT_EQ(number("core.port1.out.data[7:0]", 10), 0x42u);
    EXPECT_EQ(number("differs[1:0]", 10), 0u);
    EXPECT_EQ(number("core.port1.out.data[7:0]", 11), 0x43u);
    EXPECT_EQ(number("port1.out.data[7:0]", 11), 0x42u);
    EXPECT_EQ(number("differs[1:0]", 11), 2u);
    EXPECT_EQ(number("core.port1.out.valid", 12), 0u);
    EXPECT_EQ(number("core.port0.out.credit", 12), 1u);
    EXPECT_EQ(number("differs[1:0]", 12), 3u);
    EXPECT_EQ(number("differs[1:0]", 13), 0u);
    EXPECT_EQ(number("core.port0.out.credit", 13), 0u);
    std::ifstream save(done.save_file);
    const std::string text{std::istreambuf_iterator<char>(save), {}};
    EXPECT_THAT(text, ::testing::HasSubstr("@800200\n-sw beside the core\n"));
    EXPECT_THAT(text, ::testing::HasSubstr("net.sw.core.port1.out.data[7:0]"));
}

TEST(wave_recorder, leaves_no_file_without_finish) {
    const test::scratch_folder folder;
    {
        bench bench(1, 50);
        wave_recorder recorder(to(folder / "w.fst"), "net", headers, bench.chips());
        bench.run({&recorder});
    }
    EXPECT_THAT(folder.files(), ::testing::IsEmpty());
}

TEST(wave_recorder, network_without_traffic_shows_its_state) {
    const test::scratch_folder folder;
    fake_chip chip({2, 1, 0});
    chip.state.outputs[1].credits = 80;
    wave_recorder recorder(to(folder / "w.fst"), "net", headers, {{"sw", &chip, {}}});
    recorder.finish(1000);
    const test::wave_file file = test::read_waves(folder / "w.fst");
    EXPECT_EQ(file.number("net.sw.port1.output.credits[15:0]", 0), 80u);
    EXPECT_EQ(file.end, 1000u);
}

TEST(wave_recorder, clock_and_period) {
    const test::scratch_folder folder;
    bench bench(3, 200);
    trace_config config = to(folder / "w.fst");
    config.clock = true;
    config.period_ps = 5000;  // half of it is 2.5 ns: the unit is 100 ps
    config.from = 45;
    config.to = 130;
    wave_recorder recorder(config, "net", headers, bench.chips());
    config.file = folder / "w.vcd";
    config.format = wave_format::vcd;
    wave_recorder vcd(config, "net", headers, bench.chips());
    bench.run({&recorder, &vcd});
    recorder.finish(200);
    vcd.finish(200);
    const test::wave_file file = test::read_waves(folder / "w.fst");
    EXPECT_EQ(file.timescale, "100ps");
    EXPECT_EQ(test::read_waves(folder / "w.vcd").timescale, "100ps");
    EXPECT_EQ(file.signals, test::read_waves(folder / "w.vcd").signals);
    EXPECT_EQ(file.begin, 45u * 50);
    EXPECT_EQ(file.end, 130u * 50);
    for (engine::cycle now = 45; now < 130; ++now) {
        ASSERT_EQ(file.number("net.cycle[63:0]", now * 50), now);
        ASSERT_EQ(file.number("net.clk", now * 50), 1u);
        ASSERT_EQ(file.number("net.clk", now * 50 + 24), 1u);
        ASSERT_EQ(file.number("net.clk", now * 50 + 25), 0u);
    }
    bench.check(file, 45, 130, 50);
}

TEST(wave_recorder, only_what_was_asked_for) {
    const test::scratch_folder folder;
    bench bench(3, 20);
    trace_config config = to(folder / "w.fst");
    config.chips = {"sw2", "sw0"};
    config.pins = config.packets = false;
    wave_recorder recorder(config, "net", headers, bench.chips());
    EXPECT_TRUE(recorder.wants(0));
    EXPECT_FALSE(recorder.wants(1));
    EXPECT_TRUE(recorder.wants(2));
    bench.run({&recorder});
    recorder.finish(20);
    std::vector<std::string> names;
    for (const auto& [name, wave] : test::read_waves(folder / "w.fst").signals) names.push_back(name);
    EXPECT_EQ(names.size(), (3 + 4) * 7u);
    EXPECT_THAT(names, ::testing::Each(::testing::MatchesRegex("net\\.sw[02]\\.port[0-9]\\.(buffer|output)\\..*")));
}

TEST(wave_recorder, refuses_what_cannot_be) {
    const test::scratch_folder folder;
    const bench bench(1, 1);
    const auto message = [&](const trace_config& config) {
        return testbench::unit::refusal([&] { const wave_recorder made(config, "net", headers, bench.chips()); });
    };
    trace_config config = to(folder / "w.fst");
    config.chips = {"sw7"};
    EXPECT_EQ(message(config),
              "no chip is called 'sw7' to record waves of; chips are sw0, sw1, sw2, sw3, sw4, sw5, sw6");
    config = to(folder / "w.fst");
    config.from = config.to = 5;
    EXPECT_EQ(message(config), "the window of cycles to record is empty: 5 to 5");
    config = to(folder / "w.fst");
    config.period_ps = 0;
    EXPECT_EQ(message(config), "the clock period of waves must be at least 1 ps");
}

TEST(wave_recorder, full_disk_stops_the_recording_but_not_the_run) {
    const test::scratch_folder folder;
    bench bench(1, 3000);
    std::filesystem::create_symlink("/dev/full", folder / "w.vcd.partial");
    wave_recorder recorder(to(folder / "w.vcd"), "net", headers, bench.chips());
    bench.run({&recorder});
    EXPECT_TRUE(recorder.failed());
    EXPECT_THROW(recorder.finish(3000), hw::input_error);
    EXPECT_THAT(folder.files(), ::testing::IsEmpty());
}

TEST(wave_recorder, chips_of_one_name_stay_apart) {
    const test::scratch_folder folder;
    const fake_chip chip({1, 1, 0});
    wave_recorder recorder(to(folder / "w.fst"), "my net", headers, {{"s.1", &chip, {}}, {"s_1", &chip, {}}});
    recorder.finish(1);
    const test::wave_file file = test::read_waves(folder / "w.fst");
    EXPECT_TRUE(file.signals.contains("my_net.s_1.port0.in.valid"));
    EXPECT_TRUE(file.signals.contains("my_net.s_1_2.port0.in.valid"));
}

}  // namespace
}  // namespace polycast::tlm::trace
