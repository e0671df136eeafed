// SPDX-License-Identifier: Apache-2.0
/// \file Bytes of files, packed or not: read as they are, in pieces of any size; what is cut or damaged is refused.
#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "hw/subnet/check.h"
#include "hw/subnet/fabric_files.h"
#include "hw/subnet/kept_bytes.h"
#include "testbench/unit/hw/subnet/small_fabric.h"

namespace polycast::hw::subnet {
namespace {

using testbench::unit::refusal;
using testbench::unit::ring;
using testing::HasSubstr;

std::string packed(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
    std::string made(deflateBound(&stream, text.size()) + 64, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(made.data());
    stream.avail_out = static_cast<uInt>(made.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    made.resize(made.size() - stream.avail_out);
    deflateEnd(&stream);
    return made;
}

/// Long enough for several blocks; packs to half or so.
std::string long_text() {
    std::mt19937 random(5);
    std::string text;
    while (text.size() < 700'001) text += std::to_string(random()) + (random() % 9 == 0 ? "\n" : " ");
    return text;
}

std::string all_of(byte_source& from, std::size_t piece) {
    std::string all, part(piece, '\0');
    for (std::size_t count = piece; count == piece;) {
        count = from.read(part);
        all.append(part, 0, count);
    }
    return all;
}

std::string unpacked_text(const std::string& bytes, std::size_t piece = 1000, std::uint64_t most = 1u << 30) {
    return all_of(*unpacked(bytes_in_memory(bytes), "one.gz", most), piece);
}

/// A fabric whose tables are these bytes.
fabric read_with(const ring& of, const std::string& tables, const join_options& options = {}) {
    std::vector<dump> dumps;
    dumps.push_back({"list", bytes_in_memory(of.list)});
    dumps.push_back({"fdbs", bytes_in_memory(tables)});
    return read_fabric_dumps(std::move(dumps), options);
}

TEST(byte_source, gives_what_is_there_in_pieces_of_any_size) {
    const std::string text = long_text();
    for (const std::size_t piece : {1u, 7u, 1000u, 1u << 17, 1u << 20}) {
        EXPECT_EQ(unpacked_text(text, piece), text) << piece;
        EXPECT_EQ(unpacked_text(packed(text), piece), text) << piece;
        EXPECT_EQ(unpacked_text(packed(text) + packed("more") + std::string(300'000, '\0'), piece), text + "more");
    }
    for (const char* short_one : {"", "\x1f", "a"}) EXPECT_EQ(unpacked_text(short_one), short_one);
    EXPECT_EQ(unpacked_text(packed("")), "");
}

TEST(byte_source, refuses_what_is_cut_or_damaged) {
    const std::string text = long_text(), whole = packed(text);
    const auto said = [](const std::string& bytes) { return refusal([&] { unpacked_text(bytes); }); };
    for (const std::size_t size : {std::size_t{2}, std::size_t{11}, whole.size() / 2, whole.size() - 1})
        EXPECT_EQ(said(whole.substr(0, size)),
                  "one.gz: is packed by gzip, and ends in the middle of it; is the file cut short?");
    std::string damaged = whole;
    damaged[whole.size() - 5] = static_cast<char>(damaged[whole.size() - 5] ^ 1);
    EXPECT_THAT(said(damaged), HasSubstr("one.gz: is packed by gzip, and damaged: incorrect"));
    damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
    EXPECT_THAT(said(damaged), HasSubstr("one.gz: is packed by gzip, and damaged: "));
    EXPECT_THAT(said(whole + "x"), HasSubstr("one.gz: is packed by gzip, and damaged: something else follows"));
    EXPECT_THAT(said("\x1f\x8b of no kind"), HasSubstr("damaged: unknown compression method"));
}

TEST(byte_source, packs_no_endless_text) {
    const std::string text(100'000, 'a');
    EXPECT_EQ(unpacked_text(packed(text), 1000, text.size()), text);
    EXPECT_EQ(refusal([&] { unpacked_text(packed(text), 1000, text.size() - 1); }),
              "one.gz: has more than 99999 bytes unpacked; unpack it: files that are not packed may have any size");
    const ring one;
    join_options little;
    little.limits.unpacked = one.fdbs.size();
    EXPECT_EQ(check(read_with(one, packed(one.fdbs), little), {}).reached, 12U);
    --little.limits.unpacked;
    EXPECT_THAT(refusal([&] { read_with(one, packed(one.fdbs), little); }), HasSubstr("fdbs: has more than"));
    EXPECT_EQ(check(read_with(one, one.fdbs, little), {}).reached, 12U) << "what is not packed has no limit";
}

TEST(byte_source, tables_that_are_packed_have_the_places_of_their_lines) {
    ring one;
    testbench::unit::exchange(one.fdbs, ": 02   :", ": xx   :");
    const std::string plain = refusal([&] { read_with(one, one.fdbs); });
    EXPECT_THAT(plain, HasSubstr("fdbs:"));
    EXPECT_EQ(refusal([&] { read_with(one, packed(one.fdbs)); }), plain);
    // A line that makes no sense because the file is damaged: that it is damaged is said.
    std::string cut = packed(one.fdbs + long_text());
    cut.resize(cut.size() - 1);
    EXPECT_THAT(refusal([&] { read_with(one, cut); }), HasSubstr("fdbs: is packed by gzip, and ends in the middle"));
}

TEST(byte_source, files) {
    namespace fs = std::filesystem;
    const fs::path place = fs::path(testing::TempDir()) / ("bytes_" + std::to_string(::getpid()));
    fs::create_directories(place);
    const std::string text = long_text(), file = (place / "file").string();
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_EQ(all_of(*open_file(file), 10'000), text);
    EXPECT_THAT(refusal([&] { open_file(place.string()); }), HasSubstr("this is a directory, not a file"));
    EXPECT_THAT(refusal([&] { open_file(file + "s"); }), HasSubstr("files: cannot be read: No such file"));
    fs::remove_all(place);
}

TEST(kept_bytes, are_given_as_they_were_and_take_less) {
    const std::string text = long_text();
    const auto keep = [](const std::string& bytes, std::size_t plain) {
        return kept_bytes(*bytes_in_memory(bytes), plain);
    };
    std::string rows;
    while (rows.size() < 3'000'000) rows += "0x0001 : 001  : 01   : yes\n";
    for (const std::string& bytes : {std::string(), std::string("short"), text, packed(text), rows,
                                     std::string(1u << 18, 'a'), std::string(1u << 19, '\0')})
        for (const std::size_t plain :
             {std::size_t{0}, std::size_t{1000}, std::size_t{300'000}, std::size_t{1} << 22}) {
            const kept_bytes kept = keep(bytes, plain);
            EXPECT_EQ(all_of(*kept.source(), 999), bytes);
            EXPECT_EQ(all_of(*kept.source(), 1u << 20), bytes) << "and again";
            EXPECT_EQ(kept.hash(), keep(bytes, 7).hash()) << "however they are kept";
        }
    EXPECT_LT(keep(rows, 1000).memory_bytes(), rows.size() / 50);
    EXPECT_NE(keep(rows, 1000).hash(), keep(rows + "\n", 1000).hash());
    EXPECT_NE(keep("x" + rows, 1000).hash(), keep("y" + rows, 1000).hash()) << "all blocks count";
    EXPECT_EQ(keep(packed(text), 1000).memory_bytes(), packed(text).size()) << "what is packed is not packed again";
}

}  // namespace
}  // namespace polycast::hw::subnet
