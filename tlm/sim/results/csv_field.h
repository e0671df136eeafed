// SPDX-License-Identifier: Apache-2.0
/// \file Names in CSV tables.
#pragma once

#include <string>

namespace polycast::tlm::sim {

/// A field of a CSV table (RFC 4180): names from topology files may hold anything.
inline std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace polycast::tlm::sim
