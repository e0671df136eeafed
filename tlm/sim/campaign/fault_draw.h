// SPDX-License-Identifier: Apache-2.0
/// \file Draws the faults of a campaign out of what golden runs had on their wires.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/sim/campaign/fault_class.h"
#include "tlm/sim/campaign/golden_run.h"

namespace polycast::tlm::sim {

/// A fault, and the run that it is for.
struct drawn_fault {
    std::size_t run = 0;                         ///< index of the golden run
    hw::engine::cycle at = 0;                    ///< in which it begins
    std::string place;                           ///< port, or host
    std::string events;                          ///< `faults.events` of a scenario, in YAML
    std::optional<hw::engine::chip_id> cable{};  ///< that it hits
};

struct draw_options {
    std::uint64_t seed = 0;
    bool raw = false;  ///< all cycles of all wires, not only those with something on them
};

/// Draws fault after fault of one class. Fault number i depends on the seed, the class, i and the golden runs alone.
class fault_draw {
public:
    /// `runs` outlives it.
    fault_draw(const std::vector<golden_run>& runs, fault_class of, draw_options options);

    /// Why there are no faults of this class here; nothing: there are some.
    const std::optional<std::string>& why_none() const { return why_none_; }
    /// Different faults, or different places times cycles where there are more than anybody counts.
    std::uint64_t population() const { return population_; }

    drawn_fault fault(std::uint64_t number) const;

private:
    /// Where a number below `population()` falls: entry `entry` of a list with weights, and what is left.
    struct place {
        std::size_t run = 0, index = 0;
        std::uint64_t rest = 0;
    };
    struct weighted {
        std::size_t run = 0, index = 0;
        std::uint64_t until = 0;  ///< sum of the weights up to this one
    };

    void weigh();
    void add(std::size_t run, std::size_t index, std::uint64_t weight);
    std::uint64_t weight_of(const golden_run& run, std::size_t direction) const;
    std::uint64_t chip_weight(const golden_run& run, std::size_t chip) const;
    place find(std::uint64_t number) const;
    std::uint64_t slots_weight(const golden_run& run, std::size_t interface) const;
    /// Of the packet memory of an interface.
    void draw_packet(const golden_run& run, const place& where, drawn_fault& made) const;
    /// Of a memory of a switch or router.
    void draw_upset(const golden_run& run, const place& where, drawn_fault& made) const;

    const std::vector<golden_run>& runs_;
    fault_class class_;
    draw_options options_;
    std::optional<std::string> why_none_;
    std::vector<weighted> weights_;
    std::uint64_t population_ = 0;
};

}  // namespace polycast::tlm::sim
