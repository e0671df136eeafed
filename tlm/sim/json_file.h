// SPDX-License-Identifier: Apache-2.0
/// \file JSON that a command writes where the user says.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tlm/trace/output_file.h"

namespace polycast::tlm::sim {

/// Under a temporary name first, so that a file is there whole or not at all; "-" prints it.
inline void write_json(const std::string& path, const nlohmann::ordered_json& content) {
    const std::string text = content.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (path == "-") {
        fmt::print("{}", text);
        return;
    }
    trace::text_file file(path);
    file.append(text);
    file.commit();
}

}  // namespace polycast::tlm::sim
