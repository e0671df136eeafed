// SPDX-License-Identifier: Apache-2.0
/// \file Which resources wait for which, for the watchdog that stops a run in which nothing moves.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace polycast::hw::routing {

/// `waiter` cannot proceed before `holder` has. Anything with a unique name takes part: channels, outputs, packets.
struct wait {
    std::string waiter;
    std::string holder;
    std::string reason;  ///< what for, e.g. "a credit"; may be empty
};

/// Waits that form a cycle, in order (each one's holder is the next one's waiter); empty when there is none. The
/// shortest through the first-named member of any cycle, so the answer does not depend on the order of unrelated
/// waits.
std::vector<wait> find_wait_cycle(std::span<const wait> waits);

/// "switch3:2 waits for switch5:0 (a credit); switch5:0 waits for ...", or "no wait cycle".
std::string wait_cycle_text(std::span<const wait> cycle);

}  // namespace polycast::hw::routing
