// SPDX-License-Identifier: Apache-2.0
/// \file A ring of four switches with a host each, as text files whose parts tests exchange. All ways go up, from
/// switch i to switch i + 1: a circle.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/subnet/check.h"
#include "hw/subnet/fabric_files.h"
#include "testbench/unit/refusal.h"

namespace polycast::testbench::unit {

template <typename... values>
std::string formatted(const char* form, values... what) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), form, what...);
    return text.data();
}

inline std::string switch_end(unsigned s, unsigned port) {
    return formatted(
        "{ SW Ports:04 SystemGUID:%016x NodeGUID:%016x PortGUID:%016x VenID:000000 DevID:0000 Rev:000000A1 {ring%u} "
        "LID:%04X PN:%02X }",
        0x200 + s, 0x200 + s, 0x200 + s, s, s + 1, port);
}

inline std::string host_end(unsigned h) {
    return formatted(
        "{ CA Ports:01 SystemGUID:%016x NodeGUID:%016x PortGUID:%016x VenID:00000000 DevID:0000 Rev:000000A1 "
        "{node%u} LID:%04X PN:01}",
        0x100 + 2 * h, 0x100 + 2 * h, 0x101 + 2 * h, h, h + 5);
}

/// Ports: 1 the host, 2 down (to i - 1), 3 up (to i + 1), 4 open. LIDs: switches 1 to 4, hosts 5 to 8.
struct ring {
    std::string list, fdbs, more;
    std::string name_of_more = "more";
    hw::subnet::join_options join;
    hw::subnet::check_options options;

    ring() {
        const std::string tail = " PHY=4x LOG=ACT SPD=2.5\n";
        for (unsigned s = 0; s < 4; ++s) {
            const unsigned up = (s + 1) % 4;
            list += host_end(s) + " " + switch_end(s, 1) + tail;
            list += switch_end(s, 1) + " " + host_end(s) + tail;
            list += switch_end(s, 3) + " " + switch_end(up, 2) + tail;
            list += switch_end(up, 2) + " " + switch_end(s, 3) + tail;
            fdbs += formatted("dump_ucast_routes: Switch 0x%016x\nLID    : Port : Hops : Optimal\n", 0x200 + s);
            for (unsigned t = 0; t < 4; ++t)
                fdbs += formatted("0x%04X : %03u  : %02u   : yes\n", t + 1, t == s ? 0 : 3, (t + 4 - s) % 4);
            for (unsigned t = 0; t < 4; ++t)
                fdbs += formatted("0x%04X : %03u  : %02u   : yes\n", t + 5, t == s ? 1 : 3, (t + 4 - s) % 4 + 1);
        }
    }

    hw::subnet::fabric read() const {
        std::vector<std::pair<std::string, std::string_view>> texts{{"list", list}, {"fdbs", fdbs}};
        if (!more.empty()) texts.emplace_back(name_of_more, more);
        return hw::subnet::read_fabric_texts(texts, join);
    }
    hw::subnet::check_result check() const { return hw::subnet::check(read(), options); }
    std::string refused() const {
        return refusal([&] { read(); });
    }
    /// All problems, a line each.
    std::string problems() const {
        std::string text;
        for (const std::string& one : check().problems) text += one + "\n";
        return text;
    }
    std::string warnings() const {
        std::string text;
        for (const std::string& one : check().warnings) text += one + "\n";
        return text;
    }
};

/// `text` with its first `what` exchanged; the rest of a test would test nothing without it.
inline void exchange(std::string& text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    if (at == std::string::npos) throw std::logic_error("no '" + what + "' in the text");
    text.replace(at, what.size(), by);
}

}  // namespace polycast::testbench::unit
