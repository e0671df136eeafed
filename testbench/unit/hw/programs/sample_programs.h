// SPDX-License-Identifier: Apache-2.0
/// \file Programs that tests share: samples of testbench/data/programs, texts, and random ones.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "hw/programs/program_file.h"

namespace polycast::hw::programs {

inline std::string sample_path(const std::string& name) {
    return std::string(POLYCAST_DATA_DIR) + "/programs/" + name;
}

inline std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Files of others, which are not in the tree: beside the checkout in shared/data, or where POLYCAST_SHARED_DATA says.
/// Empty where they are not there.
inline std::string shared_programs() {
    const char* const told = std::getenv("POLYCAST_SHARED_DATA");
    const std::string folder =
        (told != nullptr ? std::string(told) : std::string(POLYCAST_DATA_DIR) + "/../../../shared/data") + "/programs/";
    return std::filesystem::is_directory(folder) ? folder : "";
}

inline program sample(const std::string& name) {
    return read_program(sample_path(name));
}

inline program goal(const std::string& text, const read_options& options = {}) {
    return read_program_bytes("test.goal", text, options, program_format::goal);
}

inline std::string written(const program& of, program_format format, std::uint64_t unit = default_unit) {
    std::string all;
    write_program(
        of, format, [&all](std::string_view piece) { all += piece; }, unit);
    return all;
}

/// Text of a random program that ends on every machine: messages in one order of all, each with its receive first, and
/// dependencies on earlier operations only (none of a send to the own rank). Most messages have a tag that no other one
/// has. Those of some pairs share one, or are received with any tag, and some messages to each rank share a tag and are
/// received from anybody. Receives of these wait for nothing, and all of them are equally long: then it does not matter
/// which of them takes which message. \param channels numbers of NICs, which overtake each other
inline std::string random_goal(std::mt19937_64& draw, unsigned ranks, unsigned messages, unsigned channels = 1) {
    constexpr unsigned tag_of_pair = 70'000, tag_of_rank = 80'000;
    enum class pair_kind { any_tag, shared_tag, plain };
    std::vector<std::pair<pair_kind, std::string>> pairs(std::size_t{ranks} * ranks);
    for (auto& [kind, size] : pairs) {
        kind = draw() % 8 == 0 ? pair_kind::any_tag : draw() % 8 == 0 ? pair_kind::shared_tag : pair_kind::plain;
        size = std::to_string(draw() % 3000) + "b ";
    }
    std::vector<std::string> sizes(ranks);
    for (std::string& size : sizes) size = std::to_string(draw() % 3000) + "b ";
    std::vector<std::string> texts(ranks);
    std::vector<unsigned> counts(ranks);
    const auto add = [&](unsigned rank, const std::string& operation, bool waits) {
        const unsigned own = ++counts[rank];
        texts[rank] += "l" + std::to_string(own) + ": " + operation + "\n";
        for (unsigned tries = static_cast<unsigned>(draw() % 3); waits && tries > 0 && own > 1; --tries)
            texts[rank] += "l" + std::to_string(own) + (draw() % 3 == 0 ? " irequires l" : " requires l") +
                           std::to_string(1 + draw() % (own - 1)) + "\n";
    };
    for (unsigned i = 0; i < messages; ++i) {
        const auto from = static_cast<unsigned>(draw() % ranks), to = static_cast<unsigned>(draw() % ranks);
        std::string rest = draw() % 4 == 0 ? " cpu " + std::to_string(draw() % 3) : "";
        if (channels > 1) rest += " nic " + std::to_string(draw() % channels);
        const auto& [kind, size_of_pair] = pairs[std::size_t{from} * ranks + to];
        const bool of_rank = kind == pair_kind::plain && draw() % 4 == 0;
        const bool alone = kind == pair_kind::plain && !of_rank;
        const std::string size = of_rank ? sizes[to] : alone ? std::to_string(draw() % 3000) + "b " : size_of_pair;
        const std::string tag = " tag " + std::to_string(of_rank                         ? tag_of_rank
                                                         : kind == pair_kind::shared_tag ? tag_of_pair
                                                                                         : i);
        const bool anybody = of_rank || (alone && draw() % 8 == 0);
        add(to,
            "recv " + size + "from " + (anybody ? "-1" : std::to_string(from)) +
                (kind == pair_kind::any_tag ? " tag -1" : tag) + rest,
            alone);
        add(from, "send " + size + "to " + std::to_string(to) + tag + rest, from != to);
        if (draw() % 3 == 0) add(from, "calc " + std::to_string(draw() % 500), true);
    }
    std::string text = "num_ranks " + std::to_string(ranks) + "\n";
    for (unsigned rank = 0; rank < ranks; ++rank) text += "rank " + std::to_string(rank) + " {\n" + texts[rank] + "}\n";
    return text;
}

}  // namespace polycast::hw::programs
