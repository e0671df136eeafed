// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/advice.h"

#include <algorithm>

namespace polycast::hw::collectives {

std::vector<prediction> predict(const collective& made, const programs::loggops_tables& machine,
                                const std::function<bool(std::string_view scheme)>& carries) {
    const auto possible = [&](const algorithm& one) {
        return one.of == made.kind && why_not(one, made).empty() &&
               (one.scheme.empty() || (carries && carries(one.scheme)));
    };
    std::vector<prediction> all;
    for (const algorithm* each : algorithms())
        if (possible(*each))
            all.push_back({each, programs::run_with_tables(make_program(*each, made), machine).latest()});
    std::ranges::stable_sort(all, {}, &prediction::cycles);
    return all;
}

std::vector<crossover> crossovers(const std::vector<std::uint64_t>& elements,
                                  const std::function<const algorithm*(std::uint64_t)>& winner) {
    std::vector<crossover> found;
    for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
        std::uint64_t low = elements[i];
        const algorithm *before = winner(low), *last = winner(elements[i + 1]);
        while (before != last) {
            std::uint64_t high = elements[i + 1];
            // To 10 %, and at least to neighbours.
            while (high - low > std::max<std::uint64_t>(low / 10, 1)) {
                const std::uint64_t middle = low + (high - low) / 2;
                (winner(middle) == before ? low : high) = middle;
            }
            const algorithm* const after = winner(high);
            found.push_back({high, before, after});
            low = high;
            before = after;
        }
    }
    return found;
}

}  // namespace polycast::hw::collectives
