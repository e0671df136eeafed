// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include "hw/format/header.h"
#include "hw/format/route.h"
#include "hw/input_error.h"

namespace polycast::tlm {
namespace {

using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::engine::cycle;
using hw::engine::pins;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr unsigned ports = 8;
constexpr unsigned hosts = 32;
constexpr unsigned tree_header_bytes = hw::format::tree_header_bytes(hosts);

/// Ports 0..6 lead down, port 7 up; host h is behind port h % 7, hosts 28..31 behind nobody.
switch_tables tables(const switch_params& params) {
    switch_tables tables;
    tables.tree_header_flits = params.header_free ? 1 : hw::format::header_flits(tree_header_bytes, params.flit_bytes);
    tables.port_direction.assign(ports, hw::format::direction::down);
    tables.port_direction[7] = hw::format::direction::up;
    tables.buffer_chunks.assign(ports, params.chunks);
    tables.credits.assign(ports, params.chunks);
    tables.reach_total.edit().assign(1, 0);
    tables.reach_port.assign(ports, hw::chips::bit_string(1, 0));
    for (unsigned host = 0; host < hosts; ++host) {
        const unsigned port = host % 7;
        tables.unicast_up.edit().push_back(std::uint64_t{1} << port);
        tables.unicast_down.edit().push_back(std::uint64_t{1} << port);
        if (host >= 28) continue;
        tables.reach_port[port].edit()[0] |= std::uint64_t{1} << host;
        tables.reach_total.edit()[0] |= std::uint64_t{1} << host;
    }
    return tables;
}

/// Bytes of a header, in whole flits or as on the header pins.
std::vector<std::uint8_t> header(hw::format::packet_kind kind, std::uint32_t field, std::size_t size) {
    std::vector<std::uint8_t> bytes(std::max<std::size_t>(size, tree_header_bytes));
    hw::format::write_common({.kind = kind, .up = true, .source = 3, .sequence = 77, .length = 4}, bytes.data());
    for (unsigned byte = 0; byte < 4; ++byte)
        bytes[hw::format::common_header_bytes + byte] = static_cast<std::uint8_t>(field >> 8 * byte);
    bytes.resize(size);
    return bytes;
}

struct flit_seen {
    cycle at;
    std::uint8_t data;
    bool head;
    bool tail;
};

/// What came out of the switch, by port; `at` is the cycle in which it is on the output pins.
struct seen {
    std::map<unsigned, std::vector<flit_seen>> flits;
    std::map<unsigned, std::vector<cycle>> credits;
    std::map<unsigned, std::vector<std::uint8_t>> headers;
    std::uint64_t errors = 0;
    cycle end = 0;

    std::vector<std::uint8_t> data(unsigned port) const {
        std::vector<std::uint8_t> bytes;
        for (const flit_seen& flit : flits.at(port)) bytes.push_back(flit.data);
        return bytes;
    }
};

/// Sends one packet into port 0 from cycle 0 on, a flit a cycle, and steps until nothing is inside.
seen send(rtl_switch& chip, const std::vector<std::uint8_t>& flits, const std::vector<std::uint8_t>& free_header = {}) {
    pins in(chip.shape());
    pins out(chip.shape());
    seen result;
    std::copy(free_header.begin(), free_header.end(), in.header.begin());
    cycle next = 0;
    for (cycle now = 0; next != hw::engine::never; ++now) {
        in.valid = now < flits.size();
        in.head = now == 0;
        in.tail = now + 1 == flits.size();
        if (in.valid != 0) in.data[0] = flits[now];
        out.clear();
        next = chip.step(now, in, out);
        result.errors |= out.error;
        result.end = now + 1;
        for (unsigned port = 0; port < ports; ++port) {
            if ((out.valid >> port & 1) != 0) {
                result.flits[port].push_back(
                    {now + 1, out.data[port], (out.head >> port & 1) != 0, (out.tail >> port & 1) != 0});
            }
            if ((out.head >> port & 1) != 0) {
                const auto first = out.header.begin() + port * chip.shape().header_bytes;
                result.headers[port].assign(first, first + chip.shape().header_bytes);
            }
            if ((out.credit >> port & 1) != 0) result.credits[port].push_back(now + 1);
        }
        if (now > 1000) {
            ADD_FAILURE() << "the switch does not become idle";
            break;
        }
    }
    EXPECT_EQ(result.errors, 0u);
    return result;
}

/// The flits of a port must be on the pins one a cycle from `first` on, head first, tail last.
void expect_worm(const seen& result, unsigned port, cycle first, std::size_t length) {
    ASSERT_TRUE(result.flits.contains(port)) << "port " << port;
    const std::vector<flit_seen>& flits = result.flits.at(port);
    ASSERT_EQ(flits.size(), length) << "port " << port;
    for (std::size_t index = 0; index < length; ++index) {
        EXPECT_EQ(flits[index].at, first + index) << "port " << port;
        EXPECT_EQ(flits[index].head, index == 0);
        EXPECT_EQ(flits[index].tail, index + 1 == length);
    }
}

class rtl_switch_test : public testing::Test {
protected:
    static model_library& models() {
        static model_library library;
        return library;
    }
};

TEST_F(rtl_switch_test, unicast_follows_the_pipeline_table) {
    const switch_params params;
    rtl_switch chip(params, tables(params), models());
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::unicast, 9, hw::format::unicast_header_bytes);
    for (std::uint8_t byte = 0; byte < 8; ++byte) packet.push_back(static_cast<std::uint8_t>(0xa0 + byte));

