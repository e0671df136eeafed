// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/limited_errors.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>

namespace polycast::tlm::sim {

std::string kind_of_message(const std::string& what) {
    const auto in_word = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    const auto digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
    std::string kind;
    for (auto at = what.begin(); at != what.end();) {
        const auto end = std::find_if_not(at, what.end(), in_word);
        kind += std::any_of(at, end, digit) ? "#" : std::string(at, end);
        at = end;
        if (at != what.end()) kind += *at++;
    }
    return kind;
}

void limited_errors::add(const std::string& run, const std::string& what, const std::string& kind) {
    if (++counts_[kind] <= most) spdlog::error("{}: {}", run, what);
}

void limited_errors::finish() const {
    for (const auto& [kind, count] : counts_)
        if (count > most) spdlog::error("… and {} more: {}", count - most, kind);
}

}  // namespace polycast::tlm::sim
