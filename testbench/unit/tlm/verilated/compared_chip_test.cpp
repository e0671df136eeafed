// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/compared_chip.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace polycast::tlm {
namespace {

namespace engine = hw::engine;

/// Its only output is a credit in each cycle, but not in cycle `wrong`.
class crediting_chip final : public engine::chip {
public:
    explicit crediting_chip(engine::cycle wrong) : wrong_(wrong) {}
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle now, const engine::pins&, engine::pins& out) override {
        if (now + 1 != wrong_) out.credit = 1;
        return engine::never;
    }
    bool idle() const override { return true; }

private:
    engine::pin_shape shape_{1, 1, 0};
    engine::cycle wrong_;
};

TEST(compared_chip, ends_the_run_some_cycles_after_the_first_difference) {
    compared_chip chip("sw", {"core", "own RTL"}, {}, std::make_unique<crediting_chip>(engine::never),
                       std::make_unique<crediting_chip>(6));
    const engine::pins in(chip.shape());
    engine::pins out(chip.shape());
    const auto step = [&](engine::cycle now) {
        out.clear();
        return chip.step(now, in, out);
    };
    EXPECT_EQ(step(4), engine::never);
    EXPECT_EQ(step(5), 6u) << "it must be stepped again";
    EXPECT_EQ(out.credit, 0u);
    EXPECT_EQ(chip.reference()->credit, 1u);
    EXPECT_EQ(chip.ends_run_in(), 5 + chip.warning()) << "it says so at once";
    for (engine::cycle now = 6; now <= 6 + compared_chip::aftermath; ++now)
        EXPECT_EQ(step(now), now + 1) << "the cycle that differs is simulated, and some more";
    try {
        step(7 + compared_chip::aftermath);
        FAIL() << "no error";
    } catch (const engine::comparison_error& error) {
        EXPECT_STREQ(error.what(), "sw in cycle 6: credit of port 0: core 1, own RTL 0");
        EXPECT_EQ(error.when(), 6u);
        EXPECT_EQ(error.chip(), "sw");
    }
    chip.reset();
    EXPECT_EQ(step(8), engine::never) << "all is forgotten";
}

/// Sends a packet from cycle 1 on, one byte of it in a flit, on port 1.
class sending_chip final : public engine::chip {
public:
    sending_chip(std::vector<std::uint8_t> bytes, engine::cycle stops) : bytes_(std::move(bytes)), stops_(stops) {}
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle now, const engine::pins&, engine::pins& out) override {
        if (now >= bytes_.size() || now + 1 >= stops_) return engine::never;
        out.valid = 2;
        out.head = now == 0 ? 2 : 0;
        out.data[1] = bytes_[now];
        return now + 1;
    }
    bool idle() const override { return true; }

private:
    engine::pin_shape shape_{2, 1, 0};
    std::vector<std::uint8_t> bytes_;
    engine::cycle stops_;
};

std::vector<std::uint8_t> packet(std::uint32_t source, std::uint32_t sequence, std::uint32_t destination,
                                 std::uint32_t tag = 0) {
    namespace format = hw::format;
    std::vector<std::uint8_t> bytes(format::unicast_header_bytes + format::transport_bytes + 4 + format::check_bytes);
    format::write_common({format::packet_kind::unicast, true, source, sequence, 4}, bytes.data());
    format::write_field<format::destination_field>(bytes.data(), destination);
    format::transport_header transport;
    transport.tag = tag;
    format::write_transport(transport, &bytes[format::unicast_header_bytes]);
    return bytes;
}

/// What the run ends with where the core sends one and the chip under test the other.
std::string failure(std::vector<std::uint8_t> core, std::vector<std::uint8_t> own, engine::cycle stops = engine::never,
                    bool jobs = false) {
    compared_chip chip("sw", {"core", "own RTL"}, {.hosts = 16},
                       std::make_unique<sending_chip>(std::move(core), engine::never),
                       std::make_unique<sending_chip>(std::move(own), stops), jobs);
    const engine::pins in(chip.shape());
    engine::pins out(chip.shape());
    try {
        for (engine::cycle now = 0; now < 100; ++now) {
            out.clear();
            chip.step(now, in, out);
        }
    } catch (const engine::comparison_error& error) {
        return error.what();
    }
    return {};
}

TEST(compared_chip, names_the_field_of_the_header_and_the_packets) {
    EXPECT_EQ(failure(packet(4, 17, 9), packet(2, 3, 9)),
              "sw in cycle 2: flit_data of port 1: core 04, own RTL 02: header field source: core 4, own RTL 2 "
              "(core: packet 17 of host 4, own RTL: packet 3 of host 2)")
        << "in the eight cycles after, both numbers are sent";
    EXPECT_EQ(failure(packet(4, 17, 9), packet(4, 17, 8)),
              "sw in cycle 11: flit_data of port 1: core 09, own RTL 08: header field destination: core 9, own RTL 8 "
              "(core: packet 17 of host 4 to host 9, own RTL: packet 17 of host 4 to host 8)");
}

TEST(compared_chip, names_what_follows_the_header) {
    EXPECT_EQ(failure(packet(4, 17, 9, 5), packet(4, 17, 9, 7)),
              "sw in cycle 34: flit_data of port 1: core 05, own RTL 07: transport header field tag: core 5, own RTL 7 "
              "(packet 17 of host 4 to host 9)");
    std::vector<std::uint8_t> wrong = packet(4, 17, 9);
    wrong[hw::format::unicast_header_bytes + hw::format::transport_bytes + 2] = 0xff;
    EXPECT_EQ(failure(packet(4, 17, 9), wrong),
              "sw in cycle 40: flit_data of port 1: core 00, own RTL ff: byte 2 of the payload: core 0, own RTL 255 "
              "(packet 17 of host 4 to host 9)");
    wrong = packet(4, 17, 9);
    wrong.back() = 1;
    EXPECT_EQ(failure(packet(4, 17, 9), wrong),
              "sw in cycle 45: flit_data of port 1: core 00, own RTL 01: check word: core 0, own RTL 16777216 "
              "(packet 17 of host 4 to host 9)");
}

TEST(compared_chip, names_the_job_word_where_packets_have_one) {
    std::vector<std::uint8_t> wrong = packet(4, 17, 9);
    wrong[hw::format::unicast_header_bytes + hw::format::transport_bytes + 2] = 0xff;
    EXPECT_EQ(failure(packet(4, 17, 9), wrong, engine::never, true),
              "sw in cycle 40: flit_data of port 1: core 00, own RTL ff: job word: core 0, own RTL 16711680 "
              "(packet 17 of host 4 to host 9)");
}

TEST(compared_chip, names_the_packet_that_only_one_sends) {
    EXPECT_EQ(failure(packet(4, 17, 9), packet(4, 17, 9), 20),
              "sw in cycle 20: flit_valid of port 1: core 1, own RTL 0: core sends flit 19 of packet 17 of host 4 to "
              "host 9, own RTL nothing");
    EXPECT_EQ(failure(packet(4, 17, 9), {}),
              "sw in cycle 1: flit_valid of port 1: core 1, own RTL 0: core sends the head of packet 17 of host 4, own "
              "RTL nothing");
}

}  // namespace
}  // namespace polycast::tlm