    const seen result = send(chip, packet);
    // Last header flit in cycle t = 12: on the output pins from t + 2 on.
    expect_worm(result, 2, 14, 21);
    EXPECT_EQ(result.flits.size(), 1u);
    // Chunks of 8 flits: their last flits are read in the cycle before they are on the pins, and the credit comes with
    // them.
    EXPECT_THAT(result.credits.at(0), ElementsAre(21, 29, 34));
    // After the last one nothing is inside.
    EXPECT_EQ(result.end, 35u);
    packet[0] = static_cast<std::uint8_t>(packet[0] & ~0x10);  // it goes down now
    EXPECT_EQ(result.data(2), packet);
}

TEST_F(rtl_switch_test, tree_worm_is_copied_with_masked_headers) {
    const switch_params params;
    rtl_switch chip(params, tables(params), models());
    const std::uint32_t destinations = 1u << 1 | 1u << 8 | 1u << 3 | 1u << 25;  // ports 1, 1, 3, 4
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::tree, destinations, tree_header_bytes);
    for (std::uint8_t byte = 0; byte < 8; ++byte) packet.push_back(static_cast<std::uint8_t>(0xff - byte));

    const seen result = send(chip, packet);
    EXPECT_EQ(result.flits.size(), 3u);
    const std::map<unsigned, std::uint32_t> copies = {{1, 1u << 1 | 1u << 8}, {3, 1u << 3}, {4, 1u << 25}};
    for (const auto& [port, kept] : copies) {
        expect_worm(result, port, 15, 22);
        std::vector<std::uint8_t> expected = packet;
        expected[0] = static_cast<std::uint8_t>(expected[0] & ~0x10);
        for (unsigned byte = 0; byte < 4; ++byte) expected[10 + byte] = static_cast<std::uint8_t>(kept >> 8 * byte);
        EXPECT_EQ(result.data(port), expected) << "port " << port;
    }
    EXPECT_EQ(result.credits.at(0).size(), 3u);
}

TEST_F(rtl_switch_test, free_headers_ride_beside_the_head_flit) {
    switch_params params;
    params.header_free = true;
    rtl_switch chip(params, tables(params), models());
    const std::uint32_t destinations = 1u << 0 | 1u << 6 | 1u << 5;
    const std::vector<std::uint8_t> free_header =
        header(hw::format::packet_kind::tree, destinations, chip.shape().header_bytes);
    const std::vector<std::uint8_t> payload = {1, 2, 3, 4, 5, 6, 7, 8, 9};

    const seen result = send(chip, payload, free_header);
    for (const unsigned port : {0u, 5u, 6u}) {
        expect_worm(result, port, 2, 9);
        EXPECT_EQ(result.data(port), payload);
        std::vector<std::uint8_t> expected =
            header(hw::format::packet_kind::tree, 1u << port, chip.shape().header_bytes);
        expected[0] = static_cast<std::uint8_t>(expected[0] & ~0x10);
        EXPECT_EQ(result.headers.at(port), expected);
    }

    const seen unicast = send(chip, payload, header(hw::format::packet_kind::unicast, 30, chip.shape().header_bytes));
    expect_worm(unicast, 2, 2, 9);
}

