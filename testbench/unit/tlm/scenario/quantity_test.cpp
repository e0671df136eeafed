// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/quantity.h"

#include <gtest/gtest.h>

namespace polycast::tlm::scenario {
namespace {

exact in_base(const std::string& text, dimension what, const measures& sizes = {}) {
    const std::optional<quantity> parsed = parse_quantity(text);
    if (!parsed) throw std::invalid_argument(text);
    const std::optional<exact> base = to_base(*parsed, what, sizes);
    if (!base) throw std::out_of_range(text);
    return *base;
}

TEST(quantity, numbers_are_exact) {
    EXPECT_EQ(parse_number("12"), exact(12));
    EXPECT_EQ(parse_number("-0.25"), exact(-1, 4));
    EXPECT_EQ(parse_number(".5"), exact(1, 2));
    EXPECT_EQ(parse_number("5."), exact(5));
    EXPECT_EQ(parse_number("1e3"), exact(1000));
    EXPECT_EQ(parse_number("2.5E-3"), exact(1, 400));
    EXPECT_EQ(parse_number("800/3"), exact(800, 3));
    EXPECT_EQ(parse_number("0.1"), exact(1, 10));
    EXPECT_EQ(parse_number("999999999999999999"), exact(999999999999999999));
}

TEST(quantity, what_is_no_number_is_refused) {
    for (const char* text : {"",
                             "-",
                             ".",
                             "e3",
                             "abc",
                             "0x10",
                             "1_000",
                             "1/0",
                             "nan",
                             ".nan",
                             ".inf",
                             "-.inf",
                             "1e19",
                             "1e400",
                             "1e99999999999999999999",
                             "1234567890123456789",
                             "1 2",
                             "--1",
                             "1/",
                             "1/-2",
                             "0.0000000000000000000000000000000000001"}) {
        EXPECT_FALSE(parse_number(text).has_value()) << text;
    }
}

TEST(quantity, every_unit_means_what_it_says) {
    measures sizes;
    sizes.flit_bytes = 4;
    sizes.chunk_flits = 16;
    sizes.cycle_ns = exact(5, 2);
    EXPECT_EQ(in_base("640", dimension::flits, sizes), exact(640));
    EXPECT_EQ(in_base("640 flit", dimension::flits, sizes), exact(640));
    EXPECT_EQ(in_base("640flits", dimension::flits, sizes), exact(640));
    EXPECT_EQ(in_base("3 chunk", dimension::flits, sizes), exact(48));
    EXPECT_EQ(in_base("6 B", dimension::flits, sizes), exact(3, 2));
    EXPECT_EQ(in_base("2 KiB", dimension::flits, sizes), exact(512));
    EXPECT_EQ(in_base("3 flit", dimension::bytes, sizes), exact(12));
    EXPECT_EQ(in_base("1 KiB", dimension::bytes, sizes), exact(1024));
    EXPECT_EQ(in_base("128 MiB", dimension::bytes, sizes), exact(1 << 27));
    EXPECT_EQ(in_base("1 GiB", dimension::bytes, sizes), exact(1 << 30));
    EXPECT_EQ(in_base("100 kB", dimension::bytes, sizes), exact(100000));
    EXPECT_EQ(in_base("100 KB", dimension::bytes, sizes), exact(100000));
    EXPECT_EQ(in_base("32 MB", dimension::bytes, sizes), exact(32000000));
    EXPECT_EQ(in_base("2 GB", dimension::bytes, sizes), exact(2000000000));
    EXPECT_EQ(in_base("32 bit", dimension::flit_size, sizes), exact(4));
    EXPECT_EQ(in_base("1 us", dimension::cycles, sizes), exact(400));
    EXPECT_EQ(in_base("2.5 ns", dimension::cycles, sizes), exact(1));
    EXPECT_EQ(in_base("1 s", dimension::cycles, sizes), exact(400000000));
    EXPECT_EQ(in_base("500 ps", dimension::period, sizes), exact(1, 2));
    EXPECT_EQ(in_base("400 MB/s", dimension::bandwidth, sizes), exact(1));
    EXPECT_EQ(in_base("1 GB/s", dimension::bandwidth, sizes), exact(5, 2));
    EXPECT_EQ(in_base("8 Gbit/s", dimension::bandwidth, sizes), exact(5, 2));
    EXPECT_EQ(in_base("1 MiB/s", dimension::bandwidth, sizes), exact(1048576, 400000000));
    EXPECT_EQ(in_base("1 Gbit/s", dimension::line_rate, sizes), exact(125000000));
    EXPECT_EQ(in_base("40 Mbit/s", dimension::line_rate, sizes), exact(5000000));
    EXPECT_EQ(in_base("250 MB/s", dimension::line_rate, sizes), exact(250000000));
    EXPECT_EQ(in_base("1 GB/s", dimension::line_rate, sizes), exact(1000000000));
    EXPECT_EQ(in_base("80 %", dimension::fraction, sizes), exact(4, 5));
    EXPECT_EQ(in_base("0.01 flit/host/cycle", dimension::load, sizes), exact(1, 100));
}

TEST(quantity, a_unit_of_another_kind_is_refused) {
    EXPECT_THROW(in_base("3 cycle", dimension::flits), std::out_of_range);
    EXPECT_THROW(in_base("3 flit", dimension::cycles), std::out_of_range);
    EXPECT_THROW(in_base("3 mB/s", dimension::bandwidth), std::out_of_range);
    EXPECT_THROW(in_base("3 B", dimension::none), std::out_of_range);
}

/// The paper's bus: a DMA of b bytes takes ceil(3b/4) cycles of 5 ns.
TEST(quantity, the_papers_bus_takes_three_cycles_for_four_bytes) {
    EXPECT_EQ(in_base("800/3 MB/s", dimension::bandwidth), exact(4, 3));
    EXPECT_EQ(in_base("266 MB/s", dimension::bandwidth), exact(133, 100));
}

TEST(quantity, what_128_bits_do_not_hold_is_an_error_not_a_wrong_number) {
    const exact large = *parse_number("999999999999999999e18");
    EXPECT_THROW(static_cast<void>(large * large * large), std::overflow_error);
}

TEST(quantity, text_reads_back) {
    for (const char* text : {"12", "0.8", "800/3", "-0.25", "1000000", "0.001", "0"})
        EXPECT_EQ(to_text(*parse_number(text)), text);
    EXPECT_EQ(to_text(*parse_number("1e3")), "1000");
    EXPECT_EQ(to_text(*parse_number("0.50")), "0.5");
}

}  // namespace
}  // namespace polycast::tlm::scenario
