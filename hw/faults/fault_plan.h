// SPDX-License-Identifier: Apache-2.0
/// \file What goes wrong on the wires of one cable. hw/faults/faults.md describes each fault.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_upset.h"
#include "hw/engine/chip.h"

namespace polycast::hw::faults {

/// Flips at random, on one direction.
struct random_flip_rule {
    unsigned from_end = 0;  ///< the direction: away from this end of the cable
    double rate = 0;        ///< faults per wire and cycle, up to 0.1
    unsigned burst = 1;     ///< neighbouring bits of a fault
    engine::cycle from = 0;
    engine::cycle to = engine::never;  ///< no fault begins here or later
};

enum class fault_kind : std::uint8_t { flip, lose, lose_credit, double_credit, frame, set, dead, stuck, upset };
inline constexpr std::array<const char*, 9> fault_names = {"flip", "lose", "lose_credit", "double_credit", "frame",
                                                           "set",  "dead", "stuck",       "upset"};

enum class frame_loss : std::uint8_t { bad, vanish };

/// "All of them": a count of sets.
inline constexpr unsigned all_sets = ~0u;

struct fault_event {
    fault_kind what = fault_kind::flip;
    unsigned from_end = 0;  ///< as of random_flip_rule
    engine::cycle at = 0;   ///< frame, set and credits: the next from here on
    engine::cycle until = engine::never;
    engine::cycle retrain = 0;         ///< dead: cycles behind `until` without signal
    bool one_way = false;              ///< dead: the other direction lives
    std::vector<unsigned> wires = {};  ///< flip: all of them; stuck: one
    bool value = false;                ///< stuck
    std::uint32_t number = 0;          ///< frame
    frame_loss loss = frame_loss::bad;
    chips::set_type type = chips::set_type::ack;  ///< set
    unsigned times = 1;                           ///< frame, set
    chips::link_upset upset = {};                 ///< upset, of the end `from_end`
};

struct fault_plan {
    std::uint64_t seed = 0;
    std::vector<random_flip_rule> rates;
    std::vector<fault_event> events;

    bool empty() const { return rates.empty() && events.empty(); }
    /// Whatever hits a wire hits it for a cycle that is known beforehand.
    bool momentary() const {
        return std::ranges::all_of(events, [](const fault_event& event) {
            return event.what == fault_kind::flip || event.what == fault_kind::lose || event.what == fault_kind::upset;
        });
    }
};

enum class fault_effect : std::uint8_t {
    nothing,  ///< there was nothing to be spoilt
    flipped,  ///< detail: the wire; of a stored bit index x 2^32 + bit
    lost,     ///< detail: the kind of the symbol, the number of the frame, or the type of the set
    bad,      ///< detail: the number of the frame
    doubled,
    began,  ///< dead, or stuck (detail: the wire)
    ended,
};
inline constexpr std::array<const char*, 7> effect_names = {"nothing", "flipped", "lost", "bad",
                                                            "doubled", "began",   "ended"};

/// A fault that happened.
struct fault_record {
    engine::cycle when = 0;
    unsigned from_end = 0;
    fault_kind what = fault_kind::flip;
    fault_effect effect = fault_effect::nothing;
    std::uint64_t detail = 0;

    bool operator==(const fault_record&) const = default;
};

/// Called in the order of cycles, for each direction.
using fault_report = std::function<void(const fault_record&)>;

}  // namespace polycast::hw::faults
