// SPDX-License-Identifier: Apache-2.0
/// \file Makes Chakra traces for tests, byte by byte: without the library that reads them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace polycast::hw::programs::chakra_writer {

inline std::string varint(std::uint64_t value) {
    std::string made;
    for (; value >= 128; value >>= 7) made += static_cast<char>((value & 127) | 128);
    return made + static_cast<char>(value);
}

inline std::string number(std::uint64_t field, std::uint64_t value) {
    return varint(field << 3) + varint(value);
}

inline std::string text(std::uint64_t field, std::string_view value) {
    return varint(field << 3 | 2) + varint(value.size()) + std::string(value);
}

/// \param held field and value, as number() and text() make them
inline std::string attribute(std::string_view name, const std::string& held) {
    return text(10, text(1, name) + held);
}

inline std::string whole(std::string_view name, std::int64_t value) {
    return attribute(name, number(9, static_cast<std::uint64_t>(value)));
}

inline std::string on_cpu(bool value) {
    return attribute("is_cpu_op", number(27, value ? 1 : 0));
}

enum kind : std::uint64_t { invalid, metadata, mem_load, mem_store, comp, send, recv, coll };

/// \param after ids of data dependencies \param more further fields
inline std::string node(std::uint64_t id, std::string_view name, std::uint64_t type,
                        std::initializer_list<std::uint64_t> after = {}, const std::string& more = {}) {
    std::string packed;
    for (const std::uint64_t one : after) packed += varint(one);
    return number(1, id) + text(2, name) + number(3, type) + (packed.empty() ? "" : text(5, packed)) + more;
}

inline std::string micros(std::uint64_t time) {
    return number(7, time);
}

/// The metadata, and nodes as records.
inline std::string trace(std::initializer_list<std::string> nodes) {
    std::string made;
    const auto add = [&made](const std::string& record) { made += varint(record.size()) + record; };
    add(text(1, "0.0.4"));
    for (const std::string& one : nodes) add(one);
    return made;
}

}  // namespace polycast::hw::programs::chakra_writer
