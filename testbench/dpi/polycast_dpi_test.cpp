// SPDX-License-Identifier: Apache-2.0
/// \file The C interface of the models beside the cores, and what callers get wrong.
#include "tlm/dpi/polycast_dpi.h"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hw/chips/switch/switch_core.h"
#include "hw/engine/pin_difference.h"
#include "testbench/benchmarks/recorded_traffic.h"
#include "tlm/dpi/pin_layout.h"

namespace polycast {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using tlm::dpi::bit_vector;

struct destroyer {
    void operator()(void* model) const { polycast_dpi_destroy(model); }
};
using model_ptr = std::unique_ptr<void, destroyer>;

model_ptr make(const char* chip, const std::string& parameters, const std::string& tables) {
    return model_ptr(polycast_dpi_create(chip, "sw0", parameters.c_str(), tables.c_str()));
}

testbench::recording_params recording() {
    testbench::recording_params params;
    params.chip.ports = params.chip.read_ports = 4;
    params.chip.flit_bytes = 2;
    params.chip.max_hosts = 8;
    params.multicast_fraction = 0.3;
    params.branches = 2;
    return params;
}
const std::string parameters = R"({"NumPorts": 4, "ReadPorts": 4, "FlitBytes": 2, "MaxHosts": 8})";

/// Tables by name as JSON.
std::string json_of(const hw::chips::switch_params& p, const hw::chips::switch_tables& t) {
    const auto list = [](unsigned count, auto&& value) {
        std::string text;
        for (unsigned index = 0; index < count; ++index)
            text.append(text.empty() ? "[" : ", ").append(std::to_string(static_cast<std::uint64_t>(value(index))));
        return text + "]";
    };
    const auto number = [](const char* name, auto value) {
        return std::string("\"") + name + "\": " + std::to_string(static_cast<std::uint64_t>(value)) + ", ";
    };
    std::string reach;
    for (unsigned port = 0; port < p.ports; ++port)
        reach += (port == 0 ? "[[" : ", [") + std::to_string(t.reach_port[port][0]) + "]";
    return "{" + number("route_delay", t.route_delay) + number("arbitration", t.arbitration) +
           number("selection", t.selection) + number("packet_limit", t.packet_limit) +
           number("tree_header_flits", t.tree_header_flits) + number("up_selection", t.up_selection) +
           number("rewrite", t.rewrite) + number("switch_number", t.switch_number) +
           "\"port_direction\": " + list(p.ports, [&](unsigned i) { return t.port_direction[i]; }) +
           ", \"buffer_chunks\": " + list(p.ports, [&](unsigned i) { return t.buffer_chunks[i]; }) +
           ", \"credits\": " + list(p.ports, [&](unsigned i) { return t.credits[i]; }) +
           ", \"unicast_up\": " + list(p.max_hosts, [&](unsigned i) { return t.unicast_up[i]; }) +
           ", \"unicast_down\": " + list(p.max_hosts, [&](unsigned i) { return t.unicast_down[i]; }) +
           ", \"reach_total\": [" + std::to_string(t.reach_total[0]) + "], \"reach_port\": " + reach + "]}";
}

class driver {
public:
    driver(void* model, const hw::chips::switch_params& params)
        : model_(model),
          layout_(hw::chips::pins_of(params)),
          in_(layout_, params.pin_shape(), "_i"),
          out_(layout_, params.pin_shape(), "_o") {}

