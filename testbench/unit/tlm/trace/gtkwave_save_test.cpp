// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/gtkwave_save.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <iterator>

#include "hw/format/packet_format.h"
#include "hw/input_error.h"
#include "hw/ni/abi/ni_firmware.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/hw/system/native.h"
#include "testbench/unit/tlm/trace/wave_reader.h"
#include "tlm/trace/wave_recorder.h"

namespace polycast::tlm::trace {
namespace {

namespace system = hw::system;
namespace traffic = hw::traffic;

std::vector<std::string> lines_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// One multicast through the default network of 8 switches and 32 hosts.
class gtkwave_save : public ::testing::Test {
protected:
    recording record(trace_config config, const std::vector<std::uint32_t>& destinations = {1, 5, 9},
                     const traffic::planner& planner = {}) {
        traffic::workload_params params;
        params.destinations = destinations;
        params.source = 3;
        params.start = 40;
        if (planner) params.how = traffic::forwarding::programs;
        traffic::workload workload(params, planner);
        traffic::scoreboard board(1, {}, params.payload_bytes);
        system::system_network network(plan, system::make_core,
                                       system::workload_hosts(system::native(), workload, board, 1), board);
        wave_recorder recorder(std::move(config), "net", plan.header_shape(), chips_of(network.network()));
        network.network().observe(&recorder);
        EXPECT_EQ(network.run({}).ended, system::run_outcome::kind::complete);
        return recorder.finish(network.network().now());
    }

