// SPDX-License-Identifier: Apache-2.0
/// \file What fuzzers end with where something that must hold does not; libFuzzer then keeps the input.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace polycast::testbench::fuzz {

inline void require(bool holds, const std::string& what) {
    if (holds) return;
    std::cerr << "violated: " << what << std::endl;
    std::abort();
}

/// The parts of an input: byte 0xff, which no text in UTF-8 has, stands between them.
inline std::vector<std::string> parts_of(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < size; ++i) {
        if (data[i] == 0xff) {
            parts.emplace_back();
        } else {
            parts.back() += static_cast<char>(data[i]);
        }
    }
    return parts;
}

}  // namespace polycast::testbench::fuzz
