// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace polycast::hw::topology {
namespace {

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Optimal string alignment (two swapped neighbours are one mistake) in half letters, so that a wrong case can count
/// half.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = 2 * j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last.swap(last);
        last.swap(row);
        row[0] = 2 * i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t change = 2;
            if (a[i - 1] == b[j - 1])
                change = 0;
            else if (lower(a[i - 1]) == lower(b[j - 1]))
                change = 1;
            row[j] = std::min({last[j - 1] + change, last[j] + 2, row[j - 1] + 2});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 2);
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
    constexpr std::size_t longest =
        128;  // nobody misspells longer names by hand, and the distance takes quadratic time
    if (name.size() > longest) return {};
    const std::string* best = nullptr;
    std::size_t least = 2 * std::max<std::size_t>(2, (name.size() + 2) / 3) + 1;
    for (const std::string& candidate : known) {
        if (candidate.size() > longest) continue;
        const std::size_t apart = distance(name, candidate);
        if (apart < least && apart < 2 * std::max(name.size(), candidate.size())) {
            least = apart;
            best = &candidate;
        }
    }
    return best == nullptr ? std::string{} : *best;
}

std::string propose_name(std::string_view name, std::span<const std::string> known) {
    const std::string near = nearest_name(name, known);
    return near.empty() ? std::string{} : "did you mean '" + near + "'?";
}

}  // namespace polycast::hw::topology
