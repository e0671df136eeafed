// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/wave_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "hw/input_error.h"
#include "testbench/unit/tlm/trace/wave_reader.h"
#include "tlm/trace/wave_history.h"

namespace polycast::tlm::trace {
namespace {

wave_layout widths() {
    wave_layout layout;
    layout.enumerations.push_back({"state", {{0, "idle"}, {1, "busy"}}});
    unsigned index = 0;
    for (const unsigned bits : {1u, 2u, 7u, 8u, 9u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 192u, 513u}) {
        const std::string scope = index % 3 == 0 ? "top" : index % 3 == 1 ? "top.a" : "top.a.b";
        layout.signals.push_back(
            {scope, "s" + std::to_string(index++), bits, wave_direction::input, wave_radix::hexadecimal, 0});
    }
    layout.signals.push_back({"top.c", "e", 1, wave_direction::internal, wave_radix::enumeration, 0});
    layout.signals.push_back({"top.c.d", "f", 2, wave_direction::output, wave_radix::binary, 0});
    std::stable_sort(layout.signals.begin(), layout.signals.end(),
                     [](const wave_signal& a, const wave_signal& b) { return a.scope < b.scope; });
    return layout;
}

/// Random changes; some at every time, some values repeated.
void scribble(wave_writer& writer, const wave_layout& layout, std::uint64_t times, unsigned seed) {
    std::mt19937_64 random(seed);
    for (std::uint64_t time = 10; time < 10 + times; time += 1 + random() % 3) {
        writer.set_time(time);
        for (std::size_t signal = 0; signal < layout.signals.size(); ++signal) {
            if (time != 10 && random() % 4 != 0) continue;
            std::vector<std::uint64_t> value(layout.signals[signal].words());
            for (std::uint64_t& word : value) word = random() % 3 == 0 ? 0 : random();
            if (layout.signals[signal].bits % 64 != 0)
                value.back() &= (std::uint64_t{1} << layout.signals[signal].bits % 64) - 1;
            writer.change(signal, value);
        }
    }
    writer.set_time(20 + times);
}

TEST(wave_writer, fst_and_vcd_hold_the_same) {
    const test::scratch_folder folder;
    const wave_layout layout = widths();
    for (const auto& [format, name] : {std::pair{wave_format::fst, "w.fst"}, std::pair{wave_format::vcd, "w.vcd"}}) {
        const auto writer = open_wave_writer(format, folder / name, layout);
        scribble(*writer, layout, 500, 1);
        writer->close();
    }
    const test::wave_file fst = test::read_waves(folder / "w.fst");
    const test::wave_file vcd = test::read_waves(folder / "w.vcd");
    EXPECT_EQ(fst.signals, vcd.signals);
    EXPECT_EQ(fst.signals.size(), layout.signals.size());
    for (const wave_signal& signal : layout.signals) {
        ASSERT_TRUE(fst.signals.contains(signal.full_name())) << signal.full_name();
        EXPECT_GT(fst.signals.at(signal.full_name()).size(), 20u) << signal.full_name();
    }
    EXPECT_EQ(fst.begin, 10u);
    EXPECT_EQ(fst.end, 520u);
    EXPECT_EQ(vcd.end, 520u);
}

TEST(wave_writer, fst_of_several_blocks_reads_back) {
    const test::scratch_folder folder;
    wave_layout layout;
    layout.signals.push_back({"top", "counter", 33, wave_direction::internal, wave_radix::decimal, 0});
    layout.signals.push_back({"top", "steady", 65, wave_direction::internal, wave_radix::hexadecimal, 0});
    constexpr std::uint64_t times = 6'000'000;  // more than a block of the file holds
    const auto writer = open_wave_writer(wave_format::fst, folder / "w.fst", layout);
    for (std::uint64_t time = 0; time < times; ++time) {
        writer->set_time(time);
        writer->change(0, std::array{time * 3});
        if (time == 0) writer->change(1, std::array<std::uint64_t, 2>{5, 1});
    }
    writer->close();
    const std::string command = std::string(POLYCAST_FST2VCD) + " -f '" + (folder / "w.fst").string() +
                                "' | tail -n 2 > '" + (folder / "tail").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream tail(folder / "tail");
    std::string time;
    std::string value;
    tail >> time >> value;
    EXPECT_EQ(time, "#" + std::to_string(times - 1));
    EXPECT_EQ(std::stoull(value.substr(1), nullptr, 2), (times - 1) * 3);
}

class wave_writer_failure : public ::testing::TestWithParam<wave_format> {};

TEST_P(wave_writer_failure, file_appears_only_when_complete) {
    const test::scratch_folder folder;
    const wave_layout layout = widths();
    {
        const auto writer = open_wave_writer(GetParam(), folder / "w", layout);
        scribble(*writer, layout, 10, 1);
        EXPECT_THAT(folder.files(), ::testing::ElementsAre("w.partial"));
    }
    EXPECT_THAT(folder.files(), ::testing::IsEmpty());
    const auto writer = open_wave_writer(GetParam(), folder / "w", layout);
    scribble(*writer, layout, 10, 1);
    writer->close();
    EXPECT_THAT(folder.files(), ::testing::ElementsAre("w"));
}

TEST_P(wave_writer_failure, full_disk_is_an_error_and_leaves_nothing) {
    const test::scratch_folder folder;
    const wave_layout layout = widths();
    std::filesystem::create_symlink("/dev/full", folder / "w.partial");
    try {
        const auto writer = open_wave_writer(GetParam(), folder / "w", layout);
        scribble(*writer, layout, 50'000, 1);
        writer->close();
        FAIL() << "no error";
    } catch (const hw::input_error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr((folder / "w").string() +
                                                       ": cannot write: No space left on device; free some space"));
    }
    EXPECT_THAT(folder.files(), ::testing::IsEmpty());
}

TEST_P(wave_writer_failure, folder_that_does_not_exist) {
    const test::scratch_folder folder;
    try {
        open_wave_writer(GetParam(), folder / "no/w", widths());
        FAIL() << "no error";
    } catch (const hw::input_error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot write: No such file or directory"));
    }
}

INSTANTIATE_TEST_SUITE_P(formats, wave_writer_failure, ::testing::Values(wave_format::fst, wave_format::vcd),
                         [](const auto& format) { return format.param == wave_format::fst ? "fst" : "vcd"; });

TEST(wave_writer, equal_input_gives_equal_files) {
    const test::scratch_folder folder;
    const wave_layout layout = widths();
    std::string content[2];
    for (std::string& text : content) {
        const auto writer = open_wave_writer(wave_format::fst, folder / "w.fst", layout);
        scribble(*writer, layout, 300, 7);
        writer->close();
        std::ifstream in(folder / "w.fst", std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    EXPECT_EQ(content[0], content[1]);
}

TEST(wave_history, replays_the_last_stretch) {
    const test::scratch_folder folder;
    const wave_layout layout = widths();
    wave_history history(layout, 100);
    scribble(history, layout, 500, 3);
    const auto all = open_wave_writer(wave_format::vcd, folder / "all.vcd", layout);
    scribble(*all, layout, 500, 3);
    all->close();
    const auto last = open_wave_writer(wave_format::vcd, folder / "last.vcd", layout);
    history.replay(*last);
    last->close();
    const test::wave_file expected = test::read_waves(folder / "all.vcd");
    const test::wave_file found = test::read_waves(folder / "last.vcd");
    EXPECT_EQ(found.begin, 420u);
    EXPECT_EQ(found.end, 520u);
    for (const auto& [name, wave] : expected.signals) {
        for (std::uint64_t time = 420; time <= 520; ++time)
            ASSERT_EQ(found.at(name, time), expected.at(name, time)) << name << " at " << time;
    }
}

TEST(wave_history, shorter_recording_than_its_depth_begins_where_it_began) {
    const test::scratch_folder folder;
    const wave_layout layout = widths();
    wave_history history(layout, 10'000);
    scribble(history, layout, 500, 3);
    EXPECT_EQ(history.first_time(), 10u);
}

TEST(wave_layout, names_become_parts_of_a_path) {
    EXPECT_EQ(wave_name("S-0008f105 \"sw.1[2]\""), "S-0008f105__sw_1_2__");
    EXPECT_EQ(wave_name(""), "_");
}

}  // namespace
}  // namespace polycast::tlm::trace