/// The switch of the tests has number 4; switch 9 is behind port 6 going down, and behind port 7 going up.
switch_tables tables_with_switches(const switch_params& params) {
    switch_tables result = tables(params);
    result.switch_number = 4;
    result.switch_up.edit().assign(10, 0);
    result.switch_up.edit()[9] = std::uint64_t{1} << 7;
    result.switch_down.edit().assign(10, 0);
    result.switch_down.edit()[9] = std::uint64_t{1} << 6;
    return result;
}

/// Bytes of a packet with `route` in its header and two bytes of payload.
std::vector<std::uint8_t> packet_along(const hw::format::route& route, bool up) {
    std::vector<std::uint8_t> bytes(hw::format::common_header_bytes);
    hw::format::write_common({.kind = route.kind, .up = up, .source = 3, .sequence = 77, .length = 2}, bytes.data());
    bytes.insert(bytes.end(), route.field.begin(), route.field.end());
    bytes.insert(bytes.end(), {0xa5, 0x5a});
    return bytes;
}

TEST_F(rtl_switch_test, ssr_worm_is_copied_at_its_switch_only) {
    const switch_params params;
    rtl_switch chip(params, tables_with_switches(params), models());
    std::vector<std::uint8_t> here =
        packet_along(hw::format::ssr_route(params.header_shape(), {.chip = 4, .ports = 0b101010}), true);
    const seen copied = send(chip, here);
    EXPECT_EQ(copied.flits.size(), 3u);
    here[0] = static_cast<std::uint8_t>(here[0] & ~0x10);
    for (const unsigned port : {1u, 3u, 5u}) {
        // Header of 13 bytes, the last one in cycle t = 12.
        expect_worm(copied, port, 14, 15);
        EXPECT_EQ(copied.data(port), here) << "port " << port;
    }

    const std::vector<std::uint8_t> elsewhere =
        packet_along(hw::format::ssr_route(params.header_shape(), {.chip = 9, .ports = 0b101010}), true);
    const seen sent_on = send(chip, elsewhere);
    EXPECT_EQ(sent_on.flits.size(), 1u);
    EXPECT_EQ(sent_on.data(7), elsewhere);
}

TEST_F(rtl_switch_test, path_worm_is_copied_and_goes_on_to_its_next_stop) {
    for (const bool header_free : {false, true}) {
        switch_params params;
        params.header_free = header_free;
        rtl_switch chip(params, tables_with_switches(params), models());
        const std::vector<hw::format::stop> stops = {
            {.chip = 2, .ports = 1}, {.chip = 4, .ports = 0b100}, {.chip = 9, .ports = 0b10}};
        std::vector<std::uint8_t> packet = packet_along(hw::format::path_route(params.header_shape(), stops), false);
        packet[hw::format::path_next_field.offset / 8] = 1;
        std::vector<std::uint8_t> onward = packet;
        onward[hw::format::path_next_field.offset / 8] = 2;
        std::map<unsigned, std::vector<std::uint8_t>> got;
        seen result;
        if (header_free) {
            std::vector<std::uint8_t> pins_header = packet;
            pins_header.resize(chip.shape().header_bytes);
            onward.resize(chip.shape().header_bytes);
            result = send(chip, {1, 2, 3}, pins_header);
            got = result.headers;
            packet = pins_header;
            expect_worm(result, 6, 2, 3);
        } else {
            result = send(chip, packet);
            for (const auto& [port, flits] : result.flits) got[port] = result.data(port);
            // Header of 12 + 3 * 3 bytes, the last one in cycle t = 20.
            expect_worm(result, 6, 22, 23);
        }
        EXPECT_EQ(result.flits.size(), 2u);
        EXPECT_EQ(got[2], packet) << "header " << (header_free ? "free" : "in the flits");
        EXPECT_EQ(got[6], onward) << "header " << (header_free ? "free" : "in the flits");
    }
}

