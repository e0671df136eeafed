// SPDX-License-Identifier: Apache-2.0
/// \file What a wave file contains: time unit, enumerations, and signals in their scopes, independent of the file
/// format.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace polycast::tlm::trace {

/// How a viewer should print a signal.
enum class wave_radix : std::uint8_t { bit, binary, hexadecimal, decimal, text, enumeration };

/// Seen from the chip.
enum class wave_direction : std::uint8_t { internal, input, output };

/// Names of a signal's values.
struct wave_enumeration {
    std::string name;                                           ///< without spaces
    std::vector<std::pair<std::uint64_t, std::string>> values;  ///< value and its name, without spaces
};

/// One vector of bits.
struct wave_signal {
    std::string scope;  ///< dotted path, e.g. "net.sw0.port3.in"
    std::string name;   ///< last part of the full name
    unsigned bits = 1;
    wave_direction direction = wave_direction::internal;
    wave_radix radix = wave_radix::bit;
    std::size_t enumeration = 0;  ///< index in wave_layout::enumerations where `radix` is `enumeration`

    /// 64-bit words of a value.
    std::size_t words() const { return (bits + 63) / 64; }

    /// Full name as viewers spell it: scope, name, range of bits.
    std::string full_name() const {
        return scope + "." + name + (bits > 1 ? "[" + std::to_string(bits - 1) + ":0]" : "");
    }
};

/// The table of contents of a wave file. A signal is known by its index in `signals`.
struct wave_layout {
    int timescale = -9;  ///< the time unit is 10^timescale seconds
    std::vector<wave_enumeration> enumerations;
    std::vector<wave_signal> signals;  ///< those of one scope together, scopes in depth-first order
};

/// \returns `name` as one part of a dotted path: whatever is not a letter, digit, '_' or '-' becomes '_'.
std::string wave_name(const std::string& name);

/// Calls `enter(name)`, `leave()` and `declare(signal index)` in the order in which hierarchical formats want them.
template <typename Enter, typename Leave, typename Declare>
void walk_scopes(const wave_layout& layout, Enter enter, Leave leave, Declare declare) {
    std::vector<std::string> open;
    for (std::size_t index = 0; index < layout.signals.size(); ++index) {
        std::vector<std::string> path;
        const std::string& scope = layout.signals[index].scope;
        for (std::size_t begin = 0; begin <= scope.size();) {
            const std::size_t end = std::min(scope.find('.', begin), scope.size());
            path.push_back(scope.substr(begin, end - begin));
            begin = end + 1;
        }
        std::size_t common = 0;
        while (common < open.size() && common < path.size() && open[common] == path[common]) ++common;
        for (; open.size() > common; open.pop_back()) leave();
        for (; open.size() < path.size(); open.push_back(path[open.size()])) enter(path[open.size()]);
        declare(index);
    }
    for (; !open.empty(); open.pop_back()) leave();
}

}  // namespace polycast::tlm::trace
