// SPDX-License-Identifier: Apache-2.0
/// \file Names and ids of InfiniBand nodes.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace polycast::hw::topology {

/// GUID in an id like "S-0000000000200005"; nothing for other ids.
inline std::optional<std::uint64_t> guid_of(std::string_view id) {
    if (id.size() != 18 || id[1] != '-' || std::string_view("SHR").find(id[0]) == std::string_view::npos)
        return std::nullopt;
    std::uint64_t guid = 0;
    const auto [end, error] = std::from_chars(id.data() + 2, id.data() + id.size(), guid, 16);
    if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
    return guid;
}

/// A node's description from the comment behind its id: `# "anything" base port 0 lid 5 lmc 0`, or without the quotes,
/// as older tools wrote it. The description itself may hold quotes and #, so it ends at the last quote of the line.
inline std::string description_of(std::string_view comment) {
    const auto trim = [](std::string_view text) {
        while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
        return text;
    };
    if (comment.empty()) return {};
    comment = trim(comment.substr(1));
    if (comment.starts_with('"')) {
        const std::size_t last = comment.rfind('"');
        return std::string(last == 0 ? comment.substr(1) : comment.substr(1, last - 1));
    }
    for (const std::string_view end : {" enhanced port ", " base port ", " lid ", " lmc "})
        comment = comment.substr(0, comment.find(end));
    return std::string(trim(comment));
}

/// The number behind the first `word` of a comment: 10 behind " lid " in ` base port 0 lid 10 lmc 0`.
inline std::optional<unsigned> number_behind(std::string_view comment, std::string_view word) {
    const std::size_t at = comment.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    unsigned value = 0;
    const char* begin = comment.data() + at + word.size();
    const auto [end, error] = std::from_chars(begin, comment.data() + comment.size(), value);
    if (error != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace polycast::hw::topology