TEST_F(rtl_switch_test, copies_keep_all_hosts_without_rewriting) {
    const switch_params params;
    switch_tables unwritten = tables(params);
    unwritten.rewrite = false;
    rtl_switch chip(params, unwritten, models());
    std::vector<std::uint8_t> packet =
        header(hw::format::packet_kind::tree, 1u << 1 | 1u << 3 | 1u << 25, tree_header_bytes);
    packet.resize(20);
    const seen result = send(chip, packet);
    packet[0] = static_cast<std::uint8_t>(packet[0] & ~0x10);
    EXPECT_EQ(result.flits.size(), 3u);
    for (const unsigned port : {1u, 3u, 4u}) EXPECT_EQ(result.data(port), packet) << "port " << port;
}

TEST_F(rtl_switch_test, tree_worms_take_their_up_ports_by_their_own_rule) {
    const switch_params params;
    switch_tables several = tables(params);
    for (const unsigned port : {4u, 5u, 6u}) several.port_direction[port] = hw::format::direction::up;
    several.tree_up = 0b01100000;
    several.selection = hw::format::selection::round_robin;
    several.up_selection = hw::format::selection::deterministic;
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::tree, 1u << 31, tree_header_bytes);
    packet.resize(20);
    rtl_switch chip(params, several, models());
    for (unsigned turn = 0; turn < 2; ++turn) {
        const seen result = send(chip, packet);
        EXPECT_EQ(result.flits.size(), 1u);
        EXPECT_TRUE(result.flits.contains(5)) << "turn " << turn;
    }
    several.up_selection = hw::format::selection::round_robin;
    rtl_switch turning(params, several, models());
    for (const unsigned port : {5u, 6u, 5u}) EXPECT_TRUE(send(turning, packet).flits.contains(port)) << "port " << port;
}

TEST_F(rtl_switch_test, stepping_an_idle_switch_changes_nothing) {
    const switch_params params;
    rtl_switch chip(params, tables(params), models());
    EXPECT_TRUE(chip.idle());
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::unicast, 9, hw::format::unicast_header_bytes);
    packet.resize(20);
    send(chip, packet);
    hw::engine::chip_probe before;
    chip.probe(before);
    EXPECT_EQ(before.outputs[2].credits, params.chunks - 3);
    const pins quiet(chip.shape());
    pins out(chip.shape());
    for (cycle now = 100; now < 150; ++now) {
        out.clear();
        EXPECT_EQ(chip.step(now, quiet, out), hw::engine::never);
        EXPECT_TRUE(out.quiet());
    }
    hw::engine::chip_probe after;
    chip.probe(after);
    EXPECT_EQ(after.outputs[2].credits, before.outputs[2].credits);
    EXPECT_EQ(after.inputs[0].state, before.inputs[0].state);
}

TEST_F(rtl_switch_test, reset_drops_the_traffic_and_keeps_the_tables) {
    const switch_params params;
    rtl_switch chip(params, tables(params), models());
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::unicast, 9, hw::format::unicast_header_bytes);
    packet.resize(20);
    pins in(chip.shape());
    pins out(chip.shape());
    for (cycle now = 0; now < 16; ++now) {
        in.valid = 1;
        in.head = now == 0;
        in.data[0] = packet[now];
        chip.step(now, in, out);
    }
    EXPECT_FALSE(chip.idle());
    chip.reset();
    EXPECT_TRUE(chip.idle());
    expect_worm(send(chip, packet), 2, 14, 20);
}

TEST_F(rtl_switch_test, driving_it_against_its_contract_is_reported) {
    const switch_params params;
    rtl_switch chip(params, tables(params), models());
    pins in(chip.shape());
    pins out(chip.shape());
    in.head = 1;  // without valid
    EXPECT_THROW(
        {
            chip.step(0, in, out);
            chip.step(1, in, out);
        },
        rtl_assertion_error);
}

TEST_F(rtl_switch_test, a_model_without_assertions_is_another_one_that_does_the_same) {
    const switch_params params;
    model_options options = model_options::defaults();
    options.assertions = false;
    model_library unchecked(options);
    EXPECT_NE(unchecked.file_of(params), models().file_of(params));
    rtl_switch with(params, tables(params), models());
    rtl_switch without(params, tables(params), unchecked);
    const std::uint32_t destinations = 1u << 1 | 1u << 3 | 1u << 25;
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::tree, destinations, tree_header_bytes);
    packet.resize(40);
    const seen expected = send(with, packet);
    const seen result = send(without, packet);
    EXPECT_EQ(result.end, expected.end);
    EXPECT_EQ(result.credits, expected.credits);
    ASSERT_EQ(result.flits.size(), expected.flits.size());
    for (const auto& [port, flits] : expected.flits) {
        expect_worm(result, port, flits.front().at, flits.size());
        EXPECT_EQ(result.data(port), expected.data(port));
    }
    pins in(without.shape());
    pins out(without.shape());
    in.head = 1;  // without valid
    EXPECT_NO_THROW(without.step(1000, in, out));
}