    system::system_plan plan = system::make_plan(hw::topology::make_irregular({}), {});
    test::scratch_folder folder;
};

TEST_F(gtkwave_save, shows_signals_that_exist_in_balanced_groups) {
    for (const wave_format format : {wave_format::fst, wave_format::vcd}) {
        trace_config config;
        config.format = format;
        config.file = folder / (format == wave_format::fst ? "w.fst" : "w.vcd");
        config.clock = true;
        const recording done = record(config);
        EXPECT_EQ(done.save_file, folder / "w.gtkw");
        const test::wave_file waves = test::read_waves(done.wave_file);
        std::vector<std::string> open;
        std::size_t shown = 0;
        std::uint64_t flags = 0;
        for (const std::string& line : lines_of(done.save_file)) {
            if (line[0] == '@') flags = std::stoull(line.substr(1), nullptr, 16);
            if (line[0] == '-' && (flags & 0x800000) != 0) open.push_back(line);
            if (line[0] == '-' && (flags & 0x1000000) != 0) {
                ASSERT_FALSE(open.empty());
                EXPECT_EQ(open.back(), line);
                open.pop_back();
            }
            if (line[0] == '+') {
                ++shown;
                const std::string name = line.substr(line.find("} ") + 2);
                EXPECT_TRUE(waves.signals.contains(name)) << name;
            }
        }
        EXPECT_THAT(open, ::testing::IsEmpty());
        EXPECT_GE(shown, waves.signals.size());  // every signal somewhere, and some in overviews
    }
}

/// GTKWave shows of a name what is behind its last dot.
TEST_F(gtkwave_save, names_of_rows_have_no_dots) {
    for (system::planned_chip& chip : plan.chips) chip.name = "rail0." + chip.name;
    trace_config config;
    config.file = folder / "w.fst";
    std::size_t rows = 0;
    for (const std::string& line : lines_of(record(config).save_file)) {
        if (!line.starts_with("+{")) continue;
        ++rows;
        EXPECT_EQ(line.substr(0, line.find('}')).find('.'), std::string::npos) << line;
    }
    EXPECT_GT(rows, 0u);
}

TEST_F(gtkwave_save, first_view_is_the_packets_that_flow) {
    trace_config config;
    config.file = folder / "w.fst";
    config.chips = {"host3"};
    const recording done = record(config);
    const std::vector<std::string> lines = lines_of(done.save_file);
    const auto group = std::find(lines.begin(), lines.end(), "-host3 packets");
    ASSERT_NE(group, lines.end());
    EXPECT_EQ(*std::prev(group), "@800200");  // open
    EXPECT_EQ(*std::next(group), "@2820");    // text, translated
    EXPECT_EQ(*std::next(group, 2), "^1 ./w.idle.txt");
    EXPECT_EQ(lines_of(folder / "w.idle.txt"), std::vector<std::string>{"\"\" \u00a0"});
    EXPECT_THAT(
        *std::next(group, 4),
        ::testing::MatchesRegex(
            "\\+\\{port0 \\(switch[0-9] port[0-9]\\) out *\\} net\\.host3\\.port0\\.out\\.packet\\.label\\[191:0\\]"));
    EXPECT_EQ(*std::next(group, 6), "-host3 packets");  // nothing came in

    const test::wave_file waves = test::read_waves(done.wave_file);
    std::uint64_t first = 0;
    while (waves.number("net.host3.port0.out.valid", first) == 0) ++first;
    EXPECT_GT(first, 40u);
    EXPECT_THAT(lines, ::testing::Contains("[timestart] " + std::to_string(first - 10)));
    EXPECT_THAT(lines, ::testing::Contains(::testing::MatchesRegex("\\*-[0-9.]+ " + std::to_string(first))));
    EXPECT_EQ(waves.text("net.host3.port0.out.packet.label[191:0]", first), "...");
    EXPECT_EQ(waves.text("net.host3.port0.out.packet.label[191:0]", first + 50), "3>{3} #0");
    EXPECT_EQ(waves.number("net.host3.port0.out.packet.destinations[31:0]", first + 50), (1u << 1 | 1u << 5 | 1u << 9));
    EXPECT_EQ(waves.number("net.host3.port0.out.packet.kind[4:0]", first + 50), 1u);
    EXPECT_EQ(waves.number("net.host3.port0.out.packet.kind[4:0]", 0), no_packet);
}

/// The rows that GTKWave shows at first, in their order, behind a divider for each open group.
TEST_F(gtkwave_save, surfer_shows_the_open_groups) {
    for (system::planned_chip& chip : plan.chips) chip.name = "rail0." + chip.name;
    trace_config config;
    config.file = folder / "w.fst";
    config.clock = true;
    const recording done = record(config);
    const test::wave_file waves = test::read_waves(done.wave_file);
    std::vector<std::string> expected;
    std::uint64_t flags = 0;
    unsigned closed = 0;
    std::string marker;
    for (const std::string& line : lines_of(done.save_file)) {
        if (line[0] == '@') flags = std::stoull(line.substr(1), nullptr, 16);
        if (line[0] == '*') marker = line.substr(line.find(' ') + 1);
        const bool opens = line[0] == '-' && (flags & 0x800000) != 0,
                   closes = line[0] == '-' && (flags & 0x1000000) != 0;
        if (opens && (closed > 0 || (flags & 0x400000) != 0))
            ++closed;
        else if (opens)
            expected.push_back("divider_add");
        else if (closes && closed > 0)
            --closed;
        if (line[0] != '+' || closed > 0) continue;
        const std::string name = line.substr(line.find("} ") + 2);
        expected.push_back("variable_add " + name.substr(0, name.find('[')));
    }
    expected.insert(expected.end(), {"zoom_fit", "cursor_set " + marker, "goto_cursor"});
    std::vector<std::string> commands = lines_of(folder / "w.sucl");
    std::size_t dividers = 0;
    for (std::string& line : commands) {
        EXPECT_EQ(line.find_first_of("#;"), std::string::npos) << "ends a command: " << line;
        if (!line.starts_with("divider_add")) continue;
        ++dividers;
        // Surfer refuses a second word.
        EXPECT_THAT(line, ::testing::MatchesRegex("divider_add [0-9A-Za-z_]+"));
        line = "divider_add";
    }
    EXPECT_EQ(commands, expected);
    EXPECT_GT(dividers, 1u);
    EXPECT_EQ(commands.front(), "variable_add net.clk");
}

TEST_F(gtkwave_save, names_values_by_table_or_filter) {
    trace_config config;
    config.file = folder / "w.fst";
    EXPECT_THAT(lines_of(record(config).save_file), ::testing::Contains("@100000028"));
    EXPECT_THAT(folder.files(), ::testing::UnorderedElementsAre("w.fst", "w.gtkw", "w.idle.txt", "w.sucl"));
    config.file = folder / "v.vcd";
    config.format = wave_format::vcd;
    EXPECT_THAT(lines_of(record(config).save_file), ::testing::Contains("^2 ./v.input_state.txt"));
    EXPECT_THAT(lines_of(folder / "v.packet_kind.txt"),
                ::testing::ElementsAre("00 unicast", "01 tree", "02 ssr", "03 path", "04 broadcast", "05 pipelined",
                                       "06 lid", "10 -"));
    // chip_probe::input::state, and errors by the number of their pin + 1.
    EXPECT_THAT(lines_of(folder / "v.input_state.txt"),
                ::testing::ElementsAre("0 idle", "1 routing", "2 active", "3 draining"));
    const std::vector<std::string> errors = lines_of(folder / "v.error.txt");
    ASSERT_EQ(errors.size(), hw::format::chip_error_count + 2);
    EXPECT_EQ(errors[1], "01 overflow");
    EXPECT_EQ(errors[7], "07 no_route");
    EXPECT_EQ(lines_of(folder / "v.firmware_operation.txt").at(NI_OPERATION_SEND),
              std::to_string(NI_OPERATION_SEND) + " send");
}

TEST_F(gtkwave_save, stops_of_path_worms_pass_by) {
    std::vector<std::uint32_t> destinations;
    for (std::uint32_t host = 4; host < 32; ++host) destinations.push_back(host);
    system::multicast_choice choice;
    choice.scheme.how = hw::collectives::scheme_of("path");
    const traffic::planner planner = system::make_planner(plan, choice, 128);
    trace_config config;
    config.file = folder / "w.fst";
    config.pins = config.state = false;
    const recording done = record(config, destinations, planner);
    const test::wave_file waves = test::read_waves(done.wave_file);
    const auto when = [&](const std::string& side) {
        std::uint64_t time = 0;
        while (time < waves.end && waves.number(side + "stops[7:0]", time) == 0) ++time;
        return time;
    };
    // The first worm of the source, as it leaves, and as it comes to each of its hosts: on its way to their stop.
    const hw::collectives::transmission worm = planner(3, destinations).participants[0].sends.at(0);
    ASSERT_GT(worm.stops.size(), 1u);
    const std::string out = "net.host3.port0.out.packet.";
    EXPECT_EQ(waves.text(out + "label[191:0]", when(out)), "3>s" + std::to_string(worm.stops[0].chip) + "{" +
                                                               std::to_string(std::popcount(worm.stops[0].ports)) +
                                                               "}+" + std::to_string(worm.stops.size() - 1) + " #0");
    EXPECT_EQ(waves.number(out + "kind[4:0]", when(out)), 3u);
    for (const std::uint32_t host : worm.hosts) {
        const std::string in = "net.host" + std::to_string(host) + ".port0.in.packet.";
        const std::uint64_t time = when(in);
        const std::uint64_t number = waves.number(in + "next_stop[7:0]", time);
        ASSERT_LT(number, worm.stops.size()) << host;
        EXPECT_EQ(waves.number(in + "stops[7:0]", time), worm.stops.size());
        EXPECT_EQ(waves.number(in + "stop_switch[15:0]", time), worm.stops[number].chip);
        EXPECT_EQ(worm.stops[number].chip, plan.network.hosts[host].chip);
        EXPECT_EQ(waves.number(in + "stop_ports[7:0]", time), worm.stops[number].ports);
    }
}

}  // namespace
}  // namespace polycast::tlm::trace
