// SPDX-License-Identifier: Apache-2.0
/// \file Random draws of the hostile traffic; the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

namespace polycast::testbench::ni {

class dice {
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t bits() { return engine_(); }
    std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    /// 0 .. `bound` - 1.
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
    /// `first` .. `last`.
    std::uint32_t between(std::uint32_t first, std::uint32_t last) { return first + below(last - first + 1); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    template <typename value>
    value of(std::initializer_list<value> choices) {
        return *(choices.begin() + below(static_cast<std::uint32_t>(choices.size())));
    }
    void fill(std::span<std::uint8_t> bytes) {
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine_() >> 32);
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace polycast::testbench::ni
