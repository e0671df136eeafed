// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/check.h"

#include "hw/programs/circular_wait.h"
#include "hw/programs/pairing.h"

namespace polycast::hw::programs {

check_result check(const program& checked, const check_options& options) {
    pairing pairs = pair_messages(checked);
    check_result made;
    made.circle = find_circular_wait(checked, pairs, options.eager);
    made.problems = std::move(pairs.problems);
    made.problems_found = pairs.problems_found;
    if (made.circle.empty()) return made;
    ++made.problems_found;
    made.problems.insert(made.problems.begin(), "circular wait: " + circle_text(checked, made.circle));
    return made;
}

}  // namespace polycast::hw::programs
