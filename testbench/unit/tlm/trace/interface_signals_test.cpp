// SPDX-License-Identifier: Apache-2.0
// What waves show of the network interface of a host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "testbench/unit/tlm/trace/wave_reader.h"
#include "tlm/trace/wave_recorder.h"

namespace polycast::tlm::trace {
namespace {

namespace engine = hw::engine;

/// A host whose interface does what the test says.
class fake_host final : public engine::chip {
public:
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle, const engine::pins&, engine::pins&) override { return engine::never; }
    bool idle() const override { return true; }
    void probe(engine::chip_probe& probe) const override { probe = state; }

    engine::chip_probe state{{{}}, {{}}, {{}}, {}};

private:
    engine::pin_shape shape_{1, 1, 0};
};

std::string text_of(const std::string& bits) {
    std::string text;
    for (std::size_t at = 0; at < bits.size(); at += 8) {
        const auto letter = static_cast<char>(std::stoi(bits.substr(at, 8), nullptr, 2));
        if (letter != 0) text += letter;
    }
    return text;
}

std::string_view function_at(std::uint32_t pc) {
    return pc >= 0x200 ? "a_function_whose_name_is_far_too_long" : pc >= 0x100 ? "forward_packet" : "";
}

class interface_signals : public ::testing::Test {
protected:
    /// Steps the host through three states. \returns the waves
    test::wave_file record(bool functions) {
        trace_config config;
        config.file = folder / "w.fst";
        traced_chip traced{"host7", &host, {}};
        if (functions) traced.function_at = function_at;
        host.state.interfaces[0].sleeping = true;
        wave_recorder recorder(config, "net", {}, {traced});
        const engine::pins quiet(host.shape());
        host.state.interfaces[0] = {0x104, 3, false, false, true, 5, 6, 7, 8};
        recorder.stepped(0, 10, quiet, quiet, host);
        host.state.interfaces[0] = {0x200, 2, false, true, false, 0, 65535, 0, 1};
        recorder.stepped(0, 20, quiet, quiet, host);
        save = recorder.finish(30).save_file;
        return test::read_waves(folder / "w.fst");
    }

    test::scratch_folder folder;
    fake_host host;
    std::filesystem::path save;
};

TEST_F(interface_signals, show_the_processor_and_the_queues) {
    const test::wave_file waves = record(true);
    const auto number = [&](const std::string& name, std::uint64_t time) {
        return std::stoull(waves.at("net.host7.ni0." + name, time), nullptr, 2);
    };
    EXPECT_EQ(number("processor[1:0]", 5), 1u);
    EXPECT_EQ(number("processor[1:0]", 10), 1u);  // state after step(10) is that of cycle 11
    EXPECT_EQ(number("processor[1:0]", 11), 0u);
    EXPECT_EQ(number("processor[1:0]", 21), 2u);
    EXPECT_EQ(number("pc[31:0]", 11), 0x104u);
    EXPECT_EQ(text_of(waves.at("net.host7.ni0.function[191:0]", 11)), "forward_packet");
    EXPECT_EQ(text_of(waves.at("net.host7.ni0.function[191:0]", 21)), "a_function_whose_name_is");
    EXPECT_EQ(number("operation[2:0]", 11), 3u);
    EXPECT_EQ(number("interrupt", 11), 1u);
    EXPECT_EQ(number("interrupt", 21), 0u);
    EXPECT_EQ(number("events[15:0]", 11), 5u);
    EXPECT_EQ(number("slots[15:0]", 11), 6u);
    EXPECT_EQ(number("slots[15:0]", 21), 65535u);
    EXPECT_EQ(number("transfers[15:0]", 11), 7u);
    EXPECT_EQ(number("sending[15:0]", 11), 8u);
}

TEST_F(interface_signals, a_processor_that_a_fault_stops_is_hung_unless_it_is_halted) {
    trace_config config;
    config.file = folder / "h.fst";
    traced_chip traced{"host7", &host, {}};
    traced.can_hang = true;
    wave_recorder recorder(config, "net", {}, {traced});
    const engine::pins quiet(host.shape());
    engine::chip_probe::interface& state = host.state.interfaces[0];
    state.hung = state.sleeping = true;
    recorder.stepped(0, 10, quiet, quiet, host);
    state.halted = true;
    recorder.stepped(0, 20, quiet, quiet, host);
    recorder.finish(30);
    const test::wave_file waves = test::read_waves(folder / "h.fst");
    const auto number = [&](std::uint64_t time) {
        return std::stoull(waves.at("net.host7.ni0.processor[1:0]", time), nullptr, 2);
    };
    EXPECT_EQ(number(11), 3u);
    EXPECT_EQ(number(21), 2u);
}

TEST_F(interface_signals, a_program_counter_only_where_there_is_one) {
    const test::wave_file waves = record(false);
    EXPECT_FALSE(waves.signals.contains("net.host7.ni0.pc[31:0]"));
    EXPECT_FALSE(waves.signals.contains("net.host7.ni0.function[191:0]"));
    EXPECT_TRUE(waves.signals.contains("net.host7.ni0.events[15:0]"));
}

TEST_F(interface_signals, have_rows_in_the_save_file) {
    record(true);
    std::ifstream in(save);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (const char* name : {"processor[1:0]", "function[191:0]", "pc[31:0]", "events[15:0]", "slots[15:0]"})
        EXPECT_THAT(text, ::testing::HasSubstr(std::string("} net.host7.ni0.") + name));
}

}  // namespace
}  // namespace polycast::tlm::trace