    /// \returns what calls returned, the worst
    int step(const hw::engine::pins& in) {
        bit_vector bits(layout_.input_bits());
        in_.pack(in, bits);
        std::array<std::uint32_t, POLYCAST_DPI_CHUNK_BITS / 32> words{};
        bits.copy_out(0, POLYCAST_DPI_CHUNK_BITS, words.data());
        const int put = polycast_dpi_put_inputs(model_, width(layout_.input_bits()), 0, words.data());
        return put != POLYCAST_DPI_OK ? put : polycast_dpi_step(model_);
    }
    bit_vector outputs() {
        bit_vector bits(layout_.output_bits());
        std::array<std::uint32_t, POLYCAST_DPI_CHUNK_BITS / 32> words{};
        EXPECT_EQ(polycast_dpi_get_outputs(model_, width(layout_.output_bits()), 0, words.data()), POLYCAST_DPI_OK);
        bits.copy_in(0, POLYCAST_DPI_CHUNK_BITS, words.data());
        return bits;
    }
    /// Compares these pins of a device.
    int compare(const bit_vector& device, bool probes = false) {
        std::array<std::uint32_t, POLYCAST_DPI_CHUNK_BITS / 32> words{};
        device.copy_out(0, POLYCAST_DPI_CHUNK_BITS, words.data());
        const int put = polycast_dpi_put_device(model_, width(layout_.output_bits()), 0, words.data());
        return put != POLYCAST_DPI_OK ? put : polycast_dpi_compare(model_, probes ? 1 : 0);
    }
    hw::engine::pins unpacked(const bit_vector& bits, const hw::engine::pin_shape& shape) const {
        hw::engine::pins pins(shape);
        out_.unpack(bits, pins);
        return pins;
    }
    const tlm::dpi::pin_layout& layout() const { return layout_; }

private:
    static std::uint32_t width(std::size_t bits) { return static_cast<std::uint32_t>(bits); }