TEST_F(rtl_switch_test, traces_every_signal_inside) {
    const switch_params params;
    rtl_switch chip(params, tables(params), models());
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "rtl_switch_test.fst";
    chip.open_trace(file);
    std::vector<std::uint8_t> packet = header(hw::format::packet_kind::unicast, 9, hw::format::unicast_header_bytes);
    packet.resize(20);
    send(chip, packet);
    chip.reset();  // time stands still or goes back: no failure of the RTL
    send(chip, packet);
    chip.close_trace();
    EXPECT_GT(std::filesystem::file_size(file), 1000u);
    std::filesystem::remove(file);
    rtl_switch other(params, tables(params), models());
    EXPECT_THROW(other.open_trace("/no/such/folder/x.fst"), hw::input_error);
}

TEST(model_library_test, a_model_that_cannot_be_built_is_an_error) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "polycast_no_models";
    std::filesystem::remove_all(folder);
    model_options options = model_options::defaults();
    options.cache_dir = folder;
    options.verilator_root = "/no/such/folder";
    model_library library(options);
    const switch_params params;
    try {
        library.get(params);
        FAIL() << "there is a model";
    } catch (const hw::input_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_inline"));
        EXPECT_THAT(error.what(), HasSubstr("VERILATOR_ROOT"));
    }
    EXPECT_FALSE(std::filesystem::exists(library.file_of(params)));

    // A file that is no library is not taken for a model, nor silently replaced.
    std::ofstream(library.file_of(params)) << "not a library";
    EXPECT_THROW(library.get(params), hw::input_error);
    std::filesystem::remove_all(folder);
}

TEST(model_library_test, changed_sources_make_another_model) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "polycast_changed_rtl";
    std::filesystem::remove_all(folder);
    model_options options = model_options::defaults();
    std::filesystem::create_directories(folder / "hw");
    for (const char* part : {"rtl", "hw/format"}) {
        std::filesystem::copy(options.rtl_dir.parent_path() / part, folder / part,
                              std::filesystem::copy_options::recursive);
    }
    const switch_params params;
    const auto file = [&options, &params] { return model_library(options).file_of(params); };
    const auto change = [&folder](const char* name) { std::ofstream(folder / name, std::ios::app) << "// changed\n"; };
    const std::filesystem::path original = file();
    options.rtl_dir = folder / "rtl";
    options.project_dir = folder / "rtl/model";
    EXPECT_EQ(file(), original);
    change("rtl/common/polycast_crossbar.sv");
    const std::filesystem::path other_crossbar = file();
    EXPECT_NE(other_crossbar, original);
    change("hw/format/packet_format.h");
    EXPECT_NE(file(), other_crossbar);
    std::filesystem::remove_all(folder);
}

TEST(model_library_test, names_of_models_say_every_parameter) {
    switch_params params{.ports = 11, .flit_bytes = 8, .chunk_flits = 10, .chunks = 4, .max_hosts = 100};
    params.read_ports = 3;
    params.xbar_stages = 2;
    params.max_switches = 40;
    params.header_ports = 16;
    params.header_stops = 6;
    for (const bool header_free : {false, true}) {
        params.header_free = header_free;
        EXPECT_EQ(params_of_model<switch_params>(model_name(params)), params) << model_name(params);
    }
    EXPECT_EQ(model_name(params), "switch_p11_f8_c4x10_h100_r3_x2_s40_l6x16_free");
    EXPECT_THROW(params_of_model<switch_params>("switch_p8_f1_c80x8_h32_r8_x0_inline"), hw::input_error);
    EXPECT_THROW(params_of_model<switch_params>("switch_p8_f1_c80x8_h32_r8_x0_s32_l8x8_"), hw::input_error);
}

}  // namespace
}  // namespace polycast::tlm
