// SPDX-License-Identifier: Apache-2.0
/// \file Numbers of binary GOAL, for its reader and its writer: little-endian and packed.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace polycast::hw::programs::goal_binary {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

inline constexpr std::uint64_t magic = 4223;
inline constexpr std::uint64_t spoilt_magic = 2342;
inline constexpr std::size_t origin = 8;         ///< of the places in the table of ranks
inline constexpr std::size_t table_at = 14;      ///< the table of ranks, behind magic, ranks, largest cpu and nic
inline constexpr std::size_t rank_bytes = 16;    ///< an entry of it: start and end
inline constexpr std::size_t head_bytes = 8;     ///< of a rank: numbers of operations and roots
inline constexpr std::size_t record_bytes = 39;  ///< an operation
inline constexpr std::size_t other_record_bytes = 104;  ///< LogGOPSim2's
inline constexpr std::uint32_t any = 0xffffffff;        ///< source or tag
enum : std::uint8_t { send = 1, receive = 2, calc = 3 };

template <typename number>
number load(const char* from) {
    number value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <typename number>
void append(std::string& to, number value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof value);
}

/// An operation of a file.
struct record {
    std::uint32_t waits;  ///< dependencies of both kinds
    std::uint8_t kind;
    std::uint32_t peer;
    std::uint64_t size;
    std::uint32_t tag;
    std::uint8_t cpu, nic;
    std::uint32_t on_end, first_on_end;      ///< how many wait for its end, and the first of them in the appendix
    std::uint32_t on_start, first_on_start;  ///< for its start
};

inline record load_record(const char* from) {
    return {load<std::uint32_t>(from),      load<std::uint8_t>(from + 4),   load<std::uint32_t>(from + 5),
            load<std::uint64_t>(from + 9),  load<std::uint32_t>(from + 17), load<std::uint8_t>(from + 21),
            load<std::uint8_t>(from + 22),  load<std::uint32_t>(from + 23), load<std::uint32_t>(from + 27),
            load<std::uint32_t>(from + 31), load<std::uint32_t>(from + 35)};
}

inline void append_record(std::string& to, const record& written) {
    append(to, written.waits);
    append(to, written.kind);
    append(to, written.peer);
    append(to, written.size);
    append(to, written.tag);
    append(to, written.cpu);
    append(to, written.nic);
    append(to, written.on_end);
    append(to, written.first_on_end);
    append(to, written.on_start);
    append(to, written.first_on_start);
}

}  // namespace polycast::hw::programs::goal_binary