    void* model_;
    tlm::dpi::pin_layout layout_;
    tlm::dpi::pin_codec in_, out_;
};

constexpr unsigned cycles = 3000;

struct switch_models {
    testbench::recording_params params = recording();
    hw::chips::switch_tables tables = testbench::star_tables(params.chip);
    testbench::recorded_traffic traffic = testbench::record_traffic(params, cycles);
    model_ptr make_model() const { return make("switch", parameters, json_of(params.chip, tables)); }
};

TEST(polycast_dpi, has_the_pins_of_the_core_in_every_cycle) {
    const switch_models with;
    const model_ptr model = with.make_model();
    ASSERT_THAT(polycast_dpi_error(model.get()), IsEmpty());
    driver drive(model.get(), with.params.chip);
    hw::chips::switch_core core(with.params.chip, with.tables);
    hw::engine::pins out(core.shape());
    unsigned flits = 0;
    for (unsigned now = 0; now < cycles; ++now) {
        out.clear();
        core.step(now, with.traffic.cycles[now], out);
        ASSERT_EQ(drive.step(with.traffic.cycles[now]), POLYCAST_DPI_OK) << polycast_dpi_error(model.get());
        const bit_vector bits = drive.outputs();
        const auto found =
            hw::engine::pin_difference(core.shape(), {"core", "model"}, out, drive.unpacked(bits, core.shape()));
        ASSERT_THAT(found.what, IsEmpty()) << "cycle " << now;
        ASSERT_EQ(bits.bit(drive.layout().find("idle_o")->first), core.idle());
        flits += static_cast<unsigned>(std::popcount(out.valid));
    }
    EXPECT_GT(flits, cycles);
    EXPECT_EQ(polycast_dpi_cycle(model.get()), cycles);
}

TEST(polycast_dpi, state_is_on_the_probe_pins_and_in_words) {
    const switch_models with;
    const model_ptr model = with.make_model();
    driver drive(model.get(), with.params.chip);
    hw::chips::switch_core core(with.params.chip, with.tables);
    hw::engine::pins out(core.shape());
    for (unsigned now = 0; now < 200; ++now) {
        out.clear();
        core.step(now, with.traffic.cycles[now], out);
        drive.step(with.traffic.cycles[now]);
    }
    hw::engine::chip_probe probe;
    core.probe(probe);
    const bit_vector bits = drive.outputs();
    const auto* const occupied = drive.layout().find("probe_occupied_o");
    const auto* const credits = drive.layout().find("probe_credits_o");
    const auto* const held = drive.layout().find("probe_held_o");
    unsigned full = 0;
    for (unsigned port = 0; port < with.params.chip.ports; ++port) {
        EXPECT_EQ(bits.get(occupied->place(port), occupied->bits), probe.inputs[port].occupied);
        EXPECT_EQ(bits.get(credits->place(port), credits->bits), probe.outputs[port].credits);
        EXPECT_EQ(bits.bit(held->place(port)), probe.outputs[port].held);
        full += probe.inputs[port].occupied;
    }
    ASSERT_GT(full, 0u);
    EXPECT_THAT(polycast_dpi_state(model.get()), HasSubstr("occupied"));
}

TEST(polycast_dpi, first_difference_names_cycle_pin_and_packet) {
    const switch_models with;
    const model_ptr model = with.make_model();
    driver drive(model.get(), with.params.chip);
    for (unsigned now = 0; now < cycles; ++now) {
        bit_vector device = drive.outputs();
        const hw::engine::pins pins = drive.unpacked(device, with.params.chip.pin_shape());
        const bool strike = now > 500 && pins.head != 0;
        if (strike) {
            // Bits 8 and on of a header are its source, the second byte of the first flit.
            const auto port = static_cast<unsigned>(std::countr_zero(pins.head));
            const std::size_t bit = drive.layout().find("flit_data_o")->place(port) + 8;
            const bool was = device.bit(bit);
            bit_vector flipped(device.size());
            for (std::size_t place = 0; place < device.size(); ++place)
                flipped.put(place, 1, (place == bit ? !was : device.bit(place)) ? 1 : 0);
            device = flipped;
        }
        const int status = drive.compare(device);
        ASSERT_EQ(status, strike ? POLYCAST_DPI_DIFFERENT : POLYCAST_DPI_OK) << polycast_dpi_error(model.get());
        if (strike) {
            for (unsigned more = 0; more < 12; ++more) {
                drive.step(with.traffic.cycles[now + more]);
                EXPECT_EQ(drive.compare(drive.outputs()), POLYCAST_DPI_DIFFERENT);
            }
            EXPECT_THAT(polycast_dpi_difference(model.get()),
                        AllOf(HasSubstr("sw0 in cycle " + std::to_string(now) + ": flit_data of port "),
                              HasSubstr("header field source: model "), HasSubstr("packet ")));
            return;
        }
        ASSERT_EQ(drive.step(with.traffic.cycles[now]), POLYCAST_DPI_OK);
    }
    FAIL() << "no head left";
}

/// All output bits of a run, one cycle after the other.
std::vector<bit_vector> outputs_of(const switch_models& with) {
    const model_ptr model = with.make_model();
    driver drive(model.get(), with.params.chip);
    std::vector<bit_vector> all;
    for (unsigned now = 0; now < cycles; ++now) {
        drive.step(with.traffic.cycles[now]);
        all.push_back(drive.outputs());
    }
    return all;
}

TEST(polycast_dpi, two_models_in_two_threads_give_what_they_give_one_after_the_other) {
    const switch_models first;
    switch_models second;
    second.params.seed = 2;
    second.traffic = testbench::record_traffic(second.params, cycles);
    const std::array<std::vector<bit_vector>, 2> expected = {outputs_of(first), outputs_of(second)};
    ASSERT_NE(expected[0], expected[1]);
    for (unsigned repetition = 0; repetition < 4; ++repetition) {
        std::array<std::vector<bit_vector>, 2> found;
        std::thread one([&] { found[0] = outputs_of(first); });
        std::thread other([&] { found[1] = outputs_of(second); });
        one.join();
        other.join();
        EXPECT_EQ(found, expected);
    }
}

TEST(polycast_dpi, reset_drops_the_traffic_and_keeps_the_tables) {
    const switch_models with;
    const model_ptr model = with.make_model();
    driver drive(model.get(), with.params.chip);
    const std::vector<bit_vector> expected = outputs_of(with);
    for (unsigned now = 0; now < 100; ++now) drive.step(with.traffic.cycles[now]);
    ASSERT_EQ(polycast_dpi_reset(model.get()), POLYCAST_DPI_OK);
    for (unsigned now = 0; now < cycles; ++now) {
        drive.step(with.traffic.cycles[now]);
        ASSERT_EQ(drive.outputs(), expected[now]) << now;
    }
}

TEST(polycast_dpi, registers_written_one_by_one_are_the_same_as_tables) {
    const switch_models with;
    const model_ptr model = make("switch", parameters, "{}");
    const auto write = [&](std::uint32_t region, std::uint32_t index, std::uint64_t data) {
        ASSERT_EQ(polycast_dpi_write(model.get(), region << 24 | index, static_cast<std::uint32_t>(data)),
                  POLYCAST_DPI_OK)
            << polycast_dpi_error(model.get());
    };
    const hw::chips::switch_tables& t = with.tables;
    write(0, 0, t.route_delay);
    write(0, 1, static_cast<unsigned>(t.arbitration));
    write(0, 2, static_cast<unsigned>(t.selection));
    write(0, 3, t.packet_limit);
    write(0, 4, t.tree_header_flits);
    write(0, 5, static_cast<unsigned>(t.up_selection));
    write(0, 6, t.rewrite);
    write(6, 0, t.reach_total[0]);
    for (std::uint32_t port = 0; port < with.params.chip.ports; ++port) {
        write(1, port, static_cast<unsigned>(t.port_direction[port]));
        write(2, port, t.buffer_chunks[port]);
        write(3, port, t.credits[port]);
        write(7, port << 16, t.reach_port[port][0]);
    }
    for (std::uint32_t host = 0; host < with.params.chip.max_hosts; ++host) {
        write(4, host * 2, t.unicast_up[host]);
        write(5, host * 2, t.unicast_down[host]);
    }
    const std::vector<bit_vector> expected = outputs_of(with);
    driver drive(model.get(), with.params.chip);
    for (unsigned now = 0; now < cycles; ++now) {
        drive.step(with.traffic.cycles[now]);
        ASSERT_EQ(drive.outputs(), expected[now]) << now;
    }
    EXPECT_EQ(polycast_dpi_write(model.get(), 0, 2), POLYCAST_DPI_ERROR);
    EXPECT_THAT(polycast_dpi_error(model.get()), HasSubstr("is written behind the first traffic"));
    ASSERT_EQ(polycast_dpi_reset(model.get()), POLYCAST_DPI_OK);
    EXPECT_EQ(polycast_dpi_write(model.get(), 0, 2), POLYCAST_DPI_OK);
}

struct mistake {
    const char* chip;
    const char* parameters;
    const char* tables;
    const char* said;
};

class dpi_mistake : public testing::TestWithParam<mistake> {};
TEST_P(dpi_mistake, is_said_in_one_sentence) {
    const model_ptr model = make(GetParam().chip, GetParam().parameters, GetParam().tables);
    ASSERT_NE(model, nullptr);
    EXPECT_THAT(polycast_dpi_error(model.get()), HasSubstr(GetParam().said));
    EXPECT_EQ(polycast_dpi_step(model.get()), POLYCAST_DPI_ERROR);
    EXPECT_THAT(polycast_dpi_error(model.get()), HasSubstr(GetParam().said)) << "it stays";
    EXPECT_THAT(polycast_dpi_state(model.get()), IsEmpty());
    EXPECT_EQ(polycast_dpi_input_bits(model.get()), 0u);
}
INSTANTIATE_TEST_SUITE_P(
    all, dpi_mistake,
    testing::Values(mistake{"swich", "", "", "there is no chip \"swich\"; chips are switch, router"},
                    mistake{"switch", "{\"NumPort\": 4}", "",
                            "there is no parameter \"NumPort\"; did you mean 'NumPorts'?"},
                    mistake{"switch", "{\"ports\": 1}", "", "ports must be 2..64, not 1"},
                    mistake{"switch", "{\"ports\": \"four\"}", "", "parameter \"ports\" is a number, not \"four\""},
                    mistake{"switch", "{\"ports\": 4", "", "parameters: no JSON: parse error at line 1"},
                    mistake{"switch", "[4]", "", "parameters: they are a JSON object"},
                    mistake{"switch", "{\"HeaderFree\": 2}", "", "parameter \"HeaderFree\" is 0 or 1, not 2"},
                    mistake{"switch", "", "{\"route_dealy\": 1}", "no table or register \"route_dealy\"; did you mean"},
                    mistake{"switch", "", "{\"route_delay\": 0}", "routing takes 1..15 cycles, not 0"},
                    mistake{"switch", "", "{\"route_delay\": -1}", "tables: route_delay is no number from 0 on: -1"},
                    mistake{"switch", "", "{\"route_delay\": 4294967296}", "route_delay is at most 4294967295"},
                    mistake{"switch", "", "{\"credits\": [1,2,3,4,5,6,7,8,9]}", "credits has up to 8 entries, not 9"},
                    mistake{"switch", "", "{\"credits\": 4}", "credits is a list of up to 8"},
                    mistake{"switch", "", "{\"registers\": [[1, 2, 3]]}", "registers is a list of [address, data]"},
                    mistake{"switch", "", "{\"registers\": [[4278190080, 0]]}", "where the chip has no register"},
                    mistake{"switch", "", "nowhere.json", "neither a JSON object nor the path of a file with one"},
                    mistake{"coding", "", "{\"context\": [{\"mood\": 1}]}", "context[0] has no register \"mood\""},
                    mistake{"link_end", "", "{\"layer\": 2}", "credits of a virtual channel must be 1.."},
                    mistake{"router", "{\"vcs\": 16}", "", "ports times virtual channels must be 2..64, not 80"}));

TEST(polycast_dpi, vectors_of_another_width_are_refused) {
    const model_ptr model = make("switch", parameters, "");
    std::array<std::uint32_t, POLYCAST_DPI_CHUNK_BITS / 32> words{};
    const std::uint32_t in = polycast_dpi_input_bits(model.get());
    EXPECT_EQ(polycast_dpi_put_inputs(model.get(), in + 1, 0, words.data()), POLYCAST_DPI_ERROR);
    EXPECT_THAT(polycast_dpi_error(model.get()),
                HasSubstr("its input pins have " + std::to_string(in) + " bits, not " + std::to_string(in + 1)));
    EXPECT_EQ(polycast_dpi_get_outputs(model.get(), 1, 0, words.data()), POLYCAST_DPI_ERROR);
    EXPECT_THAT(polycast_dpi_error(model.get()), HasSubstr("its output pins have "));
    EXPECT_EQ(polycast_dpi_put_inputs(model.get(), in, 7, words.data()), POLYCAST_DPI_ERROR);
    EXPECT_THAT(polycast_dpi_error(model.get()), HasSubstr("cannot begin at bit 7"));
    EXPECT_EQ(polycast_dpi_put_inputs(model.get(), in, 0, nullptr), POLYCAST_DPI_ERROR);
}

TEST(polycast_dpi, a_null_pointer_is_no_model) {
    EXPECT_EQ(polycast_dpi_step(nullptr), POLYCAST_DPI_ERROR);
    EXPECT_THAT(polycast_dpi_error(nullptr), HasSubstr("no memory"));
    EXPECT_THAT(polycast_dpi_difference(nullptr), IsEmpty());
    polycast_dpi_destroy(nullptr);
    const model_ptr nameless(polycast_dpi_create(nullptr, nullptr, nullptr, nullptr));
    EXPECT_THAT(polycast_dpi_error(nameless.get()), HasSubstr("there is no chip \"\""));
}

TEST(polycast_dpi, every_chip_has_a_model_with_defaults) {
    for (const char* chip : {"switch", "router", "vl_switch", "coding", "broadcast", "link_end"}) {
        const model_ptr model = make(chip, "", "");
        EXPECT_THAT(polycast_dpi_error(model.get()), IsEmpty()) << chip;
        for (unsigned cycle = 0; cycle < 3; ++cycle) EXPECT_EQ(polycast_dpi_step(model.get()), POLYCAST_DPI_OK);
        EXPECT_THAT(polycast_dpi_pins(model.get()), AllOf(HasSubstr("flit_valid_i 0 "), HasSubstr("idle_o ")));
        EXPECT_THAT(polycast_dpi_state(model.get()), testing::AnyOf(HasSubstr("idle"), HasSubstr("off")));
    }
}

}  // namespace
}  // namespace polycast
