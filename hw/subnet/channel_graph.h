// SPDX-License-Identifier: Apache-2.0
/// \file The channel dependency graph of a fabric (Dally and Seitz 1987). A channel is a direction of a cable and a VL.
/// Channel c depends on channel d when a packet in c's buffer may need d next. A switch keeps, for each of its outputs
/// and each two VLs, the inputs whose packets go there: equal dependencies of many routes cost one bit.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hw/topology/graph.h"

namespace polycast::hw::subnet {

inline constexpr unsigned max_vls = 16;

/// A channel by its sender: an output of a switch.
struct channel {
    std::uint32_t chip = 0;
    std::uint8_t port = 0;  ///< from 0
    std::uint8_t vl = 0;

    bool operator==(const channel&) const = default;
};

class dependencies {
public:
    explicit dependencies(const topology::graph& network);

    /// At a switch, packets from `inputs` (bit p is port p from 0) on VL v go to `out` on VL w.
    void add(std::uint32_t chip, std::uint64_t inputs, unsigned v, unsigned out, unsigned w) {
        at_switch& here = switches_[chip];
        std::uint16_t& slot = here.slots[v * max_vls + w];
        if (slot == 0) slot = new_slot(chip);
        here.inputs[slot * here.ports + out] |= inputs;
    }

    std::uint64_t inputs(std::uint32_t chip, unsigned v, unsigned out, unsigned w) const {
        const at_switch& here = switches_[chip];
        const std::uint16_t slot = here.slots.empty() ? 0 : here.slots[v * max_vls + w];
        return slot == 0 ? 0 : here.inputs[slot * here.ports + out];
    }

    /// Calls act(chip, inputs, v, out, w) for all dependencies of a switch's output.
    template <typename function>
    void for_each(const function& act) const {
        for (std::uint32_t s = 0; s < switches_.size(); ++s)
            for (unsigned pair = 0; pair < max_vls * max_vls; ++pair) {
                const at_switch& here = switches_[s];
                if (here.slots[pair] == 0) continue;
                for (unsigned out = 0; out < here.ports; ++out)
                    if (const std::uint64_t inputs = here.inputs[here.slots[pair] * here.ports + out])
                        act(s, inputs, pair / max_vls, out, pair % max_vls);
            }
    }

    std::uint64_t size() const;
    void merge(const dependencies& others);

    /// Strongly connected components of more than one channel, ascending sizes, and the shortest cycle, beginning with
    /// the lowest (switch, port, VL); of several the lowest.
    struct cycles {
        std::vector<std::uint32_t> components;
        std::vector<channel> shortest;  ///< empty where there is none
    };
    cycles find_cycles() const;

    /// The shortest cycle of each component, chosen and begun like that of all: the shortest first, then the lowest.
    struct component_cycle {
        std::uint32_t size = 0;  ///< channels of the component
        std::vector<channel> shortest;
        std::vector<std::pair<channel, channel>> dependencies;  ///< within the component, ascending
    };
    std::vector<component_cycle> cycles_of_components() const;

    /// Whether there is no cycle.
    bool free() const;

private:
    struct at_switch {
        std::vector<std::uint16_t> slots;   ///< [v, w]; 0 = none
        std::vector<std::uint64_t> inputs;  ///< [slot, out]; the first is unused
        unsigned ports = 0;
    };
    struct compact;

    std::uint16_t new_slot(std::uint32_t chip);

    const topology::graph* network_;
    std::vector<at_switch> switches_;
};

}  // namespace polycast::hw::subnet
