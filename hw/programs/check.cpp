// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/check.h"

#include <algorithm>

#include "hw/programs/circular_wait.h"
#include "hw/programs/pairing.h"
#include "hw/programs/places.h"

namespace polycast::hw::programs {

check_result check(const program& checked, const check_options& options) {
    pairing pairs = pair_messages(checked);
    check_result made;
    made.circle = find_circular_wait(checked, pairs, options.eager);
    made.problems = std::move(pairs.problems);
    made.problems_found = pairs.problems_found;
    const auto add = [&made](const std::string& problem) {
        ++made.problems_found;
        made.problems.push_back(problem);
    };
    const std::vector<std::string> places = problems_of_places(checked);
    std::ranges::for_each(places, add);
    if (checked.has_buffers() && options.races && places.empty() && made.good() && made.circle.empty()) {
        const std::vector<race> races = find_races(checked, pairs);
        made.problems_found = races.size();
        for (const race& one : races)
            if (made.problems.size() < max_problems) made.problems.push_back(race_text(checked, one));
    }
    if (made.circle.empty()) return made;
    ++made.problems_found;
    made.problems.insert(made.problems.begin(), "circular wait: " + circle_text(checked, made.circle));
    return made;
}

}  // namespace polycast::hw::programs
