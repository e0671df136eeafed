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

/// Text of a random program that ends on every machine: messages in one order of all, each with its receive first,
/// dependencies on earlier operations only (none of a send to the own rank), and tags that no two messages share.
inline std::string random_goal(std::mt19937_64& draw, unsigned ranks, unsigned messages) {
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
        const std::string size = std::to_string(draw() % 3000) + "b ";
        const std::string cpu = draw() % 4 == 0 ? " cpu " + std::to_string(draw() % 3) : "";
        add(to,
            "recv " + size + "from " + (draw() % 8 == 0 ? "-1" : std::to_string(from)) + " tag " + std::to_string(i) +
                cpu,
            true);
        add(from, "send " + size + "to " + std::to_string(to) + " tag " + std::to_string(i) + cpu, from != to);
        if (draw() % 3 == 0) add(from, "calc " + std::to_string(draw() % 500), true);
    }
    std::string text = "num_ranks " + std::to_string(ranks) + "\n";
    for (unsigned rank = 0; rank < ranks; ++rank) text += "rank " + std::to_string(rank) + " {\n" + texts[rank] + "}\n";
    return text;
}

}  // namespace polycast::hw::programs
